// SPDX-License-Identifier: GPL-2.0
/*
 * hytrace boot compare: tests just below and just above each limit for a difference; --fail-above.
 */
#include "boot/compare_sample.h"

TestSuite(boot_limits, .init = make_two, .fini = tear_down);

/* Sets the own time of an initcall in each boot. */
static void put_self(size_t initcall, const long *us, size_t count)
{
	for (size_t i = 0; i < count; i++)
		put_count(i, "start", "initcalls", initcall, "self", us[i] * 1000);
}

/* ---- few boots */

Test(boot_limits, twenty_calls_are_a_difference)
{
	put_element(1, NULL, "functions", 1, "calls", "120");
	compare(1, 1);
	cr_expect(change_of("function", "g", MEASURE_COUNT)->b == 140);
	cr_expect(change_of("function", "g", MEASURE_COUNT)->verdict == POSSIBLY, "20 calls of 140");
	make_boots(2);
	put_element(1, NULL, "functions", 1, "calls", "119");
	compare(1, 1);
	cr_expect(change_of("function", "g", MEASURE_COUNT)->verdict == SAME, "19 calls of 139");
}

Test(boot_limits, lost_calls_are_added_to_twenty)
{
	put(1, "lost", "{'lost':3000}");
	put_element(1, NULL, "functions", 0, "calls", "8020");
	compare(1, 1);
	cr_expect(change_of("function", "f", MEASURE_COUNT)->verdict == POSSIBLY);
	make_boots(2);
	put(1, "lost", "{'lost':3000}");
	put_element(1, NULL, "functions", 0, "calls", "8019");
	compare(1, 1);
	cr_expect(change_of("function", "f", MEASURE_COUNT)->verdict == SAME);
}

Test(boot_limits, what_is_much_is_told)
{
	compare(1, 1);
	cr_expect(boot_comparison__few_ns(&c) == 5 * MS, "0.5 %% of 1 s");
	make_boots(2);
	put(0, "start", "null");
	put(1, "start", "null");
	compare(1, 1);
	cr_expect(boot_comparison__few_ns(&c) == MS / 2, "it is not known how long the boot was");
}

/* ---- enough boots */

Test(boot_limits, times_below_two_microseconds_are_no_difference)
{
	static const long small[] = { 10, 10, 10, 10, 10, 11, 11, 11, 11, 11 };
	static const long large[] = { 10, 10, 10, 10, 10, 12, 12, 12, 12, 12 };

	make_boots(10);
	put_self(0, small, 10);
	put_self(3, large, 10);
	compare(5, 5);
	cr_expect(change_of("initcall", "a_init", MEASURE_TIME)->verdict == SAME, "the clock has microseconds");
	cr_expect(change_of("module", "m", MEASURE_TIME)->verdict == CERTAIN);
}

Test(boot_limits, another_memory)
{
	for (int more = 0; more < 2; more++) {
		make_planted();
		/* The difference is 2.9 % or 3.1 % of the larger memory. */
		put_number(9, "machine.memory_bytes", more ? 2063983500 : 2059732200);
		compare(5, 5);
		cr_expect(change_of("initcall", "a_init", MEASURE_TIME)->verdict == (more ? POSSIBLY : CERTAIN), "%d", more);
		cr_expect(is_noted("the machines differ") == more);
	}
}

