/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Very early function tracing: declarations that its files share. Each file has its
 * own state, and only uses the files above it:
 *
 *	trace_early_cmdline.c	the command line; a unit test compiles this file alone
 *	trace_early_filter.c	filters, as sets of call sites
 *	trace_early_graph.c	open calls, whose returns are recorded
 *	trace_early_buffer.c	where calls are recorded, and how they are read back
 *	trace_early.c		from the first call to the instance that shows them
 */
#ifndef _KERNEL_TRACE_EARLY_INTERNAL_H
#define _KERNEL_TRACE_EARLY_INTERNAL_H

#include <linux/ftrace_early.h>
#include <linux/types.h>

#include "trace_early_cmdline.h"

/* trace_early_filter.c */
size_t early_filter_sites_size(const struct early_params *params);
size_t early_filter_scratch_size(const struct early_params *params);
unsigned long early_filter_init(const struct early_params *params, void *sites, void *scratch);

/* trace_early_graph.c */
size_t early_graph_size(void);
void early_graph_init(void *mem);
void early_graph_move_time(s64 ahead);
void early_graph_end(void);

/* trace_early_buffer.c */

/**
 * struct early_hit - a recorded call, or a pair of oneshot
 * @ip: the function's call site
 * @parent_ip: its caller
 * @clock: when it was called
 * @took: how long the call took, by that clock; 0 if it has not returned, or if returns are
 *	not recorded; U64_MAX if its return was not watched
 */
struct early_hit {
	unsigned long	ip;
	unsigned long	parent_ip;
	u64		clock;
	u64		took;
};

/**
 * struct early_reader - what to do with the calls that are read back
 * @call: called for each call, or each pair of oneshot. The time never goes back
 * @lost: called for each gap in the calls; NULL: gaps are ignored
 * @data: passed to @call and @lost
 */
struct early_reader {
	void	(*call)(void *data, const struct early_hit *hit);
	void	(*lost)(void *data, unsigned long nr);
	void	*data;
};

size_t early_buffer_set_size(void);
size_t early_buffer_init(void *mem, size_t size, enum early_recorder recorder);
size_t early_buffer_add(void *mem, size_t size);
void early_buffer_pause(void);
void early_buffer_resume(void);
bool early_buffer_paused(void);
void early_buffer_move_time(s64 ahead);
void early_buffer_end(void);
unsigned long early_buffer_nr_entries(void);
unsigned long early_buffer_nr_lost(void);
void early_buffer_read(const struct early_reader *reader);
void early_buffer_dump(unsigned int most);

#endif /* _KERNEL_TRACE_EARLY_INTERNAL_H */
