// SPDX-License-Identifier: GPL-2.0-only
/* Access to tracefs for the benchmark: one instance, and the files that exist only at the top. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <tracefs.h>

#include "base/files.h"
#include "bench/bench.h"

static struct tracefs_instance *instance;

int trace_instance__open(void)
{
	instance = tracefs_instance_create(BENCH_INSTANCE);
	if (!instance)
		return bench_error(-errno, "cannot make the tracing instance %s", BENCH_INSTANCE);
	return 0;
}

void trace_instance__close(void)
{
	if (!instance)
		instance = tracefs_instance_alloc(NULL, BENCH_INSTANCE);
	if (!instance)
		return;
	if (tracefs_dir_exists(NULL, "instances/" BENCH_INSTANCE)) {
		trace_instance__write("current_tracer", "nop");
		if (tracefs_instance_destroy(instance))
			bench_error(-errno, "cannot remove the tracing instance %s", BENCH_INSTANCE);
	}
	tracefs_instance_free(instance);
	instance = NULL;
}

int trace__remove_leftovers(void)
{
	static const char *const groups[] = { "hytrace_bench", "hytrace_bench_others" };
	char path[64], line[64];

	trace_instance__close();
	for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++) {
		snprintf(path, sizeof(path), "events/%s", groups[i]);
		snprintf(line, sizeof(line), "-:%s/", groups[i]);
		if (tracefs_dir_exists(NULL, path) && trace_top__append("dynamic_events", line))
			return -EBUSY;
	}
	return tracefs_dir_exists(NULL, "instances/" BENCH_INSTANCE) ? -EBUSY : 0;
}

bool trace_instance__has(const char *file)
{
	return tracefs_file_exists(instance, file);
}

bool trace_top__has(const char *file)
{
	return tracefs_file_exists(NULL, file);
}

static int write_file(struct tracefs_instance *where, const char *file, const char *text)
{
	if (tracefs_instance_file_write(where, file, text) < 0)
		return bench_error(-errno, "cannot write '%s' to %s", text, file);
	return 0;
}

int trace_instance__write(const char *file, const char *text)
{
	return write_file(instance, file, text);
}

int trace_top__write(const char *file, const char *text)
{
	return write_file(NULL, file, text);
}

int trace_top__append(const char *file, const char *text)
{
	if (tracefs_instance_file_append(NULL, file, text) < 0)
		return bench_error(-errno, "cannot append '%s' to %s", text, file);
	return 0;
}

static int read_file(struct tracefs_instance *where, const char *file, char **ret_text)
{
	*ret_text = tracefs_instance_file_read(where, file, NULL);
	if (!*ret_text)
		return bench_error(-errno, "cannot read %s", file);
	return 0;
}

int trace_instance__read(const char *file, char **ret_text)
{
	return read_file(instance, file, ret_text);
}

int trace_top__read(const char *file, char **ret_text)
{
	return read_file(NULL, file, ret_text);
}

int trace_top__write_once(const char *file, const char *text, size_t len)
{
	int fd, err = 0;

	fd = tracefs_instance_file_open(NULL, file, O_WRONLY | O_APPEND);
	if (fd < 0)
		return bench_error(-errno, "cannot open %s", file);
	if (write(fd, text, len) != (ssize_t)len)
		err = bench_error(-errno, "cannot write %zu bytes to %s", len, file);
	close(fd);
	return err;
}

/*
 * Reads a value from lines `name: value`. In a file with only a number, that line has the empty
 * name.
 */
int trace_instance__read_value(const char *file, const char *name, double *ret_value)
{
	const char *value;
	char *text;
	int err;

	err = read_file(instance, file, &text);
	if (err)
		return err;
	value = *name ? text__value(text, name) : text;
	if (value)
		*ret_value = strtod(value, NULL);
	else
		err = bench_error(-ENOENT, "%s has no line '%s:'", file, name);
	free(text);
	return err;
}

int trace_top__read_last(const char *file, const char *name, double *ret_value)
{
	size_t len = strlen(name);
	char *text, *line, *rest;
	int err;

	err = read_file(NULL, file, &text);
	if (err)
		return err;
	err = -ENOENT;
	for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		line += strspn(line, " \t");
		if (!strncmp(line, name, len) && (line[len] == ' ' || line[len] == '\t')) {
			char *last = line + strcspn(line, "\r") - 1;

			while (last > line && (*last == ' ' || *last == '\t'))
				last--;
			while (last > line && last[-1] != ' ' && last[-1] != '\t')
				last--;
			*ret_value = strtod(last, NULL);
			err = 0;
			break;
		}
	}
	free(text);
	return err ? bench_error(err, "%s has no line for %s", file, name) : 0;
}

int trace_top__count_lines(const char *file, double *ret_lines)
{
	char *text, *p;
	int err;

	err = read_file(NULL, file, &text);
	if (err)
		return err;
	*ret_lines = 0;
	for (p = text; (p = strchr(p, '\n')); p++)
		(*ret_lines)++;
	free(text);
	return 0;
}
