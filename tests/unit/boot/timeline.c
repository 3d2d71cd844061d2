// SPDX-License-Identifier: GPL-2.0
/*
 * hytrace boot: the timeline, from which pictures are drawn, and folded stacks for flame graphs.
 */
#include "boot/boot_sample.h"

static struct timeline t;
static size_t lane;

static size_t task_lane(void)
{
	return timeline__lane(&t, &(struct lane){ .name = "process 1", .part = TIMELINE_BOOT, .pid = 1 });
}

static void begin(void)
{
	make_files();
	timeline__init(&t);
	lane = task_lane();
}

static void end(void)
{
	timeline__free(&t);
	leave();
}

TestSuite(timeline, .init = begin, .fini = end);

/*
 * Prints a line for each part, lane and mark. A lane has its spans, as "NAME START-END(OWN TIME)/ROW" with times in ms, without an
 * own time that is the whole, and the row 0. A "?" is an end that is not known.
 */
static void print_timeline(void)
{
	PRINT(f, for (int i = 0; i < TIMELINE_PARTS; i++) {
		      if (t.parts[i].there)
			      fprintf(f, "part %g-%g, %zu later%s\n", t.parts[i].start / 1e6, t.parts[i].end / 1e6, t.parts[i].later,
				      t.parts[i].own_clock ? ", own clock" : "");
	      }
	      for_array(lane, t.lanes, t.lane_count) {
		      fprintf(f, "%s%s%s:", lane->name, lane->group ? " in " : "", lane->group ?: "");
		      for_array(s, t.spans + lane->first, lane->count) {
			      fprintf(f, "%s %s %.8g-", s == t.spans + lane->first ? "" : ",", s->name, s->start / 1e6);
			      fprintf(f, s->endless ? "?" : "%.8g", s->end / 1e6);
			      if (s->self != s->end - s->start)
				      fprintf(f, "(%g)", s->self / 1e6);
			      if (timeline__row(&t, s))
				      fprintf(f, "/%zu", timeline__row(&t, s));
		      }
		      fputc('\n', f);
	      }
	      for_array(m, t.marks, t.mark_count)
		      fprintf(f, "mark %s %g\n", m->name, m->time / 1e6));
}

static void finish(void)
{
	timeline__finish(&t);
	print_timeline();
}

static void collect(void)
{
	timeline__free(&t);
	timeline__collect(&t, &b);
	print_timeline();
}

static const struct span *bar_of(const char *name)
{
	for_array(s, t.spans, t.span_count) {
		if (!strcmp(s->name, name))
			return s;
	}
	cr_assert(false, "there is no bar %s", name);
	return NULL;
}

/* ---- how bars nest */

/* Bars as "NAME START END" in ms, and what they become. */
static const struct {
	enum lane_kind kind;
	const char *bars, *expected;
} nesting[] = {
	/* In any order of adding. */
	{ LANE_NESTS, "inner 20 30,next 40 50,outer 10 40,inmost 22 30", "outer 10-40(20), inner 20-30(2)/1, inmost 22-30/2, next 40-50" },
	/* Of equal bars, the first is outside; of bars that begin together, the longest. */
	{ LANE_NESTS, "outer 10 20,inner 10 20", "outer 10-20(0), inner 10-20/1" },
	{ LANE_NESTS, "inner 10 15,outer 10 20", "outer 10-20(5), inner 10-15/1" },
	/* Viewers drop events that overlap without nesting, so such bars are in another layer, below the rows of the first one. */
	{ LANE_NESTS, "a 10 30,inner 11 12,b 20 40,c 30 35", "a 10-30(19), inner 11-12/1, b 20-40/2, c 30-35" },
	/* Units do not nest: what runs meanwhile is no part of it. */
	{ LANE_APART, "long 10 100,meanwhile 20 30,later 30 40", "long 10-100, meanwhile 20-30/1, later 30-40/1" },
};

Test(timeline, how_bars_nest)
{
	for_each(one, nesting) {
		char *copy = strdup(one->bars), *rest = copy, *bar, name[16], expected[200];
		long start, end;

		timeline__free(&t);
		timeline__init(&t);
		lane = timeline__lane(&t, &(struct lane){ .name = "lane", .kind = one->kind, .part = TIMELINE_BOOT, .pid = -1 });
		while ((bar = strsep(&rest, ","))) {
			cr_assert(sscanf(bar, "%15s %ld %ld", name, &start, &end) == 3);
			/* Sorting keeps the arguments of a bar with the bar. */
			timeline__add(&t, lane, SPAN_INITCALL, timeline__keep(&t, "%s", name), start * MS, end * MS)->result = start;
		}
		finish();
		snprintf(expected, sizeof(expected), "\nlane: %s\n", one->expected);
		expect_text(expected);
		for_array(s, t.spans, t.span_count)
			cr_expect(s->result * MS == s->start);
		free(copy);
	}
}

