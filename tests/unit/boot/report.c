// SPDX-License-Identifier: GPL-2.0
/*
 * hytrace boot: the reports as text, as json and as trace events.
 */
#include "boot/boot_sample.h"

TestSuite(boot_report, .init = make_files, .fini = leave);

Test(boot_report, json_has_everything)
{
	sample_report(&boot_stats, boot_trace);
	print_json(boot__write, &b);
	expect_all("tracer 'function'\nkernel.release '6.12.0-test'\nboot_id 'boot'\nwindow.clock 'x86-tsc'\n"
		   "window.unit 'ns'\nwindow.last 950000\ntotals.recorded 14\ntotals.calls 14\n"
		   "totals.functions 10\ntotals.callers null\nlost {'lost':0,'missing':0}\n"
		   "hand_over {'convert_ns':7000001,'show_ns':228400000}\n"
		   "ftrace_init {'time':900000,'before':12}\n"
		   "phases.3 {'name':'ftrace_init','kind':'function','start':900000,'time':50000,'net':null,"
		   "'lost':0,'calls':2,'functions':1,'callers':null,'phases':[{'name':'memset','kind':'function',"
		   "'start':950000,'time':0,'net':null,'lost':0,'calls':1,'functions':0,'callers':null,"
		   "'phases':[]}]}\nphases.0.name 'before start_kernel'\nphases.2.name 'setup_arch'\n"
		   "phases.2.phases.1 {'name':'probe_roms','kind':'function','start':100000,'time':800000,"
		   "'net':null,'lost':0,'calls':5,'functions':2,'callers':null,'phases':[]}\n"
		   "functions.0 {'name':'memset','calls':4,'first':22000,'inclusive':null,'inclusive_net':null,"
		   "'self':null,'self_net':null,'open':null,'unknown':null}");
	cr_expect(json_object_array_length(at(object, "functions")) == 10);
}

Test(boot_report, json_tells_losses)
{
	struct early_stats s = boot_stats;

	s.recorded = 100;
	s.lost = 7;
	sample_report(&s, boot_trace);
	print_json(boot__write, &b);
	expect_all("lost {'lost':7,'missing':86}\nphases.0.name null");
	print(text_of_ten, &b);
	expect_text("Lost:      lost 7 missing 86\n");
	expect_text("(its beginning is not known)");
}

Test(boot_report, text_is_a_tree)
{
	sample_report(&boot_stats, boot_trace);
	print(text_of_ten, &b);
	expect_text("before start_kernel");
	expect_text("-probe_roms ");
	expect_text("0.000880");
	expect_text("Calls:     14 of 10 functions\nTracer:    function, at 100 sites\nTime:      0.000950 s, from 0.000000 to 0.000950 of "
		    "the clock x86-tsc\nBefore ftrace_init: 12 calls, 0.000900 s\nHand-over: 0.007 s to change the call sites; later, a "
		    "worker showed the calls within 0.228 s\nLost:      nothing\n");
}

Test(boot_report, what_is_not_known_is_not_told)
{
	struct early_stats s = boot_stats;

	/* Older kernels do not have these fields. */
	s.before_ftrace_init = 0;
	s.convert_cycles = 0;
	sample_report(&s, boot_trace);
	print_json(boot__write, &b);
	expect_all("ftrace_init null\nhand_over null");
	print(text_of_ten, &b);
	expect_no_text("ftrace_init");
	expect_no_text("Hand-over");
}

Test(boot_report, cycles_without_a_frequency)
{
	static const char trace[] = HEADER
		IDLE "    5000000000: start_kernel <-b\n"
		IDLE "    5000000100: c <-start_kernel\n"
		IDLE "    5000002300: d <-start_kernel\n";
	struct early_stats s = boot_stats;

	cr_redirect_stderr();
	s.recorded = 3;
	s.before_ftrace_init = 2;
	s.first = 5000000000;
	s.last = 5000002300;
	s.tsc_khz = 0;
	s.recorder_cycles = 2000000;
	sample_report(&s, trace);
	boot__losses(&b);
	expect_said("times are cycles: the kernel does not know");
	print_json(boot__write, &b);
	expect_all("window.unit 'counts'\nwindow.first 5000000000\nwindow.last 5000002300\nwindow.tsc_khz null\n"
		   "hand_over null\nphases.1.start 5000000100\nphases.1.net null");
	print(text_of_ten, &b);
	expect_text("Time:      2300, from 5000000000 to 5000002300 of the clock x86-tsc\n");
}

