// SPDX-License-Identifier: GPL-2.0
/*
 * Very early function tracing: where calls are recorded, and how they are read back.
 *
 * There are two pieces. The first is RESERVE_BRK memory, as there is nothing else at the
 * first call. The second comes from memblock later. It has two parts if calls were only
 * counted while the ring buffer grew. A recorder always adds to early_ftrace_pos, even if
 * there is no room. So its value tells exactly how many calls were lost, and after which
 * call; the trace has an event at that place. A call takes twelve bytes: the low halves
 * of both addresses, which are in the kernel's text, and of the clock. When the clock's
 * high half has changed, it is written as an entry with an ip of zero. Each piece also
 * keeps the high half at its beginning.
 *
 * For oneshot, calls need not be kept: a set of 64 KiB has each pair of function and
 * caller once, with the time. It becomes the beginning of the tracer's set.
 */
#define pr_fmt(fmt) "ftrace: early: " fmt

#include <linux/ftrace_early.h>
#include <linux/init.h>
#include <linux/memblock.h>
#include <linux/mm.h>
#include <linux/sort.h>

#include "trace.h"
#include "trace_early_internal.h"

/*
 * The recorders' variables. early_ftrace_end is where the piece in use ends, or where
 * it was closed. Calls after that are only counted.
 */
struct early_call *early_ftrace_pos __initdata;
struct early_call *early_ftrace_end __initdata;
u32 early_ftrace_tsc_high __initdata;
struct early_pair *early_ftrace_set __initdata;
u32 early_ftrace_pairs __initdata;
u32 early_ftrace_refused __initdata;

/**
 * early_buffer_init - set up the first piece, or the set of oneshot
 * @mem: zeroed memory
 * @size: bytes of it
 */
void __init early_buffer_init(void *mem, size_t size)
{
	struct early_piece *piece;

	if (early_state.once) {
		early_ftrace_set = mem;
		early_stats.buffer_bytes = EARLY_PAIR_SIZE << EARLY_SET_SHIFT;
		return;
	}

	piece = &early_state.pieces[early_state.nr_pieces++];
	piece->start = mem;
	piece->end = piece->start + size / sizeof(*piece->start);
	early_ftrace_pos = piece->start;
	early_ftrace_end = piece->end;
	early_state.memory_end = piece->end;
	/* This value is never the present high half, so the first call writes that half. */
	early_ftrace_tsc_high = ~0U;
	early_stats.buffer_bytes = (piece->end - piece->start) * sizeof(*piece->start);
}

/* Calls that found no room in the piece in use. */
static unsigned long __init early_lost_now(void)
{
	struct early_call *pos = READ_ONCE(early_ftrace_pos);

	return pos > early_ftrace_end ? pos - early_ftrace_end : 0;
}

/**
 * early_nr_lost - how many calls or pairs have found no room so far?
 *
 * Return: calls, or pairs.
 */
unsigned long __init early_nr_lost(void)
{
	unsigned long lost = early_lost_now();
	unsigned int i;

	if (early_state.once)
		return early_ftrace_refused;
	for (i = 0; i < early_state.nr_pieces; i++)
		lost += early_state.pieces[i].lost;
	return lost;
}

/*
 * The position while there is no piece: calls are lost, and counted from here. Nothing
 * else has this address, and there are enough addresses after it for the count.
 */
#ifdef CONFIG_64BIT
#define EARLY_NOWHERE	((struct early_call *)-(1UL << 30))
#else
#define EARLY_NOWHERE	((struct early_call *)-65536UL)
#endif

/**
 * early_buffer_close - only count calls from here on
 *
 * An NMI may still record some meanwhile.
 */
void __init early_buffer_close(void)
{
	WRITE_ONCE(early_ftrace_end, min(READ_ONCE(early_ftrace_pos), early_ftrace_end));
}

/**
 * early_buffer_continue_at - record calls in a new piece from here on
 * @start: where its memory begins, or NULL for the end of the last call
 * @end: where it ends
 *
 * If tracing is off, the piece is closed until tracing is on again. The caller takes
 * care of the order of pieces. An NMI may come at any time, and must not find the
 * position of one piece with the end of another.
 */
void __init early_buffer_continue_at(struct early_call *start, struct early_call *end)
{
	struct early_piece *old = &early_state.pieces[early_state.nr_pieces - 1];
	struct early_piece *piece = &early_state.pieces[early_state.nr_pieces];
	struct early_call *pos;

	/* Calls are still counted at the end of the old piece. */
	if (early_state.nr_pieces == ARRAY_SIZE(early_state.pieces))
		return;

	pos = xchg(&early_ftrace_pos, EARLY_NOWHERE);
	old->end = min(pos, early_ftrace_end);
	old->lost = pos - old->end;

	if (!start)
		start = old->end;
	piece->start = start;
	piece->end = end;
	piece->tsc_high = early_ftrace_tsc_high;
	early_state.nr_pieces++;
	early_state.memory_end = end;
	WRITE_ONCE(early_ftrace_end, end);
	old->lost += xchg(&early_ftrace_pos, start) - EARLY_NOWHERE;
	/* Check this last, because an NMI may have set it meanwhile. */
	if (READ_ONCE(early_state.off))
		early_buffer_close();
}

/**
 * early_ftrace_extend - add memory to the buffer
 *
 * As much again as it had, and more on larger machines: the more memory they have,
 * the more calls they make (1.1 million with 256 GiB).
 *
 * Context: as soon as memblock can allocate memory above the low megabyte.
 */
