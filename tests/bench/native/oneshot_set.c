// SPDX-License-Identifier: GPL-2.0
/*
 * Compares the oneshot tracer's set with other data structures for a set of
 * addresses, on this machine: how long a look-up takes, and how much memory it needs.
 * The kernel's file is compiled as it is, in user space. All of them have the best
 * conditions: inlined, without a lock, in huge pages.
 *
 *	bitmap		oneshot_set.h: a bit for each byte of text
 *	hash		the set of an earlier version: one table, open addressing,
 *			linear probing, at most half full
 *	BPF set		bpf/cover.bpf.c's: open addressing, its own hash, 64 probes
 *	BPF map		kernel/bpf/hashtab.c's shape: jhash, chains of elements that
 *			are taken one after the other; without the calls and the
 *			protection around it
 *	ring		no set: each call is written to a buffer of its CPU, in the
 *			few steps that every ring buffer like ftrace's needs. So this
 *			is the least that recording each call can cost
 *
 * The addresses are spread as functions and calls are in text, 64 bytes apart on
 * average. All of them are looked up in random order, by one thread, and by two at
 * once; the latter only tells something if each thread has a CPU of its own. Nothing
 * happens between look-ups, so a CPU works on several at a time, and a time is only
 * good for comparison. "KiB" is the memory of the structure for one and for two CPUs.
 * It does not include the records of what was found, which all sets need, nor the
 * page of zeros that all bitmaps share.
 *
 * Each time is that of the best of many rounds, because other processes may run
 * meanwhile. A difference of less than a nanosecond means nothing.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

#include "../../unit/kernel_shim.h"
#include "../../../kernel/files/kernel/trace/oneshot_set.c"

#define TEXT		0xffffffff81000000UL
#define LOOKUPS		1000000UL	/* in a round */
#define ROUNDS		30
#define LINE		64

static void *must(void *p)
{
	if (!p || p == MAP_FAILED) {
		perror("oneshot_set");
		exit(1);
	}
	return p;
}

/*
 * Zeroed memory, which all sets use one after the other. It is in huge pages, as the
 * memory that the kernel allocates in large pieces is.
 */
#define ARENA	(1UL << 30)
#define HUGE	(2UL << 20)

static char *arena;
static size_t used;

static void *take(size_t size)
{
	void *p = arena + used;

	used += (size + LINE - 1) / LINE * LINE;
	if (used > ARENA)
		abort();
	return p;
}

static void arena_init(void)
{
	char *p = must(mmap(NULL, ARENA + HUGE, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));

	arena = (char *)(((unsigned long)p + HUGE - 1) / HUGE * HUGE);
	madvise(arena, ARENA, MADV_HUGEPAGE);
}

static void arena_reset(void)
{
	if (madvise(arena, used, MADV_DONTNEED))
		abort();
	used = 0;
}

/* ------------------------------------------------------------ bitmap */

static void *bitmap_new(const unsigned long *keys, unsigned long nr)
{
	static const unsigned long zeros[ONESHOT_CHUNK_BYTES / sizeof(long)];
	struct oneshot_set *set = take(sizeof(*set));
	unsigned long i;

	oneshot_set_init(set, zeros, 0);
	for (i = 0; i < nr; i++) {
		if (oneshot_set_lacks_chunk(set, keys[i]))
			oneshot_set_add_chunk(set, keys[i], take(ONESHOT_CHUNK_BYTES));
		oneshot_set_insert(set, keys[i], NULL);
	}
	return set;
}

static __always_inline bool bitmap_has(const void *set, unsigned long key)
{
	return oneshot_set_has(set, key);
}

/* ------------------------------------------------------------ hash */

#define HASH_FUNCTION	1UL
#define HASH_BOTH	3UL

struct hash {
	u32		shift;
	u32		mask;
	unsigned long	slots[] ____cacheline_aligned;
};

