// SPDX-License-Identifier: GPL-2.0
/*
 * hytrace boot: the parts of a boot, from made-up times. Each part has a different, round time, by
 * which a test can recognize it.
 */
#include "boot/boot_sample.h"
#include "boot/start.h"
#include "boot/whole.h"

#define SECOND 1000000000ll
#define MS 1000000ll

/*
 * The reset is 8 s before the clock's zero; the initcalls begin at 1 s, /init is started at 3 s and
 * systemd at 4 s. CLOCK_MONOTONIC is half a second behind.
 */
static struct start_level levels[] = {
	{ .name = "early", .start = 1 * SECOND, .time = SECOND / 5 },
	{ .name = "pure", .start = 1200 * MS, .time = SECOND / 10 },
	{ .name = "core", .start = 1300 * MS, .time = SECOND / 10 },
	{ .name = "postcore", .start = 1400 * MS, .time = SECOND / 10 },
	{ .name = "arch", .start = 1500 * MS, .time = SECOND / 10 },
	{ .name = "subsys", .start = 1600 * MS, .time = SECOND / 10 },
	{ .name = "fs", .start = 1700 * MS, .time = SECOND / 10 },
	{ .name = "device", .start = 1800 * MS, .time = SECOND / 10 },
	{ .name = "late", .start = 1900 * MS, .time = SECOND / 2 },
};
static struct start_initcall calls[] = {
	{ .name = "f", .level = 1, .pid = 1, .start = 1210 * MS, .time = 30 * MS, .finished = true },
	{ .name = "g", .level = 2, .pid = 1, .start = 1310 * MS, .time = 30 * MS, .finished = true },
};
static struct start_init inits[] = {
	{ "/init", 3 * SECOND, { INT64_MIN, INT64_MAX } }, { "/bin/switch", 3500 * MS, { INT64_MIN, INT64_MAX } },
	{ "/sbin/init", 4 * SECOND, { INT64_MIN, INT64_MAX } },
	/* Much later, systemd has executed itself anew. */
	{ "/sbin/init", 99 * SECOND, { INT64_MIN, INT64_MAX } },
};
static struct boot_unit list[] = {
	{ .name = "a", .state = "active", .activating = 6 * SECOND, .activated = 8 * SECOND },
	{ .name = "b", .state = "active", .activating = 7 * SECOND, .activated = 9 * SECOND },
	{ .name = "top", .state = "active", .activating = 10 * SECOND, .activated = 10 * SECOND },
	{ .name = "c", .state = "inactive", .activating = 10 * SECOND, .deactivated = 11 * SECOND },
	{ .name = "later", .state = "active", .activating = 50 * SECOND, .activated = 60 * SECOND },
};

static struct boot_start start;
static struct boot_whole whole;

static void make(void)
{
	start = (struct boot_start){
		.levels = levels, .level_count = 9, .initcalls = calls, .initcall_count = 2,
		.inits = inits, .init_count = 4,
	};
	whole = (struct boot_whole){
		.clock = {
			.tsc_known = true, .mult = 1, .shift = 0, .zero = -8 * SECOND,
			.monotonic_known = true, .ahead = SECOND / 2,
		},
		.units = {
			.known = true, .target = "top", .list = list, .count = 5,
			.manager = { .userspace = 4 * SECOND, .load_finish = 5 * SECOND, .finish = 12 * SECOND },
		},
	};
}

/* Frees the report without its static members. */
static void forget(void)
{
	boot_parts__free(&whole.parts);
	r.whole = NULL;
	free_report();
}

TestSuite(parts, .init = make, .fini = forget);

static const struct boot_part *find(enum part_kind kind, const char *level)
{
	for (size_t i = 0; i < whole.parts.count; i++) {
		const struct boot_part *part = &whole.parts.list[i];

		if (part->kind == kind && (!level || (part->level && !strcmp(part->level, level))))
			return part;
	}
	cr_assert(false, "there is no part %d", kind);
	return NULL;
}

