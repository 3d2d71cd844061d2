/* SPDX-License-Identifier: GPL-2.0-only */
/* The cost of very early tracing itself. */
#ifndef HYTRACE_BOOT_COST_H
#define HYTRACE_BOOT_COST_H

#include <stdint.h>

/*
 * How many TSC cycles more it takes to record 1,000 calls than not to record them; 0: unknown on
 * this machine. This is an estimate: the kernel's recorder does not exist any more, so its steps
 * are repeated here.
 */
struct early_cost {
	uint64_t entries;		/* if only entries are recorded */
	uint64_t calls;			/* if returns are recorded as well */
	uint64_t inside;		/* the part that is in the times of these calls */
	uint64_t jumps;			/* what 1,000 calls take in addition, inside, if a function jumps to another one at its end */
};

struct early_cost early_cost__measure(void);

#endif
