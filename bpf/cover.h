/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the coverage program (cover.bpf.c) and the loader share: the layout of the `seen` map, of the
 * ring buffer's records, of the counters and of a function event.
 *
 * The map's key is the bare address and its value plain integers, so that any bpftool that knows BTF
 * can print it: `bpftool map dump pinned DIR/seen`.
 */
#ifndef HYTRACE_BPF_COVER_H
#define HYTRACE_BPF_COVER_H

/* Bits of cover_hit.kind: an address may be both entered and returned to. */
#define COVER_FUNCTION	1u
#define COVER_CALLER	2u

struct cover_hit {
	__u64 first_ns;		/* CLOCK_MONOTONIC */
	__u32 kind;
	__u32 cpu;
	__u32 pid;		/* the thread, as the kernel's own tracers print it */
	__u32 reserved;
};

struct cover_event {
	__u64 addr;
	__u64 first_ns;
	__u32 kind;
	__u32 cpu;
	__u32 pid;
	__u32 reserved;
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
 * Everything that can be lost, and the two that say how much was kept. They change at most once for
 * each new address, so one shared copy with atomic adds is enough.
 */
struct cover_stats {
	__u64 inserted;		/* new keys in the map */
	__u64 map_full;		/* hits of new addresses refused: the map is full */
	__u64 map_busy;		/* hits of new addresses refused: bucket locked (NMI, nesting) */
	__u64 map_error;	/* hits of new addresses refused for any other reason */
	__u64 ring_dropped;	/* new addresses that did not fit in the ring buffer */
	__u64 tasks_full;	/* children that could not be followed */
};

#endif /* HYTRACE_BPF_COVER_H */
