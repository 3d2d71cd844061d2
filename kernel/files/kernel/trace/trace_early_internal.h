/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Very early function tracing: declarations that its files share. trace_early.c tells
 * how they fit together, and has the state. Apart from that, each file only uses the
 * files above it:
 *
 *	trace_early_cmdline.c	the command line; a unit test compiles this file alone
 *	trace_early_filter.c	filters, as sets of call sites
 *	trace_early_buffer.c	where calls are recorded, and how they are read back
 *	trace_early_time.c	from the raw clock to the trace clock
 *	trace_early_copy.c	copying calls to the tracer's ring buffer, or set
 *	trace_early_report.c	the kernel log, early_stats, the last calls of a crash
 *	trace_early.c		from the first call to the hand-over
 */
#ifndef _KERNEL_TRACE_EARLY_INTERNAL_H
#define _KERNEL_TRACE_EARLY_INTERNAL_H

#include <linux/ftrace.h>
#include <linux/ftrace_early.h>
#include <linux/init.h>
#include <linux/types.h>

#include "trace_early_cmdline.h"

struct trace_array;

/* An entry of the buffer. If ip is zero, parent_ip is the clock's high half. */
struct early_call {
	u32	ip;
	u32	parent_ip;
	u32	tsc;
};

/* An entry of the set of oneshot. */
struct early_pair {
	u32	ip;
	u32	parent_ip;
	u32	tsc;
	u32	tsc_high;
};

static_assert(sizeof(struct early_call) == EARLY_CALL_SIZE);
static_assert(sizeof(struct early_pair) == EARLY_PAIR_SIZE);

/**
 * struct early_piece - memory that calls are recorded in
 * @start: the first call
 * @end: the end of the last call; of the piece in use, the end of its memory
 * @lost: calls that were lost after its last one
 * @ahead: a difference to be added to its times
 * @tsc_high: the clock's high half at its first call
 */
struct early_piece {
	struct early_call	*start;
	struct early_call	*end;
	unsigned long		lost;
	u64			ahead;
	u32			tsc_high;
};

/*
 * One piece in the image, two from memblock, and one more when the clock is set. Each
 * time that tracing is switched on again takes another one.
 */
#define EARLY_PIECES_NEEDED	4
#define EARLY_PIECES		(EARLY_PIECES_NEEDED + 28)

/**
 * struct early_state - very early tracing, until the hand-over
 * @once: for oneshot: record each pair of function and caller once
 * @off: tracing is switched off at present
 * @dump_on_oops: print the last calls before a crash
 * @only: ftrace_filter=, NULL without
 * @except: ftrace_notrace=, NULL without
 * @only_sites: the sites that @only selects, a bit for each entry of the mcount table
 * @except_sites: the sites that @except selects
 * @brk: memory in the image: first the sets of sites, then calls
 * @brk_size: bytes of it
 * @memblock: memory that was added
 * @memblock_size: bytes of it
 * @pieces: the pieces of the buffer; the last one is in use
 * @nr_pieces: how many
 * @memory_end: where the memory of the last one ends
 * @mark: how many entries there were when ftrace came up
 * @first_tsc: the raw clock when the recorder was switched on
 * @tr: the trace_array whose tracer is about to start; NULL before
 */
struct early_state {
	bool			once;
	bool			off;
	bool			dump_on_oops;
	char			*only;
	char			*except;
	unsigned long		*only_sites;
	unsigned long		*except_sites;
	void			*brk;
	size_t			brk_size;
	void			*memblock;
	size_t			memblock_size;
	struct early_piece	pieces[EARLY_PIECES];
	unsigned int		nr_pieces;
	struct early_call	*memory_end;
	unsigned long		mark;
	u64			first_tsc;
	struct trace_array	*tr;
};

extern struct early_state early_state;

/* For the file early_stats. This stays when all of the above is gone. */
struct early_stats {
	const char	*tracer;
	const char	*refused;
	const char	*clock;
	unsigned long	recorded;
	unsigned long	before_ftrace_init;
	unsigned long	lost;
	unsigned long	overwritten;
	unsigned long	before_zero;
	unsigned long	sites;
	struct early_ftrace_sites changed;
	unsigned long	buffer_bytes;
	unsigned long	ring_buffer_bytes;
	u64		first;
	u64		last;
	u64		filter_cycles;
	u64		copy_cycles;
	u64		convert_cycles;
	u32		khz;
	int		cpu;
};

extern struct early_stats early_stats;

/* The kernel's image is in the last 2 GiB of the address space. */
static inline unsigned long early_address(u32 low)
{
	return (unsigned long)(long)(s32)low;
}

static inline unsigned long early_ip(u32 low)
{
	return early_address(low) - MCOUNT_INSN_SIZE;
}

static inline u64 early_pair_tsc(const struct early_pair *pair)
{
	return (u64)pair->tsc_high << 32 | pair->tsc;
}

/* trace_early_filter.c */
size_t early_filter_sites_size(void);
size_t early_filter_scratch_size(void);
void early_filter_init(void *scratch);

/* trace_early_buffer.c */
typedef void (*early_fn)(struct trace_array *tr, unsigned long ip, unsigned long parent_ip,
			 u64 tsc);

void early_buffer_init(void *mem, size_t size);
void early_buffer_close(void);
void early_buffer_continue_at(struct early_call *start, struct early_call *end);
struct early_call *early_piece_end(unsigned int i);
unsigned long early_nr_calls(void);
unsigned long early_nr_lost(void);
void early_read_calls(struct trace_array *tr, early_fn fn,
		      void (*lost)(struct trace_array *tr, unsigned long nr));
void early_read_pairs(struct trace_array *tr, early_fn fn);

/* trace_early_time.c */
void early_time_init(struct trace_array *tr);
u64 early_stamp_clock(void);
u64 early_to_local_clock(u64 tsc);
u64 early_to_trace_clock(u64 tsc);

/* trace_early_copy.c */
void early_copy(struct trace_array *tr);
void early_drop(void);

/* trace_early_report.c */
void early_report_begin(void);
void early_report_end(void);

#endif /* _KERNEL_TRACE_EARLY_INTERNAL_H */
