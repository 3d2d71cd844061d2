// SPDX-License-Identifier: GPL-2.0-only
/* The result of one run; see coverage.h. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "document/coverage.h"

void coverage__init(struct coverage *c, const char *engine)
{
	memset(c, 0, sizeof(*c));
	c->engine = xstrdup(engine);
	c->status = -1;
	hits__init(&c->hits);
}

static void free_list(char **list)
{
	for (char **item = list; item && *item; item++)
		free(*item);
	free(list);
}

void coverage__free(struct coverage *c)
{
	free(c->engine);
	free(c->host);
	free(c->boot_id);
	kernel_id__free(&c->kernel);
	free_list(c->command);
	filter__free(&c->filter);
	covered_modules__free(&c->modules);
	free_list(c->unattached);
	for (size_t i = 0; i < c->merged_count; i++) {
		free(c->merged[i].engine);
		free(c->merged[i].host);
		free(c->merged[i].boot_id);
	}
	free(c->merged);
	counters__free(&c->lost);
	counters__free(&c->cost);
	hits__free(&c->hits);
	memset(c, 0, sizeof(*c));
}

bool coverage__same_boot(const struct coverage *a, const struct coverage *b)
{
	return text__is_known_equal(a->boot_id, b->boot_id);
}

bool coverage__same_build(const struct coverage *a, const struct coverage *b, const char *module)
{
	const struct covered_module *x, *y;

	if (!text__is_known_equal(a->kernel.build_id, b->kernel.build_id) || !module)
		return text__is_known_equal(a->kernel.build_id, b->kernel.build_id);
	x = covered_modules__find(&a->modules, module);
	y = covered_modules__find(&b->modules, module);
	return x && y && text__is_known_equal(x->build_id, y->build_id);
}

bool coverage__same_builds(const struct coverage *a, const struct coverage *b)
{
	if (!text__is_known_equal(a->kernel.build_id, b->kernel.build_id))
		return false;
	for (size_t i = 0; i < a->modules.count; i++) {
		const struct covered_module *m = &a->modules.list[i];

		if (covered_module__differs(m, covered_modules__find(&b->modules, m->name)))
			return false;
	}
	return true;
}

bool coverage__same_command(const struct coverage *a, const struct coverage *b)
{
	char *const *word = a->command, *const *other = b->command;

	if (!word || !other)
		return word == other;
	while (*word && *other && !strcmp(*word, *other))
		word++, other++;
	return !*word && !*other;
}

bool coverage__lies_in(const struct coverage *c, const struct coverage *other)
{
	return scope__lies_in(&c->scope, &other->scope) &&
	       (other->scope.kind != SCOPE_TASK || coverage__same_command(c, other)) &&
	       (other->scope.kind != SCOPE_PID || coverage__same_boot(c, other));
}

bool coverage__is_unattached(const struct coverage *c, const char *name, const char *module)
{
	char full_name[512];

	if (!c->unattached || !name)
		return false;
	function__full_name(full_name, sizeof(full_name), name, module);
	for (char **item = c->unattached; *item; item++) {
		if (!strcmp(*item, full_name))
			return true;
	}
	return false;
}

bool coverage__knows_first(const struct coverage *c)
{
	return !c->merged || c->boot_id;
}

/* ---- the fields of a recording */

static void write_globs(json_writer_t *w, const struct json_field *field, const void *member)
{
	const struct globs *globs = member;

	jsonw_start_array(w);
	for (size_t i = 0; i < globs->count; i++)
		jsonw_string(w, globs->list[i].text);
	jsonw_end_array(w);
}

static int read_globs(struct json_object *array, const struct json_field *field, void *member,
		      void *whole)
{
	int err = 0;

	if (!json_object_is_type(array, json_type_array))
		return 0;
	for (size_t i = 0; !err && i < json_object_array_length(array); i++) {
		const char *glob = json_object_get_string(json_object_array_get_idx(array, i));

		/* '@' would name a file to read. No recording contains that. */
		err = glob && *glob != '@' ? globs__add(member, glob) : -EINVAL;
	}
	return err;
}

const struct json_kind field_globs = { write_globs, read_globs, json_type_array };

static int read_text(struct json_object *value, const struct json_field *field, void *member, void *whole)
{
	struct coverage *c = whole;

	*(const char **)member = hits__name(&c->hits, json__text(value));
	return 0;
}

static void write_text(json_writer_t *w, const struct json_field *field, const void *member)
{
	field_string.write(w, field, member);
}

const struct json_kind field_text = { write_text, read_text, json_type_string, true };

static void write_given(json_writer_t *w, const struct json_field *field, const void *member)
{
	jsonw_bool(w, *(const char *const *)member);
}

static int read_given(struct json_object *value, const struct json_field *field, void *member, void *whole)
{
	*(const char **)member = json_object_get_boolean(value) ? "" : NULL;
	return 0;
}

const struct json_kind field_given = { write_given, read_given, json_type_boolean };
