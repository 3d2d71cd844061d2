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
	for_list(part, &b.parts)
		sum += part->time != NOT_KNOWN ? part->time : 0;
	cr_expect(sum + b.parts.not_accounted == b.parts.total);
	if (f)
		fclose(f);
}

static void divide(void)
{
	divide_with(NULL);
}

static void put_ms(FILE *f, int64_t ns)
{
	fprintf(f, ns == NOT_KNOWN ? "?" : "%g", (double)ns / MS);
}

/*
 * The boot has these parts, as "NAME TIME" or "NAME@START", and other values: with "/LEVEL" after the name, and
 * "+N" after the time if it includes N parts before; in ms.
 */
static void expect_parts(const char *expected)
{
	char *copy = strdup(expected), *rest = copy, *word;

	PRINT(f, fprintf(f, " program %s, not_accounted %g, total %g,", b.parts.init ?: "?", (double)b.parts.not_accounted / MS,
			 (double)b.parts.total / MS);
	      for_list(part, &b.parts) {
		      const char *name = boot_part_names[part->kind], *level = part->level ?: "";

		      fprintf(f, " %s%s%s@", name, *level ? "/" : "", level);
		      put_ms(f, part->start);
		      fprintf(f, ", %s%s%s ", name, *level ? "/" : "", level);
		      put_ms(f, part->time);
		      fprintf(f, part->with ? "+%d," : ",", (int)part->with);
	      });
	while ((word = strsep(&rest, ","))) {
		char item[100];

		snprintf(item, sizeof(item), " %s,", word + strspn(word, " "));
		expect_text(item);
	}
	free(copy);
}

static void expect_divided(const char *expected)
{
	divide();
	expect_parts(expected);
}

static void set_firmware(int64_t start, int64_t end)
{
	b.firmware = (struct boot_firmware){ FIRMWARE_FPDT, start * SECOND, end * SECOND };
}

Test(account, all_is_known)
{
	b.first_call = 7500 * MS;
	set_firmware(4, 7);
	/*
	 * 5 s of systemd's clock are 5.5 s of the kernel's. Units: from 5 s to 10 s; in the first and in the last second, no
	 * unit was starting. The rest: from 10 s to 12 s; one unit took a second, until its end.
	 */
	expect_divided("firmware 4000, loader 3000, unpacking 500, before_clock 500, before_clock@-500, before_initcalls 1000, "
		       "initcalls/early 200, initcalls/late 500, after_initcalls 600, initrd 1000, program /sbin/init, init 1500, "
		       "units 3000, rest 1000, between 3000, not_accounted 0, total 20500");
	cr_expect(list[0].start == 6500 * MS && list[0].active == 8500 * MS && list[3].active == NOT_KNOWN);
}

Test(account, what_is_not_known_is_in_the_next_part)
{
	/* It begins with the reset. */
	expect_divided("firmware ?, firmware@-8000, loader ?, loader@?, before_clock 8000+2");
	/* Without the TSC, the boot begins with the kernel's clock. */
	b.clock.since_reset = NOT_KNOWN;
	expect_divided("before_clock ?, before_initcalls 1000, total 12500");
	/* The durations of the firmware may still be known. */
	set_firmware(4, 7);
	expect_divided("firmware 4000, loader 3000, loader@?, before_clock ?, total 19500");
	/* With kexec, the TSC counts since the reset before the first kernel. */
	b.firmware = (struct boot_firmware){ FIRMWARE_NONE, NOT_KNOWN, NOT_KNOWN, true };
	b.clock.since_reset = 8 * SECOND;
	b.first_call = 7500 * MS;
	expect_divided("unpacking ?, before_clock 500, total 13000");
}

/* Whatever the firmware and the TSC tell, the kernel's own parts have the times of its events. */
Test(account, firmware_and_tsc_that_contradict_each_other)
{
	static const struct {
		int64_t end, since;	/* s */
		const char *parts;
	} cases[] = {
		/* The TSC began 2 s later; a warm start has not cleared it; the two agree. */
		{ 10, 8, "loader 3000, before_clock ?, total 22500" }, { 9, 86400, "loader 2000, before_clock ?, total 21500" },
		{ 8, 8, "loader 1000, before_clock 0, total 20500" },
	};

	for_each(one, cases) {
		b.clock.since_reset = one->since * SECOND;
		set_firmware(7, one->end);
		expect_divided(one->parts);
		expect_parts("firmware 7000, before_initcalls 1000, after_initcalls 600");
	}
	/* A first call after the zero of the kernel's clock is ignored. */
	b.first_call = 9 * SECOND;
	expect_divided("unpacking ?, before_initcalls 1000");
}

/* NTP has moved the clock by 0.3 s since: then systemd seems to begin before it was executed. */
Test(account, ntp_does_not_move_the_boot)
{
	ahead[0] = (struct clock_range){ SECOND / 2 - 3000, SECOND / 2 + 3000 };
	ahead[2] = (struct clock_range){ SECOND / 2 - 2000, SECOND / 2 + 2000 };
	for (int slewed = -300; slewed <= 300; slewed += 300) {
		b.clock.ahead = SECOND / 2 + slewed * MS;
		b.clock.error = SECOND / 2;
		expect_divided("initrd 1000, init 1500, total 20500");
		cr_expect(b.clock.error == 2001);
	}
}

#define RUN(us, facility, program) facility ",5," us ",-;Run " program " as init process\n SUBSYSTEM=x\n"

