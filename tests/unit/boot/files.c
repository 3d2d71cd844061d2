// SPDX-License-Identifier: GPL-2.0
/*
 * hytrace boot: parsing early_stats and lines of a trace, as the kernel prints them or with errors.
 */
#include <criterion/redirect.h>

#include "boot/boot_sample.h"
#include "boot/events.h"
#include "kernel/sample.h"

/* ---- early_stats */

TestSuite(early_stats, .init = enter, .fini = leave);

static const char stats_text[] =
	"tracer: function\nrecorded: 391022\nshown: 2\nbefore_ftrace_init: 390000\nlost: 1\n"
	"hole: 7 8\nhole: 391022 9\nfirst: 3\nlast: 812345678\nclock: local\nbefore_zero: 4\ntsc_khz: 1000000\ncpu: 5\n"
	"sites: 27110\ndiffering: 6\nbuffer_bytes: 12582912\nring_buffer_bytes: 14000000\n"
	"convert_cycles: 7000000\nshow_cycles: 228000000\n";

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
	cr_expect(s.recorded == 391022 && s.lost == 1 && s.shown == 2 && s.first == 3);
	cr_expect(s.last == 812345678 && s.before_zero == 4 && s.tsc_khz == 1000000 && s.cpu == 5);
	cr_expect(s.sites == 27110 && s.differing == 6);
	cr_expect(s.buffer_bytes == 12582912 && s.ring_buffer_bytes == 14000000);
	cr_expect(s.before_ftrace_init == 390000);
	cr_expect(s.show_cycles == 228000000 && s.convert_cycles == 7000000);
	cr_assert(s.hole_count == 2);
	cr_expect(s.holes[0].before == 7 && s.holes[0].lost == 8);
	cr_expect(s.holes[1].before == 391022 && s.holes[1].lost == 9);
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
	struct early_stats s;

	cr_redirect_stderr();
	put("early_stats", "tracer: none\nrefused: the time may be an exception (SEV-ES)\n"
			   "recorded: 0\nclock: none\n");
	cr_expect(early_stats__load(&s, dir) == -EOPNOTSUPP);
	expect_said("refused it: the time may be an exception (SEV-ES) (");
}

Test(early_stats, nanoseconds_where_the_clock_has_them)
{
	struct early_stats s = { .clock = "local", .tsc_khz = 2000000 };

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
	struct early_stats s = { .clock = "local", .tsc_khz = 2000000, .convert_cycles = 3000001 };

	cr_expect(early_stats__has_hand_over(&s), "whatever the clock");
	cr_expect(early_stats__cycles_ns(&s, s.convert_cycles) == 1500000);
	s.convert_cycles = 0;
	cr_expect(not(early_stats__has_hand_over(&s)), "a kernel that does not tell");
	s.convert_cycles = 3000001;
	s.tsc_khz = 0;
	cr_expect(not(early_stats__has_hand_over(&s)));
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

Test(trace_line, with_many_options)
{
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		char *line = strdup(lines[i].line);
		struct trace_line l;

		cr_assert(trace_line__parse(line, &l) == 0, "%s", lines[i].line);
		cr_expect(l.time == lines[i].time, "%s: %lu", lines[i].line, (long)l.time);
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
