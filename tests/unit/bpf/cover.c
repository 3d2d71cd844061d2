// SPDX-License-Identifier: GPL-2.0
/*
 * The coverage program on kprobe.multi and on events: its set, its log, registers that do not give
 * the function, and the tasks that it records. fentry.c has what differs on fentry.multi.
 */
#include "bpf/cover_program.h"

static void call_at(__u64 ip, __u64 function, __u64 caller)
{
	struct pt_regs regs = { .ip = ip, .sp = (uintptr_t)&caller };

	current_function = function;
	(with_callers ? cover_entry : cover_entry_nc)(&regs);
}

static void call(__u64 function, __u64 caller)
{
	call_at(function + CALL, function, caller);
}

Test(cover, each_once_and_in_order)
{
	begin(ENTRIES);
	call(F, C);
	call(F, C);
	call(F, C + 1);
	call(F + 16, C);
	expect_log("fffffffff81000000 cffffffff82000000 cffffffff82000001 fffffffff81000010");
	expect_others("ffffffff82000000 ffffffff81000000 ffffffff81000000 ffffffff82000000");
	cr_expect(eq(u64, entries[3].hit.first_ns, 4));
	cr_expect(eq(u32, entries[3].hit.cpu, 3));
	cr_expect(eq(u32, entries[3].hit.pid, 42));
}

Test(cover, whose_call_was_the_first)
{
	begin(ENTRIES);
	call(F, C);
	strcpy(self.comm, "another");
	self.pid = 43;
	call(F, C);
	call(F + 16, C);
	expect_str(entries[0].comm, "sh");
	cr_expect(eq(u32, entries[0].hit.tgid, 41));
	expect_str(entries[2].comm, "another");
	cr_expect(eq(u32, entries[2].hit.pid, 43));
	cr_expect(eq(u32, entries[2].hit.tgid, 41));
}

Test(cover, functions_only)
{
	struct cover_event_ctx event = { .ip = F + 16, .parent_ip = C };

	begin(ENTRIES);
	with_callers = false;
	call(F, C);
	cover_event_entry(&event);
	expect_log("fffffffff81000000 fffffffff81000010");
	expect_others("0 0");
}

Test(cover, nothing_while_the_gate_is_closed)
{
	begin(ENTRIES);
	recording = COVER_CLOSED;
	call(F, C);
	expect_log("");
	cr_expect(eq(u32, recording, COVER_CLOSED));
}

Test(cover, the_address_behind_a_call_that_does_not_return_is_a_function)
{
	struct cover_event_ctx event = { .ip = F, .parent_ip = F };

	begin(ENTRIES);
	call(F, F);
	expect_log("fffffffff81000000 cffffffff81000000");
	memset(set, 0, sizeof(set));
	stats.logged = 0;
	cover_event_entry(&event);
	cover_event_entry(&event);
	expect_log("fffffffff81000000 cffffffff81000000");
	expect_others("ffffffff81000000 ffffffff81000000");
}

Test(cover, a_full_log_refuses_each_time)
{
	begin(2);
	call(F, C);
	call(F + 16, C);
	call(F + 16, C);
	call(F, C);
	expect_log("fffffffff81000000 cffffffff82000000");
	cr_expect(eq(u64, stats.full, 2));
}

/* As many addresses as there are places from one place on, all of which belong there. */
Test(cover, a_place_that_is_crowded)
{
	__u64 list[SET_PROBES + 1];
	__u32 count = 0;

	begin(ENTRIES);
	with_callers = false;
	for (__u64 function = F; count <= SET_PROBES; function += 16) {
		if (set_place(function + CALL) == set_place(F + CALL))
			list[count++] = function;
	}
	for (__u32 i = 0; i <= SET_PROBES; i++)
		call(list[i], C);
	asked_for_function = 0;
	for (__u32 i = 0; i <= SET_PROBES; i++)
		call(list[i], C);
	cr_expect(eq(u32, asked_for_function, 1), "those that are known call no helper");
	cr_expect(eq(u32, stats.logged, SET_PROBES));
	cr_expect(eq(u64, stats.full, 2), "the one too many, each time that it came");
	for (__u32 i = 0; i < SET_PROBES; i++)
		cr_expect(eq(u64, entries[i].addr, list[i]));
}

Test(cover, the_last_place_has_room_behind_it)
{
	__u64 function = F;
	__u32 last = (1u << SET_LEAST_BITS) - 1;

	begin(ENTRIES);
	with_callers = false;
	for (__u32 i = 0; i < SET_PROBES; function += 16) {
		if (set_place(function + CALL) == last) {
			call(function, C);
			i++;
		}
	}
	cr_expect(eq(u32, stats.logged, SET_PROBES));
	cr_expect(ne(u64, set[SET_PLACES(SET_LEAST_BITS) - 1], 0));
}

