/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which options each object of a kernel needs, according to Kbuild.
 *
 * In each directory, make is asked what it would build: as configured, and then with one option emptied at a time.
 * These are the options that are set and that the directory's Makefiles mention. An object that vanishes needs the
 * emptied option. Then all options are emptied but those that an object was found to need. If it vanishes all the
 * same, it also needs one of several others, "(A or B)": to find these, make is asked with each other option set
 * besides, and at last without those that brought it back. All that is in a directory needs what the directory
 * needs. If Makefiles of several directories name the same target, it needs what one of these ways to it needs.
 */
#ifndef HYTRACE_TAILOR_OWNERS_H
#define HYTRACE_TAILOR_OWNERS_H

#include "tailor/kbuild.h"
#include "tailor/needs.h"

struct owned {
	const char *path;	/* "fs/eventpoll.o" */
	const char *module;	/* "drivers/net/tun.o"; NULL: it is in vmlinux */
	bool member;		/* of a lib.a */
	struct needs needs;	/* those of its directory, and then its own */
};

/* The state of a file when it was read. */
struct stamped {
	const char *path;
	char stamp[48];		/* its size and time; "-": there was no file */
};

struct owners {
	struct owned *list;	/* by path, and then by module; those in vmlinux are the first */
	size_t count;
	struct need_store needs;
	struct stamped *files;	/* the Makefiles that the answers depend on */
	size_t file_count;
	/* Objects whose needs are not all known: their conditions are too complex, as "(A and B) or (C and D)". */
	size_t unclear;
	const char *an_unclear;
};

/**
 * owners__find() - ask Kbuild for the owners of all objects
 * @ret: to be freed by owners__free(), even after a failure
 * @k: the build; it must outlive @ret
 *
 * Return: 0, or a negative errno after a message.
 */
int owners__find(struct owners *ret, struct kbuild *k);
void owners__free(struct owners *o);

/* For owners_kept.c. */
void stamp__make(char *ret, size_t size, const char *path);

/*
 * Is it in vmlinux only if the debug information has its unit? Of a lib.a, the linker takes only needed
 * members. But those of assembly may have a unit of another name, or no unit. @source: the top of the source
 */
bool owned__needs_unit(const struct owned *o, const char *source);

/*
 * The object of that path; NULL: Kbuild does not know it. @module: the name of the module that it is a part
 * of; NULL: vmlinux. An object that is only in other modules, or only in vmlinux, is found as well.
 */
const struct owned *owners__get(const struct owners *o, const char *path, const char *module);

#endif
