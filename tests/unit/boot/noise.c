// SPDX-License-Identifier: GPL-2.0
/*
 * Telling differences from noise: known answers, and the rates of false positives and of true
 * positives. The rates are for sets of boots that a model draws with fixed seeds.
 */
#include <math.h>
#include <stdlib.h>

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "boot/compare.h"

/* The values of groups of @a and @b boots; their medians, a star if they are apart, the spread, and the probability. */
static const struct {
	double values[11];
	size_t a, b;
	double least;
	const char *expected;
} known[] = {
	/* Of 252 divisions, only the real one and its mirror image have this difference. */
	{ { 3, 1, 2, 5, 4, 12, 11, 14, 13, 15 }, 5, 5, 1, "3 13 * 2 0.00794" },
	/* Groups of two sizes have no mirror image: of 55 divisions, only the real one. */
	{ { 1, 2, 11, 12, 13, 14, 15, 16, 17, 18, 19 }, 2, 9, 1, "1.5 15 * 4 0.0182" },
	/* What does not differ. */
	{ { 7, 7, 7, 7, 7, 7, 7, 7, 7, 7 }, 5, 5, 1, "7 7 - 0 1" }, { { 1, 9, 2, 8, 3, 7, 4, 6, 5, 5 }, 5, 5, 1, "3 5 - 6 0.429" },
	/* As large as what matters; and smaller. */
	{ { 1, 1, 1, 1, 1, 2, 2, 2, 2, 2 }, 5, 5, 1, "1 2 * 0 0.00794" }, { { 1, 1, 1, 1, 1, 2, 2, 2, 2, 2 }, 5, 5, 1.5, "1 2 * 0 1" },
	/* One slow boot does not hide a difference. */
	{ { 10, 11, 10, 11, 10, 30, 31, 90, 30, 31 }, 5, 5, 1, "10 31 - 59 0.00794" },
	/* Few boots cannot tell; the gap is larger than no range. */
	{ { 1, 1, 1, 1, 100, 100, 100, 100 }, 4, 4, 1, "1 100 * 0 0.0286" }, { { 1, 100 }, 1, 1, 1, "1 100 * 0 1" },
};

Test(noise, known_answers)
{
	for_each(one, known) {
		struct noise_row row = { .values = one->values, .least = one->least, .floor = 0.1 };
		char got[64];

		noise__judge(&row, 1, one->a, one->b);
		snprintf(got, sizeof(got), "%g %g %s %g %.3g", row.a, row.b, row.apart ? "*" : "-", row.spread, row.p);
		expect_str(got, one->expected);
	}
}

Test(noise, so_many_boots_can_tell)
{
	cr_expect(not(noise__can_tell(1, 1, 0.01)));
	cr_expect(not(noise__can_tell(4, 4, 0.02)));
	cr_expect(not(noise__can_tell(1, 20, 0.01)));
	cr_expect(noise__can_tell(5, 5, 0.01) && noise__can_tell(4, 5, 0.01) && noise__can_tell(1, 99, 0.01));
	cr_expect(noise__can_tell(200, 200, 0.01));
}

Test(noise, a_row_is_no_more_certain_than_one_that_stands_out_more)
{
	/* 42 of 252 divisions reach the larger weight, of row 0, and 2 the weight of row 1. */
	static const double values[][10] = {
		{ 0, 0, 0, 0, 0, 0, 0, 1000, 1000, 1000 },
		{ 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 },
	};
	struct noise_row rows[2] = {
		{ .values = values[0], .least = 1, .floor = 0.1 }, { .values = values[1], .least = 1, .floor = 0.1 },
	};

	noise__judge(rows, 2, 5, 5);
	cr_expect(fabs(rows[0].p - 42 / 252.0) < 1e-9, "%g", rows[0].p);
	cr_expect(rows[1].p == rows[0].p, "%g", rows[1].p);
	noise__judge(rows + 1, 1, 5, 5);
	cr_expect(fabs(rows[1].p - 2 / 252.0) < 1e-9, "%g", rows[1].p);
}

/* How many of 252 divisions make the second group so much larger. */
Test(noise, grown)
{
	static const struct {
		double values[10];
		int least, most;
	} cases[] = {
		{ { 3, 1, 2, 5, 4, 12, 11, 14, 13, 15 }, 1, 1 }, { { 12, 11, 14, 13, 15, 3, 1, 2, 5, 4 }, 252, 252 },
		{ { 1, 9, 2, 8, 3, 7, 4, 6, 5, 5 }, 13, 252 },
		/* All divisions reach the difference of the real one. */
		{ { 7, 7, 7, 7, 7, 7, 7, 7, 7, 7 }, 252, 252 },
		/* Swapping the two 7s changes nothing. */
		{ { 1, 2, 3, 4, 7, 7, 12, 13, 14, 15 }, 2, 2 },
	};

	for_each(one, cases) {
		double p = noise__grown(&(struct noise_row){ .values = one->values, .floor = 0.1 }, 5, 5);

		cr_expect(p > (one->least - 0.01) / 252 && p < (one->most + 0.01) / 252, "%g", p * 252);
	}
}

/* ---- rates */

#define ROWS 150
#define MOST_BOOTS 20

/*
 * Draws times in us, like those of real boots: most rows have an asymmetric noise of a third; some
 * rows are interrupted by another task at random, for long; some take a few us; one row is the sum
 * of all rows. If the machine is busy, all rows of the boot are slower.
 */
