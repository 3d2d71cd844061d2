// SPDX-License-Identifier: GPL-2.0-only
/* Joins several recordings into one; see merge.h. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/index.h"
#include "base/text.h"
#include "document/losses.h"
#include "report/merge.h"

struct merging {
	struct coverage *to;
	struct lh_table *places;	/* index in to->hits, by place_key() */
};

/* ---- whether they can be merged */

static bool has_glob(const struct globs *globs, const char *text)
{
	for (size_t i = 0; i < globs->count; i++) {
		if (!strcmp(globs->list[i].text, text))
			return true;
	}
	return false;
}

static bool all_in(const struct globs *globs, const struct globs *other)
{
	for (size_t i = 0; i < globs->count; i++) {
		if (!has_glob(other, globs->list[i].text))
			return false;
	}
	return true;
}

static bool same_globs(const struct globs *a, const struct globs *b)
{
	return all_in(a, b) && all_in(b, a);
}

/* Compares the modules with those of the recordings that were merged before. */
static int check_modules(const struct coverage *to, const struct coverage *c, const char *path)
{
	for (size_t i = 0; i < c->modules.count; i++) {
		const struct covered_module *m = &c->modules.list[i];

		if (covered_module__differs(m, covered_modules__find(&to->modules, m->name)))
			return error__return(-EINVAL, "%s: has another build of the module %s, in which an offset "
					     "means another function", path, m->name);
	}
	return 0;
}

static int check_places(const struct coverage *c, const char *path)
{
	if (c->kernel.offset_known)
		return 0;
	return error__return(-EINVAL, "%s: has no addresses as linked, as it was not known where the kernel ran: "
			     "its functions cannot be matched", path);
}

static int check(const struct coverage *first, const struct coverage *c, const char *path)
{
	if (!coverage__same_build(first, c, NULL))
		return error__return(-EINVAL, "%s: is of another build of the kernel, %s and not %s: `hytrace diff` "
				     "compares two builds", path, c->kernel.build_id ?: "unknown",
				     first->kernel.build_id ?: "unknown");
	if (!same_globs(&first->filter.allow, &c->filter.allow) || !same_globs(&first->filter.deny, &c->filter.deny))
		return error__return(-EINVAL, "%s: has other filters (-a, -d) than the first recording: a union "
				     "could not tell which functions were not called", path);
	return check_places(c, path);
}

/* ---- the head */

static bool same_run(const struct merged_run *a, const struct merged_run *b)
{
	return a->started && a->started == b->started && text__equals(a->engine, b->engine) &&
	       text__equals(a->boot_id, b->boot_id) && text__equals(a->host, b->host);
}

static struct merged_run run_of(const struct coverage *c)
{
	return (struct merged_run){
		.engine = c->engine, .host = c->host, .boot_id = c->boot_id, .started = c->started,
		.seconds = c->seconds, .complete = losses__complete(&c->lost),
	};
}

/* A run must not be merged twice, because hits count the runs in which they were seen. */
static int check_runs(const struct coverage *to, const struct coverage *c, const char *path)
{
	const struct merged_run one = run_of(c), *list = c->merged ? c->merged : &one;
	size_t count = c->merged ? c->merged_count : 1;

	for (size_t i = 0; i < to->merged_count * count; i++) {
		if (same_run(&to->merged[i / count], &list[i % count]))
			return error__return(-EINVAL, "%s: a run of it is in another file as well: it would count "
					     "twice", path);
	}
	return 0;
}

static void add_runs(struct coverage *to, const struct coverage *c)
{
	const struct merged_run one = run_of(c);

	for (size_t i = 0; i < (c->merged ? c->merged_count : 1); i++) {
		struct merged_run run = c->merged ? c->merged[i] : one;

		run.engine = xstrdup(run.engine);
		run.host = xstrdup(run.host);
		run.boot_id = xstrdup(run.boot_id);
		*LIST_ADD(to->merged, to->merged_count) = run;
	}
}

/*
 * Keeps a module's build id only if each recording with hits in the module has it: in another
 * build, the same offsets are other functions.
 */
static void forget_unnamed_builds(struct coverage *to, const struct coverage *c)
{
	const char *last = NULL;

	for (size_t i = 0; i < c->hits.count; i++) {
		const char *module = c->hits.list[i].module;
		const struct covered_module *m;
		struct covered_module *joined;

		if (!module || module == last)
			continue;
		last = module;
		m = covered_modules__find(&c->modules, module);
		joined = (void *)covered_modules__find(&to->modules, module);
		if (joined && !(m && m->build_id)) {
			free(joined->build_id);
			joined->build_id = NULL;
		}
	}
}

static void add_modules(struct coverage *to, const struct coverage *c)
{
	for (size_t i = 0; i < c->modules.count; i++) {
		const struct covered_module *m = &c->modules.list[i];
		struct covered_module *added = (void *)covered_modules__find(&to->modules, m->name);

		if (!added) {
			added = covered_modules__add(&to->modules, m->name);
			added->size = m->size;
			added->came = m->came;
			added->went = m->went;
		}
		/* Recordings that had the module all the time could see its functions. */
		added->came &= m->came;
		added->went &= m->went;
		added->build_id = added->build_id ?: xstrdup(m->build_id);
		added->srcversion = added->srcversion ?: xstrdup(m->srcversion);
	}
}

