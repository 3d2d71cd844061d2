// SPDX-License-Identifier: GPL-2.0-only
/*
 * The contenders that are BPF programs: bpf/bench.bpf.c on kprobe.multi, fentry, fentry.multi and
 * function events. With all functions, each program on kprobe.multi has two rows: the first row
 * also traces functions that the program and kprobe.multi call; "-denied" excludes them. A program
 * on fentry.multi takes many functions, each with a trampoline of its own. Functions that it cannot
 * take get the same program on kprobe.multi. Together, the two programs trace the functions that a
 * row "-denied" traces, so that these rows can be compared.
 */
#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <linux/bpf.h>

#include "base/files.h"
#include "base/memory.h"
#include "bench/bench.h"
#include "kernel/features.h"
#include "kernel/fentry_multi.h"
#include "kernel/running.h"
#include "bench.skel.h"

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
static struct bpf_program *program, *rest;
static struct bpf_link *bpf_link;
static int multi_link = -1;

/*
 * The functions of fentry.multi (@ids) and kprobe.multi (@addrs), found before attaching is timed.
 * Without @addrs, kprobe.multi itself finds the functions of a pattern.
 */
static __u32 *ids;
static unsigned long *addrs;
static size_t id_count, addr_count;

static bool is_own(const char *name)
{
	for (size_t i = 0; i < sizeof(own_functions) / sizeof(own_functions[0]); i++) {
		if (!strcmp(own_functions[i], name))
			return true;
	}
	return false;
}

/* @fits: NULL: all functions are for kprobe.multi */
static void take_functions(const struct traceable *t, const struct fentry_ids *fits, enum bench_scope scope)
{
	ids = xcalloc(traceable__count(t), sizeof(*ids));
	addrs = xcalloc(traceable__count(t), sizeof(*addrs));
	for (size_t i = 0; i < traceable__count(t); i++) {
		const struct traceable_function *f = traceable__at(t, i);

		if (scope == BENCH_ONE ? strcmp(f->name, BENCH_FUNCTION) : is_own(f->name))
			continue;
		if (fits && fits->list[i].fit == FENTRY_FITS)
			ids[id_count++] = fits->list[i].id;
		else
			addrs[addr_count++] = f->site;
	}
}

static int choose_functions(enum bench_scope scope, bool fentry)
{
	struct fentry_ids list = {};
	struct btf *btf = NULL;
	struct kernel k = {};
	int err = kernel__load(&k, KERNEL_LISTS, NULL);

	if (!err && fentry) {
		btf = btf__load_vmlinux_btf();
		if (!btf)
			err = bench_error(-errno, "cannot load the kernel's types");
	}
	if (btf) {
		fentry_ids__begin(&list, k.traceable, k.symbols);
		/* A program takes functions of one BTF only, so kprobe.multi gets those of modules. */
		fentry_ids__add(&list, btf, NULL);
	}
	if (!err)
		take_functions(k.traceable, btf ? &list : NULL, scope);
	if (btf && !id_count)
		err = bench_error(-EOPNOTSUPP, "fentry.multi takes no function");
	fentry_ids__free(&list);
	kernel__free(&k);
	btf__free(btf);
	return err;
}

static struct bpf_program *load_with_skel(const char *name)
{
	struct bpf_program *p = name ? bpf_object__find_program_by_name(skel->obj, name) : NULL;

	if (p)
		bpf_program__set_autoload(p, true);
	return p;
}

/* Loads only the contender's own program, and its own map if it has one. */
static int bpf__setup(const struct contender *c, enum bench_scope scope)
{
	struct bpf_program *prog;
	struct bpf_map *map;
	int err;

	skel = bench_bpf__open();
	if (!skel)
		return bench_error(-errno, "cannot open the BPF programs");
	bpf_object__for_each_program(prog, skel->obj)
		bpf_program__set_autoload(prog, false);
	program = load_with_skel(c->bpf.program);
	if (!program)
		return bench_error(-ENOENT, "there is no BPF program %s", c->bpf.program);
	rest = load_with_skel(c->bpf.rest);
	if (rest)
		tracing_multi__choose(program);
	bpf_object__for_each_map(map, skel->obj) {
		if (!strncmp(bpf_map__name(map), "seen", 4) || strstr(bpf_map__name(map), "bits"))
			bpf_map__set_autocreate(map, c->bpf.map && !strcmp(c->bpf.map, bpf_map__name(map)));
	}
	err = bench_bpf__load(skel);
	if (err)
		return bench_error(err, "cannot load the BPF program %s", c->bpf.program);
	return c->bpf.denied && scope == BENCH_ALL ? choose_functions(scope, false) : 0;
}

static int attach_kprobe_multi(struct bpf_program *prog, const char *pattern)
{
	LIBBPF_OPTS(bpf_kprobe_multi_opts, opts, .addrs = addrs, .cnt = addr_count);
	int err;

	bpf_link = bpf_program__attach_kprobe_multi_opts(prog, addr_count ? NULL : pattern, &opts);
	err = bpf_link ? 0 : -errno;
	return err ? bench_error(err == -ENOENT ? -EOPNOTSUPP : err, "cannot attach kprobe.multi") : 0;
}

