/* SPDX-License-Identifier: GPL-2.0-only */
/* The graph of all edges, for programs that draw. Write errors stay in the stream. */
#ifndef HYTRACE_REPORT_GRAPH_H
#define HYTRACE_REPORT_GRAPH_H

#include <stdio.h>

#include "report/edges.h"

/**
 * graph__dot() - all edges, for dot(1)
 * @e: the edges
 * @out: where to; a function that is known to have run and was not recorded is dashed
 *
 * Each edge is certain: a recorded call names its callee. It is labelled with the number of such calls, if there
 * are several. Functions without an edge are left out.
 *
 * Return: 0, or -ENOMEM, which is told.
 */
int graph__dot(const struct edges *e, FILE *out);

/**
 * graph__folded() - each function that was recorded below its first caller, for flame graphs
 * @e: the edges; origins__read() has been called for its images
 * @out: where to; a line "CALLER;FUNCTION 1" each
 *
 * Each link is certain: it is the first recorded call that names the function. The whole line need not have been one
 * stack. A function that no call names begins a line, behind its origin in brackets.
 *
 * Return: 0, or -ENOMEM, which is told.
 */
int graph__folded(const struct edges *e, FILE *out);

#endif
