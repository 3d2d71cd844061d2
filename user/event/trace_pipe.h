/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Events as the kernel itself prints them: an instance's trace_pipe. It knows each event's own way of
 * printing, so strings, arrays, symbols and what could not be read look as they do in `trace`.
 */
#ifndef HYTRACE_EVENT_TRACE_PIPE_H
#define HYTRACE_EVENT_TRACE_PIPE_H

#include <stdbool.h>
#include <stdio.h>

#include "run/instance.h"

struct trace_pipe;

int trace_pipe__open(struct trace_pipe **ret, struct instance *instance);
/* Copies what there is now to @out, but not without end: @ret_more says that there may be more. */
int trace_pipe__read(struct trace_pipe *t, FILE *out, bool *ret_more);
void trace_pipe__close(struct trace_pipe *t);

#endif
