// SPDX-License-Identifier: GPL-2.0-only
/* Finds and removes what killed runs have left in the kernel; see leftovers.h. */
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
#include "base/memory.h"
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
	char *path = xasprintf("%s/" INSTANCE_PREFIX "%s", instances, id);
	int fd = open_locked(path, LOCK_EX | LOCK_NB);

	free(path);
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
	DIR *dir = opendir(path);
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		const char *id = id_in(entry->d_name, prefix);

		if (id && !is_known(l, id) && has_ended(instances, id))
			*LIST_ADD(l->ids, l->count) = xstrdup(id);
	}
	if (dir)
		closedir(dir);
}

/*
 * Finds events by their directories. function_events may have lines of other users that cannot be
 * parsed here.
 */
void leftovers__find(const char *instances, struct leftovers *ret)
{
	char *events = xasprintf("%s/../events", instances);

	find_in(instances, INSTANCE_PREFIX, instances, ret);
	find_in(events, GROUP_PREFIX, instances, ret);
	free(events);
}

static int remove_instance(const char *instances, const char *id, struct guard *guard)
{
	char *path = xasprintf("%s/" INSTANCE_PREFIX "%s", instances, id);
	int err = 0;

	if (!access(path, F_OK)) {
		tell("tracing instance", path + strlen(instances) + 1);
		err = guard__remove_instance(guard, path);
	}
	free(path);
	return err;
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
			err = guard__remove_event(guard, group, events[i]->d_name);
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

int leftovers__begin(const char *instances)
{
	int fd = open_locked(instances, LOCK_EX);

	return fd < 0 ? error__return(fd, "%s: cannot lock it: %s", instances, strerror(-fd)) : fd;
}

void leftovers__end(int lock)
{
	close(lock);
}
