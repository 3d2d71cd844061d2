// SPDX-License-Identifier: GPL-2.0-only
/* Prints who called a function, and what it called; see callers.h. */
#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/table.h"
#include "base/text.h"
#include "report/callers.h"
#include "report/documents.h"

/* ---- the calls of an answer */

/* Returns the recorded calls from function @number, or to it. The caller frees the list. */
static struct caller_lines recorded_calls(const struct question *q, size_t number)
{
	const struct edges *e = q->edges;
	struct caller_lines lines = {};
	size_t count;
	const struct edge *from = q->calls ? edges__from(e, number, &count) : NULL;
	const size_t *to = q->calls ? NULL : edges__to(e, number, &count);

	for (size_t i = 0; i < count; i++) {
		const struct edge *edge = q->calls ? &from[i] : &e->list[to[i]];
		size_t other = q->calls ? edge->to : edge->from;
		struct caller_line *line = LIST_ADD(lines.list, lines.count);

		*line = (struct caller_line){
			.edge = edge, .of = edge->of, .call = &edge->call, .documents = edge->seen,
		};
		if (other != EDGES_NONE)
			line->other = images__function(e->images, other, &line->other_of);
	}
	return lines;
}

static void add_possible(const struct question *q, size_t number, const struct image_of *of, const struct call *call,
			 struct caller_lines *lines)
{
	const struct image_function *whole = edges__whole(of, call->in);

	/* A recursive call cannot be the one that entered the function first. */
	if (images__number(of, whole) != number)
		*LIST_ADD(lines->list, lines->count) = (struct caller_line){
			.of = of, .call = call, .other_of = of, .other = whole,
			.ran = &q->edges->nodes[images__number(of, whole)],
		};
}

/* Adds calls from other images to an exported function. Their instructions only have its name. */
static void add_outer(const struct question *q, size_t number, const struct image_of *inner,
		      const struct image_function *f, struct caller_lines *lines)
{
	const struct images *images = q->edges->images;

	for (size_t i = 0; f->exported && i < images->count; i++) {
		const struct image_of *of = &images->list[i];
		size_t all = 0;
		const struct call *ways = of != inner && of->references ?
					  references__ways(of->references, NULL, &all) : NULL;

		for (size_t k = 0; k < all; k++) {
			if (ways[k].name && !strcmp(ways[k].name, f->name))
				add_possible(q, number, of, &ways[k], lines);
		}
	}
}

struct caller_lines question__possible(const struct question *q, size_t number)
{
	const struct image_of *of;
	const struct image_function *f = images__function(q->edges->images, number, &of);
	const struct call *ways;
	struct caller_lines lines = {};
	size_t all;

	if (q->calls || edges__ran(q->edges, number) || !of->references)
		return lines;
	ways = references__ways(of->references, f, &all);
	for (size_t i = 0; i < all; i++)
		add_possible(q, number, of, &ways[i], &lines);
	add_outer(q, number, of, f, &lines);
	return lines;
}

static void count_call(const struct call *call, void *data)
{
	*(size_t *)data += !call->jump && call->kind == CALL_DIRECT && call->callee &&
			   call->callee->untraced == UNTRACED_NOT;
}

/* Returns how many direct calls in a function have a traceable callee. */
static size_t count_traceable_calls(const struct image_of *of, const struct image_function *f)
{
	size_t count = 0;

	calls__of(of->calls, f, count_call, &count);
	return count;
}

static void want_lines(struct question *q, struct caller_lines lines)
{
	for (size_t i = 0; i < lines.count; i++)
		source_lines__want(&q->lines, lines.list[i].of, lines.list[i].call->returns_to - 1);
	free(lines.list);
}

void question__find_lines(struct question *q)
{
	q->heads.entries = true;
	for (size_t i = 0; i < q->count; i++) {
		const struct image_of *of;
		const struct image_function *f = images__function(q->edges->images, q->functions[i], &of);
		const struct call *jump;

		source_lines__want(&q->heads, of, f->addr);
		want_lines(q, recorded_calls(q, q->functions[i]));
		want_lines(q, question__possible(q, q->functions[i]));
		if (!q->calls && (origins__of(q->edges, q->functions[i], &jump), jump))
			source_lines__want(&q->lines, of, jump->returns_to - 1);
	}
	source_lines__find(&q->heads);
	source_lines__find(&q->lines);
}

/* ---- text, a table for each function */

enum { COLUMN_OTHER, COLUMN_PLACE, COLUMN_SITE, COLUMN_DOCUMENTS };

