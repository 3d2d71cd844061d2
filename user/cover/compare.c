// SPDX-License-Identifier: GPL-2.0-only
/*
 * Comparing two coverages; see compare.h.
 *
 * Functions are matched by where they lie (link-time address, or module and offset), and where that is
 * not known, or of another build, by name. Then each that only one side has is given the first reason
 * that holds, in an order from the certain to the possible.
 *
 * The time of a first hit says nothing of later ones. So a hit before the other began is no certain reason:
 * the function may have been called again. A hit after the other had ended is one only if this side was
 * recording for as long as the other, and would have seen an earlier call.
 *
 * A loss that the other has counted explains no more than was counted, and nothing for certain.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cover/compare.h"
#include "cover/losses.h"

static const char *const texts[REASON_COUNT] = {
	[REASON_NO_CALLERS] = "%s did not record callers",
	[REASON_UNATTACHED] = "%s could not attach to it",
	[REASON_NOT_ASKED] = "%s was not asked for it (-a)",
	[REASON_DENIED] = "%s was told to leave it out (-d)",
	[REASON_OWN] = "%s leaves it out as the BPF program's own helper",
	[REASON_MODULE] = "its module was not there when %s attached, which does not follow modules",
	[REASON_AFTER] = "not called before %s had ended",
	[REASON_NO_ADDRESS] = "no address or name to look for in %s",
	[REASON_OTHER_BOOT] = "%s is not known to be of the same boot: another run",
	[REASON_OTHER_RUN] = "%s recorded at another time: another run",
	[REASON_BEFORE] = "first hit before %s began to record, and maybe not again",
	[REASON_LATER] = "first hit after %s had ended, and maybe not before",
	[REASON_EDGE] = "first hit as %s began or ended, within the clocks' error",
	[REASON_SCOPE] = "%s followed other tasks",
	[REASON_INSIDE_OWN] = "the call may be the BPF program's own, which %s does not record",
	[REASON_CALLED_UNATTACHED] = "maybe it called a function that %s could not attach to",
	[REASON_CALLED_NOT_ASKED] = "maybe it called a function that %s was not asked for (-a)",
	[REASON_CALLED_DENIED] = "maybe it called a function that %s was told to leave out (-d)",
	[REASON_CALLED_OWN] = "maybe it called a helper of the BPF program, which %s leaves out",
	[REASON_MODULE_LATE] = "its module came while %s recorded, which attached to it later or not at all",
	[REASON_CALLED_MODULE] = "maybe it called a module that came after %s had attached",
	[REASON_RETIRED] = "%s watched functions for a time only (--retire=MS), maybe what it called",
	[REASON_FULL] = "%s was full",
	[REASON_UNRESOLVED] = "%s counts such addresses and does not list them",
	[REASON_RECURSION] = "%s counts calls that it could not record: nested in its own program",
	[REASON_UNEXPLAINED] = "UNEXPLAINED: nothing known of %s says why",
};

enum certainty reason__certainty(enum reason reason)
{
	if (reason == REASON_UNEXPLAINED)
		return UNEXPLAINED;
	return reason < REASON_NO_ADDRESS ? CERTAIN : POSSIBLE;
}

static bool same_build(const struct coverage *a, const struct coverage *b)
{
	return a->kernel.build_id && b->kernel.build_id &&
	       !strcmp(a->kernel.build_id, b->kernel.build_id);
}

static uint64_t place_of(const struct hit *hit)
{
	if (hit->module)
		return hit->offset;
	return hit->link ? hit->link : hit->addr;
}

static bool has_place(const struct hit *hit)
{
	return hit->module || place_of(hit);
}

static bool can_match(const struct comparison *cmp, const struct hit *hit)
{
	return cmp->by_name ? hit->name != NULL : has_place(hit);
}

static int compare_strings(const char *a, const char *b)
{
	if (!a || !b)
		return !!a - !!b;
	return strcmp(a, b);
}

static int by_place(const void *a, const void *b)
{
	const struct hit *x = *(const struct hit *const *)a, *y = *(const struct hit *const *)b;
	int order = compare_strings(x->module, y->module);

	if (order)
		return order;
	return place_of(x) < place_of(y) ? -1 : place_of(x) > place_of(y);
}

static int by_name(const void *a, const void *b)
{
	const struct hit *x = *(const struct hit *const *)a, *y = *(const struct hit *const *)b;
	int order = compare_strings(x->module, y->module);

	return order ? order : compare_strings(x->name, y->name);
}

struct side {
	const struct hit **list;
	size_t count;
};

static int side__fill(struct side *side, const struct coverage *c, unsigned int kind,
		      int (*order)(const void *a, const void *b))
{
	side->list = calloc(c->hits.count + 1, sizeof(*side->list));
	if (!side->list)
		return error__no_memory();
	for (size_t i = 0; i < c->hits.count; i++) {
		if (c->hits.list[i].kind == kind)
			side->list[side->count++] = &c->hits.list[i];
	}
	qsort(side->list, side->count, sizeof(*side->list), order);
	return 0;
}

static bool listed(char *const *list, const char *name)
{
	for (; list && name && *list; list++) {
		if (!strcmp(*list, name))
			return true;
	}
	return false;
}

/*
 * What @from has and @other has not: why. A count is how much more a loss may stand for; each
 * difference that it explains takes one.
 */
