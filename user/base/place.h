/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The place of a file that is written for a user: a directory, which is open, and a name in it. All files that
 * hytrace writes go through here, because hytrace is mostly root, and the directory may belong to somebody else, who
 * can make links and FIFOs there, and move things about, at any moment.
 *
 * - The directory is found once, step by step. A link counts as its owner's, or, in a directory of another user, as
 *   that user's. If that is neither root nor this user, the link may only lead to what the same user owns.
 * - In a directory where everybody may write and keeps what is his (/tmp), a file or link of another user is refused. So is
 *   a link with several names where others may write, as root's own links can be given another name there.
 * - A file that is mounted by itself is refused, as nothing can replace it.
 * - A file gets its name when it is complete: it is made under a name that nothing has, synced and renamed. So no link is
 *   followed, and what had the name before (a hard link, perhaps) is not written to.
 */
#ifndef HYTRACE_BASE_PLACE_H
#define HYTRACE_BASE_PLACE_H

#include <sys/stat.h>

struct place {
	int dir;		/* -1: there is no place yet */
	char *name;		/* in that directory */
	struct stat st;		/* of what had the name when the place was found; st_mode is 0 if nothing had it */
	const char *refused;	/* why another user's file or link is refused */
};

/**
 * place__find() - find the place of a file
 * @p: need not be initialised; to be freed by place__free(), also after a failure
 * @path: of the file; nothing need be there yet
 *
 * Return: 0, or a negative errno without a message; -EPERM if @p->refused tells why.
 */
int place__find(struct place *p, const char *path);

/**
 * place__make() - make a file in the directory
 * @p: the place; if a file is there, the new one gets its owner, group and permissions, but no set-user-ID bit, and no
 *	access control list
 * @name: of the new file, which nothing may have yet
 *
 * Return: a descriptor to write with, or a negative errno.
 */
int place__make(const struct place *p, const char *name);

/**
 * place__put() - give a file its name
 * @p: the place
 * @name: as which the file was made
 * @fd: its descriptor; all that was written is on disk before anything is replaced
 *
 * Return: 0, or a negative errno; then what had the name still has it.
 */
int place__put(const struct place *p, const char *name, int fd);

/* Opens the device, the pipe or the socket that is there to write to it. Returns a descriptor, or a negative errno. */
int place__open_device(const struct place *p);
/* Opens the file that is there now to read it. Returns a descriptor; -ENOENT: no file is there; or another errno. */
int place__open_file(const struct place *p);
/* Removes a file of the directory. */
void place__remove(const struct place *p, const char *name);
/* The path of a file of the directory, without links, for another process; to be freed; NULL: unknown. */
char *place__path(const struct place *p, const char *name);
void place__free(struct place *p);

/* Returns 0 if nobody but this user may make files in the directory; -EPERM, or another errno if there is none. */
int place__check_own(const char *directory);

#endif
