// SPDX-License-Identifier: GPL-2.0-only
/*
 * Writes initcalls, modules and early calls as folded stacks; see boot.h.
 *
 *   process 1;acpi_init;acpi_bus_init 1234
 *
 * Bars without a known end are left out, so the numbers of a task add up to the time of its outermost bars. Early
 * calls are written if their returns were recorded. There are some hundred thousand, most shorter than a microsecond,
 * so all calls with the same stack are one line.
 */
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "boot/boot.h"

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
	const struct span *last = &t->spans[open[depth]];

	put_name(out, t->lanes[last->lane].name);
	for (size_t i = 0; i <= depth; i++) {
		fputc(';', out);
		put_name(out, t->spans[open[i]].name);
	}
	fprintf(out, " %" PRId64 "\n", last->self / 1000);
}

/* Other bars of a task, such as probes outside initcalls, would change its sum. */
static bool is_stack(const struct span *outermost)
{
	return outermost->class == SPAN_INITCALL || outermost->class == SPAN_MODULE;
}

static void put_layer(const struct timeline *t, const struct lane *lane, size_t layer, FILE *out)
{
	size_t *open = xcalloc(lane->layer_depth[layer], sizeof(*open));

	for (size_t i = lane->first; i < lane->first + lane->count; i++) {
		const struct span *b = &t->spans[i];

		if (b->layer != layer)
			continue;
		open[b->depth] = i;
		if (!b->endless && is_stack(&t->spans[open[0]]))
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

static void put_names(const struct boot_early *e, int64_t stack, FILE *out)
{
	if (stack < 0)
		return;
	put_names(e, e->stacks[stack].outer, out);
	fputc(';', out);
	put_name(out, e->stacks[stack].name);
}

/* The rest below a microsecond is carried over to the next line, so that the sum is exact. */
static void put_early(const struct boot_early *e, FILE *out)
{
	int64_t rest = 0;

	for (size_t i = 0; i < e->stack_count; i++) {
		rest += e->stacks[i].self;
		fputs("early boot", out);
		put_names(e, i, out);
		fprintf(out, " %" PRId64 "\n", rest / 1000);
		rest %= 1000;
	}
}

/* ---- all */

int boot__folded(const struct boot *b, FILE *out)
{
	bool timed = b->early.stacks;
	struct timeline t;
	size_t endless = 0;

	if (!b->has_start && !timed)
		return error__return(-EOPNOTSUPP,
			"-f folded: there are no initcalls, and when early calls returned is not known; boot "
			"with what `hytrace boot next` prints");
	if (!b->has_start && b->early.counts)
		return error__return(-EOPNOTSUPP,
			"-f folded: the frequency of the early calls' clock is not known; boot with tsc_early_khz=");
	if (timed && b->early.counts)
		error__warn("-f folded: the early calls are left out, as the frequency of their clock is not "
			    "known; tsc_early_khz= tells it");
	else
		put_early(&b->early, out);
	if (!b->has_start)
		return 0;
	timeline__collect(&t, b);
	for (size_t i = 0; i < t.lane_count; i++) {
		for (size_t layer = 0; has_stacks(&t.lanes[i]) && layer < t.lanes[i].layers; layer++)
			put_layer(&t, &t.lanes[i], layer, out);
	}
	for (size_t i = 0; i < t.span_count; i++)
		endless += has_stacks(&t.lanes[t.spans[i].lane]) && is_stack(&t.spans[i]) && t.spans[i].endless;
	if (endless)
		error__warn("-f folded: %zu %s left out, as %s not known", endless, endless == 1 ? "bar is" : "bars are",
			    endless == 1 ? "its end is" : "their ends are");
	timeline__free(&t);
	return 0;
}