struct search {
	const struct comparison *cmp;
	const struct coverage *from, *other;
	uint64_t nameless, refused, unresolved, modules, calls;
	const char *module;	/* the last one that was taken for late */
	/* Of callers: when @from first saw a function that @other leaves out for that reason; or NEVER. */
	uint64_t left_out[REASON_AFTER];
};

#define NEVER UINT64_MAX
/* So far apart two processors may stamp and record one function's first calls. */
#define RACE_NS 1000000

static uint64_t errors(const struct search *s)
{
	return s->from->window.error + s->other->window.error;
}

static bool same_boot(const struct coverage *a, const struct coverage *b)
{
	return a->boot_id && b->boot_id && !strcmp(a->boot_id, b->boot_id);
}

static bool ended_before(const struct coverage *first, const struct coverage *second)
{
	return first->window.closed + first->window.error + second->window.error <
	       second->window.opening;
}

/* By the filters: a function's own name decides. */
static enum reason by_filter(const struct hit *hit, const struct coverage *other)
{
	if (!hit->name)
		return REASON_UNEXPLAINED;
	switch (filter__judge(&other->filter, hit->name, hit->module)) {
	case FILTER_NOT_ASKED:
		return REASON_NOT_ASKED;
	case FILTER_DENIED:
		return REASON_DENIED;
	case FILTER_OWN:
		return REASON_OWN;
	case FILTER_TRACED:
		break;
	}
	return REASON_UNEXPLAINED;
}

static bool is_unattached(const struct hit *hit, const struct coverage *other)
{
	char name[512];

	if (!hit->name)
		return false;
	function__full_name(name, sizeof(name), hit->name, hit->module);
	return listed(other->unattached, name);
}

/* A module that was there when @c began: what it recorded of it, it recorded all the time. */
static bool was_there(const struct hit *hit, const struct coverage *c)
{
	return !hit->module || listed(c->modules, hit->module);
}

/* Modules that came while @c was recorded: it has them only in part, if at all. */
static uint64_t modules_late(const struct coverage *c)
{
	uint64_t late = counters__get(&c->lost, "modules_late");

	return late ? late + counters__get(&c->lost, "modules_untraced") : 0;
}

/* Why @other cannot have any call of the function. */
static enum reason why_left_out(const struct hit *hit, const struct coverage *other)
{
	enum reason reason;

	if (is_unattached(hit, other))
		return REASON_UNATTACHED;
	reason = by_filter(hit, other);
	if (reason == REASON_UNEXPLAINED && !other->follows_modules && !was_there(hit, other) &&
	    !modules_late(other))
		reason = REASON_MODULE;
	return reason;
}

static bool same_or_any(const char *one, const char *other)
{
	return !other || (one && !strcmp(one, other));
}

