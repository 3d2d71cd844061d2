/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A probe for each feature of features.h. @reason has @room bytes, and is empty before. A probe may write a
 * reason for a no there, with a remedy as a second line, or a detail of a yes. @file: for probe_file(), the
 * file of tracefs that shows it
 */
#ifndef HYTRACE_KERNEL_FEATURE_PROBES_H
#define HYTRACE_KERNEL_FEATURE_PROBES_H

#include "kernel/features.h"

typedef enum feature_state feature_probe(char *reason, size_t room, const char *file);

feature_probe probe_capabilities, probe_lockdown, probe_tracefs, probe_ftrace, probe_functions, probe_file,
	      probe_function_addresses, probe_addresses, probe_linked, probe_vmlinux, probe_oneshot, probe_cgroup,
	      probe_btf,
	      probe_jit, probe_kprobe_multi, probe_fentry, probe_fentry_multi, probe_cover_program, probe_memlock;

#endif
