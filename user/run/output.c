// SPDX-License-Identifier: GPL-2.0-only
/*
 * Results on standard output, in a file that is complete when it gets its name, or in one that
 * grows; see output.h.
 *
 * A report is made in memory and written at once, at the end or by output__flush(). So the error of
 * a failed write is that of the kernel, and not what stdio has kept of it.
 */
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "run/leftovers.h"
#include "run/output.h"

struct output {
	FILE *stream;		/* writes into text */
	char *text;
	size_t length;
	int fd;
	char *path;		/* NULL: standard output */
	char *temporary;	/* NULL: written in place */
	char *so_far;		/* the same for what is put in place before the end */
	char *created;		/* to be removed if nothing is written to it; NULL: it was there before */
	bool growing;
	bool truncate;		/* truncate the file before the first write */
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
	free(o->so_far);
	free(o->created);
	free(o);
}

/* @st: the existing file; NULL: there is none, or a link to a file that does not exist. */
static int open_in_place(struct output *o, const struct stat *st)
{
	o->fd = open(o->path, O_WRONLY | O_CLOEXEC | (st ? 0 : O_CREAT), 0666);
	if (o->fd < 0)
		return unwritable(o->path, errno);
	if (st)
		o->truncate = S_ISREG(st->st_mode);
	else
		o->created = realpath(o->path, NULL);
	return 0;
}

/* Follows a link, so that the temporary file is beside the link's target. */
static int follow_link(struct output *o)
{
	char *real = realpath(o->path, NULL);

	if (!real)
		return unwritable(o->path, errno);
	free(o->path);
	o->path = real;
	return 0;
}

/*
 * The temporary name, which is renamed later: @path.ID@suffix. It may be relative, because the
 * watchdog was started in this directory and stays in it.
 */
static int name_beside(char **ret, const char *path, const char *suffix, struct guard *guard)
{
	if (asprintf(ret, "%s.%s%s", path, run__id(), suffix) < 0) {
		*ret = NULL;
		return error__no_memory();
	}
	return guard ? guard__add_file(guard, *ret) : 0;
}

/* Without the privilege to give files away, the file is the user's, with the same mode. */
static bool copy_owner(int fd, const struct stat *st)
{
	return !(fchown(fd, st->st_uid, st->st_gid) && errno != EPERM) && !fchmod(fd, st->st_mode & 07777);
}