/* @ms: the time of the part; -1: not known */
static void expect(enum part_kind kind, const char *level, int64_t ms, size_t with)
{
	const struct boot_part *part = find(kind, level);

	cr_expect(part->with == with, "%s: %zu", boot_part__name(part), part->with);
	if (ms < 0)
		cr_expect(not(part->time_known), "%s", boot_part__name(part));
	else
		cr_expect(part->time_known && (int64_t)part->time == ms * MS, "%s %s: %ld",
			  boot_part__name(part), level ?: "", (long)part->time);
}

/* Divides the boot, and checks that the times add up to the total. */
static void divide(const uint64_t *first_call)
{
	uint64_t sum = 0;

	boot_parts__free(&whole.parts);
	boot_whole__divide(&whole, &start, first_call);
	for (size_t i = 0; i < whole.parts.count; i++)
		sum += whole.parts.list[i].time_known ? whole.parts.list[i].time : 0;
	cr_expect(sum + whole.parts.not_accounted == whole.parts.total);
}

Test(parts, all_is_known)
{
	uint64_t first = 7500 * MS;

	whole.firmware = (struct boot_firmware){ FIRMWARE_EFI, 4 * SECOND, 7 * SECOND };
	divide(&first);
	expect(PART_FIRMWARE, NULL, 4000, 0);
	expect(PART_LOADER, NULL, 3000, 0);
	expect(PART_UNPACKING, NULL, 500, 0);
	expect(PART_BEFORE_CLOCK, NULL, 500, 0);
	cr_expect(find(PART_BEFORE_CLOCK, NULL)->start == -500 * MS);
	expect(PART_BEFORE_INITCALLS, NULL, 1000, 0);
	expect(PART_LEVEL, "early", 200, 0);
	expect(PART_LEVEL, "late", 500, 0);
	expect(PART_AFTER_INITCALLS, NULL, 600, 0);
	expect(PART_INITRD, NULL, 1000, 0);
	cr_expect(eq(str, (char *)whole.parts.init, "/sbin/init"));
	/* 5 s of systemd's clock are 5.5 s of the kernel's. */
	expect(PART_INIT, NULL, 1500, 0);
	/* From 5 s to 10 s. In the first and in the last second, no unit was starting. */
	expect(PART_UNITS, NULL, 3000, 0);
	/* From 10 s to 12 s. One unit took a second, until its end. */
	expect(PART_REST, NULL, 1000, 0);
	expect(PART_BETWEEN, NULL, 3000, 0);
	cr_expect(whole.parts.not_accounted == 0);
	cr_expect(whole.parts.total == 20500 * MS);
}

Test(parts, what_is_not_known_is_in_the_next_part)
{
	divide(NULL);
	expect(PART_FIRMWARE, NULL, -1, 0);
	cr_expect(find(PART_FIRMWARE, NULL)->start_known, "it begins with the reset");
	expect(PART_LOADER, NULL, -1, 0);
	cr_expect(not(find(PART_LOADER, NULL)->start_known));
	expect(PART_BEFORE_CLOCK, NULL, 8000, 2);
	cr_expect(whole.parts.total == 20500 * MS);
	/* Without the TSC, the boot begins with the kernel's clock. */
	whole.clock.tsc_known = false;
	divide(NULL);
	expect(PART_FIRMWARE, NULL, -1, 0);
	expect(PART_BEFORE_CLOCK, NULL, -1, 0);
	expect(PART_BEFORE_INITCALLS, NULL, 1000, 0);
	cr_expect(whole.parts.total == 12500 * MS);
	/* Without the TSC, the durations of the firmware may still be known. */
	whole.firmware = (struct boot_firmware){ FIRMWARE_FPDT, 4 * SECOND, 7 * SECOND };
	divide(NULL);
	expect(PART_FIRMWARE, NULL, 4000, 0);
	expect(PART_LOADER, NULL, 3000, 0);
	cr_expect(not(find(PART_LOADER, NULL)->start_known));
	expect(PART_BEFORE_CLOCK, NULL, -1, 0);
	cr_expect(whole.parts.total == 19500 * MS);
}

