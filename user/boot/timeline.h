/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * All that is known about a boot as bars: what ran or was waited for, from when until when. All
 * pictures draw from this list, so they show the same, and a new source shows up in each of them.
 *
 * A source is a function in sources.c. It calls timeline__lane() and timeline__add(), in any order
 * of time. timeline__finish() then finds out how the bars of a lane nest.
 *
 * There are two parts. Each one has a picture of its own with its own scale, as the early part is
 * short and has many calls. Times are ns of the kernel's clock "local"; they are negative before
 * that clock began. If the times of a part cannot be converted, they begin with 0 at its first bar.
 *
 * Names are not copied: they have to live as long as the timeline. timeline__keep() copies.
 */
#ifndef HYTRACE_BOOT_TIMELINE_H
#define HYTRACE_BOOT_TIMELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "boot/load.h"

struct boot_report;
struct strings;

/* What a bar is. The pictures have a colour for each. */
enum bar_class {
	BAR_PHASE,			/* a stretch of the boot, directly after another one */
	BAR_CALL,			/* a function of the kernel */
	BAR_INITCALL,
	BAR_MODULE,
	BAR_PROBE,			/* of a driver, for a device */
	BAR_PROGRAM,			/* of process 1 */
	BAR_UNIT,			/* of the service manager */
	BAR_WAIT,			/* a task that does not run, with what it waits for */
	BAR_RUNNING,			/* a task that runs on a CPU */
	BAR_IO,				/* a request to a device */
	BAR_CLASSES
};

/* Words for programs ("initcall"), and for people ("initcalls"). */
extern const char *const bar_class_words[BAR_CLASSES], *const bar_class_names[BAR_CLASSES];

enum timeline_part_id {
	TIMELINE_EARLY,			/* until ftrace is there */
	TIMELINE_BOOT,			/* all */
	TIMELINE_PARTS
};

/* An end of a bar: until the part ends. */
#define BAR_UNTIL_END INT64_MAX
/* An end of a bar: not known. It has only a beginning. */
#define BAR_NO_END INT64_MIN

struct bar_arg {
	const char *name, *text;	/* text is NULL: a number */
	int64_t number;
};

struct bar {
	const char *name;
	size_t lane;
	enum bar_class class;
	bool endless;			/* its end is not known, and @end is its beginning */
	int64_t start, end;
	int64_t self;			/* without the bars inside; only in lanes that nest */
	size_t arg, args;		/* the first one in the timeline's list, and how many */
	size_t order;			/* in which it was added */
	/* Set by timeline__finish(). */
	size_t layer;			/* of its lane: bars of one layer are apart or nest */
	size_t depth;			/* inside how many other bars of the layer it is */
};

enum lane_kind {
	LANE_NESTS,			/* of one task: a bar inside of another is a part of it */
	LANE_APART,			/* bars that overlap have nothing to do with each other */
};

struct lane {
	const char *name;		/* "process 1", "CPU 0" */
	const char *group;		/* lanes of a group share a place; NULL: it has its own */
	enum timeline_part_id part;
	enum lane_kind kind;
	int64_t pid;			/* of the task whose lane this is; -1: no task's */
	/* Set by timeline__finish(). */
	size_t first, count;		/* its bars, in order of time, outer ones first */
	size_t layers;
	size_t *layer_depth;		/* of each layer: how deep its bars nest, at least 1 */
};

/* A point in time: "default target reached". */
struct timeline_mark {
	const char *name;
	int64_t time;
};

struct timeline_part {
	bool there;
	bool own_clock;			/* its times begin at its first bar */
	bool returns;			/* of the early part: it is known when calls returned */
	bool counts;			/* its times are no ns, but cycles of the TSC */
	const char *title;
	int64_t start, end;		/* the end is found if no source sets it */
	bool end_known;
	size_t later;			/* bars that begin after the end */
};

struct timeline {
	struct timeline_part parts[TIMELINE_PARTS];
	struct lane *lanes;		/* in the order in which pictures have them */
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
 * timeline__collect() - all that a report has, by all sources
 * @t: the timeline, to be freed by timeline__free()
 * @r: has to live as long as @t
 */
void timeline__collect(struct timeline *t, const struct boot_report *r);

/* ---- for sources */

void timeline__init(struct timeline *t);
/**
 * timeline__lane() - the lane of a name; it is made if it is not there
 * @lane: its name, group, part, kind and pid
 *
 * Return: its index. The first call decides about its place among the others.
 */
size_t timeline__lane(struct timeline *t, const struct lane *lane);
void timeline__add(struct timeline *t, size_t lane, enum bar_class class, const char *name,
		   int64_t start, int64_t end);
/* Tell something about the bar that was added last. */
void timeline__text(struct timeline *t, const char *name, const char *text);
void timeline__number(struct timeline *t, const char *name, int64_t number);
void timeline__mark(struct timeline *t, const char *name, int64_t time);
/* A copy of a text that lives as long as the timeline. */
const char *timeline__keep(struct timeline *t, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/**
 * timeline__finish() - sort the bars, and find how they nest, and where the parts end
 *
 * The boot may have no known end: modules are loaded as long as the machine runs. Then it ends
 * before the first long pause in which nothing begins.
 */
void timeline__finish(struct timeline *t);
void timeline__free(struct timeline *t);

/* ---- for pictures */

/* In which row of its lane a bar is, when layers are above each other. */
size_t timeline__row(const struct timeline *t, const struct bar *b);
/*
 * Indexes of the bars of a part that took longest by themselves, at most @most; to be freed. These
 * are things that somebody can change: no phases, and no calls of the early part, whose times are
 * bounds.
 */
size_t *timeline__longest(const struct timeline *t, enum timeline_part_id part, size_t most, size_t *ret_count);

#endif
