// SPDX-License-Identifier: GPL-2.0
/*
 * hytrace boot: the relations between clocks, with made-up values; and the times of the firmware.
 */
#include <errno.h>
#include <unistd.h>

#include "base/memory.h"
#include "boot/account.h"
#include "boot/span.h"
#include "files_made.h"
#include "printed.h"
#include "run/instance.h"

#define SECOND 1000000000ll

/* A TSC of 2 GHz: 0.5 ns per count. Its zero is 3 s before the zero of the kernel's clock. */
static const struct boot_clock two_ghz = {
	.tsc_known = true, .mult = 1u << 30, .shift = 31, .zero = -3 * SECOND, .ahead = 250000000,
};

Test(clock, a_time_of_the_kernel)
{
	static const struct boot_clock three_ghz = { .tsc_known = true, .mult = 1431655765, .shift = 32 };
	/* 100 days */
	uint64_t tsc = 100ull * 86400 * 3000000000ull, ms = boot_clock__from_tsc(&three_ghz, tsc) / 1000000;

	cr_expect(ms <= 100ull * 86400 * 1000 && ms > 100ull * 86400 * 1000 - 10, "no overflow: %lu", (long)ms);
	cr_expect(boot_clock__from_tsc(&two_ghz, 6000000000) == 0);
	cr_expect(boot_clock__from_tsc(&two_ghz, 8000000001) == SECOND);
	cr_expect(boot_clock__from_tsc(&two_ghz, 2000000000) == -2 * SECOND, "before the kernel's clock");
	cr_expect(boot_clock__from_monotonic(&two_ghz, 2 * SECOND) == 2250000000);
	cr_expect(boot_clock__from_monotonic(&two_ghz, NOT_KNOWN) == NOT_KNOWN);
	cr_expect(boot_clock__from_tsc(&clock_not_known, 1) == NOT_KNOWN);
	cr_expect(boot_clock__from_monotonic(&clock_not_known, 1) == NOT_KNOWN);
}

Test(clock, looks_make_the_range_smaller)
{
	struct clock_range r = clock_anything;

	clock_range__add(&r, -100, 500);
	clock_range__add(&r, -200, 400);
	clock_range__add(&r, 100, 900);
	cr_expect(r.least == 100 && r.most == 400);
}

Test(clock, the_time_of_a_buffer)
{
	uint64_t ns = 7;

	cr_assert(clock__parse_now("entries: 1\noldest event ts:     1.000000\nnow ts:    21.113620\n"
				   "dropped events: 0\n", &ns) == 0);
	cr_expect(ns == 21113620000);
	cr_assert(clock__parse_now("now ts:     0.000001\n", &ns) == 0);
	cr_expect(ns == 1000);
	ns = 7;
	cr_expect(clock__parse_now("entries: 1\nnow ts: 57530477782\n", &ns) == -EPROTO, "a count");
	cr_expect(clock__parse_now("entries: 1\n", &ns) == -EPROTO);
	cr_expect(clock__parse_now("now ts: 1.5\n", &ns) == -EPROTO);
	cr_expect(ns == 7);
}

/* What is known of the clocks, in ns: local's lead, its error, the later one, and the reset and its error. "?": not known. */
static void print_clock(const struct boot_clock *c)
{
	const int64_t numbers[] = { c->ahead, c->error, c->slewed, c->since_reset, c->tsc_error };

	PRINT(f, for_each(one, numbers)
		      fprintf(f, *one == NOT_KNOWN ? "%s?" : "%s%ld", one == numbers ? "" : " ", (long)*one);
	      fprintf(f, "%s%s%s%s%s", c->tsc_known ? "" : "; no TSC", c->why_no_tsc ? ", as " : "", c->why_no_tsc ?: "",
		      c->why_no_ahead ? "; not ahead, as " : "", c->why_no_ahead ?: ""));
}

/* ---- conclusions from readings */

/* NTP may have slewed CLOCK_MONOTONIC by an offset of 0.5 s, and by 500 ppm of 100 s. */
#define NTP_NS (500000000 + 50000000)

/*
 * Readings of the clocks, with ranges of some us, after 100 s. On a machine that was suspended, and if readings contradict each other,
 * nothing is told.
 */
