/* SPDX-License-Identifier: GPL-2.0-only */
/* Files: whole as text, what the kernel says of them, their paths and their descriptors; and where they are written. */
#ifndef HYTRACE_BASE_FILES_H
#define HYTRACE_BASE_FILES_H

#include <sys/stat.h>

/**
 * file__text() - read a whole file
 * @path: the file; the text ends for the caller at the first NUL, if there is one
 *
 * Return: the text with a NUL after it, to be freed; NULL, with errno and no message, if it cannot be read.
 */
char *file__text(const char *path);
/* The same, of the file whose path is printed by @format. */
char *file__text_at(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The number at the beginning of a file, such as one of /proc/sys; -1: it cannot be read. */
long file__number(const char *path);

/**
 * text__value() - find a value in lines "name: value", such as those of the kernel's files of statistics
 * @text: the lines; NULL: there are none
 * @name: the name
 *
 * Return: the text behind "name:" of the first such line; NULL: there is none.
 */
const char *text__value(const char *text, const char *name);

/* ---- descriptors */

/*
 * A number that /proc/self/fdinfo has for a descriptor; 0: it has none. "memlock" is the memory that the kernel
 * charges for a BPF map or program, in bytes, which its info structs do not have.
 */
uint64_t fdinfo__number(int fd, const char *name);

/*
 * Raises the limit of this process, so that it can open @more files in addition to the usual ones. To be called after
 * the command is forked, so that the command keeps its limit. Returns 0, or a negative errno without a message.
 */
int descriptors__allow(size_t more);

/* ---- paths, such as those of a kernel's source, which need not exist here */

/* Turns "./a//b/../c" into "a/c". At the top, ".." is dropped: "../x" becomes "x". */
void path__simplify(char *path);
/* "DIRECTORY/NAME", to be freed. */
char *path__join(const char *directory, const char *name);

/* ---- the places of files that are written */

/*
 * The place of a file that is written for a user: a directory, which is open, and a name in it. All
 * files that hytrace writes go through here, because hytrace mostly runs as root, and the directory
 * may belong to another user, who can make links and FIFOs there, and move files, at any moment.
 *
 * - The directory is found once, step by step. A link belongs to its owner, or, in a directory of another user,
 *   to that user. If this is neither root nor this user, the link may lead only to what the same user owns.
 * - In a directory such as /tmp (sticky, writable for all), a file or link of another user is refused. So
 *   is a link with several names where others may write, because root's own links can get another name there.
 * - A file that is mounted by itself is refused, as nothing can replace it.
 * - A file gets its name when it is complete: it is made under an unused name, synced and renamed.
 *   So no link is followed, and an old file of that name (perhaps a hard link) is not written to.
 */
struct place {
	int dir;		/* -1: there is no place yet */
	char *name;		/* the name in @dir */
	struct stat st;		/* an old file when the place was found; st_mode 0: there was none */
	const char *refused;	/* why another user's file or link is refused */
};

/**
 * place__find() - find the place of a file
 * @p: need not be initialised; to be freed by place__free(), also after a failure
 * @path: the path of the file, which need not exist yet
 *
 * Return: 0, or a negative errno without a message; -EPERM if @p->refused tells why.
 */
int place__find(struct place *p, const char *path);

/**
 * place__make() - make a file in the directory
 * @p: the place; if a file is there, the new one gets its owner, group and permissions, but no set-user-ID bit, and no
 *	access control list
 * @name: the name of the new file; no file may have it yet
 *
 * Return: a descriptor to write with, or a negative errno.
 */
int place__make(const struct place *p, const char *name);

/**
 * place__put() - give a file its name
 * @p: the place
 * @name: the name under which the file was made
 * @fd: its descriptor; all that was written is synced before anything is replaced
 *
 * Return: 0, or a negative errno; then an old file still has its name.
 */
int place__put(const struct place *p, const char *name, int fd);

/* Writes a whole file. Returns 0, or a negative errno without a message. */
int place__write(const char *path, const char *text);
/* Opens an existing device, pipe or socket for writing. Returns a descriptor, or a negative errno. */
int place__open_device(const struct place *p);
/* Opens the current file of that name for reading. Returns a descriptor; -ENOENT: there is none; or another errno. */
int place__open_file(const struct place *p);
/* Removes a file in the directory. */
void place__remove(const struct place *p, const char *name);
/* The path of a file in the directory, without links, for another process; to be freed; NULL: unknown. */
char *place__path(const struct place *p, const char *name);
void place__free(struct place *p);

/* Returns 0 if only this user can make files in @directory; -EPERM if other users can; or another errno. */
int place__check_own(const char *directory);

#endif
