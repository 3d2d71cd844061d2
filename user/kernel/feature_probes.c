// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finds out which features of features.h are there; those of bpf(2) are in feature_probes_bpf.c.
 *
 * The capabilities below are needed because tracing the whole kernel shows what everybody does on
 * the machine. They are checked because the kernel's own answers (EPERM, EACCES, zeros for
 * addresses) do not say which one is missing.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/capability.h>
#include <sys/vfs.h>
#include <tracefs.h>
#include <unistd.h>

#include "base/files.h"
#include "base/memory.h"
#include "kernel/feature_probes.h"
#include "kernel/kernel_id.h"

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
	FILE *f = fopen("/proc/self/uid_map", "re");
	bool whole;

	if (!f)
		return false;
	whole = fscanf(f, "%lu %lu %lu", &inside, &outside, &count) == 3 && !inside && !outside &&
		count == 0xffffffff;
	fclose(f);
	return !whole;
}

enum feature_state probe_capabilities(char *reason, size_t room)
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

enum feature_state probe_lockdown(char *reason, size_t room)
{
	FILE *f = fopen("/sys/kernel/security/lockdown", "re");
	char text[128] = "";

	/* Without this file, the kernel has no lockdown, or securityfs is not mounted. */
	if (f && !fgets(text, sizeof(text), f))
		text[0] = '\0';
	if (f)
		fclose(f);
	return strstr(text, "[confidentiality]") ? FEATURE_NO : FEATURE_YES;
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

enum feature_state probe_tracefs(char *reason, size_t room)
{
	const char *dir = tracefs_tracing_dir();
	enum feature_state state;
	char *path;

	if (!dir)
		return FEATURE_NO;
	path = xasprintf("%s/available_tracers", dir);
	state = open_result(path, reason, room);
	free(path);
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

static enum feature_state has_file(const char *name, char *reason, size_t room)
{
	if (!tracefs_tells(reason, room))
		return FEATURE_UNKNOWN;
	return tracefs_file_exists(NULL, name) ? FEATURE_YES : FEATURE_NO;
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
enum feature_state probe_functions(char *reason, size_t room)
{
	enum feature_state state = has_list("available_filter_functions", reason, room);

	if (state == FEATURE_NO && *reason)
		snprintf(reason, room, "ftrace has turned itself off after an error, which dmesg shows\nboot again");
	return state;
}

enum feature_state probe_function_addresses(char *reason, size_t room)
{
	return has_list("available_filter_functions_addrs", reason, room);
}

enum feature_state probe_oneshot(char *reason, size_t room)
{
	if (!tracefs_tells(reason, room))
		return FEATURE_UNKNOWN;
	return tracefs_tracer_available(NULL, "oneshot") ? FEATURE_YES : FEATURE_NO;
}

enum feature_state probe_retire(char *reason, size_t room)
{
	return has_file("oneshot_retire_ms", reason, room);
}

enum feature_state probe_early(char *reason, size_t room)
{
	return has_file("early_stats", reason, room);
}

enum feature_state probe_events(char *reason, size_t room)
{
	return has_file("function_events", reason, room);
}

/* ---- other files */

/* ftrace may also have been turned off at boot, by sysctl.kernel.ftrace_enabled=0. */
enum feature_state probe_ftrace(char *reason, size_t room)
{
	long enabled = file__number("/proc/sys/kernel/ftrace_enabled");

	if (enabled < 0) {
		snprintf(reason, room, "there is no /proc/sys/kernel/ftrace_enabled");
		return FEATURE_UNKNOWN;
	}
	return enabled ? FEATURE_YES : FEATURE_NO;
}

/* Data symbols may be at 0. The first text symbol is at 0 only if all addresses are hidden. */
enum feature_state probe_addresses(char *reason, size_t room)
{
	FILE *f = fopen("/proc/kallsyms", "re");
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
	fclose(f);
	return state;
}

enum feature_state probe_vmlinux(char *reason, size_t room)
{
	struct kernel_id id;
	char *path;

	if (kernel_id__read(&id, NULL, NULL))
		return FEATURE_UNKNOWN;
	path = kernel_id__find_vmlinux(&id, NULL);
	kernel_id__free(&id);
	snprintf(reason, room, "%s", path ?: "");
	free(path);
	return *reason ? FEATURE_YES : FEATURE_NO;
}

/* The offset comes from /proc/kcore, or from comparing a vmlinux with /proc/kallsyms. */
enum feature_state probe_linked(char *reason, size_t room)
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

enum feature_state probe_cgroup(char *reason, size_t room)
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
