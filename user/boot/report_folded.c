// SPDX-License-Identifier: GPL-2.0-only
/*
 * Writes initcalls, modules and early calls as folded stacks; see report.h.
 *
 *   process 1;acpi_init;acpi_bus_init 1234
 *
 * Bars without a known end are left out, so the numbers of a task add up to the time of its
 * outermost bars. Early calls are written if their returns were recorded. There are some hundred
 * thousand, most shorter than a microsecond, so all calls with the same stack are one line.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "boot/report.h"
#include "boot/spans.h"
#include "boot/timeline.h"

/* Writes a name. Replaces newlines, which would end the stack, and semicolons, which end names. */
static void put_name(FILE *out, const char *name)
{
	size_t length = strlen(name);

	while (length) {
		uint32_t code = 0;
		size_t bytes = utf8__character(name, length, &code);

		if (!bytes || code < 0x20 || code == 0x7f)
			fputs(UTF8_REPLACEMENT, out);
		else if (code == ';')
			fputc(':', out);
		else
			fwrite(name, 1, bytes, out);
		name += bytes ? bytes : 1;
		length -= bytes ? bytes : 1;
	}
}

/* @open: the stack, outermost bar first. Its last bar is the bar whose own time is written. */
static void put_stack(const struct timeline *t, const size_t *open, size_t depth, FILE *out)
{
	const struct bar *last = &t->bars[open[depth]];

	put_name(out, t->lanes[last->lane].name);
	for (size_t i = 0; i <= depth; i++) {
		fputc(';', out);
		put_name(out, t->bars[open[i]].name);
	}
	fprintf(out, " %" PRId64 "\n", last->self / 1000);
}

/* Other bars of a task, such as probes outside initcalls, would change its sum. */
static bool is_stack(const struct bar *outermost)
{
	return outermost->class == BAR_INITCALL || outermost->class == BAR_MODULE;
}

static void put_layer(const struct timeline *t, const struct lane *lane, size_t layer, FILE *out)
{
	size_t *open = xcalloc(lane->layer_depth[layer], sizeof(*open));

	for (size_t i = lane->first; i < lane->first + lane->count; i++) {
		const struct bar *b = &t->bars[i];

		if (b->layer != layer)
			continue;
		open[b->depth] = i;
		if (!b->endless && is_stack(&t->bars[open[0]]))
			put_stack(t, open, b->depth, out);
	}
	free(open);
}

/* Only lanes of tasks: their inner bars are a part of the outer bar. */
static bool has_stacks(const struct lane *lane)
{
	return lane->part == TIMELINE_BOOT && lane->kind == LANE_NESTS && lane->pid >= 0;
}

/* ---- early calls */

/* All calls with one stack. Node 0 is the root. */
struct stack_node {
	uint32_t function, parent, inner, next;	/* inner, next: nodes; 0: none */
	uint64_t self;
};

struct stack_tree {
	struct stack_node *nodes;
	size_t count;
};

static uint32_t find_inner(struct stack_tree *t, uint32_t parent, uint32_t function)
{
	uint32_t last = 0, new = t->count;

	for (uint32_t i = t->nodes[parent].inner; i; i = t->nodes[i].next) {
		last = i;
		if (t->nodes[i].function == function)
			return i;
	}
	*LIST_ADD(t->nodes, t->count) = (struct stack_node){ .function = function, .parent = parent };
	*(last ? &t->nodes[last].next : &t->nodes[parent].inner) = new;
	return new;
}

/* @node_of: gets the node of each call */
static void fill_tree(struct stack_tree *t, const struct early_calls *c, const struct early_nesting *n,
		      uint32_t *node_of)
{
	for (size_t i = 0; i < c->count; i++) {
		uint64_t took = n->times[i] - c->list[i].time;
		uint32_t outer = n->outer[i] == NO_CALL ? 0 : node_of[n->outer[i]];

		node_of[i] = find_inner(t, outer, c->list[i].function);
		t->nodes[node_of[i]].self += took;
		if (outer)
			t->nodes[outer].self -= took;
	}
}

static void put_names(const struct stack_tree *t, const struct early_calls *c, uint32_t node, FILE *out)
{
	if (!node)
		return;
	put_names(t, c, t->nodes[node].parent, out);
	fputc(';', out);
	put_name(out, c->names[t->nodes[node].function]);
}

/* The rest below a microsecond is carried over to the next line, so that the sum is exact. */
static void put_tree(const struct stack_tree *t, const struct early_calls *c, FILE *out)
{
	uint64_t rest = 0;

	for (size_t i = 1; i < t->count; i++) {
		rest += t->nodes[i].self;
		fputs("early boot", out);
		put_names(t, c, i, out);
		fprintf(out, " %" PRIu64 "\n", rest / 1000);
		rest %= 1000;
	}
}

static void put_early(const struct early_calls *c, FILE *out)
{
	struct stack_tree t = {};
	uint32_t *node_of = xcalloc(c->count, sizeof(*node_of));
	struct early_nesting n;

	(void)LIST_ADD(t.nodes, t.count);
	early_calls__nest(c, &n);
	fill_tree(&t, c, &n, node_of);
	put_tree(&t, c, out);
	early_nesting__free(&n);
	free(t.nodes);
	free(node_of);
}

/* ---- all */

int boot_report__folded(const struct boot_report *r, FILE *out)
{
	struct timeline t;
	size_t endless = 0;
	bool timed = r->early && r->calls.timed, early = timed && early_stats__in_ns(&r->stats);

	if (!r->start && !timed)
		return error__return(-EOPNOTSUPP,
			"-f folded: there are no initcalls, and when early calls returned is not known; boot "
			"with what `hytrace boot next` prints");
	if (!r->start && !early)
		return error__return(-EOPNOTSUPP,
			"-f folded: the frequency of the early calls' clock is not known; boot with tsc_early_khz=");
	if (timed && !early)
		error__warn("-f folded: the early calls are left out, as the frequency of their clock is not "
			    "known; tsc_early_khz= tells it");
	if (early)
		put_early(&r->calls, out);
	if (!r->start)
		return 0;
	timeline__collect(&t, r);
	for (size_t i = 0; i < t.lane_count; i++) {
		for (size_t layer = 0; has_stacks(&t.lanes[i]) && layer < t.lanes[i].layers; layer++)
			put_layer(&t, &t.lanes[i], layer, out);
	}
	for (size_t i = 0; i < t.bar_count; i++)
		endless += has_stacks(&t.lanes[t.bars[i].lane]) && is_stack(&t.bars[i]) && t.bars[i].endless;
	if (endless)
		error__warn("-f folded: %zu %s left out, as %s not known", endless,
			    endless == 1 ? "bar is" : "bars are",
			    endless == 1 ? "its end is" : "their ends are");
	timeline__free(&t);
	return 0;
}
