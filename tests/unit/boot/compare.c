// SPDX-License-Identifier: GPL-2.0
/*
 * hytrace boot compare: verdicts on rows of made-up boots, when rows are not compared, and the limit.
 * noise.c tests the statistics, and tests/host/boot-compare.sh tests the command.
 */
#include "boot/boot.h"
#include "boot/compare.h"
#include "printed.h"

#define MOST_BOOTS 10
#define MS 1000000LL

static struct made {
	struct boot b;
	char id[16];
	struct span initcalls[4], levels[2], inits[2], probes[2];
	struct boot_wait waits[2];
	struct boot_unit units[2];
	struct boot_part parts[5];
	struct boot_phase phases[2], inner;
	struct boot_function functions[3];
	struct counter lost[2];
} m[MOST_BOOTS];

static struct boot_comparison c;
static const char *const paths[MOST_BOOTS] = { "0", "1", "2", "3", "4", "5", "6", "7", "8", "9" };

static struct span initcall(const char *name, const char *module, int64_t self)
{
	return (struct span){ .class = module ? SPAN_MODULE : SPAN_INITCALL, .name = name, .module = module,
			      .end = self * MS, .self = self * MS, .ready = NOT_KNOWN };
}

static struct span time_of(const char *name, int64_t start, int64_t end, int64_t count)
{
	return (struct span){ .class = SPAN_PROBE, .name = name, .start = start * MS, .end = end * MS,
			      .self = (end - start) * MS, .count = count };
}

static void make_boot(size_t i)
{
	struct made *s = &m[i];
	struct boot *b = &s->b;

	*s = (struct made){
		.initcalls = { initcall("a_init", NULL, 20), initcall("init", NULL, 5), initcall("init", NULL, 7),
			       initcall("m_init", "m", 30) },
		.levels = { time_of("early", 200, 500, 2), time_of("late", 500, 900, 1) },
		.inits = { time_of("/init", 1000, 1500, 0), time_of("/sbin/init", 1500, 1600, 0) },
		.probes = { time_of("vda", 300, 340, 0), time_of(NULL, 300, 301, 0) },
		.waits = { { .name = "kworker", .time = 3 * MS, .count = 2 }, { .name = "kworker", .time = MS, .count = 1 } },
		.units = { { .name = "a.service", .activating = 2000 * MS, .activated = 2060 * MS, .deactivated = NOT_KNOWN },
			   { .name = "top.target", .activating = 8000 * MS, .activated = 8000 * MS, .deactivated = NOT_KNOWN } },
		.parts = { { PART_FIRMWARE, .time = 700 * MS }, { PART_LEVEL, .level = "late", .time = 1 },
			   { PART_UNITS, .time = 1 }, { PART_REST, .time = 1 }, { PART_BETWEEN, .time = 1 } },
		.phases = { { .name = "setup_arch", .time = 50 * MS, .calls = 500, .inner = &s->inner, .inner_count = 1 },
			    { .time = 1, .calls = 1 } },
		.inner = { .name = "e820_add", .time = 10 * MS, .calls = 50 },
		.functions = { { "f", .calls = 5000 }, { "g.isra.0", .calls = 100 }, { "g.part.1", .calls = 20 } },
		.lost = { { "lost", 0 }, { "missing", 0 } },
	};
	snprintf(s->id, sizeof(s->id), "boot-%zu", i);
	*b = (struct boot){
		.kernel = { .release = "6.12.1", .build_id = "1a2b", .cmdline = "quiet root=/dev/vda" }, .boot_id = s->id,
		.machine = { .cpus = 2, .memory = 2000000000, .model = "x" },
		.early = { .tracer = "function", .sites = 100, .lost = { s->lost, 2 }, .phases = s->phases, .phase_count = 2,
			   .function_list = s->functions, .function_count = 3 },
		.has_start = true, .initcalls = { s->initcalls, 4 }, .levels = { s->levels, 2 }, .inits = { s->inits, 2 },
		.probes = { s->probes, 2 }, .waits = s->waits, .wait_count = 2, .process.ready = NOT_KNOWN, .full = NOT_KNOWN,
		.probes_full = NOT_KNOWN, .units = { .known = true, .target = "top.target", .list = s->units, .count = 2,
						     .manager.finish = 9000 * MS },
		.parts = { .list = s->parts, .count = 2, .started_again = NOT_KNOWN },
	};
}

