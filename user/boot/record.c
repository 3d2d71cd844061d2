// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finds what the running machine knows about its boot; see boot.h and next.h.
 *
 * The trace events are in an instance of their own. The events of kernel probes are in the top-level instance, as the
 * command line can make probes only there. Before Linux 6.3, it cannot make instances: then all events are in the
 * top-level instance.
 *
 * A full buffer keeps its first events, as the report is about the boot, not the time after it. Reading the buffer,
 * and on some file systems writing the report, causes new events. So this ignores events after the beginning of
 * reading.
 */
#include <fcntl.h>
#include <glob.h>
#include <tracefs.h>

#include "base/error.h"
#include "base/files.h"
#include "base/memory.h"
#include "boot/account.h"
#include "boot/early.h"
#include "boot/events.h"
#include "boot/next.h"
#include "kernel/features.h"
#include "kernel/running.h"
#include "run/instance.h"

#define EVENTS \
	"initcall:*,module:module_load,sched:sched_process_exec,sched:sched_process_exit,sched:sched_switch," \
	"sched:sched_waking,sched:sched_wakeup_new,workqueue:workqueue_execute_start,workqueue:workqueue_execute_end," \
	"irq:irq_handler_entry,irq:irq_handler_exit,irq:softirq_entry,timer:timer_expire_entry," \
	"timer:hrtimer_expire_entry,timer:hrtimer_expire_exit,block:block_rq_complete"
/*
 * The name of a device, and of a driver, is the first member of the struct that struct device and struct
 * device_driver begin with, on all kernels since 2.6.25. The result is read from the register, as boot loaders would
 * expand the $ of $retval. The quotes are for the semicolons. A task can be in several probes at once, as a bus
 * probes its devices in its own probe. So there is room for 64 returns at a time. The kernel sets kernel probes up in
 * its fs initcalls.
 */
#define PROBES \
	"kprobe_event=\"p:" PROBES_GROUP "/device,really_probe,dev=+0(+0(%di)):string,drv=+0(+0(%si)):string;" \
	"r64:" PROBES_GROUP "/device_end,really_probe,ret=%ax:s32;p:" PROBES_GROUP "/unpack,do_populate_rootfs;" \
	"r64:" PROBES_GROUP "/unpack_end,do_populate_rootfs;p:" PROBES_GROUP "/console,console_unlock;" \
	"r64:" PROBES_GROUP "/console_end,console_unlock\""
#define DEFAULT_KB "1408"

char *boot_events__parameters(const char *release, bool probes)
{
	unsigned int major = 0, minor = 0;
	bool instance;

	/* Since cb1f98c5e574, "tracing: Add creation of instances at boot command line". */
	instance = sscanf(release, "%u.%u", &major, &minor) != 2 || major > 6 || (major == 6 && minor >= 3);
	/* Even an empty trace_event= expands the top-level buffer, which otherwise has one page. */
	return xasprintf("%s" EVENTS " " START_BUFFER " " START_KEEP " " START_CLOCK "%s%s", instance ? "trace_instance=" START_INSTANCE "," : "trace_event=",
			 !probes ? "" : instance ? " trace_event= " : " ", probes ? PROBES : "");
}

/* ---- losses, and the time until which to read */

#define OVERWRITTEN "overrun"
#define NO_ROOM "dropped events"

/* The sum of a number in the files `stats` of all CPUs. @e: gets events__note_full() where it is not 0. */
static uint64_t count(const char *instance, const char *name, struct events *e)
{
	autofree char *pattern = xasprintf("%s/per_cpu/cpu*/stats", instance);
	glob_t files = {};
	uint64_t sum = 0;

	glob(pattern, 0, NULL, &files);
	for (size_t i = 0; i < files.gl_pathc; i++) {
		autofree char *text = file__text(files.gl_pathv[i]);
		const char *value = text__value(text, name);
		uint64_t number = value ? strtoull(value, NULL, 10) : 0;

		if (number && e)
			events__note_full(e, strtoul(files.gl_pathv[i] + strlen(pattern) - strlen("*/stats"), NULL, 10));
		sum += number;
	}
	globfree(&files);
	return sum;
}

/* The current time of the instance's clock; UINT64_MAX: not known. */
static uint64_t time_now(const char *instance)
{
	autofree char *text = file__text_at("%s/per_cpu/cpu0/stats", instance);
	uint64_t now;

	return clock__parse_now(text, &now) ? UINT64_MAX : now;
}

/* The number of returns that found no room: the last one in "  hytrace_boot/device_end  42  0". */
static uint64_t count_missed(const char *dir)
{
	autofree char *text = file__text_at("%s/kprobe_profile", dir);
	uint64_t missed = 0, value;

	for (char *at = text; at && (at = strstr(at, " " PROBES_GROUP "/"));) {
		at++;
		if (sscanf(at, "%*s %*u %" SCNu64, &value) == 1)
			missed += value;
	}
	return missed;
}

