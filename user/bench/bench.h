/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a contender of the benchmark is made of.
 *
 * A contender is one way to learn that a function has run: a table of callbacks, found by name. For
 * each of its scopes the harness (measure.c) starts a process that goes through
 *
 *	[ base is measured, of all workloads ]
 *	setup	what is not part of switching it on: load a program, make a tracing instance
 *	attach	timed
 *	[ warm-up: until the sets know every function and the ring buffers have wrapped ]
 *	[ total is measured, of all workloads ]
 *	report	after the first of them: what only the contender knows: memory, what it saw, what it missed
 *	clear	for those that record an address once: forget everything, so that a first hit can be
 *		timed, again and again
 *	detach	timed
 *	[ attach and detach twice more, for what they take to be a median ]
 *	cleanup	also after a failure, and again by the harness should the process have died
 *
 * To add one: write the callbacks, and put the table into contenders[] (cmd_bench.c) where it shall
 * stand in the report. A callback that is not needed is NULL; each returns 0 or a negative errno.
 * A kernel that lacks what a contender needs makes its setup return -EOPNOTSUPP: its row is then
 * there with nulls and a note, never left out.
 */
#ifndef HYTRACE_BENCH_BENCH_H
#define HYTRACE_BENCH_BENCH_H

#include <stdbool.h>
#include <stddef.h>

/* The function that is traced when it is one: what getppid(2) is called in the kernel. */
#define BENCH_FUNCTION "__do_sys_getppid"
/* Called once by it, with arguments, of which the first and the third fill a register each. */
#define BENCH_ARGUMENTS "__task_pid_nr_ns"
#define BENCH_INSTANCE "hytrace-bench"

enum bench_scope {
	SCOPE_ONE = 1 << 0,	/* BENCH_FUNCTION only */
	SCOPE_ALL = 1 << 1,	/* whatever can be traced */
};

/* What is run; with one function traced, getppid alone. */
enum bench_workload {
	WORKLOAD_GETPPID = 1 << 0,
	WORKLOAD_PIPE = 1 << 1,		/* a byte to another process and back */
	WORKLOAD_FILE = 1 << 2,		/* a file is made, written, read and removed */
	WORKLOAD_FORK = 1 << 3,		/* true(1) is run */
	WORKLOAD_TREE = 1 << 4,		/* tar(1) packs 128 files */
	WORKLOAD_LOOPBACK = 1 << 5,	/* 16 KiB to another process over TCP */
};

#define WORKLOADS 6
#define WORKLOADS_ALL ((1 << WORKLOADS) - 1)

/* What a row of the results has beyond its name; NAN is unknown, null in JSON. */
struct bench_row {
	double base;
	double total;
	double min;
	double max;
	double first_hit;
	double memory_bytes;
	double seen;
	double missed;
	double attach;
	double detach;
	char note[256];
};

struct contender {
	const char *name;
	unsigned int scopes;
	/* Calls before the cost counts as steady; 0: enough for a set to know everything. */
	unsigned long warmup;
	/* What it does to become steady in the background takes that long. */
	unsigned int settle_ms;
	/* Of enum bench_workload; 0: getppid. */
	unsigned int workloads;
	const char *note;
	/* The callbacks' own; what tells contenders apart that share them. */
	const void *variant;

	int (*setup)(const struct contender *c, enum bench_scope scope);
	int (*attach)(const struct contender *c, enum bench_scope scope);
	int (*clear)(const struct contender *c);
	int (*report)(const struct contender *c, struct bench_row *row);
	int (*detach)(const struct contender *c);
	/* After detach, of a program that waits for more than that: what it says that they took, in ns. */
	int (*took)(const struct contender *c, double *ret_attach, double *ret_detach);
	void (*cleanup)(const struct contender *c);
};

/* Enough calls for the ring buffer of one CPU to wrap once: the steady state of a busy tracer. */
#define WARMUP_RING_BUFFER 80000

