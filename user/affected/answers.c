// SPDX-License-Identifier: GPL-2.0-only
/* Finds what is known of each changed function; see answers.h. */
#include "affected/answers.h"
#include "affected/makefiles.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/sorted.h"
#include "base/text.h"
#include "store/sql.h"

const struct class_text class_texts[CLASSES] = {
	[CLASS_NOT_RUN] = { "not-run", "did not run", "there, not seen", .missed = true },
	[CLASS_BLIND] = { "blind", "no run could see it", "there, open", .missed = true },
	[CLASS_NO_RUNS] = { "no-runs", "can be traced", "there, open", .missed = true },
	[CLASS_INLINED_UNKNOWN] = { "inlined-unknown", "inlined, unknown", "there, open" },
	[CLASS_NEW] = { "new", "new in this patch", "not there yet" },
	[CLASS_UNTRACEABLE] = { "untraceable", "cannot be traced", "there, open" },
	[CLASS_UNKNOWN] = { "unknown", "unknown", "open" },
	[CLASS_NOT_THERE] = { "not-there", "built, not there", "file built, function not there" },
	[CLASS_NOT_BUILT] = { "not-built", "not built", "file not built" },
	[CLASS_INLINED_SEEN] = { "inlined-seen", "inlined, seen", "there, seen", .seen = true },
	[CLASS_RAN] = { "ran", "ran", "there, seen", .seen = true },
};

/* ---- the code of the functions in a build */

struct finding {
	struct answers *a;
	const struct build *b;
	struct code *codes;
	struct body *bodies;
	size_t code_count, body_count;
	uint32_t **owner;		/* by image and source: the changed function + 1; 0: none */
	const struct image_function **last;	/* by changed function: into which it was found to be inlined */
};

static bool own(struct finding *f, const struct wanted_file *file, size_t function, bool by_line)
{
	const struct changed_function *c = &f->a->changed->list[function];
	bool any = false;

	for (size_t i = 0; file && i < file->count; i++) {
		const struct spot *s = &file->spots[i];

		if (by_line ? s->line >= c->start && s->line <= c->end : !strcmp(s->name, c->name)) {
			f->owner[s->image][s->source] = function + 1;
			any = true;
		}
	}
	return any;
}

static void find_owners(struct finding *f)
{
	const struct images *images = &f->b->proof.images;

	f->owner = xcalloc(images->count, sizeof(*f->owner));
	for (size_t i = 0; i < images->count; i++) {
		size_t count = 0;

		if (images->list[i].inlines)
			inlines__sources(images->list[i].inlines, &count);
		f->owner[i] = xcalloc(count, sizeof(**f->owner));
	}
	for (size_t i = 0; i < f->a->changed->count; i++) {
		const struct changed_function *c = &f->a->changed->list[i];
		const struct wanted_file *file = build__file(f->b, c->path), *old = build__file(f->b, c->old_path);
		/* Lines are those of the first build, but for a whole file. */
		bool by_line = c->start && (c->by == BY_RECORD || f->b == f->a->builds);

		/* Of a function that is written for two configurations, the lines may be those of the other one. */
		if (!by_line || !(own(f, file, i, true) | own(f, old, i, true))) {
			own(f, file, i, false);
			own(f, old, i, false);
		}
	}
}

static void add_code(struct finding *f, size_t of, const struct image_of *image, const struct image_function *function,
		     bool around)
{
	*LIST_ADD(f->codes, f->code_count) = (struct code){
		of, image->module, function->name,
		function->addr - (image->module && function->init ? IMAGE_MODULE_INIT : 0), .init = function->init,
		.around = around,
	};
}

static void add_body(struct finding *f, size_t of, const struct image_of *image, const char *in, uint64_t start,
		     uint64_t end)
{
	*LIST_ADD(f->bodies, f->body_count) = (struct body){ of, image->module, in, start, end };
}

