// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finds out what bpf(2) can do here by trying it with a program that returns 0. Version numbers say
 * nothing about kernels with backported patches, and /proc/config.gz is often missing.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/files.h"
#include "kernel/cover_object.h"
#include "kernel/feature_probes.h"
#include "kernel/tracing_multi.h"

/* bpf(2) also returns this errno, which only the kernel's own include/linux/errno.h has. */
#define ENOTSUPP 524
/* Locking an array of this size exceeds a limit of 0. */
#define SOME_BYTES 4096
/* A function on which the kernel must be able to run a BPF program. */
#define TARGET "bpf_fentry_test1"

/* The state of a feature if bpf(2) fails with @err when it is asked for the feature. */
static enum feature_state refused(int err, char *reason, size_t room)
{
	if (err == -ENOSYS) {
		snprintf(reason, room, "this kernel has no bpf(2)\nboot one with CONFIG_BPF_SYSCALL");
		return FEATURE_NO;
	}
	/* The kernel does not know the feature; -E2BIG: it does not have a field of bpf_attr. */
	if (err == -EINVAL || err == -E2BIG || err == -EOPNOTSUPP || err == -ENOTSUPP)
		return FEATURE_NO;
	/* Other errors, such as -ENOMEM, say nothing about the feature. */
	if (err != -EPERM && err != -EACCES) {
		snprintf(reason, room, "bpf(2): %s", strerror(-err));
		return FEATURE_UNKNOWN;
	}
	if (!features__has(FEATURE_CAPABILITIES)) {
		snprintf(reason, room, "only a process with the capabilities can ask\nrun it as root");
		return FEATURE_UNKNOWN;
	}
	snprintf(reason, room, "bpf(2) is refused in spite of the capabilities, by the container's seccomp rules or by "
		 "a security module\nrun it outside of the container, or let it call bpf(2)");
	return FEATURE_NO;
}

static int load(enum bpf_prog_type type, enum bpf_attach_type attach, __u32 btf_id)
{
	/* r0 = 0 */
	const struct bpf_insn program[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K }, { .code = BPF_JMP | BPF_EXIT },
	};
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .expected_attach_type = attach, .attach_btf_id = btf_id);

	return bpf_prog_load(type, "hytrace_probe", "GPL", program, 2, &opts);
}

enum feature_state probe_btf(char *reason, size_t room)
{
	return access("/sys/kernel/btf/vmlinux", R_OK) ? FEATURE_NO : FEATURE_YES;
}

static bool lacks_btf(char *reason, size_t room)
{
	const struct feature_answer *btf = features__ask(FEATURE_BTF);

	if (btf->state == FEATURE_NO)
		snprintf(reason, room, "%s\n%s", btf->reason, btf->remedy);
	return btf->state == FEATURE_NO;
}

enum feature_state probe_jit(char *reason, size_t room)
{
	long enabled = file__number("/proc/sys/net/core/bpf_jit_enable");

	if (enabled < 0) {
		snprintf(reason, room, "/proc/sys/net/core/bpf_jit_enable cannot be read: the kernel has no "
			 "CONFIG_BPF_JIT, or this is another network namespace, or not root");
		return FEATURE_UNKNOWN;
	}
	return enabled ? FEATURE_YES : FEATURE_NO;
}

/* A kernel with kprobe.multi reads the list of functions; this invalid pointer gives -EFAULT. */
enum feature_state probe_kprobe_multi(char *reason, size_t room)
{
	LIBBPF_OPTS(bpf_link_create_opts, opts, .kprobe_multi.addrs = (const unsigned long *)1,
		    .kprobe_multi.cnt = 1);
	int program = load(BPF_PROG_TYPE_KPROBE, BPF_TRACE_KPROBE_MULTI, 0), link;

	if (program < 0)
		return refused(program, reason, room);
	link = bpf_link_create(program, 0, BPF_TRACE_KPROBE_MULTI, &opts);
	close(program);
	if (link >= 0)
		close(link);
	return link >= 0 || link == -EFAULT ? FEATURE_YES : refused(link, reason, room);
}

/* Attaches a program to TARGET. @multi: by a list of functions, which has only this one. */
static enum feature_state attach_to_target(bool multi, char *reason, size_t room)
{
	int id, program, link;

	if (lacks_btf(reason, room))
		return FEATURE_NO;
	id = libbpf_find_vmlinux_btf_id(TARGET, BPF_TRACE_FENTRY);
	if (id < 0) {
		snprintf(reason, room, "the function to try it on, " TARGET ", is not in this kernel's BTF");
		return FEATURE_UNKNOWN;
	}
	if (multi)
		program = load(BPF_PROG_TYPE_TRACING, (enum bpf_attach_type)ATTACH_FENTRY_MULTI, 0);
	else
		program = load(BPF_PROG_TYPE_TRACING, BPF_TRACE_FENTRY, id);
	if (program < 0)
		return refused(program, reason, room);
	link = multi ? tracing_multi__link(program, (__u32 *)&id, 1) : bpf_raw_tracepoint_open(NULL, program);
	close(program);
	if (link >= 0) {
		close(link);
		return FEATURE_YES;
	}
	return refused(link, reason, room);
}

enum feature_state probe_fentry(char *reason, size_t room)
{
	return attach_to_target(false, reason, room);
}

enum feature_state probe_fentry_multi(char *reason, size_t room)
{
	return attach_to_target(true, reason, room);
}

enum feature_state probe_cover_program(char *reason, size_t room)
{
	enum feature_state state;
	int err;

	if (lacks_btf(reason, room))
		return FEATURE_NO;
	err = cover_object__try();
	if (err && *cover_object__reason()) {
		snprintf(reason, room, "the verifier refuses it: %s", cover_object__reason());
		return FEATURE_NO;
	}
	state = err ? refused(err, reason, room) : FEATURE_YES;
	if (err && !*reason)
		snprintf(reason, room, "it cannot be loaded: %s", strerror(-err));
	return state;
}

static int make_map(void)
{
	int fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "hytrace_probe", sizeof(__u32), SOME_BYTES, 1, NULL);

	if (fd >= 0)
		close(fd);
	return fd < 0 ? fd : 0;
}

/* The limit is set to 0 during this test. */
enum feature_state probe_memlock(char *reason, size_t room)
{
	struct rlimit limit, none;
	int err = make_map();

	if (err)
		return refused(err, reason, room);
	if (getrlimit(RLIMIT_MEMLOCK, &limit)) {
		snprintf(reason, room, "RLIMIT_MEMLOCK: %s", strerror(errno));
		return FEATURE_UNKNOWN;
	}
	none = (struct rlimit){ .rlim_cur = 0, .rlim_max = limit.rlim_max };
	if (setrlimit(RLIMIT_MEMLOCK, &none)) {
		snprintf(reason, room, "RLIMIT_MEMLOCK: %s", strerror(errno));
		return FEATURE_UNKNOWN;
	}
	err = make_map();
	setrlimit(RLIMIT_MEMLOCK, &limit);
	/* An infinite limit does not matter. */
	return err && limit.rlim_cur != RLIM_INFINITY ? FEATURE_NO : FEATURE_YES;
}
