/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How each feature of features.h is found out. A probe fills @reason, of @room bytes, if it knows more than the
 * table does: why not, and in a second line what to do then, or a detail of a yes. It is empty before.
 */
#ifndef HYTRACE_KERNEL_FEATURE_PROBES_H
#define HYTRACE_KERNEL_FEATURE_PROBES_H

#include "kernel/features.h"

typedef enum feature_state feature_probe(char *reason, size_t room);

feature_probe probe_capabilities, probe_lockdown, probe_tracefs, probe_ftrace, probe_functions,
	      probe_function_addresses, probe_addresses, probe_linked, probe_vmlinux, probe_oneshot, probe_retire,
	      probe_early, probe_events, probe_cgroup;
/* By bpf(2): feature_probes_bpf.c */
feature_probe probe_btf, probe_jit, probe_kprobe_multi, probe_fentry, probe_memlock;

/* The number at the beginning of a file, as of /proc/sys; -1: it cannot be read. */
long probe__number(const char *path);

#endif
