/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the coverage program (cover.bpf.c) and the loader share: the size of the set, the layout of the log
 * and of the pinned map, of the counters and of a function event.
 */
#ifndef HYTRACE_BPF_COVER_H
#define HYTRACE_BPF_COVER_H

/* A set of 2^SET_BITS places, and an address lies within SET_PROBES places from where it is looked for. */
#define SET_LEAST_BITS	10
#define SET_MOST_BITS	24
#define SET_PROBES	64
#define SET_PLACES(bits) ((1ul << (bits)) + SET_PROBES - 1)

/* Bits of cover_hit.kind: an address may be both entered and returned to. */
#define COVER_FUNCTION	1u
#define COVER_CALLER	2u

/*
 * What the pinned map has for each address. Its key is the bare address, and these are plain integers, so
 * that any bpftool that knows BTF can print it: `bpftool map dump pinned DIR/seen`.
 */
struct cover_hit {
	__u64 first_ns;		/* CLOCK_MONOTONIC */
	__u32 kind;
	__u32 cpu;
	__u32 pid;		/* the thread, as the kernel's own tracers print it */
	__u32 reserved;
};

/* In the log, in order of first hit; an address that is a function and a caller is there twice. */
struct cover_entry {
	__u64 addr;
	struct cover_hit hit;
};

/* Who wants to see a function return replaces its return address by the address of one of these. */
enum { GRAPH_TRAMPOLINE, RETHOOK_TRAMPOLINE, KRETPROBE_TRAMPOLINE, RETURN_TRAMPOLINES };

/* The gate, cover.bpf.c's `recording`. */
enum cover_gate {
	COVER_CLOSED,
	COVER_OPEN,
	COVER_OPEN_IP_MOVED,	/* regs->ip does not tell the function: a helper does */
};

/*
 * What a function event's record begins with: a program of type tracepoint is given the record, and may
 * read it at fixed offsets only. The loader checks them against the event's format.
 */
struct cover_event_ctx {
	__u64 common;
	__u64 ip;		/* the field __ip */
	__u64 parent_ip;	/* __parent_ip */
};

/*
 * Everything that can be lost, and how much was kept. They change at most once for each new address, so
 * one shared copy with atomic adds is enough.
 */
struct cover_stats {
	__u32 logged;		/* entries of the log; more than it has if several CPUs came for the last */
	__u32 reserved;
	__u64 full;		/* hits of new addresses refused: the log or the set is full */
	__u64 unpinned;		/* new addresses that the pinned map did not take */
	__u64 tasks_full;	/* children that could not be followed */
	__u64 parents_lost;	/* calls whose return address had been replaced, by what is not known */
	__u64 news_lost;	/* modules that came and that the loader was not told of */
	__u64 own;		/* calls of new addresses left out, as the loader was running */
};

/* Of the map `news`: a module has come. */
struct cover_news {
	__u64 ns;		/* when, by the clock of cover_hit.first_ns */
	char module[56];	/* MODULE_NAME_LEN */
};

#endif /* HYTRACE_BPF_COVER_H */
