// SPDX-License-Identifier: GPL-2.0-only
/*
 * Compares two groups of boots, row by row; see compare.h. noise.h tells differences from noise.
 * With too few boots, the noise is not known; then large differences are possible differences.
 */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "boot/compare.h"
#include "boot/noise.h"

/* Two boots of one machine may differ by some bytes of memory. */
#define MEMORY_SHARE 0.03

/* ---- notes */

static void __attribute__((format(printf, 2, 3))) note(struct boot_comparison *c, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	if (vasprintf(LIST_ADD(c->notes, c->note_count), format, args) < 0)
		memory__fail();
	va_end(args);
}

static bool is_same_kernel(const struct boot_head *x, const struct boot_head *y)
{
	enum boot_fact fact = x->facts[FACT_BUILD_ID] && y->facts[FACT_BUILD_ID] ? FACT_BUILD_ID : FACT_RELEASE;

	return text__equals(x->facts[fact], y->facts[fact]);
}

static bool is_same_boot(const struct boot_head *x, const struct boot_head *y)
{
	return text__is_known_equal(x->facts[FACT_BOOT_ID], y->facts[FACT_BOOT_ID]);
}

/* Two reports of one boot would make the noise seem smaller, two kernels would make it larger. */
static int check_group(const struct boot_head *first, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		for (size_t k = 0; k < i; k++) {
			if (!is_same_kernel(&first[i], &first[k]))
				return error__return(-EINVAL, "%s: is of another kernel than %s, in the same group: give boots of "
						     "one kernel, and then -- and those of the other", first[i].path, first[k].path);
			if (is_same_boot(&first[i], &first[k]))
				return error__return(-EINVAL, "%s: is of the same boot as %s: several boots are needed to know "
						     "how much they differ", first[i].path, first[k].path);
		}
	}
	return 0;
}

static bool differ(const struct boot_head *x, const struct boot_head *y, enum boot_fact fact)
{
	const char *a = x->facts[fact], *b = y->facts[fact];

	if (fact == FACT_TRACER)
		return !text__equals(a, b);
	if (fact == FACT_MEMORY && a && b)
		return fabs(atof(a) - atof(b)) > MEMORY_SHARE * fmax(atof(a), atof(b));
	/* Another kernel has other functions. */
	return text__is_known_other(a, b) && (fact != FACT_SITES || is_same_kernel(x, y));
}

/*
 * Notes that two boots differ, if any do. A boot in which a fact is not known equals all boots, but
 * other boots may still differ.
 */
static bool note_fact(struct boot_comparison *c, enum boot_fact fact, const char *what)
{
	for (const struct boot_head *x = c->boots; x < c->boots + c->all; x++) {
		for (const struct boot_head *y = x + 1; y < c->boots + c->all; y++) {
			if (!differ(x, y, fact))
				continue;
			note(c, "%s is %s in %s, and %s in %s", what, x->facts[fact] ?: "none", x->path,
			     y->facts[fact] ?: "none", y->path);
			return true;
		}
	}
	return false;
}

static void note_boot(struct boot_comparison *c, const struct boot_head *h)
{
	if (!h->has_start && c->comparable[PART_OF_START][MEASURE_TIME]) {
		note(c, "initcalls, and what comes after them, are not compared, as %s has none: boot with what "
		     "`hytrace boot next` prints", h->path);
		memset(c->comparable[PART_OF_START], false, sizeof(c->comparable[PART_OF_START]));
	}
	if (h->cycles && c->comparable[PART_OF_EARLY][MEASURE_TIME]) {
		note(c, "the times of the early part are not compared, as %s has cycles of a clock whose frequency is "
		     "not known", h->path);
		c->comparable[PART_OF_EARLY][MEASURE_TIME] = false;
	}
	if (h->lost[PART_OF_START] || h->lost[PART_OF_EARLY])
		note(c, "%s: %" PRIu64 " events and %" PRIu64 " early calls are lost; what it does not have may be among "
		     "them", h->path, h->lost[PART_OF_START], h->lost[PART_OF_EARLY]);
	for (size_t i = c->count[0]; h < c->boots + c->count[0] && i < c->all; i++) {
		if (!is_same_boot(h, &c->boots[i]))
			continue;
		note(c, "%s and %s are of the same boot", h->path, c->boots[i].path);
		c->weakened = true;
	}
}

static void find_notes(struct boot_comparison *c)
{
	memset(c->comparable, true, sizeof(c->comparable));
	if (note_fact(c, FACT_TRACER, "what traced the early part")) {
		memset(c->comparable[PART_OF_EARLY], false, sizeof(c->comparable[PART_OF_EARLY]));
		c->weakened = true;
	}
	c->weakened |= note_fact(c, FACT_SITES, "the number of functions that were traced early");
	c->weakened |= note_fact(c, FACT_CPUS, "the number of CPUs");
	c->weakened |= note_fact(c, FACT_MEMORY, "the memory");
	c->weakened |= note_fact(c, FACT_MODEL, "the processor");
	note_fact(c, FACT_CMDLINE, "the command line of the kernel");
	note_fact(c, FACT_PROGRAM, "init");
	note_fact(c, FACT_TARGET, "the default target");
	for (size_t i = 0; i < c->all; i++)
		note_boot(c, &c->boots[i]);
}

