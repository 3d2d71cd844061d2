/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a run needs of bpf/cover.bpf.c: which programs, the sizes of the maps, the values of the
 * options, and which functions of the kernel the program then calls.
 */
#ifndef HYTRACE_COVER_BPF_NEEDS_H
#define HYTRACE_COVER_BPF_NEEDS_H

#include "cover/bpf_cover.h"

/* An engine's deny_own(), for kprobe.multi. */
void bpf_needs__deny_own(struct globs *own, const struct request *request);
/* Call the first one before the program is loaded, and the second one after it. */
int bpf_needs__choose(struct bpf_cover *b, enum bpf_cover_entry entry);
int bpf_needs__fill(struct bpf_cover *b);

#endif
