// SPDX-License-Identifier: GPL-2.0-only
/* See progress.h. */
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

#include "base/progress.h"

#define CLEAR_LINE "\r\033[K"

static bool said;

void progress__say(const char *fmt, ...)
{
	va_list args;

	if (!isatty(STDERR_FILENO))
		return;
	/* The first time, the line may have text of another program, so it is not erased. */
	fputs(said ? CLEAR_LINE "hytrace: " : "hytrace: ", stderr);
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fputs(" ...", stderr);
	fflush(stderr);
	said = true;
}

void progress__end(void)
{
	if (!said)
		return;
	fputs(CLEAR_LINE, stderr);
	fflush(stderr);
	said = false;
}
