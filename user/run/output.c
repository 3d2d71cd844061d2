// SPDX-License-Identifier: GPL-2.0-only
/*
 * Results on standard output, in a file that is complete when it gets its name, or in a file that
 * grows; and files that are kept for the next time. See output.h.
 *
 * A report is made in memory and written at once, at the end or by output__flush(). So the error of
 * a failed write is the kernel's, and not what stdio has kept of it.
 */
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/files.h"
#include "base/memory.h"
#include "run/guard.h"
#include "run/output.h"

/* Time to wait for another run that writes its result there; and for several runs, one after the other. */
#define LOCK_TRIES 50
#define MOST_LOCK_TRIES 1200
#define LOCK_TRY_US 100000

struct output {
	FILE *stream;		/* writes into @text */
	char *text;
	size_t length;
	int fd;
	char *path;		/* as given; NULL: standard output */
	struct place place;
	char *temporary;	/* name of the file until it is complete; NULL: it is written in place */
	char *so_far;		/* name of the file for output__checkpoint(); NULL: as above */
	bool growing;
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
	place__free(&o->place);
	free(o->path);
	free(o->temporary);
	free(o->so_far);
	free(o);
}

/* Makes a temporary name, NAME.ID@suffix. The file is renamed when it is complete. */
static int name_beside(char **ret, const struct place *place, const char *suffix, struct guard *guard)
{
	char *path;
	int err;

	*ret = xasprintf("%s.%s%s", place->name, run__id(), suffix);
	if (!guard)
		return 0;
	path = place__path(place, *ret);
	err = path ? guard__add(guard, GUARD_FILE, "%s", path) :
		     error__return(-EIO, "/proc/self/fd: cannot be read: %s; mount /proc", strerror(errno));
	free(path);
	return err;
}

static int open_beside(struct output *o, struct guard *guard)
{
	char *name;
	int err;

	err = name_beside(&name, &o->place, ".tmp", guard) ?: name_beside(&o->so_far, &o->place, ".now.tmp", guard);
	if (!err) {
		o->fd = place__make(&o->place, name);
		if (o->fd >= 0) {
			o->temporary = name;
			return 0;
		}
		/* No other run uses this name, so another output of this run has made the file, and will remove it. */
		err = o->fd == -EEXIST ? error__return(-EINVAL, "-o %s: is given twice", o->path) :
					 unwritable(o->path, -o->fd);
	}
	free(name);
	return err;
}

/*
 * Finds a descriptor, such as that of /dev/stdout, by which this process and its command write to
 * the same file; -1: there is none. To rename over that file would lose their output, and to open
 * it again would give another file offset.
 */
static int find_descriptor(const struct stat *st)
{
	autoclosedir DIR *dir = opendir("/proc/self/fd");
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
	return found;
}

static int open_again(struct output *o, int fd)
{
	o->fd = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	return o->fd < 0 ? unwritable(o->path, errno) : 0;
}

static int open_path(struct output *o, const char *path, struct guard *guard)
{
	struct place *place = &o->place;
	struct stat st;
	int err, fd;

	o->path = xstrdup(path);
	/*
	 * A file that the caller has opened, such as /dev/stdout, may have no path here, or a path that is
	 * not safe for this user. To write to it is no risk: the command's own output goes there, too.
	 */
	fd = stat(path, &st) ? -1 : find_descriptor(&st);
	if (fd >= 0)
		return open_again(o, fd);
	err = place__find(place, path);
	if (err && place->refused)
		return error__return(-EINVAL, "-o %s: is refused: %s", path, place->refused);
	if (err)
		return unwritable(path, -err);
	if (place->st.st_mode && faccessat(place->dir, place->name, W_OK, 0))
		return unwritable(path, errno);
	if (!place->st.st_mode || S_ISREG(place->st.st_mode))
		return open_beside(o, guard);
	/* A device or a pipe cannot be replaced by a rename. */
	o->fd = place__open_device(place);
	return o->fd < 0 ? unwritable(path, -o->fd) : 0;
}

/* Results are not compressed, so no reader would believe such a name. */
static int check_name(const char *path)
{
	static const char *const compressed[] = { ".gz", ".zst", ".xz" };
	size_t length = path ? strlen(path) : 0;

	for (size_t i = 0; i < sizeof(compressed) / sizeof(compressed[0]); i++) {
		size_t end = strlen(compressed[i]);

		if (length > end && !strcmp(path + length - end, compressed[i]))
			return error__return(-EINVAL, "-o %s: is refused: the result would not be compressed: "
					     "leave out %s, and compress the file, or standard output",
					     path, compressed[i]);
	}
	return 0;
}

static int open_output(struct output **ret, const char *path, bool growing, struct guard *guard)
{
	int err = check_name(path);
	struct output *o;

	if (err)
		return err;
	o = xcalloc(1, sizeof(*o));
	o->growing = growing;
	o->place.dir = -1;
	o->fd = STDOUT_FILENO;
	if (path && strcmp(path, "-")) {
		o->fd = -1;
		err = open_path(o, path, guard);
	}
	if (err) {
		output__discard(o);
		return err;
	}
	o->stream = xopen_memstream(&o->text, &o->length);
	*ret = o;
	return 0;
}

int output__open(struct output **ret, const char *path, struct guard *guard)
{
	return open_output(ret, path, false, guard);
}