/* The kernel's log tells it on any boot. */
Test(account, without_events_the_log_tells_when_init_was_started)
{
	b.has_start = false;
	b.levels.count = b.initcalls.count = b.inits.count = 0;
	/* Until systemd began. */
	expect_divided("before_initcalls ?, after_initcalls ?, initrd 4500+3, init 1000");
	divide_with("6,1,100,-;Linux version\n" RUN("2000000", "6", "/init") RUN("9000000", "14", "/forged"));
	expect_parts("after_initcalls 2000+2, initrd 2500, program ?");
	/* The log has a clock of its own on some machines. */
	b.clock.log_ahead = SECOND;
	divide_with(RUN("2000000", "6", "/init"));
	expect_parts("after_initcalls 3000+2");
	/* Without an initramfs, the last program that the kernel has tried is there. */
	divide_with(RUN("1000000", "6", "/sbin/init") RUN("2000000", "6", "/bin/sh") "6,9");
	expect_parts("after_initcalls 3000+2, initrd 0, program /bin/sh");
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
	expect_divided("initcalls/pure 40, initcalls/postcore 0, initcalls/postcore@1400, after_initcalls 0, not_accounted 1760");
	/* If the first level is missing, the times of all levels are unknown. */
	b.levels = (struct span_list){ some + 1, 2 };
	expect_divided("after_initcalls 3000+2");
}

Test(account, another_init)
{
	b.units.list = NULL;
	boot_units__not_known(&b, "process 1 is not systemd");
	/* The second program, for lack of better. */
	expect_divided("initrd 500, program /bin/switch, init ?, units ?, between ?, total 11500");
	/* No initrd. */
	b.inits.count = 1;
	expect_divided("initrd 0");
	b.inits.count = 0;
	expect_divided("after_initcalls ?, initrd ?, program ?");
}

/* ---- inexact clocks and units */

Test(account, clocks_have_errors)
{
	/* The time of a part is never negative. */
	b.units.manager.load_finish = 3 * SECOND;
	expect_divided("init 0");
	/* NTP has made systemd's clock slower since, so systemd's times seem too early. The clocks are said to be exact. */
	b.clock.ahead = -SECOND / 10;
	expect_divided("program /bin/switch");
	b.clock.error = SECOND / 5;
	expect_divided("program /sbin/init, initrd 1000");
	/* Even with the large error after a year, the systemd of 99 s is not taken. */
	b.clock.error = 1000 * SECOND;
	expect_divided("initrd 1000");
}

/* The rest includes the part before it, so it is longer than the time since the last known end. */
Test(account, a_part_whose_end_is_not_known)
{
	struct span late[] = { inits[0], { .name = "/sbin/init", .start = 10400 * MS } };

	b.units.target = "never";
	/* From 5 s to 12 s. For 4 s of this time, a, b or c was starting. */
	expect_divided("units ?, rest 4000+1, between 3000, total 20500");
	b.units.target = "top";
	b.units.manager.load_finish = NOT_KNOWN;
	expect_divided("init ?, units 6500+1, rest 1000, between 1000");
	/* The gaps between units are not known. */
	b.units.target = "never";
	expect_divided("rest 8500+2, between ?");
	/* By errors of the clocks, a part is shorter than the gaps between its units. */
	b.inits = (struct span_list){ late, 2 };
	b.clock.error = 10 * SECOND;
	b.units.target = "top";
	b.units.manager.load_finish = 5 * SECOND;
	expect_divided("init 0, units 0, between 1100, total 20500");
}

Test(account, units_that_were_started_again)
{
	static const struct {
		int64_t activating, deactivated, count;
	} cases[] = {
		{ 50, 0, 0 }, { 50, 61, 0 }, { 50, 50, 1 }, { 12, 11, 0 },
	};

	for_each(one, cases) {
		list[4].activating = one->activating * SECOND;
		list[4].deactivated = one->deactivated ? one->deactivated * SECOND : NEVER;
		divide();
		cr_expect(b.parts.started_again == one->count, "%ld: %ld", (long)one->activating, (long)b.parts.started_again);
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
	expect_all("parts.total 20500000000\nparts.rows.0 {'name':'firmware','level':null,'start':-8000000000,'time':null,'with':0}\n"
		   "parts.rows.4.level 'early'\nparts.started_again 0\nfirmware.source null\nfirmware.loader_end null\n"
		   "firmware.tsc_since_reset 8000000000\nuserspace.manager 'systemd'\nuserspace.complete true\n"
		   "userspace.local_ahead 500000000\nuserspace.why_no_local_ahead null\n"
		   "units.0 {'name':'a','state':'active','result':null,'start':6500000000,'time':2000000000,'active':8500000000,"
		   "'start_monotonic':6000000000,'active_monotonic':8000000000,'stop_monotonic':null,'inactive_monotonic':null,"
		   "'after':null,'names':null}\nunits.3.time 1000000000\nunits.2.after ['a']");
	/* Without an end, and without systemd. */
	b.units.manager.finish = NOT_KNOWN;
	list[0].activated = NEVER;
	print_text();
	expect_text(" more parts after these, of which nothing is known\n");
	expect_no_text("\nunits, until the boot");
	expect_no_text("systemd-analyze");
	expect_no_text("had to wait for");
	print_json();
	expect_all("userspace.complete false\nunits.0.time null");
	b.units.list = NULL;
	boot_units__not_known(&b, "process 1 is not systemd");
	print_text();
	expect_no_text("units that systemd");
	print_json();
	expect_all("units null\nuserspace.complete null\nuserspace.finish null\nuserspace.why_not 'process 1 is not systemd'\n"
		   "parts.started_again null");
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
	expect_divided("firmware 9000, loader 3500, before_clock 1500");
	print_text();
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
