// SPDX-License-Identifier: GPL-2.0-only
/* Modules that are loaded during a run of the BPF engine; see bpf_modules.h. */
#include <bpf/bpf.h>
#include <limits.h>
#include <tracefs.h>

#include "base/error.h"
#include "cover.h"
#include "cover/bpf_modules.h"

/*
 * In milliseconds: how often to look whether a module is live, and how often the link may change.
 */
#define LOOK_INTERVAL 5
/*
 * Changes of the link take at most a tenth of this process's time, however many modules are loaded.
 */
#define SHARE 10

enum state {
	COMING,			/* it has not been attached to yet: its init function may still run */
	TRACED,
	UNTRACED,
};

/* This many attempts to attach may fail because a module, or the kernel, changes at that moment. */
#define MOST_FAILURES 5

/* If the kernel does not say when init text is freed, it counts as freed when a module is live for this time (ns). */
#define INIT_TEXT_LASTS 1000000000ull

struct late_module {
	char name[sizeof(((struct cover_news *)NULL)->module)];
	enum state state;
	size_t functions;	/* the number of functions that are asked for */
	uint64_t came, live, attached;	/* CLOCK_MONOTONIC; @live: when it was first seen to be live */
	unsigned int failures;
	bool due;		/* it can be attached to now, or it is gone */
	bool failed;		/* attaching to all due modules failed; next, try this one alone */
	const char *reason;	/* why it is not traced */
};

static struct late_module *find(const struct bpf_modules *m, const char *name)
{
	for (size_t i = 0; i < m->count; i++) {
		if (!strcmp(m->list[i].name, name))
			return &m->list[i];
	}
	return NULL;
}

/* A module that was unloaded and loaded again counts as one. If memory is lacking, the run goes on. */
static int add(struct bpf_modules *m, const char *name, uint64_t came)
{
	struct late_module *one = find(m, name), *list;

	if (!one) {
		list = reallocarray(m->list, m->count + 1, sizeof(*list));
		if (!list)
			return error__no_memory();
		m->list = list;
		one = &list[m->count++];
	}
	*one = (struct late_module){ .came = came };
	strncpy(one->name, name, sizeof(one->name) - 1);
	return 0;
}

static int on_news(void *context, void *data, size_t size)
{
	const struct cover_news *news = data;
	struct bpf_modules *m = context;

	/* No error is returned, because libbpf would leave the later messages unread. */
	m->unheard += size >= sizeof(*news) && add(m, news->module, news->ns);
	return 0;
}

/* Adds the modules in @now that were not live when tracing was prepared. */
static int add_new(struct bpf_modules *m, const struct symbols *now)
{
	size_t count;
	const struct module *modules = symbols__modules(now, &count);
	int err = 0;

	for (size_t i = 0; !err && i < count; i++) {
		const struct module *before = symbols__module(m->cover->request->kernel->symbols, modules[i].name);

		if (!(before && before->live) && !find(m, modules[i].name))
			err = add(m, modules[i].name, clock__monotonic());
	}
	return err;
}

int bpf_modules__start(struct bpf_modules *m, struct bpf_cover *cover)
{
	struct symbols *now = NULL;
	int err, news;

	m->cover = cover;
	err = bpf_cover__watch_modules(cover, &news);
	if (err || news < 0)
		return err;
	m->news = ring_buffer__new(news, on_news, m, NULL);
	if (!m->news)
		return error__return(-errno, "cannot watch for modules that are loaded: %s", strerror(errno));
	err = symbols__load_modules(&now);
	if (!err)
		err = add_new(m, now);
	symbols__free(now);
	return err;
}

int bpf_modules__fd(const struct bpf_modules *m)
{
	/* If there is another engine, it would record this work. */
	return m->news && m->cover->request->alone ? ring_buffer__epoll_fd(m->news) : -1;
}

bool bpf_modules__has(const struct bpf_modules *m, const char *name)
{
	const struct late_module *one = find(m, name);

	return one && one->state == TRACED;
}

static void set_untraced(struct bpf_modules *m, const char *reason)
{
	for (size_t i = 0; i < m->count; i++) {
		if (m->list[i].state == COMING) {
			m->list[i].state = UNTRACED;
			m->list[i].reason = m->list[i].failed ?
				"the kernel refused it with other modules, and there was no time to try it alone" :
				reason;
		}
	}
}

/* ---- attaching */

/* If ftrace's list has no addresses, they are found by names, in all of kallsyms. */
static int load_functions(struct traceable **ret, struct symbols **ret_symbols)
{
	bool has_addresses = tracefs_file_exists(NULL, "available_filter_functions_addrs");
	int err = has_addresses ? symbols__load_modules(ret_symbols) : symbols__load(ret_symbols);

	return err ? err : traceable__load(ret, *ret_symbols);
}

