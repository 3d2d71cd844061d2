// SPDX-License-Identifier: GPL-2.0-only
/* Keeps what a function list tells of the functions of a build; see store.h. */
#include "base/memory.h"
#include "base/text.h"
#include "document/universe.h"
#include "run/output.h"
#include "store/inside.h"

/* The most names that an address has. */
#define MOST_NAMES 16

static int tell(struct store *s, const struct known_object *o, uint32_t nr, const struct function *f)
{
	return sql__run(&s->sql, "UPDATE function SET file = ?, line = nullif(?, 0), unit = ?, untraced = ?, init = ?, "
			"event = ?, text = nullif(?, 0) WHERE object = ? AND nr = ?", "tittiiiii", f->file,
			(int64_t)f->line, f->unit, f->untraced, (int64_t)f->init,
			(int64_t)function__is_of_event(f), (int64_t)f->text, o->id, (int64_t)nr);
}

/* A function that runs have seen may have another name there. All that is told is true of each name. */
static int add_function(struct store *s, uint32_t object, const struct function *f)
{
	/* Runs do not number the namesakes of a module, whose offsets tell them apart. */
	uint32_t sympos = f->module ? 0 : f->sympos;
	const struct wanted_known w = { .name = f->name, .addr = f->addr, .extra = sympos, .knows_extra = sympos };
	uint32_t list[MOST_NAMES];
	size_t count = knowns__at(&s->knowns, object, f->addr, f->name, list, MOST_NAMES);
	struct number added;
	int err = 0;

	if (!count) {
		err = knowns__add_function(&s->knowns, &added, object, &w);
		list[count++] = added.nr;
	}
	for (size_t i = 0; !err && i < count; i++)
		err = tell(s, s->knowns.list[object], list[i], f);
	return err;
}

static bool is_one_of(const struct object_ids *ids, int64_t id)
{
	for (size_t i = 0; i < ids->count; i++) {
		if (ids->list[i] == id)
			return true;
	}
	return false;
}

/* Returns 1 and the object of a module or (NULL) the kernel of @u; 0: no run had it, or it is none of @ids. */
static int find_object(struct store *s, const struct universe *u, const char *module, const struct object_ids *ids,
		       uint32_t *ret)
{
	const struct covered_module *m = module ? covered_modules__find(&u->modules, module) : NULL;
	const char *build_id = module ? m ? m->build_id : NULL : u->build_id;
	sqlite3_int64 id;
	int more;

	more = sql__number(&s->sql, &id, "SELECT id FROM object WHERE name IS ? AND build_id = ?", "tt",
			   module, build_id);
	if (more <= 0 || (ids && !is_one_of(ids, id)))
		return more < 0 ? more : 0;
	return knowns__object(&s->knowns, ret, id) ?: 1;
}

/* Traceable functions come first, as only these can run: so the bitmaps of runs stay short. */
static int add_functions(struct store *s, const struct universe *u, const struct object_ids *ids, bool traced)
{
	const char *module = "";
	uint32_t object = 0;
	int err = 0, has = 0;

	for (size_t i = 0; err >= 0 && i < u->count; i++) {
		const struct function *f = &u->list[i];

		if (!text__equals(module, f->module))
			err = has = find_object(s, u, f->module, ids, &object);
		module = f->module;
		/* Offsets in init text of modules are not those of their text. */
		if (has > 0 && !f->untraced == traced && !(f->module && f->init) &&
		    (f->module || (u->linked && f->addr)))
			err = add_function(s, object, f);
	}
	return err < 0 ? err : 0;
}

/* @ids: of these objects only; NULL: all */
static int add_list(struct store *s, const struct universe *u, const struct object_ids *ids)
{
	int err;

	err = store__begin(s) ?: store__catch_up(s) ?: add_functions(s, u, ids, true) ?:
	      add_functions(s, u, ids, false);
	return store__end(s, err);
}

int store__add_functions(struct store *s, const struct universe *u)
{
	return add_list(s, u, NULL);
}

#define WITHOUT_FUNCTIONS "FROM object WHERE build_id IS NOT NULL AND NOT EXISTS " \
	"(SELECT 1 FROM function WHERE function.object = object.id AND unit IS NOT NULL)"

/* Returns 0, or -EIO after a message. */
static int read_ids(struct sql *sql, sqlite3_stmt *st, struct object_ids *ret)
{
	int more;

	while ((more = sql__next(sql, st)) > 0)
		*LIST_ADD(ret->list, ret->count) = sqlite3_column_int64(st, 0);
	return more;
}

/*
 * Finds all objects whose functions are not known, if the run that was kept last has one of them for which the list was
 * not read yet.
 */
static int find_new_objects(struct store *s, struct object_ids *ret)
{
	struct object_ids of_run = {};
	bool is_new = false;
	int err;

	err = read_ids(&s->sql, sql__begin(&s->sql, "SELECT id " WITHOUT_FUNCTIONS " AND id IN (SELECT object FROM ran "
					   "WHERE run = ?)", "i", s->run), &of_run);
	for (size_t i = 0; i < of_run.count; i++) {
		if (is_one_of(&s->looked_for, of_run.list[i]))
			continue;
		*LIST_ADD(s->looked_for.list, s->looked_for.count) = of_run.list[i];
		is_new = true;
	}
	free(of_run.list);
	return err || !is_new ? err : read_ids(&s->sql, sql__begin(&s->sql, "SELECT id " WITHOUT_FUNCTIONS, ""), ret);
}

/* A list that is cached again may have modules that it did not have before. */
int store__find_functions(struct store *s, const struct kernel_id *id)
{
	struct object_ids ids = {};
	char *name, *path = NULL;
	struct universe u;
	int err;

	if (!id->build_id)
		return 0;
	err = find_new_objects(s, &ids);
	name = xasprintf("functions-%s", id->build_id);
	if (!err && ids.count)
		path = kept__path(name);
	if (path && universe__read_kept(&u, path)) {
		err = add_list(s, &u, &ids);
		universe__free(&u);
	}
	free(ids.list);
	free(name);
	free(path);
	return err;
}