static void add_loss(struct coverage *to, const struct counter *loss)
{
	for (size_t i = 0; i < to->lost.count; i++) {
		if (!strcmp(to->lost.list[i].name, loss->name)) {
			counter__raise(&to->lost.list[i], loss->value);
			return;
		}
	}
	counters__add(&to->lost, hits__name(&to->hits, loss->name), loss->value);
}

static bool in_list(char *const *list, const char *text)
{
	for (; list && *list; list++) {
		if (!strcmp(*list, text))
			return true;
	}
	return false;
}

/* A function is unattached only if no recording could attach to it. */
static void limit_unattached(struct coverage *to, const struct coverage *c)
{
	size_t kept = 0;

	for (char **item = to->unattached; item && *item; item++) {
		if (in_list(c->unattached, *item))
			to->unattached[kept++] = *item;
		else
			free(*item);
	}
	if (to->unattached)
		to->unattached[kept] = NULL;
}

/* A helper is excluded only if all recordings excluded it. */
static void limit_own(struct filter *to, const struct filter *from)
{
	struct globs left = {};

	for (size_t i = 0; i < to->own.count; i++) {
		if (has_glob(&from->own, to->own.list[i].text))
			globs__add(&left, to->own.list[i].text);
	}
	globs__free(&to->own);
	to->own = left;
}

static void forget_unless_same(char **text, const char *other)
{
	if (*text && !text__equals(*text, other)) {
		free(*text);
		*text = NULL;
	}
}

static void forget_command(struct coverage *to, const struct coverage *c)
{
	if (!to->command || coverage__same_command(to, c))
		return;
	for (char **word = to->command; *word; word++)
		free(*word);
	free(to->command);
	to->command = NULL;
}

/*
 * Keeps the scope that includes the other one. If each includes the other, --boot wins: its run
 * could see init text, which then counts as asked for.
 */
static void join_scope(struct coverage *to, const struct coverage *c)
{
	struct scope *scope = &to->scope;
	bool has_all = coverage__lies_in(to, c);

	if (has_all && (c->scope.kind == SCOPE_BOOT || !coverage__lies_in(c, to)))
		*scope = (struct scope){
			.kind = c->scope.kind, .pid = c->scope.pid, .cgroup = hits__name(&to->hits, c->scope.cgroup),
			.comm = hits__name(&to->hits, c->scope.comm),
		};
	if (has_all || coverage__lies_in(c, to))
		return;
	scope->kind = SCOPE_SEVERAL;
	scope->pid = 0;
	if (!text__equals(scope->cgroup, c->scope.cgroup))
		scope->cgroup = NULL;
	if (!text__equals(scope->comm, c->scope.comm))
		scope->comm = NULL;
}

static void join_window(struct window *to, const struct window *from)
{
	if (from->opening < to->opening)
		to->opening = from->opening;
	if (from->open < to->open)
		to->open = from->open;
	if (from->closing > to->closing)
		to->closing = from->closing;
	if (from->closed > to->closed)
		to->closed = from->closed;
	if (from->error > to->error)
		to->error = from->error;
}

static char **copy_texts(char *const *list)
{
	size_t count = 0;
	char **copy;

	for (; list && list[count]; count++)
		;
	copy = list ? xcalloc(count + 1, sizeof(*copy)) : NULL;
	for (size_t i = 0; i < count; i++)
		copy[i] = xstrdup(list[i]);
	return copy;
}

static void begin(struct coverage *to, const struct coverage *first)
{
	coverage__init(to, first->engine);
	kernel_id__copy(&to->kernel, &first->kernel);
	to->host = xstrdup(first->host);
	to->boot_id = xstrdup(first->boot_id);
	filter__copy(&to->filter, &first->filter);
	to->command = copy_texts(first->command);
	to->unattached = copy_texts(first->unattached);
	to->scope = first->scope;
	to->scope.cgroup = hits__name(&to->hits, first->scope.cgroup);
	to->scope.comm = hits__name(&to->hits, first->scope.comm);
	to->how = first->how;
	to->started = first->started;
	to->window = first->window;
	to->ended = ENDED_BY_MERGING;
}

static void add_head(struct coverage *to, const struct coverage *c)
{
	join_scope(to, c);
	forget_unless_same(&to->host, c->host);
	forget_unless_same(&to->boot_id, c->boot_id);
	forget_command(to, c);
	join_window(&to->window, &c->window);
	to->how.callers &= c->how.callers;
	to->how.retire |= c->how.retire;
	if (to->how.entry != c->how.entry)
		to->how.entry = ENTRY_ANY;
	to->seconds += c->seconds;
	to->follows_modules |= c->follows_modules;
	if (c->started && (!to->started || c->started < to->started))
		to->started = c->started;
	if (c->traceable > to->traceable)
		to->traceable = c->traceable;
	if (c->traced > to->traced)
		to->traced = c->traced;
	if (!text__equals(to->engine, c->engine)) {
		free(to->engine);
		to->engine = xstrdup("several");
	}
	add_runs(to, c);
	add_modules(to, c);
	for (size_t i = 0; i < c->lost.count; i++)
		add_loss(to, &c->lost.list[i]);
	limit_unattached(to, c);
	limit_own(&to->filter, &c->filter);
}

