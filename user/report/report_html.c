// SPDX-License-Identifier: GPL-2.0-only
/*
 * Writes the page: page.html and page.js, from the program, with the data in it as one JSON object.
 *
 * A boot and a workload are 28,000 functions, 10,000 first hits and 24,000 callers, and the page should stay small
 * enough for a mail, also with 64 recordings. So data of functions is in columns ("names", "lines", a string of marks),
 * hits are numbers in a row, and times are differences. Calls and the most frequent mark of each function are there
 * once, and a recording only says where it differs.
 *
 *	units		in order of functions: [compiled file, module, number of functions, with --by owner: owner]
 *	in		what --in said: the table has only these functions; null: it has all
 *	names		of the functions in the table, then of others: untraceable functions,
 *			callers, and functions outside of "in" that call rows, or that rows call
 *	lines		the first line of each function in the table; 0: unknown
 *	paths, files	[function, path] for each function that is not defined in the compiled file
 *	classes		a letter for each function in the table: t traceable, e of a trace event,
 *			i init text, l of a module that was loaded later, u not in the universe
 *	verdicts	the meaning of each mark, by the mark
 *	words, reasons	why the other functions are untraceable: [word, rest of a sentence];
 *			[word, null]: not in the universe, or outside of "in"
 *	tasks		[pid, name]; the name is empty if it is not known
 *	marks		for each function in the table, what most columns say of it: 1 seen, + seen though not
 *			asked for, 0 unseen, p proved to have run, q perhaps run inlined; others: "verdicts"
 *	sites		the calls of all columns: caller, offset, callee; below 0 (from -1): unknown, index of "ways"
 *	sources		with --source: [path, first line of the function, line where the text begins, text, values].
 *			values: lines after the one before (the first: after the beginning), index of "values"
 *	values		a character for each column: 1 the line ran, 0 it did not, - neither is known
 *	source_url	the argument of --source-url
 *	columns		for each document its head as it is in the document, and
 *		changes, marks	functions after the one before (the first: from -1), and the mark there
 *		runs		of a union, for each function with 1 or +, in how many runs it was seen; 0: in all
 *		hits		with at most MOST_TIMED columns, in order of time: function, microseconds after
 *				the hit before, CPU, task, number of functions since then (1, unless --in is given)
 *		calls		how many sites it has from the first one on, how many of the next it lacks, has, ...
 */
#include "base/memory.h"
#include "base/sorted.h"
#include "base/text.h"
#include "base/version.h"
#include "document/coverage_json.h"
#include "image/image.h"
#include "report/embed.h"
#include "report/maintainers.h"
#include "report/page.h"

extern const char _binary_page_html_start[], _binary_page_html_end[], _binary_page_js_start[], _binary_page_js_end[];

/* The reason word of functions outside of --in: rows call them, or are called by them. */
#define OUTSIDE "outside"
/* With more columns than this, times and tasks of first calls would make the page too large. */
#define MOST_TIMED 8
/* The number in page.of_row of a row that --in leaves out. */
#define NO_ROW (UINT32_MAX - 1)

/* In the page, each function has a number. */
struct page {
	const struct rows *rows;
	const struct images *images;	/* NULL: callees are unknown */
	const struct lcov_source *source;
	const struct row **order;	/* the rows, by module, unit and line */
	uint32_t *of_universe;		/* index in the universe -> number, from 1; 0: none yet */
	uint32_t *of_row;		/* struct row's @made -> number in the page */
	struct numbered others;		/* functions without a row; see add_other() */
	struct numbered words, paths, tasks, sites, values;
	char *marks;			/* see "marks" */
	json_writer_t *w;
};

/* A call on the page: its site, the function that contains it, and the callee. */
struct page_call {
	struct hit site;
	long caller;		/* number of the function that contains @site */
	uint64_t offset;	/* of the call in @caller; unknown call: of its return address */
	long callee;		/* number of the callee; below 0: -1 - enum call_kind */
};