static void make_boots(size_t count)
{
	for (size_t i = 0; i < count; i++)
		make_boot(i);
}

/* Ten boots with some noise. In the last five boots, some rows are larger. */
static void make_planted(void)
{
	make_boots(10);
	for (int i = 0; i < 10; i++) {
		m[i].initcalls[0].self = 20 * MS + i * 7 % 10 * 1000 + (i >= 5) * MS;
		m[i].initcalls[3].self = 30 * MS + i * 3 % 10 * MS;
		m[i].levels[0].end = 500 * MS + i * 7 % 10 * 1000 + (i >= 5) * (MS + 5000);
		m[i].functions[0].calls = 5000 + (i >= 5) * 1000;
	}
}

static void start(void)
{
	make_boots(2);
}

static void stop(void)
{
	if (c.boots)
		boot_comparison__free(&c);
	free_printed();
}

TestSuite(boot_compare, .init = start, .fini = stop);

static int compare_groups(size_t a, size_t b)
{
	int err = 0;

	stop();
	boot_comparison__init(&c, a, b);
	for (size_t i = 0; !err && i < a + b; i++)
		err = boot_comparison__add(&c, i, paths[i], &m[i].b);
	return err ?: boot_comparison__run(&c);
}

static void put_change(const struct boot_change *change, double unit, FILE *f)
{
	if (change->known)
		fprintf(f, "%g>%g%s", change->a / unit, change->b / unit, ((const char *[]){ "", "?", "!" })[change->verdict]);
	else
		fputs("-", f);
}

/*
 * Compares the boots, and prints a line for each row, "KIND NAME: TIME COUNT new". Times are in ms. A "-" is not compared; a "?" differs
 * possibly, a "!" for certain.
 */
static void compare(size_t a, size_t b)
{
	cr_assert(compare_groups(a, b) == 0);
	PRINT(f, for_array(row, c.rows, c.row_count) {
		      fprintf(f, "%s %s: ", row_kinds[row->kind].word, row->name);
		      put_change(&row->change[MEASURE_TIME], MS, f);
		      fputc(' ', f);
		      put_change(&row->change[MEASURE_COUNT], 1, f);
		      fputs(row->new ? " new\n" : row->gone ? " gone\n" : "\n", f);
	      }
	      for (size_t i = 0; i < c.note_count; i++)
		      fprintf(f, "note: %s\n", c.notes[i]);
	      fprintf(f, "differing: %zu\nleft out: %zu %zu %zu\n", c.differing, c.left_out[LEFT_PART], c.left_out[LEFT_LOST],
		      c.left_out[LEFT_UNKNOWN]));
}

/* The lines are there. */
static void expect_lines(const char *lines)
{
	char *copy = strdup(lines), *rest = copy, *line;

	while ((line = strsep(&rest, "\n"))) {
		const char *at = text;
		size_t length = strlen(line);

		while ((at = strstr(at, line)) && ((at != text && at[-1] != '\n') || at[length] != '\n'))
			at++;
		cr_expect(at != NULL, "no %s in %s", line, text);
	}
	free(copy);
}

/* One boot of each. */
static void expect_one(const char *lines)
{
	compare(1, 1);
	expect_lines(lines);
}

Test(boot_compare, rows)
{
	/* Two of one name are one row; suffixes that compilers append do not count. */
	compare(1, 1);
	expect_str(text, "total until init: 1000>1000 1>1\nlevel (before): 200>200 1>1\nlevel (after, until init): 100>100 1>1\n"
		   "initcall a_init: 20>20 1>1\ninitcall init: 12>12 2>2\nmodule m: 30>30 1>1\nlevel early: 300>300 2>2\n"
		   "level late: 400>400 1>1\ninit /sbin/init: 1500>1500 1>1\nwait kworker: 4>4 3>3\nprobe vda: 40>40 1>1\n"
		   "total until the default target: 8000>8000 1>1\nunit a.service: 60>60 1>1\nunit top.target: 0>0 1>1\n"
		   "part firmware: 700>700 1>1\nphase setup_arch: 50>50 500>500\nphase setup_arch/e820_add: 10>10 50>50\n"
		   "function f: - 5000>5000\nfunction g: - 120>120\ndiffering: 0\nleft out: 0 0 0\n");
	cr_expect(c.can_tell == false);
}

