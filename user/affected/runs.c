// SPDX-License-Identifier: GPL-2.0-only
/* Asks runs; see runs.h. */
#include "affected/runs.h"
#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/sorted.h"
#include "base/text.h"
#include "document/coverage_json.h"
#include "report/documents.h"
#include "store/inside.h"

/* ---- the runs of a command line */

static int keep_one(struct runs *r, const char *path)
{
	struct store_note note = { .document = path };
	struct coverage c;
	struct text t;
	bool is_new;
	int err = document__read_text(&t, document__open(path), path);

	if (err)
		return err;
	note.hash = store__hash(&t);
	err = coverage__read_text(&c, &t, path);
	free(t.bytes);
	if (err)
		return err;
	err = store__keep(r->s, &c, &note, &is_new) ?: store__find_functions(r->s, &c.kernel);
	coverage__free(&c);
	return err;
}

static int keep_all(struct runs *r, const char *const *paths, size_t count)
{
	int err = store__open(&r->s, NULL, STORE_CREATE);

	for (size_t i = 0; !err && i < count; i++)
		err = store__is(paths[i]) ? error__return(-EINVAL, "%s: one store, or any number of recordings: "
							  "`hytrace keep` joins both", paths[i]) :
					    keep_one(r, paths[i]);
	return err;
}

static size_t find_kernel(struct runs *r, int64_t object, sqlite3_stmt *st)
{
	for (size_t i = 0; i < r->kernel_count; i++) {
		if (r->kernels[i].object == object)
			return i;
	}
	*LIST_ADD(r->kernels, r->kernel_count) = (struct runs_kernel){
		.object = object, .build_id = sql__text(st, 8), .release = sql__text(st, 9),
	};
	return r->kernel_count - 1;
}

/* @ids: those that were selected, in order; the store has them in the same order. */
static int read_runs(struct runs *r, const int64_t *ids, size_t count)
{
	sqlite3_stmt *st = sql__begin(&r->s->sql, "SELECT run.id, run.kernel, document, test, host, started, complete, "
				      "blind, object.build_id, object.release FROM run JOIN object ON "
				      "object.id = run.kernel ORDER BY run.id", "");
	int more;

	while ((more = sql__next(&r->s->sql, st)) > 0) {
		struct run *run;

		if (r->count == count || ids[r->count] != sqlite3_column_int64(st, 0))
			continue;
		run = LIST_ADD(r->list, r->count);
		*run = (struct run){
			.id = sqlite3_column_int64(st, 0), .document = sql__text(st, 2), .test = sql__text(st, 3),
			.host = sql__text(st, 4), .started = sql__text(st, 5), .complete = sqlite3_column_int(st, 6),
			.blind = sqlite3_column_int64(st, 7),
		};
		run->kernel = find_kernel(r, sqlite3_column_int64(st, 1), st);
		r->kernels[run->kernel].count++;
	}
	return more;
}

int runs__open(struct runs *ret, const char *const *paths, size_t count)
{
	char *file = count == 1 ? xstrdup(paths[0]) : NULL, *mark;
	int64_t *ids = NULL;
	size_t selected = 0;
	int err;

	*ret = (struct runs){};
	if (!count)
		return 0;
	/* A file may have a '?' in its name, too. */
	mark = file && access(file, F_OK) ? strchr(file, '?') : NULL;
	if (mark)
		*mark++ = '\0';
	if (mark || (file && store__is(file)))
		err = store__open(&ret->s, file, STORE_READ);
	else
		err = keep_all(ret, paths, count);
	if (!err)
		err = store__select(ret->s, mark, &ids, &selected);
	if (!err && !selected)
		err = error__return(-EINVAL, "%s: has no such run", paths[0]);
	if (!err)
		err = read_runs(ret, ids, selected);
	free(ids);
	free(file);
	return err;
}

void runs__free(struct runs *r)
{
	for (size_t i = 0; i < r->count; i++) {
		struct run *run = &r->list[i];

		free(run->document);
		free(run->test);
		free(run->host);
		free(run->started);
		if (run->head)
			coverage__free(run->head);
		free(run->head);
	}
	for (size_t i = 0; i < r->kernel_count; i++) {
		free(r->kernels[i].build_id);
		free(r->kernels[i].release);
		if (r->kernels[i].all.engine)
			coverage__free(&r->kernels[i].all);
	}
	store__close(r->s);
	free(r->list);
	free(r->kernels);
}

const char *run__test(const struct run *run)
{
	return run->test ?: run->document;
}

static int by_id(const void *a, const void *b)
{
	return ORDER(((const struct run *)a)->id, ((const struct run *)b)->id);
}

