/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Coverage by bpf/cover.bpf.c, whatever runs it: loading, pinning, following tasks, the gate, reading
 * the log. What differs between the BPF engines, the entry point and what it is attached to, is theirs
 * (engine_bpf.c, engine_event.c).
 *
 * An engine that uses it begins with a struct bpf_cover; the functions that take a void *engine are
 * operations of such an engine as they are.
 */
#ifndef HYTRACE_COVER_BPF_COVER_H
#define HYTRACE_COVER_BPF_COVER_H

#include <bpf/libbpf.h>

#include "cover/engine.h"

enum bpf_cover_entry {
	ENTRY_KPROBE_MULTI,
	ENTRY_EVENT,
};

struct bpf_cover {
	const struct request *request;
	struct cover_bpf *skel;
	struct bpf_program *program;	/* the entry point that this engine attaches */
	struct bpf_link **links;	/* NULL: there is none of that number now */
	size_t link_count, link_room;
	/* What the links count as missed by now; and those that are no more had counted. */
	uint64_t (*link_missed)(const struct bpf_cover *b);
	uint64_t replaced_missed;
	struct bpf_link *on_switch, *on_fork, *on_free, *on_module;
	const struct cover_entry *hits;	/* the program's log */
	size_t hits_bytes;
	char **pins;			/* map, program, then the links */
	/* Counted since the links exist; before the opening, and at the end. */
	uint64_t missed[2], recursion[2];
	uint64_t memory;
	bool stopped;			/* nothing is attached any more */
	int left_out;			/* how many have asked for leaving out what this process calls */
	size_t counted, functions;	/* entries of the log that were looked at, and functions among them */
};

/* @links: how many there will be at most. */
int bpf_cover__load(struct bpf_cover *b, const struct request *request, enum bpf_cover_entry entry,
		    size_t links);
void bpf_cover__unload(struct bpf_cover *b);

/* Takes over what a bpf_program__attach_...() has returned, errors as well, and pins it. */
int bpf_cover__add_link(struct bpf_cover *b, struct bpf_link *link);
/*
 * The same in place of link number @which, if that is there, once the new one is; @link: NULL: nothing is left
 * to attach to.
 */
int bpf_cover__replace_link(struct bpf_cover *b, size_t which, struct bpf_link *link);
/* Before the next: who this process is to the program. */
int bpf_cover__introduce(struct bpf_cover *b);
/* From here on what this process calls is not recorded; it is again when it was taken back as often. */
void bpf_cover__leave_out_own(void *engine, bool leave_out);
/* @ret_news: the map where modules that come are told, in struct cover_news; -1: none can come. */
int bpf_cover__watch_modules(struct bpf_cover *b, int *ret_news);
/* How many came that are not told there. */
uint64_t bpf_cover__news_lost(const struct bpf_cover *b);
/* How many entries the log has, which the program goes on writing: the last of them may not be there yet. */
size_t bpf_cover__logged(const struct bpf_cover *b);
/* With all links attached and the gate still closed. */
int bpf_cover__started(struct bpf_cover *b);

int bpf_cover__follow(void *engine, int pidfd);
int bpf_cover__gate(void *engine, bool open);
size_t bpf_cover__count(void *engine);
int bpf_cover__stop(void *engine);
int bpf_cover__collect(struct bpf_cover *b, struct coverage *c, const struct places *places);

#endif