static int open_beside(struct output *o, const struct stat *st, struct guard *guard)
{
	int err;

	err = st ? follow_link(o) : 0;
	if (!err)
		err = name_beside(&o->temporary, o->path, ".tmp", guard);
	if (!err)
		err = name_beside(&o->so_far, o->path, ".now.tmp", guard);
	if (err)
		return err;
	o->fd = open(o->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	/*
	 * No other run makes a file of that name, so it is that of another output, which removes
	 * it.
	 */
	if (o->fd < 0 && errno == EEXIST) {
		free(o->temporary);
		o->temporary = NULL;
		return error__return(-EINVAL, "-o %s: is given twice", o->path);
	}
	if (o->fd < 0)
		return unwritable(o->path, errno);
	return st && !copy_owner(o->fd, st) ? unwritable(o->path, errno) : 0;
}

static bool is_link(const char *path)
{
	struct stat st;

	return !lstat(path, &st) && S_ISLNK(st.st_mode);
}

/*
 * Finds a descriptor, such as that of /dev/stdout, by which this process and its command write to
 * the same file; -1: there is none. Renaming over that file would lose what they write, and opening
 * it again would give another position.
 */
static int find_descriptor(const struct stat *st)
{
	DIR *dir = opendir("/proc/self/fd");
	struct dirent *entry;
	int found = -1;

	while (dir && found < 0 && (entry = readdir(dir))) {
		int fd = atoi(entry->d_name), flags = fcntl(fd, F_GETFL);
		struct stat other;

		if (*entry->d_name == '.' || flags < 0 || (flags & O_ACCMODE) == O_RDONLY ||
		    fcntl(fd, F_GETFD) & FD_CLOEXEC)
			continue;
		if (!fstat(fd, &other) && other.st_dev == st->st_dev && other.st_ino == st->st_ino)
			found = fd;
	}
	if (dir)
		closedir(dir);
	return found;
}

static int open_again(struct output *o, int fd)
{
	o->fd = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	return o->fd < 0 ? unwritable(o->path, errno) : 0;
}

static int open_path(struct output *o, const char *path, struct guard *guard)
{
	struct stat st;
	bool there = !stat(path, &st);
	int fd;

	o->path = strdup(path);
	if (!o->path)
		return error__no_memory();
	/* An empty path must fail here: its temporary file has a name, so only the rename would fail. */
	if (!*path)
		return unwritable(path, ENOENT);
	if (there && S_ISDIR(st.st_mode))
		return unwritable(path, EISDIR);
	if (there && access(path, W_OK))
		return unwritable(path, errno);
	fd = there ? find_descriptor(&st) : -1;
	if (fd >= 0)
		return open_again(o, fd);
	/*
	 * A device or a pipe cannot be replaced by a rename. A link to nothing has no place for a
	 * temporary file.
	 */
	if (o->growing || (there && !S_ISREG(st.st_mode)) || (!there && is_link(path)))
		return open_in_place(o, there ? &st : NULL);
	return open_beside(o, there ? &st : NULL, guard);
}

static int open_output(struct output **ret, const char *path, bool growing, struct guard *guard)
{
	struct output *o;
	int err = 0;

	o = calloc(1, sizeof(*o));
	if (!o)
		return error__no_memory();
	o->growing = growing;
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

int output__open(struct output **ret, const char *path, struct guard *guard)
{
	return open_output(ret, path, false, guard);
}

int output__open_growing(struct output **ret, const char *path)
{
	return open_output(ret, path, true, NULL);
}

FILE *output__stream(struct output *o)
{
	return o->stream;
}

static int write_all(int fd, const char *text, size_t length)
{
	while (length) {
		struct pollfd room = { .fd = fd, .events = POLLOUT };
		ssize_t written = write(fd, text, length);

		/*
		 * Another process that shares a pipe or a terminal with us may have set O_NONBLOCK.
		 */
		if (written < 0 && errno == EAGAIN)
			poll(&room, 1, -1);
		else if (written < 0 && errno != EINTR)
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
	err = o->truncate && ftruncate(o->fd, 0) ? -errno : 0;
	o->truncate = false;
	if (!err)
		err = write_all(o->fd, o->text, o->length);
	if (o->length) {
		free(o->created);
		o->created = NULL;
	}
	/* Begins at the start of the memory again. */
	if (!err && fseeko(o->stream, 0, SEEK_SET))
		err = -errno;
	return err;
}

static int print_failure(const struct output *o, int err)
{
	const char *after = "";

	if (o->temporary)
		after = "; if there is a file of that name, it is the old one";
	else if (o->growing && o->path)
		after = "; the file has what came until then";
	return error__return(-EIO, "%s: the result could not be written: %s%s",
			     o->path ? o->path : "standard output", strerror(-err), after);
}

int output__flush(struct output *o)
{
	int err = write_out(o);

	return err ? print_failure(o, err) : 0;
}

bool output__can_checkpoint(const struct output *o)
{
	return o->temporary;
}

/* The temporary file of the final result exists already. A result so far has a file of its own. */
static int write_so_far(struct output *o)
{
	struct stat st;
	int fd, err;

	if (fflush(o->stream) || ferror(o->stream))
		return -ENOMEM;
	fd = open(o->so_far, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (fd < 0)
		return -errno;
	err = !stat(o->path, &st) && !copy_owner(fd, &st) ? -errno : 0;
	if (!err)
		err = write_all(fd, o->text, o->length);
	/* This is for a crash, also of the machine. */
	if (!err && fsync(fd))
		err = -errno;
	if (close(fd) && !err)
		err = -errno;
	if (!err && rename(o->so_far, o->path))
		err = -errno;
	if (err)
		unlink(o->so_far);
	return err;
}

int output__checkpoint(struct output *o)
{
	int err;

	if (!output__can_checkpoint(o))
		return -EOPNOTSUPP;
	err = write_so_far(o);
	if (err)
		error__print("%s: the result so far could not be written: %s; a file of that name is the old one",
			     o->path, strerror(-err));
	/* Begins at the start of the memory again. */
	fseeko(o->stream, 0, SEEK_SET);
	return err;
}

static int finish(struct output *o)
{
	int err;

	err = write_out(o);
	if (err || !o->path)
		return err;
	/* A full disk or a quota may only be reported now. */
	err = close(o->fd) ? -errno : 0;
	o->fd = -1;
	if (!err && o->temporary && rename(o->temporary, o->path))
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
	if (o->created)
		unlink(o->created);
	output__free(o);
}

int output__finish(struct output *o, int err)
{
	if (!err)
		return output__commit(o);
	output__discard(o);
	return err;
}
