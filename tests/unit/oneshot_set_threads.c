// SPDX-License-Identifier: GPL-2.0
/*
 * Tests the oneshot tracer's set with many threads that insert the same addresses
 * at once, while the set grows, and while a module comes and goes. It is built with
 * ThreadSanitizer, which makes the program fail when it finds a data race. It does
 * not use Criterion, which needs memory where ThreadSanitizer has its own.
 *
 * usage: oneshot_set_threads [--tap=FILE] ...
 */
#include <pthread.h>
#include <sched.h>

/*
 * A load through a pointer always comes after the load of the pointer.
 * ThreadSanitizer does not know such address dependencies. So loads of pointers,
 * and only these, get an order that it knows.
 */
#define READ_ONCE(x)							\
	__atomic_load_n(&(x), _Generic((x), unsigned long : __ATOMIC_CONSUME,	\
					default : __ATOMIC_RELAXED))

#include "oneshot_set_test.h"

#define THREADS	16

static unsigned int tests, failures;
static const char *scene;

static void is(const char *what, unsigned long got, unsigned long expected)
{
	bool ok = got == expected;

	printf("%sok %u - oneshot_set_threads: %s: %s\n", ok ? "" : "not ", ++tests, scene, what);
	if (!ok)
		printf("  got %lu, expected %lu\n", got, expected);
	failures += !ok;
}

static struct oneshot_set *shared;
static pthread_barrier_t begin;
static unsigned long refused, not_known;
static bool stop;

static unsigned long get(const unsigned long *counter)
{
	return __atomic_load_n(counter, __ATOMIC_RELAXED);
}

static unsigned long count(unsigned long *counter)
{
	return __atomic_fetch_add(counter, 1, __ATOMIC_RELAXED);
}

static bool stopped(void)
{
	return __atomic_load_n(&stop, __ATOMIC_RELAXED);
}

static void start(pthread_t *thread, void *(*run)(void *), unsigned long arg)
{
	if (pthread_create(thread, NULL, run, (void *)arg))
		abort();
}

static unsigned long join(pthread_t thread)
{
	void *ret;

	pthread_join(thread, &ret);
	return (unsigned long)ret;
}

/* The number of addresses of a test, alternately functions and callers; do they have records? */
static unsigned long addrs, apart;
static bool recorded;

static unsigned long addr_of(unsigned long n)
{
	return TEXT + n * apart;
}

static unsigned int kind_of(unsigned long n)
{
	return n % 2 ? ONESHOT_FUNCTION : ONESHOT_CALLER;
}

/* Inserts the @n-th address, and tries again while it is refused. Returns whether it was new. */
static bool insert(unsigned long n)
{
	unsigned long key = oneshot_key(addr_of(n), kind_of(n));
	struct oneshot_rec *rec, **want = recorded ? &rec : NULL;
	enum oneshot_insert ret;

	while ((ret = oneshot_set_insert(shared, key, want)) == ONESHOT_REFUSED) {
		count(&refused);
		/* There may be fewer processors than threads. */
		sched_yield();
	}
	if (ret != ONESHOT_INSERTED)
		return false;

	/* Some threads are interrupted before they publish the record. */
	if (n % 64 == 0)
		sched_yield();
	if (recorded)
		rec_publish(rec, addr_of(n), kind_of(n), n & ONESHOT_REC_OWNER_MASK);
	if (!oneshot_set_has(shared, key))
		count(&not_known);
	return true;
}

/* Inserts all addresses. Groups of four threads begin at the same place in the list. */
static void *insert_all(void *arg)
{
	unsigned long me = (unsigned long)arg, inserted = 0, i;

	pthread_barrier_wait(&begin);
	for (i = 0; i < addrs; i++)
		inserted += insert((i + me / 4 * (addrs / 4)) % addrs);
	return (void *)inserted;
}

/* Reads meanwhile: a record must be complete or not published. */
static void *read_all(void *unused __attribute__((unused)))
{
	unsigned long torn = 0, n;
	u32 i;

	pthread_barrier_wait(&begin);
	while (!stopped()) {
		for (i = 0; i < oneshot_set_nr(shared); i++) {
			const struct oneshot_rec *rec = oneshot_set_rec(shared, i);
			u32 meta = oneshot_rec_meta(rec);

			if (!meta)
				continue;
			n = (rec_addr(rec) - TEXT) / apart;
			torn += n >= addrs || rec_addr(rec) != addr_of(n) ||
				rec->other != other_of(addr_of(n)) || rec->ns != ns_of(addr_of(n)) ||
				rec->pid != pid_of(addr_of(n)) ||
				oneshot_meta_cpu(meta) != cpu_of(addr_of(n)) ||
				oneshot_meta_kind(meta) != kind_of(n) ||
				oneshot_meta_owner(meta) != (n & ONESHOT_REC_OWNER_MASK);
		}
	}
	return (void *)torn;
}