Test(timeline, a_lane_is_found_again)
{
	cr_expect(task_lane() == lane);
	cr_expect(timeline__lane(&t, &(struct lane){ .name = "process 1", .group = "modules", .part = TIMELINE_BOOT }) != lane);
	cr_expect(timeline__lane(&t, &(struct lane){ .name = "process 1", .part = TIMELINE_EARLY }) != lane);
	cr_expect(t.lane_count == 3);
}

/* ---- the end of the boot */

/* A boot ends before a long pause. A pause is long if all before was shorter, here modules for about 30 s, then none for about 20 s. */
Test(timeline, the_end_of_a_boot)
{
	static const struct {
		int64_t modules[5];	/* ms */
		const char *expected;
	} cases[] = {
		{ { 1000, 4000, 13000, 9000000, 1000 }, "part 1000-13100, 1 later\nprocess 1: init 3000-13100\n" },
		{ { 1000, 9000, 18000, 27000, 50000 }, "part 1000-50100, 0 later\n" },
	};

	for_each(one, cases) {
		timeline__free(&t);
		timeline__init(&t);
		timeline__add(&t, task_lane(), SPAN_PROGRAM, "init", 3000 * MS, UNTIL_END);
		for_each(ms, one->modules) {
			lane = timeline__lane(&t, &(struct lane){ .name = timeline__keep(&t, "process %zu", t.lane_count + 1),
								  .group = "modules", .part = TIMELINE_BOOT, .pid = t.lane_count + 1 });
			timeline__add(&t, lane, SPAN_MODULE, "module", *ms * MS, (*ms + 100) * MS);
		}
		finish();
		expect_text(one->expected);
	}
}

Test(timeline, what_runs_is_no_pause)
{
	timeline__add(&t, lane, SPAN_UNIT, "a", 0, 1000 * MS);
	timeline__add(&t, lane, SPAN_WAIT, "a timeout", 1000 * MS, 91000 * MS);
	timeline__add(&t, lane, SPAN_UNIT, "b", 92000 * MS, 93000 * MS);
	finish();
	expect_text("part 0-93000, 0 later\n");
}

/* A bar never ends before it begins. */
Test(timeline, a_source_may_know_the_end)
{
	timeline__add(&t, lane, SPAN_UNIT, "a", -5 * MS, 20 * MS);
	timeline__add(&t, lane, SPAN_UNIT, "late", 21 * MS, UNTIL_END);
	t.parts[TIMELINE_BOOT].end = 10 * MS;
	t.parts[TIMELINE_BOOT].end_known = true;
	finish();
	expect_str(text, "part -5-10, 1 later\nprocess 1: a -5-20, late 21-21\n");
}

/* ---- bars of a report */

/* The phases are the whole boot, without gaps. */
Test(timeline, initcalls_and_modules)
{
	cr_assert(read_start(start_events) == 0);
	collect();
	expect_str(text, "part 0-900, 0 later\n"
		   "phases: (before) 0-500, early 500-600, late 600-700, until init 700-800, /init 800-900, "
		   "/usr/lib/systemd/systemd 900-900\n"
		   "process 0: con_init 0.001-0.003\n"
		   "process 1: a_init 510-530, b_init 610-700(60), inner_init 620-650/1\n"
		   "programs: /bin/modprobe 810-?\n"
		   "process 7 in modules: first 612-660\nprocess 8 in modules: second 821-?\n"
		   "mark /init 800\nmark /usr/lib/systemd/systemd 900\n");
	cr_expect(bar_of("con_init")->class == SPAN_INITCALL && bar_of("first")->class == SPAN_MODULE);
}

#define UNIT(unit, how, began, ended) { \
	.name = unit, .state = how, .activating = (began) * MS, .activated = ended, .deactivating = NOT_KNOWN, \
	.deactivated = NOT_KNOWN, .start = (began) * MS + 500 * MS, .active = (ended) == NOT_KNOWN ? NOT_KNOWN : (ended) + 500 * MS }

