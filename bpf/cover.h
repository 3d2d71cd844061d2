/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Shared by the coverage program (cover.bpf.c) and the loader: the size of the set of addresses,
 * and the layouts of the log, the pinned map, the counters and a function event.
 */
#ifndef HYTRACE_BPF_COVER_H
#define HYTRACE_BPF_COVER_H

/*
 * The set has 2^bits places, and a few more at the end. An address is in one of SET_PROBES
 * consecutive places, which begin at the place of its hash.
 */
#define SET_LEAST_BITS	10
#define SET_MOST_BITS	24
#define SET_PROBES	64
#define SET_PLACES(bits) ((1ul << (bits)) + SET_PROBES - 1)

/* Bits of cover_hit.kind. An address may be a function's entry and also a return address. */
#define COVER_FUNCTION	1u
#define COVER_CALLER	2u
/* From this bit on, `generation` of cover.bpf.c when the entry was made. */
#define COVER_GENERATION_SHIFT 2

/*
 * The value of an address in the pinned map. The key is the bare address, and all members are plain
 * integers, so that any bpftool that knows BTF can print them: `bpftool map dump pinned DIR/seen`.
 */
struct cover_hit {
	__u64 first_ns;		/* CLOCK_MONOTONIC */
	__u32 kind;
	__u32 cpu;
	__u32 pid;		/* the thread, as the kernel's own tracers print it */
	__u32 tgid;		/* the process of the thread */
};

#define COVER_COMM	16

/*
 * An entry of the log, which is in order of the first hits. An address that is a function's entry
 * and also a return address has two entries.
 */
struct cover_entry {
	__u64 addr;
	struct cover_hit hit;
	char comm[COVER_COMM];	/* the thread's name at that moment */
	__u64 other;		/* a function's caller; a caller's entered function; 0: unknown */
};

/*
 * Tracers that have to see a function return replace its return address by one of these trampolines.
 */
enum { GRAPH_TRAMPOLINE, RETHOOK_TRAMPOLINE, KRETPROBE_TRAMPOLINE, RETURN_TRAMPOLINES };

/* Values of `recording` in cover.bpf.c. */
enum cover_gate {
	COVER_CLOSED,
	COVER_OPEN,
	COVER_OPEN_IP_MOVED,	/* regs->ip does not give the function: call a helper */
};

/*
 * The beginning of a function event's record. Programs of type tracepoint get this record, and may
 * read it only at fixed offsets. The loader checks the offsets against the event's format.
 */
struct cover_event_ctx {
	__u64 common;
	__u64 ip;		/* the field __ip */
	__u64 parent_ip;	/* __parent_ip */
};

/*
 * Counters of all losses, and of the log's entries. They change at most once for each new address,
 * so one copy for all CPUs, with atomic adds, is enough.
 */
struct cover_stats {
	__u32 logged;		/* entries of the log; too large if CPUs raced for the last one */
	__u32 dropped;		/* with_cuts: so many of them were read, and their places are free again */
	__u64 full;		/* hits of new addresses that were refused: the log or the set is full */
	__u64 unpinned;		/* new addresses that the pinned map did not take */
	__u64 tasks_full;	/* children that could not be followed */
	__u64 parents_lost;	/* calls whose return address an unknown tracer had replaced */
	__u64 news_lost;	/* modules that were loaded without a message to the loader */
	__u64 own;		/* calls with new addresses that were left out because the loader made them */
};

/* A message in the map `news`: a module is being loaded. */
struct cover_news {
	__u64 ns;		/* when, by the clock of cover_hit.first_ns */
	char module[56];	/* MODULE_NAME_LEN */
};

#endif /* HYTRACE_BPF_COVER_H */
