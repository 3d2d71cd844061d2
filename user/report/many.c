// SPDX-License-Identifier: GPL-2.0-only
/* The text report of many recordings; see many.h. */
#include "base/memory.h"
#include "base/sorted.h"
#include "base/text.h"
#include "report/many.h"
#include "report/proof.h"

/* The most texts, and recordings, that are printed one by one. */
#define MOST_LISTED 8

/* ---- numbers of recordings */

/* One of the recordings, with a number by which they are sorted. */
struct ranked {
	double number;
	size_t column;
};

static int by_rank(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	return ORDER(x->number, y->number) ?: ORDER(x->column, y->column);
}

/* The least, the middle and the largest number. Returns false if there is none. */
static bool spread(struct ranked *list, size_t count, struct ranked ret[3])
{
	if (!count)
		return false;
	qsort(list, count, sizeof(*list), by_rank);
	ret[0] = list[0];
	ret[1] = list[count / 2];
	ret[2] = list[count - 1];
	return true;
}

/* The shares of the recordings that could see a function. */
static bool spread_shares(const struct tally *tallies, size_t columns, struct ranked ret[3])
{
	autofree struct ranked *list = xcalloc(columns, sizeof(*list));
	size_t count = 0;

	for (size_t i = 0; i < columns; i++) {
		if (tallies[i].asked)
			list[count++] = (struct ranked){ tally__share(&tallies[i]), i };
	}
	return spread(list, count, ret);
}

/* ---- the table */

void many__add_columns(struct libscols_table *table)
{
	static const char *const headings[] = { "ANY", "SHARE", "ALL", "SHARE", "LEAST", "MEDIAN", "MOST" };

	for (size_t i = 0; i < sizeof(headings) / sizeof(headings[0]); i++)
		table__column(table, headings[i], 7, SCOLS_FL_RIGHT);
}

void many__fill(struct libscols_line *line, const struct tally *tallies, size_t columns)
{
	struct ranked shares[3] = {};
	bool known = spread_shares(tallies, columns, shares);
	size_t column = 2;

	for (const struct tally *t = &tallies[columns]; t <= &tallies[columns + 1]; t++) {
		table__number(line, column++, true, "%.0f", tally__seen(t));
		table__number(line, column++, t->asked, "%.1f%%", tally__share(t));
	}
	for (size_t i = 0; i < 3; i++)
		table__number(line, column++, known, "%.1f%%", shares[i].number);
}

/* ---- texts that several recordings share */

struct shared {
	char *text;
	size_t count;
};

struct shares {
	struct shared *list;
	size_t count;
};

/* Takes over @text. */
static void shares__add(struct shares *s, char *text)
{
	size_t i = 0;

	while (i < s->count && strcmp(s->list[i].text, text))
		i++;
	if (i == s->count)
		LIST_ADD(s->list, s->count)->text = text;
	else
		free(text);
	s->list[i].count++;
}

static int by_count(const void *a, const void *b)
{
	const struct shared *x = a, *y = b;

	return ORDER(y->count, x->count) ?: strcmp(x->text, y->text);
}

/* Prints the texts, the most frequent first, and frees them. */
static void shares__print(struct shares *s, FILE *out)
{
	if (s->count)
		qsort(s->list, s->count, sizeof(*s->list), by_count);
	for (size_t i = 0; i < s->count; i++) {
		if (i < MOST_LISTED)
			fprintf(out, "%8zu  %s\n", s->list[i].count, s->list[i].text);
		free(s->list[i].text);
	}
	if (s->count > MOST_LISTED)
		fprintf(out, "          and %zu others (-f json has all)\n", s->count - MOST_LISTED);
	free(s->list);
}

void many__covered(const struct rows *r, FILE *out)
{
	struct shares s = {};

	for (size_t i = 0; i < r->columns; i++) {
		char *text;
		size_t length;
		FILE *memory = xopen_memstream(&text, &length);

		report__scope(r->documents[i], memory);
		xclose_memstream(memory);
		shares__add(&s, text);
	}
	fprintf(out, "Covered:  %zu recordings\n", r->columns);
	shares__print(&s, out);
}

/* ---- the totals */

/* "least 8.1% (v0012), median 8.8%, most 9.2% (v0100)" */
static void print_spread(const struct ranked *list, const char *fmt, const char *const *labels, FILE *out)
{
	static const char *const words[] = { "least ", ", median ", ", most " };

	for (size_t i = 0; i < 3; i++) {
		fputs(words[i], out);
		fprintf(out, fmt, list[i].number);
		if (i != 1)
			fprintf(out, " (%s)", labels[list[i].column]);
	}
	fputc('\n', out);
}