static struct run *find_run(const struct runs *r, int64_t id)
{
	const struct run key = { .id = id };

	return r->count ? bsearch(&key, r->list, r->count, sizeof(key), by_id) : NULL;
}

/* ---- the union of the runs of a kernel */

struct part {
	size_t kernel;
	int64_t object;
	unsigned char *bits[2];		/* of functions and of sites */
	size_t lengths[2];
};

static void add_bits(struct part *p, int kind, const unsigned char *bits, size_t length)
{
	if (length > p->lengths[kind]) {
		p->bits[kind] = xreallocarray(p->bits[kind], length, 1);
		memset(p->bits[kind] + p->lengths[kind], 0, length - p->lengths[kind]);
		p->lengths[kind] = length;
	}
	for (size_t i = 0; i < length; i++)
		p->bits[kind][i] |= bits[i];
}

static struct part *find_part(struct part **list, size_t *count, size_t kernel, int64_t object)
{
	struct part *p = *list;

	while (p < *list + *count && (p->object != object || p->kernel != kernel))
		p++;
	if (p < *list + *count)
		return p;
	p = LIST_ADD(*list, *count);
	p->kernel = kernel;
	p->object = object;
	return p;
}

static int read_parts(struct runs *r, struct part **list, size_t *count)
{
	sqlite3_stmt *st = sql__begin(&r->s->sql, "SELECT run, object, functions, sites FROM ran", "");
	int more;

	while ((more = sql__next(&r->s->sql, st)) > 0) {
		const struct run *run = find_run(r, sqlite3_column_int64(st, 0));
		struct part *p;

		if (!run)
			continue;
		p = find_part(list, count, run->kernel, sqlite3_column_int64(st, 1));
		for (int kind = 0; kind < 2; kind++) {
			const unsigned char *bits = sqlite3_column_blob(st, 2 + kind);

			add_bits(p, kind, bits, sqlite3_column_bytes(st, 2 + kind));
		}
	}
	return more;
}

static int add_part(struct runs *r, const struct part *p)
{
	struct coverage *c = &r->kernels[p->kernel].all;
	const struct known_object *o;
	const char *module = NULL;
	uint32_t index;
	int err;

	err = knowns__object(&r->s->knowns, &index, p->object);
	if (err)
		return err;
	o = r->s->knowns.list[index];
	if (o->name) {
		sqlite3_stmt *st = sql__begin(&r->s->sql, "SELECT build_id, srcversion FROM object WHERE id = ?", "i",
					      p->object);
		struct covered_module *m = covered_modules__add(&c->modules, o->name);

		if (sql__next(&r->s->sql, st) <= 0)
			return -EIO;
		m->build_id = sql__text(st, 0);
		m->srcversion = sql__text(st, 1);
		sqlite3_reset(st);
		module = hits__name(&c->hits, o->name);
	}
	for (int kind = 0; kind < 2; kind++) {
		const struct known_list *known = kind ? &o->sites : &o->functions;

		for (size_t nr = 0; nr < known->count && nr < 8 * p->lengths[kind]; nr++) {
			const struct known *k = &known->list[nr];
			struct hit hit = {
				.name = hits__name(&c->hits, k->name), .module = module,
				.kind = kind ? HIT_CALLER : HIT_FUNCTION, .link = module ? 0 : k->addr,
				.offset = module ? k->addr : 0, .sympos = kind ? 0 : k->extra,
				.into = kind ? k->extra : 0, .runs = 1,
			};

			if (p->bits[kind][nr / 8] >> nr % 8 & 1)
				hits__add(&c->hits, &hit);
		}
	}
	return 0;
}

int runs__join(struct runs *r)
{
	struct part *list = NULL;
	size_t count = 0;
	int err;

	for (size_t i = 0; i < r->kernel_count; i++) {
		struct runs_kernel *k = &r->kernels[i];

		coverage__init(&k->all, "several");
		k->all.kernel.build_id = xstrdup(k->build_id);
		k->all.kernel.release = xstrdup(k->release);
		k->all.kernel.offset_known = k->all.how.callers = true;
	}
	err = r->kernel_count ? read_parts(r, &list, &count) : 0;
	for (size_t i = 0; i < count; i++) {
		if (!err)
			err = add_part(r, &list[i]);
		free(list[i].bits[0]);
		free(list[i].bits[1]);
	}
	free(list);
	return err;
}

/* ---- evidence */

void sightings__init(struct sightings *e, const struct runs *r)
{
	size_t length = r->count / 8 + 1;

	*e = (struct sightings){
		xcalloc(length, 1), xcalloc(length, 1), xcalloc(length, 1), xcalloc(length, 1),
	};
}