/*
 * Can the module be attached to? It is live for a while before its init text is freed. Until then,
 * functions of init text are in ftrace's list.
 */
static bool is_settled(struct late_module *one, const struct module *module)
{
	int ended = module->live ? module__has_ended_init(module->name) : 0;

	if (module->live && !one->live)
		one->live = clock__monotonic();
	return ended > 0 || (ended < 0 && clock__monotonic() - one->live >= INIT_TEXT_LASTS);
}

/*
 * Resets the counts of modules that are not traced yet, because each reading of the list counts
 * them again.
 */
static void forget_counts(struct bpf_modules *m)
{
	for (size_t i = 0; i < m->count; i++) {
		if (m->list[i].state != TRACED)
			m->list[i].functions = 0;
	}
}

/* Finds the modules that can be attached to, or that are gone. @only: look only at this one; NULL: at all */
static bool find_due(struct bpf_modules *m, const struct late_module *only, const struct symbols *now)
{
	bool any = false;

	for (size_t i = 0; i < m->count; i++) {
		struct late_module *one = &m->list[i];
		const struct module *module = symbols__module(now, one->name);

		one->due = one->state == COMING && (!only || one == only) && (!module || is_settled(one, module));
		any |= one->due;
	}
	return any;
}

/*
 * Adds the functions of due modules that are asked for to @m->addrs. If memory is lacking, the run
 * goes on, and the modules count as not traced.
 */
static int add_addresses(struct bpf_modules *m, const struct traceable *t, const struct symbols *symbols)
{
	size_t count = traceable__count(t);
	unsigned long *addrs;

	addrs = reallocarray(m->addrs, m->addr_count + count, sizeof(*addrs));
	if (!addrs)
		return error__no_memory();
	m->addrs = addrs;
	forget_counts(m);
	for (size_t i = 0; i < count; i++) {
		const struct traceable_function *f = traceable__at(t, i);
		struct late_module *one = f->module ? find(m, f->module) : NULL;

		if (!one || !one->due || !symbols__module(symbols, f->module) ||
		    filter__judge(m->cover->request->filter, f->name, f->module) != FILTER_TRACED)
			continue;
		one->functions++;
		m->addrs[m->addr_count++] = f->site;
	}
	return 0;
}

static int attach(struct bpf_modules *m)
{
	LIBBPF_OPTS(bpf_kprobe_multi_opts, opts, .addrs = m->addrs, .cnt = m->addr_count);
	struct bpf_link *link;

	link = bpf_program__attach_kprobe_multi_opts(m->cover->program, NULL, &opts);
	if (!link)
		return -errno;
	return bpf_cover__replace_link(m->cover, MODULES_LINK, link);
}

/* Attaches to due modules, and decides about those that are gone. After an error, no state changes. */
static int attach_to(struct bpf_modules *m, const struct late_module *only)
{
	struct symbols *symbols = NULL;
	struct traceable *t = NULL;
	size_t before = m->addr_count;
	int err;

	err = load_functions(&t, &symbols);
	if (!err && find_due(m, only, symbols))
		err = add_addresses(m, t, symbols);
	if (!err && m->addr_count > before)
		err = attach(m);
	if (err)
		m->addr_count = before;
	for (size_t i = 0; !err && i < m->count; i++) {
		struct late_module *one = &m->list[i];

		if (!one->due)
			continue;
		one->state = symbols__module(symbols, one->name) ? TRACED : UNTRACED;
		one->attached = clock__monotonic();
		one->reason = "it was gone before it could be attached to";
	}
	traceable__free(t);
	symbols__free(symbols);
	return err;
}

static struct late_module *first_failed(const struct bpf_modules *m)
{
	for (size_t i = 0; i < m->count; i++) {
		if (m->list[i].failed)
			return &m->list[i];
	}
	return NULL;
}

/* Tries one module alone. */
static void attach_to_failed(struct bpf_modules *m, struct late_module *one)
{
	int err = attach_to(m, one);
	/* Since 7.3, fprobe looks the addresses up, and returns -ENOENT. */
	bool may_pass = err == -EINVAL || err == -ENOENT || err == -EBUSY;

	one->failed = false;
	if (!err || (may_pass && ++one->failures < MOST_FAILURES))
		return;
	one->state = UNTRACED;
	one->reason = strerror(-err);
}

static void attach_to_due(struct bpf_modules *m)
{
	int err = attach_to(m, NULL);

	for (size_t i = 0; i < m->count; i++)
		m->list[i].failed = err && m->list[i].due;
}

static bool any_coming(const struct bpf_modules *m)
{
	for (size_t i = 0; i < m->count; i++) {
		if (m->list[i].state == COMING)
			return true;
	}
	return false;
}

/* This quick check avoids more expensive steps. */
static bool any_due(struct bpf_modules *m)
{
	struct symbols *now;
	bool any = !symbols__load_modules(&now) ? find_due(m, NULL, now) : true;

	symbols__free(now);
	return any;
}

