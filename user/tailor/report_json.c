// SPDX-License-Identifier: GPL-2.0-only
/*
 * Writes the report as json, which docs/schema/tailor.json describes. The page for a browser
 * contains the same json.
 */
#include "base/json.h"
#include "base/memory.h"
#include "report/embed.h"
#include "tailor/report.h"

static void write_value(json_writer_t *w, const char *name, char value)
{
	char text[] = { value, '\0' };

	jsonw_string_field(w, name, text);
}

static void write_counts(json_writer_t *w, const char *name, const char *const *words, const size_t *counts)
{
	jsonw_name(w, name);
	jsonw_start_object(w);
	for (size_t i = 0; words[i]; i++)
		jsonw_lluint_field(w, words[i], counts[i]);
	jsonw_end_object(w);
}

static void write_witness(json_writer_t *w, const struct witness *has)
{
	jsonw_name(w, "witness");
	/* SEEN_NEVER and SEEN_BLIND have no witness. */
	if (has->in > SEEN_INIT) {
		jsonw_null(w);
		return;
	}
	jsonw_start_object(w);
	json__string_or_null(w, "document", has->document);
	json__string_or_null(w, "function", has->function);
	json__string_or_null(w, "place", has->place);
	json__number_or_null(w, "line", has->line, has->line);
	json__string_or_null(w, "loaded_module", has->module);
	jsonw_end_object(w);
}

static void write_decision(json_writer_t *w, const struct decision *d)
{
	static const struct option_facts nothing = { .witness.in = SEEN_BLIND };
	const struct option_facts *f = d->facts ? d->facts : &nothing;
	autofree char *why = decision__reason(d);

	jsonw_start_object(w);
	jsonw_string_field(w, "option", d->name);
	write_value(w, "before", d->before);
	write_value(w, "after", d->after);
	jsonw_bool_field(w, "changeable", d->changeable);
	jsonw_string_field(w, "fate", fate_words[d->fate]);
	json__string_or_null(w, "why", why);
	jsonw_string_field(w, "seen", seen_words[f->witness.in]);
	write_witness(w, &f->witness);
	jsonw_lluint_field(w, "objects", f->objects);
	jsonw_lluint_field(w, "functions", f->functions);
	jsonw_lluint_field(w, "traceable", f->traceable);
	jsonw_lluint_field(w, "bytes", f->bytes);
	json__string_or_null(w, "list", d->fate == FATE_LISTED ? d->keep->list : NULL);
	json__string_or_null(w, "because", d->fate == FATE_PUT_BACK ? d->because : NULL);
	jsonw_end_object(w);
}

static void write_options(json_writer_t *w, const struct selection *s)
{
	jsonw_name(w, "options");
	jsonw_start_array(w);
	for (size_t i = 0; i < s->count; i++)
		write_decision(w, &s->list[i]);
	jsonw_end_array(w);
}

static void write_objects(json_writer_t *w, const struct tailored *t)
{
	jsonw_name(w, "objects");
	jsonw_start_array(w);
	for (size_t i = 0; i < t->owners->count; i++) {
		const struct object_facts *o = &t->evidence->objects[i];

		jsonw_start_object(w);
		jsonw_string_field(w, "object", o->owned->path);
		json__string_or_null(w, "module", o->owned->module);
		jsonw_bool_field(w, "linked", o->linked);
		jsonw_bool_field(w, "stays", !selection__drops(t->selection, o->owned));
		jsonw_string_field(w, "seen", seen_words[o->witness.in]);
		jsonw_lluint_field(w, "functions", o->functions);
		jsonw_lluint_field(w, "traceable", o->traceable);
		jsonw_lluint_field(w, "bytes", o->bytes);
		jsonw_name(w, "needs");
		jsonw_start_array(w);
		for (size_t n = 0; n < o->owned->needs.count; n++) {
			const struct need *need = o->owned->needs.list[n];

			/* The object needs one option of this array. */
			jsonw_start_array(w);
			for (size_t j = 0; j < need->count; j++)
				jsonw_string(w, need->options[j] + strlen("CONFIG_"));
			jsonw_end_array(w);
		}
		jsonw_end_array(w);
		jsonw_end_object(w);
	}
	jsonw_end_array(w);
}

