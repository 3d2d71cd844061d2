/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The oneshot tracer's set as it is in the kernel, and functions for its tests.
 */
#ifndef HYTRACE_ONESHOT_SET_TEST_H
#define HYTRACE_ONESHOT_SET_TEST_H

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "kernel_shim.h"
#include "../../kernel/files/kernel/trace/oneshot_set.c"

#define TEXT	0xffffffff81000000UL
#define MODULE	0xffffffffc0200000UL
#define CHUNK	(1UL << ONESHOT_CHUNK_SHIFT)

/* @size bytes of zeros, in whole pages between unmapped ones: an access beside them crashes. */
#define GUARD	4096UL

static void *guarded(size_t size, int prot)
{
	char *p = mmap(NULL, GUARD + size + GUARD, PROT_NONE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (p == MAP_FAILED || mprotect(p + GUARD, size, prot))
		abort();
	return p + GUARD;
}

static void guarded_free(void *p, size_t size)
{
	munmap((char *)p - GUARD, GUARD + size + GUARD);
}

/* One for all sets, as in the kernel. Writing to it crashes, as it would there. */
static const void *zeros(void)
{
	static void *zeros;

	if (!zeros)
		zeros = guarded(ONESHOT_CHUNK_BYTES, PROT_READ);
	return zeros;
}

static void *chunk_new(void)
{
	return guarded(ONESHOT_CHUNK_BYTES, PROT_READ | PROT_WRITE);
}

/* A set of at most @limit records, with neither chunks nor blocks yet. */
static struct oneshot_set *set_new(u32 limit)
{
	struct oneshot_set *set = aligned_alloc(64, sizeof(*set));

	if (!set)
		abort();
	memset(set, 0, sizeof(*set));
	oneshot_set_init(set, zeros(), limit);
	return set;
}

/* The same as oneshot_set_free() of trace_oneshot_sets.c. */
static void set_free(struct oneshot_set *set)
{
	unsigned int i;

	for (i = 0; i < ONESHOT_CHUNKS; i++) {
		void *chunk = oneshot_set_chunk(set, i);

		if (chunk)
			guarded_free(chunk, ONESHOT_CHUNK_BYTES);
	}
	for (i = 0; i < set->nr_blocks; i++)
		guarded_free(set->blocks[i], ONESHOT_BLOCK_BYTES);
	free(set);
}

/*
 * The same as oneshot_set_cover() there. It writes zeros to memory that is zero
 * already, so that the sanitizer sees the writes.
 */
static void set_cover(struct oneshot_set *set, unsigned long start, unsigned long size)
{
	unsigned long addr;

	for (addr = start & -CHUNK; addr < start + size; addr += CHUNK) {
		if (oneshot_set_lacks_chunk(set, addr))
			oneshot_set_add_chunk(set, addr,
					      memset(chunk_new(), 0, ONESHOT_CHUNK_BYTES));
	}
}

static void set_add_block(struct oneshot_set *set)
{
	void *block = guarded(ONESHOT_BLOCK_BYTES, PROT_READ | PROT_WRITE);

	oneshot_set_add_block(set, memset(block, 0, ONESHOT_BLOCK_BYTES));
}

static bool set_has(const struct oneshot_set *set, unsigned long addr, unsigned int kind)
{
	return oneshot_set_has(set, oneshot_key(addr, kind));
}

/* The contents of a record follow from its address, so a test sees whether they belong together. */
static u64 ns_of(unsigned long addr)
{
	return addr * 3;
}

static u32 pid_of(unsigned long addr)
{
	return addr ^ addr >> 7;
}

static unsigned int cpu_of(unsigned long addr)
{
	return addr / 3 & ONESHOT_REC_CPU_MASK;
}

static u32 other_of(unsigned long addr)
{
	return addr * 5;
}

static void rec_publish(struct oneshot_rec *rec, unsigned long addr, unsigned int kind,
			unsigned int owner)
{
	rec->other = other_of(addr);
	oneshot_rec_publish(rec, addr, kind, ns_of(addr), pid_of(addr), cpu_of(addr), owner);
}

/* Insert and, if it is new, publish; as the tracer does. */
static enum oneshot_insert set_add(struct oneshot_set *set, unsigned long addr,
				   unsigned int kind, unsigned int owner)
{
	struct oneshot_rec *rec = NULL;
	enum oneshot_insert ret = oneshot_set_insert(set, oneshot_key(addr, kind), &rec);

	if (ret == ONESHOT_INSERTED)
		rec_publish(rec, addr, kind, owner);
	return ret;
}

static unsigned long rec_addr(const struct oneshot_rec *rec)
{
	return oneshot_rec_addr(rec, rec->meta);
}

/* Is @rec published, and its code gone? */
static bool rec_is_forgotten(const struct oneshot_rec *rec)
{
	return oneshot_rec_meta(rec) & ONESHOT_REC_FORGOTTEN;
}

/* Is @rec published, and its code there? */
static bool rec_is_live(const struct oneshot_rec *rec)
{
	return oneshot_rec_meta(rec) && !rec_is_forgotten(rec);
}

/* How many live records of @addr are there? */
static inline unsigned int set_count(const struct oneshot_set *set, u64 addr, unsigned int kind)
{
	unsigned int i, count = 0;

	for (i = 0; i < oneshot_set_nr(set); i++) {
		const struct oneshot_rec *rec = oneshot_set_rec(set, i);

		count += rec_is_live(rec) && rec_addr(rec) == addr &&
			 oneshot_meta_kind(oneshot_rec_meta(rec)) == kind;
	}
	return count;
}

/* A module goes, as in trace_oneshot_modules.c. Returns how many were forgotten. */
static inline unsigned int module_goes(struct oneshot_set *set, unsigned int owner,
				       unsigned long base)
{
	unsigned int i, forgotten = 0;

	for (i = 0; i < oneshot_set_nr(set); i++) {
		struct oneshot_rec *rec = oneshot_set_rec(set, i);

		if (rec_is_live(rec) && oneshot_meta_owner(oneshot_rec_meta(rec)) == owner) {
			oneshot_rec_forget(rec, base);
			forgotten++;
		}
	}
	return forgotten;
}

/* The module is back, at a cleared place. Returns how many of its records were remembered. */
static inline unsigned int module_remembers(struct oneshot_set *set, unsigned int owner,
					    unsigned long base)
{
	unsigned int i, remembered = 0;

	for (i = 0; i < oneshot_set_nr(set); i++) {
		struct oneshot_rec *rec = oneshot_set_rec(set, i);

		if (rec_is_forgotten(rec) && oneshot_meta_owner(oneshot_rec_meta(rec)) == owner)
			remembered += oneshot_set_remember(set, rec, base);
	}
	return remembered;
}

/* All steps when a module that was at @was comes back to @base. */
static inline unsigned int module_comes(struct oneshot_set *set, unsigned int owner,
					unsigned long was, unsigned long base, unsigned long size)
{
	/* Forgets records that were added after the module went. */
	module_goes(set, owner, was);
	set_cover(set, base, size);
	oneshot_set_clear(set, base, size);
	return module_remembers(set, owner, base);
}

#endif /* HYTRACE_ONESHOT_SET_TEST_H */
