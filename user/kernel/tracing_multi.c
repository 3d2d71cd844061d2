// SPDX-License-Identifier: GPL-2.0-only
/* Links of fentry.multi; see tracing_multi.h. */
#include <bpf/bpf.h>
#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "kernel/tracing_multi.h"

/* Each of hytrace's programs has fewer functions. */
#define MOST_FUNCTIONS 16

/* The part of union bpf_attr that BPF_LINK_CREATE uses here; the kernel takes the rest as 0. */
struct link_attr {
	__u32 program, target, attach_type, flags;
	__u64 ids, cookies;
	__u32 count, reserved;
};

void tracing_multi__choose(struct bpf_program *program)
{
	bpf_program__set_type(program, BPF_PROG_TYPE_TRACING);
	bpf_program__set_expected_attach_type(program, (enum bpf_attach_type)ATTACH_FENTRY_MULTI);
}

/* Adds a function that begins at @start, in order. */
static void add_function(struct bpf_func_info *functions, __u32 *count, __u32 start)
{
	__u32 at = *count;

	while (at && functions[at - 1].insn_off > start)
		at--;
	if ((at && functions[at - 1].insn_off == start) || *count == MOST_FUNCTIONS)
		return;
	memmove(&functions[at + 1], &functions[at], (*count - at) * sizeof(*functions));
	functions[at].insn_off = start;
	++*count;
}

/* Finds where the functions of a program begin: at its start, and where its calls lead. */
static __u32 find_functions(struct bpf_func_info *ret, const struct bpf_insn *insns, size_t insn_count)
{
	__u32 count = 0;

	add_function(ret, &count, 0);
	for (size_t i = 0; i < insn_count; i++) {
		if (insns[i].code == (BPF_JMP | BPF_CALL) && insns[i].src_reg == BPF_PSEUDO_CALL)
			add_function(ret, &count, i + 1 + insns[i].imm);
	}
	return count;
}

/* Reads the types of a program's functions, in order, and opens the BTF that has them. */
static int read_types(int program, struct bpf_func_info *ret, __u32 count)
{
	struct bpf_func_info functions[MOST_FUNCTIONS];
	struct bpf_prog_info info = {
		.func_info = (uintptr_t)functions, .func_info_rec_size = sizeof(*functions),
		.nr_func_info = MOST_FUNCTIONS,
	};
	__u32 size = sizeof(info);
	int err = bpf_prog_get_info_by_fd(program, &info, &size), btf;

	if (err)
		return err;
	if (info.nr_func_info != count)
		return -EINVAL;
	/* Take only the types: the offsets are places in the code as the kernel has rewritten it. */
	for (__u32 i = 0; i < count; i++)
		ret[i].type_id = functions[i].type_id;
	btf = bpf_btf_get_fd_by_id(info.btf_id);
	return btf < 0 ? -errno : btf;
}

/* After loading, bpf_program__insns() returns the instructions as they were loaded. */
int tracing_multi__clone(const struct bpf_program *program, int btf)
{
	const struct bpf_insn *insns = bpf_program__insns(program);
	size_t insn_count = bpf_program__insn_cnt(program);
	struct bpf_func_info functions[MOST_FUNCTIONS + 1];
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .attach_btf_obj_fd = btf, .func_info = functions,
		    .func_info_rec_size = sizeof(*functions),
		    .expected_attach_type = (enum bpf_attach_type)ATTACH_FENTRY_MULTI);
	int own, fd;

	opts.func_info_cnt = find_functions(functions, insns, insn_count);
	own = read_types(bpf_program__fd(program), functions, opts.func_info_cnt);
	if (own < 0)
		return own;
	opts.prog_btf_fd = own;
	fd = bpf_prog_load(BPF_PROG_TYPE_TRACING, bpf_program__name(program), "GPL", insns, insn_count, &opts);
	close(own);
	return fd;
}

int tracing_multi__link(int program, const __u32 *ids, size_t count)
{
	struct link_attr attr = {
		.program = program, .attach_type = ATTACH_FENTRY_MULTI, .ids = (uintptr_t)ids, .count = count,
	};
	long fd = syscall(SYS_bpf, BPF_LINK_CREATE, &attr, sizeof(attr));

	return fd < 0 ? -errno : fd;
}
