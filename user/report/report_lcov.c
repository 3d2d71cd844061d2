// SPDX-License-Identifier: GPL-2.0-only
/*
 * A report as a tracefile of lcov, for genhtml and other programs that show coverage by line.
 *
 * hytrace knows less than an instrumented kernel: whether a function ran, and whether a call of a
 * traced function was made. So only the first line of a function, and lines with a direct call of a
 * traced function, have a value: 0 for no, 1 for yes, and no count. A function that was not asked
 * for has no value, because 0 would say that it did not run. With --proved, a function that perhaps
 * ran inlined has none either.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/files.h"
#include "base/memory.h"
#include "base/sorted.h"
#include "report/report.h"
#include "report/source_calls.h"

/* A line of a file; if it is the first line of a function: with its name, without .isra.0. */
struct place {
	const char *file, *name;
	unsigned int line;
	bool seen;
};

struct places_of {
	struct place *list;
	size_t count;
};

struct lcov {
	const struct rows *rows;
	const struct row **of_universe;		/* by index in the universe; NULL: no row */
	const struct source_calls *calls;
	const struct lcov_source *source;
	struct strings *names;
	struct places_of functions, lines;	/* of the column that is printed now */
	uint64_t *returns;			/* recorded return addresses of vmlinux, sorted */
	size_t return_count;
	FILE *out;
};

/* ---- gathering */

static void add_place(struct places_of *p, const char *file, unsigned int line, const char *name, bool seen)
{
	*LIST_ADD(p->list, p->count) = (struct place){ .file = file, .name = name, .line = line, .seen = seen };
}

static int by_name(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	return strcmp(x->file, y->file) ?: (x->name ? strcmp(x->name, y->name) : 0) ?: ORDER(x->line, y->line);
}

static int by_line(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	return strcmp(x->file, y->file) ?: ORDER(x->line, y->line);
}

static bool is_same(const struct place *x, const struct place *y)
{
	return !strcmp(x->file, y->file) && (x->name ? !strcmp(x->name, y->name) : x->line == y->line);
}

/* Joins equal places, which are next to each other. A joined place is seen if one of them is. */
static void unite(struct places_of *p)
{
	size_t kept = 0;

	for (size_t i = 0; i < p->count; i++) {
		if (kept && is_same(&p->list[kept - 1], &p->list[i]))
			p->list[kept - 1].seen |= p->list[i].seen;
		else
			p->list[kept++] = p->list[i];
	}
	p->count = kept;
}

static void sort(struct places_of *p, int (*compare)(const void *a, const void *b))
{
	if (p->count)
		qsort(p->list, p->count, sizeof(*p->list), compare);
}

/* "foo.constprop.0" -> "foo", the function's name in the source */
static const char *source_name(struct lcov *l, const char *name)
{
	size_t length = strcspn(name, ".");
	char *copy;

	if (!length || !name[length])
		return name;
	copy = strndupa(name, length);
	return strings__intern(l->names, copy);
}

/* Copies of a function (from a header, or made by the compiler) count as one function. */
static void add_functions(struct lcov *l, size_t column, size_t *ret_left_out)
{
	const struct rows *r = l->rows;

	for (size_t i = 0; i < r->count; i++) {
		const struct row *row = &r->list[i];
		const struct function *f = row->f;

		if (!row__is_asked_for(row, column) || row__is_possible(row, column) ||
		    (row->class == ROW_EVENT && !row__is_seen(row, column)))
			continue;
		if (f->file && f->line)
			add_place(&l->functions, f->file, f->line, source_name(l, f->name),
				  row__is_seen(row, column) || row__is_proved(row, column));
		else
			++*ret_left_out;
	}
	sort(&l->functions, by_name);
	unite(&l->functions);
	for (size_t i = 0; i < l->functions.count; i++)
		add_place(&l->lines, l->functions.list[i].file, l->functions.list[i].line, NULL,
			  l->functions.list[i].seen);
	sort(&l->functions, by_line);
}

