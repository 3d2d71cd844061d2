/* SPDX-License-Identifier: GPL-2.0-only */
/* Runs other programs: one that is waited for, or one that answers questions until it is closed. */
#ifndef HYTRACE_TAILOR_CHILD_H
#define HYTRACE_TAILOR_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

struct child {
	pid_t pid;
	FILE *to, *from;	/* its standard input and output */
	int messages;		/* a file in memory with its messages */
};

/**
 * child__start() - start a program that answers questions
 * @ret: to be closed by child__close()
 * @directory: where it runs
 * @argv: its arguments; argv[0] is looked up in PATH
 * @envp: its environment
 *
 * Its messages are kept for child__messages(), because some programs have much to say although all is well.
 *
 * Return: 0, or a negative errno after a message.
 */
int child__start(struct child *ret, const char *directory, const char *const *argv, char *const *envp);
/* What it has said until now, to be freed. */
char *child__messages(const struct child *c);
/* Returns its status as waitpid() gives it; -1: there is none. */
int child__close(struct child *c);

/*
 * From here on, SIGINT, SIGTERM and SIGHUP no longer end this program at once: what waits for a program fails with -EINTR,
 * without a message, so that all is cleaned up.
 */
void child__catch_signals(void);
/* The signal that has come; 0: none. */
int child__signal(void);

/**
 * child__run() - run a program to its end
 * @directory: where it runs
 * @argv: its arguments; argv[0] is looked up in PATH
 * @envp: its environment
 * @ret_output: what it has written to standard output, to be freed, even after a failure; NULL: this is thrown away
 * @ret_messages: the same for its messages
 *
 * Return: its status as waitpid() gives it, or a negative errno after a message; -EINTR without one after a signal.
 */
int child__run(const char *directory, const char *const *argv, char *const *envp, char **ret_output,
	       char **ret_messages);

#endif
