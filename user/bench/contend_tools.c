// SPDX-License-Identifier: GPL-2.0-only
/*
 * The contenders that are other people's programs, as a user starts them: bpftrace counting calls, perf stat
 * counting a function event.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/bench.h"

#define PERF_EVENT "hytrace_bench/perf_stat"

static pid_t tool;

/* @said: what it prints when it counts, on either of its outputs; NULL: it is waited for in another way. */
static int start_tool(char *const argv[], const char *said)
{
	char line[512];
	int out[2], err = -EIO;
	FILE *f;

	if (pipe2(out, O_CLOEXEC))
		return bench_error(-errno, "cannot make a pipe");
	fflush(NULL);
	tool = fork();
	if (!tool) {
		/* Its own command is to be told of the end as well. */
		setpgid(0, 0);
		dup2(open("/dev/null", O_RDONLY), STDIN_FILENO);
		dup2(out[1], STDOUT_FILENO);
		dup2(out[1], STDERR_FILENO);
		execvp(argv[0], argv);
		_exit(errno == ENOENT ? 127 : 126);
	}
	close(out[1]);
	f = tool > 0 ? fdopen(out[0], "r") : NULL;
	while (err && f && fgets(line, sizeof(line), f)) {
		if (strstr(line, said))
			err = 0;
	}
	/* Not closed: what it prints later has to go somewhere. */
	if (err) {
		int status = 0;

		waitpid(tool, &status, 0);
		tool = 0;
		if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
			err = -EOPNOTSUPP;
	}
	return err;
}

static int tool__detach(const struct contender *c)
{
	int status;

	if (tool <= 0)
		return 0;
	/* What it has counted is not asked for; some do not end of less while they wait. */
	kill(-tool, SIGKILL);
	if (waitpid(tool, &status, 0) < 0)
		return bench_error(-errno, "cannot wait for %s", c->name);
	tool = 0;
	return 0;
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
	return start_tool(scope == SCOPE_ONE ? one : all, "counting");
}

const struct contender contender_bpftrace = {
	.name = "bpftrace-count",
	.scopes = SCOPE_ONE | SCOPE_ALL,
	.note = "bpftrace -e 'kprobe:* { @[func] = count(); }'; attach and detach are of the whole command",
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
			       "echo counting; exec sleep 1000", NULL };

	return start_tool(argv, "counting");
}

static void perf_stat__cleanup(const struct contender *c)
{
	tool__detach(c);
	trace_top__append("function_events", "!" PERF_EVENT);
}

const struct contender contender_event_perf_stat = {
	.name = "event-perf-stat",
	.scopes = SCOPE_ONE,
	.note = "perf stat -a -e counts a function event; attach and detach are of the whole command",
	.setup = perf_stat__setup,
	.attach = perf_stat__attach,
	.detach = tool__detach,
	.cleanup = perf_stat__cleanup,
};
