// SPDX-License-Identifier: GPL-2.0
/*
 * hytrace boot: the account of a boot, from made-up times. Each part has a different, round time, by
 * which a test can recognize it.
 */
#include <errno.h>
#include <unistd.h>

#include "boot/account.h"
#include "printed.h"

#define SECOND 1000000000ll
#define MS 1000000ll

/*
 * The reset is 8 s before the clock's zero; the initcalls begin at 1 s, /init is started at 3 s and
 * systemd at 4 s. CLOCK_MONOTONIC is half a second behind.
 */
static const struct span levels[] = {
	{ .name = "early", .start = 1 * SECOND, .end = 1200 * MS }, { .name = "pure", .start = 1200 * MS, .end = 1300 * MS },
	{ .name = "core", .start = 1300 * MS, .end = 1400 * MS }, { .name = "postcore", .start = 1400 * MS, .end = 1500 * MS },
	{ .name = "arch", .start = 1500 * MS, .end = 1600 * MS }, { .name = "subsys", .start = 1600 * MS, .end = 1700 * MS },
	{ .name = "fs", .start = 1700 * MS, .end = 1800 * MS }, { .name = "device", .start = 1800 * MS, .end = 1900 * MS },
	{ .name = "late", .start = 1900 * MS, .end = 2400 * MS },
};
static const struct span calls[] = {
	{ .name = "f", .in = "pure", .start = 1210 * MS, .end = 1240 * MS },
	{ .name = "h", .in = "pure", .start = 1250 * MS, .end = NOT_KNOWN },
	{ .name = "g", .in = "core", .start = 1310 * MS, .end = 1340 * MS },
};
/* Much later, systemd has executed itself anew. */
static const struct span inits[] = {
	{ .name = "/init", .start = 3 * SECOND, .end = 3500 * MS },
	{ .name = "/bin/switch", .start = 3500 * MS, .end = 4 * SECOND },
	{ .name = "/sbin/init", .start = 4 * SECOND, .end = 99 * SECOND },
	{ .name = "/sbin/init", .start = 99 * SECOND, .end = NOT_KNOWN },
};
static char *after_a[] = { "a", NULL };
#define NEVER NOT_KNOWN
static const struct boot_unit units[] = {
	{ "a", "active", NULL, 6 * SECOND, 8 * SECOND, NEVER, NEVER },
	{ "b", "active", NULL, 7 * SECOND, 9 * SECOND, NEVER, NEVER },
	{ "top", "active", NULL, 10 * SECOND, 10 * SECOND, NEVER, NEVER, .after = after_a },
	{ "c", "inactive", NULL, 10 * SECOND, NEVER, NEVER, 11 * SECOND },
	{ "later", "active", NULL, 50 * SECOND, 60 * SECOND, NEVER, NEVER },
};

static struct boot b;
static struct boot_unit list[5];
static struct clock_range ahead[4];

static void make(void)
{
	boot__init(&b);
	memcpy(list, units, sizeof(units));
	for (size_t i = 0; i < 4; i++)
		ahead[i] = clock_anything;
	b.has_start = true;
	b.levels = (struct span_list){ (struct span *)levels, 9 };
	b.initcalls = (struct span_list){ (struct span *)calls, 3 };
	b.inits = (struct span_list){ (struct span *)inits, 4 };
	b.clock.tsc_known = true;
	b.clock.mult = 1;
	b.clock.zero = -8 * SECOND;
	b.clock.since_reset = 8 * SECOND;
	b.clock.ahead = SECOND / 2;
	b.clock.error = 0;
	b.units.known = true;
	b.units.target = "top";
	b.units.list = list;
	b.units.count = 5;
	b.units.manager.userspace = 4 * SECOND;
	b.units.manager.load_finish = 5 * SECOND;
	b.units.manager.finish = 12 * SECOND;
}

/* Frees the boot without its static members. */
static void forget(void)
{
	struct boot *boots[] = { &b };

	free_printed();
	b.levels = b.initcalls = b.inits = (struct span_list){};
	b.units.list = NULL;
	b.units.count = 0;
	b.ahead = NULL;
	boot__free(boots[0]);
}

TestSuite(account, .init = make, .fini = forget);

