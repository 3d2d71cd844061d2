/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is traced, and how long. The command is forked first, waits at a barrier until tracing runs,
 * and is then executed. So its first instruction is traced, and nothing of hytrace's set-up is. A
 * run ends by a signal, by the end of the command, by its time limit, or by the end of another
 * process.
 *
 * From workload__begin() on, a signal ends the run in an orderly way. It is passed to the command,
 * unless the command has got it as well because it was sent to the whole process group. If a signal
 * comes before the command is released, the run ends without the command. While results are read
 * and written, a signal that comes more than SIGNAL_GRACE after the first ends hytrace at once,
 * because something hangs. These are the steps; workload__finish() is called last, whatever has
 * failed:
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
#include "run/login.h"

/*
 * In seconds. timeout(1) sends its signal to its child and to the group; these two must count as
 * one.
 */
#define SIGNAL_GRACE 1
/* In milliseconds. For the same reason, equal signals within this time count as one. */
#define SAME_SIGNAL_MS 100

/* Why a run ended. */
enum ending {
	ENDED_BY_COMMAND,
	ENDED_BY_SIGNAL,
	ENDED_BY_DURATION,
	ENDED_BY_PROCESS,	/* the one that was followed */
	ENDED_BY_READING,	/* nothing ended it: the set of the boot was read */
	ENDED_NOT,		/* nothing ended it: it went on when this was written */
	ENDED_BY_MERGING,	/* each ended in its own way: results were merged */
};

struct workload {
	char *const *command;	/* NULL-terminated; NULL: none */
	const struct login *login;	/* whom it runs as; NULL: as hytrace does */
	bool takes_usr1;	/* SIGUSR1 asks for something while it goes on */
	bool asked;		/* it has come */
	int signals;		/* signalfd; -1 before the beginning */
	sigset_t mask;		/* the signal mask before; the command gets it */
	pid_t pid;		/* of the command; 0: not forked */
	int pidfd;		/* the same; -1: not forked */
	int barrier, failure;	/* pipes */
	pid_t witness;		/* tells what was sent to the process group; 0: not forked */
	int reports;		/* a pipe: a byte for each such signal, its number */
	int last_signal;
	uint64_t last_signal_ns;	/* CLOCK_MONOTONIC */
	int refused;		/* the exit status if it cannot be executed; 0: it can */
	int status;		/* as waitpid() gives it */
	bool released, reaped;
	enum ending ended;	/* from workload__wait_for_end() on */
};

/* What ends a run, besides signals and the end of the command. */
struct limits {
	double duration;	/* in seconds; 0: none */
	int process;		/* the run ends with the process of this pidfd; -1: none */
	int wakes;		/* readable when the poll function must be called at once; -1: never */
	void (*asked)(void *context);	/* called when SIGUSR1 has come */
};

/*
 * Called repeatedly while a run waits for its end. Returns the milliseconds until it must be called
 * again at the latest, or a negative errno, which ends the waiting.
 */
typedef int (*workload_poll)(void *context);

/*
 * @command: NULL: there is none. @takes_usr1: from here on, SIGUSR1 is blocked, and calls limits.asked while the run
 * waits for its end. Otherwise SIGUSR1 has its usual effect.
 */
void workload__init(struct workload *w, char *const *command, bool takes_usr1);
/*
 * Looks the command up before anything is enabled. Returns -ENOEXEC after a message if it cannot be
 * executed.
 */
int workload__find(struct workload *w);
int workload__begin(struct workload *w);
/* Without a command, this and the following functions do nothing. */
int workload__fork(struct workload *w);
/* Returns -EINTR after a message if a signal has come. Call it directly before the release. */
int workload__check(struct workload *w);
/* Lets the command go. Returns -ENOEXEC after a message if it cannot be executed. */
int workload__release(struct workload *w);
/* Returns 0, or the error of @poll. */
int workload__wait_for_end(struct workload *w, const struct limits *limits, workload_poll poll,
			   void *context);
/*
 * Call this when nothing is recorded any more. From here on, a second signal ends hytrace, and the
 * watchdog cleans up.
 */
void workload__ended(const struct workload *w);
/*
 * The command's exit status as a shell has it; -1: there is no command, or it has not ended. Call
 * this when nothing is recorded any more, because it reaps the command.
 */
int workload__status(struct workload *w);
/* Ends a child that never got past the barrier. */
void workload__abandon(struct workload *w);
/*
 * Lets the watchdog clean up, and then waits for the command if it has not ended; a signal then
 * ends it as without hytrace. Cleaning up comes first, so that nothing stays attached, or made,
 * while the command goes on. Returns the exit status for all: that of the command, that of a shell
 * for a command that cannot be executed, or that of @err or of the watchdog's failure.
 */
int workload__finish(struct workload *w, struct guard *guard, int err);

#endif