int output__open_growing(struct output **ret, const char *path, struct guard *guard)
{
	return open_output(ret, path, true, guard);
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

/* Gives the file its own name. */
static int put(struct output *o)
{
	int err = o->temporary ? place__put(&o->place, o->temporary, o->fd) : 0;

	if (err)
		return err;
	free(o->temporary);
	o->temporary = NULL;
	return 0;
}

static int write_out(struct output *o)
{
	int err;

	if (fflush(o->stream) || ferror(o->stream))
		return -ENOMEM;
	err = (o->growing && o->length ? put(o) : 0) ?: write_all(o->fd, o->text, o->length);
	/* Start at the beginning of the memory again. */
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

/* Writes the result so far to a file of its own, because the temporary file is for the final result. */
static int write_so_far(struct output *o)
{
	int fd, err;

	if (fflush(o->stream) || ferror(o->stream))
		return -ENOMEM;
	/* The owner of the directory has seen the run's id, and may have made a file of this name. */
	place__remove(&o->place, o->so_far);
	fd = place__make(&o->place, o->so_far);
	if (fd < 0)
		return fd;
	err = write_all(fd, o->text, o->length) ?: place__put(&o->place, o->so_far, fd);
	if (close(fd) && !err)
		err = -errno;
	if (err)
		place__remove(&o->place, o->so_far);
	return err;
}

int output__checkpoint(struct output *o)
{
	int err;

	if (!output__can_checkpoint(o))
		return -EOPNOTSUPP;
	err = write_so_far(o);
	if (err)
		error__print("%s: the result so far could not be written: %s; an old file of that name is unchanged",
			     o->path, strerror(-err));
	/* Start at the beginning of the memory again. */
	fseeko(o->stream, 0, SEEK_SET);
	return err;
}

static int finish(struct output *o)
{
	int err = write_out(o);

	if (err || !o->path)
		return err;
	err = put(o);
	/* close() may report a full disk or a quota. */
	if (!err && close(o->fd))
		err = -errno;
	o->fd = -1;
	return err;
}

/* Whoever may read the directory may lock it, too, so this waits only for a limited time. */
int output__lock(const struct output *o)
{
	int fd = openat(o->place.dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), err, waited = 0;
	struct stat st = {}, last = {};

	for (int i = 0; fd >= 0 && flock(fd, LOCK_EX | LOCK_NB); i++, waited++) {
		if (waited == LOCK_TRIES || i == MOST_LOCK_TRIES) {
			err = -errno;
			close(fd);
			return err;
		}
		/* If the result has changed, another run has ended, and the next one has the lock. */
		if (!fstatat(o->place.dir, o->place.name, &st, AT_SYMLINK_NOFOLLOW) && st.st_ino != last.st_ino)
			waited = 0;
		last = st;
		usleep(LOCK_TRY_US);
	}
	return fd < 0 ? -errno : fd;
}

int output__open_old(const struct output *o)
{
	return place__open_file(&o->place);
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
		place__remove(&o->place, o->temporary);
	output__free(o);
}

int output__finish(struct output *o, int err)
{
	if (!err)
		return output__commit(o);
	output__discard(o);
	return err;
}

/* ---- files that are kept */

/* Files are not trusted if other users can write there. Nor may root write to a home that sudo has kept in HOME. */
static bool is_own(const char *directory)
{
	int err = place__check_own(directory);

	return !err || err == -ENOENT;
}

char *kept__path(const char *name)
{
	const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	char *directory, *path = NULL;

	if (cache && !*cache)
		cache = NULL;
	if ((!cache && !home) || !is_own(cache ?: home))
		return NULL;
	directory = xasprintf("%s%s/hytrace", cache ?: home, cache ? "" : "/.cache");
	if (is_own(directory))
		path = xasprintf("%s/%s", directory, name);
	free(directory);
	return path;
}

/* Also makes the parent directory, which a new user does not have. */
static bool make_directory(char *path)
{
	char *slash = strrchr(path, '/');

	if (slash && slash != path) {
		*slash = '\0';
		mkdir(path, 0700);
		*slash = '/';
	}
	return !mkdir(path, 0755) || errno == EEXIST;
}

struct output *kept__open(const char *path)
{
	char *directory = xstrdup(path), *slash = strrchr(directory, '/');
	struct output *output = NULL;

	if (slash)
		*slash = '\0';
	if (!slash || !make_directory(directory) || access(directory, W_OK) || output__open(&output, path, NULL))
		output = NULL;
	free(directory);
	return output;
}

void kept__touch(const char *path)
{
	utimensat(AT_FDCWD, path, NULL, 0);
}

/* The least recently used file of a kind: its name, to be freed; NULL: there are at most @most files. */
static char *find_oldest(const char *directory, const char *kind, size_t length, size_t most)
{
	autoclosedir DIR *dir = opendir(directory);
	struct timespec oldest = {};
	struct dirent *entry;
	char *found = NULL;
	size_t count = 0;
	struct stat st;

	while (dir && (entry = readdir(dir))) {
		/* Files that another run is writing have a dot in their names. */
		if (strncmp(entry->d_name, kind, length) || strchr(entry->d_name, '.') ||
		    fstatat(dirfd(dir), entry->d_name, &st, AT_SYMLINK_NOFOLLOW))
			continue;
		count++;
		if (found && (st.st_mtim.tv_sec > oldest.tv_sec ||
			      (st.st_mtim.tv_sec == oldest.tv_sec && st.st_mtim.tv_nsec >= oldest.tv_nsec)))
			continue;
		oldest = st.st_mtim;
		free(found);
		found = xasprintf("%s/%s", directory, entry->d_name);
	}
	if (count > most)
		return found;
	free(found);
	return NULL;
}

void kept__trim(const char *path, size_t most)
{
	char *directory = xstrdup(path), *slash = strrchr(directory, '/'), *oldest;
	const char *kind = slash ? slash + 1 : NULL, *end = slash ? strchr(kind, '-') : NULL;

	if (end) {
		*slash = '\0';
		while ((oldest = find_oldest(directory, kind, end + 1 - kind, most))) {
			int err = unlink(oldest);

			free(oldest);
			if (err)
				break;
		}
	}
	free(directory);
}
