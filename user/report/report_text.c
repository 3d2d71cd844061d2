// SPDX-License-Identifier: GPL-2.0-only
/*
 * The report for people: how many of the functions that can be traced were seen, by source
 * directory if vmlinux has DWARF, otherwise by symbol prefix; each module by itself. Then the
 * totals, and what a report cannot know.
 */
#include <inttypes.h>
#include <json-c/linkhash.h>
#include <libsmartcols/libsmartcols.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "document/losses.h"
#include "kernel/source_dirs.h"
#include "report/report.h"

/* Prefixes of fewer functions than this say nothing: they go together into one line. */
#define SMALLEST_PREFIX 20
#define OTHERS "(others)"
#define GROUPS_AT_FIRST 1024
/*
 * Functions of the kernel's image that are no longer in its list: they were freed after the boot.
 */
#define FREED "(init code, freed)"

struct group {
	char *name;
	size_t seen, traceable;
};

struct groups {
	struct group *list;
	size_t count;
	struct lh_table *index;	/* by name */
};

static struct group *groups__get(struct groups *g, const char *name)
{
	struct lh_entry *entry = lh_table_lookup_entry(g->index, name);
	struct group *group;

	if (entry)
		return lh_entry_v(entry);
	group = &g->list[g->count];
	group->name = strdup(name);
	if (!group->name || lh_table_insert(g->index, group->name, group))
		return NULL;
	g->count++;
	return group;
}

static int groups__init(struct groups *g, size_t most)
{
	memset(g, 0, sizeof(*g));
	g->list = calloc(most, sizeof(*g->list));
	g->index = lh_kchar_table_new(GROUPS_AT_FIRST, NULL);
	if (!g->list || !g->index)
		return error__no_memory();
	return 0;
}

static void groups__free(struct groups *g)
{
	for (size_t i = 0; i < g->count; i++)
		free(g->list[i].name);
	free(g->list);
	if (g->index)
		lh_table_free(g->index);
}

/* "ext4_file_write" -> "ext4", "__x64_sys_read" -> "x64". */
static void prefix_of(const char *symbol, char *prefix, size_t room)
{
	size_t length;

	symbol += strspn(symbol, "_");
	length = strcspn(symbol, "_.");
	if (length >= room)
		length = room - 1;
	memcpy(prefix, symbol, length);
	prefix[length] = '\0';
}

static void group_name(const struct coverage *c, const struct source_dirs *d, const char *symbol,
		       const char *module, uint64_t entry, char *name, size_t room)
{
	const char *directory;

	if (module) {
		snprintf(name, room, "[%s]", module);
	} else if (d) {
		directory = source_dirs__find(d, entry - c->kernel.kaslr_offset);
		snprintf(name, room, "%s", directory ? directory : OTHERS);
	} else {
		prefix_of(symbol, name, room);
	}
}

static bool is_in_list(const struct hit *hit, const struct traceable *t)
{
	return hit->kind == HIT_FUNCTION && hit->addr &&
	       traceable__find_in(t, hit->addr, hit->module);
}

