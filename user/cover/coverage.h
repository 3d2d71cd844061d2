/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The result of one engine's run: what was seen, where and when it looked, and what it lost. Engines
 * fill it, reports print it, a json document is it in writing, and `hytrace compare` lays two of them
 * side by side.
 */
#ifndef HYTRACE_COVER_COVERAGE_H
#define HYTRACE_COVER_COVERAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strings.h"
#include "cover/filter.h"
#include "kernel/kernel_id.h"
#include "kernel/module_files.h"
#include "kernel/symbols.h"
#include "kernel/traceable.h"

/* Rises when a field changes its meaning or goes away; new fields do not raise it. */
#define COVERAGE_SCHEMA 1

enum hit_kind {
	HIT_FUNCTION = 1,
	HIT_CALLER = 2,
	HIT_BOTH = HIT_FUNCTION | HIT_CALLER,
};

struct hit {
	uint64_t addr;		/* run time: a function's entry, a caller's return address; 0: unknown */
	uint64_t link;		/* the same as linked; 0: unknown, or in a module */
	uint64_t offset;	/* in its module's .text, with a module */
	uint64_t first_ns;
	const char *name;	/* of the function it lies in; NULL: unknown */
	const char *module;	/* NULL: vmlinux */
	unsigned int kind;
	uint32_t cpu;
	uint32_t pid;
};

struct counter {
	const char *name;
	uint64_t value;
};

struct counters {
	struct counter *list;
	size_t count;
};

/* Times of the clock "local" of the ring buffer, in ns; the two pairs bracket opening and closing. */
struct window {
	uint64_t opening, open, closing, closed;
	uint64_t error;		/* how far first_ns may be off against another engine's */
};

enum scope {
	SCOPE_SYSTEM,
	SCOPE_TASK,		/* the command and its children */
	SCOPE_PID,
	SCOPE_BOOT,
};

struct coverage {
	char *engine;
	struct kernel_id kernel;
	char *boot_id;		/* times and addresses of one boot mean nothing in another */
	char **command;		/* NULL-terminated, or NULL */
	struct filter filter;
	enum scope scope;
	long pid;
	bool callers;
	double seconds;
	struct window window;

	struct hit *hits;	/* in order of first hit */
	size_t count, room;
	size_t traceable;	/* what the kernel could trace when tracing began */
	size_t traced;		/* what was asked for of that, and attached */
	size_t traced_seen;	/* of those; init code that is freed and later modules are beside it */
	char **modules;		/* traced ones; NULL-terminated */
	bool follows_modules;	/* traces what is loaded later, too */
	char **unattached;	/* functions asked for that the engine could not attach to */

	struct counters lost;	/* each a reason why something may be missing */
	struct counters cost;
	struct strings *names;
};

int coverage__init(struct coverage *c, const char *engine);
void coverage__free(struct coverage *c);

int counters__add(struct counters *counters, const char *name, uint64_t value);
/* 0 when there is none of that name. */
uint64_t counters__get(const struct counters *counters, const char *name);
uint64_t coverage__losses(const struct coverage *c);

/* A copy of @hit; its strings must live as long as the coverage (coverage__name()). */
int coverage__add(struct coverage *c, const struct hit *hit);
const char *coverage__name(struct coverage *c, const char *name);

/*
 * One record per address: a return address right behind a call that does not return is the next
 * function's entry. Then in order of first hit.
 */
void coverage__settle(struct coverage *c);

size_t coverage__functions(const struct coverage *c);
size_t coverage__callers(const struct coverage *c);

const char *scope__name(enum scope scope);

/* Where an address lies, by the tables of when tracing began and of when it ended. */
struct places {
	const struct symbols *before, *after;
	const struct traceable *traceable;
	const struct kernel_id *kernel;
	struct module_files *files;	/* for modules that came and went between the two */
};

/*
 * Fills name, module, offset and link of a hit whose addr is set; a function's address may be its traced
 * instruction, and becomes its entry. False: nothing known lies there, or generated code.
 */
bool places__resolve(const struct places *p, struct coverage *c, struct hit *hit);
/* The same for a hit that is known by module and offset, as the oneshot tracer gives them. */
void places__resolve_offset(const struct places *p, struct coverage *c, struct hit *hit);

#endif
