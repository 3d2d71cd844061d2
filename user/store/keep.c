// SPDX-License-Identifier: GPL-2.0-only
/* Keeps runs; see store.h. */
#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/version.h"
#include "document/coverage.h"
#include "document/coverage_json.h"
#include "store/columns.h"
#include "store/inside.h"

/*
 * MurmurHash3 of Austin Appleby, 64 bits at a time. It is for documents that are kept again by
 * mistake, not by an enemy.
 */
static uint64_t mix(uint64_t hash)
{
	hash = (hash ^ hash >> 33) * 0xff51afd7ed558ccdull;
	hash = (hash ^ hash >> 33) * 0xc4ceb9fe1a85ec53ull;
	return hash ^ hash >> 33;
}

struct store_hash store__hash(const struct text *t)
{
	struct store_hash h = { { t->length, ~t->length } };
	uint64_t word = 0;

	for (size_t i = 0; i < t->length; i += sizeof(word)) {
		word = 0;
		memcpy(&word, t->bytes + i, t->length - i < sizeof(word) ? t->length - i : sizeof(word));
		h.words[0] = (h.words[0] << 31 | h.words[0] >> 33) * 0x87c37b91114253d5ull ^ word;
		h.words[1] = (h.words[1] << 33 | h.words[1] >> 31) * 0x4cf5ad432745937full + word;
	}
	h.words[0] = mix(h.words[0] + h.words[1]);
	h.words[1] = mix(h.words[1] ^ h.words[0]);
	return h;
}

struct bitmap {
	unsigned char *bits;
	size_t length, room;
};

static void set_bit(struct bitmap *b, uint32_t nr)
{
	size_t length = nr / 8 + 1;

	if (length > b->room) {
		b->bits = xreallocarray(b->bits, 2 * length, 1);
		memset(b->bits + b->room, 0, 2 * length - b->room);
		b->room = 2 * length;
	}
	b->length = length > b->length ? length : b->length;
	b->bits[nr / 8] |= 1 << nr % 8;
}

/* One of the objects of the run. */
struct part {
	const char *module;	/* NULL: the kernel */
	uint32_t object;
	struct bitmap functions, sites;
};

struct keeping {
	struct store *s;
	const struct coverage *c;
	struct part *parts;	/* the kernel first */
	size_t count;
	struct kept_hit *hits;
	int64_t run;
};

/*
 * Modules may share a store's object only if they are of one build. A name that is in the list
 * twice means the first one.
 */
static int find_part(struct keeping *k, size_t *ret, const char *module)
{
	struct part *added;

	for (*ret = module ? 1 : 0; *ret < k->count; ++*ret) {
		if (!module || k->parts[*ret].module == module || !strcmp(k->parts[*ret].module, module))
			return 0;
	}
	added = LIST_ADD(k->parts, k->count);
	added->module = module;
	return module ? knowns__add_module(&k->s->knowns, &added->object, module,
					   covered_modules__find(&k->c->modules, module), k->parts[0].object) :
			knowns__add_kernel(&k->s->knowns, &added->object, &k->c->kernel);
}

static int find_parts(struct keeping *k)
{
	size_t part;
	int err = find_part(k, &part, NULL);

	for (size_t i = 0; !err && i < k->c->modules.count; i++)
		err = find_part(k, &part, k->c->modules.list[i].name);
	return err;
}

static int number_of_function(struct keeping *k, struct number *ret, const char *module, const struct wanted_known *w)
{
	size_t part;

	return find_part(k, &part, module) ?: knowns__add_function(&k->s->knowns, ret, k->parts[part].object, w);
}

static int number_of_site(struct keeping *k, struct number *ret, const char *module, const struct wanted_known *w)
{
	size_t part;

	return find_part(k, &part, module) ?: knowns__add_site(&k->s->knowns, ret, k->parts[part].object, w);
}

static int keep_function(struct keeping *k, const struct hit *hit, struct kept_hit *kept)
{
	struct wanted_known w = { hit->name, hit->module ? hit->offset : hit->link, hit->sympos, hit->sympos };
	size_t part;
	int err;

	err = find_part(k, &part, hit->module) ?: number_of_function(k, &kept->place, hit->module, &w);
	if (!err)
		set_bit(&k->parts[part].functions, kept->place.nr);
	return err;
}

