/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Lists of options that are kept without evidence. Three lists are built in; others are files. Each
 * line has a glob for names of options, and the reason.
 */
#ifndef HYTRACE_TAILOR_KEEP_H
#define HYTRACE_TAILOR_KEEP_H

#include "tailor/kconfig.h"

struct keep {
	char *glob;		/* "MITIGATION_*" */
	char *reason;
	char *list;		/* "hardening", or the file that was given */
};

struct keeps {
	struct keep *list;
	size_t count;
};

/**
 * keeps__add() - add a list
 * @keeps: zero at first, to be freed by keeps__free() even after a failure
 * @name: "hardening", "machine", "policy", or a file
 *
 * Return: 0, or a negative errno after a message: -EINVAL if there is no such file, or a line has no reason.
 */
int keeps__add(struct keeps *keeps, const char *name);
bool keeps__is_built_in(const char *name);
/* Adds all lists that are part of the program. */
int keeps__add_all(struct keeps *keeps);
void keeps__free(struct keeps *keeps);

/* Warns of lines of files that match no option: they have a typo, or are for another kernel. */
void keeps__warn(const struct keeps *keeps, const struct kconfig_options *options);
/* The first line that keeps an option ("EPOLL"); NULL: no line does. */
const struct keep *keeps__find(const struct keeps *keeps, const char *option);

#endif