static void print_place(const struct source_lines *lines, const struct image_of *of, uint64_t addr, char *text,
			size_t room)
{
	const struct line_place *place = source_lines__get(lines, of, addr);

	if (place && place->line)
		snprintf(text, room, "%s:%u", place->file, place->line);
	else
		snprintf(text, room, "-");
}

/* Says how a call leads to a target that its instruction does not name. */
static void print_way(const struct call *call, char *text, size_t room)
{
	static const char *const ways[CALL_KINDS] = {
		[CALL_UNKNOWN] = "(unknown)", [CALL_DIRECT] = "(through %s)", [CALL_INDIRECT] = "(by a pointer)",
		[CALL_THUNK] = "(by a pointer)", [CALL_STATIC] = "(static call %s)",
		[CALL_REPLACED] = "(one of several alternatives)",
	};

	snprintf(text, room, ways[call->kind], call->name);
}

static void print_other(const struct question *q, const struct caller_line *line, char *text, size_t room)
{
	size_t used = 0;

	if (line->other) {
		used = snprintf(text, room, line->other_of->module ? "%s [%s]" : "%s", line->other->name,
				line->other_of->module);
		if (line->edge && line->edge->entered && used + 1 < room) {
			text[used++] = ' ';
			print_way(line->call, text + used, room - used);
		}
	} else if (!q->calls) {
		snprintf(text, room, "(unknown)");
	} else if (line->call->kind == CALL_DIRECT) {
		snprintf(text, room, "%s", line->call->name);
	} else {
		print_way(line->call, text, room);
	}
}

static void add_line(struct libscols_table *t, const struct question *q, const struct caller_line *line, size_t columns)
{
	struct libscols_line *to = table__line(t, NULL);
	const struct call *call = line->call;
	size_t has = 0;
	char text[512];

	print_other(q, line, text, sizeof(text));
	table__cell(to, COLUMN_OTHER, text);
	print_place(&q->lines, line->of, call->returns_to - 1, text, sizeof(text));
	table__cell(to, COLUMN_PLACE, text);
	/* "vfs_read+0x1f", in the kernel's notation. */
	table__printf(to, COLUMN_SITE, "%s%s0x%" PRIx64, call->in ? call->in->name : "", call->in ? "+" : "",
		      call->site - (call->in ? call->in->addr : 0));
	for (size_t d = 0; d < columns; d++) {
		has += caller_line__is_in(line, d);
		if (columns < DOCUMENTS_MANY)
			table__cell(to, COLUMN_DOCUMENTS + d, caller_line__is_in(line, d) ? "yes" : "-");
	}
	if (columns >= DOCUMENTS_MANY)
		table__printf(to, COLUMN_DOCUMENTS, "%zu of %zu", has, columns);
}

/* @only: the heading of a single recording's column; NULL: it has none. */
static void print_table(const struct question *q, const char *heading, const char *only,
			const struct caller_lines *lines, FILE *out)
{
	size_t columns = only || q->edges->document_count > 1 ? q->edges->document_count : 0;
	struct libscols_table *table = table__new(out);

	table__column(table, heading, 0.3, 0);
	table__column(table, "WHERE", 0.3, 0);
	table__column(table, "SITE", 0.3, 0);
	for (size_t d = 0; d < (columns < DOCUMENTS_MANY ? columns : 1); d++)
		table__column(table, columns >= DOCUMENTS_MANY ? only ?: "RECORDINGS" :
			      columns > 1 ? q->labels[d] : only, 4, 0);
	for (size_t i = 0; i < lines->count; i++)
		add_line(table, q, &lines->list[i], columns);
	table__print(table);
}

/* Says how a function that did not run could have been entered, and whether the callers ran. */
static void print_possible(const struct question *q, size_t number, const struct image_function *f,
			   const struct image_of *of, FILE *out)
{
	struct caller_lines lines;

	if (q->calls || edges__ran(q->edges, number))
		return;
	lines = question__possible(q, number);
	if (lines.count)
		print_table(q, "MAY ENTER IT", "RAN", &lines, out);
	else
		fputs("In the kernel's files, no call and no jump names it, but for calls that the kernel may "
		      "replace.\n", out);
	free(lines.list);
	if (references__taken(of->references, f) == TAKEN_YES)
		fputs("Its address is taken: a pointer may lead to it.\n", out);
	else if (references__taken(of->references, f) == TAKEN_UNKNOWN)
		fputs("The pointers in modules are not read: one of them may lead to it.\n", out);
	if (f->exported)
		fputs("It is exported: modules whose files were not read may call it.\n", out);
}

