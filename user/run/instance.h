/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The tracefs instance of this run, hytrace-ID. All settings are made in it and are removed with
 * it, so that other users' tracing does not change. This also relates the ring buffer's clock to
 * CLOCK_MONOTONIC. Other runs see by the instance that this run is alive, so it is made before
 * anything else in the kernel. Then what other runs have left is removed: a run leaves something if it
 * was killed together with its watchdog, for example with its container or control group.
 */
#ifndef HYTRACE_RUN_INSTANCE_H
#define HYTRACE_RUN_INSTANCE_H

#include "run/guard.h"

/* Prefixes of the names of instances, and of groups of events; run__id() comes after it. */
#define INSTANCE_PREFIX "hytrace-"
#define GROUP_PREFIX "hytrace_"

struct instance;

int instance__create(struct instance **ret, struct guard *guard);
void instance__close(struct instance *i);

/*
 * Writes a text to a file, whose name is relative to the instance. If the kernel refuses the text,
 * a message says what and where.
 */
int instance__write(struct instance *i, const char *file, const char *text);
/*
 * Writes each element by itself, as the filter files need it; stops at the first that is refused.
 */
int instance__write_list(struct instance *i, const char *file, char *const *list);
/*
 * Makes the ring buffer as small as possible, for runs that do not read it. A new instance has a
 * buffer of full size for each CPU. @ret_bytes: its size afterwards
 */
int instance__shrink(struct instance *i, uint64_t *ret_bytes);
/* Writes the numbers of a process's threads to set_ftrace_pid or a similar file. */
int instance__write_threads(struct instance *i, const char *file, int pidfd);
/* Reads the text of a file, to be freed. Returns NULL and errno if it cannot be read. */
char *instance__read(struct instance *i, const char *file);
/* The path of a file, to be freed. */
char *instance__path(struct instance *i, const char *file);
/* Opens a file, with O_CLOEXEC. Returns a descriptor, or a negative errno after a message. */
int instance__open(struct instance *i, const char *file, int flags);

/* Sets tracing_on, which lets the instance record. The file stays open, so this is one system call. */
int instance__gate(struct instance *i, bool on);

/* "now ts:     1.234567" of a file `stats`, in ns. Returns -EPROTO if it has none, or a count. @stats: may be NULL */
int clock__parse_now(const char *stats, uint64_t *ret_ns);

/* The times of both clocks at one moment; @error is the largest possible deviation, in ns. */
struct clock_pair {
	uint64_t monotonic, local, error;
};

int instance__read_clock(struct instance *i, struct clock_pair *ret);
/* Converts a CLOCK_MONOTONIC time, which is between @first and @last, to the trace clock. */
uint64_t clock_pair__local(const struct clock_pair *first, const struct clock_pair *last,
			   uint64_t monotonic);
/* A time namespace's offset of "monotonic" or "boottime", in ns. @offsets: a file as /proc/self/timens_offsets */
int64_t clock__offset(const char *offsets, const char *name);
/* CLOCK_MONOTONIC of the kernel, even in a time namespace. */
uint64_t clock__monotonic(void);
/* The time in ns since 1970. */
uint64_t clock__realtime(void);

/* ---- leftovers: the ids of runs that have ended without cleaning up */

struct leftovers {
	char **ids;
	size_t count;
};

/* @instances: the directory; it has to be locked meanwhile. @ret: empty */
void leftovers__find(const char *instances, struct leftovers *ret);
/* Lets the watchdog remove the leftovers, and prints a message for each. */
int leftovers__remove(const struct leftovers *l, const char *instances, struct guard *guard);
void leftovers__free(struct leftovers *l);
/*
 * Marks this run as alive, by a lock on its instance. The lock is never released: it ends with the process. So
 * call this in a process that ends only after the watchdog has removed the instance. Returns 0, or a negative
 * errno after a message.
 */
int run__lock(const char *path);

#endif