static int keep_site(struct keeping *k, const struct hit *hit, struct kept_hit *kept)
{
	struct wanted_known w = { hit->name, hit->module ? hit->offset : hit->link, hit->into, true }, entered = {};
	size_t part;
	int err = find_part(k, &part, hit->module);

	kept->has_other = hit->other.name;
	if (!err && kept->has_other) {
		entered.name = hit->other.name;
		entered.addr = hit->other.module ? hit->other.offset : hit->other.link;
		err = number_of_function(k, &kept->other, hit->other.module, &entered);
	}
	w.entered = kept->other;
	w.knows_entered = kept->has_other;
	err = err ?: number_of_site(k, &kept->place, hit->module, &w);
	if (!err)
		set_bit(&k->parts[part].sites, kept->place.nr);
	return err;
}

/* A function's first caller is a site, too, also if the run has not recorded sites. */
static int keep_caller(struct keeping *k, const struct hit *hit, struct kept_hit *kept)
{
	struct wanted_known w = { .knows_extra = true };

	kept->has_other = hit->other.name;
	if (!kept->has_other)
		return 0;
	w.name = hit->other.name;
	w.addr = hit->other.module ? hit->other.offset : hit->other.link;
	w.extra = hit->other.into;
	w.entered = kept->place;
	w.knows_entered = true;
	return number_of_site(k, &kept->other, hit->other.module, &w);
}

/* Functions get their numbers first: with them, it is known which of several namesakes each one is. */
static int number_hits(struct keeping *k)
{
	const struct hits *hits = &k->c->hits;
	int err = 0;

	k->hits = xcalloc(hits->count, sizeof(*k->hits));
	for (size_t i = 0; !err && i < hits->count; i++) {
		if (hits->list[i].kind == HIT_FUNCTION)
			err = keep_function(k, &hits->list[i], &k->hits[i]);
	}
	for (size_t i = 0; !err && i < hits->count; i++) {
		if (hits->list[i].kind == HIT_CALLER)
			err = keep_site(k, &hits->list[i], &k->hits[i]);
	}
	for (size_t i = 0; !err && i < hits->count; i++) {
		if (hits->list[i].kind == HIT_FUNCTION)
			err = keep_caller(k, &hits->list[i], &k->hits[i]);
	}
	return err;
}

/* ---- the rows of a run */

/* The document without its hits, in one line. */
static char *make_head(const struct coverage *c)
{
	char *text;
	size_t length;
	FILE *out = xopen_memstream(&text, &length);
	json_writer_t *w = jsonw_new(out, false);

	jsonw_start_object(w);
	jsonw_string_field(w, "hytrace", HYTRACE_VERSION);
	jsonw_string_field(w, "document", "coverage");
	jsonw_lluint_field(w, "schema", COVERAGE_SCHEMA);
	jsonw_string_field(w, "engine", c->engine);
	coverage__write_head(c, w);
	json__array(w, "functions");
	jsonw_end_array(w);
	json__array(w, "callers");
	jsonw_end_array(w);
	jsonw_end_object(w);
	jsonw_destroy(&w);
	xclose_memstream(out);
	return text;
}

static uint64_t add_to_hash(uint64_t hash, const char *text)
{
	for (; *text; text++)
		hash = mix(hash ^ (unsigned char)*text);
	return mix(hash + 1);
}

/* Most runs leave out the same functions, so a list is kept once, under a hash of it. */
static int keep_blind(struct store *s, const struct coverage *c, int64_t *ret)
{
	uint64_t hash = 0;
	sqlite3_int64 one;
	int err;

	for (size_t i = 0; i < c->filter.own.count; i++)
		hash = add_to_hash(hash, c->filter.own.list[i].text);
	for (char **name = c->unattached; name && *name; name++)
		hash = add_to_hash(hash, *name);
	*ret = hash >> 1;
	if (!*ret)
		return 0;
	err = sql__number(&s->sql, &one, "SELECT 1 FROM blind WHERE list = ?", "i", *ret);
	if (err)
		return err < 0 ? err : 0;
	for (size_t i = 0; !err && i < c->filter.own.count; i++)
		err = sql__run(&s->sql, "INSERT OR IGNORE INTO blind VALUES (?, ?)", "it", *ret,
			       c->filter.own.list[i].text);
	for (char **name = c->unattached; !err && name && *name; name++)
		err = sql__run(&s->sql, "INSERT OR IGNORE INTO blind VALUES (?, ?)", "it", *ret, *name);
	return err;
}

