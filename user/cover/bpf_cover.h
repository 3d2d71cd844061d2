/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Coverage by bpf/cover.bpf.c for both BPF engines: loading, pinning, following tasks, the gate,
 * and reading the log. The entry point of the program, and what it is attached to, are different
 * for each engine (engine_bpf.c, engine_event.c).
 *
 * The struct of such an engine begins with a struct bpf_cover. The functions that take a void
 * *engine can be used directly as operations of the engine.
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
	struct bpf_link **links;	/* an element is NULL if that link does not exist now */
	size_t link_count, link_room;
	/* The calls that the links have missed until now; links that are gone are included. */
	uint64_t (*link_missed)(const struct bpf_cover *b);
	uint64_t replaced_missed;
	struct bpf_link *on_switch, *on_fork, *on_free, *on_module;
	const struct cover_entry *hits;	/* the program's log */
	size_t hits_bytes;
	char **pins;			/* of the map, the program, and the links */
	/* Counts since the links exist: before the opening, and at the end. */
	uint64_t missed[2], recursion[2];
	uint64_t memory;
	bool stopped;			/* nothing is attached any more */
	int left_out;			/* how often leaving out this process's calls was begun and not ended */
	size_t counted, functions;	/* entries of the log that were looked at, and functions among them */
};

/* @links: the largest number of links. */
int bpf_cover__load(struct bpf_cover *b, const struct request *request, enum bpf_cover_entry entry,
		    size_t links);
void bpf_cover__unload(struct bpf_cover *b);

/* Takes what a bpf_program__attach_...() has returned, which may be an error, and pins it. */
int bpf_cover__add_link(struct bpf_cover *b, struct bpf_link *link);
/*
 * The same, but the new link replaces link number @which if that exists; the old one goes only when
 * the new one is there.
 * @link: NULL: nothing is left to attach to.
 */
int bpf_cover__replace_link(struct bpf_cover *b, size_t which, struct bpf_link *link);
/* Tells the program who this process is. Call it before the next two. */
int bpf_cover__introduce(struct bpf_cover *b);
/*
 * If @leave_out, calls of this process are not recorded from here on. Such calls nest: calls of the
 * process are recorded again when leaving out was ended as often as it was begun.
 */
void bpf_cover__leave_out_own(void *engine, bool leave_out);
/* @ret_news: the map with a struct cover_news for each module that comes; -1: none can come. */
int bpf_cover__watch_modules(struct bpf_cover *b, int *ret_news);
/* The number of modules that came without a message there. */
uint64_t bpf_cover__news_lost(const struct bpf_cover *b);
/*
 * The number of the log's entries. The program goes on writing, so the last ones may not be
 * complete.
 */
size_t bpf_cover__logged(const struct bpf_cover *b);
/* Call this when all links are attached and the gate is still closed. */
int bpf_cover__started(struct bpf_cover *b);

int bpf_cover__follow(void *engine, int pidfd);
int bpf_cover__gate(void *engine, bool open);
size_t bpf_cover__count(void *engine);
int bpf_cover__stop(void *engine);
int bpf_cover__collect(struct bpf_cover *b, struct coverage *c, const struct places *places);

#endif
