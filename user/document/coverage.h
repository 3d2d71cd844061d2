/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The result of one engine's run: what was seen, where and when it looked, and what it lost. Engines
 * fill it, reports print it, a json document is it in writing, and `hytrace compare` lays two of them
 * side by side.
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
 * Rises when a field changes its meaning or goes away; new fields do not raise it, nor do counters, which are
 * read by name.
 */
#define COVERAGE_SCHEMA 2

/* Times of the clock "local" of the ring buffer, in ns; the two pairs bracket opening and closing. */
struct window {
	uint64_t opening, open, closing, closed;
	uint64_t error;		/* how far first_ns may be off against another engine's */
};

struct coverage {
	char *engine;
	char *host;
	struct kernel_id kernel;
	char *boot_id;		/* times and addresses of one boot mean nothing in another */
	char **command;		/* NULL-terminated, or NULL */
	struct filter filter;
	struct scope scope;	/* its texts, and how's, are not freed */
	struct cover_how how;
	uint64_t started;	/* when recording began, in ns of CLOCK_REALTIME; 0: unknown */
	double seconds;
	enum ending ended;
	long status;		/* of the command, as a shell has it; -1: none, or it went on */
	struct window window;

	struct hits hits;
	size_t traceable;	/* what the kernel could trace when tracing began */
	size_t traced;		/* of that, what was asked for; what hytrace itself leaves out as well */
	size_t traced_seen;	/* of those; init code that is freed and later modules are beside it */
	struct covered_modules modules;	/* those that were there at first, and those that came */
	bool follows_modules;	/* traces what is loaded later, too */
	/* Functions asked for that the engine could not attach to, as function__full_name() has them. */
	char **unattached;

	struct counters lost;	/* each a reason why something may be missing */
	struct counters cost;
};

int coverage__init(struct coverage *c, const char *engine);
void coverage__free(struct coverage *c);

/* Members of struct coverage in a document, besides those of base/json.h: a struct globs, ... */
extern const struct json_kind field_globs;
/* ... a const char * that lives as long as the coverage does, ... */
extern const struct json_kind field_text;
/* ... and one of which a document says only whether it is NULL. */
extern const struct json_kind field_given;

#endif
