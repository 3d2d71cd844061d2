/* SPDX-License-Identifier: GPL-2.0-only */
/* Runs other programs: to their end (child__run()), or as servers that answer questions (child__start()). */
#ifndef HYTRACE_TAILOR_CHILD_H
#define HYTRACE_TAILOR_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

struct child {
	pid_t pid;
	FILE *to, *from;	/* its standard input and output */
	int messages;		/* a memfd with its standard error */
};

/**
 * child__start() - start a program that answers questions
 * @ret: to be closed by child__close()
 * @directory: where it runs
 * @argv: its arguments; argv[0] is looked up in PATH
 * @envp: its environment
 *
 * Its standard error is kept for child__messages(), because some programs print much there although all is well.
 *
 * Return: 0, or a negative errno after a message.
 */
int child__start(struct child *ret, const char *directory, const char *const *argv, char *const *envp);
/* Its standard error so far, to be freed. */
char *child__messages(const struct child *c);
/* Waits for its end. Returns its status as waitpid() gives it, or -1 if it was not started. */
int child__close(struct child *c);

/*
 * From here on, SIGINT, SIGTERM and SIGHUP do not end this program at once. Instead, the functions
 * that wait for a child return -EINTR without a message, so that the caller can clean up.
 */
void child__catch_signals(void);
/* The signal that has come; 0: none. */
int child__signal(void);

/**
 * child__run() - run a program to its end
 * @directory: where it runs
 * @argv: its arguments; argv[0] is looked up in PATH
 * @envp: its environment
 * @ret_output: its standard output, to be freed, even after a failure; NULL: not wanted
 * @ret_messages: its standard error, to be freed, even after a failure; NULL: not wanted
 *
 * Return: its status as waitpid() gives it, or a negative errno after a message; -EINTR without one after a signal.
 */
int child__run(const char *directory, const char *const *argv, char *const *envp, char **ret_output,
	       char **ret_messages);

#endif
