// SPDX-License-Identifier: GPL-2.0-only
/* Reports as text and as json, and the list for undertaker-tailor; see report.h. */
#include "base/error.h"
#include "base/json.h"
#include "base/table.h"
#include "base/text.h"
#include "document/coverage.h"
#include "report/many.h"
#include "report/proof.h"
#include "report/report.h"

/* ---- the table */

/* Prints the number of functions seen, the number asked for (if @with_asked), and the share. */
static void set_tally(struct libscols_line *line, size_t column, const struct tally *t, bool with_asked)
{
	table__number(line, column++, true, "%.0f", tally__seen(t));
	if (with_asked)
		table__number(line, column++, t->asked, "%.0f", t->asked);
	table__number(line, column, t->asked, "%.1f%%", tally__share(t));
}

static size_t most_asked(const struct group *g, size_t columns)
{
	size_t most = 0;

	for (size_t i = 0; i < columns; i++) {
		if (g->tallies[i].asked > most)
			most = g->tallies[i].asked;
	}
	return most;
}

static bool is_seen(const struct group *g, size_t columns)
{
	return tally__seen(&g->tallies[columns]);
}

static void add_line(struct libscols_table *table, const struct group *g, size_t columns)
{
	struct libscols_line *line = table__line(table, NULL);
	size_t most = most_asked(g, columns);

	table__cell(line, 0, g->name);
	if (columns == 1) {
		set_tally(line, 1, &g->tallies[0], true);
		return;
	}
	table__number(line, 1, most, "%.0f", most);
	if (columns >= DOCUMENTS_MANY)
		many__fill(line, g->tallies, columns);
	for (size_t i = 0; columns < DOCUMENTS_MANY && i < columns; i++)
		set_tally(line, 2 + 2 * i, &g->tallies[i], false);
}

static void add_columns(struct libscols_table *table, const struct groups *g, const char *heading, const char *of,
			const char *const *labels)
{
	/* Only on a terminal are long names cut off. */
	table__column(table, heading, 0.5, SCOLS_FL_TRUNC);
	if (g->columns == 1)
		table__column(table, "SEEN", 8, SCOLS_FL_RIGHT);
	table__column(table, of, 10, SCOLS_FL_RIGHT);
	if (g->columns >= DOCUMENTS_MANY)
		many__add_columns(table);
	for (size_t i = 0; g->columns < DOCUMENTS_MANY && i < g->columns; i++) {
		if (g->columns > 1)
			table__column(table, labels[i], 8, SCOLS_FL_RIGHT);
		table__column(table, "SHARE", 7, SCOLS_FL_RIGHT);
	}
}

static void print_table(const struct groups *g, const char *heading, const char *of, const char *const *labels,
			FILE *out)
{
	struct libscols_table *table = table__new(out);
	size_t unseen = 0;

	add_columns(table, g, heading, of, labels);
	for (size_t i = 0; i < g->count; i++) {
		if (is_seen(&g->list[i], g->columns))
			add_line(table, &g->list[i], g->columns);
		else
			unseen += most_asked(&g->list[i], g->columns) > 0;
	}
	table__print(table);
	if (unseen)
		fprintf(out, "and %zu more of which nothing was seen\n", unseen);
}

/* ---- the totals */

void report__scope(const struct coverage *c, FILE *out)
{
	if (c->scope.kind == SCOPE_BOOT)
		fprintf(out, "the boot of %s", c->kernel.release ?: "a kernel");
	else
		scope__print(&c->scope, out);
	if (c->command) {
		fprintf(out, c->scope.kind == SCOPE_TASK ? ":" : " during:");
		/* Anybody may have written the command: print no control characters. */
		for (char **word = c->command; *word; word++) {
			fputc(' ', out);
			utf8__print(out, *word, "");
		}
	}
}

static bool asks_for_all(const struct coverage *c)
{
	return !c->filter.allow.count && !c->filter.deny.count;
}

