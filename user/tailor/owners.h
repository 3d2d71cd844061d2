/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which options each object of a kernel needs, according to Kbuild.
 *
 * In each directory, make is asked what it would build, and again with each option that the directory's Makefiles
 * mention and that is set emptied in turn. What vanishes needs that option. Then all options are emptied but those that
 * an object was found to need. If it vanishes all the same, it also needs one of several others, "(A or B)"; make is
 * asked with each of the others set besides, and at last without those that were found. A directory's needs are those of
 * all that is in it.
 */
#ifndef HYTRACE_TAILOR_OWNERS_H
#define HYTRACE_TAILOR_OWNERS_H

#include "tailor/kbuild.h"

/* One of these options is needed. Mostly it is one. */
struct need {
	const char **options;	/* "CONFIG_X" */
	size_t count;
};

struct owned {
	const char *path;	/* "fs/eventpoll.o" */
	const char *module;	/* "drivers/net/tun.o"; NULL: it is in vmlinux */
	const struct need **needs;	/* all of them are needed; those of its directory, and then its own */
	size_t need_count;
};

/* A file when it was read, or one that was not there. */
struct stamped {
	const char *path;
	char stamp[48];		/* its size and time; "-": it was not there */
};

struct owners {
	struct owned *list;	/* by path */
	size_t count;
	struct need **needs;	/* all, to free them */
	size_t need_count;
	struct stamped *files;	/* what the answers depend on */
	size_t file_count;
	/* Objects that need several of several options, "(A and B) or (C and D)"; of these, not all needs are known. */
	size_t unclear;
	const char *an_unclear;
};

/**
 * owners__find() - ask Kbuild for the owners of all objects
 * @ret: to be freed by owners__free(), even after a failure
 * @k: the build; it must live as long
 *
 * Return: 0, or a negative errno after a message.
 */
int owners__find(struct owners *ret, struct kbuild *k);
void owners__free(struct owners *o);

/* For owners_kept.c. @o: zero at first. They return NULL or -ENOMEM without memory, after a message. */
struct need *owners__new_need(struct owners *o);
int need__add(struct need *need, const char *option);
int owners__add_object(struct owners *o, const struct owned *object);
int owners__add_file(struct owners *o, const char *path);
void stamp__make(char *ret, size_t size, const char *path);

/* The object of that path; NULL: Kbuild does not know it. */
const struct owned *owners__get(const struct owners *o, const char *path);

#endif