/* Whether all tasks that @from looked at are among those of @other. */
static bool is_within(const struct coverage *from, const struct coverage *other)
{
	return (other->scope == SCOPE_SYSTEM || other->scope == SCOPE_BOOT ||
		(from->scope == other->scope && from->pid == other->pid)) &&
	       same_or_any(from->cgroup, other->cgroup) && same_or_any(from->comm, other->comm);
}

static bool same_globs(const struct globs *a, const struct globs *b)
{
	if (a->count != b->count)
		return false;
	for (size_t i = 0; i < a->count; i++) {
		if (strcmp(a->list[i].text, b->list[i].text))
			return false;
	}
	return true;
}

static bool same_filters(const struct filter *a, const struct filter *b)
{
	return same_globs(&a->allow, &b->allow) && same_globs(&a->deny, &b->deny) &&
	       same_globs(&a->own, &b->own);
}

/*
 * Whether @from has the first call there was since @other began. A caller is recorded with what it
 * called: other filters may have left out an earlier call of another function.
 */
static bool has_first_call(const struct search *s, const struct hit *hit)
{
	const struct coverage *from = s->from, *other = s->other;

	return from->window.open <= other->window.opening && is_within(other, from) &&
	       was_there(hit, from) && !losses__hide(&from->lost, s->cmp->kind) &&
	       (s->cmp->kind == HIT_FUNCTION || same_filters(&from->filter, &other->filter));
}

static enum reason by_time(const struct search *s, const struct hit *hit)
{
	const struct window *w = &s->other->window;

	if (!same_boot(s->from, s->other))
		return REASON_OTHER_BOOT;
	if (ended_before(s->from, s->other) || ended_before(s->other, s->from))
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
 * Which function a caller called is not known. It can be one that @other leaves out only if @from has
 * seen such a function by then.
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

	/* A place in one of the BPF program's helpers: the program came by, and does not see itself. */
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

/* How many calls the other knows it did not record, beside those refused for want of room. */
static uint64_t calls_missed(const struct coverage *c)
{
	uint64_t missed = counters__get(&c->lost, "missed");
	uint64_t recursion = counters__get(&c->lost, "recursion_misses");

	/* An event's are the program's as well. */
	if (!strcmp(c->engine, "event"))
		return missed > recursion ? missed : recursion;
	return missed + recursion;
}

/* A function is watched for so long from its first call on, and there was none before @other began. */
static bool may_be_retired(const struct search *s, const struct hit *hit)
{
	return counters__get(&s->other->lost, "callers_incomplete") &&
	       hit->first_ns + errors(s) >=
	       s->other->window.opening + s->other->options.retire_ms * 1000000ull;
}

/* The list has a module's functions one after the other. */
static bool is_late(struct search *s, const char *module)
{
	if (s->module && !strcmp(s->module, module))
		return true;
	if (!take(&s->modules))
		return false;
	s->module = module;
	return true;
}

static enum reason by_loss(struct search *s, const struct hit *hit)
{
	if (take(&s->refused))
		return REASON_FULL;
	if (s->cmp->kind == HIT_CALLER && may_be_retired(s, hit))
		return REASON_RETIRED;
	/* Every address of the kernel itself, and of a module that stays, can be resolved. */
	if (hit->module && !was_there(hit, s->other) && take(&s->unresolved))
		return REASON_UNRESOLVED;
	if (hit->module && !was_there(hit, s->other) && is_late(s, hit->module))
		return REASON_MODULE_LATE;
	if (take(&s->calls))
		return REASON_RECURSION;
	return REASON_UNEXPLAINED;
}

static enum reason find_certain(const struct search *s, const struct hit *hit)
{
	if (s->cmp->kind == HIT_CALLER)
		return s->other->callers ? REASON_UNEXPLAINED : REASON_NO_CALLERS;
	return why_left_out(hit, s->other);
}

static enum reason find_reason(struct search *s, const struct hit *hit)
{
	enum reason reason = find_certain(s, hit);

