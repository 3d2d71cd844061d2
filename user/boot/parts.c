// SPDX-License-Identifier: GPL-2.0-only
/* Divides a boot into parts; see parts.h. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "boot/parts.h"

static const struct {
	const char *name, *title;
} kinds[PART_KINDS] = {
	[PART_FIRMWARE] = { "firmware", "firmware" },
	[PART_LOADER] = { "loader", "boot loader" },
	[PART_UNPACKING] = { "unpacking", "kernel, until its first call" },
	[PART_BEFORE_CLOCK] = { "before_clock", "kernel, until its clock" },
	[PART_BEFORE_INITCALLS] = { "before_initcalls", "kernel, until the initcalls" },
	[PART_LEVEL] = { "initcalls", "initcalls" },
	[PART_AFTER_INITCALLS] = { "after_initcalls", "kernel, until /init" },
	[PART_INITRD] = { "initrd", "initrd" },
	[PART_INIT] = { "init", "systemd, until it starts units" },
	[PART_UNITS] = { "units", "units, until the default target" },
	[PART_REST] = { "rest", "units, until the boot is complete" },
	[PART_BETWEEN] = { "between", "systemd, while it started no unit" },
};

const char *boot_part__name(const struct boot_part *part)
{
	return kinds[part->kind].name;
}

const char *boot_part__title(const struct boot_part *part)
{
	return kinds[part->kind].title;
}

/* A time, or that it is not known. */
struct moment {
	bool known;
	int64_t time;
};

static const struct moment unknown;

struct builder {
	struct boot_parts *parts;
	struct moment last;		/* the last known end of a part */
	size_t waiting;			/* the number of parts since "last", with unknown ends */
};

static struct moment at(int64_t time)
{
	return (struct moment){ true, time };
}

/* Adds a part that ends at @end. */
static struct boot_part *add(struct builder *b, enum part_kind kind, struct moment end)
{
	struct boot_parts *p = b->parts;
	struct boot_part *part = &p->list[p->count++];

	part->kind = kind;
	if (!b->waiting && b->last.known) {
		part->start_known = true;
		part->start = b->last.time;
	}
	/* If clocks differ by more than their errors, the time of a part is 0, never negative. */
	if (end.known && b->last.known && end.time < b->last.time)
		end.time = b->last.time;
	if (!end.known) {
		b->waiting++;
		return part;
	}
	if (b->last.known) {
		part->time_known = true;
		part->start_known = true;
		part->start = b->last.time;
		part->time = end.time - b->last.time;
		part->with = b->waiting;
		p->total += part->time;
	}
	b->last = end;
	b->waiting = 0;
	return part;
}

/* Adds a part that the boot did not have, with time 0: there is no initrd. */
static void add_none(struct builder *b, enum part_kind kind)
{
	if (b->last.known && !b->waiting)
		add(b, kind, b->last);
}

/* The time from the last known end to @until is in no part. */
static void skip(struct builder *b, int64_t until)
{
	if (!b->last.known || until <= b->last.time)
		return;
	b->parts->not_accounted += until - b->last.time;
	b->parts->total += until - b->last.time;
	b->last = at(until);
}

/* ---- before the kernel's clock */

static struct moment reset_of(const struct boot_known *k)
{
	uint64_t since;

	if (k->firmware && k->firmware->kexec)
		return unknown;
	if (!k->clock || boot_clock__since_reset(k->clock, &since) ||
	    (k->firmware && !boot_firmware__fits(k->firmware, since)))
		return unknown;
	return at(-(int64_t)since);
}

static struct moment after(struct moment reset, uint64_t ns)
{
	return reset.known && ns ? at(reset.time + (int64_t)ns) : unknown;
}

static void set_time(struct boot_part *part, struct boot_parts *p, uint64_t time)
{
	if (part->time_known)
		return;
	part->time_known = true;
	part->time = time;
	p->total += time;
}

