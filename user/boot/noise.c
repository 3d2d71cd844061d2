// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tells differences from noise by dividing the boots into groups in other ways; see compare.h.
 *
 * The noise of a row is the average distance of its boots from the median of their group, so that one slow boot of
 * five does not change much. Differences are relative to the row's noise: otherwise a row with much noise would hide
 * all other rows.
 *
 * If there are too many divisions, some thousands are drawn at random, with a fixed seed, so that an input always
 * gives the same answer. The real division counts as one of the divisions, which keeps the test exact.
 */
#include <math.h>

#include "base/memory.h"
#include "base/sorted.h"
#include "boot/compare.h"

#define MOST_DIVISIONS 5000
/* Sums of numbers may differ by this share if the order of the numbers changes. */
#define ROUNDING 1e-9

/* ---- ways to divide boots into two groups */

struct divisions {
	size_t a, n;
	size_t others;		/* divisions to try besides the real one */
	bool drawn;
	unsigned short seed[3];
	bool *second;		/* of each boot: is it in the second group? */
};

/* The number of divisions; if it is above MOST_DIVISIONS, some number above MOST_DIVISIONS. */
static double ways(size_t n, size_t a)
{
	double result = 1;

	for (size_t i = 1; i <= a && result <= MOST_DIVISIONS; i++)
		result = result * (n - a + i) / i;
	return result;
}

/* Begins with the real division. */
static void divisions__init(struct divisions *d, size_t a, size_t b)
{
	double all = ways(a + b, a);

	*d = (struct divisions){ .a = a, .n = a + b, .seed = { 2, 6, 3 } };
	d->drawn = all > MOST_DIVISIONS;
	d->others = d->drawn ? MOST_DIVISIONS : (size_t)lround(all) - 1;
	d->second = xcalloc(d->n, sizeof(*d->second));
	for (size_t i = a; i < d->n; i++)
		d->second[i] = true;
}

/*
 * The next division, in the order of binary numbers with a digit for each boot. The real division is the least
 * number: first all zeros, then all ones.
 */
static void next_of_all(struct divisions *d)
{
	size_t i = d->n - 2, ones = 0;

	while (d->second[i] || !d->second[i + 1])
		i--;
	d->second[i] = true;
	d->second[i + 1] = false;
	for (size_t k = i + 2; k < d->n; k++)
		ones += d->second[k];
	for (size_t k = i + 2; k < d->n; k++)
		d->second[k] = k >= d->n - ones;
}

/* Draws a division at random. All divisions are equally likely. */
static void draw(struct divisions *d)
{
	size_t wanted = d->a;

	for (size_t i = 0; i < d->n; i++) {
		bool first = erand48(d->seed) * (d->n - i) < wanted;

		d->second[i] = !first;
		wanted -= first;
	}
}

static void divisions__next(struct divisions *d)
{
	if (d->drawn)
		draw(d);
	else
		next_of_all(d);
}

bool noise__can_tell(size_t a, size_t b, double alpha)
{
	/* If the groups have the same size, each division occurs twice, with the groups swapped. */
	return (a == b ? 2 : 1) / ways(a + b, a) <= alpha;
}

/* ---- a row in one division */

/* A value of a row, and the boot that it is of. */
struct sorted {
	double value;
	size_t boot;
};

static int by_value(const void *x, const void *y)
{
	const struct sorted *a = x, *b = y;

	return ORDER(a->value, b->value);
}

static void sort_row(struct sorted *sorted, const double *values, size_t n)
{
	for (size_t i = 0; i < n; i++)
		sorted[i] = (struct sorted){ values[i], i };
	qsort(sorted, n, sizeof(*sorted), by_value);
}

struct group {
	double low, median, high;
	double distances;	/* the sum of the distances from the median */
};

static struct group group_of(const struct sorted *sorted, const struct divisions *d, bool second)
{
	size_t count = second ? d->n - d->a : d->a, seen = 0;
	struct group g = {};

