// SPDX-License-Identifier: GPL-2.0-only
/*
 * Measures the differences between the clocks of a boot; see clock.h.
 *
 * A trace buffer's file `stats` shows the current time of the buffer's clock, in microseconds. This
 * reads another clock before and after that file: the buffer's time lies between the two readings.
 * Many such readings leave a short range for the difference of the clocks.
 *
 * The page that perf_event_open() maps has the TSC's frequency and its zero, but for the clock of
 * dmesg. If the kernel began with another clock than the TSC, the clock of dmesg differs from the
 * trace clock by a constant. The readings of the TSC before and after `stats` show this constant.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/files.h"
#include "boot/clock.h"
#include "boot/start.h"
#include "run/instance.h"

#define LOOKS 64
/* NTP slews the clock for offsets below this: systemd-timesyncd, and the kernel's MAXPHASE. */
#define SLEWED_NS 500000000
/* How much the kernel lets NTP change the frequency, MAXFREQ in include/linux/timex.h. */
#define MAXFREQ_PPM 500
/* If the machine was not suspended, two readings of its clocks differ by less than this. */
#define SUSPENDED_NS 1000000

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
	return r->least != INT64_MIN && r->most != INT64_MAX && r->least <= r->most;
}

static int64_t range__middle(const struct clock_range *r)
{
	return r->least + (r->most - r->least) / 2;
}

static uint64_t range__error(const struct clock_range *r)
{
	return (r->most - r->least + 1) / 2;
}

uint64_t clock__scale(uint64_t tsc, uint32_t mult, uint16_t shift)
{
	return (uint64_t)((unsigned __int128)tsc * mult >> shift);
}

int boot_clock__from_tsc(const struct boot_clock *c, uint64_t tsc, int64_t *ret_ns)
{
	if (!c->tsc_known)
		return -ENODATA;
	*ret_ns = c->zero + (int64_t)clock__scale(tsc, c->mult, c->shift);
	return 0;
}

int boot_clock__since_reset(const struct boot_clock *c, uint64_t *ret_ns)
{
	int64_t reset;

	if (boot_clock__from_tsc(c, 0, &reset) || reset > 0)
		return -ENODATA;
	*ret_ns = -reset;
	return 0;
}

int boot_clock__from_monotonic(const struct boot_clock *c, uint64_t ns, int64_t *ret_ns)
{
	if (!c->monotonic_known)
		return -ENODATA;
	*ret_ns = (int64_t)ns + c->ahead;
	return 0;
}

/* The upper bound of how far NTP moves the clocks apart in this time. */
static uint64_t most_slewed(uint64_t time)
{
	return SLEWED_NS + time / 1000000 * MAXFREQ_PPM;
}

static void conclude_monotonic(struct boot_clock *c, const struct clock_looks *l)
{
	c->monotonic_known = range__is_known(&l->to_monotonic);
	if (!c->monotonic_known) {
		snprintf(c->why_no_monotonic, sizeof(c->why_no_monotonic), "the trace clock cannot be held against it");
		return;
	}
	c->ahead = range__middle(&l->to_monotonic);
	c->measured_error = range__error(&l->to_monotonic);
	c->monotonic_error = c->measured_error + most_slewed(l->uptime);
}

/* Drops what was measured now: it does not hold for the boot. */
static void forget(struct boot_clock *c, const char *why_no_tsc, const char *why_no_monotonic)
{
	if (c->tsc_known)
		snprintf(c->why_no_tsc, sizeof(c->why_no_tsc), "%s", why_no_tsc);
	c->tsc_known = false;
	if (c->monotonic_known)
		snprintf(c->why_no_monotonic, sizeof(c->why_no_monotonic), "%s", why_no_monotonic);
	c->monotonic_known = false;
}

void boot_clock__conclude(struct boot_clock *c, const struct clock_looks *l)
{
	conclude_monotonic(c, l);
	/* On some machines, one of the clocks stops during suspend, or the TSC begins anew. */
	if (l->suspended > SUSPENDED_NS)
		forget(c, "the machine was suspended since, and its TSC may have begun anew",
		       "the machine was suspended since");
	/* No difference fits all readings: the trace clock has another source. */
	if (c->tsc_known && !range__is_known(&l->to_tsc))
		forget(c, "the trace clock does not follow the TSC", "the trace clock does not follow the TSC");
	if (c->tsc_known) {
		c->zero += range__middle(&l->to_tsc);
		c->tsc_error = range__error(&l->to_tsc);
	}
}

