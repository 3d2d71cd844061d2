// SPDX-License-Identifier: GPL-2.0-only
/*
 * Threads, as the kernel reports them; see task_events.h. The probes of events cannot be traced, so
 * none of this is in the record.
 *
 * The events are enabled before /proc is read, so that no thread is missed. A thread that is in
 * both has two entries, and the later one counts.
 */
#include <ctype.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sched.h>
#include <sys/stat.h>
#include <tracefs.h>
#include <unistd.h>

#include "base/error.h"
#include "run/instance.h"
#include "run/task_events.h"

/* In KiB for each CPU; enough for some thousand new threads and names. */
#define BUFFER_KB "64"
/* The inode of the initial PID namespace in every kernel: PROC_PID_INIT_INO. */
#define FIRST_PID_NAMESPACE 0xeffffffc

static const char *const needed[] = { "events/task/task_newtask/enable", "events/task/task_rename/enable" };

struct cpu {
	uint64_t last;		/* the last event's time; the beginning if there was none */
	uint64_t dropped;
};

struct task_events {
	struct instance *instance;
	struct tep_handle *tep;
	struct cpu *cpus;
	int cpu_count;
	bool read_before;
	uint64_t bytes;
	struct tasks *tasks;	/* while events are read */
	int err;
};

/* ---- existing threads */

static bool read_line(const char *path, char *line, size_t room)
{
	FILE *f = fopen(path, "re");
	bool good = f && fgets(line, room, f);

	if (f)
		fclose(f);
	if (good)
		line[strcspn(line, "\n")] = '\0';
	return good;
}

/*
 * To the name of a kworker, /proc adds what it works on or did last: "kworker/0:1-events". A
 * rescuer's name has such a sign itself: "kworker/R-...".
 */
static void cut_work(char *comm)
{
	if (!strncmp(comm, "kworker/", 8) && strncmp(comm + 8, "R-", 2))
		comm[strcspn(comm, "+-")] = '\0';
}

/* Threads that end meanwhile do not matter for this run. */
static int add_threads(struct tasks *t, const char *process, uint64_t ns)
{
	char path[64], comm[64];
	struct dirent *entry;
	int err = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%.16s/task", process);
	dir = opendir(path);
	while (dir && !err && (entry = readdir(dir))) {
		if (!isdigit(entry->d_name[0]))
			continue;
		snprintf(path, sizeof(path), "/proc/%.16s/task/%.16s/comm", process, entry->d_name);
		if (!read_line(path, comm, sizeof(comm)))
			continue;
		cut_work(comm);
		err = tasks__add_old(t, ns, atoi(entry->d_name), atoi(process), comm);
	}
	if (dir)
		closedir(dir);
	return err;
}

/* In another PID namespace, /proc has other numbers than the kernel's tracers. */
static int add_all(struct tasks *t, uint64_t ns)
{
	struct dirent *entry;
	struct stat st;
	int err = 0;
	DIR *dir;

	if (stat("/proc/self/ns/pid", &st) || st.st_ino != FIRST_PID_NAMESPACE)
		return 0;
	dir = opendir("/proc");
	while (dir && !err && (entry = readdir(dir))) {
		if (isdigit(entry->d_name[0]))
			err = add_threads(t, entry->d_name, ns);
	}
	if (dir)
		closedir(dir);
	return err;
}

/* ---- new threads, and names */

static bool field(struct tep_event *event, struct tep_record *record, const char *name, unsigned long long *ret)
{
	return !tep_get_field_val(NULL, event, name, record, ret, 0);
}

static int on_event(struct tep_event *event, struct tep_record *record, int cpu, void *context)
{
	struct task_events *e = context;
	unsigned long long pid, flags = 0;
	struct task_change change = {
		.ns = record->ts, .parent = tep_data_pid(event->tep, record),
		.is_new = !strcmp(event->name, "task_newtask"),
	};
	char comm[64];
	int length;

	change.comm = tep_get_field_raw(NULL, event, change.is_new ? "comm" : "newcomm", record, &length, 0);
	if (!change.comm || !field(event, record, "pid", &pid) ||
	    (change.is_new && !field(event, record, "clone_flags", &flags)))
		return 0;
	/* The last byte of the field may not be 0. */
	snprintf(comm, sizeof(comm), "%.*s", length, change.comm);
	change.comm = comm;
	change.pid = pid;
	change.is_thread = flags & CLONE_THREAD;
	if (cpu < e->cpu_count)
		e->cpus[cpu].last = record->ts;
	e->err = tasks__add(e->tasks, &change);
	return e->err;
}

