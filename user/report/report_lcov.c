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
#include "base/error.h"
#include "base/files.h"
#include "base/memory.h"
#include "base/sorted.h"
#include "report/documents.h"
#include "report/report.h"

/* A direct call in the code of the kernel. */
struct source_call {
	const char *file;	/* lives as long as the image */
	unsigned int line;	/* from 1 */
	uint64_t returns_to;	/* as linked */
	const struct function *in, *callee;
};

struct places_of {
	struct file_line *list;
	size_t count;
};

struct line_values {
	const struct rows *rows;
	struct source_call *calls;	/* NULL: they are not known */
	size_t call_count;
	bool *recorded;			/* whether a column like @judged records calls of a call's function */
	size_t judged;
	struct strings *names;
	struct places_of functions, lines;	/* of the column that is printed now */
	uint64_t *returns;			/* recorded return addresses of vmlinux, sorted */
	size_t return_count;
	size_t left_out;		/* functions without a line, in all columns so far */
};

/* ---- the direct calls of vmlinux */

struct finding {
	struct line_values *lcov;
	const struct function *in;
};

/* A jump at the end of a function has no return address, so nothing records whether it was made. */
static void add_call(const struct call *call, void *data)
{
	struct finding *f = data;
	const struct function *callee = call->kind == CALL_DIRECT && !call->jump && call->callee ?
					universe__at(f->lcov->rows->universe, NULL, call->callee->addr) : NULL;

	if (callee)
		*LIST_ADD(f->lcov->calls, f->lcov->call_count) = (struct source_call){
			.returns_to = call->returns_to, .in = f->in, .callee = callee,
		};
}

/* Leaves out a call whose line is not known, or one of whose two functions is not in the universe. */
static void read_calls(struct line_values *l, const struct image_of *of)
{
	struct finding f = { .lcov = l };
	struct source_lines lines = {};
	size_t count, kept = 0;
	const struct image_function *list = image__functions(of->image, &count);

	for (size_t i = 0; i < count; i++) {
		f.in = universe__at(l->rows->universe, NULL, list[i].addr);
		if (f.in)
			calls__of(of->calls, &list[i], add_call, &f);
	}
	/* The return address may be of another line, so take the last byte of the call. */
	for (size_t i = 0; i < l->call_count; i++)
		source_lines__want(&lines, of, l->calls[i].returns_to - 1);
	source_lines__find(&lines);
	for (size_t i = 0; i < l->call_count; i++) {
		const struct line_place *place = source_lines__get(&lines, of, l->calls[i].returns_to - 1);

		if (!place || !place->line)
			continue;
		l->calls[kept] = l->calls[i];
		l->calls[kept].file = place->file;
		l->calls[kept++].line = place->line;
	}
	l->call_count = kept;
	source_lines__free(&lines);
}

/* ---- gathering */

static void add_place(struct places_of *p, const char *file, unsigned int line, const char *name, bool seen)
{
	*LIST_ADD(p->list, p->count) = (struct file_line){ .file = file, .name = name, .line = line, .seen = seen };
}

/* Most neighbours have the same text. */
static int by_file(const struct file_line *x, const struct file_line *y)
{
	return x->file == y->file ? 0 : strcmp(x->file, y->file);
}

static int by_name(const void *a, const void *b)
{
	const struct file_line *x = a, *y = b;

	return by_file(x, y) ?: (x->name ? strcmp(x->name, y->name) : 0) ?: ORDER(x->line, y->line);
}

static int by_line(const void *a, const void *b)
{
	const struct file_line *x = a, *y = b;

	return by_file(x, y) ?: ORDER(x->line, y->line);
}

/* Joins equal places, which are next to each other. A joined place is seen if one of them is. */
static void unite(struct places_of *p)
{
	size_t kept = 0;

	for (size_t i = 0; i < p->count; i++) {
		struct file_line *last = kept ? &p->list[kept - 1] : NULL, *place = &p->list[i];

		if (last && !by_file(last, place) &&
		    (last->name ? !strcmp(last->name, place->name) : last->line == place->line))
			last->seen |= place->seen;
		else
			p->list[kept++] = *place;
	}
	p->count = kept;
}

static void sort(struct places_of *p, int (*compare)(const void *a, const void *b))
{
	if (p->count)
		qsort(p->list, p->count, sizeof(*p->list), compare);
}

