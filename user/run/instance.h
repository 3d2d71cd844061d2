/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The tracefs instance of this run, hytrace-ID. All settings are made in it and are removed with
 * it, so that nobody else's tracing changes. It also relates the ring buffer's clock to
 * CLOCK_MONOTONIC. Other runs see by its instance that a run is alive, so it is made before
 * anything else in the kernel.
 */
#ifndef HYTRACE_RUN_INSTANCE_H
#define HYTRACE_RUN_INSTANCE_H

#include <stdbool.h>
#include <stdint.h>

#include "run/guard.h"

struct instance;

int instance__create(struct instance **ret, struct guard *guard);
void instance__close(struct instance *i);
/* For libtracefs. */
struct tracefs_instance *instance__tracefs(struct instance *i);

/*
 * Writes a text to a file, whose name is relative to the instance. If the kernel refuses it, a
 * message says what and where.
 */
int instance__write(struct instance *i, const char *file, const char *text);
/*
 * Writes each element by itself, as the filter files need it; stops at the first one that is
 * refused.
 */
int instance__write_list(struct instance *i, const char *file, char *const *list);
/*
 * Makes the ring buffer as small as possible, for runs that do not read it. At first it has full
 * size, and there is one for each CPU. @ret_bytes: its size afterwards.
 */
int instance__shrink(struct instance *i, uint64_t *ret_bytes);
/* Writes the numbers of a process's threads to set_ftrace_pid or a similar file. */
int instance__write_threads(struct instance *i, const char *file, int pidfd);
bool instance__has(struct instance *i, const char *file);
/* The text of a file, to be freed; NULL and errno if it cannot be read. */
char *instance__read(struct instance *i, const char *file);
/* The path of a file, to be freed. */
char *instance__path(struct instance *i, const char *file);

/* Opens or closes the gate, tracing_on. The file stays open, so this is one system call. */
int instance__gate(struct instance *i, bool on);

/* "now ts:     1.234567" of a file `stats`, in ns. Returns -EPROTO if it has none, or a count. @stats: may be NULL */
int clock__parse_now(const char *stats, uint64_t *ret_ns);

/* The times of both clocks at the same moment, as exactly as can be known. */
struct clock_pair {
	uint64_t monotonic, local, error;
};

int instance__read_clock(struct instance *i, struct clock_pair *ret);
/* Converts a CLOCK_MONOTONIC time between two such moments to the other clock. */
uint64_t clock_pair__local(const struct clock_pair *first, const struct clock_pair *last,
			   uint64_t monotonic);
/* What a time namespace adds to "monotonic" or "boottime", in ns, by a file such as /proc/self/timens_offsets. */
int64_t clock__offset(const char *offsets, const char *name);
/* CLOCK_MONOTONIC as the kernel has it, even in a time namespace. */
uint64_t clock__monotonic(void);
/* The time in ns since 1970. */
uint64_t clock__realtime(void);

#endif
