/* SPDX-License-Identifier: GPL-2.0-only */
/* One list of all that took time in a boot, whatever part of it. */
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
	size_t added;			/* how many were added before */
};

struct blame {
	struct blame_item *list;
	size_t count;
};

/* The strings must live as long as the list. Items of no time are left out. */
void blame__add(struct blame *b, uint64_t time, const char *name, const char *kind);
/*
 * Adds what took time in a part: units; initcalls, modules and probes of devices. Initcalls count
 * without others that they made, and probes without others inside of them.
 */
void blame__add_units(struct blame *b, const struct boot_units *u);
void blame__add_start(struct blame *b, const struct boot_start *s);
/* Puts those that took longest first. Others stay in the order in which they were added. */
void blame__sort(struct blame *b);
void blame__free(struct blame *b);

/* Print the first @most. Write errors stay in the stream. */
void blame__text(const struct blame *b, size_t most, FILE *out);
/* @s: the kernel's part, if it is in the list; NULL: it is not there. */
void blame__json(const struct blame *b, size_t most, const struct boot_whole *whole, const struct boot_start *s, FILE *out);

#endif
