// SPDX-License-Identifier: GPL-2.0-only
/* Functions one by one, as text and as json. */
#include <string.h>

#include "base/json.h"
#include "document/losses.h"
#include "report/proof.h"
#include "report/report.h"

#define REPORT_SCHEMA 2

bool row__is_listed(const struct rows *r, const struct row *row, enum listed which)
{
	uint64_t all = r->columns < ROWS_MOST_COLUMNS ? (1ull << r->columns) - 1 : ~0ull;

	switch (which) {
	case LIST_SEEN:
		return row->seen;
	case LIST_UNSEEN:
		return !row->seen && !row->proved && row->asked == all && row->class != ROW_EVENT;
	case LIST_ALL:
		break;
	}
	return row->seen || row->asked;
}

static void print_marks(const struct rows *r, const struct row *row, FILE *out)
{
	for (size_t i = 0; i < r->columns; i++)
		fputc(row__is_seen(row, i) ? '+' : row__is_asked_for(row, i) ? '-' : '.', out);
	fputc('\t', out);
}

void report__list(const struct rows *r, enum listed which, FILE *out)
{
	/* No marks if all would be equal. */
	bool marks = which == LIST_ALL || (which == LIST_SEEN && r->columns > 1);

	for (size_t i = 0; i < r->count; i++) {
		const struct function *f = r->list[i].f;

		if (!row__is_listed(r, &r->list[i], which))
			continue;
		if (marks)
			print_marks(r, &r->list[i], out);
		fprintf(out, f->module ? "%s [%s]" : "%s", f->name, f->module);
		if (f->file)
			fprintf(out, "\t%s:%u", f->file, f->line);
		else if (f->unit)
			fprintf(out, "\t%s", f->unit);
		/* A function that was not called may have run inlined into another one. */
		if (r->list[i].possible && !r->list[i].seen && !r->list[i].proved)
			fputs("\tperhaps inlined", out);
		fputc('\n', out);
	}
}

/* ---- json */

static void write_tally(json_writer_t *w, const struct tally *t)
{
	jsonw_lluint_field(w, "asked_for", t->asked);
	jsonw_lluint_field(w, "seen", t->seen);
	jsonw_lluint_field(w, "beside", t->beside);
	jsonw_lluint_field(w, "unattached", t->unattached);
	jsonw_lluint_field(w, "own", t->own);
	jsonw_lluint_field(w, "events", t->events);
	jsonw_lluint_field(w, "unknown", t->unknown);
}

static void write_proof(json_writer_t *w, const struct proof *proof, size_t column)
{
	struct proof_totals t = proof__totals(proof, column);

	json__object(w, "proved");
	jsonw_lluint_field(w, "untraced", t.functions.untraced);
	jsonw_lluint_field(w, "entered", t.functions.entered);
	json__object(w, "sources");
	jsonw_lluint_field(w, "all", t.sources.all);
	jsonw_lluint_field(w, "recorded", t.sources.recorded);
	jsonw_lluint_field(w, "proved", t.sources.proved);
	jsonw_lluint_field(w, "possible", t.sources.possible);
	jsonw_lluint_field(w, "unknown", t.sources.unknown);
	jsonw_end_object(w);
	jsonw_lluint_field(w, "missing", proof->edges.missing);
	jsonw_end_object(w);
}

static void write_column(json_writer_t *w, const struct rows *r, size_t column, const char *label,
			 const struct proof *proof)
{
	const struct coverage *c = r->documents[column];
	struct tally total = rows__total(r, column);

	jsonw_start_object(w);
	json__string_or_null(w, "label", label);
	json__string_or_null(w, "engine", c->engine);
	json__string_or_null(w, "host", c->host);
	jsonw_bool_field(w, "complete", losses__complete(&c->lost));
	jsonw_lluint_field(w, "traceable", c->traceable);
	jsonw_lluint_field(w, "traced", c->traced);
	write_tally(w, &total);
	jsonw_lluint_field(w, "callers", hits__count(&c->hits, HIT_CALLER));
	json__counters(w, "lost", &c->lost);
	if (proof)
		write_proof(w, proof, column);
	jsonw_end_object(w);
}

