// SPDX-License-Identifier: GPL-2.0-only
/* Links of fentry.multi; see tracing_multi.h. */
#include <bpf/bpf.h>
#include <errno.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "kernel/tracing_multi.h"

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

int tracing_multi__clone(const struct bpf_program *program, int btf)
{
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .attach_btf_obj_fd = btf,
		    .expected_attach_type = (enum bpf_attach_type)ATTACH_FENTRY_MULTI);

	/* Of a loaded program, libbpf has the instructions as they were loaded. */
	return bpf_prog_load(BPF_PROG_TYPE_TRACING, bpf_program__name(program), "GPL",
			     bpf_program__insns(program), bpf_program__insn_cnt(program), &opts);
}

int tracing_multi__link(int program, const __u32 *ids, size_t count)
{
	struct link_attr attr = {
		.program = program, .attach_type = ATTACH_FENTRY_MULTI, .ids = (uintptr_t)ids, .count = count,
	};
	long fd = syscall(SYS_bpf, BPF_LINK_CREATE, &attr, sizeof(attr));

	return fd < 0 ? -errno : fd;
}