/* As in linux/hash.h. */
static __always_inline u32 hash_home(const struct hash *set, unsigned long addr)
{
	return (u32)addr * 0x61C88647U >> set->shift;
}

static __always_inline bool hash_has(const void *p, unsigned long addr)
{
	const struct hash *set = p;
	unsigned long want = addr << 2 | HASH_BOTH;
	u32 i = hash_home(set, addr);

	for (;;) {
		unsigned long slot = READ_ONCE(set->slots[i]);

		/* The bit of the other kind does not matter. */
		if (likely((slot | (HASH_BOTH ^ HASH_FUNCTION)) == want))
			return true;
		if (!slot)
			return false;
		i = (i + 1) & set->mask;
	}
}

static void *hash_new(const unsigned long *keys, unsigned long nr)
{
	unsigned int bits = 8;
	struct hash *set;
	unsigned long i;
	u32 slot;

	while (1UL << bits < 2 * nr)
		bits++;
	set = take(sizeof(*set) + (sizeof(set->slots[0]) << bits));
	set->shift = 32 - bits;
	set->mask = (1U << bits) - 1;
	for (i = 0; i < nr; i++) {
		if (hash_has(set, keys[i]))
			continue;
		for (slot = hash_home(set, keys[i]); set->slots[slot];)
			slot = (slot + 1) & set->mask;
		set->slots[slot] = keys[i] << 2 | HASH_FUNCTION;
	}
	return set;
}

/* ------------------------------------------------------------ BPF set */

#define PROBES		64

struct open_set {
	u32		shift;
	unsigned long	places[] ____cacheline_aligned;
};

static __always_inline bool open_set_has(const void *p, unsigned long key)
{
	const struct open_set *set = p;
	const unsigned long *place = &set->places[(u32)key * 0x9e3779b1U >> set->shift];
	u32 i;

	for (i = 0; i < PROBES; i++) {
		unsigned long other = READ_ONCE(place[i]);

		if (likely(other == key))
			return true;
		if (!other)
			break;
	}
	return false;
}

static void *open_set_new(const unsigned long *keys, unsigned long nr)
{
	unsigned int bits = 10;
	struct open_set *set;
	unsigned long i;

	while (1UL << bits < 2 * nr)
		bits++;
	set = take(sizeof(*set) + ((1UL << bits) + PROBES) * sizeof(set->places[0]));
	set->shift = 32 - bits;
	for (i = 0; i < nr; i++) {
		unsigned long *place = &set->places[(u32)keys[i] * 0x9e3779b1U >> set->shift];

		while (*place && *place != keys[i])
			place++;
		*place = keys[i];
	}
	return set;
}

/* ------------------------------------------------------------ BPF map */

/* As large as struct htab_elem with a key of 8 bytes and a value of 4, and its bucket with a lock. */
struct element {
	struct element		*next;
	unsigned long		unused[4];
	u32			hash;
	unsigned long		key, value;
};

struct htab {
	u32			mask;
	struct element		*elements;
	struct { struct element *first; unsigned long lock; } buckets[];
};

/* jhash2() of two words, as in linux/jhash.h: by Bob Jenkins, lookup3.c, 2006. */
static __always_inline u32 jhash_address(unsigned long key)
{
	u32 a = 0xdeadbeef + (2 << 2), b = a, c = a;

	a += (u32)key;
	b += (u32)(key >> 32);
#define ROTATE(x, by) ((x) << (by) | (x) >> (32 - (by)))
	c ^= b; c -= ROTATE(b, 14);
	a ^= c; a -= ROTATE(c, 11);
	b ^= a; b -= ROTATE(a, 25);
	c ^= b; c -= ROTATE(b, 16);
	a ^= c; a -= ROTATE(c, 4);
	b ^= a; b -= ROTATE(a, 14);
	c ^= b; c -= ROTATE(b, 24);
#undef ROTATE
	return c;
}

