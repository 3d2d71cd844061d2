/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The options that Makefiles mention and that are set. Emptying any other option changes nothing,
 * so make need not be asked about it. Nothing else in a Makefile is parsed.
 */
#ifndef HYTRACE_TAILOR_MENTIONED_H
#define HYTRACE_TAILOR_MENTIONED_H

#include "tailor/kbuild.h"

struct mentioned {
	const char **list;	/* "CONFIG_X", interned in kbuild.names */
	size_t count;
};

/**
 * mentioned__read() - add the options that a Makefile mentions
 * @m: zero at first, to be freed by mentioned__free() even after a failure
 * @k: the build
 * @path: the Makefile
 * @words: NULL-terminated: only lines with one of these words count; NULL: all lines count
 *
 * Return: 0, or a negative errno after a message.
 */
int mentioned__read(struct mentioned *m, struct kbuild *k, const char *path, const char *const *words);
void mentioned__free(struct mentioned *m);

#endif
