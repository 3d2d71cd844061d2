// SPDX-License-Identifier: GPL-2.0-only
/*
 * The contenders that are BPF programs: bpf/bench.bpf.c on kprobe.multi, fentry and function events, and
 * the loader's own as `hytrace cover` runs it, which knows what not to trace.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "bench.h"
#include "bench.skel.h"

#define EVENT_GROUP "hytrace_bench"
#define EVENT_NAME "bpf"
#define EVENT_DEFINITION BENCH_FUNCTION "() as " EVENT_GROUP "/" EVENT_NAME

struct bpf_variant {
	const char *program;
	bool has_set;
};

static struct bench_bpf *skel;
static struct bpf_link *bpf_link;

static struct bpf_program *variant_program(const struct bpf_variant *variant)
{
	return bpf_object__find_program_by_name(skel->obj, variant->program);
}

/* Only the contender's own program is loaded, and the map only when it has one. */
static int bpf__setup(const struct contender *c, enum bench_scope scope)
{
	const struct bpf_variant *variant = c->variant;
	struct bpf_program *prog;
	int err;

	skel = bench_bpf__open();
	if (!skel)
		return bench_error(-errno, "cannot open the BPF programs");
	bpf_object__for_each_program(prog, skel->obj)
		bpf_program__set_autoload(prog, false);
	prog = variant_program(variant);
	if (!prog)
		return bench_error(-ENOENT, "there is no BPF program %s", variant->program);
	bpf_program__set_autoload(prog, true);
	bpf_map__set_autocreate(skel->maps.seen, variant->has_set);
	err = bench_bpf__load(skel);
	return err ? bench_error(err, "cannot load the BPF program %s", variant->program) : 0;
}

static int multi__attach(const struct contender *c, enum bench_scope scope)
{
	bpf_link = bpf_program__attach_kprobe_multi_opts(variant_program(c->variant),
			scope == SCOPE_ONE ? BENCH_FUNCTION : "*", NULL);
	return bpf_link ? 0 : bench_error(-errno, "cannot attach kprobe.multi");
}

static int fentry__attach(const struct contender *c, enum bench_scope scope)
{
	bpf_link = bpf_program__attach(variant_program(c->variant));
	return bpf_link ? 0 : bench_error(-errno, "cannot attach fentry");
}

static int event_bpf__setup(const struct contender *c, enum bench_scope scope)
{
	if (!trace_top__has("function_events"))
		return -EOPNOTSUPP;
	return trace_top__append("function_events", EVENT_DEFINITION) ?: bpf__setup(c, scope);
}

static int event_bpf__attach(const struct contender *c, enum bench_scope scope)
{
	bpf_link = bpf_program__attach_tracepoint(variant_program(c->variant), EVENT_GROUP,
						  EVENT_NAME);
	return bpf_link ? 0 : bench_error(-errno, "cannot attach to a function event");
}

static int bpf__detach(const struct contender *c)
{
	int err;

	err = bpf_link__destroy(bpf_link);
	bpf_link = NULL;
	return err;
}

/* What the kernel charges for the map, which is in no structure, only in fdinfo. */
static int map_memory(int fd, double *ret_bytes)
{
	char path[64], line[256];
	int err = -ENOENT;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	f = fopen(path, "r");
	if (!f)
		return bench_error(-errno, "cannot open %s", path);
	while (err && fgets(line, sizeof(line), f))
		if (sscanf(line, "memlock: %lf", ret_bytes) == 1)
			err = 0;
	fclose(f);
	return err ? bench_error(err, "%s has no line 'memlock:'", path) : 0;
}

static int count_keys(int fd, double *ret_count)
{
	__u64 key, *previous = NULL;

	*ret_count = 0;
	while (!bpf_map_get_next_key(fd, previous, &key)) {
		(*ret_count)++;
		previous = &key;
	}
	return 0;
}

/* Two counters: the probe's, and the program's own when it would have run inside itself. */
static int count_missed(int prog_fd, int link_fd, double *ret_missed)
{
	struct bpf_prog_info prog = {};
	struct bpf_link_info link = {};
	__u32 prog_len = sizeof(prog), link_len = sizeof(link);
	int err;

	err = bpf_prog_get_info_by_fd(prog_fd, &prog, &prog_len);
	err = err ?: bpf_link_get_info_by_fd(link_fd, &link, &link_len);
	if (err)
		return bench_error(err, "cannot ask for the missed calls");
	*ret_missed = prog.recursion_misses;
	if (link.type == BPF_LINK_TYPE_KPROBE_MULTI)
		*ret_missed += link.kprobe_multi.missed;
	return 0;
}

static int bpf__report(const struct contender *c, struct bench_row *row)
{
	const struct bpf_variant *variant = c->variant;
	int err;

	err = count_missed(bpf_program__fd(variant_program(variant)), bpf_link__fd(bpf_link),
			   &row->missed);
	if (err || !variant->has_set)
		return err;
	err = map_memory(bpf_map__fd(skel->maps.seen), &row->memory_bytes);
	return err ?: count_keys(bpf_map__fd(skel->maps.seen), &row->seen);
}

