/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What took time in a boot, from when until when: an initcall, a probe, a program, a run of a processor, a wait, an
 * early call, and in pictures also a level, a phase, a part and a unit.
 *
 * Times are ns of the kernel's clock "local", and negative before its zero. Names and other texts live as long as the
 * boot (boot.h) or the timeline that has the span.
 */
#ifndef HYTRACE_BOOT_SPAN_H
#define HYTRACE_BOOT_SPAN_H

#include "base/json.h"

/* A time or a number that is not known; null in json. */
#define NOT_KNOWN TIME_UNKNOWN
/* In a timeline, an end: the end of the part. */
#define UNTIL_END INT64_MAX

/*
 * Json fields: a const char *, of which NULL is null; one that is never NULL. The text is kept in the store of the
 * struct boot that is read.
 */
extern const struct json_kind field_kept, field_name;

/* Pictures have a colour for each class. */
enum span_class {
	SPAN_PHASE,			/* a part of the boot; phases do not overlap */
	SPAN_CALL,			/* a function of the kernel */
	SPAN_INITCALL,
	SPAN_MODULE,			/* an initcall of a module */
	SPAN_PROBE,			/* of a device by a driver */
	SPAN_PROGRAM,
	SPAN_UNIT,			/* of systemd */
	SPAN_WAIT,			/* a task that waits, named after the thing it waits for */
	SPAN_RUNNING,			/* a task that runs on a CPU */
	SPAN_IO,			/* a request to a device */
	SPAN_CLASSES
};

/* The words for json and CSS ("initcall"), and for legends ("initcalls"). */
extern const char *const span_class_words[SPAN_CLASSES], *const span_class_names[SPAN_CLASSES];

struct span {
	enum span_class class;
	const char *name;		/* NULL: not known */
	int64_t start, end;		/* the end may be NOT_KNOWN */
	int64_t self;			/* the time without inner spans of the task; NOT_KNOWN */
	int64_t task;			/* its pid; NOT_KNOWN: none */
	/* Arguments, NULL or NOT_KNOWN if the span has none: which it may have depends on the class. */
	const char *in;			/* an initcall's level, a probe's driver, an early call's caller, a unit's state, a wait's place */
	const char *module;		/* of an initcall */
	const char *note;		/* "deferred", a unit's result, "had not returned" */
	int64_t result;			/* of an initcall or a probe */
	int64_t running, ready, waiting;	/* how an initcall's time is divided */
	int64_t count;			/* the initcalls of a level, the calls of a phase, the parts that one includes */
	int64_t more;			/* the new functions of a phase */
	int64_t cpu;			/* of a run */
	int kind;			/* enum probe_kind, enum wait_class */
	/* Set by the timeline. */
	const struct json_field *arguments;	/* the members that pictures show; NULL: none */
	bool endless;			/* the end is not known: @end is @start */
	size_t lane, order;		/* order: the number of spans that were added before */
	size_t layer;			/* spans in a layer of a lane nest, or do not overlap */
	size_t depth;			/* the number of spans of the layer around this one */
};

/* The values of a span's arguments that are not there. */
#define SPAN_NONE .task = NOT_KNOWN, .self = NOT_KNOWN, .result = NOT_KNOWN, .running = NOT_KNOWN, .ready = NOT_KNOWN, \
		  .waiting = NOT_KNOWN, .count = NOT_KNOWN, .more = NOT_KNOWN

/* for_array(s, list, count): s points to each element. for_list(s, l): the same of a struct with "list" and "count". */
#define for_array(one, from, number) for (__typeof__((from)[0]) *one = (from); one < (from) + (number); one++)
#define for_list(one, l) for_array(one, (l)->list, (l)->count)

struct span_list {
	struct span *list;		/* sorted by start; NULL: not known */
	size_t count;
};

/* The text of an argument, or else its number. NULL and NOT_KNOWN: it has none, and is not shown. */
const char *span__text(const struct span *s, const struct json_field *argument);
int64_t span__number(const struct span *s, const struct json_field *argument);

static inline bool span__has_end(const struct span *s)
{
	return s->end != NOT_KNOWN;
}

/* 0 if the end is not known. */
static inline int64_t span__time(const struct span *s)
{
	return span__has_end(s) ? s->end - s->start : 0;
}

/* The name in reports; never NULL. */
const char *span__name(const struct span *s);

/*
 * Sets "self" of each span of a list that is sorted by start: its time without the spans of the same task and kind
 * directly inside it. The own time of a span without an end is not known.
 */
void span_list__settle(struct span_list *l);
/* The span directly around the one at @index, of the same task and kind; NULL: there is none. */
struct span *span_list__outer(const struct span_list *l, size_t index);
/*
 * Pointers to the spans for which @is_listed (NULL: to all): first spans without an end, then by own time, the
 * longest first. To be freed.
 */