extern const struct contender contender_function;
extern const struct contender contender_no_repeats;
extern const struct contender contender_graph;
extern const struct contender contender_event_bpf_hash_nocallers;
extern const struct contender contender_kprobe_multi_denied;
extern const struct contender contender_kprobe_multi_hash_denied;
extern const struct contender contender_kprobe_multi_percpu_hash;
extern const struct contender contender_kprobe_multi_percpu_hash_denied;
extern const struct contender contender_kprobe_multi_bitmap;
extern const struct contender contender_kprobe_multi_bitmap_denied;
extern const struct contender contender_kprobe_multi_bitmap_nocallers;
extern const struct contender contender_kprobe_multi_bitmap_nocallers_denied;
extern const struct contender contender_kprobe_multi_percpu_bitmap;
extern const struct contender contender_kprobe_multi_percpu_bitmap_denied;
extern const struct contender contender_bpftrace;
extern const struct contender contender_event_3;
extern const struct contender contender_event_10;
extern const struct contender contender_event_100;
extern const struct contender contender_event_perf_stat;
extern const struct contender contender_profiler;
extern const struct contender contender_oneshot;
extern const struct contender contender_oneshot_nocallers;
extern const struct contender contender_oneshot_retired;
extern const struct contender contender_event;
extern const struct contender contender_event_2args;
extern const struct contender contender_event_5000;
extern const struct contender contender_event_perf;
extern const struct contender contender_event_bpf;
extern const struct contender contender_event_bpf_hash;
extern const struct contender contender_fprobe_event;
extern const struct contender contender_fprobe_event_2args;
extern const struct contender contender_kprobe_event;
extern const struct contender contender_kprobe_multi;
extern const struct contender contender_kprobe_multi_hash_nocallers;
extern const struct contender contender_kprobe_multi_hash;
extern const struct contender contender_cover_bpf;
extern const struct contender contender_cover_bpf_nocallers;
extern const struct contender contender_cover_bpf_retired;
extern const struct contender contender_fentry;
extern const struct contender contender_fentry_hash;
extern const struct contender contender_fentry_hash_callers;
extern const struct contender contender_fentry_bitmap;
extern const struct contender contender_fentry_bitmap_callers;
extern const struct contender contender_fentry_of_100;
extern const struct contender contender_ftrace_ops;

/*
 * What a contender has changed that is not in the instance, in memory that outlives the process that is
 * measured: who cleans up may be the other one. All 0 before a contender's setup.
 */
struct bench_left {
	bool touched;
	double old;		/* what was there before, if it is a number */
};

extern struct bench_left *bench_left;

/* A message with what @err means; returns @err, so that a failure can be told and passed on. */
__attribute__((format(printf, 2, 3)))
int bench_error(int err, const char *format, ...);

/*
 * The tracing instance that a contender has for itself, so that the cost measured is that of one
 * tracer and nobody else's settings count (tracefs.c). Files are named below the instance's directory.
 */
int trace_instance__open(void);
/* Whether something of a run that was killed is in the way; removed, if it can be. */
int trace__remove_leftovers(void);
void trace_instance__close(void);
bool trace_instance__has(const char *file);
/* To be freed. */
int trace_instance__read(const char *file, char **ret_text);
int trace_instance__write(const char *file, const char *text);
int trace_instance__read_value(const char *file, const char *name, double *ret_value);
/* The same below the top of tracefs. */
bool trace_top__has(const char *file);
int trace_top__write(const char *file, const char *text);
int trace_top__append(const char *file, const char *text);
/* All of it in one write(2). */
int trace_top__write_once(const char *file, const char *text, size_t len);
/* To be freed. */
int trace_top__read(const char *file, char **ret_text);
/* Reads the last number of the line that starts with name. */
int trace_top__read_last(const char *file, const char *name, double *ret_value);
int trace_top__count_lines(const char *file, double *ret_lines);
/* Whether the function is one of the kernel proper that getppid() does not call, as far as its name tells. */
bool bench__is_other(const char *name);

#endif
