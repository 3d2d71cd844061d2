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
 * @set: oneshot_set_bytes(@shift) bytes, all zero, aligned to a cache line
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
 * @kind: ONESHOT_FUNCTION, ONESHOT_CALLER or ONESHOT_BOTH
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
				if (!mine)
					return ONESHOT_REFUSED;
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

	/* Kind bits are only added, and a tombstone has them all, so this ends soon. */
	while ((slot & kind) != kind) {
		unsigned long old = cmpxchg(&set->slots[i], slot, slot | kind);

		if (old == slot)
			break;
		slot = old;
	}

	if (mine)
		oneshot_rec_void(mine);
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
 * oneshot_set_forget - make an address a new one
 * @set: the set
 * @rec: a published record of it, not forgotten
 * @base: what its offset is to count from
 *
 * For code that goes away: the record stays, with the kinds as they are now and
 * the address as an offset; the next code that is put there will be recorded
 * anew.
 *
 * Context: one at a time, and with none that reads records. Any address may be
 * looked up and inserted meanwhile.
 * Return: the kinds.
 */
unsigned int oneshot_set_forget(struct oneshot_set *set, struct oneshot_rec *rec,
				unsigned long base)
{
	u32 i = oneshot_set_slot(set, rec->addr);
	unsigned int kinds = xchg(&set->slots[i], ONESHOT_TOMBSTONE) & ONESHOT_BOTH;

	rec->addr -= base;
	/* I4: pairs with oneshot_rec_meta(). */
	smp_store_release(&rec->meta, rec->meta | ONESHOT_REC_FORGOTTEN |
			  kinds << ONESHOT_REC_KIND_SHIFT);
	return kinds;
}

/**
 * oneshot_set_remember - make a forgotten address one that is known
 * @set: the set
 * @rec: its record
 * @base: what its offset counts from, now
 *
 * For code that comes back, perhaps to another place: what was recorded of it
 * will not be recorded again.
 *
 * Context: as oneshot_set_forget(), and before the address is executed.
 * Return: false if there is no room: the record is as it was.
 */
bool oneshot_set_remember(struct oneshot_set *set, struct oneshot_rec *rec,
			  unsigned long base)
{
	unsigned int kinds = rec->meta >> ONESHOT_REC_KIND_SHIFT & ONESHOT_BOTH;
	unsigned long addr = base + rec->addr;
	unsigned long key = addr << ONESHOT_KIND_BITS | kinds;
	unsigned long *place = NULL, slot;
	u32 i = oneshot_set_home(set, addr);

	for (;; i = (i + 1) & set->mask) {
		slot = READ_ONCE(set->slots[i]);

		/* It has two records: one came too late to be forgotten the last time. */
		if ((slot | ONESHOT_BOTH) == (key | ONESHOT_BOTH)) {
			WRITE_ONCE(set->slots[i], slot | kinds);
			oneshot_rec_void(rec);
			return true;
		}
		if (slot == ONESHOT_TOMBSTONE) {
			place = place ?: &set->slots[i];
		} else if (!slot) {
			if (place)
				break;
			/* I5 */
			if (set->remembered > set->mask / 8)
				return false;
			if (!cmpxchg(&set->slots[i], 0UL, key)) {
				set->remembered++;
				break;
			}
		}
	}

	/* Nobody else takes tombstones. */
	if (place)
		WRITE_ONCE(*place, key);
	rec->addr = addr;
	/* I4: pairs with oneshot_rec_meta(). */
	smp_store_release(&rec->meta, rec->meta & ~(ONESHOT_REC_FORGOTTEN |
			  ONESHOT_BOTH << ONESHOT_REC_KIND_SHIFT));
	return true;
}

/**
 * oneshot_set_copy - add to a set what another one has
 * @to: the set to add to, of the same size as @from
 * @from: the other one
 * @again: this is the second time, for what has been added to @from meanwhile
 *
 * Context: as oneshot_set_forget(), for both. The first time nobody else may use
 * @to yet; the second time nobody may insert into @from any more.
 */
void oneshot_set_copy(struct oneshot_set *to, const struct oneshot_set *from, bool again)
{
	u32 i, nr = oneshot_set_nr(from);

	for (i = 0; i < nr; i++) {
		const struct oneshot_rec *rec = &from->recs[i];
		u32 meta = oneshot_rec_meta(rec);
		struct oneshot_rec *copy;

		if (!meta)
			continue;

		if (!(meta & ONESHOT_REC_FORGOTTEN)) {
			if (oneshot_set_insert(to, rec->addr, oneshot_set_kinds(from, rec),
					       &copy) != ONESHOT_INSERTED)
				continue;
		} else {
			copy = again ? NULL : oneshot_set_reserve(to);
			if (!copy)
				continue;
		}

		copy->addr = rec->addr;
		copy->ns = rec->ns;
		copy->pid = rec->pid;
		/* I4: pairs with oneshot_rec_meta(). */
		smp_store_release(&copy->meta, meta);
	}
}
