// SPDX-License-Identifier: GPL-2.0-only
/*
 * A run in the kernel: its name, its tracing instance with its clock, and the leftovers of other runs; see
 * instance.h.
 *
 * BPF programs only have CLOCK_MONOTONIC, but the kernel's tracers use the trace clock "local". The statistics
 * of the instance's ring buffer contain the current time of "local". They are read several times, each time
 * between two readings of CLOCK_MONOTONIC. The try in which these two are the closest is the most exact.
 */
#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <time.h>
#include <tracefs.h>

#include "base/error.h"
#include "base/files.h"
#include "base/memory.h"
#include "kernel/features.h"
#include "run/instance.h"
#include "run/process.h"

/* ---- leftovers */

static int open_locked(const char *path, int how)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), err;

	if (fd >= 0 && !flock(fd, how))
		return fd;
	err = -errno;
	if (fd >= 0)
		close(fd);
	return err;
}

int run__lock(const char *path)
{
	int fd = open_locked(path, LOCK_EX | LOCK_NB);

	return fd < 0 ? error__return(fd, "%s: cannot lock it: %s", path, strerror(-fd)) : 0;
}

static bool has_ended(const char *instances, const char *id)
{
	autofree char *path = xasprintf("%s/" INSTANCE_PREFIX "%s", instances, id);
	int fd = open_locked(path, LOCK_EX | LOCK_NB);

	if (fd >= 0)
		close(fd);
	return fd >= 0 || fd == -ENOENT;
}

static void tell(const char *what, const char *name)
{
	error__warn("the %s %s was left behind by a run that was killed; removing it", what,
		    name);
}

/* The run's id in the name of an instance or a group; NULL: it is not of a run of hytrace. */
static const char *id_in(const char *name, const char *prefix)
{
	const char *id = name + strlen(prefix);

	if (strncmp(name, prefix, strlen(prefix)) || strlen(id) != strlen(run__id()) ||
	    id[strspn(id, "0123456789abcdef")])
		return NULL;
	return id;
}

static bool is_known(const struct leftovers *l, const char *id)
{
	for (size_t i = 0; i < l->count; i++) {
		if (!strcmp(l->ids[i], id))
			return true;
	}
	return false;
}

/* Finds ended runs by the names in @path, a directory of instances or of groups of events. */
static void find_in(const char *path, const char *prefix, const char *instances, struct leftovers *l)
{
	autoclosedir DIR *dir = opendir(path);
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		const char *id = id_in(entry->d_name, prefix);

		if (id && !is_known(l, id) && has_ended(instances, id))
			*LIST_ADD(l->ids, l->count) = xstrdup(id);
	}
}

/*
 * Finds events by their directories. function_events may have lines of other users that cannot be
 * parsed here.
 */
void leftovers__find(const char *instances, struct leftovers *ret)
{
	autofree char *events = xasprintf("%s/../events", instances);

	find_in(instances, INSTANCE_PREFIX, instances, ret);
	find_in(events, GROUP_PREFIX, instances, ret);
}

static int remove_instance(const char *instances, const char *id, struct guard *guard)
{
	autofree char *path = xasprintf("%s/" INSTANCE_PREFIX "%s", instances, id);

	if (access(path, F_OK))
		return 0;
	tell("tracing instance", path + strlen(instances) + 1);
	return guard__add(guard, LEFT_INSTANCE, "%s", path);
}

static int is_event(const struct dirent *entry)
{
	return entry->d_type == DT_DIR && entry->d_name[0] != '.';
}

/*
 * Reads all names first, because the kernel skips names if events are removed while a directory is
 * read.
 */
static int remove_events(const char *instances, const char *id, struct guard *guard)
{
	char *path = xasprintf("%s/../events/" GROUP_PREFIX "%s", instances, id), *group = strrchr(path, '/') + 1;
	struct dirent **events;
	int err = 0, count = scandir(path, &events, is_event, NULL);

	for (int i = 0; i < count; i++) {
		if (!err) {
			tell("function event", events[i]->d_name);
			err = guard__add(guard, LEFT_EVENT, "%s/%s", group, events[i]->d_name);
		}
		free(events[i]);
	}
	if (count >= 0)
		free(events);
	free(path);
	return err;
}

/* Removes instances first, because they use events. */
int leftovers__remove(const struct leftovers *l, const char *instances, struct guard *guard)
{
	int err = 0;

	for (size_t i = 0; !err && i < l->count; i++)
		err = remove_instance(instances, l->ids[i], guard);
	for (size_t i = 0; !err && i < l->count; i++)
		err = remove_events(instances, l->ids[i], guard);
	return err;
}

void leftovers__free(struct leftovers *l)
{
	for (size_t i = 0; i < l->count; i++)
		free(l->ids[i]);
	free(l->ids);
	*l = (struct leftovers){};
}

/* ---- the instance */

#define CLOCK_TRIES 5
#define MOST_LOOKS 5

struct instance {
	struct tracefs_instance *tracefs;
	int gate;
};

