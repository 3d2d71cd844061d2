// SPDX-License-Identifier: GPL-2.0
/*
 * hytrace boot: the ends of early calls, and the phases, functions and stacks that are made of them.
 */
#include "boot/boot_sample.h"

TestSuite(early_spans, .init = make_files, .fini = leave);
TestSuite(early_phases, .init = make_files, .fini = leave);
TestSuite(early_times, .init = make_files, .fini = leave);

/* ---- ends */

/* Reads calls with times 0, 1, 2, ...: "f<p" is a call of f by p, "..." are lost calls. */
static void read_calls(const char *calls, uint64_t before_ftrace_init)
{
	struct early_stats s = { .tracer = "function", .clock = "local", .before_ftrace_init = before_ftrace_init };
	char *copy = strdup(calls), *rest = copy, *word, *trace;

	trace = PRINTED(f, while ((word = strsep(&rest, " "))) {
		char *name = strsep(&word, "<");

		if (!word)
			s.holes[s.hole_count++] = (struct early_hole){ s.recorded, 7 };
		else
			fprintf(f, IDLE "    %d: %s <-%s\n", (int)s.recorded++, name, *word ? word : "-");
	});
	s.shown = s.last = s.recorded;
	sample_report(&s, trace);
	free(trace);
	free(copy);
}

/* Prints the longest calls with their starts and ends: "f0-3 g1-2". */
static void print_ends(void)
{
	const struct span_list *l = &b.early.longest;

	PRINT(f, for_list(s, l)
		fprintf(f, "%s%s%ld-%ld", s == l->list ? "" : " ", s->name, (long)s->start, (long)s->end));
}

/* Calls, and when they end. */
static const char *const spans[][2] = {
	{ "a<- b<a c<b d<a", "a0-3 b1-3 c2-3 d3-3" },
	{ "a<- b<a c<b d<b e<a f<a g<-", "a0-6 b1-4 c2-3 d3-4 e4-5 f5-6 g6-6" },
	/* Recursion: the inner call of a is taken for the caller of the next calls. */
	{ "a<- a<a b<a c<- a<c", "a0-3 a1-3 b2-3 c3-4 a4-4" },
	/* g jumps to h, which returns to a. */
	{ "a<- g<a x<g h<a y<h b<a", "a0-5 g1-3 x2-3 h3-5 y4-5 b5-5" },
	/* An exception in the middle of c; its assembly is not traced. */
	{ "a<- b<a c<b fault<asm fix<fault d<b e<a",
	  "a0-6 b1-6 c2-3 fault3-5 fix4-5 d5-6 e6-6" },
	/* c goes on after the exception. */
	{ "a<- b<a c<b fault<asm d<c e<a", "a0-5 b1-5 c2-5 fault3-4 d4-5 e5-5" },
	/* With ftrace_filter=f,g: the callers p and q are not traced. */
	{ "f<p g<q f<p g<q f<p", "f0-1 g1-2 f2-3 g3-4 f4-4" },
	/* A function that makes a call later has not returned. */
	{ "f<p x<f g<q y<g z<f", "f0-4 x1-2 g2-4 y3-4 z4-4" },
	/* But it may have returned if it was called again before. */
	{ "f<p x<f g<q f<p z<f", "f0-2 x1-2 g2-3 f3-4 z4-4" },
	/* After the hole, a and b may be other calls than before. */
	{ "a<- b<a c<b ... d<b e<a", "a0-2 b1-2 c2-2 d3-4 e4-4" },
	/* A call by f after the hole does not keep f on the stack before the hole. */
	{ "f<p x<f g<q ... y<f", "f0-2 x1-2 g2-2 y3-3" },
};

Test(early_spans, nest)
{
	for_each(one, spans) {
		read_calls((*one)[0], 0);
		print_ends();
		expect_str(text, (*one)[1], "%s", (*one)[0]);
	}
}

Test(early_spans, the_longest_with_those_around_them)
{
	char *calls = PRINTED(f, fputs("a<- b<a", f); for (int i = 0; i < 2100; i++) fputs(" c<b", f));

	read_calls(calls, 0);
	print_ends();
	cr_expect(strncmp(text, "a0-2101 b1-2101 c2-3 ", 21) == 0, "%s", text);
	cr_expect(b.early.longest.count == 2000);
	free(calls);
}

