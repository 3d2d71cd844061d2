// SPDX-License-Identifier: GPL-2.0
/*
 * The oneshot tracer's set (kernel/files/kernel/trace/oneshot_set.c), compiled
 * as it is: alone, full, forgetting, remembering. What threads make of it is in
 * oneshot_set_threads.c.
 */
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "oneshot_set_test.h"

Test(oneshot_set, layout_fits_its_size)
{
	unsigned int shift;

	for (shift = ONESHOT_MIN_SHIFT; shift <= 12; shift++) {
		struct oneshot_set *set = set_new(shift);
		char *end = (char *)set + oneshot_set_bytes(shift);

		cr_assert(eq(u32, set->mask, (1U << shift) - 1));
		cr_assert(eq(u32, set->max_recs, (1U << shift) / 4 * 3));
		cr_assert(eq(ptr, &set->recs[set->max_recs], end));
		free(set);
	}
}

Test(oneshot_set, base_kernel_with_callers_takes_at_most_8_mib)
{
	/* 27,000 functions, 5.5 addresses each. */
	unsigned int shift = oneshot_set_shift_for(27000 * 11 / 2);

	cr_assert(eq(u32, shift, 18));
	cr_assert(le(sz, oneshot_set_bytes(shift), (size_t)8 << 20));
}

Test(oneshot_set, shift_for_gives_room_for_as_many)
{
	unsigned long nr;

	for (nr = 1; nr < 1000000; nr = nr * 3 / 2 + 1) {
		unsigned int shift = oneshot_set_shift_for(nr);

		cr_assert(ge(ulong, (3UL << shift) / 4, nr), "%lu", nr);
		cr_assert(shift == ONESHOT_MIN_SHIFT || (3UL << (shift - 1)) / 4 < nr, "%lu", nr);
	}
}

Test(oneshot_set, empty_has_nothing)
{
	struct oneshot_set *set = set_new(8);

	cr_assert(not(oneshot_set_has(set, TEXT, ONESHOT_FUNCTION)));
	cr_assert(not(oneshot_set_has(set, TEXT, ONESHOT_CALLER)));
	cr_assert(eq(u32, oneshot_set_nr(set), 0));
	free(set);
}

Test(oneshot_set, once)
{
	struct oneshot_set *set = set_new(8);
	const struct oneshot_rec *rec = &set->recs[0];

	cr_assert(eq(int, set_add(set, TEXT + 4, ONESHOT_FUNCTION, 7), ONESHOT_INSERTED));
	cr_assert(eq(int, set_add(set, TEXT + 4, ONESHOT_FUNCTION, 7), ONESHOT_KNOWN));
	cr_assert(oneshot_set_has(set, TEXT + 4, ONESHOT_FUNCTION));
	cr_assert(not(oneshot_set_has(set, TEXT + 4, ONESHOT_CALLER)));
	cr_assert(eq(u32, oneshot_set_nr(set), 1));

	cr_assert(eq(u64, rec->addr, TEXT + 4));
	cr_assert(eq(u64, rec->ns, 1004));
	cr_assert(eq(u32, rec->pid, 42));
	cr_assert(eq(u32, oneshot_meta_cpu(rec->meta), 3));
	cr_assert(eq(u32, oneshot_meta_owner(rec->meta), 7));
	free(set);
}

Test(oneshot_set, fields_do_not_touch_each_other)
{
	struct oneshot_rec rec;

	oneshot_rec_publish(&rec, TEXT, ~0ULL, ~0U, 8191, 0);
	cr_assert(eq(u32, oneshot_meta_cpu(rec.meta), 8191));
	cr_assert(eq(u32, oneshot_meta_owner(rec.meta), 0));
	cr_assert(not(rec.meta & ONESHOT_REC_FORGOTTEN));
	oneshot_rec_publish(&rec, TEXT, ~0ULL, ~0U, 0, 32767);
	cr_assert(eq(u32, oneshot_meta_cpu(rec.meta), 0));
	cr_assert(eq(u32, oneshot_meta_owner(rec.meta), 32767));
	cr_assert(ne(u32, oneshot_rec_meta(&rec), 0));
}

