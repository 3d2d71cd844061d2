// SPDX-License-Identifier: GPL-2.0-only
/* Differences between two recordings as text and json; see diff.h. */
#include "base/json.h"
#include "base/memory.h"
#include "base/sorted.h"
#include "base/table.h"
#include "report/diff.h"

#define DIFF_SCHEMA 3

static const struct {
	const char *word, *sentence;
} identities[] = {
	[IDENTITY_ADDRESS] = { "address", "matched by address" },
	[IDENTITY_FILE] = { "file", "matched by module, source file and name" },
	[IDENTITY_NAME] = { "name", "matched by module and name" },
};

/* ---- sums by directory */

/* A directory of the source; a module whose source is not known; or the rest. */
struct part {
	char *name;
	size_t both, gone, new, possibly;
};

struct parts {
	struct part *list;
	size_t count;
};

/* @possibly: how many of @gone and @new may be in both. */
static void add_part(struct parts *p, const char *module, const char *unit, struct part part)
{
	const char *slash = unit ? strrchr(unit, '/') : NULL;

	part.name = slash ? xstrndup(unit, slash - unit) : module ? xasprintf("[%s]", module) : xstrdup("(others)");
	*LIST_ADD(p->list, p->count) = part;
}

static int by_name(const void *a, const void *b)
{
	const struct part *x = a, *y = b;

	return strcmp(x->name, y->name);
}

static int by_change(const void *a, const void *b)
{
	const struct part *x = a, *y = b;

	return ORDER(y->gone + y->new, x->gone + x->new) ?: by_name(x, y);
}

static struct parts parts_of(const struct diff *d)
{
	struct parts p = {};
	size_t kept = 0;

	for (size_t i = 0; i < d->both; i++)
		add_part(&p, d->in_both[i].module, d->in_both[i].unit, (struct part){ .both = 1 });
	for (size_t i = 0; i < d->gone.count; i++)
		add_part(&p, d->gone.list[i].module, d->gone.list[i].unit,
			 (struct part){ .gone = 1, .possibly = d->gone.list[i].possibly });
	for (size_t i = 0; i < d->new.count; i++)
		add_part(&p, d->new.list[i].module, d->new.list[i].unit,
			 (struct part){ .new = 1, .possibly = d->new.list[i].possibly });
	if (!p.count)
		return p;
	qsort(p.list, p.count, sizeof(*p.list), by_name);
	for (size_t i = 1; i < p.count; i++) {
		struct part *last = &p.list[kept], *part = &p.list[i];

		if (by_name(last, part)) {
			p.list[++kept] = *part;
			continue;
		}
		last->both += part->both;
		last->gone += part->gone;
		last->new += part->new;
		last->possibly += part->possibly;
		free(part->name);
	}
	p.count = kept + 1;
	qsort(p.list, p.count, sizeof(*p.list), by_change);
	return p;
}

static void free_parts(struct parts *p)
{
	for (size_t i = 0; i < p->count; i++)
		free(p->list[i].name);
	free(p->list);
}

/* Only directories in which something has changed have a line. */
static void print_parts(const struct diff *d, FILE *out)
{
	static const char *const headings[] = { "BOTH", "GONE", "NEW", "POSSIBLY" };
	struct libscols_table *table = table__new(out);
	struct parts p = parts_of(d);
	size_t changed = 0;

	/* Only on a terminal are long names cut off. */
	table__column(table, "DIRECTORY", 0.5, SCOLS_FL_TRUNC);
	for (size_t i = 0; i < 4; i++)
		table__column(table, headings[i], 8, SCOLS_FL_RIGHT);
	for (; changed < p.count && p.list[changed].gone + p.list[changed].new; changed++) {
		const struct part *part = &p.list[changed];
		const size_t numbers[] = { part->both, part->gone, part->new, part->possibly };
		struct libscols_line *line = table__line(table, NULL);

		table__cell(line, 0, part->name);
		for (size_t i = 0; i < 4; i++)
			table__printf(line, 1 + i, "%zu", numbers[i]);
	}
	table__print(table);
	if (changed < p.count)
		fprintf(out, "and %zu more in which both have seen the same\n", p.count - changed);
	free_parts(&p);
}

static void write_parts(json_writer_t *w, const struct diff *d)
{
	struct parts p = parts_of(d);

	json__lines(w, "directories");
	for (size_t i = 0; i < p.count; i++) {
		jsonw_start_object(w);
		json__string_or_null(w, "name", p.list[i].name);
		jsonw_lluint_field(w, "both", p.list[i].both);
		jsonw_lluint_field(w, "gone", p.list[i].gone);
		jsonw_lluint_field(w, "new", p.list[i].new);
		jsonw_lluint_field(w, "possibly", p.list[i].possibly);
		jsonw_end_object(w);
	}
	jsonw_end_array(w);
	free_parts(&p);
}

/* ---- text */

