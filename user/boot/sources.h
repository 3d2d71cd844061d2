/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The sources of a timeline: each one takes one kind of things out of a report, and adds nothing if
 * the report does not have it. sources.c has the table of them.
 */
#ifndef HYTRACE_BOOT_SOURCES_H
#define HYTRACE_BOOT_SOURCES_H

#include "boot/timeline.h"

struct boot_report;

/*
 * The lane of a task. What several sources know of it goes into the same one, so that it nests.
 * @group: where it is drawn if no source has asked for this lane before; NULL: by itself
 */
size_t timeline__task(struct timeline *t, int pid, const char *group);

/* ---- sources_tasks.c */

void timeline__add_path(struct timeline *t, const struct boot_report *r);
void timeline__add_probes(struct timeline *t, const struct boot_report *r);
void timeline__add_processors(struct timeline *t, const struct boot_report *r);
/* After timeline__finish(), as it has to know when the boot ended. */
void timeline__add_load(struct timeline *t, const struct boot_report *r);

/* ---- sources_whole.c */

/* Are the parts of the boot known? Then they are its phases. */
bool timeline__has_parts(const struct boot_report *r);
void timeline__add_parts(struct timeline *t, const struct boot_report *r);
void timeline__add_units(struct timeline *t, const struct boot_report *r);
/*
 * When the kernel's clock began, by the clock of an early part of the tracer function. Returns false
 * if it is not known.
 */
bool timeline__early_zero(const struct boot_report *r, int64_t *ret);

#endif
