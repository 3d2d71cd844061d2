// SPDX-License-Identifier: GPL-2.0-only
/*
 * The contenders that are BPF programs: bpf/bench.bpf.c on kprobe.multi, fentry and function
 * events. Programs on kprobe.multi with all functions come twice: as they are, tracing the
 * functions that they and kprobe.multi call, and as "-denied", without these functions.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "base/error.h"
#include "base/fdinfo.h"
#include "base/memory.h"
#include "bench/bench.h"
#include "bench/contend_bpf.h"
#include "kernel/running.h"
#include "kernel/tracing_multi.h"
#include "bench.skel.h"

#define EVENT_GROUP "hytrace_bench"
#define EVENT_NAME "bpf"
#define EVENT_DEFINITION BENCH_FUNCTION "() as " EVENT_GROUP "/" EVENT_NAME

/* The functions that kprobe.multi and the programs below call, and that can be traced. */
static const char *const own_functions[] = {
	"__rcu_read_lock", "__rcu_read_unlock", "copy_from_kernel_nofault",
	"copy_from_kernel_nofault_allowed", "is_endbr", "bpf_get_smp_processor_id",
	"__htab_map_lookup_elem", "lookup_nulls_elem_raw", "htab_map_update_elem",
	"htab_percpu_map_lookup_elem", "htab_percpu_map_update_elem", "__htab_percpu_map_update_elem",
	"htab_lock_bucket", "htab_unlock_bucket", "lookup_elem_raw", "alloc_htab_elem",
	"pcpu_init_value", "__pcpu_freelist_pop", "___pcpu_freelist_pop",
};

static struct bench_bpf *skel;
static struct bpf_link *bpf_link;

struct bpf_program *bench_bpf__program(const char *name)
{
	return bpf_object__find_program_by_name(skel->obj, name);
}

static struct bpf_program *variant_program(const struct bpf_variant *variant)
{
	return bench_bpf__program(variant->program);
}

/*
 * All functions except the denied ones; NULL: not needed. They are found before attaching is timed.
 */
static unsigned long *addrs;
static size_t addr_count;

bool bench_bpf__is_own(const char *name)
{
	for (size_t i = 0; i < sizeof(own_functions) / sizeof(own_functions[0]); i++) {
		if (!strcmp(own_functions[i], name))
			return true;
	}
	return false;
}

static int choose_all_but_own(void)
{
	struct kernel k = {};
	int err = kernel__load(&k, KERNEL_LISTS, NULL);

	addrs = err ? NULL : xcalloc(traceable__count(k.traceable), sizeof(*addrs));
	addr_count = 0;
	for (size_t i = 0; addrs && i < traceable__count(k.traceable); i++) {
		const struct traceable_function *f = traceable__at(k.traceable, i);

		if (!bench_bpf__is_own(f->name))
			addrs[addr_count++] = f->site;
	}
	kernel__free(&k);
	return err;
}

/* Loads only the contender's own program, and a map only if it has one. */
int bench_bpf__setup(const struct contender *c, enum bench_scope scope)
{
	const struct bpf_variant *variant = c->variant;
	struct bpf_program *prog;
	struct bpf_map *map;
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
	if (variant->rest) {
		tracing_multi__choose(prog);
		bpf_program__set_autoload(bench_bpf__program(variant->rest), true);
	}
	bpf_object__for_each_map(map, skel->obj) {
		if (!strncmp(bpf_map__name(map), "seen", 4) || strstr(bpf_map__name(map), "bits"))
			bpf_map__set_autocreate(map, variant->map && !strcmp(variant->map, bpf_map__name(map)));
	}
	err = bench_bpf__load(skel);
	if (err)
		return bench_error(err, "cannot load the BPF program %s", variant->program);
	return variant->denied && scope == BENCH_ALL ? choose_all_but_own() : 0;
}

