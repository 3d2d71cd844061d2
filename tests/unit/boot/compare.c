// SPDX-License-Identifier: GPL-2.0
/*
 * hytrace boot compare: verdicts on rows of made-up reports, and when rows are not compared.
 * noise.c tests the statistics, and tests/host/boot-compare.sh tests the command.
 */
#include "boot/compare_sample.h"

TestSuite(boot_compare, .init = make_two, .fini = tear_down);

Test(boot_compare, rows)
{
	compare(1, 1);
	cr_expect(change_of("initcall", "a_init", MEASURE_TIME)->a == 20 * MS);
	cr_expect(change_of("initcall", "init", MEASURE_TIME)->a == 12 * MS, "two of one name are one row");
	cr_expect(change_of("initcall", "init", MEASURE_COUNT)->a == 2);
	cr_expect(change_of("module", "m", MEASURE_TIME)->a == 30 * MS);
	cr_expect(change_of("level", "late", MEASURE_COUNT)->a == 1);
	cr_expect(change_of("level", "(before)", MEASURE_TIME)->a == 200 * MS);
	cr_expect(change_of("level", "(after, until init)", MEASURE_TIME)->a == 100 * MS);
	cr_expect(change_of("total", "until init", MEASURE_TIME)->a == 1000 * MS);
	cr_expect(change_of("init", "/sbin/init", MEASURE_TIME)->a == 1500 * MS);
	cr_expect(change_of("phase", "setup_arch", MEASURE_TIME)->b == 50 * MS);
	cr_expect(change_of("phase", "setup_arch/e820_add", MEASURE_COUNT)->b == 50);
	cr_expect(change_of("function", "g", MEASURE_COUNT)->a == 120, "what compilers append does not count");
	cr_expect(change_of("wait", "kworker", MEASURE_TIME)->a == 4 * MS);
	cr_expect(change_of("wait", "kworker", MEASURE_COUNT)->a == 3);
	cr_expect(change_of("probe", "vda", MEASURE_TIME)->a == 40 * MS);
	cr_expect(change_of("unit", "a.service", MEASURE_TIME)->a == 60 * MS);
	cr_expect(change_of("part", "firmware", MEASURE_TIME)->a == 700 * MS);
	cr_expect(c.row_count == 17, "%zu", c.row_count);
	cr_expect(boot_comparison__differing(&c) == 0);
	cr_expect(c.notes.count == 0);
	cr_expect(not(c.can_tell));
}

Test(boot_compare, names_are_folded_over_builds)
{
	put(1, "kernel.build_id", "'3c4d'");
	put_element(1, NULL, "functions", 1, "name", "'g.constprop.0'");
	put_element(1, NULL, "functions", 2, "name", "'g.cold'");
	compare(1, 1);
	cr_expect(change_of("function", "g", MEASURE_COUNT)->a == 120);
	cr_expect(change_of("function", "g", MEASURE_COUNT)->b == 120);
	cr_expect(boot_comparison__differing(&c) == 0);
}

/* ---- one boot of each */

Test(boot_compare, one_boot_of_each_is_possibly_different)
{
	put_element(1, "start", "initcalls", 0, "self", "25100000");
	put_element(0, "start", "initcalls", 3, "self", "100000000");
	put_element(1, "start", "initcalls", 3, "self", "109000000");
	put_element(1, NULL, "functions", 0, "calls", "6000");
	compare(1, 1);
	cr_expect(change_of("initcall", "a_init", MEASURE_TIME)->verdict == POSSIBLY, "10 %%, and 0.5 %% of 1 s");
	cr_expect(change_of("module", "m", MEASURE_TIME)->verdict == SAME, "9 %% are too little");
	cr_expect(change_of("function", "f", MEASURE_COUNT)->verdict == POSSIBLY);
	cr_expect(boot_comparison__differing(&c) == 2);
}

Test(boot_compare, a_part_of_the_boot_is_the_least)
{
	for (size_t i = 0; i < 2; i++) {
		put_element(i, "start", "inits", 0, "start", "4000000000");
		put_element(i, "start", "initcalls", 1, "self", "0");
	}
	put_element(1, "start", "initcalls", 0, "self", "39900000");
	put_element(1, "start", "initcalls", 2, "self", "27100000");
	compare(1, 1);
	cr_expect(change_of("initcall", "a_init", MEASURE_TIME)->verdict == SAME, "19.9 ms of 4 s");
	cr_expect(change_of("initcall", "init", MEASURE_TIME)->verdict == POSSIBLY, "20.1 ms of 4 s");
}

