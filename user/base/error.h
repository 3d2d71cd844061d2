/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How hytrace speaks of trouble, and what its exit status says.
 *
 * A function that fails prints what failed, where and what to do at the place that knows it, and
 * returns a negative errno; callers only pass that on. error__status() turns it into the exit status.
 */
#ifndef HYTRACE_BASE_ERROR_H
#define HYTRACE_BASE_ERROR_H

#include <errno.h>

enum exit_status {
	EXIT_DONE = 0,
	EXIT_FAILED = 1,
	EXIT_USAGE = 2,
	EXIT_UNSUPPORTED = 3,	/* the kernel or the privileges do not allow it */
	EXIT_SELF = 125,	/* with a command: hytrace's own failure */
	EXIT_NOEXEC = 126,
	EXIT_NOCMD = 127,
};

/* Bad input from the user: -EINVAL. Not permitted: -EPERM. Not in this kernel: -EOPNOTSUPP. */
int error__status(int err, int with_command);

void error__print(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void error__warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Prints and returns @err, so that `return error__return(-EINVAL, "...")` reads as one thing. */
int error__return(int err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* -ENOMEM, said once and the same everywhere. */
int error__no_memory(void);

#endif
