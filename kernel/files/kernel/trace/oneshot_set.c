// SPDX-License-Identifier: GPL-2.0
/*
 * A set of code addresses that remembers each one once: the paths that are
 * taken once for each address. See oneshot_set.h for the shape and the rules.
 */
#include "oneshot_set.h"

/**
 * oneshot_set_bytes - memory for a set
 * @shift: log2 of the number of slots
 *
 * Return: bytes, header, slots and records together.
 */
size_t oneshot_set_bytes(unsigned int shift)
{
	size_t slots = (size_t)1 << shift;

	return sizeof(struct oneshot_set) + slots * sizeof(unsigned long) +
	       slots / 4 * 3 * sizeof(struct oneshot_rec);
}

/**
 * oneshot_set_init - make an empty set of zeroed memory
 * @set: oneshot_set_bytes(@shift) bytes, all zero, aligned for a long
 * @shift: log2 of the number of slots, ONESHOT_MIN_SHIFT to ONESHOT_MAX_SHIFT
 *
 * Context: any; nobody else may use @set yet.
 */
void oneshot_set_init(struct oneshot_set *set, unsigned int shift)
{
	u32 slots = 1U << shift;

	set->hash_shift = 32 - shift;
	set->mask = slots - 1;
	set->max_recs = slots / 4 * 3;
	set->recs = (struct oneshot_rec *)&set->slots[slots];
}

/* Take the next record, or none if they are all taken. */
static struct oneshot_rec *oneshot_set_reserve(struct oneshot_set *set)
{
	int nr = atomic_read(&set->nr_recs);

	do {
		if ((u32)nr >= set->max_recs)
			return NULL;
	} while (!atomic_try_cmpxchg(&set->nr_recs, &nr, nr + 1));

	return &set->recs[nr];
}

/**
 * oneshot_set_insert - add an address
 * @set: the set
 * @addr: a code address
 * @kind: ONESHOT_FUNCTION or ONESHOT_CALLER
 * @rec: where to put the record that a new address has got
 *
 * An address that is known as the other kind becomes one of both kinds. On
 * ONESHOT_INSERTED the caller, and nobody else, owns *@rec and has to hand it
 * to oneshot_rec_publish(). The key is in the set by then, so that whatever
 * the caller runs meanwhile finds it.
 *
 * Context: any, NMI included. Lock-free.
 * Return: what was found, see enum oneshot_insert.
 */
enum oneshot_insert oneshot_set_insert(struct oneshot_set *set, unsigned long addr,
				       unsigned long kind, struct oneshot_rec **rec)
{
	unsigned long key = addr << ONESHOT_KIND_BITS | kind;
	struct oneshot_rec *mine = NULL;
	u32 i = oneshot_set_home(set, addr);
	unsigned long slot;

	for (;;) {
		slot = READ_ONCE(set->slots[i]);

		if (!slot) {
			if (!mine) {
				mine = oneshot_set_reserve(set);
				if (!mine) {
					atomic_long_inc(&set->refused);
					return ONESHOT_REFUSED;
				}
			}
			slot = cmpxchg(&set->slots[i], 0UL, key);
			if (!slot) {
				*rec = mine;
				return ONESHOT_INSERTED;
			}
		}

		if ((slot | ONESHOT_BOTH) == (key | ONESHOT_BOTH) &&
		    slot != ONESHOT_TOMBSTONE)
			break;

		i = (i + 1) & set->mask;
	}

	/* Only kind bits change in a slot that is taken, so this ends soon. */
	while (!(slot & kind)) {
		unsigned long old = cmpxchg(&set->slots[i], slot, slot | kind);

		if (old == slot)
			break;
		slot = old;
	}

	if (mine) {
		/* I4: pairs with oneshot_rec_meta(). */
		smp_store_release(&mine->meta, ONESHOT_REC_VOID);
	}
	return ONESHOT_KNOWN;
}

/**
 * oneshot_rec_publish - fill a record and let readers see it
 * @rec: from oneshot_set_insert()
 * @addr: the address that was inserted
 * @ns: time of the first hit
 * @pid: process that ran it
 * @cpu: where, 0 to 8,191
 * @owner: 0 to 32,767; of no meaning to the set
 *
 * Context: any, NMI included.
 */
void oneshot_rec_publish(struct oneshot_rec *rec, unsigned long addr, u64 ns,
			 u32 pid, unsigned int cpu, unsigned int owner)
{
	rec->addr = addr;
	rec->ns = ns;
	rec->pid = pid;
	/* I4: pairs with oneshot_rec_meta(). */
	smp_store_release(&rec->meta, ONESHOT_REC_READY |
			  (cpu & ONESHOT_REC_CPU_MASK) << ONESHOT_REC_CPU_SHIFT |
			  (owner & ONESHOT_REC_OWNER_MASK) << ONESHOT_REC_OWNER_SHIFT);
}

/* The slot of an address that the set holds. */
static u32 oneshot_set_slot(const struct oneshot_set *set, unsigned long addr)
{
	unsigned long want = addr << ONESHOT_KIND_BITS | ONESHOT_BOTH;
	u32 i = oneshot_set_home(set, addr);

	while ((READ_ONCE(set->slots[i]) | ONESHOT_BOTH) != want)
		i = (i + 1) & set->mask;
	return i;
}

/**
 * oneshot_set_kinds - what has this address been seen as, until now?
 * @set: the set
 * @rec: a published record of it
 *
 * Context: not at the same time as oneshot_set_forget().
 * Return: ONESHOT_FUNCTION, ONESHOT_CALLER or ONESHOT_BOTH.
 */
unsigned int oneshot_set_kinds(const struct oneshot_set *set,
			       const struct oneshot_rec *rec)
{
	if (rec->meta & ONESHOT_REC_FORGOTTEN)
		return rec->meta >> ONESHOT_REC_KIND_SHIFT & ONESHOT_BOTH;

	return READ_ONCE(set->slots[oneshot_set_slot(set, rec->addr)]) & ONESHOT_BOTH;
}

/**
 * oneshot_set_forget - make the addresses of a range new ones
 * @set: the set
 * @start: the first address
 * @size: bytes
 *
 * For code that goes away: its records stay, with the kinds as they are now and
 * the address as an offset from @start; the next code that is put there will be
 * recorded anew.
 *
 * Context: one at a time, and not while the range is being executed. Other
 * addresses may be looked up and inserted meanwhile.
 * Return: how many addresses there were.
 */
unsigned int oneshot_set_forget(struct oneshot_set *set, unsigned long start,
				unsigned long size)
{
	unsigned int forgotten = 0;
	u32 i, nr = oneshot_set_nr(set);

	for (i = 0; i < nr; i++) {
		struct oneshot_rec *rec = &set->recs[i];
		u32 meta = oneshot_rec_meta(rec);

		if (!meta || meta & ONESHOT_REC_FORGOTTEN || rec->addr - start >= size)
			continue;

		meta |= ONESHOT_REC_FORGOTTEN |
			oneshot_set_kinds(set, rec) << ONESHOT_REC_KIND_SHIFT;
		WRITE_ONCE(set->slots[oneshot_set_slot(set, rec->addr)], ONESHOT_TOMBSTONE);
		rec->addr -= start;
		/* I4: pairs with oneshot_rec_meta(). */
		smp_store_release(&rec->meta, meta);
		forgotten++;
	}

	return forgotten;
}