/* Whatever the firmware and the TSC tell, the kernel's own parts have the times of its events. */
Test(parts, firmware_and_tsc_that_contradict_each_other)
{
	static const struct {
		int64_t end, since, total;	/* s */
	} cases[] = {
		/* The TSC began 2 s later; a warm start has not cleared it; the two agree. */
		{ 10, 8, 22 }, { 9, 86400, 21 }, { 8, 8, 20 },
	};
	uint64_t first;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		whole.clock.zero = -cases[i].since * SECOND;
		whole.firmware = (struct boot_firmware){ FIRMWARE_FPDT, 7 * SECOND, cases[i].end * SECOND };
		divide(NULL);
		expect(PART_FIRMWARE, NULL, 7000, 0);
		expect(PART_LOADER, NULL, (cases[i].end - 7) * 1000, 0);
		expect(PART_BEFORE_CLOCK, NULL, i == 2 ? 0 : -1, 0);
		expect(PART_BEFORE_INITCALLS, NULL, 1000, 0);
		expect(PART_LEVEL, "early", 200, 0);
		expect(PART_AFTER_INITCALLS, NULL, 600, 0);
		cr_expect(whole.parts.total == (uint64_t)(cases[i].total * SECOND + SECOND / 2), "%ld", (long)whole.parts.total);
		cr_redirect_stderr();
		boot_whole__losses(&whole);
	}
	/* A first call after the zero of the kernel's clock is ignored. */
	first = 9 * SECOND;
	divide(&first);
	expect(PART_UNPACKING, NULL, -1, 0);
	expect(PART_BEFORE_INITCALLS, NULL, 1000, 0);
}

Test(parts, a_tsc_that_is_not_taken_is_told)
{
	cr_redirect_stderr();
	whole.clock.zero = -86391 * SECOND;
	whole.clock.unstable = true;
	boot_whole__losses(&whole);
	cr_expect_stderr_eq_str("hytrace: warning: when the processor was reset is not known: its time stamp counter began "
				"86391.000 s before the kernel's clock, and firmware and boot loader have taken 0.000 s; a warm "
				"start may not have cleared it\n"
				"hytrace: warning: the kernel does not trust the time stamp counter: the clocks of its processors "
				"may differ, and then who woke whom, and waits across processors, are doubtful\n");
}

/* NTP has moved the clock by 0.3 s since: then systemd seems to begin before it was executed. */
Test(parts, ntp_does_not_move_the_boot)
{
	inits[0].ahead = (struct clock_range){ SECOND / 2 - 3000, SECOND / 2 + 3000 };
	inits[2].ahead = (struct clock_range){ SECOND / 2 - 2000, SECOND / 2 + 2000 };
	for (int slewed = -300; slewed <= 300; slewed += 300) {
		whole.clock.ahead = SECOND / 2 + slewed * MS;
		whole.clock.monotonic_error = SECOND / 2;
		divide(NULL);
		expect(PART_INITRD, NULL, 1000, 0);
		expect(PART_INIT, NULL, 1500, 0);
		cr_expect(whole.parts.total == 20500 * MS && whole.clock.monotonic_error == 2001);
	}
	inits[0].ahead = inits[2].ahead = clock_anything;
}

/* With kexec, the TSC counts since the reset before the first kernel. */
Test(parts, a_kernel_that_another_one_has_started)
{
	uint64_t first = 7500 * MS;

	whole.firmware.kexec = true;
	divide(&first);
	expect(PART_UNPACKING, NULL, -1, 0);
	expect(PART_BEFORE_CLOCK, NULL, 500, 0);
	cr_expect(whole.parts.total == 13 * SECOND);
}

