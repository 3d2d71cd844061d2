// SPDX-License-Identifier: GPL-2.0-only
/* The contenders that are `hytrace cover --engine bpf`, as a user starts it. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "base/error.h"
#include "base/fdinfo.h"
#include "base/program.h"
#include "bench/bench.h"
#include "bench/contend_bpf.h"

/*
 * The loader, started as by a user. Its command says when it runs, and runs until its standard
 * input ends. Meanwhile its BPF program, found by name, gives the other figures.
 */
static const char *const cover_programs[] = {
	"cover_fentry", "cover_fentry_nc", "cover_entry", "cover_entry_nc",
};
#define COVER_RESULT "/run/hytrace-bench.json"

static struct {
	pid_t pid;
	int stop;	/* the command's standard input */
} cover;

/* The last program before: another run may have programs of the same names. */
static __u32 last_program;

static void note_last_program(void)
{
	__u32 id = 0;

	while (!bpf_prog_get_next_id(id, &id))
		last_program = id;
}

/* @options: additional options, with NULL after the last one. */
static void exec_cover(const char *const *options, enum bench_scope scope, int in, int out)
{
	const char *args[20] = {
		"hytrace", "cover", "--engine", "bpf", "--format", "json",
		"--output", COVER_RESULT,
	};
	size_t nr = 8;

	while (options && *options)
		args[nr++] = *options++;
	if (scope == BENCH_ONE) {
		args[nr++] = "--allow";
		args[nr++] = BENCH_FUNCTION;
	}
	args[nr++] = "--";
	args[nr++] = "sh";
	args[nr++] = "-c";
	args[nr++] = "echo && exec cat";
	dup2(in, STDIN_FILENO);
	dup2(out, STDOUT_FILENO);
	if (program__exec("hytrace", (char **)args) == -ENOENT)
		error__print("the program hytrace is missing beside hytrace-bench, and in ../../bin from there");
	_exit(127);
}

static int cover__attach(const struct contender *c, enum bench_scope scope)
{
	int in[2] = { -1, -1 }, out[2] = { -1, -1 }, err = 0;
	char byte;

	if (pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC))
		return bench_error(-errno, "cannot make a pipe");
	note_last_program();
	fflush(NULL);
	cover.pid = fork();
	if (!cover.pid)
		exec_cover(c->variant, scope, in[0], out[1]);
	close(in[0]);
	close(out[1]);
	cover.stop = in[1];
	if (cover.pid < 0)
		err = bench_error(-errno, "cannot start the loader");
	else if (read(out[0], &byte, 1) != 1)
		err = bench_error(-EIO, "the loader has not started its command");
	close(out[0]);
	return err;
}