/*
 * How far the clocks have drifted apart while units were started: at most as far as until now, as
 * NTP slews an offset in one direction, and at most as far as NTP can slew in the time of a boot.
 */
static uint64_t slewed_since(const struct boot_clock *then, const struct boot_clock *now, uint64_t userspace, uint64_t finish)
{
	uint64_t most = finish > userspace ? most_slewed(finish - userspace) : UINT64_MAX, apart;

	if (!now->monotonic_known)
		return finish ? most : most_slewed(0);
	apart = llabs(now->ahead - then->ahead) + now->measured_error + then->monotonic_error;
	return apart < most ? apart : most;
}

/*
 * Each program that process 1 has executed tells the relation at its time. Takes the last program
 * before systemd began: systemd itself. A later program is systemd that has executed itself anew.
 */
void boot_clock__of_boot(struct boot_clock *c, const struct boot_start *s, uint64_t userspace, uint64_t finish)
{
	const struct boot_clock now = *c;

	for (size_t i = 0; i < s->init_count; i++) {
		struct clock_range r = s->inits[i].ahead;
		int64_t middle, error;

		if (r.least == INT64_MIN || r.most == INT64_MAX)
			continue;
		/* If the two clocks have drifted apart meanwhile, "least" is more than "most". */
		middle = r.least + (r.most - r.least) / 2;
		error = llabs(r.most - r.least) / 2 + 1;
		if ((int64_t)s->inits[i].time > (int64_t)userspace + middle + error)
			break;
		/* By newlines in a file name, users can forge a later program with any relation. */
		if (c->monotonic_known && (int64_t)s->inits[i].time >
					  (int64_t)userspace + c->ahead + (int64_t)c->monotonic_error + SLEWED_NS)
			break;
		c->monotonic_known = true;
		c->ahead = middle;
		c->monotonic_error = error;
		c->slewed = slewed_since(c, &now, userspace, finish);
	}
}

/* ---- measuring */

/* The clock source of CLOCK_MONOTONIC: "tsc", "kvm-clock". To be freed; NULL: not known. */
static char *read_source(void)
{
	char *source = file__text("/sys/devices/system/clocksource/clocksource0/current_clocksource");

	if (source)
		source[strcspn(source, "\n")] = '\0';
	return source;
}

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

static void tell_source(struct boot_clock *c)
{
	static const char *const others[] = { "hpet", "acpi_pm", "jiffies", "refined-jiffies" };
	char *source = read_source();

	/* Other names are clocks of hypervisors: they use the TSC, and are the same on all CPUs. */
	for (size_t i = 0; source && i < sizeof(others) / sizeof(others[0]); i++)
		c->unstable |= !strcmp(source, others[i]);
	if (source && strcmp(source, "tsc"))
		snprintf(c->why_no_tsc, sizeof(c->why_no_tsc),
			 "the kernel's clock is not the TSC: its clock source is %s", source);
	else
		snprintf(c->why_no_tsc, sizeof(c->why_no_tsc), "the kernel's clock is not the TSC");
	free(source);
}

/* Finds the relation between the TSC and the clock of dmesg. */
static void find_tsc(struct boot_clock *c)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .size = sizeof(attr), .config = PERF_COUNT_SW_DUMMY,
		.exclude_kernel = 1,
	};
	int fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	void *page = fd < 0 ? MAP_FAILED : mmap(NULL, sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, fd, 0);

	if (page == MAP_FAILED) {
		snprintf(c->why_no_tsc, sizeof(c->why_no_tsc), "perf_event_open: %s", strerror(errno));
	} else {
		read_page(c, page);
		munmap(page, sysconf(_SC_PAGESIZE));
		if (!c->tsc_known)
			tell_source(c);
	}
	if (fd >= 0)
		close(fd);
}
#else
static uint64_t read_tsc(void)
{
	return 0;
}

static void find_tsc(struct boot_clock *c)
{
	snprintf(c->why_no_tsc, sizeof(c->why_no_tsc), "only x86 has a TSC");
}
#endif

