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
#include "kernel/running.h"

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

/* Returns the number of a line "name: number", or -1. */
static long read_stat(const char *name)
{
	char *text = file__text(FILES "stats");
	const char *value = text__value(text, name);
	long number = value ? strtol(value, NULL, 10) : -1;

	free(text);
	return number;
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

static int choose_function(void)
{
	const struct traceable_function *const *named;
	struct kernel k = {};
	char text[32];
	size_t count = 0;
	int err = kernel__load(&k, KERNEL_LISTS, NULL);

	if (!err) {
		named = traceable__named(k.traceable, BENCH_FUNCTION, &count);
		if (count)
			snprintf(text, sizeof(text), "%llx\n", (unsigned long long)named[0]->site);
		err = count ? write_file(FILES "functions", text) : -ENOENT;
		if (err)
			bench_error(err, "cannot write to " FILES "functions");
	}
	kernel__free(&k);
	return err;
}

/* Remembers whether the module was loaded before: 1 if so, otherwise 0. */
static int ops__setup(const struct contender *c, enum bench_scope scope)
{
	bool loaded = !access(FILES "control", F_OK);

	if (loaded && read_stat("ops"))
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
	return control(scope == BENCH_ONE ? "register" : "register wide");
}

/* There is a figure only if the callback was called. */
static int ops__report(const struct contender *c, struct bench_row *row)
{
	return read_stat("calls") > 0 ? 0 : bench_error(-EIO, "the callback was not called");
}

static int ops__detach(const struct contender *c)
{
	return control("unregister");
}

static void ops__cleanup(const struct contender *c)
{
	if (!bench_left->touched)
		return;
	/* This fails if the callback is not registered any more. */
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
