// SPDX-License-Identifier: GPL-2.0-only
/*
 * Measures the differences between the clocks of a boot, and reads the times of the firmware; see account.h.
 *
 * A trace buffer's file `stats` shows the current time of the buffer's clock, in microseconds. This reads another
 * clock before and after that file: the buffer's time lies between the two readings. Many such readings leave a short
 * range for the difference of the clocks.
 *
 * The page that perf_event_open() maps has the TSC's frequency and its zero, but for the clock of dmesg. If the
 * kernel began with another clock than the TSC, the clock of dmesg differs from the trace clock by a constant. The
 * readings of the TSC before and after `stats` show this constant.
 */
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>

#include "base/files.h"
#include "base/memory.h"
#include "boot/account.h"
#include "boot/next.h"
#include "run/instance.h"

#define LOOKS 64
/* NTP slews the clock for offsets below this: systemd-timesyncd, and the kernel's MAXPHASE. */
#define SLEWED_NS 500000000
/* How much the kernel lets NTP change the frequency, MAXFREQ in include/linux/timex.h. */
#define MAXFREQ_PPM 500
/* If the machine was not suspended, two readings of its clocks differ by less than this. */
#define SUSPENDED_NS 1000000

const struct boot_clock clock_not_known = {
	.since_reset = NOT_KNOWN, .tsc_error = NOT_KNOWN, .ahead = NOT_KNOWN, .error = NOT_KNOWN, .slewed = NOT_KNOWN,
};

/* ---- arithmetic */

void clock_range__add(struct clock_range *r, int64_t least, int64_t most)
{
	if (least > r->least)
		r->least = least;
	if (most < r->most)
		r->most = most;
}

const struct clock_range clock_anything = { INT64_MIN, INT64_MAX };

static bool range__is_known(const struct clock_range *r)
{
	return r->least != INT64_MIN && r->most != INT64_MAX;
}

static int64_t range__middle(const struct clock_range *r)
{
	return r->least + (r->most - r->least) / 2;
}

int64_t boot_clock__from_tsc(const struct boot_clock *c, uint64_t tsc)
{
	return c->tsc_known ? c->zero + (int64_t)((unsigned __int128)tsc * c->mult >> c->shift) : NOT_KNOWN;
}

int64_t boot_clock__from_monotonic(const struct boot_clock *c, int64_t ns)
{
	return c->ahead != NOT_KNOWN && ns != NOT_KNOWN ? ns + c->ahead : NOT_KNOWN;
}

/* The upper bound of how far NTP moves the clocks apart in this time. */
static int64_t most_slewed(int64_t time)
{
	return SLEWED_NS + time / 1000000 * MAXFREQ_PPM;
}

void boot_clock__conclude(struct boot_clock *c, const struct clock_looks *l)
{
	/* On some machines, one of the clocks stops during suspend, or the TSC begins anew. */
	const char *why = l->suspended > SUSPENDED_NS ? "the machine was suspended since" :
			  c->tsc_known && (!range__is_known(&l->to_tsc) || l->to_tsc.least > l->to_tsc.most) ?
			  "the trace clock does not follow the TSC" : NULL;

	c->ahead = c->error = c->slewed = c->since_reset = c->tsc_error = NOT_KNOWN;
	if (why) {
		c->why_no_tsc = c->tsc_known ? why : c->why_no_tsc;
		c->why_no_ahead = why;
		c->tsc_known = false;
		return;
	}
	if (range__is_known(&l->to_monotonic) && l->to_monotonic.least <= l->to_monotonic.most) {
		c->ahead = range__middle(&l->to_monotonic);
		c->measured_error = (l->to_monotonic.most - l->to_monotonic.least + 1) / 2;
		c->error = c->measured_error + most_slewed(l->uptime);
		c->slewed = 0;
	} else {
		c->why_no_ahead = "the trace clock cannot be held against it";
	}
	if (c->tsc_known) {
		c->log_ahead = range__middle(&l->to_tsc);
		c->zero += c->log_ahead;
		c->tsc_error = (l->to_tsc.most - l->to_tsc.least + 1) / 2;
		c->since_reset = c->zero <= 0 ? -c->zero : NOT_KNOWN;
	}
}