/* ---- phases */

static void put_phases(const struct boot_phase *list, size_t count, FILE *f)
{
	for_array(p, list, count) {
		long start = p->start == NOT_KNOWN ? 0 : p->start, time = p->time == NOT_KNOWN ? 0 : p->time;

		fprintf(f, "%s%s%ld-%ld:%ld", p == list ? "" : " ", p->kind == PHASE_HOLE ? "hole" : p->kind == PHASE_BEFORE ? "before" :
			p->kind == PHASE_TRACER ? "tracer" : p->name ?: "?", start, start + time, (long)p->calls);
		if (!p->inner_count)
			continue;
		fprintf(f, "(");
		put_phases(p->inner, p->inner_count, f);
		fprintf(f, ")");
	}
}

/* Format of a phase: NAME START-END:CALLS(inner phases), as in "a0-3:3(b1-3:2)". */
static void print_phases(void)
{
	PRINT(f, put_phases(b.early.phases, b.early.phase_count, f));
}

Test(early_phases, are_what_start_kernel_calls)
{
	sample_report(&boot_stats, boot_trace);
	print_phases();
	expect_str(text,
		   "before0-10000:3 set_magic10000-20000:1 setup_arch20000-900000:8(e82021000-100000:2 "
		   "probe_roms100000-900000:5) ftrace_init900000-950000:2(memset950000-950000:1)");
	/* Functions that were called first in it: memset was seen before the last phase. */
	cr_expect(b.early.phases[2].functions == 5 && b.early.phases[3].functions == 1);
	/* The most called first. */
	PRINT(f, for (int i = 0; i < 3; i++) fprintf(f, "%s %ld ", b.early.function_list[i].name, (long)b.early.function_list[i].calls));
	expect_str(text, "memset 4 copy 2 x86_64_start_kernel 1 ");
	cr_expect(b.early.function_list[0].first == 22000);
}

Test(early_phases, the_first_is_not_known_when_its_beginning_is_missing)
{
	static const char trace[] = IDLE "    202000: memset <-copy\n" IDLE "    800000: memset <-ftrace_init\n"
				    IDLE "    900000: sched_init <-start_kernel\n" IDLE "    950000: memset <-sched_init\n";
	struct early_stats s = boot_stats;

	s.before_ftrace_init = 1;
	sample_report(&s, trace);
	print_phases();
	expect_str(text, "?202000-900000:2 sched_init900000-950000:2(memset950000-950000:1)");
	/* A filter has left start_kernel() out. */
	s = boot_stats;
	s.recorded = 2;
	sample_report(&s, IDLE "    202000: memset <-copy\n" IDLE "    203000: memset <-copy\n");
	print_phases();
	expect_str(text, "?202000-203000:2");
}

#define BOOT "start_kernel< a<start_kernel x<a y<x "

