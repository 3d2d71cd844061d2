// SPDX-License-Identifier: GPL-2.0-only
/*
 * The contender that is ftrace itself: an ftrace_ops with a trampoline of its own. Its callback
 * only counts the call, which is the minimum that a callback of ftrace costs. The series' module
 * ftrace_many registers it.
 */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/files.h"
#include "bench/bench.h"

#define MODULE "ftrace_many"
#define FILES "/sys/kernel/debug/" MODULE "/"

static int write_file(const char *file, const char *text)
{
	int fd = open(file, O_WRONLY | O_CLOEXEC), err = 0;

	if (fd < 0)
		return -errno;
	if (write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		err = -errno;
	if (close(fd) && !err)
		err = -errno;
	return err;
}

/* The number after @name, or -1. */
static long read_stat(const char *name)
{
	char *text = file__text(FILES "stats"), *at = text ? strstr(text, name) : NULL;
	long value = at ? strtol(at + strlen(name), NULL, 10) : -1;

	free(text);
	return value;
}

static int modprobe(char *option)
{
	char *const argv[] = { "modprobe", "--quiet", option, MODULE, NULL };
	int status;
	pid_t pid;

	if (posix_spawnp(&pid, argv[0], NULL, NULL, argv, environ) || waitpid(pid, &status, 0) < 0)
		return -EOPNOTSUPP;
	return status ? -EOPNOTSUPP : 0;
}

/* The module wants the address, which stands at the beginning of the function's line. */
static int choose_function(void)
{
	char *list, *end, *start;
	int err;

	err = trace__read(TOP, "available_filter_functions_addrs", &list);
	if (err)
		return err;
	end = strstr(list, " " BENCH_FUNCTION "\n");
	if (end) {
		*end = '\0';
		start = strrchr(list, '\n');
		strcpy(end, "\n");
		err = write_file(FILES "functions", start ? start + 1 : list);
	}
	free(list);
	return err || !end ? bench_error(err ?: -ENOENT, "cannot write to " FILES "functions") : 0;
}

/* Remembers whether the module was loaded before: 1 if so, otherwise 0. */
static int ops__setup(const struct contender *c, enum bench_scope scope)
{
	bool loaded = !access(FILES "control", F_OK);

	if (loaded && read_stat("ops: "))
		return bench_error(-EBUSY, FILES " is in use: unregister, then rmmod " MODULE);
	*bench_left = (struct bench_left){ .touched = true, .old = loaded };
	if (!loaded && (modprobe("--first-time") || access(FILES "control", F_OK)))
		return -EOPNOTSUPP;
	return choose_function();
}

static int control(const char *word)
{
	int err = write_file(FILES "control", word);

	return err ? bench_error(err, "cannot write '%s' to " FILES "control", word) : 0;
}

static int ops__attach(const struct contender *c, enum bench_scope scope)
{
	return control(scope == SCOPE_ONE ? "register" : "register wide");
}

/* There is a figure only if the callback was called. */
static int ops__report(const struct contender *c, struct bench_row *row)
{
	return read_stat("calls: ") > 0 ? 0 : bench_error(-EIO, "the callback was not called");
}

static int ops__detach(const struct contender *c)
{
	return control("unregister");
}

static void ops__cleanup(const struct contender *c)
{
	if (!bench_left->touched)
		return;
	/* This fails if it is not registered any more. */
	write_file(FILES "control", "unregister");
	write_file(FILES "functions", "\n");
	if (!bench_left->old)
		modprobe("--remove");
	bench_left->touched = false;
}

const struct method method_ops = {
	.setup = ops__setup,
	.attach = ops__attach,
	.report = ops__report,
	.detach = ops__detach,
	.cleanup = ops__cleanup,
};
