// SPDX-License-Identifier: GPL-2.0-only
/*
 * hytrace callers and hytrace calls without the kernel's files: what recordings themselves say. A function's record has
 * its first caller, and a call site's record the function that its first call entered. Where the call instruction is,
 * and what it names, only the files say; a recording has the address to which the call returns.
 */
#include <fnmatch.h>

#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/sorted.h"
#include "base/table.h"
#include "base/text.h"
#include "report/callers.h"

#define CALLS_SCHEMA 3

/* A function, given by its entry; of a module, by its offset. 0: unknown. */
struct place {
	const char *name, *module;
	uint64_t entry;
};

/* What one recording says about one function in question. */
struct said {
	struct place of;
	bool ran;		/* the function itself is recorded */
	size_t runs;		/* and so many runs of the recording have it */
	bool first;		/* it was the first call of the function that it entered */
	struct place other;	/* name NULL: unknown */
	const char *in;		/* the function with the call; NULL: unknown */
	uint32_t into;		/* and the offset in it to which the call returns */
	size_t document;
};

struct all_said {
	struct said *list;
	size_t count;
	size_t runs;		/* of all recordings; 0: as many as there are recordings */
	struct strings *names;	/* which live longer than the hits of a store's run */
	bool linked;		/* all recordings have linked addresses; otherwise names stand for functions */
};

/* ---- finding it */

/* Code that GCC has moved to NAME.cold is a part of NAME. */
static bool is_wanted(const struct place *place, const char *wanted)
{
	const char *mark = strstr(wanted, CALLERS_MODULE), *cold = place->name ? strstr(place->name, ".cold") : NULL;
	autofree char *name = mark ? xstrndup(wanted, mark - wanted) : xstrdup(wanted);
	autofree char *whole = cold ? xstrndup(place->name, cold - place->name) : xstrdup(place->name);
	bool is = whole && !fnmatch(name, whole, 0) &&
		  (!mark || text__equals(place->module, mark + strlen(CALLERS_MODULE)));

	return is;
}

/* Returns where a function begins; @into: the offset of the given place in it. */
static struct place place_of(const struct all_said *all, const char *name, const char *module, uint64_t link,
			     uint64_t offset, uint32_t into)
{
	uint64_t at = module ? offset : all->linked ? link : 0;

	return (struct place){ name, module, at ? at - into : 0 };
}

static void keep(struct all_said *all, struct place *place)
{
	place->name = place->name ? strings__intern(all->names, place->name) : NULL;
	place->module = place->module ? strings__intern(all->names, place->module) : NULL;
}

static void add_said(struct all_said *all, struct said said)
{
	keep(all, &said.of);
	keep(all, &said.other);
	said.in = said.in ? strings__intern(all->names, said.in) : NULL;
	*LIST_ADD(all->list, all->count) = said;
}

static void add_hit(struct all_said *all, const struct hit *hit, bool calls, const char *wanted, size_t document)
{
	const struct other *o = &hit->other;
	bool is_function = hit->kind == HIT_FUNCTION;
	struct place self = place_of(all, hit->name, hit->module, hit->link, hit->offset, is_function ? 0 : hit->into);
	struct place other = place_of(all, o->name, o->module, o->link, o->offset, is_function ? o->into : 0);
	struct place from = is_function ? other : self, to = is_function ? self : other;
	struct said said = {
		.of = calls ? from : to, .other = calls ? to : from, .in = from.name,
		.into = is_function ? o->into : hit->into, .first = is_function, .document = document,
	};

	if (is_function && is_wanted(&self, wanted))
		add_said(all, (struct said){ .of = self, .ran = true, .runs = hit->runs ?: 1, .document = document });
	if (said.in && is_wanted(&said.of, wanted))
		add_said(all, said);
}

static int by_place(const struct place *x, const struct place *y)
{
	return text__compare(x->module, y->module) ?: text__compare(x->name, y->name) ?: ORDER(x->entry, y->entry);
}

/* Records of the functions come first, then the calls. */
static int by_call(const void *a, const void *b)
{
	const struct said *x = a, *y = b;

	return by_place(&x->of, &y->of) ?: y->ran - x->ran ?: ORDER(x->into, y->into) ?: text__compare(x->in, y->in) ?:
	       by_place(&x->other, &y->other);
}

static int by_call_and_document(const void *a, const void *b)
{
	const struct said *x = a, *y = b;

	return by_call(x, y) ?: ORDER(x->document, y->document) ?: y->first - x->first;
}