static bool has_probes(const char *dir)
{
	autofree char *path = xasprintf("%s/events/" PROBES_GROUP, dir);

	return !access(path, F_OK);
}

/* ---- reading */

/* Opens the file `trace`. Returns -ENOENT without a message if it is not there. */
static int open_trace(const char *path, FILE **ret)
{
	*ret = fopen(path, "re");
	return *ret ? 0 : errno == ENOENT ? -ENOENT :
	       error__return(errno == EACCES ? -EPERM : -errno, "%s: %s", path, strerror(errno));
}

static int read_trace(struct events *e, enum events_wanted which, const char *instance)
{
	autofree char *path = xasprintf("%s/trace", instance);
	uint64_t until = time_now(instance);
	FILE *f;
	int err = open_trace(path, &f);

	if (!err) {
		err = events__read(e, which, f, until, path);
		fclose(f);
	}
	return err;
}

/*
 * Reads the top-level instance: only events of probes, or all events. If all events are there, the caller counts
 * losses as losses of all events, as a lost event may be of any kind.
 */
static int read_top(struct events *e, enum events_wanted which, const char *dir)
{
	uint64_t lost = count_missed(dir);
	int err = read_trace(e, which, dir);

	if (which == EVENTS_OF_PROBES)
		lost += count(dir, OVERWRITTEN, NULL) + count(dir, NO_ROOM, NULL);
	/* A message has told why. Go on with the initcalls of the other instance. */
	if (err == -EPROTO && e->b->initcalls.count)
		err = 0;
	e->b->probes_lost = lost;
	return err;
}

/* Tells why the instance has no initcalls. */
static int has_none(const char *instance, const struct boot_asked *asked)
{
	autofree char *on = file__text_at("%s/events/initcall/enable", instance);

	return error__return(-ENODATA, "%s has no initcalls: %s", instance, asked->no_events ?: on && *on == '0' ?
			     "its events initcall:* are off, so this boot did not ask for them as `hytrace boot next` prints it, or "
			     "somebody has turned them off" :
			     "it was cleared, or later events have overwritten them, as without " START_KEEP);
}

int boot_events__load(struct boot *b, const char *dir, const struct boot_asked *asked)
{
	autofree char *instance = xasprintf("%s/instances/" START_INSTANCE, dir);
	bool probes = has_probes(dir), in_top = false;
	struct events e;
	int err;

	events__begin(&e, b);
	b->probes_lost = 0;
	b->lost = count(instance, OVERWRITTEN, NULL);
	err = read_trace(&e, EVENTS_ALL, instance);
	if (err == -ENOENT && asked->in_top) {
		in_top = true;
		b->lost = count(dir, OVERWRITTEN, NULL);
		err = read_top(&e, EVENTS_ALL, dir);
	} else if (!err && probes) {
		/* Those of this instance are forged, by a newline in a program's name. */
		b->probes.count = 0;
		err = read_top(&e, EVENTS_OF_PROBES, dir);
	}
	if (!err)
		events__note_no_room(&e, count(in_top ? dir : instance, NO_ROOM, &e));
	if (in_top)
		b->probes_full = b->full;
	if (!err && !b->initcalls.count)
		err = has_none(in_top ? dir : instance, asked);
	if (err == -ENOENT && asked->instance)
		err = error__return(-ENODATA, "this boot was asked for events of initcalls, and %s is not there: it was "
				    "removed, as by `hytrace boot release`, or this kernel is older than Linux 6.3 and needs "
				    "other parameters, which `hytrace boot next` prints", instance);
	if (err == -ENOENT && asked->no_events)
		error__print("%s", asked->no_events);
	/* Without probes, the boot was not asked for them. */
	if (!probes) {
		free(b->probes.list);
		b->probes = (struct span_list){};
		b->probes_lost = b->probes_full = NOT_KNOWN;
	}
	events__end(&e);
	/* Forgets the events that could not be read. */
	if (err) {
		boot__free(b);
		boot__init(b);
	}
	return err;
}

int boot_events__copy(const char *dir, FILE *out)
{
	autofree char *own = xasprintf("%s/instances/" START_INSTANCE "/trace", dir), *top = xasprintf("%s/trace", dir), *line = NULL;
	const char *path = access(own, F_OK) && boot_asked__now().in_top ? top : own;
	size_t room = 0;
	FILE *f;
	int err = open_trace(path, &f);

	if (err)
		return err != -ENOENT ? err :
		       error__return(-ENODATA, "%s is not there: boot with what `hytrace boot next` prints", path);
	while (getline(&line, &room, f) > 0)
		fputs(line, out);
	if (ferror(f))
		err = error__return(-EIO, "cannot read %s to its end", path);
	fclose(f);
	return err;
}

/* ---- all that is known */

/* Does the error mean that a part of the boot does not exist, or cannot be read? A message has told why. */
static bool is_missing(int err)
{
	return err == -EOPNOTSUPP || err == -ENODATA || err == -EPROTO;
}

