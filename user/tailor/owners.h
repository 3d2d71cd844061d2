/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which options each object of a kernel needs, according to Kbuild.
 *
 * In each directory, make is asked what it would build: as configured, and then with one option
 * emptied at a time, of those that are set and that the directory's Makefiles mention. An object
 * that vanishes needs the emptied option. Then all options are emptied but those that an object is
 * known to need. If the object vanishes, it also needs one of several options, "(A or B)". To find
 * A and B, make is asked with each further option set, and at last with A and B emptied. The
 * contents of a directory inherit its needs. A target of several directories needs one of them.
 */
#ifndef HYTRACE_TAILOR_OWNERS_H
#define HYTRACE_TAILOR_OWNERS_H

#include "tailor/kbuild.h"
#include "tailor/needs.h"

struct owned {
	const char *path;	/* "fs/eventpoll.o" */
	const char *module;	/* "drivers/net/tun.o"; NULL: it is in vmlinux */
	bool member;		/* it is in a lib.a */
	struct needs needs;	/* the needs of its directory, and then its own */
};

/* The state of a file when it was read. */
struct stamped {
	const char *path;
	char stamp[48];		/* its size and time; "-": there was no file */
};

struct owners {
	struct owned *list;	/* by path, then by module; objects in vmlinux come first */
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

/*
 * owners_kept.c keeps the owners of objects for the next run, since asking Kbuild takes half a minute. There is one
 * file for each build directory. It has the configuration's checksum, the path of the source, and the sizes and times
 * of all Makefiles that were read. After any change, Kbuild is asked again.
 */

/* Returns false, with an empty @ret, if no valid answers are kept. */
bool owners__read_kept(struct owners *ret, struct kbuild *k);
/* Keeps the answers; failures are ignored. Removes those of build directories that were used long ago. */
void owners__keep(const struct owners *o, const struct kbuild *k);
void stamp__make(char *ret, size_t size, const char *path);

/*
 * Is an object in vmlinux only if the debug information has its unit? True for members of a lib.a,
 * except assembly, which may have no unit of its name. @source: the top of the source
 */
bool owned__needs_unit(const struct owned *o, const char *source);

/*
 * The object of that path; NULL: Kbuild does not know it. If @module (a name; NULL: vmlinux) does
 * not have the object, another module's or vmlinux's object of that path is returned.
 */
const struct owned *owners__get(const struct owners *o, const char *path, const char *module);

#endif
