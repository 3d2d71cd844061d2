// SPDX-License-Identifier: GPL-2.0-only
/* The graph of all edges; see edges.h. */
#include "base/memory.h"
#include "base/sorted.h"
#include "report/edges.h"

/* The longest chain of first callers that is followed. Most have about forty. */
#define DEEPEST 1000

static void print_name(const struct edges *e, size_t number, FILE *out)
{
	const struct image_of *of;
	const struct image_function *f = images__function(e->images, number, &of);

	fprintf(out, of->module ? "%s [%s]" : "%s", f->name, of->module);
}

/* ---- dot */

static bool is_edge(const struct edge *edge)
{
	return edge->from != EDGES_NONE && edge->to != EDGES_NONE;
}

static void print_nodes(const struct edges *e, bool *has_edge, FILE *out)
{
	for (size_t i = 0; i < e->count; i++) {
		if (is_edge(&e->list[i]))
			has_edge[e->list[i].from] = has_edge[e->list[i].to] = true;
	}
	for (size_t i = 0; i < e->images->functions; i++) {
		if (!has_edge[i])
			continue;
		fprintf(out, "\tn%zu [label=\"", i);
		print_name(e, i, out);
		fputs(e->nodes[i].is_seen ? "\"]\n" : "\", style=dashed]\n", out);
	}
}

static int by_ends(const void *a, const void *b)
{
	const struct edge *x = *(const struct edge *const *)a, *y = *(const struct edge *const *)b;

	return ORDER(x->from, y->from) ?: ORDER(x->to, y->to);
}

static void print_edges(const struct edge **list, size_t count, FILE *out)
{
	for (size_t first = 0, end; first < count; first = end) {
		for (end = first + 1; end < count && !by_ends(&list[first], &list[end]); end++)
			;
		fprintf(out, "\tn%zu -> n%zu", list[first]->from, list[first]->to);
		if (end - first > 1)
			fprintf(out, " [label=%zu]", end - first);
		fputc('\n', out);
	}
}

void graph__dot(const struct edges *e, FILE *out)
{
	autofree bool *has_edge = xcalloc(e->images->functions, sizeof(*has_edge));
	autofree const struct edge **list = xcalloc(e->count, sizeof(*list));
	size_t count = 0;

	for (size_t i = 0; i < e->count; i++) {
		if (is_edge(&e->list[i]))
			list[count++] = &e->list[i];
	}
	qsort(list, count, sizeof(*list), by_ends);
	fputs("digraph hytrace {\n\tnode [shape=box]\n", out);
	print_nodes(e, has_edge, out);
	print_edges(list, count, out);
	fputs("}\n", out);
}

/* ---- folded */

/* The first recorded call of a function by another function; NULL: there is none. */
static const struct edge *first_call(const struct edges *e, size_t number)
{
	const struct edge *first = NULL;
	size_t count;
	const size_t *list = edges__to(e, number, &count);

	for (size_t i = 0; i < count; i++) {
		const struct edge *edge = &e->list[list[i]];

		if (edge->from == EDGES_NONE || edge->from == number)
			continue;
		/* Times of two recordings cannot be compared, so the first recording decides. */
		if (!first || edge->document < first->document ||
		    (edge->document == first->document && edge->first_ns < first->first_ns))
			first = edge;
	}
	return first;
}

/* Fills @chain with @number, its first caller, that function's first caller, and so on. */
static size_t follow(const struct edges *e, size_t number, size_t *chain, size_t *stamps)
{
	size_t length = 0, stamp = number + 1;

	while (length < DEEPEST && stamps[number] != stamp) {
		const struct edge *edge = first_call(e, number);

		stamps[number] = stamp;
		chain[length++] = number;
		if (!edge)
			break;
		number = edge->from;
	}
	return length;
}

static void print_chain(const struct edges *e, const size_t *chain, size_t length, FILE *out)
{
	const struct call *jump;
	size_t first = chain[length - 1];

	/*
	 * The chain may end in a cycle. Otherwise, say how the chain's last function was entered.
	 */
	if (!first_call(e, first))
		fprintf(out, "[%s];", e->nodes[first].is_seen ? origin__word(origins__of(e, first, &jump)) : "proved");
	for (size_t i = length; i--;) {
		print_name(e, chain[i], out);
		fputs(i ? ";" : " 1\n", out);
	}
}

void graph__folded(const struct edges *e, FILE *out)
{
	autofree size_t *stamps = xcalloc(e->images->functions, sizeof(*stamps));
	autofree size_t *chain = xcalloc(DEEPEST, sizeof(*chain));

	for (size_t i = 0; i < e->images->functions; i++) {
		if (e->nodes[i].is_seen)
			print_chain(e, chain, follow(e, i, chain, stamps), out);
	}
}