/* "foo.constprop.0" -> "foo", the function's name in the source */
static const char *source_name(struct line_values *l, const char *name)
{
	size_t length = strcspn(name, ".");
	char *copy;

	if (!length || !name[length])
		return name;
	copy = strndupa(name, length);
	return strings__intern(l->names, copy);
}

/* Copies of a function (from a header, or made by the compiler) count as one function. */
static void add_functions(struct line_values *l, size_t column)
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
			l->left_out++;
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
	return ORDER(*(const uint64_t *)a, *(const uint64_t *)b);
}

static int read_returns(struct line_values *l, const struct coverage *c)
{
	const struct hits *hits;
	int err = coverage__open_hits(c, HITS_SETS, &hits);

	if (err)
		return err;
	free(l->returns);
	l->return_count = 0;
	l->returns = xcalloc(hits->count, sizeof(*l->returns));
	for (size_t i = 0; i < hits->count; i++) {
		const struct hit *hit = &hits->list[i];

		if (hit->kind == HIT_CALLER && !hit->module && hit->link)
			l->returns[l->return_count++] = hit->link;
	}
	qsort(l->returns, l->return_count, sizeof(*l->returns), by_number);
	coverage__close_hits(c, hits);
	return 0;
}

/* Calls in the engine's own helpers are not recorded. */
static void judge_calls(struct line_values *l, size_t column)
{
	if (l->recorded && l->judged == l->rows->alike[column])
		return;
	l->judged = l->rows->alike[column];
	l->recorded = l->recorded ?: xcalloc(l->call_count, sizeof(*l->recorded));
	for (size_t i = 0; i < l->call_count; i++) {
		enum verdict in = verdict__of(l->rows->documents[column], l->calls[i].in);

		l->recorded[i] = in != VERDICT_FREED && in != VERDICT_OWN;
	}
}

/*
 * Adds no lines if callers are missing on purpose: all, or with --retire some. If a call would not have been recorded,
 * its line must not get 0.
 */
static int add_calls(struct line_values *l, size_t column)
{
	const struct coverage *c = l->rows->documents[column];
	int err;

	if (!l->calls || !c->how.callers || c->how.retire)
		return 0;
	err = read_returns(l, c);
	if (err)
		return err;
	judge_calls(l, column);
	for (size_t i = 0; i < l->call_count; i++) {
		const struct source_call *call = &l->calls[i];

		if (rows__has(l->rows, call->in) && l->recorded[i] && rows__asks_for(l->rows, call->callee, column))
			add_place(&l->lines, call->file, call->line, NULL,
				  bsearch(&call->returns_to, l->returns, l->return_count, sizeof(*l->returns),
					  by_number));
	}
	return 0;
}

struct line_values *line_values__new(const struct rows *r, const struct images *images)
{
	struct line_values *l = xcalloc(1, sizeof(*l));

	*l = (struct line_values){ .rows = r, .names = strings__new() };
	if (images)
		read_calls(l, &images->list[0]);
	return l;
}

void line_values__free(struct line_values *l)
{
	strings__free(l->names);
	free(l->recorded);
	free(l->calls);
	free(l->returns);
	free(l->functions.list);
	free(l->lines.list);
	free(l);
}

int line_values__of(struct line_values *l, size_t column, const struct file_line **ret, size_t *ret_count)
{
	int err;

	l->functions.count = l->lines.count = 0;
	add_functions(l, column);
	err = add_calls(l, column);
	sort(&l->lines, by_line);
	unite(&l->lines);
	*ret_count = l->lines.count;
	*ret = l->lines.list;
	return err;
}

/* ---- writing */

char *lcov_source__path(const struct lcov_source *s, const char *file)
{
	char *path = NULL;

	for (size_t i = 0; *file != '/' && i < s->count; i++) {
		free(path);
		path = path__join(s->list[i], file);
		if (!access(path, F_OK))
			return path;
	}
	free(path);
	return *file != '/' && s->count ? path__join(s->list[0], file) : xstrdup(file);
}

