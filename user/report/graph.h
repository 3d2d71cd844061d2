/* SPDX-License-Identifier: GPL-2.0-only */
/* The graph of all edges, for drawing programs. Write errors stay in the stream. */
#ifndef HYTRACE_REPORT_GRAPH_H
#define HYTRACE_REPORT_GRAPH_H

#include <stdio.h>

#include "report/edges.h"

/**
 * graph__dot() - print all edges for dot(1)
 * @e: the edges
 * @out: the output; a function that is known to have run but was not recorded is dashed
 *
 * Each edge is certain: a recorded call names its callee. It is labelled with the number of such
 * calls, if there are several. Functions without an edge are left out.
 */
void graph__dot(const struct edges *e, FILE *out);

/**
 * graph__folded() - print each recorded function below its first caller, for flame graphs
 * @e: the edges; origins__read() has been called for its images
 * @out: the output; a line "CALLER;FUNCTION 1" for each
 *
 * Each link is certain: it is the first recorded call that names the function. But the whole line
 * need not have been one stack. A function that no call names begins a line, after its origin in
 * brackets.
 */
void graph__folded(const struct edges *e, FILE *out);

#endif
