// SPDX-License-Identifier: GPL-2.0
/*
 * hytrace boot: early_stats and lines of a trace, as the kernel prints them, and with mistakes.
 */
#include <criterion/redirect.h>

#include "boot/boot_sample.h"
#include "boot/trace_line.h"
#include "kernel/sample.h"

/* ---- early_stats */

TestSuite(early_stats, .init = enter, .fini = leave);

static const char stats_text[] =
	"tracer: function\nrecorded: 391022\nbefore_ftrace_init: 390000\nlost: 1\noverwritten: 2\n"
	"first: 3\nlast: 812345678\nclock: local\nbefore_zero: 4\ntsc_khz: 1000000\ncpu: 5\n"
	"sites: 27110\ndiffering: 6\nbuffer_bytes: 12582912\nring_buffer_bytes: 14000000\n"
	"copy_cycles: 228000000\nconvert_cycles: 7000000\n";

static int read_stats(const char *text, struct early_stats *s)
{
	FILE *f = sample_file(text);
	int err = early_stats__read(s, f, "early_stats");

	fclose(f);
	return err;
}

Test(early_stats, has_them_all)
{
	struct early_stats s;

	cr_assert(read_stats(stats_text, &s) == 0);
	cr_expect(eq(str, s.tracer, "function"));
	cr_expect(eq(str, s.clock, "local"));
	cr_expect(s.recorded == 391022 && s.lost == 1 && s.overwritten == 2 && s.first == 3);
	cr_expect(s.last == 812345678 && s.before_zero == 4 && s.tsc_khz == 1000000 && s.cpu == 5);
	cr_expect(s.sites == 27110 && s.differing == 6);
	cr_expect(s.buffer_bytes == 12582912 && s.ring_buffer_bytes == 14000000);
	cr_expect(s.before_ftrace_init == 390000);
	cr_expect(s.copy_cycles == 228000000 && s.convert_cycles == 7000000);
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
};

Test(early_stats, refuses_what_it_does_not_know)
{
	for (size_t i = 0; i < sizeof(bad_stats) / sizeof(bad_stats[0]); i++) {
		struct early_stats s;

		cr_expect(read_stats(bad_stats[i], &s) == -EPROTO, "%s", bad_stats[i]);
	}
}

Test(early_stats, tells_why_there_is_nothing)
{
	struct early_stats s;

	cr_expect(early_stats__load(&s, dir) == -EOPNOTSUPP, "another kernel");
	put("early_stats", "tracer: none\nrecorded: 0\nclock: none\n");
	cr_expect(early_stats__load(&s, dir) == -EOPNOTSUPP, "another command line");
	put("early_stats", "tracer: function\nrecorded: 0\nclock: none\n");
	cr_expect(early_stats__load(&s, dir) == -ENODATA, "dropped");
	put("early_stats", "tracer: other\nrecorded: 1\nclock: local\n");
	cr_expect(early_stats__load(&s, dir) == -EPROTO, "a newer kernel");
	put("early_stats", stats_text);
	cr_expect(early_stats__load(&s, dir) == 0);
}

Test(early_stats, tells_why_the_kernel_has_refused)
{
	char said[512] = "";
	struct early_stats s;

	cr_redirect_stderr();
	put("early_stats", "tracer: none\nrefused: the time may be an exception (SEV-ES)\n"
			   "recorded: 0\nclock: none\n");
	cr_expect(early_stats__load(&s, dir) == -EOPNOTSUPP);
	fflush(stderr);
	cr_assert(fgets(said, sizeof(said), cr_get_redirected_stderr()) != NULL);
	cr_expect(strstr(said, "refused it: the time may be an exception (SEV-ES) (") != NULL, "%s",
		  said);
}

