// SPDX-License-Identifier: GPL-2.0-only
/*
 * The BPF engine: attaches the coverage program to every function that is asked for, by one
 * kprobe.multi link. It works on any kernel with kprobe.multi. If the kernel also has fentry.multi,
 * which costs half as much for each call, most functions are attached by it (bpf_fentry.h), and
 * only the others by kprobe.multi. There are two cases in which all are by kprobe.multi:
 *
 *  - With --retire, because attaching by fentry.multi takes several times as long.
 *  - When the oneshot engine is on the same functions. Then ftrace would look up the trampoline for
 *    each call, in long chains.
 *
 * Nothing can be removed from a kprobe.multi link. So to retire known functions (--retire), a link
 * for all other functions is made, and then the old link is removed. At any time, each of these
 * other functions is in one of the links; while both exist, a call runs the program twice. A change
 * costs one to two times as much as attaching and detaching, however few functions retire. So the
 * first change comes after twice the CPU time that attaching took; by then the run has probably
 * spent as much on known functions. Then the intervals double, up to a minute. A change may take a
 * tenth of an interval of this process's time.
 *
 * A module cannot be unloaded while something in it is attached, so its recorded addresses stay
 * valid. Therefore one function of each module never retires.
 */
#include <bpf/bpf.h>
#include <limits.h>
#include <time.h>

#include "base/error.h"
#include "base/files.h"
#include "base/memory.h"
#include "base/sorted.h"
#include "cover/bpf_cover.h"
#include "cover/bpf_fentry.h"
#include "cover/bpf_modules.h"
#include "cover.h"

/* In milliseconds. */
#define SHORTEST_INTERVAL 200
#define LONGEST_INTERVAL 60000
/* Fewer functions are not retired yet: they wait for the next time. */
#define LEAST_TO_RETIRE 16

/* The state of --retire. */
struct retirement {
	bool wanted, given_up;
	uint64_t after_ns;		/* a function retires this time after its first call */
	uint64_t next;			/* when to look at the log again, by CLOCK_MONOTONIC */
	uint64_t interval;		/* between the last time and the next, in ms */
	uint64_t attach_ns;		/* the CPU time that attaching took */
	size_t looked_at;		/* entries of the log that were looked at */
	uint64_t functions, changes, cpu_ns;
};

struct bpf_engine {
	struct bpf_cover cover;
	unsigned long *addrs;		/* of the attached functions */
	size_t addr_count;
	unsigned long *staying;		/* one function of each module, which never retires; sorted */
	size_t staying_count;
	/* Functions of modules that were being loaded or unloaded. */
	const struct traceable_function **unattached;
	size_t unattached_count;
	struct bpf_fentry fentry;
	struct bpf_modules modules;
	struct retirement retirement;
};

/* Links 0 and MODULES_LINK are fixed; more links have numbers from here on. */
#define MORE_LINKS (MODULES_LINK + 1)

static bool is_among(unsigned long site, const unsigned long *sites, size_t count)
{
	return bsearch(&site, sites, count, sizeof(*sites), sorted__by_first);
}

/*
 * Chooses the functions for kprobe.multi. @now: the current modules. The kernel would refuse the
 * whole list if a module of it did not exist any more. A module that was being loaded when the
 * lists were read is left to bpf_modules.c.
 */
static void choose_addresses(struct bpf_engine *b, const struct request *r, const struct symbols *now)
{
	const char *module = NULL;

	b->addr_count = b->staying_count = b->unattached_count = 0;
	for (size_t i = 0; i < traceable__count(r->kernel->traceable); i++) {
		const struct traceable_function *f = traceable__at(r->kernel->traceable, i);
		bool there;

		if (bpf_fentry__has(&b->fentry, i) ||
		    filter__judge(r->filter, f->name, f->module) != FILTER_TRACED)
			continue;
		there = !f->module || symbols__module_stayed(r->kernel->symbols, now, f->module);
		if (there)
			b->addrs[b->addr_count++] = f->site;
		else
			b->unattached[b->unattached_count++] = f;
		/*
		 * The functions of a module are consecutive in the list. If they were not, more of
		 * them would stay.
		 */
		if (f->module && there && (!module || strcmp(module, f->module)))
			b->staying[b->staying_count++] = f->site;
		module = f->module;
	}
	qsort(b->staying, b->staying_count, sizeof(*b->staying), sorted__by_first);
}

static void bpf__destroy(void *engine)
{
	struct bpf_engine *b = engine;

	bpf_cover__unload(&b->cover);
	bpf_fentry__free(&b->fentry);
	bpf_modules__free(&b->modules);
	free(b->unattached);
	free(b->staying);
	free(b->addrs);
	free(b);
}