/* Divides the boot, and checks that the times add up to the total. */
static void divide_with(const char *log)
{
	FILE *f = log ? fmemopen((char *)log, strlen(log), "r") : NULL;
	int64_t sum = 0;

	free(b.parts.list);
	b.parts = (struct boot_parts){};
	b.ahead = ahead;
	boot__divide(&b, f);
	for (size_t i = 0; i < b.parts.count; i++)
		sum += b.parts.list[i].time != NOT_KNOWN ? b.parts.list[i].time : 0;
	cr_expect(sum + b.parts.not_accounted == b.parts.total);
	if (f)
		fclose(f);
}

static void divide(void)
{
	divide_with(NULL);
}

static const struct boot_part *find(enum part_kind kind, const char *level)
{
	for (size_t i = 0; i < b.parts.count; i++) {
		const struct boot_part *part = &b.parts.list[i];

		if (part->kind == kind && (!level || (part->level && !strcmp(part->level, level))))
			return part;
	}
	cr_assert(false, "there is no part %d", kind);
	return NULL;
}

/* Parts as "NAME TIME", with "/LEVEL" after the name, and "+N" after the time if it includes N parts before; in ms. */
static void expect_parts(const char *expected)
{
	char *copy = strdup(expected), *rest = copy, *word, got[128];

	while ((word = strsep(&rest, ","))) {
		char *name = word + strspn(word, " "), *level = strchr(name, '/');
		const struct boot_part *part;
		int kind = 0;

		while (strncmp(name, boot_part_names[kind], strcspn(name, "/ ")) || boot_part_names[kind][strcspn(name, "/ ")])
			kind++;
		level = level ? strndup(level + 1, strcspn(level + 1, " ")) : NULL;
		part = find(kind, level);
		snprintf(got, sizeof(got), "%s%s%s ", boot_part_names[kind], level ? "/" : "", level ?: "");
		if (part->time == NOT_KNOWN)
			strcat(got, "?");
		else
			sprintf(got + strlen(got), "%g", (double)part->time / MS);
		if (part->with)
			sprintf(got + strlen(got), "+%d", (int)part->with);
		expect_str(got, name);
		free(level);
	}
	free(copy);
}

static void set_firmware(int64_t start, int64_t end)
{
	b.firmware = (struct boot_firmware){ FIRMWARE_FPDT, start * SECOND, end * SECOND };
}

Test(account, all_is_known)
{
	b.first_call = 7500 * MS;
	set_firmware(4, 7);
	divide();
	expect_parts("firmware 4000, loader 3000, unpacking 500, before_clock 500");
	cr_expect(find(PART_BEFORE_CLOCK, NULL)->start == -500 * MS);
	expect_parts("before_initcalls 1000, initcalls/early 200, initcalls/late 500, after_initcalls 600, "
		     "initrd 1000");
	cr_expect(eq(str, (char *)b.parts.init, "/sbin/init"));
	/* 5 s of systemd's clock are 5.5 s of the kernel's. */
	expect_parts("init 1500");
	/* From 5 s to 10 s. In the first and in the last second, no unit was starting. */
	expect_parts("units 3000");
	/* From 10 s to 12 s. One unit took a second, until its end. */
	expect_parts("rest 1000, between 3000");
	cr_expect(b.parts.not_accounted == 0 && b.parts.total == 20500 * MS);
	cr_expect(list[0].start == 6500 * MS && list[0].active == 8500 * MS && list[3].active == NOT_KNOWN);
}

Test(account, what_is_not_known_is_in_the_next_part)
{
	divide();
	expect_parts("firmware ?");
	cr_expect(find(PART_FIRMWARE, NULL)->start == -8 * SECOND, "it begins with the reset");
	expect_parts("loader ?");
	cr_expect(find(PART_LOADER, NULL)->start == NOT_KNOWN);
	expect_parts("before_clock 8000+2");
	/* Without the TSC, the boot begins with the kernel's clock. */
	b.clock.since_reset = NOT_KNOWN;
	divide();
	expect_parts("before_clock ?, before_initcalls 1000");
	cr_expect(b.parts.total == 12500 * MS);
	/* The durations of the firmware may still be known. */
	set_firmware(4, 7);
	divide();
	expect_parts("firmware 4000, loader 3000");
	cr_expect(find(PART_LOADER, NULL)->start == NOT_KNOWN);
	expect_parts("before_clock ?");
	cr_expect(b.parts.total == 19500 * MS);
	/* With kexec, the TSC counts since the reset before the first kernel. */
	b.firmware = (struct boot_firmware){ FIRMWARE_NONE, NOT_KNOWN, NOT_KNOWN, true };
	b.clock.since_reset = 8 * SECOND;
	b.first_call = 7500 * MS;
	divide();
	expect_parts("unpacking ?, before_clock 500");
	cr_expect(b.parts.total == 13 * SECOND);
}

