/* SPDX-License-Identifier: GPL-2.0-only */
/* One run of `hytrace event record`. */
#ifndef HYTRACE_EVENT_RECORD_H
#define HYTRACE_EVENT_RECORD_H

#include <stdbool.h>

#include "base/options.h"
#include "event/prototype.h"

struct record_options {
	struct prototypes protos;
	struct result_options result;
	const char *hist;	/* NULL: print events */
	double duration;	/* 0: until the end */
	bool task;
	char **command;		/* NULL-terminated; NULL: none */
};

/* Returns the exit status. */
int record__run(struct record_options *o);

#endif