Test(boot_compare, a_few_calls_or_waits_are_too_little_and_an_initcall_is_not)
{
	put_element(1, "start", "waits", 0, "count", "12");
	put_element(1, NULL, "functions", 1, "calls", "119");
	put_element(1, NULL, "phases", 0, "calls", "600");
	put_element(1, "start", "initcalls", 1, "name", "'other_init'");
	compare(1, 1);
	cr_expect(change_of("wait", "kworker", MEASURE_COUNT)->verdict == SAME);
	cr_expect(change_of("function", "g", MEASURE_COUNT)->verdict == SAME, "19 calls of 120");
	cr_expect(change_of("phase", "setup_arch", MEASURE_COUNT)->verdict == POSSIBLY, "100 calls of 500");
	cr_expect(change_of("initcall", "other_init", MEASURE_COUNT)->verdict == POSSIBLY);
	cr_expect(row_of("initcall", "other_init")->new);
}

Test(boot_compare, what_other_tasks_did_is_no_time_of_an_initcall)
{
	for (int known = 0; known < 2; known++) {
		make_boots(2);
		put(0, "start.init", "{'ready':1}");
		put(1, "start.init", known ? "{'ready':1}" : "null");
		put_element(0, "start", "initcalls", 0, "self", "35000000");
		put_element(0, "start", "initcalls", 0, "time", "35000000");
		put_element(0, "start", "initcalls", 0, "ready", "15000000");
		/* This initcall has inner initcalls, during which another task had the CPU. */
		put_element(1, "start", "initcalls", 3, "time", "50000000");
		put_element(1, "start", "initcalls", 3, "ready", "20000000");
		compare(1, 1);
		cr_expect(change_of("initcall", "a_init", MEASURE_TIME)->a == (known ? 20 : 35) * MS);
		cr_expect(change_of("initcall", "a_init", MEASURE_TIME)->verdict == (known ? SAME : POSSIBLY));
		cr_expect(change_of("module", "m", MEASURE_TIME)->b == 30 * MS, "it is not its own time");
	}
}

/* If events are lost, sums may lack some of them. */
Test(boot_compare, lost_events_make_sums_unknown)
{
	put(1, "start.lost", "5000");
	put_element(1, "start", "waits", 0, "time", "1");
	compare(1, 1);
	cr_expect(not(change_of("wait", "kworker", MEASURE_TIME)->known));
	cr_expect(not(change_of("level", "early", MEASURE_COUNT)->known));
	cr_expect(change_of("initcall", "a_init", MEASURE_TIME)->known, "this one is whole");
}

Test(boot_compare, no_times_are_not_known)
{
	static const char *const odd[] = { "NaN", "Infinity", "-5", "'x'", "true" };

	for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++) {
		make_boots(2);
		put_element(1, "start", "initcalls", 0, "self", odd[i]);
		compare(1, 1);
		cr_expect(not(change_of("initcall", "a_init", MEASURE_TIME)->known), "%s", odd[i]);
	}
}

Test(boot_compare, some_boots_have_to_be_apart)
{
	static const long values[] = { 10 * MS, 11 * MS, 30 * MS, 31 * MS }, wide[] = { 10 * MS, 30 * MS, 40 * MS, 45 * MS };

	make_boots(4);
	for (size_t i = 0; i < 4; i++) {
		put_count(i, "start", "initcalls", 0, "self", values[i]);
		put_count(i, "start", "initcalls", 3, "self", wide[i]);
	}
	compare(2, 2);
	cr_expect(change_of("initcall", "a_init", MEASURE_TIME)->verdict == POSSIBLY);
	cr_expect(change_of("initcall", "a_init", MEASURE_TIME)->spread == 0.5 * MS);
	cr_expect(change_of("module", "m", MEASURE_TIME)->verdict == SAME, "boots of one kernel differ by as much");
}

/* ---- enough boots */

