/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Modules that are loaded during a run of the BPF engine. A program at the tracepoint module_load
 * reports them. The engine attaches to them as soon as they are live. If this is too late or
 * impossible, it counts and names them.
 *
 * The engine does not attach to a module before its init function has returned: if that fails, the
 * kernel frees the module, even if a link holds a reference to it. So what the module does until
 * then is not recorded.
 */
#ifndef HYTRACE_COVER_BPF_MODULES_H
#define HYTRACE_COVER_BPF_MODULES_H

#include "cover/bpf_cover.h"

struct late_module;

struct bpf_modules {
	struct bpf_cover *cover;
	struct ring_buffer *news;	/* NULL: modules are not reported */
	struct late_module *list;
	size_t count;
	uint64_t unheard;		/* modules that are not in the list for lack of memory */
	unsigned long *addrs;		/* the attached functions of modules in @list */
	size_t addr_count;
	uint64_t next;			/* when to look again at modules that are being loaded, by CLOCK_MONOTONIC */
	uint64_t spent;			/* the time that was used since @next was set, in ns */
};

/* The number of the link for functions of @list. */
#define MODULES_LINK 1

/* To be called before anything is attached, so that no module is missed. */
int bpf_modules__start(struct bpf_modules *m, struct bpf_cover *cover);
/* A descriptor that is readable when bpf_modules__tend() has to be called; -1: there is none. */
int bpf_modules__fd(const struct bpf_modules *m);
/* Returns the number of milliseconds after which it has to be called again at the latest. */
int bpf_modules__tend(struct bpf_modules *m);
/* Are functions of this module traced, although it was not live at the beginning? */
bool bpf_modules__has(const struct bpf_modules *m, const char *name);
/*
 * At the end, names and counts modules that were not recorded, or not from their beginning on.
 * @after: the symbols at the end; NULL: as at the beginning
 */
int bpf_modules__collect(struct bpf_modules *m, struct coverage *c, const struct symbols *after);
void bpf_modules__free(struct bpf_modules *m);

#endif
