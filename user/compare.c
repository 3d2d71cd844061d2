// SPDX-License-Identifier: GPL-2.0-only
/*
 * Comparing two coverages; see compare.h.
 *
 * Functions are matched by where they lie (link-time address, or module and offset), and only between
 * different builds by name. Then each that only one side has is given the first reason that holds, in an
 * order from the certain to the possible: what the other was told not to record, what it could not
 * know of, when it was not looking, what it counted as lost. The last is no proof, so it explains no
 * more functions than were counted.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "compare.h"
#include "error.h"

static const struct {
	const char *name, *text;
} reasons[REASON_COUNT] = {
	[REASON_NOT_ASKED] = { "not-asked", "%s was not asked for it (-a)" },
	[REASON_DENIED] = { "denied", "%s was told to leave it out (-d)" },
	[REASON_OWN] = { "own-helper", "%s leaves it out as the BPF program's own helper" },
	[REASON_UNATTACHED] = { "not-attached", "%s could not attach to it" },
	[REASON_MODULE] = { "module-later", "its module was not there when %s attached, which does "
			    "not follow modules" },
	[REASON_OTHER_BOOT] = { "other-boot", "%s is of another boot, another run" },
	[REASON_BEFORE] = { "before", "first hit before %s began to record" },
	[REASON_AFTER] = { "after", "first hit after %s had ended" },
	[REASON_SCOPE] = { "scope", "%s followed other tasks" },
	[REASON_NO_CALLERS] = { "no-callers", "%s did not record callers" },
	[REASON_NO_ADDRESS] = { "no-address", "no address or name to look for in %s" },
	[REASON_FULL] = { "full", "%s was full" },
	[REASON_RECURSION] = { "recursion", "%s counts more calls that it could not record: nested in "
			       "its own program" },
	[REASON_UNRESOLVED] = { "unresolved", "%s counts such addresses and does not list them" },
	[REASON_UNEXPLAINED] = { "unexplained", "UNEXPLAINED: nothing known of %s says why" },
};

const char *reason__name(enum reason reason)
{
	return reasons[reason].name;
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
	side->list = calloc(c->count + 1, sizeof(*side->list));
	if (!side->list)
		return error__no_memory();
	for (size_t i = 0; i < c->count; i++) {
		if (c->hits[i].kind & kind)
			side->list[side->count++] = &c->hits[i];
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

/* By the filters: a function's own name decides; a caller's depends on what it called. */
static enum reason by_filter(const struct hit *hit, unsigned int kind, const struct coverage *from,
			     const struct coverage *other)
{
	if (kind == HIT_CALLER) {
		/* A place inside one of the BPF program's helpers: the program came by. */
		if (hit->name && filter__judge(&other->filter, hit->name, hit->module) == FILTER_OWN)
			return REASON_OWN;
		if (!same_globs(&from->filter.own, &other->filter.own))
			return REASON_OWN;
		if (!same_globs(&from->filter.deny, &other->filter.deny))
			return REASON_DENIED;
		if (!same_globs(&from->filter.allow, &other->filter.allow))
			return REASON_NOT_ASKED;
		return REASON_UNEXPLAINED;
	}
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

static enum reason by_time(const struct hit *hit, const struct coverage *from,
			   const struct coverage *other)
{
	uint64_t error = from->window.error + other->window.error;

	if (compare_strings(from->boot_id, other->boot_id))
		return REASON_OTHER_BOOT;
	if (hit->first_ns < other->window.open + error)
		return REASON_BEFORE;
	if (hit->first_ns + error >= other->window.closing)
		return REASON_AFTER;
	return REASON_UNEXPLAINED;
}

/* How many calls the other knows it did not record, beside those refused for want of room. */
static uint64_t calls_missed(const struct coverage *c)
{
	return counters__get(&c->lost, "recursion_misses") + counters__get(&c->lost, "missed") +
	       counters__get(&c->lost, "map_busy") + counters__get(&c->lost, "map_error");
}

static enum reason by_loss(const struct hit *hit, unsigned int kind, const struct coverage *other,
			   uint64_t *missed)
{
	if (counters__get(&other->lost, "refused") || counters__get(&other->lost, "map_full"))
		return REASON_FULL;
	/* Every address of the kernel itself can be resolved; a module may be gone. */
	if (hit->module && kind == HIT_CALLER &&
	    (counters__get(&other->lost, "unresolvable_callers") ||
	     counters__get(&other->lost, "module_init_callers")))
		return REASON_UNRESOLVED;
	if (hit->module && kind == HIT_FUNCTION &&
	    (counters__get(&other->lost, "unresolvable_functions") ||
	     counters__get(&other->lost, "module_init_functions")))
		return REASON_UNRESOLVED;
	if (*missed) {
		--*missed;
		return REASON_RECURSION;
	}
	return REASON_UNEXPLAINED;
}

static enum reason find_reason(const struct comparison *cmp, const struct hit *hit,
			       const struct coverage *from, const struct coverage *other,
			       uint64_t *missed)
{
	enum reason reason;

	if (cmp->kind == HIT_CALLER && !other->callers)
		return REASON_NO_CALLERS;
	if (cmp->by_name ? !hit->name : !place_of(hit))
		return REASON_NO_ADDRESS;
	if (cmp->kind == HIT_FUNCTION && listed(other->unattached, hit->name))
		return REASON_UNATTACHED;
	reason = cmp->kind == HIT_FUNCTION ? by_filter(hit, cmp->kind, from, other)
					   : REASON_UNEXPLAINED;
	if (reason == REASON_UNEXPLAINED && hit->module && !other->follows_modules &&
	    !listed(other->modules, hit->module))
		reason = REASON_MODULE;
	if (reason == REASON_UNEXPLAINED)
		reason = by_time(hit, from, other);
	if (reason == REASON_UNEXPLAINED &&
	    (from->scope != other->scope || from->pid != other->pid) &&
	    other->scope != SCOPE_SYSTEM && other->scope != SCOPE_BOOT)
		reason = REASON_SCOPE;
	if (reason == REASON_UNEXPLAINED && cmp->kind == HIT_CALLER)
		reason = by_filter(hit, cmp->kind, from, other);
	if (reason == REASON_UNEXPLAINED)
		reason = by_loss(hit, cmp->kind, other, missed);
	return reason;
}

static void find_reasons(const struct comparison *cmp, struct difference *list, size_t count,
			 const struct coverage *from, const struct coverage *other)
{
	uint64_t missed = calls_missed(other);

	for (size_t i = 0; i < count; i++)
		list[i].reason = find_reason(cmp, list[i].hit, from, other, &missed);
}

static void merge(struct comparison *cmp, const struct side *a, const struct side *b,
		  int (*order)(const void *a, const void *b))
{
	size_t i = 0, j = 0;

	while (i < a->count || j < b->count) {
		int which = i == a->count ? 1 : j == b->count ? -1 :
			    order(&a->list[i], &b->list[j]);

		if (which < 0) {
			cmp->only_a[cmp->only_a_count++].hit = a->list[i++];
		} else if (which > 0) {
			cmp->only_b[cmp->only_b_count++].hit = b->list[j++];
		} else {
			const struct hit *const *x = &a->list[i], *const *y = &b->list[j];

			/* By name, several functions may have the same one. */
			cmp->both++;
			while (i < a->count && !order(&a->list[i], x))
				i++;
			while (j < b->count && !order(&b->list[j], y))
				j++;
		}
	}
}

int compare__run(struct comparison *ret, const struct coverage *a, const struct coverage *b,
		 unsigned int kind)
{
	struct comparison cmp = { .a = a, .b = b, .kind = kind };
	int (*order)(const void *a, const void *b);
	struct side sides[2] = {};
	int err;

	cmp.by_name = !same_build(a, b) ||
		      a->kernel.offset_known != b->kernel.offset_known ||
		      (!a->kernel.offset_known && compare_strings(a->boot_id, b->boot_id));
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
	find_reasons(&cmp, cmp.only_a, cmp.only_a_count, a, b);
	find_reasons(&cmp, cmp.only_b, cmp.only_b_count, b, a);
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

size_t compare__unexplained(const struct comparison *cmp)
{
	return count_reason(cmp->only_a, cmp->only_a_count, REASON_UNEXPLAINED) +
	       count_reason(cmp->only_b, cmp->only_b_count, REASON_UNEXPLAINED);
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
		fprintf(out, "  %zu: ", found);
		fprintf(out, reasons[reason].text, other);
		fputc(':', out);
		print_names(list, count, reason, limit, out);
	}
}

int compare__print(const struct comparison *cmp, const char *name_a, const char *name_b,
		   size_t limit, FILE *out)
{
	size_t unexplained = compare__unexplained(cmp);

	fprintf(out, "%s: %s %zu, %s %zu; %zu in both, %zu only in %s, %zu only in %s",
		cmp->kind == HIT_FUNCTION ? "Functions" : "Callers",
		name_a, cmp->both + cmp->only_a_count, name_b, cmp->both + cmp->only_b_count,
		cmp->both, cmp->only_a_count, name_a, cmp->only_b_count, name_b);
	if (cmp->by_name)
		fprintf(out, " (matched by name: not the same kernel build)");
	fputc('\n', out);
	print_side(cmp->only_a, cmp->only_a_count, name_a, name_b, limit, out);
	print_side(cmp->only_b, cmp->only_b_count, name_b, name_a, limit, out);
	if (unexplained)
		fprintf(out, "%zu UNEXPLAINED\n", unexplained);
	else if (cmp->only_a_count || cmp->only_b_count)
		fprintf(out, "All differences are explained.\n");
	else
		fprintf(out, "No difference.\n");
	return 0;
}