static int multi__attach(const struct contender *c, enum bench_scope scope)
{
	const struct bpf_variant *variant = c->variant;
	LIBBPF_OPTS(bpf_kprobe_multi_opts, opts);
	const char *pattern = scope == BENCH_ONE ? BENCH_FUNCTION : "*";
	int err;

	if (addrs) {
		pattern = NULL;
		opts.addrs = addrs;
		opts.cnt = addr_count;
	}
	bpf_link = bpf_program__attach_kprobe_multi_opts(variant_program(variant), pattern, &opts);
	err = bpf_link ? 0 : -errno;
	return err ? bench_error(err == -ENOENT ? -EOPNOTSUPP : err, "cannot attach kprobe.multi") : 0;
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
	return trace_top__append("function_events", EVENT_DEFINITION) ?: bench_bpf__setup(c, scope);
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

static double count_keys(int fd)
{
	__u64 key, *previous = NULL;
	double count = 0;

	for (; !bpf_map_get_next_key(fd, previous, &key); count++)
		previous = &key;
	return count;
}

int bench_bpf__missed(int prog_fd, int link_fd, double *ret_missed)
{
	struct bpf_prog_info prog = {};
	struct bpf_link_info link = {};
	__u32 prog_len = sizeof(prog), link_len = sizeof(link);
	int err;

	err = bpf_prog_get_info_by_fd(prog_fd, &prog, &prog_len);
	if (!err && link_fd >= 0)
		err = bpf_link_get_info_by_fd(link_fd, &link, &link_len);
	if (err)
		return bench_error(err, "cannot read the number of missed calls");
	*ret_missed = prog.recursion_misses;
	if (link.type == BPF_LINK_TYPE_KPROBE_MULTI)
		*ret_missed += link.kprobe_multi.missed;
	return 0;
}

/* Each set bit of a bitmap is an address. */
static double count_bits(const void *bits, size_t bytes)
{
	const unsigned long *words = bits;
	double count = 0;

	for (size_t i = 0; i < bytes / sizeof(*words); i++)
		count += __builtin_popcountl(words[i]);
	return count;
}

int bench_bpf__report(const struct contender *c, struct bench_row *row)
{
	const struct bpf_variant *variant = c->variant;
	struct bpf_map *map;
	size_t size;
	int err;

	err = bench_bpf__missed(bpf_program__fd(variant_program(variant)),
				bpf_link ? bpf_link__fd(bpf_link) : -1,
				&row->missed);
	if (err || !variant->map)
		return err;
	map = bpf_object__find_map_by_name(skel->obj, variant->map);
	if (!map)
		return bench_error(-ENOENT, "there is no BPF map %s", variant->map);
	row->memory_bytes = fdinfo__memory(bpf_map__fd(map));
	if (bpf_map__type(map) == BPF_MAP_TYPE_ARRAY) {
		const void *bits = bpf_map__initial_value(map, &size);

		row->seen = count_bits(bits, size);
	} else {
		row->seen = count_keys(bpf_map__fd(map));
	}
	return 0;
}

int bench_bpf__clear(const struct contender *c)
{
	int fd = bpf_map__fd(skel->maps.seen);
	__u64 key;

	while (!bpf_map_get_next_key(fd, NULL, &key))
		if (bpf_map_delete_elem(fd, &key))
			return bench_error(-errno, "cannot clear the map");
	return 0;
}

void bench_bpf__cleanup(const struct contender *c)
{
	bpf_link__destroy(bpf_link);
	bpf_link = NULL;
	bench_bpf__destroy(skel);
	skel = NULL;
	free(addrs);
	addrs = NULL;
}

static void event_bpf__cleanup(const struct contender *c)
{
	bench_bpf__cleanup(c);
	trace_top__append("function_events", "!" EVENT_GROUP "/" EVENT_NAME);
}

static const struct bpf_variant event_empty = { "event_empty", NULL, false };
static const struct bpf_variant event_hash = { "event_hash", "seen", false };
static const struct bpf_variant event_hash_nocallers = { "event_hash_nocallers", "seen", false };
static const struct bpf_variant multi_empty = { "multi_empty", NULL, false };
static const struct bpf_variant multi_empty_denied = { "multi_empty", NULL, true };
static const struct bpf_variant multi_hash_nocallers = { "multi_hash_nocallers", "seen", false };
static const struct bpf_variant multi_hash = { "multi_hash", "seen", false };
static const struct bpf_variant multi_hash_denied = { "multi_hash", "seen", true };
static const struct bpf_variant multi_percpu_hash = { "multi_percpu_hash", "seen_percpu", false };
static const struct bpf_variant multi_percpu_hash_denied = { "multi_percpu_hash", "seen_percpu", true };
static const struct bpf_variant multi_bitmap = { "multi_bitmap", ".bss.bits", false };
static const struct bpf_variant multi_bitmap_denied = { "multi_bitmap", ".bss.bits", true };
static const struct bpf_variant multi_bitmap_nocallers = { "multi_bitmap_nocallers", ".bss.bits", false };
static const struct bpf_variant multi_bitmap_nocallers_denied = {
	"multi_bitmap_nocallers", ".bss.bits", true
};
static const struct bpf_variant multi_percpu_bitmap = { "multi_percpu_bitmap", ".bss.cpu_bits", false };
static const struct bpf_variant multi_percpu_bitmap_denied = { "multi_percpu_bitmap", ".bss.cpu_bits", true };
static const struct bpf_variant fentry_empty = { "fentry_empty", NULL, false };
static const struct bpf_variant fentry_hash_callers = { "fentry_hash_callers", "seen", false };
static const struct bpf_variant fentry_hash = { "fentry_hash", "seen", false };
static const struct bpf_variant fentry_bitmap = { "fentry_bitmap", ".bss.bits", false };
static const struct bpf_variant fentry_bitmap_callers = { "fentry_bitmap_callers", ".bss.bits", false };

#define BPF_CALLBACKS			\
	.setup = bench_bpf__setup,		\
	.report = bench_bpf__report,		\
	.detach = bpf__detach,		\
	.cleanup = bench_bpf__cleanup

#define EVENT_BPF_CALLBACKS		\
	.scopes = BENCH_ONE,		\
	.setup = event_bpf__setup,	\
	.attach = event_bpf__attach,	\
	.report = bench_bpf__report,		\
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
	.clear = bench_bpf__clear,
	EVENT_BPF_CALLBACKS,
};