/* Calls, the index of ftrace_init()'s first one, and the phases. */
static const struct {
	const char *calls;
	uint64_t ftrace;
	const char *expected;
} phases[] = {
	/* ftrace_init() ends with the next call by start_kernel(). */
	{ BOOT "locks<process f<process b<start_kernel z<b c<start_kernel d<c", 4,
	  "before0-1:1 a1-4:3(x2-4:2) ftrace_init4-6:2 b6-8:2(z7-8:1) c8-9:2(d9-9:1)" },
	/* The phase of ftrace_init() lasts until the end. */
	{ BOOT "locks<process f<process", 4,
	  "before0-1:1 a1-4:3(x2-4:2) ftrace_init4-5:2" },
	/* It has one call, the last one, directly after a call by start_kernel(). */
	{ "start_kernel< a<start_kernel f<process", 2,
	  "before0-1:1 a1-2:1 ftrace_init2-2:1" },
	/* ftrace_init() has inner phases. */
	{ BOOT "f<ftrace_init g<f h<ftrace_init b<start_kernel", 4,
	  "before0-1:1 a1-4:3(x2-4:2) ftrace_init4-7:3(f4-6:2 h6-7:1) b7-7:1" },
	{ BOOT "g<f h<ftrace_init i<h b<start_kernel", 4,
	  "before0-1:1 a1-4:3(x2-4:2) ftrace_init4-7:3(h5-7:2) b7-7:1" },
	/* It is one with a call by start_kernel(). */
	{ BOOT "b<start_kernel z<b h<ftrace_init c<start_kernel", 4,
	  "before0-1:1 a1-4:3(x2-4:2) ftrace_init4-7:3(h6-7:1) c7-7:1" },
	/* When it begins may not be known. */
	{ BOOT "f<ftrace_init b<start_kernel", 0, "before0-1:1 a1-5:4(x2-5:3) b5-5:1" },
	{ BOOT "f<ftrace_init b<start_kernel", 6, "before0-1:1 a1-5:4(x2-5:3) b5-5:1" },
	/* It is there when a filter leaves out others. */
	{ "a< x<a f<ftrace_init g<h", 2, "?0-2:2 ftrace_init2-3:1(f2-3:1) tracer3-3:1" },
	{ "a< x<a b<start_kernel", 1, "?0-1:1 ftrace_init1-2:1 b2-2:1" },
	/* The second f has returned before an untraced function calls reg(). */
	{ BOOT "f<ftrace_init g<f lock<process f<ftrace_init g<f reg<tracer alloc<reg", 4,
	  "before0-1:1 a1-4:3(x2-4:2) ftrace_init4-9:5(f4-6:2 f7-9:2) tracer9-10:2" },
	/* f goes on after the untraced asm, inside ftrace_init(). */
	{ BOOT "f<ftrace_init lock<asm g<f", 4,
	  "before0-1:1 a1-4:3(x2-4:2) ftrace_init4-6:3(f4-6:3)" },
	{ BOOT "f<ftrace_init reg<tracer b<start_kernel", 4,
	  "before0-1:1 a1-4:3(x2-4:2) ftrace_init4-5:1(f4-5:1) tracer5-6:1 b6-6:1" },
	/* After the hole, a may have returned, and another x may run. */
	{ BOOT "... z<x w<a b<start_kernel d<b", 0,
	  "before0-1:1 a1-3:3(x2-3:2) hole3-4:0 ?4-6:2 b6-7:2(d7-7:1)" },
	{ BOOT "... b<start_kernel ... c<start_kernel", 0,
	  "before0-1:1 a1-3:3(x2-3:2) hole3-4:0 b4-4:1 hole4-5:0 c5-5:1" },
	{ "a<x ... start_kernel< b<start_kernel", 0,
	  "?0-0:1 hole0-1:0 ?1-2:1 b2-2:1" },
	/* A hole at the end has no time. */
	{ BOOT "b<start_kernel d<b ...", 0, "before0-1:1 a1-4:3(x2-4:2) b4-5:2(d5-5:1) hole0-0:0" },
};

Test(early_phases, with_holes_and_ftrace_init)
{
	for_each(one, phases) {
		read_calls(one->calls, one->ftrace);
		print_phases();
		expect_str(text, one->expected, "%s", one->calls);
	}
}

/* ---- times, if returns were recorded */

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

/* The functions, as "NAME CALLS INCLUSIVE/WITHOUT THE RECORDER SELF/WITHOUT THE RECORDER", and the calls that had not returned. */
static void print_functions(void)
{
	PRINT(f, for_array(one, b.early.function_list, b.early.function_count)
		fprintf(f, "%s %ld %ld/%ld %ld/%ld%s\n", one->name, (long)one->calls, (long)one->inclusive, (long)one->inclusive_net,
			(long)one->self, (long)one->self_net, one->open ? " open" : ""));
}

/*
 * The longest first. Recursion counts once; what is not traced is a function's own time; start_kernel() lasts until the last time that
 * is known.
 */
Test(early_times, of_functions)
{
	sample_report(&timed_stats, timed_trace);
	for_array(one, b.early.function_list, b.early.function_count)
		one->inclusive_net = one->self_net = 0;
	print_functions();
	expect_str(text, "start_kernel 1 101000/0 35000/0 open\nwalk 2 30000/0 29000/0\nsetup_arch 1 50000/0 18000/0\n"
		   "jumps 1 10000/0 5001/0\nalloc 1 5000/0 5000/0\njumped 1 4999/0 4999/0\nleaf 3 4000/0 4000/0\n");
}

