/* SPDX-License-Identifier: GPL-2.0-only */
/* The cost of very early tracing itself. */
#ifndef HYTRACE_BOOT_COST_H
#define HYTRACE_BOOT_COST_H

#include <stdint.h>

/*
 * How many TSC cycles it takes to record 1,000 calls; 0: unknown on this machine. This is an
 * estimate: the kernel has discarded its early recorder, so this program repeats the recorder's
 * instructions.
 */
struct early_cost {
	uint64_t entries;		/* if only entries are recorded */
	uint64_t calls;			/* if returns are recorded as well */
	uint64_t inside;		/* the part of "calls" that the calls' own times include */
	uint64_t jumps;			/* additional, inside, if the calls are jumps (spans.h) */
};

struct early_cost early_cost__measure(void);

#endif