void __init early_ftrace_extend(void)
{
	phys_addr_t ram = memblock_phys_mem_size();
	struct early_call *end;
	size_t size;

	if (!early_ftrace_on || early_state.once)
		return;

	size = early_state.brk_size + (ram >> 13);
	size = PAGE_ALIGN(min_t(phys_addr_t, size, ram >> 4));
	early_state.memblock = memblock_alloc_raw(size, PAGE_SIZE);
	if (!early_state.memblock) {
		pr_warn("no memory for %zu bytes more\n", size);
		return;
	}
	early_state.memblock_size = size;

	end = (struct early_call *)early_state.memblock + size / sizeof(*end);
	early_stats.buffer_bytes += size / sizeof(*end) * sizeof(*end);
	early_buffer_continue_at(early_state.memblock, end);
}

/**
 * early_ftrace_off - tracing is switched off before the tracer has started
 *
 * A warning does so with traceoff_on_warning, and a debugger as long as it has the
 * machine. Calls until tracing is on again are counted as lost, so the trace tells of
 * them.
 *
 * Context: any, also NMI. No text is changed: others may be about to execute it.
 */
void __ref early_ftrace_off(void)
{
	if (!early_ftrace_on || early_state.off)
		return;

	WRITE_ONCE(early_state.off, true);
	if (early_state.once)
		early_ftrace_pairs += EARLY_SET_MAX;
	else
		early_buffer_close();
}

/**
 * early_ftrace_resume - tracing is switched on again
 *
 * Context: any, as of early_ftrace_off().
 */
void __ref early_ftrace_resume(void)
{
	if (!early_ftrace_on || !early_state.off)
		return;
	/* The remaining pieces are reserved, see EARLY_PIECES_NEEDED. */
	if (early_state.nr_pieces > ARRAY_SIZE(early_state.pieces) - EARLY_PIECES_NEEDED)
		return;

	WRITE_ONCE(early_state.off, false);
	if (early_state.once)
		early_ftrace_pairs -= EARLY_SET_MAX;
	/* If a piece is being added at this moment, it will be open without our help. */
	else if (READ_ONCE(early_ftrace_pos) < EARLY_NOWHERE)
		early_buffer_continue_at(NULL, early_state.memory_end);
}

/**
 * early_piece_end - where recorded calls end in a piece
 * @i: its number
 *
 * Return: the end of the last one.
 */
struct early_call *__init early_piece_end(unsigned int i)
{
	return i == early_state.nr_pieces - 1 ? min(READ_ONCE(early_ftrace_pos), early_ftrace_end) :
					  early_state.pieces[i].end;
}

/**
 * early_nr_calls - how many calls have been recorded by now?
 *
 * Return: their number, markers included.
 */
unsigned long __init early_nr_calls(void)
{
	unsigned long nr = 0;
	unsigned int i;

	for (i = 0; i < early_state.nr_pieces; i++)
		nr += early_piece_end(i) - early_state.pieces[i].start;
	return nr;
}

/**
 * early_ftrace_mark - note the moment when ftrace comes up, which no traced call shows
 */
void __init early_ftrace_mark(void)
{
	if (early_ftrace_on)
		early_state.mark = early_nr_calls();
}

/**
 * early_read_calls - read all calls, in order
 * @tr: for @fn and @lost
 * @fn: called for each one
 * @lost: called where calls are missing, or NULL
 */
void __init early_read_calls(struct trace_array *tr, early_fn fn,
			     void (*lost)(struct trace_array *tr, unsigned long nr))
{
	unsigned long n = 0, missing;
	struct early_call *call;
	unsigned int i;
	u64 high;

	for (i = 0; i < early_state.nr_pieces; i++) {
		high = early_state.pieces[i].tsc_high;
		for (call = early_state.pieces[i].start; call < early_piece_end(i); call++) {
			if (n++ == early_state.mark)
				early_stats.before_ftrace_init = early_stats.recorded;
			if (!call->ip) {
				high = call->parent_ip;
				continue;
			}
			fn(tr, early_ip(call->ip), early_address(call->parent_ip),
			   (high << 32 | call->tsc) + early_state.pieces[i].ahead);
		}
		missing = i == early_state.nr_pieces - 1 ? early_lost_now() :
							   early_state.pieces[i].lost;
		if (missing && lost)
			lost(tr, missing);
	}
	/* No call has found room since ftrace came up. */
	if (n && n == early_state.mark)
		early_stats.before_ftrace_init = early_stats.recorded;
}

static int __init early_pair_cmp(const void *a, const void *b)
{
	u64 ta = early_pair_tsc(a), tb = early_pair_tsc(b);

	return ta < tb ? -1 : ta > tb;
}

/**
 * early_read_pairs - read all pairs, in order of time
 * @tr: for @fn
 * @fn: called for each one
 *
 * The set cannot be searched any more after this.
 */
void __init early_read_pairs(struct trace_array *tr, early_fn fn)
{
	struct early_pair *set = early_ftrace_set;
	unsigned int i, nr = 0;

	for (i = 0; i < 1 << EARLY_SET_SHIFT; i++) {
		if (set[i].ip)
			set[nr++] = set[i];
	}
	sort(set, nr, sizeof(*set), early_pair_cmp, NULL);

	for (i = 0; i < nr; i++)
		fn(tr, early_ip(set[i].ip), early_address(set[i].parent_ip),
		   early_pair_tsc(&set[i]));
}
