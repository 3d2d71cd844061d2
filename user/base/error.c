// SPDX-License-Identifier: GPL-2.0-only
/* Messages on stderr, each one line that begins with the program's name, and the line of progress. See error.h. */
#include <stdarg.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"

/* ---- progress */

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

/* ---- messages */

/* A message may contain names from user space, or from a recording of another user: control characters are escaped. */
static void print_line(const char *label, const char *fmt, va_list ap)
{
	autofree char *text = NULL, *line = NULL;
	size_t length = 0;
	FILE *f = open_memstream(&line, &length) ?: stderr;

	progress__end();
	if (vasprintf(&text, fmt, ap) < 0)
		text = NULL;
	fprintf(f, "hytrace: %s", label);
	utf8__print(f, text ? text : fmt, "\n\t");
	fputc('\n', f);
	/* By one write(), so that no line of another process is in it. */
	if (f != stderr && !fclose(f))
		fwrite(line, 1, length, stderr);
	else if (f != stderr)
		fprintf(stderr, "hytrace: %s%s\n", label, fmt);
}

void error__print(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	print_line("", fmt, ap);
	va_end(ap);
}

void error__warn(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	print_line("warning: ", fmt, ap);
	va_end(ap);
}

int error__return(int err, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	print_line("", fmt, ap);
	va_end(ap);
	return err;
}

int error__no_memory(void)
{
	return error__return(-ENOMEM, "out of memory");
}

int error__status(int err, int with_command)
{
	if (!err)
		return EXIT_DONE;
	if (with_command)
		return EXIT_SELF;
	switch (err) {
	case -EINVAL:
		return EXIT_USAGE;
	case -EPERM:
	case -EACCES:
	case -EOPNOTSUPP:
		return EXIT_UNSUPPORTED;
	default:
		return EXIT_FAILED;
	}
}
