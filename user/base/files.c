// SPDX-License-Identifier: GPL-2.0-only
/*
 * Files: whole as text, what the kernel says of them, their paths and their descriptors; and the places of
 * files that are written. See files.h.
 */
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/resource.h>
#include <sys/vfs.h>
#include <sys/xattr.h>

#include "base/files.h"
#include "base/memory.h"

char *file__text(const char *path)
{
	FILE *f = fopen(path, "re"), *memory;
	char *text = NULL, part[16384];
	size_t length, got;
	int err;

	if (!f)
		return NULL;
	/* Read to the end, because stat() gives no size for files in /proc. */
	memory = xopen_memstream(&text, &length);
	while ((got = fread(part, 1, sizeof(part), f)))
		fwrite(part, 1, got, memory);
	err = ferror(f) ? errno : 0;
	xclose_memstream(memory);
	fclose(f);
	if (err) {
		free(text);
		text = NULL;
		errno = err;
	}
	return text;
}

char *file__text_at(const char *format, ...)
{
	autofree char *path = NULL;
	va_list args;
	int length;

	va_start(args, format);
	length = vasprintf(&path, format, args);
	va_end(args);
	if (length < 0)
		memory__fail();
	return file__text(path);
}

long file__number(const char *path)
{
	autofree char *text = file__text(path);
	char *end = text;
	long number = text ? strtol(text, &end, 10) : -1;

	return end == text ? -1 : number;
}

const char *text__value(const char *text, const char *name)
{
	size_t length = strlen(name);

	for (; text; text = strchr(text, '\n'), text += !!text) {
		if (!strncmp(text, name, length) && text[length] == ':')
			return text + length + 1;
	}
	return NULL;
}

/* ---- descriptors */

uint64_t fdinfo__number(int fd, const char *name)
{
	autofree char *path = xasprintf("/proc/self/fdinfo/%d", fd), *text = file__text(path);
	const char *value = text__value(text, name);

	return value ? strtoull(value, NULL, 10) : 0;
}

/* Room for all other files that are or will be open. */
#define SPARE_DESCRIPTORS 256

int descriptors__allow(size_t more)
{
	rlim_t wanted = more + SPARE_DESCRIPTORS;
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur >= wanted)
		return 0;
	limit.rlim_cur = wanted;
	if (limit.rlim_max < wanted)
		limit.rlim_max = wanted;
	return setrlimit(RLIMIT_NOFILE, &limit) ? -errno : 0;
}

/* ---- paths */

void path__simplify(char *path)
{
	char *from = path, *to = path;

	while (*from) {
		size_t length = strcspn(from, "/");

		if (length == 2 && !strncmp(from, "..", 2)) {
			/* The path so far ends with a slash. */
			if (to > path)
				to--;
			while (to > path && to[-1] != '/')
				to--;
		} else if (length && !(length == 1 && *from == '.')) {
			memmove(to, from, length);
			to += length;
			if (from[length])
				*to++ = '/';
		}
		from += length;
		from += strspn(from, "/");
	}
	*to = '\0';
}

char *path__join(const char *directory, const char *name)
{
	return xasprintf("%s/%s", directory, name);
}

/* ---- the places of files that are written */

/* The kernel's own limit. */
#define MOST_LINKS 40

/* How far the path to a place was walked. */
struct walk {
	struct place *place;
	struct stat at;		/* the directory that was reached */
	char *rest;		/* the rest of the path */
	unsigned int links;
	bool is_led;		/* links of another user were followed */
	uid_t by;
};

static bool is_trusted(uid_t uid)
{
	return !uid || uid == geteuid();
}

static int refuse(struct place *p, const char *why)
{
	p->refused = why;
	return -EPERM;
}

/* Enters the directory @fd; negative: opening it has failed. */
static int enter(struct walk *w, int fd)
{
	if (fd < 0)
		return -errno;
	if (w->place->dir >= 0)
		close(w->place->dir);
	w->place->dir = fd;
	return fstat(fd, &w->at) ? -errno : 0;
}

static bool is_in_proc(int link)
{
	struct statfs fs;

	return !fstatfs(link, &fs) && fs.f_type == PROC_SUPER_MAGIC;
}

/*
 * In /proc, a link to a file without a path (such as a pipe or a deleted file) has a text that only
 * describes it. The walk ends there, and takes the file itself.
 */
static bool ends_in_proc(struct place *p, int link, const char *name)
{
	struct stat st;

	if (!is_in_proc(link) || fstatat(p->dir, name, &st, 0) || (S_ISREG(st.st_mode) && st.st_nlink))
		return false;
	p->st = st;
	return true;
}

