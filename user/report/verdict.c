// SPDX-License-Identifier: GPL-2.0-only
/* Verdicts of recordings on functions, and the functions of the recordings' kernel; see documents.h. */
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "document/coverage.h"
#include "document/universe.h"
#include "kernel/debug_files.h"
#include "kernel/elf_file.h"
#include "report/documents.h"
#include "report/images.h"
#include "run/output.h"

bool globs__has(const struct globs *globs, const char *text)
{
	for (size_t i = 0; i < globs->count; i++) {
		if (!strcmp(globs->list[i].text, text))
			return true;
	}
	return false;
}

bool globs__are_same(const struct globs *a, const struct globs *b)
{
	size_t same = 0;

	for (size_t i = 0; i < a->count; i++)
		same += globs__has(b, a->list[i].text);
	for (size_t i = 0; i < b->count; i++)
		same += globs__has(a, b->list[i].text);
	return same == a->count + b->count;
}

/* ---- verdicts */

enum kind { RAN, COULD_SEE, BLIND, BUILD, OPEN };

static const struct {
	enum kind kind;
	const char *word, *sentence;
} verdicts[VERDICT_COUNT] = {
	[VERDICT_SEEN] = { RAN, "seen", "seen" },
	[VERDICT_PROVED] = { RAN, "proved", "not seen, and it ran: recorded calls lie in it or lead to it" },
	[VERDICT_NOT_CALLED] = { COULD_SEE, "not-called", "not called" },
	[VERDICT_NOT_FOLLOWED] = { COULD_SEE, "not-followed", "not called by the tasks that were followed" },
	[VERDICT_FEW_RUNS] = { COULD_SEE, "few-runs", "seen in fewer runs than --min-runs asks for, or in none" },
	[VERDICT_NOT_ASKED] = { BLIND, "not-asked-for", "not asked for: -a names other functions" },
	[VERDICT_DENIED] = { BLIND, "denied", "excluded: -d names it" },
	[VERDICT_OWN] = { BLIND, "own", "excluded: the recorder itself calls it" },
	[VERDICT_UNATTACHED] = { BLIND, "unattached", "could not be attached to" },
	[VERDICT_NO_MODULE] = { BLIND, "no-module", "its module was not there, or came later and was not followed" },
	[VERDICT_FREED] = { BLIND, "freed", "init text, which had been freed" },
	[VERDICT_UNTRACEABLE] = { BUILD, "untraceable", "that build cannot trace it" },
	[VERDICT_NO_FUNCTION] = { BUILD, "no-function", "that build has no such function, or has only inlined it" },
	[VERDICT_INLINED] = { OPEN, "inlined", "not called, and inlined into functions that ran, or that leave "
			      "no record: it may have run there" },
	[VERDICT_UNKNOWN] = { OPEN, "unknown", "it is not known what that build has" },
};

static bool texts__are_same(char **a, char **b)
{
	for (; a && *a && b && *b && !strcmp(*a, *b); a++, b++)
		;
	return !(a && *a) && !(b && *b);
}

static bool modules__are_alike(const struct covered_modules *a, const struct covered_modules *b)
{
	size_t i = 0;

	while (a->count == b->count && i < a->count && a->list[i].came == b->list[i].came &&
	       !strcmp(a->list[i].name, b->list[i].name))
		i++;
	return a->count == b->count && i == a->count;
}

/* Do two recordings agree in all that verdict__of() looks at? */
static bool judge_alike(const struct coverage *a, const struct coverage *b)
{
	return a->scope.kind == b->scope.kind && !scope__limit(&a->scope) == !scope__limit(&b->scope) &&
	       a->follows_modules == b->follows_modules &&
	       (!a->follows_modules || (a->ran_in && b->ran_in && texts__are_same(a->ran_in, b->ran_in))) &&
	       globs__are_same(&a->filter.allow, &b->filter.allow) &&
	       globs__are_same(&a->filter.deny, &b->filter.deny) &&
	       globs__are_same(&a->filter.own, &b->filter.own) && modules__are_alike(&a->modules, &b->modules) &&
	       texts__are_same(a->unattached, b->unattached);
}

