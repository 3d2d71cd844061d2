// SPDX-License-Identifier: GPL-2.0-only
/*
 * The recording as json, schema COVERAGE_SCHEMA, written and read; see coverage_json.h. Addresses
 * are strings of hex digits, because for most readers a json number is a double, which cannot hold
 * a kernel address. Every field is always there; unknown values are null.
 */
#include <json-c/json.h>
#include <time.h>

#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/text.h"
#include "document/coverage.h"
#include "document/coverage_json.h"

/* ---- the header */

static void write_counters(json_writer_t *w, const struct json_field *field, const void *member)
{
	json__counter_values(w, member);
}

/* Reports print names as they are, so names must not have control characters. NULL: unknown */
static bool is_name(const char *text)
{
	return !text || utf8__is_plain(text);
}

/* A counter's name must outlive the json object. */
static int read_counters(struct json_object *object, const struct json_field *field, void *member,
			 void *whole)
{
	struct coverage *c = whole;

	json_object_object_foreach(object, key, value) {
		if (!json_object_is_type(value, json_type_int) || json_object_get_int64(value) < 0 || !is_name(key))
			return -EINVAL;
		counters__add(member, hits__name(&c->hits, key), json_object_get_uint64(value));
	}
	return 0;
}

static const struct json_kind counters = { write_counters, read_counters, json_type_object };

/* Fields that follow from other fields are only written. */
static void write_clock(json_writer_t *w, const struct json_field *field, const void *member)
{
	jsonw_string(w, "local");
}

/* @detail: the kind of the hits; NULL: all */
static void write_count(json_writer_t *w, const struct json_field *field, const void *member)
{
	const struct coverage *c = (const struct coverage *)((const char *)member - offsetof(struct coverage, hits));

	jsonw_lluint(w, coverage__count(c, field->detail ? *(const enum hit_kind *)field->detail : HIT_BOTH));
}

static void write_complete(json_writer_t *w, const struct json_field *field, const void *member)
{
	jsonw_bool(w, losses__complete(member));
}

static void write_started(json_writer_t *w, const struct json_field *field, const void *member)
{
	uint64_t ns = *(const uint64_t *)member;
	time_t seconds = ns / 1000000000;
	struct tm tm;
	char text[64];

	if (!ns || !gmtime_r(&seconds, &tm) || !strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &tm))
		jsonw_null(w);
	else
		jsonw_printf(w, "\"%s.%06uZ\"", text, (unsigned int)(ns % 1000000000 / 1000));
}

static int read_started(struct json_object *value, const struct json_field *field, void *member,
			void *whole)
{
	const char *text = json__text(value), *rest;
	struct tm tm = {};
	unsigned int us;

	*(uint64_t *)member = 0;
	rest = text ? strptime(text, "%Y-%m-%dT%H:%M:%S", &tm) : NULL;
	if (rest && sscanf(rest, ".%06uZ", &us) == 1)
		*(uint64_t *)member = timegm(&tm) * 1000000000ull + us * 1000ull;
	return 0;
}

static void write_status(json_writer_t *w, const struct json_field *field, const void *member)
{
	long status = *(const long *)member;

	if (status < 0)
		jsonw_null(w);
	else
		jsonw_lluint(w, status);
}

static int read_status(struct json_object *value, const struct json_field *field, void *member,
		       void *whole)
{
	*(long *)member = value ? json_object_get_int(value) : -1;
	return 0;
}

/* Writes each loss with its meaning, for programs that do not have the table of losses. */
static void write_losses(json_writer_t *w, const struct json_field *field, const void *member)
{
	const struct counters *lost = member;

	jsonw_start_array(w);
	for (size_t i = 0; i < lost->count; i++) {
		const struct loss *loss = losses__find(lost->list[i].name);

		if (!lost->list[i].value)
			continue;
		jsonw_start_object(w);
		jsonw_string_field(w, "name", lost->list[i].name);
		jsonw_lluint_field(w, "value", lost->list[i].value);
		jsonw_string_field(w, "means", loss_meaning__name(loss ? loss->meaning : LOSS_MAYBE));
		json__string_or_null(w, "text", loss ? loss->text : NULL);
		jsonw_end_object(w);
	}
	jsonw_end_array(w);
}

