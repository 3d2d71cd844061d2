/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Why a function is missing from a function list or a recording: it cannot be traced, the compiler
 * inlined it or gave it another name, its module is not there, it was excluded, or not called.
 */
#ifndef HYTRACE_REPORT_WHY_H
#define HYTRACE_REPORT_WHY_H

#include "report/documents.h"
#include "report/edges.h"

enum why_ran { RAN_NO, RAN_YES, RAN_UNKNOWN };

/* A function into which another one was inlined. */
struct why_into {
	const char *function;
	enum why_ran ran;	/* in any of the recordings */
};

struct why_answer {
	const char *why;	/* the reason in one word */
	const char *text;	/* the rest of a sentence that begins with the function */
	const char *function;	/* the function of the answer; mostly the one that was asked for */
	const char *module;	/* NULL: vmlinux, or unknown */
	const char *file;	/* NULL: unknown */
	unsigned int line;
	const char *document;	/* the recording of the answer; NULL: it is about the kernel */
	struct why_into *into;
	size_t into_count;
};

struct why {
	const char *name;
	bool found;		/* something of that name is known */
	struct why_answer *list;
	size_t count;
	struct strings *names;
};

/* The sources of the answers, by why_sources__open(). */
struct why_sources {
	struct universe universe;
	struct images images;		/* vmlinux alone; empty: it is not at hand */
	struct documents documents;
	struct sets seen;		/* the functions of the universe that a recording has; no words: not made */
	bool sums;			/* one answer about all recordings that say the same */
	struct universe *others;	/* of recordings of another build, by index; NULL: none */
	struct edges edges;		/* calls in recordings of the build of @images; without nodes: unknown */
	const struct coverage **called;	/* the recordings in @edges */
	char *modules;			/* directory of modules not in the universe; NULL: none */
	bool running;			/* the universe is that of the running kernel */
};

/**
 * why__find() - find all that can be said about a function
 * @ret: to be freed by why__free()
 * @name: the function's name
 * @sources: the sources of the answers
 *
 * Return: 0, or a negative errno after a message.
 */
int why__find(struct why *ret, const char *name, const struct why_sources *sources);
void why__free(struct why *w);

/**
 * why__of_running() - find why the running kernel cannot trace a function
 * @ret: to be freed by why__free()
 * @name: the function's name
 * @vmlinux: as for universe__of_running()
 *
 * Return: as universe__of_running().
 */
int why__of_running(struct why *ret, const char *name, const char *vmlinux);

void why__print(const struct why *w, FILE *out);
/* @kernel: the kernel that the answers are about. */
void why__write_json(const struct why *list, size_t count, const struct universe *kernel, FILE *out);

#endif
