/* SPDX-License-Identifier: GPL-2.0-only */
/* A suite of tests that is recorded in one go, and cut into one run for each test. */
#ifndef HYTRACE_SUITE_SUITE_H
#define HYTRACE_SUITE_SUITE_H

#include "cover/options.h"
#include "suite/list.h"

struct suite_options {
	struct cover_options cover;	/* its command is the runner */
	const char *directory;		/* for a json recording of each test; NULL: none */
	bool follow;			/* the runner's output has the results of tests */
	bool no_trace;
	struct list_options list;	/* its path: NULL: there is a runner */
};

/* Returns the exit status: that of the runner, or EXIT_SELF. */
int suite__run(const struct suite_options *o);

#endif