/* A recorded call in an inlined body is a proof only if report/proof.c says so. */
static bool is_proved(const struct finding *f, size_t image, uint32_t source)
{
	const struct sources *s = f->b->proof.sources ? &f->b->proof.sources[image] : NULL;

	return s && s->count && set__has(sets__at(&s->marks, source * SOURCE_MARKS + MARK_OF_PROOF), 0);
}

/* Recorded calls that name the function lead to it. */
static void add_calls(struct finding *f, size_t of, const struct image_of *image, const struct image_function *function)
{
	const struct edges *e = &f->b->proof.edges;
	size_t count = 0;
	const size_t *list = e->nodes ? edges__to(e, images__number(image, function), &count) : NULL;

	for (size_t i = 0; i < count; i++) {
		const struct edge *edge = &e->list[list[i]];

		if (!edge->entered)
			add_body(f, of, edge->of, function->name, edge->call.site, edge->call.returns_to);
	}
}

static void add_own(struct finding *f, size_t i, const struct image_function *function)
{
	const struct image_of *image = &f->b->proof.images.list[i];
	uint32_t source = inlines__source_of(image->inlines, function), owner;
	struct answer *answer;

	owner = source == INLINES_NONE ? 0 : f->owner[i][source];
	if (!owner)
		return;
	answer = &f->a->list[owner - 1];
	if (function->untraced) {
		/* A fragment runs only with its function, which may be traced. */
		if (!answer->untraced || answer->untraced == UNTRACED_FRAGMENT)
			answer->untraced = function->untraced;
		add_body(f, owner - 1, image, function->name, function->addr, function->addr + function->size);
		add_calls(f, owner - 1, image, function);
	} else {
		answer->codes++;
		add_code(f, owner - 1, image, function, false);
	}
}

static void add_inlined(struct finding *f, size_t i, const struct image_function *function)
{
	const struct image_of *image = &f->b->proof.images.list[i];
	const struct image_function *whole = edges__whole(image, function);
	size_t count;
	const struct inlined *inside = inlines__inside(image->inlines, function, &count);

	for (size_t k = 0; k < count; k++) {
		uint32_t owner = f->owner[i][inside[k].source];
		struct answer *answer = &f->a->list[owner - !!owner];

		if (!owner)
			continue;
		if (is_proved(f, i, inside[k].source))
			add_body(f, owner - 1, image, whole->name, inside[k].start, inside[k].end);
		if (f->last[owner - 1] == whole)
			continue;
		f->last[owner - 1] = whole;
		answer->inlined++;
		answer->into = answer->into ?: whole->name;
		if (whole->untraced)
			answer->hidden = true;
		else
			add_code(f, owner - 1, image, whole, true);
	}
}

/*
 * If two functions are the same, the compiler makes one code of both, and describes only one. The name of the other is
 * a second one of that code, or a jump to it.
 */
static void add_merged(struct finding *f, size_t i, size_t of)
{
	const struct image_of *image = &f->b->proof.images.list[i];
	const struct changed_function *c = &f->a->changed->list[of];
	struct answer *answer = &f->a->list[of];
	size_t count = 0;
	const struct image_function *const *list = image->image ? image__named(image->image, c->name, &count) : NULL;

	for (size_t k = 0; list && k < count; k++) {
		const struct unit *unit = image__unit(image->image, list[k]->addr);
		bool shared = strcmp(list[k]->name, c->name);

		if (!unit || (strcmp(unit->path, c->path) && !text__is_known_equal(c->old_path, unit->path)))
			continue;
		answer->untraced = list[k]->untraced;
		if (list[k]->untraced)
			continue;
		answer->codes += !shared;
		answer->inlined += shared;
		answer->into = shared ? list[k]->name : answer->into;
		add_code(f, of, image, list[k], shared);
	}
}

