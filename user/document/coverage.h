/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The result of one run: which functions ran, on which kernel and when, and what was lost. A
 * recorder fills it in, reports print it, `hytrace compare` compares two results, and a recording
 * (a json file) is its written form.
 */
#ifndef HYTRACE_DOCUMENT_COVERAGE_H
#define HYTRACE_DOCUMENT_COVERAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/memory.h"
#include "document/filter.h"
#include "document/modules.h"
#include "document/scope.h"
#include "kernel/hits.h"
#include "kernel/running.h"
#include "run/workload.h"

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

	struct hits hits;
	size_t traceable;	/* how many functions the kernel could trace when tracing began */
	size_t traced;		/* how many of @traceable were asked for, including those that hytrace excludes */
	size_t traced_seen;	/* how many of @traced were seen; without freed init code and later modules */
	struct covered_modules modules;	/* the modules of the beginning, and those that were loaded later */
	bool follows_modules;	/* modules that are loaded later are also traced */
	/*
	 * Functions that were asked for and could not be attached to, named as by
	 * function__full_name().
	 */
	char **unattached;

	struct merged_run *merged;	/* this result is the union of these results; NULL: it is of one run */
	size_t merged_count;

	struct counters lost;	/* each counter is a reason why something may be missing */
	struct counters cost;
};

void coverage__init(struct coverage *c, const char *engine);
void coverage__free(struct coverage *c);

/* Are @a and @b of one boot, so that their times and process numbers can be compared? */
bool coverage__same_boot(const struct coverage *a, const struct coverage *b);
/* Are @a and @b known to be of one build of the kernel and of @module (NULL: only the kernel)? */
bool coverage__same_build(const struct coverage *a, const struct coverage *b, const char *module);
/* Are @a and @b of one build of the kernel and of each module? Then an address is one function. */
bool coverage__same_builds(const struct coverage *a, const struct coverage *b);
bool coverage__same_command(const struct coverage *a, const struct coverage *b);
/* Are all tasks of @c also tasks of @other? With --task, if the commands are equal: their pids are unknown. */
bool coverage__lies_in(const struct coverage *c, const struct coverage *other);
/* Was the function asked for, but could not be attached to? @name: may be NULL. @module: NULL: vmlinux */
bool coverage__is_unattached(const struct coverage *c, const char *name, const char *module);
/* Is it known which hit was the first? Not if results of several boots were merged. */
bool coverage__knows_first(const struct coverage *c);

/* Kinds of fields of struct coverage, besides those of base/json.h. A struct globs: */
extern const struct json_kind field_globs;
/* A const char * that lives as long as the coverage: */
extern const struct json_kind field_text;
/* A pointer of which a recording only says whether it is NULL: */
extern const struct json_kind field_given;

#endif