	for (size_t i = 0; i < d->n; i++) {
		double value = sorted[i].value;

		if (d->second[sorted[i].boot] != second)
			continue;
		g.low = seen ? g.low : value;
		g.high = value;
		/* The median of an even number of values is the mean of the two in the middle. */
		g.median += ((seen == (count - 1) / 2) + (seen == count / 2)) * value / 2;
		seen++;
	}
	for (size_t i = 0; i < d->n; i++) {
		if (d->second[sorted[i].boot] == second)
			g.distances += fabs(sorted[i].value - g.median);
	}
	return g;
}

/* By how much the second group is larger, relative to the noise; 0: less than @least. */
static double excess(const struct sorted *sorted, const struct divisions *d, double least, double floor)
{
	struct group a = group_of(sorted, d, false), b = group_of(sorted, d, true);
	double change = b.median - a.median;

	return fabs(change) < least ? 0 : change / ((a.distances + b.distances) / d->n + floor);
}

/* ---- all rows */

struct judged {
	struct noise_row *row;
	struct sorted *sorted;
	double weight;
	size_t reached;		/* divisions that reach this weight in this row or a later row */
};

static int by_weight(const void *x, const void *y)
{
	const struct judged *a = x, *b = y;

	/* Makes the order, and so the answer, the same on each machine. */
	return ORDER(b->weight, a->weight) ?: ORDER(a->row, b->row);
}

static double weight(const struct judged *j, const struct divisions *d)
{
	return fabs(excess(j->sorted, d, j->row->least, j->row->floor));
}

static void describe(struct noise_row *row, const struct group *a, const struct group *b)
{
	double gap = fmax(b->low - a->high, a->low - b->high);

	row->a = a->median;
	row->b = b->median;
	row->spread = fmax(fmax(row->a - a->low, a->high - row->a), fmax(row->b - b->low, b->high - row->b));
	row->apart = gap > 0 && gap > a->high - a->low && gap > b->high - b->low;
	row->p = 1;
}

/* Counts the rows that differ in the division @d at least as much as in the real division. */
static void count_reached(struct judged *list, size_t count, const struct divisions *d)
{
	double largest = 0;

	for (size_t i = count; i--; ) {
		largest = fmax(largest, weight(&list[i], d));
		list[i].reached += largest >= list[i].weight * (1 - ROUNDING);
	}
}

static void answer(struct judged *list, size_t count, size_t divisions)
{
	double p = 0;

	for (size_t i = 0; i < count; i++) {
		/* A row cannot be more certain than a row with a larger weight. */
		p = fmax(p, (double)(list[i].reached + 1) / (divisions + 1));
		list[i].row->p = list[i].weight > 0 ? p : 1;
	}
}

void noise__judge(struct noise_row *rows, size_t count, size_t a, size_t b)
{
	struct judged *list = xcalloc(count, sizeof(*list));
	struct sorted *sorted = xcalloc(count * (a + b), sizeof(*sorted));
	struct divisions d;

	divisions__init(&d, a, b);
	for (size_t i = 0; i < count; i++) {
		struct group groups[2];

		list[i] = (struct judged){ .row = &rows[i], .sorted = sorted + i * d.n };
		sort_row(list[i].sorted, rows[i].values, d.n);
		groups[0] = group_of(list[i].sorted, &d, false);
		groups[1] = group_of(list[i].sorted, &d, true);
		describe(&rows[i], &groups[0], &groups[1]);
		list[i].weight = weight(&list[i], &d);
	}
	if (a + b > 2) {
		qsort(list, count, sizeof(*list), by_weight);
		for (size_t i = 0; i < d.others; i++) {
			divisions__next(&d);
			count_reached(list, count, &d);
		}
		answer(list, count, d.others);
	}
	free(d.second);
	free(sorted);
	free(list);
}

double noise__grown(const struct noise_row *row, size_t a, size_t b)
{
	struct sorted *sorted = xcalloc(a + b, sizeof(*sorted));
	struct divisions d;
	size_t reached = 0;
	double made;

	divisions__init(&d, a, b);
	sort_row(sorted, row->values, d.n);
	made = excess(sorted, &d, 0, row->floor);
	for (size_t i = 0; i < d.others; i++) {
		divisions__next(&d);
		reached += excess(sorted, &d, 0, row->floor) >= made - ROUNDING * fabs(made);
	}
	free(d.second);
	free(sorted);
	return (double)(reached + 1) / (d.others + 1);
}
