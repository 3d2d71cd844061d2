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

static void collect(void)
{
	timeline__free(&t);
	timeline__collect(&t, &b);
}

/* @lane: the name of a lane; NULL: any lane */
static const struct span *bar_in(const char *lane, const char *name)
{
	for (size_t i = 0; i < t.span_count; i++) {
		if (!strcmp(t.spans[i].name, name) && (!lane || !strcmp(t.lanes[t.spans[i].lane].name, lane)))
			return &t.spans[i];
	}
	cr_assert(false, "there is no bar %s", name);
	return NULL;
}

static const struct span *bar_of(const char *name)
{
	return bar_in(NULL, name);
}

static void expect_bar(const char *name, const char *lane, int64_t start_ms, int64_t end_ms, size_t depth,
		       int64_t self_ms)
{
	const struct span *b = bar_in(lane, name);

	cr_expect(b->start == start_ms * MS && b->end == end_ms * MS, "%s: %ld to %ld", name, (long)b->start,
		  (long)b->end);
	cr_expect(b->depth == depth && b->layer == 0, "%s: %zu %zu", name, b->layer, b->depth);
	cr_expect(b->self == self_ms * MS, "%s: %ld", name, (long)b->self);
}

/* ---- how bars nest */

Test(timeline, bars_nest_in_any_order_of_adding)
{
	timeline__add(&t, lane, SPAN_INITCALL, "inner", 20 * MS, 30 * MS)->result = -19;
	timeline__add(&t, lane, SPAN_INITCALL, "next", 40 * MS, 50 * MS);
	timeline__add(&t, lane, SPAN_INITCALL, "outer", 10 * MS, 40 * MS)->in = "late";
	timeline__add(&t, lane, SPAN_WAIT, "inmost", 22 * MS, 30 * MS);
	timeline__finish(&t);
	expect_bar("outer", "process 1", 10, 40, 0, 20);
	expect_bar("inner", "process 1", 20, 30, 1, 2);
	expect_bar("inmost", "process 1", 22, 30, 2, 8);
	expect_bar("next", "process 1", 40, 50, 0, 10);
	cr_expect(t.lanes[0].layers == 1 && t.lanes[0].layer_depth[0] == 3);
	/* Sorting keeps the arguments of a bar with the bar. */
	cr_expect(bar_of("inner")->result == -19);
	cr_expect(eq(str, (char *)bar_of("outer")->in, "late"));
}

Test(timeline, of_equal_bars_the_first_is_outside)
{
	timeline__add(&t, lane, SPAN_PROBE, "outer", 10 * MS, 20 * MS);
	timeline__add(&t, lane, SPAN_PROBE, "inner", 10 * MS, 20 * MS);
	timeline__finish(&t);
	expect_bar("outer", "process 1", 10, 20, 0, 0);
	expect_bar("inner", "process 1", 10, 20, 1, 10);
}

Test(timeline, of_bars_that_begin_together_the_longest_is_outside)
{
	timeline__add(&t, lane, SPAN_PROBE, "inner", 10 * MS, 15 * MS);
	timeline__add(&t, lane, SPAN_INITCALL, "outer", 10 * MS, 20 * MS);
	timeline__finish(&t);
	expect_bar("outer", "process 1", 10, 20, 0, 5);
	expect_bar("inner", "process 1", 10, 15, 1, 5);
}

/* Viewers drop events that overlap without nesting, so such bars are in different layers. */
Test(timeline, bars_that_cross_are_in_different_layers)
{
	timeline__add(&t, lane, SPAN_INITCALL, "a", 10 * MS, 30 * MS);
	timeline__add(&t, lane, SPAN_INITCALL, "inner", 11 * MS, 12 * MS);
	timeline__add(&t, lane, SPAN_INITCALL, "b", 20 * MS, 40 * MS);
	timeline__add(&t, lane, SPAN_INITCALL, "c", 30 * MS, 35 * MS);
	timeline__finish(&t);
	expect_bar("a", "process 1", 10, 30, 0, 19);
	cr_expect(bar_of("b")->layer == 1 && bar_of("b")->depth == 0);
	cr_expect(bar_of("b")->self == 20 * MS);
	expect_bar("c", "process 1", 30, 35, 0, 5);
	cr_expect(timeline__row(&t, bar_of("inner")) == 1);
	cr_expect(timeline__row(&t, bar_of("b")) == 2, "below the rows of the first layer");
}

Test(timeline, units_do_not_nest)
{
	lane = timeline__lane(&t, &(struct lane){ .name = "units", .kind = LANE_APART, .part = TIMELINE_BOOT, .pid = -1 });
	timeline__add(&t, lane, SPAN_UNIT, "long", 10 * MS, 100 * MS);
	timeline__add(&t, lane, SPAN_UNIT, "meanwhile", 20 * MS, 30 * MS);
	timeline__add(&t, lane, SPAN_UNIT, "later", 30 * MS, 40 * MS);
	timeline__finish(&t);
	cr_expect(bar_of("long")->self == 90 * MS, "what runs meanwhile is no part of it");
	cr_expect(bar_of("meanwhile")->layer == 1 && bar_of("meanwhile")->depth == 0);
	cr_expect(bar_of("later")->layer == 1);
	cr_expect(t.lanes[lane].layers == 2);
}

