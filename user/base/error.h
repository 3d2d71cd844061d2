/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Errors: their messages and exit statuses. And a line on a terminal that says which slow step is running.
 *
 * A function that fails prints a message where the cause is known: what failed, where, and what to
 * do. It returns a negative errno, which its callers only pass on. error__status() turns it into
 * the exit status.
 */
#ifndef HYTRACE_BASE_ERROR_H
#define HYTRACE_BASE_ERROR_H

enum exit_status {
	EXIT_DONE = 0,
	EXIT_FAILED = 1,
	EXIT_USAGE = 2,
	EXIT_UNSUPPORTED = 3,	/* the kernel or the privileges do not allow it */
	EXIT_SELF = 125,	/* with a command: hytrace's own failure */
	EXIT_NOEXEC = 126,
	EXIT_NOCMD = 127,
};

/*
 * The exit status for @err. With a command it is EXIT_SELF. Otherwise, -EINVAL means wrong arguments or
 * files, and -EPERM, -EACCES and -EOPNOTSUPP mean that privileges or the kernel do not allow it.
 */
int error__status(int err, int with_command);

void error__print(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void error__warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Prints the message and returns @err, for use as `return error__return(-EINVAL, "...")`. */
int error__return(int err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Prints the message for lack of memory and returns -ENOMEM. */
int error__no_memory(void);

/* ---- progress */

/* Replaces the line. Does nothing if stderr is no terminal: the line could not be erased there. */
void progress__say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Erases the line. */
void progress__end(void);

#endif
