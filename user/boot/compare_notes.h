/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What two groups of boots have not in common, and what this does to a comparison: some rows cannot
 * be compared, or nothing is certain because something else than the kernel may be the reason.
 */
#ifndef HYTRACE_BOOT_COMPARE_NOTES_H
#define HYTRACE_BOOT_COMPARE_NOTES_H

#include <stdbool.h>
#include <stddef.h>

#include "boot/compare_kinds.h"

struct boot_comparison;

struct boot_notes {
	char **list;			/* sentences, without a full stop */
	size_t count;
	bool weaken;			/* nothing is certain */
	bool comparable[PARTS][MEASURES];
};

/**
 * boot_notes__find() - hold the boots against each other
 * @c: the comparison, of which all documents have been read; its notes are filled
 *
 * Return: 0; -EINVAL after a message if the boots of a group do not belong together.
 */
int boot_notes__find(struct boot_comparison *c);
/* Adds a sentence. */
void boot_notes__add(struct boot_notes *n, const char *format, ...) __attribute__((format(printf, 2, 3)));
void boot_notes__free(struct boot_notes *n);

#endif