static void write_columns(json_writer_t *w, const struct rows *r, const char *const *labels,
			  const struct proof *proof)
{
	json__array(w, "columns");
	for (size_t i = 0; i < r->columns; i++)
		write_column(w, r, i, labels[i], proof);
	jsonw_end_array(w);
}

static void write_group(json_writer_t *w, const struct group *g, size_t columns)
{
	jsonw_start_object(w);
	json__string_or_null(w, "name", g->name);
	json__array(w, "columns");
	for (size_t i = 0; i < columns; i++) {
		jsonw_start_object(w);
		write_tally(w, &g->tallies[i]);
		jsonw_end_object(w);
	}
	jsonw_end_array(w);
	jsonw_end_object(w);
}

static void write_groups(json_writer_t *w, const struct rows *r, enum group_by by, enum group_sort sort)
{
	struct groups g = groups__make(r, by, sort);

	jsonw_string_field(w, "by", g.by_prefix ? "prefix" : by == BY_FILE ? "file" : "directory");
	json__array(w, "groups");
	for (size_t i = 0; i < g.count; i++)
		write_group(w, &g.list[i], g.columns);
	jsonw_end_array(w);
	groups__free(&g);
}

/* For each column: true, false, or null if the function was not asked for there. */
static void write_marks(json_writer_t *w, const struct rows *r, const struct row *row)
{
	json__array(w, "seen");
	for (size_t column = 0; column < r->columns; column++) {
		if (row__is_asked_for(row, column) || row__is_seen(row, column))
			jsonw_bool(w, row__is_seen(row, column));
		else
			jsonw_null(w);
	}
	jsonw_end_array(w);
}

static void write_row(json_writer_t *w, const struct rows *r, const struct row *row, bool proved)
{
	static const char *const classes[ROW_CLASSES] = {
		[ROW_TRACED] = "traceable", [ROW_EVENT] = "event", [ROW_INIT] = "init", [ROW_LATER] = "later",
		[ROW_UNKNOWN] = "unknown",
	};
	const struct function *f = row->f;

	jsonw_start_object(w);
	json__string_or_null(w, "name", f->name);
	json__string_or_null(w, "module", f->module);
	json__string_or_null(w, "unit", f->unit);
	json__string_or_null(w, "file", f->file);
	json__number_or_null(w, "line", f->line, f->line);
	jsonw_string_field(w, "class", classes[row->class]);
	write_marks(w, r, row);
	if (proved) {
		json__bits(w, "proved", row->proved, r->columns);
		json__bits(w, "possible", row->possible, r->columns);
	}
	jsonw_end_object(w);
}

static void write_kernel(json_writer_t *w, const struct rows *r)
{
	const struct kernel_id *k = &r->documents[0]->kernel;

	json__object(w, "kernel");
	json__string_or_null(w, "release", k->release);
	json__string_or_null(w, "build_id", k->build_id);
	jsonw_end_object(w);
	/* 0: the kernel's functions are unknown, so also which of them did not run. */
	jsonw_lluint_field(w, "universe", r->universe->count);
	json__string_or_null(w, "in", r->where);
}

void report__json(const struct rows *r, const char *const *labels, const struct report_form *form, FILE *out)
{
	static const char *const listed[] = { [LIST_ALL] = "all", [LIST_SEEN] = "seen", [LIST_UNSEEN] = "unseen" };
	json_writer_t *w = json__begin(out, "report", REPORT_SCHEMA);

	write_kernel(w, r);
	write_columns(w, r, labels, form->proof);
	write_groups(w, r, form->by, form->sort);
	jsonw_string_field(w, "listed", listed[form->which]);
	json__lines(w, "functions");
	for (size_t i = 0; i < r->count; i++) {
		if (row__is_listed(r, &r->list[i], form->which))
			write_row(w, r, &r->list[i], form->proof);
	}
	jsonw_end_array(w);
	json__end(&w);
}
