// SPDX-License-Identifier: GPL-2.0-only
/* All contenders, in the order of the report; see bench.h. A row ends with data for its method. */
#include "bench/bench.h"

#define ONE BENCH_ONE
#define ALL BENCH_ALL
#define BOTH (BENCH_ONE | BENCH_ALL)
#define EACH WORKLOADS_ALL

#define EMPTY "an empty program"
#define ALONE "function only"
#define CALLER "function and caller"
#define UNTOLD ALONE ": it is not told the caller"
#define FRAME CALLER ", which is found where the trampoline's frame ends"
#define EACH_CPU CALLER ", for each CPU"
#define REST "; functions that it cannot take are on kprobe.multi"
#define EVENT "each call an event; memory is the ring buffer's"
#define EVENTS(count) "each call an event of each of " count "; missed is that of one event"

/* The sets of BPF programs. */
#define HASH "seen"
#define CPU_HASH "seen_percpu"
#define BITS ".bss.bits"
#define CPU_BITS ".bss.cpu_bits"

/* Calls that wrap the ring buffer of one CPU once: the steady state of a busy tracer. */
#define RING 80000

#define CALL BENCH_FUNCTION "()"
/* BENCH_FUNCTION calls it once, with arguments; the first and the third fill a register each. */
#define CALLEE "__task_pid_nr_ns"
#define ARGUMENTS CALLEE "(u64 a, NULL, u64 b)"

static const struct method nothing;

