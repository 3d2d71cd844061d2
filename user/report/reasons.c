// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finds why one side of a comparison has a hit that the other side lacks; see compare.h. Each
 * difference gets the first reason that holds; certain reasons come before possible ones.
 *
 * The time of a first hit shows nothing about later calls. So a hit before the other side began is
 * no certain reason, because the function may have been called again. A hit after the other side
 * ended is a certain reason only if this side recorded during the other side's whole window, and
 * would have seen an earlier call.
 *
 * A loss that the other side has counted explains at most as many differences as it counted, and
 * none with certainty.
 */
#include "base/memory.h"
#include "document/coverage.h"
#include "kernel/symbols.h"
#include "report/documents.h"
#include "report/compare.h"

/*
 * ---- what ran because fentry.multi keeps a task on its CPU
 *
 * While its trampoline runs a program, the task may be preempted, but not migrate. If it is preempted, the scheduler
 * pins it, and the end of the trampoline unpins it. Both run functions that change affinity, though nobody asked for
 * it.
 *
 * The record of a call through a pointer only has the function that was entered first, so some calls may not be
 * recorded. And the workload may have used migrate_disable() itself. So nothing here is certain.
 */

struct pinned {
	const struct hit **list;	/* functions whose recorded calls all are due to pinning; NULL: none is */
	size_t count;
};

static bool is_named(const char *name, const char *base)
{
	return name && strlen(base) == function__base_length(name) && !strncmp(name, base, strlen(base));
}

/* migrate_disable_switch() may be inlined into __schedule(), which sets no affinity otherwise. */
static bool is_origin(const char *caller, const char *callee)
{
	return is_named(caller, "___migrate_enable") || is_named(caller, "migrate_disable_switch") ||
	       (is_named(caller, "__schedule") && callee && strstr(callee, "set_cpus_allowed"));
}

/* Names are enough, because none of these functions has a namesake. */
static bool is_in_list(const struct pinned *p, const char *name, const char *module)
{
	for (size_t i = 0; name && !module && i < p->count; i++) {
		if (!strcmp(p->list[i]->name, name))
			return true;
	}
	return false;
}

static bool comes_from_there(const struct pinned *p, const char *caller, const char *module, const char *callee)
{
	return !module && (is_origin(caller, callee) || is_in_list(p, caller, module));
}

/* Tests the first caller of the function first, because this excludes most functions. */
static bool all_calls_come_from_there(const struct pinned *p, const struct coverage *c, const struct hit *function)
{
	if (!comes_from_there(p, function->other.name, function->other.module, function->name))
		return false;
	for (size_t i = 0; i < c->hits.count; i++) {
		const struct hit *hit = &c->hits.list[i];

		if (hit->kind == HIT_CALLER && hit->other.name && !hit->other.module &&
		    !strcmp(hit->other.name, function->name) &&
		    !comes_from_there(p, hit->name, hit->module, function->name))
			return false;
	}
	return true;
}

/* One pass over the functions. Returns whether it has added any. */
static bool add_functions(struct pinned *p, const struct coverage *c)
{
	size_t before = p->count;

	for (size_t i = 0; i < c->hits.count; i++) {
		const struct hit *hit = &c->hits.list[i];

		if (hit->kind == HIT_FUNCTION && hit->name && !hit->module && !is_in_list(p, hit->name, NULL) &&
		    all_calls_come_from_there(p, c, hit))
			p->list[p->count++] = hit;
	}
	return p->count > before;
}

/* Is @hit such a function, or a call from one of them or from the end of the trampoline? */
static bool may_be_pinned(const struct pinned *p, const struct hit *hit)
{
	if (!p->list)
		return false;
	if (hit->kind == HIT_FUNCTION)
		return is_in_list(p, hit->name, hit->module);
	return comes_from_there(p, hit->name, hit->module, hit->other.name);
}

/* ---- the reasons */

/*
 * The search for reasons why @from has hits that @other lacks. Each counter is the number of
 * differences that a loss may still explain.
 */
struct search {
	const struct comparison *cmp;
	const struct coverage *from, *other;
	uint64_t nameless, rewritten, hidden, refused, unresolved, modules, calls;
	const char *module;	/* the last module that was found to be late */
	/* by reason: the first hit in @from of a function that @other excludes for it; or NEVER */
	uint64_t left_out[REASON_AFTER];
	struct pinned pinned;	/* of @from, if @other does not use fentry.multi */
};

#define NEVER UINT64_MAX
/* If two CPUs call a function first at the same time, the recorded time may be too late by this. */
#define RACE_NS 1000000

static uint64_t errors(const struct search *s)
{
	return s->from->window.error + s->other->window.error;
}

