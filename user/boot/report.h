/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reports of the early part of a boot: a document for programs, one for trace viewers, and a text
 * for people.
 */
#ifndef HYTRACE_BOOT_REPORT_H
#define HYTRACE_BOOT_REPORT_H

#include <stdio.h>

#include "base/counters.h"
#include "boot/calls.h"
#include "boot/files.h"
#include "boot/machine.h"
#include "boot/phases.h"
#include "boot/start.h"
#include "kernel/running.h"

/* It is increased when a field of the json document changes its meaning or is removed. */
#define BOOT_SCHEMA 4

struct boot_whole;

/* The first part is filled by the caller, and the second one by boot_report__analyse(). */
struct boot_report {
	struct kernel kernel;
	char *boot_id;
	struct machine machine;
	bool early;			/* the early part is there; without it, only the next field is used */
	struct boot_start *start;	/* the part from the initcalls on; NULL: not there */
	struct boot_whole *whole;	/* what came before and after, and all together; NULL: not known */
	struct early_stats stats;
	struct early_calls calls;
	uint64_t missing;		/* early calls that were recorded and are no longer there */
	uint64_t recorder_cycles;	/* TSC cycles to record 1,000 calls; 0: unknown */
	uint64_t inside_cycles;		/* if returns are recorded: the part of these that is in the times of these calls */
	uint64_t jump_cycles;		/* the same, in addition for 1,000 calls that are jumps */

	struct counters lost;
	struct early_phases phases;
	/* Those with the most calls first; if returns were recorded, those with the longest times of their own. */
	struct early_function *functions;
	size_t function_count;
};

/* Takes how long this machine needs to record calls. */
void boot_report__measure_cost(struct boot_report *r);
void boot_report__analyse(struct boot_report *r);
void boot_report__free(struct boot_report *r);

bool boot_report__is_oneshot(const struct boot_report *r);
/* The name of a phase; NULL: unknown. */
const char *boot_report__phase_name(const struct boot_report *r, const struct early_phase *phase);
/* The same for people: if it is unknown, says so in words. @room may be used for the text. */
const char *boot_report__shown_name(const struct boot_report *r, const struct early_phase *phase,
				    char *room, size_t size);
/* Is the cost of recording known, and so the time of a phase without it? */
bool boot_report__knows_net(const struct boot_report *r);
uint64_t boot_report__recorder_ns(const struct boot_report *r, uint64_t calls);
/* The time of the first call that has one. */
uint64_t boot_report__first(const struct boot_report *r);
uint64_t boot_report__net(const struct boot_report *r, const struct early_phase *phase);
/* The same for the times of a function, if returns were recorded: in all, and its own. */
uint64_t boot_report__inclusive_net(const struct boot_report *r, const struct early_function *f);
uint64_t boot_report__self_net(const struct boot_report *r, const struct early_function *f);

/* A time in seconds, with microseconds, or in the clock's units. */
const char *boot_report__time_text(const struct boot_report *r, uint64_t time, char *text, size_t room);

/*
 * @most: the number of functions listed at most. Write errors stay in the stream, where
 * output__commit() finds them.
 */
void boot_report__text(const struct boot_report *r, size_t most, FILE *out);
void boot_report__json(const struct boot_report *r, size_t most, FILE *out);
/* Writes trace events for Chrome and Perfetto: all bars of timeline.h, but only the longest calls. */
void boot_report__chrome(const struct boot_report *r, FILE *out);
/* Writes a picture, in at most 2 MB: all bars of timeline.h, the narrowest ones joined. */
void boot_report__svg(const struct boot_report *r, FILE *out);
/*
 * Writes stacks for programs that draw flame graphs: initcalls and modules of each task, with the
 * microseconds that each had for itself. Returns -EOPNOTSUPP after a message if there are none.
 */
int boot_report__folded(const struct boot_report *r, FILE *out);

/* Prints the losses on stderr, one a line, with their meaning; prints nothing if there are none. */
void boot_report__losses(const struct boot_report *r);

#endif
