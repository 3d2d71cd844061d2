// SPDX-License-Identifier: GPL-2.0-only
/* All functions of a kernel build; see universe.h. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/sorted.h"
#include "base/text.h"
#include "document/read.h"
#include "document/universe.h"

void universe__init(struct universe *u)
{
	memset(u, 0, sizeof(*u));
	u->names = strings__new();
}

void universe__free(struct universe *u)
{
	free(u->release);
	free(u->arch);
	free(u->build_id);
	free(u->list);
	free(u->by_name);
	free(u->kept);
	covered_modules__free(&u->modules);
	strings__free(u->names);
	memset(u, 0, sizeof(*u));
}

void universe__add(struct universe *u, const struct function *f)
{
	*LIST_ADD(u->list, u->count) = *f;
}

const char *universe__text(struct universe *u, const char *text)
{
	return text ? strings__intern(u->names, text) : NULL;
}

static int by_place(const void *a, const void *b)
{
	const struct function *x = a, *y = b;
	int modules = text__compare(x->module, y->module);

	if (modules)
		return modules;
	/* In a module, offsets of init text begin at 0 again. */
	if (x->module && x->init != y->init)
		return x->init ? 1 : -1;
	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

static int by_place_and_name(const void *a, const void *b)
{
	const struct function *x = a, *y = b;

	return by_place(x, y) ?: strcmp(x->name, y->name);
}

void universe__settle(struct universe *u)
{
	free(u->by_name);
	u->by_name = NULL;
	if (u->count)
		qsort(u->list, u->count, sizeof(*u->list), by_place_and_name);
}

const struct function *universe__at(const struct universe *u, const char *module, uint64_t addr)
{
	const struct function key = { .module = module, .addr = addr };
	size_t count, first = sorted__equals(u->list, u->count, sizeof(key), &key, by_place, &count);

	return count ? &u->list[first] : NULL;
}

static int by_name(const void *a, const void *b)
{
	const struct function *const *x = a, *const *y = b;

	return strcmp((*x)->name, (*y)->name);
}

static void sort_names(struct universe *u)
{
	u->by_name = xcalloc(u->count, sizeof(*u->by_name));
	for (size_t i = 0; i < u->count; i++)
		u->by_name[i] = &u->list[i];
	qsort(u->by_name, u->count, sizeof(*u->by_name), by_name);
}

const struct function *const *universe__named(const struct universe *u, const char *name, size_t *ret_count)
{
	const struct function key = { .name = name }, *wanted = &key;
	size_t first;

	/* Although @u is const, the index is made here: the function list itself does not change. */
	if (!u->by_name)
		sort_names((struct universe *)u);
	first = sorted__equals(u->by_name, u->count, sizeof(wanted), &wanted, by_name, ret_count);
	return *ret_count ? &u->by_name[first] : NULL;
}

const struct function *universe__find(const struct universe *u, const struct hit *hit)
{
	const struct function *const *named;
	size_t count;

	if (hit->module)
		return universe__at(u, hit->module, hit->offset);
	if (u->linked && hit->link)
		return universe__at(u, NULL, hit->link);
	if (!u->linked && hit->addr)
		return universe__at(u, NULL, hit->addr);
	named = hit->name ? universe__named(u, hit->name, &count) : NULL;
	for (size_t i = 0; named && hit->sympos && i < count; i++) {
		if (!named[i]->module && named[i]->sympos == hit->sympos)
			return named[i];
	}
	return named && count == 1 && !named[0]->module ? named[0] : NULL;
}

/* ---- the json file */

static const struct json_field fields[] = {
	{ "release", &field_string, offsetof(struct universe, release) },
	{ "arch", &field_string, offsetof(struct universe, arch) },
	{ "build_id", &field_string, offsetof(struct universe, build_id) },
	{ "addresses", &field_flag, offsetof(struct universe, linked), "linked" },
	{ "modules", &field_modules, offsetof(struct universe, modules) },
	{ }
};

static void write_number(json_writer_t *w, const char *name, uint64_t number)
{
	json__number_or_null(w, name, number, number);
}

