// SPDX-License-Identifier: GPL-2.0-only
/* Prints a difference like diff(1), or writes it as json; see diff.h. */
#include "base/json.h"
#include "document/losses.h"
#include "report/diff.h"

#define DIFF_SCHEMA 3

static const struct {
	const char *word, *sentence;
} identities[] = {
	[IDENTITY_ADDRESS] = { "address", "matched by address" },
	[IDENTITY_FILE] = { "file", "matched by module, source file and name" },
	[IDENTITY_NAME] = { "name", "matched by module and name" },
};

const char *diff_identity__word(enum diff_identity identity)
{
	return identities[identity].word;
}

const char *diff_identity__sentence(enum diff_identity identity)
{
	return identities[identity].sentence;
}

/* ---- for people */

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

static void print_folded(const struct diff *d, FILE *out)
{
	if (d->folded)
		fprintf(out, "%zu functions were joined with functions of the same file and name (.isra, "
			".constprop, .part, .cold)\n", d->folded);
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

void diff__print(const struct diff *d, const char *name_a, const char *name_b, FILE *out)
{
	if (d->gone.count || d->new.count) {
		print_side("---", name_a, &d->a, d->both + d->gone.count + d->gone.blind, out);
		print_side("+++", name_b, &d->b, d->both + d->new.count + d->new.blind, out);
	}
	print_entries('-', d->gone.list, d->gone.count, name_b, out);
	print_entries('+', d->new.list, d->new.count, name_a, out);
	print_blind(&d->gone, name_a, name_b, out);
	print_blind(&d->new, name_b, name_a, out);
	fprintf(out, "Functions: %zu in both", d->both);
	print_sum("gone", &d->gone, out);
	print_sum("new", &d->new, out);
	fprintf(out, "; %s\n", diff_identity__sentence(d->identity));
	print_folded(d, out);
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

void diff__write_json(const struct diff *d, const char *name_a, const char *name_b, FILE *out)
{
	json_writer_t *w = json__begin(out, "diff", DIFF_SCHEMA);

	write_side(w, "a", name_a, &d->a, d->both + d->gone.count + d->gone.blind);
	write_side(w, "b", name_b, &d->b, d->both + d->new.count + d->new.blind);
	jsonw_string_field(w, "matched_by", diff_identity__word(d->identity));
	jsonw_lluint_field(w, "both", d->both);
	jsonw_lluint_field(w, "folded", d->folded);
	write_entries(w, "gone", d->gone.list, d->gone.count);
	write_entries(w, "new", d->new.list, d->new.count);
	write_entries(w, "only_a_could", d->gone.list + d->gone.count, d->gone.blind);
	write_entries(w, "only_b_could", d->new.list + d->new.count, d->new.blind);
	json__end(&w);
}
