// SPDX-License-Identifier: GPL-2.0-only
/*
 * The contenders that are programs, started as a user does: `hytrace cover --engine bpf`, bpftrace
 * counting calls, and perf stat counting a function event.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/files.h"
#include "base/program.h"
#include "bench/bench.h"

static pid_t tool;
/* The tool's standard input, which ends when this process ends. */
static int tool_input = -1;

/* @said: the line that the tool prints, on stdout or stderr, as soon as it counts. */
static int wait_until_said(int out, const char *said)
{
	FILE *f = fdopen(out, "r");
	char line[512];

	/* The file is never closed, because the tool must be able to print later. */
	while (f && fgets(line, sizeof(line), f)) {
		if (!strcmp(line, said))
			return 0;
	}
	return -EIO;
}

/* Runs in the child. The loader keeps the user's stderr; it cleans up and ends with its stdin. */
static void exec_tool(char *const argv[], bool is_loader, int in, int out)
{
	dup2(in, STDIN_FILENO);
	dup2(out, STDOUT_FILENO);
	if (is_loader) {
		if (program__exec("hytrace", (char **)argv) == -ENOENT)
			error__print("the program hytrace is neither beside hytrace-bench nor in ../../bin");
		_exit(127);
	}
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	dup2(out, STDERR_FILENO);
	execvp(argv[0], argv);
	_exit(errno == ENOENT ? 127 : 126);
}

static int start_tool(char *const argv[], const char *said, bool is_loader)
{
	int out[2], in[2], status = 0, err;

	if (pipe2(out, O_CLOEXEC) || pipe2(in, O_CLOEXEC))
		return bench_error(-errno, "cannot make a pipe");
	fflush(NULL);
	tool = fork();
	if (!tool)
		exec_tool(argv, is_loader, in[0], out[1]);
	close(out[1]);
	close(in[0]);
	tool_input = in[1];
	if (tool < 0)
		return bench_error(-errno, "cannot start %s", argv[0]);
	err = wait_until_said(out[0], said);
	if (err && is_loader)
		return bench_error(err, "the loader has not started its command");
	if (err) {
		kill(tool, SIGKILL);
		waitpid(tool, &status, 0);
		tool = 0;
		if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
			return -EOPNOTSUPP;
	}
	return err;
}

static int tool__detach(const struct contender *c)
{
	bool ended;

	if (tool <= 0)
		return 0;
	ended = waitpid(tool, NULL, WNOHANG) == tool;
	/* Its counts are not needed. Some tools ignore all other signals while they wait. */
	if (!ended && (kill(tool, SIGKILL) || waitpid(tool, NULL, 0) < 0))
		return bench_error(-errno, "cannot end %s", c->name);
	tool = 0;
	close(tool_input);
	return ended ? bench_error(-EIO, "%s has ended by itself", c->name) : 0;
}

static void tool__cleanup(const struct contender *c)
{
	tool__detach(c);
}

static int bpftrace__attach(const struct contender *c, enum bench_scope scope)
{
#define COUNT(functions) "BEGIN { printf(\"counting\\n\"); } kprobe:" functions " { @[func] = count(); }"
	char *const argv[] = { "bpftrace", "-B", "none", "-e",
			       scope == BENCH_ONE ? COUNT(BENCH_FUNCTION) : COUNT("*"), NULL };

	setenv("BPFTRACE_MAX_PROBES", "100000", 1);
	setenv("BPFTRACE_MAP_KEYS_MAX", "131072", 1);
	return start_tool(argv, "counting\n", false);
}

const struct method method_bpftrace = {
	.attach = bpftrace__attach,
	.detach = tool__detach,
	.cleanup = tool__cleanup,
};

static int perf_stat__setup(const struct contender *c, enum bench_scope scope)
{
	return bench_event__make(FUNCTION_EVENT, BENCH_FUNCTION "()");
}

static int perf_stat__attach(const struct contender *c, enum bench_scope scope)
{
	char *const argv[] = { "perf", "stat", "-a", "-e", BENCH_GROUP ":" BENCH_EVENT, "sh", "-c",
			       "echo counting; exec cat", NULL };

	return start_tool(argv, "counting\n", false);
}

static void perf_stat__cleanup(const struct contender *c)
{
	tool__detach(c);
	trace__remove_events();
}

const struct method method_perf_stat = {
	.setup = perf_stat__setup,
	.attach = perf_stat__attach,
	.detach = tool__detach,
	.cleanup = perf_stat__cleanup,
};

/* ---- the loader. Its command prints a line when it starts, and runs until its stdin ends. */

#define COVER_RESULT "/run/hytrace-bench.json"

static int cover__attach(const struct contender *c, enum bench_scope scope)
{
	const char *args[20] = { "hytrace", "cover", "--engine", "bpf", "--format", "json", "--output", COVER_RESULT };
	size_t nr = 8;

	for (const char *const *option = c->cover; *option; option++)
		args[nr++] = *option;
	if (scope == BENCH_ONE) {
		args[nr++] = "--allow";
		args[nr++] = BENCH_FUNCTION;
	}
	args[nr++] = "--";
	args[nr++] = "sh";
	args[nr++] = "-c";
	args[nr++] = "echo && exec cat";
	cover__remember_programs();
	return start_tool((char *const *)args, "\n", true);
}

static int cover__detach(const struct contender *c)
{
	int status = 0;

	if (tool <= 0)
		return 0;
	close(tool_input);
	if (waitpid(tool, &status, 0) < 0)
		return bench_error(-errno, "cannot wait for the loader");
	tool = 0;
	return status ? bench_error(-EIO, "the loader has failed (status %d)", status) : 0;
}

static int read_us(const char *text, const char *name, double *ret_ns)
{
	const char *at = strstr(text, name);

	if (!at)
		return bench_error(-ENOENT, COVER_RESULT " has no %s", name);
	*ret_ns = 1000 * strtod(at + strlen(name), NULL);
	return 0;
}

/* Takes the loader's own times, because the whole command also waits for libraries to be read. */
static int cover__took(const struct contender *c, double *ret_attach, double *ret_detach)
{
	char *text = file__text(COVER_RESULT);
	int err;

	if (!text)
		return bench_error(-errno, "cannot read " COVER_RESULT);
	err = read_us(text, "\"attach_us\":", ret_attach) ?: read_us(text, "\"detach_us\":", ret_detach);
	free(text);
	return err;
}

static void cover__cleanup(const struct contender *c)
{
	cover__detach(c);
	unlink(COVER_RESULT);
}

const struct method method_cover = {
	.attach = cover__attach,
	.clear = cover__clear,
	.report = cover__report,
	.detach = cover__detach,
	.took = cover__took,
	.cleanup = cover__cleanup,
};