/* The same as oneshot_grow() of trace_oneshot_sets.c, but it always comes too late. */
static void *grow(void *unused __attribute__((unused)))
{
	unsigned long seen = 0;
	u32 wanted;

	pthread_barrier_wait(&begin);
	while (!stopped()) {
		if (get(&refused) == seen) {
			sched_yield();
			continue;
		}
		seen = get(&refused);
		wanted = xchg(&shared->wanted, 0);
		if (wanted)
			set_cover(shared, (wanted - 1UL) << ONESHOT_CHUNK_SHIFT, 1);
		if (!oneshot_set_spare(shared) && shared->room < shared->limit)
			set_add_block(shared);
	}
	return NULL;
}

/* How many addresses are not known, or do not have exactly the records that they should have? */
static unsigned long not_once(void)
{
	unsigned char *seen = calloc(addrs, 1);
	unsigned long n, wrong = 0;
	u32 i;

	if (!seen)
		abort();
	for (i = 0; i < oneshot_set_nr(shared); i++) {
		const struct oneshot_rec *rec = oneshot_set_rec(shared, i);

		n = (rec_addr(rec) - TEXT) / apart;
		if (rec_is_live(rec) && n < addrs && seen[n] < 2)
			seen[n]++;
	}
	for (n = 0; n < addrs; n++)
		wrong += seen[n] != recorded || !set_has(shared, addr_of(n), kind_of(n));
	free(seen);
	return wrong;
}

/* Begins a scene with @nr addresses, and an empty set of at most @limit records. */
static void begin_scene(const char *name, unsigned long nr, unsigned long bytes_apart, u32 limit)
{
	scene = name;
	addrs = nr;
	apart = bytes_apart;
	recorded = true;
	refused = 0;
	not_known = 0;
	stop = false;
	shared = set_new(limit);
}

/* Runs it in all threads, which @begin lets begin together. Returns the sum of what they return. */
static unsigned long in_all_threads(void *(*run)(void *))
{
	unsigned long i, sum = 0;
	pthread_t threads[THREADS];

	for (i = 0; i < THREADS; i++)
		start(&threads[i], run, i);
	for (i = 0; i < THREADS; i++)
		sum += join(threads[i]);
	return sum;
}

static void insert_from_all_threads(void)
{
	pthread_t reader, grower;
	unsigned long total;

	pthread_barrier_init(&begin, NULL, THREADS + 2);
	start(&reader, read_all, 0);
	start(&grower, grow, 0);
	total = in_all_threads(insert_all);
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	join(grower);

	is("a record is whole, or not there", join(reader), 0);
	is("each address is new to one thread", total, addrs);
	is("and known from then on", not_known, 0);
	is("there are no more records", oneshot_set_nr(shared), recorded ? addrs : 0);
	is("and none is missing", not_once(), 0);
}

static void all_is_there(void)
{
	begin_scene("room for all", 20000, 7, ONESHOT_MAX_RECS);
	set_cover(shared, TEXT, addrs * apart);
	while (oneshot_set_spare(shared) < addrs)
		set_add_block(shared);
	insert_from_all_threads();
	is("nothing is refused where there is room", refused, 0);
	set_free(shared);
}

static void blocks_are_added(void)
{
	/* The last block has room for a part of its records. */
	begin_scene("blocks added meanwhile", 20000, 7, 20000);
	set_cover(shared, TEXT, addrs * apart);
	insert_from_all_threads();
	is("inserters have had to ask again", refused > 0, 1);
	is("there are no more blocks than it takes", shared->nr_blocks,
	   (addrs + ONESHOT_BLOCK_RECS - 1) / ONESHOT_BLOCK_RECS);
	set_free(shared);
}

static void chunks_are_added(void)
{
	begin_scene("chunks added meanwhile", 4000, 4099, 4000);
	recorded = false;
	insert_from_all_threads();
	is("inserters have had to ask again", refused > 0, 1);
	is("each is added once", shared->nr_chunks, ((addrs - 1) * apart >> ONESHOT_CHUNK_SHIFT) + 1);
	set_free(shared);
}

/*
 * Inserts an address, and publishes its record only after the reader has looked at
 * it. So the reader's only ordering is that with the block itself.
 */
static void *insert_and_wait(void *unused __attribute__((unused)))
{
	struct oneshot_rec *rec;

	set_add_block(shared);
	if (oneshot_set_insert(shared, addr_of(0), &rec) != ONESHOT_INSERTED)
		abort();
	while (!stopped())
		sched_yield();
	rec_publish(rec, addr_of(0), ONESHOT_CALLER, 0);
	return NULL;
}

