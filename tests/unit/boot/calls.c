// SPDX-License-Identifier: GPL-2.0
/*
 * hytrace boot: what very early function tracing leaves in tracefs, read from directories that look like
 * it, and the reports made of that.
 */
#include <criterion/redirect.h>
#include <json-c/json.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "boot/calls.h"
#include "boot/cost.h"
#include "boot/files.h"
#include "boot/report.h"
#include "boot/spans.h"
#include "boot/trace_line.h"
#include "kernel/sample.h"

static char dir[] = "/tmp/tracefs.XXXXXX";
static const char *const files[] = {
	"early_stats", "trace_clock", "trace_options", "oneshot_entries", "per_cpu/cpu0/trace",
	"per_cpu/cpu0/stats",
};

static void put(const char *file, const char *text)
{
	char path[256];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, file);
	f = fopen(path, "w");
	cr_assert(f != NULL);
	fputs(text, f);
	fclose(f);
}

static void enter(void)
{
	char path[256];

	cr_assert(mkdtemp(dir) != NULL);
	snprintf(path, sizeof(path), "%s/per_cpu", dir);
	cr_assert(mkdir(path, 0700) == 0);
	snprintf(path, sizeof(path), "%s/per_cpu/cpu0", dir);
	cr_assert(mkdir(path, 0700) == 0);
	put("trace_clock", "[local] global counter x86-tsc\n");
}

static void leave(void)
{
	char path[256];

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, files[i]);
		unlink(path);
	}
	snprintf(path, sizeof(path), "%s/per_cpu/cpu0", dir);
	rmdir(path);
	snprintf(path, sizeof(path), "%s/per_cpu", dir);
	rmdir(path);
	cr_expect(rmdir(dir) == 0, "something was left behind");
}

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

#define IDLE "          <idle>-0       [000] d.... "

static const struct {
	const char *line, *function, *parent;
	uint64_t time;
	bool fraction;
} lines[] = {
	{ IDLE "    0.000000: start_kernel <-x86_64_start_reservations\n", "start_kernel",
	  "x86_64_start_reservations", 0, true },
	{ "         swapper-0       [000] d....    12.345678: f <-g\n", "f", "g", 12345678000, true },
	/* Names are whatever their owners like. */
	{ "     1.5: a <-b: -123     [001] .....     1.000001: f <-g\n", "f", "g", 1000001000, true },
	{ "      comm [0] x-4194304 [127] d..2. 12345.000001: f <-g\n", "f", "g", 12345000001000,
	  true },
	{ " (sd-pam) 12: 13-14      [000] dN.2.     0.000002: f <-g", "f", "g", 2000, true },
	/* Clocks that have no seconds. */
	{ IDLE "        1234567: f <-g\n", "f", "g", 1234567, false },
	{ IDLE "              0: f <-g\n", "f", "g", 0, false },
	/* Options noirq-info, record-tgid, sym-offset, sym-addr. */
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
	/* Other events, with text that looks like a call. */
	{ IDLE "    0.000004: sched_switch: prev_comm=a prev_pid=0\n", NULL, NULL, 4000, true },
	{ IDLE "    0.000004: tracing_mark_write: 0.5: f <-g\n", NULL, NULL, 4000, true },
	{ IDLE "    0.000004: early_fn: f <-g\n", NULL, NULL, 4000, true },
	{ IDLE "    0.000004: <stack trace>\n", NULL, NULL, 4000, true },
};

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

/* ---- the ring buffer */

TestSuite(early_calls, .init = enter, .fini = leave);

#define HEADER "# tracer: function\n#\n# entries-in-buffer/entries-written: 9/9   #P:1\n#\n"
/* One that is as late as the last early call is not; the rest is the tracer's own. */
#define LATER IDLE "    0.001500: later <-start_kernel\n" IDLE "    0.001501: sched_switch: x\n"

static const char boot_trace[] = HEADER
	IDLE "    0.000000: x86_64_start_kernel <-secondary_startup_64\n"
	IDLE "    0.000001: x86_64_start_reservations <-x86_64_start_kernel\n"
	IDLE "    0.000002: start_kernel <-x86_64_start_reservations\n"
	IDLE "    0.000010: set_magic <-start_kernel\n"
	IDLE "    0.000020: setup_arch <-start_kernel\n"
	IDLE "    0.000021: e820 <-setup_arch\n"
	IDLE "    0.000022: memset <-e820\n"
	IDLE "    0.000100: probe_roms <-setup_arch\n"
	IDLE "    0.000101: copy <-probe_roms\n"
	IDLE "    0.000102: memset <-copy\n"
	IDLE "    0.000201: copy <-probe_roms\n"
	IDLE "    0.000202: memset <-copy\n"
	IDLE "    0.000900: alloc_pages <-ftrace_process_locs\n"
	IDLE "    0.000950: memset <-ftrace_init\n"
	LATER;

static const struct early_stats boot_stats = {
	.tracer = "function", .clock = "local", .recorded = 14, .before_ftrace_init = 12,
	.last = 950400, .sites = 100, .tsc_khz = 1000000, .buffer_bytes = 4096,
	.ring_buffer_bytes = 8192, .copy_cycles = 228400000, .convert_cycles = 7000001,
};

static int load(struct early_calls *c, const struct early_stats *s, const char *trace,
		uint64_t *ret_missing)
{
	uint64_t missing;

	put("per_cpu/cpu0/trace", trace);
	cr_assert(early_calls__init(c) == 0);
	return early_calls__load(c, s, dir, ret_missing ? ret_missing : &missing);
}

static const char *function(const struct early_calls *c, size_t i)
{
	return c->names[c->list[i].function];
}

static const char *parent(const struct early_calls *c, size_t i)
{
	return c->names[c->list[i].parent];
}

Test(early_calls, are_the_first_ones)
{
	struct early_calls c;
	uint64_t missing;

	cr_assert(load(&c, &boot_stats, boot_trace, &missing) == 0);
	cr_assert(c.count == 14);
	cr_expect(missing == 0);
	cr_expect(eq(str, (char *)function(&c, 0), "x86_64_start_kernel"));
	cr_expect(eq(str, (char *)parent(&c, 0), "secondary_startup_64"));
	cr_expect(eq(str, (char *)function(&c, 13), "memset"));
	cr_expect(c.list[13].time == 950000);
	cr_expect(c.list[6].function == c.list[13].function, "one name, one number");
	cr_expect(early_calls__find(&c, "later") == NO_NAME);
	cr_expect(c.ftrace_init == 12);
	early_calls__free(&c);
}

