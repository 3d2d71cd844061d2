// SPDX-License-Identifier: GPL-2.0-only
/*
 * Compares two groups of boots, row by row; see compare.h. noise.h tells differences from noise.
 * With too few boots, the noise is not known; then large differences are possible differences.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "boot/compare.h"
#include "boot/noise.h"

/* The probability that noise alone exceeds the limit. Not ALPHA, as this tests only one row. */
#define LIMIT_ALPHA 0.05

/* ---- what can be compared */

/* Does the json have only the elements of this kind with the most calls (-n)? */
static bool is_cut(const struct boot_head *h, const struct row_kind *kind)
{
	return h->cut && kind->has_calls && !kind->inner;
}

/* If the json has no row of this kind and some name, is it known that the boot had none? */
static bool knows_absence(const struct boot_head *h, const struct row_kind *kind)
{
	return !h->lost[kind->part] && !(kind->by_probes && h->probes_lost) && !(kind->after_init && h->full) &&
	       !(h->missing & row_kind__bit(kind)) && !is_cut(h, kind);
}

/* If events are lost, sums and counts may be too small. The time of a single initcall is right. */
static bool may_lack(const struct boot_head *h, const struct boot_row *row, const struct boot_cell *cell,
		     enum boot_measure measure)
{
	const struct row_kind *kind = row->kind;

	if (kind->by_probes && h->probes_lost)
		return true;
	if (kind->part != PART_OF_START || !h->lost[PART_OF_START] || !kind->path)
		return false;
	return measure == MEASURE_COUNT || kind->count || cell->value[MEASURE_COUNT] > 1;
}

static bool is_known(const struct boot_comparison *c, const struct boot_row *row, enum boot_measure measure)
{
	if ((measure == MEASURE_TIME && !row->kind->time) || !c->notes.comparable[row->kind->part][measure])
		return false;
	for (size_t i = 0; i < boot_comparison__boots(c); i++) {
		if (row->cells[i].unknown[measure] || may_lack(&c->boots[i], row, &row->cells[i], measure))
			return false;
		/* Another function of this name may be among the functions that were cut off. */
		if (row->joined && is_cut(&c->boots[i], row->kind))
			return false;
		if (!row->cells[i].is_there && !knows_absence(&c->boots[i], row->kind))
			return false;
	}
	return true;
}

static size_t count_there(const struct boot_comparison *c, const struct boot_row *row, size_t from, size_t count)
{
	size_t there = 0;

	for (size_t i = from; i < from + count; i++)
		there += row->cells[i].is_there;
	return there;
}

static void find_new(const struct boot_comparison *c, struct boot_row *row)
{
	size_t a = count_there(c, row, 0, c->count[0]), b = count_there(c, row, c->count[0], c->count[1]);

	row->new = !a && b == c->count[1] && row->change[MEASURE_COUNT].known;
	row->gone = a == c->count[0] && !b && row->change[MEASURE_COUNT].known;
}

/*
 * When a tick comes decides in which initcall a task has to wait for its CPU. So if all boots know
 * this wait, it is subtracted from initcalls and modules, but not from levels and waits.
 */
static void leave_ready_out(struct boot_comparison *c)
{
	for (size_t i = 0; i < boot_comparison__boots(c); i++) {
		if (!c->boots[i].knows_ready || c->boots[i].lost[PART_OF_START])
			return;
	}
	for (size_t i = 0; i < c->row_count; i++) {
		for (size_t k = 0; k < boot_comparison__boots(c); k++) {
			struct boot_cell *cell = &c->rows[i].cells[k];

			cell->value[MEASURE_TIME] -= fmin(cell->ready, cell->value[MEASURE_TIME]);
		}
	}
}

/* ---- verdicts */

static bool counts_calls(const struct boot_comparison *c, const struct boot_row *row)
{
	return row->kind->has_calls && !boot_head__is_oneshot(&c->boots[0]);
}

