// SPDX-License-Identifier: GPL-2.0-only
/*
 * The contenders that are other people's programs, started as by a user: bpftrace counting calls,
 * and perf stat counting a function event.
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

#include "bench/bench.h"

#define PERF_EVENT "hytrace_bench/perf_stat"

static pid_t tool;
/* The tool's standard input, which ends when this process ends. */
static int tool_input = -1;

/* @said: the line that the tool prints, on either of its outputs, when it counts. */
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

static int start_tool(char *const argv[], const char *said)
{
	int out[2], in[2], status = 0, err;

	if (pipe2(out, O_CLOEXEC) || pipe2(in, O_CLOEXEC))
		return bench_error(-errno, "cannot make a pipe");
	fflush(NULL);
	tool = fork();
	if (!tool) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		dup2(in[0], STDIN_FILENO);
		dup2(out[1], STDOUT_FILENO);
		dup2(out[1], STDERR_FILENO);
		execvp(argv[0], argv);
		_exit(errno == ENOENT ? 127 : 126);
	}
	close(out[1]);
	close(in[0]);
	tool_input = in[1];
	if (tool < 0)
		return bench_error(-errno, "cannot start %s", argv[0]);
	err = wait_until_said(out[0], said);
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
	/*
	 * Its counts are not needed, and some tools do not end by a weaker signal while they wait.
	 */
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
	char *const one[] = { "bpftrace", "-B", "none", "-e", "BEGIN { printf(\"counting\\n\"); } kprobe:"
			      BENCH_FUNCTION " { @[func] = count(); }", NULL };
	char *const all[] = { "bpftrace", "-B", "none", "-e", "BEGIN { printf(\"counting\\n\"); } kprobe:*"
			      " { @[func] = count(); }", NULL };

	setenv("BPFTRACE_MAX_PROBES", "100000", 1);
	setenv("BPFTRACE_MAP_KEYS_MAX", "131072", 1);
	return start_tool(scope == BENCH_ONE ? one : all, "counting\n");
}

const struct contender contender_bpftrace = {
	.name = "bpftrace-count",
	.scopes = BENCH_ONE | BENCH_ALL,
	.note = "bpftrace -e 'kprobe:... { @[func] = count(); }'; attach and detach are of the whole command",
	.attach = bpftrace__attach,
	.detach = tool__detach,
	.cleanup = tool__cleanup,
};

static int perf_stat__setup(const struct contender *c, enum bench_scope scope)
{
	if (!trace_top__has("function_events"))
		return -EOPNOTSUPP;
	return trace_top__append("function_events", BENCH_FUNCTION "() as " PERF_EVENT);
}

static int perf_stat__attach(const struct contender *c, enum bench_scope scope)
{
	char *const argv[] = { "perf", "stat", "-a", "-e", "hytrace_bench:perf_stat", "sh", "-c",
			       "echo counting; exec cat", NULL };

	return start_tool(argv, "counting\n");
}

static void perf_stat__cleanup(const struct contender *c)
{
	tool__detach(c);
	trace_top__append("function_events", "!" PERF_EVENT);
}

const struct contender contender_event_perf_stat = {
	.name = "event-perf-stat",
	.scopes = BENCH_ONE,
	.note = "perf stat -a -e counts a function event; attach and detach are of the whole command",
	.setup = perf_stat__setup,
	.attach = perf_stat__attach,
	.detach = tool__detach,
	.cleanup = perf_stat__cleanup,
};