size_t *documents__alike(const struct coverage *const *list, size_t count)
{
	size_t *alike = xcalloc(count, sizeof(*alike));

	for (size_t i = 0; i < count; i++) {
		while (alike[i] < i && (alike[alike[i]] != alike[i] || !judge_alike(list[alike[i]], list[i])))
			alike[i]++;
	}
	return alike;
}

/* A module that came and went may be in no list; if it was followed, its hits show it. */
static bool has_hit_in(const struct coverage *c, const char *module)
{
	for (char **known = c->ran_in; known && *known; known++) {
		if (!strcmp(*known, module))
			return true;
	}
	for (size_t i = 0; i < c->hits.count; i++) {
		const struct hit *hit = &c->hits.list[i];

		if (hit->kind == HIT_FUNCTION && hit->module && !strcmp(hit->module, module))
			return true;
	}
	return false;
}

enum verdict verdict__of(const struct coverage *c, const struct function *f)
{
	const struct covered_module *m = f->module ? covered_modules__find(&c->modules, f->module) : NULL;

	if (f->untraced)
		return VERDICT_UNTRACEABLE;
	switch (f->name ? filter__judge(&c->filter, f->name, f->module) : FILTER_TRACED) {
	case FILTER_NOT_ASKED:
		return VERDICT_NOT_ASKED;
	case FILTER_DENIED:
		return VERDICT_DENIED;
	case FILTER_OWN:
		return VERDICT_OWN;
	case FILTER_TRACED:
		break;
	}
	if (f->init && (f->module || c->scope.kind != SCOPE_BOOT))
		return VERDICT_FREED;
	if (f->module && !(m ? !m->came || c->follows_modules : c->follows_modules && has_hit_in(c, f->module)))
		return VERDICT_NO_MODULE;
	if (coverage__is_unattached(c, f->name, f->module))
		return VERDICT_UNATTACHED;
	if (c->min_runs > 1)
		return VERDICT_FEW_RUNS;
	return scope__follows(&c->scope) || scope__limit(&c->scope) ? VERDICT_NOT_FOLLOWED : VERDICT_NOT_CALLED;
}

bool verdict__could_see(enum verdict v)
{
	return verdicts[v].kind == RAN || verdicts[v].kind == COULD_SEE;
}

bool verdict__is_blind(enum verdict v)
{
	return verdicts[v].kind == BLIND;
}

bool verdict__is_certain(enum verdict v, const struct coverage *c, const char *module)
{
	bool stayed = covered_modules__stayed(&c->modules, module);

	return verdicts[v].kind != OPEN && (verdicts[v].kind != COULD_SEE || !losses__may_hide(&c->lost, stayed));
}

const char *verdict__word(enum verdict v)
{
	return verdicts[v].word;
}

const char *verdict__sentence(enum verdict v)
{
	return verdicts[v].sentence;
}

/* ---- the universe of recordings: a kept copy, or one made from files or the running kernel */

/* The most universes that are kept. Each has 3 MB. */
#define MOST_KEPT 16

struct wanted {
	const struct kernel_id *kernel;
	struct module_file *modules;	/* owns the paths */
	size_t count;
	bool fetch;		/* debuginfod servers may be asked */
};

static int want_module(struct wanted *w, const char *name, const char *build_id)
{
	struct module_file *m = w->modules;

	while (m < w->modules + w->count && strcmp(m->name, name))
		m++;
	if (m == w->modules + w->count)
		*LIST_ADD(w->modules, w->count) = (struct module_file){ .name = name, .build_id = build_id };
	else if (text__is_known_other(m->build_id, build_id))
		return error__return(-EINVAL, "the recordings are of two builds of the module %s, %s and %s: "
				     "one report is about one build", name, m->build_id, build_id);
	else
		m->build_id = m->build_id ?: build_id;
	return 0;
}