Test(parts, without_events_the_kernel_is_one_part)
{
	boot_whole__divide(&whole, NULL, NULL);
	expect(PART_BEFORE_INITCALLS, NULL, -1, 0);
	expect(PART_AFTER_INITCALLS, NULL, -1, 0);
	/* Until systemd began. */
	expect(PART_INITRD, NULL, 4500, 3);
	expect(PART_INIT, NULL, 1000, 0);
	/* A systemd in the initrd tells when it began. */
	whole.units.manager.initrd = 2 * SECOND;
	boot_parts__free(&whole.parts);
	boot_whole__divide(&whole, NULL, NULL);
	expect(PART_AFTER_INITCALLS, NULL, 2500, 2);
	expect(PART_INITRD, NULL, 2000, 0);
}

Test(parts, the_events_of_a_level_are_missing)
{
	struct start_level some[] = { levels[0], levels[1], levels[3] };

	/* Without the event of "core", the level "pure" includes its time. */
	some[1].time = 200 * MS;
	start.levels = some;
	start.level_count = 3;
	divide(NULL);
	expect(PART_LEVEL, "pure", 40, 0);
	expect(PART_LEVEL, "postcore", 0, 0);
	cr_expect(find(PART_LEVEL, "postcore")->start == 1400 * MS);
	expect(PART_AFTER_INITCALLS, NULL, 0, 0);
	cr_expect(whole.parts.not_accounted == 160 * MS + 1600 * MS, "%ld", (long)whole.parts.not_accounted);
	/* If the first level is missing, the times of all levels are unknown. */
	start.levels = &some[1];
	start.level_count = 2;
	divide(NULL);
	expect(PART_AFTER_INITCALLS, NULL, 3000, 2);
}

Test(parts, another_init)
{
	whole.units = (struct boot_units){ .why_not = "process 1 is not systemd" };
	divide(NULL);
	expect(PART_INITRD, NULL, 500, 0);
	cr_expect(eq(str, (char *)whole.parts.init, "/bin/switch"), "the second one, for lack of better");
	expect(PART_INIT, NULL, -1, 0);
	expect(PART_UNITS, NULL, -1, 0);
	expect(PART_BETWEEN, NULL, -1, 0);
	cr_expect(whole.parts.total == 11500 * MS);
	/* No initrd. */
	start.init_count = 1;
	divide(NULL);
	expect(PART_INITRD, NULL, 0, 0);
	cr_expect(whole.parts.total == 11 * SECOND);
	start.init_count = 0;
	divide(NULL);
	expect(PART_AFTER_INITCALLS, NULL, -1, 0);
	expect(PART_INITRD, NULL, -1, 0);
	cr_expect(whole.parts.init == NULL);
}

Test(parts, a_boot_that_is_not_complete)
{
	whole.units.manager.finish = 0;
	divide(NULL);
	expect(PART_INIT, NULL, 1500, 0);
	expect(PART_UNITS, NULL, -1, 0);
	expect(PART_REST, NULL, -1, 0);
}

/* Clocks have errors, but the time of a part is never negative. */
Test(parts, moments_in_a_wrong_order)
{
	whole.units.manager.load_finish = 3 * SECOND;
	divide(NULL);
	expect(PART_INIT, NULL, 0, 0);
}

/* ---- inexact clocks and units */

/* NTP has made systemd's clock slower since, so systemd's times seem too early. */
Test(parts, init_is_found_as_far_as_clocks_can_tell)
{
	whole.clock.ahead = -SECOND / 10;
	divide(NULL);
	cr_expect(eq(str, (char *)whole.parts.init, "/bin/switch"), "as the clocks are said to be exact");
	whole.clock.monotonic_error = SECOND / 5;
	divide(NULL);
	cr_expect(eq(str, (char *)whole.parts.init, "/sbin/init"));
	expect(PART_INITRD, NULL, 1000, 0);
	/* Even with the large error after a year, the systemd of 99 s is not taken. */
	whole.clock.monotonic_error = 1000 * SECOND;
	divide(NULL);
	expect(PART_INITRD, NULL, 1000, 0);
}