static int clear_map(int fd)
{
	__u64 key;

	while (!bpf_map_get_next_key(fd, NULL, &key))
		if (bpf_map_delete_elem(fd, &key))
			return bench_error(-errno, "cannot clear the map");
	return 0;
}

static int bpf__clear(const struct contender *c)
{
	return clear_map(bpf_map__fd(skel->maps.seen));
}

static void bpf__cleanup(const struct contender *c)
{
	bpf_link__destroy(bpf_link);
	bpf_link = NULL;
	bench_bpf__destroy(skel);
	skel = NULL;
}

static void event_bpf__cleanup(const struct contender *c)
{
	bpf__cleanup(c);
	trace_top__append("function_events", "!" EVENT_GROUP "/" EVENT_NAME);
}

/*
 * The loader, as a user starts it: for a command that says when it runs, and runs until its standard
 * input ends. Its program, found by name, tells the rest meanwhile.
 */
#define COVER_PROGRAM "cover_entry"
#define COVER_RESULT "/tmp/bench-cover.json"

static struct {
	pid_t pid;
	int stop;	/* the command's standard input */
} cover;

/* build/hytrace, seen from build/bench/bench. */
static int loader_path(char *path, size_t size)
{
	ssize_t len = readlink("/proc/self/exe", path, size - 1);
	int i;

	if (len < 0)
		return bench_error(-errno, "cannot tell where this program is");
	path[len] = '\0';
	for (i = 0; i < 2; i++)
		*strrchr(path, '/') = '\0';
	if (strlen(path) + sizeof("/hytrace") > size)
		return -ENAMETOOLONG;
	strcat(path, "/hytrace");
	return access(path, X_OK) ? bench_error(-errno, "%s is not there", path) : 0;
}

static int cover__setup(const struct contender *c, enum bench_scope scope)
{
	char path[PATH_MAX];

	return loader_path(path, sizeof(path));
}

static void exec_cover(enum bench_scope scope, int in, int out)
{
	char path[PATH_MAX];
	const char *args[20] = {
		path, "cover", "--engine", "bpf", "--format", "json",
		"--output", COVER_RESULT,
	};
	size_t nr = 8;

	if (scope == SCOPE_ONE) {
		args[nr++] = "--allow";
		args[nr++] = BENCH_FUNCTION;
	}
	args[nr++] = "--";
	args[nr++] = "sh";
	args[nr++] = "-c";
	args[nr++] = "echo && exec cat";
	dup2(in, STDIN_FILENO);
	dup2(out, STDOUT_FILENO);
	if (!loader_path(path, sizeof(path)))
		execv(path, (char **)args);
	_exit(127);
}

static int cover__attach(const struct contender *c, enum bench_scope scope)
{
	int in[2] = { -1, -1 }, out[2] = { -1, -1 }, err = 0;
	char byte;

	if (pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC))
		return bench_error(-errno, "cannot make a pipe");
	fflush(NULL);
	cover.pid = fork();
	if (!cover.pid)
		exec_cover(scope, in[0], out[1]);
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

/* The whole command waits for its libraries to be read, which takes time and no instructions. */
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
}

static int open_program(const char *name)
{
	__u32 id = 0;

	while (!bpf_prog_get_next_id(id, &id)) {
		struct bpf_prog_info info = {};
		__u32 size = sizeof(info);
		int fd = bpf_prog_get_fd_by_id(id);

		if (fd >= 0 && !bpf_prog_get_info_by_fd(fd, &info, &size) && !strcmp(info.name, name))
			return fd;
		close(fd);
	}
	return bench_error(-ENOENT, "there is no BPF program %s", name);
}

static int open_link(int prog)
{
	struct bpf_prog_info info = {};
	__u32 id = 0, size = sizeof(info);

	if (bpf_prog_get_info_by_fd(prog, &info, &size))
		return bench_error(-errno, "cannot ask for the program's number");
	while (!bpf_link_get_next_id(id, &id)) {
		struct bpf_link_info link = {};
		int fd = bpf_link_get_fd_by_id(id);

		size = sizeof(link);
		if (fd >= 0 && !bpf_link_get_info_by_fd(fd, &link, &size) && link.prog_id == info.id)
			return fd;
		close(fd);
	}
	return bench_error(-ENOENT, "the program has no link");
}

