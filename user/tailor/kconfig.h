/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Questions about a kernel's configuration, answered by the kernel's own scripts/kconfig (kconfig/ask.c), in a scratch
 * directory.
 */
#ifndef HYTRACE_TAILOR_KCONFIG_H
#define HYTRACE_TAILOR_KCONFIG_H

#include "run/child.h"
#include "tailor/kbuild.h"

struct kconfig_option {
	const char *name;	/* "EPOLL" */
	char value;		/* 'n', 'm' or 'y'; '=' for a number or a string */
	bool changeable;	/* a person can set it to n now */
	bool choice;		/* it is a member of a choice */
	bool written;		/* it is in .config */
};

struct kconfig_options {
	struct kconfig_option *list;	/* by name */
	size_t count;
	size_t on;		/* options that are y or m in .config */
};

struct kconfig {
	const struct kbuild *build;
	struct strings *names;	/* owns the names of the options */
	char **env;
	struct child child;
};

/**
 * kconfig__open() - start scripts/kconfig with a configuration
 * @ret: to be closed by kconfig__close(), even after a failure
 * @build: the build, whose source and compiled scripts/kconfig are used; it must outlive @ret
 * @config: the configuration
 *
 * Return: 0, or a negative errno after a message: -EINVAL if Kconfig makes another configuration of @config here.
 */
int kconfig__open(struct kconfig *ret, const struct kbuild *build, const char *config);
void kconfig__close(struct kconfig *k);

/* Reads the text of a configuration, to be freed. Returns 0, or -EINVAL after a message. */
int config__read(const char *path, char **ret);
/* The text of a configuration without its first comments, which say what wrote it. */
const char *config__skip_head(const char *text);

/* Reads all options as they are now. @ret: to be freed by kconfig_options__free(). */
int kconfig__read(struct kconfig *k, struct kconfig_options *ret);
void kconfig_options__free(struct kconfig_options *o);
const struct kconfig_option *kconfig_options__get(const struct kconfig_options *o, const char *name);

/* Sets an option to n, m or y, if this can be done. */
int kconfig__set(struct kconfig *k, const char *name, char value);
/* Makes the current state the mark: kconfig__try() reports the differences from it. */
int kconfig__mark(struct kconfig *k);

struct change {
	const char *name;
	/*
	 * Values of kconfig_option.value, or: from '=' to '!', a number or a string has changed;
	 * from '+' to '-', the option is selected although its dependencies are not met.
	 */
	char from, to;
};

struct changes {
	struct change *list;
	size_t count;
};

/**
 * kconfig__try() - set options to n
 * @k: the configuration
 * @names: the options; one that cannot be set to n keeps its value
 * @count: the number of @names
 * @ret: the changes since the mark, by name; to be freed by changes__free(), even after a failure
 *
 * Options that were off at the mark and that come on by this are also set to n if possible.
 *
 * Return: 0, or a negative errno after a message.
 */
int kconfig__try(struct kconfig *k, const char *const *names, size_t count, struct changes *ret);
/* Undoes the last kconfig__try(). */
int kconfig__undo(struct kconfig *k);
void changes__free(struct changes *c);

/**
 * kconfig__write() - write the configuration by the kernel's conf
 * @k: the configuration
 * @ret: its text, to be freed
 *
 * Two rounds of `conf --olddefconfig` must leave it as it is.
 *
 * Return: 0, or a negative errno after a message: -EINVAL if a round changes it.
 */
int kconfig__write(struct kconfig *k, char **ret);

#endif