Test(early_calls, end_with_their_number_or_their_time)
{
	struct early_stats s = boot_stats;
	struct early_calls c;
	uint64_t missing;

	/* As many, though there is another at the same time. */
	s.recorded = 13;
	s.overwritten = 1;
	cr_assert(load(&c, &s, boot_trace, &missing) == 0);
	cr_expect(c.count == 12 && missing == 0);
	early_calls__free(&c);
	/* 950.5 us is printed as 951: ns2usecs() rounds. */
	s = boot_stats;
	s.recorded = 20;
	s.last = 949499;
	cr_assert(load(&c, &s, boot_trace, &missing) == 0);
	cr_expect(c.count == 13 && missing == 7);
	early_calls__free(&c);
	s.last = 949500;
	cr_assert(load(&c, &s, boot_trace, &missing) == 0);
	cr_expect(c.count == 14 && missing == 6);
	early_calls__free(&c);
}

static void expect_ftrace(const struct early_stats *s, const char *trace, size_t expected)
{
	struct early_calls c;

	cr_assert(load(&c, s, trace, NULL) == 0);
	cr_expect(c.ftrace_init == expected, "%zu", c.ftrace_init);
	early_calls__free(&c);
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
	/* Later ones have overwritten the first. */
	s.before_ftrace_init = 1;
	expect_ftrace(&s, IDLE "    0.000202: memset <-copy\n"
			  IDLE "    0.000950: memset <-ftrace_init\n" LATER, SIZE_MAX);
	/* The last early ones have. */
	s.recorded = 16;
	s.overwritten = 2;
	expect_ftrace(&s, boot_trace, SIZE_MAX);
}

Test(early_calls, with_others_in_between)
{
	static const char trace[] = HEADER
		IDLE "    0.000000: a <-b\n"
		"##### CPU 0 buffer started ####\n"
		IDLE "    0.000001: print: text\n"
		IDLE "    0.000001: <stack trace>\n"
		" => a\n"
		" => b\n"
		"\n"
		"CPU:0 [LOST 3 EVENTS]\n"
		IDLE "    0.000002: c <-d\n"
		"CPU:0 [LOST EVENTS]\n"
		LATER;
	struct early_stats s = boot_stats;
	struct early_calls c;
	uint64_t missing;

	s.recorded = 6;
	cr_assert(load(&c, &s, trace, &missing) == 0);
	cr_expect(c.count == 2 && missing == 4);
	early_calls__free(&c);
}

Test(early_calls, with_some_that_were_lost)
{
	static const char trace[] = HEADER
		IDLE "    0.000000: a <-b\n"
		IDLE "    0.000001: c <-a\n"
		IDLE "    0.000001: early_ftrace_hand_over: [LOST 1234 EVENTS]\n"
		IDLE "    0.000001: early_ftrace_hand_over: [LOST 2 EVENTS]\n"
		IDLE "    0.000002: other: [LOST 2 EVENTS]\n"
		IDLE "    0.000003: d <-a\n"
		LATER;
	struct early_stats s = boot_stats;
	struct early_calls c;
	uint64_t missing;

	s.recorded = 3;
	s.lost = 1236;
	cr_assert(load(&c, &s, trace, &missing) == 0);
	cr_expect(c.count == 3 && missing == 0);
	cr_assert(c.hole_count == 1);
	cr_expect(c.holes[0].before == 2 && c.holes[0].lost == 1236);
	early_calls__free(&c);
}

Test(early_calls, with_the_last_ones_lost)
{
	static const char trace[] = HEADER
		IDLE "    0.000000: a <-b\n"
		IDLE "    0.000001: c <-a\n"
		IDLE "    0.000001: early_ftrace_hand_over: [LOST 1234 EVENTS]\n"
		/* At the same time, as far as that can be told, and the tracer's own. */
		IDLE "    0.000001: c <-a\n"
		IDLE "    0.000001: early_ftrace_hand_over: [LOST 5 EVENTS]\n"
		LATER;
	struct early_stats s = boot_stats;
	struct early_calls c;
	uint64_t missing;

	s.recorded = 2;
	s.lost = 1234;
	s.last = 1000;
	cr_assert(load(&c, &s, trace, &missing) == 0);
	cr_expect(c.count == 2 && missing == 0);
	cr_assert(c.hole_count == 1);
	cr_expect(c.holes[0].before == 2 && c.holes[0].lost == 1234);
	early_calls__free(&c);
}

Test(early_calls, of_a_clock_in_cycles)
{
	static const char trace[] =
		IDLE "  5000000: a <-b\n"
		IDLE "  5000005: c <-a\n"
		IDLE "  5000006: later <-b\n";
	struct early_stats s = {
		.tracer = "function", .clock = "x86-tsc", .recorded = 3, .first = 5000000,
		.last = 5000005, .tsc_khz = 2000000,
	};
	struct early_calls c;

	put("trace_clock", "local global [x86-tsc]\n");
	cr_assert(load(&c, &s, trace, NULL) == 0);
	cr_assert(c.count == 2);
	cr_expect(c.list[0].time == 2500000 && c.list[1].time == 2500002);
	early_calls__free(&c);
	s.tsc_khz = 0;
	cr_assert(load(&c, &s, trace, NULL) == 0);
	cr_expect(c.list[1].time == 5000005);
	early_calls__free(&c);
}

static int load_failing(const struct early_stats *s, const char *trace)
{
	struct early_calls c;
	int err = load(&c, s, trace, NULL);

	early_calls__free(&c);
	return err;
}

Test(early_calls, the_start_may_be_overwritten)
{
	struct early_stats s = boot_stats;
	struct early_calls c;
	uint64_t missing;

	s.recorded = 100;
	cr_assert(load(&c, &s, IDLE "    0.000202: memset <-copy\n"
			       IDLE "    0.000950: memset <-ftrace_init\n" LATER, &missing) == 0);
	cr_expect(c.count == 2);
	cr_expect(missing == 98);
	early_calls__free(&c);
	/* All of it: whatever comes first now. */
	put("per_cpu/cpu0/stats", "entries: 3\noverrun: 123456\ncommit overrun: 0\n");
	cr_expect(load_failing(&s, HEADER LATER) == -ENODATA);
	cr_expect(load_failing(&s, IDLE "    0.001501: sched_switch: x\n" LATER) == -ENODATA);
	cr_expect(load_failing(&s, IDLE "    0.001501: <stack trace>\n => a\n") == -ENODATA);
	put("per_cpu/cpu0/stats", "entries: 3\noverrun: 0\n");
	cr_expect(load_failing(&s, HEADER) == -ENODATA, "cleared");
	s.overwritten = s.recorded;
	cr_expect(load_failing(&s, boot_trace) == -ENODATA, "overwritten from the beginning");
}

Test(early_calls, another_clock_has_cleared_them)
{
	struct early_calls c;

	put("trace_clock", "local [global] counter\n");
	cr_assert(load(&c, &boot_stats, boot_trace, NULL) == 0, "the same time");
	early_calls__free(&c);
	/* Its times may be small, and mean nothing. */
	put("trace_clock", "local global [counter]\n");
	cr_expect(load_failing(&boot_stats, IDLE "    1: a <-b\n") == -ENODATA);
}