static void find_code(struct finding *f)
{
	const struct images *images = &f->b->proof.images;

	find_owners(f);
	f->last = xcalloc(f->a->changed->count, sizeof(*f->last));
	for (size_t i = 0; i < images->count; i++) {
		size_t count = 0;
		const struct image_function *list = images->list[i].inlines ?
			image__functions(images->list[i].image, &count) : NULL;

		for (size_t k = 0; k < count; k++) {
			add_own(f, i, &list[k]);
			add_inlined(f, i, &list[k]);
		}
		free(f->owner[i]);
	}
	for (size_t k = 0; k < f->a->changed->count; k++) {
		const struct answer *answer = &f->a->list[k];

		for (size_t i = 0; !answer->codes && !answer->inlined && !answer->untraced && i < images->count; i++)
			add_merged(f, i, k);
	}
	free(f->owner);
	free(f->last);
}

/* ---- and without its files: by the names that runs and function lists have */

static bool is_file_of(const struct changed_function *c, const char *file)
{
	return text__is_known_equal(file, c->path) || text__is_known_equal(file, c->old_path);
}

/* "name", and "name.isra.0" that the compiler has made of it; or all functions of a file. */
static sqlite3_stmt *begin_names(struct sql *sql, const struct changed_function *c)
{
#define SELECT "SELECT object.name, function.name, unit, file, untraced, init, object, nr FROM function " \
	       "JOIN object ON object.id = object WHERE "
	if (c->by == BY_RECORD)
		return sql__begin(sql, SELECT "?1 IN (file, unit)", "t", c->path);
	return sql__begin(sql, SELECT "function.name = ?1 OR function.name BETWEEN ?1 || '.' AND ?1 || '/'", "t",
			  c->name);
#undef SELECT
}

static int find_names(struct finding *f, struct runs *r, struct strings *names)
{
	int more = 0;

	for (size_t i = 0; !more && i < f->a->changed->count; i++) {
		const struct changed_function *c = &f->a->changed->list[i];
		sqlite3_stmt *st = begin_names(store__sql(r->s), c);

		while ((more = sql__next(store__sql(r->s), st)) > 0) {
			const char *text[5];

			for (int k = 0; k < 5; k++)
				text[k] = (const char *)sqlite3_column_text(st, k);
			if (!text[1])
				continue;
			/* Another file may have such a name. A unit may have functions of its headers. */
			if (!is_file_of(c, text[2]) && !is_file_of(c, text[3])) {
				f->a->list[i].unplaced |= !text[3] && (!text[2] || !path__is_compiled(c->path));
				continue;
			}
			if (text[4]) {
				f->a->list[i].untraced = untraced__of_word(text[4]);
				continue;
			}
			f->a->list[i].codes++;
			*LIST_ADD(f->codes, f->code_count) = (struct code){
				.of = i, .module = text[0] ? strings__intern(names, text[0]) : NULL,
				.name = strings__intern(names, text[1]), .init = sqlite3_column_int(st, 5),
				.object = sqlite3_column_int64(st, 6), .nr = sqlite3_column_int64(st, 7),
			};
		}
	}
	return more;
}

/* ---- classes */

/*
 * Why a build may have more code of a function than was read, as a text to be freed; NULL: it cannot. @seeable: code
 * that a run could have seen; of a module that no run had, nothing ran.
 */
static char *unread_code(const struct answers *a, const struct changed_function *c, bool seeable)
{
	bool compiled = path__is_compiled(c->path);

	for (size_t i = 0; i < a->build_count; i++) {
		const struct build *b = &a->builds[i];
		size_t modules = compiled ? b->missing + b->nameless : b->unread;

		if (!seeable && !compiled && b->listed > b->modules)
			modules += b->listed - b->modules;
		if (!b->lines)
			return xstrdup("the build has no debug information");
		if (modules)
			return xasprintf("it may be in %zu module%s that %s not read", modules, modules == 1 ? "" : "s",
					 modules == 1 ? "was" : "were");
		if (!seeable && b->unlisted)
			return xstrdup("it may be in a module: no file of one is at hand");
	}
	return a->build_count ? NULL : xstrdup("what the build has is not known: give --vmlinux");
}