static int add_run(struct keeping *k, const struct store_note *note)
{
	const struct sql_blob hash = { &note->hash, sizeof(note->hash) };
	const struct coverage *c = k->c;
	char *head = make_head(c);
	int64_t blind;
	int err;

	err = keep_blind(k->s, c, &blind);
	if (!err)
		err = sql__run(&k->s->sql, "INSERT INTO run (hash, document, kernel, host, boot_id, engine, started, "
			       "seconds, test, revision, scope, complete, thin, functions, callers, blind, head) "
			       "VALUES (?1, ?2, ?3, ?4, ?5, ?6, json_extract(?15, '$.started'), ?7, ?8, ?9, "
			       "json_extract(?15, '$.filters.scope'), ?10, ?11, ?12, ?13, ?14, ?15)",
			       "btitttdttiiiint", &hash, note->document,
			       k->s->knowns.list[k->parts[0].object]->id, c->host, c->boot_id,
			       c->engine, c->seconds, note->test, note->revision, (int64_t)losses__complete(&c->lost),
			       (int64_t)(note->thin && !c->merged), (int64_t)hits__count(&c->hits, HIT_FUNCTION),
			       (int64_t)hits__count(&c->hits, HIT_CALLER), blind, head);
	free(head);
	k->run = sqlite3_last_insert_rowid(k->s->sql.db);
	return err;
}

/* Could it see all functions of the module, if they ran? As verdict__of() says for a single function. */
static int64_t sees(const struct coverage *c, const char *module)
{
	const struct covered_module *m = module ? covered_modules__find(&c->modules, module) : NULL;

	if (c->filter.allow.count || c->filter.deny.count || c->min_runs > 1)
		return 0;
	if (!module)
		return c->scope.kind == SCOPE_BOOT ? 2 : 1;
	return m ? !m->came || c->follows_modules : c->follows_modules;
}

int store__mark_ran(struct store *s, int64_t run, struct known_object *o, const unsigned char *bits, size_t length)
{
	int err = 0;

	for (size_t nr = 0; !err && nr < 8 * length && nr < o->functions.count; nr++) {
		if (o->functions.list[nr].ran || !(bits[nr / 8] >> nr % 8 & 1))
			continue;
		o->functions.list[nr].ran = true;
		err = sql__run(&s->sql, "UPDATE function SET first_run = ? WHERE object = ? AND nr = ?",
			       "iii", run, o->id, (int64_t)nr);
	}
	return err;
}

static int add_part(struct keeping *k, const struct part *part)
{
	struct known_object *o = k->s->knowns.list[part->object];
	const struct sql_blob functions = { part->functions.bits, part->functions.length };
	const struct sql_blob sites = { part->sites.bits, part->sites.length };

	return sql__run(&k->s->sql, "INSERT INTO ran VALUES (?, ?, ?, ?, ?)", "iiibb", k->run, o->id,
			sees(k->c, part->module),
			&functions, &sites) ?:
	       store__mark_ran(k->s, k->run, o, part->functions.bits, part->functions.length);
}

static int add_first(struct keeping *k, const char *document)
{
	struct sql_blob hits;
	int err;

	err = columns__write(&hits, k->c, k->hits, &k->s->knowns);
	if (err)
		return error__return(-EFBIG, "%s: cannot be kept: it has more hits than a kernel can have", document);
	err = sql__run(&k->s->sql, "INSERT INTO first VALUES (?, ?)", "ib", k->run, &hits);
	free((void *)hits.bytes);
	return err;
}

static int add_all(struct keeping *k, const struct store_note *note)
{
	int err;

	err = find_parts(k) ?: number_hits(k) ?: add_run(k, note);
	for (size_t i = 0; !err && i < k->count; i++)
		err = add_part(k, &k->parts[i]);
	if (!err && !(note->thin && !k->c->merged))
		err = add_first(k, note->document);
	return err;
}

int store__keep(struct store *s, const struct coverage *c, const struct store_note *note, bool *ret_is_new)
{
	const struct sql_blob hash = { &note->hash, sizeof(note->hash) };
	struct keeping k = { .s = s, .c = c };
	sqlite3_int64 one;
	int err = store__begin(s), found = 0;

	if (!err)
		found = sql__number(&s->sql, &one, "SELECT 1 FROM run WHERE hash = ?", "b", &hash);
	*ret_is_new = !found;
	if (!err)
		err = found < 0 ? found : store__catch_up(s);
	if (!err && !found)
		err = add_all(&k, note);
	err = store__end(s, err);
	s->run = k.run;
	if (!err && !found) {
		s->newest = k.run;
		s->runs++;
	}
	for (size_t i = 0; i < k.count; i++) {
		free(k.parts[i].functions.bits);
		free(k.parts[i].sites.bits);
	}
	free(k.parts);
	free(k.hits);
	return err;
}