/*
 * Returns the number of a function without a row; adds the function if it is new. @reason: the word for why it cannot
 * be traced, or OUTSIDE; NULL: unknown. The text has it, because namesakes may be untraceable for different reasons.
 */
static long add_other(struct page *p, const char *name, const char *module, const char *reason)
{
	autofree char *text = xasprintf(module ? "%s\t%s [%s]" : "%s\t%s", reason ?: "", name, module);

	return p->rows->count + numbered__add(&p->others, text);
}

/* As add_other(), for a function outside of --in: its namesakes get numbers of their own. */
static long add_outside(struct page *p, const struct function *f)
{
	*LIST_ADD(p->others.list, p->others.count) = xasprintf(f->module ? "%s\t%s [%s]" : "%s\t%s",
							       f->untraced ?: OUTSIDE, f->name, f->module);
	return p->rows->count + p->others.count - 1;
}

/* ---- calls */

static const struct function *only_one(const struct universe *u, const char *name)
{
	size_t count = 0;
	const struct function *const *named = name ? universe__named(u, name, &count) : NULL;

	return count == 1 ? named[0] : NULL;
}

/* How a call of each kind leads to an unknown callee; empty: there is nothing to say. */
static const char *const ways[CALL_KINDS] = {
	[CALL_UNKNOWN] = "", [CALL_DIRECT] = "", [CALL_INDIRECT] = "by a pointer", [CALL_THUNK] = "by a pointer",
	[CALL_STATIC] = "a static call", [CALL_REPLACED] = "the kernel may have replaced it",
};

static long number_of(struct page *p, const struct function *f)
{
	uint32_t *number = f ? &p->of_universe[f - p->rows->universe->list] : NULL;

	if (number && !*number && !rows__has(p->rows, f))
		*number = add_outside(p, f) + 1;
	return number ? (long)*number - 1 : -1;
}

/* Returns the function that contains a call site. */
static const struct function *function_with(const struct page *p, const struct hit *site)
{
	struct hit entry = *site;

	entry.link -= site->link ? site->into : 0;
	entry.offset -= site->into;
	entry.addr = 0;
	return universe__find(p->rows->universe, &entry);
}

static struct call read_call(const struct page *p, const struct hit *site)
{
	const struct image_of *of = p->images ? images__get(p->images, site->module) : NULL;
	uint64_t returns_to = site->module ? site->offset : site->link;
	struct call call = { .kind = CALL_UNKNOWN, .site = returns_to };

	if (of && of->calls && returns_to)
		calls__before(of->calls, returns_to, &call);
	/* No call has one byte: no instruction was found, and only the return address is known. */
	if (call.kind == CALL_UNKNOWN && call.site == returns_to - 1)
		call.site = returns_to;
	return call;
}

/*
 * Returns the callee that the instruction names, or else the record. A call into another image only
 * has a name.
 */
static const struct function *callee_of(const struct page *p, const struct hit *site, const struct call *call)
{
	const struct other *entered = &site->other;
	const struct universe *u = p->rows->universe;
	const struct function *f = NULL;

	if (call->kind == CALL_DIRECT)
		f = call->callee ? universe__at(u, site->module, call->callee->addr) : only_one(u, call->name);
	if (!f && entered->name && (entered->module || entered->link))
		f = universe__at(u, entered->module, entered->module ? entered->offset : entered->link);
	return f;
}

static bool is_on_page(const struct page *p, const struct function *f, const char *module)
{
	return f ? rows__has(p->rows, f) : !p->rows->where || where__has(p->rows->where, module, NULL);
}

/* Returns the function of a HIT_FUNCTION hit; @site: gets its record's call site. NULL: unknown. */
static const struct function *first_call(const struct page *p, const struct hit *hit, struct hit *site)
{
	const struct other *other = &hit->other;

	site->kind = HIT_CALLER;
	site->link = other->link;
	site->module = other->module;
	site->offset = other->offset;
	site->name = other->name;
	site->into = other->into;
	site->other.name = NULL;
	return other->name ? universe__find(p->rows->universe, hit) : NULL;
}

