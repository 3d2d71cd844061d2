// SPDX-License-Identifier: GPL-2.0-only
/* Functions that contenders and the harness share; see bench.h. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "bench/bench.h"

struct bench_left *bench_left;

int bench_error(int err, const char *format, ...)
{
	char text[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	return error__return(err, "bench: %s: %s", text, strerror(-err));
}

bool bench__is_other(const char *name)
{
	return !strpbrk(name, ".[ ") && strlen(name) < 60 && strncmp(name, "__rcu_read_", 11) &&
	       !strstr(name, "syscall") && !strstr(name, "x64_sys") && !strstr(name, "pid");
}
