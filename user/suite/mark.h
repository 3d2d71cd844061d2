/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Marks say where one test of a suite ends and the next begins. `hytrace suite` makes a FIFO, and gives its path to the
 * runner in $HYTRACE_MARK. One line is one mark:
 *
 *	begin NAME		the test begins; what came since the last mark is between two tests
 *	end STATUS NAME		it has ended, with this exit status, or "?"
 *	ok 12 - NAME		as TAP and KTAP have it: it has ended, and the next one begins
 *	not ok 12 - NAME
 *	NAME			the same, with an unknown status
 *
 * A writer of a line goes on at once, and so may run ahead of the cut by the time that hytrace needs to wake up.
 * `hytrace mark` and the list's runner wait for the answer, a byte in a second FIFO, so that their cuts are exact.
 */
#ifndef HYTRACE_SUITE_MARK_H
#define HYTRACE_SUITE_MARK_H

#include "run/guard.h"

#define MARK_VARIABLE "HYTRACE_MARK"
/* The status of a test that did not say. */
#define MARK_UNKNOWN (-1)

enum mark_kind {
	MARK_NONE,
	MARK_BEGIN,
	MARK_END,		/* of a test that MARK_BEGIN has begun */
	MARK_RESULT,		/* of a test that has begun at the last mark */
};

struct mark {
	enum mark_kind kind;
	const char *name;	/* in the line that was parsed */
	int status;
};

/* Parses a line of a FIFO of marks. The line is changed. An empty line is MARK_NONE. */
void mark__parse(struct mark *ret, char *line);
/* Parses a line of a runner's output: MARK_RESULT for a result of TAP or KTAP that is not indented, else MARK_NONE. */
void mark__parse_tap(struct mark *ret, char *line);

/* ---- lines that arrive in pieces */

struct lines {
	char text[4096];
	size_t used;
	bool skip;		/* the rest of a line that is too long */
};

/*
 * Reads from @fd, which does not block, all that a pipe can have at one time, and calls @take for each line without its
 * newline. A line that is too long is cut off; the last one may lack its newline. @raw: gets all that was read; may be
 * NULL. Returns false at the end of file.
 */
bool lines__read(struct lines *l, int fd, void (*take)(void *context, char *line),
		 void (*raw)(void *context, const char *text, size_t length), void *context);

/* ---- the side of hytrace suite */

struct marks {
	char *path, *answers;
	int fd, answer_fd;
	struct lines lines;
};

/*
 * Makes the FIFOs, which the watchdog removes, and sets the variable. Returns 0, or a negative errno after a message.
 */
int marks__open(struct marks *ret, struct guard *guard);
/* Tells who waits that the mark was handled. */
void marks__answer(const struct marks *m);
void marks__close(struct marks *m);

/* ---- the side of a runner */

struct marker {
	int to, answers;	/* -1: there is nobody to tell */
};

/* Returns 0 also if the variable is not set; or a negative errno after a message. */
int marker__open(struct marker *ret);
/*
 * Writes a line, and waits until it was handled. Returns 0 also if nobody is to be told; or a negative errno after a
 * message.
 */
int marker__say(struct marker *m, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void marker__close(struct marker *m);

#endif