void sightings__free(struct sightings *e)
{
	free(e->ran);
	free(e->maybe);
	free(e->could);
	free(e->had);
}

static void set(unsigned char *bits, size_t run)
{
	bits[run / 8] |= 1 << run % 8;
}

size_t runs__count(const struct runs *r, const unsigned char *bits)
{
	size_t count = 0;

	for (size_t i = 0; i < r->count; i++)
		count += runs__has(bits, i);
	return count;
}

/* The runs that left a function out, by lists that several runs may have. */
struct left_out {
	int64_t *lists;
	size_t count;
};

/* A code or a body in terms of an object of the store. */
struct sought {
	size_t of;
	const struct code *code;	/* NULL: it is @body */
	const struct body *body;
	uint32_t *numbers;		/* of the function, or of the sites in the body; any of them */
	size_t count;
	struct left_out left_out;
};

static int find_left_out(struct runs *r, const struct code *code, struct left_out *ret)
{
	char *full = code->module ? xasprintf("%s [%s]", code->name, code->module) : xstrdup(code->name);
	sqlite3_stmt *st = sql__begin(&r->s->sql, "SELECT list FROM blind WHERE name IN (?, ?)", "tt", code->name,
				      full);
	int more;

	while ((more = sql__next(&r->s->sql, st)) > 0)
		*LIST_ADD(ret->lists, ret->count) = sqlite3_column_int64(st, 0);
	free(full);
	return more;
}

static bool has_list(const struct left_out *l, int64_t list)
{
	for (size_t i = 0; i < l->count; i++) {
		if (l->lists[i] == list)
			return true;
	}
	return false;
}

static int find_numbers(struct runs *r, uint32_t object, const struct code *code, struct sought *ret)
{
	uint32_t list[16] = { code->nr };
	size_t count = code->object ? 1 : knowns__at(&r->s->knowns, object, code->addr, code->name, list, 16);

	ret->of = code->of;
	ret->code = code;
	for (size_t i = 0; i < count; i++)
		*LIST_ADD(ret->numbers, ret->count) = list[i];
	return find_left_out(r, code, &ret->left_out);
}

struct sited {
	uint64_t addr;
	uint32_t nr;
};

/* A return address is behind the call. */
static void find_sites(const struct sited *sites, size_t count, const struct body *body, struct sought *ret)
{
	size_t i = SORTED_FROM(sites, count, addr, body->start + 1);

	ret->of = body->of;
	ret->body = body;
	for (; i < count && sites[i].addr <= body->end; i++)
		*LIST_ADD(ret->numbers, ret->count) = sites[i].nr;
}

static struct sited *sort_sites(const struct known_list *known)
{
	struct sited *list = xcalloc(known->count, sizeof(*list));

	for (size_t nr = 0; nr < known->count; nr++)
		list[nr] = (struct sited){ known->list[nr].addr, nr };
	if (known->count)
		qsort(list, known->count, sizeof(*list), sorted__by_first);
	return list;
}

static bool has_any(const struct sought *p, const unsigned char *bits, size_t length)
{
	for (size_t i = 0; i < p->count; i++) {
		if (p->numbers[i] / 8 < length && bits[p->numbers[i] / 8] >> p->numbers[i] % 8 & 1)
			return true;
	}
	return false;
}

/* What it was asked for: the document without hits. */
static int read_head(struct runs *r, struct run *run)
{
	sqlite3_stmt *st = sql__begin(&r->s->sql, "SELECT head FROM run WHERE id = ?", "i", run->id);
	struct json_object *root;
	char *head;
	int err;

	if (run->head)
		return 0;
	if (sql__next(&r->s->sql, st) <= 0)
		return -EIO;
	head = sql__text(st, 0);
	sqlite3_reset(st);
	root = head ? json__parse(head, strlen(head)) : NULL;
	run->head = xcalloc(1, sizeof(*run->head));
	err = root ? coverage__take(run->head, root, NULL, r->s->sql.path) :
		     error__return(-EINVAL, "%s: is damaged: run %lld makes no sense", r->s->sql.path,
				   (long long)run->id);
	if (err) {
		free(run->head);
		run->head = NULL;
	}
	json_object_put(root);
	free(head);
	return err;
}

/* Could the run see the function? The store has the answer for whole objects; else its head has it. */
static int could_see(struct runs *r, struct run *run, const struct sought *p, int sees, bool *ret)
{
	const struct function f = { .name = p->code->name, .module = p->code->module, .init = p->code->init };
	int err = 0;

	if (sees) {
		*ret = sees > p->code->init && !(run->blind && has_list(&p->left_out, run->blind));
	} else {
		err = read_head(r, run);
		*ret = !err && verdict__could_see(verdict__of(run->head, &f));
	}
	return err;
}