static void write_head(json_writer_t *w, const struct tailored *t, const struct tailored_totals *sum)
{
	const struct kernel_id *kernel = &t->documents->list[0]->kernel;
	const struct selection *s = t->selection;

	jsonw_name(w, "limits");
	jsonw_start_array(w);
	for (const char *const *line = tailored_limits; *line; line++)
		jsonw_string(w, *line);
	jsonw_end_array(w);
	json__string_or_null(w, "config", t->config);
	json__string_or_null(w, "build", t->build->directory);
	json__string_or_null(w, "release", kernel->release);
	json__string_or_null(w, "build_id", kernel->build_id);
	jsonw_name(w, "documents");
	jsonw_start_array(w);
	for (size_t i = 0; i < t->documents->count; i++)
		jsonw_string(w, t->documents->paths[i]);
	jsonw_end_array(w);
	jsonw_bool_field(w, "lossy", t->lossy);
	jsonw_lluint_field(w, "options_before", s->on_before);
	jsonw_lluint_field(w, "options_after", s->on_after);
	jsonw_lluint_field(w, "changeable", s->changeable);
	jsonw_lluint_field(w, "candidates", s->candidates);
	jsonw_lluint_field(w, "rounds", s->rounds);
	jsonw_lluint_field(w, "wanted_lost", s->lost);
	jsonw_lluint_field(w, "newly_on", s->came);
	jsonw_lluint_field(w, "objects_before", sum->objects);
	jsonw_lluint_field(w, "objects_after", sum->objects_after);
	jsonw_lluint_field(w, "bytes_before", sum->bytes);
	jsonw_lluint_field(w, "bytes_after", sum->bytes_after);
	jsonw_lluint_field(w, "module_objects_before", sum->modules);
	jsonw_lluint_field(w, "module_objects_after", sum->modules_after);
	jsonw_lluint_field(w, "addresses", t->evidence->addresses);
	jsonw_lluint_field(w, "unattributed", t->evidence->unattributed);
	jsonw_lluint_field(w, "units", t->evidence->units);
	jsonw_name(w, "unowned_units");
	jsonw_start_array(w);
	for (size_t i = 0; i < t->evidence->unowned_count; i++)
		jsonw_string(w, t->evidence->unowned[i]);
	jsonw_end_array(w);
	jsonw_lluint_field(w, "unclear_objects", t->owners->unclear);
	write_counts(w, "seen", seen_words, sum->classes);
	write_counts(w, "fates", fate_words, sum->fates);
	jsonw_name(w, "on_by_expert");
	jsonw_start_array(w);
	for (size_t i = 0; i < s->expert_count; i++)
		jsonw_string(w, s->expert[i]);
	jsonw_end_array(w);
}

void tailored__write_json(const struct tailored *t, FILE *out)
{
	struct tailored_totals sum = tailored__totals(t);
	json_writer_t *w = json__begin(out, "tailor", TAILOR_SCHEMA);

	write_head(w, t, &sum);
	write_options(w, t->selection);
	write_objects(w, t);
	json__end(&w);
}

/* The text of tailored.html, embedded in the program. */
extern const char _binary_tailored_html_start[], _binary_tailored_html_end[];

int tailored__write_html(const struct tailored *t, FILE *out)
{
	autofree char *data = NULL;
	size_t length = 0;
	FILE *memory = xopen_memstream(&data, &length);

	tailored__write_json(t, memory);
	xclose_memstream(memory);
	return embed__page(_binary_tailored_html_start, _binary_tailored_html_end, NULL, NULL, data, length, out);
}