static const struct json_kind trace_clock = { write_clock };
static const struct json_kind started = { write_started, read_started, json_type_string, true };
static const struct json_kind status = { write_status, read_status, json_type_int, true };
static const struct json_kind means = { write_losses };
static const struct json_kind hit_count = { write_count };
static const struct json_kind complete = { write_complete, NULL, json_type_boolean };

/* In the order of enum ending. */
static const char *const endings[] = {
	"command", "signal", "duration", "process", "reading", "not", "merging", NULL
};

#define AT(member) offsetof(struct coverage, member)

static const struct json_field window_fields[] = {
	{ "clock", &trace_clock },
	{ "opening_ns", &field_number, offsetof(struct window, opening) },
	{ "open_ns", &field_number, offsetof(struct window, open) },
	{ "closing_ns", &field_number, offsetof(struct window, closing) },
	{ "closed_ns", &field_number, offsetof(struct window, closed) },
	{ "error_ns", &field_number, offsetof(struct window, error) },
	{ }
};

static const struct json_field merged_fields[] = {
	{ "engine", &field_string, offsetof(struct merged_run, engine) },
	{ "host", &field_string, offsetof(struct merged_run, host) },
	{ "boot_id", &field_string, offsetof(struct merged_run, boot_id) },
	{ "started", &started, offsetof(struct merged_run, started) },
	{ "seconds", &field_seconds, offsetof(struct merged_run, seconds) },
	{ "complete", &field_bool, offsetof(struct merged_run, complete) },
	{ }
};

static void write_merged(json_writer_t *w, const struct json_field *field, const void *member)
{
	const struct coverage *c = member;

	if (!c->merged) {
		jsonw_null(w);
		return;
	}
	jsonw_start_array(w);
	for (size_t i = 0; i < c->merged_count; i++) {
		jsonw_start_object(w);
		json__write_fields(w, merged_fields, &c->merged[i]);
		jsonw_end_object(w);
	}
	jsonw_end_array(w);
}

static int read_merged(struct json_object *array, const struct json_field *field, void *member, void *whole)
{
	struct coverage *c = whole;
	size_t count = array ? json_object_array_length(array) : 0;
	int err = 0;

	c->merged = array ? xcalloc(count, sizeof(*c->merged)) : NULL;
	for (; !err && c->merged_count < count; c->merged_count++)
		err = json__read_fields(json_object_array_get_idx(array, c->merged_count), merged_fields,
					&c->merged[c->merged_count], whole);
	return err;
}

static const struct json_kind merged = { write_merged, read_merged, json_type_array, true };

/* Not counted for the union of several results. */
static void write_traced_seen(json_writer_t *w, const struct json_field *field, const void *member)
{
	const struct coverage *c = member;

	if (c->merged)
		jsonw_null(w);
	else
		jsonw_lluint(w, c->traced_seen);
}

static int read_traced_seen(struct json_object *value, const struct json_field *field, void *member,
			    void *whole)
{
	((struct coverage *)whole)->traced_seen = json_object_get_uint64(value);
	return 0;
}

static const struct json_kind seen_of_traced = { write_traced_seen, read_traced_seen, json_type_int, true };

static const struct json_field total_fields[] = {
	{ "entries", &hit_count, AT(hits) },
	{ "functions", &hit_count, AT(hits), &(const enum hit_kind){ HIT_FUNCTION } },
	{ "callers", &hit_count, AT(hits), &(const enum hit_kind){ HIT_CALLER } },
	{ "traceable", &field_number, AT(traceable) },
	{ "traced", &field_number, AT(traced) },
	{ "traced_seen", &seen_of_traced, 0 },
	{ }
};

