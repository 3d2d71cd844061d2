// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finds out which features of features.h are there. Those of bpf(2) are tried with a program that returns 0: version
 * numbers say nothing about kernels with backported patches, and /proc/config.gz is often missing.
 *
 * The capabilities below are needed because tracing the whole kernel shows what everybody does on
 * the machine. They are checked because the kernel's own answers (EPERM, EACCES, zeros for
 * addresses) do not say which one is missing.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/capability.h>
#include <sys/resource.h>
#include <sys/vfs.h>
#include <tracefs.h>

#include "base/files.h"
#include "base/memory.h"
#include "kernel/cover_object.h"
#include "kernel/feature_probes.h"
#include "kernel/fentry_multi.h"
#include "kernel/running.h"

static const struct {
	cap_value_t value;
	const char *name, *what;
} needed[] = {
	{ CAP_SYS_ADMIN, "CAP_SYS_ADMIN", "tracefs" },
	{ CAP_DAC_OVERRIDE, "CAP_DAC_OVERRIDE", "tracefs files" },
	{ CAP_BPF, "CAP_BPF", "BPF programs and maps" },
	{ CAP_PERFMON, "CAP_PERFMON", "BPF tracing programs" },
	{ CAP_SYSLOG, "CAP_SYSLOG", "kernel addresses" },
};

/* ---- the caller */

/* In a user namespace, root has all capabilities, but none of them counts for the whole system. */
static bool in_user_namespace(void)
{
	unsigned long inside, outside, count;
	autofclose FILE *f = fopen("/proc/self/uid_map", "re");

	return f && (fscanf(f, "%lu %lu %lu", &inside, &outside, &count) != 3 || inside || outside ||
		     count != 0xffffffff);
}

enum feature_state probe_capabilities(char *reason, size_t room, const char *file)
{
	cap_t caps = cap_get_proc();
	size_t used = 0;

	if (!caps) {
		snprintf(reason, room, "the process's capabilities cannot be asked for: %s", strerror(errno));
		return FEATURE_UNKNOWN;
	}
	for (size_t i = 0; i < sizeof(needed) / sizeof(needed[0]); i++) {
		cap_flag_value_t set;

		if (!cap_get_flag(caps, needed[i].value, CAP_EFFECTIVE, &set) && set == CAP_SET)
			continue;
		used += snprintf(reason + used, room - used, "%s%s (%s)", used ? ", " : "not permitted: needs ",
				 needed[i].name, needed[i].what);
	}
	cap_free(caps);
	if (!used && in_user_namespace())
		used = snprintf(reason, room, "not permitted: this is root of a user namespace only, whose "
				"capabilities are not those of the system");
	return used ? FEATURE_NO : FEATURE_YES;
}

enum feature_state probe_lockdown(char *reason, size_t room, const char *file)
{
	/* Without this file, the kernel has no lockdown, or securityfs is not mounted. */
	autofree char *text = file__text("/sys/kernel/security/lockdown");
	bool locked = text && strstr(text, "[confidentiality]");

	return locked ? FEATURE_NO : FEATURE_YES;
}

/* ---- tracefs */

/* A file that this caller may not open may still be there. */
static enum feature_state open_result(const char *path, char *reason, size_t room)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), err = errno;
	char byte;

	if (fd >= 0) {
		ssize_t got = read(fd, &byte, 1);

		err = errno;
		close(fd);
		if (got >= 0)
			return FEATURE_YES;
	} else if (err == ENOENT) {
		return FEATURE_NO;
	}
	snprintf(reason, room, "%s: %s%s", path, strerror(err), err == EACCES ? "\nrun it as root" : "");
	return err == ENODEV ? FEATURE_NO : FEATURE_UNKNOWN;
}

enum feature_state probe_tracefs(char *reason, size_t room, const char *file)
{
	const char *dir = tracefs_tracing_dir();
	autofree char *path = NULL;
	enum feature_state state;

	if (!dir)
		return FEATURE_NO;
	path = xasprintf("%s/available_tracers", dir);
	state = open_result(path, reason, room);
	if (state == FEATURE_YES)
		snprintf(reason, room, "%s", dir);
	/* The probes that need tracefs treat an unreadable tracefs as missing. */
	return state == FEATURE_UNKNOWN ? FEATURE_NO : state;
}

/* Can tracefs be read? If not, the feature's state is unknown, and @reason says why. */
static bool tracefs_tells(char *reason, size_t room)
{
	if (features__has(FEATURE_TRACEFS))
		return true;
	snprintf(reason, room, "only tracefs can tell, and it cannot be read");
	return false;
}

enum feature_state probe_file(char *reason, size_t room, const char *file)
{
	if (!tracefs_tells(reason, room))
		return FEATURE_UNKNOWN;
	return tracefs_file_exists(NULL, file) ? FEATURE_YES : FEATURE_NO;
}

