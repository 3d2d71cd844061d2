// SPDX-License-Identifier: GPL-2.0
/*
 * The coverage program on fentry.multi: where it finds the caller, in frames as the kernel's
 * trampolines make them.
 */
#include "bpf/cover_program.h"

#define ENDBR 4
#define CALL 5
#define RETHOOK 0xffffffff83001000ull

/* From the context on: the arguments, and the end of the trampoline's frame. */
struct frame {
	__u64 words[24];
};

/* @value: the trampoline has called the function, and so keeps its value, too. */
static struct frame make_frame(__u64 arguments, bool value, __u64 function, __u64 caller)
{
	struct frame f = {};
	__u64 at = arguments;

	argument_count = arguments;
	current_function = function;
	for (__u64 i = 0; i < arguments; i++)
		f.words[i] = 0xa0 + i;
	if (value)
		f.words[at++] = 0xb0;
	f.words[at++] = 0xc0;	/* the frame pointer */
	if (!value)
		f.words[at++] = function + ENDBR + CALL;
	f.words[at] = caller;
	return f;
}

static void call(__u64 arguments, __u64 function, __u64 caller)
{
	struct frame f = make_frame(arguments, false, function, caller);

	(with_callers ? cover_fentry : cover_fentry_nc)(f.words);
}

Test(fentry, the_caller_is_behind_any_number_of_arguments)
{
	begin(ENTRIES);
	call(0, F, C);
	call(1, F + 16, C + 1);
	call(12, F + 32, C + 2);
	call(12, F + 32, C + 2);
	expect_log("fffffffff81000000 cffffffff82000000 fffffffff81000010 cffffffff82000001 "
		   "fffffffff81000020 cffffffff82000002");
	expect_others("ffffffff82000000 ffffffff81000000 ffffffff82000001 ffffffff81000010 "
		      "ffffffff82000002 ffffffff81000020");
}

Test(fentry, the_same_place_if_a_trampoline_jumps_to_the_function)
{
	struct frame f = make_frame(3, true, F, C);

	begin(ENTRIES);
	cover_fentry(f.words);
	expect_log("fffffffff81000000 cffffffff82000000");
}

/* Its own address in the function comes before that of the caller, as if there were one more argument. */
Test(fentry, one_place_farther_if_a_trampoline_calls_the_function)
{
	struct frame f = make_frame(3, true, F, F + ENDBR + CALL);

	f.words[6] = C;
	begin(ENTRIES);
	cover_fentry(f.words);
	cover_fentry(f.words);
	expect_log("fffffffff81000000 cffffffff82000000");
	expect_others("ffffffff82000000 ffffffff81000000");
}

Test(fentry, a_function_that_calls_itself_is_its_own_caller)
{
	begin(ENTRIES);
	call(2, F, F + ENDBR + CALL + 5);
	expect_log("fffffffff81000000 cffffffff8100000e");
}

Test(fentry, functions_only)
{
	begin(ENTRIES);
	with_callers = false;
	call(2, F, C);
	expect_log("fffffffff81000000");
	expect_others("0");
}

Test(fentry, nothing_while_the_gate_is_closed)
{
	begin(ENTRIES);
	recording = COVER_CLOSED;
	call(2, F, C);
	cr_expect(eq(u32, stats.logged, 0));
}

Test(fentry, the_caller_whom_a_rethook_hides)
{
	struct rethook_node node = { .ret_addr = C };
	struct frame f = make_frame(4, false, F, RETHOOK);

	begin(ENTRIES);
	return_trampolines[RETHOOK_TRAMPOLINE] = RETHOOK;
	node.frame = (uintptr_t)&f.words[6];
	self.rethooks = &node.llist;
	cover_fentry(f.words);
	expect_log("fffffffff81000000 cffffffff82000000");
	cr_expect(eq(u64, stats.parents_lost, 0));
}

/* A function that kprobe.multi records is the same in the log, and callers are in one set. */
Test(fentry, beside_kprobe_multi)
{
	__u64 caller = C;
	struct pt_regs regs = { .ip = F + 16 + CALL, .sp = (uintptr_t)&caller };

	begin(ENTRIES);
	call(2, F, C);
	current_function = F + 16;
	cover_entry(&regs);
	expect_log("fffffffff81000000 cffffffff82000000 fffffffff81000010");
}

Test(fentry, callers_are_tried_out)
{
	struct frame right = make_frame(5, false, F, C + 8), wrong = make_frame(5, false, F, C + 16);

	checked_from = C;
	checked_bytes = 16;
	check_caller(right.words);
	check_caller(wrong.words);
	cr_expect(eq(u32, checked_right, 1));
	cr_expect(eq(u32, checked_wrong, 1));
}

/* The places are found as for calls that are recorded, or another tracer would make the check fail. */
Test(fentry, callers_are_tried_out_with_a_rethook_and_a_trampoline_that_calls)
{
	struct rethook_node node = { .ret_addr = C + 8 };
	struct frame f = make_frame(5, true, F, F + ENDBR + CALL);

	f.words[8] = RETHOOK;
	return_trampolines[RETHOOK_TRAMPOLINE] = RETHOOK;
	node.frame = (uintptr_t)&f.words[8];
	self.rethooks = &node.llist;
	checked_from = C;
	checked_bytes = 16;
	check_caller(f.words);
	cr_expect(eq(u32, checked_right, 1));
	cr_expect(eq(u32, checked_wrong, 0));
}
