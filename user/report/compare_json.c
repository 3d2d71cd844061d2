// SPDX-License-Identifier: GPL-2.0-only
/* Writes comparisons as json; see compare.h. */
#include "base/json.h"
#include "document/losses.h"
#include "report/compare.h"

#define COMPARE_SCHEMA 2

static const char *const certainties[] = {
	[CERTAIN] = "certain", [POSSIBLE] = "possible", [UNEXPLAINED] = "unexplained",
};

static void write_side(json_writer_t *w, const char *field, const char *name, const struct coverage *c)
{
	json__object(w, field);
	json__string_or_null(w, "name", name);
	json__string_or_null(w, "engine", c->engine);
	json__string_or_null(w, "build_id", c->kernel.build_id);
	jsonw_bool_field(w, "complete", losses__complete(&c->lost));
	jsonw_end_object(w);
}

static void write_difference(json_writer_t *w, const struct difference *d)
{
	const struct hit *hit = d->hit;

	jsonw_start_object(w);
	json__string_or_null(w, "name", hit->name);
	json__string_or_null(w, "module", hit->module);
	json__address_or_null(w, "addr", hit->link, hit->link);
	json__number_or_null(w, "offset", hit->module, hit->offset);
	jsonw_string_field(w, "reason", reason__word(d->reason));
	jsonw_string_field(w, "certainty", certainties[reason__certainty(d->reason)]);
	jsonw_end_object(w);
}

static void write_differences(json_writer_t *w, const char *field, const struct difference *list, size_t count)
{
	json__lines(w, field);
	for (size_t i = 0; i < count; i++)
		write_difference(w, &list[i]);
	jsonw_end_array(w);
}

static void write_list(json_writer_t *w, const struct comparison *cmp)
{
	jsonw_start_object(w);
	jsonw_string_field(w, "of", cmp->kind == HIT_FUNCTION ? "functions" : "callers");
	jsonw_string_field(w, "matched_by", cmp->by_name ? "name" : "address");
	json__string_or_null(w, "not_by_address", cmp->by_name);
	jsonw_lluint_field(w, "both", cmp->both);
	jsonw_lluint_field(w, "explained", compare__count(cmp, CERTAIN));
	jsonw_lluint_field(w, "possibly", compare__count(cmp, POSSIBLE));
	jsonw_lluint_field(w, "unexplained", compare__count(cmp, UNEXPLAINED));
	write_differences(w, "only_a", cmp->only_a, cmp->only_a_count);
	write_differences(w, "only_b", cmp->only_b, cmp->only_b_count);
	jsonw_end_object(w);
}

void compare__write_json(const struct comparison *list, size_t count, const char *name_a, const char *name_b,
			 FILE *out)
{
	json_writer_t *w = json__begin(out, "compare", COMPARE_SCHEMA);

	write_side(w, "a", name_a, list[0].a);
	write_side(w, "b", name_b, list[0].b);
	json__array(w, "lists");
	for (size_t i = 0; i < count; i++)
		write_list(w, &list[i]);
	jsonw_end_array(w);
	json__end(&w);
}