static enum feature_state has_list(const char *name, char *reason, size_t room)
{
	enum feature_state state;
	char *path;

	if (!tracefs_tells(reason, room))
		return FEATURE_UNKNOWN;
	path = tracefs_get_tracing_file(name);
	state = path ? open_result(path, reason, room) : FEATURE_UNKNOWN;
	tracefs_put_tracing_file(path);
	return state;
}

/* If ftrace has disabled itself after an error, the list cannot be opened: -ENODEV. */
enum feature_state probe_functions(char *reason, size_t room, const char *file)
{
	enum feature_state state = has_list("available_filter_functions", reason, room);

	if (state == FEATURE_NO && *reason)
		snprintf(reason, room, "ftrace has turned itself off after an error, which dmesg shows\nboot again");
	return state;
}

enum feature_state probe_function_addresses(char *reason, size_t room, const char *file)
{
	return has_list("available_filter_functions_addrs", reason, room);
}

enum feature_state probe_oneshot(char *reason, size_t room, const char *file)
{
	if (!tracefs_tells(reason, room))
		return FEATURE_UNKNOWN;
	return tracefs_tracer_available(NULL, "oneshot") ? FEATURE_YES : FEATURE_NO;
}

/* ---- other files */

/* ftrace may also have been turned off at boot, by sysctl.kernel.ftrace_enabled=0. */
enum feature_state probe_ftrace(char *reason, size_t room, const char *file)
{
	long enabled = file__number("/proc/sys/kernel/ftrace_enabled");

	if (enabled < 0) {
		snprintf(reason, room, "there is no /proc/sys/kernel/ftrace_enabled");
		return FEATURE_UNKNOWN;
	}
	return enabled ? FEATURE_YES : FEATURE_NO;
}

/* Data symbols may be at 0. The first text symbol is at 0 only if all addresses are hidden. */
enum feature_state probe_addresses(char *reason, size_t room, const char *file)
{
	autofclose FILE *f = fopen("/proc/kallsyms", "re");
	enum feature_state state = FEATURE_UNKNOWN;
	unsigned long long addr;
	char line[512], type;

	if (!f) {
		snprintf(reason, room, "/proc/kallsyms: %s", strerror(errno));
		return errno == ENOENT ? FEATURE_NO : FEATURE_UNKNOWN;
	}
	while (state == FEATURE_UNKNOWN && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%llx %c", &addr, &type) == 2 && strchr("tT", type))
			state = addr ? FEATURE_YES : FEATURE_NO;
	}
	return state;
}

enum feature_state probe_vmlinux(char *reason, size_t room, const char *file)
{
	autofree char *path = NULL;
	struct kernel_id id;

	if (kernel_id__read(&id, NULL, NULL))
		return FEATURE_UNKNOWN;
	path = kernel_id__find_vmlinux(&id, NULL);
	kernel_id__free(&id);
	snprintf(reason, room, "%s", path ?: "");
	return *reason ? FEATURE_YES : FEATURE_NO;
}

/* The offset comes from /proc/kcore, or from comparing a vmlinux with /proc/kallsyms. */
enum feature_state probe_linked(char *reason, size_t room, const char *file)
{
	struct kernel_id id;
	bool known;

	if (kernel_id__read(&id, NULL, NULL))
		return FEATURE_UNKNOWN;
	known = id.offset_known;
	kernel_id__free(&id);
	return known || (features__has(FEATURE_VMLINUX) && features__has(FEATURE_ADDRESSES)) ? FEATURE_YES :
											FEATURE_NO;
}

enum feature_state probe_cgroup(char *reason, size_t room, const char *file)
{
	static const char *const places[] = { "/sys/fs/cgroup", "/sys/fs/cgroup/unified" };
	struct statfs fs;

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		if (!statfs(places[i], &fs) && fs.f_type == CGROUP2_SUPER_MAGIC) {
			snprintf(reason, room, "%s", places[i]);
			return FEATURE_YES;
		}
	}
	return FEATURE_NO;
}

/* ---- bpf(2) */

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

enum feature_state probe_btf(char *reason, size_t room, const char *file)
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

enum feature_state probe_jit(char *reason, size_t room, const char *file)
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
enum feature_state probe_kprobe_multi(char *reason, size_t room, const char *file)
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

enum feature_state probe_fentry(char *reason, size_t room, const char *file)
{
	return attach_to_target(false, reason, room);
}

enum feature_state probe_fentry_multi(char *reason, size_t room, const char *file)
{
	return attach_to_target(true, reason, room);
}

enum feature_state probe_cover_program(char *reason, size_t room, const char *file)
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
enum feature_state probe_memlock(char *reason, size_t room, const char *file)
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