static int want_modules(struct wanted *w, const struct covered_modules *modules)
{
	int err = 0;

	for (size_t i = 0; !err && i < modules->count; i++)
		err = want_module(w, modules->list[i].name, modules->list[i].build_id);
	return err;
}

static void free_wanted(struct wanted *w)
{
	for (size_t i = 0; i < w->count; i++)
		free(w->modules[i].path);
	free(w->modules);
}

static int want(struct wanted *w, const struct coverage *const *documents, size_t count)
{
	int err = 0;

	w->kernel = &documents[0]->kernel;
	for (size_t i = 0; !err && i < count; i++) {
		const struct kernel_id *k = &documents[i]->kernel;

		if (!text__equals(k->build_id, w->kernel->build_id))
			return error__return(-EINVAL, "the recordings are of two builds of the kernel, %s and %s: one "
					     "report is about one build; `hytrace diff` compares two",
					     w->kernel->build_id ?: "unknown", k->build_id ?: "unknown");
		err = want_modules(w, &documents[i]->modules);
	}
	return err;
}

/* Finds files of wanted modules that @u lacks in the wanted build. Returns their number. */
static size_t find_modules(struct wanted *w, const struct universe *u, const char *vmlinux)
{
	autofree char *directory = module_files__directory(vmlinux, w->kernel->release ?: "");
	size_t found = 0;

	for (size_t i = 0; i < w->count; i++) {
		struct module_file *m = &w->modules[i];
		const struct covered_module *has = covered_modules__find(&u->modules, m->name);

		if (!has || text__is_known_other(has->build_id, m->build_id))
			m->path = debug_file__of_module(module_files__path(directory, m->name), m->build_id, vmlinux,
							w->fetch);
		found += m->path != NULL;
	}
	return found;
}

/* Returns the path of the kept copy, to be freed; NULL: it cannot be kept. */
static char *kept_path(const struct wanted *w)
{
	autofree char *name = NULL;

	if (!w->kernel->build_id)
		return NULL;
	name = xasprintf("functions-%s", w->kernel->build_id);
	return kept__path(name);
}

static void keep(const struct universe *u, const char *path)
{
	struct output *output = kept__open(path);

	if (!output)
		return;
	universe__write_kept(u, output__stream(output));
	if (!output__commit(output))
		kept__trim(path, MOST_KEPT);
}

static void drop_module(struct universe *u, const char *module)
{
	struct covered_modules *modules = &u->modules;
	size_t kept = 0;

	for (size_t i = 0; i < u->count; i++) {
		if (!text__equals(u->list[i].module, module))
			u->list[kept++] = u->list[i];
	}
	u->count = kept;
	kept = 0;
	for (size_t i = 0; i < modules->count; i++) {
		if (strcmp(modules->list[i].name, module))
			modules->list[kept++] = modules->list[i];
		else
			covered_module__free(&modules->list[i]);
	}
	modules->count = kept;
}

/* Drops modules of another build, in which the same offsets are other functions. */
static void drop_other_builds(struct universe *u, const struct wanted *w)
{
	size_t had = u->modules.count;

	for (size_t i = 0; i < w->count; i++) {
		const struct module_file *m = &w->modules[i];
		const struct covered_module *has = covered_modules__find(&u->modules, m->name);

		if (!has || !text__is_known_other(has->build_id, m->build_id))
			continue;
		error__warn("the module %s is known only in another build (%s) than the recorded one (%s): its "
			    "functions are not known", m->name, has->build_id, m->build_id);
		drop_module(u, m->name);
	}
	if (u->modules.count != had)
		universe__settle(u);
}