/* Why the engine refuses the options; NULL: it does not. */
static const char *bpf__refuse(const struct cover_options *o)
{
	if (o->how.entry == ENTRY_FENTRY && o->engine == ENGINE_BOTH)
		return "--entry fentry: each call would take much longer with oneshot on the same functions";
	return NULL;
}

static bool takes_fentry(const struct request *r)
{
	const struct cover_how *how = &r->options->how;

	/* bpf__prepare() has checked that the kernel has it. If the kernel could not tell, attaching will. */
	if (how->entry == ENTRY_FENTRY)
		return true;
	return how->entry != ENTRY_KPROBE && !how->retire && r->alone && features__has(FEATURE_FENTRY_MULTI);
}

/*
 * If fentry.multi was not asked for, kprobe.multi can take its place. -EPERM mostly means that the verifier
 * refuses the program. If this process may not load programs, the one for kprobe.multi fails as well.
 */
static bool takes_kprobe_instead(const struct request *r, int err)
{
	return (err == -EOPNOTSUPP || err == -EPERM) && r->options->how.entry != ENTRY_FENTRY;
}

static int load(struct bpf_engine *b, const struct request *request)
{
	int err;

	if (takes_fentry(request)) {
		err = bpf_cover__load(&b->cover, request, ENTER_BY_FENTRY_MULTI,
				      MORE_LINKS + 1 + bpf_fentry__links(request)) ?:
		      bpf_fentry__prepare(&b->fentry, &b->cover);
		if (!err || !takes_kprobe_instead(request, err))
			return err;
		error__warn("all functions are attached by kprobe.multi, at a higher cost");
		bpf_fentry__free(&b->fentry);
		bpf_cover__unload(&b->cover);
		b->cover = (struct bpf_cover){};
	}
	return bpf_cover__load(&b->cover, request, ENTER_BY_KPROBE_MULTI, MORE_LINKS);
}

static int bpf__prepare(void **ret, const struct request *request)
{
	size_t count = traceable__count(request->kernel->traceable);
	struct bpf_engine *b;
	int err = 0;

	if (request->options->how.entry == ENTRY_FENTRY)
		err = features__require(FEATURE_FENTRY_MULTI, "--entry fentry");
	if (err)
		return err;
	b = xcalloc(1, sizeof(*b));
	b->retirement.wanted = request->options->how.retire && request->alone;
	b->retirement.after_ns = request->options->how.retire_ms * 1000000ull;
	b->addrs = xcalloc(count, sizeof(*b->addrs));
	b->staying = xcalloc(count, sizeof(*b->staying));
	b->unattached = xcalloc(count, sizeof(*b->unattached));
	choose_addresses(b, request, request->kernel->symbols);
	if (!b->addr_count)
		err = error__return(-EINVAL, "nothing is left to trace: -d takes away all that -a gives");
	err = err ?: load(b, request) ?: bpf_cover__pin(&b->cover);
	if (err)
		bpf__destroy(b);
	else
		*ret = b;
	return err;
}

static uint64_t count_missed(const struct bpf_cover *b)
{
	uint64_t missed = 0;

	for (size_t i = 0; i < b->link_count; i++) {
		struct bpf_link_info info = {};
		__u32 size = sizeof(info);

		if (b->links[i].exists && !bpf_link_get_info_by_fd(b->links[i].fd, &info, &size) &&
		    info.type == BPF_LINK_TYPE_KPROBE_MULTI)
			missed += info.kprobe_multi.missed;
	}
	return missed;
}

static uint64_t cpu_time(void)
{
	struct timespec time;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	return time.tv_sec * 1000000000ull + time.tv_nsec;
}

static struct bpf_link *attach(const struct bpf_engine *b)
{
	LIBBPF_OPTS(bpf_kprobe_multi_opts, opts, .addrs = b->addrs, .cnt = b->addr_count);

	return bpf_program__attach_kprobe_multi_opts(b->cover.program, NULL, &opts);
}

/* Removes functions of modules that are gone from the list. Returns whether there were any. */
static bool leave_out_gone(struct bpf_engine *b)
{
	size_t before = b->addr_count;
	struct symbols *now;

	if (symbols__load_modules(&now))
		return false;
	choose_addresses(b, b->cover.request, now);
	symbols__free(now);
	return b->addr_count && b->addr_count < before;
}

/* Tries again, because a module may be removed at any time since the lists were read. */
static int attach_to_rest(struct bpf_engine *b, size_t which)
{
	struct bpf_link *link;
	int err;

	do {
		link = attach(b);
		err = link ? 0 : errno;
	/* Since 7.3, fprobe looks the addresses up, and returns ENOENT. */
	} while ((err == EINVAL || err == ENOENT) && leave_out_gone(b));
	if (!link && !b->addr_count)
		return b->fentry.count ? 0 :
			error__return(-EAGAIN, "all that was asked for has gone with its modules");
	errno = err;
	return bpf_cover__put_link(&b->cover, which, link);
}