Test(boot_compare, names_are_folded_over_builds)
{
	m[1].b.kernel.build_id = "3c4d";
	m[1].functions[1].name = "g.constprop.0";
	m[1].functions[2].name = "g.cold";
	expect_one("function g: - 120>120\ndiffering: 0");
}

/* ---- few boots */

Test(boot_compare, one_boot_of_each_is_possibly_different)
{
	/* 10 %, and 0.5 % of 1 s; 9 % are too little; 20 calls of 140. */
	m[1].initcalls[0].self = 25100000;
	m[0].initcalls[3].self = 100 * MS;
	m[1].initcalls[3].self = 109 * MS;
	m[1].functions[0].calls = 6000;
	m[1].functions[1].calls = 120;
	expect_one("initcall a_init: 20>25.1? 1>1\nmodule m: 100>109 1>1\nfunction f: - 5000>6000?\nfunction g: - 120>140?\ndiffering: 3");
	cr_expect(boot_comparison__few_ns(&c) == 5 * MS, "0.5 %% of 1 s");
	m[0].b.has_start = m[1].b.has_start = false;
	compare(1, 1);
	cr_expect(boot_comparison__few_ns(&c) == MS / 2, "it is not known how long the boot was");
}

Test(boot_compare, a_part_of_the_boot_is_the_least)
{
	for (size_t i = 0; i < 2; i++) {
		m[i].inits[0].start = 4000 * MS;
		m[i].initcalls[1].self = 0;
	}
	/* 19.9 ms, and 20.1 ms of 4 s. */
	m[1].initcalls[0].self = 39900000;
	m[1].initcalls[2].self = 27100000;
	expect_one("initcall a_init: 20>39.9 1>1\ninitcall init: 7>27.1? 2>2");
}

Test(boot_compare, a_few_calls_or_waits_are_too_little_and_an_initcall_is_not)
{
	m[1].waits[0].count = 12;
	m[1].functions[1].calls = 119;
	m[1].phases[0].calls = 600;
	m[1].initcalls[1].name = "other_init";
	expect_one("wait kworker: 4>4 3>13\nfunction g: - 120>139\nphase setup_arch: 50>50 500>600?\n"
		   "initcall other_init: 0>5? 0>1? new");
}

Test(boot_compare, lost_calls_may_be_of_any_function)
{
	m[1].lost[0].value = 2000;
	m[1].lost[1].value = 1000;
	m[1].functions[0].calls = 8019;
	expect_one("function f: - 5000>8019\nnote: 1: 0 events and 3000 early calls are lost; what it does not have may be among them");
	m[1].functions[0].calls++;
	expect_one("function f: - 5000>8020?");
}

Test(boot_compare, what_other_tasks_did_is_no_time_of_an_initcall)
{
	for (int known = 0; known < 2; known++) {
		make_boots(2);
		m[0].b.process.ready = 1;
		m[1].b.process.ready = known ? 1 : NOT_KNOWN;
		m[0].initcalls[0] = initcall("a_init", NULL, 35);
		m[0].initcalls[0].ready = 15 * MS;
		/* This initcall has inner initcalls, during which another task had the CPU: it is not its own time. */
		m[1].initcalls[3].end = 50 * MS;
		m[1].initcalls[3].ready = 20 * MS;
		expect_one(known ? "initcall a_init: 20>20 1>1\nmodule m: 30>30 1>1" : "initcall a_init: 35>20? 1>1\nmodule m: 30>30 1>1");
	}
	/* Times are rounded, and a document may have any numbers. No time is negative. */
	m[0].initcalls[0].ready = 35 * MS + 1;
	expect_one("initcall a_init: 0>20? 1>1");
}

Test(boot_compare, some_boots_have_to_be_apart)
{
	static const int values[] = { 10, 11, 30, 31 }, wide[] = { 10, 30, 40, 45 };

	make_boots(4);
	for (size_t i = 0; i < 4; i++) {
		m[i].initcalls[0].self = values[i] * MS;
		m[i].initcalls[3].self = wide[i] * MS;
	}
	/* Boots of one kernel differ by as much as the groups, in the second row. */
	compare(2, 2);
	expect_lines("initcall a_init: 10.5>30.5? 1>1\nmodule m: 20>42.5 1>1");
	for_array(row, c.rows, c.row_count)
		cr_expect(strcmp(row->name, "a_init") || row->change[MEASURE_TIME].spread == 0.5 * MS);
}

