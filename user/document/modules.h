/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The modules that a result is about. An offset in a module's text means something only together with the
 * build that it is of.
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
	bool came, went;	/* while it was recorded */
};

struct covered_modules {
	struct covered_module *list;
	size_t count;
};

/**
 * covered_modules__read() - the modules of the running kernel
 * @ret: empty before; to be freed in any case
 * @before: the symbols of when recording began
 * @after: those of its end; NULL: the same modules are there
 *
 * A module that came and went between the two is in neither list, and not found.
 *
 * Return: 0, or -ENOMEM, which is told.
 */
int covered_modules__read(struct covered_modules *ret, const struct symbols *before,
			  const struct symbols *after);
void covered_modules__free(struct covered_modules *m);

/**
 * covered_modules__add() - add one by its name alone
 * @m: the modules
 * @name: of the module
 *
 * Return: the module, or NULL without memory, which is told.
 */
struct covered_module *covered_modules__add(struct covered_modules *m, const char *name);

/* NULL: it is not among them. */
const struct covered_module *covered_modules__find(const struct covered_modules *m, const char *name);

/* A struct covered_modules in a document. */
extern const struct json_kind field_modules;

#endif
