// SPDX-License-Identifier: GPL-2.0-only
/* Runs that have ended and have left something in the kernel; see leftovers.h. */
#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "error.h"
#include "function_events.h"
#include "leftovers.h"

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
	error__warn("the %s %s was left behind by a run that was ended together with its watchdog: it "
		    "is removed", what, name);
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

static int find_events(const char *instances, struct guard *guard)
{
	struct protos events = {};
	int err;

	if (function_events__available(true))
		return 0;
	err = function_events__load(&events);
	for (size_t i = 0; !err && i < events.count; i++) {
		const struct proto *event = &events.list[i];
		const char *id = id_in(event->group, GROUP_PREFIX);

		if (!id || !has_ended(instances, id))
			continue;
		tell("function event", event->line);
		err = guard__add_event(guard, event->group, event->name);
	}
	protos__free(&events);
	return err;
}

static int add_instance(const char *instances, const char *name, struct guard *guard)
{
	char *path;
	int err;

	if (asprintf(&path, "%s/%s", instances, name) < 0)
		return error__no_memory();
	tell("tracing instance", name);
	err = guard__add_instance(guard, path);
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
			err = add_instance(instances, entry->d_name, guard);
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

int leftovers__find(const char *instances, struct guard *guard)
{
	int err = find_events(instances, guard);

	return err ? err : find_instances(instances, guard);
}

void leftovers__end(int lock)
{
	close(lock);
}