/* Whatever the firmware and the TSC tell, the kernel's own parts have the times of its events. */
Test(account, firmware_and_tsc_that_contradict_each_other)
{
	static const struct {
		int64_t end, since, total;	/* s */
	} cases[] = {
		/* The TSC began 2 s later; a warm start has not cleared it; the two agree. */
		{ 10, 8, 22 }, { 9, 86400, 21 }, { 8, 8, 20 },
	};

	for (size_t i = 0; i < 3; i++) {
		b.clock.since_reset = cases[i].since * SECOND;
		set_firmware(7, cases[i].end);
		divide();
		expect_parts("firmware 7000");
		expect_parts(i == 0 ? "loader 3000, before_clock ?" : i == 1 ? "loader 2000, before_clock ?" : "loader 1000, before_clock 0");
		expect_parts("before_initcalls 1000, after_initcalls 600");
		cr_expect(b.parts.total == cases[i].total * SECOND + SECOND / 2, "%ld", (long)b.parts.total);
	}
	/* A first call after the zero of the kernel's clock is ignored. */
	b.first_call = 9 * SECOND;
	divide();
	expect_parts("unpacking ?, before_initcalls 1000");
}

/* NTP has moved the clock by 0.3 s since: then systemd seems to begin before it was executed. */
Test(account, ntp_does_not_move_the_boot)
{
	ahead[0] = (struct clock_range){ SECOND / 2 - 3000, SECOND / 2 + 3000 };
	ahead[2] = (struct clock_range){ SECOND / 2 - 2000, SECOND / 2 + 2000 };
	for (int slewed = -300; slewed <= 300; slewed += 300) {
		b.clock.ahead = SECOND / 2 + slewed * MS;
		b.clock.error = SECOND / 2;
		divide();
		expect_parts("initrd 1000, init 1500");
		cr_expect(b.parts.total == 20500 * MS && b.clock.error == 2001);
	}
}

#define RUN(us, facility, program) facility ",5," us ",-;Run " program " as init process\n SUBSYSTEM=x\n"

/* The kernel's log tells it on any boot. */
Test(account, without_events_the_log_tells_when_init_was_started)
{
	b.has_start = false;
	b.levels.count = b.initcalls.count = b.inits.count = 0;
	divide();
	expect_parts("before_initcalls ?, after_initcalls ?");
	/* Until systemd began. */
	expect_parts("initrd 4500+3, init 1000");
	divide_with("6,1,100,-;Linux version\n" RUN("2000000", "6", "/init") RUN("9000000", "14", "/forged"));
	expect_parts("after_initcalls 2000+2, initrd 2500");
	cr_expect(b.parts.init == NULL);
	/* The log has a clock of its own on some machines. */
	b.clock.log_ahead = SECOND;
	divide_with(RUN("2000000", "6", "/init"));
	expect_parts("after_initcalls 3000+2");
	/* Without an initramfs, the last program that the kernel has tried is there. */
	divide_with(RUN("1000000", "6", "/sbin/init") RUN("2000000", "6", "/bin/sh") "6,9");
	expect_parts("after_initcalls 3000+2, initrd 0");
	cr_expect(eq(str, (char *)b.parts.init, "/bin/sh"));
	/* A systemd in the initrd tells when it began. */
	b.units.manager.initrd = 2 * SECOND;
	divide_with("6,1,100,-;Run /init as x\nx\n");
	expect_parts("after_initcalls 2500+2, initrd 2000");
}

