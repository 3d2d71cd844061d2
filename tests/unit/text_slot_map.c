// SPDX-License-Identifier: GPL-2.0
/*
 * Tests the map of a pack's slots (kernel/files/kernel/text_slot_map.c, compiled as
 * it is): allocating, finding, walking and freeing them. The results are compared
 * with a model that has a number for each granule.
 */

/* Readers may look at the map between any two stores, so a function can be called after each. */
static void (*behind_store)(void);

#define WRITE_ONCE(x, v) do {						\
	__atomic_store_n(&(x), v, __ATOMIC_RELAXED);			\
	if (behind_store)						\
		behind_store();						\
} while (0)

#include "kernel_shim.h"
#include "../../kernel/files/kernel/text_slot_map.c"

#define NR	256

static struct text_slot_map *map;

/* Begins anew, with memory that had something else. */
static void init_map(void)
{
	memset(map, 0xff, text_slot_map_size(NR));
	text_slot_map_init(map, NR);
}

static void begin(void)
{
	map = malloc(text_slot_map_size(NR));
	init_map();
}

static void end(void)
{
	free(map);
}

TestSuite(map, .init = begin, .fini = end);

static int next_of_all(unsigned int from)
{
	return text_slot_map_next(map, from, 0, TEXT_SLOT_MAP_KINDS - 1);
}

static void expect_slot(unsigned int from, unsigned int granules, int kind)
{
	for (unsigned int i = from; i < from + granules; i++) {
		unsigned int at = i;

		cr_assert(eq(int, text_slot_map_kind(map, &at), kind));
		cr_assert(eq(u32, at, from));
	}
	cr_assert(eq(u32, text_slot_map_granules(map, from), granules));
}

Test(map, a_slot_may_be_all_of_it)
{
	cr_assert(eq(int, text_slot_map_alloc(map, NR + 1, 3), -ENOSPC));
	cr_assert(eq(int, text_slot_map_alloc(map, NR, 3), 0));
	expect_slot(0, NR, 3);
	cr_assert(eq(u32, text_slot_map_free(map, 0), NR));
	cr_assert(eq(u32, map->used, 0));
}

Test(map, a_kind_can_change)
{
	text_slot_map_alloc(map, 4, 1);
	text_slot_map_alloc(map, 4, 1);
	text_slot_map_change(map, 4, 5);
	expect_slot(4, 4, 5);
	expect_slot(0, 4, 1);
	/* The range of kinds includes both of its ends. */
	cr_assert(eq(int, text_slot_map_next(map, 0, 0, 0), -ENOENT));
	cr_assert(eq(int, text_slot_map_next(map, 0, 0, 1), 0));
	cr_assert(eq(int, text_slot_map_next(map, 0, 1, 4), 0));
	cr_assert(eq(int, text_slot_map_next(map, 1, 1, 4), -ENOENT));
	cr_assert(eq(int, text_slot_map_next(map, 0, 2, 5), 4));
	cr_assert(eq(int, text_slot_map_next(map, 0, 5, 9), 4));
	cr_assert(eq(int, text_slot_map_next(map, 0, 6, 9), -ENOENT));
}

Test(map, holes_are_filled_from_the_beginning)
{
	int i;

	for (i = 0; i < NR / 4; i++)
		text_slot_map_alloc(map, 4, 0);
	text_slot_map_free(map, 40);
	text_slot_map_free(map, 80);
	text_slot_map_free(map, 84);
	/* A size that fits nowhere is remembered, and forgotten when there is room again. */
	cr_assert(eq(int, text_slot_map_alloc(map, 9, 0), -ENOSPC));
	cr_assert(eq(u32, map->nofit, 9));
	cr_assert(eq(int, text_slot_map_alloc(map, 10, 0), -ENOSPC));
	cr_assert(eq(int, text_slot_map_alloc(map, 8, 0), 80));
	cr_assert(eq(int, text_slot_map_alloc(map, 1, 0), 40));
	text_slot_map_free(map, 88);
	text_slot_map_free(map, 80);
	cr_assert(eq(int, text_slot_map_alloc(map, 9, 0), 80));
	cr_assert(eq(int, text_slot_map_alloc(map, 3, 0), 41));
}

