/* SPDX-License-Identifier: GPL-2.0-only */
/* Runs other programs: to their end (child__run()), or as servers that answer questions (child__start()). */
#ifndef HYTRACE_RUN_CHILD_H
#define HYTRACE_RUN_CHILD_H

#include <sys/types.h>

struct child {
	pid_t pid;
	FILE *to, *from;	/* the child's standard input and output */
	int messages;		/* a memfd with the child's standard error */
};

/**
 * child__start() - start a program that answers questions
 * @ret: to be closed by child__close()
 * @directory: where it runs
 * @argv: its arguments; argv[0] is looked up in PATH
 * @envp: its environment
 *
 * Its standard error is kept for child__messages(): some programs print much even in success.
 *
 * Return: 0, or a negative errno after a message.
 */
int child__start(struct child *ret, const char *directory, const char *const *argv, char *const *envp);
/* The child's standard error so far, to be freed. */
char *child__messages(const struct child *c);
/* Waits for the child's end. Returns its status as of waitpid(), or -1 if it was not started. */
int child__close(struct child *c);

/*
 * From here on, SIGINT, SIGTERM and SIGHUP do not end this program at once. Instead, the functions
 * that wait for a child return -EINTR without a message, so that the caller can clean up.
 */
void child__catch_signals(void);
/* Undoes this. A signal that was caught ends the program now, as one without a handler does. */
void child__release_signals(void);
/* The caught signal; 0: none. */
int child__signal(void);

/**
 * child__run() - run a program to its end
 * @directory: where it runs
 * @argv: its arguments; argv[0] is looked up in PATH
 * @envp: its environment
 * @ret_output: its standard output, to be freed, even after a failure; NULL: not wanted
 * @ret_messages: its standard error, to be freed, even after a failure; NULL: not wanted
 *
 * Return: its status as of waitpid(), or a negative errno after a message; -EINTR has no message.
 */
int child__run(const char *directory, const char *const *argv, char *const *envp, char **ret_output,
	       char **ret_messages);

#endif
