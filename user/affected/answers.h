/* SPDX-License-Identifier: GPL-2.0-only */
/* What is known of each changed function: its class, and the runs that saw it. */
#ifndef HYTRACE_AFFECTED_ANSWERS_H
#define HYTRACE_AFFECTED_ANSWERS_H

#include "affected/build.h"
#include "affected/changed.h"
#include "affected/runs.h"

/* In the order of the report: first what no test reaches. */
enum class {
	CLASS_NOT_RUN,		/* at least one run could have seen it, and none did */
	CLASS_BLIND,		/* it can be traced, but no run could have seen it */
	CLASS_NO_RUNS,		/* it can be traced, and no run of its build is known */
	CLASS_INLINED_UNKNOWN,	/* inlined into functions that ran, or that leave no record */
	CLASS_NEW,		/* new in this patch, and not in the build */
	CLASS_UNTRACEABLE,
	CLASS_UNKNOWN,		/* no build tells whether it is there */
	CLASS_NOT_THERE,	/* its file is built, but not the function */
	CLASS_NOT_BUILT,	/* its file is not in the build */
	CLASS_INLINED_SEEN,	/* a recorded call in an inlined body proves that it ran */
	CLASS_RAN,
	CLASSES
};

struct answer {
	enum class class;
	struct sightings evidence;
	size_t codes, inlined;		/* functions with its code that can be traced; into how many it is inlined */
	const char *into;		/* one of them */
	enum untraced untraced;		/* why its own code cannot be traced */
	bool unplaced;			/* functions of its name are known, but not of which file */
	bool hidden;			/* it is inlined into a function that cannot be traced */
	char *why;			/* of CLASS_UNKNOWN */
	const char **options;		/* that the file of CLASS_NOT_BUILT is built with; NULL: unknown */
	size_t option_count;
	bool elsewhere;			/* it ran on another build than the first one only */
	int unchanged;			/* if so: is its code the same here? -1: not known */
	size_t ran, could, complete;	/* runs; @complete: of @could, those that lost nothing */
	size_t last;			/* the last run that saw it, if @ran */
};

struct answers {
	const struct patch *patch;
	const struct changed *changed;
	const struct runs *runs;
	const struct tags *tags;	/* of both sides */
	struct strings *names;
	const struct build *builds;
	size_t build_count;
	struct answer *list;		/* as the functions in @changed */
	size_t *order;			/* indices, as they are printed */
	size_t classes[CLASSES];	/* how many functions each has */
	bool triage;			/* for a CVE: each function also gets its word */
};

extern const struct class_text {
	const char *word, *text;	/* for json, and for a person */
	const char *triage;		/* what a triage of a CVE may say */
	bool seen, missed;		/* it was seen; it could have been, so a test is missing */
} class_texts[CLASSES];

/**
 * answers__find() - find out what is known of each function
 * @a: with @patch, @changed, @runs and @builds set; to be freed by answers__free(), also after a failure
 *
 * Return: 0, or a negative errno after a message.
 */
int answers__find(struct answers *a, struct runs *runs);
void answers__free(struct answers *a);

/*
 * ---- tests. A test is a name that runs have; a run without one is a test of its own, with the name of its document.
 */

struct test {
	const char *name;
	unsigned char *reaches;		/* functions, as bits */
	size_t adds;			/* how many of these no test before it reaches */
};

struct tests {
	struct test *list;		/* the fewest that reach all: greedily, each adds as many functions as it can */
	size_t count;
	size_t reached;			/* functions */
};

void tests__choose(struct tests *ret, const struct answers *a);
void tests__free(struct tests *t);

/* ---- output */

void answers__text(const struct answers *a, FILE *out);
void answers__json(const struct answers *a, FILE *out);
void answers__lcov(const struct answers *a, FILE *out);
void answers__tap(const struct answers *a, FILE *out);
void answers__tests(const struct answers *a, FILE *out);

#endif