Test(early_stats, nanoseconds_where_the_clock_has_them)
{
	struct early_stats s = { .clock = "mono", .tsc_khz = 2000000 };

	cr_expect(early_stats__in_ns(&s));
	cr_expect(early_stats__time(&s, 12345) == 12345);
	strcpy(s.clock, "x86-tsc");
	cr_expect(early_stats__in_ns(&s));
	cr_expect(early_stats__time(&s, 3000001) == 1500000);
	/* Ten years at 2 GHz. */
	cr_expect(early_stats__time(&s, 630720000000000002) == 315360000000000001);
	s.tsc_khz = 0;
	cr_expect(not(early_stats__in_ns(&s)));
	cr_expect(early_stats__time(&s, 12345) == 12345);
	strcpy(s.clock, "counter");
	cr_expect(not(early_stats__in_ns(&s)));
}

Test(early_stats, the_hand_over_was_measured_by_the_tsc)
{
	struct early_stats s = { .clock = "counter", .tsc_khz = 2000000, .copy_cycles = 3000001 };

	cr_expect(early_stats__has_hand_over(&s), "whatever the clock");
	cr_expect(early_stats__cycles_ns(&s, s.copy_cycles) == 1500000);
	s.copy_cycles = 0;
	cr_expect(not(early_stats__has_hand_over(&s)), "a kernel that does not tell");
	s.copy_cycles = 3000001;
	s.tsc_khz = 0;
	cr_expect(not(early_stats__has_hand_over(&s)));
}

/* ---- lines */

static const struct {
	const char *line, *function, *parent;
	uint64_t time;
	bool fraction;
} lines[] = {
	{ IDLE "    0.000000: start_kernel <-x86_64_start_reservations\n", "start_kernel",
	  "x86_64_start_reservations", 0, true },
	{ "         swapper-0       [000] d....    12.345678: f <-g\n", "f", "g", 12345678000, true },
	/* Names of tasks may have any characters. */
	{ "     1.5: a <-b: -123     [001] .....     1.000001: f <-g\n", "f", "g", 1000001000, true },
	{ "      comm [0] x-4194304 [127] d..2. 12345.000001: f <-g\n", "f", "g", 12345000001000,
	  true },
	{ " (sd-pam) 12: 13-14      [000] dN.2.     0.000002: f <-g", "f", "g", 2000, true },
	/* Clocks without seconds. */
	{ IDLE "        1234567: f <-g\n", "f", "g", 1234567, false },
	{ IDLE "              0: f <-g\n", "f", "g", 0, false },
	/* With the options noirq-info, record-tgid, sym-offset and sym-addr. */
	{ "          <idle>-0       [000]     0.000003: f <-g\n", "f", "g", 3000, true },
	{ "          <idle>-0       (-------) [000] d....     0.000003: f <-g\n", "f", "g", 3000,
	  true },
	{ IDLE "    0.000003: f+0x4/0x20 <-g+0x17/0x400\n", "f", "g", 3000, true },
	{ IDLE "    0.000003: f <ffffffff81000004> <-g <ffffffff81000017>\n", "f", "g", 3000, true },
	{ IDLE "    0.000003: f+0x4/0x20 <ffffffff81000004> <-g+0x17/0x40 <ffffffff81000017>\n", "f",
	  "g", 3000, true },
	{ IDLE "    0.000003: 0xffffffff81000004 <-0xffffffff81000017\n", "0xffffffff81000004",
	  "0xffffffff81000017", 3000, true },
	{ IDLE "    0.000003: f.isra.0 [mod_two] <-g [mod]\n", "f.isra.0 [mod_two]", "g [mod]", 3000,
	  true },
	{ IDLE "    0.000003: f+0x0/0x10 [mod_two] <ffffffffc0000004> <-g+0x1/0x2 [mod]\n",
	  "f [mod_two]", "g [mod]", 3000, true },
	/* Other events, whose text looks like a call. */
	{ IDLE "    0.000004: sched_switch: prev_comm=a prev_pid=0\n", NULL, NULL, 4000, true },
	{ IDLE "    0.000004: tracing_mark_write: 0.5: f <-g\n", NULL, NULL, 4000, true },
	{ IDLE "    0.000004: early_fn: f <-g\n", NULL, NULL, 4000, true },
	{ IDLE "    0.000004: <stack trace>\n", NULL, NULL, 4000, true },
};