static size_t end_of(const struct all_said *all, size_t first, bool call)
{
	size_t end = first;

	while (end < all->count && !(call ? by_call(&all->list[first], &all->list[end]) :
				     by_place(&all->list[first].of, &all->list[end].of)))
		end++;
	return end;
}

static bool has_document(const struct all_said *all, size_t first, size_t end, size_t document)
{
	for (size_t i = first; i < end; i++) {
		if (all->list[i].document == document)
			return true;
	}
	return false;
}

/* The sum of the runs in which the function itself was recorded. */
static size_t count_runs(const struct all_said *all, size_t first, size_t end)
{
	size_t runs = 0;

	for (size_t i = first; i < end; i++)
		runs += all->list[i].runs;
	return runs;
}

/* ---- text and json */

static void print_place(const struct place *place, char *text, size_t room)
{
	snprintf(text, room, place->module ? "%s [%s]" : "%s", place->name ?: "(unknown)", place->module);
}

static void print_table(const struct all_said *all, size_t first, size_t end, bool calls, const struct documents *d,
			FILE *out)
{
	struct libscols_table *table = table__new(out);
	size_t columns = d->count > 1 ? d->count : 0;

	table__column(table, calls ? "CALLED" : "CALLER", 0.3, 0);
	table__column(table, "RETURNS TO", 0.3, 0);
	for (size_t i = 0; i < columns; i++)
		table__column(table, d->labels[i], 4, 0);
	for (size_t next; first < end; first = next) {
		const struct said *said = &all->list[first];
		struct libscols_line *line = table__line(table, NULL);
		char text[512];

		next = end_of(all, first, true);
		print_place(&said->other, text, sizeof(text));
		table__cell(line, 0, text);
		table__printf(line, 1, "%s+0x%" PRIx32, said->in, said->into);
		for (size_t i = 0; i < columns; i++)
			table__cell(line, 2 + i, has_document(all, first, next, i) ? "yes" : "-");
	}
	table__print(table);
}

static void print_function(const struct all_said *all, size_t first, size_t end, bool calls, const struct documents *d,
			   FILE *out)
{
	size_t from = all->list[first].ran ? end_of(all, first, true) : first, runs = 0, call = from;
	char text[512];

	print_place(&all->list[first].of, text, sizeof(text));
	fputs(text, out);
	if (all->runs && from > first)
		fprintf(out, "  in %zu of %zu runs", count_runs(all, first, from), all->runs);
	fputc('\n', out);
	for (size_t i = 0; i < d->count; i++)
		runs += has_document(all, first, from, i);
	while (call < end && !all->list[call].first)
		call++;
	if (!runs)
		fprintf(out, "It was not recorded, and ran: %s.\n",
			calls ? "calls in it were" : "a recorded call entered it");
	else if (d->count > 1)
		fprintf(out, "It ran in %zu of %zu recordings.\n", runs, d->count);
	else if (!calls && call < end)
		fprintf(out, "It ran, and was first called from %s: that call returns to %s+0x%" PRIx32 ".\n",
			all->list[call].in, all->list[call].in, all->list[call].into);
	else
		fputs("It ran.\n", out);
	if (from < end)
		print_table(all, from, end, calls, d, out);
	else
		fprintf(out, calls ? "No call in it was recorded.\n" : "Its caller is not known.\n");
}

static void write_documents(json_writer_t *w, const char *name, const struct all_said *all, size_t first, size_t end,
			    size_t documents)
{
	json__array(w, name);
	for (size_t i = 0; i < documents; i++)
		jsonw_bool(w, has_document(all, first, end, i));
	jsonw_end_array(w);
}

static void write_nulls(json_writer_t *w, const char *const *names)
{
	for (; *names; names++)
		jsonw_null_field(w, *names);
}

static void write_calls(json_writer_t *w, const struct all_said *all, size_t first, size_t end, size_t documents)
{
	static const char *const unknown[] = { "static_call", "addr", "offset", "file", "line", "symbol_offset", NULL };

	for (size_t next; first < end; first = next) {
		const struct said *said = &all->list[first];

		next = end_of(all, first, true);
		jsonw_start_object(w);
		json__string_or_null(w, "name", said->other.name);
		json__string_or_null(w, "module", said->other.module);
		jsonw_string_field(w, "kind", call_kind__word(CALL_UNKNOWN));
		jsonw_bool_field(w, "named", false);
		write_nulls(w, unknown);
		jsonw_string_field(w, "in", said->in);
		jsonw_lluint_field(w, "returns_to", said->into);
		write_documents(w, "seen", all, first, next, documents);
		jsonw_end_object(w);
	}
}

