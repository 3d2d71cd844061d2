/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The result of one run: which functions ran, on which kernel and when, and what was lost. A
 * recorder fills it in, reports print it, `hytrace compare` compares two results, and a recording
 * (a json file) is its written form.
 */
#ifndef HYTRACE_DOCUMENT_COVERAGE_H
#define HYTRACE_DOCUMENT_COVERAGE_H

#include "base/json.h"
#include "base/memory.h"
#include "document/filter.h"
#include "kernel/hits.h"
#include "kernel/running.h"
#include "kernel/symbols.h"
#include "run/workload.h"

/* What a result may lack, according to the counters in its "lost": one table for all readers. */
enum loss_meaning {
	LOSS_NOTHING,		/* the result is complete nevertheless */
	LOSS_MAYBE,		/* the result may lack something */
	LOSS_MISSING,		/* the result lacks something */
};

/* Which unlisted functions may have been called, if this loss is counted? */
enum loss_of {
	LOSS_OF_NONE,		/* no function: the loss is of callers, or of modules' init text */
	LOSS_OF_MODULES,	/* functions of modules that were loaded or removed during the run */
	LOSS_OF_ANY,
};

struct loss {
	const char *name;
	enum loss_meaning meaning;
	enum loss_of of;
	/*
	 * HIT_FUNCTION, HIT_CALLER: the first call of a listed hit of this kind may have been lost.
	 */
	unsigned int hides;
	const char *text;
};

/* The entries of the table, from 0; NULL after the last one. */
const struct loss *losses__at(size_t index);
/* The loss that the counter of this name counts; NULL: it counts none. */
const struct loss *losses__find(const char *name);
/* The counter's name in a string that stays valid; NULL: it does not count a loss. */
const char *losses__name(const char *name);

/*
 * The worst of the losses: LOSS_NOTHING if it is certain that the result is complete. For all of these functions, a
 * counter that is not in the table may mean that anything is missing.
 */
enum loss_meaning losses__worst(const struct counters *lost);
bool losses__complete(const struct counters *lost);
/* May a first hit of this kind (HIT_FUNCTION, HIT_CALLER) not have been the first call, as an earlier one was lost? */
bool losses__hide(const struct counters *lost, unsigned int kind);
/* May a function that is not listed have been called? @stayed: it is in vmlinux, or its module was always loaded */
bool losses__may_hide(const struct counters *lost, bool stayed);

/* A meaning in one word: "nothing", "maybe" or "missing". */
const char *loss_meaning__name(enum loss_meaning meaning);

/*
 * A module that a result is about. An offset in a module's text only has a meaning together with the module's build.
 */
struct covered_module {
	char *name;
	char *build_id;		/* lowercase hex; NULL: unknown */
	char *srcversion;	/* as modinfo has it; NULL: unknown */
	uint64_t size;		/* as /proc/modules has it; 0: unknown */
	bool came, went;	/* loaded, or removed, while the result was recorded */
};

struct covered_modules {
	struct covered_module *list;
	size_t count;
};

/**
 * covered_modules__read() - the modules of the running kernel
 * @ret: must be empty
 * @before: the symbols when recording began
 * @after: the symbols at its end; NULL: the modules have not changed
 *
 * A module that was loaded and removed in between is in neither list, so it is not found.
 */
void covered_modules__read(struct covered_modules *ret, const struct symbols *before, const struct symbols *after);
void covered_modules__free(struct covered_modules *m);
/* Frees what the module consists of, and not @m. */
void covered_module__free(struct covered_module *m);

/* Adds a module of which only the name is known. Returns the new element. */
struct covered_module *covered_modules__add(struct covered_modules *m, const char *name);

/* Returns NULL if it is not in the list. */
const struct covered_module *covered_modules__find(const struct covered_modules *m, const char *name);

/* Was the module loaded from the beginning to the end? @name: NULL is vmlinux, which always was */
bool covered_modules__stayed(const struct covered_modules *m, const char *name);

/* Are @a and @b known to be different builds? False for NULL, an unknown module. */
bool covered_module__differs(const struct covered_module *a, const struct covered_module *b);

/* The kind of field for a struct covered_modules. */
extern const struct json_kind field_modules;

/*
 * Increased when a field is removed or changes its meaning. New fields do not increase it, nor do
 * new counters, which are read by name.
 */
#define COVERAGE_SCHEMA 2

/*
 * Times in ns of the ring buffer's clock "local". The recording began between @opening and @open,
 * and ended between @closing and @closed.
 */
struct window {
	uint64_t opening, open, closing, closed;
	uint64_t error;		/* first_ns may differ by this much from another recorder's */
};

/* How much of the hits of a run is needed. */
enum hits_part {
	HITS_OF_MODULES,	/* as HITS_SETS, of modules only */
	HITS_FUNCTIONS,		/* as HITS_SETS, without callers */
	HITS_SETS,		/* functions and callers, in no order and without their first calls */
	HITS_ALL,
};

