/* SPDX-License-Identifier: GPL-2.0-only */
/* One line of tracefs's file `trace`, as the kernel's function tracer prints its events. */
#ifndef HYTRACE_BOOT_TRACE_LINE_H
#define HYTRACE_BOOT_TRACE_LINE_H

#include <stdbool.h>
#include <stdint.h>

struct trace_line {
	uint64_t time;			/* in ns if it was written with a fraction */
	bool fraction;
	const char *function, *parent;	/* point into the line, "f [module]"; NULL: another event */
	uint64_t lost;			/* calls that were lost here */
};

/* Returns -EPROTO, without a message, if it is no line of an event; then @line is unchanged. */
int trace_line__parse(char *line, struct trace_line *ret);

#endif
