/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Waiting for the end of a run: a signal, the command's end, the time, or another process's end. From
 * waiting__begin() on signals only end the run; they are passed on to the command.
 */
#ifndef HYTRACE_RUN_WAITING_H
#define HYTRACE_RUN_WAITING_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

#include "run/child.h"

struct waiting {
	int signals;		/* signalfd; -1 before the beginning */
	sigset_t old_mask;	/* what a command gets */
	struct child *child;	/* may have no process */
};

/* What ends it besides signals and the command. */
struct limits {
	double duration;	/* in seconds; 0: none */
	int process;		/* the end of the one with this pidfd; -1: none */
};

/*
 * Called again and again meanwhile. Returns after how many milliseconds it is to be called again at the
 * latest, or a negative errno, which ends the waiting.
 */
typedef int (*waiting_poll)(void *context);

int waiting__begin(struct waiting *w, struct child *child);
/* 0, or what @poll has failed with. */
int waiting__for_end(struct waiting *w, const struct limits *limits, waiting_poll poll,
		     void *context);
/* For a command that outlives its tracing; a signal then ends it, as it would have. */
void waiting__for_child(struct waiting *w);
void waiting__end(struct waiting *w);

#endif