/*
 * Finds the call that a hit shows: a HIT_CALLER, or a HIT_FUNCTION that its first caller's instruction does not name.
 * Returns false if it shows no call, or none that is from or to a function of the rows.
 */
static bool read_page_call(struct page *p, const struct hit *hit, struct page_call *ret)
{
	const struct function *from, *to, *entered = NULL;
	struct hit *site = &ret->site;
	struct call call;

	*site = *hit;
	if (hit->kind == HIT_FUNCTION) {
		entered = first_call(p, hit, site);
		if (!entered)
			return false;
	}
	call = read_call(p, site);
	to = callee_of(p, site, &call);
	/* This call site's own HIT_CALLER already shows the call. */
	if (entered && to == entered)
		return false;
	to = entered ? entered : to;
	from = function_with(p, site);
	if (!is_on_page(p, from, site->module) && !(to && is_on_page(p, to, NULL)))
		return false;
	ret->offset = site->into + call.site - (site->module ? site->offset : site->link);
	ret->callee = number_of(p, to);
	if (entered && ret->callee == -1)
		return false;
	if (ret->callee == -1)
		ret->callee = -1 - (long)call.kind;
	ret->caller = number_of(p, from);
	if (ret->caller == -1 && !site->name)
		return false;
	if (ret->caller == -1)
		ret->caller = add_other(p, site->name, site->module, NULL);
	return true;
}

/* ---- the order of the functions */

static int by_place(const void *a, const void *b)
{
	const struct row *const *x = a, *const *y = b;
	const struct function *f = (*x)->f, *g = (*y)->f;

	return text__compare(f->module, g->module) ?: text__compare(f->unit, g->unit) ?: ORDER(f->line, g->line) ?:
	       strcmp(f->name, g->name) ?: ORDER(*x, *y);
}

static void arrange(struct page *p)
{
	const struct rows *r = p->rows;

	p->order = xcalloc(r->count, sizeof(*p->order));
	p->of_row = xcalloc(r->all, sizeof(*p->of_row));
	p->of_universe = xcalloc(r->universe->count, sizeof(*p->of_universe));
	for (size_t i = 0; i < r->count; i++)
		p->order[i] = &r->list[i];
	qsort(p->order, r->count, sizeof(*p->order), by_place);
	for (size_t i = 0; i < r->count; i++) {
		const struct function *f = p->order[i]->f;

		p->of_row[p->order[i]->made] = i;
		if (f >= r->universe->list && f < r->universe->list + r->universe->count)
			p->of_universe[f - r->universe->list] = i + 1;
	}
	for (size_t i = r->count; i < r->all; i++)
		p->of_row[r->list[i].made] = NO_ROW;
}

/* Adds functions that cannot be traced, so that a search finds them and shows the reason. */
static void add_untraced(struct page *p)
{
	const struct universe *u = p->rows->universe;

	for (size_t i = 0; i < u->count; i++) {
		const struct function *f = &u->list[i];

		if (!p->of_universe[i] && f->untraced && rows__has(p->rows, f))
			p->of_universe[i] = add_other(p, f->name, f->module, f->untraced) + 1;
	}
}

/* ---- writing */

static void write_text(json_writer_t *w, const char *text)
{
	if (text)
		jsonw_string(w, text);
	else
		jsonw_null(w);
}

static void write_units(struct page *p)
{
	json__array(p->w, "units");
	for (size_t first = 0, i = 0; first < p->rows->count; first = i) {
		const struct function *f = p->order[first]->f;

		while (i < p->rows->count && text__equals(f->unit, p->order[i]->f->unit) &&
		       text__equals(f->module, p->order[i]->f->module))
			i++;
		jsonw_start_array(p->w);
		write_text(p->w, f->unit);
		write_text(p->w, f->module);
		jsonw_lluint(p->w, i - first);
		if (p->rows->owners && f->unit)
			write_text(p->w, maintainers__of(p->rows->owners, f->unit));
		jsonw_end_array(p->w);
	}
	jsonw_end_array(p->w);
}