/* The rest includes the part before it, so it is longer than the time since the last known end. */
Test(parts, a_target_that_was_not_reached)
{
	whole.units.target = "never";
	divide(NULL);
	expect(PART_UNITS, NULL, -1, 0);
	/* From 5 s to 12 s. For 4 s of this time, a, b or c was starting. */
	expect(PART_REST, NULL, 4000, 1);
	expect(PART_BETWEEN, NULL, 3000, 0);
	cr_expect(whole.parts.total == 20500 * MS);
}

Test(parts, parts_with_others_in_them_are_not_divided)
{
	whole.units.manager.load_finish = 0;
	divide(NULL);
	expect(PART_INIT, NULL, -1, 0);
	expect(PART_UNITS, NULL, 6500, 1);
	expect(PART_REST, NULL, 1000, 0);
	expect(PART_BETWEEN, NULL, 1000, 0);
	/* The gaps between units are not known. */
	whole.units.target = "never";
	divide(NULL);
	expect(PART_REST, NULL, 8500, 2);
	expect(PART_BETWEEN, NULL, -1, 0);
}

/* By errors of the clocks, the part is shorter than the gaps between its units. */
Test(parts, gaps_are_not_longer_than_the_part)
{
	inits[2].time = 10400 * MS;
	whole.clock.monotonic_error = 10 * SECOND;
	divide(NULL);
	expect(PART_INIT, NULL, 0, 0);
	expect(PART_UNITS, NULL, 0, 0);
	expect(PART_BETWEEN, NULL, 1100, 0);
	cr_expect(whole.parts.total == 20500 * MS, "%ld", (long)whole.parts.total);
	inits[2].time = 4 * SECOND;
}

Test(parts, units_that_were_started_again)
{
	divide(NULL);
	cr_expect(whole.parts.started_again == 0, "later was started once");
	list[4].deactivated = 61 * SECOND;
	divide(NULL);
	cr_expect(whole.parts.started_again == 0, "and has ended");
	list[4].deactivated = 50 * SECOND;
	divide(NULL);
	cr_expect(whole.parts.started_again == 1);
	list[4].activating = 12 * SECOND;
	list[4].deactivated = 11 * SECOND;
	divide(NULL);
	cr_expect(whole.parts.started_again == 0, "in the boot");
}

/* ---- text and json */

static void report(void)
{
	r.whole = NULL;
	free_report();
	r.whole = &whole;
	r.kernel.id.release = strdup("6.12.0-test");
	divide(NULL);
}

Test(parts, what_is_not_known_at_the_end_is_one_line)
{
	whole.units.manager.finish = 0;
	report();
	print(text_of_ten, &r);
	expect_text(" more parts after these, of which nothing is known\n");
	expect_no_text("\nunits, until the boot");
	expect_text("\nfirmware ");
}

Test(parts, text_and_json)
{
	report();
	print(text_of_ten, &r);
	expect_text("The whole boot, 20.500000 s");
	cr_expect(strstr(text, "\nfirmware ") != NULL && strstr(text, "-8.000000    unknown") != NULL, "%s", text);
	expect_text("\nkernel, until its clock, with the 2 rows above  -8.000000   8.000000   39.0%");
	expect_text("\nnot accounted for  ");
	expect_text("\nsystemd-analyze counts 12.000 s: CLOCK_MONOTONIC has missed 0.500 s until the "
		    "kernel had chosen its source, and it knows nothing of");
	expect_text("\nlater  50.500000  10.000000 active");
	expect_text("\nWhat top had to wait for");
	print_json(json_of_all, &r);
	expect_at(object, "schema", "4");
	expect_at(object, "parts.total", "20500000000");
	expect_at(object, "parts.rows.0", "{\"name\":\"firmware\",\"level\":null,\"start\":-8000000000,"
					  "\"time\":null,\"with\":0}");
	expect_at(object, "parts.rows.2", "{\"name\":\"before_clock\",\"level\":null,\"start\":-8000000000,"
					  "\"time\":8000000000,\"with\":2}");
	expect_at(object, "parts.rows.4.level", "\"early\"");
	expect_at(object, "firmware.source", "null");
	expect_at(object, "firmware.loader_end", "null");
	expect_at(object, "firmware.tsc_since_reset", "8000000000");
	expect_at(object, "userspace.complete", "true");
	expect_at(object, "userspace.local_ahead", "500000000");
	expect_at(object, "userspace.why_no_local_ahead", "null");
	expect_at(object, "parts.started_again", "0");
	expect_at(object, "userspace.critical_chain.0.name", "\"top\"");
	expect_at(object, "units.0", "{\"name\":\"a\",\"state\":\"active\",\"result\":null,\"start\":6500000000,"
				     "\"time\":2000000000,\"active\":8500000000,\"start_monotonic\":6000000000,"
				     "\"active_monotonic\":8000000000,\"stop_monotonic\":null,"
				     "\"inactive_monotonic\":null,\"after\":[]}");
	expect_at(object, "units.3.active", "null");
	expect_at(object, "units.3.time", "1000000000");
}

