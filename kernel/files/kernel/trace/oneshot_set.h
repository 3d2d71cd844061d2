/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A set of code addresses. It keeps each address once, with the first hit.
 *
 * The oneshot tracer asks it one question on every function call, "do you know
 * this address?", from any context, NMI included, on all CPUs at once. The
 * answer is nearly always yes. So the set is a bitmap, one bit for each byte of
 * text, the same for all CPUs, and a look-up is two loads and the test of a bit.
 *
 *  low 32 bits     map[]
 *  of an address   +---------+
 *  +----------+    | chunk --+--> 1 MiB of text, 128 KiB of bits
 *  |    12    |--->| chunk --+--> 0 0 0 1 0 0 0 0 0 0 0 1 0 0 0 0 0 0 ...
 *  +----------+    |   :     |
 *  |    20    |    | chunk --+--> missing: all missing chunks share one chunk
 *  +----------+    +---------+    of zeros, which may be one page mapped many times
 *
 *                  blocks[]       records, in order of first hit
 *                  +---------+    +---------------------------+
 *                  | block --+--> | addr, other, ns, pid, ... | 0
 *                  | block --+-.  | addr, other, ns, pid, ... | 1
 *                  | NULL    | |  | not published: meta == 0  | 2
 *                  +---------+ |  +---------------------------+
 *                              '-> 4096, ...
 *
 * It is made for kernels whose text and modules lie in the 4 GiB from ONESHOT_TEXT on:
 * the low 32 bits identify an address. Text is dense: 12 MiB of it need less than 2 MiB
 * of bits, which is less than a hash table of the addresses of a busy day. There is no
 * hash, no probing, and no size to choose. The bits of the addresses in use lie as close
 * together as their code.
 *
 * The key of a caller is its return address. The key of a function is the end of
 * its call site, ONESHOT_SITE_BYTES after the beginning. This is the return
 * address of the tracer call that ftrace patches in there, and never that of
 * another call. So one bitmap serves functions and callers, and a tracer can use
 * the return addresses that it finds on the stack as keys.
 *
 * Invariants:
 *
 * I1  A bit is set by an atomic test-and-set, so only one context sees it as new.
 *     This context reserves a record, or clears the bit again if no record is
 *     left. So an address never has two records. Another context may see the bit
 *     just before it is cleared, and return: the next call of this address finds
 *     the bit cleared and tries again.
 * I2  A record is published by the release store of @meta and read after an
 *     acquire load of it. Until then a reader skips it: its writer has been
 *     interrupted, possibly by the reader.
 * I3  Chunks and blocks are only added, until the set is freed as a whole. A
 *     chunk is all zero when it is linked. This loses no bit: before, its
 *     addresses had the chunk of zeros, which is never written to.
 * I4  No bit is set for an address outside of these 4 GiB: its low bits may be those
 *     of an address in the text. A look-up may still find such an address. This
 *     does no harm, as it is not kernel code.
 *
 * Insertion is lock-free and safe in NMIs: an interrupted insertion leaves no
 * state that anyone waits for. It allocates nothing: the owner of the set adds
 * blocks before oneshot_set_spare() is 0, and chunks where code is loaded. The
 * functions below are for one caller at a time, who may sleep. Any number of
 * contexts may insert meanwhile.
 *
 * - oneshot_set_add_block(), oneshot_set_add_chunk().
 * - oneshot_set_clear() makes all addresses in a range unknown, when new code is
 *   loaded there and nobody executes it yet. The records stay as they are.
 * - oneshot_rec_forget() turns a record's address into an offset when its code
 *   goes away. oneshot_set_remember() turns the offset into a known address again
 *   when the code comes back, perhaps at another place. So code that comes and
 *   goes does not use up records.
 *
 * The file depends only on atomics and memory barriers. It is also compiled in
 * user space, where its concurrency is tested.
 */