static void draw_boots(double values[][MOST_BOOTS], size_t boots, unsigned short *seed)
{
	for (size_t boot = 0; boot < boots; boot++) {
		double slow = exp(erand48(seed) * erand48(seed)), sum = 0;

		for (size_t row = 0; row < ROWS - 1; row++) {
			double usual = row % 3 ? pow(10, 4.0 * row / ROWS) : 2 + row % 5;
			double noise = exp(0.6 * (erand48(seed) - 0.5) + (erand48(seed) < 0.05));
			double interrupted = row % 5 == 0 && erand48(seed) < 0.5 ? 4000 : 0;

			values[row][boot] = floor(usual * noise * slow + interrupted);
			sum += values[row][boot];
		}
		values[ROWS - 1][boot] = sum;
	}
}

static void judge_rows(struct noise_row *rows, double values[][MOST_BOOTS], size_t a, size_t b)
{
	for (size_t row = 0; row < ROWS; row++) {
		double sum = 0;

		for (size_t boot = 0; boot < a + b; boot++)
			sum += values[row][boot];
		rows[row] = (struct noise_row){
			.values = values[row], .least = fmax(2, 0.01 * sum / (a + b)), .floor = 2 + 0.001 * sum / (a + b),
		};
	}
	noise__judge(rows, ROWS, a, b);
}

static size_t count_certain(const struct noise_row *rows, double alpha)
{
	size_t count = 0;

	for (size_t row = 0; row < ROWS; row++)
		count += rows[row].p <= alpha;
	return count;
}

Test(noise, boots_of_one_kernel_rarely_differ)
{
	static double values[ROWS][MOST_BOOTS];
	static struct noise_row rows[ROWS];
	unsigned short seed[3] = { 1, 2, 3 };
	size_t sets = 200, wrong_sets = 0, wrong_rows = 0, loose = 0;

	for (size_t set = 0; set < sets; set++) {
		size_t wrong;

		draw_boots(values, 10, seed);
		judge_rows(rows, values, 5, 5);
		wrong = count_certain(rows, ALPHA);
		wrong_sets += wrong > 0;
		wrong_rows += wrong;
		loose += count_certain(rows, 0.3) > 0;
	}
	cr_log_info("%zu of %zu sets have %zu wrong rows; %zu at 30 %%\n", wrong_sets, sets, wrong_rows, loose);
	/* At most one comparison in 100 should have wrong rows. By chance, it may be two. */
	cr_expect(wrong_sets <= sets / 50, "%zu of %zu sets", wrong_sets, sets);
	cr_expect(wrong_rows <= sets / 20, "%zu wrong rows in %zu sets", wrong_rows, sets);
	/* Checks the model: at a level of 30 %, some sets have wrong rows, but not too many. */
	cr_expect(loose > sets / 8 && loose < sets / 2, "%zu of %zu sets", loose, sets);
}

Test(noise, a_planted_millisecond_is_found)
{
	static double values[ROWS][MOST_BOOTS];
	static struct noise_row rows[ROWS];
	unsigned short seed[3] = { 4, 5, 6 };
	size_t sets = 40, found = 0, others = 0;

	for (size_t set = 0; set < sets; set++) {
		/* Row 31 takes 7 us, and in the second group 1 ms more. */
		draw_boots(values, 16, seed);
		for (size_t boot = 8; boot < 16; boot++)
			values[31][boot] += 1000;
		judge_rows(rows, values, 8, 8);
		found += rows[31].p <= ALPHA;
		others += count_certain(rows, ALPHA) - (rows[31].p <= ALPHA);
		cr_expect(rows[31].p > ALPHA || fabs(rows[31].b - rows[31].a - 1000) < 10);
	}
	cr_expect(found >= sets * 9 / 10, "found in %zu of %zu sets", found, sets);
	cr_expect(others <= 2, "%zu other rows", others);
}

/*
 * How often is a limit of 5 % exceeded, if the second group is slower by 1, 5 and 10 % in truth? Boots
 * differ by 3 %, and one in ten by 5 % more. The limit is that of --fail-above.
 */
Test(noise, a_limit_is_exceeded_if_the_growth_is)
{
	static const struct {
		double growth;
		int least, most;	/* of 200 */
	} cases[] = { { 1.01, 0, 2 }, { 1.05, 2, 16 }, { 1.10, 160, 200 } };
	unsigned short seed[3] = { 7, 8, 9 };

	for (size_t i = 0; i < 3; i++) {
		int exceeded = 0;

		for (int set = 0; set < 200; set++) {
			double values[10];
			struct noise_row row = { .values = values, .floor = 10 };

			for (int boot = 0; boot < 10; boot++) {
				values[boot] = 8000 * (1 + 0.06 * (erand48(seed) - 0.5) + (erand48(seed) < 0.1) * 0.05);
				if (boot >= 5)
					values[boot] *= cases[i].growth / 1.05;
			}
			exceeded += noise__grown(&row, 5, 5) <= LIMIT_ALPHA;
		}
		cr_log_info("growth %.2f: %d of 200\n", cases[i].growth, exceeded);
		cr_expect(exceeded >= cases[i].least && exceeded <= cases[i].most, "%.2f: %d of 200", cases[i].growth, exceeded);
	}
}
