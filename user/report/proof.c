// SPDX-License-Identifier: GPL-2.0-only
/* Finds which functions of the source ran; see proof.h. */
#include "base/memory.h"
#include "base/sorted.h"
#include "base/text.h"
#include "report/proof.h"

static uint64_t *marks_of(const struct sources *s, size_t source, enum source_mark mark)
{
	return sets__at(&s->marks, source * SOURCE_MARKS + mark);
}

/*
 * Adds the recordings in which the function may have run without a record. Freed init text cannot run; but a module's
 * can, if the module came during the recording.
 */
static void add_blind(uint64_t *set, const struct edges *e, const struct image_of *of,
		      const struct image_function *f, size_t number)
{
	const struct node *node = &e->nodes[number];
	size_t judged = e->document_count;
	bool could_see = false;

	for (size_t d = 0; d < e->document_count; d++) {
		const struct coverage *c = e->documents[d];

		if (node__ran(node, d))
			continue;
		if (e->alike[d] != judged)
			could_see = verdict__could_see(edges__verdict(e, number, d));
		judged = e->alike[d];
		if (!could_see && !(f->init && c->scope.kind != SCOPE_BOOT &&
				    covered_modules__stayed(&c->modules, of->module)))
			set__add(set, d);
	}
}

/* Adds the recordings that prove that a function ran: by a call in it, or a call of it. */
static void add_proof(uint64_t *set, const struct node *node, size_t words)
{
	set__unite(set, node->inside, words);
	set__unite(set, node->called, words);
}

/* Marks functions by their own code: recorded, proved to have run, or without a record. */
static void mark_own(struct sources *s, const struct edges *e, const struct image_of *of)
{
	size_t count;
	const struct image_function *list = image__functions(of->image, &count);

	for (size_t i = 0; i < count; i++) {
		size_t number = images__number(of, &list[i]);
		const struct node *node = &e->nodes[number];
		uint32_t source = inlines__source_of(s->inlines, &list[i]);

		if (source == INLINES_NONE)
			continue;
		s->counted[source] |= !list[i].untraced && !list[i].init;
		set__unite(marks_of(s, source, MARK_OF_RECORD), node->seen, e->words);
		add_proof(marks_of(s, source, MARK_OF_PROOF), node, e->words);
		add_blind(marks_of(s, source, MARK_OF_SILENCE), e, of, &list[i], number);
	}
}

/* ---- ways to a call */

/* Limits for damaged files: no real function comes near. Steps are instructions times bodies. */
#define MOST_INSTRUCTIONS 65536
#define MOST_STEPS (1ull << 28)

/*
 * A recorded call in an inlined body proves that the body's function ran if each way from the entry
 * of the code to the call leads through the beginning of the body. Otherwise it is no proof: if two
 * bodies end alike, GCC leaves one copy of the end, in one of the bodies, and the other body jumps
 * there. If several ways lead to the beginning, the beginning may be such a copy as well, and
 * proves nothing. Nor is anything proved in a function with a jump whose target is unknown.
 *
 * A call after the body is no proof, even if each way to it leads through the body's beginning: GCC
 * executes harmless instructions of a body before it is known that the body runs. It does not do so
 * with calls.
 *
 * If a body and the code before it are equal to other code, the two cannot be told apart.
 */
struct code {
	const struct image_of *of;
	size_t documents;	/* the number of recordings */
	struct part {
		const struct image_function *whole, *part;
	} *parts;		/* the rarely run code of all functions (.cold) */
	size_t part_count;
	const struct image_function *whole;
	struct flow *list;	/* of @whole and its parts, sorted by address */
	size_t count;
	struct inlined *pieces;	/* of inlined bodies in @list, sorted by source function */
	size_t piece_count;
	bool unknown;		/* the flow is not understood, so nothing is proved */
	/* Arrays like @list. The first flow of an instruction has the value of the instruction. */
	struct sets seen;	/* the recordings that have a call there; behind @list: of no instruction */
	bool *reachable;	/* reached from the entry */
	bool *reached;		/* reached without passing the beginning of the body in question */
	size_t *next;		/* indices of @list whose flow is still to be followed */
	size_t next_count;
};

