// SPDX-License-Identifier: GPL-2.0-only
/*
 * What was before the kernel's part of a boot and what comes after it as bars of a timeline; see
 * sources.h.
 */
#include <stdlib.h>
#include <string.h>

#include "boot/report.h"
#include "boot/sources.h"
#include "boot/whole.h"

static bool is_placed(const struct boot_part *part)
{
	return part->start_known && part->time_known && part->time;
}

bool timeline__has_parts(const struct boot_report *r)
{
	const struct boot_parts *p = r->whole ? &r->whole->parts : NULL;

	for (size_t i = 0; p && i < p->count; i++) {
		if (is_placed(&p->list[i]))
			return true;
	}
	return false;
}

/*
 * When a part ended: when the next one began. The time of the last two is only that in which units
 * were being started.
 */
static int64_t end_of(const struct boot_whole *w, size_t index)
{
	const struct boot_part *part = &w->parts.list[index];
	int64_t end = part->start + (int64_t)part->time, finish;

	for (size_t i = index + 1; i < w->parts.count; i++) {
		if (is_placed(&w->parts.list[i]))
			return w->parts.list[i].start;
	}
	if (part->kind >= PART_UNITS && boot_units__complete(&w->units) &&
	    !boot_clock__from_monotonic(&w->clock, w->units.manager.finish, &finish) && finish > end)
		return finish;
	return end;
}

/* Parts that follow each other. One whose end is not known is in the next one. */
void timeline__add_parts(struct timeline *t, const struct boot_report *r)
{
	const struct boot_parts *p;
	size_t lane;

	if (!timeline__has_parts(r))
		return;
	p = &r->whole->parts;
	lane = timeline__lane(t, &(struct lane){ .name = "phases", .part = TIMELINE_BOOT, .pid = -1 });
	for (size_t i = 0; i < p->count; i++) {
		const struct boot_part *part = &p->list[i];

		if (!is_placed(part))
			continue;
		timeline__add(t, lane, part->kind < PART_INITRD ? BAR_PHASE : BAR_PROGRAM,
			      part->level ?: boot_part__title(part), part->start, end_of(r->whole, i));
		if (part->with)
			timeline__number(t, "with parts before it", part->with);
	}
}

static void add_unit(struct timeline *t, size_t lane, const struct boot_whole *w, const struct boot_unit *unit)
{
	bool done = unit->activated >= unit->activating || unit->deactivated >= unit->activating;
	int64_t start;

	/* Those that fail, or are not done yet, are of the boot as well. */
	if (!unit->activating || (done && !boot_unit__time(unit)) ||
	    (boot_units__complete(&w->units) && unit->activating > w->units.manager.finish) ||
	    boot_clock__from_monotonic(&w->clock, unit->activating, &start))
		return;
	timeline__add(t, lane, BAR_UNIT, unit->name, start,
		      done ? start + (int64_t)boot_unit__time(unit) : BAR_NO_END);
	timeline__text(t, "state", unit->state);
	if (unit->result)
		timeline__text(t, "result", unit->result);
}

/* When systemd had reached what it was to reach, and had nothing more to do. */
static void add_end(struct timeline *t, const struct boot_whole *w)
{
	const struct boot_unit *target = w->units.target ? boot_units__find(&w->units, w->units.target) : NULL;
	int64_t time;

	if (target && target->activated && !boot_clock__from_monotonic(&w->clock, target->activated, &time))
		timeline__mark(t, target->name, time);
	if (boot_units__complete(&w->units) &&
	    !boot_clock__from_monotonic(&w->clock, w->units.manager.finish, &time)) {
		t->parts[TIMELINE_BOOT].end = time;
		t->parts[TIMELINE_BOOT].end_known = true;
	}
}

void timeline__add_units(struct timeline *t, const struct boot_report *r)
{
	const struct boot_whole *w = r->whole;
	size_t lane;

	if (!w || !w->units.known || !w->clock.monotonic_known)
		return;
	lane = timeline__lane(t, &(struct lane){
		.name = "units", .part = TIMELINE_BOOT, .kind = LANE_APART, .pid = -1,
	});
	for (size_t i = 0; i < w->units.count; i++)
		add_unit(t, lane, w, &w->units.list[i]);
	add_end(t, w);
}

/* The TSC's zero is that of the early part's times. */
bool timeline__early_zero(const struct boot_report *r, int64_t *ret)
{
	uint64_t since;

	if (!r->whole || !early_stats__in_ns(&r->stats) || boot_clock__since_reset(&r->whole->clock, &since))
		return false;
	*ret = since;
	return true;
}