/* A full buffer drops new events, so the first ones stay. */
static uint64_t count_dropped(struct task_events *e, int cpu)
{
	unsigned long long dropped = 0;
	const char *line;
	char file[64], *text;

	snprintf(file, sizeof(file), "per_cpu/cpu%d/stats", cpu);
	text = instance__read(e->instance, file);
	line = text ? strstr(text, "dropped events:") : NULL;
	if (line)
		sscanf(line, "dropped events: %llu", &dropped);
	free(text);
	return dropped;
}

/*
 * Everything before the first lost event is known. At the end, that is the time of the last event
 * in the buffer. If that event was read before, others may have come after the loss; then the last
 * event read at that time counts.
 */
static void look_for_losses(struct task_events *e, const uint64_t *last_before, bool stopped)
{
	for (int i = 0; i < e->cpu_count; i++) {
		uint64_t dropped = count_dropped(e, i);

		if (dropped > e->cpus[i].dropped)
			tasks__end_at(e->tasks, stopped && !e->read_before ? e->cpus[i].last : last_before[i]);
		e->cpus[i].dropped = dropped;
	}
}

int task_events__read(struct task_events *e, struct tasks *t, bool stopped)
{
	uint64_t *last_before = calloc(e->cpu_count, sizeof(*last_before));

	if (!last_before)
		return error__no_memory();
	for (int i = 0; i < e->cpu_count; i++)
		last_before[i] = e->cpus[i].last;
	e->tasks = t;
	e->err = stopped ? instance__gate(e->instance, false) : 0;
	if (!e->err && tracefs_iterate_raw_events(e->tep, instance__tracefs(e->instance), NULL, 0, on_event, e) < 0 &&
	    !e->err) {
		error__warn("events/task: cannot be read: %s: tgid and comm of later hits are not known", strerror(errno));
		for (int i = 0; i < e->cpu_count; i++)
			tasks__end_at(t, last_before[i]);
	}
	if (!e->err)
		look_for_losses(e, last_before, stopped);
	e->read_before = true;
	free(last_before);
	return e->err;
}

/* ---- the instance */

static int configure(struct task_events *e)
{
	unsigned long long kilobytes = 0;
	char *text;
	int err;

	err = instance__write(e->instance, "buffer_size_kb", BUFFER_KB);
	/*
	 * Recording the names of all threads at each context switch would cost more than these
	 * events.
	 */
	if (!err)
		err = instance__write(e->instance, "trace_options", "norecord-cmd");
	if (!err)
		err = instance__write(e->instance, "trace_options", "nooverwrite");
	for (size_t i = 0; !err && i < sizeof(needed) / sizeof(needed[0]); i++)
		err = instance__write(e->instance, needed[i], "1");
	text = instance__read(e->instance, "buffer_total_size_kb");
	if (text)
		sscanf(text, "%llu", &kilobytes);
	free(text);
	e->bytes = kilobytes * 1024;
	return err;
}

static int prepare_cpus(struct task_events *e, uint64_t now)
{
	e->cpu_count = sysconf(_SC_NPROCESSORS_CONF);
	e->cpus = calloc(e->cpu_count, sizeof(*e->cpus));
	for (int i = 0; e->cpus && i < e->cpu_count; i++)
		e->cpus[i].last = now;
	return e->cpus ? 0 : error__no_memory();
}

static int start(struct task_events *e, struct tasks *t, struct guard *guard)
{
	static const char *const systems[] = { "task", NULL };
	struct clock_pair now;
	int err;

	err = instance__create_beside(&e->instance, "tasks", guard);
	if (!err)
		err = configure(e);
	if (!err)
		err = instance__read_clock(e->instance, &now);
	if (!err)
		err = prepare_cpus(e, now.local - now.error);
	if (!err)
		err = add_all(t, now.local - now.error);
	if (err)
		return err;
	e->tep = tracefs_local_events_system(NULL, systems);
	return e->tep ? 0 : error__return(-EIO, "events/task: the formats cannot be read");
}

int task_events__start(struct task_events **ret, struct tasks *t, struct guard *guard)
{
	struct task_events *e;
	int err;

	*ret = NULL;
	for (size_t i = 0; i < sizeof(needed) / sizeof(needed[0]); i++) {
		if (!tracefs_file_exists(NULL, needed[i]))
			return 0;
	}
	e = calloc(1, sizeof(*e));
	if (!e)
		return error__no_memory();
	err = start(e, t, guard);
	if (err)
		task_events__free(e);
	else
		*ret = e;
	return err;
}

uint64_t task_events__bytes(const struct task_events *e)
{
	return e->bytes;
}

void task_events__free(struct task_events *e)
{
	if (!e)
		return;
	if (e->tep)
		tep_free(e->tep);
	instance__close(e->instance);
	free(e->cpus);
	free(e);
}
