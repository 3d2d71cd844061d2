/* SPDX-License-Identifier: GPL-2.0-only */
/* What takes its time, said on a terminal for as long as it takes. */
#ifndef HYTRACE_BASE_PROGRESS_H
#define HYTRACE_BASE_PROGRESS_H

/* In place of what was said before. To a file or a pipe nothing is written: it would stay. */
void progress__say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* It is over: the line is empty again. */
void progress__end(void);

#endif
