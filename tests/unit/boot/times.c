// SPDX-License-Identifier: GPL-2.0
/*
 * hytrace boot: the times of early calls if returns were recorded.
 */
#include "boot/boot_sample.h"
#include "boot/events.h"

TestSuite(early_times, .init = enter, .fini = leave);

static const char timed_trace[] = HEADER
	IDLE "    0: start_kernel <-x86_64_start_reservations (open)\n"
	IDLE "    10000: setup_arch <-start_kernel (50000)\n"
	IDLE "    11000: walk <-setup_arch (30000)\n"
	IDLE "    12000: walk <-walk (20000)\n"
	IDLE "    13000: leaf <-walk (1000)\n"
	IDLE "    42000: leaf <-notrace (2000)\n"
	IDLE "    70000: alloc <-untraced (5000)\n"
	IDLE "    80000: jumps <-start_kernel (10000)\n"
	IDLE "    85000: jumped <-start_kernel (4999)\n"
	IDLE "    100000: leaf <-start_kernel (1000)\n"
	LATER;

static const struct early_stats timed_stats = {
	.tracer = "function", .clock = "x86-tsc", .recorded = 10, .shown = 10,
	.last = 100000, .sites = 100, .tsc_khz = 1000000,
};

/* Recording a call takes 100 ns, 60 ns of it inside the call, and a jump 10 ns more. */
static void report_with_costs(void)
{
	struct early_stats s = timed_stats;

	s.recorder_cycles = 100000;
	s.inside_cycles = 60000;
	s.jump_cycles = 10000;
	sample_report(&s, timed_trace);
}

static const struct boot_function *function_of(const char *name)
{
	for (size_t i = 0; i < b.early.function_count; i++) {
		if (!strcmp(b.early.function_list[i].name, name))
			return &b.early.function_list[i];
	}
	cr_assert(false, "there is no %s", name);
	return NULL;
}

static const struct {
	const char *line;
	int err;
	enum trace_took took;
	uint64_t counts;
} lines[] = {
	{ "f <-g", 0, TOOK_NOT_TOLD, 0 }, { "f <-g (12)", 0, TOOK_COUNTS, 12 },
	{ "f <-g (open)", 0, TOOK_OPEN, 0 }, { "f <-g (unknown)", 0, TOOK_UNKNOWN, 0 },
	{ "f+0x4/0x10 <-g+0x8/0x90 [mod] <ffffffff81000000> (12)", 0, TOOK_COUNTS, 12 },
	{ "f <-g (12", -EPROTO, 0, 0 }, { "f <-g ()", -EPROTO, 0, 0 }, { "f <-g (-1)", -EPROTO, 0, 0 },
	{ "f <-g (12) x", -EPROTO, 0, 0 }, { "f <-g (soon)", -EPROTO, 0, 0 },
};

Test(early_times, lines_tell_how_long_calls_took)
{
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		struct trace_line parsed;
		char text[200];

		snprintf(text, sizeof(text), IDLE "    1000: %s\n", lines[i].line);
		cr_expect(trace_line__parse(text, &parsed) == lines[i].err, "%s", lines[i].line);
		if (lines[i].err)
			continue;
		cr_expect(parsed.took == lines[i].took && parsed.counts == lines[i].counts, "%s", lines[i].line);
		cr_expect(parsed.parent[0] == 'g' && (parsed.parent[1] == '\0' || parsed.parent[1] == ' '), "%s",
			  lines[i].line);
	}
}

Test(early_times, of_functions)
{
	const struct boot_function *f;

	sample_report(&timed_stats, timed_trace);
	f = function_of("walk");
	cr_expect(f->calls == 2);
	cr_expect(f->inclusive == 30000, "recursion counts once: %lu", (long)f->inclusive);
	cr_expect(f->self == 29000, "%lu", (long)f->self);
	f = function_of("setup_arch");
	cr_expect(f->inclusive == 50000 && f->self == 18000, "what is not traced is its own: %lu", (long)f->self);
	f = function_of("leaf");
	cr_expect(f->calls == 3 && f->inclusive == 4000 && f->self == 4000);
	f = function_of("start_kernel");
	cr_expect(f->open == 1 && f->inclusive == 101000, "until the last time that is known: %lu", (long)f->inclusive);
	cr_expect(f->self == 101000 - 50000 - 5000 - 10000 - 1000, "%lu", (long)f->self);
	cr_expect(eq(str, (char *)b.early.function_list[0].name, "start_kernel"), "the longest first");
	cr_expect(eq(str, (char *)b.early.function_list[1].name, "walk"));
}