/* Does @u have another function at the hit's offset, or the hit's function elsewhere? */
static bool is_elsewhere(const struct universe *u, const struct hit *hit)
{
	const struct function *f = universe__at(u, hit->module, hit->offset);
	const struct function *const *named;
	size_t count;

	if (f)
		return strcmp(f->name, hit->name);
	named = universe__named(u, hit->name, &count);
	for (size_t i = 0; named && i < count; i++) {
		if (text__equals(named[i]->module, hit->module))
			return true;
	}
	return false;
}

/*
 * Drops a module if names of functions show that it is another build than the recorded one, and the
 * recording does not have the module's build, for example because the module came and went. If both
 * builds are known, a different name shows nothing: a function may have several names.
 */
static int drop_other_names(struct universe *u, const struct coverage *c)
{
	const struct hits *hits;
	int err = coverage__open_hits(c, HITS_OF_MODULES, &hits);

	for (size_t i = 0; i < hits->count; i++) {
		const struct hit *hit = &hits->list[i];
		const struct covered_module *has, *m;

		if (hit->kind != HIT_FUNCTION || !hit->module || !hit->name)
			continue;
		has = covered_modules__find(&u->modules, hit->module);
		m = covered_modules__find(&c->modules, hit->module);
		if ((has && m && has->build_id && m->build_id) || !is_elsewhere(u, hit))
			continue;
		error__warn("the module %s is known only in another build than the recorded one, where %s is "
			    "another function: its functions are not known", hit->module, hit->name);
		drop_module(u, hit->module);
		universe__settle(u);
	}
	coverage__close_hits(c, hits);
	return err;
}

static int fit(struct universe *u, const struct wanted *w, const struct coverage *const *documents, size_t count)
{
	int err = 0;

	drop_other_builds(u, w);
	for (size_t i = 0; !err && i < count; i++)
		err = drop_other_names(u, documents[i]);
	return err;
}

int universe__fit(struct universe *u, const struct coverage *const *documents, size_t count)
{
	struct wanted w = {};
	int err = want(&w, documents, count);

	if (!err)
		err = fit(u, &w, documents, count);
	free_wanted(&w);
	return err;
}

/* A kept universe may lack modules, because other modules were wanted when it was made. */
static int add_missing(struct universe *u, struct wanted *w)
{
	size_t had = u->count;
	int err = 0;

	for (size_t i = 0; !err && i < w->count; i++) {
		if (!w->modules[i].path)
			continue;
		drop_module(u, w->modules[i].name);
		err = universe__add_module_file(u, &w->modules[i]);
	}
	if (u->count != had)
		universe__settle(u);
	return err;
}

/* Returns false if nothing is kept, or if the given vmlinux may tell more than what was kept. */
static bool read_kept(struct universe *ret, const struct wanted *w, const char *path, const char *vmlinux)
{
	if (!path || !universe__read_kept(ret, path))
		return false;
	if (text__is_known_equal(ret->build_id, w->kernel->build_id) && (ret->placed || !vmlinux)) {
		kept__touch(path);
		return true;
	}
	universe__free(ret);
	return false;
}

static int check_vmlinux(const struct wanted *w, const char *vmlinux)
{
	int err = w->kernel->build_id ? kernel_id__check_vmlinux(vmlinux, w->kernel->build_id) : -ESTALE;

	if (err == -ESTALE)
		return error__return(-EINVAL, "%s: is of another build of the kernel; the recordings are of %s",
				     vmlinux, w->kernel->build_id ?: "an unknown one");
	return err ? error__return(-EINVAL, "%s: not a readable ELF file", vmlinux) : 0;
}

/*
 * Takes the kept copy, or makes the universe; it is empty if there is nothing to make it from. The running kernel's
 * lists are read quickly, while reading its vmlinux takes seconds. Only vmlinux has lines and reasons, but a report of
 * shares does not need these.
 */