static int time_left(const struct bpf_modules *m)
{
	uint64_t now = clock__monotonic();

	return now < m->next ? (m->next - now) / 1000000 + 1 : 0;
}

/*
 * The kernel takes all functions or none, but a module that is going must not keep other modules from being traced.
 * After a refusal, each call tries one module: reading ftrace's list takes long, and signals wait meanwhile.
 */
int bpf_modules__tend(struct bpf_modules *m)
{
	uint64_t start = clock__monotonic();

	if (!m->news || !m->cover->request->alone)
		return INT_MAX;
	ring_buffer__consume(m->news);
	if (!any_coming(m))
		return INT_MAX;
	if (start < m->next)
		return time_left(m);
	bpf_cover__leave_out_own(m->cover, true);
	if (first_failed(m))
		attach_to_failed(m, first_failed(m));
	else if (any_due(m))
		attach_to_due(m);
	bpf_cover__leave_out_own(m->cover, false);
	m->spent += clock__monotonic() - start;
	if (first_failed(m))
		return 0;
	m->next = clock__monotonic() + SHARE * m->spent;
	m->spent = 0;
	return any_coming(m) ? time_left(m) + LOOK_INTERVAL : INT_MAX;
}

/* ---- the end */

/* Could a pattern of -a match functions of a module whose functions are unknown? */
static bool may_be_asked_for(const struct bpf_modules *m)
{
	const struct globs *allow = &m->cover->request->filter->allow;

	return !allow->count || allow->patterns;
}

/* Counts the functions that are asked for, in modules that are still loaded and not traced. */
static int count_functions(struct bpf_modules *m)
{
	struct symbols *symbols = NULL;
	struct traceable *t = NULL;
	int err = load_functions(&t, &symbols);

	forget_counts(m);
	for (size_t i = 0; !err && i < traceable__count(t); i++) {
		const struct traceable_function *f = traceable__at(t, i);
		struct late_module *one = f->module ? find(m, f->module) : NULL;

		if (one && one->state != TRACED &&
		    filter__judge(m->cover->request->filter, f->name, f->module) == FILTER_TRACED)
			one->functions++;
	}
	for (size_t i = 0; !err && i < m->count; i++) {
		struct late_module *one = &m->list[i];

		if (one->state != TRACED && !one->functions && symbols__module(symbols, one->name))
			one->state = TRACED;
	}
	traceable__free(t);
	symbols__free(symbols);
	return err;
}

static void tell(const struct late_module *one)
{
	if (one->state == TRACED)
		error__warn("the module %s came while tracing: what ran in its first %" PRIu64 " ms is not "
			    "recorded", one->name, (one->attached - one->came) / 1000000);
	else if (one->functions)
		error__warn("the module %s came while tracing, and its %zu functions were not traced: %s",
			    one->name, one->functions, one->reason);
	else
		error__warn("the module %s came while tracing, and its functions were not traced: %s",
			    one->name, one->reason);
}

/* For a result so far. No message names a module that is being loaded, because it may still be attached to. */
static void collect_so_far(const struct bpf_modules *m, struct coverage *c, uint64_t untraced)
{
	uint64_t late = 0;

	for (size_t i = 0; i < m->count; i++) {
		late += m->list[i].state == TRACED && m->list[i].functions;
		untraced += m->list[i].state != TRACED;
	}
	counters__add(&c->lost, "modules_untraced", untraced);
	counters__add(&c->lost, "modules_late", late);
}

int bpf_modules__collect(struct bpf_modules *m, struct coverage *c, const struct symbols *after)
{
	uint64_t untraced = 0, late = 0;
	int err = 0;

	if (m->news) {
		ring_buffer__consume(m->news);
		untraced = bpf_cover__news_lost(m->cover) + m->unheard;
	}
	if (!m->cover->stopped) {
		collect_so_far(m, c, untraced);
		return 0;
	}
	if (after)
		err = add_new(m, after);
	set_untraced(m, m->cover->request->alone ? "there was no time to attach to it" :
		     "another recorder runs at the same time, and would record the attaching");
	if (!err && m->count)
		err = count_functions(m);
	for (size_t i = 0; !err && i < m->count; i++) {
		const struct late_module *one = &m->list[i];
		bool is_late = one->state == TRACED && one->functions;
		bool is_untraced = one->state == UNTRACED && (one->functions || may_be_asked_for(m));

		late += is_late;
		untraced += is_untraced;
		if (is_late || is_untraced)
			tell(one);
	}
	counters__add(&c->lost, "modules_untraced", untraced);
	counters__add(&c->lost, "modules_late", late);
	return err;
}

void bpf_modules__free(struct bpf_modules *m)
{
	ring_buffer__free(m->news);
	free(m->list);
	free(m->addrs);
}
