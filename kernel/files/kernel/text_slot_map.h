/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which pieces of a pack of text are taken, and by whom.
 *
 * A pack is divided into granules of 16 bytes. The map has four bits for each granule:
 * the kind of the slot that begins there, or "a slot goes on", or "free". So a slot
 * takes no more than its size rounded up to 16. For an address inside of a slot, going
 * back in the map finds its beginning. The map has 2 KiB for 64 KiB of text.
 *
 *   text   |  ftrace_caller's copy  | kprobe |  free  | ...
 *   bits   | 2   1   1   1   1   1  | 4      | 0   0  | ...
 *
 * Invariants:
 *
 * I1  A granule with TEXT_SLOT_MAP_MORE comes after a granule that begins a slot or
 *     has TEXT_SLOT_MAP_MORE, so going back ends inside the map. A slot is written
 *     from its last granule to its first. So while it is written, TEXT_SLOT_MAP_MORE
 *     may come after a free granule, but no reader takes it for a part of the slot
 *     before.
 * I2  If @nofit is not 0, all holes are smaller than @nofit granules. No hole begins
 *     before @first. @nofit and @first are for speed: a search in a full map ends at once.
 *
 * There is one writer at a time. A reader needs no lock if the slot that it looks for
 * stays allocated: a byte, which has the bits of two granules, is written at once, and
 * the bits of that slot do not change.
 */
#ifndef _KERNEL_TEXT_SLOT_MAP_H
#define _KERNEL_TEXT_SLOT_MAP_H

#ifdef __KERNEL__
#include <linux/types.h>
#endif

#define TEXT_SLOT_GRANULE	16

/* Values of a granule's four bits. From TEXT_SLOT_MAP_BEGIN on, a slot begins in it. */
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
