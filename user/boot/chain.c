// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finds the units of a boot that took longest, and the units that the default target had to wait
 * for; see units.h. The rules are those of systemd-analyze, so its output names the same units.
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "boot/units.h"

bool boot_units__complete(const struct boot_units *u)
{
	return u->known && u->manager.finish;
}

const struct boot_unit *boot_units__find(const struct boot_units *u, const char *name)
{
	for (size_t i = 0; i < u->count; i++) {
		if (!strcmp(u->list[i].name, name))
			return &u->list[i];
	}
	return NULL;
}

/* "foo.bar" has no type, as "bar" is not one: it is short for foo.bar.service. */
static bool has_type(const char *name)
{
	static const char *const types[] = {
		"service", "socket", "device", "mount", "automount", "swap", "target", "path", "timer", "slice",
		"scope",
	};
	const char *dot = strrchr(name, '.');

	for (size_t i = 0; dot && i < sizeof(types) / sizeof(types[0]); i++) {
		if (!strcmp(dot + 1, types[i]))
			return true;
	}
	return false;
}

/* Is @full the unit @name, which may lack ".service"? */
static bool is_typed(const char *full, const char *name)
{
	size_t length = strlen(name);

	return !strncmp(full, name, length) && !strcmp(full + length, has_type(name) ? "" : ".service");
}

const struct boot_unit *boot_units__find_typed(const struct boot_units *u, const char *name)
{
	for (size_t i = 0; i < u->count; i++) {
		for (char **alias = u->list[i].names; alias && *alias; alias++) {
			if (is_typed(*alias, name))
				return &u->list[i];
		}
	}
	return NULL;
}

uint64_t boot_unit__time(const struct boot_unit *unit)
{
	if (!unit->activating)
		return 0;
	if (unit->activated >= unit->activating)
		return unit->activated - unit->activating;
	return unit->deactivated >= unit->activating ? unit->deactivated - unit->activating : 0;
}

bool boot_units__in_boot(const struct boot_units *u, const struct boot_unit *unit)
{
	return unit->activating && unit->activated && unit->activated <= u->manager.finish;
}

static int by_time(const void *a, const void *b, void *arg)
{
	const struct boot_unit *list = arg;
	const size_t *x = a, *y = b;
	uint64_t first = boot_unit__time(&list[*x]), second = boot_unit__time(&list[*y]);

	if (first != second)
		return first > second ? -1 : 1;
	return *x < *y ? -1 : *x > *y;
}

size_t *boot_units__by_time(const struct boot_units *u, size_t *ret_count)
{
	size_t *list = xcalloc(u->count, sizeof(*list)), count = 0;

	for (size_t i = 0; i < u->count; i++) {
		if (boot_unit__time(&u->list[i]))
			list[count++] = i;
	}
	qsort_r(list, count, sizeof(*list), by_time, u->list);
	*ret_count = count;
	return list;
}

/* ---- the critical chain */

struct chain {
	const struct boot_units *u;
	struct chain_row *rows;
	size_t count;
	bool *followed;			/* for each unit: its own chain is in the rows */
};

static void add_row(struct chain *c, const struct boot_unit *unit, unsigned int depth)
{
	*LIST_ADD(c->rows, c->count) = (struct chain_row){ .name = unit->name, .unit = unit, .depth = depth };
}

/* The unit of this name; NULL: it was not started in the boot. */
static const struct boot_unit *started(const struct chain *c, const char *name)
{
	const struct boot_unit *unit = boot_units__find(c->u, name);

	return unit && boot_units__in_boot(c->u, unit) ? unit : NULL;
}

/* Adds the units that @unit waited for. A chain has some ten units; each is followed only once. */
static void follow(struct chain *c, const struct boot_unit *unit, unsigned int depth)
{
	uint64_t last = 0;

	c->followed[unit - c->u->list] = true;
	for (size_t i = 0; unit->after && unit->after[i]; i++) {
		const struct boot_unit *other = started(c, unit->after[i]);

		if (other && other->activated > last)
			last = other->activated;
	}
	for (size_t i = 0; last && unit->after[i]; i++) {
		const struct boot_unit *other = started(c, unit->after[i]);

		if (!other || other->activated != last)
			continue;
		add_row(c, other, depth);
		if (c->followed[other - c->u->list])
			c->rows[c->count - 1].again = true;
		else
			follow(c, other, depth + 1);
	}
}

struct chain_row *boot_units__chain(const struct boot_units *u, size_t *ret_count)
{
	struct chain c = { .u = u, .followed = xcalloc(u->count, sizeof(bool)) };
	const struct boot_unit *target = u->target ? boot_units__find(u, u->target) : NULL;

	if (target && boot_units__in_boot(u, target)) {
		add_row(&c, target, 0);
		follow(&c, target, 1);
	}
	free(c.followed);
	*ret_count = c.count;
	return c.rows;
}
