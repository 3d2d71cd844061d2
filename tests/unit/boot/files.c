// SPDX-License-Identifier: GPL-2.0
/*
 * hytrace boot: reading early_stats, and early calls from the instance, as the kernel prints them or with errors.
 */
#include "boot/boot_sample.h"

/* ---- early_stats */

TestSuite(early_stats, .init = make_files, .fini = leave);
TestSuite(early_calls, .init = make_files, .fini = leave);

static const char stats_text[] =
	"tracer: function\nrecorded: 391022\nshown: 2\nbefore_ftrace_init: 390000\nlost: 1\n"
	"hole: 7 8\nhole: 391022 9\nfirst: 3\nlast: 812345678\nclock: local\nbefore_zero: 4\ntsc_khz: 1000000\ncpu: 5\n"
	"sites: 27110\ndiffering: 6\nbuffer_bytes: 12582912\nring_buffer_bytes: 14000000\n"
	"convert_cycles: 7000000\nshow_cycles: 228000000\n";

static int read_stats(const char *text, struct early_stats *s)
{
	char *copy = strdup(text);
	int err = early_stats__parse(s, copy, "early_stats");

	free(copy);
	return err;
}

Test(early_stats, has_them_all)
{
	static const struct early_stats expected = {
		.tracer = "function", .clock = "local", .recorded = 391022, .lost = 1, .shown = 2, .first = 3, .last = 812345678,
		.before_zero = 4, .tsc_khz = 1000000, .cpu = 5, .sites = 27110, .differing = 6, .buffer_bytes = 12582912,
		.ring_buffer_bytes = 14000000, .before_ftrace_init = 390000, .show_cycles = 228000000, .convert_cycles = 7000000,
		.hole_count = 2, .holes = { { 7, 8 }, { 391022, 9 } },
	};
	struct early_stats s;

	cr_assert(read_stats(stats_text, &s) == 0);
	cr_expect(memcmp(&s, &expected, sizeof(s)) == 0);
}

Test(early_stats, may_grow)
{
	struct early_stats s;

	cr_expect(read_stats("tracer: oneshot\nnew_one: some words\nclock: global\nother: -1\n", &s) ==
		  0);
	cr_expect(eq(str, s.tracer, "oneshot"));
	cr_expect(s.recorded == 0);
}

static const char *const bad_stats[] = {
	"", "clock: local\n", "tracer: function\n", "something else\n",
	"tracer: function\nclock: local\nrecorded: many\n",
	"tracer: function\nclock: local\nrecorded: 12x\n",
	"tracer: function\nclock: local\nrecorded: -1\n",
	"tracer: function\nclock: local\nrecorded:\n",
	"tracer: function\nclock: local\nhole: 7\n",
	"tracer: function\nclock: local\nhole: 7 8 9\n",
	"tracer: function\nclock: local\nhole: 7 8\nhole: 6 1\n",
};

Test(early_stats, refuses_what_it_does_not_know)
{
	struct early_stats s;

	for_each(one, bad_stats)
		cr_expect(read_stats(*one, &s) == -EPROTO, "%s", *one);
}

Test(early_stats, tells_why_there_is_nothing)
{
	static const struct {
		const char *text;
		int err;
		const char *said;
	} cases[] = {
		/* Another command line; calls that were dropped; a newer kernel. */
		{ "tracer: none\nrecorded: 0\nclock: none\n", -EOPNOTSUPP, "was not traced early" },
		{ "tracer: function\nrecorded: 0\nclock: none\n", -ENODATA, "no early call was recorded" },
		{ "tracer: other\nrecorded: 1\nclock: local\n", -EPROTO, "is not known" },
		{ "tracer: none\nrefused: the time may be an exception (SEV-ES)\nrecorded: 0\nclock: none\n", -EOPNOTSUPP,
		  "refused it: the time may be an exception (SEV-ES) (" },
	};
	struct early_stats s;

	cr_expect(early_stats__load(&s, made) == -EOPNOTSUPP, "another kernel");
	cr_redirect_stderr();
	for_each(one, cases) {
		put_text("early_stats", one->text);
		cr_expect(early_stats__load(&s, made) == one->err);
		expect_said(one->said);
	}
	put_text("early_stats", stats_text);
	cr_expect(early_stats__load(&s, made) == 0);
}