static void interrupt_an_insertion(void)
{
	pthread_t thread;
	u32 meta;

	begin_scene("an insertion is interrupted", 1, 1, ONESHOT_MAX_RECS);
	set_cover(shared, TEXT, 1);
	start(&thread, insert_and_wait, 0);
	while (!oneshot_set_nr(shared))
		sched_yield();
	meta = oneshot_rec_meta(oneshot_set_rec(shared, 0));
	is("its address is known", oneshot_set_has(shared, addr_of(0)), 1);
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	join(thread);
	is("and its record is not there yet", meta, 0);
	is("but later", set_count(shared, addr_of(0), ONESHOT_CALLER), 1);
	set_free(shared);
}

/* Threads that fill the set: each address must be either refused or recorded. */
static void *insert_own(void *arg)
{
	unsigned long me = (unsigned long)arg, inserted = 0, n;

	pthread_barrier_wait(&begin);
	for (n = me * addrs / THREADS; n < (me + 1) * addrs / THREADS; n++) {
		if (set_add(shared, addr_of(n), ONESHOT_FUNCTION, 0) == ONESHOT_INSERTED)
			inserted++;
		else
			count(&refused);
	}
	return (void *)inserted;
}

static void fill_to_the_last_record(void)
{
	const u32 limit = ONESHOT_BLOCK_RECS + 1000;
	unsigned long i, in, known = 0, twice = 0;

	begin_scene("a limit", 16000, 16, limit);
	set_cover(shared, TEXT, addrs * apart);
	set_add_block(shared);
	set_add_block(shared);
	pthread_barrier_init(&begin, NULL, THREADS);
	in = in_all_threads(insert_own);
	for (i = 0; i < addrs; i++)
		known += set_has(shared, addr_of(i), ONESHOT_FUNCTION);
	for (i = 0; i < addrs; i += 97)
		twice += set_count(shared, addr_of(i), ONESHOT_FUNCTION) !=
			 set_has(shared, addr_of(i), ONESHOT_FUNCTION);
	is("it is filled to the last record", in, limit);
	is("the rest is refused", refused, addrs - limit);
	is("what is refused is not known", known, limit);
	is("what is known has a record", twice, 0);
	set_free(shared);
}

/*
 * Some threads are always refused; others insert addresses that need no record.
 * Their bits are next to each other.
 */
static void *insert_without_room(void *arg)
{
	unsigned long me = (unsigned long)arg, wrong = 0, round, i;

	pthread_barrier_wait(&begin);
	for (round = 0; round < addrs; round += 64) {
		for (i = 0; i < 64; i++) {
			unsigned long addr = TEXT + round + i;

			if (i % 2 != me % 2)
				continue;
			if (me % 2)
				wrong += set_add(shared, addr, ONESHOT_CALLER, 0) ==
					 ONESHOT_INSERTED;
			else if (oneshot_set_insert(shared, addr, NULL) == ONESHOT_REFUSED ||
				 !oneshot_set_has(shared, addr))
				wrong++;
		}
	}
	return (void *)wrong;
}

static void refuse_what_needs_a_record(void)
{
	unsigned long i, wrong, lost = 0, left = 0;

	begin_scene("no room", 128 * 1024, 1, ONESHOT_MAX_RECS);
	set_cover(shared, TEXT, addrs);
	pthread_barrier_init(&begin, NULL, THREADS);
	wrong = in_all_threads(insert_without_room);
	for (i = 0; i < addrs; i += 2) {
		lost += !oneshot_set_has(shared, TEXT + i);
		left += oneshot_set_has(shared, TEXT + i + 1);
	}
	is("what needs a record is refused, what needs none is known", wrong, 0);
	is("nobody's bit is lost when another one is cleared", lost, 0);
	is("nothing is left of what is refused", left, 0);
	set_free(shared);
}

/*
 * Threads run code while a module comes and goes in the same steps as in
 * trace_oneshot_modules.c. Most of the code is the kernel's, and some is the module's.
 */
#define MODULE_ADDRS	50UL
#define MODULE_SIZE	4096UL
#define MODULE_OWNER	5
#define PLACES		7UL
#define ONCE_ADDRS	5000UL
#define ROUNDS		40

/* The module's place while it is listed, and while its code runs, which ends later; 0: none. */
static unsigned long owned, running;
static unsigned long passes[THREADS], once;

static unsigned long place_of(unsigned long n)
{
	return MODULE + n * (CHUNK / 2 + 3 * MODULE_SIZE);
}

/* The last address before a place, or the first address after it. */
static unsigned long neighbour_of(unsigned long n)
{
	return n % 2 ? place_of(n / 2) + MODULE_SIZE : place_of(n / 2) - 1;
}