Test(boot_compare, what_was_planted_is_first_and_certain)
{
	const struct boot_row **rows;
	size_t count;

	make_planted();
	compare(5, 5);
	cr_expect(c.can_tell);
	rows = boot_comparison__order(&c, MEASURE_TIME, false, false, &count);
	cr_assert(count == 1, "%zu", count);
	cr_expect(eq(str, (char *)rows[0]->name, "a_init"));
	cr_expect(rows[0]->change[MEASURE_TIME].verdict == CERTAIN);
	cr_expect(fabs(rows[0]->change[MEASURE_TIME].b - rows[0]->change[MEASURE_TIME].a - MS) < MS / 100);
	free(rows);
	rows = boot_comparison__order(&c, MEASURE_COUNT, false, false, &count);
	cr_assert(count == 1, "%zu", count);
	cr_expect(eq(str, (char *)rows[0]->name, "f"));
	cr_expect(rows[0]->change[MEASURE_COUNT].b - rows[0]->change[MEASURE_COUNT].a == 1000);
	free(rows);
	rows = boot_comparison__order(&c, MEASURE_TIME, true, true, &count);
	cr_expect(eq(str, (char *)rows[0]->name, "early"), "of the parts, the level has the largest difference");
	cr_expect(count == 9, "all others are there: %zu", count);
	free(rows);
	cr_expect(change_of("module", "m", MEASURE_TIME)->verdict == SAME, "noise");
	cr_expect(boot_comparison__differing(&c) == 2, "the level differs by less than 1 %%");
}

Test(boot_compare, another_machine_weakens)
{
	make_planted();
	for (size_t i = 5; i < 10; i++)
		put(i, "machine.cpus", "4");
	compare(5, 5);
	cr_expect(change_of("initcall", "a_init", MEASURE_TIME)->verdict == POSSIBLY);
	cr_expect(is_noted("the machines differ: 0 has 2 CPUs, 1907 MiB, x; and 5 has 4 CPUs"));
}

Test(boot_compare, new_and_gone)
{
	make_boots(10);
	for (size_t i = 0; i < 10; i++) {
		put_element(i, "start", "initcalls", 0, "name", i < 5 ? "'old_init'" : "'new_init'");
		/* A module that is not loaded each time. */
		put_element(i, "start", "initcalls", 3, "module", i % 3 ? "'m'" : "'n'");
	}
	compare(5, 5);
	cr_expect(row_of("initcall", "old_init")->gone);
	cr_expect(row_of("initcall", "new_init")->new);
	cr_expect(change_of("initcall", "new_init", MEASURE_TIME)->verdict == CERTAIN);
	cr_expect(change_of("initcall", "new_init", MEASURE_COUNT)->verdict == CERTAIN);
	cr_expect(not(row_of("module", "n")->new));
	cr_expect(change_of("module", "n", MEASURE_COUNT)->verdict == SAME);
}

/* ---- what cannot be compared */

Test(boot_compare, what_is_lost_is_not_gone)
{
	put(1, "start.initcalls", "[{'name':'a_init','module':null,'self':20000000}]");
	put_number(1, "start.lost", 34);
	compare(1, 1);
	cr_expect(not(row_of("module", "m")->gone));
	cr_expect(not(change_of("module", "m", MEASURE_TIME)->known));
	cr_expect(change_of("initcall", "a_init", MEASURE_TIME)->known);
	cr_expect(is_noted("1: 34 events are lost"));
}

Test(boot_compare, lost_calls_may_be_of_any_function)
{
	put(1, "lost", "{'lost':3000,'missing':1000}");
	put_element(1, NULL, "functions", 0, "calls", "9000");
	compare(1, 1);
	cr_expect(change_of("function", "f", MEASURE_COUNT)->verdict == SAME);
	cr_expect(is_noted("1: 4000 early calls are lost"));
}

Test(boot_compare, probes_that_were_lost_are_not_gone)
{
	put(1, "start.probes", "[]");
	put(1, "start.probes_lost", "5");
	compare(1, 1);
	cr_expect(not(row_of("probe", "vda")->gone));
	cr_expect(not(change_of("probe", "vda", MEASURE_TIME)->known));
}

Test(boot_compare, probes_that_a_full_buffer_may_lack_are_not_gone)
{
	put(1, "start.probes", "[]");
	put(1, "start.probes_full", "5000000000");
	compare(1, 1);
	cr_expect(not(row_of("probe", "vda")->gone));
}

Test(boot_compare, a_full_buffer_may_have_had_no_room_for_a_module)
{
	put(1, "start.initcalls", "[{'name':'a_init','module':null,'self':20000000}]");
	put(1, "start.full", "12000000000");
	compare(1, 1);
	cr_expect(not(row_of("module", "m")->gone));
	cr_expect(row_of("initcall", "init")->gone, "these come before");
}

