// SPDX-License-Identifier: GPL-2.0
/*
 * Which pieces of a pack of text are taken, see text_slot_map.h.
 */
#ifdef __KERNEL__
#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/kprobes.h>
#include <linux/minmax.h>
#include <linux/string.h>
#endif

#include "text_slot_map.h"

static __always_inline unsigned int get_bits(const struct text_slot_map *map, unsigned int granule)
{
	return READ_ONCE(map->bits[granule / 2]) >> granule % 2 * 4 & 0xf;
}

/* Is the granule even, and does no slot begin in it or in the next one? This is common. */
static __always_inline bool none_begins(const struct text_slot_map *map, unsigned int granule)
{
	return granule % 2 == 0 && !(READ_ONCE(map->bits[granule / 2]) & 0xee);
}

static void set_bits(struct text_slot_map *map, unsigned int granule, unsigned int bits)
{
	unsigned int shift = granule % 2 * 4;
	u8 byte = map->bits[granule / 2];

	WRITE_ONCE(map->bits[granule / 2], (byte & ~(0xf << shift)) | bits << shift);
}

/**
 * text_slot_map_init - make an empty map
 * @map: memory of text_slot_map_size(@nr) bytes
 * @nr: number of granules, even
 */
void text_slot_map_init(struct text_slot_map *map, unsigned int nr)
{
	memset(map, 0, text_slot_map_size(nr));
	map->nr = nr;
}

/**
 * text_slot_map_alloc - take the first hole that is large enough
 * @map: the map
 * @nr: how many granules, at least one
 * @kind: the slot's kind, below TEXT_SLOT_MAP_KINDS
 *
 * First fit, as nearly all slots have one of a few sizes.
 *
 * Return: the granule that the slot begins with, or -ENOSPC.
 */
int text_slot_map_alloc(struct text_slot_map *map, unsigned int nr, unsigned int kind)
{
	unsigned int granule, hole = 0;

	if ((map->nofit && nr >= map->nofit) || map->used + nr > map->nr)
		return -ENOSPC;
	for (granule = map->first; granule < map->nr; granule++) {
		if (get_bits(map, granule) != TEXT_SLOT_MAP_FREE) {
			/* No hole begins before this: all granules are taken. */
			if (map->first == granule)
				map->first++;
			hole = 0;
			continue;
		}
		if (++hole == nr)
			goto found;
	}
	map->nofit = nr;
	return -ENOSPC;
found:
	/* Written from its end, so that it never looks like a part of the slot before it. */
	for (; hole > 1; hole--, granule--)
		set_bits(map, granule, TEXT_SLOT_MAP_MORE);
	set_bits(map, granule, TEXT_SLOT_MAP_BEGIN + kind);
	map->used += nr;
	if (map->first == granule)
		map->first += nr;
	return granule;
}

/**
 * text_slot_map_granules - the size of a slot
 * @map: the map
 * @begin: the granule that it begins with
 *
 * Context: any, also beside a writer; see the top of text_slot_map.h.
 * Return: how many granules it has.
 */
notrace unsigned int text_slot_map_granules(const struct text_slot_map *map, unsigned int begin)
{
	unsigned int end = begin + 1;

	while (end < map->nr) {
		if (end % 2 == 0 && READ_ONCE(map->bits[end / 2]) == 0x11)
			end += 2;
		else if (get_bits(map, end) == TEXT_SLOT_MAP_MORE)
			end++;
		else
			break;
	}
	return end - begin;
}

NOKPROBE_SYMBOL(text_slot_map_granules);

/**
 * text_slot_map_free - free a slot
 * @map: the map
 * @begin: the granule that it begins with
 *
 * Return: how many granules it had.
 */
unsigned int text_slot_map_free(struct text_slot_map *map, unsigned int begin)
{
	unsigned int i, nr = text_slot_map_granules(map, begin);

	for (i = nr; i-- > 0;)
		set_bits(map, begin + i, TEXT_SLOT_MAP_FREE);
	map->used -= nr;
	map->first = min(map->first, begin);
	map->nofit = 0;
	return nr;
}

/**
 * text_slot_map_change - change the kind of a slot
 * @map: the map
 * @begin: the granule that it begins with
 * @kind: below TEXT_SLOT_MAP_KINDS
 */
void text_slot_map_change(struct text_slot_map *map, unsigned int begin, unsigned int kind)
{
	set_bits(map, begin, TEXT_SLOT_MAP_BEGIN + kind);
}

/**
 * text_slot_map_kind - find the slot at a granule
 * @map: the map
 * @granule: any granule of the slot; filled in with the granule that the slot begins with
 *
 * Context: any, also beside a writer; see the top of text_slot_map.h.
 * Return: the slot's kind, or -ENOENT.
 */
notrace int text_slot_map_kind(const struct text_slot_map *map, unsigned int *granule)
{
	unsigned int bits, at = *granule;

	while ((bits = get_bits(map, at)) == TEXT_SLOT_MAP_MORE && at)
		at--;
	if (bits < TEXT_SLOT_MAP_BEGIN)
		return -ENOENT;
	*granule = at;
	return bits - TEXT_SLOT_MAP_BEGIN;
}

NOKPROBE_SYMBOL(text_slot_map_kind);

/**
 * text_slot_map_next - find the next slot of some kinds
 * @map: the map
 * @from: the first granule to look at
 * @first: the first of the kinds
 * @last: the last of the kinds
 *
 * Return: the granule that the slot begins with, or -ENOENT.
 */
int text_slot_map_next(const struct text_slot_map *map, unsigned int from, unsigned int first,
		       unsigned int last)
{
	unsigned int bits;

	for (; from < map->nr; from++) {
		if (none_begins(map, from)) {
			from++;
			continue;
		}
		bits = get_bits(map, from);
		if (bits >= TEXT_SLOT_MAP_BEGIN + first && bits <= TEXT_SLOT_MAP_BEGIN + last)
			return from;
	}
	return -ENOENT;
}
