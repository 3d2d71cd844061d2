// SPDX-License-Identifier: GPL-2.0
/*
 * hytrace boot: reading early calls from the instance, and finding the phases of a boot in them.
 */
#include "boot/boot_sample.h"

/* ---- the instance */

static struct early_calls c;
static uint64_t missing;

static void free_calls(void)
{
	early_calls__free(&c);
	leave();
}

TestSuite(early_calls, .init = enter, .fini = free_calls);

static int try_to_load(const struct early_stats *stats, const char *trace)
{
	early_calls__free(&c);
	return load(&c, stats, trace, &missing);
}

static void load_calls(const struct early_stats *stats, const char *trace)
{
	cr_assert(try_to_load(stats, trace) == 0);
}

Test(early_calls, are_the_first_ones)
{
	load_calls(&boot_stats, boot_trace);
	cr_assert(c.count == 14);
	cr_expect(missing == 0);
	cr_expect(eq(str, (char *)function(&c, 0), "x86_64_start_kernel"));
	cr_expect(eq(str, (char *)parent(&c, 0), "secondary_startup_64"));
	cr_expect(eq(str, (char *)function(&c, 13), "memset"));
	cr_expect(c.list[13].time == 950000);
	cr_expect(c.list[6].function == c.list[13].function, "one name, one number");
	cr_expect(early_calls__find(&c, "later") == NO_NAME);
	cr_expect(c.ftrace_init == 12);
}

Test(early_calls, end_with_their_number_or_their_time)
{
	struct early_stats s = boot_stats;

	s.recorded = 13;
	load_calls(&s, boot_trace);
	cr_expect(c.count == 13 && missing == 0);
	s.recorded = 20;
	s.last = 949999;
	load_calls(&s, boot_trace);
	cr_expect(c.count == 13 && missing == 7);
	s.last = 950000;
	load_calls(&s, boot_trace);
	cr_expect(c.count == 14 && missing == 6);
}

static void expect_ftrace(const struct early_stats *s, const char *trace, size_t expected)
{
	load_calls(s, trace);
	cr_expect(c.ftrace_init == expected, "%zu", c.ftrace_init);
}

Test(early_calls, know_where_ftrace_init_is_when_all_are_there)
{
	struct early_stats s = boot_stats;

	s.before_ftrace_init = 0;
	expect_ftrace(&s, boot_trace, SIZE_MAX);
	s.before_ftrace_init = 13;
	expect_ftrace(&s, boot_trace, 13);
	s.before_ftrace_init = 14;
	expect_ftrace(&s, boot_trace, SIZE_MAX);
	s.before_ftrace_init = 1ULL << 40;
	expect_ftrace(&s, boot_trace, SIZE_MAX);
	/* A reader of trace_pipe has consumed the first calls. */
	s.before_ftrace_init = 1;
	expect_ftrace(&s, IDLE "    202000: memset <-copy\n"
			  IDLE "    950000: memset <-ftrace_init\n" LATER, SIZE_MAX);
}

Test(early_calls, with_others_in_between)
{
	static const char trace[] = HEADER
		IDLE "    0: a <-b\n"
		"##### CPU 0 buffer started ####\n"
		IDLE "    1000: print: text\n"
		IDLE "    1000: <stack trace>\n"
		" => a\n"
		" => b\n"
		"\n"
		"CPU:0 [LOST 3 EVENTS]\n"
		IDLE "    2000: c <-d\n"
		"CPU:0 [LOST EVENTS]\n"
		LATER;
	struct early_stats s = boot_stats;

	s.recorded = 6;
	load_calls(&s, trace);
	cr_expect(c.count == 2 && missing == 4);
}

