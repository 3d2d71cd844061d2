/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A set of code addresses that remembers each one once, and when it came.
 *
 * The oneshot tracer asks it one question on every function call, "do you know
 * this address?", from any context, NMI included, on all CPUs at once. The
 * answer is nearly always yes. So the set is a bitmap, one bit for each byte of
 * text, the same for all CPUs, and a look-up is two loads and the test of a bit.
 *
 *  low 32 bits     map[]
 *  of an address   +---------+
 *  +----------+    | chunk --+--> 1 MiB of text, 128 KiB of bits, 64 in a word
 *  |    12    |--->| chunk --+--> 0 0 0 1 0 0 0 0 0 0 0 1 0 0 0 0 0 0 ...
 *  +----------+    |   :     |
 *  |    14    |    | chunk --+--> none: all of these share one chunk of zeros,
 *  +----------+    +---------+    whose pages may all be the same one
 *  |     6    |
 *  +----------+    blocks[]       records, in order of first hit
 *                  +---------+    +---------------------------+
 *                  | block --+--> | addr, ns, pid, meta       | 0
 *                  | block --+-.  | addr, ns, pid, meta       | 1
 *                  | NULL    | |  | not published: meta == 0  | 2
 *                  +---------+ |  +---------------------------+
 *                              '-> 4096, ...
 *
 * It is made for kernels whose text and modules lie in 2 GiB, as on x86-64:
 * the low 32 bits of an address, of which the topmost is set, tell them apart,
 * and text is dense. A kernel with 12 MiB of it needs less than 2 MiB of bits,
 * fewer than a table of the addresses that a busy day finds; there is nothing to
 * hash, to probe, to fill or to size, and 12,000 addresses that are in use are
 * spread no wider than the text itself is.
 *
 * A caller's key is the address that it is returned to. A function's is the
 * address behind the ONESHOT_SITE_BYTES of its call site, where a tracer is
 * called from: the call there is patched in, and returns to that address without
 * being anybody's caller. So one bitmap does for both kinds, and the address that
 * a tracer finds on the stack is a key as it is.
 *
 * Invariants:
 *
 * I1  A bit is set by an atomic test-and-set, so one context sees it as new.
 *     That one reserves a record, or clears the bit again if there is none left.
 *     So an address never has two records; and whoever meets the bit meanwhile
 *     and goes away has lost nothing if it is cleared again, as the next call
 *     will find it so.
 * I2  A record is published by the release store of @meta and read after an
 *     acquire load of it. Until then a reader skips it: its writer has been
 *     interrupted, possibly by the reader.
 * I3  Chunks and blocks are only added, until the set is freed as a whole. A
 *     chunk is zero before it is linked, and no bit of it was set before: the
 *     chunk of zeros is never written to.
 * I4  No bit is set on behalf of an address below ONESHOT_TEXT, whose low bits
 *     may be those of another one. It may look as if it were known, which
 *     matters to nobody: it is not the kernel's code.
 *
 * Insertion is lock-free and safe in NMIs: an interrupted insertion leaves no
 * state that anyone waits for. It allocates nothing: whoever owns the set adds
 * blocks ahead of need, when oneshot_set_spare() says so, and chunks where code
 * comes to lie. For one caller at a time, who may sleep, while any number of
 * others insert:
 *
 * - oneshot_set_add_block(), oneshot_set_add_chunk().
 * - oneshot_set_clear() makes all addresses in a range new ones, when new code has
 *   come to lie there that nobody executes yet. It takes nothing from records.
 * - oneshot_rec_forget() makes a record's address an offset, for code that goes
 *   away; oneshot_set_remember() makes it an address again, and a known one, for
 *   code that is back, perhaps at another place. So code that comes and goes takes
 *   neither bits nor records.
 *
 * The file has no dependency but atomics and memory barriers, and is compiled
 * in user space, too, where its concurrency is tested.
 */
#ifndef _KERNEL_TRACE_ONESHOT_SET_H
#define _KERNEL_TRACE_ONESHOT_SET_H

#ifdef __KERNEL__
#include <linux/atomic.h>
#include <linux/bitops.h>
#include <linux/cache.h>
#include <linux/compiler.h>
#include <linux/types.h>
#endif

struct oneshot_counts;

