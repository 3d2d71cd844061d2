/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How busy the machine was while it booted. Time is divided into equal bins, and each CPU was busy
 * for a share of each. A source fills this from events, and pictures draw it.
 */
#ifndef HYTRACE_BOOT_LOAD_H
#define HYTRACE_BOOT_LOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct boot_load {
	int64_t start;			/* of the first bin, in ns of the kernel's clock */
	int64_t bin;			/* the length of each, in ns */
	size_t bins, cpus;
	double *busy;			/* [cpu * bins + bin]: 0 to 1; negative: not known */
	uint64_t *io_bytes;		/* [bin]: read and written; NULL: not known */
};

/**
 * boot_load__init() - make bins, of which nothing is known yet
 * @l: to be freed by boot_load__free()
 * @start: of the first bin
 * @end: of the last one; after @start
 * @bins: how many
 * @cpus: of how many CPUs, from 0 on
 * @io: is it known how much was read and written? Then it is 0 at first.
 */
void boot_load__init(struct boot_load *l, int64_t start, int64_t end, size_t bins, size_t cpus, bool io);
void boot_load__free(struct boot_load *l);

/* The CPU was watched for this stretch: where it is not said to be busy, it was idle. */
void boot_load__watched(struct boot_load *l, size_t cpu, int64_t start, int64_t end);
/* The CPU was busy for this stretch. Stretches of one CPU do not overlap. */
void boot_load__busy(struct boot_load *l, size_t cpu, int64_t start, int64_t end);
void boot_load__io(struct boot_load *l, int64_t time, uint64_t bytes);

/* The mean of all CPUs that are known in this bin; negative if none is. */
double boot_load__mean(const struct boot_load *l, size_t bin);

#endif
