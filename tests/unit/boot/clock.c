// SPDX-License-Identifier: GPL-2.0
/*
 * hytrace boot: the relations between clocks, with made-up values; and the times of the firmware.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "boot/clock.h"
#include "boot/firmware.h"
#include "boot/start.h"
#include "run/instance.h"

/* A TSC of 2 GHz: 0.5 ns per count. Its zero is 3 s before the zero of the kernel's clock. */
static const struct boot_clock two_ghz = {
	.tsc_known = true, .mult = 1u << 30, .shift = 31, .zero = -3000000000,
	.monotonic_known = true, .ahead = 250000000,
};

Test(clock, the_tsc_gives_a_time_of_the_kernel)
{
	uint64_t since;
	int64_t ns;

	cr_assert(boot_clock__from_tsc(&two_ghz, 6000000000, &ns) == 0);
	cr_expect(ns == 0, "%ld", (long)ns);
	cr_assert(boot_clock__from_tsc(&two_ghz, 8000000001, &ns) == 0);
	cr_expect(ns == 1000000000, "%ld", (long)ns);
	cr_assert(boot_clock__from_tsc(&two_ghz, 2000000000, &ns) == 0);
	cr_expect(ns == -2000000000, "before the kernel's clock: %ld", (long)ns);
	cr_assert(boot_clock__since_reset(&two_ghz, &since) == 0);
	cr_expect(since == 3000000000);
}

Test(clock, a_long_time_does_not_overflow)
{
	/* 100 days at 3 GHz */
	uint64_t tsc = 100ull * 86400 * 3000000000ull;
	uint64_t ms = clock__scale(tsc, 1431655765, 32) / 1000000;

	cr_expect(ms <= 100ull * 86400 * 1000 && ms > 100ull * 86400 * 1000 - 10, "%lu", (long)ms);
}

Test(clock, monotonic_gives_a_time_of_the_kernel)
{
	int64_t ns;

	cr_assert(boot_clock__from_monotonic(&two_ghz, 2000000000, &ns) == 0);
	cr_expect(ns == 2250000000);
}

Test(clock, what_is_not_known_is_not_told)
{
	struct boot_clock none = {}, later = two_ghz;
	uint64_t since;
	int64_t ns;

	cr_expect(boot_clock__from_tsc(&none, 1, &ns) == -ENODATA);
	cr_expect(boot_clock__from_monotonic(&none, 1, &ns) == -ENODATA);
	cr_expect(boot_clock__since_reset(&none, &since) == -ENODATA);
	/* The TSC was set to 0 after the kernel's clock had begun. */
	later.zero = 5;
	cr_expect(boot_clock__since_reset(&later, &since) == -ENODATA);
}

