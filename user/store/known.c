// SPDX-License-Identifier: GPL-2.0-only
/* Numbers of functions and call sites; see known.h. */
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "store/known.h"

/*
 * The numbers of an object are below this, so that neither a damaged store nor forged recordings take all memory. The
 * largest kernel has a third as many call sites.
 */
#define MOST_NUMBERS (2 * 1024 * 1024)

void knowns__init(struct knowns *k, struct sql *sql)
{
	*k = (struct knowns){ .sql = sql, .names = strings__new() };
}

void knowns__free(struct knowns *k)
{
	for (size_t i = 0; i < k->count; i++) {
		struct known_object *o = k->list[i];

		free(o->name);
		free(o->functions.list);
		free(o->functions.slots);
		free(o->sites.list);
		free(o->sites.slots);
		free(o);
	}
	free(k->list);
	strings__free(k->names);
	*k = (struct knowns){};
}

/* ---- a list of numbers */

static uint64_t hash_of(const char *name, uint64_t addr)
{
	uint64_t hash = addr;

	/* Several names may have no address, or the first one. */
	for (; !addr && name && *name; name++)
		hash = hash * 31 + (unsigned char)*name;
	return hash * 0x9e3779b97f4a7c15ull >> 20;
}

static size_t slot_of(const struct known_list *l, const char *name, uint64_t addr)
{
	return hash_of(name, addr) & (l->room - 1);
}

static void put_into_slots(struct known_list *l, uint32_t nr)
{
	size_t slot = slot_of(l, l->list[nr].name, l->list[nr].addr);

	while (l->slots[slot])
		slot = (slot + 1) & (l->room - 1);
	l->slots[slot] = nr + 1;
	l->used++;
}

/* Makes room for one more. */
static void make_room(struct known_list *l, size_t count)
{
	if (2 * (l->used + 1) <= l->room)
		return;
	l->room = l->room ? 2 * l->room : 1024;
	free(l->slots);
	l->slots = xcalloc(l->room, sizeof(*l->slots));
	l->used = 0;
	for (size_t i = 0; i < count; i++)
		put_into_slots(l, i);
}

static uint32_t known_list__add(struct known_list *l, const struct known *added)
{
	make_room(l, l->count);
	*LIST_ADD(l->list, l->count) = *added;
	put_into_slots(l, l->count - 1);
	return l->count - 1;
}

/* A number that is not known to be another one; NULL: there is none. */
static struct known *known_list__find(struct known_list *l, const struct wanted_known *w)
{
	size_t slot;

	for (slot = l->room ? slot_of(l, w->name, w->addr) : 0; l->room && l->slots[slot];
	     slot = (slot + 1) & (l->room - 1)) {
		struct known *k = &l->list[l->slots[slot] - 1];

		if (k->addr == w->addr && text__equals(k->name, w->name) &&
		    (!k->knows_extra || !w->knows_extra || k->extra == w->extra))
			return k;
	}
	return NULL;
}

/* ---- reading */

static int read_functions(struct knowns *k, struct known_object *o)
{
	sqlite3_stmt *s = sql__begin(k->sql, "SELECT nr, name, addr, sympos, first_run FROM function "
				     "WHERE object = ? AND nr >= ? ORDER BY nr",
				     "ii", o->id, (int64_t)o->functions.count);
	int more;

	while ((more = sql__next(k->sql, s)) > 0) {
		struct known read = {
			.addr = sqlite3_column_int64(s, 2), .extra = sqlite3_column_int64(s, 3),
			.knows_extra = sqlite3_column_type(s, 3) != SQLITE_NULL,
			.ran = sqlite3_column_type(s, 4) != SQLITE_NULL,
		};
		const char *name = (const char *)sqlite3_column_text(s, 1);

		if (sqlite3_column_int64(s, 0) != (int64_t)o->functions.count || o->functions.count >= MOST_NUMBERS ||
		    (name && !utf8__is_plain(name)))
			return error__return(-EINVAL, "%s: is damaged: its functions make no sense", k->sql->path);
		read.name = name ? strings__add(k->names, name) : NULL;
		known_list__add(&o->functions, &read);
	}
	return more;
}

