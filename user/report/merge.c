// SPDX-License-Identifier: GPL-2.0-only
/* Joins several recordings into one; see merge.h. */
#include <argp.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/index.h"
#include "base/program.h"
#include "base/text.h"
#include "document/coverage.h"
#include "document/coverage_json.h"
#include "report/commands.h"
#include "report/documents.h"
#include "report/merge.h"
#include "run/output.h"

/* ---- whether they can be merged */

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

static int check(const struct coverage *first, const struct coverage *c, const char *path)
{
	if (!coverage__same_build(first, c, NULL))
		return error__return(-EINVAL, "%s: is of another build of the kernel, %s and not %s: `hytrace diff` "
				     "compares two builds", path, c->kernel.build_id ?: "unknown",
				     first->kernel.build_id ?: "unknown");
	if (!globs__are_same(&first->filter.allow, &c->filter.allow) ||
	    !globs__are_same(&first->filter.deny, &c->filter.deny))
		return error__return(-EINVAL, "%s: has other filters (-a, -d) than the first recording: a union "
				     "could not tell which functions were not called", path);
	if (!c->kernel.offset_known)
		return error__return(-EINVAL, "%s: has no addresses as linked, as it was not known where the kernel "
				     "ran: its functions cannot be matched", path);
	return 0;
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
		if (globs__has(&from->own, to->own.list[i].text))
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

#define LESS(a, b) ((a) < (b) ? (a) : (b))
#define MORE(a, b) ((a) > (b) ? (a) : (b))

static void join_window(struct window *to, const struct window *from)
{
	to->opening = LESS(to->opening, from->opening);
	to->open = LESS(to->open, from->open);
	to->closing = MORE(to->closing, from->closing);
	to->closed = MORE(to->closed, from->closed);
	to->error = MORE(to->error, from->error);
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
	if (to->command && !coverage__same_command(to, c)) {
		texts__free(to->command);
		to->command = NULL;
	}
	join_window(&to->window, &c->window);
	to->how.callers &= c->how.callers;
	to->how.retire |= c->how.retire;
	if (to->how.entry != c->how.entry)
		to->how.entry = ENTRY_ANY;
	to->seconds += c->seconds;
	to->follows_modules |= c->follows_modules;
	if (c->started && (!to->started || c->started < to->started))
		to->started = c->started;
	to->traceable = MORE(to->traceable, c->traceable);
	to->traced = MORE(to->traced, c->traced);
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

/* @places: the index in to->hits, by place_key() */
static void add_hit(struct coverage *to, struct lh_table *places, const struct coverage *c, const struct hit *hit)
{
	struct hits *hits = &to->hits;
	char *key = place_key(to, c, hit);
	struct lh_entry *entry = lh_table_lookup_entry(places, key);
	struct hit copy = *hit, *known;

	if (entry) {
		free(key);
	} else {
		copy.addr = copy.runs = 0;
		copy.first_ns = UINT64_MAX;
		copy.name = copy.other.name = NULL;
		copy.module = intern(hits, hit->module);
		hits__add(hits, &copy);
		index__add(places, key, (void *)(uintptr_t)(hits->count - 1));
	}
	known = &hits->list[entry ? (uintptr_t)lh_entry_v(entry) : hits->count - 1];
	known->runs += hit->runs ?: 1;
	known->name = known->name ?: hits__name(hits, hit->name);
	if (!known->other.name)
		copy_other(hits, known, hit);
	/* If the runs are of several boots, merge__run() clears these times later. */
	if (hit->first_ns >= known->first_ns)
		return;
	known->first_ns = hit->first_ns;
	known->cpu = hit->cpu;
	known->pid = hit->pid;
	known->tgid = hit->tgid;
	known->comm = intern(hits, hit->comm);
	if (entry && hit->other.name)
		copy_other(hits, known, hit);
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
	struct lh_table *places;
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
	places = index__new(16384, index__free_key);
	for (size_t i = 0; i < count; i++) {
		for (size_t j = 0; j < documents[i]->hits.count; j++) {
			const struct hit *hit = &documents[i]->hits.list[j];

			if (hit->kind != HIT_CALLER || ret->how.callers)
				add_hit(ret, places, documents[i], hit);
		}
	}
	lh_table_free(places);
	if (coverage__knows_first(ret))
		hits__order(&ret->hits);
	else
		forget_times(ret);
	return 0;
}

/* ---- the command */

static const struct argp_option options[] = {
	OPTION_OUTPUT,
	{ }
};

struct merge_options {
	const char *const *paths;
	size_t count;
	struct result_options result;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct merge_options *o = state->input;

	switch (key) {
	case ARGP_KEY_ARGS:
		o->count = option__arguments(state, &o->paths);
		break;
	case ARGP_KEY_END:
		if (!o->count)
			argp_usage(state);
		break;
	default:
		return result_options__parse(&o->result, key, arg, state);
	}
	return 0;
}

static int merge(const struct merge_options *o, const struct documents *d)
{
	struct output *output;
	struct coverage c;
	int err;

	err = merge__run(&c, d->list, d->count, d->paths);
	if (err)
		return err;
	err = output__open(&output, o->result.output, NULL);
	if (!err) {
		coverage__write_json(&c, output__stream(output));
		err = output__finish(output, 0);
	}
	coverage__free(&c);
	return err;
}

int cmd_merge(int argc, char **argv)
{
	static const struct argp argp = {
		.options = options,
		.parser = parse,
		.args_doc = "FILE...",
		.doc = "Joins several recordings of `hytrace cover -f json`, of one kernel build, into one: all "
		       "that any of them has seen, and how many of them have seen it.\vExamples:\n"
		       "  hytrace merge -o week.json monday.json tuesday.json\n"
		       "  hytrace merge machine-*.json.zst | zstd -o all.json.zst\n\n"
		       "Exit status: 0 done, 1 failed, 2 usage, or FILEs that do not go together.",
	};
	struct merge_options o = {};
	struct documents d;
	int err;

	if (argp_parse(&argp, argc, argv, 0, NULL, &o))
		return EXIT_USAGE;
	err = documents__read(&d, o.paths, o.count);
	if (!err)
		err = merge(&o, &d);
	documents__free(&d);
	return error__status(err, false);
}
