// SPDX-License-Identifier: GPL-2.0-only
/* Runs that have ended and have left something in the kernel; see leftovers.h. */
#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/error.h"
#include "run/leftovers.h"

const char *run__id(void)
{
	static char id[17];
	uint64_t number;

	if (!*id) {
		arc4random_buf(&number, sizeof(number));
		snprintf(id, sizeof(id), "%016" PRIx64, number);
	}
	return id;
}

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
	char *path;
	int fd;

	if (asprintf(&path, "%s/" INSTANCE_PREFIX "%s", instances, id) < 0)
		return false;
	fd = open_locked(path, LOCK_EX | LOCK_NB);
	free(path);
	if (fd >= 0)
		close(fd);
	return fd >= 0 || fd == -ENOENT;
}

static void tell(const char *what, const char *name)
{
	error__warn("the %s %s was left behind by a run that was killed: it is removed", what,
		    name);
}

/* NULL: it is not one of a run. */
static const char *id_in(const char *name, const char *prefix)
{
	const char *id = name + strlen(prefix);

	if (strncmp(name, prefix, strlen(prefix)) || strlen(id) != strlen(run__id()) ||
	    id[strspn(id, "0123456789abcdef")])
		return NULL;
	return id;
}

static int remove_group(const char *events, const char *group, struct guard *guard)
{
	struct dirent *entry;
	char *path;
	int err = 0;
	DIR *dir;

	if (asprintf(&path, "%s/%s", events, group) < 0)
		return error__no_memory();
	dir = opendir(path);
	while (dir && !err && (entry = readdir(dir))) {
		if (entry->d_type != DT_DIR || entry->d_name[0] == '.')
			continue;
		tell("function event", entry->d_name);
		err = guard__remove_event(guard, group, entry->d_name);
	}
	if (dir)
		closedir(dir);
	free(path);
	return err;
}

/* By their directories: what function_events has of others need not be understood. */
static int find_events(const char *instances, struct guard *guard)
{
	struct dirent *entry;
	char *events;
	int err = 0;
	DIR *dir;

	if (asprintf(&events, "%s/../events", instances) < 0)
		return error__no_memory();
	dir = opendir(events);
	while (dir && !err && (entry = readdir(dir))) {
		const char *id = id_in(entry->d_name, GROUP_PREFIX);

		if (id && has_ended(instances, id))
			err = remove_group(events, entry->d_name, guard);
	}
	if (dir)
		closedir(dir);
	free(events);
	return err;
}

static int remove_instance(const char *instances, const char *name, struct guard *guard)
{
	char *path;
	int err;

	if (asprintf(&path, "%s/%s", instances, name) < 0)
		return error__no_memory();
	tell("tracing instance", name);
	err = guard__remove_instance(guard, path);
	free(path);
	return err;
}

static int find_instances(const char *instances, struct guard *guard)
{
	DIR *dir = opendir(instances);
	struct dirent *entry;
	int err = 0;

	while (dir && !err && (entry = readdir(dir))) {
		const char *id = id_in(entry->d_name, INSTANCE_PREFIX);

		if (id && has_ended(instances, id))
			err = remove_instance(instances, entry->d_name, guard);
	}
	if (dir)
		closedir(dir);
	return err;
}

int leftovers__begin(const char *instances)
{
	int fd = open_locked(instances, LOCK_EX);

	return fd < 0 ? error__return(fd, "%s: cannot lock it: %s", instances, strerror(-fd)) : fd;
}

/* Instances first, as they use events. */
int leftovers__find(const char *instances, struct guard *guard)
{
	int err = find_instances(instances, guard);

	return err ? err : find_events(instances, guard);
}

void leftovers__end(int lock)
{
	close(lock);
}
