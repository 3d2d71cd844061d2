// SPDX-License-Identifier: GPL-2.0-only
/*
 * The contender with fentry on many functions. A program of this type is loaded for one function
 * and has a trampoline of its own. So there are as many programs and links as functions, which are
 * attached one after the other. The programs are empty, like that of "fentry".
 */
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <linux/bpf.h>

#include "bench/bench.h"
#include "kernel/running.h"

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