/*
 * How far the clocks have drifted apart while units were started: at most as far as until now, as NTP slews an offset
 * in one direction, and at most as far as NTP can slew in the time of a boot.
 */
static int64_t slewed_since(const struct boot_clock *then, const struct boot_clock *now, int64_t userspace, int64_t finish)
{
	int64_t most = finish > userspace ? most_slewed(finish - userspace) : INT64_MAX, apart;

	if (now->ahead == NOT_KNOWN)
		return finish != NOT_KNOWN ? most : most_slewed(0);
	apart = llabs(now->ahead - then->ahead) + now->measured_error + then->error;
	return apart < most ? apart : most;
}

/*
 * Each program that process 1 has executed tells the relation at its time. Takes the last program before systemd
 * began: systemd itself. A later program is systemd that has executed itself anew.
 */
void boot_clock__of_boot(struct boot_clock *c, const struct span_list *inits, const struct clock_range *ahead,
			 int64_t userspace, int64_t finish)
{
	const struct boot_clock now = *c;

	for (size_t i = 0; userspace != NOT_KNOWN && i < inits->count; i++) {
		int64_t middle, error, start = inits->list[i].start;

		if (!range__is_known(&ahead[i]))
			continue;
		/* If the two clocks have drifted apart meanwhile, "least" is more than "most". */
		middle = range__middle(&ahead[i]);
		error = llabs(ahead[i].most - ahead[i].least) / 2 + 1;
		if (start > userspace + middle + error)
			break;
		/* By newlines in a file name, users can forge a later program with any relation. */
		if (c->ahead != NOT_KNOWN && start > userspace + c->ahead + c->error + SLEWED_NS)
			break;
		c->ahead = middle;
		c->error = error;
		c->slewed = slewed_since(c, &now, userspace, finish);
	}
}

/* ---- measuring */

#ifdef __x86_64__
#include <x86intrin.h>

static uint64_t read_tsc(void)
{
	/* The CPU must not read the TSC earlier, out of order. */
	_mm_lfence();
	return __rdtsc();
}

/* Reads the beginning of perf's page; see linux/perf_event.h for the lock. */
static void read_page(struct boot_clock *c, const volatile struct perf_event_mmap_page *page)
{
	uint32_t lock;

	do {
		lock = page->lock;
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		c->tsc_known = page->cap_user_time_zero;
		c->mult = page->time_mult;
		c->shift = page->time_shift;
		c->zero = page->time_zero;
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
	} while (page->lock != lock || lock & 1);
}

/* Tells the clock source of CLOCK_MONOTONIC: "hpet", "kvm-clock". */
static void tell_source(struct boot_clock *c, struct strings *store)
{
	static const char *const others[] = { "hpet", "acpi_pm", "jiffies", "refined-jiffies" };
	autofree char *source = file__text("/sys/devices/system/clocksource/clocksource0/current_clocksource"), *text = NULL;

	c->why_no_tsc = "the kernel's clock is not the TSC";
	if (!source)
		return;
	source[strcspn(source, "\n")] = '\0';
	/* Other names are clocks of hypervisors: they use the TSC, and are the same on all CPUs. */
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		c->unstable |= !strcmp(source, others[i]);
	text = xasprintf("%s: its clock source is %s", c->why_no_tsc, source);
	if (strcmp(source, "tsc"))
		c->why_no_tsc = strings__add(store, text);
}