Test(early_times, without_the_recorder)
{
	report_with_costs();
	cr_expect(function_of("walk")->self_net == 29000 - 2 * 60 - 2 * 40);
	cr_expect(function_of("walk")->inclusive_net == 30000 - 60 - 2 * 100);
	cr_expect(function_of("jumped")->self_net == 4999 - 60 - 10);
	cr_expect(function_of("jumps")->inclusive_net == 10000 - 60 - 100 - 10);
}

static void expect_exact(size_t i, const char *name, int64_t time, int64_t net)
{
	const struct boot_phase *p = &b.early.phases[i];

	cr_expect(eq(str, (char *)p->name, (char *)name));
	cr_expect(p->time == time && p->net == net, "%s: %ld, net %ld", name, (long)p->time, (long)p->net);
}

Test(early_times, phases_end_when_their_functions_return)
{
	report_with_costs();
	cr_assert(b.early.phase_count == 5);
	expect_exact(0, "before start_kernel", 10000, 10000 - 100);
	expect_exact(1, "setup_arch", 50000, 50000 - 60 - 4 * 100);
	expect_exact(2, "jumps", 10000, 10000 - 60 - 100 - 10);
	expect_exact(3, "leaf", 1000, 1000 - 60);
	expect_exact(4, "(start_kernel itself)", 101000 - 71000, 30000 - 3 * 40 - 100);
	cr_expect(b.early.phases[4].calls == 1);
}

Test(early_times, a_phase_is_as_exact_as_its_function)
{
	static const char *const took[] = { "(20000)", "(unknown)" };

	for (int unknown = 0; unknown < 2; unknown++) {
		struct early_stats s = timed_stats;
		char trace[1000];

		s.recorded = s.shown = 4;
		snprintf(trace, sizeof(trace), HEADER
			 IDLE "    0: start_kernel <-x86_64_start_reservations (open)\n"
			 IDLE "    10000: setup_arch <-start_kernel %s\n"
			 IDLE "    12000: leaf <-setup_arch (1000)\n"
			 IDLE "    40000: walk <-start_kernel (1000)\n", took[unknown]);
		sample_report(&s, trace);
		cr_expect(b.early.phases[1].time == (unknown ? 30000 : 20000));
		/* The time of start_kernel() itself is not known either. */
		cr_expect(b.early.phase_count == (unknown ? 3 : 4), "%zu", b.early.phase_count);
	}
}

static void expect_ends(const char *calls, const char *expected)
{
	struct early_stats s = timed_stats;
	char trace[2000] = HEADER, *copy = strdup(calls), *rest = copy, *word;
	struct early_calls c;

	s.recorded = s.shown = 0;
	while ((word = strsep(&rest, ","))) {
		snprintf(trace + strlen(trace), sizeof(trace) - strlen(trace), IDLE "    %s\n", word);
		s.recorded = s.shown = s.recorded + 1;
	}
	s.last = 1ULL << 40;
	cr_assert(load(&c, &s, trace, NULL) == 0);
	fill_early(&c);
	print_spans();
	cr_expect(eq(str, text, (char *)expected), "%s", calls);
	free(copy);
}

