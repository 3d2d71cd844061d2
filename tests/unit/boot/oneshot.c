// SPDX-License-Identifier: GPL-2.0
/*
 * hytrace boot: first hits of the oneshot tracer as calls, and their reports.
 */
#include "boot/boot_sample.h"

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

/* A function and its caller have the same time. An address that is not new is left out. */
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

static const struct early_stats oneshot_stats = {
	.tracer = "oneshot", .clock = "local", .recorded = 8, .last = 7050, .sites = 7,
	.tsc_khz = 1000000,
};

/* Makes a boot from hits. */
static int load_oneshot(const struct early_stats *stats, const char *hits)
{
	struct kernel kernel = { .id = { .offset_known = true, .kaslr_offset = KASLR } };
	FILE *f = sample_file(boot_kallsyms), *g = sample_file(boot_traceable);
	struct places places = { .kernel = &kernel };
	struct early_calls calls;
	int err;

	cr_assert(symbols__read(&kernel.symbols, f, NULL) == 0);
	cr_assert(traceable__read(&kernel.traceable, g, kernel.symbols) == 0);
	fclose(f);
	fclose(g);
	put_text("oneshot_entries", hits);
	begin_boot();
	early_calls__init(&calls);
	err = early_calls__load_oneshot(&calls, stats, made, &places);
	kernel__free(&kernel);
	if (!err)
		early__fill(&b, stats, &calls, 0);
	early_calls__free(&calls);
	return err;
}

TestSuite(boot_oneshot, .init = make_files, .fini = leave);

Test(boot_oneshot, first_hits_are_calls_with_gaps)
{
	cr_assert(load_oneshot(&oneshot_stats, boot_entries) == 0);
	cr_expect(b.early.functions == 6 && b.early.callers == 8);
	PRINT(f, for_array(one, b.early.function_list, b.early.function_count)
		fprintf(f, "%s %ld ", one->name, (long)one->first));
	expect_str(text, "x86_64_start_reservations 0 start_kernel 1000 _printk 2000 setup_arch 3000 probe_roms 4000 sched_init 7050 ");
}

Test(boot_oneshot, a_set_that_was_cleared_has_nothing)
{
	struct early_stats s = oneshot_stats;

	cr_expect(load_oneshot(&s, "ffffffff82000204 function 9000 0 0\n") == -ENODATA);
	cr_expect(load_oneshot(&s, "ffffffff82000204 function 100 0 42\n") == -ENODATA);
	cr_expect(load_oneshot(&s, "") == -ENODATA);
	s.first = 1;
	cr_expect(load_oneshot(&s, boot_entries) == -ENODATA);
}

Test(boot_oneshot, without_a_frequency_it_is_not_known_which_hits_are_early)
{
	static const char entries[] =
		"ffffffff82000204 function 0 0 0\n"
		"ffffffff82000304 function 0 0 0\n";
	struct early_stats s = oneshot_stats;

	s.tsc_khz = 0;
	s.last = 0;
	s.before_zero = s.recorded;
	cr_expect(load_oneshot(&s, entries) == -EOPNOTSUPP);
}

Test(boot_oneshot, hits_before_the_clock_have_no_time)
{
	static const char entries[] =
		"ffffffff82000104 function 0 0 0\n"
		"ffffffff82000204 function 0 0 0\n"
		"ffffffff82000804 function 5000 0 0\n"
		"ffffffff82000220 caller 5000 0 0\n"
		"ffffffff82000c04 function 7050 0 0\n";
	struct early_stats s = oneshot_stats;

	s.recorded = 4;
	s.before_zero = 2;
	cr_assert(load_oneshot(&s, entries) == 0);
	cr_expect(b.early.timeless == 2);
	print_json(boot__write, &b);
	expect_all("window.first null\nwindow.last 7050\nfunctions.0.first null\nfunctions.2.first 5000\n"
		   "phases.0.start null\nphases.0.time null");
	print(text_of_ten, &b);
	expect_text("without the first 2 hits: this clock began later");
	expect_text("Time:      0.000002 s, from 0.000005 to 0.000007");
	/* With before_zero 0, the time 0 is a known time. */
	cr_assert(load_oneshot(&oneshot_stats, entries) == 0);
	cr_expect(b.early.timeless == 0);
}

Test(boot_oneshot, phases_are_of_first_hits)
{
	cr_assert(load_oneshot(&oneshot_stats, boot_entries) == 0);
	PRINT(f, for_array(p, b.early.phases, b.early.phase_count)
		fprintf(f, "%d %s %ld %ld %zu, ", p->kind, p->name ?: "?", (long)p->functions, (long)p->callers, p->inner_count));
	/* The fourth one is a function that was called before. */
	expect_str(text, "1 before start_kernel 2 2 0, 0 _printk 1 1 0, 0 setup_arch 2 3 2, 0 ? 0 1 0, 0 sched_init 1 1 0, ");
}

Test(boot_oneshot, callers_that_are_not_new_are_not_start_kernel)
{
	cr_assert(load_oneshot(&oneshot_stats,
			       "ffffffff82000104 function 0 0 0\n"
			       "ffffffff82000a04 function 1000 0 0\n") == 0);
	cr_assert(b.early.phase_count == 1);
	cr_expect(b.early.phases[0].kind == PHASE_FUNCTION);
	cr_expect(b.early.phases[0].functions == 2);
}

Test(boot_oneshot, reports)
{
	cr_assert(load_oneshot(&oneshot_stats, boot_entries) == 0);
	print_json(boot__write, &b);
	expect_all("tracer 'oneshot'\ntotals.recorded 8\ntotals.calls null\ntotals.functions 6\ntotals.callers 8\n"
		   "ftrace_init null\nphases.3 {'name':null,'kind':'function','start':6000,'time':1050,'net':null,"
		   "'lost':0,'calls':null,'functions':0,'callers':1,'phases':[]}\n"
		   "functions.1 {'name':'start_kernel','calls':null,'first':1000,'inclusive':null,"
		   "'inclusive_net':null,'self':null,'self_net':null,'open':null,'unknown':null}");
	print(text_of_ten, &b);
	expect_text("Functions: 6\nCallers:   8 places that called one\n");
	expect_text("(a function called before)");
	expect_text("CALLERS");
	expect_no_text("ftrace_init");
	print_json(boot__chrome, &b);
	cr_expect(json_object_array_length(at(object, "traceEvents")) == 2 + 5 + 2);
	expect_nesting(at(object, "traceEvents"), 1);
}