const struct span **span_list__by_self(const struct span_list *l, bool (*is_listed)(const struct span *s),
				       size_t *ret_count);

/* ---- a timeline: the spans of a boot in lanes, from which pictures, trace events and stacks are made */

struct boot;
struct strings;

/*
 * The early part is short and has many calls. If its times cannot be converted to the kernel's clock, its first span
 * begins at 0.
 */
enum timeline_part_id {
	TIMELINE_EARLY,			/* until the switch to ftrace */
	TIMELINE_BOOT,			/* the whole boot */
	TIMELINE_PARTS
};

enum lane_kind {
	LANE_NESTS,			/* of one task: an inner span is a part of the outer span */
	LANE_APART,			/* spans that overlap are independent */
};

struct lane {
	const char *name;		/* "process 1", "CPU 0" */
	const char *group;		/* lanes of a group are drawn together; NULL: no group */
	enum timeline_part_id part;
	enum lane_kind kind;
	int64_t pid;			/* the task that the lane is of; -1: no task */
	/* Set by timeline__finish(). */
	size_t first, count;		/* its spans, sorted by time, outer before inner spans */
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
	bool own_clock;			/* times begin at the first span of the part */
	bool returns;			/* early part: the returns of calls were recorded */
	bool counts;			/* times are TSC cycles, not ns */
	const char *title;
	int64_t start, end;		/* a source may set the end; otherwise it is estimated */
	bool end_known;			/* a source has set the end */
	size_t later;			/* the number of spans that begin after the end */
};

/* How busy the machine was: the busy share of each CPU in each bin of time. All bins have one length. */
struct boot_load {
	int64_t start;			/* of the first bin, in ns of the kernel's clock */
	int64_t bin;			/* the length of a bin, in ns */
	size_t bins, cpus;
	double *busy;			/* [cpu * bins + bin]: 0 to 1; negative: not known */
	int64_t *numbers;		/* [cpu]: as the kernel counts CPUs */
	uint64_t *io_bytes;		/* [bin]: bytes read and written */
};

struct timeline {
	struct timeline_part parts[TIMELINE_PARTS];
	struct lane *lanes;		/* in the order in which pictures show them */
	size_t lane_count;
	/* Sorted by lane and time. No name is NULL. "self" is the time without the inner spans of the lane. */
	struct span *spans;
	size_t span_count;
	struct timeline_mark *marks;	/* of TIMELINE_BOOT */
	size_t mark_count;
	struct boot_load load;		/* of TIMELINE_BOOT; no bins: not known */
	struct strings *store;
};

/* Makes the timeline of a boot, to be freed by timeline__free(). @b must live as long. */
void timeline__collect(struct timeline *t, const struct boot *b);

/* Makes bins from @start to @end, or a little later, whose load is not known. To be freed by boot_load__free(). */
void boot_load__init(struct boot_load *l, int64_t start, int64_t end, size_t bins, size_t cpus);
void boot_load__free(struct boot_load *l);
/* From @start to @end, the load of the CPU is known; @busy: and it was busy, once at each time. */
void boot_load__add(struct boot_load *l, size_t cpu, int64_t start, int64_t end, bool busy);
/* The mean of all CPUs whose load is known in this bin; negative: it is not known for any CPU. */
double boot_load__mean(const struct boot_load *l, size_t bin);

void timeline__init(struct timeline *t);
/* Finds a lane by name, group and part, or adds it. Returns its index. Pictures show lanes in the order of adding. */
size_t timeline__lane(struct timeline *t, const struct lane *lane);
/* Adds a span. @end may be NOT_KNOWN or UNTIL_END. Returns it, for its arguments, until the next one is added. */
struct span *timeline__add(struct timeline *t, size_t lane, enum span_class class, const char *name, int64_t start,
			   int64_t end);
void timeline__mark(struct timeline *t, const char *name, int64_t time);
/* Makes a text that lives as long as the timeline. */
const char *timeline__keep(struct timeline *t, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/*
 * Sorts the spans, finds how they nest, and the ends of the parts. If no source knows the end of the boot, it ends
 * before the first long pause without any spans: modules are loaded as long as the machine runs.
 */
void timeline__finish(struct timeline *t);
void timeline__free(struct timeline *t);

/* The row of a span in its lane, if layers are drawn one below the other. */
size_t timeline__row(const struct timeline *t, const struct span *s);
/*
 * The @most spans of a part with the longest "self", to be freed. Only spans that somebody can make shorter: no phases,
 * and no early calls, whose times may only be upper bounds.
 */
const struct span **timeline__longest(const struct timeline *t, enum timeline_part_id part, size_t most, size_t *ret_count);

#endif