/* Of each call, 60 ns are its own, and 40 ns of the caller; a jump takes 10 ns more. */
Test(early_times, without_the_recorder)
{
	report_with_costs();
	print_functions();
	expect_text("\nwalk 2 30000/29740 29000/28800\n");
	expect_text("\njumps 1 10000/9830 5001/4901\n");
	expect_text("\njumped 1 4999/4929 4999/4929\n");
}

Test(early_times, phases_end_when_their_functions_return)
{
	report_with_costs();
	PRINT(f, for_array(p, b.early.phases, b.early.phase_count)
		fprintf(f, "%s %ld %ld %ld\n", p->name, (long)p->calls, (long)p->time, (long)p->net));
	expect_str(text, "before start_kernel 1 10000 9900\nsetup_arch 5 50000 49540\njumps 2 10000 9830\nleaf 1 1000 940\n"
		   "(start_kernel itself) 1 30000 29780\n");
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

/* @calls: lines of the trace, between commas */
static void expect_timed(const char *calls, const char *expected)
{
	struct early_stats s = { .tracer = "function", .clock = "local", .last = 1ULL << 40 };
	char *copy = strdup(calls), *rest = copy, *word;
	char *trace = PRINTED(f, while ((word = strsep(&rest, ","))) {
		fprintf(f, IDLE "    %s\n", word);
		s.shown = ++s.recorded;
	});

	sample_report(&s, trace);
	print_ends();
	expect_str(text, expected, "%s", calls);
	free(trace);
	free(copy);
}

Test(early_times, of_calls)
{
	/* The end of b is known. Otherwise b would last until d, as below. */
	expect_timed("0: a <-x (open),10: b <-a (20),12: c <-b (5),90: d <-a (7)", "a0-97 b10-30 c12-17 d90-97");
	/* Without an end, b ends with the next call outside of it, or with the call around it. */
	expect_timed("0: a <-x (open),10: b <-a (unknown),12: c <-b (5),90: d <-a (7)", "a0-97 b10-90 c12-17 d90-97");
	expect_timed("0: a <-x (50),10: b <-a (unknown),12: c <-b (5),90: d <-y (7)", "a0-50 b10-50 c12-17 d90-97");
	/* The long time of a is rounded down. As a calls b later, a ends after b. */
	expect_timed("0: a <-x (2147483648),2147500000: b <-a (5),2147510000: c <-x (5)",
		    "a0-2147500005 b2147500000-2147500005 c2147510000-2147510005");
	/* The time of the inner a is rounded, too. But c ends much later, so it is not inside a. */
	expect_timed("0: a <-x (6442450944),0: a <-a (2147483648),2147490000: c <-a (2147483648),6500000000: d <-x (1)",
		    "a0-6442450944 a0-2147483648 c2147490000-4294973648 d6500000000-6500000001");
	/* A call without an end ends after its inner calls. */
	expect_timed("0: a <-x (unknown),10: b <-a (50)", "a0-60 b10-60");
	/* An exception has interrupted the recorder of p. */
	expect_timed("0: s <-x (open),100: n <-e (50),120: f <-n (10),120: p <-s (880),130: b <-p (5),2000: d <-s (7)",
		    "s0-2007 n100-150 f120-130 p120-1000 b130-135 d2000-2007");
}

Test(early_times, are_told)
{
	report_with_costs();
	print_json(boot__write, &b);
	expect_all("totals.returns 9\ntotals.open 1\ntotals.unknown 0\ncost.thousand_inside_ns 60000\n"
		   "functions.1 {'name':'walk','calls':2,'first':11000,'inclusive':30000,'inclusive_net':29740,"
		   "'self':29000,'self_net':28800,'open':0,'unknown':0}\nphases.4.kind 'self'\nphases.4.start null");
	print(text_of_ten, &b);
	expect_text("Returns:   9 were recorded, so times of calls and phases are exact; 1 had not returned yet, and end here\n");
	expect_text("INCLUSIVE");
	expect_text("(start_kernel itself)");
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
