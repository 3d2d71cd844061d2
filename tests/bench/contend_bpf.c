// SPDX-License-Identifier: GPL-2.0-only
/* The contenders that are BPF programs: bpf/bench.bpf.c on kprobe.multi, fentry and function events. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
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
static int count_missed(const struct contender *c, double *ret_missed)
{
	struct bpf_prog_info prog = {};
	struct bpf_link_info link = {};
	__u32 prog_len = sizeof(prog), link_len = sizeof(link);
	int err;

	err = bpf_prog_get_info_by_fd(bpf_program__fd(variant_program(c->variant)), &prog, &prog_len);
	err = err ?: bpf_link_get_info_by_fd(bpf_link__fd(bpf_link), &link, &link_len);
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

	err = count_missed(c, &row->missed);
	if (err || !variant->has_set)
		return err;
	err = map_memory(bpf_map__fd(skel->maps.seen), &row->memory_bytes);
	return err ?: count_keys(bpf_map__fd(skel->maps.seen), &row->seen);
}

static int bpf__clear(const struct contender *c)
{
	int fd = bpf_map__fd(skel->maps.seen);
	__u64 key;

	while (!bpf_map_get_next_key(fd, NULL, &key))
		if (bpf_map_delete_elem(fd, &key))
			return bench_error(-errno, "cannot clear the map");
	return 0;
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
	.note = "function only",
	.variant = &multi_hash_nocallers,
	.attach = multi__attach,
	.clear = bpf__clear,
	BPF_CALLBACKS,
};

const struct contender contender_kprobe_multi_hash = {
	.name = "kprobe-multi-hash",
	.scopes = SCOPE_ONE | SCOPE_ALL,
	.note = "function and caller",
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