Test(account, the_events_of_a_level_are_missing)
{
	struct span some[] = { levels[0], levels[1], levels[3] };

	/* Without the event of "core", the level "pure" includes its time. */
	some[1].end = 1400 * MS;
	b.levels = (struct span_list){ some, 3 };
	divide();
	expect_parts("initcalls/pure 40, initcalls/postcore 0");
	cr_expect(find(PART_LEVEL, "postcore")->start == 1400 * MS);
	expect_parts("after_initcalls 0");
	cr_expect(b.parts.not_accounted == 160 * MS + 1600 * MS, "%ld", (long)b.parts.not_accounted);
	/* If the first level is missing, the times of all levels are unknown. */
	b.levels = (struct span_list){ some + 1, 2 };
	divide();
	expect_parts("after_initcalls 3000+2");
}

Test(account, another_init)
{
	b.units.list = NULL;
	boot_units__not_known(&b, "process 1 is not systemd");
	divide();
	expect_parts("initrd 500");
	cr_expect(eq(str, (char *)b.parts.init, "/bin/switch"), "the second one, for lack of better");
	expect_parts("init ?, units ?, between ?");
	cr_expect(b.parts.total == 11500 * MS);
	/* No initrd. */
	b.inits.count = 1;
	divide();
	expect_parts("initrd 0");
	b.inits.count = 0;
	divide();
	expect_parts("after_initcalls ?, initrd ?");
	cr_expect(b.parts.init == NULL);
}

/* ---- inexact clocks and units */

Test(account, clocks_have_errors)
{
	/* The time of a part is never negative. */
	b.units.manager.load_finish = 3 * SECOND;
	divide();
	expect_parts("init 0");
	/* NTP has made systemd's clock slower since, so systemd's times seem too early. */
	b.clock.ahead = -SECOND / 10;
	divide();
	cr_expect(eq(str, (char *)b.parts.init, "/bin/switch"), "as the clocks are said to be exact");
	b.clock.error = SECOND / 5;
	divide();
	cr_expect(eq(str, (char *)b.parts.init, "/sbin/init"));
	expect_parts("initrd 1000");
	/* Even with the large error after a year, the systemd of 99 s is not taken. */
	b.clock.error = 1000 * SECOND;
	divide();
	expect_parts("initrd 1000");
}

/* The rest includes the part before it, so it is longer than the time since the last known end. */
Test(account, a_part_whose_end_is_not_known)
{
	b.units.target = "never";
	divide();
	expect_parts("units ?");
	/* From 5 s to 12 s. For 4 s of this time, a, b or c was starting. */
	expect_parts("rest 4000+1, between 3000");
	cr_expect(b.parts.total == 20500 * MS);
	b.units.target = "top";
	b.units.manager.load_finish = NOT_KNOWN;
	divide();
	expect_parts("init ?, units 6500+1, rest 1000, between 1000");
	/* The gaps between units are not known. */
	b.units.target = "never";
	divide();
	expect_parts("rest 8500+2, between ?");
	/* By errors of the clocks, a part is shorter than the gaps between its units. */
	struct span late[] = { inits[0], { .name = "/sbin/init", .start = 10400 * MS } };

	b.inits = (struct span_list){ late, 2 };
	b.clock.error = 10 * SECOND;
	b.units.target = "top";
	b.units.manager.load_finish = 5 * SECOND;
	divide();
	expect_parts("init 0, units 0, between 1100");
	cr_expect(b.parts.total == 20500 * MS, "%ld", (long)b.parts.total);
}

Test(account, units_that_were_started_again)
{
	static const struct {
		int64_t activating, deactivated, count;
	} cases[] = {
		{ 50, 0, 0 }, { 50, 61, 0 }, { 50, 50, 1 }, { 12, 11, 0 },
	};

	for (size_t i = 0; i < 4; i++) {
		list[4].activating = cases[i].activating * SECOND;
		list[4].deactivated = cases[i].deactivated ? cases[i].deactivated * SECOND : NEVER;
		divide();
		cr_expect(b.parts.started_again == cases[i].count, "%zu: %ld", i, (long)b.parts.started_again);
	}
}

/* ---- text and json */

static void print_text(void)
{
	divide();
	PRINT(f, boot__time_text(&b, f); boot__units_text(&b, 10, f));
}

static void print_json(void)
{
	divide();
	PRINT(f, boot__write(&b, f));
	parse_text();
}