static void add_flow(const struct flow *flow, void *data)
{
	struct code *code = data;

	code->unknown |= code->count == MOST_INSTRUCTIONS;
	if (!code->unknown)
		*LIST_ADD(code->list, code->count) = *flow;
}

static int by_address(const void *a, const void *b)
{
	const struct flow *x = a, *y = b;

	return ORDER(x->at, y->at);
}

static int by_source(const void *a, const void *b)
{
	const struct inlined *x = a, *y = b;

	return ORDER(x->source, y->source);
}

static void free_code(struct code *code)
{
	free(code->list);
	free(code->pieces);
	free(code->seen.words);
	free(code->reachable);
	free(code->reached);
	free(code->next);
	*code = (struct code){
		.of = code->of, .parts = code->parts, .part_count = code->part_count, .documents = code->documents,
	};
}

static void read_parts(struct code *code)
{
	size_t count;
	const struct image_function *list = image__functions(code->of->image, &count);

	for (size_t i = 0; i < count; i++) {
		if (list[i].untraced == UNTRACED_FRAGMENT)
			*LIST_ADD(code->parts, code->part_count) =
				(struct part){ edges__whole(code->of, &list[i]), &list[i] };
	}
}

/* The index of the first flow at an address; code->count: no instruction begins there. */
static size_t find(const struct code *code, uint64_t at)
{
	size_t i = SORTED_FROM(code->list, code->count, at, at);

	return i < code->count && code->list[i].at == at ? i : code->count;
}

static void reach_flow(struct code *code, bool *reached, size_t i)
{
	if (i == code->count || reached[i])
		return;
	reached[i] = true;
	code->next[code->next_count++] = i;
}

static void reach(struct code *code, bool *reached, uint64_t at)
{
	size_t i = find(code, at);

	/* Other targets must be entries of functions (tail calls), or the flow is unknown. */
	if (i == code->count && at != FLOW_NO_TARGET) {
		const struct image_function *to = image__function_at(code->of->image, at);

		code->unknown |= !to || to->addr != at || to->untraced == UNTRACED_FRAGMENT;
	}
	reach_flow(code, reached, i);
}

/* The index of the first flow of the next instruction; code->count: there is none. */
static size_t behind(const struct code *code, const struct flow *flow)
{
	size_t i = flow - code->list + 1;

	while (i < code->count && code->list[i].at == flow->at)
		i++;
	return i;
}

/* Follows all ways from the entry, but not from instructions that are in @reached already. */
static void follow(struct code *code, bool *reached)
{
	reach(code, reached, code->whole->addr);
	while (code->next_count) {
		const struct flow *flow = &code->list[code->next[--code->next_count]];

		for (uint64_t at = flow->at; flow < code->list + code->count && flow->at == at; flow++) {
			code->unknown |= flow->anywhere;
			reach(code, reached, flow->to);
			if (!flow->ends)
				reach_flow(code, reached, behind(code, flow));
		}
	}
}

static void read_part(struct code *code, const struct image_function *part)
{
	size_t count;
	const struct inlined *inside = inlines__inside(code->of->inlines, part, &count);

	for (size_t i = 0; i < count; i++)
		*LIST_ADD(code->pieces, code->piece_count) = inside[i];
	calls__flow(code->of->calls, part, add_flow, code);
}

static void read_code(struct code *code, const struct image_function *whole)
{
	free_code(code);
	code->whole = whole;
	read_part(code, whole);
	for (size_t i = 0; i < code->part_count; i++) {
		if (code->parts[i].whole == whole && code->parts[i].part != whole)
			read_part(code, code->parts[i].part);
	}
	sets__make(&code->seen, code->count + 1, code->documents);
	code->reachable = xcalloc(code->count + 1, sizeof(*code->reachable));
	code->reached = xcalloc(code->count + 1, sizeof(*code->reached));
	code->next = xcalloc(code->count + 1, sizeof(*code->next));
	code->unknown |= whole->untraced == UNTRACED_FRAGMENT || code->piece_count > MOST_INSTRUCTIONS ||
			 (uint64_t)code->count * code->piece_count > MOST_STEPS;
	if (code->unknown)
		return;
	if (code->count)
		qsort(code->list, code->count, sizeof(*code->list), by_address);
	if (code->piece_count)
		qsort(code->pieces, code->piece_count, sizeof(*code->pieces), by_source);
	follow(code, code->reachable);
}