/* ---- enough boots */

Test(boot_compare, what_was_planted_is_certain)
{
	make_planted();
	compare(5, 5);
	/* The module's noise, and the level's difference of less than 1 %, are none. */
	expect_lines("initcall a_init: 20.004>21.005! 1>1\nfunction f: - 5000>6000!\nmodule m: 33>35 1>1\ndiffering: 2");
	cr_expect(c.can_tell);
}

Test(boot_compare, times_below_two_microseconds_are_no_difference)
{
	make_boots(10);
	for (size_t i = 0; i < 10; i++) {
		m[i].initcalls[0].self = i < 5 ? 10000 : 11000;
		m[i].initcalls[3].self = i < 5 ? 10000 : 12000;
	}
	compare(5, 5);
	expect_lines("initcall a_init: 0.01>0.011 1>1\nmodule m: 0.01>0.012! 1>1");
}

Test(boot_compare, new_and_gone)
{
	make_boots(10);
	for (size_t i = 0; i < 10; i++) {
		m[i].initcalls[0].name = i < 5 ? "old_init" : "new_init";
		/* A module that is not loaded each time. */
		m[i].initcalls[3].module = i % 3 ? "m" : "n";
	}
	compare(5, 5);
	expect_lines("initcall old_init: 20>0! 1>0! gone\ninitcall new_init: 0>20! 0>1! new\nmodule n: 0>0 0>0");
}

Test(boot_compare, oneshot_has_functions_without_calls)
{
	make_boots(10);
	for (size_t i = 0; i < 10; i++) {
		m[i].b.early.tracer = "oneshot";
		m[i].functions[2].name = i < 5 ? "h" : "k";
		for (size_t k = 0; k < 3; k++)
			m[i].functions[k].calls = NOT_KNOWN;
	}
	compare(5, 5);
	expect_lines("function k: - 0>1! new\nfunction f: - 1>1");
}

/* ---- boots as a whole */

Test(boot_compare, what_weakens)
{
	static const struct {
		const char *note;
		bool weakens;
	} cases[] = {
		{ "0 and 9 are of the same boot", true },
		{ "the number of functions that were traced early is 100 in 0, and 99 in 9", true },
		{ "the processor is x in 1, and y in 9", true },
		{ "what traced the early part is function in 0, and none in 9", true },
		{ "the number of CPUs is 2 in 0, and 4 in 9", true },
		/* The difference is 3.1 % or 2.9 % of the larger memory. */
		{ "the memory is 1907 MiB in 0, and 1968 MiB in 9", true },
		{ NULL, false },
		{ "the command line of the kernel is quiet root=/dev/vda in 0, and quiet in 9", false },
		{ "init is /init in 0, and /linuxrc in 9", false },
		{ "the default target is top.target in 0, and a.service in 9", false },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct boot *b = &m[9].b;

		make_planted();
		if (i == 0)
			strcpy(m[9].id, "boot-0");
		/* A fact that is not known in the first boot may differ between two other boots. */
		m[0].b.machine.model = i == 2 ? NULL : "x";
		b->early.sites = i == 1 ? 99 : 100;
		b->machine.model = i == 2 ? "y" : "x";
		b->early.tracer = i == 3 ? NULL : "function";
		b->machine.cpus = i == 4 ? 4 : 2;
		b->machine.memory = i == 5 ? 2063983500 : i == 6 ? 2059732200 : 2000000000;
		b->kernel.cmdline = i == 7 ? "quiet" : "quiet root=/dev/vda";
		m[9].inits[0].name = i == 8 ? "/linuxrc" : "/init";
		b->units.target = i == 9 ? "a.service" : "top.target";
		compare(5, 5);
		expect_text(cases[i].note ?: "function g");
		cr_expect(c.note_count == (cases[i].note ? 1 : 0), "%zu", i);
		expect_lines(cases[i].weakens ? "initcall a_init: 20.004>21.005? 1>1" : "initcall a_init: 20.004>21.005! 1>1");
		/* The early parts of two tracers are not compared. */
		expect_text(i == 3 ? "function f: - -\n" : "function f: - 5000>6000");
	}
	/* Another kernel has other functions. */
	make_planted();
	for (size_t i = 5; i < 10; i++) {
		m[i].b.kernel.build_id = "3c4d";
		m[i].b.early.sites = 99;
	}
	compare(5, 5);
	expect_lines("initcall a_init: 20.004>21.005! 1>1");
	expect_no_text("note:");
}