static void print_functions(const struct rows *r, const char *const *labels, FILE *out)
{
	const struct tally *any = &r->totals[r->columns], *all = any + 1;
	struct ranked shares[3];

	fprintf(out, "Functions: %zu seen in any recording", tally__seen(any));
	if (any->asked)
		fprintf(out, ", of %zu that can be traced%s%s (%.1f%%)", any->asked, r->where ? " in " : "",
			r->where ?: "", tally__share(any));
	fprintf(out, "; %zu in each one that could see them", tally__seen(all));
	if (all->asked)
		fprintf(out, " (%.1f%%)", tally__share(all));
	fputc('\n', out);
	if (!spread_shares(r->totals, r->columns, shares))
		return;
	fputs("Shares:    ", out);
	print_spread(shares, "%.1f%%", labels, out);
}

static void print_numbers(const char *heading, const struct rows *r, const char *const *labels,
			  double (*number)(const struct rows *r, const struct proof *proof, size_t column),
			  const struct proof *proof, FILE *out)
{
	autofree struct ranked *list = xcalloc(r->columns, sizeof(*list));
	struct ranked ends[3];
	size_t count = 0;

	for (size_t i = 0; i < r->columns; i++) {
		struct ranked ranked = { number(r, proof, i), i };

		if (ranked.number >= 0)
			list[count++] = ranked;
	}
	if (!spread(list, count, ends))
		return;
	fputs(heading, out);
	print_spread(ends, "%.0f", labels, out);
}

/* A recording without callers has no number of them. */
static double callers_of(const struct rows *r, const struct proof *proof, size_t column)
{
	return r->documents[column]->how.callers ? (double)coverage__count(r->documents[column], HIT_CALLER) : -1;
}

static double proved_of(const struct rows *r, const struct proof *proof, size_t column)
{
	struct proof_totals t = proof__totals(proof, column);

	return t.functions.untraced + t.functions.entered;
}

static double ran_of(const struct rows *r, const struct proof *proof, size_t column)
{
	struct proof_totals t = proof__totals(proof, column);

	return t.sources.all ? (double)(t.sources.recorded + t.sources.proved) : -1;
}

static void print_engines(const struct rows *r, FILE *out)
{
	struct shares s = {};
	double seconds = 0;

	for (size_t i = 0; i < r->columns; i++) {
		const struct coverage *c = r->documents[i];
		char *text;
		size_t length;
		FILE *memory = xopen_memstream(&text, &length);

		utf8__print(memory, c->engine, "");
		xclose_memstream(memory);
		shares__add(&s, text);
		seconds += c->seconds;
	}
	fprintf(out, "Recorded:  %.2f s\n", seconds);
	shares__print(&s, out);
}

static void print_losses(const struct rows *r, const char *const *labels, FILE *out)
{
	size_t counts[LOSS_MISSING + 1] = {}, listed = 0;
	struct shares s = {};

	for (size_t i = 0; i < r->columns; i++) {
		const struct counters *lost = &r->documents[i]->lost;

		counts[losses__worst(lost)]++;
		for (size_t k = 0; k < lost->count; k++) {
			if (lost->list[k].value)
				shares__add(&s, xstrdup(lost->list[k].name));
		}
	}
	fputs(s.count ? "Lost, and in how many recordings:\n" : "Lost:      nothing\n", out);
	shares__print(&s, out);
	fprintf(out, "Complete:  %zu yes, %zu maybe not, %zu no", counts[LOSS_NOTHING], counts[LOSS_MAYBE],
		counts[LOSS_MISSING]);
	for (size_t i = 0; i < r->columns && listed <= MOST_LISTED; i++) {
		if (losses__worst(&r->documents[i]->lost) == LOSS_NOTHING)
			continue;
		fputs(listed ? ", " : ": ", out);
		fputs(listed++ == MOST_LISTED ? "..." : labels[i], out);
	}
	fputc('\n', out);
}

void many__totals(const struct rows *r, const char *const *labels, const struct report_form *form, FILE *out)
{
	fputc('\n', out);
	print_functions(r, labels, out);
	print_numbers("Callers:   ", r, labels, callers_of, NULL, out);
	if (form->proof) {
		print_numbers("Proved to have run, unrecorded: ", r, labels, proved_of, form->proof, out);
		print_numbers("Ran, of the source: ", r, labels, ran_of, form->proof, out);
	}
	print_engines(r, out);
	print_losses(r, labels, out);
}
