/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which of many rows differ between two groups of boots by more than boots of the same kernel do.
 *
 * The same kernel does not take the same time twice, and among a thousand rows, some always differ by
 * chance. So rows are judged together, by the boots themselves: if the two groups are alike, the
 * boots could as well have been divided into groups in any other way. For each way to divide them,
 * the largest difference of all rows is found, each row in terms of its own noise. A row is certain
 * if nearly no other division has such a difference in any row (the step-down maxT test of
 * Westfall and Young). This needs no model of the noise, and rows may depend on each other, as a
 * level does on its initcalls. It does need boots that were made in turns: if the machine is busier
 * while the second group boots, then that is a difference, too.
 */
#ifndef HYTRACE_BOOT_NOISE_H
#define HYTRACE_BOOT_NOISE_H

#include <stdbool.h>
#include <stddef.h>

struct noise_row {
	const double *values;	/* those of the first group, and after them those of the second one */
	double least;		/* a smaller difference does not matter; greater than 0 */
	double floor;		/* the noise is never less than this; greater than 0 */
	/* The answers: */
	double a, b;		/* what is in the middle of each group */
	double spread;		/* the largest distance of a boot from the middle of its group */
	bool apart;		/* the gap between the groups is larger than each of them */
	double p;		/* how often chance makes a row like this one or any other; 1: too few boots to tell */
};

/* Are there enough boots for noise_row.p to be as low as @alpha? */
bool noise__can_tell(size_t a, size_t b, double alpha);

/**
 * noise__judge() - find which rows differ by more than the noise
 * @rows: with their values
 * @count: how many
 * @a: the number of boots in the first group, at least 1
 * @b: that of the second one, at least 1
 */
void noise__judge(struct noise_row *rows, size_t count, size_t a, size_t b);

/**
 * noise__grown() - how often chance makes the second group's values so much larger
 * @row: only @values and @floor are used. It is judged alone, as somebody has asked for this row
 * @a: the number of boots in the first group
 * @b: that of the second one
 *
 * Return: the share of all divisions whose second group exceeds the first one by at least as much, in
 * terms of the noise.
 */
double noise__grown(const struct noise_row *row, size_t a, size_t b);

#endif