Test(parts, what_systemd_leaves_out)
{
	whole.firmware = (struct boot_firmware){ FIRMWARE_EFI, 4 * SECOND, 7 * SECOND };
	whole.units.manager.firmware = 7 * SECOND;
	report();
	print(text_of_ten, &r);
	expect_text("\nsystemd-analyze counts 19.000 s: CLOCK_MONOTONIC has missed 0.500 s until the "
		    "kernel had chosen its source, and it leaves out the 1.000 s from the boot loader");
	cr_expect(strstr(text, "\nIt begins with the reset") == NULL, "the firmware knows it: %s", text);
}

Test(parts, systemd_knows_the_firmware)
{
	whole.clock.zero = -14 * SECOND;
	whole.units.manager.firmware = 12500 * MS;
	whole.units.manager.loader = 3500 * MS;
	divide(NULL);
	expect(PART_FIRMWARE, NULL, 9000, 0);
	expect(PART_LOADER, NULL, 3500, 0);
	expect(PART_BEFORE_CLOCK, NULL, 1500, 0);
	report();
	print(text_of_ten, &r);
	expect_text("leaves out the 1.500 s from the boot loader to the kernel's clock");
	/* With kexec, the part includes earlier parts, so its time is not mentioned. */
	whole.firmware = (struct boot_firmware){ .kexec = true };
	report();
	print(text_of_ten, &r);
	expect_no_text("leaves out");
	whole.firmware = (struct boot_firmware){};
	whole.units.manager.loader = 0;
	report();
	print(text_of_ten, &r);
	expect_text(", with the 2 rows above -14.000000");
	cr_expect(strstr(text, "leaves out") == NULL, "it has the firmware: %s", text);
}

