// SPDX-License-Identifier: GPL-2.0-only
/* See load.h. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "boot/load.h"

void boot_load__init(struct boot_load *l, int64_t start, int64_t end, size_t bins, size_t cpus, bool io)
{
	memset(l, 0, sizeof(*l));
	l->busy = xcalloc(cpus * bins, sizeof(*l->busy));
	l->io_bytes = io ? xcalloc(bins, sizeof(*l->io_bytes)) : NULL;
	l->start = start;
	/* The last bin may end later. */
	l->bin = (end - start + (int64_t)bins - 1) / (int64_t)bins;
	l->bins = bins;
	l->cpus = cpus;
	for (size_t i = 0; i < cpus * bins; i++)
		l->busy[i] = -1;
}

void boot_load__free(struct boot_load *l)
{
	free(l->busy);
	free(l->io_bytes);
	memset(l, 0, sizeof(*l));
}

/* Adds to each bin its share of the time from @start to @end, times @weight. Unknown becomes 0. */
static void add(struct boot_load *l, size_t cpu, int64_t start, int64_t end, double weight)
{
	int64_t from = start - l->start, to = end - l->start, whole = l->bin * (int64_t)l->bins;

	if (from < 0)
		from = 0;
	if (to > whole)
		to = whole;
	if (cpu >= l->cpus)
		return;
	while (from < to) {
		int64_t bin = from / l->bin, next = (bin + 1) * l->bin;
		int64_t part = (next < to ? next : to) - from;
		double *busy = &l->busy[cpu * l->bins + bin];

		if (*busy < 0)
			*busy = 0;
		*busy += weight * part / l->bin;
		/* Rounding errors may add up. */
		if (*busy > 1)
			*busy = 1;
		from += part;
	}
}

void boot_load__watched(struct boot_load *l, size_t cpu, int64_t start, int64_t end)
{
	add(l, cpu, start, end, 0);
}

void boot_load__busy(struct boot_load *l, size_t cpu, int64_t start, int64_t end)
{
	add(l, cpu, start, end, 1);
}

void boot_load__io(struct boot_load *l, int64_t time, uint64_t bytes)
{
	int64_t bin = time < l->start ? -1 : (time - l->start) / l->bin;

	if (l->io_bytes && bin >= 0 && bin < (int64_t)l->bins)
		l->io_bytes[bin] += bytes;
}

double boot_load__mean(const struct boot_load *l, size_t bin)
{
	double sum = 0;
	size_t known = 0;

	for (size_t cpu = 0; cpu < l->cpus; cpu++) {
		double busy = l->busy[cpu * l->bins + bin];

		if (busy >= 0) {
			sum += busy;
			known++;
		}
	}
	return known ? sum / known : -1;
}