/* The most calls that a boot has lost. They may be calls of any function. */
static double lost_calls(const struct boot_comparison *c)
{
	uint64_t most = 0;

	for (size_t i = 0; i < boot_comparison__boots(c); i++) {
		if (c->boots[i].lost[PART_OF_EARLY] > most)
			most = c->boots[i].lost[PART_OF_EARLY];
	}
	return most;
}

static double mean(const double *values, size_t count)
{
	double sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += values[i];
	return sum / count;
}

/*
 * Sets the least difference that matters and the least noise. noise.c regroups the boots, so these
 * limits must not depend on the groups: they are computed from all boots.
 */
static void set_scale(struct noise_row *n, const struct boot_comparison *c, const struct boot_row *row,
		      enum boot_measure measure)
{
	double level = mean(n->values, boot_comparison__boots(c));

	if (measure == MEASURE_TIME) {
		n->least = fmax(LEAST_SHARE * level, LEAST_NS);
		n->floor = LEAST_NS + LEAST_SHARE / 10 * level;
	} else {
		n->least = 1 + (counts_calls(c, row) ? lost_calls(c) : 0);
		n->floor = 1;
	}
}

double boot_comparison__few_ns(const struct boot_comparison *c)
{
	const struct boot_change *total = c->total == SIZE_MAX ? NULL : &c->rows[c->total].change[MEASURE_TIME];

	return total ? fmax(FEW_NS, FEW_OF_TOTAL * fmax(total->a, total->b)) : FEW_NS;
}

/* Is the difference large enough to be shown although the noise is not known? */
static bool is_much(const struct boot_comparison *c, const struct boot_row *row, enum boot_measure measure,
		    const struct noise_row *n)
{
	/* n->least is 1 more than the lost calls. */
	double change = fabs(n->b - n->a), least = measure == MEASURE_COUNT ? FEW_CALLS + n->least - 1 : boot_comparison__few_ns(c);

	/* One initcall or module more or less is always shown. */
	if (measure == MEASURE_COUNT && (!row->kind->count || boot_head__is_oneshot(&c->boots[0])))
		least = 1;
	return change >= least && change >= FEW_SHARE * fmax(n->a, n->b) && n->apart;
}

/* A function of one build may be several in another build, and -n may have cut some of them off. */
static bool may_be_cut(const struct boot_comparison *c, const struct boot_row *row)
{
	bool cut = false;

	for (size_t i = 0; i < boot_comparison__boots(c); i++)
		cut |= is_cut(&c->boots[i], row->kind);
	return cut && !boot_head__same_kernel(&c->boots[0], &c->boots[c->count[0]]);
}

static enum boot_verdict verdict(const struct boot_comparison *c, const struct boot_row *row, enum boot_measure measure,
				 const struct noise_row *n)
{
	if (!c->can_tell)
		return is_much(c, row, measure, n) ? POSSIBLY : SAME;
	if (n->p > ALPHA)
		return SAME;
	return c->notes.weaken || may_be_cut(c, row) ? POSSIBLY : CERTAIN;
}

struct judging {
	struct noise_row *list;
	size_t *rows;			/* for each element of @list: the index of its row */
	double *values;
	size_t count;
};

static void collect(struct judging *j, struct boot_comparison *c, enum boot_measure measure)
{
	size_t boots = boot_comparison__boots(c);

	j->list = xcalloc(c->row_count, sizeof(*j->list));
	j->rows = xcalloc(c->row_count, sizeof(*j->rows));
	j->values = xcalloc(c->row_count * boots, sizeof(*j->values));
	for (size_t i = 0; i < c->row_count; i++) {
		struct boot_row *row = &c->rows[i];
		double *values = j->values + j->count * boots;

		row->change[measure] = (struct boot_change){ .known = is_known(c, row, measure), .p = 1 };
		if (!row->change[measure].known)
			continue;
		for (size_t k = 0; k < boots; k++)
			values[k] = row->cells[k].value[measure];
		j->list[j->count].values = values;
		set_scale(&j->list[j->count], c, row, measure);
		j->rows[j->count++] = i;
	}
}