/* What an address has been seen as. */
#define ONESHOT_FUNCTION	1U
#define ONESHOT_CALLER		2U

/* Where the 2 GiB begin. */
#define ONESHOT_TEXT		(~0UL << 31)

/* A function's call site: what ftrace patches, see MCOUNT_INSN_SIZE of x86-64. */
#define ONESHOT_SITE_BYTES	5

/*
 * 1 MiB of text has a chunk: large enough for a table of chunks that is no larger
 * than one of them, small enough for modules, which come with less.
 */
#define ONESHOT_CHUNK_SHIFT	20
#define ONESHOT_CHUNKS		(1U << (32 - ONESHOT_CHUNK_SHIFT))
#define ONESHOT_CHUNK_BYTES	(1UL << (ONESHOT_CHUNK_SHIFT - 3))

/* 96 KiB of records, and as many of those as there is text for in practice. */
#define ONESHOT_BLOCK_RECS	4096U
#define ONESHOT_BLOCKS		256U
#define ONESHOT_MAX_RECS	(ONESHOT_BLOCKS * ONESHOT_BLOCK_RECS)

/*
 * struct oneshot_rec - what is known of an address' first hit
 * @addr: the address; after oneshot_rec_forget(), an offset
 * @ns: time of the first hit, of the clock that the caller of insert used
 * @pid: who ran it
 * @meta: ONESHOT_REC_* below; zero until the record is published
 */
struct oneshot_rec {
	u64	addr;
	u64	ns;
	u32	pid;
	u32	meta;
};

#define ONESHOT_BLOCK_BYTES	(ONESHOT_BLOCK_RECS * sizeof(struct oneshot_rec))

#define ONESHOT_REC_READY	0x1U
#define ONESHOT_REC_FORGOTTEN	0x2U	/* an offset in code that is not there */
#define ONESHOT_REC_CALLER	0x4U
#define ONESHOT_REC_CPU_SHIFT	3
#define ONESHOT_REC_CPU_MASK	0x1fffU	/* 8,192 CPUs */
#define ONESHOT_REC_OWNER_SHIFT	16
#define ONESHOT_REC_OWNER_MASK	0x7fffU
#define ONESHOT_REC_MARKED	0x80000000U	/* of no meaning to the set */

/* Published, and nothing to read: an address had two records. */
#define ONESHOT_REC_VOID	ONESHOT_REC_FORGOTTEN

/**
 * struct oneshot_set - a set of code addresses
 * @map: where the bits of each chunk would begin if it began at address 0: what an
 *	address' low bits, as they are, find the word in
 * @zeros: what chunks that are missing share; read only
 * @limit: how many records there may be
 * @nr_chunks: chunks of its own
 * @nr_blocks: blocks of records
 * @blocks: the records, in order of first hit
 * @room: how many records there is memory for, never above @limit
 * @counts: what the owner counts beside; of no meaning to the set
 * @nr_recs: records reserved so far, never above @room
 * @wanted: a chunk that is missing and would do for an address without a record,
 *	plus one
 *
 * Every call reads @map, and every insertion writes what comes last: they do
 * not share a cache line.
 */
struct oneshot_set {
	unsigned long		map[ONESHOT_CHUNKS];

	const void		*zeros;
	u32			limit;
	u32			nr_chunks;
	u32			nr_blocks;
	u32			room;
	struct oneshot_rec	*blocks[ONESHOT_BLOCKS];
	struct oneshot_counts __percpu *counts;

	atomic_t		nr_recs ____cacheline_aligned;
	u32			wanted;
};

/* What an address as that kind is known by. */
static __always_inline unsigned long oneshot_key(unsigned long addr, unsigned int kind)
{
	return kind == ONESHOT_FUNCTION ? addr + ONESHOT_SITE_BYTES : addr;
}

/* The word that has the bit of @key. */
static __always_inline unsigned long *oneshot_set_word(const struct oneshot_set *set,
						       unsigned long key)
{
	u32 low = key;
	/* Pairs with the release in oneshot_set_add_chunk(), by dependency. */
	unsigned long map = READ_ONCE(set->map[low >> ONESHOT_CHUNK_SHIFT]);

	return (unsigned long *)(map + low / 64 * 8UL);
}