Test(boot_report, text_folds_what_is_small)
{
	static const char lines[] =
		IDLE "    0: start_kernel <-x86\n"
		IDLE "    0: setup_arch <-start_kernel\n"
		IDLE "    1000: tiny_one <-setup_arch\n"
		IDLE "    2000: big <-setup_arch\n"
		IDLE "    5000000: tiny_two <-setup_arch\n"
		IDLE "    5001000: parse_args <-start_kernel\n"
		IDLE "    5001000: tiny_three <-parse_args\n";
	struct early_stats s = boot_stats;
	char *trace = PRINTED(f, fputs(lines, f);
			      for (int i = 0; i < 500; i++)
				      fputs(IDLE "    9000000: x <-y\n", f));

	s.recorded = 507;
	s.last = 9000000;
	sample_report(&s, trace);
	print(text_of_ten, &b);
	expect_text("-big ");
	cr_expect(strstr(text, "-tiny_one") == NULL && strstr(text, "-tiny_two") == NULL, "%s", text);
	expect_text("(2 others)");
	expect_text("parse_args");
	free(trace);
}

/* The rows of the table of phases: their names, starts and calls. */
static void expect_rows(const char *expected)
{
	char *rows = PRINTED(f, for (const char *line = strchr(strstr(text, "PHASE"), '\n'); line[1] != '\n'; line = strchr(line + 1, '\n')) {
		const char *numbers = strstr(line, " 0.00");
		char start[32], calls[32];

		cr_assert(sscanf(numbers, "%31s %*s %*s %31s", start, calls) == 2, "%s", line);
		fprintf(f, "%.*s %s %s\n", (int)(strstr(line + 1, "  ") - line - 1), line + 1, start, calls);
	});

	expect_str(rows, expected);
	free(rows);
}

/* A boot in which some phases have a large share of the time or of the calls. */
#define BUSY_CALLS 990
static const char before_busy[] =
	IDLE "    0: start_kernel <-x86\n"
	IDLE "    1000: tiny_one <-start_kernel\n"
	IDLE "    2000: inside_tiny <-tiny_one\n"
	IDLE "    3000: big_one <-start_kernel\n"
	IDLE "    4000000: tiny_two <-start_kernel\n"
	IDLE "    4001000: big_two <-start_kernel\n"
	IDLE "    8000000: tiny_three <-start_kernel\n"
	IDLE "    8001000: tiny_four <-start_kernel\n"
	IDLE "    8002000: tiny_five <-start_kernel\n"
	IDLE "    8003000: busy <-start_kernel\n";
static const char after_busy[] =
	IDLE "    8004000: tiny_six <-ftrace_process_locs\n"
	IDLE "    8005000: tiny_seven <-start_kernel\n";

static void report_of_small_ones(void)
{
	struct early_stats s = boot_stats;
	char *trace = PRINTED(f, fputs(before_busy, f);
			      for (int i = 0; i < BUSY_CALLS; i++)
				      fputs(IDLE "    8003000: x <-y\n", f);
			      fputs(after_busy, f));

	s.recorded = 10 + BUSY_CALLS + 2;
	s.before_ftrace_init = 10 + BUSY_CALLS;
	s.last = 8005000;
	sample_report(&s, trace);
	cr_expect(counters__get(&b.early.lost, "missing") == 0);
	free(trace);
}

Test(boot_report, the_text_begins_at_the_first_call)
{
	static const char trace[] = HEADER
		IDLE "    5000000000: start_kernel <-b\n"
		IDLE "    5000100000: c <-start_kernel\n"
		IDLE "    5000300000: d <-start_kernel\n";
	struct early_stats s = boot_stats;

	s.recorded = 3;
	s.before_ftrace_init = 0;
	s.first = 5000000000;
	s.last = 5000300000;
	sample_report(&s, trace);
	print(text_of_ten, &b);
	expect_rows("before start_kernel 0.000000 1\nc 0.000100 1\nd 0.000300 1\n");
	expect_text("Time:      0.000300 s, from 5.000000 to 5.000300 of the clock");
	print_json(boot__chrome, &b);
	expect_all("traceEvents.4.name 'c'\ntraceEvents.4.ts 100.000");
}