static void call_with_cuts(__u64 function, __u64 caller)
{
	struct pt_regs regs = { .ip = function + CALL, .sp = (uintptr_t)&caller };

	current_function = function;
	cover_entry_cuts(&regs);
}

static void begin_cuts(__u32 room)
{
	begin(room);
	with_cuts = true;
	generation = 1;
}

Test(cover, a_cut_makes_all_addresses_new)
{
	begin_cuts(16);
	call_with_cuts(F, C);
	call_with_cuts(F, C);
	generation = 2;
	call_with_cuts(F, C);
	call_with_cuts(F, C);
	cr_assert(eq(u32, stats.logged, 4));
	for (__u32 i = 0; i < 4; i++) {
		cr_expect(eq(u64, entries[i].addr, i % 2 ? C : F));
		cr_expect(eq(u32, entries[i].hit.kind >> COVER_GENERATION_SHIFT, 1 + i / 2));
		cr_expect(eq(u32, entries[i].hit.kind & 3, i % 2 ? COVER_CALLER : COVER_FUNCTION));
	}
}

/* All of these belong to one place. Those of the past generation count as empty, and the others stay known. */
Test(cover, a_crowded_place_after_a_cut)
{
	__u64 list[3];
	__u32 count = 0;

	begin_cuts(64);
	with_callers = false;
	for (__u64 function = F; count < 3; function += 16) {
		if (set_place(key_in(function + CALL, 1)) == set_place(key_in(F + CALL, 1)))
			list[count++] = function;
	}
	for (generation = 1; generation < 4; generation++) {
		for (__u32 i = 0; i < 6; i++)
			call_with_cuts(list[(i + generation) % 3], C);
	}
	cr_expect(eq(u32, stats.logged, 9));
}

Test(cover, with_cuts_the_log_is_a_ring)
{
	begin_cuts(16);
	with_callers = false;
	for (__u32 i = 0; i < 20; i++)
		call_with_cuts(F + 16 * i, C);
	cr_expect(eq(u32, stats.logged, 14), "an eighth is left for programs that race");
	cr_expect(eq(u64, stats.full, 6));
	stats.dropped = 14;
	for (__u32 i = 20; i < 26; i++)
		call_with_cuts(F + 16 * i, C);
	cr_expect(eq(u32, stats.logged, 20));
	cr_expect(eq(u64, entries[14].addr, F + 16 * 20));
	cr_expect(eq(u64, entries[0].addr, F + 16 * 22));
	cr_expect(eq(u64, entries[4].addr, F + 16 * 4), "the one that is not overwritten");
}

/* Something, such as a live patch, has changed its ip. */
Test(cover, registers_that_do_not_tell_the_function)
{
	begin(ENTRIES);
	call(F, C);
	call_at(C + 4096, F + 16, C);
	cr_expect(eq(u32, recording, COVER_OPEN_IP_MOVED));
	call_at(C + 4096, F + 16, C);
	call_at(C + 4096, F + 32, C);
	call(F, C);
	call(F + 48, C);
	call(F + 48, C);
	expect_log("fffffffff81000000 cffffffff82000000 fffffffff81000010 fffffffff81000020 "
		   "fffffffff81000030");
	expect_others("ffffffff82000000 ffffffff81000000 ffffffff82000000 ffffffff82000000 ffffffff82000000");
}

Test(cover, no_function_behind_the_farthest_ip)
{
	begin(ENTRIES);
	call_at(F + FARTHEST_IP, F, C);
	cr_expect(eq(u32, recording, COVER_OPEN));
	call_at(F + 16 + FARTHEST_IP + 1, F + 16, C);
	cr_expect(eq(u32, recording, COVER_OPEN_IP_MOVED));
}

/* A task's name ends with its zero; the bytes after it are those of an older name. */
static void named_over(const char *wanted, const char *task, bool in)
{
	begin(ENTRIES);
	memset((char *)comm, 0, sizeof(comm));
	memcpy((char *)comm, wanted, strlen(wanted));
	memcpy(self.comm, task, strlen(task) + 1);
	stats.logged = 0;
	memset(set, 0, sizeof(set));
	call(F, C);
	cr_expect(eq(u32, stats.logged, in ? 2 : 0), "%s, task %s", wanted, task);
}

static void named(const char *wanted, const char *task, bool in)
{
	memset(self.comm, 0, sizeof(self.comm));
	named_over(wanted, task, in);
}

