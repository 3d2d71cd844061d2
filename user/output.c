// SPDX-License-Identifier: GPL-2.0-only
/*
 * Results on standard output or in a file that is complete when it has its name; see output.h.
 *
 * A report is made in memory and written in one go, at the end or by output__flush(), so that the reason
 * of a failed write is the kernel's own and not what stdio remembers of it.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "error.h"
#include "output.h"

struct output {
	FILE *stream;		/* into text */
	char *text;
	size_t length;
	int fd;
	char *path;		/* NULL: standard output */
	char *temporary;	/* NULL: written in place, being a device or a pipe */
};

static int unwritable(const char *path, int err)
{
	return error__return(-EINVAL, "-o %s: cannot be written: %s", path, strerror(err));
}

static void output__free(struct output *o)
{
	if (o->stream)
		fclose(o->stream);
	free(o->text);
	if (o->fd > STDERR_FILENO)
		close(o->fd);
	free(o->path);
	free(o->temporary);
	free(o);
}

/* A device, a pipe: nothing to rename over. */
static int open_in_place(struct output *o)
{
	o->fd = open(o->path, O_WRONLY | O_CLOEXEC);
	return o->fd < 0 ? unwritable(o->path, errno) : 0;
}

static int open_beside(struct output *o, struct guard *guard)
{
	int err;

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
	o->fd = open(o->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	return o->fd < 0 ? unwritable(o->path, errno) : 0;
}

static int open_path(struct output *o, const char *path, struct guard *guard)
{
	struct stat st;

	o->path = strdup(path);
	if (!o->path)
		return error__no_memory();
	if (!stat(path, &st) && !S_ISREG(st.st_mode))
		return S_ISDIR(st.st_mode) ? unwritable(path, EISDIR) : open_in_place(o);
	if (!access(path, F_OK) && access(path, W_OK))
		return unwritable(path, errno);
	return open_beside(o, guard);
}

int output__open(struct output **ret, const char *path, struct guard *guard)
{
	struct output *o;
	int err = 0;

	o = calloc(1, sizeof(*o));
	if (!o)
		return error__no_memory();
	o->fd = STDOUT_FILENO;
	if (path && strcmp(path, "-")) {
		o->fd = -1;
		err = open_path(o, path, guard);
	}
	if (!err) {
		o->stream = open_memstream(&o->text, &o->length);
		if (!o->stream)
			err = error__no_memory();
	}
	if (err)
		output__discard(o);
	else
		*ret = o;
	return err;
}

FILE *output__stream(struct output *o)
{
	return o->stream;
}

static int write_all(int fd, const char *text, size_t length)
{
	while (length) {
		ssize_t written = write(fd, text, length);

		if (written < 0 && errno != EINTR)
			return -errno;
		if (written > 0) {
			text += written;
			length -= written;
		}
	}
	return 0;
}

static int write_out(struct output *o)
{
	int err;

	if (fflush(o->stream) || ferror(o->stream))
		return -ENOMEM;
	err = write_all(o->fd, o->text, o->length);
	/* The same memory again. */
	if (!err && fseeko(o->stream, 0, SEEK_SET))
		err = -errno;
	return err;
}

static int print_failure(const struct output *o, int err)
{
	return error__return(-EIO, "%s: the result could not be written: %s%s",
			     o->path ? o->path : "standard output", strerror(-err),
			     o->temporary ? "; a file of that name is the old one" : "");
}

int output__flush(struct output *o)
{
	int err = write_out(o);

	return err ? print_failure(o, err) : 0;
}

static int finish(struct output *o)
{
	int err;

	err = write_out(o);
	if (err || !o->temporary)
		return err;
	/* A full disk or a quota may come out only now. */
	err = close(o->fd) ? -errno : 0;
	o->fd = -1;
	if (!err && rename(o->temporary, o->path))
		err = -errno;
	return err;
}

int output__commit(struct output *o)
{
	int err = finish(o);

	if (!err) {
		output__free(o);
		return 0;
	}
	err = print_failure(o, err);
	output__discard(o);
	return err;
}

void output__discard(struct output *o)
{
	if (!o)
		return;
	if (o->temporary)
		unlink(o->temporary);
	output__free(o);
}