/* Without a universe, returns the recording's own counts. */
static struct tally known_total(const struct rows *r, size_t column)
{
	struct tally total = rows__total(r, column);
	const struct coverage *c = r->documents[column];
	size_t seen = tally__seen(&total), unattached = counters__get(&c->lost, "unattached");

	if (!r->universe->count && !r->where && !c->merged)
		total = (struct tally){
			.asked = c->traced - unattached, .unattached = unattached, .seen = c->traced_seen,
			.beside = seen > c->traced_seen ? seen - c->traced_seen : 0,
		};
	return total;
}

/* The share is of functions in the list. Other functions that were seen are printed apart. */
static void print_functions(const struct rows *r, size_t column, FILE *out)
{
	const struct coverage *c = r->documents[column];
	struct tally total = known_total(r, column);

	fprintf(out, "Functions: %zu seen", total.asked ? total.seen : tally__seen(&total));
	if (!total.asked) {
		fprintf(out, "; of how many is not known\n");
		return;
	}
	fprintf(out, " of %zu that %s", total.asked, asks_for_all(c) ? "can be traced" : "were asked for");
	if (r->where)
		fprintf(out, " in %s", r->where);
	fprintf(out, " (%.1f%%)", tally__share(&total));
	if (!asks_for_all(c) && !r->where)
		fprintf(out, "; %zu can be traced", c->traceable);
	if (total.beside)
		fprintf(out, "; and %zu that were freed by then, loaded later, or are of trace events", total.beside);
	if (total.unattached)
		fprintf(out, "; %zu more could not be attached to, so it is not known whether they ran",
			total.unattached);
	if (total.own)
		fprintf(out, "; %zu helpers of the recorder are not traced", total.own);
	else if (!r->universe->count && c->filter.own.count)
		fprintf(out, "; up to %zu of them are helpers of the recorder, and not traced", c->filter.own.count);
	if (total.events)
		fprintf(out, "; %zu functions of trace events do not count", total.events);
	if (total.unknown)
		fprintf(out, "; and %zu that are not known as functions of this kernel", total.unknown);
	fputc('\n', out);
}

/* Says that a number is not limited by --in. */
static const char *whole_kernel(const struct rows *r)
{
	return r->where ? ", in the whole kernel" : "";
}

/* Here, shares are of all functions of the source, including those that no tracer can see. */
static void print_proof(const struct rows *r, const struct proof *proof, size_t column, FILE *out)
{
	struct proof_totals t = proof__totals(proof, column);
	const struct source_totals *s = &t.sources;
	size_t ran = s->recorded + s->proved;

	fprintf(out, "Proved:    %zu functions more ran: calls in them or of them were recorded; %zu of these "
		"cannot be traced%s\n",
		t.functions.untraced + t.functions.entered, t.functions.untraced, whole_kernel(r));
	if (!s->all)
		return;
	fprintf(out, "Source:    of %zu functions, %zu ran: %zu recorded (%.1f%%) and %zu proved (%.1f%%)",
		s->all, ran, s->recorded,
		100.0 * s->recorded / s->all, s->proved, 100.0 * s->proved / s->all);
	fprintf(out, "; possibly %zu more (%.1f%%), inlined into what ran, and %zu (%.1f%%) whose code leaves "
		"no record%s\n",
		s->possible, 100.0 * s->possible / s->all, s->unknown, 100.0 * s->unknown / s->all, whole_kernel(r));
}

/* A union says of each function how many runs have seen it. */
static void print_runs(const struct rows *r, const struct coverage *c, FILE *out)
{
	size_t all = 0, one = 0, count = hits__count(&c->hits, HIT_FUNCTION);

	for (size_t i = 0; i < c->hits.count; i++) {
		const struct hit *hit = &c->hits.list[i];

		all += hit->kind == HIT_FUNCTION && hit->runs == c->merged_count;
		one += hit->kind == HIT_FUNCTION && hit->runs == 1;
	}
	fprintf(out, "Runs:      %zu; of %zu functions, %zu ran in all of them and %zu in one", c->merged_count, count,
		all, one);
	if (c->min_runs > 1)
		fprintf(out, "; those of fewer than %" PRIu64 " runs are left out", c->min_runs);
	fprintf(out, "%s\n", whole_kernel(r));
}