/* The reset is 8 s before the clock's zero. CLOCK_MONOTONIC is half a second behind. */
static void add_whole(void)
{
	static const struct boot_unit units[] = {
		UNIT("a.service", "active", 2000, 3000 * MS), UNIT("fails.service", "failed", 2500, NOT_KNOWN),
		UNIT("hangs.service", "activating", 2700, NOT_KNOWN), UNIT("top.target", "active", 3000, 3000 * MS),
		UNIT("later.service", "active", 9000, 9900 * MS),
	};

	b.clock.since_reset = 8000 * MS;
	b.clock.ahead = 500 * MS;
	b.clock.error = 0;
	b.units.known = true;
	b.units.jobs = 0;
	b.units.target = "top.target";
	b.units.list = calloc(5, sizeof(*b.units.list));
	memcpy(b.units.list, units, sizeof(units));
	b.units.list[1].result = "exit-code";
	b.units.list[1].deactivated = 2600 * MS;
	b.units.count = 5;
	b.units.manager.userspace = 400 * MS;
	b.units.manager.load_finish = 1000 * MS;
	b.units.manager.finish = 4000 * MS;
}

Test(timeline, early_phases_and_calls)
{
	sample_report(&boot_stats, boot_trace);
	collect();
	expect_text("part 0-0.95, 0 later, own clock\nphases: ");
	expect_text(", setup_arch 0.02-0.9(0.001), ");
	cr_expect(t.lane_count == 2 && t.lanes[1].count == 14, "calls");
	/* With the firmware, the part on the kernel's clock begins earlier. The early part still begins at 0. */
	add_whole();
	boot__divide(&b, NULL);
	print_json(boot__chrome, &b);
	expect_at(at(object, "traceEvents"), "5.ts", "20.000");
}

Test(timeline, the_longest_are_what_can_be_changed)
{
	const struct span **list;
	size_t count;

	cr_assert(read_start(start_events) == 0);
	collect();
	list = timeline__longest(&t, TIMELINE_BOOT, 3, &count);
	PRINT(f, for (size_t i = 0; i < count; i++) fprintf(f, "%s ", list[i]->name));
	expect_str(text, "b_init first inner_init ");
	free(list);
}

/* ---- tasks and CPUs */

/* Process 1 waits for a worker. A device is probed in an initcall, another device by the worker. */
static const char busy_events[] =
	INIT("0.100000", "initcall_level: level=early")
	INIT("0.200000", "initcall_start: func=a_init+0x0/0x10")
	INIT("0.210000", "device: (really_probe+0x0/0x40) dev=\"pci0\" drv=\"ahci\"")
	SWITCH("0", "0.300000", "swapper", "1", "D", "kworker", "9")
	AT("9", "0.310000", "device: (really_probe+0x0/0x40) dev=\"sda\" drv=\"sd\"")
	AT("9", "0.350000", "device_end: (call_driver_probe+0x0/0x40 <- really_probe) ret=-517")
	AT("9", "0.390000", "block_rq_complete: 8,0 R () 0 + 8 none,0,0 [0]")
	AT("9", "0.400000", "sched_waking: comm=swapper pid=1 prio=120 target_cpu=000")
	SWITCH("0", "0.400000", "kworker", "9", "D", "swapper", "1")
	INIT("0.500000", "device_end: (call_driver_probe+0x0/0x40 <- really_probe) ret=0")
	INIT("0.600000", "initcall_finish: func=a_init+0x0/0x10 ret=0")
	INIT("0.800000", "sched_process_exec: filename=/init pid=1 old_pid=1")
	SWITCH("0", "0.900000", "init", "1", "D", "swapper/0", "0")
	SWITCH("0", "99.000000", "swapper/0", "0", "D", "later", "50")
	SWITCH("0", "99.100000", "later", "50", "D", "swapper/0", "0");

/* Processors run for ever, so they do not tell the end. */
Test(timeline, processors_and_what_init_waited_for)
{
	cr_assert(read_start(busy_events) == 0);
	collect();
	expect_str(text, "part 0-800, 0 later\n"
		   "phases: (before) 0-100, early 100-600, until init 600-800, /init 800-800\n"
		   "critical path: early 100-200, a_init 200-300, another task: kworker 300-400, a_init 400-600, after the initcalls 600-800\n"
		   "process 1: a_init 200-600(110), pci0 210-500/1\nprocess 9 in devices: sda 310-350\n"
		   "CPU 0: swapper 0-300, kworker 300-400, swapper 400-900, later 99000-99100\nmark /init 800\n");
	cr_expect(bar_of("sda")->note != NULL, "deferred");
	cr_expect(bar_of("another task: kworker")->class == SPAN_WAIT);
	cr_expect(t.load.bins > 100 && boot_load__mean(&t.load, t.load.bins - 1) == 1);
}

