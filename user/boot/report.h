/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The report of a boot: text, json, trace events for viewers, a picture and folded stacks.
 * boot_report__analyse() analyses the early part.
 */
#ifndef HYTRACE_BOOT_REPORT_H
#define HYTRACE_BOOT_REPORT_H

#include <stdio.h>

#include "base/memory.h"
#include "boot/calls.h"
#include "boot/files.h"
#include "boot/machine.h"
#include "boot/phases.h"
#include "boot/start.h"
#include "kernel/running.h"

/* Increase it when a field of the json is removed or changes its meaning. */
#define BOOT_SCHEMA 4

struct boot_whole;

/* The caller fills the members up to "jump_cycles", boot_report__analyse() fills the others. */
struct boot_report {
	struct kernel kernel;
	char *boot_id;
	struct machine machine;
	bool early;			/* the early part is there, in stats and calls */
	struct boot_start *start;	/* the part from the initcalls on; NULL: not recorded */
	struct boot_whole *whole;	/* firmware, units, and all parts; NULL: not known */
	struct early_stats stats;
	struct early_calls calls;
	uint64_t missing;		/* recorded early calls that are not there any more */
	uint64_t recorder_cycles;	/* TSC cycles to record 1,000 calls; 0: unknown */
	uint64_t inside_cycles;		/* the part of them that the times of calls include */
	uint64_t jump_cycles;		/* additional, inside, if the 1,000 calls are jumps */

	struct counters lost;
	struct early_phases phases;
	/* Sorted by calls, the most first; with returns by own time, the longest first. */
	struct early_function *functions;
	size_t function_count;
};

/* Measures how long this machine takes to record a call. */
void boot_report__measure_cost(struct boot_report *r);
void boot_report__analyse(struct boot_report *r);
void boot_report__free(struct boot_report *r);

bool boot_report__is_oneshot(const struct boot_report *r);
/* The name of a phase; NULL: unknown. */
const char *boot_report__phase_name(const struct boot_report *r, const struct early_phase *phase);
/* The name of a phase for text: if it is unknown, says so. @room may be used for the result. */
const char *boot_report__shown_name(const struct boot_report *r, const struct early_phase *phase,
				    char *room, size_t size);
/* Is the cost of recording known, and so the net time of phases and functions? */
bool boot_report__knows_net(const struct boot_report *r);
uint64_t boot_report__recorder_ns(const struct boot_report *r, uint64_t calls);
/* The time of the first call that has a time. */
uint64_t boot_report__first(const struct boot_report *r);
/* The time of a phase without the cost of recording. */
uint64_t boot_report__net(const struct boot_report *r, const struct early_phase *phase);
/* The net inclusive time, and the net own time, of a function, if returns were recorded. */
uint64_t boot_report__inclusive_net(const struct boot_report *r, const struct early_function *f);
uint64_t boot_report__self_net(const struct boot_report *r, const struct early_function *f);

/* A time in seconds, with microseconds, or in the clock's units. */
const char *boot_report__time_text(const struct boot_report *r, uint64_t time, char *text, size_t room);

/*
 * @most: the most functions to list. Write errors stay in the stream: output__commit() finds them.
 */
void boot_report__text(const struct boot_report *r, size_t most, FILE *out);
void boot_report__json(const struct boot_report *r, size_t most, FILE *out);
/* Writes trace events for Chrome and Perfetto: all bars, but of early calls only the longest. */
void boot_report__chrome(const struct boot_report *r, FILE *out);
/* Writes a picture, in at most 2 MB: all bars of timeline.h, but the narrowest bars are joined. */
void boot_report__svg(const struct boot_report *r, FILE *out);
/*
 * Writes stacks for programs that draw flame graphs: initcalls and modules of each task, and early
 * calls, with own times in microseconds. Returns -EOPNOTSUPP after a message if there are none.
 */
int boot_report__folded(const struct boot_report *r, FILE *out);

/* Prints the losses on stderr, one per line, with their meaning; nothing if there are none. */
void boot_report__losses(const struct boot_report *r);

#endif