Test(early_calls, with_some_that_were_lost)
{
	static const char trace[] = HEADER
		IDLE "    0: a <-b\n"
		IDLE "    1000: c <-a\n"
		IDLE "    1000: early_ftrace_hand_over: [LOST 1234 EVENTS]\n"
		IDLE "    1000: early_ftrace_hand_over: [LOST 2 EVENTS]\n"
		IDLE "    3000: d <-a\n";
	struct early_stats s = boot_stats;

	s.recorded = 3;
	s.lost = 1241;
	s.last = 3000;
	s.hole_count = 3;
	s.holes[0] = (struct early_hole){ 2, 1234 };
	s.holes[1] = (struct early_hole){ 2, 2 };
	s.holes[2] = (struct early_hole){ 3, 5 };
	load_calls(&s, trace);
	cr_expect(c.count == 3 && missing == 0);
	cr_assert(c.hole_count == 2);
	cr_expect(c.holes[0].before == 2 && c.holes[0].lost == 1236);
	cr_expect(c.holes[1].before == 3 && c.holes[1].lost == 5);
	/* A reader has consumed the first call: the holes are nearer to the beginning. */
	load_calls(&s, strstr(trace, IDLE "    1000: c"));
	cr_expect(c.count == 2 && missing == 1);
	cr_assert(c.hole_count == 2);
	cr_expect(c.holes[0].before == 1 && c.holes[0].lost == 1236);
	/* The first hole is before all remaining calls. */
	load_calls(&s, IDLE "    3000: d <-a\n");
	cr_assert(c.hole_count == 2 && missing == 2);
	cr_expect(c.holes[0].before == 0 && c.holes[1].before == 1);
}

Test(early_calls, of_a_clock_in_cycles)
{
	static const char trace[] =
		IDLE "  5000000: a <-b\n"
		IDLE "  5000005: c <-a\n"
		IDLE "  5000006: later <-b\n";
	struct early_stats s = {
		.tracer = "function", .clock = "x86-tsc", .recorded = 3, .shown = 3, .first = 5000000,
		.last = 5000005, .tsc_khz = 2000000,
	};

	load_calls(&s, trace);
	cr_assert(c.count == 2);
	cr_expect(c.list[0].time == 2500000 && c.list[1].time == 2500002);
	s.tsc_khz = 0;
	load_calls(&s, trace);
	cr_expect(c.list[1].time == 5000005);
}

Test(early_calls, the_start_may_be_consumed)
{
	struct early_stats s = boot_stats;

	s.recorded = 100;
	load_calls(&s, IDLE "    202000: memset <-copy\n" IDLE "    950000: memset <-ftrace_init\n" LATER);
	cr_expect(c.count == 2);
	cr_expect(missing == 98);
	/* All early calls are missing, whatever is in the instance now. */
	cr_expect(try_to_load(&s, HEADER LATER) == -ENODATA);
	cr_expect(try_to_load(&s, IDLE "    1501000: sched_switch: x\n" LATER) == -ENODATA);
	cr_expect(try_to_load(&s, HEADER) == -ENODATA, "cleared");
}

Test(early_calls, without_an_instance_it_is_told_why)
{
	uint64_t shown[] = { 14, 0 };
	const char *why[] = { "removed by rmdir", "the kernel could not make" };

	cr_redirect_stderr();
	for (size_t i = 0; i < 2; i++) {
		struct early_stats s = boot_stats;

		s.shown = shown[i];
		early_calls__init(&c);
		cr_expect(early_calls__load(&c, &s, dir, &missing) == -ENODATA);
		expect_said(why[i]);
	}
}

Test(early_calls, what_cannot_be_read_is_an_error)
{
	cr_expect(try_to_load(&boot_stats, HEADER "start_kernel <-x86\n") == -EPROTO);
	put("instances/early/trace_options", "print-parent\nlatency-format\nnocontext-info\nraw\nnohex\n");
	cr_expect(try_to_load(&boot_stats, HEADER "\001\002\377\n") == -EPROTO);
}

Test(early_calls, options_that_are_in_the_way_are_named)
{
	cr_redirect_stderr();
	put("instances/early/trace_options", "print-parent\nprintk-msg-only\n");
	cr_expect(try_to_load(&boot_stats, HEADER "[LOST 4 EVENTS]\n") == -EPROTO);
	expect_said("trace_options has printk-msg-only: reset that");
}

Test(early_calls, many_names)
{
	char name[32];
	uint32_t id;

	early_calls__init(&c);
	for (uint32_t i = 0; i < 20000; i++) {
		snprintf(name, sizeof(name), "function_%u", i);
		id = early_calls__intern(&c, name);
		cr_assert(id == i);
	}
	cr_expect(early_calls__find(&c, "function_19999") == 19999);
	cr_expect(early_calls__find(&c, "function_20000") == NO_NAME);
}

/* ---- phases */

TestSuite(early_phases, .init = enter, .fini = leave);

