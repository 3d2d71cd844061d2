// SPDX-License-Identifier: GPL-2.0-only
/*
 * The contenders that are programs, started as a user does: `hytrace cover --engine bpf`, bpftrace counting
 * calls, and perf stat counting a function event. What `hytrace cover` has seen while it runs is read from its
 * BPF programs, which are found by name.
 */
#include <bpf/bpf.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "base/error.h"
#include "base/files.h"
#include "base/program.h"
#include "bench/bench.h"

/* ---- the loader's BPF programs */

/* The last program's ID before the run: programs of other runs may have the same names. */
static __u32 last_program;

static void cover__remember_programs(void)
{
	__u32 id = 0;

	while (!bpf_prog_get_next_id(id, &id))
		last_program = id;
}

/* Opens the loader's first program with an ID after @after, and sets @after to this ID. */
static int open_program(__u32 *after)
{
	while (!bpf_prog_get_next_id(*after, after)) {
		struct bpf_prog_info info = {};
		__u32 size = sizeof(info);
		int fd = bpf_prog_get_fd_by_id(*after);

		if (fd >= 0 && !bpf_prog_get_info_by_fd(fd, &info, &size) &&
		    !strncmp(info.name, "cover_", 6))
			return fd;
		close(fd);
	}
	return -ENOENT;
}

/* Opens the link of a program. Returns -1 if it has none. */
static int open_link(int prog)
{
	struct bpf_prog_info info = {};
	__u32 id = 0, size = sizeof(info);

	if (bpf_prog_get_info_by_fd(prog, &info, &size))
		return bench_error(-errno, "cannot read the program's number");
	while (!bpf_link_get_next_id(id, &id)) {
		struct bpf_link_info link = {};
		int fd = bpf_link_get_fd_by_id(id);

		size = sizeof(link);
		if (fd >= 0 && !bpf_link_get_info_by_fd(fd, &link, &size) && link.prog_id == info.id)
			return fd;
		close(fd);
	}
	return -1;
}

/* Opens a map. All programs of a loader share their maps. */
static int open_map(const char *name, struct bpf_map_info *ret_info)
{
	__u32 ids[16], last = last_program, size = sizeof(struct bpf_prog_info);
	struct bpf_prog_info info = { .nr_map_ids = 16, .map_ids = (uintptr_t)ids };
	int prog = open_program(&last), err;

	if (prog < 0)
		return bench_error(prog, "the loader has no BPF program");
	err = bpf_prog_get_info_by_fd(prog, &info, &size);
	close(prog);
	if (err)
		return bench_error(err, "cannot read the program's maps");
	for (__u32 i = 0; i < info.nr_map_ids; i++) {
		int fd = bpf_map_get_fd_by_id(ids[i]);

		memset(ret_info, 0, sizeof(*ret_info));
		size = sizeof(*ret_info);
		if (fd >= 0 && !bpf_map_get_info_by_fd(fd, ret_info, &size) &&
		    !strcmp(ret_info->name, name))
			return fd;
		close(fd);
	}
	return bench_error(-ENOENT, "the program has no map %s", name);
}

#define COVER_LOG "hits"
#define COVER_SET ".bss.set"

/* Counts the log's entries. They are contiguous, and begin with an address, which is not 0. */
static int count_entries(int map, const struct bpf_map_info *info, double *ret_count)
{
	size_t bytes = (size_t)info->max_entries * info->value_size;
	char *entries = mmap(NULL, bytes, PROT_READ, MAP_SHARED, map, 0);

	if (entries == MAP_FAILED)
		return bench_error(-errno, "cannot map the program's log");
	*ret_count = 0;
	while (*ret_count < info->max_entries &&
	       *(__u64 *)&entries[(size_t)*ret_count * info->value_size])
		++*ret_count;
	munmap(entries, bytes);
	return 0;
}

static int sum_missed(double *ret)
{
	__u32 id = last_program;
	int prog, err = 0;

	*ret = 0;
	while (!err && (prog = open_program(&id)) >= 0) {
		int link = open_link(prog);
		double missed = 0;

		err = link < -1 ? link : bench__missed_calls(prog, link, &missed);
		*ret += missed;
		if (link >= 0)
			close(link);
		close(prog);
	}
	return err;
}

static int cover__report(const struct contender *c, struct bench_row *row)
{
	struct bpf_map_info info;
	int err = sum_missed(&row->missed), map;

	if (err)
		return err;
	map = open_map(COVER_LOG, &info);
	if (map < 0)
		return map;
	err = count_entries(map, &info, &row->seen);
	row->memory_bytes = fdinfo__number(map, "memlock");
	close(map);
	if (err)
		return err;
	map = open_map(COVER_SET, &info);
	if (map < 0)
		return map;
	row->memory_bytes += fdinfo__number(map, "memlock");
	close(map);
	return 0;
}

/* Clears the set. The log continues after its old entries. */
static int cover__clear(const struct contender *c)
{
	struct bpf_map_info info;
	int set = open_map(COVER_SET, &info), err;
	__u32 zero = 0;
	void *empty;

	if (set < 0)
		return set;
	/* No xcalloc(): if this process ended, nobody would end the loader, which still records. */
	empty = calloc(1, info.value_size);
	err = empty ? bpf_map_update_elem(set, &zero, empty, BPF_ANY) : -ENOMEM;
	free(empty);
	close(set);
	return err ? bench_error(err, "cannot clear the set") : 0;
}

/* ---- programs */

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
