// SPDX-License-Identifier: GPL-2.0
/*
 * Very early function tracing: open calls, whose returns are recorded.
 *
 * With ftrace_early=graph, the recorder of a call replaces the function's return address by that of
 * early_ftrace_return(), and keeps it here, in a stack of frames. So the function returns to
 * early_ftrace_return(). This writes into the call's entry of the buffer how long the call took,
 * takes the frame from the stack, and goes to where the function would have returned. If a function
 * jumps to another one at its end, both functions share one slot on the machine's stack. Then this
 * slot has two frames, and the upper frame keeps the address of early_ftrace_return().
 *
 * Time. The recorder and early_ftrace_return() read the clock. A call took the time between these
 * two readings. So code that runs without being recorded counts for the innermost recorded call
 * that has not returned, and calls nest exactly, but for the rounding of long durations.
 *
 * Invariants. There is one CPU, and one task, until the hand-over, early_ftrace_hand_over(). An
 * exception or an NMI returns from every function that it calls. So it leaves early_ftrace_frame as
 * it was. A frame is taken, and given back, by one instruction. An interruption after this
 * instruction uses the frames above, and an interruption before it has given its frames back. The
 * address in a slot is replaced after its frame has been filled. If there is no frame left, the
 * return is not watched, and the call's time is unknown.
 *
 * At the hand-over, the functions that have not returned get their return addresses back. So
 * nothing returns to early_ftrace_return() after that, and the frames are gone with the early
 * memory. Until then, unwinders ask early_ftrace_ret_addr(). _RET_IP_ is the address of
 * early_ftrace_return(), as it is that of return_to_handler() with the function_graph tracer.
 */
#include <linux/build_bug.h>
#include <linux/cache.h>
#include <linux/ftrace_early.h>
#include <linux/init.h>

#include "trace_early_internal.h"

/**
 * struct early_frame - a call that has not returned
 * @call: its entry of the buffer
 * @ret: its return address, which may be early_ftrace_returned
 * @slot: where the return address is on the stack
 * @clock: when it was called
 */
struct early_frame {
	struct early_call	*call;
	unsigned long		ret;
	unsigned long		*slot;
	u64			clock;
};

/* ftrace_early_record.S has these offsets. */
static_assert(offsetof(struct early_frame, call) == 0);
static_assert(offsetof(struct early_frame, ret) == sizeof(long));
static_assert(offsetof(struct early_frame, slot) == 2 * sizeof(long));
static_assert(offsetof(struct early_frame, clock) == 3 * sizeof(long));
static_assert(sizeof(struct early_frame) == 3 * sizeof(long) + 8);

static struct early_frame *early_frames __initdata;

/* The recorder's variables: the frame above the innermost open call, and the frames' end. */
struct early_frame *early_ftrace_frame __initdata;
struct early_frame *early_ftrace_frames_end __initdata;

unsigned long early_ftrace_ret_to __ro_after_init;

/**
 * early_graph_size - the memory that open calls take
 *
 * Return: bytes.
 */
size_t __init early_graph_size(void)
{
	return EARLY_FRAMES * sizeof(struct early_frame);
}

/**
 * early_graph_init - set up the stack of open calls
 * @mem: zeroed memory, of early_graph_size()
 */
void __init early_graph_init(void *mem)
{
	early_frames = mem;
	early_ftrace_frame = mem;
	early_ftrace_frames_end = mem + early_graph_size();
	early_ftrace_ret_to = (unsigned long)early_ftrace_returned;
}

/**
 * early_graph_move_time - adjust the times of open calls to a clock that is set
 * @ahead: the new time minus the old one
 *
 * Context: no function is called between this and the setting of the clock.
 */
void __init early_graph_move_time(s64 ahead)
{
	struct early_frame *frame;

	for (frame = early_frames; frame < early_ftrace_frame; frame++)
		frame->clock += ahead;
}

/**
 * early_graph_end - end recording: open calls get their return addresses back
 *
 * Context: NMIs are ignored. The slots are on the stack of the present task.
 */
void __init early_graph_end(void)
{
	while (early_ftrace_frame > early_frames) {
		early_ftrace_frame--;
		*early_ftrace_frame->slot = early_ftrace_frame->ret;
	}
	early_ftrace_ret_to = 0;
}

/**
 * early_ftrace_find_ret_addr - the return address that a recorder has replaced
 * @slot: where the address was on the stack
 *
 * Context: any, while the recorders are on.
 * Return: the address; early_ftrace_ret_to if it is not found.
 */
unsigned long __ref early_ftrace_find_ret_addr(unsigned long *slot)
{
	const struct early_frame *frame = early_ftrace_frame;
	unsigned long ret = early_ftrace_ret_to;

	/* Of several frames with this slot, the lowest one has the original address. */
	while (frame > early_frames) {
		frame--;
		if (frame->slot == slot)
			ret = frame->ret;
	}
	return ret;
}