Test(account, text_and_json)
{
	print_text();
	expect_text("The whole boot, 20.500000 s");
	expect_text("\nfirmware ");
	expect_text("-8.000000    unknown");
	expect_text("\nkernel, until its clock, with the 2 rows above  -8.000000   8.000000   39.0%");
	expect_text("\nnot accounted for  ");
	expect_text("\nIt begins with the reset");
	expect_text("\nsystemd-analyze counts 12.000 s: CLOCK_MONOTONIC has missed 0.500 s until the "
		    "kernel had chosen its source, and it knows nothing of");
	expect_text("\nlater  50.500000  10.000000 active");
	expect_text("\nWhat top had to wait for");
	expect_text("6.000000 \n`-a          2.000000   2.000000");
	print_json();
	expect_at(object, "parts.total", "20500000000");
	expect_at(object, "parts.rows.0", "{\"name\":\"firmware\",\"level\":null,\"start\":-8000000000,"
					  "\"time\":null,\"with\":0}");
	expect_at(object, "parts.rows.4.level", "\"early\"");
	expect_at(object, "parts.started_again", "0");
	expect_at(object, "firmware.source", "null");
	expect_at(object, "firmware.loader_end", "null");
	expect_at(object, "firmware.tsc_since_reset", "8000000000");
	expect_at(object, "userspace.manager", "\"systemd\"");
	expect_at(object, "userspace.complete", "true");
	expect_at(object, "userspace.local_ahead", "500000000");
	expect_at(object, "userspace.why_no_local_ahead", "null");
	expect_at(object, "units.0", "{\"name\":\"a\",\"state\":\"active\",\"result\":null,\"start\":6500000000,"
				     "\"time\":2000000000,\"active\":8500000000,\"start_monotonic\":6000000000,"
				     "\"active_monotonic\":8000000000,\"stop_monotonic\":null,"
				     "\"inactive_monotonic\":null,\"after\":null,\"names\":null}");
	expect_at(object, "units.3.time", "1000000000");
	expect_at(object, "units.2.after", "[\"a\"]");
	/* Without an end, and without systemd. */
	b.units.manager.finish = NOT_KNOWN;
	list[0].activated = NEVER;
	print_text();
	expect_text(" more parts after these, of which nothing is known\n");
	expect_no_text("\nunits, until the boot");
	expect_no_text("systemd-analyze");
	expect_no_text("had to wait for");
	print_json();
	expect_at(object, "userspace.complete", "false");
	expect_at(object, "units.0.time", "null");
	b.units.list = NULL;
	boot_units__not_known(&b, "process 1 is not systemd");
	print_text();
	expect_no_text("units that systemd");
	print_json();
	expect_at(object, "units", "null");
	expect_at(object, "userspace.complete", "null");
	expect_at(object, "userspace.finish", "null");
	expect_at(object, "userspace.why_not", "\"process 1 is not systemd\"");
	expect_at(object, "parts.started_again", "null");
}

/* What a view prints of the document is what it prints of the live boot. */
Test(account, a_document_says_the_same)
{
	char path[] = "/tmp/boot.XXXXXX.json", *live, *json;
	struct boot read;
	FILE *f;

	list[3].result = "exit-code";
	set_firmware(4, 7);
	b.clock.slewed = 20 * MS;
	print_json();
	json = strdup(text);
	f = fdopen(mkstemps(path, 5), "w");
	fputs(json, f);
	fclose(f);
	live = PRINTED(f, boot__time_text(&b, f); boot__units_text(&b, 10, f); boot__blame(&b, 99, false, f));
	cr_assert(boot__read(&read, path) == 0);
	PRINT(f, boot__time_text(&read, f); boot__units_text(&read, 10, f); boot__blame(&read, 99, false, f));
	cr_expect(eq(str, text, live));
	PRINT(f, boot__write(&read, f));
	cr_expect(eq(str, text, json));
	cr_expect(read.clock.since_reset == 8 * SECOND && read.units.list[2].after && !read.units.list[3].after);
	boot__free(&read);
	unlink(path);
	free(json);
	free(live);
}

