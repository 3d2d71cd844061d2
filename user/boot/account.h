/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The account of a boot: the whole boot, divided into parts without gaps, from the reset of the CPU
 * until systemd has nothing more to start.
 *
 * Each part ends at a recorded time. If this time is not known, the next part whose end is known
 * includes the part, and says so ("with"). So all times and "not_accounted" add up to the time
 * between the first and the last known time.
 */
#ifndef HYTRACE_BOOT_ACCOUNT_H
#define HYTRACE_BOOT_ACCOUNT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/json.h"

struct boot;

/* Properties that change how long a boot takes; 0 and NULL: not known. */
struct machine {
	uint64_t cpus;			/* online */
	uint64_t memory;		/* bytes, without early allocations */
	const char *model;		/* of the CPU */
};

enum part_kind {
	PART_FIRMWARE,			/* until the boot loader is started */
	PART_LOADER,			/* until the kernel's image is started */
	PART_UNPACKING,			/* until the first call that early tracing has recorded */
	PART_BEFORE_CLOCK,		/* until the zero of the kernel's clock */
	PART_BEFORE_INITCALLS,
	PART_LEVEL,			/* the initcalls of a level, until the next level */
	PART_AFTER_INITCALLS,		/* until the first program of process 1 */
	PART_INITRD,			/* until the program that stays process 1 */
	PART_INIT,			/* until systemd has loaded its units */
	PART_UNITS,			/* until the default target is reached */
	PART_REST,			/* until systemd has nothing more to do for the boot */
	PART_BETWEEN,			/* PART_UNITS and PART_REST while no unit was starting */
	PART_KINDS,
};

struct boot_part {
	enum part_kind kind;
	const char *level;		/* for PART_LEVEL */
	int64_t start, time;		/* by the clock "local"; NOT_KNOWN */
	int64_t with;			/* "time" includes so many parts directly before this */
};

struct boot_parts {
	struct boot_part *list;		/* in order of time; NULL: not known */
	size_t count;
	int64_t total;			/* the sum of all known times and of not_accounted */
	int64_t not_accounted;		/* the time for which events of initcalls are missing */
	int64_t started_again;		/* units; the time of their first start is PART_BETWEEN; NOT_KNOWN */
	const char *init;		/* the program that stays process 1; NULL: not known */
};

/* For reading a document, in which all may be missing. */
void boot__init_account(struct boot *b);
/**
 * boot__account() - find clocks, firmware and units of the running machine, and divide its boot into parts
 * @b: with what is known of the kernel's part
 * @dir: the mount point of tracefs; NULL: there is none
 */
void boot__account(struct boot *b, const char *dir);
/* Divides it. @log: the kernel's log; NULL: there is none */
void boot__divide(struct boot *b, FILE *log);
void boot__free_account(struct boot *b);

/* The names in json, such as "before_initcalls". */
extern const char *const boot_part_names[];
/* The title in text: "kernel, until the initcalls". */
const char *boot_part__title(const struct boot_part *part);

/* Begins a document that is a view of a boot. */
json_writer_t *boot__begin(const struct boot *b, FILE *out, const char *document, int schema);

#endif