static void write_files(struct page *p)
{
	json__array(p->w, "files");
	for (size_t i = 0; i < p->rows->count; i++) {
		const struct function *f = p->order[i]->f;

		if (!f->file || (f->unit && !strcmp(f->file, f->unit)))
			continue;
		jsonw_start_array(p->w);
		jsonw_lluint(p->w, i);
		jsonw_lluint(p->w, numbered__add(&p->paths, f->file));
		jsonw_end_array(p->w);
	}
	jsonw_end_array(p->w);
}

static const char marks[VERDICT_COUNT] = {
	[VERDICT_SEEN] = '1', [VERDICT_PROVED] = 'p', [VERDICT_NOT_CALLED] = '0', [VERDICT_NOT_FOLLOWED] = 'o',
	[VERDICT_NOT_ASKED] = 'a', [VERDICT_DENIED] = 'd', [VERDICT_OWN] = 'h', [VERDICT_UNATTACHED] = 't',
	[VERDICT_NO_MODULE] = 'm', [VERDICT_FREED] = 'f', [VERDICT_UNTRACEABLE] = 'x', [VERDICT_NO_FUNCTION] = 'n',
	[VERDICT_INLINED] = 'q', [VERDICT_UNKNOWN] = '-',
};

static char mark_of(const struct page *p, size_t i, size_t column)
{
	const struct row *row = p->order[i];

	if (!row__is_asked_for(row, column) && row__is_seen(row, column))
		return '+';
	return marks[row__verdict(row, column)];
}

/* Writes a letter for the class of each row, and the mark that most columns have. */
static void write_letters(struct page *p)
{
	static const char letters[] = {
		[ROW_TRACED] = 't', [ROW_EVENT] = 'e', [ROW_INIT] = 'i', [ROW_LATER] = 'l', [ROW_UNKNOWN] = 'u',
	};
	autofree char *classes = xcalloc(p->rows->count + 1, 1);

	p->marks = xcalloc(p->rows->count + 1, 1);
	for (size_t i = 0; i < p->rows->count; i++) {
		unsigned int counts[UINT8_MAX + 1] = {}, most = 0;

		classes[i] = letters[p->order[i]->class];
		for (size_t column = 0; column < p->rows->columns; column++) {
			char mark = mark_of(p, i, column);

			if (++counts[(unsigned char)mark] > most) {
				most = counts[(unsigned char)mark];
				p->marks[i] = mark;
			}
		}
	}
	jsonw_string_field(p->w, "classes", classes);
	jsonw_string_field(p->w, "marks", p->marks);
}

static void write_changes(struct page *p, size_t column)
{
	autofree char *changed = xcalloc(p->rows->count + 1, 1);
	size_t count = 0, last = -1;

	json__array(p->w, "changes");
	for (size_t i = 0; i < p->rows->count; i++) {
		char mark = mark_of(p, i, column);

		if (mark == p->marks[i])
			continue;
		changed[count++] = mark;
		jsonw_lluint(p->w, i - last);
		last = i;
	}
	jsonw_end_array(p->w);
	jsonw_string_field(p->w, "marks", changed);
}

static void write_runs(struct page *p, size_t column)
{
	size_t all = p->rows->documents[column]->merged_count;

	json__array(p->w, "runs");
	for (size_t i = 0; all && i < p->rows->count; i++) {
		size_t runs = rows__runs(p->rows, p->order[i], column);

		if (runs)
			jsonw_lluint(p->w, runs < all ? runs : 0);
	}
	jsonw_end_array(p->w);
}