const struct contender contenders[] = {
	{ "base", &nothing, BOTH, EACH, "nothing is traced" },

	/* The retiring worker runs after 25 ms; later if it finds little to do, up to 800 ms. */
	{ "oneshot-retired", &method_oneshot, BOTH, EACH, "function only, call sites off once it is known",
	  .settle_ms = 2000, .oneshot = { "0", true } },
	{ "oneshot-nocallers", &method_oneshot, BOTH, EACH, ALONE, .oneshot = { "0" } },
	{ "oneshot", &method_oneshot, BOTH, EACH, CALLER, .oneshot = { "1" } },

	/*
	 * No row for one function: the loader does not attach again for a single known function. It
	 * checks after about 0.2 s, then at growing intervals. Attaching again takes a second.
	 */
	{ "cover-bpf-retired", &method_cover, ALL, EACH,
	  "hytrace cover -e bpf --no-callers --retire: function only, attached again without known ones",
	  .settle_ms = 10000, .cover = { "--no-callers", "--retire" } },
	{ "cover-bpf-nocallers", &method_cover, BOTH, EACH, "hytrace cover -e bpf --no-callers: function only",
	  .cover = { "--no-callers" } },
	{ "cover-bpf", &method_cover, BOTH, EACH, "hytrace cover -e bpf: function and caller, without functions "
	  "that it calls itself; attach includes loading" },
	{ "cover-bpf-kprobe", &method_cover, BOTH, EACH, "hytrace cover -e bpf --entry kprobe: function and caller, "
	  "also where the kernel has fentry.multi", .cover = { "--entry", "kprobe" } },

	{ "ftrace-ops", &method_ops, BOTH, EACH,
	  "a callback with a trampoline of its own that counts the call, and nothing else" },

	{ "event-bpf", &method_event_bpf, ONE, 0, EMPTY, .bpf = { "event_empty" } },
	{ "event-bpf-hash", &method_event_bpf, ONE, 0, CALLER, .bpf = { "event_hash", HASH } },
	{ "event-bpf-hash-nocallers", &method_event_bpf, ONE, 0, ALONE, .bpf = { "event_hash_nocallers", HASH } },

	{ "fentry", &method_fentry, ONE, 0, EMPTY ", which is not told the caller", .bpf = { "fentry_empty" } },
	{ "fentry-hash", &method_fentry, ONE, 0, UNTOLD, .bpf = { "fentry_hash", HASH } },
	{ "fentry-hash-callers", &method_fentry, ONE, 0, FRAME, .bpf = { "fentry_hash_callers", HASH } },
	{ "fentry-bitmap", &method_fentry, ONE, 0, UNTOLD, .bpf = { "fentry_bitmap", BITS } },
	{ "fentry-bitmap-callers", &method_fentry, ONE, 0, FRAME, .bpf = { "fentry_bitmap_callers", BITS } },
	{ "fentry-of-100", &method_many_fentry, ONE, 0,
	  "an empty program, with 99 on other functions attached beside it" },
	{ "fentry-multi", &method_fentry_multi, BOTH, EACH, EMPTY REST,
	  .bpf = { "fentry_multi_empty", NULL, false, "multi_empty" } },
	{ "fentry-multi-bitmap", &method_fentry_multi, BOTH, EACH, CALLER REST,
	  .bpf = { "fentry_multi_bitmap", BITS, false, "multi_bitmap" } },
	{ "fentry-multi-hash", &method_fentry_multi, BOTH, EACH, CALLER REST,
	  .bpf = { "fentry_multi_hash", HASH, false, "multi_hash" } },

	{ "kprobe-multi", &method_kprobe_multi, BOTH, 0, EMPTY, .bpf = { "multi_empty" } },
	{ "kprobe-multi-denied", &method_kprobe_multi, ALL, EACH, EMPTY, .bpf = { "multi_empty", NULL, true } },
	{ "kprobe-multi-bitmap-nocallers", &method_kprobe_multi, BOTH, 0, ALONE,
	  .bpf = { "multi_bitmap_nocallers", BITS } },
	{ "kprobe-multi-bitmap-nocallers-denied", &method_kprobe_multi, ALL, EACH, ALONE,
	  .bpf = { "multi_bitmap_nocallers", BITS, true } },
	{ "kprobe-multi-bitmap", &method_kprobe_multi, BOTH, 0, CALLER, .bpf = { "multi_bitmap", BITS } },
	{ "kprobe-multi-bitmap-denied", &method_kprobe_multi, ALL, EACH, CALLER,
	  .bpf = { "multi_bitmap", BITS, true } },
	{ "kprobe-multi-percpu-bitmap", &method_kprobe_multi, BOTH, 0, EACH_CPU,
	  .bpf = { "multi_percpu_bitmap", CPU_BITS } },
	{ "kprobe-multi-percpu-bitmap-denied", &method_kprobe_multi, ALL, 0, EACH_CPU,
	  .bpf = { "multi_percpu_bitmap", CPU_BITS, true } },
	{ "kprobe-multi-hash-nocallers", &method_kprobe_multi, BOTH, 0, ALONE,
	  .bpf = { "multi_hash_nocallers", HASH } },
	{ "kprobe-multi-hash", &method_kprobe_multi, BOTH, 0, CALLER, .bpf = { "multi_hash", HASH } },
	{ "kprobe-multi-hash-denied", &method_kprobe_multi, ALL, EACH, CALLER, .bpf = { "multi_hash", HASH, true } },
	{ "kprobe-multi-percpu-hash", &method_kprobe_multi, BOTH, 0, EACH_CPU,
	  .bpf = { "multi_percpu_hash", CPU_HASH } },
	{ "kprobe-multi-percpu-hash-denied", &method_kprobe_multi, ALL, 0, EACH_CPU,
	  .bpf = { "multi_percpu_hash", CPU_HASH, true } },

	{ "bpftrace-count", &method_bpftrace, BOTH, 0,
	  "bpftrace -e 'kprobe:... { @[func] = count(); }'; attach and detach are of the whole command" },

	{ "profiler", &method_profiler, BOTH, 0, "counts and times each call, no callers" },
	{ "function", &method_tracer, BOTH, EACH,
	  "each call an event with its caller; memory is the ring buffer's, which overwrites", RING,
	  .tracer = { "function" } },
	/*
	 * Linux 6.12 has one flag func-no-repeats for all instances. Newer kernels have one in each
	 * instance, where it appears when the tracer is used.
	 */
	{ "no-repeats", &method_tracer, BOTH, 0,
	  "the function tracer with options/func-no-repeats: a call like the last one is counted", RING,
	  .tracer = { "function", "options/func-no-repeats", "options/func-no-repeats" } },
	/* Entry and exit, but only of outermost functions, such as the first function of a system call. */
	{ "graph-depth-1", &method_tracer, BOTH, 0, "function_graph without deeper calls", RING,
	  .tracer = { "function_graph", "max_graph_depth" } },

	{ "kcov", &method_kcov, ALL, 0,
	  "each basic block of this task, again and again; base is the kernel's that is compiled for it" },

	{ "event", &method_event, BOTH, 0, EVENT "; for all functions, one event is on all", RING,
	  .event = { FUNCTION_EVENT, CALL, .all = "*()" } },
	/* With 10 and 100 events, the buffers wrap sooner. */
	{ "event-3-on-one", &method_event, ONE, 0, EVENTS("3"), RING / 3,
	  .event = { FUNCTION_EVENT, CALL, .beside = 2 } },
	{ "event-10-on-one", &method_event, ONE, 0, EVENTS("10"), RING / 10,
	  .event = { FUNCTION_EVENT, CALL, .beside = 9 } },
	{ "event-100-on-one", &method_event, ONE, 0, EVENTS("100"), RING / 100,
	  .event = { FUNCTION_EVENT, CALL, .beside = 99 } },
	{ "event-perf-stat", &method_perf_stat, ONE, 0,
	  "perf stat -a -e counts a function event; attach and detach are of the whole command" },
	{ "event-2args", &method_event, ONE, 0, EVENT, RING, .event = { FUNCTION_EVENT, ARGUMENTS } },
	{ "event-return", &method_event, ONE, 0, EVENT, RING, .event = { FUNCTION_EVENT, "long " CALL } },
	{ "event-2args-of-5000", &method_event, ONE, 0, "with 4,999 events on other functions enabled beside it", RING,
	  .event = { FUNCTION_EVENT, ARGUMENTS, .others = 4999 } },
	{ "event-perf", &method_event_perf, ONE, 0,
	  "two arguments, each call a sample in perf's buffer, which overwrites", RING,
	  .event = { FUNCTION_EVENT, ARGUMENTS } },
	{ "fprobe-event", &method_event, ONE, 0, EVENT, RING, .event = { FPROBE_EVENT, BENCH_FUNCTION } },
	{ "fprobe-event-2args", &method_event, ONE, 0, EVENT, RING,
	  .event = { FPROBE_EVENT, CALLEE " a=$arg1:u64 b=$arg3:u64" } },
	{ "fprobe-event-return", &method_event, ONE, 0, EVENT, RING,
	  .event = { FPROBE_EVENT, BENCH_FUNCTION "%return ret=$retval:s64" } },
	{ "kprobe-event", &method_event, ONE, 0, EVENT, RING, .event = { KPROBE_EVENT, BENCH_FUNCTION } },
	{ "kretprobe-event", &method_event, ONE, 0, EVENT, RING,
	  .event = { KRETPROBE_EVENT, BENCH_FUNCTION " ret=$retval:s64" } },
};

const size_t contender_count = sizeof(contenders) / sizeof(contenders[0]);