/* Times are rounded, and a json file may have any numbers. */
Test(boot_compare, no_time_is_negative)
{
	for (size_t i = 0; i < 2; i++) {
		put(i, "start.init", "{'ready':1}");
		put_element(i, "start", "initcalls", 0, "time", "20000000");
		put_element(i, "start", "initcalls", 0, "ready", "20000001");
	}
	compare(1, 1);
	cr_expect(change_of("initcall", "a_init", MEASURE_TIME)->a == 0);
}

/* systemd keeps only the last start of a unit. If it is after the boot, the boot's is unknown. */
Test(boot_compare, units_that_were_started_again)
{
	put(0, "userspace", "{'finish':5000000000}");
	put(0, "units", "[{'name':'a.service','time':60000000,'start_monotonic':5000000000}]");
	put(1, "userspace", "{'finish':5000000000}");
	put(1, "units", "[{'name':'a.service','time':90000000,'start_monotonic':5000000001}]");
	compare(1, 1);
	cr_expect(not(change_of("unit", "a.service", MEASURE_TIME)->known));
	cr_expect(is_noted("1 does not for the unit a.service"));
	make_boots(2);
	for (size_t i = 0; i < 2; i++) {
		put(i, "parts", "{'rows':[{'name':'firmware','time':1},{'name':'units','time':1},{'name':'rest','time':1},"
		    "{'name':'between','time':1}]}");
		put(i, "parts.started_again", i ? "1" : "0");
	}
	compare(1, 1);
	cr_expect(change_of("part", "firmware", MEASURE_TIME)->known);
	cr_expect(not(change_of("part", "units", MEASURE_TIME)->known));
	cr_expect(not(change_of("part", "rest", MEASURE_TIME)->known));
	cr_expect(not(change_of("part", "between", MEASURE_TIME)->known));
}

Test(boot_compare, functions_that_were_not_listed_are_not_gone)
{
	put(0, "functions", "[{'name':'f','calls':5000},{'name':'g','calls':100},{'name':'h','calls':90}]");
	put(1, "functions", "[{'name':'f','calls':5000}]");
	compare(1, 1);
	cr_expect(not(row_of("function", "h")->gone));
	cr_expect(not(change_of("function", "h", MEASURE_COUNT)->known));
	cr_expect(is_noted("1: has only the functions with the most calls"));
}

Test(boot_compare, an_initcall_that_did_not_end)
{
	put_element(0, "start", "initcalls", 0, "self", "null");
	compare(1, 1);
	cr_expect(not(change_of("initcall", "a_init", MEASURE_TIME)->known));
	cr_expect(is_noted("the times of some rows (1) are not compared, as not all boots tell them: 0 does not for the initcall a_init"));
}

Test(boot_compare, what_no_boot_tells_is_not_noted)
{
	put_element(0, "start", "initcalls", 0, "self", "null");
	put_element(1, "start", "initcalls", 0, "self", "null");
	compare(1, 1);
	cr_expect(not(change_of("initcall", "a_init", MEASURE_TIME)->known));
	cr_expect(c.notes.count == 0);
}

Test(boot_compare, one_without_an_early_part)
{
	static const char *const fields[] = { "tracer", "window", "totals", "lost", "phases", "functions" };

	make_planted();
	for (size_t i = 5; i < 10; i++) {
		for (size_t k = 0; k < sizeof(fields) / sizeof(fields[0]); k++)
			put(i, fields[k], "null");
	}
	compare(5, 5);
	cr_expect(not(change_of("function", "f", MEASURE_COUNT)->known));
	cr_expect(not(change_of("phase", "setup_arch", MEASURE_TIME)->known));
	cr_expect(is_noted("the early parts are not compared, as 0 was traced early by function, and 5 by nothing"));
	cr_expect(change_of("initcall", "a_init", MEASURE_TIME)->verdict == POSSIBLY, "tracing takes time");
}

Test(boot_compare, oneshot_has_functions_without_calls)
{
	make_boots(10);
	for (size_t i = 0; i < 10; i++) {
		put(i, "tracer", "'oneshot'");
		put(i, "functions", i < 5 ? "[{'name':'f','calls':null},{'name':'g','calls':null},{'name':'h','calls':null}]" :
		    "[{'name':'f','calls':null},{'name':'g','calls':null},{'name':'k','calls':null}]");
	}
	compare(5, 5);
	cr_expect(row_of("function", "k")->new);
	cr_expect(change_of("function", "k", MEASURE_COUNT)->verdict == CERTAIN);
	cr_expect(change_of("function", "f", MEASURE_COUNT)->verdict == SAME);
}