/* Looks at two slots with a hole between them while the hole is written. */
static unsigned int looks;

static void look_at_neighbours(void)
{
	looks++;
	expect_slot(0, 3, 1);
	expect_slot(10, 5, 2);
}

Test(map, neighbours_do_not_change_meanwhile)
{
	unsigned int nr, round;

	text_slot_map_alloc(map, 3, 1);
	text_slot_map_alloc(map, 7, 0);
	text_slot_map_alloc(map, 5, 2);
	text_slot_map_free(map, 3);
	behind_store = look_at_neighbours;
	for (nr = 1; nr <= 7; nr++) {
		for (round = 0; round < 2; round++) {
			cr_assert(eq(int, text_slot_map_alloc(map, nr, 3), 3));
			text_slot_map_change(map, 3, 4);
			cr_assert(eq(u32, text_slot_map_free(map, 3), nr));
		}
	}
	behind_store = NULL;
	cr_assert(looks > 50);
}

/* The model: the number of the slot that each granule belongs to. */
static int model[NR];
/* The kind of each slot. */
static unsigned int kinds[3001];

static int model_alloc(unsigned int nr, int id)
{
	unsigned int i, hole = 0;

	for (i = 0; i < NR; i++) {
		hole = model[i] ? 0 : hole + 1;
		if (hole == nr)
			break;
	}
	if (i == NR)
		return -ENOSPC;
	for (hole = 0; hole < nr; hole++)
		model[i - hole] = id;
	return i - nr + 1;
}

static void same_as_model(void)
{
	unsigned int i, at, used = 0, slots = 0, walked = 0;
	int next;

	for (i = 0; i < NR; i++) {
		bool begins = model[i] && (!i || model[i - 1] != model[i]);

		used += !!model[i];
		slots += begins;
		at = i;
		cr_assert(eq(int, text_slot_map_kind(map, &at),
			     model[i] ? (int)kinds[model[i]] : -ENOENT));
		if (model[i])
			cr_assert(model[at] == model[i] && (!at || model[at - 1] != model[i]));
	}
	for (next = -1; (next = next_of_all(next + 1)) >= 0; walked++)
		cr_assert(model[next] && (!next || model[next - 1] != model[next]));
	cr_assert(eq(u32, walked, slots));
	cr_assert(eq(u32, map->used, used));
}

static void try(unsigned int seed, unsigned int largest)
{
	int i, j, at, id = 0, refused = 0;

	init_map();
	srand(seed);
	memset(model, 0, sizeof(model));
	for (i = 0; i < 3000; i++) {
		if (rand() % 5 < 3) {
			unsigned int nr = 1 + rand() % largest;

			id++;
			kinds[id] = rand() % TEXT_SLOT_MAP_KINDS;
			at = text_slot_map_alloc(map, nr, kinds[id]);
			cr_assert(eq(int, at, model_alloc(nr, id)));
			refused += at < 0;
		} else {
			at = next_of_all(rand() % NR);
			if (at < 0)
				continue;
			if (rand() % 4 == 0) {
				kinds[model[at]] = rand() % TEXT_SLOT_MAP_KINDS;
				text_slot_map_change(map, at, kinds[model[at]]);
				same_as_model();
				continue;
			}
			for (j = at; j < NR && model[j] == model[at]; j++)
				;
			cr_assert(eq(u32, text_slot_map_free(map, at), j - at));
			while (j-- > at)
				model[j] = 0;
		}
		same_as_model();
	}
	cr_assert(refused > 0);
}

Test(map, is_as_its_model_is)
{
	unsigned int seed;

	for (seed = 1; seed <= 10; seed++) {
		try(seed, 1);
		try(seed, 24);
		try(seed, NR / 3);
	}
}
