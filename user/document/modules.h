/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The modules that a result is about. An offset in a module's text only has a meaning together with
 * the module's build.
 */
#ifndef HYTRACE_DOCUMENT_MODULES_H
#define HYTRACE_DOCUMENT_MODULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/json.h"
#include "kernel/symbols.h"

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

#endif
