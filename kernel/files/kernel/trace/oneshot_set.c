// SPDX-License-Identifier: GPL-2.0
/*
 * A set of code addresses that remembers each one once: the paths that are
 * taken once for each address. See oneshot_set.h for the shape and the rules.
 */
#include "oneshot_set.h"

/* What @map has of a chunk: see there. Wraps around, and back when it is used. */
static unsigned long oneshot_bias(const void *chunk, unsigned int i)
{
	return (unsigned long)chunk - i * ONESHOT_CHUNK_BYTES;
}

static unsigned int oneshot_chunk_of(unsigned long addr)
{
	return (u32)addr >> ONESHOT_CHUNK_SHIFT;
}

/**
 * oneshot_set_init - make a set of zeroed memory that has nothing, and no room
 * @set: all zero, aligned to a cache line
 * @zeros: ONESHOT_CHUNK_BYTES of zeros, for as long as the set is there
 * @limit: the most records that it is to have, up to ONESHOT_MAX_RECS
 *
 * Context: any; nobody else may use @set yet.
 */
void oneshot_set_init(struct oneshot_set *set, const void *zeros, u32 limit)
{
	unsigned int i;

	for (i = 0; i < ONESHOT_CHUNKS; i++)
		set->map[i] = oneshot_bias(zeros, i);
	set->zeros = zeros;
	set->limit = limit;
}

/**
 * oneshot_set_chunk - a chunk of the set
 * @set: the set
 * @i: which, from 0 to ONESHOT_CHUNKS - 1
 *
 * Return: what oneshot_set_add_chunk() has been given, to be freed; NULL for none.
 */
void *oneshot_set_chunk(const struct oneshot_set *set, unsigned int i)
{
	/* Back from oneshot_bias(). */
	void *chunk = (void *)(READ_ONCE(set->map[i]) + i * ONESHOT_CHUNK_BYTES);

	return chunk == set->zeros ? NULL : chunk;
}

/**
 * oneshot_set_lacks_chunk - is there no place for the bit of an address?
 * @set: the set
 * @addr: the address
 *
 * Context: any, NMI included.
 * Return: true if oneshot_set_insert() would refuse what is near @addr.
 */
bool oneshot_set_lacks_chunk(const struct oneshot_set *set, unsigned long addr)
{
	return !oneshot_set_chunk(set, oneshot_chunk_of(addr));
}

/**
 * oneshot_set_add_chunk - make a place for the bits of addresses
 * @set: the set, which oneshot_set_lacks_chunk() of @addr
 * @addr: one of the addresses, of the 2^ONESHOT_CHUNK_SHIFT around it
 * @chunk: ONESHOT_CHUNK_BYTES of zeros, aligned to eight bytes
 *
 * Context: one at a time. Any address may be looked up and inserted meanwhile.
 */
void oneshot_set_add_chunk(struct oneshot_set *set, unsigned long addr, void *chunk)
{
	unsigned int i = oneshot_chunk_of(addr);

	set->nr_chunks++;
	/* I3: pairs with oneshot_set_word(). */
	smp_store_release(&set->map[i], oneshot_bias(chunk, i));
}

/**
 * oneshot_set_add_block - make room for ONESHOT_BLOCK_RECS more records
 * @set: the set, whose room is below its limit
 * @block: ONESHOT_BLOCK_BYTES of zeros
 *
 * Context: as oneshot_set_add_chunk().
 */
void oneshot_set_add_block(struct oneshot_set *set, void *block)
{
	u32 room = set->room + ONESHOT_BLOCK_RECS;

	/* I3: pairs with oneshot_set_rec(). */
	smp_store_release(&set->blocks[set->nr_blocks++], block);
	/* Pairs with oneshot_set_reserve(). */
	smp_store_release(&set->room, room < set->limit ? room : set->limit);
}

/* Take the next record, or none if they are all taken. */
static struct oneshot_rec *oneshot_set_reserve(struct oneshot_set *set)
{
	/* Pairs with oneshot_set_add_block(): what there is room for is linked. */
	u32 room = smp_load_acquire(&set->room);
	int nr = atomic_read(&set->nr_recs);

	do {
		if ((u32)nr >= room)
			return NULL;
	} while (!atomic_try_cmpxchg(&set->nr_recs, &nr, nr + 1));

	return oneshot_set_rec(set, nr);
}

/**
 * oneshot_set_insert - add an address
 * @set: the set
 * @key: its oneshot_key(); what is below ONESHOT_TEXT is refused
 * @rec: where to put the record that a new address has got; NULL for an address
 *	that is to be known and needs none, and whose chunk is wanted if it is missing
 *
 * On ONESHOT_INSERTED the caller, and nobody else, owns *@rec and has to hand it
 * to oneshot_rec_publish(). The key is in the set by then, so that whatever
 * the caller runs meanwhile finds it.
 *
 * Context: any, NMI included. Lock-free.
 * Return: what was found, see enum oneshot_insert.
 */
enum oneshot_insert oneshot_set_insert(struct oneshot_set *set, unsigned long key,
				       struct oneshot_rec **rec)
{
	unsigned long *word;