static const struct {
	int64_t zero, monotonic[2], tsc[2], suspended;
	const char *expected;
} looks[] = {
	{ -3 * SECOND, { 500000000, 500003000 }, { 1000, 2000 }, 0, "500001500 550001500 0 2999998500 500" },
	/* The TSC was set to 0 after the kernel's clock had begun. */
	{ 5, { 500000000, 500003000 }, { 1000, 2000 }, 0, "500001500 550001500 0 ? 500" },
	/* The two bounds are equal, or the lower one is larger. */
	{ -3 * SECOND, { 500000000, 500000000 }, { 1000, 2000 }, 0, "500000000 550000000 0 2999998500 500" },
	{ -3 * SECOND, { 500000000, 499999999 }, { 1000, 2000 }, 0,
	  "? ? ? 2999998500 500; not ahead, as the trace clock cannot be held against it" },
	{ -3 * SECOND, { 500000000, 500003000 }, { 1000, 999 }, 0,
	  "? ? ? ? ?; no TSC, as the trace clock does not follow the TSC; not ahead, as the trace clock does not follow the TSC" },
	/* Two looks take some time. */
	{ -3 * SECOND, { 500000000, 500003000 }, { 1000, 2000 }, 1000000, "500001500 550001500 0 2999998500 500" },
	{ -3 * SECOND, { 500000000, 500003000 }, { 1000, 2000 }, 1000001,
	  "? ? ? ? ?; no TSC, as the machine was suspended since; not ahead, as the machine was suspended since" },
};

Test(clock, conclusions)
{
	struct boot_clock c;

	for_each(one, looks) {
		struct clock_looks l = {
			.to_monotonic = { one->monotonic[0], one->monotonic[1] }, .to_tsc = { one->tsc[0], one->tsc[1] },
			.uptime = 100 * SECOND, .suspended = one->suspended,
		};

		c = (struct boot_clock){ .tsc_known = true, .mult = 1, .zero = one->zero };
		boot_clock__conclude(&c, &l);
		print_clock(&c);
		expect_str(text, one->expected);
		cr_expect(c.tsc_known == false || (c.log_ahead == 1500 && c.zero == one->zero + 1500));
		cr_expect(c.ahead == NOT_KNOWN || c.error == c.measured_error + NTP_NS);
		/* A clock that is not the TSC. */
		c = (struct boot_clock){ .why_no_tsc = "kvm-clock" };
		boot_clock__conclude(&c, &l);
		expect_str(c.why_no_tsc, "kvm-clock");
	}
}

/* ---- conclusions from events */

/* /init at 2 s, systemd at 3 s, executed anew at 99 s: NTP has moved CLOCK_MONOTONIC by 0.3 s. */
static struct span inits[] = { { .start = 2 * SECOND }, { .start = 3 * SECOND }, { .start = 99 * SECOND } };
static const struct clock_range ahead[] = {
	{ 600000000, 600040000 }, { 500000000, 500010000 }, { 200000000, 200010000 },
};

/* NTP makes CLOCK_MONOTONIC faster while units are started. */
Test(clock, a_clock_that_is_slewed_after_init)
{
	const struct span_list of_systemd = { inits + 1, 1 };
	int64_t begun = 2500 * 1000000ll + 1000, finish = begun + 20 * SECOND, most = 500000000 + 20 * 500000;
	const struct {
		int64_t ahead, measured_error, error, finish, slewed;
	} cases[] = {
		{ 200005000, 2000, NTP_NS, finish, 300000000 + 2000 + 5001 },
		{ 800005000, 2000, NTP_NS, finish, 300000000 + 2000 + 5001 },
		{ 500005000, 0, NTP_NS, finish, 5001 },
		/* Days later. */
		{ -9 * SECOND, 0, 11 * SECOND, finish, most },
		/* The difference of the clocks now is not known. */
		{ NOT_KNOWN, 0, NOT_KNOWN, finish, most }, { NOT_KNOWN, 0, NOT_KNOWN, NOT_KNOWN, 500000000 },
		/* The boot is not complete. */
		{ 200005000, 0, NTP_NS, NOT_KNOWN, 300000000 + 5001 },
	};

	for_each(one, cases) {
		struct boot_clock c = { .ahead = one->ahead, .measured_error = one->measured_error, .error = one->error };

		boot_clock__of_boot(&c, &of_systemd, ahead + 1, begun, one->finish);
		cr_expect(c.ahead == 500005000 && c.error == 5001 && c.slewed == one->slewed, "%ld: %ld", (long)one->ahead, (long)c.slewed);
	}
}

