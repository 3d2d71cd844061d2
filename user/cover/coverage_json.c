// SPDX-License-Identifier: GPL-2.0-only
/*
 * The json document, schema COVERAGE_SCHEMA, written and read back; see coverage_json.h. Addresses
 * are strings of hex digits: a JSON number is a double to most readers, which cannot hold a kernel
 * address. Every field is always there; what is unknown is null.
 */
#include <inttypes.h>
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/json.h"
#include "base/version.h"
#include "cover/coverage_json.h"
#include "cover/losses.h"

static const char *const kinds[] = {
	[HIT_FUNCTION] = "function", [HIT_CALLER] = "caller",
};

/* ---- writing */

static void strings(json_writer_t *w, const char *name, char *const *list)
{
	jsonw_name(w, name);
	if (!list) {
		jsonw_null(w);
		return;
	}
	jsonw_start_array(w);
	for (; *list; list++)
		json__string(w, *list);
	jsonw_end_array(w);
}

static void globs(json_writer_t *w, const char *name, const struct globs *globs)
{
	jsonw_name(w, name);
	jsonw_start_array(w);
	for (size_t i = 0; i < globs->count; i++)
		json__string(w, globs->list[i].text);
	jsonw_end_array(w);
}

static void string_or_null(json_writer_t *w, const char *name, const char *text)
{
	jsonw_name(w, name);
	if (text)
		json__string(w, text);
	else
		jsonw_null(w);
}

static void write_filters(json_writer_t *w, const struct coverage *c)
{
	jsonw_name(w, "filters");
	jsonw_start_object(w);
	globs(w, "allow", &c->filter.allow);
	globs(w, "deny", &c->filter.deny);
	globs(w, "denied_by_hytrace", &c->filter.own);
	jsonw_string_field(w, "scope", scope__name(c->scope));
	if (c->pid)
		jsonw_int_field(w, "pid", c->pid);
	else
		jsonw_null_field(w, "pid");
	string_or_null(w, "cgroup", c->cgroup);
	string_or_null(w, "comm", c->comm);
	jsonw_bool_field(w, "callers", c->callers);
	jsonw_end_object(w);
}

static void number_or_null(json_writer_t *w, const char *name, bool known, uint64_t number)
{
	if (known)
		jsonw_lluint_field(w, name, number);
	else
		jsonw_null_field(w, name);
}

static void write_options(json_writer_t *w, const struct cover_how *how)
{
	jsonw_name(w, "options");
	jsonw_start_object(w);
	jsonw_bool_field(w, "retire", how->retire);
	number_or_null(w, "retire_ms", how->retire_ms, how->retire_ms);
	number_or_null(w, "max_entries", how->max_entries, how->max_entries);
	if (how->duration)
		jsonw_float_field_fmt(w, "duration", "%.3f", how->duration);
	else
		jsonw_null_field(w, "duration");
	jsonw_bool_field(w, "pin", how->pinned);
	jsonw_end_object(w);
}

static void write_window(json_writer_t *w, const struct window *window)
{
	jsonw_name(w, "window");
	jsonw_start_object(w);
	jsonw_string_field(w, "clock", "local");
	jsonw_lluint_field(w, "opening_ns", window->opening);
	jsonw_lluint_field(w, "open_ns", window->open);
	jsonw_lluint_field(w, "closing_ns", window->closing);
	jsonw_lluint_field(w, "closed_ns", window->closed);
	jsonw_lluint_field(w, "error_ns", window->error);
	jsonw_end_object(w);
}

static void write_hit(json_writer_t *w, const struct hit *hit)
{
	jsonw_start_object(w);
	json__address_or_null(w, "addr", hit->link, hit->link);
	json__string_or_null(w, "name", hit->name);
	json__string_or_null(w, "module", hit->module);
	if (hit->module)
		jsonw_lluint_field(w, "offset", hit->offset);
	else
		jsonw_null_field(w, "offset");
	jsonw_string_field(w, "kind", kinds[hit->kind]);
	jsonw_lluint_field(w, "first_ns", hit->first_ns);
	jsonw_uint_field(w, "cpu", hit->cpu);
	jsonw_uint_field(w, "pid", hit->pid);
	jsonw_end_object(w);
}

static void write_totals(json_writer_t *w, const struct coverage *c)
{
	jsonw_name(w, "totals");
	jsonw_start_object(w);
	jsonw_lluint_field(w, "entries", c->hits.count);
	jsonw_lluint_field(w, "functions", hits__count(&c->hits, HIT_FUNCTION));
	jsonw_lluint_field(w, "callers", hits__count(&c->hits, HIT_CALLER));
	jsonw_lluint_field(w, "traceable", c->traceable);
	jsonw_lluint_field(w, "traced", c->traced);
	jsonw_lluint_field(w, "traced_seen", c->traced_seen);
	jsonw_end_object(w);
}

