/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The oneshot tracer's set as it is in the kernel, and what its tests do with it.
 */
#ifndef HYTRACE_ONESHOT_SET_TEST_H
#define HYTRACE_ONESHOT_SET_TEST_H

#include <stdlib.h>
#include <string.h>

#include "kernel_shim.h"
#include "../../kernel/files/kernel/trace/oneshot_set.c"

#define TEXT	0xffffffff81000000UL
#define MODULE	0xffffffffc0200000UL

static struct oneshot_set *set_new(unsigned int shift)
{
	struct oneshot_set *set = aligned_alloc(64, oneshot_set_bytes(shift));

	if (!set)
		abort();
	memset(set, 0, oneshot_set_bytes(shift));
	oneshot_set_init(set, shift);
	return set;
}

/* Insert and, if it is new, publish; as the tracer does. */
static enum oneshot_insert set_add(struct oneshot_set *set, unsigned long addr,
				   unsigned long kind, unsigned int owner)
{
	struct oneshot_rec *rec = NULL;
	enum oneshot_insert ret = oneshot_set_insert(set, addr, kind, &rec);

	if (ret == ONESHOT_INSERTED)
		oneshot_rec_publish(rec, addr, 1000 + (addr & 0xff), 42, 3, owner);
	return ret;
}

/* Is @rec published, and its address in the set? */
static bool rec_is_live(const struct oneshot_rec *rec)
{
	u32 meta = oneshot_rec_meta(rec);

	return meta && !(meta & ONESHOT_REC_FORGOTTEN);
}

/* A module's text goes away, or what lies there is not a module's. */
static inline unsigned int set_forget_range(struct oneshot_set *set, unsigned long start,
				     unsigned long size, unsigned long base)
{
	unsigned int i, forgotten = 0;

	for (i = 0; i < oneshot_set_nr(set); i++) {
		struct oneshot_rec *rec = &set->recs[i];

		if (rec_is_live(rec) && rec->addr - start < size) {
			oneshot_set_forget(set, rec, base);
			forgotten++;
		}
	}
	return forgotten;
}

/* It comes back. */
static inline unsigned int set_remember_owner(struct oneshot_set *set, unsigned int owner,
				       unsigned long base)
{
	unsigned int i, remembered = 0;

	for (i = 0; i < oneshot_set_nr(set); i++) {
		struct oneshot_rec *rec = &set->recs[i];
		u32 meta = oneshot_rec_meta(rec);

		if (meta & ONESHOT_REC_FORGOTTEN && oneshot_meta_owner(meta) == owner)
			remembered += oneshot_set_remember(set, rec, base);
	}
	return remembered;
}

/* How many published records of @addr are there? */
static inline unsigned int set_count(struct oneshot_set *set, u64 addr)
{
	unsigned int i, count = 0;

	for (i = 0; i < oneshot_set_nr(set); i++)
		count += oneshot_rec_meta(&set->recs[i]) && set->recs[i].addr == addr;
	return count;
}

#endif /* HYTRACE_ONESHOT_SET_TEST_H */
