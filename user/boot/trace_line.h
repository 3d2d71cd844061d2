/* SPDX-License-Identifier: GPL-2.0-only */
/* One line of tracefs's file `trace`, as the kernel's function tracer prints its events. */
#ifndef HYTRACE_BOOT_TRACE_LINE_H
#define HYTRACE_BOOT_TRACE_LINE_H

#include <stdbool.h>
#include <stdint.h>

struct trace_line {
	uint64_t time;			/* a count of the clock */
	const char *function, *parent;	/* point into the line, "f [module]"; NULL: another event */
};

/* Returns -EPROTO, without a message, if it is no line of an event; then @line is unchanged. */
int trace_line__parse(char *line, struct trace_line *ret);

#endif
