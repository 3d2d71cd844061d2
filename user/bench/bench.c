// SPDX-License-Identifier: GPL-2.0-only
/* Functions that contenders and the harness share, and access to tracefs; see bench.h. */
#include <stdarg.h>
#include <tracefs.h>

#include "base/error.h"
#include "base/files.h"
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

/* ---- tracefs: its instance, and files that exist only at the top */

#define INSTANCE "hytrace-bench"

struct tracefs_instance *bench_instance;

int trace_instance__open(void)
{
	bench_instance = tracefs_instance_create(INSTANCE);
	return bench_instance ? 0 : bench_error(-errno, "cannot make the tracing instance " INSTANCE);
}

void trace_instance__close(void)
{
	if (!bench_instance)
		bench_instance = tracefs_instance_alloc(NULL, INSTANCE);
	if (!bench_instance)
		return;
	if (tracefs_dir_exists(NULL, "instances/" INSTANCE)) {
		trace__write(bench_instance, "current_tracer", "nop");
		if (tracefs_instance_destroy(bench_instance))
			bench_error(-errno, "cannot remove the tracing instance " INSTANCE);
	}
	tracefs_instance_free(bench_instance);
	bench_instance = NULL;
}

int trace__remove_events(void)
{
	static const char *const groups[] = { BENCH_GROUP, BENCH_OTHERS };
	char path[64], line[64];
	int err = 0;

	for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++) {
		snprintf(path, sizeof(path), "events/%s", groups[i]);
		snprintf(line, sizeof(line), "-:%s/", groups[i]);
		if (tracefs_dir_exists(NULL, path) && trace__append("dynamic_events", line))
			err = -EBUSY;
	}
	return err;
}

int trace__remove_leftovers(void)
{
	trace_instance__close();
	return trace__remove_events() ?: tracefs_dir_exists(NULL, "instances/" INSTANCE) ? -EBUSY : 0;
}

int trace_instance__memory(const struct contender *c, struct bench_row *row)
{
	double kb;
	int err = trace__number(bench_instance, "buffer_total_size_kb", "", &kb);

	if (!err)
		row->memory_bytes = kb * 1024;
	return err;
}

bool trace__has(struct tracefs_instance *where, const char *file)
{
	return tracefs_file_exists(where, file);
}

int trace__write(struct tracefs_instance *where, const char *file, const char *text)
{
	if (tracefs_instance_file_write(where, file, text) < 0)
		return bench_error(-errno, "cannot write '%s' to %s", text, file);
	return 0;
}

int trace__append(const char *file, const char *text)
{
	int wrote = tracefs_instance_file_append(NULL, file, text);

	if (wrote < (int)strlen(text))
		return bench_error(wrote < 0 ? -errno : -EIO, "cannot append '%.200s' to %s", text, file);
	return 0;
}

int trace__read(struct tracefs_instance *where, const char *file, char **ret_text)
{
	*ret_text = tracefs_instance_file_read(where, file, NULL);
	return *ret_text ? 0 : bench_error(-errno, "cannot read %s", file);
}

int trace__number(struct tracefs_instance *where, const char *file, const char *name, double *ret_value)
{
	size_t len = strlen(name);
	char *text, *line, *rest, *last;
	int err = trace__read(where, file, &text);

	if (err)
		return err;
	for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		line += strspn(line, " \t");
		if (!strncmp(line, name, len) && (!len || strchr(": \t", line[len])))
			break;
	}
	if (line) {
		last = strrchr(line, ' ');
		*ret_value = strtod(last ?: line, NULL);
	} else {
		err = bench_error(-ENOENT, "%s has no line for '%s'", file, name);
	}
	free(text);
	return err;
}