static void write_function(json_writer_t *w, const struct all_said *all, size_t first, size_t end, bool calls,
			   size_t documents)
{
	static const char *const unknown[] = { "file", "line", "untraced", NULL };
	static const char *const unknown_of_callers[] = { "jump_from", "address_taken", NULL };
	static const char *const unknown_of_calls[] = { "traceable_calls", NULL };
	const struct place *of = &all->list[first].of;
	size_t from = all->list[first].ran ? end_of(all, first, true) : first;

	jsonw_start_object(w);
	json__string_or_null(w, "name", of->name);
	json__string_or_null(w, "module", of->module);
	json__address_or_null(w, "addr", !of->module && of->entry, of->entry);
	json__number_or_null(w, "offset", of->module, of->entry);
	write_nulls(w, unknown);
	write_documents(w, "seen", all, first, from, documents);
	json__number_or_null(w, "runs", all->runs, count_runs(all, first, from));
	json__array(w, "proved");
	for (size_t i = 0; i < documents; i++)
		jsonw_bool(w, !has_document(all, first, from, i) && has_document(all, from, end, i));
	jsonw_end_array(w);
	if (!calls) {
		jsonw_string_field(w, "origin", origin__word(from < end ? ORIGIN_CALLED : ORIGIN_UNKNOWN));
		json__array(w, "possible");
		jsonw_end_array(w);
	}
	write_nulls(w, calls ? unknown_of_calls : unknown_of_callers);
	json__lines(w, calls ? "calls" : "callers");
	write_calls(w, all, from, end, documents);
	jsonw_end_array(w);
	jsonw_end_object(w);
}

json_writer_t *callers__begin_json(FILE *out, bool calls, const char *build_id, const char *const *labels,
				   size_t count, size_t runs)
{
	json_writer_t *w = json__begin(out, calls ? "calls" : "callers", CALLS_SCHEMA);

	json__string_or_null(w, "build_id", build_id);
	json__strings(w, "documents", labels, count);
	json__number_or_null(w, "runs", runs, runs);
	return w;
}

static void print(const struct all_said *all, bool calls, const struct documents *d, json_writer_t *w, FILE *out)
{
	for (size_t i = 0, end; i < all->count; i = end) {
		end = end_of(all, i, false);
		if (w)
			write_function(w, all, i, end, calls, d->count);
		else
			print_function(all, i, end, calls, d, out);
		if (!w && end < all->count)
			fputc('\n', out);
	}
}

static int read_all(struct all_said *all, const struct documents *d, const char *wanted, bool calls)
{
	const struct hits *hits;
	int err = 0;

	for (size_t i = 0; i < d->count; i++)
		all->linked &= d->list[i]->kernel.offset_known;
	for (size_t i = 0; !err && i < d->count; i++) {
		err = coverage__open_hits(d->list[i], HITS_ALL, &hits);
		for (size_t k = 0; k < hits->count; k++)
			add_hit(all, &hits->list[k], calls, wanted, i);
		coverage__close_hits(d->list[i], hits);
	}
	return err;
}

int callers__recorded(const struct documents *d, const char *wanted, bool calls, bool json, FILE *out)
{
	const char *release = d->list[0]->kernel.release ?: "that kernel";
	const char *build_id = d->list[0]->kernel.build_id;
	struct all_said all = { .runs = coverages__runs(d->list, d->count), .names = strings__new(),
				.linked = true };
	json_writer_t *w = NULL;
	int err = read_all(&all, d, wanted, calls);

	if (!err && !all.count)
		err = error__return(-EINVAL, "%s: no recording has such a function, and the vmlinux of %s (build id "
				    "%s) was not found: give --vmlinux FILE", wanted, release, build_id ?: "unknown");
	if (err)
		goto end;
	error__warn("the vmlinux of %s (build id %s) was not found: known are only the first caller of each function, "
		    "and the first callee of each recorded call; --vmlinux FILE tells the rest", release,
		    build_id ?: "unknown");
	qsort(all.list, all.count, sizeof(*all.list), by_call_and_document);
	if (json) {
		w = callers__begin_json(out, calls, build_id, (const char *const *)d->labels, d->count, all.runs);
		write_nulls(w, (const char *const[]){ "missing", "unplaced", NULL });
		json__array(w, "functions");
	}
	print(&all, calls, d, w, out);
	if (w) {
		jsonw_end_array(w);
		json__end(&w);
	}
end:
	strings__free(all.names);
	free(all.list);
	return err;
}