Test(early_calls, what_cannot_be_read_is_an_error)
{
	struct early_calls c;
	uint64_t missing;

	cr_assert(early_calls__init(&c) == 0);
	cr_expect(early_calls__load(&c, &boot_stats, dir, &missing) == -ENOENT);
	early_calls__free(&c);
	cr_expect(load_failing(&boot_stats, HEADER "start_kernel <-x86\n") == -EPROTO);
	put("trace_options", "print-parent\nlatency-format\nnocontext-info\nraw\nnohex\n");
	cr_expect(load_failing(&boot_stats, HEADER "\001\002\377\n") == -EPROTO);
}

Test(early_calls, many_names)
{
	struct early_calls c;
	char name[32];
	uint32_t id;

	cr_assert(early_calls__init(&c) == 0);
	for (uint32_t i = 0; i < 20000; i++) {
		snprintf(name, sizeof(name), "function_%u", i);
		cr_assert(early_calls__intern(&c, name, &id) == 0);
		cr_assert(id == i);
	}
	cr_expect(early_calls__find(&c, "function_19999") == 19999);
	cr_expect(early_calls__find(&c, "function_20000") == NO_NAME);
	early_calls__free(&c);
}

/* ---- analysis */

static struct boot_report sample_report(const struct early_stats *s, const char *trace)
{
	struct boot_report r = { .stats = *s };

	r.kernel.release = strdup("6.12.0-test");
	r.boot_id = strdup("boot");
	cr_assert(load(&r.calls, s, trace, &r.missing) == 0);
	cr_assert(boot_report__analyse(&r) == 0);
	return r;
}

static void expect_phase(const struct early_calls *c, const struct early_phase *p,
			 const char *name, uint64_t start_us, uint64_t us, size_t calls)
{
	if (name) {
		cr_assert(p->function != NO_NAME, "%s", name);
		cr_expect(eq(str, (char *)c->names[p->function], (char *)name));
	} else {
		cr_expect(p->function == NO_NAME);
	}
	cr_expect(p->start == start_us * 1000, "%s", name);
	cr_expect(p->time == us * 1000, "%s", name);
	cr_expect(p->calls == calls, "%s", name);
}

TestSuite(early_phases, .init = enter, .fini = leave);

Test(early_phases, are_what_start_kernel_calls)
{
	struct boot_report r = sample_report(&boot_stats, boot_trace);
	const struct early_phase *p = r.phases.list;
	const struct early_calls *c = &r.calls;

	cr_assert(r.phases.count == 4);
	expect_phase(c, &p[0], NULL, 0, 10, 3);
	cr_expect(p[0].kind == PHASE_BEFORE);
	expect_phase(c, &p[1], "set_magic", 10, 10, 1);
	cr_expect(p[1].inner_count == 0);
	expect_phase(c, &p[2], "setup_arch", 20, 880, 8);
	cr_expect(p[2].seen_first == 5);
	expect_phase(c, &p[3], "ftrace_init", 900, 50, 2);
	cr_expect(p[3].seen_first == 1, "memset was seen before");
	cr_assert(p[3].inner_count == 1);
	expect_phase(c, &p[3].inner[0], "memset", 950, 0, 1);
	cr_assert(p[2].inner_count == 2);
	expect_phase(c, &p[2].inner[0], "e820", 21, 79, 2);
	expect_phase(c, &p[2].inner[1], "probe_roms", 100, 800, 5);
	boot_report__free(&r);
}

Test(early_phases, the_first_is_not_known_when_its_beginning_is_missing)
{
	static const char trace[] =
		IDLE "    0.000202: memset <-copy\n"
		IDLE "    0.000800: memset <-ftrace_init\n"
		IDLE "    0.000900: sched_init <-start_kernel\n"
		IDLE "    0.000950: memset <-sched_init\n";
	struct early_stats s = boot_stats;
	struct boot_report r;

	/* Another one than that now. */
	s.before_ftrace_init = 1;
	r = sample_report(&s, trace);
	cr_assert(r.phases.count == 2);
	cr_expect(r.phases.list[0].kind == PHASE_FUNCTION);
	expect_phase(&r.calls, &r.phases.list[0], NULL, 202, 698, 2);
	cr_expect(counters__get(&r.lost, "missing") == 10);
	boot_report__free(&r);
}

Test(early_phases, without_start_kernel_there_is_one)
{
	static const char trace[] = IDLE "    0.000202: memset <-copy\n"
				    IDLE "    0.000203: memset <-copy\n";
	struct early_stats s = boot_stats;
	struct boot_report r;

	s.recorded = 2;
	r = sample_report(&s, trace);
	cr_assert(r.phases.count == 1);
	cr_expect(r.phases.list[0].kind == PHASE_FUNCTION, "a filter has left it out");
	expect_phase(&r.calls, &r.phases.list[0], NULL, 202, 1, 2);
	boot_report__free(&r);
}

Test(early_phases, most_called_first)
{
	struct boot_report r = sample_report(&boot_stats, boot_trace);

	cr_assert(r.function_count == 10);
	cr_expect(eq(str, (char *)r.calls.names[r.functions[0].name], "memset"));
	cr_expect(r.functions[0].calls == 4);
	cr_expect(r.functions[0].first == 22000);
	cr_expect(eq(str, (char *)r.calls.names[r.functions[1].name], "copy"));
	cr_expect(eq(str, (char *)r.calls.names[r.functions[2].name], "x86_64_start_kernel"));
	boot_report__free(&r);
}

/* ---- nesting: "f<p" and so on, one microsecond each; "..." where some were lost */

static struct early_calls sample_calls(const char *text)
{
	char *copy = strdup(text), *rest = copy, *word;
	struct early_calls c;

	cr_assert(early_calls__init(&c) == 0);
	while ((word = strsep(&rest, " "))) {
		char *name = strsep(&word, "<");
		uint32_t f, p;

		if (!strcmp(name, "...")) {
			cr_assert(early_calls__add_hole(&c, 7) == 0);
			continue;
		}
		cr_assert(early_calls__intern(&c, name, &f) == 0);
		cr_assert(early_calls__intern(&c, word, &p) == 0);
		cr_assert(early_calls__add(&c, c.count, f, p) == 0);
	}
	free(copy);
	return c;
}

/* "f0-3 g1-2": each with when it begins and ends. */
static void expect_spans(const char *text, size_t most, const char *expected)
{
	struct early_calls c = sample_calls(text);
	struct early_span *spans;
	char *got = NULL;
	size_t count, size;
	FILE *f = open_memstream(&got, &size);

	cr_assert(early_calls__spans(&c, most, &spans, &count) == 0);
	for (size_t i = 0; i < count; i++)
		fprintf(f, "%s%s%lu-%lu", i ? " " : "", function(&c, spans[i].call),
			(long)spans[i].start, (long)spans[i].end);
	fclose(f);
	cr_expect(eq(str, got, (char *)expected), "%s", text);
	free(got);
	free(spans);
	early_calls__free(&c);
}

