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
	ENTER_BY_KPROBE_MULTI,
	ENTER_BY_FENTRY_MULTI,		/* and some functions by kprobe.multi */
	ENTER_BY_EVENT,
};

/* libbpf has an object for some kinds of links; of others, there is only the descriptor. */
struct cover_link {
	bool exists;
	int fd;
	struct bpf_link *libbpf;	/* NULL: none */
};

struct bpf_cover {
	const struct request *request;
	struct cover_bpf *skel;
	struct bpf_program *program;	/* for kprobe.multi, or for events */
	struct bpf_program *fentry;	/* for fentry.multi; NULL: not used */
	int *clones;			/* descriptors of that program for functions of modules */
	size_t clone_count;
	struct cover_link *links;
	size_t link_count, link_room;	/* links up to link_count may exist */
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

/* Loads the program for fentry.multi once more, for a module with this BTF. Returns a descriptor. */
int bpf_cover__clone(struct bpf_cover *b, int btf);
/* Pins the map and the program, if that is asked for. Call this before there are links. */
int bpf_cover__pin(struct bpf_cover *b);
/*
 * Takes what a bpf_program__attach_...() has returned, which may be an error, as link number @which,
 * which does not exist yet, and pins it.
 */
int bpf_cover__put_link(struct bpf_cover *b, size_t which, struct bpf_link *link);
/*
 * The new link replaces link number @which if that exists; the old one goes only when the new one is
 * there.
 * @link: NULL: nothing is left to attach to.
 */
int bpf_cover__replace_link(struct bpf_cover *b, size_t which, struct bpf_link *link);
/* The same as bpf_cover__put_link() for a link that libbpf has no object for. */
int bpf_cover__take_link(struct bpf_cover *b, size_t which, int fd);
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