Test(timeline, a_lane_is_found_again)
{
	cr_expect(task_lane() == lane);
	cr_expect(timeline__lane(&t, &(struct lane){ .name = "process 1", .group = "modules", .part = TIMELINE_BOOT }) != lane);
	cr_expect(timeline__lane(&t, &(struct lane){ .name = "process 1", .part = TIMELINE_EARLY }) != lane);
	cr_expect(t.lane_count == 3);
}

/* ---- the end of the boot */

static void modules_at(const int64_t *ms, size_t count)
{
	timeline__add(&t, lane, SPAN_PROGRAM, "init", 3000 * MS, UNTIL_END);
	for (size_t i = 0; i < count; i++) {
		lane = timeline__lane(&t, &(struct lane){ .name = timeline__keep(&t, "process %zu", i + 2),
							  .group = "modules", .part = TIMELINE_BOOT, .pid = i + 2 });
		timeline__add(&t, lane, SPAN_MODULE, "module", ms[i] * MS, (ms[i] + 100) * MS);
	}
	timeline__finish(&t);
}

Test(timeline, a_boot_ends_before_a_long_pause)
{
	static const int64_t ms[] = { 1000, 4000, 13000, 9000000, 1000 };

	modules_at(ms, 5);
	cr_expect(t.parts[TIMELINE_BOOT].start == 1000 * MS);
	cr_expect(t.parts[TIMELINE_BOOT].end == 13100 * MS, "%ld", (long)t.parts[TIMELINE_BOOT].end);
	cr_expect(t.parts[TIMELINE_BOOT].later == 1);
	cr_expect(bar_of("init")->end == 13100 * MS, "it runs until the end");
}

Test(timeline, a_pause_is_long_if_all_before_was_shorter)
{
	/* Modules for about 30 s, then none for about 20 s. */
	static const int64_t ms[] = { 1000, 9000, 18000, 27000, 50000 };

	modules_at(ms, 5);
	cr_expect(t.parts[TIMELINE_BOOT].end == 50100 * MS);
	cr_expect(t.parts[TIMELINE_BOOT].later == 0);
}

Test(timeline, what_runs_is_no_pause)
{
	timeline__add(&t, lane, SPAN_UNIT, "a", 0, 1000 * MS);
	timeline__add(&t, lane, SPAN_WAIT, "a timeout", 1000 * MS, 91000 * MS);
	timeline__add(&t, lane, SPAN_UNIT, "b", 92000 * MS, 93000 * MS);
	timeline__finish(&t);
	cr_expect(t.parts[TIMELINE_BOOT].end == 93000 * MS);
}

Test(timeline, a_source_may_know_the_end)
{
	timeline__add(&t, lane, SPAN_UNIT, "a", -5 * MS, 20 * MS);
	timeline__add(&t, lane, SPAN_UNIT, "late", 21 * MS, UNTIL_END);
	t.parts[TIMELINE_BOOT].end = 10 * MS;
	t.parts[TIMELINE_BOOT].end_known = true;
	timeline__finish(&t);
	cr_expect(t.parts[TIMELINE_BOOT].start == -5 * MS && t.parts[TIMELINE_BOOT].end == 10 * MS);
	cr_expect(t.parts[TIMELINE_BOOT].later == 1);
	cr_expect(bar_of("late")->end == 21 * MS, "a bar never ends before it begins");
}

/* ---- bars of a report */

Test(timeline, initcalls_and_modules)
{
	cr_assert(read_start(start_events) == 0);
	collect();
	expect_bar("(before)", "phases", 0, 500, 0, 500);
	expect_bar("early", "phases", 500, 600, 0, 100);
	expect_bar("late", "phases", 600, 700, 0, 100);
	expect_bar("until init", "phases", 700, 800, 0, 100);
	expect_bar("/init", "phases", 800, 900, 0, 100);
	expect_bar("b_init", "process 1", 610, 700, 0, 60);
	expect_bar("inner_init", "process 1", 620, 650, 1, 30);
	expect_bar("first", "process 7", 612, 660, 0, 48);
	cr_expect(bar_of("second")->endless && bar_of("second")->start == 821 * MS);
	cr_expect(bar_of("con_init")->class == SPAN_INITCALL && bar_of("first")->class == SPAN_MODULE);
	cr_expect(t.mark_count == 2 && t.marks[1].time == 900 * MS);
	cr_expect(not(t.parts[TIMELINE_EARLY].there));
}