static bool is_built(const struct answers *a, const struct changed_function *c)
{
	for (size_t i = 0; i < a->build_count; i++) {
		const struct wanted_file *file = build__file(&a->builds[i], c->path);
		const struct wanted_file *old = build__file(&a->builds[i], c->old_path);

		if ((file && (file->units || file->count)) || (old && (old->units || old->count)))
			return true;
	}
	return false;
}

/* The class if no run saw it. */
static enum class find_unseen(const struct answer *answer)
{
	const struct sightings *e = &answer->evidence;

	/* A file that is not traced may have a copy of a function of a header. No run could have seen that. */
	if (answer->untraced && (!(answer->codes || answer->inlined) ||
				 (answer->codes && answer->untraced != UNTRACED_FRAGMENT)))
		return CLASS_UNTRACEABLE;
	return answer->could ? CLASS_NOT_RUN : e->asked ? CLASS_BLIND : CLASS_NO_RUNS;
}

/* @ret_why: why it is unknown, to be freed; or NULL */
static enum class find_class(const struct answers *a, size_t function, char **ret_why)
{
	const struct changed_function *c = &a->changed->list[function];
	const struct answer *answer = &a->list[function];
	const struct sightings *e = &answer->evidence;
	bool here = answer->codes || answer->inlined || answer->untraced, built = is_built(a, c);
	enum class class;

	*ret_why = NULL;
	if (answer->ran)
		return e->recorded || !answer->inlined ? CLASS_RAN : CLASS_INLINED_SEEN;
	if (answer->inlined && (answer->hidden || runs__count(a->runs, e->maybe)))
		return CLASS_INLINED_UNKNOWN;
	class = here ? find_unseen(answer) : built ? CLASS_NOT_THERE : CLASS_NOT_BUILT;
	if (!here && answer->unplaced)
		*ret_why = xstrdup("runs name such a function, but not its file: give --vmlinux");
	else if (!here && c->is_new)
		return CLASS_NEW;
	else if (!here && built && name__is_macro(c->name))
		*ret_why = xstrdup("a macro makes it, so its name is not known");
	/* Of a file that is compiled by itself, all code was read if any was. */
	else if (here ? path__is_header(c->path) && (class == CLASS_NOT_RUN || class == CLASS_BLIND) :
			!built || !path__is_compiled(c->path))
		*ret_why = unread_code(a, c, here);
	return *ret_why ? CLASS_UNKNOWN : class;
}

/* The kernel of the runs whose files these are; kernel_count: no run is of it. */
static size_t kernel_of(const struct runs *r, const struct build *b)
{
	size_t i = 0;

	while (i < r->kernel_count && !text__is_known_equal(r->kernels[i].build_id, b->build_id))
		i++;
	return i;
}

static void settle(struct answers *a, size_t function)
{
	struct answer *answer = &a->list[function];
	const struct sightings *e = &answer->evidence;
	const char *path = a->changed->list[function].path;

	for (size_t i = 0; i < a->runs->count; i++) {
		const struct run *run = &a->runs->list[i];

		if (runs__has(e->ran, i)) {
			if (!answer->ran++ || text__compare(run->started, a->runs->list[answer->last].started) >= 0)
				answer->last = i;
		} else if (runs__has(e->could, i) && !runs__has(e->maybe, i)) {
			answer->could++;
			answer->complete += run->complete;
		}
	}
	answer->class = find_class(a, function, &answer->why);
	a->classes[answer->class]++;
	if (answer->class == CLASS_NOT_BUILT && a->tags[NEW].makefiles && path__is_compiled(path))
		answer->options = makefiles__options(a->tags[NEW].makefiles, path, a->names, &answer->option_count);
}

/*
 * If only runs of other builds have seen the function: is its code the same on the first build? The store has hashes of
 * code, if it has function lists of both.
 */
