/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A directory in which a kernel was built, and what the kernel's own Makefiles say of it.
 *
 * Nothing here reads Makefiles. The top Makefile is asked once for the environment that it gives to make in each
 * directory. With that environment, scripts/Makefile.build is asked what it would build, with some options emptied
 * (`make CONFIG_X=` overrides include/config/auto.conf). A goal of our own, given by --eval, prints
 * the variables of scripts/Makefile.build. So all conditions, composite objects and functions of
 * make are the kernel's. Nothing is written to the directory.
 */
#ifndef HYTRACE_TAILOR_KBUILD_H
#define HYTRACE_TAILOR_KBUILD_H

#include <json-c/linkhash.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/strings.h"

struct kbuild {
	const char *directory;	/* as the user gave it */
	char *objects;		/* the absolute path of @directory */
	char *source;		/* the absolute path of the source */
	char *scratch;		/* a directory in TMPDIR; kbuild__close() removes it */
	char *tmpout;		/* an argument of make: temporary files go to @scratch */
	char **env;		/* for make in a directory of the kernel */
	char **config_env;	/* for scripts/kconfig */
	char *config;		/* of include/config/auto.conf, as kernel_id.config is of a .config; NULL: unknown */
	struct lh_table *set;	/* "CONFIG_X" -> "y", "m" or another value, if it is set */
	struct strings *names;	/* owns all names */
};

/**
 * kbuild__open() - read what a build says of itself
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

/* The variable's value in an environment; NULL: it has none. */
const char *environment__get(char *const *env, const char *name);

enum listed_kind {
	LISTED_OBJECT,		/* in vmlinux */
	LISTED_MEMBER,		/* of a lib.a; in vmlinux if the linker takes it */
	LISTED_PART,		/* in a module */
	LISTED_DIRECTORY,	/* make goes into it */
};

struct listed {
	const char *path;	/* "fs/eventpoll.o", "drivers/net" */
	const char *module;	/* of a part: "drivers/net/tun.o" */
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
 * @directory: from the top, "." for the top
 * @emptied: options ("CONFIG_X") that are taken as not set
 * @count: the number of options in @emptied
 * @ret: to be freed by listing__free(), even after a failure
 *
 * Return: 0, or a negative errno after a message.
 */
int kbuild__list(struct kbuild *k, const char *directory, const char *const *emptied, size_t count,
		 struct listing *ret);
void listing__free(struct listing *l);
/* Is it still built? An object may have moved to a module; a part has to be in the same module, or in vmlinux. */
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