static int kprobe_multi__attach(const struct contender *c, enum bench_scope scope)
{
	return attach_kprobe_multi(program, scope == BENCH_ONE ? BENCH_FUNCTION : "*");
}

static int fentry__attach(const struct contender *c, enum bench_scope scope)
{
	bpf_link = bpf_program__attach(program);
	return bpf_link ? 0 : bench_error(-errno, "cannot attach fentry");
}

static int fentry_multi__setup(const struct contender *c, enum bench_scope scope)
{
	if (features__ask(FEATURE_FENTRY_MULTI)->state == FEATURE_NO)
		return -EOPNOTSUPP;
	return choose_functions(scope, true) ?: bpf__setup(c, scope);
}

static int fentry_multi__attach(const struct contender *c, enum bench_scope scope)
{
	multi_link = tracing_multi__link(bpf_program__fd(program), ids, id_count);
	if (multi_link < 0)
		return bench_error(multi_link, "cannot attach fentry.multi");
	return addr_count ? attach_kprobe_multi(rest, NULL) : 0;
}

static int event_bpf__setup(const struct contender *c, enum bench_scope scope)
{
	return bench_event__make(FUNCTION_EVENT, BENCH_FUNCTION "()") ?: bpf__setup(c, scope);
}

static int event_bpf__attach(const struct contender *c, enum bench_scope scope)
{
	bpf_link = bpf_program__attach_tracepoint(program, BENCH_GROUP, BENCH_EVENT);
	return bpf_link ? 0 : bench_error(-errno, "cannot attach to a function event");
}

static int bpf__detach(const struct contender *c)
{
	int err = bpf_link__destroy(bpf_link);

	bpf_link = NULL;
	if (multi_link >= 0)
		close(multi_link);
	multi_link = -1;
	return err;
}

int bench__missed_calls(int prog_fd, int link_fd, double *ret_missed)
{
	struct bpf_prog_info prog = {};
	struct bpf_link_info link = {};
	__u32 prog_len = sizeof(prog), link_len = sizeof(link);
	int err = bpf_prog_get_info_by_fd(prog_fd, &prog, &prog_len);

	if (!err && link_fd >= 0)
		err = bpf_link_get_info_by_fd(link_fd, &link, &link_len);
	if (err)
		return bench_error(err, "cannot read the number of missed calls");
	*ret_missed = prog.recursion_misses;
	if (link.type == BPF_LINK_TYPE_KPROBE_MULTI)
		*ret_missed += link.kprobe_multi.missed;
	return 0;
}

