/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which pieces of a pack of text are taken, and by whom.
 *
 * A pack is divided into granules of 16 bytes, and has four bits for each: what
 * begins there, that the slot before goes on, or that it is free. So a slot of any
 * size takes no more than its size rounded up to 16, and an address inside of one is
 * followed back to its beginning within the pack's own bits, which are some 2 KiB for
 * 64 KiB of text.
 *
 *   text   |  ftrace_caller's copy  | kprobe |  free  | ...
 *   bits   | 2   1   1   1   1   1  | 4      | 0   0  | ...
 *
 * Invariants:
 *
 * I1  A granule that goes on (TEXT_SLOT_MAP_MORE) lies behind one that begins or
 *     goes on, so the way back ends inside the map. While a slot is written it may
 *     go on from what is free, but never from the slot before: what it begins with
 *     is never one that goes on.
 * I2  No hole is as large as @nofit granules, if that is not 0, and none begins
 *     before @first. Both are for speed: a map that is full is left at once.
 *
 * One writer at a time. A reader needs no lock if what it looks for stays allocated
 * meanwhile: a byte has the bits of two granules, is written at once, and the bits of
 * the slot that is looked for do not change.
 */
#ifndef _KERNEL_TEXT_SLOT_MAP_H
#define _KERNEL_TEXT_SLOT_MAP_H

#ifdef __KERNEL__
#include <linux/types.h>
#endif

#define TEXT_SLOT_GRANULE	16

/* What a granule's four bits say; from TEXT_SLOT_MAP_BEGIN on, that a slot begins. */
#define TEXT_SLOT_MAP_FREE	0
#define TEXT_SLOT_MAP_MORE	1
#define TEXT_SLOT_MAP_BEGIN	2
#define TEXT_SLOT_MAP_KINDS	14

struct text_slot_map {
	unsigned int	nr;	/* granules, an even number */
	unsigned int	used;
	unsigned int	first;
	unsigned int	nofit;
	u8		bits[];
};

static inline size_t text_slot_map_size(unsigned int nr)
{
	return sizeof(struct text_slot_map) + nr / 2;
}

void text_slot_map_init(struct text_slot_map *map, unsigned int nr);
int text_slot_map_alloc(struct text_slot_map *map, unsigned int nr, unsigned int kind);
unsigned int text_slot_map_free(struct text_slot_map *map, unsigned int begin);
void text_slot_map_change(struct text_slot_map *map, unsigned int begin, unsigned int kind);
int text_slot_map_kind(const struct text_slot_map *map, unsigned int *granule);
unsigned int text_slot_map_granules(const struct text_slot_map *map, unsigned int begin);
int text_slot_map_next(const struct text_slot_map *map, unsigned int from, unsigned int first,
		       unsigned int last);

#endif /* _KERNEL_TEXT_SLOT_MAP_H */
