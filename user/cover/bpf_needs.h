/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a run needs of bpf/cover.bpf.c: which of its programs, how large its maps are, what they know of the
 * options, and which functions of the kernel it then calls.
 */
#ifndef HYTRACE_COVER_BPF_NEEDS_H
#define HYTRACE_COVER_BPF_NEEDS_H

#include "cover/bpf_cover.h"

/* As an engine's deny_own(), of kprobe.multi. */
int bpf_needs__deny_own(struct globs *own, const struct request *request);
/* Before it is loaded, and after. */
int bpf_needs__choose(struct bpf_cover *b, enum bpf_cover_entry entry);
int bpf_needs__fill(struct bpf_cover *b);

#endif