/* Other stacks would change the sum of a task, which is the time of its initcalls. */
Test(timeline, stacks_begin_with_initcalls)
{
	cr_assert(read_start(busy_events) == 0);
	print(stacks, &b);
	cr_expect(eq(str, text, "process 1;a_init 110000\nprocess 1;a_init;pci0 290000\n"));
}

/* ---- before and after the kernel */

/* Units after the boot, and parts whose time is not known, are left out. The boot ends when systemd had nothing more to do. */
Test(timeline, units_and_parts)
{
	cr_assert(read_start(start_events) == 0);
	add_whole();
	boot__divide(&b, NULL);
	collect();
	expect_text("part -8000-4500, 0 later\nphases: kernel, until its clock -8000-0, ");
	expect_text(", late 600-700, ");
	expect_no_text("firmware");
	expect_text("\nunits: a.service 2500-3500, fails.service 3000-3100/1, hangs.service 3200-?/1, top.target 3500-3500\n");
	expect_text("\nmark top.target 3500\n");
	cr_expect(t.parts[TIMELINE_BOOT].end_known);
}

Test(timeline, the_early_part_is_on_the_kernels_clock_if_that_is_known)
{
	sample_report(&boot_stats, boot_trace);
	b.early.zero = 8000 * MS;
	collect();
	expect_text(" setup_arch -7999.98-");
	expect_no_text("own clock");
}

/* Programs that ran until they exited or executed another one; and a device beside asynchronous work. */
Test(timeline, programs_and_devices)
{
	cr_assert(read_start(INIT("0.100000", "initcall_level: level=early")
			     INIT("0.500000", "sched_process_exec: filename=/init pid=1 old_pid=1")
			     AT("8", "0.600000", "sched_process_exec: filename=/bin/sh pid=8 old_pid=8")
			     AT("9", "0.650000", "sched_process_exit: comm=sh pid=9 prio=120")
			     AT("8", "0.700000", "sched_process_exec: filename=/bin/true pid=8 old_pid=8")
			     AT("8", "0.800000", "sched_process_exit: comm=true pid=8 prio=120")) == 0);
	print(boot__write, &b);
	collect();
	expect_text("\nprograms: /bin/sh 600-700, /bin/true 700-800\n");
}

/* ---- the load */

Test(timeline, load_is_shared_among_bins)
{
	struct boot_load l;

	boot_load__init(&l, -10, 30, 4, 2);
	cr_expect(boot_load__mean(&l, 0) < 0, "nothing is known");
	boot_load__add(&l, 1, -100, 100, false);
	boot_load__add(&l, 1, 5, 22, true);
	cr_expect(l.busy[4] == 0 && l.busy[5] == 0.5 && l.busy[6] == 1);
	cr_expect(l.busy[7] > 0.19 && l.busy[7] < 0.21);
	cr_expect(l.busy[1] < 0 && boot_load__mean(&l, 1) == 0.5, "the other CPU is not known");
	boot_load__add(&l, 7, 0, 10, true);
	boot_load__free(&l);
}

/* ---- folded stacks */

Test(timeline, folded_stacks_have_the_times_of_their_tasks)
{
	cr_assert(read_start(start_events) == 0);
	cr_redirect_stderr();
	print(stacks, &b);
	cr_expect(eq(str, text, "process 0;con_init 2\n"
				"process 1;a_init 20000\n"
				"process 1;b_init 60000\n"
				"process 1;b_init;inner_init 30000\n"
				"process 7;first 48000\n"));
	expect_said("warning: -f folded: 1 bar is left out, as its end is not known\n");
}

Test(timeline, names_cannot_end_a_stack)
{
	cr_assert(read_start(AT("7", "0.100000", "module_load: a;b\xff\x01")
			AT("7", "0.200000", "initcall_start: func=0xffffffffc0000000")
			AT("7", "0.300000", "initcall_finish: func=0xffffffffc0000000 ret=0")) == 0);
	print(stacks, &b);
	cr_expect(eq(str, text, "process 7;a:b\xef\xbf\xbd\xef\xbf\xbd 100000\n"));
}

Test(timeline, folded_stacks_are_not_guessed)
{
	sample_report(&boot_stats, boot_trace);
	cr_redirect_stderr();
	cr_expect(boot__folded(&b, stdout) == -EOPNOTSUPP);
}