Test(early_stats, nanoseconds_where_the_clock_has_them)
{
	static const struct {
		const char *clock;
		uint64_t khz, time, expected;
		bool in_ns;
	} cases[] = {
		{ "local", 2000000, 12345, 12345, true }, { "x86-tsc", 2000000, 3000001, 1500000, true },
		/* Ten years at 2 GHz. */
		{ "x86-tsc", 2000000, 630720000000000002, 315360000000000001, true },
		{ "x86-tsc", 0, 12345, 12345, false }, { "counter", 2000000, 12345, 12345, false },
	};
	struct early_stats s = {};

	for_each(one, cases) {
		strcpy(s.clock, one->clock);
		s.tsc_khz = one->khz;
		cr_expect(early_stats__in_ns(&s) == one->in_ns && early_stats__time(&s, one->time) == one->expected, "%s", one->clock);
	}
	/* The hand-over was measured by the TSC, whatever the clock. Some kernels do not tell it. */
	s = (struct early_stats){ .clock = "local", .tsc_khz = 2000000, .convert_cycles = 3000001 };
	cr_expect(early_stats__has_hand_over(&s) && early_stats__cycles_ns(&s, s.convert_cycles) == 1500000);
	s.convert_cycles = 0;
	cr_expect(not(early_stats__has_hand_over(&s)));
	s = (struct early_stats){ .convert_cycles = 3000001 };
	cr_expect(not(early_stats__has_hand_over(&s)));
}

/* ---- the instance */

/* The calls that are read, with callers and starts, and what is known of the others. */
static void expect_calls(const struct early_stats *stats, const char *trace, const char *expected)
{
	const struct boot_early *e = &b.early;

	sample_report(stats, trace);
	PRINT(f, for_list(s, &e->longest)
		fprintf(f, "%s<%s %ld, ", s->name, s->in, (long)s->start);
	      fprintf(f, "missing %ld, ftrace_init %ld", (long)counters__get(&e->lost, "missing"),
		      e->before_ftrace_init == NOT_KNOWN ? -1l : (long)e->before_ftrace_init);
	      for_array(p, e->phases, e->phase_count) {
		      if (stats->hole_count)
			      fprintf(f, p->kind == PHASE_HOLE ? ", lost %ld" : ", %ld", (long)(p->lost ?: p->calls));
	      });
	expect_str(text, expected);
}

Test(early_calls, are_the_first_ones)
{
	expect_calls(&boot_stats, boot_trace,
		     "x86_64_start_kernel<secondary_startup_64 0, "
		     "x86_64_start_reservations<x86_64_start_kernel 1000, "
		     "start_kernel<x86_64_start_reservations 2000, set_magic<start_kernel 10000, "
		     "setup_arch<start_kernel 20000, e820<setup_arch 21000, memset<e820 22000, "
		     "probe_roms<setup_arch 100000, copy<probe_roms 101000, memset<copy 102000, "
		     "copy<probe_roms 201000, memset<copy 202000, alloc_pages<ftrace_process_locs 900000, "
		     "memset<ftrace_init 950000, missing 0, ftrace_init 12");
	cr_expect(b.early.calls == 14 && b.early.function_count == 10);
}

Test(early_calls, end_with_their_number_or_their_time)
{
	static const struct {
		uint64_t recorded, last;
		int64_t calls, missing;
	} cases[] = { { 13, 950000, 13, 0 }, { 20, 949999, 13, 7 }, { 20, 950000, 14, 6 } };
	struct early_stats s = boot_stats;

	for_each(one, cases) {
		s.recorded = one->recorded;
		s.last = one->last;
		sample_report(&s, boot_trace);
		cr_expect(b.early.calls == one->calls && (int64_t)counters__get(&b.early.lost, "missing") == one->missing);
	}
}