/* Finds the relation between the TSC and the clock of dmesg. */
static void find_tsc(struct boot_clock *c, struct strings *store)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .size = sizeof(attr), .config = PERF_COUNT_SW_DUMMY,
		.exclude_kernel = 1,
	};
	int fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	void *page = fd < 0 ? MAP_FAILED : mmap(NULL, sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, fd, 0);

	if (page == MAP_FAILED) {
		c->why_no_tsc = "perf_event_open() has failed";
	} else {
		read_page(c, page);
		munmap(page, sysconf(_SC_PAGESIZE));
		if (!c->tsc_known)
			tell_source(c, store);
	}
	if (fd >= 0)
		close(fd);
}
#else
static uint64_t read_tsc(void)
{
	return 0;
}

static void find_tsc(struct boot_clock *c, struct strings *store)
{
	c->why_no_tsc = "only x86 has a TSC";
}
#endif

/* Reads the clock of a buffer once, and the other clocks before and after it. */
static int look(struct boot_clock *c, int fd, struct clock_looks *l)
{
	int64_t before, after;
	uint64_t now, count_before, count_after;
	char text[1024];
	ssize_t length;

	before = clock__monotonic();
	count_before = read_tsc();
	length = pread(fd, text, sizeof(text) - 1, 0);
	count_after = read_tsc();
	after = clock__monotonic();
	text[length > 0 ? length : 0] = '\0';
	if (clock__parse_now(text, &now))
		return -ENODATA;
	clock_range__add(&l->to_monotonic, (int64_t)now - TRACE_ROUNDED_NS - after,
			 (int64_t)now + TRACE_ROUNDED_NS - before);
	if (c->tsc_known)
		clock_range__add(&l->to_tsc, (int64_t)now - TRACE_ROUNDED_NS - boot_clock__from_tsc(c, count_after),
				 (int64_t)now + TRACE_ROUNDED_NS - boot_clock__from_tsc(c, count_before));
	return 0;
}

/* Opens the file `stats` of a buffer with the clock "local"; -1: there is none. CPU 0 is always there. */
static int open_stats(const char *dir, const char *buffer)
{
	autofree char *path = xasprintf("%s%s/per_cpu/cpu0/stats", dir, buffer);
	autofree char *clock = file__text_at("%s%s/trace_clock", dir, buffer);

	return clock && strstr(clock, "[local]") ? open(path, O_RDONLY | O_CLOEXEC) : -1;
}

int64_t clock__suspended(int64_t boottime, int64_t monotonic, const char *offsets)
{
	return boottime - clock__offset(offsets, "boottime") - (monotonic - clock__offset(offsets, "monotonic"));
}

/* A delay between the two readings makes the result smaller, never larger. */
static int64_t read_suspended(void)
{
	struct timespec now[2];

	clock_gettime(CLOCK_BOOTTIME, &now[0]);
	clock_gettime(CLOCK_MONOTONIC, &now[1]);
	return clock__suspended(now[0].tv_sec * 1000000000LL + now[0].tv_nsec, now[1].tv_sec * 1000000000LL + now[1].tv_nsec,
				"/proc/self/timens_offsets");
}

void boot_clock__measure(struct boot_clock *ret, const char *dir, struct strings *store)
{
	static const char no_buffer[] = "no trace buffer with the clock \"local\" can be read";
	struct clock_looks l = {
		.to_monotonic = clock_anything, .to_tsc = clock_anything, .uptime = clock__monotonic(),
		.suspended = read_suspended(),
	};
	int fd = dir ? open_stats(dir, "/instances/" START_INSTANCE) : -1;

	*ret = clock_not_known;
	find_tsc(ret, store);
	if (dir && fd < 0)
		fd = open_stats(dir, "");
	if (fd < 0) {
		ret->why_no_tsc = ret->tsc_known ? no_buffer : ret->why_no_tsc;
		ret->why_no_ahead = no_buffer;
		ret->tsc_known = false;
		return;
	}
	for (int i = 0; i < LOOKS && !look(ret, fd, &l); i++)
		;
	boot_clock__conclude(ret, &l);
	close(fd);
}

