// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finds what ran because fentry.multi keeps a task on its CPU; see pinned.h. The record of a call
 * through a pointer only has the function that was entered first, so some calls may not be
 * recorded. And the workload may have used migrate_disable() itself. So nothing here is certain.
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "kernel/symbols.h"
#include "report/pinned.h"

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

void pinned__find(struct pinned *ret, const struct coverage *c)
{
	*ret = (struct pinned){};
	if (c->how.entry != ENTRY_FENTRY)
		return;
	ret->list = xcalloc(c->hits.count, sizeof(*ret->list));
	while (add_functions(ret, c))
		;
}

void pinned__free(struct pinned *p)
{
	free(p->list);
	*p = (struct pinned){};
}

bool pinned__has(const struct pinned *p, const struct hit *hit)
{
	if (!p->list)
		return false;
	if (hit->kind == HIT_FUNCTION)
		return is_in_list(p, hit->name, hit->module);
	return comes_from_there(p, hit->name, hit->module, hit->other.name);
}
