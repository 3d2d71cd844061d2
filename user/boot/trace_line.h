/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One line of tracefs's file `trace`: what is the same for each event, and the rest of the line; and
 * events of the kernel's function tracer.
 */
#ifndef HYTRACE_BOOT_TRACE_LINE_H
#define HYTRACE_BOOT_TRACE_LINE_H

#include <stdbool.h>
#include <stdint.h>

struct trace_context {
	int pid;			/* -1: the line does not tell */
	int cpu;			/* -1: the line does not tell */
	char interrupt;			/* 'h': in a hard interrupt, 's': in a soft one; others as the kernel prints them */
	uint64_t time;			/* in ns if it has a fraction, which has microseconds; or a count */
	bool fraction;
	char *event;			/* the rest of the line, without its end */
};

/* Returns -EPROTO, without a message, if it is no line of an event; then @line is unchanged. */
int trace_context__parse(char *line, struct trace_context *ret);
/* Is the line a comment, "CPU:0 [LOST 12 EVENTS]", or part of a stack trace? */
bool trace_line__is_no_event(const char *line);
/* What comes after "NAME: " if the event is of that name; NULL: it is another one. */
char *trace_context__fields(const struct trace_context *c, const char *name);

/* What a line says about how long its call took. */
enum trace_took {
	TOOK_NOT_TOLD,			/* nothing: only entries were recorded */
	TOOK_COUNTS,
	TOOK_OPEN,			/* it had not returned when the tracer took over */
	TOOK_UNKNOWN,			/* there was no room to watch its return */
};

struct trace_line {
	uint64_t time;			/* a count of the clock */
	const char *function, *parent;	/* point into the line, "f [module]"; NULL: another event */
	enum trace_took took;
	uint64_t counts;		/* of the clock, for TOOK_COUNTS */
};

/* Returns -EPROTO, without a message, if it is no line of an event; then @line is unchanged. */
int trace_line__parse(char *line, struct trace_line *ret);

#endif