Test(clock, looks_make_the_range_smaller)
{
	struct clock_range r = { INT64_MIN, INT64_MAX };

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

/* ---- conclusions from readings */

/* Ranges of 3 us and 1 us, on a machine that was never suspended. */
static const struct clock_looks usual = {
	.to_monotonic = { 500000000, 500003000 }, .to_tsc = { 1000, 2000 }, .uptime = 100000000000,
};

/* NTP may have slewed CLOCK_MONOTONIC by an offset of 0.5 s, and by 500 ppm of 100 s. */
#define NTP_NS (500000000 + 50000000)

static struct boot_clock concluded(const struct clock_looks *l)
{
	struct boot_clock c = { .tsc_known = true, .mult = 1, .zero = -3000000000 };

	boot_clock__conclude(&c, l);
	return c;
}

Test(clock, conclusions)
{
	struct boot_clock c = concluded(&usual);

	cr_expect(c.tsc_known && c.monotonic_known);
	cr_expect(c.ahead == 500001500 && c.monotonic_error == 1500 + NTP_NS && c.measured_error == 1500);
	cr_expect(c.zero == -3000000000 + 1500 && c.tsc_error == 500);
	cr_expect(c.why_no_tsc[0] == '\0' && c.why_no_monotonic[0] == '\0');
}

/* ---- conclusions from events */

#define SECOND 1000000000ll

/* /init at 2 s, systemd at 3 s, executed anew at 99 s: NTP has moved CLOCK_MONOTONIC by 0.3 s. */
static struct start_init inits[] = {
	{ "/init", 2 * SECOND, { 600000000, 600040000 } },
	{ "/sbin/init", 3 * SECOND, { 500000000, 500010000 } },
	{ "/sbin/init", 99 * SECOND, { 200000000, 200010000 } },
};

static struct boot_clock of_boot(size_t first, size_t count, uint64_t userspace)
{
	struct boot_start s = { .inits = inits + first, .init_count = count };
	struct boot_clock c = { .monotonic_known = true, .ahead = 200000000, .monotonic_error = NTP_NS };

	boot_clock__of_boot(&c, &s, userspace, userspace + 20 * SECOND);
	return c;
}

/* NTP makes CLOCK_MONOTONIC faster while units are started. */
Test(clock, a_clock_that_is_slewed_after_init)
{
	struct boot_start s = { .inits = inits + 1, .init_count = 1 };
	uint64_t begun = 2500 * 1000000ll + 1000, most = 500000000 + 20 * 500000;
	const struct {
		struct boot_clock now;
		uint64_t finish, slewed;
	} cases[] = {
		{ { .monotonic_known = true, .ahead = 200005000, .measured_error = 2000, .monotonic_error = NTP_NS },
		  begun + 20 * SECOND, 300000000 + 2000 + 5001 },
		{ { .monotonic_known = true, .ahead = 800005000, .measured_error = 2000, .monotonic_error = NTP_NS },
		  begun + 20 * SECOND, 300000000 + 2000 + 5001 },
		{ { .monotonic_known = true, .ahead = 500005000, .monotonic_error = NTP_NS }, begun + 20 * SECOND, 5001 },
		/* Days later. */
		{ { .monotonic_known = true, .ahead = -9 * SECOND, .monotonic_error = 11 * SECOND }, begun + 20 * SECOND, most },
		/* The difference of the clocks now is not known. */
		{ {}, begun + 20 * SECOND, most },
		{ {}, 0, 500000000 },
		/* The boot is not complete. */
		{ { .monotonic_known = true, .ahead = 200005000, .monotonic_error = NTP_NS }, 0, 300000000 + 5001 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct boot_clock c = cases[i].now;

		boot_clock__of_boot(&c, &s, begun, cases[i].finish);
		cr_expect(c.ahead == 500005000 && c.monotonic_error == 5001, "%zu", i);
		cr_expect(c.slewed == cases[i].slewed, "%zu: %lu", i, (long)c.slewed);
	}
}

Test(clock, systemd_has_the_clock_of_its_own_beginning)
{
	struct boot_clock c = of_boot(0, 3, 2500 * 1000000ll + 1000);

	cr_expect(c.ahead == 500005000 && c.monotonic_error <= 5001, "%ld +- %lu", (long)c.ahead, (long)c.monotonic_error);
	/* systemd seems to begin before its program was executed, by less than the error. */
	c = of_boot(0, 3, 2500 * 1000000ll - 9000);
	cr_expect(c.ahead == 500005000, "%ld", (long)c.ahead);
	c = of_boot(0, 3, 2499 * 1000000ll);
	cr_expect(c.ahead == 600020000 && c.monotonic_error == 20001, "that of the initramfs: %ld", (long)c.ahead);
	/* Only the last program was recorded. */
	c = of_boot(2, 1, 2500 * 1000000ll);
	cr_expect(c.ahead == 200000000 && c.monotonic_error == NTP_NS, "as it is now");
	cr_expect(of_boot(0, 0, 1).ahead == 200000000);
}

/* A file name with newlines can forge a program of process 1, and a tick after it. */
Test(clock, a_forged_program_does_not_move_user_space)
{
	struct start_init forged[] = { inits[0], inits[1], { "/y", 99 * SECOND, { 99 * SECOND, 99 * SECOND } } };
	struct boot_start s = { .inits = forged, .init_count = 3 };
	struct boot_clock c = {};

	boot_clock__of_boot(&c, &s, 2500 * 1000000ll + 1000, 0);
	cr_expect(c.monotonic_known && c.ahead == 500005000, "%ld", (long)c.ahead);
	/* The relation that was measured now also shows that the program is too late. */
	s = (struct boot_start){ .inits = &forged[2], .init_count = 1 };
	c = (struct boot_clock){ .monotonic_known = true, .ahead = 200000000, .monotonic_error = NTP_NS };
	boot_clock__of_boot(&c, &s, 2500 * 1000000ll, 0);
	cr_expect(c.ahead == 200000000 && c.monotonic_error == NTP_NS, "%ld", (long)c.ahead);
}

Test(clock, events_tell_it_also_if_the_machine_was_suspended)
{
	struct boot_start s = { .inits = inits, .init_count = 2 };
	struct boot_clock c = { .why_no_monotonic = "the machine was suspended since" };

	boot_clock__of_boot(&c, &s, 2501 * 1000000ll, 0);
	cr_expect(c.monotonic_known && c.ahead == 500005000);
}

Test(clock, clocks_that_drift_apart_have_an_error)
{
	struct start_init drifting = { "/init", 2 * SECOND, { 500400000, 500000000 } };
	struct boot_start s = { .inits = &drifting, .init_count = 1 };
	struct boot_clock c = {};

	boot_clock__of_boot(&c, &s, 3 * SECOND, 0);
	cr_expect(c.monotonic_known && c.ahead == 500200000 && c.monotonic_error == 200001);
	/* A single bound is not enough. */
	drifting.ahead.least = INT64_MIN;
	c = (struct boot_clock){};
	boot_clock__of_boot(&c, &s, 3 * SECOND, 0);
	cr_expect(not(c.monotonic_known));
}

Test(clock, looks_that_contradict_each_other_tell_nothing)
{
	struct clock_looks l = usual;
	struct boot_clock c;

	/* The two bounds are equal. */
	l.to_monotonic.most = l.to_monotonic.least;
	cr_expect(concluded(&l).monotonic_known && concluded(&l).monotonic_error == NTP_NS);
	l.to_monotonic.most--;
	c = concluded(&l);
	cr_expect(not(c.monotonic_known));
	cr_expect(c.why_no_monotonic[0] != '\0');
	cr_expect(c.tsc_known, "this is known all the same");
	l = usual;
	l.to_tsc.most = l.to_tsc.least - 1;
	c = concluded(&l);
	cr_expect(c.tsc_known == false && strstr(c.why_no_tsc, "does not follow the TSC"));
	cr_expect(c.monotonic_known == false && strstr(c.why_no_monotonic, "does not follow the TSC"));
}

Test(clock, a_machine_that_was_suspended)
{
	struct clock_looks l = usual;
	struct boot_clock c;

	l.suspended = 1000000;
	cr_expect(concluded(&l).tsc_known && concluded(&l).monotonic_known, "two looks take some time");
	l.suspended = 1000001;
	c = concluded(&l);
	cr_expect(c.tsc_known == false && strstr(c.why_no_tsc, "suspended"));
	cr_expect(c.monotonic_known == false && strstr(c.why_no_monotonic, "suspended"));
	/* A clock that is not the TSC. */
	c = (struct boot_clock){ .why_no_tsc = "kvm-clock" };
	boot_clock__conclude(&c, &l);
	cr_expect(not(c.monotonic_known));
	cr_expect(eq(str, c.why_no_tsc, "kvm-clock"));
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
	struct boot_clock c;

	boot_clock__measure(&c, NULL);
	cr_expect(not(c.tsc_known));
	cr_expect(not(c.monotonic_known));
	cr_expect(c.why_no_tsc[0] != '\0' && c.why_no_monotonic[0] != '\0');
	boot_clock__measure(&c, "/nonexistent");
	cr_expect(c.why_no_tsc[0] != '\0' && !c.tsc_known && !c.monotonic_known);
	cr_expect(c.why_no_monotonic[0] != '\0');
}

/* ---- firmware */

static char sys[] = "/tmp/firmware.XXXXXX";

static void put(const char *file, const void *data, size_t length)
{
	char path[256];
	FILE *f;

	/* Makes the directories of the path. */
	snprintf(path, sizeof(path), "%s/%s", sys, file);
	for (char *at = path + strlen(sys) + 1; (at = strchr(at, '/')); *at++ = '/') {
		*at = '\0';
		mkdir(path, 0700);
	}
	f = fopen(path, "w");
	cr_assert(f != NULL);
	cr_assert(fwrite(data, 1, length, f) == length);
	fclose(f);
}

static void enter(void)
{
	cr_assert(mkdtemp(sys) != NULL);
}

static void leave(void)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -r %s", sys);
	cr_expect(system(command) == 0);
}

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
	put(path, data, length + 2);
}

