// SPDX-License-Identifier: GPL-2.0
/*
 * oneshot tracer: sets, from their allocation to their end.
 *
 * A set is kept when the tracer stops, so that it can be read later. It is replaced
 * when the tracer starts again or when 0 is written to oneshot_seen. The instance has a
 * reference to its present set. Whoever has opened oneshot_seen has a reference to the
 * set of that moment, and a worker has one to the old set until no callback uses it any
 * more, see oneshot_clear(). The last user frees the set. trace_types_lock protects the references,
 * the list of sets, and every operation on a set except look-up and insertion.
 *
 * A new set has chunks for the text of the kernel, and ONESHOT_BEGIN_BLOCKS blocks of
 * records. The chunks of a module are added before its code runs. A worker adds blocks
 * before records run short, see trace_oneshot.c. An address that finds no room is
 * refused, counted, and recorded at a later call. Nobody announces the code of JIT
 * compilers: its chunk is added after the set has refused an address of it.
 */
#include <linux/kmemleak.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/vmalloc.h>
#include <asm/sections.h>

#include "trace.h"
#include "trace_oneshot_internal.h"

/*
 * 32,768 records: twice as many as a boot finds before the worker can run. The worker
 * leaves room for 24,576, twice as many as a storm of first hits needs until the
 * worker runs again (12,000 in a second, when all functions begin to be traced).
 */
#define ONESHOT_BEGIN_BLOCKS	8
#define ONESHOT_SPARE_RECS	(ONESHOT_BEGIN_BLOCKS * 3 / 4 * ONESHOT_BLOCK_RECS)

LIST_HEAD(oneshot_tables);

/* The chunk that all missing chunks share: one page, mapped many times. Never freed. */
static void *oneshot_zeros(void)
{
	struct page *pages[ONESHOT_CHUNK_BYTES / PAGE_SIZE];
	static void *zeros;
	unsigned int i;

	lockdep_assert_held(&trace_types_lock);

	if (zeros)
		return zeros;
	for (i = 0; i < ARRAY_SIZE(pages); i++)
		pages[i] = ZERO_PAGE(0);
	zeros = vmap(pages, ARRAY_SIZE(pages), VM_MAP, PAGE_KERNEL_RO);
	return zeros;
}

/**
 * oneshot_set_cover - add the missing chunks for the bits of some text
 * @set: the set
 * @start: where the text begins
 * @size: its bytes
 *
 * Context: May sleep.
 * Return: 0; -ENOMEM: the chunks that have been added stay.
 */
int oneshot_set_cover(struct oneshot_set *set, unsigned long start, unsigned long size)
{
	unsigned long chunk = 1UL << ONESHOT_CHUNK_SHIFT;
	unsigned long addr;
	void *bits;

	lockdep_assert_held(&trace_types_lock);

	if (!size)
		return 0;
	for (addr = round_down(start, chunk); addr < start + size; addr += chunk) {
		if (!oneshot_set_lacks_chunk(set, addr))
			continue;
		/* Every call reads these bits: contiguous pages spare the TLB. */
		bits = kvzalloc(ONESHOT_CHUNK_BYTES, GFP_KERNEL);
		if (!bits)
			return -ENOMEM;
		/* The set only has the address with a bias, see oneshot_bias(). */
		kmemleak_not_leak(bits);
		oneshot_set_add_chunk(set, addr, bits);
	}
	return 0;
}

/*
 * Add blocks until there is room for @recs more records, or the limit is reached. The size of a
 * block is no power of two, so kmalloc() would waste a third of the memory. Not inlined, so
 * that /proc/vmallocinfo tells blocks from sets. A record without meta is not read, so nothing
 * else has to be zero.
 */
static noinline int oneshot_set_grow(struct oneshot_set *set, u32 recs)
{
	struct oneshot_rec *block;
	unsigned int i;

	while (oneshot_set_spare(set) < recs && set->room < set->limit) {
		block = vmalloc(ONESHOT_BLOCK_BYTES);
		if (!block)
			return -ENOMEM;
		for (i = 0; i < ONESHOT_BLOCK_RECS; i++)
			block[i].meta = 0;
		oneshot_set_add_block(set, block);
	}
	return 0;
}

static void oneshot_set_free(struct oneshot_set *set)
{
	unsigned int i;

	for (i = 0; i < ONESHOT_CHUNKS; i++)
		kvfree(oneshot_set_chunk(set, i));
	for (i = 0; i < set->nr_blocks; i++)
		vfree(set->blocks[i]);
	free_percpu(set->counts);
	vfree(oneshot_table(set));
}

/**
 * oneshot_set_get - take a reference to a set
 * @set: the set, or NULL
 *
 * Return: the set, for oneshot_set_put().
 */
struct oneshot_set *oneshot_set_get(struct oneshot_set *set)
{
	lockdep_assert_held(&trace_types_lock);

	if (set)
		oneshot_table(set)->refs++;
	return set;
}

/**
 * oneshot_set_put - give a reference back; the last one frees the set
 * @set: the set, or NULL
 */
void oneshot_set_put(struct oneshot_set *set)
{
	lockdep_assert_held(&trace_types_lock);

	if (!set || --oneshot_table(set)->refs)
		return;
	list_del(&oneshot_table(set)->list);
	oneshot_set_free(set);
}

/**
 * oneshot_set_alloc - allocate an empty set, without chunks for modules
 * @limit: the largest number of records, 0 for ONESHOT_MAX_RECS
 *
 * Return: the set, with one reference, or NULL.
 */
struct oneshot_set *oneshot_set_alloc(unsigned int limit)
{
	const void *zeros = oneshot_zeros();
	struct oneshot_table *table;
	struct oneshot_set *set;

	if (!zeros)
		return NULL;
	table = vzalloc(sizeof(*table));
	if (!table)
		return NULL;
	set = &table->set;
	oneshot_set_init(set, zeros, limit ?: ONESHOT_MAX_RECS);
	set->counts = alloc_percpu(struct oneshot_counts);

	if (!set->counts ||
	    oneshot_set_cover(set, (unsigned long)_stext, _etext - _stext) ||
	    oneshot_set_cover(set, (unsigned long)_sinittext, _einittext - _sinittext) ||
	    oneshot_set_grow(set, ONESHOT_BEGIN_BLOCKS * ONESHOT_BLOCK_RECS)) {
		oneshot_set_free(set);
		return NULL;
	}
	table->refs = 1;
	list_add_tail(&table->list, &oneshot_tables);
	return set;
}

/**
 * oneshot_set_feed - add the memory that a set will need soon
 * @set: the set
 *
 * If there is no memory, the next call tries again.
 *
 * Context: May sleep.
 * Return: true if the set needed memory, and has got some.
 */
bool oneshot_set_feed(struct oneshot_set *set)
{
	u32 wanted = xchg(&set->wanted, 0), room = set->room;

	oneshot_set_grow(set, ONESHOT_SPARE_RECS);
	if (wanted && oneshot_set_cover(set, (wanted - 1UL) << ONESHOT_CHUNK_SHIFT, 1))
		wanted = 0;
	return wanted || set->room != room;
}