static void write_function(json_writer_t *w, const struct universe *u, const struct function *f)
{
	jsonw_start_object(w);
	json__address_or_null(w, "addr", !f->module && u->linked && f->addr, f->addr);
	json__string_or_null(w, "name", f->name);
	json__string_or_null(w, "module", f->module);
	json__number_or_null(w, "offset", f->module, f->addr);
	json__string_or_null(w, "unit", f->unit);
	json__string_or_null(w, "file", f->file);
	write_number(w, "line", f->line);
	write_number(w, "sympos", f->sympos);
	json__string_or_null(w, "untraced", f->untraced);
	jsonw_bool_field(w, "init", f->init);
	jsonw_end_object(w);
}

static void write_totals(json_writer_t *w, const struct universe *u)
{
	size_t traceable = 0, init = 0;

	for (size_t i = 0; i < u->count; i++) {
		traceable += !u->list[i].untraced;
		init += u->list[i].init;
	}
	jsonw_name(w, "totals");
	jsonw_start_object(w);
	jsonw_lluint_field(w, "functions", u->count);
	jsonw_lluint_field(w, "traceable", traceable);
	jsonw_lluint_field(w, "init", init);
	jsonw_end_object(w);
}

void universe__write_json(const struct universe *u, FILE *out)
{
	json_writer_t *w = json__begin(out, "functions", UNIVERSE_SCHEMA);

	/* Tells readers whether this is the whole list. */
	jsonw_string_field(w, "selection", u->some ? "some" : "all");
	jsonw_name(w, "kernel");
	jsonw_start_object(w);
	json__write_fields(w, fields, u);
	jsonw_end_object(w);
	write_totals(w, u);
	jsonw_name(w, "functions");
	jsonw_start_lines(w);
	for (size_t i = 0; i < u->count; i++)
		write_function(w, u, &u->list[i]);
	jsonw_end_array(w);
	json__end(&w);
}

static const char *shared(struct universe *u, struct json_object *object, const char *name)
{
	return universe__text(u, json__text(json__field(object, name)));
}

static uint64_t number(struct json_object *object, const char *name)
{
	return json_object_get_uint64(json__field(object, name));
}

static int read_function(struct universe *u, struct json_object *object)
{
	const char *name = json__text(json__field(object, "name"));
	const char *addr = json__text(json__field(object, "addr"));
	struct function f = {
		.name = name ? strings__add(u->names, name) : NULL,
		.module = shared(u, object, "module"),
		.unit = shared(u, object, "unit"),
		.file = shared(u, object, "file"),
		.line = number(object, "line"),
		.sympos = number(object, "sympos"),
		.untraced = shared(u, object, "untraced"),
		.init = json_object_get_boolean(json__field(object, "init")),
	};

	if (!f.name)
		return -EINVAL;
	f.addr = f.module ? number(object, "offset") : addr ? strtoull(addr, NULL, 16) : 0;
	u->placed |= f.unit != NULL;
	u->whole |= f.untraced != NULL;
	universe__add(u, &f);
	return 0;
}

int universe__read_json(struct universe *ret, const char *path)
{
	struct json_object *root, *list;
	const char *selection;
	struct universe u;
	int err;

	err = document__read(&root, path, "functions", "hytrace functions -f json", UNIVERSE_SCHEMA);
	if (err)
		return err;
	universe__init(&u);
	selection = json__text(json__field(root, "selection"));
	u.some = !selection || strcmp(selection, "all");
	list = json__field(root, "functions");
	err = json_object_is_type(list, json_type_array) ? 0 : -EINVAL;
	if (!err)
		err = json__read_fields(json__field(root, "kernel"), fields, &u, &u);
	for (size_t i = 0; !err && i < json_object_array_length(list); i++)
		err = read_function(&u, json_object_array_get_idx(list, i));
	json_object_put(root);
	if (err == -EINVAL)
		error__print("%s: is damaged: a field of it makes no sense", path);
	if (err) {
		universe__free(&u);
		return err;
	}
	universe__settle(&u);
	*ret = u;
	return 0;
}