static struct boot_firmware load(void)
{
	struct boot_firmware f;

	boot_firmware__load(&f, sys);
	return f;
}

Test(firmware, nothing_is_known_without_tables, .init = enter, .fini = leave)
{
	struct boot_firmware f = load();

	cr_expect(f.source == FIRMWARE_NONE && !f.loader_start && !f.loader_end);
	cr_expect(boot_firmware__source(&f) == NULL);
}

Test(firmware, efi_variables_are_utf16_after_attributes, .init = enter, .fini = leave)
{
	struct boot_firmware f;

	put_variable("LoaderTimeInitUSec", "1500000");
	put_variable("LoaderTimeExecUSec", "2750000");
	f = load();
	cr_expect(eq(str, (char *)boot_firmware__source(&f), "efi"));
	cr_expect(f.loader_start == 1500000000);
	cr_expect(f.loader_end == 2750000000);
}

Test(firmware, fpdt_comes_first, .init = enter, .fini = leave)
{
	struct boot_firmware f;

	put_variable("LoaderTimeInitUSec", "1500000");
	put_variable("LoaderTimeExecUSec", "2750000");
	/* Takes bootloader_launch_ns, as systemd does. */
	put(FPDT "bootloader_load_ns", "3000000000\n", 11);
	put(FPDT "bootloader_launch_ns", "4000000000\n", 11);
	put(FPDT "exitbootservice_end_ns", "5000000000\n", 11);
	f = load();
	cr_expect(eq(str, (char *)boot_firmware__source(&f), "fpdt"));
	cr_expect(f.loader_start == 4000000000 && f.loader_end == 5000000000);
	/* Firmware without EFI leaves this at 0. */
	put(FPDT "exitbootservice_end_ns", "0\n", 2);
	f = load();
	cr_expect(f.source == FIRMWARE_EFI && f.loader_end == 2750000000);
}