static bool is_inside(uint64_t at, const struct inlined *pieces, size_t count)
{
	for (size_t k = 0; k < count; k++) {
		if (at >= pieces[k].start && at < pieces[k].end)
			return true;
	}
	return false;
}

/* How many instructions outside of the pieces lead to @entry? */
static size_t ways_to(const struct code *code, uint64_t entry, const struct inlined *pieces, size_t count)
{
	size_t ways = 0, first = find(code, entry);

	for (size_t i = 0; i < code->count; i++) {
		const struct flow *flow = &code->list[i];

		if ((flow->to == entry || (!flow->ends && behind(code, flow) == first)) &&
		    code->reachable[find(code, flow->at)] && !is_inside(flow->at, pieces, count))
			ways++;
	}
	return ways;
}

/* Adds the recordings with a call that is reached only through entries of @pieces, pieces of one body. */
static void add_proving(uint64_t *set, struct code *code, const struct inlined *pieces, size_t count)
{
	autofree uint64_t *first_calls = xcalloc(code->seen.each, sizeof(*first_calls));

	memset(code->reached, 0, code->count * sizeof(*code->reached));
	code->next_count = 0;
	for (size_t k = 0; k < count; k++) {
		size_t first = find(code, pieces[k].entry);

		if (first == code->count || code->reached[first])
			continue;
		if (ways_to(code, pieces[k].entry, pieces, count) > 1)
			return;
		reach(code, code->reached, pieces[k].entry);
		/* A body may begin with a call. The loop below skips it, because it is marked as reached. */
		if (is_inside(pieces[k].entry, pieces, count))
			set__unite(first_calls, sets__at(&code->seen, first), code->seen.each);
	}
	code->next_count = 0;
	follow(code, code->reached);
	for (size_t i = 0; i < code->count; i++) {
		const uint64_t *seen = sets__at(&code->seen, i);

		if (code->reachable[i] && !code->reached[i] && set__any(seen, code->seen.each) &&
		    is_inside(code->list[i].at, pieces, count))
			set__unite(set, seen, code->seen.each);
	}
	set__unite(set, first_calls, code->seen.each);
}

/* ---- marks */

static const struct image_function *whole_of(const struct edge *edge)
{
	return edges__whole(edge->of, edge->call.in);
}

static int by_whole(const void *a, const void *b)
{
	const struct image_function *x = whole_of(*(const struct edge **)a), *y = whole_of(*(const struct edge **)b);

	return ORDER(x, y);
}

/* Marks all bodies that the recorded calls of one function prove. */
static void mark_bodies_of(struct sources *s, struct code *code, const struct edge **edges, size_t count)
{
	for (size_t i = 0; i < count; i++)
		set__unite(sets__at(&code->seen, find(code, edges[i]->call.site)), edges[i]->seen, code->seen.each);
	/* The last set has the call sites at which no instruction begins, and proves nothing. */
	for (size_t k = 0, end; k < code->piece_count; k = end) {
		for (end = k; end < code->piece_count && code->pieces[end].source == code->pieces[k].source; end++)
			;
		add_proving(marks_of(s, code->pieces[k].source, MARK_OF_PROOF), code, &code->pieces[k], end - k);
	}
}

static int mark_bodies(struct sources *s, const struct edges *e, const struct image_of *of)
{
	const struct edge **list;
	struct code code = { .of = of, .documents = e->document_count };
	size_t count = 0;
	int err = calls__read_ways(of->calls);

	if (err)
		return err;
	list = xcalloc(e->count, sizeof(*list));
	read_parts(&code);
	for (size_t i = 0; i < e->count; i++) {
		if (e->list[i].of == of && e->list[i].call.in)
			list[count++] = &e->list[i];
	}
	if (count)
		qsort(list, count, sizeof(*list), by_whole);
	for (size_t i = 0, end; i < count; i = end) {
		for (end = i; end < count && whole_of(list[end]) == whole_of(list[i]); end++)
			;
		read_code(&code, whole_of(list[i]));
		if (!code.unknown)
			mark_bodies_of(s, &code, &list[i], end - i);
	}
	free_code(&code);
	free(code.parts);
	free(list);
	return 0;
}

