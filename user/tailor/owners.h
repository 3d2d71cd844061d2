/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which options each object of a kernel needs, according to Kbuild.
 *
 * In each directory, make is asked what it would build, and again with each option that the directory's Makefiles
 * mention and that is set emptied in turn. What vanishes needs that option. What survives each of these, but not all
 * options emptied at once, has alternatives ("A or B"); make is asked for these with all options but one emptied. A
 * directory's needs are those of all that is in it.
 *
 * Of an object that needs A, and besides B or C, only A is found: emptying B or C alone does not remove it, and
 * emptying A does.
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

struct owners {
	struct owned *list;	/* by path */
	size_t count;
	struct need **needs;	/* all, to free them */
	size_t need_count;
	const char **files;	/* the Makefiles that were read, each once */
	size_t file_count;
	size_t directories, questions;	/* how often make was asked; 0: what was kept is still right */
	/* Objects that none of the options of their Makefile brings alone, though all together do. */
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

/* The object of that path; NULL: Kbuild does not know it. */
const struct owned *owners__get(const struct owners *o, const char *path);

bool owned__needs(const struct owned *object, const char *option);

#endif