Test(early_times, of_calls)
{
	/* The end of b is known. Otherwise b would last until d, as below. */
	expect_ends("0: a <-x (open),10: b <-a (20),12: c <-b (5),90: d <-a (7)", "a0-97 b10-30 c12-17 d90-97");
	/* Without an end, b ends with the next call outside of it, or with the call around it. */
	expect_ends("0: a <-x (open),10: b <-a (unknown),12: c <-b (5),90: d <-a (7)", "a0-97 b10-90 c12-17 d90-97");
	expect_ends("0: a <-x (50),10: b <-a (unknown),12: c <-b (5),90: d <-y (7)", "a0-50 b10-50 c12-17 d90-97");
	/* The long time of a is rounded down. As a calls b later, a ends after b. */
	expect_ends("0: a <-x (2147483648),2147500000: b <-a (5),2147510000: c <-x (5)",
		    "a0-2147500005 b2147500000-2147500005 c2147510000-2147510005");
	/* The time of the inner a is rounded, too. But c ends much later, so it is not inside a. */
	expect_ends("0: a <-x (6442450944),0: a <-a (2147483648),2147490000: c <-a (2147483648),6500000000: d <-x (1)",
		    "a0-6442450944 a0-2147483648 c2147490000-4294973648 d6500000000-6500000001");
	/* A call without an end ends after its inner calls. */
	expect_ends("0: a <-x (unknown),10: b <-a (50)", "a0-60 b10-60");
	/* An exception has interrupted the recorder of p. */
	expect_ends("0: s <-x (open),100: n <-e (50),120: f <-n (10),120: p <-s (880),130: b <-p (5),2000: d <-s (7)",
		    "s0-2007 n100-150 f120-130 p120-1000 b130-135 d2000-2007");
}

Test(early_times, are_told)
{
	report_with_costs();
	print_json(boot__write, &b);
	expect_at(object, "totals.returns", "9");
	expect_at(object, "totals.open", "1");
	expect_at(object, "totals.unknown", "0");
	expect_at(object, "cost.thousand_inside_ns", "60000");
	expect_at(object, "functions.1", "{\"name\":\"walk\",\"calls\":2,\"first\":11000,\"inclusive\":30000,"
		  "\"inclusive_net\":29740,\"self\":29000,\"self_net\":28800,\"open\":0,\"unknown\":0}");
	expect_at(object, "phases.4.kind", "\"self\"");
	expect_at(object, "phases.4.start", "null");
	print(text_of_ten, &b);
	cr_expect(strstr(text, "Returns:   9 were recorded") != NULL && strstr(text, "1 had not returned yet") != NULL,
		  "%s", text);
	cr_expect(strstr(text, "INCLUSIVE") != NULL && strstr(text, "(start_kernel itself)") != NULL, "%s", text);
	print(stacks, &b);
	cr_expect(eq(str, text,
		     "early boot;start_kernel 35\n"
		     "early boot;start_kernel;setup_arch 18\n"
		     "early boot;start_kernel;setup_arch;walk 10\n"
		     "early boot;start_kernel;setup_arch;walk;walk 19\n"
		     "early boot;start_kernel;setup_arch;walk;walk;leaf 1\n"
		     "early boot;start_kernel;setup_arch;leaf 2\n"
		     "early boot;start_kernel;alloc 5\n"
		     "early boot;start_kernel;jumps 5\n"
		     "early boot;start_kernel;jumps;jumped 5\n"
		     "early boot;start_kernel;leaf 1\n"));
}

Test(early_times, ends_that_are_not_known_are_told)
{
	struct early_stats s = timed_stats;

	s.recorded = s.shown = 2;
	sample_report(&s, HEADER IDLE "    0: a <-x (open)\n" IDLE "    10: b <-a (unknown)\n");
	cr_redirect_stderr();
	print(text_of_ten, &b);
	expect_text("exact, but for those that are not known");
	boot__losses(&b);
	expect_said("the durations of 1 calls are not known");
}

Test(early_times, stacks_need_the_clocks_frequency)
{
	struct early_stats s = timed_stats;

	s.tsc_khz = 0;
	sample_report(&s, timed_trace);
	cr_redirect_stderr();
	cr_expect(boot__folded(&b, stdout) == -EOPNOTSUPP);
	expect_said("tsc_early_khz=");
}

Test(early_times, an_end_is_not_after_all_times)
{
	struct early_calls c;
	struct early_stats s = timed_stats;

	s.recorded = s.shown = 1;
	cr_redirect_stderr();
	cr_expect(load(&c, &s, HEADER IDLE "    10: a <-x (18446744073709551615)\n", NULL) == -EPROTO);
}