/**
 * oneshot_set_has - has this address been seen?
 * @set: the set
 * @key: its oneshot_key()
 *
 * The hot path of the tracer: it calls nothing, so that nothing in it can be
 * traced, and stores nothing. An architecture may have it in assembly, see
 * ftrace_64.S of x86.
 *
 * Context: any, NMI included; also where RCU is not watching.
 * Return: true if a former oneshot_set_insert() of it has returned; false, too, if
 *	there was no memory for it.
 */
static __always_inline bool oneshot_set_has(const struct oneshot_set *set, unsigned long key)
{
	return READ_ONCE(*oneshot_set_word(set, key)) >> key % 64 & 1;
}

/* What oneshot_set_insert() found. */
enum oneshot_insert {
	ONESHOT_INSERTED,	/* the address is new: write its record */
	ONESHOT_KNOWN,		/* somebody had it */
	ONESHOT_REFUSED,	/* there is no memory for it: ask again at its next call */
};

void oneshot_set_init(struct oneshot_set *set, const void *zeros, u32 limit);
bool oneshot_set_lacks_chunk(const struct oneshot_set *set, unsigned long addr);
void oneshot_set_add_chunk(struct oneshot_set *set, unsigned long addr, void *chunk);
void oneshot_set_add_block(struct oneshot_set *set, void *block);
void *oneshot_set_chunk(const struct oneshot_set *set, unsigned int i);
enum oneshot_insert oneshot_set_insert(struct oneshot_set *set, unsigned long key,
				       struct oneshot_rec **rec);
void oneshot_rec_publish(struct oneshot_rec *rec, unsigned long addr, unsigned int kind,
			 u64 ns, u32 pid, unsigned int cpu, unsigned int owner);
void oneshot_rec_forget(struct oneshot_rec *rec, unsigned long base);
bool oneshot_set_remember(struct oneshot_set *set, struct oneshot_rec *rec,
			  unsigned long base);
void oneshot_set_clear(struct oneshot_set *set, unsigned long start, unsigned long size);
size_t oneshot_set_bytes(const struct oneshot_set *set);

/* How many records a reader has to look at, unpublished ones included. */
static inline u32 oneshot_set_nr(const struct oneshot_set *set)
{
	return atomic_read(&set->nr_recs);
}

/* For how many more addresses is there memory? */
static inline u32 oneshot_set_spare(const struct oneshot_set *set)
{
	return READ_ONCE(set->room) - oneshot_set_nr(set);
}

/* The @i-th record, of oneshot_set_nr(). */
static inline struct oneshot_rec *oneshot_set_rec(const struct oneshot_set *set, u32 i)
{
	/* Pairs with the release in oneshot_set_add_block(). */
	struct oneshot_rec *block = smp_load_acquire(&set->blocks[i / ONESHOT_BLOCK_RECS]);

	return &block[i % ONESHOT_BLOCK_RECS];
}

/* Is there something to read in @rec? Orders the reading after the writing. */
static inline u32 oneshot_rec_meta(const struct oneshot_rec *rec)
{
	/* I2: pairs with the store of whoever published it. */
	u32 meta = smp_load_acquire(&rec->meta);

	return meta & ONESHOT_REC_READY ? meta : 0;
}

/* Nothing to read in @rec: for good, or only not yet? */
static inline bool oneshot_rec_is_void(const struct oneshot_rec *rec)
{
	return READ_ONCE(rec->meta) == ONESHOT_REC_VOID;
}

/* Set ONESHOT_REC_MARKED. Context: as oneshot_rec_forget(). */
static inline void oneshot_rec_mark(struct oneshot_rec *rec)
{
	WRITE_ONCE(rec->meta, rec->meta | ONESHOT_REC_MARKED);
}

static inline unsigned int oneshot_meta_kind(u32 meta)
{
	return meta & ONESHOT_REC_CALLER ? ONESHOT_CALLER : ONESHOT_FUNCTION;
}

static inline unsigned int oneshot_meta_cpu(u32 meta)
{
	return meta >> ONESHOT_REC_CPU_SHIFT & ONESHOT_REC_CPU_MASK;
}

static inline unsigned int oneshot_meta_owner(u32 meta)
{
	return meta >> ONESHOT_REC_OWNER_SHIFT & ONESHOT_REC_OWNER_MASK;
}

#endif /* _KERNEL_TRACE_ONESHOT_SET_H */