Test(boot_compare, groups_of_boots_that_do_not_belong_together)
{
	cr_redirect_stderr();
	make_boots(4);
	m[1].b.kernel.build_id = "3c4d";
	cr_expect(compare_groups(2, 2) == -EINVAL, "two kernels");
	make_boots(4);
	m[0].b.kernel.build_id = NULL;
	m[2].b.kernel.build_id = "3c4d";
	cr_expect(compare_groups(3, 1) == -EINVAL, "the first boot has no build id");
	make_boots(4);
	strcpy(m[3].id, "boot-2");
	cr_expect(compare_groups(2, 2) == -EINVAL, "one boot twice");
	make_boots(2);
	m[0].b.has_start = m[0].b.units.known = false;
	m[0].b.early.tracer = NULL;
	cr_expect(compare_groups(1, 1) == -EINVAL, "nothing to compare");
}

/* ---- what is not known */

/* The time of a whole initcall is known; sums and counts may lack some events. */
Test(boot_compare, what_is_lost_is_not_gone)
{
	m[1].b.initcalls.count = 1;
	m[1].b.lost = 34;
	expect_one("module m: - -\ninitcall a_init: 20>20 -\nwait kworker: - -\nlevel early: - -\nleft out: 0 5 0\n"
		   "note: 1: 34 events and 0 early calls are lost; what it does not have may be among them");
}

Test(boot_compare, probes_that_were_lost_are_not_gone)
{
	for (int full = 0; full < 2; full++) {
		make_boots(2);
		m[1].b.probes.count = 0;
		m[1].b.probes_lost = full ? 0 : 5;
		m[1].b.probes_full = full ? 5000 * MS : NOT_KNOWN;
		expect_one("probe vda: - -");
	}
}

/* Initcalls of the kernel come before. */
Test(boot_compare, a_full_buffer_may_have_had_no_room_for_a_module)
{
	m[1].b.initcalls.count = 1;
	m[1].b.full = 12000 * MS;
	expect_one("module m: - -\ninitcall init: 12>0? 2>0? gone");
}

/* systemd keeps only the last start of a unit. If it is after the boot, the boot's is unknown. */
Test(boot_compare, units_that_were_started_again)
{
	m[0].units[0].activating = 9000 * MS;
	m[1].units[0].activating = 9000 * MS + 1;
	m[0].b.parts.count = m[1].b.parts.count = 5;
	m[0].b.parts.started_again = 0;
	m[1].b.parts.started_again = 1;
	expect_one("unit a.service: - 1>1\npart firmware: 700>700 1>1\npart units: - 1>1\npart rest: - 1>1\npart between: - 1>1\n"
		   "left out: 0 0 4");
	m[1].units[0].activating = 9000 * MS;
	expect_one("unit a.service: 0>0 1>1");
}

/* An initcall that did not end; and a document may have any number. */
Test(boot_compare, a_time_that_is_not_known)
{
	m[0].initcalls[0].self = NOT_KNOWN;
	m[1].initcalls[3].self = -5;
	expect_one("initcall a_init: - 1>1\nmodule m: - 1>1");
}

Test(boot_compare, cycles_are_no_times)
{
	m[1].b.early.counts = 1;
	m[1].phases[0].calls = 900;
	expect_one("phase setup_arch: - 500>900?\nleft out: 2 0 0\n"
		   "note: the times of the early part are not compared, as 1 has cycles of a clock whose frequency is not known");
}

Test(boot_compare, a_kind_that_only_one_was_asked_for)
{
	m[1].b.probes = (struct span_list){};
	m[1].b.units = (struct boot_units){};
	expect_one("probe vda: - -\nunit a.service: - -\nwait kworker: 4>4 3>3");
}

