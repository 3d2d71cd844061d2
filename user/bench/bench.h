/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The definition of a contender of the benchmark.
 *
 * A contender is one way to learn that a function has run. It is a table of callbacks with a name.
 * For each of its scopes, the harness (measure.c) starts a process with these steps:
 *
 *	[ base is measured, of all workloads ]
 *	setup	prepare what is not part of attaching: load a program, make a tracing instance
 *	attach	timed
 *	[ warm-up: until the sets know every function and the ring buffers have wrapped ]
 *	[ total is measured, of all workloads ]
 *	again	before each repetition, for a buffer that does not overwrite: make room
 *	report	after the first of them: figures of the contender: memory, what it saw, what it missed
 *	clear	for contenders that record an address once: forget everything, so that a first hit can be
 *		timed repeatedly
 *	detach	timed
 *	[ attach and detach twice more, so that their times are medians ]
 *	cleanup	also after a failure; the harness calls it again if the process has died
 *
 * To add a contender, write the callbacks, and put the table into contenders[] (cmd_bench.c) at its
 * place in the report. A callback that is not needed is NULL. Each returns 0 or a negative errno.
 * If the kernel lacks something that a contender needs, its setup returns -EOPNOTSUPP; then its row
 * has nulls and a note, and is never left out.
 */
#ifndef HYTRACE_BENCH_BENCH_H
#define HYTRACE_BENCH_BENCH_H

#include <stdbool.h>
#include <stddef.h>

/* The traced function in scope "one": the kernel's function for getppid(2). */
#define BENCH_FUNCTION "__do_sys_getppid"
/* BENCH_FUNCTION calls it once, with arguments; the first and the third fill a register each. */
#define BENCH_ARGUMENTS "__task_pid_nr_ns"
#define BENCH_INSTANCE "hytrace-bench"

enum bench_scope {
	BENCH_ONE = 1 << 0,	/* BENCH_FUNCTION only */
	BENCH_ALL = 1 << 1,	/* whatever can be traced */
};

/* The workloads. In scope "one" there are only getppid and parallel. */
enum bench_workload {
	WORKLOAD_GETPPID = 1 << 0,
	WORKLOAD_PIPE = 1 << 1,		/* a byte to another process and back */
	WORKLOAD_FILE = 1 << 2,		/* a file is made, written, read and removed */
	WORKLOAD_FORK = 1 << 3,		/* true(1) is run */
	WORKLOAD_TREE = 1 << 4,		/* tar(1) packs 128 files */
	WORKLOAD_LOOPBACK = 1 << 5,	/* 16 KiB to another process over TCP */
	WORKLOAD_SERVER = 1 << 6,	/* a server sends a file over a connection of its own */
	WORKLOAD_COMPILE = 1 << 7,	/* cc(1) compiles a file */
	WORKLOAD_PARALLEL = 1 << 8,	/* getppid on all CPUs at once; only when it is asked for */
};

#define WORKLOADS 9
#define WORKLOADS_ALL ((1 << WORKLOADS) - 1)
#define WORKLOADS_DEFAULT (WORKLOADS_ALL & ~WORKLOAD_PARALLEL)

/* The figures of a row, besides its name. NAN means unknown, and is null in JSON. */
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
	/*
	 * How many calls it takes until the cost is steady; 0: as many as a set needs to know
	 * everything.
	 */
	unsigned long warmup;
	/* How long it works in the background until the cost is steady. */
	unsigned int settle_ms;
	/* A set of enum bench_workload; 0: getppid. */
	unsigned int workloads;
	/* It sees only the calls of one CPU, or of one task. */
	bool one_cpu;
	const char *note;
	/* For the callbacks: distinguishes contenders that share them. */
	const void *variant;

	int (*setup)(const struct contender *c, enum bench_scope scope);
	int (*attach)(const struct contender *c, enum bench_scope scope);
	int (*clear)(const struct contender *c);
	/* Before each repetition: makes room for what it records. */
	void (*again)(const struct contender *c);
	int (*report)(const struct contender *c, struct bench_row *row);
	int (*detach)(const struct contender *c);
	/*
	 * Called after detach, for a program that also waits for other things: its own times in ns.
	 */
	int (*took)(const struct contender *c, double *ret_attach, double *ret_detach);
	void (*cleanup)(const struct contender *c);
};

/*
 * Enough calls to wrap the ring buffer of one CPU once, which is the steady state of a busy tracer.
 */
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
extern const struct contender contender_event_return;
extern const struct contender contender_event_5000;
extern const struct contender contender_event_perf;
extern const struct contender contender_event_bpf;
extern const struct contender contender_event_bpf_hash;
extern const struct contender contender_fprobe_event;
extern const struct contender contender_fprobe_event_2args;
extern const struct contender contender_fprobe_event_return;
extern const struct contender contender_kprobe_event;
extern const struct contender contender_kretprobe_event;
extern const struct contender contender_kprobe_multi;
extern const struct contender contender_kprobe_multi_hash_nocallers;
extern const struct contender contender_kprobe_multi_hash;
extern const struct contender contender_cover_bpf;
extern const struct contender contender_cover_bpf_kprobe;
extern const struct contender contender_cover_bpf_nocallers;
extern const struct contender contender_cover_bpf_retired;
extern const struct contender contender_fentry;
extern const struct contender contender_fentry_hash;
extern const struct contender contender_fentry_hash_callers;
extern const struct contender contender_fentry_bitmap;
extern const struct contender contender_fentry_bitmap_callers;
extern const struct contender contender_fentry_of_100;
extern const struct contender contender_fentry_multi;
extern const struct contender contender_fentry_multi_hash;
extern const struct contender contender_fentry_multi_bitmap;
extern const struct contender contender_ftrace_ops;
extern const struct contender contender_kcov;

/*
 * Changes of a contender outside its instance. They are in memory that outlives the measured
 * process, because the harness may have to clean up. All members are 0 before a contender's setup.
 */
struct bench_left {
	bool touched;
	double old;		/* the old value, if it is a number */
};

extern struct bench_left *bench_left;

/* Prints a message with the meaning of @err, and returns @err. */
__attribute__((format(printf, 2, 3)))
int bench_error(int err, const char *format, ...);

/*
 * The contender's own tracing instance, so that only this tracer's cost is measured, and other
 * people's settings have no influence (tracefs.c). File names are relative to its directory.
 */
int trace_instance__open(void);
/* Removes what a killed run has left behind. Returns 0, or -EBUSY if something is still there. */
int trace__remove_leftovers(void);
void trace_instance__close(void);
bool trace_instance__has(const char *file);
/* @ret_text is to be freed. */
int trace_instance__read(const char *file, char **ret_text);
int trace_instance__write(const char *file, const char *text);
int trace_instance__read_value(const char *file, const char *name, double *ret_value);
/* The same for the top directory of tracefs. */
bool trace_top__has(const char *file);
int trace_top__write(const char *file, const char *text);
int trace_top__append(const char *file, const char *text);
/* Writes everything in one write(2). */
int trace_top__write_once(const char *file, const char *text, size_t len);
/* @ret_text is to be freed. */
int trace_top__read(const char *file, char **ret_text);
/* Reads the last number of the line that begins with @name. */
int trace_top__read_last(const char *file, const char *name, double *ret_value);
int trace_top__count_lines(const char *file, double *ret_lines);
/* Is it a function of the kernel proper that, by its name, getppid() does not call? */
bool bench__is_other(const char *name);

#endif