/* ---- before the kernel */

/* The most plausible time before the kernel; systemd has this limit, too. */
#define MOST_NS 3600000000000
/* The most plausible time between the boot loader and the zero of the kernel's clock. */
#define MOST_UNPACKING_NS 60000000000

/* Of the Boot Loader Interface, https://systemd.io/BOOT_LOADER_INTERFACE */
#define LOADER "4a67b082-0a4c-41cf-b6c7-440b29bb8c4f"

/* Takes the text, which is a number as a whole, and maybe a newline; 0: it is none. */
static uint64_t take_number(char *text)
{
	uint64_t value;
	int end = 0;
	bool is_one = text && sscanf(text, "%" SCNu64 "%n", &value, &end) == 1 && (!text[end] || text[end] == '\n');

	free(text);
	return is_one ? value : 0;
}

static uint64_t read_fpdt(const char *sys, const char *name)
{
	return take_number(file__text_at("%s/acpi/fpdt/boot/%s", sys, name));
}

/* Reads an EFI variable: 4 bytes of attributes, a text in UTF-16, here of ASCII. To be freed. */
static char *read_variable(const char *sys, const char *name)
{
	autofree char *path = xasprintf("%s/efi/efivars/%s-" LOADER, sys, name);
	char data[256], *text = xcalloc(sizeof(data), 1), *to = text;
	FILE *f = fopen(path, "re");
	size_t length = f ? fread(data, 1, sizeof(data), f) : 0;

	for (size_t at = 4; at + 1 < length && data[at] && !data[at + 1]; at += 2)
		*to++ = data[at];
	if (f)
		fclose(f);
	return text;
}

bool boot_firmware__is_systemd_boot(const char *sys)
{
	autofree char *info = read_variable(sys, "LoaderInfo");

	return !strncmp(info, "systemd-boot", 12);
}

/* The upper four bits are the loader; see Documentation/arch/x86/boot.rst. */
bool boot_firmware__is_kexec(long bootloader_type)
{
	return bootloader_type >> 4 == 0xd;
}

/* Returns false without setting the times if they are not plausible. */
static bool set(struct boot_firmware *f, enum firmware_source source, uint64_t loader_start, uint64_t loader_end)
{
	if (!loader_start || loader_start > loader_end || loader_end > MOST_NS)
		return false;
	*f = (struct boot_firmware){ source, loader_start, loader_end };
	return true;
}

void boot_firmware__load(struct boot_firmware *ret, const char *sys)
{
	*ret = (struct boot_firmware){ FIRMWARE_NONE, NOT_KNOWN, NOT_KNOWN };
	ret->kexec = boot_firmware__is_kexec(file__number("/proc/sys/kernel/bootloader_type"));
	/* With kexec, the firmware's times are about the boot of the first kernel. */
	if (ret->kexec)
		return;
	/* Without EFI, an FPDT has only a part of the numbers, with another meaning. */
	if (!set(ret, FIRMWARE_FPDT, read_fpdt(sys, "bootloader_launch_ns"), read_fpdt(sys, "exitbootservice_end_ns")))
		set(ret, FIRMWARE_EFI, 1000 * take_number(read_variable(sys, "LoaderTimeInitUSec")),
		    1000 * take_number(read_variable(sys, "LoaderTimeExecUSec")));
}

void boot_firmware__add(struct boot_firmware *f, int64_t firmware, int64_t loader)
{
	if (!f->source && !f->kexec && loader > 0 && loader < firmware)
		set(f, FIRMWARE_SYSTEMD, firmware - loader, firmware);
}

bool boot_firmware__fits(const struct boot_firmware *f, int64_t since_reset)
{
	/* A document may have a source without a time. */
	if (!f->source || f->loader_end == NOT_KNOWN)
		return since_reset <= MOST_NS;
	return since_reset >= f->loader_end && since_reset - f->loader_end <= MOST_UNPACKING_NS;
}