static const char *const hole_lines[] = {
	IDLE "    0.000003: early_ftrace_hand_over: [LOST 4 EVENTS]\n",
	/* With the options sym-offset and sym-addr. */
	IDLE "    0.000003: early_ftrace_hand_over+0x0/0x60: [LOST 4 EVENTS]\n",
	IDLE "    0.000003: early_ftrace_hand_over <ffffffff81234560>: [LOST 4 EVENTS]\n",
	IDLE "    0.000003: early_ftrace_hand_over+0x0/0x60 <ffffffff81234560>: [LOST 4 EVENTS]\n",
};

static const char *const no_hole_lines[] = {
	IDLE "    0.000003: early_ftrace_hand_over: [LOST 4 EVENTS] of many\n",
	IDLE "    0.000003: early_ftrace_hand_over_too: [LOST 4 EVENTS]\n",
	IDLE "    0.000003: tracing_mark_write: [LOST 4 EVENTS]\n",
	IDLE "    0.000003: early_ftrace_hand_over: [LOST EVENTS]\n",
};

static uint64_t lost_in(const char *text)
{
	char *line = strdup(text);
	struct trace_line l;

	cr_assert(trace_line__parse(line, &l) == 0, "%s", text);
	cr_expect(l.function == NULL, "%s", text);
	free(line);
	return l.lost;
}

Test(trace_line, of_lost_calls)
{
	for (size_t i = 0; i < sizeof(hole_lines) / sizeof(hole_lines[0]); i++)
		cr_expect(lost_in(hole_lines[i]) == 4, "%s", hole_lines[i]);
	for (size_t i = 0; i < sizeof(no_hole_lines) / sizeof(no_hole_lines[0]); i++)
		cr_expect(lost_in(no_hole_lines[i]) == 0, "%s", no_hole_lines[i]);
}

Test(trace_line, with_many_options)
{
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		char *line = strdup(lines[i].line);
		struct trace_line l;

		cr_assert(trace_line__parse(line, &l) == 0, "%s", lines[i].line);
		cr_expect(l.time == lines[i].time, "%s: %lu", lines[i].line, (long)l.time);
		cr_expect(l.fraction == lines[i].fraction, "%s", lines[i].line);
		if (!lines[i].function) {
			cr_expect(l.function == NULL, "%s", lines[i].line);
		} else {
			cr_assert(l.function != NULL, "%s", lines[i].line);
			cr_expect(eq(str, (char *)l.function, (char *)lines[i].function));
			cr_expect(eq(str, (char *)l.parent, (char *)lines[i].parent));
		}
		free(line);
	}
}

static const char *const bad_lines[] = {
	"",
	"start_kernel <-x86_64_start_reservations",		/* nocontext-info */
	IDLE "    0.000000: start_kernel",			/* noprint-parent */
	"  <idle>-0         0d....    0us : f <-g",		/* latency-format */
	"  <idle>     0   0 1 00000000 00000000 [00000000] 0.000ms (+0.000ms): f <-g",
	"0 0 12345 ffffffff81000000 ffffffff81000017",		/* raw */
	IDLE "    0.000000: function: ip=0xffffffff81000004 parent_ip=0xffffffff81000017",
	IDLE "    0.000000:  <-g",
	IDLE "    0.000000: f <-",
	IDLE "    0.: f <-g",
	IDLE "    .5: f <-g",
	IDLE "    0.0.0: f <-g",
	IDLE "    -1: f <-g",
};

Test(trace_line, refuses_what_it_cannot_read)
{
	for (size_t i = 0; i < sizeof(bad_lines) / sizeof(bad_lines[0]); i++) {
		char *line = strdup(bad_lines[i]);
		struct trace_line l;

		cr_expect(trace_line__parse(line, &l) == -EPROTO, "%s", bad_lines[i]);
		cr_expect(eq(str, line, (char *)bad_lines[i]), "it can be shown still");
		free(line);
	}
}