Test(early_spans, nest)
{
	expect_spans("a<- b<a c<b d<a", 10, "a0-3 b1-3 c2-3 d3-3");
	expect_spans("a<- b<a c<b d<b e<a f<a g<-", 10, "a0-6 b1-4 c2-3 d3-4 e4-5 f5-6 g6-6");
	/* Itself: the inner one is what calls. */
	expect_spans("a<- a<a b<a c<- a<c", 10, "a0-3 a1-3 b2-3 c3-4 a4-4");
}

Test(early_spans, a_tail_call_takes_the_place_of_its_caller)
{
	/* g jumps to h, which returns to a. */
	expect_spans("a<- g<a x<g h<a y<h b<a", 10, "a0-5 g1-3 x2-3 h3-5 y4-5 b5-5");
}

Test(early_spans, an_exception_ends_no_caller)
{
	/* In the midst of c, from assembly that is not traced. */
	expect_spans("a<- b<a c<b fault<asm fix<fault d<b e<a", 10,
		     "a0-6 b1-6 c2-3 fault3-5 fix4-5 d5-6 e6-6");
	/* c goes on after it. */
	expect_spans("a<- b<a c<b fault<asm d<c e<a", 10, "a0-5 b1-5 c2-5 fault3-4 d4-5 e5-5");
}

Test(early_spans, do_not_pile_up_where_callers_are_left_out)
{
	/* With ftrace_filter=f,g: nothing is known of p and q. */
	expect_spans("f<p g<q f<p g<q f<p", 10, "f0-1 g1-2 f2-3 g3-4 f4-4");
	/* What calls again later has not returned. */
	expect_spans("f<p x<f g<q y<g z<f", 10, "f0-4 x1-2 g2-4 y3-4 z4-4");
	/* But not when it is another call of it. */
	expect_spans("f<p x<f g<q f<p z<f", 10, "f0-2 x1-2 g2-3 f3-4 z4-4");
}

Test(early_spans, end_where_calls_were_lost)
{
	/* Neither a nor b is known to be the same. */
	expect_spans("a<- b<a c<b ... d<b e<a", 10, "a0-2 b1-2 c2-2 d3-4 e4-4");
	/* A use behind it keeps nothing on the stack before it. */
	expect_spans("f<p x<f g<q ... y<f", 10, "f0-2 x1-2 g2-2 y3-3");
}

Test(early_spans, the_longest_with_those_around_them)
{
	expect_spans("a<- b<a c<b d<b e<a f<a g<-", 2, "a0-6 b1-4");
	expect_spans("a<- b<a c<b", 2, "a0-2 b1-2");
	expect_spans("a<- b<a c<b", 0, "");
}

/* ---- where ftrace_init() is, in calls of the same form */

static const char *const kind_names[] = {
	[PHASE_FUNCTION] = "?", [PHASE_BEFORE] = "before", [PHASE_TRACER] = "tracer",
	[PHASE_HOLE] = "hole",
};

static void print_phases(const struct early_calls *c, const struct early_phase *list, size_t count,
			 FILE *f)
{
	for (size_t i = 0; i < count; i++) {
		const char *name = kind_names[list[i].kind];

		if (list[i].function != NO_NAME)
			name = c->names[list[i].function];
		fprintf(f, "%s%s%lu-%lu:%zu", i ? " " : "", name, (long)list[i].start,
			(long)(list[i].start + list[i].time), list[i].calls);
		if (!list[i].inner_count)
			continue;
		fprintf(f, "(");
		print_phases(c, list[i].inner, list[i].inner_count, f);
		fprintf(f, ")");
	}
}

/* "a0-3:3(b1-3:2)": with when they begin and end, the number of calls, and those inside. */
static void expect_phases(const char *text, size_t ftrace, const char *expected)
{
	struct early_calls c = sample_calls(text);
	struct early_phases p;
	char *got = NULL;
	size_t size;
	FILE *f = open_memstream(&got, &size);

	cr_assert(early_calls__mark_ftrace(&c, ftrace) == 0);
	cr_assert(early_phases__find(&p, &c, true) == 0);
	print_phases(&c, p.list, p.count, f);
	fclose(f);
	cr_expect(eq(str, got, (char *)expected), "%s", text);
	free(got);
	early_phases__free(&p);
	early_calls__free(&c);
}

#define BOOT "start_kernel< a<start_kernel x<a y<x "

Test(early_phases, ftrace_init_ends_with_the_next_call_of_start_kernel)
{
	expect_phases(BOOT "locks<process f<process b<start_kernel z<b c<start_kernel d<c", 4,
		      "before0-1:1 a1-4:3(x2-4:2) ftrace_init4-6:2 b6-8:2(z7-8:1) c8-9:2(d9-9:1)");
	/* Up to the end. */
	expect_phases(BOOT "locks<process f<process", 4,
		      "before0-1:1 a1-4:3(x2-4:2) ftrace_init4-5:2");
	/* One call, at the end, and right after one that start_kernel() makes. */
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
	/* The second f has returned before register() is called, by what is not traced. */
	expect_phases(BOOT "f<ftrace_init g<f lock<process f<ftrace_init g<f reg<tracer alloc<reg", 4,
		      "before0-1:1 a1-4:3(x2-4:2) ftrace_init4-9:5(f4-6:2 f7-9:2) tracer9-10:2");
	/* It goes on in there. */
	expect_phases(BOOT "f<ftrace_init lock<asm g<f", 4,
		      "before0-1:1 a1-4:3(x2-4:2) ftrace_init4-6:3(f4-6:3)");
	expect_phases(BOOT "f<ftrace_init reg<tracer b<start_kernel", 4,
		      "before0-1:1 a1-4:3(x2-4:2) ftrace_init4-5:1(f4-5:1) tracer5-6:1 b6-6:1");
}

Test(early_phases, do_not_reach_over_calls_that_were_lost)
{
	/* Behind it a may be over, and another x runs. */
	expect_phases(BOOT "... z<x w<a b<start_kernel d<b", SIZE_MAX,
		      "before0-1:1 a1-3:3(x2-3:2) hole3-4:0 ?4-6:2 b6-7:2(d7-7:1)");
	expect_phases(BOOT "... b<start_kernel ... c<start_kernel", SIZE_MAX,
		      "before0-1:1 a1-3:3(x2-3:2) hole3-4:0 b4-4:1 hole4-5:0 c5-5:1");
	expect_phases("a<x ... start_kernel< b<start_kernel", SIZE_MAX,
		      "?0-0:1 hole0-1:0 ?1-2:1 b2-2:1");
	/* When the last one ends is not known. */
	expect_phases(BOOT "b<start_kernel d<b ...", SIZE_MAX, "before0-1:1 a1-4:3(x2-4:2) b4-5:2(d5-5:1) hole0-0:0");
}

/* ---- reports */

TestSuite(boot_report, .init = enter, .fini = leave);

static int text_of_ten(const struct boot_report *r, FILE *out)
{
	return boot_report__text(r, 10, out);
}

static int json_of_all(const struct boot_report *r, FILE *out)
{
	return boot_report__json(r, SIZE_MAX, out);
}