/* A file name with newlines can forge a program of process 1, and a tick after it. Clocks that drift apart have an error. */
static const struct clock_range forged[] = { ahead[0], ahead[1], { 99 * SECOND, 99 * SECOND } };
static const struct clock_range drifting[] = { { 500400000, 500000000 } }, half[] = { { INT64_MIN, 500000000 } };

/* Programs from the first one on, and when systemd began; with and without a relation that was measured. */
static const struct {
	const struct clock_range *ahead;
	size_t first, count;
	int64_t userspace;
	bool measured;
	int64_t expected, error;
} programs[] = {
	{ ahead, 0, 3, 2500001000, true, 500005000, 5001 },
	/* systemd seems to begin before its program was executed, by less than the error; or that of the initramfs is the last one. */
	{ ahead, 0, 3, 2499991000, true, 500005000, 5001 }, { ahead, 0, 3, 2499000000, true, 600020000, 20001 },
	/* Only the last program was recorded, or none: as it is now. */
	{ ahead, 2, 1, 2500000000, true, 200000000, NTP_NS }, { ahead, 0, 0, 1, true, 200000000, NTP_NS },
	/* Events tell it also if the machine was suspended. */
	{ ahead, 0, 2, 2501000000, false, 500005000, 5001 },
	/* The relation that was measured now also shows that the program is too late. */
	{ forged, 0, 3, 2500001000, false, 500005000, 5001 }, { forged, 2, 1, 2500000000, true, 200000000, NTP_NS },
	{ drifting, 0, 1, 3 * SECOND, false, 500200000, 200001 },
	/* A single bound is not enough. */
	{ half, 0, 1, 3 * SECOND, false, NOT_KNOWN, NOT_KNOWN },
};

Test(clock, systemd_has_the_clock_of_its_own_beginning)
{
	for_each(one, programs) {
		struct boot_clock measured = { .ahead = 200000000, .error = NTP_NS }, c = one->measured ? measured : clock_not_known;
		struct span_list l = { inits + one->first, one->count };

		boot_clock__of_boot(&c, &l, one->ahead + one->first, one->userspace, NOT_KNOWN);
		cr_expect(c.ahead == one->expected && c.error == one->error, "%zu: %ld +- %ld", one - programs, (long)c.ahead, (long)c.error);
	}
}

/* The clocks of a container may have an offset of a week. */
Test(clock, a_time_namespace_is_no_suspend)
{
	char path[] = "/tmp/offsets.XXXXXX";
	int fd = mkstemp(path);
	FILE *f = fdopen(fd, "w");

	cr_assert(f != NULL);
	fputs("monotonic         3600         5\nboottime        604800         7\n", f);
	fclose(f);
	cr_expect(clock__offset(path, "monotonic") == 3600 * SECOND + 5);
	cr_expect(clock__offset(path, "boottime") == 604800 * SECOND + 7);
	cr_expect(clock__suspended(604900 * SECOND + 7, 3700 * SECOND + 5, path) == 0);
	/* The offsets must not hide a suspend of 9 s. */
	cr_expect(clock__suspended(604909 * SECOND + 7, 3700 * SECOND + 5, path) == 9 * SECOND);
	unlink(path);
	cr_expect(clock__offset(path, "boottime") == 0 && clock__suspended(5, 2, path) == 3, "older kernels have none");
}

/* The result depends on whether this machine's kernel uses the TSC; if not, there is a reason. */
Test(clock, without_tracefs_nothing_is_claimed)
{
	struct strings *store = strings__new();

	for (int i = 0; i < 2; i++) {
		struct boot_clock c;

		boot_clock__measure(&c, i ? "/nonexistent" : NULL, store);
		cr_expect(not(c.tsc_known));
		cr_expect(c.since_reset == NOT_KNOWN && c.ahead == NOT_KNOWN && c.why_no_tsc && c.why_no_ahead);
	}
	strings__free(store);
}

/* ---- firmware */

static void end(void)
{
	free_printed();
	remove_files();
}

TestSuite(firmware, .init = make_files, .fini = end);
TestSuite(clock, .fini = free_printed);

#define FPDT "acpi/fpdt/boot/"
#define LOADER "-4a67b082-0a4c-41cf-b6c7-440b29bb8c4f"

static void put_variable(const char *name, const char *digits)
{
	char path[128], data[128] = { 6 };
	size_t length = 4;

	for (; *digits; digits++, length += 2)
		data[length] = *digits;
	snprintf(path, sizeof(path), "efi/efivars/%s" LOADER, name);
	/* Ends with a NUL, as variables of systemd-boot do. */
	put_file(path, data, length + 2);
}