static void take_hit(struct sightings *e, const struct sought *p, size_t run)
{
	set(p->code && p->code->around ? e->maybe : e->ran, run);
	e->recorded |= p->code && !p->code->around;
	if (p->body)
		e->seen_in = e->seen_in ?: p->body->in;
}

/* Of a function with several codes, a run could have seen it if it could have seen each one. */
static void take_visible(struct sightings *e, size_t run, bool could)
{
	if (could && !runs__has(e->had, run))
		set(e->could, run);
	else if (!could)
		e->could[run / 8] &= ~(1 << run % 8);
	set(e->had, run);
}

/* A run without a row for a module did not have the module, so the module's code did not run then. */
static int judge_rows(struct runs *r, size_t kernel, int64_t object, const struct sought *list, size_t count,
		      struct sightings *evidence)
{
	sqlite3_stmt *st = sql__begin(&r->s->sql, "SELECT run, sees, functions, sites FROM ran WHERE object = ?", "i",
				      object);
	int more, err = 0;

	while (!err && (more = sql__next(&r->s->sql, st)) > 0) {
		struct run *run = find_run(r, sqlite3_column_int64(st, 0));
		const unsigned char *functions = sqlite3_column_blob(st, 2), *sites = sqlite3_column_blob(st, 3);
		size_t length = sqlite3_column_bytes(st, 2), sites_length = sqlite3_column_bytes(st, 3);

		if (!run || run->kernel != kernel)
			continue;
		for (size_t i = 0; !err && i < count; i++) {
			const struct sought *p = &list[i];
			bool could = true;

			if (has_any(p, p->code ? functions : sites, p->code ? length : sites_length)) {
				take_hit(&evidence[p->of], p, run - r->list);
			} else if (p->code) {
				err = could_see(r, run, p, sqlite3_column_int(st, 1), &could);
			}
			if (p->code)
				take_visible(&evidence[p->of], run - r->list, could);
		}
	}
	sqlite3_reset(st);
	return err ?: more;
}

struct judging {
	struct runs *r;
	size_t kernel;
	const struct code *codes;
	const struct body *bodies;
	size_t code_count, body_count;
	struct sightings *evidence;
};

static int judge_object(const struct judging *j, int64_t id)
{
	struct runs *r = j->r;
	struct sought *list = NULL;
	const struct known_object *o;
	struct sited *sites;
	size_t count = 0;
	uint32_t object;
	int err = knowns__object(&r->s->knowns, &object, id);

	if (err)
		return err;
	o = r->s->knowns.list[object];
	sites = sort_sites(&o->sites);
	for (size_t i = 0; !err && i < j->code_count; i++) {
		if (j->codes[i].object ? j->codes[i].object == id : text__equals(j->codes[i].module, o->name))
			err = find_numbers(r, object, &j->codes[i], LIST_ADD(list, count));
	}
	for (size_t i = 0; i < j->body_count; i++) {
		struct sought place = {};

		if (text__equals(j->bodies[i].module, o->name))
			find_sites(sites, o->sites.count, &j->bodies[i], &place);
		if (place.count)
			*LIST_ADD(list, count) = place;
	}
	if (!err && count)
		err = judge_rows(r, j->kernel, id, list, count, j->evidence);
	for (size_t i = 0; i < count; i++) {
		free(list[i].numbers);
		free(list[i].left_out.lists);
	}
	free(list);
	free(sites);
	return err;
}

int runs__judge(struct runs *r, size_t kernel, const struct code *codes, size_t code_count, const struct body *bodies,
		size_t body_count, struct sightings *list)
{
	const struct judging j = { r, kernel, codes, bodies, code_count, body_count, list };
	sqlite3_stmt *st = sql__begin(&r->s->sql, "SELECT DISTINCT object FROM ran JOIN run ON run.id = ran.run "
				      "WHERE run.kernel = ?", "i", r->kernels[kernel].object);
	int64_t *objects = NULL;
	size_t count = 0;
	int more, err;

	while ((more = sql__next(&r->s->sql, st)) > 0)
		*LIST_ADD(objects, count) = sqlite3_column_int64(st, 0);
	err = more;
	for (size_t i = 0; i < code_count; i++)
		list[codes[i].of].asked = true;
	for (size_t i = 0; !err && i < count; i++)
		err = judge_object(&j, objects[i]);
	free(objects);
	return err;
}