/* ---- the hits */

/* How many hits of its name in its module lie at lower offsets? */
static unsigned int number_of_namesake(const struct coverage *c, const struct hit *hit)
{
	unsigned int number = 0;

	for (size_t i = 0; hit->module && i < c->hits.count; i++) {
		const struct hit *other = &c->hits.list[i];

		number += other->kind == hit->kind && other->into == hit->into && other->offset < hit->offset &&
			  text__equals(other->module, hit->module) && text__equals(other->name, hit->name);
	}
	return number;
}

/* Keys hits by address, which may have several names; by name if it or the build is unknown. */
static char *place_key(const struct coverage *to, const struct coverage *c, const struct hit *hit)
{
	const struct covered_module *m = hit->module ? covered_modules__find(&to->modules, hit->module) : NULL;
	bool is_placed = hit->module ? m && m->build_id : hit->link;

	if (is_placed || !hit->name)
		return xasprintf("%u %s %llx", hit->kind, hit->module ?: "",
				 (unsigned long long)(hit->module ? hit->offset : hit->link));
	return xasprintf("%u %s %s %u %llx %u", hit->kind, hit->module ?: "", hit->name, hit->sympos,
			 (unsigned long long)hit->into, number_of_namesake(c, hit));
}

static const char *intern(struct hits *hits, const char *text)
{
	return text ? strings__intern(hits->names, text) : NULL;
}

static void copy_other(struct hits *hits, struct hit *to, const struct hit *from)
{
	to->other = from->other;
	to->other.name = hits__name(hits, from->other.name);
	to->other.module = intern(hits, from->other.module);
}

static void add_hit(struct merging *m, const struct coverage *c, const struct hit *hit)
{
	struct hits *hits = &m->to->hits;
	struct hit copy = *hit, *known;
	struct lh_entry *entry;
	char *key = place_key(m->to, c, hit);

	copy.runs = hit->runs ?: 1;
	entry = lh_table_lookup_entry(m->places, key);
	if (entry) {
		free(key);
		known = &hits->list[(uintptr_t)lh_entry_v(entry)];
		known->runs += copy.runs;
		known->name = known->name ?: hits__name(hits, hit->name);
		if (!known->other.name)
			copy_other(hits, known, hit);
		/* If the runs are of several boots, merge__run() clears these times later. */
		if (hit->first_ns < known->first_ns) {
			known->first_ns = hit->first_ns;
			known->cpu = hit->cpu;
			known->pid = hit->pid;
			known->tgid = hit->tgid;
			known->comm = intern(hits, hit->comm);
			if (hit->other.name)
				copy_other(hits, known, hit);
		}
		return;
	}
	copy.addr = 0;
	copy.name = hits__name(hits, hit->name);
	copy.module = intern(hits, hit->module);
	copy.comm = intern(hits, hit->comm);
	copy_other(hits, &copy, hit);
	hits__add(hits, &copy);
	index__add(m->places, key, (void *)(uintptr_t)(hits->count - 1));
}

/* Times of several boots cannot be compared: no hit is the first, and no window is common. */
static void forget_times(struct coverage *c)
{
	c->window = (struct window){};
	for (size_t i = 0; i < c->hits.count; i++) {
		struct hit *hit = &c->hits.list[i];

		hit->first_ns = hit->cpu = hit->pid = hit->tgid = 0;
		hit->comm = NULL;
	}
}

int merge__run(struct coverage *ret, const struct coverage *const *documents, size_t count,
	       const char *const *paths)
{
	struct merging m = { .to = ret };
	int err = 0;

	for (size_t i = 0; !err && i < count; i++)
		err = check(documents[0], documents[i], paths[i]);
	if (err)
		return err;
	begin(ret, documents[0]);
	for (size_t i = 0; i < count; i++) {
		err = check_modules(ret, documents[i], paths[i]) ?: check_runs(ret, documents[i], paths[i]);
		if (err) {
			coverage__free(ret);
			return err;
		}
		add_head(ret, documents[i]);
	}
	/* The key of a hit depends on the modules of all recordings. */
	for (size_t i = 0; i < count; i++)
		forget_unnamed_builds(ret, documents[i]);
	m.places = index__new(16384, index__free_key);
	for (size_t i = 0; i < count; i++) {
		for (size_t j = 0; j < documents[i]->hits.count; j++) {
			const struct hit *hit = &documents[i]->hits.list[j];

			if (hit->kind != HIT_CALLER || ret->how.callers)
				add_hit(&m, documents[i], hit);
		}
	}
	lh_table_free(m.places);
	if (coverage__knows_first(ret))
		hits__order(&ret->hits);
	else
		forget_times(ret);
	return 0;
}