Test(boot_limits, what_weakens)
{
	static const struct {
		size_t boot;
		const char *path, *value, *note;
	} cases[] = {
		{ 9, "boot_id", "'boot-0'", "0 and 9 are of the same boot" },
		{ 9, "totals.sites", "99", "other functions were traced early in 9 than in 0" },
		{ 9, "machine.model", "'y'", "the machines differ: 0 has 2 CPUs, 1907 MiB, x; and 9 has 2 CPUs, 1907 MiB, y" },
		{ 9, "tracer", "'oneshot'", "0 was traced early by function, and 9 by oneshot" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		make_planted();
		put(cases[i].boot, cases[i].path, cases[i].value);
		compare(5, 5);
		cr_expect(is_noted(cases[i].note), "%s", cases[i].note);
		cr_expect(change_of("initcall", "a_init", MEASURE_TIME)->verdict == POSSIBLY, "%s", cases[i].path);
	}
}

/* ---- all pairs of boots are compared */

/* A fact that is not known in the first boot may differ between two other boots. */
Test(boot_limits, the_first_boot_need_not_tell)
{
	static const struct {
		const char *path, *some, *others, *note;
	} cases[] = {
		{ "machine.cpus", "2", "4", "the machines differ: 1 has 2 CPUs, 1907 MiB, x; and 5 has 4 CPUs" },
		{ "kernel.cmdline", "'a'", "'b'", "only 1 has a; only 5 has b" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		make_planted();
		put(0, cases[i].path, "null");
		for (size_t k = 1; k < 10; k++)
			put(k, cases[i].path, k < 5 ? cases[i].some : cases[i].others);
		compare(5, 5);
		cr_expect(is_noted(cases[i].note), "%s", cases[i].note);
	}
}

Test(boot_limits, what_is_not_known_is_no_number)
{
	put(0, "machine.cpus", "null");
	put(1, "machine.memory_bytes", "null");
	put(1, "machine.model", "'y'");
	compare(1, 1);
	cr_expect(is_noted("0 has an unknown number of CPUs, 1907 MiB, x; and 1 has 2 CPUs, an unknown number of MiB, y"));
}

Test(boot_limits, boots_of_the_second_kernel_were_traced_in_different_ways)
{
	make_planted();
	for (size_t i = 5; i < 10; i++)
		put(i, "kernel.build_id", "'3c4d'");
	put(9, "totals.sites", "99");
	compare(5, 5);
	cr_expect(is_noted("other functions were traced early in 9 than in 5"));
	cr_expect(change_of("initcall", "a_init", MEASURE_TIME)->verdict == POSSIBLY);
}

Test(boot_limits, cycles_do_not_hide_that_other_functions_were_traced)
{
	make_planted();
	put(9, "window.unit", "'counts'");
	put(9, "totals.sites", "99");
	compare(5, 5);
	cr_expect(is_noted("9 has cycles"));
	cr_expect(is_noted("other functions were traced early in 9 than in 0"));
	cr_expect(change_of("initcall", "a_init", MEASURE_TIME)->verdict == POSSIBLY);
}

Test(boot_limits, a_group_of_two_kernels_whose_first_boot_has_no_build_id)
{
	cr_redirect_stderr();
	make_boots(4);
	put(0, "kernel.build_id", "null");
	put(2, "kernel.build_id", "'3c4d'");
	cr_expect(compare_groups(3, 1) == -EINVAL);
}

/* ---- reports that do not have all functions */

/* If -n has cut off g.part, g has too few calls. */
Test(boot_limits, several_of_one_name_are_not_known_if_some_may_be_missing)
{
	make_boots(10);
	for (size_t i = 5; i < 10; i++)
		put(i, "functions", "[{'name':'f','calls':6000},{'name':'g.isra.0','calls':100}]");
	compare(5, 5);
	cr_expect(not(change_of("function", "g", MEASURE_COUNT)->known));
	cr_expect(change_of("function", "f", MEASURE_COUNT)->verdict == CERTAIN);
	cr_expect(is_noted("5: has only the functions with the most calls (-n); others are not compared, nor are several of one name"));
}

Test(boot_limits, namesakes_are_several)
{
	put_element(0, NULL, "functions", 1, "name", "'f'");
	put(1, "functions", "[{'name':'f','calls':5000}]");
	compare(1, 1);
	cr_expect(not(change_of("function", "f", MEASURE_COUNT)->known));
}

/* Other parts of g may be cut off, in each boot a different part. */
Test(boot_limits, a_part_is_one_of_several)
{
	for (size_t i = 0; i < 2; i++)
		put(i, "functions", "[{'name':'f','calls':5000},{'name':'g.isra.0','calls':100}]");
	compare(1, 1);
	cr_expect(not(change_of("function", "g", MEASURE_COUNT)->known));
	cr_expect(change_of("function", "f", MEASURE_COUNT)->known);
}

Test(boot_limits, phases_are_not_cut)
{
	put_element(0, NULL, "phases", 0, "name", "'setup_arch.isra.0'");
	put(1, "functions", "[{'name':'f','calls':5000}]");
	compare(1, 1);
	cr_expect(change_of("phase", "setup_arch", MEASURE_COUNT)->known);
}

/* In the other build, f may be several functions, of which some are cut off. */
Test(boot_limits, another_build_with_some_functions_is_not_certain)
{
	make_planted();
	for (size_t i = 5; i < 10; i++) {
		put(i, "kernel.build_id", "'3c4d'");
		put(i, "functions", "[{'name':'f','calls':6000}]");
	}
	compare(5, 5);
	cr_expect(change_of("function", "f", MEASURE_COUNT)->verdict == POSSIBLY);
	cr_expect(change_of("initcall", "a_init", MEASURE_TIME)->verdict == CERTAIN);
}

/* ---- the limit */

static bool exceeds(struct boot_limit limit)
{
	bool fails;

	cr_assert(boot_comparison__exceeds(&c, &limit, &fails) == 0);
	return fails;
}

Test(boot_limits, limit_with_one_boot_of_each)
{
	cr_redirect_stderr();
	put_element(1, "start", "inits", 0, "start", "1060000000");
	compare(1, 1);
	cr_expect(exceeds((struct boot_limit){ .share = 0.05 }));
	cr_expect(not(exceeds((struct boot_limit){ .share = 0.07 })));
	cr_expect(exceeds((struct boot_limit){ .ns = 50 * MS }));
	cr_expect(not(exceeds((struct boot_limit){ .ns = 70 * MS })));
}

Test(boot_limits, the_limit_and_the_noise)
{
	static const char *const starts[][10] = {
		{ "1000", "1010", "1020", "1030", "1040", "1100", "1110", "1120", "1130", "1140" },
		/* 8 of 252 divisions have such a difference; less the limit, more have it. */
		{ "1000000000", "1010000000", "1020000000", "1110000000", "1120000000",
		  "1100000000", "1115000000", "1125000000", "1130000000", "1135000000" },
		{ "1000", "1300", "1100", "1010", "1210", "1400", "1200", "1010", "1250", "1005" },
		/* 26 of 252 divisions have such a difference. */
		{ "1000000000", "1010000000", "1020000000", "1030000000", "1200000000",
		  "1100000000", "1110000000", "1120000000", "1130000000", "1005000000" },
	};

	cr_redirect_stderr();
	for (int i = 0; i < 4; i++) {
		int noisy = i / 2;

		make_boots(10);
		for (size_t k = 0; k < 10; k++)
			put_element(k, "start", "inits", 0, "start", starts[i][k]);
		compare(5, 5);
		cr_expect(exceeds((struct boot_limit){ .share = 0.001 }) == !noisy, "%d", i);
		/* The growth above the limit must be more than the noise. */
		cr_expect(exceeds((struct boot_limit){ .share = 0.05 }) == (i == 0), "%d", i);
	}
}

/* The time of the target is of CLOCK_MONOTONIC, so it needs no events. */
static void put_target(size_t boot, const char *ms)
{
	char text[256];

	snprintf(text, sizeof(text), "[{'name':'a.service','time':60000000,'active_monotonic':1},{'name':'top.target','time':0,"
		 "'active_monotonic':%s000000}]", ms);
	put(boot, "units", text);
	put(boot, "userspace", "{'target':'top.target','finish':9000000000}");
}

Test(boot_limits, limit_until_the_default_target)
{
	cr_redirect_stderr();
	put_target(0, "8000");
	put_target(1, "8480");
	compare(1, 1);
	cr_expect(exceeds((struct boot_limit){ .share = 0.05, .target = true }));
	cr_expect(not(exceeds((struct boot_limit){ .share = 0.07, .target = true })));
	cr_expect(not(exceeds((struct boot_limit){ .share = 0.05 })), "until init, they are alike");
	cr_expect(c.notes.count == 0, "%s", c.notes.count ? c.notes.list[0] : "");

	/* Reached after the boot; boot not complete; no such unit; a boot without systemd. */
	for (int i = 0; i < 4; i++) {
		struct boot_limit limit = { .share = 0.05, .target = true };
		bool fails;

		make_boots(2);
		put_target(0, "8000");
		put_target(1, i == 0 ? "9001" : "8480");
		if (i == 1)
			put(1, "userspace.finish", "null");
		else if (i == 2)
			put(1, "units", "[]");
		else if (i == 3)
			put(1, "userspace", "null");
		compare(1, 1);
		cr_expect(boot_comparison__exceeds(&c, &limit, &fails) == -EINVAL && !fails, "%d", i);
	}
}

/* The mean has grown, but not each boot of B is slower than each boot of A. */
Test(boot_limits, one_that_takes_as_long_is_not_slower)
{
	cr_redirect_stderr();
	make_boots(3);
	put_target(0, "8000");
	put_target(1, "8480");
	put_target(2, "8480");
	compare(2, 1);
	cr_expect(not(exceeds((struct boot_limit){ .target = true })));
}

Test(boot_limits, other_default_targets_are_noted)
{
	put_target(0, "8000");
	put_target(1, "8000");
	put(1, "userspace.target", "'a.service'");
	compare(1, 1);
	cr_assert(c.notes.count == 1);
	cr_expect(eq(str, c.notes.list[0], "the default target is top.target in 0, and a.service in 1"));
}

/* If the noise is not known, each boot of B must be slower than each boot of A. */
Test(boot_limits, a_few_boots_have_to_be_slower_all)
{
	static const struct {
		long starts[4];
		bool exceeds;
	} cases[] = {
		{ { 1000, 1050, 1110, 1150 }, true },
		{ { 1000, 1120, 1110, 1500 }, false },
		{ { 1000, 1110, 1110, 1500 }, false },
	};

	cr_redirect_stderr();
	for (size_t i = 0; i < 3; i++) {
		make_boots(4);
		for (size_t k = 0; k < 4; k++)
			put_count(k, "start", "inits", 0, "start", cases[i].starts[k] * MS);
		compare(2, 2);
		cr_expect(not(c.can_tell));
		cr_expect(exceeds((struct boot_limit){ .share = 0.05 }) == cases[i].exceeds, "%zu", i);
	}
}
