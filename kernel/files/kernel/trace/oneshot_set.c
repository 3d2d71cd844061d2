// SPDX-License-Identifier: GPL-2.0
/*
 * A set of code addresses that keeps each address once: all functions but the
 * look-up, which is inline. See oneshot_set.h for the layout and the rules.
 */
#include "oneshot_set.h"

/* A chunk's entry in @map. It may wrap around; oneshot_set_word() wraps back. */
static unsigned long oneshot_bias(const void *chunk, unsigned int i)
{
	return (unsigned long)chunk - i * ONESHOT_CHUNK_BYTES;
}

static unsigned int oneshot_chunk_of(unsigned long addr)
{
	return (u32)addr >> ONESHOT_CHUNK_SHIFT;
}

/**
 * oneshot_set_init - make an empty set, without room for records, in zeroed memory
 * @set: all zero, aligned to a cache line
 * @zeros: ONESHOT_CHUNK_BYTES of zeros, which stay as long as the set
 * @limit: the largest number of records, up to ONESHOT_MAX_RECS
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
 * @i: its index, from 0 to ONESHOT_CHUNKS - 1
 *
 * Return: the chunk that oneshot_set_add_chunk() was given; NULL if there is none.
 */
void *oneshot_set_chunk(const struct oneshot_set *set, unsigned int i)
{
	/* Reverses oneshot_bias(). */
	void *chunk = (void *)(READ_ONCE(set->map[i]) + i * ONESHOT_CHUNK_BYTES);

	return chunk == set->zeros ? NULL : chunk;
}

/**
 * oneshot_set_lacks_chunk - is the chunk for the bit of an address missing?
 * @set: the set
 * @addr: the address
 *
 * Context: any, NMI included.
 * Return: true if oneshot_set_insert() would refuse @addr for lack of a chunk.
 */
bool oneshot_set_lacks_chunk(const struct oneshot_set *set, unsigned long addr)
{
	return !oneshot_set_chunk(set, oneshot_chunk_of(addr));
}

/**
 * oneshot_set_add_chunk - add the chunk for the bits of some addresses
 * @set: the set; oneshot_set_lacks_chunk() is true for @addr
 * @addr: any of the 2^ONESHOT_CHUNK_SHIFT addresses of the chunk
 * @chunk: ONESHOT_CHUNK_BYTES of zeros, aligned to eight bytes
 *
 * Context: one caller at a time. Any context may look up and insert addresses meanwhile.
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
	/* Pairs with oneshot_set_add_block(): the blocks that make this room are linked. */
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
 * @key: its oneshot_key(); a key that is no address of text is refused
 * @rec: where to put the record of a new address. If it is NULL, the address gets
 *	no record; if its chunk is missing, @set->wanted asks for the chunk.
 *
 * On ONESHOT_INSERTED the caller alone owns *@rec. It may set @other, @tgid and @comm, and then
 * has to pass the record to oneshot_rec_publish(). The key is already in the set: code that the
 * caller runs before it publishes the record finds the key.
 *
 * Context: any, NMI included. Lock-free.
 * Return: the result, see enum oneshot_insert.
 */
enum oneshot_insert oneshot_set_insert(struct oneshot_set *set, unsigned long key,
				       struct oneshot_rec **rec)
{
	unsigned long *word;

	/* I4 */
	if (!oneshot_is_text(key))
		return ONESHOT_REFUSED;
	if (oneshot_set_lacks_chunk(set, key)) {
		if (!rec)
			WRITE_ONCE(set->wanted, oneshot_chunk_of(key) + 1);
		return ONESHOT_REFUSED;
	}
	/* I3: a chunk that is there stays. */
	word = oneshot_set_word(set, key);
	if (test_and_set_bit(key % BITS_PER_LONG, word))
		return ONESHOT_KNOWN;
	if (!rec)
		return ONESHOT_INSERTED;

	*rec = oneshot_set_reserve(set);
	if (*rec)
		return ONESHOT_INSERTED;
	/* I1 */
	clear_bit(key % BITS_PER_LONG, word);
	return ONESHOT_REFUSED;
}

/**
 * oneshot_rec_publish - fill a record and let readers see it
 * @rec: from oneshot_set_insert()
 * @addr: the address that was inserted
 * @kind: ONESHOT_FUNCTION or ONESHOT_CALLER
 * @ns: time of the first hit
 * @pid: the thread of the hit
 * @cpu: the CPU of the hit, 0 to 8,191
 * @owner: 0 to 32,767; the set does not interpret it
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
 * oneshot_rec_forget - turn the address of a record into an offset
 * @rec: a published record that has an address
 * @base: the offset counts from here
 *
 * For code that goes away. The bit stays as it is until oneshot_set_clear().
 *
 * Context: one caller at a time, while nobody reads records.
 */
void oneshot_rec_forget(struct oneshot_rec *rec, unsigned long base)
{
	rec->addr -= (u32)base;
	/* I2: pairs with oneshot_rec_meta(). */
	smp_store_release(&rec->meta, rec->meta | ONESHOT_REC_FORGOTTEN);
}

/**
 * oneshot_rec_clear_other - forget the other address of a hit
 * @rec: a published record
 * @start: where a range begins
 * @size: its length in bytes
 *
 * Clears @rec->other if it lies in the range, where other code is about to be loaded.
 *
 * Context: as oneshot_rec_forget().
 */
void oneshot_rec_clear_other(struct oneshot_rec *rec, unsigned long start,
			     unsigned long size)
{
	if (rec->other - (u32)start < size)
		rec->other = 0;
}

/**
 * oneshot_set_remember - turn the offset of a record into a known address again
 * @set: the set
 * @rec: the record
 * @base: the offset now counts from here
 *
 * For code that comes back, perhaps to another place: its addresses are then not
 * recorded a second time. If the address is already known, its record becomes void.
 *
 * Context: as oneshot_rec_forget(), and before the address is executed.
 * Return: true; false if the set refuses the address: the record then stays as it was.
 */
bool oneshot_set_remember(struct oneshot_set *set, struct oneshot_rec *rec,
			  unsigned long base)
{
	unsigned long addr = base + rec->addr;
	unsigned long key = oneshot_key(addr, oneshot_meta_kind(rec->meta));

	/* Do not ask for the chunk: the address would then be recorded a second time. */
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
 * oneshot_set_clear - make all addresses in a range unknown
 * @set: the set
 * @start: where the range begins, a multiple of 64
 * @size: its length in bytes, a multiple of 64
 *
 * Their records stay as they are.
 *
 * Context: one caller at a time, while nobody executes code in the range. Any
 * context may look up and insert addresses outside of the range meanwhile.
 */
void oneshot_set_clear(struct oneshot_set *set, unsigned long start, unsigned long size)
{
	unsigned long addr;

	for (addr = start; addr - start < size; addr += BITS_PER_LONG) {
		unsigned long *word = oneshot_set_word(set, addr);

		/* Never write to the shared zeros, nor dirty a cache line in vain. */
		if (READ_ONCE(*word))
			WRITE_ONCE(*word, 0);
	}
}

/**
 * oneshot_set_bytes - memory that a set takes
 * @set: the set
 *
 * Return: bytes of the set itself, its chunks and its records.
 */
size_t oneshot_set_bytes(const struct oneshot_set *set)
{
	return sizeof(*set) + set->nr_chunks * ONESHOT_CHUNK_BYTES +
	       set->nr_blocks * ONESHOT_BLOCK_BYTES;
}