static char *print(int (*report)(const struct boot_report *r, FILE *out),
		   const struct boot_report *r)
{
	char *text = NULL;
	size_t length;
	FILE *f = open_memstream(&text, &length);

	cr_assert(report(r, f) == 0);
	fclose(f);
	return text;
}

/* Strictly: as other programs read it. */
static struct json_object *parse(const char *text)
{
	struct json_tokener *tokener = json_tokener_new();
	struct json_object *object;

	json_tokener_set_flags(tokener, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
	object = json_tokener_parse_ex(tokener, text, strlen(text) + 1);
	cr_assert(json_tokener_get_error(tokener) == json_tokener_success, "%s", text);
	json_tokener_free(tokener);
	return object;
}

/* "phases.2.name" */
static struct json_object *at(struct json_object *object, const char *path)
{
	char *copy = strdup(path), *rest = copy, *word;

	while ((word = strsep(&rest, "."))) {
		if (json_object_is_type(object, json_type_array))
			object = json_object_array_get_idx(object, atoi(word));
		else
			cr_assert(json_object_object_get_ex(object, word, &object), "%s", path);
	}
	free(copy);
	return object;
}

static void expect_at(struct json_object *object, const char *path, const char *expected)
{
	cr_expect(eq(str, (char *)json_object_to_json_string_ext(at(object, path),
								 JSON_C_TO_STRING_PLAIN),
		     (char *)expected), "%s", path);
}

Test(boot_report, json_has_everything)
{
	struct boot_report r = sample_report(&boot_stats, boot_trace);
	char *text = print(json_of_all, &r);
	struct json_object *object = parse(text);

	expect_at(object, "tracer", "\"function\"");
	expect_at(object, "kernel.release", "\"6.12.0-test\"");
	expect_at(object, "boot_id", "\"boot\"");
	expect_at(object, "window.clock", "\"local\"");
	expect_at(object, "window.unit", "\"ns\"");
	expect_at(object, "window.last", "950400");
	expect_at(object, "totals.recorded", "14");
	expect_at(object, "totals.calls", "14");
	expect_at(object, "totals.functions", "10");
	expect_at(object, "totals.callers", "null");
	expect_at(object, "lost", "{\"lost\":0,\"overwritten\":0,\"missing\":0}");
	expect_at(object, "hand_over", "{\"copy_ns\":228400000,\"convert_ns\":7000001}");
	expect_at(object, "ftrace_init", "{\"time\":900000,\"before\":12}");
	expect_at(object, "phases.3",
		  "{\"name\":\"ftrace_init\",\"kind\":\"function\",\"start\":900000,"
		  "\"time\":50000,\"net\":null,\"lost\":0,\"calls\":2,"
		  "\"functions\":1,\"callers\":null,\"phases\":[{\"name\":\"memset\","
		  "\"kind\":\"function\",\"start\":950000,\"time\":0,\"net\":null,\"lost\":0,\"calls\":1,\"functions\":0,"
		  "\"callers\":null,\"phases\":[]}]}");
	expect_at(object, "phases.0.name", "\"before start_kernel\"");
	expect_at(object, "phases.2.name", "\"setup_arch\"");
	expect_at(object, "phases.2.phases.1",
		  "{\"name\":\"probe_roms\",\"kind\":\"function\",\"start\":100000,"
		  "\"time\":800000,\"net\":null,\"lost\":0,\"calls\":5,"
		  "\"functions\":2,\"callers\":null,\"phases\":[]}");
	expect_at(object, "functions.0", "{\"name\":\"memset\",\"calls\":4,\"first\":22000}");
	cr_expect(json_object_array_length(at(object, "functions")) == 10);
	json_object_put(object);
	free(text);
	boot_report__free(&r);
}

Test(boot_report, json_tells_losses)
{
	struct early_stats s = boot_stats;
	struct boot_report r;
	struct json_object *object;
	char *text;

	s.recorded = 100;
	s.lost = 7;
	s.overwritten = 5;
	r = sample_report(&s, boot_trace);
	text = print(json_of_all, &r);
	object = parse(text);
	expect_at(object, "lost", "{\"lost\":7,\"overwritten\":5,\"missing\":81}");
	expect_at(object, "phases.0.name", "null");
	json_object_put(object);
	free(text);
	text = print(text_of_ten, &r);
	cr_expect(strstr(text, "Lost:      lost 7 overwritten 5 missing 81\n") != NULL, "%s", text);
	cr_expect(strstr(text, "(its beginning is not known)") != NULL, "%s", text);
	free(text);
	boot_report__free(&r);
}

Test(boot_report, text_is_a_tree)
{
	struct boot_report r = sample_report(&boot_stats, boot_trace);
	char *text = print(text_of_ten, &r);

	cr_expect(strstr(text, "before start_kernel") != NULL, "%s", text);
	cr_expect(strstr(text, "-probe_roms ") != NULL, "%s", text);
	cr_expect(strstr(text, "0.000880") != NULL, "%s", text);
	cr_expect(strstr(text, "Calls:     14 of 10 functions\n") != NULL, "%s", text);
	cr_expect(strstr(text, "Before ftrace_init: 12 calls, 0.000900 s\n") != NULL, "%s", text);
	cr_expect(strstr(text, "Hand-over:  0.228 s to copy the calls, 0.007 s to change the call "
			 "sites\n") != NULL, "%s", text);
	cr_expect(strstr(text, "Lost:      nothing\n") != NULL, "%s", text);
	free(text);
	boot_report__free(&r);
}

Test(boot_report, what_is_not_known_is_not_told)
{
	struct early_stats s = boot_stats;
	struct json_object *object;
	struct boot_report r;
	char *text;

	s.before_ftrace_init = 0;
	s.tsc_khz = 0;
	r = sample_report(&s, boot_trace);
	text = print(json_of_all, &r);
	object = parse(text);
	expect_at(object, "ftrace_init", "null");
	expect_at(object, "hand_over", "null");
	expect_at(object, "window.tsc_khz", "null");
	json_object_put(object);
	free(text);
	text = print(text_of_ten, &r);
	cr_expect(strstr(text, "ftrace_init") == NULL, "%s", text);
	cr_expect(strstr(text, "Hand-over") == NULL, "%s", text);
	free(text);
	boot_report__free(&r);
}

Test(boot_report, text_folds_what_is_small)
{
	static const char lines[] =
		IDLE "    0.000000: start_kernel <-x86\n"
		IDLE "    0.000000: setup_arch <-start_kernel\n"
		IDLE "    0.000001: tiny_one <-setup_arch\n"
		IDLE "    0.000002: big <-setup_arch\n"
		IDLE "    0.005000: tiny_two <-setup_arch\n"
		IDLE "    0.005001: parse_args <-start_kernel\n"
		IDLE "    0.005001: tiny_three <-parse_args\n";
	struct early_stats s = boot_stats;
	char *trace = NULL, *text;
	struct boot_report r;
	size_t size;
	FILE *f = open_memstream(&trace, &size);

	fputs(lines, f);
	for (int i = 0; i < 500; i++)
		fputs(IDLE "    0.009000: x <-y\n", f);
	fclose(f);
	s.recorded = 507;
	s.last = 9000000;
	r = sample_report(&s, trace);
	text = print(text_of_ten, &r);
	cr_expect(strstr(text, "-big ") != NULL, "%s", text);
	cr_expect(strstr(text, "-tiny_one") == NULL && strstr(text, "-tiny_two") == NULL, "%s", text);
	cr_expect(strstr(text, "(2 others)") != NULL, "%s", text);
	cr_expect(strstr(text, "parse_args") != NULL, "%s", text);
	free(text);
	free(trace);
	boot_report__free(&r);
}

/* A line of the table: when that began, and how many calls there were; what comes behind the line. */
static const char *expect_line(const char *text, const char *name, const char *start,
			       const char *calls)
{
	const char *at = strstr(text, name);
	char got_start[32], got_calls[32];

	cr_assert(at != NULL, "%s: %s", name, text);
	at += strlen(name);
	cr_assert(sscanf(at, "%31s %*s %*s %31s", got_start, got_calls) == 2, "%s", name);
	cr_expect(eq(str, got_start, (char *)start), "%s", name);
	cr_expect(eq(str, got_calls, (char *)calls), "%s", name);
	return strchr(at, '\n');
}

/* Of time or of calls some have much. */
#define BUSY_CALLS 990
static const char before_busy[] =
	IDLE "    0.000000: start_kernel <-x86\n"
	IDLE "    0.000001: tiny_one <-start_kernel\n"
	IDLE "    0.000002: inside_tiny <-tiny_one\n"
	IDLE "    0.000003: big_one <-start_kernel\n"
	IDLE "    0.004000: tiny_two <-start_kernel\n"
	IDLE "    0.004001: big_two <-start_kernel\n"
	IDLE "    0.008000: tiny_three <-start_kernel\n"
	IDLE "    0.008001: tiny_four <-start_kernel\n"
	IDLE "    0.008002: tiny_five <-start_kernel\n"
	IDLE "    0.008003: busy <-start_kernel\n";
static const char after_busy[] =
	IDLE "    0.008004: tiny_six <-ftrace_process_locs\n"
	IDLE "    0.008005: tiny_seven <-start_kernel\n";

static struct boot_report report_of_small_ones(void)
{
	struct early_stats s = boot_stats;
	struct boot_report r;
	char *trace = NULL;
	size_t size;
	FILE *f = open_memstream(&trace, &size);