static void print_side(const char *mark, const char *name, const struct diff_side *s, size_t count, FILE *out)
{
	fprintf(out, "%s %s\t%s, %s, %zu functions%s\n", mark, name, s->c->kernel.release ?: "unknown kernel",
		s->c->engine, count, losses__complete(&s->c->lost) ? "" : ", may lack some");
}

static void print_entries(char mark, const struct diff_entry *list, size_t count, const char *other, FILE *out)
{
	for (size_t i = 0; i < count; i++) {
		fprintf(out, list[i].module ? "%c%s [%s]" : "%c%s", mark, list[i].name, list[i].module);
		fprintf(out, "\t%s\t%s%s: %s\n", list[i].unit ?: "-", other, list[i].possibly ? ", possibly" : "",
			verdict__sentence(list[i].why));
	}
}

static void print_sum(const char *what, const struct diff_entries *e, FILE *out)
{
	size_t possible = 0;

	for (size_t i = 0; i < e->count; i++)
		possible += e->list[i].possibly;
	fprintf(out, ", %zu %s", e->count, what);
	if (possible)
		fprintf(out, " (%zu only possibly)", possible);
}

/* Counts, by reason, the functions that @other could not see. They are no difference. */
static void print_blind(const struct diff_entries *e, const char *name, const char *other, FILE *out)
{
	size_t counts[VERDICT_COUNT] = {};

	for (size_t i = 0; i < e->blind; i++)
		counts[e->list[e->count + i].why]++;
	if (e->blind)
		fprintf(out, "%zu more in %s, which %s could not see:", e->blind, name, other);
	for (size_t v = 0, printed = 0; v < VERDICT_COUNT; v++) {
		if (counts[v])
			fprintf(out, "%s %zu %s", printed++ ? ";" : "", counts[v], verdict__sentence(v));
	}
	if (e->blind)
		fputc('\n', out);
}

void diff__text(const struct diff *d, const char *const *names, bool stat, FILE *out)
{
	const char *name_a = names[0], *name_b = names[1];

	if (d->gone.count || d->new.count) {
		print_side("---", name_a, &d->a, d->both + d->gone.count + d->gone.blind, out);
		print_side("+++", name_b, &d->b, d->both + d->new.count + d->new.blind, out);
	}
	if (stat) {
		print_parts(d, out);
	} else {
		print_entries('-', d->gone.list, d->gone.count, name_b, out);
		print_entries('+', d->new.list, d->new.count, name_a, out);
	}
	print_blind(&d->gone, name_a, name_b, out);
	print_blind(&d->new, name_b, name_a, out);
	fprintf(out, "Functions: %zu in both", d->both);
	print_sum("gone", &d->gone, out);
	print_sum("new", &d->new, out);
	fprintf(out, "; %s\n", identities[d->identity].sentence);
	if (d->folded)
		fprintf(out, "%zu functions were joined with functions of the same file and name (.isra, "
			".constprop, .part, .cold)\n", d->folded);
}

/* ---- json */

static void write_side(json_writer_t *w, const char *field, const char *name, const struct diff_side *s, size_t count)
{
	json__object(w, field);
	json__string_or_null(w, "name", name);
	json__string_or_null(w, "release", s->c->kernel.release);
	json__string_or_null(w, "build_id", s->c->kernel.build_id);
	json__string_or_null(w, "engine", s->c->engine);
	jsonw_bool_field(w, "complete", losses__complete(&s->c->lost));
	jsonw_bool_field(w, "universe", s->u->count);
	jsonw_lluint_field(w, "functions", count);
	jsonw_end_object(w);
}

static void write_entries(json_writer_t *w, const char *field, const struct diff_entry *list, size_t count)
{
	json__lines(w, field);
	for (size_t i = 0; i < count; i++) {
		jsonw_start_object(w);
		json__string_or_null(w, "name", list[i].name);
		json__string_or_null(w, "module", list[i].module);
		json__string_or_null(w, "unit", list[i].unit);
		jsonw_string_field(w, "why", verdict__word(list[i].why));
		jsonw_bool_field(w, "possibly", list[i].possibly);
		jsonw_end_object(w);
	}
	jsonw_end_array(w);
}

void diff__json(const struct diff *d, const char *const *names, bool stat, FILE *out)
{
	json_writer_t *w = json__begin(out, "diff", DIFF_SCHEMA);

	write_side(w, "a", names[0], &d->a, d->both + d->gone.count + d->gone.blind);
	write_side(w, "b", names[1], &d->b, d->both + d->new.count + d->new.blind);
	jsonw_string_field(w, "matched_by", identities[d->identity].word);
	jsonw_lluint_field(w, "both", d->both);
	jsonw_lluint_field(w, "folded", d->folded);
	if (stat)
		write_parts(w, d);
	write_entries(w, "gone", d->gone.list, d->gone.count);
	write_entries(w, "new", d->new.list, d->new.count);
	write_entries(w, "only_a_could", d->gone.list + d->gone.count, d->gone.blind);
	write_entries(w, "only_b_could", d->new.list + d->new.count, d->new.blind);
	json__end(&w);
}
