/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The whole boot as one account: parts that follow each other without a rest, from the reset of the
 * processor until systemd has nothing more to start.
 *
 * Each part ends at a moment that something has recorded. If this moment is not known, the part has
 * no time of its own, and its time is in the next part whose end is known, which names it. So the
 * sum of all times, and of what is not accounted for, is the time between the first known moment and
 * the last one.
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
	PART_UNPACKING,			/* until the kernel's first call, as early tracing has it */
	PART_BEFORE_CLOCK,		/* until the zero of the kernel's clock */
	PART_BEFORE_INITCALLS,
	PART_LEVEL,			/* the initcalls of a level, until the next level */
	PART_AFTER_INITCALLS,		/* until the first program of process 1 */
	PART_INITRD,			/* until the program that stays process 1 */
	PART_INIT,			/* until systemd has loaded its units */
	PART_UNITS,			/* until the default target is reached */
	PART_REST,			/* until systemd has nothing more to do for the boot */
	PART_BETWEEN,			/* the part of the last two in which no unit was being started */
	PART_KINDS,
};

struct boot_part {
	enum part_kind kind;
	const char *level;		/* for PART_LEVEL */
	bool start_known, time_known;
	int64_t start;			/* ns of the clock "local": negative before its zero */
	uint64_t time;
	size_t with;			/* how many parts directly before have their time in this one */
};

struct boot_parts {
	struct boot_part *list;		/* in order of time */
	size_t count;
	uint64_t total;			/* the sum of all parts that are known, and of the next one */
	uint64_t not_accounted;		/* while events of initcalls are missing */
	size_t started_again;		/* units, since the boot: what they took in it is in PART_BETWEEN */
	const char *init;		/* the program that stays process 1; NULL: not known */
};

/* What is known of a boot; each pointer may be NULL. */
struct boot_known {
	const struct boot_clock *clock;
	const struct boot_firmware *firmware;
	const struct boot_start *start;
	const struct boot_units *units;
	bool first_call_known;		/* from early tracing */
	uint64_t first_call;		/* the TSC's count */
};

/**
 * boot_parts__find() - divide a boot into its parts
 * @ret: the parts, to be freed by boot_parts__free()
 * @known: what is known; it must live as long as the parts
 */
void boot_parts__find(struct boot_parts *ret, const struct boot_known *known);
void boot_parts__free(struct boot_parts *p);

/* For programs: "before_initcalls". */
const char *boot_part__name(const struct boot_part *part);
/* For people: "kernel, until the initcalls". */
const char *boot_part__title(const struct boot_part *part);

#endif
