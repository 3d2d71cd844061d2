/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A set of code addresses that remembers each one once, and when it came.
 *
 * The oneshot tracer asks it one question on every function call, "do you know
 * this address?", from any context, NMI included, on all CPUs at once. The
 * answer is nearly always yes. So the set is one flat table, the same for all
 * CPUs, that any context may only add to, and a look-up is a multiplication, a
 * shift and, mostly, one load.
 *
 *      addr --hash--> slots[]                      recs[], in order of first hit
 *                    +--------------------+       +---------------------------+
 *                    | 0                  |       | addr, ns, pid, meta       | 0
 *                    | addr << 2 | kinds  |       | addr, ns, pid, meta       | 1
 *                    | addr << 2 | kinds  |       | ...                       |
 *                    | ~0 (forgotten)     |       | not published: meta == 0  | nr
 *                    +--------------------+       +---------------------------+
 *
 * Open addressing with linear probing. Invariants:
 *
 * I1  A slot changes from 0 to a key by cmpxchg, and never back to 0. A key never
 *     moves; only its two kind bits may be added to, and oneshot_set_forget() may
 *     turn it into a tombstone, which matches nothing. So a chain of probes never
 *     breaks, and a look-up that reaches an empty slot has proved that the key was
 *     not there.
 * I2  At most one slot holds an address: two that insert the same one meet on
 *     the same first empty slot of the same chain, and one cmpxchg fails.
 * I3  A record is reserved before its key is inserted, so a key without a
 *     record does not exist. Whoever loses the race for the key gives up its
 *     record as void; a reader skips it.
 * I4  A record is published by the release store of @meta and read after an
 *     acquire load of it. Until then a reader skips it: its writer has been
 *     interrupted, possibly by the reader.
 * I5  Records are at most three quarters of the slots, and what
 *     oneshot_set_remember() takes beside is at most an eighth, so that every
 *     chain ends.
 *
 * Insertion is lock-free and safe in NMIs: an interrupted insertion leaves no
 * state that anyone waits for.
 *
 * Code comes and goes, so slots and records have to be given back. That is for
 * one caller at a time, who may sleep, while any number of others insert:
 *
 * - oneshot_set_forget() turns the key into a tombstone and keeps the record, or
 *   oneshot_rec_void() gives it up. One that inserts the same address meanwhile
 *   has either met the key, and found it, or not, and has made a new one of it.
 * - oneshot_set_remember() brings the key of such a record back, at another
 *   address. It may take a tombstone for it. oneshot_set_insert() may not: of two
 *   that insert the same key, one may have passed a slot that becomes a tombstone
 *   before the other one comes, which breaks I2. But oneshot_set_remember() is for
 *   addresses that nobody executes yet, so that nobody else inserts or looks for
 *   them, and to all other keys a tombstone and a foreign key are the same. So code
 *   that goes and comes back takes neither records nor, at the same place, slots.
 * - What accumulates all the same, void records and tombstones at places that are
 *   not used again, stays behind when oneshot_set_copy() fills another set. The
 *   caller lets all use that one, waits until nobody inserts into the old one any
 *   more, and copies once more what has come in between. An address that was new
 *   to both meanwhile has one record in the end.
 *
 * The file has no dependency but atomics and a memory barrier, and is compiled
 * in user space, too, where its concurrency is tested.
 */
#ifndef _KERNEL_TRACE_ONESHOT_SET_H
#define _KERNEL_TRACE_ONESHOT_SET_H

#ifdef __KERNEL__
#include <linux/atomic.h>
#include <linux/cache.h>
#include <linux/compiler.h>
#include <linux/hash.h>
#include <linux/log2.h>
#include <linux/types.h>
#endif

/*
 * What an address has been seen as. The bits live at the bottom of a slot's
 * key; an address's top two bits, which the shift loses, are the same for all
 * of the kernel's text.
 */
#define ONESHOT_FUNCTION	1UL
#define ONESHOT_CALLER		2UL
#define ONESHOT_BOTH		(ONESHOT_FUNCTION | ONESHOT_CALLER)
#define ONESHOT_KIND_BITS	2

#define ONESHOT_TOMBSTONE	(~0UL)

/* log2 of the number of slots that a set may have. */
#define ONESHOT_MIN_SHIFT	8
#define ONESHOT_MAX_SHIFT	26

/*
 * struct oneshot_rec - what is known of an address' first hit
 * @addr: the address; after oneshot_set_forget(), an offset
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

#define ONESHOT_REC_READY	0x1U
#define ONESHOT_REC_FORGOTTEN	0x2U	/* kinds are kept here, the key is gone */
#define ONESHOT_REC_KIND_SHIFT	2
#define ONESHOT_REC_CPU_SHIFT	4
#define ONESHOT_REC_CPU_MASK	0x1fffU	/* 8,192 CPUs */
#define ONESHOT_REC_OWNER_SHIFT	17
#define ONESHOT_REC_OWNER_MASK	0x7fffU