static __always_inline bool htab_has(const void *p, unsigned long key)
{
	const struct htab *set = p;
	u32 hash = jhash_address(key);
	const struct element *element;

	for (element = set->buckets[hash & set->mask].first; element; element = element->next) {
		if (element->hash == hash && element->key == key)
			return true;
	}
	return false;
}

static void *htab_new(const unsigned long *keys, unsigned long nr)
{
	struct element *element;
	unsigned int bits = 0;
	struct htab *set;
	unsigned long i;

	while (1UL << bits < nr)
		bits++;
	set = take(sizeof(*set) + (sizeof(set->buckets[0]) << bits));
	set->mask = (1U << bits) - 1;
	element = take(nr * sizeof(*element));
	for (i = 0; i < nr; i++, element++) {
		u32 hash = jhash_address(keys[i]);

		*element = (struct element) {
			.next = set->buckets[hash & set->mask].first, .hash = hash, .key = keys[i],
		};
		set->buckets[hash & set->mask].first = element;
	}
	return set;
}

/* ------------------------------------------------------------ ring */

#define RING_BYTES	(2UL << 20)

/* A header with the time since the last event, the fields that all events begin with, the function and its caller. */
struct ring_event {
	u32			header;
	u32			common[2];
	u32			unused;
	unsigned long		function, caller;
};

struct ring {
	unsigned long		preempt, committing, commits, write, stamp;
	struct ring_event	events[RING_BYTES / sizeof(struct ring_event)];
};

/* Like local_add_return(): one instruction, which is atomic for interrupts but not for other CPUs. */
static __always_inline unsigned long local_add(unsigned long *value, unsigned long by)
{
	unsigned long old = by;

	asm volatile("xaddq %0, %1" : "+r" (old), "+m" (*value) : : "memory");
	return old;
}

static __always_inline bool ring_has(const void *p, unsigned long key)
{
	struct ring *ring = (struct ring *)p;
	struct ring_event *event;
	unsigned long stamp;

	WRITE_ONCE(ring->preempt, ring->preempt + 1);
	local_add(&ring->committing, 1);
	local_add(&ring->commits, 1);
	stamp = __builtin_ia32_rdtsc();
	event = &ring->events[local_add(&ring->write, 1) % ARRAY_SIZE(ring->events)];
	*event = (struct ring_event) {
		.header = (stamp - ring->stamp) << 5 | 6, .function = key, .caller = key,
	};
	WRITE_ONCE(ring->stamp, stamp);
	local_add(&ring->committing, -1UL);
	WRITE_ONCE(ring->preempt, ring->preempt - 1);
	return true;
}

static void *ring_new(const unsigned long *keys, unsigned long nr)
{
	(void)keys;
	(void)nr;
	return take(sizeof(struct ring));
}

/* ------------------------------------------------------------ all of them */