Test(boot_compare, cycles_are_no_times)
{
	put(1, "window.unit", "'counts'");
	put_element(1, NULL, "phases", 0, "calls", "900");
	compare(1, 1);
	cr_expect(not(change_of("phase", "setup_arch", MEASURE_TIME)->known));
	cr_expect(change_of("phase", "setup_arch", MEASURE_COUNT)->verdict == POSSIBLY);
	cr_expect(is_noted("the times of the early part are not compared, as 1 has cycles"));
}

Test(boot_compare, one_without_initcalls)
{
	bool fails;

	put(0, "start", "null");
	compare(1, 1);
	cr_expect(not(change_of("initcall", "a_init", MEASURE_TIME)->known));
	cr_expect(change_of("function", "f", MEASURE_COUNT)->known);
	cr_expect(is_noted("not compared, as 0 has none"));
	cr_redirect_stderr();
	cr_expect(boot_comparison__exceeds(&c, &(struct boot_limit){ .share = 0.05 }, &fails) == -EINVAL);
}

Test(boot_compare, a_kind_that_only_one_was_asked_for)
{
	put(1, "start.probes", "null");
	put(1, "units", "null");
	compare(1, 1);
	cr_expect(not(row_of("probe", "vda")->gone));
	cr_expect(not(change_of("probe", "vda", MEASURE_TIME)->known));
	cr_expect(not(change_of("unit", "a.service", MEASURE_TIME)->known));
	cr_expect(change_of("wait", "kworker", MEASURE_TIME)->known);
	cr_expect(is_noted("rows of the kind probe are not compared, as 1 has none, and 0 has some"));
}

Test(boot_compare, other_command_lines)
{
	put(1, "kernel.cmdline", "'quiet  root=/dev/vdb nokaslr'");
	put(1, "totals.sites", "99");
	put_element(1, "start", "inits", 0, "program", "'/linuxrc'");
	compare(1, 1);
	cr_expect(is_noted("only 0 has root=/dev/vda; only 1 has root=/dev/vdb nokaslr"));
	cr_expect(is_noted("other functions were traced early in 1 than in 0"));
	cr_expect(is_noted("until /init in 0, and until /linuxrc in 1"));
}

Test(boot_compare, levels_without_the_first_one)
{
	put_element(0, "start", "levels", 0, "name", "'core'");
	compare(1, 1);
	cr_expect(not(change_of("level", "(before)", MEASURE_TIME)->known));
	cr_expect(change_of("level", "(after, until init)", MEASURE_TIME)->known);
}

Test(boot_compare, an_init_that_was_not_seen)
{
	bool fails;

	put(1, "start.inits", "[]");
	compare(1, 1);
	cr_expect(not(change_of("total", "until init", MEASURE_TIME)->known));
	cr_expect(not(change_of("level", "(after, until init)", MEASURE_TIME)->known));
	cr_expect(is_noted("1 does not for the total until init"));
	cr_expect(boot_comparison__differing(&c) == 1, "the other init is gone");
	cr_redirect_stderr();
	cr_expect(boot_comparison__exceeds(&c, &(struct boot_limit){ .share = 0.05 }, &fails) == -EINVAL);
}

Test(boot_compare, groups_of_boots_that_do_not_belong_together)
{
	cr_redirect_stderr();
	make_boots(4);
	put(1, "kernel.build_id", "'3c4d'");
	cr_expect(compare_groups(2, 2) == -EINVAL, "two kernels");
	make_boots(4);
	put(3, "boot_id", "'boot-2'");
	cr_expect(compare_groups(2, 2) == -EINVAL, "one boot twice");
	make_boots(2);
	put(1, "boot_id", "'boot-0'");
	cr_expect(compare_groups(1, 1) == 0, "one boot with itself");
	cr_expect(is_noted("0 and 1 are of the same boot"));
	make_boots(2);
	put(0, "start", "null");
	put(0, "tracer", "null");
	put(0, "units", "null");
	cr_expect(compare_groups(1, 1) == -EINVAL, "nothing to compare");
}
