/* SPDX-License-Identifier: GPL-2.0-only */
/* One run of `hytrace event record`. */
#ifndef HYTRACE_EVENT_RECORD_H
#define HYTRACE_EVENT_RECORD_H

#include "base/program.h"
#include "event/prototype.h"

struct record_options {
	struct prototypes protos;
	struct result_options result;
	const char *hist;	/* the field of the histogram; NULL: print events */
	double duration;	/* in seconds; 0: no limit */
	bool task;
	char **command;		/* NULL-terminated; NULL: none */
};

/* Returns the exit status. */
int record__run(struct record_options *o);

#endif