/* A record whose key another context inserted first: ready, and of no kind. */
#define ONESHOT_REC_VOID	(ONESHOT_REC_READY | ONESHOT_REC_FORGOTTEN)

/**
 * struct oneshot_set - a set of code addresses
 * @hash_shift: 32 - log2 of the number of slots
 * @mask: number of slots - 1
 * @max_recs: number of records, three quarters of the slots
 * @recs: the records, in order of first hit
 * @nr_recs: records reserved so far, never above @max_recs
 * @remembered: empty slots that oneshot_set_remember() has taken
 * @slots: the keys
 *
 * Every call reads what is at the beginning, and every insertion writes what
 * comes after: they do not share a cache line.
 */
struct oneshot_set {
	u32			hash_shift;
	u32			mask;
	u32			max_recs;
	struct oneshot_rec	*recs;

	atomic_t		nr_recs ____cacheline_aligned;
	u32			remembered;

	unsigned long		slots[] ____cacheline_aligned;
};

/* Where the look-up of @addr starts. The low 32 bits tell kernel text apart. */
static __always_inline u32 oneshot_set_home(const struct oneshot_set *set,
					    unsigned long addr)
{
	return __hash_32((u32)addr) >> set->hash_shift;
}

/**
 * oneshot_set_has - has this address been seen as this kind?
 * @set: the set
 * @addr: a code address
 * @kind: ONESHOT_FUNCTION or ONESHOT_CALLER; a constant
 *
 * The hot path of the tracer: it calls nothing, so that nothing in it can be
 * traced, and stores nothing.
 *
 * Context: any, NMI included; also where RCU is not watching.
 * Return: true if a former oneshot_set_insert() of both has returned. What
 *	oneshot_set_forget() is about to forget may still be there, or not.
 */
static __always_inline bool oneshot_set_has(const struct oneshot_set *set,
					    unsigned long addr, unsigned long kind)
{
	unsigned long want = addr << ONESHOT_KIND_BITS | ONESHOT_BOTH;
	u32 i = oneshot_set_home(set, addr);

	for (;;) {
		unsigned long slot = READ_ONCE(set->slots[i]);

		/* Seen as the other kind too, or not: no matter. */
		if (likely((slot | (ONESHOT_BOTH ^ kind)) == want))
			return true;
		if (!slot)
			return false;
		i = (i + 1) & set->mask;
	}
}

/* What oneshot_set_insert() found. */
enum oneshot_insert {
	ONESHOT_INSERTED,	/* the address is new: write its record */
	ONESHOT_KNOWN,		/* somebody had it, possibly as the other kind */
	ONESHOT_REFUSED,	/* the set is full */
};

size_t oneshot_set_bytes(unsigned int shift);
void oneshot_set_init(struct oneshot_set *set, unsigned int shift);
enum oneshot_insert oneshot_set_insert(struct oneshot_set *set, unsigned long addr,
				       unsigned long kind, struct oneshot_rec **rec);
void oneshot_rec_publish(struct oneshot_rec *rec, unsigned long addr, u64 ns,
			 u32 pid, unsigned int cpu, unsigned int owner);
unsigned int oneshot_set_kinds(const struct oneshot_set *set,
			       const struct oneshot_rec *rec);
unsigned int oneshot_set_forget(struct oneshot_set *set, struct oneshot_rec *rec,
				unsigned long base);
bool oneshot_set_remember(struct oneshot_set *set, struct oneshot_rec *rec,
			  unsigned long base);
void oneshot_set_copy(struct oneshot_set *to, const struct oneshot_set *from, bool again);

/* Slots for @nr records, as a power of two; inverse of max_recs. */
static inline unsigned int oneshot_set_shift_for(unsigned long nr)
{
	unsigned int shift = ONESHOT_MIN_SHIFT;

	while (shift < ONESHOT_MAX_SHIFT && (3UL << shift) / 4 < nr)
		shift++;
	return shift;
}

/* How many records a reader has to look at, void and unpublished ones included. */
static inline u32 oneshot_set_nr(const struct oneshot_set *set)
{
	return atomic_read(&set->nr_recs);
}

/* Is there something to read in @rec? Orders the reading after the writing. */
static inline u32 oneshot_rec_meta(const struct oneshot_rec *rec)
{
	/* I4: pairs with the store of whoever published it. */
	u32 meta = smp_load_acquire(&rec->meta);

	return meta == ONESHOT_REC_VOID ? 0 : meta;
}

/* Give a record up, for good; readers skip it. Nobody else may use it. */
static inline void oneshot_rec_void(struct oneshot_rec *rec)
{
	/* I4: pairs with oneshot_rec_meta(). */
	smp_store_release(&rec->meta, ONESHOT_REC_VOID);
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
