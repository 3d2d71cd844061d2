/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Runs as evidence: which of them saw a function, and which could have seen it. A store of any number of runs is asked
 * by its bitmaps. Recordings are put into a store that ends with the command, so that there is one way to ask.
 */
#ifndef HYTRACE_AFFECTED_RUNS_H
#define HYTRACE_AFFECTED_RUNS_H

#include "document/coverage.h"
#include "image/image.h"
#include "store/store.h"

struct run {
	int64_t id, blind;
	size_t kernel;			/* index in runs.kernels */
	char *document, *test, *host, *started;	/* NULL: unknown, but for @document */
	bool complete;
	struct coverage *head;		/* what it was asked for; NULL: not read */
};

struct runs_kernel {
	int64_t object;
	char *build_id, *release;
	size_t count;			/* of runs */
	struct coverage all;		/* the union of its runs, after runs__join() */
};

struct runs {
	struct store *s;
	struct run *list;		/* by id */
	size_t count;
	struct runs_kernel *kernels;
	size_t kernel_count;
};

/**
 * runs__open() - open the runs of a command line
 * @ret: to be freed by runs__free(), also after a failure
 * @paths: one store, or "STORE?SELECTION"; or recordings
 * @count: their number; 0: there are no runs
 *
 * Return: 0, or a negative errno after a message.
 */
int runs__open(struct runs *ret, const char *const *paths, size_t count);
void runs__free(struct runs *r);

/* Makes the union of the runs of each kernel: what all of them have called. */
int runs__join(struct runs *r);

/* The name of a run's test; if it has none, of its document. */
const char *run__test(const struct run *run);

/* What the runs say about a function, as bits by index of the run. */
struct sightings {
	unsigned char *ran;		/* recorded, or proved by a recorded call */
	unsigned char *maybe;		/* a function ran into which it is inlined */
	unsigned char *could;		/* could have seen all of its code, but for that in modules that it had not */
	unsigned char *had;		/* had some of its code, or the vmlinux or module in which it is */
	bool asked;			/* there are runs of a build that has it */
	bool recorded;			/* at least one run has recorded it */
	const char *seen_in;		/* the function with the recorded call that proves it; NULL: there is none */
};

void sightings__init(struct sightings *e, const struct runs *r);
void sightings__free(struct sightings *e);
size_t runs__count(const struct runs *r, const unsigned char *bits);

static inline bool runs__has(const unsigned char *bits, size_t run)
{
	return bits[run / 8] >> run % 8 & 1;
}

/* A function that can be traced, and whose record tells whether a changed function ran. */
struct code {
	size_t of;			/* an index in the evidence */
	const char *module, *name;	/* @module: NULL: vmlinux */
	uint64_t addr;			/* as linked, or the offset in the module */
	int64_t object;			/* 0: it is known by @addr; else it has the number @nr in the store */
	uint32_t nr;
	bool init;
	bool around;			/* the changed function is inlined into it */
};

/* Code in which a recorded call shows that a changed function ran: an inlined body, or what cannot be traced. */
struct body {
	size_t of;
	const char *module, *in;	/* @in: the function that contains it */
	uint64_t start, end;
};

/**
 * runs__judge() - find out what the runs of a kernel say
 * @r: the runs
 * @kernel: index in @r->kernels
 * @codes: the functions of that build; several may have the same @of
 * @code_count: their number
 * @bodies: inlined bodies
 * @body_count: their number
 * @list: the evidence, to which this adds
 *
 * Return: 0, or a negative errno after a message.
 */
int runs__judge(struct runs *r, size_t kernel, const struct code *codes, size_t code_count, const struct body *bodies,
		size_t body_count, struct sightings *list);

#endif