Test(account, what_systemd_leaves_out)
{
	set_firmware(4, 7);
	b.units.manager.firmware = 7 * SECOND;
	print_text();
	expect_text("\nsystemd-analyze counts 19.000 s: CLOCK_MONOTONIC has missed 0.500 s until the "
		    "kernel had chosen its source, and it leaves out the 1.000 s from the boot loader");
	expect_no_text("\nIt begins with the reset");
	/* Debian's kernel does not show the firmware's table, but systemd reads it. */
	b.firmware = (struct boot_firmware){ FIRMWARE_NONE, NOT_KNOWN, NOT_KNOWN };
	b.clock.since_reset = 14 * SECOND;
	b.units.manager.firmware = 12500 * MS;
	b.units.manager.loader = 3500 * MS;
	print_text();
	expect_parts("firmware 9000, loader 3500, before_clock 1500");
	expect_text("leaves out the 1.500 s from the boot loader to the kernel's clock");
	/* With kexec, the part includes earlier parts, so its time is not mentioned. */
	b.firmware = (struct boot_firmware){ FIRMWARE_NONE, NOT_KNOWN, NOT_KNOWN, true };
	print_text();
	expect_no_text("leaves out");
	b.firmware.kexec = false;
	b.units.manager.loader = NOT_KNOWN;
	print_text();
	expect_text(", with the 2 rows above -14.000000");
	expect_no_text("leaves out");
}

/* A difference that NTP may have made since the boot is not reported as missed ticks. */
Test(account, what_ntp_may_have_done)
{
	static const struct {
		int64_t ahead, error, slewed;
		const char *text;
	} cases[] = {
		{ 10 * MS, 0, 10 * MS, "\nsystemd-analyze counts 12.000 s: it knows nothing" },
		{ 11 * MS, 0, 0, ": CLOCK_MONOTONIC has missed 0.011 s until the kernel had chosen its source, and" },
		{ -11 * MS, 0, 0, ": CLOCK_MONOTONIC has counted 0.011 s until the kernel had chosen its source, and" },
		{ 500 * MS, 10 * MS, 0, ": CLOCK_MONOTONIC has missed 0.500 s until the kernel had chosen its source, and" },
		{ -500 * MS, 500 * MS, 0, "\nsystemd-analyze counts 12.000 s: it knows nothing" },
		{ 500 * MS, 20 * MS, 0, "\nTimes of systemd may be 0.020 s earlier or later: its clock and" },
		{ 500 * MS, 0, 11 * MS, "\nTimes of units may be up to 0.011 s earlier or later, the later the more: " },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		bool told;

		b.clock.ahead = cases[i].ahead;
		b.clock.error = cases[i].error;
		b.clock.slewed = cases[i].slewed;
		b.asked = i & 1;
		print_text();
		expect_text(cases[i].text);
		told = strstr(text, "Times of systemd may be");
		cr_expect(told == (cases[i].error > 10 * MS), "%zu", i);
		cr_expect(told == !!strstr(text, b.asked ? ", by NTP; the events that this boot was asked for do not" :
					   "; a boot with what `hytrace boot next` prints tells them better\n"), "%s", text);
		told = strstr(text, "Times of units");
		cr_expect(told == (cases[i].slewed > 10 * MS), "%zu", i);
	}
}

Test(account, what_was_started_again_is_told)
{
	list[4].deactivated = 49 * SECOND;
	list[2].name = b.units.target = "top\x1b[31m";
	print_text();
	expect_text("\n1 unit has been started again since the boot: if it was started in it, too");
	expect_text("\nWhat top\\x1b[31m had to wait for");
	cr_expect(strchr(text, '\x1b') == NULL, "%s", text);
}

Test(account, what_is_missing_is_told)
{
	cr_redirect_stderr();
	b.clock.since_reset = 86391 * SECOND;
	b.clock.unstable = true;
	b.clock.ahead = NOT_KNOWN;
	b.clock.why_no_ahead = "the machine was suspended since";
	b.units.manager.finish = NOT_KNOWN;
	b.units.jobs = 3;
	boot__account_losses(&b);
	cr_expect_stderr_eq_str("hytrace: warning: the boot is not complete: systemd has 3 jobs left, `systemctl list-jobs` shows "
				"them\n"
				"hytrace: warning: when systemd's units were started by the kernel's clock is not known: "
				"the machine was suspended since\n"
				"hytrace: warning: when the processor was reset is not known: its time stamp counter began "
				"86391.000 s before the kernel's clock, and firmware and boot loader have taken 0.000 s; a warm "
				"start may not have cleared it\n"
				"hytrace: warning: the kernel does not trust the time stamp counter: the clocks of its processors "
				"may differ, and then who woke whom, and waits across processors, are doubtful\n");
}
