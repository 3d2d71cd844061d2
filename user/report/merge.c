// SPDX-License-Identifier: GPL-2.0-only
/* Joins several recordings into one; see merge.h. */
#include <argp.h>

#include "base/error.h"
#include "base/index.h"
#include "base/program.h"
#include "base/sorted.h"
#include "base/text.h"
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

/* The union has the build and the filters of the first recording. */
static int check(const struct coverage *to, const struct coverage *c, const char *path)
{
	if (!coverage__same_build(to, c, NULL))
		return error__return(-EINVAL, "%s: is of another build of the kernel, %s and not %s: `hytrace diff` "
				     "compares two builds", path, c->kernel.build_id ?: "unknown",
				     to->kernel.build_id ?: "unknown");
	if (!globs__are_same(&to->filter.allow, &c->filter.allow) ||
	    !globs__are_same(&to->filter.deny, &c->filter.deny))
		return error__return(-EINVAL, "%s: has other filters (-a, -d) than the first recording: a union "
				     "could not tell which functions were not called", path);
	if (c->min_runs > 1)
		return error__return(-EINVAL, "%s: has only what at least %llu of its runs have seen: its runs cannot "
				     "be counted with others", path, (unsigned long long)c->min_runs);
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
	struct counter *c = counters__find(&to->lost, loss->name);

	if (c)
		counter__raise(c, loss->value);
	else
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

static void begin_with(struct coverage *to, const struct coverage *first)
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

static int by_namesake(const struct hit *x, const struct hit *y)
{
	return ORDER(x->kind, y->kind) ?: ORDER(x->into, y->into) ?: text__compare(x->module, y->module) ?:
	       text__compare(x->name, y->name);
}

static int by_offset(const void *a, const void *b)
{
	const struct hit *x = *(const struct hit *const *)a, *y = *(const struct hit *const *)b;

	return by_namesake(x, y) ?: ORDER(x->offset, y->offset);
}

/* For each hit, how many of its name in its module lie at lower offsets. @by_name: leaves these out; NULL: none */
static unsigned int *number_namesakes(const struct hits *hits, const bool *by_name)
{
	unsigned int *numbers = xcalloc(hits->count, sizeof(*numbers));
	autofree const struct hit **sorted = xcalloc(hits->count, sizeof(*sorted));
	size_t count = 0, first = 0, same = 0;

	for (size_t i = 0; i < hits->count; i++) {
		if (hits->list[i].module && !(by_name && by_name[i]))
			sorted[count++] = &hits->list[i];
	}
	if (count)
		qsort(sorted, count, sizeof(*sorted), by_offset);
	for (size_t i = 1; i < count; i++) {
		first = by_namesake(sorted[first], sorted[i]) ? i : first;
		same = by_offset(&sorted[same], &sorted[i]) ? i : same;
		numbers[sorted[i] - hits->list] = same - first;
	}
	return numbers;
}

/* Hits are keyed by address, which may have several names; by name if the address or the module's build is unknown. */
static bool goes_by_name(const struct coverage *c, const struct hit *hit)
{
	const struct covered_module *m = hit->module ? covered_modules__find(&c->modules, hit->module) : NULL;

	return hit->name && !(hit->module ? m && m->build_id : hit->link);
}

static char *place_key(const struct hit *hit)
{
	return xasprintf("%u %s %llx", hit->kind, hit->module ?: "",
			 (unsigned long long)(hit->module ? hit->offset : hit->link));
}

static char *name_key(const struct hit *hit, unsigned int number)
{
	return xasprintf("%u %s %s %u %llx %u", hit->kind, hit->module ?: "", hit->name, hit->sympos,
			 (unsigned long long)hit->into, number);
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

/* @is_new: @known is a hit that has nothing yet */
static void join_hit(struct hits *hits, struct hit *known, const struct hit *hit, bool is_new)
{
	known->runs += hit->runs ?: 1;
	known->name = known->name ?: hits__name(hits, hit->name);
	if (!known->other.name)
		copy_other(hits, known, hit);
	/* If the runs are of several boots, merge__end() clears these times. */
	if (hit->first_ns >= known->first_ns)
		return;
	known->first_ns = hit->first_ns;
	known->cpu = hit->cpu;
	known->pid = hit->pid;
	known->tgid = hit->tgid;
	known->comm = intern(hits, hit->comm);
	if (!is_new && hit->other.name)
		copy_other(hits, known, hit);
}

/* @number: of number_namesakes() */
static void add_hit(struct merge *m, const struct coverage *c, const struct hit *hit, unsigned int number)
{
	bool by_name = goes_by_name(c, hit);
	char *key = by_name ? name_key(hit, number) : place_key(hit);
	struct lh_entry *entry = lh_table_lookup_entry(m->places, key);
	struct hits *hits = &m->to->hits;
	struct hit copy = *hit;

	if (entry) {
		free(key);
	} else {
		copy.addr = copy.runs = 0;
		copy.first_ns = UINT64_MAX;
		copy.name = copy.other.name = NULL;
		copy.module = intern(hits, hit->module);
		m->by_name = list__grow(m->by_name, hits->count, sizeof(*m->by_name));
		m->by_name[hits->count] = by_name;
		hits__add(hits, &copy);
		index__add(m->places, key, (void *)(uintptr_t)(hits->count - 1));
	}
	join_hit(hits, &hits->list[entry ? (uintptr_t)lh_entry_v(entry) : hits->count - 1], hit, !entry);
}

/* ---- modules of an unknown build */

/* Notes the modules in which a recording has hits, and whose build it does not know. */
static void note_unnamed_builds(struct merge *m, const struct coverage *c)
{
	const char *last = NULL;

	for (size_t i = 0; i < c->hits.count; i++) {
		const char *module = c->hits.list[i].module;
		const struct covered_module *known;
		size_t at = 0;

		if (!module || module == last)
			continue;
		last = module;
		known = covered_modules__find(&c->modules, module);
		while (at < m->unnamed_count && strcmp(m->unnamed[at], module))
			at++;
		if (at == m->unnamed_count && !(known && known->build_id))
			*LIST_ADD(m->unnamed, m->unnamed_count) = intern(&m->to->hits, module);
	}
}

/*
 * In another build, the same offsets are other functions. So if one recording does not know the build of a module,
 * the hits of all recordings are joined by name there. Leaves a hit with runs 0 where it takes one away.
 */
static void join_by_name(struct merge *m, const char *module)
{
	struct covered_module *joined = (void *)covered_modules__find(&m->to->modules, module);
	struct hits *hits = &m->to->hits;
	autofree unsigned int *numbers = number_namesakes(hits, m->by_name);

	for (size_t i = 0; i < hits->count; i++) {
		struct hit *hit = &hits->list[i];
		struct lh_entry *entry = NULL;
		size_t other;
		char *key;

		if (m->by_name[i] || hit->module != module || !hit->name)
			continue;
		key = name_key(hit, numbers[i]);
		entry = lh_table_lookup_entry(m->places, key);
		free(key);
		if (!entry)
			continue;
		other = (uintptr_t)lh_entry_v(entry);
		join_hit(hits, &hits->list[other < i ? other : i], &hits->list[other < i ? i : other], false);
		hits->list[other < i ? i : other].runs = 0;
	}
	if (joined) {
		free(joined->build_id);
		joined->build_id = NULL;
	}
}

/* Removes what was joined with another hit, and callers if not all recordings have them. */
static void remove_hits(struct coverage *c)
{
	size_t kept = 0;

	for (size_t i = 0; i < c->hits.count; i++) {
		if (c->hits.list[i].runs && (c->hits.list[i].kind != HIT_CALLER || c->how.callers))
			c->hits.list[kept++] = c->hits.list[i];
	}
	c->hits.count = kept;
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

/* ---- one recording after the other */

void merge__begin(struct merge *m, struct coverage *ret)
{
	*m = (struct merge){ .to = ret, .places = index__new(16384, index__free_key) };
}

int merge__add(struct merge *m, const struct coverage *c, const char *path)
{
	struct coverage *to = m->to;
	autofree unsigned int *numbers = NULL;
	int err;

	if (!m->count++)
		begin_with(to, c);
	err = check(to, c, path) ?: check_modules(to, c, path) ?: check_runs(to, c, path);
	if (err)
		return err;
	add_head(to, c);
	note_unnamed_builds(m, c);
	numbers = number_namesakes(&c->hits, NULL);
	for (size_t i = 0; i < c->hits.count; i++) {
		if (c->hits.list[i].kind != HIT_CALLER || to->how.callers)
			add_hit(m, c, &c->hits.list[i], numbers[i]);
	}
	return 0;
}

int merge__end(struct merge *m, int err)
{
	for (size_t i = 0; !err && i < m->unnamed_count; i++)
		join_by_name(m, m->unnamed[i]);
	lh_table_free(m->places);
	free(m->by_name);
	free(m->unnamed);
	if (err) {
		if (m->count)
			coverage__free(m->to);
		return err;
	}
	remove_hits(m->to);
	if (coverage__knows_first(m->to))
		hits__order(&m->to->hits);
	else
		forget_times(m->to);
	return 0;
}

int merge__run(struct coverage *ret, const struct coverage *const *documents, size_t count, const char *const *paths)
{
	struct merge m;
	int err = 0;

	merge__begin(&m, ret);
	for (size_t i = 0; !err && i < count; i++)
		err = merge__add(&m, documents[i], paths[i]);
	return merge__end(&m, err);
}

/* ---- the command */

static const struct argp_option options[] = {
	OPTION_OUTPUT,
	OPTION_RUNS,
	OPTION_MIN_RUNS,
	{ }
};

static int add_one(struct coverage *c, const char *path, void *data)
{
	int err = merge__add(data, c, path);

	coverage__free(c);
	return err;
}

static int merge(const struct result_options *o)
{
	struct output *output;
	struct coverage c;
	struct merge m;
	int err;

	merge__begin(&m, &c);
	err = merge__end(&m, documents__each(o->arguments, o->count, o, add_one, &m));
	if (err)
		return err;
	err = documents__limit(&c, "the union", o) ?: output__open(&output, o->output, NULL);
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
		.parser = result_options__parser,
		.args_doc = "FILE...",
		.doc = "Joins several recordings of `hytrace cover -f json`, of one kernel build, into one: all "
		       "that any of them has seen, and how many of them have seen it.\vExamples:\n"
		       "  hytrace merge -o week.json monday.json tuesday.json\n"
		       "  hytrace merge machine-*.json.zst | zstd -o all.json.zst\n\n"
		       "Exit status: 0 done, 1 failed, 2 usage, or FILEs that do not go together.",
	};
	struct result_options o = { .least = 1 };

	if (argp_parse(&argp, argc, argv, 0, NULL, &o))
		return EXIT_USAGE;
	return error__status(merge(&o), false);
}
