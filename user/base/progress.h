/* SPDX-License-Identifier: GPL-2.0-only */
/* A line on a terminal that says which slow step is running. */
#ifndef HYTRACE_BASE_PROGRESS_H
#define HYTRACE_BASE_PROGRESS_H

/* Replaces the line. Does nothing if stderr is no terminal: the line could not be erased there. */
void progress__say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Erases the line. */
void progress__end(void);

#endif
