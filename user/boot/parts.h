/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The whole boot, divided into parts without gaps, from the reset of the CPU until systemd has
 * nothing more to start.
 *
 * Each part ends at a recorded time. If this time is not known, the next part whose end is known
 * includes the part, and says so ("with"). So all times and "not_accounted" add up to the time
 * between the first and the last known time.
 */
#ifndef HYTRACE_BOOT_PARTS_H
#define HYTRACE_BOOT_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "boot/clock.h"
#include "boot/firmware.h"
#include "boot/start.h"
#include "boot/units.h"

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
	bool start_known, time_known;
	int64_t start;			/* ns of the clock "local": negative before its zero */
	uint64_t time;
	size_t with;			/* "time" includes so many parts directly before this */
};

struct boot_parts {
	struct boot_part *list;		/* in order of time */
	size_t count;
	uint64_t total;			/* the sum of all known times and of not_accounted */
	uint64_t not_accounted;		/* the time for which events of initcalls are missing */
	size_t started_again;		/* units; the time of their first start is PART_BETWEEN */
	const char *init;		/* the program that stays process 1; NULL: not known */
};

/* The sources about a boot; each pointer may be NULL. */
struct boot_known {
	const struct boot_clock *clock;
	const struct boot_firmware *firmware;
	const struct boot_start *start;
	const struct boot_units *units;
	bool first_call_known;		/* by early tracing */
	uint64_t first_call;		/* its TSC count */
};

/**
 * boot_parts__find() - divide a boot into its parts
 * @ret: the parts, to be freed by boot_parts__free()
 * @known: the sources; must live as long as the parts
 */
void boot_parts__find(struct boot_parts *ret, const struct boot_known *known);
void boot_parts__free(struct boot_parts *p);

/* The name in json: "before_initcalls". */
const char *boot_part__name(const struct boot_part *part);
/* The title in text: "kernel, until the initcalls". */
const char *boot_part__title(const struct boot_part *part);

#endif
