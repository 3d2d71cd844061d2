// SPDX-License-Identifier: GPL-2.0
/*
 * Very early function tracing: where calls are recorded, and how they are read back.
 *
 * The memory is RESERVE_BRK's, as there is nothing else at the first call, and later also
 * memblock's. Calls are recorded in pieces of it, one after the other. A recorder always adds to
 * early_ftrace_pos, even if there is no room. So its value tells exactly how many calls
 * were lost, and after which call. A call takes twelve bytes: the low halves of both
 * addresses, which are in the kernel's text, and of the clock. When the clock's high half
 * has changed, it is written as an entry with an ip of zero. Each piece also keeps the
 * high half at its beginning. If returns are recorded as well, a call takes sixteen bytes:
 * its return adds the call's duration (trace_early_graph.c).
 *
 * For oneshot, calls need not be kept: a set of 64 KiB has each pair of function and
 * caller once, with the time of its first call.
 *
 * Contexts. Calls are recorded by one CPU, with interrupts off. Exceptions and NMIs may
 * interrupt a recorder, and also the code here. So the recorders' variables change only
 * before the recorder is on, when a piece is added or closed or the clock is set, and
 * after the recorder is off, in early_buffer_end(). After that, nothing changes any more,
 * and the calls can be read in any context.
 */
#define pr_fmt(fmt) "ftrace: early: " fmt

#include <linux/ftrace.h>
#include <linux/ftrace_early.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/sort.h>

#include "trace_early_internal.h"

/* An entry of the buffer. If ip is zero, parent_ip is the clock's high half. */
struct early_call {
	u32	ip;
	u32	parent_ip;
	u32	tsc;
	u32	took[];		/* one if returns are recorded, see EARLY_TOOK_UNKNOWN */
};

/* An entry of the set of oneshot. */
struct early_pair {
	u32	ip;
	u32	parent_ip;
	u32	tsc;
	u32	tsc_high;
};

static_assert(sizeof(struct early_call) == EARLY_CALL_SIZE);
static_assert(offsetof(struct early_call, took[1]) == EARLY_TIMED_CALL_SIZE);
static_assert(sizeof(struct early_pair) == EARLY_PAIR_SIZE);

/**
 * struct early_piece - memory that calls are recorded in
 * @start: the first call
 * @end: the end of the last call; for the piece in use, the end of its memory
 * @lost: the number of calls that were lost after the last call
 * @ahead: a difference to be added to the times of the calls
 * @tsc_high: the clock's high half at the first call
 */
struct early_piece {
	struct early_call	*start;
	struct early_call	*end;
	unsigned long		lost;
	u64			ahead;
	u32			tsc_high;
};

/*
 * One piece in the image, one from memblock, and one more when the clock is set. Each
 * time that tracing is switched on again takes another piece.
 */
#define EARLY_PIECES_NEEDED	3
#define EARLY_PIECES		(EARLY_PIECES_NEEDED + 29)

/**
 * struct early_buffer - the buffer, but for the recorders' variables
 * @call_size: bytes of an entry
 * @once: there is a set instead of a buffer
 * @paused: nothing is recorded at present
 * @pieces: the pieces of the buffer; the last one is in use
 * @nr: the number of pieces
 * @memory_end: where the memory of the last piece ends
 */
static struct early_buffer {
	size_t			call_size;
	bool			once;
	bool			paused;
	struct early_piece	pieces[EARLY_PIECES];
	unsigned int		nr;
	struct early_call	*memory_end;
} early_buffer __initdata;

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

/* The kernel's image is in the last 2 GiB of the address space. */
static unsigned long __init early_address(u32 low)
{
	return (unsigned long)(long)(s32)low;
}

static unsigned long __init early_ip(u32 low)
{
	return early_address(low) - MCOUNT_INSN_SIZE;
}

static u64 __init early_pair_clock(const struct early_pair *pair)
{
	return (u64)pair->tsc_high << 32 | pair->tsc;
}

/* The number of entries from @start to @end. */
static unsigned long __init early_nr(const struct early_call *start, const struct early_call *end)
{
	return ((unsigned long)end - (unsigned long)start) / early_buffer.call_size;
}

static struct early_call *__init early_next(const struct early_call *call)
{
	return (void *)call + early_buffer.call_size;
}

static struct early_call *__init early_prev(const struct early_call *call)
{
	return (void *)call - early_buffer.call_size;
}

/* The end of the entries that this memory has room for. */
static struct early_call *__init early_room_end(void *mem, size_t size)
{
	return mem + rounddown(size, early_buffer.call_size);
}

