/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Modules that come during a run of the BPF engine: told by a program at the tracepoint module_load, attached
 * to as soon as they are live, and counted and named where that is too late or impossible.
 *
 * A module is not attached to before its init function has returned: if that fails, the kernel frees the module
 * whoever holds on to it. So what it does until then is not recorded.
 */
#ifndef HYTRACE_COVER_BPF_MODULES_H
#define HYTRACE_COVER_BPF_MODULES_H

#include "cover/bpf_cover.h"

struct late_module;

struct bpf_modules {
	struct bpf_cover *cover;
	struct ring_buffer *news;	/* NULL: nobody tells */
	struct late_module *list;
	size_t count;
	unsigned long *addrs;		/* of what is attached in those */
	size_t addr_count;
	uint64_t next;			/* when to look again whether they are live; CLOCK_MONOTONIC */
};

/* In which of the program's links these functions are. */
#define MODULES_LINK 1

/* Before anything is attached, so that no module comes unseen. */
int bpf_modules__start(struct bpf_modules *m, struct bpf_cover *cover);
/* Can be read when tend() has something to do; -1: never. */
int bpf_modules__fd(const struct bpf_modules *m);
/* In how many milliseconds it wants to be called again at the latest. */
int bpf_modules__tend(struct bpf_modules *m);
/* Whether functions of this module, which was not live at the beginning, are traced by now. */
bool bpf_modules__has(const struct bpf_modules *m, const char *name);
/*
 * At the end: names and counts what is not, or not from its beginning, recorded. @after: the modules of the end,
 * NULL if they are those of the beginning.
 */
int bpf_modules__collect(struct bpf_modules *m, struct coverage *c, const struct symbols *after);
void bpf_modules__free(struct bpf_modules *m);

#endif