static void add_before(struct builder *b, const struct boot_known *k)
{
	const struct boot_firmware none = {}, *f = k->firmware ?: &none;
	struct boot_part *firmware, *loader;
	struct moment first = unknown;

	b->last = reset_of(k);
	firmware = add(b, PART_FIRMWARE, after(b->last, f->loader_start));
	loader = add(b, PART_LOADER, after(reset_of(k), f->loader_end));
	/* Without the TSC, the firmware still tells their durations, but not when they began. */
	if (f->loader_end && !b->last.known) {
		set_time(firmware, b->parts, f->loader_start);
		set_time(loader, b->parts, f->loader_end - f->loader_start);
		b->waiting = 0;
	}
	if (k->first_call_known) {
		/* Not after the clock's zero: an error of the clocks must not move later parts. */
		first.known = k->clock && !boot_clock__from_tsc(k->clock, k->first_call, &first.time) && first.time <= 0;
		add(b, PART_UNPACKING, first);
	}
	add(b, PART_BEFORE_CLOCK, at(0));
}

/* ---- the kernel */

/* Translates a time of systemd's manager; unknown if there is no systemd. */
static struct moment from_manager(const struct boot_known *k, uint64_t time)
{
	struct moment m = unknown;

	m.known = k->units && k->units->known && time && k->clock &&
		  !boot_clock__from_monotonic(k->clock, time, &m.time);
	return m;
}

/* A program that starts later than systemd by more than this is systemd executing itself anew. */
#define MOST_ERROR_NS 10000000000ll

/*
 * The program that stays process 1: the last program before systemd began, within the error of the
 * clocks. If that time is not known: the second program, after the initrd's. SIZE_MAX: none yet.
 */
static size_t find_init(const struct boot_known *k)
{
	const struct boot_start *s = k->start;
	struct moment userspace = unknown;
	size_t found = SIZE_MAX;
	int64_t error;

	if (!s || !s->init_count)
		return SIZE_MAX;
	if (k->units && k->units->known)
		userspace = from_manager(k, k->units->manager.userspace);
	if (!userspace.known)
		return s->init_count > 1 ? 1 : 0;
	error = k->clock->monotonic_error < MOST_ERROR_NS ? k->clock->monotonic_error : MOST_ERROR_NS;
	for (size_t i = 0; i < s->init_count && (int64_t)s->inits[i].time <= userspace.time + error; i++)
		found = i;
	return found;
}

/* The position of a level in the kernel's order. SIZE_MAX: the level is not known. */
static size_t rank(const char *level)
{
	static const char *const order[] = {
		"early", "pure", "core", "postcore", "arch", "subsys", "fs", "device", "late",
	};

	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
		if (!strcmp(order[i], level))
			return i;
	}
	return SIZE_MAX;
}

/* Are the events of the next level, or levels, missing? */
static bool is_followed_by_hole(const struct boot_start *s, size_t level)
{
	size_t next = level + 1 < s->level_count ? rank(s->levels[level + 1].name) : rank("late") + 1;
	size_t own = rank(s->levels[level].name);

	return own != SIZE_MAX && next != SIZE_MAX && next > own + 1;
}

/* The latest recorded end of an initcall of the level. */
static int64_t end_of_initcalls(const struct boot_start *s, size_t level)
{
	uint64_t end = s->levels[level].start;

	for (size_t i = 0; i < s->initcall_count; i++) {
		const struct start_initcall *call = &s->initcalls[i];

		if (call->level == level && call->finished && call->start + call->time > end)
			end = call->start + call->time;
	}
	return end;
}

/* Adds the levels. A level before a missing level ends with its last initcall. */
static void add_levels(struct builder *b, const struct boot_start *s)
{
	for (size_t i = 0; i < s->level_count; i++) {
		bool hole = is_followed_by_hole(s, i);
		int64_t end = hole ? end_of_initcalls(s, i) :
				     (int64_t)(s->levels[i].start + s->levels[i].time);

		add(b, PART_LEVEL, at(end))->level = s->levels[i].name;
		if (hole && i + 1 < s->level_count)
			skip(b, s->levels[i + 1].start);
		else if (hole && s->init_count)
			skip(b, s->inits[0].time);
	}
}

static void add_kernel(struct builder *b, const struct boot_known *k)
{
	const struct boot_start *s = k->start;
	size_t init = find_init(k);
	struct moment first = s && s->init_count ? at(s->inits[0].time) : unknown;
	struct moment last = unknown;
	bool whole = s && boot_start__has_beginning(s);

	add(b, PART_BEFORE_INITCALLS, whole ? at(s->levels[0].start) : unknown);
	if (whole)
		add_levels(b, s);
	else
		add(b, PART_LEVEL, unknown);
	/* A systemd in the initrd tells when it began. */
	if (!first.known && k->units && k->units->known)
		first = from_manager(k, k->units->manager.initrd);
	add(b, PART_AFTER_INITCALLS, first);
	if (init != SIZE_MAX) {
		b->parts->init = s->inits[init].program;
		last = at(s->inits[init].time);
	} else if (k->units && k->units->known) {
		last = from_manager(k, k->units->manager.userspace);
	}
	if (init)
		add(b, PART_INITRD, last);
	else
		add_none(b, PART_INITRD);
}

