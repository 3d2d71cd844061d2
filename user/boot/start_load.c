// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finds the events of this boot; see start_load.h.
 *
 * The trace events are in an instance of their own. The events of kernel probes are in the
 * top-level instance, as the command line can make probes only there. Before Linux 6.3, it cannot
 * make instances: then all events are in the top-level instance.
 *
 * A full buffer keeps its first events, as the report is about the boot, not the time after it.
 * Reading the buffer, and on some file systems writing the report, causes new events. So this
 * ignores events after the beginning of reading.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/files.h"
#include "base/memory.h"
#include "boot/asked.h"
#include "boot/probes.h"
#include "boot/start_load.h"
#include "run/instance.h"

#define EVENTS \
	"initcall:*,module:module_load,sched:sched_process_exec,sched:sched_switch,sched:sched_waking," \
	"sched:sched_wakeup_new,workqueue:workqueue_execute_start,workqueue:workqueue_execute_end,irq:irq_handler_entry," \
	"irq:irq_handler_exit,irq:softirq_entry,timer:timer_expire_entry,timer:hrtimer_expire_entry," \
	"timer:hrtimer_expire_exit,block:block_rq_complete"
#define DEFAULT_KB "1408"
#define MEASURED_EVENTS 1000
#define MOST_KB 131072
/* The fastest of a few rounds has no interrupts or cache misses. */
#define ROUNDS 5

char *boot_start__parameters(const char *release, bool probes)
{
	unsigned int major = 0, minor = 0;
	bool instance;

	/* Since cb1f98c5e574, "tracing: Add creation of instances at boot command line". */
	instance = sscanf(release, "%u.%u", &major, &minor) != 2 || major > 6 || (major == 6 && minor >= 3);
	/* Even an empty trace_event= expands the top-level buffer, which otherwise has one page. */
	return xasprintf("%s" EVENTS " " START_BUFFER " " START_KEEP " " START_CLOCK "%s%s",
			 instance ? "trace_instance=" START_INSTANCE "," : "trace_event=",
			 !probes ? "" : instance ? " trace_event= " : " ",
			 probes ? boot_probes__parameters() : "");
}

/* ---- losses, and the time until which to read */

#define OVERWRITTEN "overrun"
#define NO_ROOM "dropped events"

/* A number of the file `stats` of a CPU; 0: there is none. */
static uint64_t stat_of(const char *instance, const char *cpu, const char *name)
{
	char *path = xasprintf("%s/per_cpu/%s/stats", instance, cpu), *text = file__text(path);
	const char *value = text__value(text, name);
	uint64_t number = value ? strtoull(value, NULL, 10) : 0;

	free(text);
	free(path);
	return number;
}

/* The sum of a number over all CPUs. @s: gets boot_start__note_full() where it is not 0. */
static uint64_t count(const char *instance, const char *name, struct boot_start *s)
{
	char *cpus = xasprintf("%s/per_cpu", instance);
	struct dirent *entry;
	uint64_t sum = 0;
	DIR *d = opendir(cpus);

	while (d && (entry = readdir(d))) {
		uint64_t value = strncmp(entry->d_name, "cpu", 3) ? 0 : stat_of(instance, entry->d_name, name);

		if (value && s)
			boot_start__note_full(s, strtoul(entry->d_name + 3, NULL, 10));
		sum += value;
	}
	if (d)
		closedir(d);
	free(cpus);
	return sum;
}

/* The current time of the instance's clock; UINT64_MAX: not known. */
static uint64_t time_now(const char *instance)
{
	char *path = xasprintf("%s/per_cpu/cpu0/stats", instance), *text = file__text(path);
	uint64_t ret;

	if (clock__parse_now(text, &ret))
		ret = UINT64_MAX;
	free(text);
	free(path);
	return ret;
}

/* ---- the cost of an event */

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_RAW, &now);
	return now.tv_sec * 1000000000ULL + now.tv_nsec;
}

/* The time of MEASURED_EVENTS writes, which must all end with this error, or all succeed; or 0. */
static uint64_t time_of_writes(const char *path, int error)
{
	static const char text[] = "\n";
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	uint64_t best = UINT64_MAX;

	if (fd < 0)
		return 0;
	for (int round = 0; round < ROUNDS; round++) {
		uint64_t start = now_ns(), time;

		for (int i = 0; i < MEASURED_EVENTS; i++) {
			if ((write(fd, text, 1) < 0 ? errno : 0) != error) {
				close(fd);
				return 0;
			}
		}
		time = now_ns() - start;
		if (time < best)
			best = time;
	}
	close(fd);
	return best;
}