static void print_file(FILE *out, const char *label, const char *path, const struct file_line *functions,
		       size_t function_count, const struct file_line *lines, size_t line_count)
{
	size_t seen = 0;

	fprintf(out, "TN:%s\nSF:%s\n", label, path);
	for (size_t i = 0; i < function_count; i++)
		fprintf(out, "FN:%u,%s\n", functions[i].line, functions[i].name);
	for (size_t i = 0; i < function_count; i++) {
		fprintf(out, "FNDA:%d,%s\n", functions[i].seen, functions[i].name);
		seen += functions[i].seen;
	}
	fprintf(out, "FNF:%zu\nFNH:%zu\n", function_count, seen);
	seen = 0;
	for (size_t i = 0; i < line_count; i++) {
		fprintf(out, "DA:%u,%d\n", lines[i].line, lines[i].seen);
		seen += lines[i].seen;
	}
	fprintf(out, "LF:%zu\nLH:%zu\nend_of_record\n", line_count, seen);
}

/* Each file has lines: add_functions() adds one for each function. genhtml skips other files. */
static void print_files(const struct line_values *l, const struct lcov_source *source, const char *label, FILE *out)
{
	const struct file_line *f = l->functions.list, *end = f + l->functions.count;

	for (size_t first = 0, next; first < l->lines.count; first = next) {
		const struct file_line *line = &l->lines.list[first], *own = f;
		autofree char *path = lcov_source__path(source, line->file);

		for (next = first; next < l->lines.count && !strcmp(l->lines.list[next].file, line->file); next++)
			;
		while (f < end && !strcmp(f->file, line->file))
			f++;
		print_file(out, label, path, own, f - own, line, next - first);
	}
}

void lcov__print(struct file_line *list, size_t count, const char *label, FILE *out)
{
	const struct lcov_source none = {};
	struct line_values l = { .lines = { list, count } };

	sort(&l.lines, by_line);
	unite(&l.lines);
	print_files(&l, &none, label, out);
}

/* genhtml takes letters, digits and _ only. */
static char *name_for_genhtml(const char *label)
{
	char *name = xstrdup(label);

	for (char *c = name; *c; c++)
		*c = strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_", *c) ? *c : '_';
	return name;
}

/* A thousand runs are gigabytes of text, so no more than this stays in memory. */
#define MOST_TEXT (4 * 1024 * 1024)

/* @number: appended to the name; 0: nothing is */
static int print_column(struct line_values *l, const struct lcov_source *source, const char *name, size_t number,
			size_t column, FILE *out)
{
	autofree char *label = xasprintf(number ? "%s_%zu" : "%s", name, number);
	const struct file_line *lines;
	size_t count;
	int err = line_values__of(l, column, &lines, &count);

	if (!err)
		print_files(l, source, label, out);
	return err;
}

int report__lcov(const struct rows *r, const char *const *labels, const struct images *images,
		 const struct lcov_source *source, struct output *output)
{
	FILE *out = output__stream(output);
	struct line_values *l = line_values__new(r, images);
	char **names = xcalloc(r->columns + 1, sizeof(*names));
	size_t functions = 0;
	bool distinct;
	int err = 0;

	fputs("# Written by hytrace. No figure is a count. FNDA is 1 if the function ran, or calls prove it, and\n"
	      "# 0 if it was not called; an inlined copy may have run. DA: the first line of a function has its\n"
	      "# FNDA; a line with a direct call of a traced function has 1 if that call was made, or else 0.\n"
	      "# Functions that cannot be traced or were not asked for are left out.\n", out);
	for (size_t i = 0; i < r->columns; i++)
		names[i] = name_for_genhtml(labels[i]);
	/* If names are equal for genhtml ("a-b" and "a_b"), all get their number appended. */
	distinct = texts__are_distinct(names, r->columns);
	for (size_t i = 0; !err && i < r->columns; i++) {
		err = print_column(l, source, names[i], distinct ? 0 : i + 1, i, out);
		functions += l->functions.count;
		if (!err && ftello(out) > MOST_TEXT)
			err = output__flush(output);
	}
	texts__free(names);
	if (!err && !functions)
		err = error__return(-EINVAL, "-f lcov: it is not known at which lines functions are: give "
				    "--vmlinux FILE with debug information, or --universe FILE that has been "
				    "made of such a file");
	if (!err && l->left_out)
		error__warn("-f lcov: functions left out, because their lines are not known: %zu", l->left_out);
	line_values__free(l);
	return err;
}