/* Like oneshot_record(): code of a module that is no longer listed becomes known, without a record. */
static void run_module(unsigned long base, unsigned long n)
{
	bool listed = __atomic_load_n(&owned, __ATOMIC_RELAXED) == base;
	unsigned long addr = base + n * 12;

	if (set_has(shared, addr, kind_of(n)))
		return;
	if (listed)
		set_add(shared, addr, kind_of(n), MODULE_OWNER);
	else
		oneshot_set_insert(shared, oneshot_key(addr, kind_of(n)), NULL);
}

static void *run_code(void *arg)
{
	unsigned long me = (unsigned long)arg, n = me * (addrs / THREADS);

	while (!stopped()) {
		unsigned long base = smp_load_acquire(&running), i, next;

		for (i = 0; i < 50; i++, n++) {
			if (!set_has(shared, addr_of(n % addrs), kind_of(n % addrs)))
				count(&not_known);
		}
		for (i = 0; i < 2 * PLACES; i++) {
			if (!set_has(shared, neighbour_of(i), ONESHOT_CALLER))
				count(&not_known);
		}
		/* Code that only some threads run, and only once. */
		next = addrs + count(&once) / 3 % ONCE_ADDRS;
		set_add(shared, addr_of(next), kind_of(next), 0);
		if (!set_has(shared, addr_of(next), kind_of(next)))
			count(&not_known);

		for (i = 0; base && i < MODULE_ADDRS; i++)
			run_module(base, i);

		__atomic_fetch_add(&passes[me], 1, __ATOMIC_ACQ_REL);
		/* There may be fewer processors than threads. */
		sched_yield();
	}
	return NULL;
}

/* Waits until each thread has finished what it had begun before. */
static void synchronize(void)
{
	unsigned long i, before;

	for (i = 0; i < THREADS; i++) {
		before = smp_load_acquire(&passes[i]);
		while (smp_load_acquire(&passes[i]) - before < 2)
			sched_yield();
	}
}

static void come_and_go(void)
{
	unsigned long i, round, base = place_of(0), wrong = 0;
	u32 chunks = 0;
	pthread_t threads[THREADS];

	begin_scene("a module comes and goes", 2000, 7, ONESHOT_MAX_RECS);
	set_cover(shared, TEXT, CHUNK);
	while (oneshot_set_spare(shared) < addrs + ONCE_ADDRS + ONESHOT_BLOCK_RECS)
		set_add_block(shared);
	for (i = 0; i < addrs; i++)
		set_add(shared, addr_of(i), kind_of(i), 0);
	for (i = 0; i < 2 * PLACES; i++) {
		set_cover(shared, neighbour_of(i), 1);
		set_add(shared, neighbour_of(i), ONESHOT_CALLER, 0);
	}

	for (i = 0; i < THREADS; i++)
		start(&threads[i], run_code, i);
	for (round = 0; round < ROUNDS; round++) {
		unsigned long was = base;

		base = place_of(round % PLACES);
		module_comes(shared, MODULE_OWNER, was, base, MODULE_SIZE);
		__atomic_store_n(&owned, base, __ATOMIC_RELAXED);
		smp_store_release(&running, base);
		synchronize();
		__atomic_store_n(&owned, 0, __ATOMIC_RELAXED);
		module_goes(shared, MODULE_OWNER, base);
		/* Code of the module that runs already may go on for a while. */
		if (round % 2)
			synchronize();
		smp_store_release(&running, 0);
		synchronize();
		if (round == PLACES - 1)
			chunks = shared->nr_chunks;
	}
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	for (i = 0; i < THREADS; i++)
		join(threads[i]);
	module_comes(shared, MODULE_OWNER, base, place_of(0), MODULE_SIZE);

	is("addresses outside of the module are known all the time", not_known, 0);
	once = (once + 2) / 3;
	addrs += once < ONCE_ADDRS ? once : ONCE_ADDRS;
	is("and has one record", not_once(), 0);
	for (i = 0; i < MODULE_ADDRS; i++)
		wrong += set_count(shared, place_of(0) + i * 12, kind_of(i)) != 1;
	is("each address in the module has one record, however often the module comes", wrong, 0);
	is("and nothing else is left of it", oneshot_set_nr(shared),
	   addrs + 2 * PLACES + MODULE_ADDRS);
	is("the module takes no new chunks where it has been before", shared->nr_chunks, chunks);
	set_free(shared);
}

int main(int argc, char **argv)
{
	int i;

	for (i = 1; i < argc; i++) {
		if (!strncmp(argv[i], "--tap=", 6) && !freopen(argv[i] + 6, "w", stdout)) {
			perror(argv[i] + 6);
			return 1;
		}
	}

	setvbuf(stdout, NULL, _IOLBF, 0);
	alarm(120);
	all_is_there();
	blocks_are_added();
	chunks_are_added();
	interrupt_an_insertion();
	fill_to_the_last_record();
	refuse_what_needs_a_record();
	come_and_go();
	printf("1..%u\n", tests);
	return failures > 0;
}
