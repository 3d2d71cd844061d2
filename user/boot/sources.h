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
/* After timeline__finish(), as it has to know when the boot ended. Returns 0, or -ENOMEM after a message. */
int timeline__add_load(struct timeline *t, const struct boot_report *r);

#endif