Test(early_phases, are_what_start_kernel_calls)
{
	const struct boot_phase *p;

	sample_report(&boot_stats, boot_trace);
	p = b.early.phases;
	cr_assert(b.early.phase_count == 4);
	phase_of(p, 0, "before start_kernel", 0, 10, 3);
	cr_expect(p[0].kind == PHASE_BEFORE);
	phase_of(p, 1, "set_magic", 10, 10, 1);
	cr_expect(p[1].inner_count == 0);
	phase_of(p, 2, "setup_arch", 20, 880, 8);
	cr_expect(p[2].functions == 5);
	phase_of(p, 3, "ftrace_init", 900, 50, 2);
	cr_expect(p[3].functions == 1, "memset was seen before");
	cr_assert(p[3].inner_count == 1);
	phase_of(p[3].inner, 0, "memset", 950, 0, 1);
	cr_assert(p[2].inner_count == 2);
	phase_of(p[2].inner, 0, "e820", 21, 79, 2);
	phase_of(p[2].inner, 1, "probe_roms", 100, 800, 5);
}

Test(early_phases, the_first_is_not_known_when_its_beginning_is_missing)
{
	static const char trace[] =
		IDLE "    202000: memset <-copy\n"
		IDLE "    800000: memset <-ftrace_init\n"
		IDLE "    900000: sched_init <-start_kernel\n"
		IDLE "    950000: memset <-sched_init\n";
	struct early_stats s = boot_stats;

	s.before_ftrace_init = 1;
	sample_report(&s, trace);
	cr_assert(b.early.phase_count == 2);
	cr_expect(b.early.phases[0].kind == PHASE_FUNCTION);
	phase_of(b.early.phases, 0, NULL, 202, 698, 2);
	cr_expect(counters__get(&b.early.lost, "missing") == 10);
}

Test(early_phases, without_start_kernel_there_is_one)
{
	static const char trace[] = IDLE "    202000: memset <-copy\n"
				    IDLE "    203000: memset <-copy\n";
	struct early_stats s = boot_stats;

	s.recorded = 2;
	sample_report(&s, trace);
	cr_assert(b.early.phase_count == 1);
	cr_expect(b.early.phases[0].kind == PHASE_FUNCTION, "a filter has left it out");
	phase_of(b.early.phases, 0, NULL, 202, 1, 2);
}

Test(early_phases, most_called_first)
{
	sample_report(&boot_stats, boot_trace);
	cr_assert(b.early.function_count == 10);
	cr_expect(eq(str, (char *)b.early.function_list[0].name, "memset"));
	cr_expect(b.early.function_list[0].calls == 4);
	cr_expect(b.early.function_list[0].first == 22000);
	cr_expect(eq(str, (char *)b.early.function_list[1].name, "copy"));
	cr_expect(eq(str, (char *)b.early.function_list[2].name, "x86_64_start_kernel"));
}

/* ---- the phase of ftrace_init() */

static void print_phases(const struct boot_phase *list, size_t count, FILE *f)
{
	for (size_t i = 0; i < count; i++) {
		const char *name = list[i].kind == PHASE_HOLE ? "hole" : list[i].kind == PHASE_BEFORE ? "before" :
				   list[i].kind == PHASE_TRACER ? "tracer" : list[i].name ?: "?";
		long start = list[i].start == NOT_KNOWN ? 0 : list[i].start, time = list[i].time == NOT_KNOWN ? 0 : list[i].time;

		fprintf(f, "%s%s%ld-%ld:%ld", i ? " " : "", name, start, start + time, (long)list[i].calls);
		if (!list[i].inner_count)
			continue;
		fprintf(f, "(");
		print_phases(list[i].inner, list[i].inner_count, f);
		fprintf(f, ")");
	}
}

/* Format of a phase: NAME START-END:CALLS(inner phases), as in "a0-3:3(b1-3:2)". */
static void expect_phases(const char *calls, size_t ftrace, const char *expected)
{
	struct early_calls c = sample_calls(calls);

	early_calls__mark_ftrace(&c, ftrace);
	fill_early(&c);
	PRINT(f, print_phases(b.early.phases, b.early.phase_count, f));
	cr_expect(eq(str, text, (char *)expected), "%s", calls);
}

#define BOOT "start_kernel< a<start_kernel x<a y<x "