/* A map that the program uses. */
static int open_map(int prog, const char *name, struct bpf_map_info *ret_info)
{
	__u32 ids[16], size = sizeof(struct bpf_prog_info);
	struct bpf_prog_info info = { .nr_map_ids = 16, .map_ids = (uintptr_t)ids };

	if (bpf_prog_get_info_by_fd(prog, &info, &size))
		return bench_error(-errno, "cannot ask for the program's maps");
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

/* Entries are written from the beginning on, and hold an address first. */
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
	double set_bytes = 0;

	if (log < 0)
		return log;
	err = count_entries(log, &info, &row->seen) ?: map_memory(log, &row->memory_bytes);
	close(log);
	if (err)
		return err;
	set = open_map(prog, COVER_SET, &info);
	if (set < 0)
		return set;
	err = map_memory(set, &set_bytes);
	row->memory_bytes += set_bytes;
	close(set);
	return err;
}

static int cover__report(const struct contender *c, struct bench_row *row)
{
	int prog = open_program(COVER_PROGRAM), link, err;

	if (prog < 0)
		return prog;
	link = open_link(prog);
	err = link < 0 ? link : count_missed(prog, link, &row->missed) ?: report_log(prog, row);
	close(link);
	close(prog);
	return err;
}

/* The log goes on behind what it has. */
static int cover__clear(const struct contender *c)
{
	int prog = open_program(COVER_PROGRAM), set, err;
	struct bpf_map_info info;
	__u32 zero = 0;
	void *empty;

	if (prog < 0)
		return prog;
	set = open_map(prog, COVER_SET, &info);
	close(prog);
	if (set < 0)
		return set;
	empty = calloc(1, info.value_size);
	err = empty ? bpf_map_update_elem(set, &zero, empty, BPF_ANY) : -ENOMEM;
	free(empty);
	close(set);
	return err ? bench_error(err, "cannot clear the set") : 0;
}

const struct contender contender_cover_bpf = {
	.name = "cover-bpf",
	.scopes = SCOPE_ONE | SCOPE_ALL,
	.note = "hytrace cover -e bpf: function and caller, what kprobe.multi itself calls denied; attach "
		"includes loading",
	.setup = cover__setup,
	.attach = cover__attach,
	.clear = cover__clear,
	.report = cover__report,
	.detach = cover__detach,
	.took = cover__took,
	.cleanup = cover__cleanup,
};

static const struct bpf_variant event_empty = { "event_empty", false };
static const struct bpf_variant event_hash = { "event_hash", true };
static const struct bpf_variant multi_empty = { "multi_empty", false };
static const struct bpf_variant multi_hash_nocallers = { "multi_hash_nocallers", true };
static const struct bpf_variant multi_hash = { "multi_hash", true };
static const struct bpf_variant fentry_empty = { "fentry_empty", false };
static const struct bpf_variant fentry_hash = { "fentry_hash", true };

#define BPF_CALLBACKS			\
	.setup = bpf__setup,		\
	.report = bpf__report,		\
	.detach = bpf__detach,		\
	.cleanup = bpf__cleanup

#define EVENT_BPF_CALLBACKS		\
	.scopes = SCOPE_ONE,		\
	.setup = event_bpf__setup,	\
	.attach = event_bpf__attach,	\
	.report = bpf__report,		\
	.detach = bpf__detach,		\
	.cleanup = event_bpf__cleanup

const struct contender contender_event_bpf = {
	.name = "event-bpf",
	.note = "an empty program",
	.variant = &event_empty,
	EVENT_BPF_CALLBACKS,
};

const struct contender contender_event_bpf_hash = {
	.name = "event-bpf-hash",
	.note = "function and caller",
	.variant = &event_hash,
	.clear = bpf__clear,
	EVENT_BPF_CALLBACKS,
};

const struct contender contender_kprobe_multi = {
	.name = "kprobe-multi",
	.scopes = SCOPE_ONE | SCOPE_ALL,
	.note = "an empty program",
	.variant = &multi_empty,
	.attach = multi__attach,
	BPF_CALLBACKS,
};

const struct contender contender_kprobe_multi_hash_nocallers = {
	.name = "kprobe-multi-hash-nocallers",
	.scopes = SCOPE_ONE | SCOPE_ALL,
	.note = "function only, naive: of all functions it traces its own helpers",
	.variant = &multi_hash_nocallers,
	.attach = multi__attach,
	.clear = bpf__clear,
	BPF_CALLBACKS,
};

const struct contender contender_kprobe_multi_hash = {
	.name = "kprobe-multi-hash",
	.scopes = SCOPE_ONE | SCOPE_ALL,
	.note = "function and caller, naive: of all functions it traces its own helpers",
	.variant = &multi_hash,
	.attach = multi__attach,
	.clear = bpf__clear,
	BPF_CALLBACKS,
};

const struct contender contender_fentry = {
	.name = "fentry",
	.scopes = SCOPE_ONE,
	.note = "an empty program",
	.variant = &fentry_empty,
	.attach = fentry__attach,
	BPF_CALLBACKS,
};

const struct contender contender_fentry_hash = {
	.name = "fentry-hash",
	.scopes = SCOPE_ONE,
	.note = "function only",
	.variant = &fentry_hash,
	.attach = fentry__attach,
	.clear = bpf__clear,
	BPF_CALLBACKS,
};