static int cover__detach(const struct contender *c)
{
	int status = 0;

	if (cover.pid <= 0)
		return 0;
	close(cover.stop);
	if (waitpid(cover.pid, &status, 0) < 0)
		return bench_error(-errno, "cannot wait for the loader");
	cover.pid = 0;
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

/* The whole command waits for its libraries to be read, which takes time but no instructions. */
static int cover__took(const struct contender *c, double *ret_attach, double *ret_detach)
{
	char *text = NULL;
	FILE *f = fopen(COVER_RESULT, "r");
	size_t room = 0;
	int err;

	if (!f || getdelim(&text, &room, '\0', f) < 0)
		err = bench_error(-errno, "cannot read " COVER_RESULT);
	else
		err = read_us(text, "\"attach_us\":", ret_attach) ?:
		      read_us(text, "\"detach_us\":", ret_detach);
	if (f)
		fclose(f);
	free(text);
	return err;
}

static void cover__cleanup(const struct contender *c)
{
	cover__detach(c);
	unlink(COVER_RESULT);
}

static bool is_cover(const char *name)
{
	for (size_t i = 0; i < sizeof(cover_programs) / sizeof(cover_programs[0]); i++) {
		if (!strcmp(cover_programs[i], name))
			return true;
	}
	return false;
}

/* Opens the first of the loader's programs after the one with the number @after. There may be several. */
static int open_program(__u32 *after)
{
	while (!bpf_prog_get_next_id(*after, after)) {
		struct bpf_prog_info info = {};
		__u32 size = sizeof(info);
		int fd = bpf_prog_get_fd_by_id(*after);

		if (fd >= 0 && !bpf_prog_get_info_by_fd(fd, &info, &size) && is_cover(info.name))
			return fd;
		close(fd);
	}
	return -ENOENT;
}

/* They have the same maps. */
static int open_any_program(void)
{
	__u32 id = last_program;
	int fd = open_program(&id);

	return fd < 0 ? bench_error(fd, "the loader has no BPF program") : fd;
}

/* Returns -1 if it has none. */
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

/* Opens a map that the program uses. */
static int open_map(int prog, const char *name, struct bpf_map_info *ret_info)
{
	__u32 ids[16], size = sizeof(struct bpf_prog_info);
	struct bpf_prog_info info = { .nr_map_ids = 16, .map_ids = (uintptr_t)ids };

	if (bpf_prog_get_info_by_fd(prog, &info, &size))
		return bench_error(-errno, "cannot read the program's maps");
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

/*
 * Counts the entries of the log. They are written from its beginning on, and begin with an address.
 */
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

static int report_log(int prog, struct bench_row *row)
{
	struct bpf_map_info info;
	int log = open_map(prog, COVER_LOG, &info), set, err;

	if (log < 0)
		return log;
	err = count_entries(log, &info, &row->seen);
	row->memory_bytes = fdinfo__memory(log);
	close(log);
	if (err)
		return err;
	set = open_map(prog, COVER_SET, &info);
	if (set < 0)
		return set;
	row->memory_bytes += fdinfo__memory(set);
	close(set);
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

		err = link < -1 ? link : bench_bpf__missed(prog, link, &missed);
		*ret += missed;
		if (link >= 0)
			close(link);
		close(prog);
	}
	return err;
}

static int cover__report(const struct contender *c, struct bench_row *row)
{
	int prog = open_any_program(), err;

	if (prog < 0)
		return prog;
	err = sum_missed(&row->missed) ?: report_log(prog, row);
	close(prog);
	return err;
}

/* Clears the set. The log continues after its old entries. */
static int cover__clear(const struct contender *c)
{
	int prog = open_any_program(), set, err;
	struct bpf_map_info info;
	__u32 zero = 0;
	void *empty;

	if (prog < 0)
		return prog;
	set = open_map(prog, COVER_SET, &info);
	close(prog);
	if (set < 0)
		return set;
	/* If this ended the program, nobody would end the other one, which records. */
	empty = calloc(1, info.value_size);
	err = empty ? bpf_map_update_elem(set, &zero, empty, BPF_ANY) : -ENOMEM;
	free(empty);
	close(set);
	return err ? bench_error(err, "cannot clear the set") : 0;
}

static const char *const kprobe[] = { "--entry", "kprobe", NULL };
static const char *const nocallers[] = { "--no-callers", NULL };
static const char *const retired[] = { "--no-callers", "--retire", NULL };

#define COVER_CALLBACKS			\
	.workloads = WORKLOADS_ALL,	\
	.attach = cover__attach,	\
	.clear = cover__clear,		\
	.report = cover__report,	\
	.detach = cover__detach,	\
	.took = cover__took,		\
	.cleanup = cover__cleanup

const struct contender contender_cover_bpf = {
	.name = "cover-bpf",
	.scopes = BENCH_ONE | BENCH_ALL,
	.note = "hytrace cover -e bpf: function and caller, without functions that it calls itself; "
		"attach includes loading",
	COVER_CALLBACKS,
};

const struct contender contender_cover_bpf_kprobe = {
	.name = "cover-bpf-kprobe",
	.scopes = BENCH_ONE | BENCH_ALL,
	.note = "hytrace cover -e bpf --entry kprobe: function and caller, also where the kernel has fentry.multi",
	.variant = kprobe,
	COVER_CALLBACKS,
};

const struct contender contender_cover_bpf_nocallers = {
	.name = "cover-bpf-nocallers",
	.scopes = BENCH_ONE | BENCH_ALL,
	.note = "hytrace cover -e bpf --no-callers: function only",
	.variant = nocallers,
	COVER_CALLBACKS,
};

/*
 * There is no row for one function, because a single known function does not make the loader attach
 * again.
 */
const struct contender contender_cover_bpf_retired = {
	.name = "cover-bpf-retired",
	.scopes = BENCH_ALL,
	/*
	 * The loader checks after about 0.2 s, and later each time. Attaching again to all takes
	 * about a second.
	 */
	.settle_ms = 10000,
	.note = "hytrace cover -e bpf --no-callers --retire: function only, attached again without known ones",
	.variant = retired,
	COVER_CALLBACKS,
};
