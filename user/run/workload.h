/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is traced, and until when: the command, forked first, held at a barrier until tracing runs,
 * then executed, so that its very first instruction is traced and nothing of hytrace's set-up is;
 * and the end of a run, by a signal, the command's end, the time, or another process's end.
 *
 * From workload__begin() on a signal ends the run in order, and is passed on to the command, unless that has
 * got it as well, being in the process group that it was sent to, by a terminal or by others. One that comes
 * before the command is released ends it without the command. While results are read and written a second
 * one, later than that by SIGNAL_GRACE, ends hytrace at once: something hangs. The steps, which end with
 * workload__finish() whatever has failed:
 *
 *	find  begin  fork  check  release  wait_for_end  ended  abandon  finish
 */
#ifndef HYTRACE_RUN_WORKLOAD_H
#define HYTRACE_RUN_WORKLOAD_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "run/guard.h"

/* In seconds. timeout(1) sends its signal twice, to its child and to the group, and both mean one thing. */
#define SIGNAL_GRACE 1
/* In milliseconds: for the same reason, signals of one number within this time are one. */
#define SAME_SIGNAL_MS 100

/* What ended a run. */
enum ending {
	ENDED_BY_COMMAND,
	ENDED_BY_SIGNAL,
	ENDED_BY_DURATION,
	ENDED_BY_PROCESS,	/* the one that was followed */
	ENDED_BY_READING,	/* nothing, if it is boot's set */
};

struct workload {
	char *const *command;	/* NULL-terminated; NULL: none */
	int signals;		/* signalfd; -1 before the beginning */
	sigset_t mask;		/* of before; what the command gets */
	pid_t pid;		/* of the command; 0: not forked */
	int pidfd;		/* the same; -1: not forked */
	int barrier, failure;	/* pipes */
	pid_t witness;		/* tells what was sent to the process group; 0: not forked */
	int reports;		/* pipe: the number of each such signal, a byte */
	int last_signal;
	uint64_t last_signal_ns;	/* CLOCK_MONOTONIC */
	int refused;		/* exit status when it cannot be executed; 0: it can */
	int status;		/* as waitpid() gives it */
	bool released, reaped;
	enum ending ended;	/* from workload__wait_for_end() on */
};

/* What ends it besides signals and the command. */
struct limits {
	double duration;	/* in seconds; 0: none */
	int process;		/* the end of the one with this pidfd; -1: none */
	int wakes;		/* can be read when the poll function is to be called at once; -1: never */
};

/*
 * Called again and again meanwhile. Returns after how many milliseconds it is to be called again at the
 * latest, or a negative errno, which ends the waiting.
 */
typedef int (*workload_poll)(void *context);

/* @command: NULL: there is none. */
void workload__init(struct workload *w, char *const *command);
/* Looks the command up, before anything is enabled. -ENOEXEC, said: it cannot be executed. */
int workload__find(struct workload *w);
int workload__begin(struct workload *w);
/* With no command, nothing; so are the others. */
int workload__fork(struct workload *w);
/* -EINTR, said: a signal has come. Last thing before the release. */
int workload__check(struct workload *w);
/* Lets the command go. -ENOEXEC, said: it cannot be executed. */
int workload__release(struct workload *w);
/* 0, or what @poll has failed with. */
int workload__wait_for_end(struct workload *w, const struct limits *limits, workload_poll poll,
			   void *context);
/* Nothing is recorded any more: from here on a second signal ends hytrace, and the watchdog cleans up. */
void workload__ended(const struct workload *w);
/* The command's exit status, as a shell has it; -1: there is no command, or it goes on. */
int workload__status(const struct workload *w);
/* For a command that never got past the barrier. */
void workload__abandon(struct workload *w);
/*
 * Has the watchdog clean up, and only then, so that nothing stays attached, or made, while it goes
 * on, waits for a command that outlives its tracing; a signal then ends it, as it would have.
 * Returns the exit status of the whole: the command's own, a shell's for one that cannot be executed, or that
 * of @err or of the watchdog's failure.
 */
int workload__finish(struct workload *w, struct guard *guard, int err);

#endif
