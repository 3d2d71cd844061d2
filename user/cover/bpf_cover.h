/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The common part of the engines that use bpf/cover.bpf.c: loading, pinning, following tasks, the
 * gate, and reading the log. Each engine has its own entry point of the program, and attaches it to
 * something else (engine_bpf.c, engine_event.c).
 *
 * The struct of such an engine begins with a struct bpf_cover. So functions that take a void
 * *engine can be used as operations of the engine.
 */
#ifndef HYTRACE_COVER_BPF_COVER_H
#define HYTRACE_COVER_BPF_COVER_H

#include <bpf/libbpf.h>

#include "cover/engines.h"
#include "cover.h"

enum bpf_cover_entry {
	ENTER_BY_KPROBE_MULTI,
	ENTER_BY_FENTRY_MULTI,		/* functions that it cannot take get kprobe.multi */
	ENTER_BY_EVENT,
};

/* libbpf has no object for some kinds of links; for these, there is only the descriptor. */
struct cover_link {
	bool exists;
	int fd;
	struct bpf_link *libbpf;	/* NULL: libbpf has no object */
};

/* The hits that the program has recorded between two cuts, and what was lost meanwhile. */
struct bpf_cut {
	__u32 generation;
	struct cover_stats stats[2];	/* [0] at its beginning, [1] at its end; here and below */
	uint64_t missed[2], recursion[2];
};

struct bpf_cover {
	const struct request *request;
	struct cover_bpf *skel;
	struct bpf_program *program;	/* for kprobe.multi, or for events */
	struct bpf_program *fentry;	/* for fentry.multi; NULL: not used */
	int *clones;			/* descriptors of @fentry, loaded again for each module */
	size_t clone_count;
	struct cover_link *links;
	size_t link_count, link_room;	/* no link from @link_count on exists */
	/* The number of calls that the existing links have missed so far. */
	uint64_t (*link_missed)(const struct bpf_cover *b);
	uint64_t replaced_missed;
	struct bpf_link *on_switch, *on_fork, *on_free, *on_module;
	struct cover_entry *hits;	/* the program's log */
	size_t hits_bytes;
	char **pins;			/* paths of the pins of the map, the program, and the links */
	/* Missed since the links were made: [0] before the gate opens, or at the last cut, [1] at the end. */
	uint64_t missed[2], recursion[2];
	struct cover_stats base;	/* at the last cut */
	uint64_t memory;
	bool stopped;			/* all links are removed */
	int left_out;			/* calls of bpf_cover__leave_out_own(true), less those with false */
	size_t counted, functions;	/* entries of the log that were counted, and functions among them */
};

/* @links: the largest number of links */
int bpf_cover__load(struct bpf_cover *b, const struct request *request, enum bpf_cover_entry entry,
		    size_t links);
void bpf_cover__unload(struct bpf_cover *b);

/* Loads the program for fentry.multi again, for a module with this BTF. Returns a descriptor. */
int bpf_cover__clone(struct bpf_cover *b, int btf);
/* Pins the map and the program, if the user wants it. To be called before there are links. */
int bpf_cover__pin(struct bpf_cover *b);
/*
 * Makes @link, the result of a bpf_program__attach_...(), which may be an error, link number
 * @which, and pins it. There must be no link of this number.
 */
int bpf_cover__put_link(struct bpf_cover *b, size_t which, struct bpf_link *link);
/*
 * Replaces link number @which, if there is one, by @link. The old one is removed only when the new
 * one is there. @link: NULL: no function is left to attach to
 */
int bpf_cover__replace_link(struct bpf_cover *b, size_t which, struct bpf_link *link);
/* As bpf_cover__put_link(), for a link for which libbpf has no object. */
int bpf_cover__take_link(struct bpf_cover *b, size_t which, int fd);
/* Tells the program the loader's process. To be called before the next two functions. */
int bpf_cover__introduce(struct bpf_cover *b);
/*
 * @leave_out: from here on, calls of this process are not recorded. Such calls nest: recording
 * begins again when each call with true was followed by one with false.
 */
void bpf_cover__leave_out_own(void *engine, bool leave_out);
/* @ret_news: the map with a struct cover_news for each module that is loaded; -1: none can be loaded */
int bpf_cover__watch_modules(struct bpf_cover *b, int *ret_news);
/* The number of modules that were loaded and not reported in @ret_news. */
uint64_t bpf_cover__news_lost(const struct bpf_cover *b);
/*
 * The number of entries in the log. The program goes on writing, so the last ones may not be
 * complete.
 */
size_t bpf_cover__logged(const struct bpf_cover *b);
/* To be called when all links are attached and the gate is still closed. */
int bpf_cover__started(struct bpf_cover *b);

int bpf_cover__follow(void *engine, int pidfd);
int bpf_cover__gate(void *engine, bool open);
size_t bpf_cover__count(void *engine);
int bpf_cover__cut(void *engine, void **ret);
int bpf_cover__complete(void *engine);
void bpf_cover__drop(void *engine, void *cut);
bool bpf_cover__crowded(void *engine);
int bpf_cover__stop(void *engine);
int bpf_cover__collect(struct bpf_cover *b, void *cut, struct coverage *c, const struct places *places);

/* ---- what a run needs of bpf/cover.bpf.c (bpf_needs.c): programs, maps, options, and functions that it calls */

/* deny_own() of struct engine_ops, for kprobe.multi. */
void bpf_needs__deny_own(struct globs *own, const struct request *request);
/* bpf_needs__choose() is for before the program is loaded, bpf_needs__fill() for after that. */
int bpf_needs__choose(struct bpf_cover *b, enum bpf_cover_entry entry);
int bpf_needs__fill(struct bpf_cover *b);

#endif