/* ---- what can be compared */

/*
 * Is the value of a boot known? If events are lost, sums and counts may be too small, but the time of
 * a single initcall is right.
 */
static bool is_known_in(const struct boot_head *h, const struct boot_row *row, const struct row_cell *cell,
			enum boot_measure measure)
{
	bool sum = measure == MEASURE_COUNT || row_kinds[row->kind].is_sum || cell->value[MEASURE_COUNT] > 1;

	if (!cell->is_there)
		return !h->lacks[row->kind];
	return !cell->unknown[measure] && !(row->kind == ROW_PROBE && h->probes_lost) &&
	       !(sum && row_kinds[row->kind].is_of_events && h->lost[PART_OF_START]);
}

static bool is_known(const struct boot_comparison *c, const struct boot_row *row, enum boot_measure measure)
{
	bool known = c->comparable[row_kinds[row->kind].source][measure];

	if (row->kind == ROW_FUNCTION && measure == MEASURE_TIME)
		return false;
	for (size_t i = 0; i < c->all; i++)
		known = known && is_known_in(&c->boots[i], row, &row->cells[i], measure);
	return known;
}

/*
 * When a tick comes decides in which initcall a task has to wait for its CPU. So if all boots know
 * this wait, it is subtracted from initcalls and modules, but not from levels and waits.
 */
static void leave_ready_out(struct boot_comparison *c)
{
	for (size_t i = 0; i < c->all; i++) {
		if (!c->boots[i].knows_ready || c->boots[i].lost[PART_OF_START])
			return;
	}
	for (struct boot_row *row = c->rows; row < c->rows + c->row_count; row++) {
		for (struct row_cell *cell = row->cells; cell < row->cells + c->all; cell++)
			cell->value[MEASURE_TIME] -= fmin(cell->ready, cell->value[MEASURE_TIME]);
	}
}

/* ---- verdicts */

/* Oneshot does not count calls, but only sees whether there was one. */
static bool is_oneshot(const struct boot_comparison *c)
{
	return text__equals(c->boots[0].facts[FACT_TRACER], "oneshot");
}

/* The most calls that a boot has lost. They may be calls of any function. */
static double lost_calls(const struct boot_comparison *c)
{
	double most = 0;

	for (size_t i = 0; i < c->all; i++)
		most = fmax(most, c->boots[i].lost[PART_OF_EARLY]);
	return most;
}

/*
 * Sets the least difference that matters and the least noise. noise.c regroups the boots, so these
 * limits must not depend on the groups: they are computed from all boots.
 */
static void set_scale(struct noise_row *n, const struct boot_comparison *c, const struct boot_row *row,
		      enum boot_measure measure)
{
	double mean = 0;

	for (size_t i = 0; i < c->all; i++)
		mean += n->values[i] / c->all;
	n->least = 1 + (row_kinds[row->kind].has_calls && !is_oneshot(c) ? lost_calls(c) : 0);
	n->floor = 1;
	if (measure == MEASURE_TIME) {
		n->least = fmax(LEAST_SHARE * mean, LEAST_NS);
		n->floor = LEAST_NS + LEAST_SHARE / 10 * mean;
	}
}

double boot_comparison__few_ns(const struct boot_comparison *c)
{
	double few = FEW_NS;

	for (size_t i = 0; c->total != SIZE_MAX && i < c->all; i++)
		few = fmax(few, FEW_OF_TOTAL * c->rows[c->total].cells[i].value[MEASURE_TIME]);
	return few;
}

/* Is the difference large enough to be shown although the noise is not known? */
static bool is_much(const struct boot_comparison *c, const struct boot_row *row, enum boot_measure measure,
		    const struct noise_row *n)
{
	/* n->least is 1 more than the lost calls. */
	double least = measure == MEASURE_COUNT ? FEW_CALLS + n->least - 1 : boot_comparison__few_ns(c);

	/* One initcall or module more or less is always shown. */
	if (measure == MEASURE_COUNT && (!row_kinds[row->kind].is_sum || is_oneshot(c)))
		least = 1;
	return fabs(n->b - n->a) >= least && fabs(n->b - n->a) >= FEW_SHARE * fmax(n->a, n->b) && n->apart;
}

static enum boot_verdict verdict(const struct boot_comparison *c, const struct boot_row *row, enum boot_measure measure,
				 const struct noise_row *n)
{
	if (!c->can_tell)
		return is_much(c, row, measure, n) ? POSSIBLY : SAME;
	return n->p > ALPHA ? SAME : c->weakened ? POSSIBLY : CERTAIN;
}