#ifndef _KERNEL_TRACE_ONESHOT_SET_H
#define _KERNEL_TRACE_ONESHOT_SET_H

#ifdef __KERNEL__
#include <linux/atomic.h>
#include <linux/bitops.h>
#include <linux/cache.h>
#include <linux/compiler.h>
#include <linux/ftrace.h>
#include <linux/sizes.h>
#include <linux/types.h>
#include <asm/page.h>
#include <asm/sections.h>
#endif

struct oneshot_counts;

/* The kinds of addresses. */
#define ONESHOT_FUNCTION	1U
#define ONESHOT_CALLER		2U

/*
 * The 4 GiB of text and modules begin here. On x86-64, the last 2 GiB have all. On arm64,
 * modules are at most 2 GiB from the kernel's image, before it or behind it.
 */
#ifndef ONESHOT_TEXT
# if BITS_PER_LONG == 32
#  define ONESHOT_TEXT		PAGE_OFFSET
# elif defined(CONFIG_ARM64)
#  define ONESHOT_TEXT		((unsigned long)_text - SZ_2G)
# else
#  define ONESHOT_TEXT		(~0UL << 31)
# endif
#endif

/* The length of a function's call site. */
#define ONESHOT_SITE_BYTES	MCOUNT_INSN_SIZE

/*
 * A chunk covers 1 MiB of text. This is large enough to make the table of chunks
 * smaller than a chunk, and small enough for modules, which have less text.
 */
#define ONESHOT_CHUNK_SHIFT	20
#define ONESHOT_CHUNKS		(1U << (32 - ONESHOT_CHUNK_SHIFT))
#define ONESHOT_CHUNK_BYTES	(1UL << (ONESHOT_CHUNK_SHIFT - 3))

/* A block has 176 KiB. In practice, no kernel has enough text to need more blocks. */
#define ONESHOT_BLOCK_RECS	4096U
#define ONESHOT_BLOCKS		256U
#define ONESHOT_MAX_RECS	(ONESHOT_BLOCKS * ONESHOT_BLOCK_RECS)

/* The length of a thread's name, TASK_COMM_LEN. */
#define ONESHOT_REC_COMM	16

/*
 * struct oneshot_rec - the first hit of an address
 * @addr: the low half of the address, see oneshot_rec_addr(); after
 *	oneshot_rec_forget(), an offset
 * @other: the low half of the other address of the hit, or 0 if it is not known: for a
 *	function, its caller; for a caller, the function that it called
 * @ns: time of the hit, by the clock that the caller of oneshot_rec_publish() uses
 * @pid: the thread of the hit
 * @tgid: the process of the thread
 * @comm: the name of the thread at that time, with a zero at its end
 * @meta: ONESHOT_REC_* below; zero until the record is published
 *
 * Records are packed, because a kernel has tens of thousands of them.
 */
struct oneshot_rec {
	u32	addr;
	u32	other;
	u64	ns;
	u32	pid;
	u32	tgid;
	char	comm[ONESHOT_REC_COMM];
	u32	meta;
} __packed __aligned(4);

#define ONESHOT_BLOCK_BYTES	(ONESHOT_BLOCK_RECS * sizeof(struct oneshot_rec))

#define ONESHOT_REC_READY	0x1U
#define ONESHOT_REC_FORGOTTEN	0x2U	/* @addr is an offset: its code is unloaded */
#define ONESHOT_REC_CALLER	0x4U
#define ONESHOT_REC_CPU_SHIFT	3
#define ONESHOT_REC_CPU_MASK	0x1fffU	/* 8,192 CPUs */
#define ONESHOT_REC_OWNER_SHIFT	16
#define ONESHOT_REC_OWNER_MASK	0x7fffU
#define ONESHOT_REC_MARKED	0x80000000U	/* the set does not interpret it */

/* A published record that nobody reads: its address has another record. */
#define ONESHOT_REC_VOID	ONESHOT_REC_FORGOTTEN

