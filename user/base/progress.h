/* SPDX-License-Identifier: GPL-2.0-only */
/* A line on a terminal that says what takes long, as long as it does. */
#ifndef HYTRACE_BASE_PROGRESS_H
#define HYTRACE_BASE_PROGRESS_H

/*
 * Replaces the line. Does nothing if stderr is a file or a pipe, because the line could not be
 * erased there.
 */
void progress__say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Erases the line. */
void progress__end(void);

#endif