Test(early_phases, ftrace_init_ends_with_the_next_call_of_start_kernel)
{
	expect_phases(BOOT "locks<process f<process b<start_kernel z<b c<start_kernel d<c", 4,
		      "before0-1:1 a1-4:3(x2-4:2) ftrace_init4-6:2 b6-8:2(z7-8:1) c8-9:2(d9-9:1)");
	/* The phase of ftrace_init() lasts until the end. */
	expect_phases(BOOT "locks<process f<process", 4,
		      "before0-1:1 a1-4:3(x2-4:2) ftrace_init4-5:2");
	/* It has one call, the last one, directly after a call by start_kernel(). */
	expect_phases("start_kernel< a<start_kernel f<process", 2,
		      "before0-1:1 a1-2:1 ftrace_init2-2:1");
}

Test(early_phases, ftrace_init_has_inner_ones)
{
	expect_phases(BOOT "f<ftrace_init g<f h<ftrace_init b<start_kernel", 4,
		      "before0-1:1 a1-4:3(x2-4:2) ftrace_init4-7:3(f4-6:2 h6-7:1) b7-7:1");
	expect_phases(BOOT "g<f h<ftrace_init i<h b<start_kernel", 4,
		      "before0-1:1 a1-4:3(x2-4:2) ftrace_init4-7:3(h5-7:2) b7-7:1");
}

Test(early_phases, ftrace_init_is_one_with_a_call_of_start_kernel)
{
	expect_phases(BOOT "b<start_kernel z<b h<ftrace_init c<start_kernel", 4,
		      "before0-1:1 a1-4:3(x2-4:2) ftrace_init4-7:3(h6-7:1) c7-7:1");
}

Test(early_phases, ftrace_init_may_not_be_known)
{
	static const char calls[] = BOOT "f<ftrace_init b<start_kernel";
	static const char expected[] = "before0-1:1 a1-5:4(x2-5:3) b5-5:1";

	expect_phases(calls, 0, expected);
	expect_phases(calls, 6, expected);
	expect_phases(calls, SIZE_MAX, expected);
}

Test(early_phases, ftrace_init_is_there_when_a_filter_leaves_out_others)
{
	expect_phases("a< x<a f<ftrace_init g<h", 2, "?0-2:2 ftrace_init2-3:1(f2-3:1) tracer3-3:1");
	expect_phases("a< x<a b<start_kernel", 1, "?0-1:1 ftrace_init1-2:1 b2-2:1");
}

Test(early_phases, what_follows_the_last_call_of_ftrace_init_is_the_tracers)
{
	/* The second f has returned before an untraced function calls reg(). */
	expect_phases(BOOT "f<ftrace_init g<f lock<process f<ftrace_init g<f reg<tracer alloc<reg", 4,
		      "before0-1:1 a1-4:3(x2-4:2) ftrace_init4-9:5(f4-6:2 f7-9:2) tracer9-10:2");
	/* f goes on after the untraced asm, inside ftrace_init(). */
	expect_phases(BOOT "f<ftrace_init lock<asm g<f", 4,
		      "before0-1:1 a1-4:3(x2-4:2) ftrace_init4-6:3(f4-6:3)");
	expect_phases(BOOT "f<ftrace_init reg<tracer b<start_kernel", 4,
		      "before0-1:1 a1-4:3(x2-4:2) ftrace_init4-5:1(f4-5:1) tracer5-6:1 b6-6:1");
}

Test(early_phases, do_not_reach_over_calls_that_were_lost)
{
	/* After the hole, a may have returned, and another x may run. */
	expect_phases(BOOT "... z<x w<a b<start_kernel d<b", SIZE_MAX,
		      "before0-1:1 a1-3:3(x2-3:2) hole3-4:0 ?4-6:2 b6-7:2(d7-7:1)");
	expect_phases(BOOT "... b<start_kernel ... c<start_kernel", SIZE_MAX,
		      "before0-1:1 a1-3:3(x2-3:2) hole3-4:0 b4-4:1 hole4-5:0 c5-5:1");
	expect_phases("a<x ... start_kernel< b<start_kernel", SIZE_MAX,
		      "?0-0:1 hole0-1:0 ?1-2:1 b2-2:1");
	/* A hole at the end has no time. */
	expect_phases(BOOT "b<start_kernel d<b ...", SIZE_MAX, "before0-1:1 a1-4:3(x2-4:2) b4-5:2(d5-5:1) hole0-0:0");
}