/* The kernel's part, for a view that can do without: only root can read it. */
static void try_events(struct boot *b)
{
	const char *dir = geteuid() ? NULL : tracefs_tracing_dir();
	struct boot_asked asked = boot_asked__now();
	int err = dir ? boot_events__load(b, dir, &asked) : -EPERM;

	if (!dir)
		error__warn("the kernel's initcalls and modules are missing: %s", geteuid() ?
			    "only root can read their events" : "there is no tracefs");
	if (err == -ENOENT)
		error__warn("the kernel's initcalls and modules are missing: boot with what `hytrace boot next` prints");
}

/*
 * Finds the recorded parts of the kernel's boot: the events, and whether there is an early part. If there is none, a
 * message tells why. systemd's part is there after any boot.
 */
static int find_parts(struct boot *b, const char *dir, struct early_stats *stats, bool *ret_early)
{
	struct boot_asked asked = boot_asked__now();
	int err = boot_events__load(b, dir, &asked);
	bool early = early_stats__asked(dir), units = boot_units__are_here();

	*ret_early = false;
	/* Go on with early calls or units, if there are any. */
	if (err && err != -ENOENT && !(is_missing(err) && (early || units)))
		return err;
	if (!early && err == -ENOENT && units)
		error__warn("this boot was not asked for the events of initcalls and modules; `hytrace boot next` prints what "
			    "the next one needs");
	if (!early && err == -ENOENT && !units)
		return error__return(-EOPNOTSUPP, "this boot was not asked for the events of initcalls and modules, and there is "
				     "no systemd to tell its part: `hytrace boot next` prints what the next boot needs, which "
				     "any kernel since Linux 6.1 understands");
	if (!early)
		return 0;
	err = early_stats__load(stats, dir);
	*ret_early = !err;
	return b->has_start && is_missing(err) ? 0 : err;
}

/* Which kernel and machine it is. */
static int read_head(struct boot *b)
{
	struct kernel kernel = {};
	int err = kernel__load(&kernel, KERNEL_ID, NULL);

	if (!err)
		kernel_id__copy(&b->kernel, &kernel.id);
	kernel__free(&kernel);
	b->boot_id = kernel_id__boot_id();
	return err;
}

static int record_all(struct boot *b)
{
	struct early_stats stats = {};
	const char *dir;
	bool early = false;
	int err = features__require(FEATURE_BOOT, NULL);

	dir = tracefs_tracing_dir();
	err = err ?: find_parts(b, dir, &stats, &early) ?: read_head(b) ?: (early ? early__record(b, &stats, dir) : 0);
	/* Go on with the kernel's events. */
	if (b->has_start && is_missing(err))
		err = 0;
	if (err)
		return err;
	boot__account(b, dir);
	/* Oneshot uses the kernel's clock. */
	if (boot__is_oneshot(b))
		b->early.zero = 0;
	else if (boot__has_early(b) && !b->early.counts)
		b->early.zero = b->clock.since_reset;
	return 0;
}

int boot__record(struct boot *ret, unsigned int needs)
{
	int err;

	boot__init(ret);
	if (needs & NEEDS_ACCOUNT)
		return record_all(ret);
	if (needs & NEEDS_EVENTS)
		try_events(ret);
	err = read_head(ret);
	boot_units__load(ret);
	return err;
}

/* ---- removing */

static int remove_instance(const char *dir)
{
	autofree char *path = xasprintf("%s/instances/" START_INSTANCE, dir);

	if (!rmdir(path) || errno == ENOENT)
		return 0;
	return error__return(-errno, "cannot remove %s: %s%s", path, strerror(errno),
			     errno == EBUSY ? "; some program has a file of it open" : "");
}

static int write_text(const char *dir, const char *name, const char *text, bool append)
{
	autofree char *path = xasprintf("%s/%s", dir, name);
	int fd = open(path, O_WRONLY | O_CLOEXEC | (append ? O_APPEND : O_TRUNC)), err = 0;

	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		err = error__return(-errno, "cannot write to %s: %s", path, strerror(errno));
	if (fd >= 0)
		close(fd);
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

int boot_events__release(const char *dir)
{
	struct boot_asked asked = boot_asked__now();
	bool probes = has_probes(dir);

	return remove_instance(dir) ?:
	       (probes ? write_text(dir, "events/" PROBES_GROUP "/enable", "0", false) ?:
			 write_text(dir, "kprobe_events", "-:" PROBES_GROUP "/", true) : 0) ?:
	       (asked.in_top ? disable_events(dir) ?: write_text(dir, "trace", "\n", false) : 0) ?:
	       /* The default size of a used buffer. */
	       (probes || asked.in_top ? write_text(dir, "buffer_size_kb", DEFAULT_KB, false) : 0) ?:
	       (asked.keeps_first && (probes || asked.in_top || asked.instance) ? write_text(dir, "options/overwrite", "1", false) : 0);
}