/* The fields between "engine" and "functions", in this order. */
static const struct json_field header[] = {
	{ "kernel", &field_object, AT(kernel), kernel_id_fields },
	{ "host", &field_string, AT(host) },
	{ "boot_id", &field_string, AT(boot_id) },
	{ "command", &field_texts, AT(command) },
	{ "filters", &field_object, 0, filter_fields },
	{ "options", &field_object, 0, option_fields },
	{ "started", &started, AT(started) },
	{ "seconds", &field_seconds, AT(seconds) },
	{ "ended", &field_word, AT(ended), endings },
	{ "status", &status, AT(status) },
	{ "merged", &merged, 0 },
	{ "min_runs", &field_some_number, AT(min_runs) },
	{ "window", &field_object, AT(window), window_fields },
	{ "totals", &field_object, 0, total_fields },
	{ "complete", &complete, AT(lost) },
	{ "lost", &counters, AT(lost) },
	{ "losses", &means, AT(lost) },
	{ "cost", &counters, AT(cost) },
	{ "modules", &field_modules, AT(modules) },
	{ "follows_modules", &field_bool, AT(follows_modules) },
	{ "unattached", &field_texts, AT(unattached) },
	{ }
};

/* ---- writing */

/* The field with the other address of a hit. */
static const char *other_name(enum hit_kind kind)
{
	return kind == HIT_FUNCTION ? "caller" : "entered";
}

static void write_other(json_writer_t *w, const struct hit *hit)
{
	const struct other *other = &hit->other;

	jsonw_name(w, other_name(hit->kind));
	if (!other->name) {
		jsonw_null(w);
		return;
	}
	jsonw_start_object(w);
	json__address_or_null(w, "addr", other->link, other->link);
	jsonw_string_field(w, "name", other->name);
	json__string_or_null(w, "module", other->module);
	json__number_or_null(w, "offset", other->module, other->offset);
	if (hit->kind == HIT_FUNCTION)
		jsonw_lluint_field(w, "symbol_offset", other->into);
	jsonw_end_object(w);
}

static void write_hit(json_writer_t *w, const struct coverage *c, const struct hit *hit)
{
	jsonw_start_object(w);
	json__address_or_null(w, "addr", hit->link, hit->link);
	json__string_or_null(w, "name", hit->name);
	json__string_or_null(w, "module", hit->module);
	json__number_or_null(w, "offset", hit->module, hit->offset);
	if (hit->kind == HIT_FUNCTION)
		json__number_or_null(w, "sympos", hit->sympos, hit->sympos);
	else
		json__number_or_null(w, "symbol_offset", hit->name, hit->into);
	json__number_or_null(w, "first_ns", coverage__knows_first(c), hit->first_ns);
	json__number_or_null(w, "cpu", coverage__knows_first(c), hit->cpu);
	json__number_or_null(w, "pid", coverage__knows_first(c), hit->pid);
	json__number_or_null(w, "tgid", hit->comm, hit->tgid);
	json__string_or_null(w, "comm", hit->comm);
	write_other(w, hit);
	if (c->merged)
		jsonw_lluint_field(w, "runs", hit->runs);
	jsonw_end_object(w);
}

static void write_hits(json_writer_t *w, const struct coverage *c, const char *name, enum hit_kind kind)
{
	json__lines(w, name);
	for (size_t i = 0; i < c->hits.count; i++) {
		if (c->hits.list[i].kind == kind)
			write_hit(w, c, &c->hits.list[i]);
	}
	jsonw_end_array(w);
}

void coverage__write_head(const struct coverage *c, json_writer_t *w)
{
	json__write_fields(w, header, c);
}

void coverage__write_json(const struct coverage *c, FILE *out)
{
	json_writer_t *w = json__begin(out, "coverage", COVERAGE_SCHEMA);

	jsonw_string_field(w, "engine", c->engine);
	coverage__write_head(c, w);
	write_hits(w, c, "functions", HIT_FUNCTION);
	write_hits(w, c, "callers", HIT_CALLER);
	json__end(&w);
}

/* ---- reading */

static const char *text(struct json_object *object, const char *name)
{
	return json__text(json__field(object, name));
}