Test(firmware, damaged_values_are_unknown, .init = enter, .fini = leave)
{
	put_variable("LoaderTimeInitUSec", "15x");
	put_variable("LoaderTimeExecUSec", "2750000");
	cr_expect(load().source == FIRMWARE_NONE, "no number");
	put_variable("LoaderTimeInitUSec", "2750001");
	cr_expect(load().source == FIRMWARE_NONE, "it ends before it begins");
	put_variable("LoaderTimeInitUSec", "1500000");
	put_variable("LoaderTimeExecUSec", "3600000001");
	cr_expect(load().source == FIRMWARE_NONE, "more than an hour");
	put_variable("LoaderTimeExecUSec", "3600000000");
	cr_expect(load().source == FIRMWARE_EFI, "an hour");
	put_variable("LoaderTimeInitUSec", "123456789012345678901234567890123");
	cr_expect(load().source == FIRMWARE_NONE, "too long");
	put("efi/efivars/LoaderTimeInitUSec" LOADER, "\6\0\0", 3);
	cr_expect(load().source == FIRMWARE_NONE, "too short");
}

/* Debian's kernel does not show the FPDT, and GRUB writes no variables. */
Test(firmware, what_systemd_has_found)
{
	struct boot_firmware f = {};

	boot_firmware__add(&f, 12500000000, 3500000000);
	cr_expect(eq(str, (char *)boot_firmware__source(&f), "systemd"));
	cr_expect(f.loader_start == 9000000000 && f.loader_end == 12500000000);
	/* Times that are known stay. */
	boot_firmware__add(&f, 2, 1);
	cr_expect(f.loader_end == 12500000000);
	for (int i = 0; i < 4; i++) {
		f = (struct boot_firmware){ .kexec = i == 3 };
		boot_firmware__add(&f, i == 0 ? 0 : i == 1 ? 3601000000000 : 2000000000, i == 2 ? 3000000000 : 1);
		cr_expect(f.source == FIRMWARE_NONE && !f.loader_end, "%d", i);
	}
	f = (struct boot_firmware){};
	boot_firmware__add(&f, 2000000000, 0);
	cr_expect(f.source == FIRMWARE_NONE);
}

Test(firmware, a_tsc_that_it_contradicts)
{
	struct boot_firmware f = { .source = FIRMWARE_FPDT, .loader_start = 7000000000, .loader_end = 10000000000 };

	cr_expect(boot_firmware__fits(&f, 10000000000) && boot_firmware__fits(&f, 70000000000));
	cr_expect(not(boot_firmware__fits(&f, 9999999999)), "it began to count later");
	cr_expect(not(boot_firmware__fits(&f, 70000000001)), "a warm start has not cleared it");
	f = (struct boot_firmware){};
	cr_expect(boot_firmware__fits(&f, 3600000000000) && !boot_firmware__fits(&f, 3600000000001));
}

Test(firmware, kexec_is_a_boot_loader)
{
	cr_expect(boot_firmware__is_kexec(0xd0) && boot_firmware__is_kexec(0xd1));
	cr_expect(not(boot_firmware__is_kexec(0xb0)), "QEMU");
	cr_expect(not(boot_firmware__is_kexec(0x72)), "GRUB");
}
