/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Places in the source for addresses in several files of a kernel; each file's line tables are read
 * once.
 */
#ifndef HYTRACE_REPORT_SOURCE_LINES_H
#define HYTRACE_REPORT_SOURCE_LINES_H

#include "image/lines.h"
#include "report/images.h"

struct source_line {
	const struct image_of *of;
	uint64_t addr;
	struct line_place place;
};

struct source_lines {
	bool entries;			/* all are function entries: find their definitions */
	struct source_line *list;	/* after source_lines__find(): by file, then by address */
	size_t count;
};

/* Adds an address. @s must be zero before the first one. */
void source_lines__want(struct source_lines *s, const struct image_of *of, uint64_t addr);
/* Finds all places. Call it once, after all addresses were added. */
void source_lines__find(struct source_lines *s);
/* Returns NULL if the place is not known. */
const struct line_place *source_lines__get(const struct source_lines *s, const struct image_of *of, uint64_t addr);
void source_lines__free(struct source_lines *s);

#endif
