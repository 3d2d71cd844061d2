// SPDX-License-Identifier: GPL-2.0
/*
 * hytrace boot: first hits of the oneshot tracer as calls, and their reports.
 */
#include "boot/boot_sample.h"
#include "kernel/sample.h"

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

/* A function and its caller have one time. If one of them is not new, only the other is there. */
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

static int load_oneshot(struct early_calls *c, const struct early_stats *s, const char *text)
{
	struct kernel kernel = { .id = { .offset_known = true, .kaslr_offset = KASLR } };
	FILE *f = sample_file(boot_kallsyms), *g = sample_file(boot_traceable);
	struct places places = { .kernel = &kernel };
	int err;

	cr_assert(symbols__read(&kernel.symbols, f, NULL) == 0);
	cr_assert(traceable__read(&kernel.traceable, g, kernel.symbols) == 0);
	fclose(f);
	fclose(g);
	if (text)
		put("oneshot_entries", text);
	early_calls__init(c);
	err = early_calls__load_oneshot(c, s, dir, &places);
	kernel__free(&kernel);
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
	s.first = 1;
	cr_expect(load_oneshot(&c, &s, boot_entries) == -ENODATA);
	early_calls__free(&c);
}

Test(boot_oneshot, without_a_frequency_it_is_not_known_which_hits_are_early)
{
	static const char entries[] =
		"ffffffff82000204 function 0 0 0\n"
		"ffffffff82000304 function 0 0 0\n";
	struct early_stats s = oneshot_stats;
	struct early_calls c;

	s.tsc_khz = 0;
	s.last = 0;
	s.before_zero = s.recorded;
	cr_expect(load_oneshot(&c, &s, entries) == -EOPNOTSUPP);
	early_calls__free(&c);
}

Test(boot_oneshot, hits_before_the_clock_have_no_time)
{
	static const char entries[] =
		"ffffffff82000104 function 0 0 0\n"
		"ffffffff82000204 function 0 0 0\n"
		"ffffffff82000804 function 5000 0 0\n"
		"ffffffff82000220 caller 5000 0 0\n"
		"ffffffff82000c04 function 7050 0 0\n";
	struct boot_report r = { .early = true, .stats = oneshot_stats };
	struct json_object *object;
	char *text;

	r.kernel.id.release = strdup("6.12.0-test");
	r.stats.recorded = 4;
	r.stats.before_zero = 2;
	cr_assert(load_oneshot(&r.calls, &r.stats, entries) == 0);
	boot_report__analyse(&r);
	cr_expect(r.calls.timeless == 2);
	text = print(json_of_all, &r);
	object = parse(text);
	expect_at(object, "window.first", "null");
	expect_at(object, "window.last", "7050");
	expect_at(object, "functions.0.first", "null");
	expect_at(object, "functions.2.first", "5000");
	expect_at(object, "phases.0.start", "null");
	expect_at(object, "phases.0.time", "null");
	json_object_put(object);
	free(text);
	text = print(text_of_ten, &r);
	cr_expect(strstr(text, "without the first 2 hits: this clock began later") != NULL, "%s", text);
	cr_expect(strstr(text, "Time:      0.000002 s, from 0.000005 to 0.000007") != NULL, "%s", text);
	free(text);
	boot_report__free(&r);
	/* 0 is the time when it began. */
	r = (struct boot_report){ .early = true, .stats = oneshot_stats };
	cr_assert(load_oneshot(&r.calls, &r.stats, entries) == 0);
	cr_expect(r.calls.timeless == 0);
	early_calls__free(&r.calls);
}

static struct boot_report oneshot_report(void)
{
	struct boot_report r = { .early = true, .stats = oneshot_stats };

	r.kernel.id.release = strdup("6.12.0-test");
	cr_assert(load_oneshot(&r.calls, &oneshot_stats, boot_entries) == 0);
	boot_report__analyse(&r);
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
	struct boot_report r = { .early = true, .stats = oneshot_stats };

	r.kernel.id.release = strdup("6.12.0-test");
	cr_assert(load_oneshot(&r.calls, &oneshot_stats,
			       "ffffffff82000104 function 0 0 0\n"
			       "ffffffff82000a04 function 1000 0 0\n") == 0);
	boot_report__analyse(&r);
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
	expect_at(object, "functions.1", "{\"name\":\"start_kernel\",\"calls\":null,\"first\":1000,\"inclusive\":null,"
		  "\"inclusive_net\":null,\"self\":null,\"self_net\":null,\"open\":null,\"unknown\":null}");
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