/* Decodes how long a call took, see EARLY_TOOK_UNKNOWN. */
static u64 __init early_took(const struct early_call *call)
{
	u32 took = early_buffer.call_size == EARLY_TIMED_CALL_SIZE ? call->took[0] : 0;

	if (took == EARLY_TOOK_UNKNOWN)
		return U64_MAX;
	return took & EARLY_TOOK_LONG ?
	       (u64)(took & ~EARLY_TOOK_LONG) << EARLY_TOOK_SHIFT : took;
}

/**
 * early_buffer_set_size - the memory that the set of oneshot takes
 *
 * Return: bytes.
 */
size_t __init early_buffer_set_size(void)
{
	return EARLY_PAIR_SIZE << EARLY_SET_SHIFT;
}

/**
 * early_buffer_init - set up the first piece, or the set of oneshot
 * @mem: zeroed memory
 * @size: bytes of it
 * @recorder: what will be recorded
 *
 * Return: how many bytes of @mem are used.
 */
size_t __init early_buffer_init(void *mem, size_t size, enum early_recorder recorder)
{
	struct early_piece *piece = &early_buffer.pieces[0];

	early_buffer.once = recorder == EARLY_RECORD_ONCE;
	early_buffer.call_size = recorder == EARLY_RECORD_RETURNS ? EARLY_TIMED_CALL_SIZE :
								    EARLY_CALL_SIZE;
	if (early_buffer.once) {
		early_ftrace_set = mem;
		return early_buffer_set_size();
	}

	piece->start = mem;
	piece->end = early_room_end(mem, size);
	early_buffer.nr = 1;
	early_buffer.memory_end = piece->end;
	early_ftrace_pos = piece->start;
	early_ftrace_end = piece->end;
	/* This value is never the present high half, so the first call writes that half. */
	early_ftrace_tsc_high = ~0U;
	return (void *)piece->end - mem;
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

/* Only count calls from here on. An NMI may still record some calls meanwhile. */
static void __init early_buffer_close(void)
{
	WRITE_ONCE(early_ftrace_end, min(READ_ONCE(early_ftrace_pos), early_ftrace_end));
}

/* The piece in use ends: note where, and how many calls were lost after that. */
static void __init early_piece_end(struct early_piece *piece, struct early_call *pos)
{
	piece->end = min(pos, early_ftrace_end);
	piece->lost = early_nr(piece->end, pos);
}

/*
 * Record calls in a new piece from here on: from @start, or from the end of the last call
 * if @start is NULL, to @end. If recording is paused, the piece is closed until recording
 * goes on. The caller takes care of the order of pieces. An NMI may come at any time, and
 * must not find the position of one piece with the end of another.
 */
static void __init early_buffer_continue_at(struct early_call *start, struct early_call *end)
{
	struct early_piece *old = &early_buffer.pieces[early_buffer.nr - 1], *piece = old + 1;

	/* No piece is left: calls are still counted at the end of the old piece. */
	if (early_buffer.nr == ARRAY_SIZE(early_buffer.pieces))
		return;

	early_piece_end(old, xchg(&early_ftrace_pos, EARLY_NOWHERE));
	if (!start)
		start = old->end;
	piece->start = start;
	piece->end = end;
	piece->tsc_high = early_ftrace_tsc_high;
	early_buffer.nr++;
	early_buffer.memory_end = end;
	WRITE_ONCE(early_ftrace_end, end);
	old->lost += early_nr(EARLY_NOWHERE, xchg(&early_ftrace_pos, start));
	/* Check this last, because an NMI may have set it meanwhile. */
	if (READ_ONCE(early_buffer.paused))
		early_buffer_close();
}

/**
 * early_buffer_add - record further calls in other memory
 * @mem: the memory; it need not be zeroed
 * @size: bytes of it
 *
 * Return: how many bytes of @mem are used; none for oneshot.
 */
size_t __init early_buffer_add(void *mem, size_t size)
{
	struct early_call *end = early_room_end(mem, size);

	if (early_buffer.once)
		return 0;
	early_buffer_continue_at(mem, end);
	return (void *)end - mem;
}

/**
 * early_buffer_pause - do not record from here on, but count lost calls
 *
 * Context: any, also NMI. No text is changed: interrupted code may be about to execute it.
 */
void __init early_buffer_pause(void)
{
	if (early_buffer.paused)
		return;

	WRITE_ONCE(early_buffer.paused, true);
	if (early_buffer.once)
		early_ftrace_pairs += EARLY_SET_MAX;
	else
		early_buffer_close();
}

/**
 * early_buffer_resume - record again
 *
 * Context: any, as of early_buffer_pause().
 */
void __init early_buffer_resume(void)
{
	if (!early_buffer.paused)
		return;
	/* The remaining pieces are reserved, see EARLY_PIECES_NEEDED. */
	if (early_buffer.nr > ARRAY_SIZE(early_buffer.pieces) - EARLY_PIECES_NEEDED)
		return;

	WRITE_ONCE(early_buffer.paused, false);
	if (early_buffer.once)
		early_ftrace_pairs -= EARLY_SET_MAX;
	/* If a piece is being added at this moment, early_buffer_continue_at() opens it. */
	else if (READ_ONCE(early_ftrace_pos) < EARLY_NOWHERE)
		early_buffer_continue_at(NULL, early_buffer.memory_end);
}

/**
 * early_buffer_paused - is recording paused?
 */
bool __init early_buffer_paused(void)
{
	return early_buffer.paused;
}

/**
 * early_buffer_move_time - adjust the recorded times to a clock that is set
 * @ahead: the new time minus the old one
 *
 * Recorded calls get the time that they would have if the clock had always been set
 * like this.
 *
 * Context: no function is called between this and the setting of the clock.
 */
void __init early_buffer_move_time(s64 ahead)
{
	unsigned int i;
	u64 clock;

	for (i = 0; early_buffer.once && i < 1 << EARLY_SET_SHIFT; i++) {
		clock = early_pair_clock(&early_ftrace_set[i]) + ahead;
		early_ftrace_set[i].tsc = clock;
		early_ftrace_set[i].tsc_high = clock >> 32;
	}
	if (early_buffer.once)
		return;
	for (i = 0; i < early_buffer.nr; i++)
		early_buffer.pieces[i].ahead += ahead;
	early_buffer_continue_at(NULL, early_buffer.memory_end);
}

/**
 * early_buffer_end - end recording
 */
void __init early_buffer_end(void)
{
	if (!early_buffer.once)
		early_piece_end(&early_buffer.pieces[early_buffer.nr - 1], early_ftrace_pos);
}

/* Where recorded calls end in a piece, also in the piece in use. */
static struct early_call *__init early_calls_end(unsigned int i)
{
	return i < early_buffer.nr - 1 ? early_buffer.pieces[i].end :
	       min3(READ_ONCE(early_ftrace_pos), early_ftrace_end, early_buffer.pieces[i].end);
}

/**
 * early_buffer_nr_entries - how much has been recorded by now?
 *
 * Return: the number of entries: calls, and changes of the clock's high half; 0 with oneshot.
 */
unsigned long __init early_buffer_nr_entries(void)
{
	unsigned long nr = 0;
	unsigned int i;

	for (i = 0; i < early_buffer.nr; i++)
		nr += early_nr(early_buffer.pieces[i].start, early_calls_end(i));
	return nr;
}

/**
 * early_buffer_nr_lost - how many calls have found no room?
 *
 * Context: after early_buffer_end().
 * Return: their number. With oneshot, a pair without room counts at each of its calls.
 */
unsigned long __init early_buffer_nr_lost(void)
{
	unsigned long lost = 0;
	unsigned int i;

	if (early_buffer.once)
		return early_ftrace_refused;
	for (i = 0; i < early_buffer.nr; i++)
		lost += early_buffer.pieces[i].lost;
	return lost;
}

static void __init early_read_calls(const struct early_reader *reader)
{
	const struct early_piece *piece;
	const struct early_call *call;
	struct early_hit hit = {};
	u64 high, clock;

	for (piece = early_buffer.pieces; piece < early_buffer.pieces + early_buffer.nr; piece++) {
		high = piece->tsc_high;
		for (call = piece->start; call < piece->end; call = early_next(call)) {
			if (!call->ip) {
				high = call->parent_ip;
				continue;
			}
			/*
			 * If an exception interrupts a recorder, the exception's calls come
			 * first, with later times.
			 */
			clock = (high << 32 | call->tsc) + piece->ahead;
			hit.clock = max(hit.clock, clock);
			hit.ip = early_ip(call->ip);
			hit.parent_ip = early_address(call->parent_ip);
			hit.took = early_took(call);
			/* The call's end stays as it was. */
			if (hit.took && hit.took != U64_MAX)
				hit.took -= min(hit.took - 1, hit.clock - clock);
			reader->call(reader->data, &hit);
		}
		if (piece->lost && reader->lost)
			reader->lost(reader->data, piece->lost);
	}
}

static int __init early_pair_cmp(const void *a, const void *b)
{
	u64 ta = early_pair_clock(a), tb = early_pair_clock(b);

	return ta < tb ? -1 : ta > tb;
}

/* Sorts the set, which cannot be searched any more after this. */
static void __init early_read_pairs(const struct early_reader *reader)
{
	struct early_pair *set = early_ftrace_set;
	struct early_hit hit = {};
	unsigned int i, nr = 0;

	for (i = 0; i < 1 << EARLY_SET_SHIFT; i++) {
		if (set[i].ip)
			set[nr++] = set[i];
	}
	sort(set, nr, sizeof(*set), early_pair_cmp, NULL);

	for (i = 0; i < nr; i++) {
		hit.ip = early_ip(set[i].ip);
		hit.parent_ip = early_address(set[i].parent_ip);
		hit.clock = early_pair_clock(&set[i]);
		reader->call(reader->data, &hit);
	}
}

/**
 * early_buffer_read - read all calls, or pairs, in order of time
 * @reader: what to do with the calls
 *
 * Context: after early_buffer_end(); once.
 */
void __init early_buffer_read(const struct early_reader *reader)
{
	if (early_buffer.once)
		early_read_pairs(reader);
	else
		early_read_calls(reader);
}

/*
 * Printing the last calls, if the kernel crashes before the tracer runs.
 */

/* Does a crash begin with this function? The boot calls panic() and oops_enter() only then. */
static bool __init early_begins_crash(unsigned long ip)
{
	/* The call site is at the function's head, after its landing pad, if any. */
	return ip - (unsigned long)panic < 16 || ip - (unsigned long)oops_enter < 16;
}

static void __init early_dump_one(unsigned int n, u32 ip, u32 parent_ip)
{
	pr_emerg("-%u %ps <- %pS\n", n, (void *)early_ip(ip), (void *)early_address(parent_ip));
}

static void __init early_dump_calls(unsigned int most)
{
	unsigned int i = early_buffer.nr, piece_of_end = early_buffer.nr - 1, n = 0;
	struct early_call *call, *end = NULL;
	bool paused;

	/* Skip the calls of the crash itself: there are many, above all on a slow console. */
	while (i--) {
		call = early_calls_end(i);
		while (call > early_buffer.pieces[i].start) {
			call = early_prev(call);
			if (call->ip && early_begins_crash(early_ip(call->ip))) {
				end = call;
				piece_of_end = i;
			}
		}
	}
	i = piece_of_end;
	paused = !end && early_buffer.paused;
	/* Read the end first, so that the calls that print this are left out. */
	if (!end)
		end = early_calls_end(i);
	pr_emerg("the last calls%s, latest first:\n",
		 paused ? " before tracing was switched off" : "");
	for (;; end = early_calls_end(--i)) {
		for (call = end; call > early_buffer.pieces[i].start && n < most;) {
			call = early_prev(call);
			if (call->ip)
				early_dump_one(++n, call->ip, call->parent_ip);
		}
		if (!i || n == most)
			break;
	}
}

/* The set has the first call of each pair. Print the pairs before the crash, latest first. */
static void __init early_dump_pairs(unsigned int most)
{
	const struct early_pair *set = early_ftrace_set, *last;
	u64 before = U64_MAX;
	unsigned int i, n;

	for (i = 0; i < 1 << EARLY_SET_SHIFT; i++) {
		if (set[i].ip && early_begins_crash(early_ip(set[i].ip)))
			before = min(before, early_pair_clock(&set[i]));
	}

	pr_emerg("the last calls that were new, latest first:\n");
	for (n = 1; n <= most; n++) {
		last = NULL;
		for (i = 0; i < 1 << EARLY_SET_SHIFT; i++) {
			u64 clock = early_pair_clock(&set[i]);

			if (set[i].ip && clock < before &&
			    (!last || clock > early_pair_clock(last)))
				last = &set[i];
		}
		if (!last)
			break;
		before = early_pair_clock(last);
		early_dump_one(n, last->ip, last->parent_ip);
	}
}

/**
 * early_buffer_dump - print the last calls before a crash, or the last new pairs
 * @most: how many at most
 *
 * Context: any, while calls are being recorded.
 */
void __init early_buffer_dump(unsigned int most)
{
	if (early_buffer.once)
		early_dump_pairs(most);
	else
		early_dump_calls(most);
}