/* Remembers who has made a link, unless it is root or this user. @owner: of the link */
static int note_link(struct walk *w, uid_t owner)
{
	uid_t by = is_trusted(w->at.st_uid) ? owner : w->at.st_uid;

	if (++w->links > MOST_LINKS)
		return -ELOOP;
	if (is_trusted(by))
		return 0;
	if (w->is_led && w->by != by)
		return refuse(w->place, "links of several other users lead there; name the file itself");
	w->is_led = true;
	w->by = by;
	return 0;
}

/* Follows a link by its text. @rest: the path after the link */
static int follow(struct walk *w, int link, uid_t owner, const char *rest)
{
	char target[PATH_MAX], *path;
	ssize_t length = readlinkat(link, "", target, sizeof(target));
	int err;

	if (length < 0 || length == sizeof(target))
		return length < 0 ? -errno : -ELOOP;
	err = note_link(w, owner);
	if (err)
		return err;
	path = xasprintf("%.*s%s", (int)length, target, rest);
	free(w->rest);
	w->rest = path;
	return *path == '/' ? enter(w, open("/", O_PATH | O_DIRECTORY | O_CLOEXEC)) : 0;
}

/* Lets the kernel follow a link in /proc, because it may lead to another root. @rest: the path after the link */
static int enter_by_name(struct walk *w, const char *name, int flags, const char *rest)
{
	/* O_DIRECTORY also triggers automounts. */
	int dir = openat(w->place->dir, name, O_PATH | O_DIRECTORY | O_CLOEXEC | flags);

	memmove(w->rest, rest, strlen(rest) + 1);
	return enter(w, dir);
}

static bool is_planted(const struct stat *directory, const struct stat *st)
{
	return directory->st_mode & S_ISVTX && directory->st_mode & (S_IWOTH | S_IWGRP) && !S_ISDIR(st->st_mode) &&
	       !is_trusted(st->st_uid) && st->st_uid != directory->st_uid;
}

static bool has_acl(int fd)
{
	char self[32];

	snprintf(self, sizeof(self), "/proc/self/fd/%d", fd);
	return getxattr(self, "system.posix_acl_access", NULL, 0) > 0;
}

/* Checks the next component of the path, which is open as @fd. @end: the rest of the path */
static int look_at(struct walk *w, int fd, const char *name, const char *end)
{
	struct place *p = w->place;
	struct stat st;

	if (fstat(fd, &st))
		return -errno;
	if (is_planted(&w->at, &st))
		return refuse(p, "it is another user's, in a directory where everybody may write; choose another name");
	/* Anybody may be able to make another name for a link of root's (by a hard link). */
	if (S_ISLNK(st.st_mode) && st.st_nlink > 1 && w->at.st_mode & (S_IWGRP | S_IWOTH))
		return refuse(p, "it is a link with several names, in a directory where other users may write");
	if (S_ISLNK(st.st_mode) && *end && is_in_proc(fd))
		return note_link(w, st.st_uid) ?: enter_by_name(w, name, 0, end);
	if (S_ISLNK(st.st_mode) && (*end || !ends_in_proc(p, fd, name)))
		return follow(w, fd, st.st_uid, end);
	if (*end)
		return enter_by_name(w, name, O_NOFOLLOW, end);
	if (!S_ISLNK(st.st_mode)) {
		p->st = st;
		/* With an access control list, the group's bits are its mask, not what the group may do. */
		if (has_acl(fd))
			p->st.st_mode &= ~S_IRWXG;
	}
	p->name = xstrdup(name);
	return 0;
}

/* Takes the next component of the path. */
static int step(struct walk *w)
{
	char *start = w->rest + strspn(w->rest, "/"), *end = start + strcspn(start, "/");
	char *name = xstrndup(start, end - start);
	int fd, err;

	fd = *name ? openat(w->place->dir, name, O_PATH | O_NOFOLLOW | O_CLOEXEC) : -1;
	if (fd >= 0) {
		err = look_at(w, fd, name, end);
	} else if (!*name) {
		err = -EISDIR;
	} else if (errno == ENOENT && !*end) {
		w->place->name = name;
		return 0;
	} else {
		err = -errno;
	}
	if (fd >= 0)
		close(fd);
	free(name);
	return err;
}