Test(oneshot_set, both_kinds_are_one_record)
{
	struct oneshot_set *set = set_new(8);

	set_add(set, TEXT, ONESHOT_CALLER, 0);
	cr_assert(eq(u32, oneshot_set_kinds(set, &set->recs[0]), ONESHOT_CALLER));
	cr_assert(eq(int, set_add(set, TEXT, ONESHOT_FUNCTION, 0), ONESHOT_KNOWN));
	cr_assert(eq(u32, oneshot_set_kinds(set, &set->recs[0]), ONESHOT_BOTH));
	cr_assert(oneshot_set_has(set, TEXT, ONESHOT_FUNCTION));
	cr_assert(oneshot_set_has(set, TEXT, ONESHOT_CALLER));
	cr_assert(eq(u32, oneshot_set_nr(set), 1));
	free(set);
}

Test(oneshot_set, full_refuses_counts_and_still_finds)
{
	struct oneshot_set *set = set_new(8);
	unsigned long i, room = set->max_recs;

	for (i = 0; i < room; i++)
		cr_assert(eq(int, set_add(set, TEXT + 16 * i, ONESHOT_FUNCTION, 0), ONESHOT_INSERTED));
	for (i = room; i < room + 50; i++) {
		cr_assert(eq(int, set_add(set, TEXT + 16 * i, ONESHOT_FUNCTION, 0), ONESHOT_REFUSED));
		cr_assert(not(oneshot_set_has(set, TEXT + 16 * i, ONESHOT_FUNCTION)));
	}
	for (i = 0; i < room; i++) {
		cr_assert(oneshot_set_has(set, TEXT + 16 * i, ONESHOT_FUNCTION));
		cr_assert(eq(int, set_add(set, TEXT + 16 * i, ONESHOT_CALLER, 0), ONESHOT_KNOWN));
	}
	cr_assert(eq(u32, oneshot_set_nr(set), room));
	free(set);
}

Test(oneshot_set, forgotten_addresses_are_new_and_their_records_stay)
{
	struct oneshot_set *set = set_new(8);

	set_add(set, MODULE + 0x10, ONESHOT_FUNCTION, 5);
	set_add(set, MODULE + 0x1f, ONESHOT_CALLER, 5);
	set_add(set, MODULE + 0x20, ONESHOT_FUNCTION, 6);	/* the next one's */
	set_add(set, MODULE - 1, ONESHOT_FUNCTION, 4);

	cr_assert(eq(u32, set_forget_range(set, MODULE, 0x20, MODULE), 2));
	cr_assert(eq(u32, set_forget_range(set, MODULE, 0x20, MODULE), 0));

	cr_assert(not(oneshot_set_has(set, MODULE + 0x10, ONESHOT_FUNCTION)));
	cr_assert(not(oneshot_set_has(set, MODULE + 0x1f, ONESHOT_CALLER)));
	cr_assert(oneshot_set_has(set, MODULE + 0x20, ONESHOT_FUNCTION));
	cr_assert(oneshot_set_has(set, MODULE - 1, ONESHOT_FUNCTION));

	/* An offset, and the kind it had, whatever comes next. */
	cr_assert(eq(u64, set->recs[0].addr, 0x10));
	cr_assert(eq(int, set_add(set, MODULE + 0x10, ONESHOT_CALLER, 9), ONESHOT_INSERTED));
	cr_assert(eq(u32, oneshot_set_kinds(set, &set->recs[0]), ONESHOT_FUNCTION));
	cr_assert(eq(u32, oneshot_meta_owner(set->recs[0].meta), 5));
	cr_assert(eq(u32, oneshot_set_kinds(set, &set->recs[4]), ONESHOT_CALLER));
	cr_assert(eq(u32, oneshot_meta_owner(set->recs[4].meta), 9));
	free(set);
}

Test(oneshot_set, tombstones_do_not_break_chains)
{
	struct oneshot_set *set = set_new(8);
	unsigned long i;

	for (i = 0; i < 150; i++)
		set_add(set, MODULE + i, ONESHOT_FUNCTION, 1);
	cr_assert(eq(u32, set_forget_range(set, MODULE, 75, MODULE), 75));
	for (i = 0; i < 75; i++)
		cr_assert(not(oneshot_set_has(set, MODULE + i, ONESHOT_FUNCTION)));
	for (i = 75; i < 150; i++)
		cr_assert(oneshot_set_has(set, MODULE + i, ONESHOT_FUNCTION));
	free(set);
}