/*
 * Each module needs a descriptor for its program and one for its link. Returns 0, or a negative
 * errno; -EMFILE: kprobe.multi has to take all functions.
 */
static int allow_fentry_descriptors(const struct bpf_engine *b)
{
	size_t wanted = 2 * b->fentry.part_count;
	int err = descriptors__allow(wanted);

	if (!err)
		return 0;
	if (b->cover.request->options->how.entry == ENTRY_FENTRY)
		return error__return(-EINVAL, "--entry fentry needs %zu more file descriptors: %s",
				     wanted, strerror(-err));
	error__warn("fentry.multi needs %zu more file descriptors: %s; all functions are "
		    "attached by kprobe.multi, at a higher cost", wanted, strerror(-err));
	return -EMFILE;
}

static int attach_to_all(struct bpf_engine *b)
{
	int err = b->cover.fentry ? allow_fentry_descriptors(b) : -EMFILE;

	/* b->addrs still has all functions. */
	if (err == -EMFILE)
		return attach_to_rest(b, 0);
	if (!err)
		err = bpf_fentry__attach(&b->fentry, MORE_LINKS);
	if (err)
		return err;
	choose_addresses(b, b->cover.request, b->cover.request->kernel->symbols);
	if (!b->addr_count)
		return 0;
	return attach_to_rest(b, b->fentry.count ? b->cover.link_room - 1 : 0);
}

static int bpf__start(void *engine)
{
	struct bpf_engine *b = engine;
	uint64_t before = cpu_time();
	int err;

	b->cover.link_missed = count_missed;
	err = bpf_modules__start(&b->modules, &b->cover) ?: attach_to_all(b);
	b->retirement.attach_ns = cpu_time() - before;
	return err ?: bpf_cover__started(&b->cover) ?: bpf_cover__introduce(&b->cover);
}

/* ---- retiring */

/*
 * The sites of functions that can retire since the last time, sorted. @ret_count: their number.
 * @ret_end: how far the log was read. NULL: no memory, but the run goes on.
 */
static unsigned long *find_retiring(const struct bpf_engine *b, size_t *ret_count, size_t *ret_end)
{
	const struct retirement *r = &b->retirement;
	size_t logged = bpf_cover__logged(&b->cover), count = 0, i;
	uint64_t now = clock__monotonic();
	unsigned long *sites;

	sites = calloc(logged - r->looked_at + 1, sizeof(*sites));
	if (!sites)
		return NULL;
	for (i = r->looked_at; i < logged; i++) {
		const struct cover_entry *entry = &b->cover.hits[i];
		const struct traceable_function *f;
		/* The program writes the address last. */
		uint64_t addr = __atomic_load_n(&entry->addr, __ATOMIC_ACQUIRE);

		if (!addr || entry->hit.first_ns + r->after_ns > now)
			break;
		if (!(entry->hit.kind & COVER_FUNCTION))
			continue;
		f = traceable__find(b->cover.request->kernel->traceable, addr);
		if (f && !is_among(f->site, b->staying, b->staying_count))
			sites[count++] = f->site;
	}
	qsort(sites, count, sizeof(*sites), sorted__by_first);
	*ret_count = count;
	*ret_end = i;
	return sites;
}

/* Attaches to all functions that are attached now, except @sites. */
static int change_link(struct bpf_engine *b, const unsigned long *sites, size_t count)
{
	size_t left = 0, before = b->addr_count;
	struct bpf_link *link = NULL;

	for (size_t i = 0; i < before; i++) {
		if (!is_among(b->addrs[i], sites, count))
			b->addrs[left++] = b->addrs[i];
	}
	b->addr_count = left;
	if (left) {
		link = attach(b);
		if (!link)
			return error__return(-errno, "--retire: cannot attach to the remaining functions: %s; "
					     "all functions stay attached", strerror(errno));
	}
	b->retirement.functions += before - left;
	b->retirement.changes++;
	return bpf_cover__replace_link(&b->cover, 0, link);
}

static int retire(struct bpf_engine *b)
{
	struct retirement *r = &b->retirement;
	unsigned long *sites;
	size_t count, end;
	int err = 0;

	sites = find_retiring(b, &count, &end);
	if (!sites)
		return error__no_memory();
	if (count >= LEAST_TO_RETIRE) {
		r->looked_at = end;
		err = change_link(b, sites, count);
	}
	free(sites);
	return err;
}

/* Returns the milliseconds until @r->next, as an int for poll(). */
static int time_left(const struct retirement *r)
{
	uint64_t now = clock__monotonic(), ms = now < r->next ? (r->next - now) / 1000000 + 1 : 1;

	return ms < INT_MAX ? ms : INT_MAX;
}

