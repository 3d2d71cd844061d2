// SPDX-License-Identifier: GPL-2.0-only
/* Results on standard output or in a file that is complete when it has its name; see output.h. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "error.h"
#include "output.h"

struct output {
	FILE *stream;
	char *path;		/* NULL: standard output */
	char *temporary;	/* NULL: written in place, being a device or a pipe */
};

static int unwritable(const char *path, int err)
{
	return error__return(-EINVAL, "-o %s: cannot be written: %s", path, strerror(err));
}

static void output__free(struct output *o)
{
	free(o->path);
	free(o->temporary);
	free(o);
}

/* A device, a pipe: nothing to rename over. */
static int open_in_place(struct output *o)
{
	o->stream = fopen(o->path, "we");
	return o->stream ? 0 : unwritable(o->path, errno);
}

static int open_beside(struct output *o, struct guard *guard)
{
	int fd, err;

	if (asprintf(&o->temporary, "%s.%d.tmp", o->path, getpid()) < 0) {
		o->temporary = NULL;
		return error__no_memory();
	}
	if (guard) {
		/* A relative name is good: the watchdog was started in this directory and stays. */
		err = guard__add_file(guard, o->temporary);
		if (err)
			return err;
	}
	fd = open(o->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (fd < 0)
		return unwritable(o->path, errno);
	o->stream = fdopen(fd, "w");
	if (!o->stream) {
		close(fd);
		unlink(o->temporary);
		return error__no_memory();
	}
	return 0;
}

int output__open(struct output **ret, const char *path, struct guard *guard)
{
	struct output *o;
	struct stat st;
	int err;

	o = calloc(1, sizeof(*o));
	if (!o)
		return error__no_memory();
	if (!path || !strcmp(path, "-")) {
		o->stream = stdout;
		*ret = o;
		return 0;
	}
	o->path = strdup(path);
	if (!o->path) {
		err = error__no_memory();
		goto cleanup;
	}
	if (!stat(path, &st) && !S_ISREG(st.st_mode)) {
		err = S_ISDIR(st.st_mode) ? unwritable(path, EISDIR) : open_in_place(o);
	} else if (!access(path, F_OK) && access(path, W_OK)) {
		err = unwritable(path, errno);
	} else {
		err = open_beside(o, guard);
	}
	if (err)
		goto cleanup;
	*ret = o;
	return 0;

cleanup:
	output__free(o);
	return err;
}

FILE *output__stream(struct output *o)
{
	return o->stream;
}

int output__commit(struct output *o)
{
	const char *name = o->path ? o->path : "standard output";
	int err = 0;

	errno = 0;
	if (fflush(o->stream) || ferror(o->stream))
		err = errno ? -errno : -EIO;
	if (o->stream != stdout && fclose(o->stream) && !err)
		err = -errno;
	if (!err && o->temporary && rename(o->temporary, o->path))
		err = -errno;
	if (err) {
		error__print("%s: the result could not be written: %s%s", name, strerror(-err),
			     o->temporary ? "; there is no file of that name now, or the old one"
					  : "");
		if (o->temporary)
			unlink(o->temporary);
		err = -EIO;
	}
	output__free(o);
	return err;
}

void output__discard(struct output *o)
{
	if (!o)
		return;
	if (o->stream && o->stream != stdout)
		fclose(o->stream);
	if (o->temporary)
		unlink(o->temporary);
	output__free(o);
}
