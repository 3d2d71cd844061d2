/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The definition of a contender of the benchmark.
 *
 * A contender is a way to learn that a function has run: a row of contenders[], with callbacks (its
 * method). For each of its scopes, the harness (measure.c) starts a process with these steps:
 *
 *	[ base is measured, of all workloads ]
 *	setup	prepare what is not part of attaching: load a program, make a tracing instance
 *	attach	timed
 *	[ warm-up: until the sets know every function and the ring buffers have wrapped ]
 *	[ total is measured, of all workloads ]
 *	again	before each repetition, for a buffer that does not overwrite: empties it
 *	report	after the first workload: the contender's memory, what it saw, what it missed
 *	clear	for contenders that record an address once: forget everything, to time first hits
 *		repeatedly; -EOPNOTSUPP without a message: this contender cannot
 *	detach	timed
 *	[ attach and detach twice more, so that their times are medians ]
 *	cleanup	also after a failure; the harness calls it again if the process has died
 *
 * To add a contender, add a row at its place in the report, and a method if there is none for it. A
 * callback that is not needed is NULL. Each returns 0 or a negative errno. If the kernel lacks
 * something that a contender needs, its setup returns -EOPNOTSUPP; then its row has nulls and a
 * note, and is never left out.
 */
#ifndef HYTRACE_BENCH_BENCH_H
#define HYTRACE_BENCH_BENCH_H

/* The traced function in scope "one": the kernel's function for getppid(2). */
#define BENCH_FUNCTION "__do_sys_getppid"

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
	double over_base;	/* total - base */
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

struct contender;

struct method {
	int (*setup)(const struct contender *c, enum bench_scope scope);
	int (*attach)(const struct contender *c, enum bench_scope scope);
	int (*clear)(const struct contender *c);
	/* Before each repetition: empties a buffer that does not overwrite. */
	void (*again)(const struct contender *c);
	int (*report)(const struct contender *c, struct bench_row *row);
	int (*detach)(const struct contender *c);
	/* After detach, for a program that also waits for other things: its own times, in ns. */
	int (*took)(const struct contender *c, double *ret_attach, double *ret_detach);
	void (*cleanup)(const struct contender *c);
	/* It sees only the calls of one CPU, or of one task. */
	bool one_cpu;
};

extern const struct method method_oneshot;
extern const struct method method_tracer, method_profiler;
extern const struct method method_cover, method_bpftrace, method_perf_stat;
extern const struct method method_ops, method_kcov;
extern const struct method method_kprobe_multi, method_fentry, method_fentry_multi, method_event_bpf;
extern const struct method method_many_fentry;
extern const struct method method_event, method_event_perf;

enum event_kind { FUNCTION_EVENT, FPROBE_EVENT, KPROBE_EVENT, KRETPROBE_EVENT };

struct contender {
	const char *name;
	const struct method *method;
	unsigned int scopes;
	/* Bits of enum bench_workload; 0: getppid. */
	unsigned int workloads;
	const char *note;
	/* Calls until the cost is steady; 0: as many as the workload says. */
	unsigned long warmup;
	/* Time in the background until the cost is steady. */
	unsigned int settle_ms;
	/* Parameters of a method that several contenders have. */
	union {
		/* A program of bpf/bench.bpf.c. */
		struct {
			const char *program;
			const char *map;	/* the name of its set; NULL: none */
			/* In scope "all": excludes functions that it or kprobe.multi calls. */
			bool denied;
			/* The program on kprobe.multi for functions that @program cannot take. */
			const char *rest;
		} bpf;
		struct {
			enum event_kind kind;
			const char *definition;	/* the function and what is recorded */
			const char *all;	/* the definition for all functions */
			unsigned int others;	/* events on other functions, also enabled */
			unsigned int beside;	/* more events on the same function, also enabled */
		} event;
		struct {
			const char *name;
			const char *top;	/* a file at the top that has to be 1; NULL: none */
			const char *option;	/* an option of the instance that has to be 1 */
		} tracer;
		struct {
			const char *parent;	/* the value of the option: are callers recorded? */
			bool retire;
		} oneshot;
		/* Options of `hytrace cover`, with NULL after the last one. */
		const char *cover[3];
	};
};

/* In the order of the report. The first one is the base. */
extern const struct contender contenders[];
extern const size_t contender_count;

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
 * Counts the calls that a BPF program missed because of recursion, and those that its link missed.
 * @link_fd: -1: there is no such counter.
 */
int bench__missed_calls(int prog_fd, int link_fd, double *ret_missed);

/* The group of the traced event. Other events are in the group BENCH_OTHERS. */
#define BENCH_GROUP "hytrace_bench"
#define BENCH_EVENT "traced"
#define BENCH_OTHERS "hytrace_bench_others"

/* @definition: as in struct contender. Returns -EOPNOTSUPP without a message: no such events. */
int bench_event__make(enum event_kind kind, const char *definition);

/*
 * Files of tracefs, at the top, or in an instance of the contender's own: so only the
 * cost of this tracer is measured, and other people's settings have no influence.
 */
#define TOP NULL
extern struct tracefs_instance *bench_instance;

int trace_instance__open(void);
void trace_instance__close(void);
/* A method's report(): the size of the ring buffers of all CPUs in the instance. */
int trace_instance__memory(const struct contender *c, struct bench_row *row);
/* Removes all events of the two groups above. Returns 0, or -EBUSY if something is still there. */
int trace__remove_events(void);
/* Also removes a killed run's instance. Returns 0, or -EBUSY if something is still there. */
int trace__remove_leftovers(void);
bool trace__has(struct tracefs_instance *where, const char *file);
/* @ret_text is to be freed. */
int trace__read(struct tracefs_instance *where, const char *file, char **ret_text);
/* Reads the last number of the line that begins with @name; "": of the first line. */
int trace__number(struct tracefs_instance *where, const char *file, const char *name, double *ret_value);
int trace__write(struct tracefs_instance *where, const char *file, const char *text);
/* Appends @text in one write(2). */
int trace__append(const char *file, const char *text);
/* Is @name a function of vmlinux that, by its name, getppid() does not call? */
bool bench__is_other(const char *name);

#endif