static int check_root(struct json_object *root, const char *path)
{
	if (!text(root, "engine"))
		return error__return(-EINVAL, "%s: is damaged: it does not say what recorded it", path);
	if (!json_object_is_type(json__field(root, "functions"), json_type_array) ||
	    !json_object_is_type(json__field(root, "callers"), json_type_array))
		return error__return(-EINVAL, "%s: is damaged: it has no list of functions, or of callers",
				     path);
	/* Without a window, each difference would seem to be after the end of this recording, and so explained. */
	if (!json_object_is_type(json__field(json__field(root, "window"), "closed_ns"), json_type_int))
		return error__return(-EINVAL, "%s: is damaged: it does not say when it was recorded", path);
	return 0;
}

static bool has_names(const struct coverage *c)
{
	for (size_t i = 0; i < c->hits.count; i++) {
		const struct hit *hit = &c->hits.list[i];

		if (!is_name(hit->name) || !is_name(hit->module) || !is_name(hit->other.name) ||
		    !is_name(hit->other.module))
			return false;
	}
	for (size_t i = 0; i < c->modules.count; i++) {
		if (!is_name(c->modules.list[i].name))
			return false;
	}
	return is_name(c->kernel.release) && is_name(c->kernel.arch) && is_name(c->kernel.build_id);
}

static int read_fields(struct coverage *c, struct json_object *root, struct hits_text *ready)
{
	int err = json__read_fields(root, header, c, c);

	/* If the recording is incomplete without a reason, an unknown counter stands for what may be missing. */
	if (!err && !json_object_get_boolean(json__field(root, "complete")) && !counters__sum(&c->lost))
		counters__add(&c->lost, "incomplete", 1);
	if (!err && ((ready->lacks_time && !c->merged) || !has_names(c)))
		err = -EINVAL;
	return err;
}

int coverage__take(struct coverage *ret, struct json_object *root, struct hits_text *ready, const char *path)
{
	struct hits_text in_root = {};
	struct coverage c;
	int err = check_root(root, path);

	if (err)
		return err;
	if (!ready) {
		hits_text__of_json(&in_root, root);
		ready = &in_root;
	}
	coverage__init(&c, text(root, "engine"));
	hits__free(&c.hits);
	c.hits = ready->hits;
	ready->hits = (struct hits){};
	err = read_fields(&c, root, ready);
	if (err) {
		coverage__free(&c);
		return error__return(err, "%s: is damaged: a field of it is missing, or makes no sense", path);
	}
	hits__order(&c.hits);
	*ret = c;
	return 0;
}

#define COMMAND "hytrace cover -f json"
#define KIND "coverage", COMMAND, COVERAGE_SCHEMA

int coverage__read_text(struct coverage *ret, const struct text *t, const char *path)
{
	struct json_object *root = NULL;
	struct hits_text ready;
	bool is_ready = hits_text__read(&ready, t->bytes, t->length);
	const struct text rest = { ready.rest, ready.rest_length };
	int err = 0;

	/* What only json-c can read is no recording as hytrace writes it: a large one is not worth gigabytes. */
	if (ready.cut_off && !document__fits(t, DOCUMENT_MOST_HEAD))
		err = error__return(-EINVAL, "%s: cannot be read: it has no end: it is cut off, or damaged", path);
	else if (!ready.too_many)
		err = document__check_memory(is_ready ? &rest : t, path, "write it again by `" COMMAND "`",
					     DOCUMENT_MOST_HEAD);
	if (!err && is_ready)
		root = json__parse(ready.rest, ready.rest_length);
	if (!err && root) {
		err = document__check(root, path, KIND);
	} else if (!err && !ready.too_many) {
		err = document__parse(&root, t, path, KIND);
		hits_text__of_json(&ready, root);
	}
	if (!err && ready.too_many)
		err = error__return(-EINVAL, "%s: is refused: no kernel has so many functions and calls", path);
	if (!err)
		err = coverage__take(ret, root, &ready, path);
	hits_text__free(&ready);
	json_object_put(root);
	return err;
}

int coverage__read_json_open(struct coverage *ret, int fd, const char *path)
{
	struct text t;
	int err = document__read_text(&t, fd, path);

	if (err)
		return err;
	err = coverage__read_text(ret, &t, path);
	free(t.bytes);
	return err;
}

int coverage__read_json(struct coverage *ret, const char *path)
{
	return coverage__read_json_open(ret, document__open(path), path);
}
