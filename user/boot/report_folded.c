// SPDX-License-Identifier: GPL-2.0-only
/*
 * What tasks did as folded stacks; see report.h.
 *
 *   process 1;acpi_init;acpi_bus_init 1234
 *
 * A bar is in here only if both of its ends are known. So the numbers of a task have the sum of its
 * outermost bars' times. Early calls are not here: nobody knows when they returned.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/utf8.h"
#include "boot/report.h"
#include "boot/timeline.h"

/* A line ends a stack, and a semicolon a name. */
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

/* @open: the bars around the last one, outermost first, and itself */
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

/* What a task did besides initcalls would change its sum. */
static bool is_stack(const struct bar *outermost)
{
	return outermost->class == BAR_INITCALL || outermost->class == BAR_MODULE;
}

static int put_layer(const struct timeline *t, const struct lane *lane, size_t layer, FILE *out)
{
	size_t *open = calloc(lane->layer_depth[layer] + 1, sizeof(*open));

	if (!open)
		return error__no_memory();
	for (size_t i = lane->first; i < lane->first + lane->count; i++) {
		const struct bar *b = &t->bars[i];

		if (b->layer != layer)
			continue;
		open[b->depth] = i;
		if (!b->endless && is_stack(&t->bars[open[0]]))
			put_stack(t, open, b->depth, out);
	}
	free(open);
	return 0;
}

/* Lanes of tasks: of these, what is inside another bar is a part of it. */
static bool has_stacks(const struct lane *lane)
{
	return lane->part == TIMELINE_BOOT && lane->kind == LANE_NESTS && lane->pid >= 0;
}

int boot_report__folded(const struct boot_report *r, FILE *out)
{
	struct timeline t;
	size_t endless = 0;
	int err;

	if (!r->start)
		return error__return(-EOPNOTSUPP,
			"-f folded: this boot was not asked for its initcalls, and when early calls "
			"returned is not known; boot with what `hytrace boot --next` prints");
	err = timeline__collect(&t, r);
	for (size_t i = 0; !err && i < t.lane_count; i++) {
		for (size_t layer = 0; !err && has_stacks(&t.lanes[i]) && layer < t.lanes[i].layers;
		     layer++)
			err = put_layer(&t, &t.lanes[i], layer, out);
	}
	for (size_t i = 0; i < t.bar_count; i++)
		endless += has_stacks(&t.lanes[t.bars[i].lane]) && is_stack(&t.bars[i]) && t.bars[i].endless;
	if (endless && !err)
		error__warn("-f folded: %zu %s left out, as %s not known", endless,
			    endless == 1 ? "bar is" : "bars are",
			    endless == 1 ? "its end is" : "their ends are");
	timeline__free(&t);
	return err;
}