static int write_functions(struct page *p)
{
	int err = 0;

	write_units(p);
	json__array(p->w, "lines");
	for (size_t i = 0; i < p->rows->count; i++)
		jsonw_lluint(p->w, p->order[i]->f->line);
	jsonw_end_array(p->w);
	write_files(p);
	if (p->source->count)
		err = page__write_sources(p->w, p->rows, p->images, p->source, &p->paths, &p->values);
	json__strings(p->w, "paths", (const char *const *)p->paths.list, p->paths.count);
	json__strings(p->w, "values", (const char *const *)p->values.list, p->values.count);
	json__string_or_null(p->w, "source_url", p->source->url);
	json__object(p->w, "verdicts");
	for (enum verdict v = 0; v < VERDICT_COUNT; v++)
		jsonw_string_field(p->w, (const char []){ marks[v], '\0' }, verdict__sentence(v));
	jsonw_end_object(p->w);
	write_letters(p);
	return err;
}

/* Times count from the beginning of the boot or of the run. A union of several boots has none. */
static void write_hits(struct page *p, const struct coverage *c, const struct hits *hits)
{
	autofree bool *seen = xcalloc(p->rows->all, sizeof(*seen));
	uint64_t begin = c->scope.kind == SCOPE_BOOT ? 0 : c->window.opening;
	unsigned int functions = 0;
	int64_t last = 0;

	json__array(p->w, "hits");
	for (size_t i = 0; i < hits->count; i++) {
		const struct hit *hit = &hits->list[i];
		int64_t us = (int64_t)(hit->first_ns - begin) / 1000;
		size_t row = hit->kind == HIT_FUNCTION ? rows__find(p->rows, hit) : ROWS_NONE;
		char task[64];

		/* The first hit of a function counts. */
		if (row == ROWS_NONE || seen[row])
			continue;
		seen[row] = true;
		functions++;
		if (p->of_row[row] == NO_ROW)
			continue;
		snprintf(task, sizeof(task), "%u %s", hit->pid, hit->comm ?: "");
		jsonw_lluint(p->w, p->of_row[row]);
		jsonw_int(p->w, us - last);
		jsonw_lluint(p->w, hit->cpu);
		jsonw_lluint(p->w, numbered__add(&p->tasks, task));
		jsonw_lluint(p->w, functions);
		functions = 0;
		last = us;
	}
	jsonw_end_array(p->w);
}

/* Writes how many of the known calls the column has, lacks, has, ... */
static void write_calls(struct page *p, const struct hits *hits)
{
	autofree bool *has = xcalloc(p->sites.count + hits->count, sizeof(*has));

	for (size_t i = 0; i < hits->count; i++) {
		struct page_call call;
		char text[80];

		if (!read_page_call(p, &hits->list[i], &call))
			continue;
		snprintf(text, sizeof(text), "%ld,%llu,%ld", call.caller, (unsigned long long)call.offset, call.callee);
		has[numbered__add(&p->sites, text)] = true;
	}
	json__array(p->w, "calls");
	for (size_t i = 0, first = 0, wanted = true; i < p->sites.count; first = i, wanted = !wanted) {
		while (i < p->sites.count && has[i] == wanted)
			i++;
		jsonw_lluint(p->w, i - first);
	}
	jsonw_end_array(p->w);
}

static int write_columns(struct page *p, const char *const *labels)
{
	int err = 0;

	json__array(p->w, "columns");
	for (size_t i = 0; !err && i < p->rows->columns; i++) {
		const struct coverage *c = p->rows->documents[i];
		const struct hits *hits;

		err = coverage__open_hits(c, HITS_ALL, &hits);
		if (err)
			break;
		jsonw_start_object(p->w);
		json__string_or_null(p->w, "label", labels[i]);
		json__string_or_null(p->w, "engine", c->engine);
		coverage__write_head(c, p->w);
		jsonw_bool_field(p->w, "timed", coverage__knows_first(c));
		write_changes(p, i);
		write_runs(p, i);
		if (p->rows->columns <= MOST_TIMED && coverage__knows_first(c))
			write_hits(p, c, hits);
		write_calls(p, hits);
		jsonw_end_object(p->w);
		coverage__close_hits(c, hits);
	}
	jsonw_end_array(p->w);
	/* Each text is three numbers. */
	json__array(p->w, "sites");
	for (size_t i = 0; i < p->sites.count; i++)
		jsonw_printf(p->w, "%s", p->sites.list[i]);
	jsonw_end_array(p->w);
	return err;
}

