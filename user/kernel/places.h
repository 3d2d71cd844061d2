/* SPDX-License-Identifier: GPL-2.0-only */
/* Where an address lies, by the tables of when tracing began and of when it ended. */
#ifndef HYTRACE_KERNEL_PLACES_H
#define HYTRACE_KERNEL_PLACES_H

#include <stdbool.h>

#include "kernel/call_sites.h"
#include "kernel/hits.h"
#include "kernel/kernel_id.h"
#include "kernel/module_files.h"
#include "kernel/symbols.h"
#include "kernel/traceable.h"

struct places {
	const struct symbols *before, *after;
	const struct traceable *traceable;
	const struct kernel_id *kernel;
	const struct call_sites *sites;	/* NULL: callers are where they ran */
	struct module_files *files;	/* for modules that came and went between the two */
};

/*
 * Fills name, module, offset and link of a hit whose addr is set; a function's address may be its
 * traced instruction, and becomes its entry. False: nothing known lies there, or generated code.
 * @hits: whose hit it is to be.
 */
bool places__resolve(const struct places *p, struct hits *hits, struct hit *hit);
/* The same for a hit that is known by module and offset, as the oneshot tracer gives them. */
void places__resolve_offset(const struct places *p, struct hits *hits, struct hit *hit);

#endif
