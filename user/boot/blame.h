/* SPDX-License-Identifier: GPL-2.0-only */
/* One list of the units, initcalls, modules and probes that took time in a boot. */
#ifndef HYTRACE_BOOT_BLAME_H
#define HYTRACE_BOOT_BLAME_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct boot_start;
struct boot_units;
struct boot_whole;

struct blame_item {
	uint64_t time;			/* in ns, never 0 */
	const char *name;
	const char *kind;		/* "unit", "initcall", "module", ... */
	size_t added;			/* the number of items that were added before this one */
};

struct blame {
	struct blame_item *list;
	size_t count;
};

/* The strings must live as long as the list. An item with time 0 is not added. */
void blame__add(struct blame *b, uint64_t time, const char *name, const char *kind);
/*
 * Add the units, or the initcalls, modules and probes of devices. The time of an initcall or probe
 * excludes initcalls and probes inside it.
 */
void blame__add_units(struct blame *b, const struct boot_units *u);
void blame__add_start(struct blame *b, const struct boot_start *s);
/* Sorts by time, longest first. Items of equal time stay in the order in which they were added. */
void blame__sort(struct blame *b);
void blame__free(struct blame *b);

/* Print the first @most items. The caller checks @out for write errors. */
void blame__text(const struct blame *b, size_t most, FILE *out);
/* @s: the kernel's part; NULL: the list has no items of it. */
void blame__json(const struct blame *b, size_t most, const struct boot_whole *whole, const struct boot_start *s, FILE *out);

#endif