static void print_unseen(const struct question *q, size_t number, const struct image_function *f, const char *module,
			 FILE *out)
{
	const struct node *node = &q->edges->nodes[number];
	bool ran = node->is_inside || node->is_called;
	size_t blind = 0;

	fprintf(out, "%s was not recorded%s", f->name, node->is_inside ? ", and ran: calls in it were" :
		node->is_called ? ", and ran: a recorded call leads to it" : "");
	if (f->untraced)
		fprintf(out, "; it %s", untraced__sentence(f->untraced));
	fputs(".\n", out);
	if (f->untraced && !ran)
		fputs("It may have run all the same.\n", out);
	for (size_t d = 0; !ran && !f->untraced && d < q->edges->document_count; d++) {
		enum verdict v = edges__verdict(q->edges, number, d);

		if (verdict__could_see(v) && verdict__is_certain(v, q->edges->documents[d], module))
			continue;
		if (!blind++ || q->edges->document_count < DOCUMENTS_MANY)
			fprintf(out, "It may have run all the same: in %s, %s%s.\n", q->labels[d], verdict__sentence(v),
				verdict__could_see(v) ? ", as far as is known: it has lost something" : "");
	}
	if (blind > 1 && q->edges->document_count >= DOCUMENTS_MANY)
		fprintf(out, "In %zu more recordings, too, it may have run.\n", blind - 1);
}

/* Recordings count, but do not list, callers in modules' init text. They may call exports. */
static void print_uncounted(const struct question *q, const struct image_function *f, FILE *out)
{
	uint64_t count = 0;

	for (size_t d = 0; !q->calls && f->exported && d < q->edges->document_count; d++)
		count += counters__get(&q->edges->documents[d]->lost, "module_init_callers");
	if (count)
		fprintf(out, "It is exported: %" PRIu64 " callers in modules' init text, which no recording "
			"lists, may have called it.\n", count);
}

/* Says how a function was entered, if no recorded call leads to it. */
static void print_origin(const struct question *q, size_t number, const struct image_function *f,
			 const struct image_of *of, FILE *out)
{
	const struct call *jump;
	enum origin origin = origins__of(q->edges, number, &jump);
	char text[512];

	if (origin == ORIGIN_NONE || origin == ORIGIN_CALLED)
		return;
	fprintf(out, "%s %s.\n", f->name, origin__sentence(origin));
	if (!jump)
		return;
	print_place(&q->lines, of, jump->returns_to - 1, text, sizeof(text));
	fprintf(out, "There is such a jump in %s, which ran: %s\n", jump->in->name, text);
}

/* Says how many of the function's calls were recorded. The table lists only recorded calls. */
static void print_share(const struct question *q, size_t number, const struct image_function *f,
			const struct image_of *of, const struct caller_lines *lines, FILE *out)
{
	size_t seen = 0, all = count_traceable_calls(of, f);

	for (size_t i = 0; i < lines->count; i++) {
		const struct caller_line *l = &lines->list[i];

		seen += l->call->in == f && l->call->kind == CALL_DIRECT && !l->edge->entered && l->other &&
			!l->other->untraced && l->other_of->module == l->of->module;
	}
	if (all && edges__ran(q->edges, number))
		fprintf(out, "Of the %zu calls in it that name a function that can be traced, %zu were recorded.\n",
			all, seen);
}

static void print_answer(const struct question *q, size_t number, FILE *out)
{
	const struct image_of *of;
	const struct image_function *f = images__function(q->edges->images, number, &of);
	const struct node *node = &q->edges->nodes[number];
	struct caller_lines lines = recorded_calls(q, number);
	char text[512];

	print_place(&q->heads, of, f->addr, text, sizeof(text));
	fprintf(out, of->module ? "%s [%s]" : "%s", f->name, of->module);
	fprintf(out, "  %s", text);
	if (q->edges->runs && node->runs)
		fprintf(out, "  in %zu of %zu runs", node->runs, q->edges->runs);
	fputc('\n', out);
	if (!node->is_seen)
		print_unseen(q, number, f, of->module, out);
	if (lines.count)
		print_table(q, q->calls ? "CALLED" : "CALLER", NULL, &lines, out);
	else if (q->calls && edges__ran(q->edges, number))
		fprintf(out, "No call in it was recorded.\n");
	if (q->calls)
		print_share(q, number, f, of, &lines, out);
	else
		print_origin(q, number, f, of, out);
	print_possible(q, number, f, of, out);
	print_uncounted(q, f, out);
	free(lines.list);
}