const struct contender contender_kprobe_multi = {
	.name = "kprobe-multi",
	.scopes = BENCH_ONE | BENCH_ALL,
	.note = "an empty program",
	.variant = &multi_empty,
	.attach = multi__attach,
	BPF_CALLBACKS,
};

const struct contender contender_kprobe_multi_denied = {
	.name = "kprobe-multi-denied",
	.scopes = BENCH_ALL,
	.workloads = WORKLOADS_ALL,
	.note = "an empty program",
	.variant = &multi_empty_denied,
	.attach = multi__attach,
	BPF_CALLBACKS,
};

const struct contender contender_kprobe_multi_bitmap_nocallers = {
	.name = "kprobe-multi-bitmap-nocallers",
	.scopes = BENCH_ONE | BENCH_ALL,
	.note = "function only",
	.variant = &multi_bitmap_nocallers,
	.attach = multi__attach,
	BPF_CALLBACKS,
};

const struct contender contender_kprobe_multi_bitmap_nocallers_denied = {
	.name = "kprobe-multi-bitmap-nocallers-denied",
	.scopes = BENCH_ALL,
	.workloads = WORKLOADS_ALL,
	.note = "function only",
	.variant = &multi_bitmap_nocallers_denied,
	.attach = multi__attach,
	BPF_CALLBACKS,
};

const struct contender contender_kprobe_multi_bitmap = {
	.name = "kprobe-multi-bitmap",
	.scopes = BENCH_ONE | BENCH_ALL,
	.note = "function and caller",
	.variant = &multi_bitmap,
	.attach = multi__attach,
	BPF_CALLBACKS,
};

const struct contender contender_kprobe_multi_bitmap_denied = {
	.name = "kprobe-multi-bitmap-denied",
	.scopes = BENCH_ALL,
	.workloads = WORKLOADS_ALL,
	.note = "function and caller",
	.variant = &multi_bitmap_denied,
	.attach = multi__attach,
	BPF_CALLBACKS,
};

