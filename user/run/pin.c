// SPDX-License-Identifier: GPL-2.0-only
/* Directories and names in bpffs; see pin.h. */
#include <linux/magic.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include "base/error.h"
#include "base/memory.h"
#include "run/pin.h"

static bool is_bpffs(const char *path)
{
	struct statfs fs;

	return !statfs(path, &fs) && (unsigned long)fs.f_type == BPF_FS_MAGIC;
}

static int mount_bpffs(void)
{
	if (is_bpffs(BPFFS))
		return 0;
	if (mount("bpf", BPFFS, "bpf", 0, "mode=0700"))
		return error__return(-errno, BPFFS ": cannot mount bpffs there: %s", strerror(errno));
	return 0;
}

/* Makes the directories of @path that do not exist yet; the watchdog removes them. */
static int make_directories(char *path, struct guard *guard)
{
	for (char *slash = path + 1; slash; ) {
		int err = 0;

		slash = strchr(slash, '/');
		if (slash)
			*slash = '\0';
		if (access(path, F_OK)) {
			err = guard__add(guard, GUARD_DIR, "%s", path);
			/* Another run may have made it meanwhile. */
			if (!err && mkdir(path, 0700) && errno != EEXIST)
				err = error__return(-errno, "--pin %s: cannot make this directory: %s", path,
						    strerror(errno));
		}
		if (slash)
			*slash++ = '/';
		if (err)
			return err;
	}
	return 0;
}

int pin__prepare(const char *where, struct guard *guard, char **ret_dir)
{
	char *dir = xasprintf("%s%s", where[0] == '/' ? "" : BPFFS "/hytrace/", where), *parent, *slash;
	int err;

	while ((slash = strrchr(dir, '/')) && slash > dir && !slash[1])
		*slash = '\0';
	err = strncmp(dir, BPFFS "/", strlen(BPFFS "/")) ? 0 : mount_bpffs();
	if (err)
		goto cleanup;

	/* The part of the path that exists must be in bpffs, so that no directory is made elsewhere. */
	parent = xstrdup(dir);
	while (access(parent, F_OK) && (slash = strrchr(parent, '/')) && slash > parent)
		*slash = '\0';
	if (!is_bpffs(parent))
		err = error__return(-EINVAL, "--pin %s: is not in a bpffs; give a directory under "
				    BPFFS ", or a bare name for one under " BPFFS "/hytrace", where);
	free(parent);
	if (!err)
		err = make_directories(dir, guard);
	if (err)
		goto cleanup;
	*ret_dir = dir;
	return 0;

cleanup:
	free(dir);
	return err;
}

int pin__path(const char *dir, const char *name, struct guard *guard, char **ret_path)
{
	char *path = xasprintf("%s/%s", dir, name);
	int err;

	/* The watchdog must not get the pin of another run, because it would remove it. */
	if (!access(path, F_OK))
		err = error__return(-EINVAL, "%s: is pinned already, by another run, or by one "
				    "that was killed with its watchdog; give --pin another "
				    "directory, or remove this pin", path);
	else
		err = guard__add(guard, GUARD_FILE, "%s", path);
	if (err)
		free(path);
	else
		*ret_path = path;
	return err;
}