static void print_totals(const struct rows *r, size_t column, const struct proof *proof, FILE *out)
{
	const struct coverage *c = r->documents[column];
	static const char *const complete[] = {
		[LOSS_NOTHING] = "yes",
		[LOSS_MAYBE] = "maybe not",
		[LOSS_MISSING] = "no",
	};

	print_functions(r, column, out);
	if (c->how.callers)
		fprintf(out, "Callers:   %zu places that called one%s\n",
			coverage__count(c, HIT_CALLER), whole_kernel(r));
	if (proof)
		print_proof(r, proof, column, out);
	fputs("Engine:    ", out);
	utf8__print(out, c->engine, "");
	fprintf(out, ", %.2f s", c->seconds);
	if (c->merged)
		fprintf(out, " in %zu runs", c->merged_count);
	fputc('\n', out);
	if (coverage__runs(c) > 1)
		print_runs(r, c, out);
	if (c->filter.own.count) {
		fprintf(out, "Excluded:  the recorder's own helpers");
		for (size_t i = 0; i < c->filter.own.count; i++)
			fprintf(out, "%s %s", i ? "," : "", c->filter.own.list[i].text);
		fputc('\n', out);
	}
	fprintf(out, "Lost:     ");
	for (size_t i = 0; i < c->lost.count; i++) {
		if (c->lost.list[i].value)
			fprintf(out, " %s %" PRIu64, c->lost.list[i].name, c->lost.list[i].value);
	}
	fprintf(out, counters__sum(&c->lost) ? "\n" : " nothing\n");
	fprintf(out, "Complete:  %s\n", complete[losses__worst(&c->lost)]);
}

void report__text(const struct rows *r, const char *const *labels, const struct report_form *form, FILE *out)
{
	static const char *const headings[] = { "DIRECTORY", "FILE", "OWNER" };
	struct groups g = groups__make(r, form->by, form->sort);
	bool all = true, many = r->columns >= DOCUMENTS_MANY;

	for (size_t i = 0; i < r->columns; i++) {
		all &= asks_for_all(r->documents[i]);
		if (many)
			continue;
		fprintf(out, "Covered: ");
		if (r->columns > 1)
			fprintf(out, "%s: ", labels[i]);
		report__scope(r->documents[i], out);
		fputc('\n', out);
	}
	if (many)
		many__covered(r, out);
	fputc('\n', out);
	print_table(&g, g.by_prefix ? "PREFIX" : headings[form->by],
		    all ? "TRACEABLE" : "ASKED FOR", labels, out);
	groups__free(&g);
	if (many)
		many__totals(r, labels, form, out);
	for (size_t i = 0; !many && i < r->columns; i++) {
		fputc('\n', out);
		if (r->columns > 1)
			fprintf(out, "%s\n", labels[i]);
		print_totals(r, i, form->proof, out);
	}
	fprintf(out, "Inlined functions cannot be seen, nor can those the kernel keeps from tracing "
		"(notrace): a function that is not here may have run all the same.\n");
}

void report__losses(const struct coverage *c)
{
	for (size_t i = 0; i < c->lost.count; i++) {
		const struct loss *loss = losses__find(c->lost.list[i].name);

		if (c->lost.list[i].value)
			error__print("%s: lost: %s %" PRIu64 ": %s", c->engine, c->lost.list[i].name,
				     c->lost.list[i].value, loss ? loss->text : "");
	}
}

/* ---- functions one by one */

#define REPORT_SCHEMA 2

bool row__is_listed(const struct rows *r, const struct row *row, enum listed which)
{
	switch (which) {
	case LIST_SEEN:
		return row->seen;
	case LIST_UNSEEN:
		return !row->seen && !row->proved && row->asked == r->columns && row->class != ROW_EVENT;
	case LIST_ALL:
		break;
	}
	return row->seen || row->asked;
}

