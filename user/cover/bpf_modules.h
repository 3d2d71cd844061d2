/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Modules that are loaded during a run of the BPF engine. A program at the tracepoint module_load
 * reports them; the engine attaches to them as soon as they are live, and counts and names them if
 * that is too late or impossible.
 *
 * The engine does not attach to a module before its init function has returned: if that fails, the
 * kernel frees the module, even if somebody holds it. So what the module does until then is not
 * recorded.
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
	uint64_t unheard;		/* modules that came and are not in the list, for lack of memory */
	unsigned long *addrs;		/* of the attached functions in these modules */
	size_t addr_count;
	uint64_t next;			/* when to look again whether they are live, by CLOCK_MONOTONIC */
	uint64_t spent;			/* the time of the turns since the last wait, in ns */
};

/* The number of the link with these functions. */
#define MODULES_LINK 1

/* Call this before anything is attached, so that no module is missed. */
int bpf_modules__start(struct bpf_modules *m, struct bpf_cover *cover);
/* A descriptor that is readable when tend() has something to do; -1: there is none. */
int bpf_modules__fd(const struct bpf_modules *m);
/* Returns after how many milliseconds it must be called again at the latest. */
int bpf_modules__tend(struct bpf_modules *m);
/* Are functions of this module, which was not live at the beginning, traced by now? */
bool bpf_modules__has(const struct bpf_modules *m, const char *name);
/*
 * At the end, names and counts modules that were not recorded, or not from their beginning on.
 * @after: the modules at the end; NULL: they are those of the beginning.
 */
int bpf_modules__collect(struct bpf_modules *m, struct coverage *c, const struct symbols *after);
void bpf_modules__free(struct bpf_modules *m);

#endif