static int read_sites(struct knowns *k, struct known_object *o)
{
	sqlite3_stmt *s = sql__begin(k->sql, "SELECT nr, name, addr, symbol_offset, entered_object, entered FROM site "
				     "WHERE object = ? AND nr >= ? ORDER BY nr", "ii", o->id, (int64_t)o->sites.count);
	int more;

	while ((more = sql__next(k->sql, s)) > 0) {
		const char *name = (const char *)sqlite3_column_text(s, 1);
		struct known read = {
			.addr = sqlite3_column_int64(s, 2), .extra = sqlite3_column_int64(s, 3), .knows_extra = true,
			.entered_object = sqlite3_column_int64(s, 4), .entered = sqlite3_column_int64(s, 5),
		};

		if (sqlite3_column_int64(s, 0) != (int64_t)o->sites.count || o->sites.count >= MOST_NUMBERS ||
		    (name && !utf8__is_plain(name)))
			return error__return(-EINVAL, "%s: is damaged: its call sites make no sense", k->sql->path);
		/* Sites of one function follow each other. */
		read.name = !name ? NULL : strings__intern(k->names, name);
		known_list__add(&o->sites, &read);
	}
	return more;
}

static int refresh(struct knowns *k, struct known_object *o)
{
	return read_functions(k, o) ?: read_sites(k, o);
}

int knowns__refresh(struct knowns *k)
{
	int err = 0;

	for (size_t i = 0; !err && i < k->count; i++)
		err = refresh(k, k->list[i]);
	return err;
}

int knowns__object(struct knowns *k, uint32_t *ret, int64_t id)
{
	struct known_object *o;
	sqlite3_stmt *s;
	int more;

	for (size_t i = 0; i < k->count; i++) {
		if (k->list[i]->id == id) {
			*ret = i;
			return 0;
		}
	}
	s = sql__begin(k->sql, "SELECT name FROM object WHERE id = ?", "i", id);
	more = sql__next(k->sql, s);
	if (more <= 0)
		return more ?: error__return(-EINVAL, "%s: is damaged: a run names a build that is not there",
					     k->sql->path);
	o = xcalloc(1, sizeof(*o));
	o->id = id;
	o->name = sql__text(s, 0);
	sqlite3_reset(s);
	*ret = k->count;
	*LIST_ADD(k->list, k->count) = o;
	return refresh(k, o);
}

/* ---- objects */

static int last_id(struct knowns *k, uint32_t *ret, int err)
{
	return err ?: knowns__object(k, ret, sqlite3_last_insert_rowid(k->sql->db));
}

int knowns__add_kernel(struct knowns *k, uint32_t *ret, const struct kernel_id *id)
{
	sqlite3_int64 found;
	int more;

	more = sql__number(k->sql, &found, "SELECT id FROM object WHERE name IS NULL AND build_id IS ?1 AND "
			   "(?1 IS NOT NULL OR (release IS ?2 AND config IS ?3))", "ttt", id->build_id,
			   id->release, id->config);
	if (more)
		return more < 0 ? more : knowns__object(k, ret, found);
	return last_id(k, ret, sql__run(k->sql, "INSERT INTO object (build_id, release, arch, config) "
					"VALUES (?, ?, ?, ?)", "tttt",
					id->build_id, id->release, id->arch, id->config));
}

int knowns__add_module(struct knowns *k, uint32_t *ret, const char *name, const struct covered_module *m,
		       uint32_t kernel)
{
	const char *build_id = m ? m->build_id : NULL, *srcversion = m ? m->srcversion : NULL;
	int64_t of = build_id ? 0 : k->list[kernel]->id;
	sqlite3_int64 found;
	int more;

	more = sql__number(k->sql, &found, "SELECT id FROM object WHERE name = ? AND build_id IS ? AND "
			   "srcversion IS ? AND kernel IS ?", "tttn", name, build_id, srcversion, of);
	if (more)
		return more < 0 ? more : knowns__object(k, ret, found);
	return last_id(k, ret, sql__run(k->sql, "INSERT INTO object (name, build_id, srcversion, kernel) "
					"VALUES (?, ?, ?, ?)", "tttn", name, build_id, srcversion, of));
}

/* ---- numbers */

static int check_room(const struct knowns *k, const struct known_list *l)
{
	if (l->count < MOST_NUMBERS)
		return 0;
	return error__return(-EFBIG, "%s: has %d functions or call sites of one build, more than any build has: a "
			     "recording of it was forged", k->sql->path, MOST_NUMBERS);
}

/*
 * If one of two recordings has no addresses of the kernel, which hides them when it is locked down, the name and its
 * number are the same in both. Finds such a function, and notes its address.
 */