const struct contender contender_kprobe_multi_percpu_bitmap = {
	.name = "kprobe-multi-percpu-bitmap",
	.scopes = BENCH_ONE | BENCH_ALL,
	.note = "function and caller, for each CPU",
	.variant = &multi_percpu_bitmap,
	.attach = multi__attach,
	BPF_CALLBACKS,
};

const struct contender contender_kprobe_multi_percpu_bitmap_denied = {
	.name = "kprobe-multi-percpu-bitmap-denied",
	.scopes = BENCH_ALL,
	.note = "function and caller, for each CPU",
	.variant = &multi_percpu_bitmap_denied,
	.attach = multi__attach,
	BPF_CALLBACKS,
};

const struct contender contender_kprobe_multi_hash_nocallers = {
	.name = "kprobe-multi-hash-nocallers",
	.scopes = BENCH_ONE | BENCH_ALL,
	.note = "function only",
	.variant = &multi_hash_nocallers,
	.attach = multi__attach,
	.clear = bench_bpf__clear,
	BPF_CALLBACKS,
};

const struct contender contender_kprobe_multi_hash = {
	.name = "kprobe-multi-hash",
	.scopes = BENCH_ONE | BENCH_ALL,
	.note = "function and caller",
	.variant = &multi_hash,
	.attach = multi__attach,
	.clear = bench_bpf__clear,
	BPF_CALLBACKS,
};

const struct contender contender_kprobe_multi_hash_denied = {
	.name = "kprobe-multi-hash-denied",
	.scopes = BENCH_ALL,
	.workloads = WORKLOADS_ALL,
	.note = "function and caller",
	.variant = &multi_hash_denied,
	.attach = multi__attach,
	BPF_CALLBACKS,
};

const struct contender contender_kprobe_multi_percpu_hash = {
	.name = "kprobe-multi-percpu-hash",
	.scopes = BENCH_ONE | BENCH_ALL,
	.note = "function and caller, for each CPU",
	.variant = &multi_percpu_hash,
	.attach = multi__attach,
	BPF_CALLBACKS,
};

const struct contender contender_kprobe_multi_percpu_hash_denied = {
	.name = "kprobe-multi-percpu-hash-denied",
	.scopes = BENCH_ALL,
	.note = "function and caller, for each CPU",
	.variant = &multi_percpu_hash_denied,
	.attach = multi__attach,
	BPF_CALLBACKS,
};

const struct contender contender_event_bpf_hash_nocallers = {
	.name = "event-bpf-hash-nocallers",
	.note = "function only",
	.variant = &event_hash_nocallers,
	.clear = bench_bpf__clear,
	EVENT_BPF_CALLBACKS,
};

const struct contender contender_fentry = {
	.name = "fentry",
	.scopes = BENCH_ONE,
	.note = "an empty program, which is not told the caller",
	.variant = &fentry_empty,
	.attach = fentry__attach,
	BPF_CALLBACKS,
};

const struct contender contender_fentry_hash_callers = {
	.name = "fentry-hash-callers",
	.scopes = BENCH_ONE,
	.note = "function and caller, which is found where the trampoline's frame ends",
	.variant = &fentry_hash_callers,
	.attach = fentry__attach,
	.clear = bench_bpf__clear,
	BPF_CALLBACKS,
};

const struct contender contender_fentry_hash = {
	.name = "fentry-hash",
	.scopes = BENCH_ONE,
	.note = "function only: it is not told the caller",
	.variant = &fentry_hash,
	.attach = fentry__attach,
	.clear = bench_bpf__clear,
	BPF_CALLBACKS,
};

const struct contender contender_fentry_bitmap = {
	.name = "fentry-bitmap",
	.scopes = BENCH_ONE,
	.note = "function only: it is not told the caller",
	.variant = &fentry_bitmap,
	.attach = fentry__attach,
	BPF_CALLBACKS,
};

const struct contender contender_fentry_bitmap_callers = {
	.name = "fentry-bitmap-callers",
	.scopes = BENCH_ONE,
	.note = "function and caller, which is found where the trampoline's frame ends",
	.variant = &fentry_bitmap_callers,
	.attach = fentry__attach,
	BPF_CALLBACKS,
};