/* Where the hits of a run are that are not in memory. */
struct hits_source {
	int (*read)(struct hits *ret, const struct hits_source *source, enum hits_part part);
	void *store;
	int64_t run;
	size_t functions, callers;
	bool sets_only;		/* there is no more than HITS_SETS */
	bool counted;		/* of a union: sets do not have in how many runs a hit was, so it is always HITS_ALL */
	bool unlinked;		/* the run did not know where the kernel's code was moved to */
};

/* One of the results that were merged into another one. */
struct merged_run {
	char *engine, *host, *boot_id;
	uint64_t started;
	double seconds;
	bool complete;
};

struct coverage {
	char *engine;		/* or "several", if results of different engines were merged */
	char *host;
	struct kernel_id kernel;
	char *boot_id;		/* times and addresses of two boots cannot be compared */
	char **command;		/* NULL-terminated, or NULL */
	struct filter filter;
	struct scope scope;	/* texts in here and in @how are not freed */
	struct cover_how how;
	uint64_t started;	/* when the recording began, in ns of CLOCK_REALTIME; 0: unknown */
	double seconds;
	enum ending ended;
	long status;		/* exit status of the command, as in a shell; -1: no command, or it has not ended */
	struct window window;

	struct hits hits;		/* empty if they are at @source */
	struct hits_source source;	/* its @read: NULL: the hits are in memory */
	size_t traceable;	/* how many functions the kernel could trace when tracing began */
	size_t traced;		/* how many of @traceable were asked for, including those that hytrace excludes */
	size_t traced_seen;	/* how many of @traced were seen; without freed init code and later modules */
	struct covered_modules modules;	/* the modules of the beginning, and those that were loaded later */
	bool follows_modules;	/* modules that are loaded later are also traced */
	char **ran_in;		/* if the hits are at @source: the modules of which functions ran */
	/*
	 * Functions that were asked for and could not be attached to, named as by
	 * function__full_name().
	 */
	char **unattached;

	struct merged_run *merged;	/* this result is the union of these results; NULL: it is of one run */
	size_t merged_count;
	uint64_t min_runs;	/* of the union, only what so many runs have seen is in @hits; 0: all */

	struct counters lost;	/* each counter is a reason why something may be missing */
	struct counters cost;
};

void coverage__init(struct coverage *c, const char *engine);
void coverage__free(struct coverage *c);
/* Frees a list of texts that ends with NULL, or is NULL. */
void texts__free(char **list);

/* Are @a and @b of one boot, so that their times and process numbers can be compared? */
bool coverage__same_boot(const struct coverage *a, const struct coverage *b);
/* Are @a and @b known to be of one build of the kernel and of @module (NULL: only the kernel)? */
bool coverage__same_build(const struct coverage *a, const struct coverage *b, const char *module);
/* Are @a and @b of one build of the kernel and of each module? Then an address is one function. */
bool coverage__same_builds(const struct coverage *a, const struct coverage *b);
/* @command: NULL-terminated; it is copied */
void coverage__set_command(struct coverage *c, char *const *command);
bool coverage__same_command(const struct coverage *a, const struct coverage *b);
/* Are all tasks of @c also tasks of @other? With --task, if the commands are equal: their pids are unknown. */
bool coverage__lies_in(const struct coverage *c, const struct coverage *other);
/* Was the function asked for, but could not be attached to? @name: may be NULL. @module: NULL: vmlinux */
bool coverage__is_unattached(const struct coverage *c, const char *name, const char *module);
/* The number of its runs; 1 if it is no union. */
size_t coverage__runs(const struct coverage *c);
/* From so many recordings on, texts have sums in place of a column, a mark or a line for each one. */
#define DOCUMENTS_MANY 9
/* The sum of the runs of recordings; 0: they are few, and none of them is a union of several. */
size_t coverages__runs(const struct coverage *const *list, size_t count);
/* In how many of its runs was this hit? @hit: NULL: in none */
size_t coverage__runs_of(const struct coverage *c, const struct hit *hit);
/* Removes the hits of fewer than @min_runs runs. */
void coverage__limit(struct coverage *c, uint64_t min_runs);
/* Is it known which hit was the first? Not if results of several boots were merged. */
bool coverage__knows_first(const struct coverage *c);

/**
 * coverage__open_hits() - the hits of a run, which may be in a store
 * @c: the run
 * @part: what is needed of them; if they are in memory, it is all
 * @ret: the hits, until coverage__close_hits()
 *
 * Return: 0, or a negative errno after a message; then @ret has no hits, and need not be closed.
 */
int coverage__open_hits(const struct coverage *c, enum hits_part part, const struct hits **ret);
void coverage__close_hits(const struct coverage *c, const struct hits *hits);
/* The number of hits of these kinds. */
size_t coverage__count(const struct coverage *c, enum hit_kind kinds);

#endif
