/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Parses a line of tracefs's file `trace`: the fields that all events have, and the fields of
 * events of the kernel's function tracer.
 */
#ifndef HYTRACE_BOOT_TRACE_LINE_H
#define HYTRACE_BOOT_TRACE_LINE_H

#include <stdbool.h>
#include <stdint.h>

struct trace_context {
	int pid;			/* -1: the line does not tell */
	int cpu;			/* -1: the line does not tell */
	char interrupt;			/* as in the line: 'h': hard interrupt, 's': softirq, ... */
	uint64_t time;			/* ns, to the microsecond; without a fraction a count */
	bool fraction;
	char *event;			/* the line from the event's name on, without the newline */
};

/* Returns -EPROTO, without a message, if @line is not an event; then it is unchanged. */
int trace_context__parse(char *line, struct trace_context *ret);
/* Is the line a comment, "CPU:0 [LOST 12 EVENTS]", or part of a stack trace? */
bool trace_line__is_no_event(const char *line);
/* The text after "NAME: " if the event has this name; NULL: it has another name. */
char *trace_context__fields(const struct trace_context *c, const char *name);

/* The duration of a call in a line. */
enum trace_took {
	TOOK_NOT_TOLD,			/* none: returns were not recorded */
	TOOK_COUNTS,
	TOOK_OPEN,			/* the call had not returned when the tracer took over */
	TOOK_UNKNOWN,			/* the recorder had no room to wait for the return */
};

struct trace_line {
	uint64_t time;			/* a count of the clock */
	const char *function, *parent;	/* point into the line, "f [module]"; NULL: another event */
	enum trace_took took;
	uint64_t counts;		/* of the clock, for TOOK_COUNTS */
};

/* Returns -EPROTO, without a message, if @line is not an event. */
int trace_line__parse(char *line, struct trace_line *ret);

#endif