static int write_text(const char *dir, const char *name, const char *text, bool append);

/* Has an instance so much memory that a second one of this size is too large? "": the top level */
static bool is_large(const char *dir, const char *instance)
{
	char *path = xasprintf("%s%s/buffer_total_size_kb", dir, instance);
	bool large = file__number(path) > MOST_KB;

	free(path);
	return large;
}

/*
 * The kernel writes the events of trace_marker, here with one byte of text, like other events. The
 * system call's own cost is subtracted: the cost of a write while markers are off. Other events
 * cost a little more or less, as some note the name of their task, for example. The events
 * go into an instance of their own.
 */
uint64_t boot_start__measure_events(const char *dir)
{
	char *instance, *marker;
	uint64_t on = 0, off = 0;
	sigset_t all, before;

	/* The new instance gets buffers of the size of the boot's, for a moment. */
	if (is_large(dir, "/instances/" START_INSTANCE) || is_large(dir, ""))
		return 0;
	instance = xasprintf("%s/instances/" START_INSTANCE "_cost", dir);
	marker = xasprintf("%s/trace_marker", instance);
	/* If a signal ended the program now, the instance would stay. */
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before);
	rmdir(instance);
	if (!mkdir(instance, 0700)) {
		on = time_of_writes(marker, 0);
		if (!write_text(instance, "options/markers", "0", false))
			off = time_of_writes(marker, EINVAL);
		rmdir(instance);
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
	free(instance);
	free(marker);
	return off && on > off ? on - off : 0;
}

/* ---- reading */

static int read_trace(struct boot_start *ret, enum start_events which, const char *instance)
{
	uint64_t until = time_now(instance);
	char *path = xasprintf("%s/trace", instance);
	FILE *f = fopen(path, "re");
	int err;

	if (f) {
		err = boot_start__read(ret, which, f, until, path);
		fclose(f);
	} else {
		err = errno == ENOENT ? -ENOENT :
		      error__return(errno == EACCES ? -EPERM : -errno, "%s: %s", path, strerror(errno));
	}
	free(path);
	return err;
}

/* The number of returns that found no room: the last one in "  hytrace_boot/device_end  42  0". */
static uint64_t count_missed(const char *dir)
{
	char *path = xasprintf("%s/kprobe_profile", dir), *text = file__text(path), *at = text;
	uint64_t missed = 0, value;

	while (at && (at = strstr(at, " " PROBES_GROUP "/"))) {
		at++;
		if (sscanf(at, "%*s %*u %" SCNu64, &value) == 1)
			missed += value;
	}
	free(text);
	free(path);
	return missed;
}

static bool has_probes(const char *dir)
{
	char *path = xasprintf("%s/events/" PROBES_GROUP, dir);
	bool ret = !access(path, F_OK);

	free(path);
	return ret;
}

static bool asked_for(bool (*what)(const struct boot_asked *a))
{
	struct boot_asked asked;
	bool ret;

	boot_asked__load(&asked);
	ret = what(&asked);
	boot_asked__free(&asked);
	return ret;
}

/* Why is the instance missing? Returns -ENOENT without a message if the boot did not ask for it. */
static int has_no_instance(const char *instance)
{
	return !asked_for(boot_asked__instance) ? -ENOENT :
	       error__return(-ENODATA, "this boot was asked for events of initcalls, and %s is not there: it was removed, as "
			     "by `hytrace boot release`, or this kernel is older than Linux 6.3 and needs other "
			     "parameters, which `hytrace boot next` prints", instance);
}

/* Tells why the instance has no initcalls. */
static int has_none(const char *instance)
{
	struct boot_asked asked;
	char *path = xasprintf("%s/events/initcall/enable", instance), *on = file__text(path);
	const char *moved;

	boot_asked__load(&asked);
	moved = boot_asked__moved_events(&asked);
	boot_asked__free(&asked);
	if (moved)
		error__print("%s has no initcalls: %s", instance, moved);
	else if (on && *on == '0')
		error__print("%s has no initcalls: its events initcall:* are off, so this boot did not ask for them as "
			     "`hytrace boot next` prints it, or somebody has turned them off", instance);
	else
		error__print("%s has no initcalls: it was cleared, or later events have overwritten them, as "
			     "without " START_KEEP, instance);
	free(on);
	free(path);
	return -ENODATA;
}