bool coverage__ended_before(const struct coverage *first, const struct coverage *second)
{
	return first->window.closed + first->window.error + second->window.error <
	       second->window.opening;
}

/* Was the module loaded when @c began? Then it was recorded during the whole window. */
static bool was_there(const struct hit *hit, const struct coverage *c)
{
	const struct covered_module *m = hit->module ? covered_modules__find(&c->modules, hit->module) : NULL;

	return !hit->module || (m && !m->came);
}

/* How many modules were loaded while @c recorded: it has them only in part, if at all. */
static uint64_t modules_late(const struct coverage *c)
{
	uint64_t late = counters__get(&c->lost, "modules_late");

	return late ? late + counters__get(&c->lost, "modules_untraced") : 0;
}

/* Why @other cannot have the function. (A hit does not show whether it is init text.) */
static enum reason why_left_out(const struct hit *hit, const struct coverage *other)
{
	const struct function f = { .name = hit->name, .module = hit->module };

	switch (verdict__of(other, &f)) {
	case VERDICT_UNATTACHED:
		return REASON_UNATTACHED;
	case VERDICT_NOT_ASKED:
		return REASON_NOT_ASKED;
	case VERDICT_DENIED:
		return REASON_DENIED;
	case VERDICT_OWN:
		return REASON_OWN;
	case VERDICT_NO_MODULE:
		return other->follows_modules || modules_late(other) ? REASON_UNEXPLAINED : REASON_MODULE;
	default:
		return REASON_UNEXPLAINED;
	}
}

/*
 * Is @hit the first call since @other began? A caller is recorded only with a callee that is not
 * filtered out, so with other filters, @from may lack its earlier call of another function.
 */
static bool has_first_call(const struct search *s, const struct hit *hit)
{
	const struct coverage *from = s->from, *other = s->other;

	return from->window.open <= other->window.opening && coverage__lies_in(other, from) &&
	       was_there(hit, from) && !losses__hide(&from->lost, s->cmp->kind) &&
	       (s->cmp->kind == HIT_FUNCTION ||
		(globs__are_same(&from->filter.allow, &other->filter.allow) &&
		 globs__are_same(&from->filter.deny, &other->filter.deny) &&
		 globs__are_same(&from->filter.own, &other->filter.own)));
}

static enum reason by_time(const struct search *s, const struct hit *hit)
{
	const struct window *w = &s->other->window;

	if (!coverage__same_boot(s->from, s->other))
		return REASON_OTHER_BOOT;
	if (coverage__ended_before(s->from, s->other) ||
	    coverage__ended_before(s->other, s->from))
		return REASON_OTHER_RUN;
	if (hit->first_ns + errors(s) < w->opening)
		return REASON_BEFORE;
	if (hit->first_ns > w->closed + errors(s))
		return has_first_call(s, hit) ? REASON_AFTER : REASON_LATER;
	if (hit->first_ns < w->open + errors(s) || hit->first_ns + errors(s) >= w->closing)
		return REASON_EDGE;
	return REASON_UNEXPLAINED;
}

static void find_left_out(struct search *s)
{
	for (size_t i = 0; i < REASON_AFTER; i++)
		s->left_out[i] = NEVER;
	for (size_t i = 0; i < s->from->hits.count; i++) {
		const struct hit *hit = &s->from->hits.list[i];
		enum reason reason;

		if (hit->kind != HIT_FUNCTION)
			continue;
		reason = why_left_out(hit, s->other);
		if (reason < REASON_AFTER && hit->first_ns < s->left_out[reason])
			s->left_out[reason] = hit->first_ns;
	}
}

/*
 * The callee of a caller is unknown. It may be a function that @other excludes, but only if @from
 * has seen such a function by then.
 */
static enum reason by_called(const struct search *s, const struct hit *hit)
{
	static const struct {
		enum reason function, caller;
	} reasons[] = {
		{ REASON_OWN, REASON_CALLED_OWN },
		{ REASON_DENIED, REASON_CALLED_DENIED },
		{ REASON_NOT_ASKED, REASON_CALLED_NOT_ASKED },
		{ REASON_UNATTACHED, REASON_CALLED_UNATTACHED },
		{ REASON_MODULE, REASON_CALLED_MODULE },
	};

	/* The call site is in a helper of the BPF program, which does not see its own calls. */
	if (hit->name && strcmp(s->other->engine, "oneshot") &&
	    filter__judge(&s->other->filter, hit->name, hit->module) == FILTER_OWN)
		return REASON_INSIDE_OWN;
	for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++) {
		uint64_t since = s->left_out[reasons[i].function];

		if (since != NEVER && hit->first_ns + RACE_NS >= since)
			return reasons[i].caller;
	}
	return REASON_UNEXPLAINED;
}