static int by_number(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static void read_returns(struct lcov *l, const struct coverage *c)
{
	free(l->returns);
	l->return_count = 0;
	l->returns = xcalloc(c->hits.count, sizeof(*l->returns));
	for (size_t i = 0; i < c->hits.count; i++) {
		const struct hit *hit = &c->hits.list[i];

		if (hit->kind == HIT_CALLER && !hit->module && hit->link)
			l->returns[l->return_count++] = hit->link;
	}
	qsort(l->returns, l->return_count, sizeof(*l->returns), by_number);
}

static const struct row *row_of(const struct lcov *l, const struct function *f)
{
	return l->of_universe[f - l->rows->universe->list];
}

/*
 * Would a call have been recorded? If not, its line must not get 0. Calls in the engine's own
 * helpers are not recorded.
 */
static bool would_be_seen(const struct lcov *l, const struct source_call *call, size_t column)
{
	enum verdict in = verdict__of(l->rows->documents[column], call->in);
	const struct row *callee = row_of(l, call->callee);

	return callee && row__is_asked_for(callee, column) && in != VERDICT_FREED && in != VERDICT_OWN;
}

/* Adds no lines if callers are missing on purpose: all, or with --retire some. */
static void add_calls(struct lcov *l, size_t column)
{
	const struct coverage *c = l->rows->documents[column];

	if (!l->calls || !c->how.callers || c->how.retire)
		return;
	read_returns(l, c);
	for (size_t i = 0; i < l->calls->count; i++) {
		const struct source_call *call = &l->calls->list[i];

		if (rows__has(l->rows, call->in) && would_be_seen(l, call, column))
			add_place(&l->lines, call->file, call->line, NULL,
				  bsearch(&call->returns_to, l->returns, l->return_count, sizeof(*l->returns),
					  by_number));
	}
}

/* ---- writing */

/* Prints a path below the user's first directory that has the file, or below the first of all. */
static void print_path(const struct lcov *l, const char *file)
{
	const struct lcov_source *s = l->source;
	size_t found = 0;

	fputs("SF:", l->out);
	for (size_t i = 0; *file != '/' && i < s->count; i++) {
		char *path = path__join(s->list[i], file);
		bool there = !access(path, F_OK);

		free(path);
		if (there) {
			found = i;
			break;
		}
	}
	if (*file != '/' && s->count)
		fprintf(l->out, "%s/", s->list[found]);
	fprintf(l->out, "%s\n", file);
}

static void print_file(const struct lcov *l, const char *label, const struct place *functions, size_t function_count,
		       const struct place *lines, size_t line_count)
{
	size_t seen = 0;

	fprintf(l->out, "TN:%s\n", label);
	print_path(l, lines->file);
	for (size_t i = 0; i < function_count; i++)
		fprintf(l->out, "FN:%u,%s\n", functions[i].line, functions[i].name);
	for (size_t i = 0; i < function_count; i++) {
		fprintf(l->out, "FNDA:%d,%s\n", functions[i].seen, functions[i].name);
		seen += functions[i].seen;
	}
	fprintf(l->out, "FNF:%zu\nFNH:%zu\n", function_count, seen);
	seen = 0;
	for (size_t i = 0; i < line_count; i++) {
		fprintf(l->out, "DA:%u,%d\n", lines[i].line, lines[i].seen);
		seen += lines[i].seen;
	}
	fprintf(l->out, "LF:%zu\nLH:%zu\nend_of_record\n", line_count, seen);
}

/* Each file has lines: add_functions() adds one for each function. genhtml skips other files. */
static void print_files(const struct lcov *l, const char *label)
{
	const struct place *f = l->functions.list, *end = f + l->functions.count;

	for (size_t first = 0, next; first < l->lines.count; first = next) {
		const struct place *line = &l->lines.list[first], *own = f;

		for (next = first; next < l->lines.count && !strcmp(l->lines.list[next].file, line->file); next++)
			;
		while (f < end && !strcmp(f->file, line->file))
			f++;
		print_file(l, label, own, f - own, line, next - first);
	}
}

/* genhtml takes letters, digits and _ only. */
static char name_letter(char c)
{
	return strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_", c) ? c : '_';
}

static bool same_name(const char *a, const char *b)
{
	while (*a && *b && name_letter(*a) == name_letter(*b)) {
		a++;
		b++;
	}
	return !*a && !*b;
}

/* If names of columns are equal for genhtml ("a-b" and "a_b"), all get their number appended. */
static char *test_name(const char *const *labels, size_t columns, size_t column)
{
	bool distinct = true;
	char *name;

	for (size_t i = 0; i < columns; i++) {
		for (size_t j = 0; j < i; j++)
			distinct = distinct && !same_name(labels[i], labels[j]);
	}
	name = xasprintf(distinct ? "%s" : "%s_%zu", labels[column], column + 1);
	for (char *c = name; *c; c++)
		*c = name_letter(*c);
	return name;
}

static void print_column(struct lcov *l, const char *const *labels, size_t column, size_t *left_out)
{
	char *name = test_name(labels, l->rows->columns, column);

	l->functions.count = l->lines.count = 0;
	add_functions(l, column, left_out);
	add_calls(l, column);
	sort(&l->lines, by_line);
	unite(&l->lines);
	print_files(l, name);
	free(name);
}

static void print_head(FILE *out)
{
	fputs("# Written by hytrace. No figure is a count. FNDA is 1 if the function ran, or calls prove it, and\n"
	      "# 0 if it was not called; an inlined copy may have run. DA: the first line of a function has its\n"
	      "# FNDA; a line with a direct call of a traced function has 1 if that call was made, or else 0.\n"
	      "# Functions that cannot be traced or were not asked for are left out.\n", out);
}

/* Also indexes rows that --in leaves out, because they may be callees. */
static void index_rows(struct lcov *l)
{
	const struct universe *u = l->rows->universe;

	l->of_universe = xcalloc(u->count, sizeof(*l->of_universe));
	for (size_t i = 0; i < l->rows->all; i++) {
		const struct function *f = l->rows->list[i].f;

		if (f >= u->list && f < u->list + u->count)
			l->of_universe[f - u->list] = &l->rows->list[i];
	}
}

int report__lcov(const struct rows *r, const char *const *labels, const struct source_calls *calls,
		 const struct lcov_source *source, FILE *out)
{
	struct lcov l = { .rows = r, .calls = calls, .source = source, .out = out, .names = strings__new() };
	size_t left_out = 0, functions = 0;
	int err = 0;

	index_rows(&l);
	print_head(out);
	for (size_t i = 0; i < r->columns; i++) {
		print_column(&l, labels, i, &left_out);
		functions += l.functions.count;
	}
	if (!functions)
		err = error__return(-EINVAL, "-f lcov: it is not known at which lines functions are: give "
				    "--vmlinux FILE with debug information, or --universe FILE that has been "
				    "made of such a file");
	if (!err && left_out)
		error__warn("-f lcov: functions left out, because their lines are not known: %zu", left_out);
	strings__free(l.names);
	free(l.of_universe);
	free(l.returns);
	free(l.functions.list);
	free(l.lines.list);
	return err;
}
