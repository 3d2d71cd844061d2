/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which of many rows differ between two groups of boots by more than boots of the same kernel do.
 *
 * Each boot takes a different time, and among a thousand rows, some always differ by chance. So
 * this tests all rows together, by permutation: if the two groups are alike, any division of the
 * boots into two groups would do as well. For each division, this finds the largest difference of
 * all rows, each relative to the row's own noise. A row is certain if nearly no other division has
 * such a difference in any row (the step-down maxT test of Westfall and Young). This needs no model
 * of the noise, and rows may depend on each other, as a level depends on its initcalls. But the two
 * groups must be booted in turns: if the machine is busier while the second group boots, this is a
 * difference, too.
 */
#ifndef HYTRACE_BOOT_NOISE_H
#define HYTRACE_BOOT_NOISE_H

#include <stdbool.h>
#include <stddef.h>

struct noise_row {
	const double *values;	/* one for each boot, the first group first */
	double least;		/* a smaller difference does not matter; greater than 0 */
	double floor;		/* the noise is never less than this; greater than 0 */
	/* Results: */
	double a, b;		/* the median of each group */
	double spread;		/* the largest distance of a boot from the median of its group */
	bool apart;		/* the gap between the groups is larger than each group's range */
	double p;		/* the probability that chance does this in any row; 1: unknown */
};

/* Are there enough boots for noise_row.p to be as low as @alpha? */
bool noise__can_tell(size_t a, size_t b, double alpha);

/**
 * noise__judge() - find which rows differ by more than the noise
 * @rows: the rows, with @values, @least and @floor; gets the results
 * @count: the number of rows
 * @a: the number of boots in the first group, at least 1
 * @b: the number of boots in the second group, at least 1
 */
void noise__judge(struct noise_row *rows, size_t count, size_t a, size_t b);

/**
 * noise__grown() - the probability that chance makes the second group so much larger
 * @row: a single row, of which only @values and @floor are used
 * @a: the number of boots in the first group
 * @b: the number of boots in the second group
 *
 * Return: the share of all divisions in which the second group is larger by at least as much,
 * relative to the noise.
 */
double noise__grown(const struct noise_row *row, size_t a, size_t b);

#endif
