/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The command that is traced, and how long a run takes. The command's process is forked first,
 * waits at a barrier until tracing is on, and then executes the command. So its first instruction
 * is traced, and nothing of hytrace's set-up is. A run ends by a signal, with the command, by its
 * time limit, or with another process.
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
#include <sys/types.h>

#include "run/guard.h"
#include "run/process.h"

/*
 * In seconds. timeout(1) sends its signal to its child and to the group; both signals must count as
 * one.
 */
#define SIGNAL_GRACE 1
/* In milliseconds. Equal signals within this time count as one, because of timeout(1). */
#define SAME_SIGNAL_MS 100

/* Why a run ended. */
enum ending {
	ENDED_BY_COMMAND,
	ENDED_BY_SIGNAL,
	ENDED_BY_DURATION,
	ENDED_BY_PROCESS,	/* the process that was followed has ended */
	ENDED_BY_READING,	/* nothing ended it: the set that was recorded during the boot was read */
	ENDED_NOT,		/* it goes on: this is a result so far */
	ENDED_BY_MERGING,	/* results of runs that ended in different ways were merged */
};

struct workload {
	char *const *command;	/* NULL-terminated; NULL: none */
	const struct login *login;	/* the user that it runs as; NULL: hytrace's own */
	bool takes_usr1;	/* SIGUSR1 asks for a result so far */
	bool asked;		/* SIGUSR1 has come */
	int signals;		/* a signalfd; -1 before workload__begin() */
	sigset_t mask;		/* the signal mask before the run; the command gets it */
	pid_t pid;		/* of the command; 0: not forked */
	int pidfd;		/* of the command; -1: not forked */
	int output;		/* becomes the command's standard output; -1: it has that of hytrace */
	int barrier, failure;	/* pipes: the child waits for a byte from @barrier, and writes errors to @failure */
	pid_t witness;		/* reports signals that were sent to the process group; 0: not forked */
	int reports;		/* a pipe with one byte for each reported signal, its number */
	int last_signal;
	uint64_t last_signal_ns;	/* CLOCK_MONOTONIC */
	int refused;		/* the exit status if the command cannot be executed; 0: it can */
	int status;		/* as waitpid() gives it */
	bool released, reaped;
	enum ending ended;	/* from workload__wait_for_end() on */
};

/* What ends a run, besides signals and the end of the command. */
struct limits {
	double duration;	/* in seconds; 0: none */
	int process;		/* a pidfd: the run ends with this process; -1: none */
	int wakes;		/* a descriptor; if it is readable, the poll function is called at once; -1: none */
	void (*asked)(void *context);	/* called when SIGUSR1 has come */
};

/*
 * Called repeatedly while a run waits for its end. Returns the milliseconds until the next call at
 * the latest, or a negative errno, which ends the wait.
 */
typedef int (*workload_poll)(void *context);

/*
 * @command: NULL: there is none. @takes_usr1: from here on, SIGUSR1 is blocked, and calls limits.asked while the run
 * waits for its end. Otherwise SIGUSR1 has its usual effect.
 */
void workload__init(struct workload *w, char *const *command, bool takes_usr1);
/*
 * Looks for the command before anything is enabled. Returns -ENOEXEC after a message if it cannot
 * be executed.
 */
int workload__find(struct workload *w);
int workload__begin(struct workload *w);
/* Without a command, this and the following functions do nothing. */
int workload__fork(struct workload *w);
/* Returns -EINTR after a message if a signal has come. To be called directly before the release. */
int workload__check(struct workload *w);
/* Lets the child execute the command. Returns -ENOEXEC after a message if it cannot be executed. */
int workload__release(struct workload *w);
/* Returns 0, or the error of @poll. */
int workload__wait_for_end(struct workload *w, const struct limits *limits, workload_poll poll,
			   void *context);
/*
 * To be called when nothing is recorded any more. From here on, a second signal ends hytrace, and
 * the watchdog cleans up.
 */
void workload__ended(const struct workload *w);
/*
 * The command's exit status as a shell has it; -1: there is no command, or it has not ended. This
 * reaps the command, so nothing may be recorded any more.
 */
int workload__status(struct workload *w);
/* Ends a child that was not released. */
void workload__abandon(struct workload *w);
/*
 * Lets the watchdog clean up, and then waits for the command if it has not ended; from then on, signals
 * have the effect that they have without hytrace. Cleaning up comes first, so that nothing stays attached
 * in the kernel while the command goes on. Returns the exit status of hytrace: that of the command, that of
 * a shell for a command that cannot be executed, or that of @err or of a failure of the watchdog.
 */
int workload__finish(struct workload *w, struct guard *guard, int err);

/* ---- reports to hytrace's parent or to systemd that recording has begun */

/**
 * ready__check() - check that a descriptor can be written, and hide it from the command
 * @fd: the descriptor, from 1; 0: there is none
 *
 * Return: 0, or -EINVAL after a message.
 */
int ready__check(int fd);

/**
 * ready__tell() - report that recording has begun
 * @fd: gets the line READY, and is closed unless it is a standard stream; 0: there is none
 *
 * systemd, or another program that listens on $NOTIFY_SOCKET, gets READY=1. If that fails, there is
 * a warning, and the run goes on.
 */
void ready__tell(int fd);

#endif
