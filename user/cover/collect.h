/* SPDX-License-Identifier: GPL-2.0-only */
/* From what an engine has recorded to a result that says everything about it. */
#ifndef HYTRACE_COVER_COLLECT_H
#define HYTRACE_COVER_COLLECT_H

#include "cover/engines.h"

/* What is known of the kernel when tracing begins. */
struct kernel {
	struct symbols *symbols;
	struct traceable *traceable;
	struct kernel_id id;
	struct call_sites *sites;
	struct module_files *files;
};

/* The clocks, before opening and after closing. */
struct clocks {
	struct clock_pair first, last;
};

/* The functions that somebody asked for. */
size_t kernel__count_asked_for(const struct kernel *k, const struct filter *filter);

/*
 * What @e has recorded. @after: the symbols of when it ended; NULL: as they were. @ret is to be freed also
 * after a failure.
 */
int collect__run(struct coverage *ret, const struct running *e, const struct request *request,
		 const struct kernel *k, const struct symbols *after, const struct clocks *clocks);
/* What was recorded since boot, up to now. Nothing is started or stopped. */
int collect__boot(struct coverage *ret, const struct request *request, const struct kernel *k);

#endif