/* Sets the next time: in @ms, or in @times the CPU time @cpu_ns if that is later. */
static void set_next(struct retirement *r, uint64_t ms, int times, uint64_t cpu_ns)
{
	uint64_t least = times * cpu_ns / 1000000;

	r->interval = ms > least ? ms : least;
	r->next = clock__monotonic() + r->interval * 1000000ull;
}

static int tend_retirement(struct bpf_engine *b)
{
	struct retirement *r = &b->retirement;
	uint64_t before, took;

	if (!r->wanted || r->given_up || !b->addr_count)
		return INT_MAX;
	if (!r->next)
		set_next(r, SHORTEST_INTERVAL + r->after_ns / 1000000, 2, r->attach_ns);
	if (clock__monotonic() < r->next)
		return time_left(r);
	before = cpu_time();
	bpf_cover__leave_out_own(&b->cover, true);
	/* Without retiring, the run is only slower. So after an error, the run goes on. */
	r->given_up = retire(b);
	bpf_cover__leave_out_own(&b->cover, false);
	took = cpu_time() - before;
	r->cpu_ns += took;
	set_next(r, r->interval < LONGEST_INTERVAL / 2 ? 2 * r->interval : LONGEST_INTERVAL, 10, took);
	return time_left(r);
}

static int bpf__tend(void *engine)
{
	struct bpf_engine *b = engine;
	int ms = bpf_modules__tend(&b->modules), other = tend_retirement(b);

	return ms < other ? ms : other;
}

static int bpf__wakes(void *engine)
{
	struct bpf_engine *b = engine;

	return bpf_modules__fd(&b->modules);
}

/*
 * Names the functions of modules that were being loaded or removed, unless they were attached
 * later.
 */
static void add_unattached(struct coverage *c, const struct bpf_engine *b)
{
	size_t count = 0;
	char name[512];

	c->unattached = xcalloc(b->unattached_count + 1, sizeof(*c->unattached));
	for (size_t i = 0; i < b->unattached_count; i++) {
		const struct traceable_function *f = b->unattached[i];

		if (bpf_modules__has(&b->modules, f->module))
			continue;
		function__full_name(name, sizeof(name), f->name, f->module);
		c->unattached[count++] = xstrdup(name);
	}
	if (count)
		error__warn("%zu functions, such as %s, were not traced: their module was being loaded or "
			    "removed while hytrace attached", count, c->unattached[0]);
	counters__add(&c->lost, "unattached", count);
}

/*
 * On a kernel whose list of functions has no addresses: adds functions that are asked for and whose
 * addresses are unknown.
 */
static void add_ambiguous(struct coverage *c, const struct request *r)
{
	size_t listed, count = 0;
	const struct traceable_function *list = traceable__ambiguous(r->kernel->traceable, &listed);

	for (size_t i = 0; i < listed; i++)
		count += filter__judge(r->filter, list[i].name, list[i].module) == FILTER_TRACED;
	counters__add(&c->lost, "ambiguous", count);
}

static void add_retirement(struct coverage *c, const struct bpf_engine *b)
{
	const struct retirement *r = &b->retirement;

	counters__add(&c->cost, "retired", r->functions);
	counters__add(&c->cost, "retire_batches", r->changes);
	counters__add(&c->cost, "retire_ns", r->cpu_ns);
	if (b->cover.request->options->how.callers)
		counters__add(&c->lost, "callers_incomplete", r->functions);
}

static int bpf__collect(void *engine, void *cut, struct coverage *c, const struct places *places)
{
	struct bpf_engine *b = engine;
	int err;

	c->how.entry = b->fentry.count ? ENTRY_FENTRY : ENTRY_KPROBE;
	counters__add(&c->cost, "by_fentry", b->fentry.count);
	add_unattached(c, b);
	add_ambiguous(c, b->cover.request);
	err = bpf_modules__collect(&b->modules, c, places->after) ?: bpf_cover__collect(&b->cover, cut, c, places);
	if (!err && b->retirement.wanted)
		add_retirement(c, b);
	return err;
}

const struct engine_ops engine_bpf = {
	.name = "bpf",
	.monotonic = true,
	.refuse = bpf__refuse,
	.needs = FEATURE_COVER_BPF,
	.deny_own = bpf_needs__deny_own,
	.prepare = bpf__prepare,
	.follow = bpf_cover__follow,
	.start = bpf__start,
	.gate = bpf_cover__gate,
	.wakes = bpf__wakes,
	.tend = bpf__tend,
	.count = bpf_cover__count,
	.leave_out = bpf_cover__leave_out_own,
	.cut = bpf_cover__cut,
	.complete = bpf_cover__complete,
	.drop = bpf_cover__drop,
	.most_cuts = 16,
	.crowded = bpf_cover__crowded,
	.stop = bpf_cover__stop,
	.collect = bpf__collect,
	.destroy = bpf__destroy,
};
