/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A directory in which a kernel was built, and the answers of the kernel's own Makefiles.
 *
 * hytrace does not parse Makefiles. It asks the top Makefile once for the environment of make in
 * each directory. With this environment, it asks scripts/Makefile.build what that would build, with
 * some options emptied (`make CONFIG_X=` overrides include/config/auto.conf). A goal that hytrace
 * adds by --eval prints the variables of scripts/Makefile.build. So make itself evaluates all
 * conditions, composite objects and functions. Nothing is written to the directory.
 */
#ifndef HYTRACE_TAILOR_KBUILD_H
#define HYTRACE_TAILOR_KBUILD_H

#include <json-c/linkhash.h>

#include "base/memory.h"

struct kbuild {
	const char *directory;	/* as the user gave it */
	char *objects;		/* the absolute path of @directory */
	char *source;		/* the absolute path of the source */
	char *scratch;		/* a directory in TMPDIR; kbuild__close() removes it */
	char *tmpout;		/* an argument of make: temporary files go to @scratch */
	char **env;		/* for make in a directory of the kernel */
	char **config_env;	/* for scripts/kconfig */
	char *config;		/* kernel_id__config_of(include/config/auto.conf); NULL: unknown */
	struct lh_table *set;	/* "CONFIG_X" -> "y", "m" or another value, if it is set */
	struct strings *names;	/* owns all names */
};

/**
 * kbuild__open() - read a build's configuration and environments
 * @ret: to be freed by kbuild__close(), even after a failure
 * @directory: where the kernel was built
 *
 * Return: 0, or a negative errno after a message: -EINVAL if no kernel was built there, or its configuration changed
 * after the build.
 */
int kbuild__open(struct kbuild *ret, const char *directory);
void kbuild__close(struct kbuild *k);

/* The value of "CONFIG_X", without quotes; NULL: it is not set. */
const char *kbuild__value(const struct kbuild *k, const char *option);

/* The value of the variable @name; NULL: it is not set. */
const char *environment__get(char *const *env, const char *name);

enum listed_kind {
	LISTED_OBJECT,		/* in vmlinux */
	LISTED_MEMBER,		/* a member of a lib.a; in vmlinux if the linker takes it */
	LISTED_PART,		/* in a module */
	LISTED_DIRECTORY,	/* a directory that make enters */
};

struct listed {
	const char *path;	/* "fs/eventpoll.o", "drivers/net" */
	const char *module;	/* of LISTED_PART: "drivers/net/tun.o" */
	enum listed_kind kind;
};

struct listing {
	struct listed *list;
	size_t count;
	char **files;		/* absolute paths of the Makefiles that were read, without those in scripts/ */
	size_t file_count;
};

/**
 * kbuild__list() - ask what make would build in a directory
 * @k: the build
 * @directory: the path from the top of the source; "." for the top
 * @emptied: options ("CONFIG_X") that are taken as not set
 * @count: the number of options in @emptied
 * @ret: to be freed by listing__free(), even after a failure
 *
 * Return: 0, or a negative errno after a message.
 */
int kbuild__list(struct kbuild *k, const char *directory, const char *const *emptied, size_t count,
		 struct listing *ret);
void listing__free(struct listing *l);
/* Is @item still built? A part of a module only counts in this module or in vmlinux. */
bool listing__has(const struct listing *l, const struct listed *item);

/**
 * kbuild__arch_directories() - ask which directories the architecture's Makefile adds
 * @k: the build
 * @emptied: an option that is taken as not set; NULL: none
 * @ret: their names, each between two blanks, to be freed
 *
 * Return: 0, or a negative errno after a message.
 */
int kbuild__arch_directories(struct kbuild *k, const char *emptied, char **ret);

#endif
