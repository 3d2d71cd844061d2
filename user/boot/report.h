/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The early part of a boot in words: one document for programs, one for trace viewers, one for people.
 */
#ifndef HYTRACE_BOOT_REPORT_H
#define HYTRACE_BOOT_REPORT_H

#include <stdio.h>

#include "base/counters.h"
#include "boot/calls.h"
#include "boot/files.h"
#include "boot/phases.h"
#include "kernel/kernel_id.h"

/* Rises when a field of the json document changes its meaning or goes away. */
#define BOOT_SCHEMA 2

/* Whoever makes one fills the first part, and boot_report__analyse() the second. */
struct boot_report {
	struct kernel_id kernel;
	char *boot_id;
	struct early_stats stats;
	struct early_calls calls;
	uint64_t missing;		/* early calls that were recorded and are there no more */
	uint64_t recorder_cycles;	/* of the TSC, what recording 1,000 takes; 0: not known */

	struct counters lost;
	struct early_phases phases;
	struct early_function *functions;	/* with the most calls first */
	size_t function_count;
};

int boot_report__analyse(struct boot_report *r);
void boot_report__free(struct boot_report *r);

bool boot_report__is_oneshot(const struct boot_report *r);
/* NULL: not known. */
const char *boot_report__phase_name(const struct boot_report *r, const struct early_phase *phase);
/* For people: says that in words; @room may be used for them. */
const char *boot_report__shown_name(const struct boot_report *r, const struct early_phase *phase,
				    char *room, size_t size);
/* What recording so many calls took, if it is known; so is then what a phase took without that. */
bool boot_report__knows_net(const struct boot_report *r);
uint64_t boot_report__recorder_ns(const struct boot_report *r, uint64_t calls);
uint64_t boot_report__net(const struct boot_report *r, const struct early_phase *phase);

/*
 * @most: functions listed at most. Write errors stay in the stream, for output__commit() to find; what is
 * returned is -ENOMEM.
 */
int boot_report__text(const struct boot_report *r, size_t most, FILE *out);
int boot_report__json(const struct boot_report *r, size_t most, FILE *out);
/* Trace events as Chrome and Perfetto read them: the phases, and the longest calls. */
int boot_report__chrome(const struct boot_report *r, FILE *out);

/* What was lost, on stderr, one line each with what it means; nothing when nothing was. */
void boot_report__losses(const struct boot_report *r);

#endif