/* Prints how many runs of all columns have seen the function. */
static void print_runs_of(const struct rows *r, const struct row *row, size_t all, FILE *out)
{
	size_t seen = 0;

	for (size_t column = 0; column < r->columns; column++)
		seen += rows__runs(r, row, column);
	fprintf(out, "\t%zu of %zu runs", seen, all);
}

/* Prints proved functions that no row stands for. */
static void print_sources(const struct rows *r, const struct proof *proof, FILE *out)
{
	size_t count;
	autofree struct proved_source *list = proof__sources(proof, r, &count);

	for (size_t i = 0; i < count; i++) {
		const struct source_function *f = list[i].f;

		size_t proved = 0;

		for (size_t column = 0; column < r->columns; column++) {
			proved += proved_source__has(&list[i], column);
			if (r->columns < DOCUMENTS_MANY)
				fputc(proved_source__has(&list[i], column) ? '*' : '.', out);
		}
		if (r->columns >= DOCUMENTS_MANY)
			fprintf(out, "%zu/%zu", proved, r->columns);
		fprintf(out, list[i].module ? "\t%s [%s]" : "\t%s", f->name, list[i].module);
		fprintf(out, "\t%s:%u\t%s\n", f->file ?: "-", f->line, f->inlined ? "inlined" : "cannot be traced");
	}
}

void report__list(const struct rows *r, const struct report_form *form, FILE *out)
{
	enum listed which = form->which;
	/* No marks if all would be equal. */
	bool marks = which == LIST_ALL || (which == LIST_SEEN && r->columns > 1);
	size_t runs = coverages__runs(r->documents, r->columns);

	for (size_t i = 0; i < r->count; i++) {
		const struct row *row = &r->list[i];
		const struct function *f = row->f;

		if (!row__is_listed(r, row, which))
			continue;
		if (marks && r->columns >= DOCUMENTS_MANY)
			fprintf(out, "%u/%u", row->seen, row->seen > row->asked ? row->seen : row->asked);
		for (size_t column = 0; marks && r->columns < DOCUMENTS_MANY && column < r->columns; column++)
			fputc(row__is_seen(row, column) ? '+' : row__is_proved(row, column) ? '*' :
			      row__is_asked_for(row, column) ? '-' : '.', out);
		if (marks)
			fputc('\t', out);
		fprintf(out, f->module ? "%s [%s]" : "%s", f->name, f->module);
		if (f->file)
			fprintf(out, "\t%s:%u", f->file, f->line);
		else if (f->unit)
			fprintf(out, "\t%s", f->unit);
		if (runs && row->seen)
			print_runs_of(r, row, runs, out);
		/* A function that was not called may have run inlined into another one. */
		if (row->possible && !row->seen && !row->proved)
			fputs("\tperhaps inlined", out);
		fputc('\n', out);
	}
	if (form->proof && which == LIST_ALL)
		print_sources(r, form->proof, out);
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
	jsonw_lluint_field(w, "runs", coverage__runs(c));
	json__number_or_null(w, "min_runs", c->min_runs, c->min_runs);
	jsonw_bool_field(w, "complete", losses__complete(&c->lost));
	jsonw_lluint_field(w, "traceable", c->traceable);
	jsonw_lluint_field(w, "traced", c->traced);
	write_tally(w, &total);
	jsonw_lluint_field(w, "callers", coverage__count(c, HIT_CALLER));
	json__counters(w, "lost", &c->lost);
	if (proof)
		write_proof(w, proof, column);
	jsonw_end_object(w);
}

