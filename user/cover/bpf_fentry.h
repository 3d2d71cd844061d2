/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The part of the BPF engine that attaches by fentry.multi: to all functions that it can take, by
 * one link for vmlinux and one for each module. The others are left to kprobe.multi. So no function
 * is in both.
 */
#ifndef HYTRACE_COVER_BPF_FENTRY_H
#define HYTRACE_COVER_BPF_FENTRY_H

#include "cover/bpf_cover.h"
#include "kernel/fentry_ids.h"

/* Functions that are next to each other, and that one BTF has the types of. */
struct fentry_part {
	const char *module;		/* NULL: vmlinux */
	__u32 btf;			/* the number of the module's BTF */
	size_t first, end;		/* of request->kernel->traceable */
};

struct bpf_fentry {
	struct bpf_cover *cover;
	struct fentry_part *parts;
	size_t part_count;
	struct fentry_ids ids;		/* of the functions of request->kernel->traceable */
	bool *attached;			/* for each of these; NULL: none is */
	size_t count;			/* how many are attached */
};

/* The largest number of links. */
size_t bpf_fentry__links(const struct request *request);
/*
 * Finds out which functions can be attached to. The programs must be loaded. Returns -EOPNOTSUPP after
 * a message if the program cannot find callers on this kernel.
 */
int bpf_fentry__prepare(struct bpf_fentry *f, struct bpf_cover *cover);
/*
 * Attaches to those that are asked for. Those of a module that is gone, and those that the kernel
 * refuses, are left out. The links are link 0 and those from @more on.
 */
int bpf_fentry__attach(struct bpf_fentry *f, size_t more);
/* Is the function with this index attached? */
bool bpf_fentry__has(const struct bpf_fentry *f, size_t index);
void bpf_fentry__free(struct bpf_fentry *f);

#endif
