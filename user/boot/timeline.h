/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A boot as a list of bars: what ran or was waited for, from when until when. Pictures, trace
 * events and folded stacks are made from this list, so a new source appears in all of them.
 *
 * A source is a function in sources.c. It calls timeline__lane() and timeline__add(), in any order
 * of time. timeline__finish() then finds how the bars of a lane nest.
 *
 * There are two parts, each with its own scale, as the early part is short and has many calls.
 * Times are ns of the kernel's clock "local", and negative before its zero. If the times of a part
 * cannot be converted to this clock, the first bar of the part is at 0.
 *
 * Names are not copied: they have to live as long as the timeline. timeline__keep() copies a name.
 */
#ifndef HYTRACE_BOOT_TIMELINE_H
#define HYTRACE_BOOT_TIMELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "boot/load.h"

struct boot_report;
struct strings;

/* The class of a bar. Pictures have a colour for each class. */
enum bar_class {
	BAR_PHASE,			/* a part of the boot; phases do not overlap */
	BAR_CALL,			/* a function of the kernel */
	BAR_INITCALL,
	BAR_MODULE,
	BAR_PROBE,			/* of a device by a driver */
	BAR_PROGRAM,			/* a program of process 1 */
	BAR_UNIT,			/* a unit of systemd */
	BAR_WAIT,			/* a task that waits, named after the thing it waits for */
	BAR_RUNNING,			/* a task that runs on a CPU */
	BAR_IO,				/* a request to a device */
	BAR_CLASSES
};

/* The words for json and CSS ("initcall"), and for legends ("initcalls"). */
extern const char *const bar_class_words[BAR_CLASSES], *const bar_class_names[BAR_CLASSES];

enum timeline_part_id {
	TIMELINE_EARLY,			/* until the switch to ftrace */
	TIMELINE_BOOT,			/* the whole boot */
	TIMELINE_PARTS
};

/* Value for the end of a bar: the end of the part. */
#define BAR_UNTIL_END INT64_MAX
/* Value for the end of a bar: not known. */
#define BAR_NO_END INT64_MIN

struct bar_arg {
	const char *name, *text;	/* text is NULL: the value is the number */
	int64_t number;
};

struct bar {
	const char *name;
	size_t lane;
	enum bar_class class;
	bool endless;			/* the end is not known: @end is @start */
	int64_t start, end;
	int64_t self;			/* the time without inner bars; only for LANE_NESTS */
	size_t arg, args;		/* index of the first argument; number of arguments */
	size_t order;			/* the number of bars that were added before */
	/* Set by timeline__finish(). */
	size_t layer;			/* bars in a layer of a lane nest, or do not overlap */
	size_t depth;			/* the number of bars of the layer around this bar */
};

enum lane_kind {
	LANE_NESTS,			/* of one task: an inner bar is a part of the outer bar */
	LANE_APART,			/* bars that overlap are independent */
};

struct lane {
	const char *name;		/* "process 1", "CPU 0" */
	const char *group;		/* lanes of a group are drawn together; NULL: no group */
	enum timeline_part_id part;
	enum lane_kind kind;
	int64_t pid;			/* the task that the lane is of; -1: no task */
	/* Set by timeline__finish(). */
	size_t first, count;		/* its bars, sorted by time, outer before inner bars */
	size_t layers;
	size_t *layer_depth;		/* for each layer: its largest depth + 1 */
};

/* A point in time: "default target reached". */
struct timeline_mark {
	const char *name;
	int64_t time;
};

struct timeline_part {
	bool there;
	bool own_clock;			/* times begin at the first bar of the part */
	bool returns;			/* early part: the returns of calls were recorded */
	bool counts;			/* times are TSC cycles, not ns */
	const char *title;
	int64_t start, end;		/* a source may set the end; otherwise it is estimated */
	bool end_known;			/* a source has set the end */
	size_t later;			/* the number of bars that begin after the end */
};

struct timeline {
	struct timeline_part parts[TIMELINE_PARTS];
	struct lane *lanes;		/* in the order in which pictures show them */
	size_t lane_count;
	struct bar *bars;
	size_t bar_count;
	struct bar_arg *args;
	size_t arg_count;
	struct timeline_mark *marks;	/* of TIMELINE_BOOT */
	size_t mark_count;
	struct boot_load load;		/* of TIMELINE_BOOT; no bins: not known */
	struct strings *store;
};

/**
 * timeline__collect() - make the timeline of a report, with all sources
 * @t: the timeline, to be freed by timeline__free()
 * @r: the report; must live as long as @t
 */
void timeline__collect(struct timeline *t, const struct boot_report *r);

/* ---- for sources */

void timeline__init(struct timeline *t);
/**
 * timeline__lane() - find a lane by name, group and part, or add it
 * @lane: name, group, part, kind and pid of the lane
 *
 * Return: the index of the lane. Pictures show lanes in the order in which they were added.
 */
size_t timeline__lane(struct timeline *t, const struct lane *lane);
void timeline__add(struct timeline *t, size_t lane, enum bar_class class, const char *name,
		   int64_t start, int64_t end);
/* Add an argument to the bar that was added last. */
void timeline__text(struct timeline *t, const char *name, const char *text);
void timeline__number(struct timeline *t, const char *name, int64_t number);
void timeline__mark(struct timeline *t, const char *name, int64_t time);
/* Makes a text that lives as long as the timeline. */
const char *timeline__keep(struct timeline *t, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/**
 * timeline__finish() - sort the bars, find how they nest, and the ends of the parts
 *
 * If no source knows the end of the boot, it ends before the first long pause without any bars:
 * modules are loaded as long as the machine runs.
 */
void timeline__finish(struct timeline *t);
void timeline__free(struct timeline *t);

/* ---- for pictures */

/* The row of a bar in its lane, if layers are drawn one below the other. */
size_t timeline__row(const struct timeline *t, const struct bar *b);
/*
 * The indexes of the @most bars of a part with the longest "self", to be freed. Only bars that
 * somebody can make shorter: no phases, and no early calls, whose times may only be upper bounds.
 */
size_t *timeline__longest(const struct timeline *t, enum timeline_part_id part, size_t most, size_t *ret_count);

#endif