/* The phases have no gaps. */
Test(timeline, phases_are_the_whole)
{
	int64_t end = 0;

	cr_assert(read_start(start_events) == 0);
	collect();
	for (size_t i = 0; i < t.span_count; i++) {
		const struct span *b = &t.spans[i];

		if (strcmp(t.lanes[b->lane].name, "phases"))
			continue;
		cr_expect(b->start == end, "%s", b->name);
		end = b->end;
	}
	cr_expect(end == t.parts[TIMELINE_BOOT].end);
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
	size_t calls = 0;

	sample_report(&boot_stats, boot_trace);
	collect();
	cr_expect(t.parts[TIMELINE_EARLY].own_clock && !t.parts[TIMELINE_EARLY].counts);
	cr_expect(t.parts[TIMELINE_EARLY].start == 0 && t.parts[TIMELINE_EARLY].end == 950000);
	cr_expect(bar_of("setup_arch")->start == 20000 && bar_of("setup_arch")->end == 900000);
	for (size_t i = 0; i < t.span_count; i++)
		calls += t.spans[i].class == SPAN_CALL;
	cr_expect(calls == 14);
	cr_expect(not(t.parts[TIMELINE_BOOT].there));
	/* With the firmware, the part on the kernel's clock begins earlier. The early part still begins at 0. */
	add_whole();
	boot__divide(&b, NULL);
	print_json(boot__chrome, &b);
	expect_at(at(object, "traceEvents"), "5.ts", "20.000");
}

Test(timeline, the_longest_are_what_can_be_changed)
{
	size_t *list, count;

	cr_assert(read_start(start_events) == 0);
	collect();
	list = timeline__longest(&t, TIMELINE_BOOT, 3, &count);
	cr_assert(count == 3);
	cr_expect(eq(str, (char *)t.spans[list[0]].name, "b_init"));
	cr_expect(eq(str, (char *)t.spans[list[1]].name, "first"));
	cr_expect(eq(str, (char *)t.spans[list[2]].name, "inner_init"));
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

Test(timeline, processors_and_what_init_waited_for)
{
	cr_assert(read_start(busy_events) == 0);
	collect();
	expect_bar("a_init", "process 1", 200, 600, 0, 110);
	expect_bar("pci0", "process 1", 210, 500, 1, 290);
	expect_bar("sda", "process 9", 310, 350, 0, 40);
	cr_expect(eq(str, (char *)t.lanes[bar_of("sda")->lane].group, "devices"));
	cr_expect(bar_of("sda")->note != NULL, "deferred");
	expect_bar("kworker", "CPU 0", 300, 400, 0, 100);
	cr_expect(bar_of("another task: kworker")->class == SPAN_WAIT);
	expect_bar("another task: kworker", "critical path", 300, 400, 0, 100);
	cr_expect(t.parts[TIMELINE_BOOT].end == 800 * MS, "processors run for ever");
	cr_expect(t.parts[TIMELINE_BOOT].later == 0);
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

Test(timeline, units_and_parts)
{
	bool later = false;

	cr_assert(read_start(start_events) == 0);
	add_whole();
	boot__divide(&b, NULL);
	collect();
	expect_bar("a.service", "units", 2500, 3500, 0, 1000);
	expect_bar("late", "phases", 600, 700, 0, 100);
	cr_expect(bar_of("fails.service")->end == 3100 * MS);
	cr_expect(bar_of("hangs.service")->endless);
	cr_expect(bar_of("top.target")->start == 3500 * MS && bar_of("top.target")->end == 3500 * MS);
	for (size_t i = 0; i < t.span_count; i++)
		later |= !strcmp(t.spans[i].name, "later.service") || !strcmp(t.spans[i].name, "firmware");
	cr_expect(not(later), "those after the boot, or whose time is not known, are left out");
	cr_expect(t.parts[TIMELINE_BOOT].end == 4500 * MS, "when systemd had nothing more to do");
	cr_expect(t.parts[TIMELINE_BOOT].end_known);
	cr_expect(t.parts[TIMELINE_BOOT].start < 0, "the firmware: %ld", (long)t.parts[TIMELINE_BOOT].start);
	cr_expect(eq(str, (char *)t.marks[t.mark_count - 1].name, "top.target"));
	cr_expect(t.marks[t.mark_count - 1].time == 3500 * MS);
}

Test(timeline, the_early_part_is_on_the_kernels_clock_if_that_is_known)
{
	sample_report(&boot_stats, boot_trace);
	b.early.zero = 8000 * MS;
	collect();
	cr_expect(not(t.parts[TIMELINE_EARLY].own_clock));
	cr_expect(bar_of("setup_arch")->start == 20000 - 8000 * MS, "%ld", (long)bar_of("setup_arch")->start);
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
	expect_bar("/bin/sh", "programs", 600, 700, 0, 100);
	expect_bar("/bin/true", "programs", 700, 800, 0, 100);
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