Test(oneshot_set, remembered_addresses_are_known_where_they_are_now)
{
	struct oneshot_set *set = set_new(8);
	unsigned long moved = MODULE + 0x5000;

	set_add(set, MODULE + 0x10, ONESHOT_FUNCTION, 5);
	set_add(set, MODULE + 0x1f, ONESHOT_CALLER, 5);
	set_forget_range(set, MODULE, 0x20, MODULE);

	cr_assert(eq(u32, set_remember_owner(set, 5, moved), 2));
	cr_assert(eq(u32, set_remember_owner(set, 5, moved), 0));
	cr_assert(oneshot_set_has(set, moved + 0x10, ONESHOT_FUNCTION));
	cr_assert(not(oneshot_set_has(set, moved + 0x10, ONESHOT_CALLER)));
	cr_assert(oneshot_set_has(set, moved + 0x1f, ONESHOT_CALLER));
	cr_assert(not(oneshot_set_has(set, MODULE + 0x10, ONESHOT_FUNCTION)));
	cr_assert(eq(int, set_add(set, moved + 0x10, ONESHOT_CALLER, 5), ONESHOT_KNOWN));

	/* As a record that was never forgotten, that is. */
	cr_assert(eq(u64, set->recs[0].addr, moved + 0x10));
	cr_assert(eq(u64, set->recs[0].ns, 1000 + 0x10));
	cr_assert(eq(u32, oneshot_set_kinds(set, &set->recs[0]), ONESHOT_BOTH));
	cr_assert(eq(u32, oneshot_meta_cpu(set->recs[0].meta), 3));
	cr_assert(eq(u32, oneshot_meta_owner(set->recs[0].meta), 5));
	cr_assert(eq(u32, oneshot_set_nr(set), 2));
	free(set);
}

/* The @n-th address with the home of TEXT. */
static unsigned long same_home(const struct oneshot_set *set, unsigned int n)
{
	unsigned long addr = TEXT;

	while (n) {
		addr++;
		n -= oneshot_set_home(set, addr) == oneshot_set_home(set, TEXT);
	}
	return addr;
}

Test(oneshot_set, tombstones_are_for_what_comes_back)
{
	struct oneshot_set *set = set_new(8);
	u32 home = oneshot_set_home(set, TEXT);

	set_add(set, same_home(set, 0), ONESHOT_FUNCTION, 5);
	set_add(set, same_home(set, 1), ONESHOT_FUNCTION, 0);
	oneshot_set_forget(set, &set->recs[0], TEXT);
	cr_assert(eq(ulong, set->slots[home], ONESHOT_TOMBSTONE));

	/* Another one that inserts it may be past that slot. */
	set_add(set, same_home(set, 2), ONESHOT_FUNCTION, 0);
	cr_assert(eq(ulong, set->slots[home], ONESHOT_TOMBSTONE));

	oneshot_set_remember(set, &set->recs[0], same_home(set, 3));
	cr_assert(ne(ulong, set->slots[home], ONESHOT_TOMBSTONE));
	cr_assert(oneshot_set_has(set, same_home(set, 3), ONESHOT_FUNCTION));
	cr_assert(eq(u32, set->remembered, 0));
	free(set);
}

Test(oneshot_set, two_records_of_an_address_become_one)
{
	struct oneshot_set *set = set_new(8);

	set_add(set, MODULE + 0x10, ONESHOT_FUNCTION, 5);
	set_forget_range(set, MODULE, 0x20, MODULE);
	set_add(set, MODULE + 0x10, ONESHOT_CALLER, 5);
	set_forget_range(set, MODULE, 0x20, MODULE);
	cr_assert(eq(u32, set_count(set, 0x10), 2));

	set_remember_owner(set, 5, MODULE);
	cr_assert(eq(u32, set_count(set, MODULE + 0x10), 1));
	cr_assert(eq(u32, oneshot_set_kinds(set, &set->recs[0]), ONESHOT_BOTH));
	free(set);
}

Test(oneshot_set, modules_that_come_back_do_not_fill_it)
{
	struct oneshot_set *set = set_new(8);
	unsigned long i, round;

	for (i = 0; i < 100; i++)
		set_add(set, MODULE + i * 12, ONESHOT_FUNCTION, 5);
	for (round = 0; round < 10000; round++) {
		cr_assert(eq(u32, set_forget_range(set, MODULE, 1200, MODULE), 100));
		cr_assert(eq(u32, set_remember_owner(set, 5, MODULE), 100));
		for (i = 0; i < 100; i++)
			cr_assert(oneshot_set_has(set, MODULE + i * 12, ONESHOT_FUNCTION));
	}
	cr_assert(eq(u32, oneshot_set_nr(set), 100));
	cr_assert(eq(u32, set->remembered, 0));
	free(set);
}