Test(boot_compare, levels_without_the_first_one)
{
	m[0].levels[0].name = "core";
	expect_one("level (before): - 1>1\nlevel (after, until init): 100>100 1>1");
}

/* ---- the limit */

static int exceeds(struct boot_limit limit)
{
	bool fails;

	return boot_comparison__exceeds(&c, &limit, &fails) ?: fails;
}

Test(boot_compare, an_end_that_was_not_seen)
{
	cr_redirect_stderr();
	m[0].b.has_start = false;
	expect_one("initcall a_init: - -\nfunction f: - 5000>5000");
	expect_text("not compared, as 0 has none");
	cr_expect(exceeds((struct boot_limit){ .share = 0.05 }) == -EINVAL);
	make_boots(2);
	m[1].b.inits.count = 0;
	expect_one("total until init: - 1>1\nlevel (after, until init): - 1>1");
	cr_expect(exceeds((struct boot_limit){ .share = 0.05 }) == -EINVAL);
	/* Reached after the boot; boot not complete; no such unit; a boot without systemd. */
	for (int i = 0; i < 4; i++) {
		make_boots(2);
		m[1].units[1].activated = (i == 0 ? 9001 : 8000) * MS;
		m[1].b.units.manager.finish = i == 1 ? NOT_KNOWN : 9000 * MS;
		m[1].b.units.count = i == 2 ? 1 : 2;
		m[1].b.units.known = i != 3;
		compare(1, 1);
		cr_expect(exceeds((struct boot_limit){ .share = 0.05, .target = true }) == -EINVAL, "%d", i);
	}
}

Test(boot_compare, limit_with_one_boot_of_each)
{
	cr_redirect_stderr();
	m[1].inits[0].start = 1060 * MS;
	m[1].units[1].activated = 8800 * MS;
	compare(1, 1);
	cr_expect(exceeds((struct boot_limit){ .share = 0.05 }));
	cr_expect(exceeds((struct boot_limit){ .share = 0.07 }) == 0);
	cr_expect(exceeds((struct boot_limit){ .ns = 50 * MS }));
	cr_expect(exceeds((struct boot_limit){ .ns = 70 * MS }) == 0);
	cr_expect(exceeds((struct boot_limit){ .share = 0.09, .target = true }));
	cr_expect(exceeds((struct boot_limit){ .share = 0.11, .target = true }) == 0);
}

Test(boot_compare, the_limit_and_the_noise)
{
	static const struct {
		int starts[10];
		bool slower, exceeds;
	} cases[] = {
		{ { 1000, 1010, 1020, 1030, 1040, 1100, 1110, 1120, 1130, 1140 }, true, true },
		/* 8 of 252 divisions have such a difference; less the limit, more have it. */
		{ { 1000, 1010, 1020, 1110, 1120, 1100, 1115, 1125, 1130, 1135 }, true, false },
		{ { 1000, 1300, 1100, 1010, 1210, 1400, 1200, 1010, 1250, 1005 }, false, false },
		/* 26 of 252 divisions have such a difference. */
		{ { 1000, 1010, 1020, 1030, 1200, 1100, 1110, 1120, 1130, 1005 }, false, false },
	};

	cr_redirect_stderr();
	for (int i = 0; i < 4; i++) {
		make_boots(10);
		for (size_t k = 0; k < 10; k++)
			m[k].inits[0].start = cases[i].starts[k] * MS;
		compare(5, 5);
		cr_expect(exceeds((struct boot_limit){ .share = 0.001 }) == cases[i].slower, "%d", i);
		/* The growth above the limit must be more than the noise. */
		cr_expect(exceeds((struct boot_limit){ .share = 0.05 }) == cases[i].exceeds, "%d", i);
	}
}

/* If the noise is not known, each boot of B must be slower than each boot of A. */
Test(boot_compare, a_few_boots_have_to_be_slower_all)
{
	static const struct {
		int starts[4];
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
			m[k].inits[0].start = cases[i].starts[k] * MS;
		compare(2, 2);
		cr_expect(exceeds((struct boot_limit){ .share = 0.05 }) == cases[i].exceeds, "%zu", i);
	}
	cr_expect(exceeds((struct boot_limit){}) == 0, "the fastest boot of B is as slow as the slowest one of A");
}