static void write_groups(json_writer_t *w, const struct rows *r, enum group_by by, enum group_sort sort)
{
	static const char *const words[] = { "directory", "file", "owner" };
	struct groups g = groups__make(r, by, sort);

	jsonw_string_field(w, "by", g.by_prefix ? "prefix" : words[by]);
	json__array(w, "groups");
	for (size_t i = 0; i < g.count; i++) {
		jsonw_start_object(w);
		json__string_or_null(w, "name", g.list[i].name);
		json__array(w, "columns");
		for (size_t column = 0; column < g.columns; column++) {
			jsonw_start_object(w);
			write_tally(w, &g.list[i].tallies[column]);
			jsonw_end_object(w);
		}
		jsonw_end_array(w);
		jsonw_end_object(w);
	}
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

static void write_flags(json_writer_t *w, const char *name, const struct rows *r, const struct row *row,
			unsigned char mark)
{
	json__array(w, name);
	for (size_t column = 0; column < r->columns; column++)
		jsonw_bool(w, row->marks[column] & mark);
	jsonw_end_array(w);
}

static void write_runs(json_writer_t *w, const struct rows *r, const struct row *row)
{
	json__array(w, "runs");
	for (size_t column = 0; column < r->columns; column++)
		jsonw_lluint(w, rows__runs(r, row, column));
	jsonw_end_array(w);
}

static void write_row(json_writer_t *w, const struct rows *r, const struct row *row, bool proved, bool runs)
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
	if (runs)
		write_runs(w, r, row);
	if (proved) {
		write_flags(w, "proved", r, row, MARK_PROVED);
		write_flags(w, "possible", r, row, MARK_POSSIBLE);
	}
	jsonw_end_object(w);
}

/* Writes proved functions that no row stands for. */
static void write_sources(json_writer_t *w, const struct rows *r, const struct proof *proof)
{
	size_t count;
	autofree struct proved_source *list = proof__sources(proof, r, &count);

	json__lines(w, "sources");
	for (size_t i = 0; i < count; i++) {
		jsonw_start_object(w);
		json__string_or_null(w, "name", list[i].f->name);
		json__string_or_null(w, "module", list[i].module);
		json__string_or_null(w, "file", list[i].f->file);
		json__number_or_null(w, "line", list[i].f->line, list[i].f->line);
		jsonw_bool_field(w, "inlined", list[i].f->inlined);
		json__array(w, "proved");
		for (size_t column = 0; column < r->columns; column++)
			jsonw_bool(w, proved_source__has(&list[i], column));
		jsonw_end_array(w);
		jsonw_end_object(w);
	}
	jsonw_end_array(w);
}

void report__json(const struct rows *r, const char *const *labels, const struct report_form *form, FILE *out)
{
	static const char *const listed[] = { [LIST_ALL] = "all", [LIST_SEEN] = "seen", [LIST_UNSEEN] = "unseen" };
	const struct kernel_id *k = &r->documents[0]->kernel;
	bool runs = coverages__runs(r->documents, r->columns);
	json_writer_t *w = json__begin(out, "report", REPORT_SCHEMA);

	json__object(w, "kernel");
	json__string_or_null(w, "release", k->release);
	json__string_or_null(w, "build_id", k->build_id);
	jsonw_end_object(w);
	/* 0: the kernel's functions are unknown, so also which of them did not run. */
	jsonw_lluint_field(w, "universe", r->universe->count);
	json__string_or_null(w, "in", r->where);
	json__array(w, "columns");
	for (size_t i = 0; i < r->columns; i++)
		write_column(w, r, i, labels[i], form->proof);
	jsonw_end_array(w);
	write_groups(w, r, form->by, form->sort);
	jsonw_string_field(w, "listed", listed[form->which]);
	json__lines(w, "functions");
	for (size_t i = 0; i < r->count; i++) {
		if (row__is_listed(r, &r->list[i], form->which))
			write_row(w, r, &r->list[i], form->proof, runs);
	}
	jsonw_end_array(w);
	if (form->proof)
		write_sources(w, r, form->proof);
	json__end(&w);
}

size_t report__tailor(const struct hits *hits, FILE *out)
{
	size_t left_out = 0;

	for (size_t i = 0; i < hits->count; i++) {
		const struct hit *hit = &hits->list[i];

		if (hit->module)
			fprintf(out, "%" PRIx64 " %s\n", hit->offset, hit->module);
		else if (hit->link)
			fprintf(out, "%" PRIx64 "\n", hit->link);
		else
			left_out++;
	}
	return left_out;
}