/*
 * Reads the top-level instance: only events of probes, or all events. If all events are there, the
 * caller counts losses as losses of all events, as a lost event may be of any kind.
 */
static int read_top(struct boot_start *ret, enum start_events which, const char *dir)
{
	uint64_t lost = count_missed(dir);
	int err = read_trace(ret, which, dir);

	if (which == START_PROBES)
		lost += count(dir, OVERWRITTEN, NULL) + count(dir, NO_ROOM, NULL);

	/* A message has told why. Go on with the initcalls of the other instance. */
	if (err == -EPROTO && ret->initcall_count)
		err = 0;
	if (ret->probes)
		ret->probes->lost = lost;
	return err;
}

int boot_start__load_from(struct boot_start *ret, const char *dir, bool asked_in_top)
{
	bool probes = has_probes(dir), in_top = false;
	char *instance = xasprintf("%s/instances/" START_INSTANCE, dir);
	int err;

	memset(ret, 0, sizeof(*ret));
	ret->lost = count(instance, OVERWRITTEN, NULL);
	err = read_trace(ret, START_ALL, instance);
	if (err == -ENOENT && asked_in_top) {
		in_top = true;
		ret->lost = count(dir, OVERWRITTEN, NULL);
		err = read_top(ret, START_ALL, dir);
	} else if (err == -ENOENT) {
		err = has_no_instance(instance);
	} else if (!err && probes) {
		err = read_top(ret, START_PROBES, dir);
	}
	if (!err)
		boot_start__note_no_room(ret, count(in_top ? dir : instance, NO_ROOM, ret));
	if (!err && in_top)
		ret->probes->full = ret->full;
	if (!err && !ret->initcall_count)
		err = has_none(in_top ? dir : instance);
	if (!err && !probes)
		boot_start__drop_probes(ret);
	if (!err)
		boot_start__settle(ret);
	free(instance);
	return err;
}

int boot_start__load(struct boot_start *ret, const char *dir)
{
	return boot_start__load_from(ret, dir, asked_for(boot_asked__in_top));
}

/* ---- removing */

static int remove_instance(const char *dir)
{
	char *path = xasprintf("%s/instances/" START_INSTANCE, dir);
	int err = 0;

	if (rmdir(path) && errno != ENOENT)
		err = error__return(-errno, "cannot remove %s: %s%s", path, strerror(errno),
				    errno == EBUSY ? "; some program has a file of it open" : "");
	free(path);
	return err;
}

static int write_text(const char *dir, const char *name, const char *text, bool append)
{
	char *path = xasprintf("%s/%s", dir, name);
	int fd = open(path, O_WRONLY | O_CLOEXEC | (append ? O_APPEND : O_TRUNC)), err = 0;

	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		err = error__return(-errno, "cannot write to %s: %s", path, strerror(errno));
	if (fd >= 0)
		close(fd);
	free(path);
	return err;
}

/* Disables all EVENTS: writes "!a", "!b", ... for "a,b,...". */
static int disable_events(const char *dir)
{
	char list[] = EVENTS, *rest = list, *event, text[128];
	int err = 0;

	while (!err && (event = strsep(&rest, ","))) {
		snprintf(text, sizeof(text), "!%s", event);
		err = write_text(dir, "set_event", text, true);
	}
	return err;
}

int boot_start__release(const char *dir)
{
	bool probes = has_probes(dir), in_top = asked_for(boot_asked__in_top);
	int err = remove_instance(dir);

	if (!err && probes)
		err = write_text(dir, "events/" PROBES_GROUP "/enable", "0", false);
	if (!err && probes)
		err = write_text(dir, "kprobe_events", "-:" PROBES_GROUP "/", true);
	if (!err && in_top)
		err = disable_events(dir);
	if (!err && in_top)
		err = write_text(dir, "trace", "\n", false);
	/* The default size of a used buffer. */
	if (!err && (probes || in_top))
		err = write_text(dir, "buffer_size_kb", DEFAULT_KB, false);
	if (!err && asked_for(boot_asked__keeps_first) && (probes || in_top || asked_for(boot_asked__instance)))
		err = write_text(dir, "options/overwrite", "1", false);
	return err;
}
