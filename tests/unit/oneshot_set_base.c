// SPDX-License-Identifier: GPL-2.0
/*
 * Tests the oneshot tracer's set with text that begins anywhere, as on arm64: within 4 GiB, text is before and behind a
 * multiple of 4 GiB, so that its low halves begin again at 0. oneshot_set.c tests all else, with x86-64's text.
 */
#define ONESHOT_TEXT	0xffff7fff8a3b0000UL

#include "oneshot_set_test.h"

#define LAST		(ONESHOT_TEXT + 0xffffffffUL)

/* The image is in the middle, modules lie on both sides of it. */
#define IMAGE		0xffff80000a3b0000UL
#define BEFORE		0xffff7fffc0200010UL
#define BEHIND		0xffff80004f5ff010UL

static struct oneshot_set *set_of_everything(void)
{
	struct oneshot_set *set = set_new(ONESHOT_MAX_RECS);

	set_cover(set, IMAGE, 16 * CHUNK);
	set_cover(set, BEFORE, 1);
	set_cover(set, BEHIND, 1);
	set_cover(set, ONESHOT_TEXT, 1);
	if (oneshot_set_lacks_chunk(set, LAST))
		set_cover(set, LAST, 1);
	set_add_block(set);
	return set;
}

Test(oneshot_set_base, addresses_come_back_whole)
{
	static const unsigned long addrs[] = { ONESHOT_TEXT, BEFORE, 0xffff7ffffffffffcUL, IMAGE, IMAGE + 0x123456, BEHIND, LAST };
	struct oneshot_set *set = set_of_everything();
	unsigned int i = 0;

	set_cover(set, 0xffff7ffffffffffcUL, 1);
	for_each(addr, addrs) {
		struct oneshot_rec *rec;

		cr_assert(eq(int, set_add(set, *addr, ONESHOT_CALLER, 0), ONESHOT_INSERTED), "%lx", *addr);
		rec = oneshot_set_rec(set, i++);
		cr_assert(eq(u64, rec_addr(rec), *addr));
		rec->other = *addr;
		cr_assert(eq(u64, oneshot_text_addr(rec->other), *addr));
		cr_assert(set_has(set, *addr, ONESHOT_CALLER));
		cr_assert(eq(int, set_add(set, *addr, ONESHOT_CALLER, 0), ONESHOT_KNOWN));
	}
	set_free(set);
}

Test(oneshot_set_base, other_addresses_with_these_low_halves_are_refused)
{
	static const unsigned long addrs[] = { ONESHOT_TEXT - 1, LAST + 1, IMAGE + (1UL << 32), IMAGE - (1UL << 32),
					       (u32)IMAGE, (u32)BEFORE, ~0UL };
	struct oneshot_set *set = set_of_everything();

	for_each(addr, addrs) {
		cr_assert(not(oneshot_is_text(*addr)), "%lx", *addr);
		cr_assert(eq(int, set_add(set, *addr, ONESHOT_CALLER, 0), ONESHOT_REFUSED), "%lx", *addr);
	}
	cr_assert(eq(u32, oneshot_set_nr(set), 0));
	set_free(set);
}

Test(oneshot_set_base, a_module_moves_from_before_to_behind)
{
	struct oneshot_set *set = set_of_everything();
	unsigned long was = BEFORE & ~63UL, is = BEHIND & ~63UL;

	set_add(set, was + 0x10, ONESHOT_FUNCTION, 7);
	cr_assert(eq(u32, module_goes(set, 7, was), 1));
	cr_assert(eq(u32, module_comes(set, 7, was, is, 4096), 1));
	cr_assert(set_has(set, is + 0x10, ONESHOT_FUNCTION));
	cr_assert(eq(u32, set_count(set, is + 0x10, ONESHOT_FUNCTION), 1));
	set_free(set);
}