void callers__text(const struct question *q, FILE *out)
{
	for (size_t i = 0; i < q->count; i++) {
		if (i)
			fputc('\n', out);
		print_answer(q, q->functions[i], out);
	}
}

/* ---- json, docs/schema/calls.json */

static void write_place(json_writer_t *w, const struct image_of *of, uint64_t addr, const struct line_place *place)
{
	json__address_or_null(w, "addr", !of->module, addr);
	json__number_or_null(w, "offset", of->module && addr < IMAGE_MODULE_INIT, addr);
	json__string_or_null(w, "file", place ? place->file : NULL);
	json__number_or_null(w, "line", place && place->line, place ? place->line : 0);
}

static void write_line(json_writer_t *w, const struct question *q, const struct caller_line *line)
{
	const struct call *call = line->call;

	jsonw_start_object(w);
	json__string_or_null(w, "name", line->other ? line->other->name :
					q->calls && call->kind == CALL_DIRECT ? call->name : NULL);
	json__string_or_null(w, "module", line->other_of ? line->other_of->module : NULL);
	jsonw_string_field(w, "kind", line->edge ? call_kind__word(call->kind) : call->jump ? "jump" : "call");
	if (line->edge) {
		jsonw_bool_field(w, "named", (line->other || call->kind == CALL_DIRECT) && !line->edge->entered);
		json__string_or_null(w, "static_call", call->kind == CALL_STATIC ? call->name : NULL);
	}
	/* Takes the line of the call's last byte: several lines may begin at its first byte. */
	write_place(w, line->of, call->site, source_lines__get(&q->lines, line->of, call->returns_to - 1));
	json__string_or_null(w, "in", call->in ? call->in->name : NULL);
	json__number_or_null(w, "symbol_offset", call->in, call->in ? call->site - call->in->addr : 0);
	json__array(w, line->edge ? "seen" : "ran");
	for (size_t d = 0; d < q->edges->document_count; d++)
		jsonw_bool(w, caller_line__is_in(line, d));
	jsonw_end_array(w);
	jsonw_end_object(w);
}

static void write_lines(json_writer_t *w, const struct question *q, const char *name, struct caller_lines lines)
{
	json__lines(w, name);
	for (size_t i = 0; i < lines.count; i++)
		write_line(w, q, &lines.list[i]);
	jsonw_end_array(w);
	free(lines.list);
}

static void write_function(json_writer_t *w, const struct question *q, size_t number)
{
	const struct node *node = &q->edges->nodes[number];
	const struct image_of *of;
	const struct image_function *f = images__function(q->edges->images, number, &of);
	const struct call *jump;

	jsonw_start_object(w);
	json__string_or_null(w, "name", f->name);
	json__string_or_null(w, "module", of->module);
	write_place(w, of, f->addr, source_lines__get(&q->heads, of, f->addr));
	json__string_or_null(w, "untraced", untraced__word(f->untraced));
	json__bits(w, "seen", node->seen, q->edges->document_count);
	json__number_or_null(w, "runs", q->edges->runs, node->runs);
	json__array(w, "proved");
	for (size_t d = 0; d < q->edges->document_count; d++)
		jsonw_bool(w, node__ran(node, d) && !set__has(node->seen, d));
	jsonw_end_array(w);
	if (q->calls) {
		jsonw_lluint_field(w, "traceable_calls", count_traceable_calls(of, f));
	} else {
		enum taken taken = references__taken(of->references, f);

		jsonw_string_field(w, "origin", origin__word(origins__of(q->edges, number, &jump)));
		json__string_or_null(w, "jump_from", jump ? jump->in->name : NULL);
		if (taken == TAKEN_UNKNOWN)
			jsonw_null_field(w, "address_taken");
		else
			jsonw_bool_field(w, "address_taken", taken == TAKEN_YES);
		write_lines(w, q, "possible", question__possible(q, number));
	}
	write_lines(w, q, q->calls ? "calls" : "callers", recorded_calls(q, number));
	jsonw_end_object(w);
}

void callers__json(const struct question *q, FILE *out)
{
	const char *build_id = image__build_id(q->edges->images->list[0].image);
	json_writer_t *w = callers__begin_json(out, q->calls, build_id, q->labels, q->edges->document_count,
					       q->edges->runs);

	jsonw_lluint_field(w, "missing", q->edges->missing);
	jsonw_lluint_field(w, "unplaced", q->edges->unplaced);
	json__array(w, "functions");
	for (size_t i = 0; i < q->count; i++)
		write_function(w, q, q->functions[i]);
	jsonw_end_array(w);
	json__end(&w);
}
