/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a run needs of bpf/cover.bpf.c: programs, sizes of the maps, values of the options, and
 * which functions of the kernel the program calls then.
 */
#ifndef HYTRACE_COVER_BPF_NEEDS_H
#define HYTRACE_COVER_BPF_NEEDS_H

#include "cover/bpf_cover.h"

/* deny_own() of struct engine_ops, for kprobe.multi. */
void bpf_needs__deny_own(struct globs *own, const struct request *request);
/* bpf_needs__choose() is for before the program is loaded, bpf_needs__fill() for after that. */
int bpf_needs__choose(struct bpf_cover *b, enum bpf_cover_entry entry);
int bpf_needs__fill(struct bpf_cover *b);

#endif
