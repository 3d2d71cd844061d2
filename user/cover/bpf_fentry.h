/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The part of the BPF engine that uses fentry.multi. It attaches to all functions that fentry.multi
 * can take, by one link for vmlinux and one for each module. kprobe.multi takes all other
 * functions. So no function has both.
 */
#ifndef HYTRACE_COVER_BPF_FENTRY_H
#define HYTRACE_COVER_BPF_FENTRY_H

#include "cover/bpf_cover.h"
#include "kernel/fentry_multi.h"

/* Consecutive functions whose types are in one BTF. */
struct fentry_part {
	const char *module;		/* NULL: vmlinux */
	__u32 btf;			/* id of the module's BTF */
	size_t first, end;		/* indices in request->kernel->traceable */
};

struct bpf_fentry {
	struct bpf_cover *cover;
	struct fentry_part *parts;
	size_t part_count;
	struct fentry_ids ids;		/* [i]: of function i of request->kernel->traceable */
	bool *attached;			/* [i]: function i is attached; NULL: none is */
	size_t count;			/* the number of attached functions */
};

/* The largest number of links. */
size_t bpf_fentry__links(const struct request *request);
/*
 * Finds out to which functions it can attach. The programs must be loaded. Returns -EOPNOTSUPP
 * after a message if the program cannot find callers on this kernel.
 */
int bpf_fentry__prepare(struct bpf_fentry *f, struct bpf_cover *cover);
/*
 * Attaches to the functions that are asked for, except those of modules that are gone, and those
 * that the kernel refuses. Its links are number 0, and then from @more on.
 */
int bpf_fentry__attach(struct bpf_fentry *f, size_t more);
/* Is the function with this index attached? */
bool bpf_fentry__has(const struct bpf_fentry *f, size_t index);
void bpf_fentry__free(struct bpf_fentry *f);

#endif
