// SPDX-License-Identifier: GPL-2.0-only
/* Writes callers or callees as json, docs/schema/calls.json; see callers.h. */
#include <stdlib.h>

#include "base/json.h"
#include "report/callers.h"
#include "report/origins.h"

#define CALLS_SCHEMA 3

static void write_place(json_writer_t *w, const struct image_of *of, uint64_t addr, const struct line_place *place)
{
	json__address_or_null(w, "addr", !of->module, addr);
	json__number_or_null(w, "offset", of->module && addr < IMAGE_MODULE_INIT, addr);
	json__string_or_null(w, "file", place ? place->file : NULL);
	json__number_or_null(w, "line", place && place->line, place ? place->line : 0);
}

/* Takes the line of the call's last byte: several lines may begin at its first byte. */
static void write_call(json_writer_t *w, const struct question *q, const struct image_of *of, const struct call *call)
{
	write_place(w, of, call->site, source_lines__get(&q->lines, of, call->returns_to - 1));
}

static void write_answer(json_writer_t *w, const struct question *q, const struct callers_answer *answer)
{
	const struct edge *edge = answer->edge;
	const struct call *call = &edge->call;

	jsonw_start_object(w);
	json__string_or_null(w, "name", answer->other ? answer->other->name :
					q->calls && call->kind == CALL_DIRECT ? call->name : NULL);
	json__string_or_null(w, "module", answer->of ? answer->of->module : NULL);
	jsonw_string_field(w, "kind", call_kind__word(call->kind));
	jsonw_bool_field(w, "named", (answer->other || call->kind == CALL_DIRECT) && !edge->entered);
	json__string_or_null(w, "static_call", call->kind == CALL_STATIC ? call->name : NULL);
	write_call(w, q, edge->of, call);
	json__string_or_null(w, "in", call->in ? call->in->name : NULL);
	json__number_or_null(w, "symbol_offset", call->in, call->in ? call->site - call->in->addr : 0);
	json__bits(w, "seen", edge->seen, q->edges->document_count);
	jsonw_end_object(w);
}

/* Writes how a function that did not run could have been entered. */
static void write_possible(json_writer_t *w, const struct question *q, size_t number, const struct image_function *f,
			   const struct image_of *of)
{
	enum taken taken = references__taken(of->references, f);
	size_t count;
	struct possible *list = question__possible(q, number, &count);

	jsonw_name(w, "address_taken");
	if (taken == TAKEN_UNKNOWN)
		jsonw_null(w);
	else
		jsonw_bool(w, taken == TAKEN_YES);
	json__lines(w, "possible");
	for (size_t i = 0; i < count; i++) {
		const struct call *call = list[i].call;
		const struct image_of *from_of;

		jsonw_start_object(w);
		json__string_or_null(w, "name", images__function(q->edges->images, list[i].from, &from_of)->name);
		json__string_or_null(w, "module", list[i].of->module);
		jsonw_string_field(w, "kind", call->jump ? "jump" : "call");
		write_call(w, q, list[i].of, call);
		json__string_or_null(w, "in", call->in->name);
		jsonw_lluint_field(w, "symbol_offset", call->site - call->in->addr);
		json__bits(w, "ran", list[i].ran, q->edges->document_count);
		jsonw_end_object(w);
	}
	jsonw_end_array(w);
	free(list);
}

static void write_function(json_writer_t *w, const struct question *q, size_t number)
{
	const struct node *node = &q->edges->nodes[number];
	const struct image_of *of;
	const struct image_function *f = images__function(q->edges->images, number, &of);
	const struct call *jump;
	size_t count;
	struct callers_answer *answers = question__answers(q, number, &count);

	jsonw_start_object(w);
	json__string_or_null(w, "name", f->name);
	json__string_or_null(w, "module", of->module);
	write_place(w, of, f->addr, source_lines__get(&q->heads, of, f->addr));
	json__string_or_null(w, "untraced", untraced__word(f->untraced));
	json__bits(w, "seen", node->seen, q->edges->document_count);
	json__bits(w, "proved", (node->inside | node->called) & ~node->seen, q->edges->document_count);
	if (q->calls) {
		jsonw_lluint_field(w, "traceable_calls", question__traceable_calls(q, number));
	} else {
		jsonw_string_field(w, "origin", origin__word(origins__of(q->edges, number, &jump)));
		json__string_or_null(w, "jump_from", jump ? jump->in->name : NULL);
		write_possible(w, q, number, f, of);
	}
	json__lines(w, q->calls ? "calls" : "callers");
	for (size_t i = 0; i < count; i++)
		write_answer(w, q, &answers[i]);
	jsonw_end_array(w);
	jsonw_end_object(w);
	free(answers);
}

void callers__json(const struct question *q, FILE *out)
{
	json_writer_t *w = json__begin(out, q->calls ? "calls" : "callers", CALLS_SCHEMA);

	json__string_or_null(w, "build_id", image__build_id(q->edges->images->list[0].image));
	json__strings(w, "documents", q->labels, q->edges->document_count);
	jsonw_lluint_field(w, "missing", q->edges->missing);
	jsonw_lluint_field(w, "unplaced", q->edges->unplaced);
	json__array(w, "functions");
	for (size_t i = 0; i < q->count; i++)
		write_function(w, q, q->functions[i]);
	jsonw_end_array(w);
	json__end(&w);
}