	if (reason == REASON_UNEXPLAINED && !can_match(s->cmp, hit) && take(&s->nameless))
		reason = REASON_NO_ADDRESS;
	if (reason == REASON_UNEXPLAINED)
		reason = by_time(s, hit);
	if (reason == REASON_UNEXPLAINED && !is_within(s->from, s->other))
		reason = REASON_SCOPE;
	if (reason == REASON_UNEXPLAINED && s->cmp->kind == HIT_CALLER)
		reason = by_called(s, hit);
	if (reason == REASON_UNEXPLAINED)
		reason = by_loss(s, hit);
	return reason;
}

static void find_reasons(const struct comparison *cmp, struct difference *list, size_t count,
			 size_t others, const struct coverage *from, const struct coverage *other)
{
	struct search s = {
		.cmp = cmp, .from = from, .other = other,
		.nameless = others,
		.refused = counters__get(&other->lost, "refused") +
			   counters__get(&other->lost, "map_full"),
		.unresolved = counters__get(&other->lost, cmp->kind == HIT_CALLER ?
					    "unresolvable_callers" : "unresolvable_functions"),
		.modules = modules_late(other),
		.calls = calls_missed(other),
	};

	find_left_out(&s);
	for (size_t i = 0; i < count; i++)
		list[i].reason = find_reason(&s, list[i].hit);
}

/* One to one: by name, several functions may have the same one. What has no key matches nothing. */
static void merge(struct comparison *cmp, const struct side *a, const struct side *b,
		  int (*order)(const void *a, const void *b))
{
	size_t i = 0, j = 0;

	while (i < a->count || j < b->count) {
		if (i < a->count && !can_match(cmp, a->list[i])) {
			cmp->only_a[cmp->only_a_count++].hit = a->list[i++];
		} else if (j < b->count && !can_match(cmp, b->list[j])) {
			cmp->only_b[cmp->only_b_count++].hit = b->list[j++];
		} else {
			int which = i == a->count ? 1 : j == b->count ? -1 :
				    order(&a->list[i], &b->list[j]);

			if (which < 0) {
				cmp->only_a[cmp->only_a_count++].hit = a->list[i++];
			} else if (which > 0) {
				cmp->only_b[cmp->only_b_count++].hit = b->list[j++];
			} else {
				cmp->both++;
				i++;
				j++;
			}
		}
	}
}

/* A document has addresses as linked only. */
static bool places_known(const struct coverage *c)
{
	for (size_t i = 0; i < c->hits.count; i++) {
		if (!has_place(&c->hits.list[i]))
			return false;
	}
	return true;
}

static const char *why_by_name(const struct coverage *a, const struct coverage *b)
{
	if (!same_build(a, b))
		return "not the same kernel build";
	if (a->kernel.offset_known != b->kernel.offset_known ||
	    (!a->kernel.offset_known && compare_strings(a->boot_id, b->boot_id)) ||
	    !places_known(a) || !places_known(b))
		return "addresses as linked are not known";
	return NULL;
}

int compare__run(struct comparison *ret, const struct coverage *a, const struct coverage *b,
		 unsigned int kind)
{
	struct comparison cmp = { .a = a, .b = b, .kind = kind };
	int (*order)(const void *a, const void *b);
	struct side sides[2] = {};
	int err;

	cmp.by_name = why_by_name(a, b);
	order = cmp.by_name ? by_name : by_place;
	err = side__fill(&sides[0], a, kind, order);
	if (!err)
		err = side__fill(&sides[1], b, kind, order);
	if (err)
		goto cleanup;
	cmp.only_a = calloc(sides[0].count + 1, sizeof(*cmp.only_a));
	cmp.only_b = calloc(sides[1].count + 1, sizeof(*cmp.only_b));
	if (!cmp.only_a || !cmp.only_b) {
		err = error__no_memory();
		goto cleanup;
	}
	merge(&cmp, &sides[0], &sides[1], order);
	find_reasons(&cmp, cmp.only_a, cmp.only_a_count, cmp.only_b_count, a, b);
	find_reasons(&cmp, cmp.only_b, cmp.only_b_count, cmp.only_a_count, b, a);
	*ret = cmp;
cleanup:
	free(sides[0].list);
	free(sides[1].list);
	if (err)
		compare__free(&cmp);
	return err;
}

void compare__free(struct comparison *cmp)
{
	free(cmp->only_a);
	free(cmp->only_b);
	memset(cmp, 0, sizeof(*cmp));
}

static size_t count_reason(const struct difference *list, size_t count, enum reason reason)
{
	size_t found = 0;

	for (size_t i = 0; i < count; i++)
		found += list[i].reason == reason;
	return found;
}

size_t compare__count(const struct comparison *cmp, enum certainty certainty)
{
	size_t found = 0;

	for (enum reason reason = 0; reason < REASON_COUNT; reason++) {
		if (reason__certainty(reason) == certainty)
			found += count_reason(cmp->only_a, cmp->only_a_count, reason) +
				 count_reason(cmp->only_b, cmp->only_b_count, reason);
	}
	return found;
}

static void print_names(const struct difference *list, size_t count, enum reason reason,
			size_t limit, FILE *out)
{
	size_t printed = 0;

	for (size_t i = 0; i < count; i++) {
		const struct hit *hit = list[i].hit;

		if (list[i].reason != reason)
			continue;
		if (limit && printed == limit) {
			fprintf(out, " ...");
			break;
		}
		printed++;
		fprintf(out, " %s", hit->name ? hit->name : "?");
		if (hit->module && hit->name)
			fprintf(out, "[%s]", hit->module);
		else if (hit->module)
			fprintf(out, "[%s+0x%" PRIx64 "]", hit->module, hit->offset);
	}
	fputc('\n', out);
}

static void print_side(const struct difference *list, size_t count, const char *name,
		       const char *other, size_t limit, FILE *out)
{
	if (!count)
		return;
	fprintf(out, "Only in %s: %zu\n", name, count);
	for (enum reason reason = 0; reason < REASON_COUNT; reason++) {
		size_t found = count_reason(list, count, reason);

		if (!found)
			continue;
		fprintf(out, "  %zu: %s", found,
			reason__certainty(reason) == POSSIBLE ? "possibly: " : "");
		fprintf(out, texts[reason], other);
		fputc(':', out);
		print_names(list, count, reason, limit, out);
	}
}

/* Nothing that one saw says what the other should have seen. */
static void print_gap(const struct coverage *first, const struct coverage *second,
		      const char *name_first, const char *name_second, FILE *out)
{
	if (same_boot(first, second) && ended_before(first, second))
		fprintf(out, " (two runs: %s began %.3f s after %s had ended)", name_second,
			(second->window.opening - first->window.closed) / 1e9, name_first);
}

int compare__print(const struct comparison *cmp, const char *name_a, const char *name_b,
		   size_t limit, FILE *out)
{
	size_t possible = compare__count(cmp, POSSIBLE);
	size_t unexplained = compare__count(cmp, UNEXPLAINED);

	fprintf(out, "%s: %s %zu, %s %zu; %zu in both, %zu only in %s, %zu only in %s",
		cmp->kind == HIT_FUNCTION ? "Functions" : "Callers",
		name_a, cmp->both + cmp->only_a_count, name_b, cmp->both + cmp->only_b_count,
		cmp->both, cmp->only_a_count, name_a, cmp->only_b_count, name_b);
	if (cmp->by_name)
		fprintf(out, " (matched by name: %s)", cmp->by_name);
	print_gap(cmp->a, cmp->b, name_a, name_b, out);
	print_gap(cmp->b, cmp->a, name_b, name_a, out);
	fputc('\n', out);
	print_side(cmp->only_a, cmp->only_a_count, name_a, name_b, limit, out);
	print_side(cmp->only_b, cmp->only_b_count, name_b, name_a, limit, out);
	if (possible || unexplained)
		fprintf(out, "Of the differences, %zu are explained, %zu only possibly, %zu are "
			"UNEXPLAINED.\n", compare__count(cmp, CERTAIN), possible, unexplained);
	else if (cmp->only_a_count || cmp->only_b_count)
		fprintf(out, "All differences are explained.\n");
	else
		fprintf(out, "No difference.\n");
	return 0;
}