void coverage__write_json(const struct coverage *c, FILE *out)
{
	json_writer_t *w = jsonw_new(out);

	if (!w)
		return;
	jsonw_pretty(w, true);
	jsonw_start_object(w);
	jsonw_string_field(w, "hytrace", HYTRACE_VERSION);
	jsonw_int_field(w, "schema", COVERAGE_SCHEMA);
	jsonw_string_field(w, "engine", c->engine);
	kernel_id__json(&c->kernel, w);
	json__string_or_null(w, "boot_id", c->boot_id);
	strings(w, "command", c->command);
	write_filters(w, c);
	write_options(w, &c->options);
	jsonw_float_field_fmt(w, "seconds", "%.3f", c->seconds);
	jsonw_string_field(w, "ended", ending__name(c->ended));
	write_window(w, &c->window);
	write_totals(w, c);
	jsonw_bool_field(w, "complete", losses__complete(&c->lost));
	json__counters(w, "lost", &c->lost);
	json__counters(w, "cost", &c->cost);
	strings(w, "modules", c->modules);
	jsonw_bool_field(w, "follows_modules", c->follows_modules);
	strings(w, "unattached", c->unattached);
	jsonw_name(w, "functions");
	jsonw_start_array(w);
	/* One on a line: the writer itself knows only all on one, or each field on its own. */
	jsonw_pretty(w, false);
	for (size_t i = 0; i < c->hits.count; i++) {
		fputc('\n', out);
		write_hit(w, &c->hits.list[i]);
	}
	jsonw_pretty(w, true);
	jsonw_end_array(w);
	jsonw_end_object(w);
	jsonw_destroy(&w);
}

/* ---- reading */

static struct json_object *field(struct json_object *object, const char *name)
{
	struct json_object *value = NULL;

	if (json_object_is_type(object, json_type_object))
		json_object_object_get_ex(object, name, &value);
	return value;
}

static const char *text(struct json_object *object, const char *name)
{
	struct json_object *value = field(object, name);

	return json_object_is_type(value, json_type_string) ? json_object_get_string(value) : NULL;
}

static uint64_t integer(struct json_object *object, const char *name)
{
	return json_object_get_uint64(field(object, name));
}

/* "0xffff..." as the writer puts it; false: null. */
static bool address(struct json_object *object, const char *name, uint64_t *ret)
{
	const char *value = text(object, name);

	*ret = 0;
	return value && sscanf(value, "%" SCNx64, ret) == 1;
}

static char *copy(const char *value)
{
	return value ? strdup(value) : NULL;
}

static char **string_list(struct json_object *array)
{
	size_t count;
	char **list;

	if (!json_object_is_type(array, json_type_array))
		return NULL;
	count = json_object_array_length(array);
	list = calloc(count + 1, sizeof(*list));
	for (size_t i = 0; list && i < count; i++) {
		list[i] = copy(json_object_get_string(json_object_array_get_idx(array, i)));
		if (!list[i])
			break;
	}
	return list;
}

static int read_globs(struct globs *globs, struct json_object *array)
{
	int err = 0;

	if (!json_object_is_type(array, json_type_array))
		return 0;
	for (size_t i = 0; !err && i < json_object_array_length(array); i++) {
		const char *glob = json_object_get_string(json_object_array_get_idx(array, i));

		/* '@' would be a file to read: no document has one. */
		err = glob && *glob != '@' ? globs__add(globs, glob) : -EINVAL;
	}
	return err;
}

/* Names of counters outlive the json object. */
static int read_counters(struct coverage *c, struct counters *counters, struct json_object *object)
{
	int err = 0;

	if (!json_object_is_type(object, json_type_object))
		return 0;
	json_object_object_foreach(object, key, value) {
		if (!err)
			err = counters__add(counters, hits__name(&c->hits, key),
					    json_object_get_uint64(value));
	}
	return err;
}

/* 0: none of them. */
static unsigned int kind_of(const char *kind)
{
	for (unsigned int i = HIT_FUNCTION; kind && i <= HIT_CALLER; i++) {
		if (!strcmp(kind, kinds[i]))
			return i;
	}
	return 0;
}

static int read_hit(struct coverage *c, struct json_object *object)
{
	const char *module = text(object, "module");
	struct hit hit = {
		.name = hits__name(&c->hits, text(object, "name")),
		.module = module ? strings__intern(c->hits.names, module) : NULL,
		.offset = integer(object, "offset"),
		.kind = kind_of(text(object, "kind")),
		.first_ns = integer(object, "first_ns"),
		.cpu = integer(object, "cpu"),
		.pid = integer(object, "pid"),
	};

	address(object, "addr", &hit.link);
	if (!hit.kind)
		return -EINVAL;
	return hits__add(&c->hits, &hit);
}

static void read_window(struct window *w, struct json_object *object)
{
	w->opening = integer(object, "opening_ns");
	w->open = integer(object, "open_ns");
	w->closing = integer(object, "closing_ns");
	w->closed = integer(object, "closed_ns");
	w->error = integer(object, "error_ns");
}

