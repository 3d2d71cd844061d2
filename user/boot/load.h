/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How busy the machine was while it booted: the busy share of each CPU in each bin of time. All
 * bins have one length. A source of the timeline fills this from events, and pictures draw it.
 */
#ifndef HYTRACE_BOOT_LOAD_H
#define HYTRACE_BOOT_LOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct boot_load {
	int64_t start;			/* of the first bin, in ns of the kernel's clock */
	int64_t bin;			/* the length of a bin, in ns */
	size_t bins, cpus;
	double *busy;			/* [cpu * bins + bin]: 0 to 1; negative: not known */
	uint64_t *io_bytes;		/* [bin]: bytes read and written; NULL: not known */
};

/**
 * boot_load__init() - make bins, whose load is not known yet
 * @l: to be freed by boot_load__free()
 * @start: the start of the first bin
 * @end: the end of the last bin, after @start
 * @bins: the number of bins
 * @cpus: the number of CPUs
 * @io: boot_load__io() will be called; without, the bytes are not known
 */
void boot_load__init(struct boot_load *l, int64_t start, int64_t end, size_t bins, size_t cpus, bool io);
void boot_load__free(struct boot_load *l);

/* The CPU's load is known from @start to @end: it was idle, except where it is set to busy. */
void boot_load__watched(struct boot_load *l, size_t cpu, int64_t start, int64_t end);
/* The CPU was busy from @start to @end. Busy times of a CPU do not overlap. */
void boot_load__busy(struct boot_load *l, size_t cpu, int64_t start, int64_t end);
void boot_load__io(struct boot_load *l, int64_t time, uint64_t bytes);

/* The mean of all CPUs whose load is known in this bin; negative: it is not known for any CPU. */
double boot_load__mean(const struct boot_load *l, size_t bin);

#endif
