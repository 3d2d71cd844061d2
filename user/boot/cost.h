/* SPDX-License-Identifier: GPL-2.0-only */
/* What very early tracing itself takes. */
#ifndef HYTRACE_BOOT_COST_H
#define HYTRACE_BOOT_COST_H

#include <stdint.h>

/*
 * How many cycles of the TSC it takes to record 1,000 calls, over not recording them; 0: not known on this
 * machine. The kernel's recorder is gone by now, so its steps are done here: an estimate.
 */
uint64_t early_cost__measure(void);

#endif