static bool take(uint64_t *left)
{
	if (!*left)
		return false;
	--*left;
	return true;
}

/* How many calls @c counted as not recorded, except for those refused for lack of room. */
static uint64_t calls_missed(const struct coverage *c)
{
	uint64_t missed = counters__get(&c->lost, "missed");
	uint64_t recursion = counters__get(&c->lost, "recursion_misses");

	/* With an event, both counters may have counted one call. */
	if (!strcmp(c->engine, "event"))
		return missed > recursion ? missed : recursion;
	return missed + recursion;
}

/* @other watched each function at least until retire_ms after its window opened. */
static bool may_be_retired(const struct search *s, const struct hit *hit)
{
	return counters__get(&s->other->lost, "callers_incomplete") &&
	       hit->first_ns + errors(s) >=
	       s->other->window.opening + s->other->how.retire_ms * 1000000ull;
}

/* Counts a late module once: the hits of a module are adjacent in the list. */
static bool is_late(struct search *s, const char *module)
{
	if (s->module && !strcmp(s->module, module))
		return true;
	if (!take(&s->modules))
		return false;
	s->module = module;
	return true;
}

/* A call in vmlinux has two addresses if only one of the recordings has its linked form. */
static bool may_be_rewritten(struct search *s, const struct hit *hit)
{
	return s->cmp->kind == HIT_CALLER && !s->cmp->by_name && !hit->module &&
	       s->from->kernel.calls_linked != s->other->kernel.calls_linked && take(&s->rewritten);
}

static enum reason by_loss(struct search *s, const struct hit *hit)
{
	if (take(&s->refused))
		return REASON_FULL;
	if (s->cmp->kind == HIT_CALLER && may_be_retired(s, hit))
		return REASON_RETIRED;
	if (s->cmp->kind == HIT_CALLER && take(&s->hidden))
		return REASON_HIDDEN;
	/* Every address of the kernel itself, and of a module that stays, has a name. */
	if (hit->module && !was_there(hit, s->other) && take(&s->unresolved))
		return REASON_UNRESOLVED;
	if (hit->module && !was_there(hit, s->other) && is_late(s, hit->module))
		return REASON_MODULE_LATE;
	if (take(&s->calls))
		return REASON_RECURSION;
	return REASON_UNEXPLAINED;
}

static enum reason find_reason(struct search *s, const struct hit *hit)
{
	enum reason reason = s->cmp->kind == HIT_FUNCTION ? why_left_out(hit, s->other) :
			     s->other->how.callers ? REASON_UNEXPLAINED : REASON_NO_CALLERS;

	if (reason != REASON_UNEXPLAINED)
		return reason;
	if (!comparison__can_match(s->cmp, hit) && take(&s->nameless))
		return REASON_NO_ADDRESS;
	reason = by_time(s, hit);
	if (reason != REASON_UNEXPLAINED)
		return reason;
	if (!coverage__lies_in(s->from, s->other) || counters__get(&s->other->lost, "tasks_full"))
		return REASON_SCOPE;
	if (may_be_rewritten(s, hit))
		return REASON_REWRITTEN;
	reason = s->cmp->kind == HIT_CALLER ? by_called(s, hit) : REASON_UNEXPLAINED;
	if (reason != REASON_UNEXPLAINED)
		return reason;
	return may_be_pinned(&s->pinned, hit) ? REASON_PINNED : by_loss(s, hit);
}

void reasons__find(const struct comparison *cmp, struct difference *list, size_t count,
		   size_t others, const struct coverage *from, const struct coverage *other)
{
	struct search s = {
		.cmp = cmp, .from = from, .other = other,
		.nameless = others, .rewritten = others,
		.hidden = counters__get(&other->lost, "parents_lost"),
		.refused = counters__get(&other->lost, "refused") +
			   counters__get(&other->lost, "map_full"),
		.unresolved = counters__get(&other->lost, cmp->kind == HIT_CALLER ?
					    "unresolvable_callers" : "unresolvable_functions"),
		.modules = modules_late(other),
		.calls = calls_missed(other),
	};

	if (count && from->how.entry == ENTRY_FENTRY && other->how.entry != ENTRY_FENTRY) {
		s.pinned.list = xcalloc(from->hits.count, sizeof(*s.pinned.list));
		while (add_functions(&s.pinned, from))
			;
	}
	find_left_out(&s);
	for (size_t i = 0; i < count; i++)
		list[i].reason = find_reason(&s, list[i].hit);
	free(s.pinned.list);
}