/* ---- user space */

struct span {
	int64_t start, end;
};

static int by_start(const void *a, const void *b)
{
	const struct span *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

/* How long was no unit starting, from @start to @end (CLOCK_MONOTONIC)? */
static uint64_t find_gaps(const struct boot_units *u, int64_t start, int64_t end)
{
	struct span *spans = xcalloc(u->count, sizeof(*spans));
	size_t count = 0;
	uint64_t gaps = 0;

	for (size_t i = 0; i < u->count; i++) {
		const struct boot_unit *unit = &u->list[i];

		if (boot_unit__time(unit))
			spans[count++] = (struct span){ unit->activating,
							unit->activating + boot_unit__time(unit) };
	}
	qsort(spans, count, sizeof(*spans), by_start);
	for (size_t i = 0; i < count && start < end; i++) {
		int64_t next = spans[i].start < end ? spans[i].start : end;

		if (next > start)
			gaps += next - start;
		if (spans[i].end > start)
			start = spans[i].end;
	}
	if (start < end)
		gaps += end - start;
	free(spans);
	return gaps;
}

/*
 * Moves the time in which no unit was starting from a part to @sum. A part whose start is not known
 * includes earlier parts, and so is longer than from @start to @end.
 */
static void take_gaps(struct boot_part *part, const struct boot_units *u, uint64_t start, uint64_t end,
		      uint64_t *sum, bool *ret_known)
{
	uint64_t gaps;

	if (!part->time_known || !start || end <= start)
		return;
	gaps = find_gaps(u, start, end);
	if (gaps > part->time)
		gaps = part->time;
	part->time -= gaps;
	*sum += gaps;
	*ret_known = true;
}

/* systemd keeps only a unit's last start. A unit that had ended before it had started before. */
static size_t count_started_again(const struct boot_units *u)
{
	size_t count = 0;

	for (size_t i = 0; i < u->count; i++) {
		const struct boot_unit *unit = &u->list[i];

		count += unit->activating > u->manager.finish && unit->deactivated && unit->deactivated <= unit->activating;
	}
	return boot_units__complete(u) ? count : 0;
}

static void add_userspace(struct builder *b, const struct boot_known *k)
{
	const struct boot_units *u = k->units;
	const struct boot_unit *target;
	struct boot_part *units, *rest, *between;
	uint64_t loaded, reached, gaps = 0;
	bool known = false;

	if (!u || !u->known) {
		add(b, PART_INIT, unknown);
		add(b, PART_UNITS, unknown);
		add(b, PART_REST, unknown);
		add(b, PART_BETWEEN, unknown);
		return;
	}
	b->parts->started_again = count_started_again(u);
	loaded = u->manager.load_finish;
	target = u->target ? boot_units__find(u, u->target) : NULL;
	reached = target && boot_units__in_boot(u, target) ? target->activated : 0;
	add(b, PART_INIT, from_manager(k, loaded));
	units = add(b, PART_UNITS, from_manager(k, reached));
	rest = add(b, PART_REST, from_manager(k, u->manager.finish));
	take_gaps(units, u, loaded, reached, &gaps, &known);
	take_gaps(rest, u, reached ?: loaded, u->manager.finish, &gaps, &known);
	between = add(b, PART_BETWEEN, unknown);
	between->start_known = false;
	between->time_known = known;
	between->time = gaps;
}

void boot_parts__find(struct boot_parts *ret, const struct boot_known *known)
{
	struct builder b = { .parts = ret };

	memset(ret, 0, sizeof(*ret));
	ret->list = xcalloc(PART_KINDS + (known->start ? known->start->level_count : 0), sizeof(*ret->list));
	add_before(&b, known);
	add_kernel(&b, known);
	add_userspace(&b, known);
}

void boot_parts__free(struct boot_parts *p)
{
	free(p->list);
	memset(p, 0, sizeof(*p));
}