int64_t clock__offset(const char *offsets, const char *name)
{
	autofclose FILE *f = fopen(offsets, "re");
	long long seconds, ns, offset = 0;
	char line[128], clock[16];

	while (f && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%15s %lld %lld", clock, &seconds, &ns) == 3 && !strcmp(clock, name))
			offset = seconds * 1000000000LL + ns;
	}
	return offset;
}

uint64_t clock__monotonic(void)
{
	static bool known;
	static int64_t offset;
	struct timespec now;

	if (!known) {
		offset = clock__offset("/proc/self/timens_offsets", "monotonic");
		known = true;
	}
	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ULL + now.tv_nsec - offset;
}

uint64_t clock__realtime(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return now.tv_sec * 1000000000ULL + now.tv_nsec;
}

/*
 * Resets options. A new instance gets the options of the top instance, which another user may have
 * set. An option that the kernel does not know needs no reset.
 */
static void reset_options(struct instance *i)
{
	static const char *const options[] = {
		"overwrite", "markers", "context-info", "nolatency-format", "noraw", "nohex", "nobin",
		"nofields", "nosym-addr", "nosym-offset", "noprintk-msg-only",
	};
	autofree char *path = instance__path(i, "trace_options");
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	for (size_t n = 0; fd >= 0 && n < sizeof(options) / sizeof(options[0]); n++) {
		if (write(fd, options[n], strlen(options[n])) < 0)
			continue;
	}
	if (fd >= 0)
		close(fd);
}

static int create_directory(struct instance *i, const char *instances, struct guard *guard)
{
	autofree char *path = xasprintf("%s/" INSTANCE_PREFIX "%s", instances, run__id());
	int err = guard__add(guard, GUARD_INSTANCE, "%s", path);

	if (!err) {
		i->tracefs = tracefs_instance_create(path + strlen(instances) + 1);
		if (!i->tracefs) {
			err = -errno;
			error__print("%s: cannot make a tracing instance: %s%s", path,
				     strerror(-err), features__hint(err));
		}
	}
	return err ?: run__lock(path);
}

/*
 * A run holds a lock on the directory of instances while it makes and locks its own one, and while it looks for
 * ended runs: so each other run has locked its instance then, or has none. The watchdog takes this lock for
 * each thing that it removes, and the pipe to it holds only a few lines.
 */
static int create_guarded(struct instance *i, struct guard *guard)
{
	const char *tracing = tracefs_tracing_dir();
	struct leftovers left = {};
	char *instances;
	int lock, err;

	if (!tracing)
		return features__refuse(FEATURE_TRACEFS, NULL);
	instances = xasprintf("%s/instances", tracing);
	lock = open_locked(instances, LOCK_EX);
	if (lock < 0) {
		err = error__return(lock, "%s: cannot lock it: %s", instances, strerror(-lock));
	} else {
		leftovers__find(instances, &left);
		err = create_directory(i, instances, guard);
		close(lock);
	}
	err = err ?: leftovers__remove(&left, instances, guard);
	leftovers__free(&left);
	free(instances);
	return err;
}

int instance__create(struct instance **ret, struct guard *guard)
{
	struct instance *i = xcalloc(1, sizeof(*i));
	int err;

	i->gate = -1;
	err = create_guarded(i, guard) ?: instance__write(i, "trace_clock", "local");
	if (err)
		goto cleanup;
	reset_options(i);
	i->gate = tracefs_instance_file_open(i->tracefs, "tracing_on", O_WRONLY | O_CLOEXEC);
	if (i->gate < 0) {
		err = error__return(-errno, "tracing_on: %s", strerror(errno));
		goto cleanup;
	}
	/* libtracefs opens the file without close-on-exec. */
	fcntl(i->gate, F_SETFD, FD_CLOEXEC);
	*ret = i;
	return 0;

cleanup:
	instance__close(i);
	return err;
}

void instance__close(struct instance *i)
{
	if (!i)
		return;
	if (i->gate >= 0)
		close(i->gate);
	/* The watchdog removes the instance. */
	if (i->tracefs)
		tracefs_instance_free(i->tracefs);
	free(i);
}

char *instance__path(struct instance *i, const char *file)
{
	char *path = tracefs_instance_get_file(i->tracefs, file), *copy;

	if (!path)
		memory__fail();
	copy = xstrdup(path);
	tracefs_put_tracing_file(path);
	return copy;
}

char *instance__read(struct instance *i, const char *file)
{
	return tracefs_instance_file_read(i->tracefs, file, NULL);
}

int instance__open(struct instance *i, const char *file, int flags)
{
	autofree char *path = instance__path(i, file);
	int fd = open(path, flags | O_CLOEXEC);

	if (fd < 0)
		fd = error__return(-errno, "%s: %s", path, strerror(errno));
	return fd;
}

/* The user's options were checked before, so -EINVAL from the kernel is not a usage error here. */
static int write_text(int fd, const char *path, const char *text)
{
	int err;

	if (write(fd, text, strlen(text)) >= 0)
		return 0;
	err = -errno;
	error__print("%s: the kernel refused \"%.*s\": %s", path, (int)strcspn(text, "\n"), text,
		     strerror(-err));
	return err == -EINVAL ? -EIO : err;
}