Test(oneshot_set, chains_end_however_often_modules_move)
{
	struct oneshot_set *set = set_new(8);
	unsigned long i, round, base = MODULE;
	unsigned int empty = 0;

	for (i = 0; i < set->max_recs; i++)
		set_add(set, MODULE + i * 12, ONESHOT_FUNCTION, 5);
	for (round = 0; round < 1000; round++) {
		set_forget_range(set, MODULE, 1UL << 30, base);
		base = MODULE + round * 4096;
		set_remember_owner(set, 5, base);
	}
	for (i = 0; i <= set->mask; i++)
		empty += !set->slots[i];
	cr_assert(ge(u32, empty, (set->mask + 1) / 8 - 1));
	/* What there was no place for is still a record. */
	for (i = 0; i < set->max_recs; i++)
		cr_assert(eq(u32, set_count(set, i * 12) + set_count(set, base + i * 12), 1));
	free(set);
}

Test(oneshot_set, copy_leaves_behind_what_is_void)
{
	struct oneshot_set *from = set_new(8), *to = set_new(8);
	struct oneshot_rec *late;
	unsigned long i;

	for (i = 0; i < 60; i++)
		set_add(from, TEXT + i, i % 2 ? ONESHOT_FUNCTION : ONESHOT_CALLER, 0);
	for (i = 0; i < 60; i++)
		set_add(from, MODULE + i, ONESHOT_FUNCTION, 5);
	set_forget_range(from, MODULE, 60, MODULE);
	for (i = 0; i < 30; i++)
		oneshot_rec_void(&from->recs[60 + i]);
	cr_assert(eq(int, oneshot_set_insert(from, TEXT + 1000, ONESHOT_CALLER, &late),
		     ONESHOT_INSERTED));

	oneshot_set_copy(to, from, false);
	cr_assert(eq(u32, oneshot_set_nr(to), 90));
	for (i = 0; i < 60; i++) {
		cr_assert(eq(u64, to->recs[i].addr, TEXT + i));
		cr_assert(eq(u32, oneshot_set_kinds(to, &to->recs[i]),
			     i % 2 ? ONESHOT_FUNCTION : ONESHOT_CALLER));
	}
	for (; i < 90; i++) {
		cr_assert(eq(u64, to->recs[i].addr, i - 30));
		cr_assert(eq(u32, oneshot_set_kinds(to, &to->recs[i]), ONESHOT_FUNCTION));
	}

	/* Meanwhile: one is published, one is new to both, and one is seen as both. */
	oneshot_rec_publish(late, TEXT + 1000, 1, 42, 3, 0);
	set_add(from, TEXT + 2000, ONESHOT_FUNCTION, 0);
	set_add(to, TEXT + 2000, ONESHOT_CALLER, 0);
	set_add(from, TEXT, ONESHOT_FUNCTION, 0);
	oneshot_set_copy(to, from, true);
	cr_assert(eq(u32, oneshot_set_nr(to), 92));
	cr_assert(eq(u32, set_count(to, TEXT + 1000), 1));
	cr_assert(eq(u32, set_count(to, TEXT + 2000), 1));
	cr_assert(eq(u32, oneshot_set_kinds(to, &to->recs[90]), ONESHOT_BOTH));
	cr_assert(eq(u32, oneshot_set_kinds(to, &to->recs[0]), ONESHOT_BOTH));
	free(from);
	free(to);
}

/*
 * An insertion that is interrupted between its steps, by one of the same
 * address: what a thread cannot be made to do, its steps can.
 */
Test(oneshot_set, unpublished_record_is_not_read)
{
	struct oneshot_set *set = set_new(8);
	struct oneshot_rec *rec;

	cr_assert(eq(int, oneshot_set_insert(set, TEXT, ONESHOT_FUNCTION, &rec), ONESHOT_INSERTED));
	/* The interrupt: the address is known, and has no record to read. */
	cr_assert(eq(int, set_add(set, TEXT, ONESHOT_FUNCTION, 0), ONESHOT_KNOWN));
	cr_assert(eq(int, set_add(set, TEXT, ONESHOT_CALLER, 0), ONESHOT_KNOWN));
	cr_assert(eq(u32, oneshot_rec_meta(&set->recs[0]), 0));
	cr_assert(eq(u32, set_forget_range(set, TEXT, 100, TEXT), 0));

	oneshot_rec_publish(rec, TEXT, 1, 2, 3, 4);
	cr_assert(eq(u32, oneshot_set_kinds(set, rec), ONESHOT_BOTH));
	free(set);
}