static int find_named(struct knowns *k, struct known_object *o, const struct wanted_known *w, struct known **ret)
{
	sqlite3_int64 nr;
	int more;

	if (o->name || !w->name || (w->addr && !w->knows_extra))
		return 0;
	more = sql__number(k->sql, &nr, "SELECT nr FROM function WHERE object = ?1 AND name = ?2 AND "
			   "(sympos = ?3 OR NOT ?4 OR (sympos IS NULL AND NOT ?5)) AND "
			   "(NOT addr OR NOT ?5 OR addr = ?5) ORDER BY NOT addr, nr LIMIT 1", "itiii", o->id,
			   w->name, (int64_t)w->extra, (int64_t)w->knows_extra, (int64_t)w->addr);
	if (more <= 0 || nr < 0 || (size_t)nr >= o->functions.count)
		return more < 0 ? more : 0;
	*ret = &o->functions.list[nr];
	if (!w->addr || (*ret)->addr)
		return 0;
	(*ret)->addr = w->addr;
	make_room(&o->functions, o->functions.count);
	put_into_slots(&o->functions, nr);
	return sql__run(k->sql, "UPDATE function SET addr = ? WHERE object = ? AND nr = ?", "iii", (int64_t)w->addr,
			o->id, (int64_t)nr);
}

int knowns__add_function(struct knowns *k, struct number *ret, uint32_t object, const struct wanted_known *w)
{
	struct known_object *o = k->list[object];
	struct known *found = w->addr || o->name ? known_list__find(&o->functions, w) : NULL;
	struct known added = { .addr = w->addr, .extra = w->extra, .knows_extra = w->knows_extra };
	int err = found ? 0 : find_named(k, o, w, &found);

	if (!err && !found)
		found = known_list__find(&o->functions, w);
	if (err)
		return err;
	ret->object = object;
	if (found) {
		ret->nr = found - o->functions.list;
		if (found->knows_extra || !w->knows_extra)
			return 0;
		found->extra = w->extra;
		found->knows_extra = true;
		return sql__run(k->sql, "UPDATE function SET sympos = ? WHERE object = ? AND nr = ?", "iii",
				(int64_t)w->extra, o->id, (int64_t)ret->nr);
	}
	err = check_room(k, &o->functions);
	if (err)
		return err;
	added.name = w->name ? strings__add(k->names, w->name) : NULL;
	ret->nr = known_list__add(&o->functions, &added);
	return sql__run(k->sql, w->knows_extra ?
			"INSERT INTO function (object, nr, name, addr, sympos) VALUES (?, ?, ?, ?, ?)" :
			"INSERT INTO function (object, nr, name, addr, sympos) VALUES (?, ?, ?, ?, nullif(?, 0))",
			"iitii", o->id, (int64_t)ret->nr, w->name, (int64_t)w->addr, (int64_t)w->extra);
}

int knowns__add_site(struct knowns *k, struct number *ret, uint32_t object, const struct wanted_known *w)
{
	struct known_object *o = k->list[object];
	struct known *found = known_list__find(&o->sites, w);
	struct known added = { .addr = w->addr, .extra = w->extra, .knows_extra = true };
	int err = found ? 0 : check_room(k, &o->sites);

	ret->object = object;
	if (found)
		ret->nr = found - o->sites.list;
	if (found || err)
		return err;
	if (w->knows_entered) {
		added.entered_object = k->list[w->entered.object]->id;
		added.entered = w->entered.nr;
	}
	added.name = w->name ? strings__intern(k->names, w->name) : NULL;
	ret->nr = known_list__add(&o->sites, &added);
	return sql__run(k->sql, w->knows_entered ? "INSERT INTO site VALUES (?, ?, ?, ?, ?, ?, ?)" :
			"INSERT INTO site VALUES (?, ?, ?, ?, ?, nullif(?, 0), nullif(?, 0))", "iitiiii",
			o->id, (int64_t)ret->nr, w->name, (int64_t)w->addr, (int64_t)w->extra,
			(int64_t)added.entered_object, (int64_t)added.entered);
}

size_t knowns__at(const struct knowns *k, uint32_t object, uint64_t addr, const char *name, uint32_t *ret, size_t room)
{
	const struct known_list *l = &k->list[object]->functions;
	size_t slot, count = 0;

	for (slot = l->room ? slot_of(l, name, addr) : 0; l->room && l->slots[slot] && count < room;
	     slot = (slot + 1) & (l->room - 1)) {
		const struct known *known = &l->list[l->slots[slot] - 1];

		if (known->addr == addr && (addr || text__equals(known->name, name)))
			ret[count++] = l->slots[slot] - 1;
	}
	return count;
}