static int by_entry(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* The run-time entries of all functions that were seen and are in the list, sorted. */
static uint64_t *seen_entries(const struct coverage *c, const struct traceable *t,
			      size_t *ret_count)
{
	uint64_t *list = calloc(c->hits.count + 1, sizeof(*list));

	*ret_count = 0;
	for (size_t i = 0; list && i < c->hits.count; i++) {
		if (is_in_list(&c->hits.list[i], t))
			list[(*ret_count)++] = c->hits.list[i].addr;
	}
	if (list)
		qsort(list, *ret_count, sizeof(*list), by_entry);
	return list;
}

static int count_traceable(const struct coverage *c, const struct traceable *t,
			   const struct source_dirs *d, struct groups *groups,
			   struct group *total)
{
	size_t seen_count;
	uint64_t *seen = seen_entries(c, t, &seen_count);
	char name[512];

	if (!seen)
		return error__no_memory();
	for (size_t i = 0; i < traceable__count(t); i++) {
		const struct traceable_function *f = traceable__at(t, i);
		struct group *group;
		bool found;

		if (!filter__asks_for(&c->filter, f->name, f->module))
			continue;
		group_name(c, d, f->name, f->module, f->entry, name, sizeof(name));
		group = groups__get(groups, name);
		if (!group) {
			free(seen);
			return error__no_memory();
		}
		found = bsearch(&f->entry, seen, seen_count, sizeof(*seen), by_entry);
		group->traceable++;
		group->seen += found;
		total->traceable++;
		total->seen += found;
	}
	free(seen);
	return 0;
}

/*
 * Counts functions that were seen and are not in the list from before: their module came or went
 * while tracing.
 */
static int count_others(const struct coverage *c, const struct traceable *t,
			struct groups *groups)
{
	char name[512];

	for (size_t i = 0; i < c->hits.count; i++) {
		const struct hit *hit = &c->hits.list[i];
		struct group *group;

		if (hit->kind != HIT_FUNCTION || is_in_list(hit, t))
			continue;
		snprintf(name, sizeof(name), hit->module ? "[%s] (loaded later)" : FREED "%s",
			 hit->module ? hit->module : "");
		group = groups__get(groups, name);
		if (!group)
			return error__no_memory();
		group->seen++;
	}
	return 0;
}

/* Joins small prefixes, which say nothing by themselves. */
static int fold_small(struct groups *groups)
{
	struct group *others = groups__get(groups, OTHERS);

	if (!others)
		return error__no_memory();
	for (size_t i = 0; i < groups->count; i++) {
		struct group *g = &groups->list[i];

		/* "(others)" itself, "(init code, freed)" and modules are no prefixes. */
		if (g->name[0] == '(' || g->name[0] == '[' || g->traceable >= SMALLEST_PREFIX)
			continue;
		others->seen += g->seen;
		others->traceable += g->traceable;
		g->seen = g->traceable = 0;
	}
	return 0;
}

static int by_name(const void *a, const void *b)
{
	const struct group *x = a, *y = b;
	bool modules = x->name[0] == '[', also = y->name[0] == '[';

	if (modules != also)
		return modules ? 1 : -1;
	return strcmp(x->name, y->name);
}

static int add_row(struct libscols_table *table, const struct group *g)
{
	struct libscols_line *line = scols_table_new_line(table, NULL);
	char text[64];
	int err;

	if (!line)
		return -ENOMEM;
	err = scols_line_set_data(line, 0, g->name);
	snprintf(text, sizeof(text), "%zu", g->seen);
	err = err ? err : scols_line_set_data(line, 1, text);
	if (g->traceable)
		snprintf(text, sizeof(text), "%zu", g->traceable);
	else
		strcpy(text, "-");
	err = err ? err : scols_line_set_data(line, 2, text);
	if (g->traceable)
		snprintf(text, sizeof(text), "%.1f%%", 100.0 * g->seen / g->traceable);
	return err ? err : scols_line_set_data(line, 3, text);
}

static int print_table(struct groups *groups, const char *heading, const char *of, FILE *out)
{
	struct libscols_table *table = scols_new_table();
	size_t unseen = 0;
	int err = -ENOMEM;

	if (!table)
		return error__no_memory();
	scols_table_set_stream(table, out);
	/* On a terminal, long names are cut off; in a file or a pipe nothing is. */
	if (!scols_table_new_column(table, heading, 0.5, SCOLS_FL_TRUNC) ||
	    !scols_table_new_column(table, "SEEN", 8, SCOLS_FL_RIGHT) ||
	    !scols_table_new_column(table, of, 10, SCOLS_FL_RIGHT) ||
	    !scols_table_new_column(table, "SHARE", 7, SCOLS_FL_RIGHT))
		goto cleanup;
	qsort(groups->list, groups->count, sizeof(*groups->list), by_name);
	err = 0;
	for (size_t i = 0; !err && i < groups->count; i++) {
		if (groups->list[i].seen)
			err = add_row(table, &groups->list[i]);
		else
			unseen += !!groups->list[i].traceable;
	}
	if (!err)
		err = scols_print_table(table);
	if (!err && unseen)
		fprintf(out, "and %zu more of which nothing was seen\n", unseen);
cleanup:
	scols_unref_table(table);
	return err ? error__no_memory() : 0;
}

static void print_command(const struct coverage *c, FILE *out)
{
	if (c->scope.kind == SCOPE_BOOT)
		fprintf(out, "the boot of %s", c->kernel.release);
	else
		scope__print(&c->scope, out);
	if (c->command) {
		fprintf(out, c->scope.kind == SCOPE_TASK ? ":" : " during:");
		for (char **word = c->command; *word; word++)
			fprintf(out, " %s", *word);
	}
	fputc('\n', out);
}

/*
 * The share is computed from functions in the list. Functions that are not in it are printed by
 * themselves.
 */
static void print_functions(const struct coverage *c, const struct group *total, FILE *out)
{
	bool all = total->traceable == c->traceable;
	size_t others = hits__count(&c->hits, HIT_FUNCTION) - total->seen;

	fprintf(out, "Functions: %zu seen of %zu that %s (%.1f%%)", total->seen, total->traceable,
		all ? "can be traced" : "were asked for",
		total->traceable ? 100.0 * total->seen / total->traceable : 0.0);
	if (!all)
		fprintf(out, "; %zu can be traced", c->traceable);
	if (others)
		fprintf(out, "; and %zu that were freed by then, or loaded later", others);
	fputc('\n', out);
}

static void print_totals(const struct coverage *c, const struct group *total, FILE *out)
{
	static const char *const complete[] = {
		[LOSS_NOTHING] = "yes",
		[LOSS_MAYBE] = "maybe not",
		[LOSS_MISSING] = "no",
	};

	print_functions(c, total, out);
	if (c->how.callers)
		fprintf(out, "Callers:   %zu places that called one\n",
			hits__count(&c->hits, HIT_CALLER));
	fprintf(out, "Engine:    %s, %.2f s\n", c->engine, c->seconds);
	if (c->filter.own.count) {
		fprintf(out, "Denied:    the engine's own helpers");
		for (size_t i = 0; i < c->filter.own.count; i++)
			fprintf(out, "%s %s", i ? "," : "", c->filter.own.list[i].text);
		fputc('\n', out);
	}
	fprintf(out, "Lost:     ");
	for (size_t i = 0; i < c->lost.count; i++) {
		if (c->lost.list[i].value)
			fprintf(out, " %s %" PRIu64, c->lost.list[i].name, c->lost.list[i].value);
	}
	fprintf(out, counters__sum(&c->lost) ? "\n" : " nothing\n");
	fprintf(out, "Complete:  %s\n", complete[losses__worst(&c->lost)]);
	fprintf(out, "Inlined functions cannot be seen, nor can those the kernel keeps from tracing "
		"(notrace): a function that is not here may have run all the same.\n");
}

int report__text(const struct coverage *c, const struct traceable *traceable, const char *vmlinux,
		 FILE *out)
{
	struct source_dirs *d = NULL;
	struct group total = {};
	struct groups groups;
	int err;

	if (vmlinux && c->kernel.offset_known) {
		err = source_dirs__open(&d, vmlinux);
		if (err && err != -ENODATA)
			return err;
		if (err)
			error__warn("%s has no DWARF: grouping by symbol prefix",
				    vmlinux);
	}
	err = groups__init(&groups, traceable__count(traceable) + c->hits.count + 2);
	if (!err)
		err = count_traceable(c, traceable, d, &groups, &total);
	if (!err)
		err = count_others(c, traceable, &groups);
	if (!err && !d)
		err = fold_small(&groups);
	if (err)
		goto cleanup;

	fprintf(out, "Covered: ");
	print_command(c, out);
	fputc('\n', out);
	err = print_table(&groups, d ? "DIRECTORY" : "PREFIX",
			  total.traceable == c->traceable ? "TRACEABLE" : "ASKED FOR", out);
	fputc('\n', out);
	print_totals(c, &total, out);
cleanup:
	groups__free(&groups);
	source_dirs__free(d);
	return err;
}

void report__losses(const struct coverage *c)
{
	for (size_t i = 0; i < c->lost.count; i++) {
		const struct loss *loss = losses__find(c->lost.list[i].name);

		if (c->lost.list[i].value)
			error__print("%s: lost: %s %" PRIu64 ": %s", c->engine, c->lost.list[i].name,
				     c->lost.list[i].value, loss ? loss->text : "");
	}
}
