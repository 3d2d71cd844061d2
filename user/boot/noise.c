// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tells differences from noise by dividing the boots into groups in other ways; see noise.h.
 *
 * The noise of a row is the average distance of its boots from the median of their group, so that
 * one slow boot of five does not change much. Differences are relative to the row's noise:
 * otherwise a row with much noise would hide all other rows.
 *
 * If there are too many divisions, some thousands are drawn at random, with a fixed seed, so that
 * an input always gives the same answer. The real division counts as one of the divisions, which
 * keeps the test exact.
 */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "boot/noise.h"

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
 * The next division, in the order of binary numbers with a digit for each boot. The real division
 * is the least number: first all zeros, then all ones.
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

struct group {
	double *values;		/* sorted */
	size_t count;
};

static double middle(const struct group *g)
{
	return (g->values[(g->count - 1) / 2] + g->values[g->count / 2]) / 2;
}

static double distances(const struct group *g, double from)
{
	double sum = 0;

	for (size_t i = 0; i < g->count; i++)
		sum += fabs(g->values[i] - from);
	return sum;
}

/* A value of a row, and the boot that it is of. */
struct sorted {
	double value;
	size_t boot;
};

static int by_value(const void *x, const void *y)
{
	const struct sorted *a = x, *b = y;

	return a->value < b->value ? -1 : a->value > b->value;
}

static void sort_row(struct sorted *sorted, const double *values, size_t n)
{
	for (size_t i = 0; i < n; i++)
		sorted[i] = (struct sorted){ values[i], i };
	qsort(sorted, n, sizeof(*sorted), by_value);
}

/* The two groups. Each has room for all boots. */
struct halves {
	struct group a, b;
};

static void halves__init(struct halves *h, size_t a, size_t b)
{
	h->a.values = xcalloc(a + b, sizeof(double));
	h->b.values = xcalloc(a + b, sizeof(double));
}

static void halves__free(struct halves *h)
{
	free(h->a.values);
	free(h->b.values);
}

static void halves__fill(struct halves *h, const struct sorted *sorted, const struct divisions *d)
{
	h->a.count = 0;
	h->b.count = 0;
	for (size_t i = 0; i < d->n; i++) {
		struct group *g = d->second[sorted[i].boot] ? &h->b : &h->a;

		g->values[g->count++] = sorted[i].value;
	}
}

/* By how much the second group is larger, relative to the noise. */
static double excess(const struct halves *h, double floor)
{
	double a = middle(&h->a), b = middle(&h->b);

	return (b - a) / ((distances(&h->a, a) + distances(&h->b, b)) / (h->a.count + h->b.count) + floor);
}

static double weight(const struct halves *h, const struct noise_row *row)
{
	if (fabs(middle(&h->b) - middle(&h->a)) < row->least)
		return 0;
	return fabs(excess(h, row->floor));
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

	if (a->weight != b->weight)
		return a->weight > b->weight ? -1 : 1;
	/* Makes the order, and so the answer, the same on each machine. */
	return a->row < b->row ? -1 : a->row > b->row;
}

static void describe(struct noise_row *row, const struct halves *h)
{
	const struct group *a = &h->a, *b = &h->b;
	double low_a = a->values[0], high_a = a->values[a->count - 1];
	double low_b = b->values[0], high_b = b->values[b->count - 1];
	double gap = fmax(low_b - high_a, low_a - high_b);

	row->a = middle(a);
	row->b = middle(b);
	row->spread = fmax(fmax(row->a - low_a, high_a - row->a), fmax(row->b - low_b, high_b - row->b));
	row->apart = gap > 0 && gap > high_a - low_a && gap > high_b - low_b;
	row->p = 1;
}

/* Counts the rows that differ in the division @d at least as much as in the real division. */
static void count_reached(struct judged *list, size_t count, const struct divisions *d, struct halves *h)
{
	double largest = 0;

	for (size_t i = count; i--; ) {
		halves__fill(h, list[i].sorted, d);
		largest = fmax(largest, weight(h, list[i].row));
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
	struct halves h;

	halves__init(&h, a, b);
	divisions__init(&d, a, b);
	for (size_t i = 0; i < count; i++) {
		list[i] = (struct judged){ .row = &rows[i], .sorted = sorted + i * d.n };
		sort_row(list[i].sorted, rows[i].values, d.n);
		halves__fill(&h, list[i].sorted, &d);
		describe(&rows[i], &h);
		list[i].weight = weight(&h, &rows[i]);
	}
	if (a + b > 2) {
		qsort(list, count, sizeof(*list), by_weight);
		for (size_t i = 0; i < d.others; i++) {
			divisions__next(&d);
			count_reached(list, count, &d, &h);
		}
		answer(list, count, d.others);
	}
	free(d.second);
	halves__free(&h);
	free(sorted);
	free(list);
}

double noise__grown(const struct noise_row *row, size_t a, size_t b)
{
	struct sorted *sorted = xcalloc(a + b, sizeof(*sorted));
	struct divisions d;
	struct halves h;
	size_t reached = 0;
	double made;

	halves__init(&h, a, b);
	divisions__init(&d, a, b);
	sort_row(sorted, row->values, d.n);
	halves__fill(&h, sorted, &d);
	made = excess(&h, row->floor);
	for (size_t i = 0; i < d.others; i++) {
		divisions__next(&d);
		halves__fill(&h, sorted, &d);
		reached += excess(&h, row->floor) >= made - ROUNDING * fabs(made);
	}
	free(d.second);
	halves__free(&h);
	free(sorted);
	return (double)(reached + 1) / (d.others + 1);
}