/* Reads the clock of a buffer once, and the other clocks before and after it. */
static int look(struct boot_clock *c, int fd, struct clock_range *monotonic_range,
		struct clock_range *tsc_range)
{
	int64_t before, after, tsc_before = 0, tsc_after = 0;
	uint64_t now, count_before, count_after;
	char text[1024];
	ssize_t length;

	before = clock__monotonic();
	count_before = read_tsc();
	length = pread(fd, text, sizeof(text) - 1, 0);
	count_after = read_tsc();
	after = clock__monotonic();
	if (length <= 0)
		return -ENODATA;
	text[length] = '\0';
	if (clock__parse_now(text, &now))
		return -ENODATA;
	clock_range__add(monotonic_range, (int64_t)now - TRACE_ROUNDED_NS - after,
			 (int64_t)now + TRACE_ROUNDED_NS - before);
	if (boot_clock__from_tsc(c, count_before, &tsc_before) ||
	    boot_clock__from_tsc(c, count_after, &tsc_after))
		return 0;
	clock_range__add(tsc_range, (int64_t)now - TRACE_ROUNDED_NS - tsc_after,
			 (int64_t)now + TRACE_ROUNDED_NS - tsc_before);
	return 0;
}

/* Opens the file `stats` of a buffer with the clock "local"; -1: there is none. */
static int open_stats(const char *buffer)
{
	char path[PATH_MAX], *clock;
	struct dirent *entry;
	bool local;
	int fd = -1;
	DIR *d;

	snprintf(path, sizeof(path), "%s/trace_clock", buffer);
	clock = file__text(path);
	local = clock && strstr(clock, "[local]");
	free(clock);
	if (!local)
		return -1;
	snprintf(path, sizeof(path), "%s/per_cpu", buffer);
	d = opendir(path);
	while (d && fd < 0 && (entry = readdir(d))) {
		snprintf(path, sizeof(path), "%s/per_cpu/%s/stats", buffer, entry->d_name);
		if (!strncmp(entry->d_name, "cpu", 3))
			fd = open(path, O_RDONLY | O_CLOEXEC);
	}
	if (d)
		closedir(d);
	return fd;
}

int64_t clock__suspended(int64_t boottime, int64_t monotonic, const char *offsets)
{
	return boottime - clock__offset(offsets, "boottime") - (monotonic - clock__offset(offsets, "monotonic"));
}

static int64_t read_clock(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return now.tv_sec * 1000000000LL + now.tv_nsec;
}

/* A delay between the two readings makes the result smaller, never larger. */
static int64_t read_suspended(void)
{
	int64_t boottime = read_clock(CLOCK_BOOTTIME), monotonic = read_clock(CLOCK_MONOTONIC);

	return clock__suspended(boottime, monotonic, "/proc/self/timens_offsets");
}

static void compare_clocks(struct boot_clock *c, int fd)
{
	struct clock_looks l = {
		.to_monotonic = clock_anything, .to_tsc = clock_anything, .uptime = clock__monotonic(),
		.suspended = read_suspended(),
	};

	for (int i = 0; i < LOOKS && !look(c, fd, &l.to_monotonic, &l.to_tsc); i++)
		;
	boot_clock__conclude(c, &l);
}

void boot_clock__measure(struct boot_clock *ret, const char *dir)
{
	static const char no_buffer[] = "no trace buffer with the clock \"local\" can be read";
	char buffer[PATH_MAX];
	int fd = -1;

	memset(ret, 0, sizeof(*ret));
	find_tsc(ret);
	if (dir) {
		snprintf(buffer, sizeof(buffer), "%s/instances/" START_INSTANCE, dir);
		fd = open_stats(buffer);
		if (fd < 0)
			fd = open_stats(dir);
	}
	if (fd >= 0) {
		compare_clocks(ret, fd);
		close(fd);
		return;
	}
	if (ret->tsc_known)
		snprintf(ret->why_no_tsc, sizeof(ret->why_no_tsc), "%s", no_buffer);
	ret->tsc_known = false;
	snprintf(ret->why_no_monotonic, sizeof(ret->why_no_monotonic), "%s", no_buffer);
}