static int find_unchanged(struct answers *a, struct runs *runs, size_t function)
{
	struct answer *answer = &a->list[function];
	const struct changed_function *c = &a->changed->list[function];
	size_t here = a->build_count ? kernel_of(runs, &a->builds[0]) : 0;
	sqlite3_int64 same;
	int more;

	answer->elsewhere = answer->ran && a->build_count;
	for (size_t i = 0; i < runs->count; i++)
		answer->elsewhere &= !runs__has(answer->evidence.ran, i) || runs->list[i].kernel != here;
	answer->unchanged = -1;
	if (!answer->elsewhere || here == runs->kernel_count)
		return 0;
	more = sql__number(store__sql(runs->s), &same, "SELECT coalesce(max(old.text = new.text), -1) "
			   "FROM function AS new JOIN function AS old ON old.name = new.name AND old.unit IS new.unit "
			   "AND old.object <> new.object WHERE new.name = ? AND ? IN (new.file, new.unit) AND "
			   "old.first_run IS NOT NULL AND new.object IN (SELECT object FROM ran JOIN run "
			   "ON run.id = ran.run WHERE run.kernel = ?)", "tti", c->name, c->path,
			   runs->kernels[here].object);
	if (more > 0)
		answer->unchanged = same;
	return more < 0 ? more : 0;
}

static int by_class(const void *x, const void *y, void *data)
{
	const struct answers *a = data;
	size_t i = *(const size_t *)x, k = *(const size_t *)y;

	return ORDER(a->list[i].class, a->list[k].class) ?:
	       strcmp(a->changed->list[i].path, a->changed->list[k].path) ?: ORDER(i, k);
}

static int ask(struct finding *f, struct runs *runs, size_t kernel)
{
	struct sightings *list = xcalloc(f->a->changed->count, sizeof(*list));
	int err;

	for (size_t i = 0; i < f->a->changed->count; i++)
		list[i] = f->a->list[i].evidence;
	err = runs__judge(runs, kernel, f->codes, f->code_count, f->bodies, f->body_count, list);
	for (size_t i = 0; i < f->a->changed->count; i++)
		f->a->list[i].evidence = list[i];
	free(list);
	return err;
}

static int find_in_build(struct answers *a, struct runs *runs, const struct build *b)
{
	struct finding f = { .a = a, .b = b };
	size_t kernel = kernel_of(runs, b);
	int err = 0;

	find_code(&f);
	if (kernel < runs->kernel_count)
		err = ask(&f, runs, kernel);
	free(f.codes);
	free(f.bodies);
	return err;
}

static int find_by_name(struct answers *a, struct runs *runs, size_t kernel)
{
	struct finding f = { .a = a };
	struct strings *names = strings__new();
	int err;

	err = find_names(&f, runs, names) ?: ask(&f, runs, kernel);
	strings__free(names);
	free(f.codes);
	return err;
}

int answers__find(struct answers *a, struct runs *runs)
{
	size_t count = a->changed->count;
	bool *has = xcalloc(runs->kernel_count, sizeof(*has));
	int err = 0;

	a->names = strings__new();
	a->list = xcalloc(count, sizeof(*a->list));
	a->order = xcalloc(count, sizeof(*a->order));
	for (size_t i = 0; i < count; i++)
		sightings__init(&a->list[i].evidence, runs);
	for (size_t i = 0; !err && i < a->build_count; i++) {
		size_t kernel = kernel_of(runs, &a->builds[i]);

		if (kernel < runs->kernel_count && a->builds[i].lines)
			has[kernel] = true;
		err = find_in_build(a, runs, &a->builds[i]);
	}
	for (size_t i = 0; !err && i < runs->kernel_count; i++)
		err = has[i] ? 0 : find_by_name(a, runs, i);
	for (size_t i = 0; i < count; i++) {
		settle(a, i);
		a->order[i] = i;
		err = err ?: find_unchanged(a, runs, i);
	}
	qsort_r(a->order, count, sizeof(*a->order), by_class, a);
	free(has);
	return err;
}

void answers__free(struct answers *a)
{
	for (size_t i = 0; a->list && i < a->changed->count; i++) {
		sightings__free(&a->list[i].evidence);
		free(a->list[i].why);
		free(a->list[i].options);
	}
	free(a->list);
	free(a->order);
	strings__free(a->names);
}
