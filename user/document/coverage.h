/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The result of one engine's run: what was seen, where and when it looked, and what it lost.
 * Engines fill it, reports print it, a json document is its written form, and `hytrace compare`
 * compares two of them.
 */
#ifndef HYTRACE_DOCUMENT_COVERAGE_H
#define HYTRACE_DOCUMENT_COVERAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/counters.h"
#include "document/filter.h"
#include "document/modules.h"
#include "document/scope.h"
#include "kernel/hits.h"
#include "kernel/kernel_id.h"
#include "run/workload.h"

/*
 * It is increased when a field changes its meaning or is removed. New fields do not increase it,
 * nor do new counters, which are read by name.
 */
#define COVERAGE_SCHEMA 2

/*
 * Times of the ring buffer's clock "local" in ns. One pair encloses the opening of the gate, the
 * other the closing.
 */
struct window {
	uint64_t opening, open, closing, closed;
	uint64_t error;		/* how much first_ns may differ from another engine's */
};

/* One of the results that were merged. */
struct merged_run {
	char *engine, *host, *boot_id;
	uint64_t started;
	double seconds;
	bool complete;
};

struct coverage {
	char *engine;		/* "several", if results of several engines were merged */
	char *host;
	struct kernel_id kernel;
	char *boot_id;		/* times and addresses of two boots cannot be compared */
	char **command;		/* NULL-terminated, or NULL */
	struct filter filter;
	struct scope scope;	/* its texts, and those of how, are not freed */
	struct cover_how how;
	uint64_t started;	/* when recording began, in ns of CLOCK_REALTIME; 0: unknown */
	double seconds;
	enum ending ended;
	long status;		/* the command's, as a shell has it; -1: there is none, or it has not ended */
	struct window window;

	struct hits hits;
	size_t traceable;	/* how many functions the kernel could trace when tracing began */
	size_t traced;		/* how many of these were asked for; those that hytrace leaves out count as well */
	size_t traced_seen;	/* how many of those were seen; without freed init code and later modules */
	struct covered_modules modules;	/* the modules of the beginning, and those that came */
	bool follows_modules;	/* modules that are loaded later are traced, too */
	/*
	 * Functions that were asked for and could not be attached to, in the form of
	 * function__full_name().
	 */
	char **unattached;

	struct merged_run *merged;	/* the results that this one is the union of; NULL: it is of one run */
	size_t merged_count;

	struct counters lost;	/* each a reason why something may be missing */
	struct counters cost;
};

void coverage__init(struct coverage *c, const char *engine);
void coverage__free(struct coverage *c);

/* Are they of the same boot, so that their times and process numbers can be compared? */
bool coverage__same_boot(const struct coverage *a, const struct coverage *b);
/* Are they known to be of one build, of the kernel and of @module? @module: NULL: of the kernel only */
bool coverage__same_build(const struct coverage *a, const struct coverage *b, const char *module);
/* Is an address the same function in both, because they are of one build of the kernel, and of each module? */
bool coverage__same_builds(const struct coverage *a, const struct coverage *b);
bool coverage__same_command(const struct coverage *a, const struct coverage *b);
/* Are all tasks that @c is about among those of @other? A document has no number of its command's process. */
bool coverage__lies_in(const struct coverage *c, const struct coverage *other);
/* Was it asked for, and could not be attached to? @name: may be NULL; @module: NULL: vmlinux */
bool coverage__is_unattached(const struct coverage *c, const char *name, const char *module);
/* Is it known which hit was the first? Of several boots it is not. */
bool coverage__knows_first(const struct coverage *c);

/*
 * Kinds of members of struct coverage in a document, besides those of base/json.h: a struct globs;
 */
extern const struct json_kind field_globs;
/* a const char * that lives as long as the coverage; */
extern const struct json_kind field_text;
/* and one for which a document only says whether it is NULL. */
extern const struct json_kind field_given;

#endif