#define SHAPE(name)							\
static bool name##_has_all(const void *set, const unsigned long *keys, unsigned long nr)	\
{									\
	unsigned long i;						\
									\
	for (i = 0; i < nr; i++) {					\
		/* A branch, as in the tracer. */			\
		if (unlikely(!name##_has(set, keys[i])))		\
			return false;					\
	}								\
	return true;							\
}

SHAPE(bitmap)
SHAPE(hash)
SHAPE(open_set)
SHAPE(htab)
SHAPE(ring)

static const struct shape {
	const char	*name;
	bool		per_cpu;
	void		*(*new)(const unsigned long *keys, unsigned long nr);
	bool		(*has_all)(const void *set, const unsigned long *keys, unsigned long nr);
} shapes[] = {
	{ "bitmap", false, bitmap_new, bitmap_has_all },
	{ "hash", false, hash_new, hash_has_all },
	{ "BPF set", false, open_set_new, open_set_has_all },
	{ "BPF map", false, htab_new, htab_has_all },
	{ "ring", true, ring_new, ring_has_all },
};

#define SHAPES	ARRAY_SIZE(shapes)

static double now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1e9 + ts.tv_nsec;
}

struct reader {
	const struct shape	*shape;
	const void		*set;
	const unsigned long	*keys;
	unsigned long		nr;
	pthread_barrier_t	*begin;
	double			ns[ROUNDS];
};

static void *read_rounds(void *arg)
{
	struct reader *me = arg;
	unsigned long pass, passes = LOOKUPS / me->nr;
	unsigned int round;

	for (round = 0; round < ROUNDS; round++) {
		double start;

		pthread_barrier_wait(me->begin);
		start = now_ns();
		for (pass = 0; pass < passes; pass++) {
			if (!me->shape->has_all(me->set, me->keys, me->nr))
				abort();
		}
		me->ns[round] = (now_ns() - start) / passes / me->nr;
	}
	return NULL;
}

/* The time of a look-up in the best round, by the slower one of @threads. */
static double lookup_ns(const struct shape *shape, void *const *sets, unsigned int threads,
			const unsigned long *keys, unsigned long nr)
{
	struct reader readers[2];
	pthread_t ids[2];
	pthread_barrier_t begin;
	double best = 0;
	unsigned int i;

	pthread_barrier_init(&begin, NULL, threads);
	for (i = 0; i < threads; i++) {
		readers[i] = (struct reader) { shape, sets[i], keys, nr, &begin };
		if (pthread_create(&ids[i], NULL, read_rounds, &readers[i]))
			abort();
	}
	for (i = 0; i < threads; i++)
		pthread_join(ids[i], NULL);
	pthread_barrier_destroy(&begin);

	for (i = 0; i < ROUNDS; i++) {
		double ns = readers[0].ns[i];

		if (threads > 1 && readers[1].ns[i] > ns)
			ns = readers[1].ns[i];
		if (!i || ns < best)
			best = ns;
	}
	return best;
}

/* xorshift64; any full-period generator will do. */
static unsigned long next_random(void)
{
	static unsigned long state = 88172645463325252UL;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

static void shuffle(unsigned long *keys, unsigned long nr)
{
	unsigned long i, j, swap;

	for (i = nr - 1; i; i--) {
		j = next_random() % (i + 1);
		swap = keys[i];
		keys[i] = keys[j];
		keys[j] = swap;
	}
}

/* Addresses like those of functions and calls in text, 64 bytes apart on average, in random order. */
static void text_keys(unsigned long *keys, unsigned long nr)
{
	unsigned long addr = TEXT, i;

	for (i = 0; i < nr; i++) {
		addr += 1 + next_random() % 127;
		keys[i] = addr;
	}
	shuffle(keys, nr);
}

static void look_up_all(unsigned long *keys, unsigned long nr)
{
	unsigned int i;

	text_keys(keys, nr);
	for (i = 0; i < SHAPES; i++) {
		const struct shape *shape = &shapes[i];
		size_t bytes, bytes2;
		void *sets[2];

		sets[0] = shape->new(keys, nr);
		bytes = used;
		sets[1] = shape->per_cpu ? shape->new(keys, nr) : sets[0];
		bytes2 = used;
		printf("%9lu  %-9s %9zu %9zu %9.2f %9.2f\n", nr, shape->name,
		       bytes >> 10, bytes2 >> 10, lookup_ns(shape, sets, 1, keys, nr),
		       lookup_ns(shape, sets, 2, keys, nr));
		fflush(stdout);
		arena_reset();
	}
}

int main(void)
{
	static const unsigned long counts[] = { 1000, 10000, 100000, 1000000 };
	unsigned long *keys = must(calloc(1000000, sizeof(*keys)));
	unsigned int i;

	arena_init();
	printf("addresses  set         KiB, 1    2 CPUs     ns, 1 2 threads\n");
	for (i = 0; i < ARRAY_SIZE(counts); i++)
		look_up_all(keys, counts[i]);
	free(keys);
	return 0;
}