static void judge(struct boot_comparison *c, enum boot_measure measure)
{
	struct noise_row *list = xcalloc(c->row_count, sizeof(*list)), *n = list;
	double *values = xcalloc(c->row_count * c->all, sizeof(*values));

	for (struct boot_row *row = c->rows; row < c->rows + c->row_count; row++) {
		row->change[measure].known = is_known(c, row, measure);
		if (!row->change[measure].known)
			continue;
		n->values = values + (n - list) * c->all;
		for (size_t k = 0; k < c->all; k++)
			values[(n - list) * c->all + k] = row->cells[k].value[measure];
		set_scale(n++, c, row, measure);
	}
	noise__judge(list, n - list, c->count[0], c->count[1]);
	n = list;
	for (struct boot_row *row = c->rows; row < c->rows + c->row_count; row++) {
		if (!row->change[measure].known)
			continue;
		row->change[measure] = (struct boot_change){
			.known = true, .a = n->a, .b = n->b, .change = n->b - n->a,
			.percent = n->a >= 1 ? 100 * (n->b - n->a) / n->a : NAN,
			.spread = c->all > 2 ? n->spread : NAN, .p = c->can_tell ? n->p : NAN,
			.verdict = verdict(c, row, measure, n),
		};
		n++;
	}
	free(list);
	free(values);
}

/* Finds rows that only one group has, and counts rows. */
static void count_row(struct boot_comparison *c, struct boot_row *row)
{
	const struct boot_change *time = &row->change[MEASURE_TIME], *count = &row->change[MEASURE_COUNT];
	size_t there[2] = {};

	for (size_t i = 0; i < c->all; i++)
		there[i >= c->count[0]] += row->cells[i].is_there;
	row->new = count->known && !there[0] && there[1] == c->count[1];
	row->gone = count->known && there[0] == c->count[0] && !there[1];
	c->compared += time->known || count->known;
	c->differing += time->verdict != SAME || count->verdict != SAME;
}

int boot_comparison__run(struct boot_comparison *c)
{
	int err = check_group(c->boots, c->count[0]) ?: check_group(c->boots + c->count[0], c->count[1]);

	if (err)
		return err;
	c->can_tell = noise__can_tell(c->count[0], c->count[1], ALPHA);
	leave_ready_out(c);
	find_notes(c);
	for (enum boot_measure measure = 0; measure < MEASURES; measure++)
		judge(c, measure);
	for (size_t i = 0; i < c->row_count; i++)
		count_row(c, &c->rows[i]);
	return 0;
}

/* ---- the limit */

/* Are all boots of the second group slower than all of the first one? */
static bool all_slower(const struct boot_comparison *c, const double *values)
{
	double slowest = 0, fastest = INFINITY;

	for (size_t i = 0; i < c->all; i++) {
		if (i < c->count[0])
			slowest = fmax(slowest, values[i]);
		else
			fastest = fmin(fastest, values[i]);
	}
	return fastest > slowest;
}

/* Has the second group grown by more than the limit and the noise? */
static bool has_grown(const struct boot_comparison *c, const struct boot_row *limited, const struct boot_limit *limit)
{
	double *values = xcalloc(c->all, sizeof(*values));
	struct noise_row row = { .values = values };
	bool ret;

	for (size_t i = 0; i < c->all; i++) {
		values[i] = limited->cells[i].value[MEASURE_TIME];
		if (i >= c->count[0])
			values[i] = values[i] / (1 + limit->share) - limit->ns;
	}
	set_scale(&row, c, limited, MEASURE_TIME);
	ret = c->can_tell ? noise__grown(&row, c->count[0], c->count[1]) <= LIMIT_ALPHA : all_slower(c, values);
	free(values);
	return ret;
}

int boot_comparison__exceeds(const struct boot_comparison *c, const struct boot_limit *limit, bool *ret)
{
	size_t index = limit->target ? c->target : c->total;
	const struct boot_row *row = &c->rows[index];
	const struct boot_change *change;

	*ret = false;
	for (size_t i = 0; i < c->all; i++) {
		if (index == SIZE_MAX || !row->cells[i].is_there || row->cells[i].unknown[MEASURE_TIME])
			return error__return(-EINVAL, "--fail-above: %s does not tell when %s", c->boots[i].path, limit->target ?
					     "the default target was reached: write it when the boot is complete, with systemd" :
					     "init was started: boot with what `hytrace boot next` prints");
	}
	change = &row->change[MEASURE_TIME];
	if (change->change <= (limit->share > 0 ? limit->share * change->a : limit->ns))
		return 0;
	*ret = has_grown(c, row, limit);
	error__print("--fail-above: the time until %s has grown by %.6f s (%.1f %%)%s%s",
		     limit->target ? "the default target" : "init", change->change / 1e9,
		     change->a >= 1 ? change->percent : 0, !*ret ? ", which may be the limit and the noise" :
		     c->can_tell ? "" : "; the noise is not known, as there are too few boots",
		     *ret && c->weakened ? "; something else than the kernel may be the reason, see the notes" : "");
	return 0;
}