static void judge(struct boot_comparison *c, enum boot_measure measure)
{
	struct judging j = {};

	collect(&j, c, measure);
	noise__judge(j.list, j.count, c->count[0], c->count[1]);
	for (size_t i = 0; i < j.count; i++) {
		struct boot_change *change = &c->rows[j.rows[i]].change[measure];

		change->a = j.list[i].a;
		change->b = j.list[i].b;
		change->spread = j.list[i].spread;
		change->p = j.list[i].p;
	}
	/* After all changes are known: is_much() needs the time until init. */
	for (size_t i = 0; i < j.count; i++) {
		struct boot_row *row = &c->rows[j.rows[i]];

		row->change[measure].verdict = verdict(c, row, measure, &j.list[i]);
	}
	free(j.list);
	free(j.rows);
	free(j.values);
}

/* The first boot that lacks the time of a row that another boot has; SIZE_MAX: there is none. */
static size_t unknown_in(const struct boot_comparison *c, const struct boot_row *row)
{
	size_t unknown = SIZE_MAX, known = 0;

	for (size_t i = boot_comparison__boots(c); i--; ) {
		if (row->cells[i].unknown[MEASURE_TIME])
			unknown = i;
		else
			known += row->cells[i].is_there;
	}
	return known && row->kind->time && c->notes.comparable[row->kind->part][MEASURE_TIME] ? unknown : SIZE_MAX;
}

/* Adds a note about rows without a time, such as initcalls whose end was not recorded. */
static void note_unknown(struct boot_comparison *c)
{
	const struct boot_row *first = NULL;
	size_t count = 0;

	for (size_t i = 0; i < c->row_count; i++) {
		if (unknown_in(c, &c->rows[i]) == SIZE_MAX)
			continue;
		first = first ?: &c->rows[i];
		count++;
	}
	if (count)
		boot_notes__add(&c->notes, "the times of some rows (%zu) are not compared, as not all boots tell them: %s does not "
				"for the %s %s", count, c->boots[unknown_in(c, first)].path, first->kind->word, first->name);
}

int boot_comparison__run(struct boot_comparison *c)
{
	int err;

	c->can_tell = noise__can_tell(c->count[0], c->count[1], ALPHA);
	leave_ready_out(c);
	err = boot_notes__find(c);
	if (err)
		return err;
	note_unknown(c);
	for (enum boot_measure measure = 0; measure < MEASURES; measure++)
		judge(c, measure);
	for (size_t i = 0; i < c->row_count; i++)
		find_new(c, &c->rows[i]);
	return 0;
}

/* ---- answers */

struct ordered {
	const struct boot_row *row;
	double change;
};

static int by_change(const void *x, const void *y)
{
	const struct ordered *a = x, *b = y;

	if (a->change != b->change)
		return a->change > b->change ? -1 : 1;
	return strcmp(a->row->name, b->row->name);
}

const struct boot_row **boot_comparison__order(const struct boot_comparison *c, enum boot_measure measure, bool parts,
					       bool all, size_t *ret_count)
{
	struct ordered *list = xcalloc(c->row_count, sizeof(*list));
	const struct boot_row **rows = xcalloc(c->row_count, sizeof(*rows));
	size_t count = 0;

	for (size_t i = 0; i < c->row_count; i++) {
		const struct boot_row *row = &c->rows[i];
		const struct boot_change *change = &row->change[measure];

		if (row->kind->is_whole != parts || !change->known)
			continue;
		/* Even with "all": equal counts of elements are not shown, nearly all are 1. */
		if (change->verdict != SAME || (all && (measure == MEASURE_TIME || row->kind->has_calls)))
			list[count++] = (struct ordered){ row, fabs(change->b - change->a) };
	}
	qsort(list, count, sizeof(*list), by_change);
	for (size_t i = 0; i < count; i++)
		rows[i] = list[i].row;
	free(list);
	*ret_count = count;
	return rows;
}