int instance__write(struct instance *i, const char *file, const char *text)
{
	char *const list[] = { (char *)text, NULL };

	return instance__write_list(i, file, list);
}

int instance__write_list(struct instance *i, const char *file, char *const *list)
{
	autofree char *path = instance__path(i, file);
	int fd = instance__open(i, file, O_WRONLY | O_APPEND), err = fd < 0 ? fd : 0;

	for (; !err && *list; list++) {
		/* The filter files treat a word without a newline as unfinished. */
		autofree char *line = xasprintf("%s\n", *list);

		err = write_text(fd, path, line);
	}
	/* The kernel applies filters when the file is closed. */
	if (fd >= 0 && close(fd) && !err)
		err = error__return(-errno, "%s: %s", path, strerror(errno));
	return err;
}

int instance__shrink(struct instance *i, uint64_t *ret_bytes)
{
	/* The kernel rounds the size up to its minimum. */
	int err = instance__write(i, "buffer_size_kb", "1");
	autofree char *text = err ? NULL : instance__read(i, "buffer_total_size_kb");

	*ret_bytes = text ? strtoull(text, NULL, 10) * 1024 : 0;
	return err;
}

/* Lists the threads' numbers in one line, to be freed. */
static int list_threads(int pidfd, char **ret)
{
	pid_t *list;
	size_t count, size;
	FILE *f;
	int err = process__threads(pidfd, &list, &count);

	if (err)
		return err;
	f = xopen_memstream(ret, &size);
	for (size_t n = 0; n < count; n++)
		fprintf(f, "%d ", list[n]);
	free(list);
	xclose_memstream(f);
	return 0;
}

/*
 * Reads the threads again until there is no new one: a thread that is not followed yet may have
 * started another one. The kernel itself follows the children of followed threads.
 */
int instance__write_threads(struct instance *i, const char *file, int pidfd)
{
	char *text = NULL, *before = NULL;
	bool same = false;
	int err = 0;

	for (int n = 0; !err && !same && n < MOST_LOOKS; n++) {
		free(before);
		before = text;
		text = NULL;
		err = list_threads(pidfd, &text);
		same = !err && before && !strcmp(before, text);
		if (!err && !same)
			err = instance__write(i, file, text);
	}
	free(before);
	free(text);
	return err;
}

int instance__gate(struct instance *i, bool on)
{
	if (write(i->gate, on ? "1" : "0", 1) != 1)
		return error__return(-errno, "tracing_on: %s", strerror(errno));
	return 0;
}

/* The kernel writes "now ts" whatever trace options other users have set. */
int clock__parse_now(const char *stats, uint64_t *ret_ns)
{
	const char *now = text__value(stats, "now ts");
	unsigned long long seconds;
	char micros[8];

	/* Clocks that are no time have a count without a fraction. */
	if (!now || sscanf(now, "%llu.%7[0-9]", &seconds, micros) != 2 || strlen(micros) != 6)
		return -EPROTO;
	*ret_ns = seconds * 1000000000 + strtoull(micros, NULL, 10) * 1000;
	return 0;
}

static int try_clock(int stats, struct clock_pair *ret)
{
	uint64_t before, after, stamp;
	char text[1024];
	ssize_t length;

	before = clock__monotonic();
	length = pread(stats, text, sizeof(text) - 1, 0);
	after = clock__monotonic();
	if (length < 0)
		return -errno;
	text[length] = '\0';
	if (clock__parse_now(text, &stamp))
		return -ENODATA;
	ret->monotonic = before + (after - before) / 2;
	/* The kernel truncates the time to microseconds, so add half a microsecond. */
	ret->local = stamp + 500;
	ret->error = (after - before) / 2 + 500;
	return 0;
}

int instance__read_clock(struct instance *i, struct clock_pair *ret)
{
	autofree char *path = instance__path(i, "per_cpu/cpu0/stats");
	struct clock_pair pair;
	int stats = open(path, O_RDONLY | O_CLOEXEC), err = stats < 0 ? -errno : 0;

	for (int n = 0; !err && n < CLOCK_TRIES; n++) {
		err = try_clock(stats, &pair);
		if (!err && (!n || pair.error < ret->error))
			*ret = pair;
	}
	if (err)
		error__print("%s: cannot compare the clocks: %s", path, strerror(-err));
	if (stats >= 0)
		close(stats);
	return err;
}

uint64_t clock_pair__local(const struct clock_pair *first, const struct clock_pair *last,
			   uint64_t monotonic)
{
	int64_t offset = first->local - first->monotonic, drift;
	double share;

	if (last->monotonic <= first->monotonic)
		return monotonic + offset;
	drift = (int64_t)(last->local - last->monotonic) - offset;
	share = (double)(int64_t)(monotonic - first->monotonic) /
		(double)(last->monotonic - first->monotonic);
	return monotonic + offset + (int64_t)(drift * share);
}