	/* I4 */
	if (key < ONESHOT_TEXT)
		return ONESHOT_REFUSED;
	if (oneshot_set_lacks_chunk(set, key)) {
		if (!rec)
			WRITE_ONCE(set->wanted, oneshot_chunk_of(key) + 1);
		return ONESHOT_REFUSED;
	}
	/* I3: a chunk that is there stays. */
	word = oneshot_set_word(set, key);
	if (test_and_set_bit(key % 64, word))
		return ONESHOT_KNOWN;
	if (!rec)
		return ONESHOT_INSERTED;

	*rec = oneshot_set_reserve(set);
	if (*rec)
		return ONESHOT_INSERTED;
	/* I1 */
	clear_bit(key % 64, word);
	return ONESHOT_REFUSED;
}

/**
 * oneshot_rec_publish - fill a record and let readers see it
 * @rec: from oneshot_set_insert()
 * @addr: the address that was inserted
 * @kind: ONESHOT_FUNCTION or ONESHOT_CALLER
 * @ns: time of the first hit
 * @pid: process that ran it
 * @cpu: where, 0 to 8,191
 * @owner: 0 to 32,767; of no meaning to the set
 *
 * Context: any, NMI included.
 */
void oneshot_rec_publish(struct oneshot_rec *rec, unsigned long addr, unsigned int kind,
			 u64 ns, u32 pid, unsigned int cpu, unsigned int owner)
{
	rec->addr = addr;
	rec->ns = ns;
	rec->pid = pid;
	/* I2: pairs with oneshot_rec_meta(). */
	smp_store_release(&rec->meta, ONESHOT_REC_READY |
			  (kind == ONESHOT_CALLER ? ONESHOT_REC_CALLER : 0) |
			  (cpu & ONESHOT_REC_CPU_MASK) << ONESHOT_REC_CPU_SHIFT |
			  (owner & ONESHOT_REC_OWNER_MASK) << ONESHOT_REC_OWNER_SHIFT);
}

/**
 * oneshot_rec_forget - make the address of a record an offset
 * @rec: a published record, not forgotten
 * @base: what its offset is to count from
 *
 * For code that goes away. The bit stays as it is until oneshot_set_clear().
 *
 * Context: one at a time, and with none that reads records.
 */
void oneshot_rec_forget(struct oneshot_rec *rec, unsigned long base)
{
	rec->addr -= base;
	/* I2: pairs with oneshot_rec_meta(). */
	smp_store_release(&rec->meta, rec->meta | ONESHOT_REC_FORGOTTEN);
}

/**
 * oneshot_set_remember - make a forgotten address one that is known
 * @set: the set
 * @rec: its record
 * @base: what its offset counts from, now
 *
 * For code that comes back, perhaps to another place: what was recorded of it
 * will not be recorded again. Should it be known already, its record is given up.
 *
 * Context: as oneshot_rec_forget(), and before the address is executed.
 * Return: false if there is no place for it: the record is as it was.
 */
bool oneshot_set_remember(struct oneshot_set *set, struct oneshot_rec *rec,
			  unsigned long base)
{
	unsigned long addr = base + rec->addr;
	unsigned long key = oneshot_key(addr, oneshot_meta_kind(rec->meta));

	/* Nor later: what is recorded meanwhile would be there twice. */
	if (oneshot_set_lacks_chunk(set, key))
		return false;
	switch (oneshot_set_insert(set, key, NULL)) {
	case ONESHOT_REFUSED:
		return false;
	case ONESHOT_KNOWN:
		/* I2: pairs with oneshot_rec_meta(). */
		smp_store_release(&rec->meta, ONESHOT_REC_VOID);
		return true;
	case ONESHOT_INSERTED:
		break;
	}

	rec->addr = addr;
	/* I2: pairs with oneshot_rec_meta(). */
	smp_store_release(&rec->meta, rec->meta & ~ONESHOT_REC_FORGOTTEN);
	return true;
}

/**
 * oneshot_set_clear - make all addresses in a range new ones
 * @set: the set
 * @start: where the range begins, a multiple of 64
 * @size: its length in bytes, a multiple of 64
 *
 * Their records stay as they are.
 *
 * Context: one at a time, and while nobody executes what is in the range. What is
 * outside may be looked up and inserted meanwhile.
 */
void oneshot_set_clear(struct oneshot_set *set, unsigned long start, unsigned long size)
{
	unsigned long addr;

	for (addr = start; addr - start < size; addr += 64) {
		unsigned long *word = oneshot_set_word(set, addr);

		/* Neither the zeros that all share, nor cache lines for nothing. */
		if (READ_ONCE(*word))
			WRITE_ONCE(*word, 0);
	}
}

/**
 * oneshot_set_bytes - memory that a set takes
 * @set: the set
 *
 * Return: bytes, of itself, its chunks and its records together.
 */
size_t oneshot_set_bytes(const struct oneshot_set *set)
{
	return sizeof(*set) + set->nr_chunks * ONESHOT_CHUNK_BYTES +
	       set->nr_blocks * ONESHOT_BLOCK_BYTES;
}