size_t boot_comparison__compared(const struct boot_comparison *c)
{
	size_t count = 0;

	for (size_t i = 0; i < c->row_count; i++)
		count += c->rows[i].change[MEASURE_TIME].known || c->rows[i].change[MEASURE_COUNT].known;
	return count;
}

size_t boot_comparison__differing(const struct boot_comparison *c)
{
	size_t count = 0;

	for (size_t i = 0; i < c->row_count; i++)
		count += c->rows[i].change[MEASURE_TIME].verdict != SAME || c->rows[i].change[MEASURE_COUNT].verdict != SAME;
	return count;
}

/* The path of the first boot that does not have the time of this row; NULL: all have it. */
static const char *without(const struct boot_comparison *c, size_t row)
{
	for (size_t i = 0; i < boot_comparison__boots(c); i++) {
		if (row == SIZE_MAX || !c->rows[row].cells[i].is_there || c->rows[row].cells[i].unknown[MEASURE_TIME])
			return c->boots[i].path;
	}
	return NULL;
}

/* Are all boots of the second group slower than all of the first one? */
static bool all_slower(const struct boot_comparison *c, const double *values)
{
	for (size_t i = 0; i < c->count[0]; i++) {
		for (size_t k = c->count[0]; k < boot_comparison__boots(c); k++) {
			if (values[k] <= values[i])
				return false;
		}
	}
	return true;
}

/* Has the second group grown by more than the limit and the noise? */
static bool grown(const struct boot_comparison *c, const struct boot_limit *limit)
{
	const struct boot_row *limited = &c->rows[limit->target ? c->target : c->total];
	size_t boots = boot_comparison__boots(c);
	double *values = xcalloc(boots, sizeof(*values));
	struct noise_row row = { .values = values };
	bool ret;

	for (size_t i = 0; i < boots; i++)
		values[i] = limited->cells[i].value[MEASURE_TIME];
	for (size_t i = c->count[0]; i < boots; i++)
		values[i] = values[i] / (1 + limit->share) - limit->ns;
	set_scale(&row, c, limited, MEASURE_TIME);
	ret = c->can_tell ? noise__grown(&row, c->count[0], c->count[1]) <= LIMIT_ALPHA : all_slower(c, values);
	free(values);
	return ret;
}

static double share_of(double change, double whole)
{
	return whole >= 1 ? 100 * change / whole : 0;
}

int boot_comparison__exceeds(const struct boot_comparison *c, const struct boot_limit *limit, bool *ret)
{
	size_t row = limit->target ? c->target : c->total;
	const char *missing = without(c, row), *what = limit->target ? "the default target" : "init";
	const struct boot_change *total;
	double change;

	*ret = false;
	if (missing && limit->target)
		return error__return(-EINVAL, "--fail-above: %s does not tell when the default target was reached: write it when the boot "
				     "is complete, with systemd", missing);
	if (missing)
		return error__return(-EINVAL, "--fail-above: %s does not tell when init was started: boot with what `hytrace "
				     "boot next` prints", missing);
	total = &c->rows[row].change[MEASURE_TIME];
	change = total->b - total->a;
	if (change <= (limit->share > 0 ? limit->share * total->a : limit->ns))
		return 0;
	*ret = grown(c, limit);
	if (!*ret)
		error__print("--fail-above: the time until %s has grown by %.6f s (%.1f %%), which may be the limit and the "
			     "noise", what, change / 1e9, share_of(change, total->a));
	else
		error__print("--fail-above: the time until %s has grown by %.6f s (%.1f %%)%s%s", what, change / 1e9,
			     share_of(change, total->a),
			     c->can_tell ? "" : "; the noise is not known, as there are too few boots",
			     c->notes.weaken ? "; something else than the kernel may be the reason, see the notes" : "");
	return 0;
}

const char *boot_verdict__word(enum boot_verdict verdict)
{
	static const char *const words[] = { [SAME] = "no", [POSSIBLY] = "possibly", [CERTAIN] = "certain" };

	return words[verdict];
}
