/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A run that records, in steps. `hytrace cover` records one result from its beginning to its end, `hytrace suite`
 * cuts a run into many. The order of the steps makes wrong arguments harmless, and keeps the set-up out of the result:
 *
 *	look  attach  open  (the run)  close  end
 *
 * A step that fails prints a message and returns a negative errno. session__end() is called last, whatever has failed.
 */
#ifndef HYTRACE_COVER_SESSION_H
#define HYTRACE_COVER_SESSION_H

#include "cover/engines.h"
#include "cover/options.h"
#include "run/process.h"
#include "run/workload.h"

struct session {
	const struct cover_options *options;
	struct request request;		/* the options, and what else engines have to know */
	struct filter filter;
	struct kernel kernel;
	struct engines engines;
	uint64_t ring_buffer_bytes;	/* the size of the instance's ring buffer */
	struct clocks clocks;
	struct workload workload;
	struct login *login;		/* the user that the command runs as; NULL: that of this process */
	int process;			/* pidfd of the followed process, or -1 */
	bool cuts, apart;		/* as in struct request */
	uint64_t next_progress;		/* when to print progress, by CLOCK_MONOTONIC; 0: it is not printed */
};

/* @o: must outlive the session */
void session__init(struct session *s, const struct cover_options *o);
/* Checks the kernel and the request. Nothing is enabled, and messages say what is wrong. */
int session__look(struct session *s);
/*
 * Attaches everything while tracing is off and the command waits. From workload__begin() on, a
 * signal ends the run in an orderly way. The watchdog must have been started.
 */
int session__attach(struct session *s);
/* Turns tracing on, and releases the command. */
int session__open(struct session *s);
/* Turns tracing off, and detaches. */
int session__close(struct session *s);
/* What may have changed since the beginning. @ret_after: the symbols, if modules were loaded or removed */
int session__look_again(const struct session *s, struct symbols **ret_after, struct clock_pair *ret);
/* Returns the exit status. The watchdog undoes what was done in the kernel. */
int session__end(struct session *s, int err);

#endif
