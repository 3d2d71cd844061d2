/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The command that is covered: forked first, held at a barrier until tracing runs, then executed, so
 * that its very first instruction is traced and nothing of hytrace's set-up is.
 */
#ifndef HYTRACE_RUN_CHILD_H
#define HYTRACE_RUN_CHILD_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

struct child {
	pid_t pid;		/* 0: none */
	int barrier, failure;	/* pipes */
	int status;		/* as waitpid() gives it */
	bool released, reaped;
};

/* @mask: the signal mask the command gets. */
int child__fork(struct child *c, char *const *command, const sigset_t *mask);
/* Lets it go. 0: it runs. EXIT_NOEXEC or EXIT_NOCMD, said: it cannot be executed. */
int child__release(struct child *c, const char *name);
/* True once it has ended. */
bool child__poll(struct child *c);
void child__wait(struct child *c);
/* The shell's convention: its own status, 128 + signal. */
int child__exit_status(const struct child *c);
/* For one that never got past the barrier. */
void child__abandon(struct child *c);

#endif