	fputs(before_busy, f);
	for (int i = 0; i < BUSY_CALLS; i++)
		fputs(IDLE "    0.008003: x <-y\n", f);
	fputs(after_busy, f);
	fclose(f);
	s.recorded = 10 + BUSY_CALLS + 2;
	s.before_ftrace_init = 10 + BUSY_CALLS;
	s.last = 8005000;
	r = sample_report(&s, trace);
	cr_expect(r.missing == 0);
	free(trace);
	return r;
}

Test(boot_report, text_folds_small_ones_in_a_row)
{
	struct boot_report r = report_of_small_ones();
	char *text = print(text_of_ten, &r);
	const char *rest = strstr(text, "PHASE");

	rest = expect_line(rest, "\n(2 others) ", "0.000000", "3");
	rest = expect_line(rest, "\nbig_one ", "0.000003", "1");
	rest = expect_line(rest, "\ntiny_two ", "0.004000", "1");
	rest = expect_line(rest, "\nbig_two ", "0.004001", "1");
	rest = expect_line(rest, "\n(3 others) ", "0.008000", "3");
	rest = expect_line(rest, "\nbusy ", "0.008003", "991");
	rest = expect_line(rest, "\n(2 others) ", "0.008004", "2");
	cr_expect(strncmp(rest, "\n\n", 2) == 0, "those are all: %s", text);
	free(text);
	boot_report__free(&r);
}

Test(boot_report, json_folds_nothing)
{
	struct boot_report r = report_of_small_ones();
	char *text = print(json_of_all, &r);
	struct json_object *object = parse(text);

	cr_expect(json_object_array_length(at(object, "phases")) == 11);
	expect_at(object, "phases.1.name", "\"tiny_one\"");
	expect_at(object, "phases.1.phases.0.name", "\"inside_tiny\"");
	expect_at(object, "phases.9.name", "\"ftrace_init\"");
	json_object_put(object);
	free(text);
	boot_report__free(&r);
}

/* In order of time, each either within the last one that has not ended, or after it. */
static void expect_nesting(struct json_object *events, int track)
{
	double ends[64];
	size_t depth = 0;

	for (size_t i = 0; i < json_object_array_length(events); i++) {
		struct json_object *event = json_object_array_get_idx(events, i);
		double start, end;

		if (strcmp(json_object_get_string(at(event, "ph")), "X") ||
		    json_object_get_int(at(event, "tid")) != track)
			continue;
		start = json_object_get_double(at(event, "ts"));
		end = start + json_object_get_double(at(event, "dur"));
		while (depth && ends[depth - 1] <= start)
			depth--;
		cr_expect(depth == 0 || end <= ends[depth - 1] + 0.0001, "%s",
			  json_object_get_string(event));
		cr_assert(depth < 64);
		ends[depth++] = end;
	}
}

Test(boot_report, chrome_has_phases_and_calls)
{
	struct boot_report r = sample_report(&boot_stats, boot_trace);
	char *text = print(boot_report__chrome, &r);
	struct json_object *object = parse(text), *events = at(object, "traceEvents");

	expect_at(events, "0", "{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":1,\"tid\":1,"
		  "\"args\":{\"name\":\"early boot of 6.12.0-test\"}}");
	expect_at(events, "1.name", "\"thread_name\"");
	expect_at(events, "2.args.name", "\"longest calls\"");
	/* Labels, phases of both levels, calls. */
	cr_expect(json_object_array_length(events) == 3 + 4 + 3 + 14);
	expect_at(events, "3.name", "\"before start_kernel\"");
	expect_at(events, "5.name", "\"setup_arch\"");
	expect_at(events, "5.ph", "\"X\"");
	expect_at(events, "5.ts", "20.000");
	expect_at(events, "5.dur", "880.000");
	expect_at(events, "5.args.calls", "8");
	expect_at(events, "8.name", "\"ftrace_init\"");
	expect_at(events, "8.ts", "900.000");
	expect_at(events, "8.dur", "50.000");
	expect_at(events, "9.name", "\"memset\"");
	expect_at(events, "10.name", "\"x86_64_start_kernel\"");
	/* What calls next is not traced, and nothing calls from in here after it. */
	expect_at(events, "10.dur", "900.000");
	expect_at(events, "10.args.caller", "\"secondary_startup_64\"");
	expect_at(object, "otherData.lost.lost", "0");
	expect_at(object, "otherData.calls_shown", "14");
	expect_nesting(events, 1);
	expect_nesting(events, 2);
	json_object_put(object);
	free(text);
	boot_report__free(&r);
}

Test(boot_report, calls_before_the_clock_have_no_time)
{
	static const char trace[] = HEADER
		IDLE "    0.000000: start_kernel <-b\n"
		IDLE "    0.000000: c <-start_kernel\n"
		IDLE "    0.000000: d <-start_kernel\n"
		IDLE "    0.000005: e <-start_kernel\n"
		IDLE "    0.000007: f <-e\n"
		LATER;
	struct early_stats s = boot_stats;
	struct json_object *object;
	struct boot_report r;
	char *text;

	s.recorded = 5;
	s.before_zero = 3;
	s.before_ftrace_init = 2;
	r = sample_report(&s, trace);
	cr_expect(r.calls.timeless == 3);
	text = print(json_of_all, &r);
	object = parse(text);
	expect_at(object, "phases.1.name", "\"c\"");
	expect_at(object, "phases.1.start", "null");
	expect_at(object, "phases.1.time", "null");
	expect_at(object, "phases.3.start", "5000");
	expect_at(object, "phases.3.time", "2000");
	expect_at(object, "ftrace_init.time", "null");
	expect_at(object, "functions.0.first", "null");
	expect_at(object, "window.first", "null");
	json_object_put(object);
	free(text);
	/* 2 us a call, of those in that time. */
	r.recorder_cycles = 2000000;
	text = print(text_of_ten, &r);
	cr_expect(strstr(text, "Recorder:  about 0.000004 s of that") != NULL, "%s", text);
	cr_expect(strstr(text, "Time:      0.000002 s, from 0.000005 to 0.000007") != NULL, "%s", text);
	cr_expect(strstr(text, "without the first 3 calls: this clock began later") != NULL, "%s", text);
	free(text);
	boot_report__free(&r);
	/* Zero is when it began. */
	s.before_zero = 0;
	r = sample_report(&s, trace);
	cr_expect(r.calls.timeless == 0);
	boot_report__free(&r);
}

Test(boot_report, time_without_that_of_the_recorder)
{
	struct json_object *object;
	struct boot_report r;
	char *text;

	r = sample_report(&boot_stats, boot_trace);
	/* 2 us a call. */
	r.recorder_cycles = 2000000;
	text = print(json_of_all, &r);
	object = parse(text);
	expect_at(object, "phases.2.time", "880000");
	expect_at(object, "phases.2.net", "864000");
	/* Two calls in no time at all. */
	expect_at(object, "phases.3.phases.0.net", "0");
	expect_at(object, "cost.thousand_calls_ns", "2000000");
	json_object_put(object);
	free(text);
	text = print(text_of_ten, &r);
	cr_expect(strstr(text, " NET ") != NULL, "%s", text);
	cr_expect(strstr(text, "0.000880   0.000864") != NULL, "%s", text);
	cr_expect(strstr(text, "Recorder:  about 0.000028 s of that, 2000.0 ns a call") != NULL, "%s", text);
	free(text);
	boot_report__free(&r);
	/* Another machine. */
	r = sample_report(&boot_stats, boot_trace);
	text = print(text_of_ten, &r);
	cr_expect(strstr(text, "NET") == NULL, "%s", text);
	free(text);
	text = print(json_of_all, &r);
	object = parse(text);
	expect_at(object, "phases.2.net", "null");
	expect_at(object, "cost.thousand_calls_ns", "null");
	json_object_put(object);
	free(text);
	boot_report__free(&r);
}

#ifdef __x86_64__
Test(boot_report, what_recording_takes_can_be_measured)
{
	uint64_t cycles = early_cost__measure();

	/* Reading the TSC alone takes ten cycles at least, where it takes any. */
	cr_expect(cycles > 2000 && cycles < 10000000, "%lu", (long)cycles);
}
#endif

Test(boot_report, a_hole_has_a_line)
{
	static const char trace[] = HEADER
		IDLE "    0.000000: start_kernel <-b\n"
		IDLE "    0.000001: setup <-start_kernel\n"
		IDLE "    0.000001: early_ftrace_hand_over: [LOST 1234 EVENTS]\n"
		IDLE "    0.000003: x <-setup\n"
		LATER;
	struct early_stats s = boot_stats;
	struct json_object *object;
	struct boot_report r;
	char *text;

	s.recorded = 3;
	s.lost = 1234;
	s.before_ftrace_init = 0;
	r = sample_report(&s, trace);
	text = print(text_of_ten, &r);
	cr_expect(strstr(text, "\n(1234 calls are lost) ") != NULL, "%s", text);
	free(text);
	text = print(json_of_all, &r);
	object = parse(text);
	expect_at(object, "phases.1.time", "0");
	expect_at(object, "phases.2", "{\"name\":null,\"kind\":\"hole\",\"start\":1000,\"time\":2000,"
		  "\"net\":null,\"lost\":1234,\"calls\":0,\"functions\":0,\"callers\":null,"
		  "\"phases\":[]}");
	expect_at(object, "phases.3.name", "null");
	json_object_put(object);
	free(text);
	boot_report__free(&r);
}

/* ---- oneshot */

static const char boot_kallsyms[] =
	"ffffffff82000000 T _stext\n"
	"ffffffff82000100 T x86_64_start_reservations\n"
	"ffffffff82000200 T start_kernel\n"
	"ffffffff82000800 T setup_arch\n"
	"ffffffff82000a00 T probe_roms\n"
	"ffffffff82000b00 T _printk\n"
	"ffffffff82000c00 T sched_init\n"
	"ffffffff82000d00 T later\n"
	"ffffffff82000e00 T head64\n";

static const char boot_traceable[] =
	"ffffffff82000104 x86_64_start_reservations\nffffffff82000204 start_kernel\n"
	"ffffffff82000804 setup_arch\nffffffff82000a04 probe_roms\nffffffff82000b04 _printk\n"
	"ffffffff82000c04 sched_init\nffffffff82000d04 later\n";

/* A function and its caller have one time; where one of them is not new there is the other only. */
static const char boot_entries[] =
	"ffffffff82000104 function 0 0 0\n"
	"ffffffff82000e17 caller 0 0 0\n"
	"ffffffff82000204 function 1000 0 0\n"
	"ffffffff82000117 caller 1000 0 0\n"
	"ffffffff82000b04 function 2000 0 0\n"
	"ffffffff82000210 caller 2000 0 0\n"
	"ffffffff82000804 function 3000 0 0\n"
	"ffffffff82000220 caller 3000 0 0\n"
	"ffffffff82000a04 function 4000 0 0\n"
	"ffffffff82000810 caller 4000 0 0\n"
	"ffffffff82000820 caller 5000 0 0\n"
	"ffffffff82000230 caller 6000 0 0\n"
	"ffffffff82000c04 function 7050 0 0\n"
	"ffffffff82000240 caller 7050 0 0\n"
	"ffffffff82000d04 function 90000 0 0\n"
	"ffffffff82000250 caller 90000 0 0\n";

/* Read a moment after the clock that the hits have, so a bit less. */
static const struct early_stats oneshot_stats = {
	.tracer = "oneshot", .clock = "local", .recorded = 8, .last = 7000, .sites = 7,
	.tsc_khz = 1000000,
};

static int load_oneshot(struct early_calls *c, const struct early_stats *s, const char *text)
{
	struct kernel_id kernel = { .offset_known = true, .kaslr_offset = KASLR };
	FILE *f = sample_file(boot_kallsyms), *g = sample_file(boot_traceable);
	struct symbols *symbols = NULL;
	struct traceable *traceable = NULL;
	struct places places = { .kernel = &kernel };
	int err;

	cr_assert(symbols__read(&symbols, f, NULL) == 0);
	cr_assert(traceable__read(&traceable, g, symbols) == 0);
	fclose(f);
	fclose(g);
	places.before = symbols;
	places.traceable = traceable;
	if (text)
		put("oneshot_entries", text);
	cr_assert(early_calls__init(c) == 0);
	err = early_calls__load_oneshot(c, s, dir, &places);
	traceable__free(traceable);
	symbols__free(symbols);
	return err;
}

TestSuite(boot_oneshot, .init = enter, .fini = leave);

Test(boot_oneshot, first_hits_are_calls_with_gaps)
{
	struct early_calls c;

	cr_assert(load_oneshot(&c, &oneshot_stats, boot_entries) == 0);
	cr_assert(c.count == 8);
	cr_expect(eq(str, (char *)function(&c, 0), "x86_64_start_reservations"));
	cr_expect(eq(str, (char *)parent(&c, 0), "head64"));
	cr_expect(eq(str, (char *)function(&c, 3), "setup_arch"));
	cr_expect(eq(str, (char *)parent(&c, 3), "start_kernel"));
	cr_expect(c.list[5].function == NO_NAME);
	cr_expect(eq(str, (char *)parent(&c, 5), "setup_arch"));
	cr_expect(eq(str, (char *)function(&c, 7), "sched_init"));
	cr_expect(early_calls__functions(&c) == 6);
	cr_expect(early_calls__callers(&c) == 8);
	early_calls__free(&c);
}

Test(boot_oneshot, a_set_that_was_cleared_has_nothing)
{
	struct early_stats s = oneshot_stats;
	struct early_calls c;

	cr_expect(load_oneshot(&c, &s, "ffffffff82000204 function 9000 0 0\n") == -ENODATA);
	early_calls__free(&c);
	cr_expect(load_oneshot(&c, &s, "ffffffff82000204 function 100 0 42\n") == -ENODATA);
	early_calls__free(&c);
	cr_expect(load_oneshot(&c, &s, "") == -ENODATA);
	early_calls__free(&c);
	unlink(files[3]);
	strcpy(s.clock, "counter");
	cr_expect(load_oneshot(&c, &s, boot_entries) == -EOPNOTSUPP);
	early_calls__free(&c);
}

Test(boot_oneshot, other_clocks_tell_how_long_it_took)
{
	struct early_stats s = oneshot_stats;
	struct early_calls c;

	strcpy(s.clock, "x86-tsc");
	s.tsc_khz = 2000000;
	s.first = 5000000000;
	s.last = 5000014000;
	cr_assert(load_oneshot(&c, &s, boot_entries) == 0);
	cr_expect(c.count == 8);
	early_calls__free(&c);
	/* The early part was shorter. */
	s.last = 5000009000;
	cr_assert(load_oneshot(&c, &s, boot_entries) == 0);
	cr_expect(c.count == 6);
	early_calls__free(&c);
}

static struct boot_report oneshot_report(void)
{
	struct boot_report r = { .stats = oneshot_stats };