Test(early_calls, know_where_ftrace_init_is_when_all_are_there)
{
	static const uint64_t before[] = { 0, 13, 14, 1ULL << 40 };
	struct early_stats s = boot_stats;

	for_each(one, before) {
		s.before_ftrace_init = *one;
		sample_report(&s, boot_trace);
		cr_expect(b.early.before_ftrace_init == (*one == 13 ? 13 : NOT_KNOWN));
	}
	/* A reader of trace_pipe has consumed the first calls. */
	s.before_ftrace_init = 1;
	expect_calls(&s, IDLE "    202000: memset <-copy\n" IDLE "    950000: memset <-ftrace_init\n" LATER,
		     "memset<copy 202000, memset<ftrace_init 950000, missing 12, ftrace_init -1");
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
	expect_calls(&s, trace,
		     "a<b 0, c<d 2000, missing 4, ftrace_init -1");
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
	expect_calls(&s, trace,
		     "a<b 0, c<a 1000, d<a 3000, missing 0, ftrace_init -1, 2, lost 1236, 1, lost 5");
	/* A reader has consumed the first call: the holes are nearer to the beginning. */
	expect_calls(&s, strstr(trace, IDLE "    1000: c"),
		     "c<a 1000, d<a 3000, missing 1, ftrace_init -1, 1, lost 1236, 1, lost 5");
	/* The first hole is before all remaining calls. */
	expect_calls(&s, IDLE "    3000: d <-a\n",
		     "d<a 3000, missing 2, ftrace_init -1, lost 1236, 1, lost 5");
}

Test(early_calls, of_a_clock_in_cycles)
{
	static const char trace[] = IDLE "  5000000: a <-b\n" IDLE "  5000005: c <-a\n" IDLE "  5000006: later <-b\n";
	struct early_stats s = {
		.tracer = "function", .clock = "x86-tsc", .recorded = 3, .shown = 3, .first = 5000000,
		.last = 5000005, .tsc_khz = 2000000,
	};

	expect_calls(&s, trace,
		     "a<b 2500000, c<a 2500002, missing 1, ftrace_init -1");
	s.tsc_khz = 0;
	expect_calls(&s, trace,
		     "a<b 5000000, c<a 5000005, missing 1, ftrace_init -1");
}

Test(early_calls, without_any_it_is_told_why)
{
	static const struct {
		uint64_t shown;
		const char *trace, *why;
	} cases[] = {
		{ 14, HEADER LATER, "nothing is left" }, { 14, IDLE "    1501000: sched_switch: x\n" LATER, "nothing is left" },
		{ 14, HEADER, "removed by rmdir" }, { 0, boot_trace, "the kernel could not make" },
	};
	struct early_stats s = boot_stats;

	cr_redirect_stderr();
	for_each(one, cases) {
		s.shown = one->shown;
		cr_expect(read_early(&s, one->trace) == -ENODATA);
		expect_said(one->why);
	}
}

Test(early_calls, what_cannot_be_read_is_an_error)
{
	cr_redirect_stderr();
	cr_expect(read_early(&boot_stats, HEADER "start_kernel <-x86\n") == -EPROTO);
	expect_said("line 5 of ");
	cr_expect(read_early(&boot_stats, HEADER "\001\002\377\n") == -EPROTO);
	expect_said("\"\\x01\\x02\\xff\"; reset /");
}

/* ---- lines */

static const struct {
	const char *line, *function, *parent;
	uint64_t time;
} lines[] = {
	{ IDLE "    0: start_kernel <-x86_64_start_reservations\n", "start_kernel",
	  "x86_64_start_reservations", 0 },
	{ "         swapper-0       [000] d....    12345678000: f <-g\n", "f", "g", 12345678000 },
	/* Names of tasks may contain any characters. */
	{ "      15: a <-b: -123     [001] .....     1000001000: f <-g\n", "f", "g", 1000001000 },
	{ "      comm [0] x-4194304 [127] d..2. 12345000001000: f <-g\n", "f", "g", 12345000001000 },
	{ " (sd-pam) 12: 13-14      [000] dN.2.     2000: f <-g", "f", "g", 2000 },
	{ IDLE "        1234567: f <-g\n", "f", "g", 1234567 },
	{ IDLE "              0: f <-g\n", "f", "g", 0 },
	/* With the options noirq-info, record-tgid, sym-offset and sym-addr. */
	{ "          <idle>-0       [000]     3000: f <-g\n", "f", "g", 3000 },
	{ "          <idle>-0       (-------) [000] d....     3000: f <-g\n", "f", "g", 3000 },
	{ IDLE "    3000: f+0x4/0x20 <-g+0x17/0x400\n", "f", "g", 3000 },
	{ IDLE "    3000: f <ffffffff81000004> <-g <ffffffff81000017>\n", "f", "g", 3000 },
	{ IDLE "    3000: f+0x4/0x20 <ffffffff81000004> <-g+0x17/0x40 <ffffffff81000017>\n", "f",
	  "g", 3000 },
	{ IDLE "    3000: 0xffffffff81000004 <-0xffffffff81000017\n", "0xffffffff81000004",
	  "0xffffffff81000017", 3000 },
	{ IDLE "    3000: f.isra.0 [mod_two] <-g [mod]\n", "f.isra.0 [mod_two]", "g [mod]", 3000 },
	{ IDLE "    3000: f+0x0/0x10 [mod_two] <ffffffffc0000004> <-g+0x1/0x2 [mod]\n",
	  "f [mod_two]", "g [mod]", 3000 },
	/* Other events; the text of some looks like a call. */
	{ IDLE "    4000: sched_switch: prev_comm=a prev_pid=0\n", NULL, NULL, 4000 },
	{ IDLE "    4000: tracing_mark_write: 0.5: f <-g\n", NULL, NULL, 4000 },
	{ IDLE "    4000: early_fn: f <-g\n", NULL, NULL, 4000 },
	{ IDLE "    4000: <stack trace>\n", NULL, NULL, 4000 },
};