static void write_words(struct page *p)
{
	json__array(p->w, "words");
	for (size_t i = 0; i < p->words.count; i++) {
		const char *word = p->words.list[i];

		jsonw_start_array(p->w);
		jsonw_string(p->w, word);
		write_text(p->w, *word && strcmp(word, OUTSIDE) ? untraced__sentence(untraced__of_word(word)) : NULL);
		jsonw_end_array(p->w);
	}
	jsonw_end_array(p->w);
}

/* Written after the columns, which add functions that only call other functions. */
static void write_names(struct page *p)
{
	json__array(p->w, "names");
	for (size_t i = 0; i < p->rows->count; i++)
		jsonw_string(p->w, p->order[i]->f->name);
	for (size_t i = 0; i < p->others.count; i++)
		jsonw_string(p->w, strchr(p->others.list[i], '\t') + 1);
	jsonw_end_array(p->w);
	json__array(p->w, "reasons");
	for (size_t i = 0; i < p->others.count; i++) {
		autofree char *word = xstrndup(p->others.list[i], strcspn(p->others.list[i], "\t"));

		jsonw_lluint(p->w, numbered__add(&p->words, word));
	}
	jsonw_end_array(p->w);
	write_words(p);
	json__array(p->w, "tasks");
	for (size_t i = 0; i < p->tasks.count; i++) {
		char *name;

		jsonw_start_array(p->w);
		jsonw_lluint(p->w, strtoull(p->tasks.list[i], &name, 10));
		jsonw_string(p->w, name + 1);
		jsonw_end_array(p->w);
	}
	jsonw_end_array(p->w);
}

static int write_data(struct page *p, const char *const *labels, FILE *out)
{
	const struct kernel_id *k = &p->rows->documents[0]->kernel;
	int err;

	p->w = jsonw_new(out, false);
	jsonw_start_object(p->w);
	jsonw_string_field(p->w, "hytrace", HYTRACE_VERSION);
	json__string_or_null(p->w, "in", p->rows->where);
	jsonw_bool_field(p->w, "placed", p->rows->universe->placed);
	jsonw_bool_field(p->w, "edges", p->images);
	json__object(p->w, "kernel");
	json__string_or_null(p->w, "release", k->release);
	json__string_or_null(p->w, "arch", k->arch);
	json__string_or_null(p->w, "build_id", k->build_id);
	jsonw_end_object(p->w);
	json__strings(p->w, "ways", ways, CALL_KINDS);
	err = write_functions(p) ?: write_columns(p, labels);
	write_names(p);
	jsonw_end_object(p->w);
	jsonw_destroy(&p->w);
	return err;
}

int report__html(const struct rows *r, const char *const *labels, const struct images *images,
		 const struct lcov_source *source, FILE *out)
{
	struct page p = { .rows = r, .images = images, .source = source };
	char *data = NULL;
	size_t length;
	FILE *memory = xopen_memstream(&data, &length);
	int err;

	arrange(&p);
	add_untraced(&p);
	err = write_data(&p, labels, memory);
	xclose_memstream(memory);
	if (!err)
		err = embed__page(_binary_page_html_start, _binary_page_html_end, _binary_page_js_start,
				  _binary_page_js_end, data, length, out);
	free(data);
	free(p.order);
	free(p.of_row);
	free(p.of_universe);
	numbered__free(&p.others);
	numbered__free(&p.words);
	numbered__free(&p.paths);
	numbered__free(&p.tasks);
	numbered__free(&p.sites);
	numbered__free(&p.values);
	free(p.marks);
	return err;
}