static void mark_possible(struct sources *s, const struct edges *e, const struct image_of *of)
{
	size_t count;
	const struct image_function *list = image__functions(of->image, &count);

	for (size_t i = 0; i < count; i++) {
		size_t pieces, number = images__number(of, edges__whole(of, &list[i]));
		const struct inlined *inside = inlines__inside(s->inlines, &list[i], &pieces);
		const struct node *node = &e->nodes[number];
		struct sets own;

		if (!pieces)
			continue;
		sets__make(&own, 2, e->document_count);
		add_blind(sets__at(&own, 1), e, of, &list[i], number);
		add_proof(own.words, node, e->words);
		set__unite(own.words, node->seen, e->words);
		for (size_t k = 0; k < pieces; k++) {
			set__unite(marks_of(s, inside[k].source, MARK_OF_COPY), own.words, e->words);
			set__unite(marks_of(s, inside[k].source, MARK_OF_SILENCE), sets__at(&own, 1), e->words);
		}
		free(own.words);
	}
}

static void sources__free(struct sources *s)
{
	free(s->marks.words);
	free(s->counted);
	memset(s, 0, sizeof(*s));
}

/* Returns -ENODATA without a message: no debug information; -EINVAL after a message: it is damaged. */
static int sources__make(struct sources *ret, const struct edges *e, const struct image_of *of)
{
	const struct source_function *list;
	int err;

	memset(ret, 0, sizeof(*ret));
	if (!of->inlines)
		return -ENODATA;
	ret->inlines = of->inlines;
	list = inlines__sources(of->inlines, &ret->count);
	sets__make(&ret->marks, ret->count * SOURCE_MARKS, e->document_count);
	ret->counted = xcalloc(ret->count, sizeof(*ret->counted));
	for (size_t i = 0; i < ret->count; i++)
		ret->counted[i] = list[i].inlined;
	mark_own(ret, e, of);
	err = mark_bodies(ret, e, of);
	if (err)
		sources__free(ret);
	else
		mark_possible(ret, e, of);
	return err;
}

/* Adds the counts of a recording to @t. */
static void sources__count(const struct sources *s, size_t document, struct source_totals *t)
{
	size_t *const counts[SOURCE_MARKS] = {
		[MARK_OF_RECORD] = &t->recorded, [MARK_OF_PROOF] = &t->proved, [MARK_OF_COPY] = &t->possible,
		[MARK_OF_SILENCE] = &t->unknown,
	};

	for (size_t i = 0; i < s->count; i++) {
		enum source_mark mark = 0;

		if (!s->counted[i])
			continue;
		t->all++;
		while (mark < SOURCE_MARKS && !set__has(marks_of(s, i, mark), document))
			mark++;
		if (mark < SOURCE_MARKS)
			++*counts[mark];
	}
}

/* ---- proof */

static int make_sources(struct proof *p)
{
	int err = images__inlines(&p->images);

	p->sources = xcalloc(p->images.count, sizeof(*p->sources));
	for (size_t i = 0; !err && i < p->images.count; i++) {
		if (!p->images.list[i].image)
			continue;
		err = sources__make(&p->sources[i], &p->edges, &p->images.list[i]);
		if (err == -ENODATA)
			err = 0;
	}
	return err;
}

int proof__make(struct proof *ret, const struct coverage *const *documents, size_t count, const char *vmlinux)
{
	int err;

	memset(ret, 0, sizeof(*ret));
	err = edges__open(&ret->edges, &ret->images, documents, count, vmlinux) ?: make_sources(ret);
	if (!err)
		edges__check(&ret->edges);
	return err;
}

void proof__free(struct proof *p)
{
	for (size_t i = 0; p->sources && i < p->images.count; i++)
		sources__free(&p->sources[i]);
	free(p->sources);
	edges__free(&p->edges);
	images__free(&p->images);
}