static const struct early_stats one_call = { .tracer = "function", .clock = "x86-tsc", .recorded = 1, .shown = 1, .last = 1ULL << 60 };

Test(early_calls, with_many_options)
{
	for_each(one, lines) {
		int err = read_early(&one_call, one->line);
		const struct span *call = b.early.longest.list;

		cr_expect(err == (one->function ? 0 : -ENODATA), "%s", one->line);
		if (err)
			continue;
		expect_str(call->name, one->function);
		expect_str(call->in, one->parent);
		cr_expect(call->start == (int64_t)one->time, "%s: %lu", one->line, (long)call->start);
	}
}

static const char *const bad_lines[] = {
	"",
	"start_kernel <-x86_64_start_reservations",		/* nocontext-info */
	IDLE "    0: start_kernel",			/* noprint-parent */
	"  <idle>-0         0d....    0us : f <-g",		/* latency-format */
	"  <idle>     0   0 1 00000000 00000000 [00000000] 0.000ms (+0.000ms): f <-g",
	"0 0 12345 ffffffff81000000 ffffffff81000017",		/* raw */
	IDLE "    0: function: ip=0xffffffff81000004 parent_ip=0xffffffff81000017",
	IDLE "    0:  <-g",
	IDLE "    0: f <-",
	IDLE "    0.: f <-g",
	IDLE "    .5: f <-g",
	IDLE "    0.000012: f <-g",			/* another clock */
	IDLE "    -1: f <-g",
};

Test(early_calls, refuses_what_it_cannot_read)
{
	for_each(line, bad_lines)
		cr_expect(read_early(&one_call, *line) == (**line ? -EPROTO : -ENODATA), "%s", *line);
}

static const struct {
	const char *line;
	int err;
	int64_t time, open, unknown;	/* time: NOT_KNOWN: not told */
} took[] = {
	{ "f <-g", 0, NOT_KNOWN }, { "f <-g (12)", 0, 12, 0, 0 }, { "f <-g (open)", 0, 0, 1, 0 }, { "f <-g (unknown)", 0, 0, 0, 1 },
	{ "f+0x4/0x10 <-g+0x8/0x90 [mod] <ffffffff81000000> (12)", 0, 12, 0, 0 },
	{ "f <-g (12", -EPROTO }, { "f <-g ()", -EPROTO }, { "f <-g (-1)", -EPROTO }, { "f <-g (12) x", -EPROTO },
	{ "f <-g (soon)", -EPROTO }, { "a <-x (18446744073709551615)", -EPROTO },
};

Test(early_calls, lines_tell_how_long_calls_took)
{
	for_each(one, took) {
		char *line = PRINTED(f, fprintf(f, IDLE "    1000: %s\n", one->line));

		cr_expect(read_early(&one_call, line) == one->err, "%s", one->line);
		free(line);
		if (one->err)
			continue;
		cr_expect(b.early.returns == NOT_KNOWN ? one->time == NOT_KNOWN : one->time != NOT_KNOWN, "%s", one->line);
		cr_expect(one->time == NOT_KNOWN || (b.early.open == one->open && b.early.unknown == one->unknown), "%s", one->line);
		cr_expect(span__time(b.early.longest.list) == (one->time == NOT_KNOWN ? 0 : one->time), "%s", one->line);
		cr_expect(strcmp(b.early.longest.list->in, "g") == 0 || strcmp(b.early.longest.list->in, "g [mod]") == 0);
	}
}