	r.kernel.release = strdup("6.12.0-test");
	cr_assert(load_oneshot(&r.calls, &oneshot_stats, boot_entries) == 0);
	cr_assert(boot_report__analyse(&r) == 0);
	return r;
}

Test(boot_oneshot, phases_are_of_first_hits)
{
	struct boot_report r = oneshot_report();
	const struct early_phase *p = r.phases.list;

	cr_assert(r.phases.count == 5);
	cr_expect(p[0].kind == PHASE_BEFORE && p[0].functions == 2 && p[0].callers == 2);
	cr_expect(eq(str, (char *)r.calls.names[p[1].function], "_printk"));
	cr_expect(p[2].functions == 2 && p[2].callers == 3);
	cr_expect(p[2].inner_count == 2);
	cr_expect(p[3].function == NO_NAME, "called before");
	cr_expect(eq(str, (char *)r.calls.names[p[4].function], "sched_init"));
	boot_report__free(&r);
}

Test(boot_oneshot, callers_that_are_not_new_are_not_start_kernel)
{
	struct boot_report r = { .stats = oneshot_stats };

	r.kernel.release = strdup("6.12.0-test");
	cr_assert(load_oneshot(&r.calls, &oneshot_stats,
			       "ffffffff82000104 function 0 0 0\n"
			       "ffffffff82000a04 function 1000 0 0\n") == 0);
	cr_assert(boot_report__analyse(&r) == 0);
	cr_assert(r.phases.count == 1);
	cr_expect(r.phases.list[0].kind == PHASE_FUNCTION);
	cr_expect(r.phases.list[0].functions == 2);
	boot_report__free(&r);
}

Test(boot_oneshot, reports)
{
	struct boot_report r = oneshot_report();
	char *text = print(json_of_all, &r);
	struct json_object *object = parse(text);

	expect_at(object, "tracer", "\"oneshot\"");
	expect_at(object, "totals.recorded", "8");
	expect_at(object, "totals.calls", "null");
	expect_at(object, "totals.functions", "6");
	expect_at(object, "totals.callers", "8");
	expect_at(object, "ftrace_init", "null");
	expect_at(object, "phases.3", "{\"name\":null,\"kind\":\"function\",\"start\":6000,"
				      "\"time\":1050,\"net\":null,\"lost\":0,\"calls\":null,"
				      "\"functions\":0,\"callers\":1,\"phases\":[]}");
	expect_at(object, "functions.1", "{\"name\":\"start_kernel\",\"calls\":null,\"first\":1000}");
	json_object_put(object);
	free(text);
	text = print(text_of_ten, &r);
	cr_expect(strstr(text, "Functions: 6\nCallers:   8 places that called one\n") != NULL, "%s",
		  text);
	cr_expect(strstr(text, "(a function called before)") != NULL, "%s", text);
	cr_expect(strstr(text, "CALLERS") != NULL, "%s", text);
	cr_expect(strstr(text, "ftrace_init") == NULL, "%s", text);
	free(text);
	text = print(boot_report__chrome, &r);
	object = parse(text);
	cr_expect(json_object_array_length(at(object, "traceEvents")) == 2 + 5 + 2);
	expect_nesting(at(object, "traceEvents"), 1);
	json_object_put(object);
	free(text);
	boot_report__free(&r);
}