/**
 * struct oneshot_set - a set of code addresses
 * @map: for each chunk, its address minus its index times ONESHOT_CHUNK_BYTES, so
 *	that the low bits of a key find its word without a mask
 * @zeros: the read-only chunk that all missing chunks share
 * @limit: the largest number of records
 * @nr_chunks: how many chunks have been added
 * @nr_blocks: blocks of records
 * @blocks: the records, in order of first hit
 * @room: how many records there is memory for, never above @limit
 * @counts: the owner's counters; the set does not use them
 * @nr_recs: records reserved so far, never above @room
 * @wanted: index plus one of a missing chunk that an address without a record
 *	needs; 0 for none
 *
 * Every call reads @map, and every insertion writes @nr_recs: they do not share a
 * cache line.
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

/* The key of an address of this kind. */
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

	return (unsigned long *)(map + low / BITS_PER_LONG * sizeof(long));
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
 * Return: true if the key is in the set. A key that was refused is not.
 */
static __always_inline bool oneshot_set_has(const struct oneshot_set *set, unsigned long key)
{
	return READ_ONCE(*oneshot_set_word(set, key)) >> key % BITS_PER_LONG & 1;
}

/* What oneshot_set_insert() found. */
enum oneshot_insert {
	ONESHOT_INSERTED,	/* the address is new: write its record */
	ONESHOT_KNOWN,		/* the address was in the set before */
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
void oneshot_rec_clear_other(struct oneshot_rec *rec, unsigned long start,
			     unsigned long size);
bool oneshot_set_remember(struct oneshot_set *set, struct oneshot_rec *rec,
			  unsigned long base);
void oneshot_set_clear(struct oneshot_set *set, unsigned long start, unsigned long size);
size_t oneshot_set_bytes(const struct oneshot_set *set);

/* How many records a reader has to look at, unpublished ones included. */
static inline u32 oneshot_set_nr(const struct oneshot_set *set)
{
	return atomic_read(&set->nr_recs);
}

/* For how many more records is there memory? */
static inline u32 oneshot_set_spare(const struct oneshot_set *set)
{
	return READ_ONCE(set->room) - oneshot_set_nr(set);
}

/* The @i-th of oneshot_set_nr() records, from 0. */
static inline struct oneshot_rec *oneshot_set_rec(const struct oneshot_set *set, u32 i)
{
	/* Pairs with the release in oneshot_set_add_block(). */
	struct oneshot_rec *block = smp_load_acquire(&set->blocks[i / ONESHOT_BLOCK_RECS]);

	return &block[i % ONESHOT_BLOCK_RECS];
}

/* The meta of a published record, or 0. The record may be read after it. */
static inline u32 oneshot_rec_meta(const struct oneshot_rec *rec)
{
	/* I2: pairs with the release that published it. */
	u32 meta = smp_load_acquire(&rec->meta);

	return meta & ONESHOT_REC_READY ? meta : 0;
}

/* Is a record without meta void? If not, it is not yet published. */
static inline bool oneshot_rec_is_void(const struct oneshot_rec *rec)
{
	return READ_ONCE(rec->meta) == ONESHOT_REC_VOID;
}

/* Can it be the address of text? I4 */
static inline bool oneshot_is_text(unsigned long addr)
{
	return addr >= ONESHOT_TEXT && addr - ONESHOT_TEXT <= U32_MAX;
}

/* The address of text of which @low is the low half. */
static inline unsigned long oneshot_text_addr(u32 low)
{
	return ONESHOT_TEXT + (u32)(low - (u32)ONESHOT_TEXT);
}

/* The address of a published record, or its offset; @meta: its oneshot_rec_meta(). */
static inline unsigned long oneshot_rec_addr(const struct oneshot_rec *rec, u32 meta)
{
	return meta & ONESHOT_REC_FORGOTTEN ? rec->addr : oneshot_text_addr(rec->addr);
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