int place__find(struct place *p, const char *path)
{
	struct walk w = { .place = p, .rest = xstrdup(path) };
	struct statx sx;
	int err;

	*p = (struct place){ .dir = -1 };
	if (!*path)
		err = -ENOENT;
	else
		err = enter(&w, open(*path == '/' ? "/" : ".", O_PATH | O_DIRECTORY | O_CLOEXEC));
	while (!err && !p->name)
		err = step(&w);
	free(w.rest);
	if (err)
		return err;
	if (w.is_led && (w.at.st_uid != w.by || (p->st.st_mode && p->st.st_uid != w.by)))
		return refuse(p, "a link of another user leads to a file that is not his; name the file itself");
	if (S_ISREG(p->st.st_mode) && !statx(p->dir, p->name, AT_SYMLINK_NOFOLLOW, 0, &sx) &&
	    sx.stx_attributes & STATX_ATTR_MOUNT_ROOT)
		return refuse(p, "a file is mounted there, which nothing can replace; name a file in a "
			      "directory of the mount");
	return S_ISDIR(p->st.st_mode) ? -EISDIR : 0;
}

int place__make(const struct place *p, const char *name)
{
	/* Nobody may open the file, and read it, before it has the permissions of the old file. */
	mode_t mode = p->st.st_mode ? 0 : 0666;
	int fd = openat(p->dir, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode), err;

	if (fd < 0)
		return -errno;
	/* By a default access control list, the directory's owner could read what the old file's group may read. */
	if (p->st.st_mode)
		fremovexattr(fd, "system.posix_acl_access");
	/* Without the privilege to change the owner, the file belongs to this user. */
	if (!p->st.st_mode || (!(fchown(fd, p->st.st_uid, p->st.st_gid) && errno != EPERM) &&
			       !fchmod(fd, p->st.st_mode & 0777)))
		return fd;
	err = -errno;
	close(fd);
	place__remove(p, name);
	return err;
}

int place__put(const struct place *p, const char *name, int fd)
{
	return fsync(fd) || renameat(p->dir, name, p->dir, p->name) ? -errno : 0;
}

int place__open_device(const struct place *p)
{
	/* Opening a device may have an effect, so first see which one it is. Only a link in /proc can be left here. */
	int fd, seen = openat(p->dir, p->name, O_PATH | O_CLOEXEC);
	struct stat st;
	char self[32];

	if (seen < 0)
		return -errno;
	snprintf(self, sizeof(self), "/proc/self/fd/%d", seen);
	if (fstat(seen, &st) || st.st_dev != p->st.st_dev || st.st_ino != p->st.st_ino)
		fd = -ESTALE;
	else
		fd = open(self, O_WRONLY | O_CLOEXEC);
	fd = fd == -1 ? -errno : fd;
	close(seen);
	return fd;
}

int place__open_file(const struct place *p)
{
	int fd = p->dir < 0 ? -1 : openat(p->dir, p->name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat st;

	if (fd < 0)
		return p->dir < 0 ? -ENOENT : -errno;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode))
		return fd;
	close(fd);
	return -ENOENT;
}

void place__remove(const struct place *p, const char *name)
{
	unlinkat(p->dir, name, 0);
}

char *place__path(const struct place *p, const char *name)
{
	char self[32], dir[PATH_MAX];
	ssize_t length;

	snprintf(self, sizeof(self), "/proc/self/fd/%d", p->dir);
	length = readlink(self, dir, sizeof(dir));
	return length < 0 ? NULL : xasprintf("%.*s/%s", (int)length, dir, name);
}

void place__free(struct place *p)
{
	if (p->dir >= 0)
		close(p->dir);
	free(p->name);
	*p = (struct place){ .dir = -1 };
}

int place__check_own(const char *directory)
{
	struct stat st;

	if (stat(directory, &st))
		return -errno;
	return S_ISDIR(st.st_mode) && st.st_uid == geteuid() && !(st.st_mode & (S_IWGRP | S_IWOTH)) ? 0 : -EPERM;
}

int place__write(const char *path, const char *text)
{
	struct place p;
	autofree char *temporary = NULL;
	int err = place__find(&p, path), fd = -1;
	sigset_t all, before;

	/* A signal that ends the program waits until the temporary file is gone. */
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before);
	if (!err) {
		temporary = xasprintf("%s.%d.tmp", p.name, getpid());
		err = fd = place__make(&p, temporary);
	}
	if (fd >= 0) {
		/* A short write has no errno. */
		errno = ENOSPC;
		err = write(fd, text, strlen(text)) == (ssize_t)strlen(text) ? place__put(&p, temporary, fd) : -errno;
		if (err)
			place__remove(&p, temporary);
		close(fd);
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
	place__free(&p);
	return err;
}