static bool is_marked(const struct sources *s, uint32_t source, enum source_mark mark, size_t document)
{
	return source != INLINES_NONE && set__has(marks_of(s, source, mark), document);
}

static void mark(const struct proof *p, struct row *row)
{
	const struct image_of *of = images__get(&p->images, row->f->module);
	const struct image_function *f = of && of->image ? image__function_at(of->image, row->f->addr) : NULL;
	const struct sources *s = of ? &p->sources[of - p->images.list] : NULL;
	uint32_t source = f && s->inlines ? inlines__source_of(s->inlines, f) : INLINES_NONE;
	const struct node *node;

	if (!f || f->addr != row->f->addr)
		return;
	node = &p->edges.nodes[images__number(of, f)];
	for (size_t d = 0; d < p->edges.document_count; d++) {
		bool asked = row__is_asked_for(row, d);

		if (row__is_seen(row, d))
			continue;
		if (set__has(node->inside, d) || set__has(node->called, d) || is_marked(s, source, MARK_OF_PROOF, d)) {
			row->marks[d] |= MARK_PROVED;
			row->proved++;
		} else if (is_marked(s, source, MARK_OF_COPY, d) ||
			   (asked && is_marked(s, source, MARK_OF_SILENCE, d))) {
			row->marks[d] |= MARK_POSSIBLE;
			row->possible++;
		}
	}
}

void proof__mark(const struct proof *p, struct rows *rows)
{
	for (size_t i = 0; i < rows->count; i++)
		mark(p, &rows->list[i]);
}

static int by_definition(const void *a, const void *b)
{
	const struct proved_source *x = a, *y = b;

	return text__compare(x->module, y->module) ?: text__compare(x->f->file, y->f->file) ?:
	       ORDER(x->f->line, y->f->line) ?: strcmp(x->f->name, y->f->name);
}

/* Marks the source functions that rows stand for, also the rows that rows__restrict() left out. */
static void mark_rows(const struct proof *p, const struct image_of *of, const struct rows *rows, bool *has_row)
{
	const struct sources *s = &p->sources[of - p->images.list];

	for (size_t i = 0; i < rows->all; i++) {
		const struct function *f = rows->list[i].f;
		const struct image_function *its = text__equals(f->module, of->module) ?
						   image__function_at(of->image, f->addr) : NULL;
		uint32_t source = its ? inlines__source_of(s->inlines, its) : INLINES_NONE;

		if (source != INLINES_NONE)
			has_row[source] = true;
	}
}

struct proved_source *proof__sources(const struct proof *p, const struct rows *rows, size_t *ret_count)
{
	struct proved_source *ret = NULL;

	*ret_count = 0;
	for (size_t i = 0; i < p->images.count; i++) {
		const struct sources *s = &p->sources[i];
		const char *module = p->images.list[i].module;
		size_t count = 0;
		const struct source_function *list = s->inlines ? inlines__sources(s->inlines, &count) : NULL;
		autofree bool *has_row = xcalloc(count, sizeof(*has_row));

		if (list)
			mark_rows(p, &p->images.list[i], rows, has_row);
		for (size_t k = 0; k < count; k++) {
			const struct proved_source source = {
				&list[k], module, marks_of(s, k, MARK_OF_PROOF), marks_of(s, k, MARK_OF_RECORD),
			};
			size_t d = 0;

			if (has_row[k] || (rows->where && !where__has(rows->where, module, list[k].file)))
				continue;
			while (d < rows->columns && !proved_source__has(&source, d))
				d++;
			if (d < rows->columns)
				*LIST_ADD(ret, *ret_count) = source;
		}
	}
	if (ret)
		qsort(ret, *ret_count, sizeof(*ret), by_definition);
	return ret;
}

struct proof_totals proof__totals(const struct proof *p, size_t document)
{
	struct proof_totals totals = { .functions = edges__proved(&p->edges, document) };

	for (size_t i = 0; i < p->images.count; i++)
		sources__count(&p->sources[i], document, &totals.sources);
	return totals;
}