Test(cover, tasks_of_a_name)
{
	named("sh", "sh", true);
	named("sh", "s", false);
	named("sh", "she", false);
	/* The rest of a longer name. */
	memset(self.comm, 'x', sizeof(self.comm));
	named_over("sh", "sh", true);
	named("123456789012345", "123456789012345", true);
	named("123456789012345", "123456789012346", false);
	named("", "any", true);
}

Test(cover, the_loader_is_left_out)
{
	begin(ENTRIES);
	take_own(NULL);
	cr_expect(eq(u32, loader_tgid, (__u32)(bpf_get_current_pid_tgid() >> 32)));
	own_tgid = loader_tgid;
	call(F, C);
	cr_expect(eq(u32, stats.logged, 0));
	cr_expect(eq(u64, stats.own, 1));
	own_tgid++;
	call(F, C);
	cr_expect(eq(u32, stats.logged, 2), "another's call of the same");
	own_tgid = 0;
	call(F + 16, C);
	cr_expect(eq(u32, stats.logged, 3), "its own at another time");
	cr_expect(eq(u64, stats.own, 1));
}

Test(cover, the_kernel_counts_what_it_misses_or_is_too_old)
{
	take_own(NULL);
	cr_expect(eq(u32, counts_misses, 1));
	kernel_is_old = true;
	take_own(NULL);
	cr_expect(eq(u32, counts_misses, 0));
}

Test(cover, what_interrupts_the_loader_is_not_left_out)
{
	static const int interrupts[] = { 0x100, 0x10000, 0x100000, 0x110301 };
	/* Preemption is off; softirqs are off; need_resched, which x86 stores inverted. */
	static const int none[] = { 0, 1, 0x201, (int)0x80000000 };

	begin(ENTRIES);
	own_tgid = bpf_get_current_pid_tgid() >> 32;
	for (int hot = 0; hot < 2; hot++) {
		count_is_hot = hot;
		/* The other variable says the opposite. */
		for (int i = 0; i < 4; i++) {
			__preempt_count = hot ? none[i] : interrupts[i];
			pcpu_hot.preempt_count = hot ? interrupts[i] : none[i];
			call(F + 16 * i, C + hot);
			cr_expect(eq(u64, stats.own, 4 * hot + i), "%x", interrupts[i]);
			__preempt_count = hot ? interrupts[i] : none[i];
			pcpu_hot.preempt_count = hot ? none[i] : interrupts[i];
			call(F + 16 * i, C + 2 + hot);
			cr_expect(eq(u64, stats.own, 4 * hot + i + 1), "%x", none[i]);
		}
	}
}

Test(cover, all_filters_must_let_it_through)
{
	begin(ENTRIES);
	in_cgroup = follow_tasks = true;
	call(F, C);
	under_cgroup = true;
	call(F, C);
	followed_pid = self.pid + 1;
	call(F, C);
	followed_pid = self.pid;
	under_cgroup = false;
	call(F, C);
	expect_log("");
	under_cgroup = true;
	call(F, C);
	expect_log("fffffffff81000000 cffffffff82000000");
}

#define GRAPH 0xffffffff83000000ull
#define RETHOOK 0xffffffff83001000ull
#define KRETPROBE 0xffffffff83002000ull

/*
 * Calls with @found at @at, the place of the return address, for the tracer that has replaced it.
 */
static void call_hooked(__u64 function, __u64 *at, __u64 found)
{
	struct pt_regs regs = { .ip = function + CALL, .sp = (uintptr_t)at };

	*at = found;
	current_function = function;
	(with_callers ? cover_entry : cover_entry_nc)(&regs);
}

static void name_trampolines(void)
{
	begin(ENTRIES);
	return_trampolines[GRAPH_TRAMPOLINE] = GRAPH;
	return_trampolines[RETHOOK_TRAMPOLINE] = RETHOOK;
	return_trampolines[KRETPROBE_TRAMPOLINE] = KRETPROBE;
}

/* The frame of a call, and the word above it with its length and more. */
static __u64 *push_frame(__u64 *stack, __u64 ret, const __u64 *at)
{
	struct ftrace_ret_stack frame = { .ret = ret, .retp = (uintptr_t)at };

	memcpy(stack, &frame, sizeof(frame));
	stack[sizeof(frame) / sizeof(*stack)] = 0x12400 + sizeof(frame) / sizeof(*stack);
	return stack + sizeof(frame) / sizeof(*stack) + 1;
}