static enum ending ending_of(const char *name)
{
	enum ending ending = 0;

	while (name && ending__name(ending) && strcmp(name, ending__name(ending)))
		ending++;
	return ending__name(ending) ? ending : ENDED_BY_COMMAND;
}

static void read_options(struct cover_how *how, struct json_object *object)
{
	how->retire = json_object_get_boolean(field(object, "retire"));
	how->retire_ms = integer(object, "retire_ms");
	how->max_entries = integer(object, "max_entries");
	how->duration = json_object_get_double(field(object, "duration"));
	how->pinned = json_object_get_boolean(field(object, "pin"));
}

static enum scope scope_of(const char *name)
{
	for (enum scope scope = SCOPE_SYSTEM; name && scope <= SCOPE_BOOT; scope++) {
		if (!strcmp(name, scope__name(scope)))
			return scope;
	}
	return SCOPE_SYSTEM;
}

static int read_header(struct coverage *c, struct json_object *root)
{
	struct json_object *kernel = field(root, "kernel"), *filters = field(root, "filters");
	struct json_object *totals = field(root, "totals");
	int err;

	c->kernel.release = copy(text(kernel, "release"));
	c->kernel.build_id = copy(text(kernel, "build_id"));
	c->kernel.offset_known = text(kernel, "addresses");
	c->kernel.calls_linked = text(kernel, "calls");
	c->boot_id = copy(text(root, "boot_id"));
	c->command = string_list(field(root, "command"));
	c->scope = scope_of(text(filters, "scope"));
	c->pid = integer(filters, "pid");
	c->cgroup = copy(text(filters, "cgroup"));
	c->comm = copy(text(filters, "comm"));
	c->callers = json_object_get_boolean(field(filters, "callers"));
	c->seconds = json_object_get_double(field(root, "seconds"));
	c->ended = ending_of(text(root, "ended"));
	read_options(&c->options, field(root, "options"));
	read_window(&c->window, field(root, "window"));
	c->traceable = integer(totals, "traceable");
	c->traced = integer(totals, "traced");
	c->traced_seen = integer(totals, "traced_seen");
	c->modules = string_list(field(root, "modules"));
	c->follows_modules = json_object_get_boolean(field(root, "follows_modules"));
	c->unattached = string_list(field(root, "unattached"));
	err = read_globs(&c->filter.allow, field(filters, "allow"));
	if (!err)
		err = read_globs(&c->filter.deny, field(filters, "deny"));
	if (!err)
		err = read_globs(&c->filter.own, field(filters, "denied_by_hytrace"));
	if (!err)
		err = read_counters(c, &c->lost, field(root, "lost"));
	if (!err)
		err = read_counters(c, &c->cost, field(root, "cost"));
	return err;
}

static int check_root(struct json_object *root, const char *path)
{
	if (!json_object_is_type(root, json_type_object) || !text(root, "hytrace") ||
	    !text(root, "engine") || !json_object_is_type(field(root, "functions"), json_type_array))
		return error__return(-EINVAL, "%s: is no document of `hytrace cover -f json`", path);
	if (integer(root, "schema") != COVERAGE_SCHEMA)
		return error__return(-EINVAL, "%s: has schema %" PRIu64 ", and this hytrace knows %d: "
				     "record it again", path, integer(root, "schema"),
				     COVERAGE_SCHEMA);
	/* Without a window each difference would lie after the end: certainly explained. */
	if (!json_object_is_type(field(field(root, "window"), "closed_ns"), json_type_int))
		return error__return(-EINVAL, "%s: is damaged: it does not say when it was recorded",
				     path);
	return 0;
}

static int read_root(struct coverage *c, struct json_object *root, const char *path)
{
	struct json_object *functions = field(root, "functions");
	int err;

	err = coverage__init(c, text(root, "engine"));
	if (err)
		return err;
	err = read_header(c, root);
	for (size_t i = 0; !err && i < json_object_array_length(functions); i++)
		err = read_hit(c, json_object_array_get_idx(functions, i));
	if (err) {
		if (err == -EINVAL)
			error__print("%s: is damaged: a filter or a function in it makes no sense",
				     path);
		coverage__free(c);
	}
	return err;
}

int coverage__read_json(struct coverage *ret, const char *path)
{
	struct json_object *root;
	struct coverage c;
	int err;

	root = json_object_from_file(path);
	if (!root) {
		char *why = strdup(json_util_get_last_err());

		if (why)
			why[strcspn(why, "\n")] = '\0';
		error__print("%s: cannot be read: %s", path, why ? why : "no memory");
		free(why);
		return -EINVAL;
	}
	err = check_root(root, path);
	if (!err)
		err = read_root(&c, root, path);
	if (!err)
		*ret = c;
	json_object_put(root);
	return err;
}