static int find(struct universe *ret, struct wanted *w, const struct universe_source *source)
{
	autofree char *kept = kept_path(w), *vmlinux = kernel_id__find_vmlinux(w->kernel, source->vmlinux);
	int err = source->vmlinux ? check_vmlinux(w, source->vmlinux) : 0;
	bool is_kept = !err && read_kept(ret, w, kept, source->vmlinux), is_live = !is_kept && source->running;
	const struct universe none = {};

	if (!err && !is_kept && w->fetch && !vmlinux)
		vmlinux = kernel_id__fetch_vmlinux(w->kernel, NULL);
	if (!err && is_live)
		err = universe__of_kernel(ret, source->running, vmlinux);
	else if (!err && !is_kept && vmlinux)
		err = universe__of_files(ret, vmlinux, NULL, 0);
	else if (!err && !is_kept)
		universe__init(ret);
	/* The files of modules tell more than the running kernel. */
	if (!err && ret->count && find_modules(w, is_live ? &none : ret, vmlinux)) {
		err = add_missing(ret, w);
		is_kept = false;
		if (err)
			universe__free(ret);
	}
	if (!err && !is_kept && !is_live && ret->count && kept)
		keep(ret, kept);
	return err;
}

/* Only root can read the running kernel's lists. */
static bool load_running(struct kernel *ret, const struct wanted *w)
{
	if (geteuid() || !w->kernel->build_id || kernel__load(ret, KERNEL_ID, NULL))
		return false;
	return text__is_known_equal(ret->id.build_id, w->kernel->build_id) &&
	       !kernel__load(ret, KERNEL_LISTS, NULL);
}

static int complete(struct universe *u, const struct wanted *w, const struct kernel *running)
{
	struct kernel loaded = {};
	size_t had = 0;
	int err = 0;

	while (had < w->count && universe__has_module(u, w->modules[had].name))
		had++;
	if (u->count && had == w->count)
		return 0;
	if (!running && load_running(&loaded, w))
		running = &loaded;
	if (running && !u->count) {
		universe__free(u);
		err = universe__of_kernel(u, running, NULL);
	} else if (running) {
		universe__add_modules_of_running(u, running);
	}
	kernel__free(&loaded);
	return err;
}

int universe__of_build(struct universe *ret, const struct kernel_id *id, const struct covered_modules *modules,
		       const char *vmlinux, bool fetch)
{
	const struct universe_source source = { .vmlinux = vmlinux };
	struct wanted w = { .kernel = id, .fetch = fetch };
	int err = want_modules(&w, modules) ?: find(ret, &w, &source);

	if (!err)
		drop_other_builds(ret, &w);
	free_wanted(&w);
	return err;
}

int universe__read_whole(struct universe *ret, const char *path)
{
	int err = universe__read_json(ret, path);

	if (err || !ret->some)
		return err;
	universe__free(ret);
	return error__return(-EINVAL, "%s: has some functions of that kernel: make it again by `hytrace "
			     "functions -f json` without names", path);
}

int universe__find_for(struct universe *ret, const struct coverage *const *documents, size_t count,
		       const struct universe_source *source)
{
	struct wanted w = { .fetch = !source->running };
	int err = want(&w, documents, count);

	if (!err && source->universe) {
		err = universe__read_whole(ret, source->universe);
		if (!err && !text__is_known_equal(ret->build_id, w.kernel->build_id)) {
			err = error__return(-EINVAL, "%s: is of another build of the kernel, %s; the recordings "
					    "are of %s", source->universe, ret->build_id ?: "unknown",
					    w.kernel->build_id ?: "unknown");
			universe__free(ret);
		}
	} else if (!err) {
		err = find(ret, &w, source);
		if (!err)
			drop_other_builds(ret, &w);
		if (!err)
			err = complete(ret, &w, source->running);
	}
	if (!err) {
		err = fit(ret, &w, documents, count);
		if (err)
			universe__free(ret);
	}
	if (!err && !ret->count)
		error__warn("the functions of %s are not known, so neither are those that have not run: give "
			    "--vmlinux FILE, or --universe FILE, made by `hytrace functions -f json` where that "
			    "kernel runs", w.kernel->release ?: "that kernel");
	free_wanted(&w);
	return err;
}