Test(cover, the_caller_whom_the_function_graph_tracer_hides)
{
	__u64 stack[64] = {}, at, other, *end;

	name_trampolines();
	end = push_frame(stack, C + 8, &other);
	end = push_frame(end, C, &at);
	end = push_frame(end, GRAPH, &at);
	self.ret_stack = stack;
	self.curr_ret_stack = end - stack;
	call_hooked(F, &at, GRAPH);
	call_hooked(F, &at, GRAPH);
	expect_log("fffffffff81000000 cffffffff82000000");
	call_hooked(F, &other, GRAPH);
	expect_log("fffffffff81000000 cffffffff82000000 cffffffff82000008");
	expect_others("0 ffffffff81000000 ffffffff81000000");
	cr_expect(eq(u64, stats.parents_lost, 0));
	self.curr_ret_stack = 0;
	call_hooked(F, &at, GRAPH);
	call_hooked(F, &at, GRAPH);
	cr_expect(eq(u64, stats.parents_lost, 2), "each time, as it may be another one");
	cr_expect(eq(u32, stats.logged, 3));
}

Test(cover, the_caller_whom_a_rethook_hides)
{
	__u64 stack[64] = {}, at, other;
	struct rethook_node nodes[] = {
		{ .llist.next = &nodes[1].llist, .ret_addr = RETHOOK, .frame = (uintptr_t)&at },
		{ .llist.next = &nodes[2].llist, .ret_addr = C, .frame = (uintptr_t)&at },
		{ .ret_addr = GRAPH, .frame = (uintptr_t)&other },
	};

	name_trampolines();
	self.rethooks = &nodes[0].llist;
	call_hooked(F, &at, RETHOOK);
	expect_log("fffffffff81000000 cffffffff82000000");
	/* And with the graph tracer below it. */
	self.ret_stack = stack;
	self.curr_ret_stack = push_frame(stack, C + 8, &other) - stack;
	call_hooked(F, &other, RETHOOK);
	expect_log("fffffffff81000000 cffffffff82000000 cffffffff82000008");
	self.rethooks = NULL;
	call_hooked(F, &at, RETHOOK);
	cr_expect(eq(u64, stats.parents_lost, 1));
}

Test(cover, a_caller_who_stays_hidden_is_counted)
{
	struct cover_event_ctx event = { .ip = F, .parent_ip = GRAPH };
	__u64 at;

	name_trampolines();
	call_hooked(F, &at, KRETPROBE);
	expect_log("fffffffff81000000");
	cr_expect(eq(u64, stats.parents_lost, 1));
	cover_event_entry(&event);
	cr_expect(eq(u64, stats.parents_lost, 2));
	with_callers = false;
	call_hooked(F + 16, &at, KRETPROBE);
	cr_expect(eq(u64, stats.parents_lost, 2), "nobody asks");
}

Test(cover, a_module_that_comes_is_told)
{
	struct module mod = { .name = "a_name_of_fifty_five_letters_is_the_longest_there_is_xx" };

	/* It is recorded even before the gate opens. */
	on_module(&mod);
	expect_str(told.module, mod.name);
	cr_expect(eq(u64, told.ns, 1));
	nobody_reads = true;
	on_module(&mod);
	cr_expect(eq(u64, stats.news_lost, 1));
}

#define THREADS 2
#define CALLS 200
#define ROUNDS 2000

static pthread_barrier_t together;

/* All threads do the same at the same time, as far as that is possible. */
static void *call_all(void *arg)
{
	for (__u32 round = 0; round < ROUNDS; round++) {
		pthread_barrier_wait(&together);
		for (__u32 i = 0; i < CALLS; i++)
			call(F + 16 * i, C + i);
		if (pthread_barrier_wait(&together) == PTHREAD_BARRIER_SERIAL_THREAD) {
			cr_assert(eq(u32, stats.logged, 2 * CALLS), "each once");
			memset(set, 0, sizeof(set));
			stats.logged = 0;
		}
	}
	return NULL;
}

static int by_address(const void *a, const void *b)
{
	const struct cover_entry *x = a, *y = b;

	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

Test(cover, several_processors)
{
	pthread_t threads[THREADS];

	begin(ENTRIES);
	pthread_barrier_init(&together, NULL, THREADS);
	for (int i = 0; i < THREADS; i++)
		cr_assert(not(pthread_create(&threads[i], NULL, call_all, NULL)));
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	cr_expect(eq(u64, stats.full, 0));
	qsort(entries, 2 * CALLS, sizeof(*entries), by_address);
	for (__u32 i = 0; i < CALLS; i++) {
		cr_expect(eq(u64, entries[i].addr, F + 16 * i));
		cr_expect(eq(u64, entries[CALLS + i].addr, C + i));
	}
}