static double count_keys(int fd)
{
	__u64 key, *previous = NULL;
	double count = 0;

	for (; !bpf_map_get_next_key(fd, previous, &key); count++)
		previous = &key;
	return count;
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

static int report_missed(double *ret)
{
	int link = bpf_link ? bpf_link__fd(bpf_link) : -1;
	double missed = 0;
	int err = bench__missed_calls(bpf_program__fd(program), rest ? -1 : link, ret);

	if (!err && rest && bpf_link)
		err = bench__missed_calls(bpf_program__fd(rest), link, &missed);
	*ret += missed;
	return err;
}

static int bpf__report(const struct contender *c, struct bench_row *row)
{
	struct bpf_map *map;
	size_t size;
	int err = report_missed(&row->missed);

	if (err || !c->bpf.map)
		return err;
	map = bpf_object__find_map_by_name(skel->obj, c->bpf.map);
	if (!map)
		return bench_error(-ENOENT, "there is no BPF map %s", c->bpf.map);
	row->memory_bytes = fdinfo__number(bpf_map__fd(map), "memlock");
	if (bpf_map__type(map) == BPF_MAP_TYPE_ARRAY) {
		const void *bits = bpf_map__initial_value(map, &size);

		row->seen = count_bits(bits, size);
	} else {
		row->seen = count_keys(bpf_map__fd(map));
	}
	return 0;
}

/* Only this map can be cleared. Rows of other maps have no first hit. */
static int bpf__clear(const struct contender *c)
{
	int fd = bpf_map__fd(skel->maps.seen);
	__u64 key;

	if (!c->bpf.map || strcmp(c->bpf.map, "seen"))
		return -EOPNOTSUPP;
	while (!bpf_map_get_next_key(fd, NULL, &key))
		if (bpf_map_delete_elem(fd, &key))
			return bench_error(-errno, "cannot clear the map");
	return 0;
}

static void bpf__cleanup(const struct contender *c)
{
	bpf__detach(c);
	bench_bpf__destroy(skel);
	skel = NULL;
	free(addrs);
	free(ids);
	addrs = NULL;
	ids = NULL;
}

static void event_bpf__cleanup(const struct contender *c)
{
	bpf__cleanup(c);
	trace__remove_events();
}

#define BPF_METHOD(setup_, attach_, cleanup_)	\
	{					\
		.setup = setup_,		\
		.attach = attach_,		\
		.clear = bpf__clear,		\
		.report = bpf__report,		\
		.detach = bpf__detach,		\
		.cleanup = cleanup_,		\
	}

const struct method method_kprobe_multi = BPF_METHOD(bpf__setup, kprobe_multi__attach, bpf__cleanup);
const struct method method_fentry = BPF_METHOD(bpf__setup, fentry__attach, bpf__cleanup);
const struct method method_fentry_multi = BPF_METHOD(fentry_multi__setup, fentry_multi__attach, bpf__cleanup);
const struct method method_event_bpf = BPF_METHOD(event_bpf__setup, event_bpf__attach, event_bpf__cleanup);

/*
 * ---- fentry on many functions
 *
 * A program of this type is loaded for one function and has a trampoline of its own. So there are as many
 * programs and links as functions, which are attached one after the other. The programs are empty, like that of
 * "fentry".
 */

#define FUNCTIONS 100

/* The first program is on BENCH_FUNCTION. */
static int progs[FUNCTIONS], links[FUNCTIONS];
static size_t prog_count, link_count;

static int load_program(const struct btf *btf, const char *function)
{
	static const struct bpf_insn insns[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .expected_attach_type = BPF_TRACE_FENTRY);
	int type = btf__find_by_name_kind(btf, function, BTF_KIND_FUNC);

	if (type < 0)
		return type;
	opts.attach_btf_id = type;
	return bpf_prog_load(BPF_PROG_TYPE_TRACING, "bench_fentry", "GPL", insns,
			     sizeof(insns) / sizeof(insns[0]), &opts);
}

/*
 * BPF finds a function by its name, so the first symbol of this name must be a function that ftrace
 * can trace.
 */
static bool is_candidate(const struct traceable *traceable, const struct symbols *symbols,
			 const struct traceable_function *f)
{
	const struct symbol *symbol = symbols__by_name(symbols, f->name);
	size_t same;

	traceable__named(traceable, f->name, &same);
	return !f->module && same == 1 && symbol && symbol->addr == f->entry &&
	       bench__is_other(f->name);
}

/*
 * Loads programs for functions from all parts of the kernel's text. If BPF refuses a function, the
 * next one is tried.
 */
static int load_programs(const struct btf *btf, const struct traceable *traceable,
			 const struct symbols *symbols)
{
	size_t count = traceable__count(traceable), step = count / (3 * FUNCTIONS) + 1;

	progs[0] = load_program(btf, BENCH_FUNCTION);
	if (progs[0] < 0)
		return bench_error(progs[0], "cannot load a program for " BENCH_FUNCTION);
	prog_count = 1;
	for (size_t i = 0; i < count && prog_count < FUNCTIONS; i += step) {
		const struct traceable_function *f = traceable__at(traceable, i);

		if (!is_candidate(traceable, symbols, f))
			continue;
		progs[prog_count] = load_program(btf, f->name);
		if (progs[prog_count] >= 0)
			prog_count++;
	}
	if (prog_count == FUNCTIONS)
		return 0;
	return bench_error(-ENOENT, "only %zu functions can have fentry, not %d", prog_count,
			   FUNCTIONS);
}

static int many_fentry__setup(const struct contender *c, enum bench_scope scope)
{
	struct btf *btf = btf__load_vmlinux_btf();
	struct kernel k = {};
	int err;

	if (!btf)
		return bench_error(-errno, "cannot load the kernel's types");
	err = kernel__load(&k, KERNEL_LISTS, NULL) ?: load_programs(btf, k.traceable, k.symbols);
	kernel__free(&k);
	btf__free(btf);
	return err;
}

static int many_fentry__attach(const struct contender *c, enum bench_scope scope)
{
	for (link_count = 0; link_count < prog_count; link_count++) {
		links[link_count] = bpf_link_create(progs[link_count], 0, BPF_TRACE_FENTRY, NULL);
		if (links[link_count] < 0)
			return bench_error(links[link_count], "cannot attach fentry to function %zu",
					   link_count + 1);
	}
	return 0;
}

static int many_fentry__report(const struct contender *c, struct bench_row *row)
{
	return bench__missed_calls(progs[0], links[0], &row->missed);
}

static int many_fentry__detach(const struct contender *c)
{
	while (link_count)
		close(links[--link_count]);
	return 0;
}

static void many_fentry__cleanup(const struct contender *c)
{
	many_fentry__detach(c);
	while (prog_count)
		close(progs[--prog_count]);
}

const struct method method_many_fentry = {
	.setup = many_fentry__setup,
	.attach = many_fentry__attach,
	.report = many_fentry__report,
	.detach = many_fentry__detach,
	.cleanup = many_fentry__cleanup,
};
