/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Events as text, as the kernel prints them in an instance's trace_pipe. The kernel knows how to
 * print each event, so strings, arrays, symbols and unreadable fields look as in `trace`.
 *
 * tracefs_trace_pipe_stream() goes on as long as events come, so a run would not see its signals and its end. It writes
 * to a descriptor, and loses what a short write leaves.
 */
#ifndef HYTRACE_EVENT_TRACE_PIPE_H
#define HYTRACE_EVENT_TRACE_PIPE_H

#include <stdbool.h>
#include <stdio.h>

#include "run/instance.h"

struct trace_pipe;

int trace_pipe__open(struct trace_pipe **ret, struct instance *instance);
/*
 * Copies the current text to @out. Because new text may come all the time, it may stop early:
 * @ret_more says whether there may be more.
 */
int trace_pipe__read(struct trace_pipe *t, FILE *out, bool *ret_more);
void trace_pipe__close(struct trace_pipe *t);

#endif