/* "SOURCE START END" */
static void expect_firmware(const char *expected)
{
	struct boot_firmware f;

	boot_firmware__load(&f, made);
	PRINT(out, fprintf(out, f.loader_end == NOT_KNOWN ? "%d" : "%d %ld %ld", f.source, (long)f.loader_start, (long)f.loader_end));
	expect_str(text, expected);
}

#define NONE "0"

Test(firmware, fpdt_comes_before_efi_variables)
{
	expect_firmware(NONE);
	put_variable("LoaderTimeInitUSec", "1500000");
	put_variable("LoaderTimeExecUSec", "2750000");
	expect_firmware("2 1500000000 2750000000");
	/* Takes bootloader_launch_ns, as systemd does. */
	put_text(FPDT "bootloader_load_ns", "3000000000\n");
	put_text(FPDT "bootloader_launch_ns", "4000000000\n");
	put_text(FPDT "exitbootservice_end_ns", "5000000000\n");
	expect_firmware("1 4000000000 5000000000");
	/* Firmware without EFI leaves this at 0. */
	put_text(FPDT "exitbootservice_end_ns", "0\n");
	expect_firmware("2 1500000000 2750000000");
}

Test(firmware, damaged_values_are_unknown)
{
	static const char *const cases[][3] = {
		{ "15x", "2750000", NONE }, { "2750001", "2750000", NONE },
		/* More than an hour; and an hour */
		{ "1500000", "3600000001", NONE }, { "1500000", "3600000000", "2 1500000000 3600000000000" },
		{ "123456789012345678901234567890123", "2750000", NONE },
	};

	for_each(one, cases) {
		put_variable("LoaderTimeInitUSec", (*one)[0]);
		put_variable("LoaderTimeExecUSec", (*one)[1]);
		expect_firmware((*one)[2]);
	}
	/* Too short. */
	put_file("efi/efivars/LoaderTimeInitUSec" LOADER, "\6\0\0", 3);
	expect_firmware(NONE);
}

/* Debian's kernel does not show the FPDT, and GRUB writes no variables. */
Test(firmware, what_systemd_has_found)
{
	static const struct boot_firmware none = { FIRMWARE_NONE, NOT_KNOWN, NOT_KNOWN };
	static const struct {
		int64_t firmware, loader;
		bool kexec;
	} cases[] = {
		{ NOT_KNOWN, 1 }, { 3601 * SECOND, 1 }, { 2 * SECOND, 3 * SECOND }, { 2 * SECOND, 1, true }, { 2 * SECOND, NOT_KNOWN },
	};
	struct boot_firmware f = none;

	boot_firmware__add(&f, 12500000000, 3500000000);
	cr_expect(f.source == FIRMWARE_SYSTEMD && f.loader_start == 9000000000 && f.loader_end == 12500000000);
	/* Times that are known stay. */
	boot_firmware__add(&f, 2, 1);
	cr_expect(f.loader_end == 12500000000);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		f = none;
		f.kexec = cases[i].kexec;
		boot_firmware__add(&f, cases[i].firmware, cases[i].loader);
		cr_expect(f.source == FIRMWARE_NONE && f.loader_end == NOT_KNOWN, "%zu", i);
	}
}

Test(firmware, a_tsc_that_it_contradicts)
{
	struct boot_firmware f = { .source = FIRMWARE_FPDT, .loader_start = 7000000000, .loader_end = 10000000000 };

	cr_expect(boot_firmware__fits(&f, 10000000000) && boot_firmware__fits(&f, 70000000000));
	cr_expect(not(boot_firmware__fits(&f, 9999999999)), "it began to count later");
	cr_expect(not(boot_firmware__fits(&f, 70000000001)), "a warm start has not cleared it");
	f = (struct boot_firmware){};
	cr_expect(boot_firmware__fits(&f, 3600000000000) && !boot_firmware__fits(&f, 3600000000001));
	/* A boot loader that is a kernel, QEMU, and GRUB; -1 is not known. */
	cr_expect(boot_firmware__is_kexec(0xd0) && boot_firmware__is_kexec(0xd1));
	cr_expect(not(boot_firmware__is_kexec(0xb0) || boot_firmware__is_kexec(0x72) || boot_firmware__is_kexec(-1)));
}