/* A difference that NTP may have made since the boot is not reported as missed ticks. */
Test(parts, what_ntp_may_have_done)
{
	static const struct {
		int64_t ahead, error;
		const char *text;
	} cases[] = {
		{ 10 * MS, 0, "\nsystemd-analyze counts 12.000 s: it knows nothing" },
		{ 11 * MS, 0, ": CLOCK_MONOTONIC has missed 0.011 s until the kernel had chosen its source, and" },
		{ -11 * MS, 0, ": CLOCK_MONOTONIC has counted 0.011 s until the kernel had chosen its source, and" },
		{ 500 * MS, 10 * MS, ": CLOCK_MONOTONIC has missed 0.500 s until the kernel had chosen its source, and" },
		{ -500 * MS, 500 * MS, "\nsystemd-analyze counts 12.000 s: it knows nothing" },
		{ 500 * MS, 20 * MS, "\nTimes of systemd may be 0.020 s earlier or later: its clock and" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		bool told;

		whole.clock.ahead = cases[i].ahead;
		whole.clock.monotonic_error = cases[i].error;
		report();
		print(text_of_ten, &r);
		cr_expect(strstr(text, cases[i].text) != NULL, "%s instead of %s", text, cases[i].text);
		told = strstr(text, "Times of systemd may be");
		cr_expect(told == (cases[i].error > 10 * MS), "%zu", i);
		cr_expect(told == !!strstr(text, "; a boot with what `hytrace boot next` prints tells them better\n"), "%s", text);
		expect_no_text("Times of units");
	}
}

/* If this boot had what `hytrace boot next` prints, the report does not advise it. */
Test(parts, what_ntp_may_have_done_although_the_boot_was_asked)
{
	whole.clock.monotonic_error = 20 * MS;
	whole.asked = true;
	report();
	print(text_of_ten, &r);
	expect_text(", by NTP; the events that this boot was asked for do not tell them better\n");
	expect_no_text("boot next");
}

Test(parts, what_ntp_has_done_while_units_were_started)
{
	for (int ms = 10; ms <= 11; ms++) {
		bool told;

		whole.clock.slewed = ms * MS;
		report();
		print(text_of_ten, &r);
		told = strstr(text, "\nTimes of units may be up to 0.011 s earlier or later, the later the more: ");
		cr_expect(told == (ms > 10), "%s", text);
		print_json(json_of_all, &r);
		expect_at(object, "userspace.local_ahead_slewed", ms > 10 ? "11000000" : "10000000");
	}
}

Test(parts, what_was_started_again_is_told)
{
	list[4].deactivated = 49 * SECOND;
	list[2].name = "top\x1b[31m";
	whole.units.target = list[2].name;
	report();
	print(text_of_ten, &r);
	expect_text("\n1 unit has been started again since the boot: if it was started in it, too");
	expect_text("\nWhat top\\x1b[31m had to wait for");
	cr_expect(strchr(text, '\x1b') == NULL, "%s", text);
	print_json(json_of_all, &r);
	expect_at(object, "parts.started_again", "1");
}

Test(parts, a_trace_for_viewers_with_nothing_else)
{
	whole.units = (struct boot_units){ .why_not = "process 1 is not systemd" };
	report();
	print_json(boot_report__chrome, &r);
	expect_at(object, "traceEvents.0.args.name", "\"boot of 6.12.0-test\"");
}

Test(parts, json_without_systemd_and_without_a_tsc)
{
	whole.units = (struct boot_units){ .why_not = "process 1 is not systemd" };
	whole.clock = (struct boot_clock){
		.why_no_tsc = "its clock source is kvm-clock", .why_no_monotonic = "it was suspended",
	};
	report();
	print_json(json_of_all, &r);
	expect_at(object, "units", "null");
	expect_at(object, "userspace.manager", "null");
	expect_at(object, "userspace.complete", "null");
	expect_at(object, "userspace.why_not", "\"process 1 is not systemd\"");
	expect_at(object, "userspace.local_ahead", "null");
	expect_at(object, "userspace.why_no_local_ahead", "\"it was suspended\"");
	expect_at(object, "parts.started_again", "null");
	expect_at(object, "userspace.critical_chain", "null");
	expect_at(object, "firmware.tsc_since_reset", "null");
	expect_at(object, "firmware.why_no_tsc", "\"its clock source is kvm-clock\"");
	print(text_of_ten, &r);
	cr_expect(strstr(text, "systemd-analyze") == NULL && strstr(text, "units that systemd") == NULL, "%s", text);
}

Test(parts, a_boot_that_is_not_complete_has_no_chain)
{
	whole.units.manager.finish = 0;
	list[0].activated = 0;
	report();
	print_json(json_of_all, &r);
	expect_at(object, "userspace.complete", "false");
	expect_at(object, "userspace.finish", "null");
	expect_at(object, "userspace.critical_chain", "null");
	expect_at(object, "units.0.time", "null");
}

Test(parts, times_of_units_that_are_not_known_are_told)
{
	cr_redirect_stderr();
	whole.clock.monotonic_known = false;
	strcpy(whole.clock.why_no_monotonic, "the machine was suspended since");
	boot_whole__losses(&whole);
	cr_expect_stderr_eq_str("hytrace: warning: when systemd's units were started by the kernel's clock is not known: "
				"the machine was suspended since\n");
}