Test(boot_report, text_folds_small_ones_in_a_row)
{
	report_of_small_ones();
	print(text_of_ten, &b);
	expect_rows("(2 others) 0.000000 3\nbig_one 0.000003 1\ntiny_two 0.004000 1\nbig_two 0.004001 1\n(3 others) 0.008000 3\n"
		    "busy 0.008003 991\n(2 others) 0.008004 2\n");
}

Test(boot_report, json_folds_nothing)
{
	report_of_small_ones();
	print_json(boot__write, &b);
	cr_expect(json_object_array_length(at(object, "phases")) == 11);
	expect_all("phases.1.name 'tiny_one'\nphases.1.phases.0.name 'inside_tiny'\nphases.9.name 'ftrace_init'");
}

Test(boot_report, chrome_has_phases_and_calls)
{
	struct json_object *events;

	sample_report(&boot_stats, boot_trace);
	print_json(boot__chrome, &b);
	events = at(object, "traceEvents");
	/* Labels, outer phases, inner phases, and calls. */
	cr_expect(json_object_array_length(events) == 3 + 4 + 3 + 14);
	/* The first call ends with the next call by an untraced function, as it makes no later calls. */
	expect_all("traceEvents.0 {'name':'process_name','ph':'M','pid':1,'tid':1,'args':{'name':'early boot of 6.12.0-test'}}\n"
		   "traceEvents.1.name 'thread_name'\ntraceEvents.2.args.name 'calls'\ntraceEvents.3.name 'before start_kernel'\n"
		   "traceEvents.5 {'name':'setup_arch','cat':'phase','ph':'X','ts':20.000,'dur':880.000,'pid':1,'tid':1,"
		   "'args':{'calls':8,'functions':5}}\n"
		   "traceEvents.8 {'name':'ftrace_init','cat':'phase','ph':'X','ts':900.000,'dur':50.000,'pid':1,'tid':1,"
		   "'args':{'calls':2,'functions':1}}\ntraceEvents.9.name 'memset'\n"
		   "traceEvents.10 {'name':'x86_64_start_kernel','cat':'call','ph':'X','ts':0.000,'dur':900.000,'pid':1,'tid':2,"
		   "'args':{'caller':'secondary_startup_64'}}\notherData.lost.lost 0\notherData.calls_shown 14");
	expect_nesting(events, 1);
	expect_nesting(events, 2);
}

Test(boot_report, time_without_that_of_the_recorder)
{
	struct early_stats s = boot_stats;

	/* 2 us for each call. */
	s.recorder_cycles = 2000000;
	sample_report(&s, boot_trace);
	print_json(boot__write, &b);
	/* Two calls cost more than the whole time. */
	expect_all("phases.2.time 880000\nphases.2.net 864000\nphases.3.phases.0.net 0\ncost.thousand_calls_ns 2000000");
	print(text_of_ten, &b);
	expect_text(" NET ");
	expect_text("0.000880   0.000864");
	expect_text("Recorder:  about 0.000028 s of that, 2000.0 ns a call");
	/* On a machine on which the cost is not known. */
	sample_report(&boot_stats, boot_trace);
	print(text_of_ten, &b);
	expect_no_text("NET");
	print_json(boot__write, &b);
	expect_all("phases.2.net null\ncost.thousand_calls_ns null");
}

Test(boot_report, a_hole_has_a_line)
{
	static const char trace[] = HEADER
		IDLE "    0: start_kernel <-b\n"
		IDLE "    1000: setup <-start_kernel\n"
		IDLE "    1000: early_ftrace_hand_over: [LOST 1234 EVENTS]\n"
		IDLE "    3000: x <-setup\n"
		LATER;
	struct early_stats s = boot_stats;

	s.recorded = 3;
	s.lost = 1234;
	s.hole_count = 1;
	s.holes[0] = (struct early_hole){ 2, 1234 };
	s.before_ftrace_init = 0;
	sample_report(&s, trace);
	print(text_of_ten, &b);
	expect_text("\n(1234 calls are lost) ");
	print_json(boot__write, &b);
	expect_all("phases.1.time 0\nphases.2 {'name':null,'kind':'hole','start':1000,'time':2000,'net':null,"
		   "'lost':1234,'calls':0,'functions':0,'callers':null,'phases':[]}\nphases.3.name null");
}
