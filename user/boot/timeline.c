// SPDX-License-Identifier: GPL-2.0-only
/*
 * Makes the timeline of a boot: chooses the lane of each span. Lanes are drawn in the order in which they are made
 * here.
 */
#include "base/memory.h"
#include "boot/boot.h"

/* In a picture, a bin is about 2.5 pixels wide. */
#define LOAD_BINS 500

#define NUMBER(name, member) { name, &field_time, offsetof(struct span, member) }

static const struct json_field of_hits[] = { NUMBER("callers", count), NUMBER("functions", more), { } };
static const struct json_field of_calls[] = { NUMBER("calls", count), NUMBER("functions", more), { } };
static const struct json_field of_part[] = { NUMBER("with parts before it", count), { } };
static const struct json_field of_level[] = { NUMBER("initcalls", count), { } };

/* A lane that does not belong to a task. */
static size_t no_task(struct timeline *t, enum timeline_part_id part, const char *name)
{
	return timeline__lane(t, &(struct lane){ .name = name, .part = part, .pid = -1 });
}

/*
 * The lane of a task. All sources use the same lane of a task, so that its spans nest.
 * @group: the group of a new lane; NULL: no group. Ignored if the lane exists.
 */
static size_t task_lane(struct timeline *t, int64_t pid, const char *group)
{
	struct lane lane = { .part = TIMELINE_BOOT, .group = group, .pid = pid };

	for (size_t i = t->lane_count; i-- > 0;) {
		if (t->lanes[i].pid == pid && t->lanes[i].part == TIMELINE_BOOT)
			return i;
	}
	lane.name = timeline__keep(t, "process %lld", (long long)pid);
	return timeline__lane(t, &lane);
}

/* Adds a span of the boot with its arguments. */
static struct span *add(struct timeline *t, size_t lane, const struct span *s)
{
	struct span *to = timeline__add(t, lane, s->class, span__name(s), s->start, s->end);

	to->task = s->task;
	to->in = s->in;
	to->note = s->note;
	to->result = s->result;
	return to;
}

/* ---- the early part */

/* An early time on the kernel's clock; if that is not known, since the first call. */
static int64_t early_time(const struct boot_early *e, int64_t time)
{
	return time - (e->zero == NOT_KNOWN ? e->begin : e->zero);
}

static void add_phase(struct timeline *t, size_t lane, const struct boot *b, const struct boot_phase *phase)
{
	bool oneshot = boot__is_oneshot(b);
	char room[64];
	const char *name = boot_phase__name(b, phase, room, sizeof(room));
	struct span *span;

	/* A phase without a start or a time has no place. */
	if (phase->start == NOT_KNOWN || phase->time == NOT_KNOWN)
		return;
	span = timeline__add(t, lane, SPAN_PHASE, name == room ? timeline__keep(t, "%s", name) : name,
			     early_time(&b->early, phase->start), early_time(&b->early, phase->start + phase->time));
	span->arguments = oneshot ? of_hits : of_calls;
	span->count = oneshot ? phase->callers : phase->calls;
	span->more = phase->functions;
	for (size_t i = 0; i < phase->inner_count; i++)
		add_phase(t, lane, b, &phase->inner[i]);
}

static void add_early(struct timeline *t, const struct boot *b)
{
	struct timeline_part *part = &t->parts[TIMELINE_EARLY];
	const struct boot_early *e = &b->early;
	size_t lane;

	if (!boot__has_early(b))
		return;
	part->title = timeline__keep(t, "early boot of %s", b->kernel.release ?: "(not known)");
	part->own_clock = e->zero == NOT_KNOWN;
	part->counts = e->counts;
	part->returns = e->returns != NOT_KNOWN;
	lane = no_task(t, TIMELINE_EARLY, "phases");
	for (size_t i = 0; i < e->phase_count; i++)
		add_phase(t, lane, b, &e->phases[i]);
	if (!e->longest.count)
		return;
	lane = no_task(t, TIMELINE_EARLY, "calls");
	for (size_t i = 0; i < e->longest.count; i++) {
		struct span call = e->longest.list[i];

		call.start = early_time(e, call.start);
		call.end = early_time(e, call.end);
		add(t, lane, &call);
	}
}

/* ---- the account */

static bool is_placed(const struct boot_part *part)
{
	return part->start != NOT_KNOWN && part->time > 0;
}

/* Are parts of the boot known? Then they are drawn as phases, instead of the levels. */
static bool has_parts(const struct boot_parts *p)
{
	for (size_t i = 0; i < p->count; i++) {
		if (is_placed(&p->list[i]))
			return true;
	}
	return false;
}

/* When the boot was complete. */
static int64_t finish_of(const struct boot *b)
{
	return boot_units__complete(&b->units) ? boot_clock__from_monotonic(&b->clock, b->units.manager.finish) : NOT_KNOWN;
}

/*
 * The end of a part: the start of the next part. The last parts end later than start + time, as their time excludes
 * the time in which no unit was starting.
 */
static int64_t end_of(const struct boot *b, size_t index)
{
	const struct boot_part *part = &b->parts.list[index];
	int64_t end = part->start + part->time, finish = finish_of(b);

	for (size_t i = index + 1; i < b->parts.count; i++) {
		if (is_placed(&b->parts.list[i]))
			return b->parts.list[i].start;
	}
	return part->kind >= PART_UNITS && finish > end ? finish : end;
}

/* Adds the parts of the boot. A part whose end is not known is included in the next part. */
static void add_parts(struct timeline *t, const struct boot *b)
{
	size_t lane = no_task(t, TIMELINE_BOOT, "phases");

	for (size_t i = 0; i < b->parts.count; i++) {
		const struct boot_part *part = &b->parts.list[i];
		struct span *span;

		if (!is_placed(part))
			continue;
		span = timeline__add(t, lane, part->kind < PART_INITRD ? SPAN_PHASE : SPAN_PROGRAM,
				     part->level ?: boot_part_titles[part->kind], part->start, end_of(b, i));
		span->arguments = of_part;
		span->count = part->with ?: NOT_KNOWN;
	}
}

/* ---- from the initcalls on */

/* Adds what process 1 did: the initcalls of each level, then programs. */
static void add_levels(struct timeline *t, const struct boot *b)
{
	const struct span *levels = b->levels.list;
	size_t lane = no_task(t, TIMELINE_BOOT, "phases");

	/* If the first levels are lost, the beginning of the initcalls is not known. */
	if (boot__has_beginning(b))
		timeline__add(t, lane, SPAN_PHASE, "(before)", 0, levels[0].start);
	for (size_t i = 0; i < b->levels.count; i++) {
		struct span *span = add(t, lane, &levels[i]);

		span->arguments = of_level;
		span->count = levels[i].count;
	}
	if (b->levels.count && b->inits.count)
		timeline__add(t, lane, SPAN_PHASE, "until init", levels[b->levels.count - 1].end, b->inits.list[0].start);
	for (size_t i = 0; i < b->inits.count; i++)
		timeline__add(t, lane, SPAN_PROGRAM, b->inits.list[i].name, b->inits.list[i].start,
			      i + 1 < b->inits.count ? b->inits.list[i + 1].start : UNTIL_END);
}

static void add_phases(struct timeline *t, const struct boot *b)
{
	if (has_parts(&b->parts))
		add_parts(t, b);
	else if (b->has_start)
		add_levels(t, b);
	for (size_t i = 0; i < b->inits.count; i++)
		timeline__mark(t, b->inits.list[i].name, b->inits.list[i].start);
}

/* The device whose probe this task was in; NULL: none that is known. */
static const char *device_of(const struct boot *b, int64_t task, int64_t start, int64_t end)
{
	for (size_t i = b->probes.count; i-- > 0;) {
		const struct span *probe = &b->probes.list[i];

		if (probe->task == task && probe->kind == PROBE_DEVICE && probe->name && probe->start < end && span__has_end(probe) &&
		    probe->end > start)
			return probe->name;
	}
	return NULL;
}

/* Adds what process 1 did until init, and what other tasks did while it waited for them. */
static void add_path(struct timeline *t, const struct boot *b)
{
	size_t lane;

	if (!b->path.count)
		return;
	lane = no_task(t, TIMELINE_BOOT, "critical path");
	for (size_t i = 0; i < b->path.count; i++) {
		struct span piece = b->path.list[i];
		const char *words = wait_class_words[piece.kind], *name = piece.name;
		const char *device = piece.kind == CLASS_ASYNC ? device_of(b, piece.task, piece.start, piece.end) : NULL;

		if (piece.kind == CLASS_UNKNOWN)
			piece.name = "waiting, nobody knows for what";
		else if (piece.kind != CLASS_RUNNING || !name)
			piece.name = !name ? words : timeline__keep(t, "%s: %s%s%s", words, name, device ? " of " : "", device ?: "");
		add(t, lane, &piece);
	}
}

static void add_initcalls(struct timeline *t, const struct boot *b, enum span_class class)
{
	for_list(call, &b->initcalls) {
		struct span *to;

		if (call->class != class)
			continue;
		to = add(t, task_lane(t, call->task, class == SPAN_MODULE ? "modules" : NULL), call);
		if (class == SPAN_MODULE || !strcmp(call->in, "console") || !strcmp(call->in, "unknown"))
			to->in = NULL;	/* no level */
	}
}

/* ---- units and programs */

/* Units that have failed, or are still starting, are a part of the boot, too. */
static void add_unit(struct timeline *t, size_t lane, const struct boot *b, const struct boot_unit *unit)
{
	struct span *span;

	if (unit->start == NOT_KNOWN || (boot_units__complete(&b->units) && unit->activating > b->units.manager.finish))
		return;
	span = timeline__add(t, lane, SPAN_UNIT, unit->name, unit->start,
			     boot_unit__is_done(unit) ? unit->start + boot_unit__time(unit) : NOT_KNOWN);
	span->in = unit->state;
	span->note = unit->result;
}

/* Adds units, marks when the default target was reached, and sets the end of the boot. */
static void add_units(struct timeline *t, const struct boot *b)
{
	const struct boot_unit *target = boot_units__target(&b->units);
	int64_t finish = finish_of(b);
	size_t lane = 0;

	if (b->units.count)
		lane = timeline__lane(t, &(struct lane){ .name = "units", .part = TIMELINE_BOOT, .kind = LANE_APART, .pid = -1 });
	for_list(unit, &b->units)
		add_unit(t, lane, b, unit);
	if (target && target->active != NOT_KNOWN)
		timeline__mark(t, target->name, target->active);
	if (finish != NOT_KNOWN) {
		t->parts[TIMELINE_BOOT].end = finish;
		t->parts[TIMELINE_BOOT].end_known = true;
	}
}

static void add_programs(struct timeline *t, const struct boot *b)
{
	for_list(program, &b->programs)
		add(t, timeline__lane(t, &(struct lane){ .name = "programs", .part = TIMELINE_BOOT, .kind = LANE_APART, .pid = -1 }),
		    program);
}

/* ---- probes and CPUs */

static void add_probes(struct timeline *t, const struct boot *b)
{
	for_list(probe, &b->probes) {
		struct span *to = add(t, task_lane(t, probe->task, "devices"), probe);

		if (probe->kind == PROBE_DEVICE && !to->in)
			to->in = "not known";
		/* "deferred" tells the result. */
		if (to->note)
			to->result = NOT_KNOWN;
	}
}

static void add_runs(struct timeline *t, const struct boot *b)
{
	for (size_t i = 0; i < b->cpu_count; i++) {
		size_t lane = no_task(t, TIMELINE_BOOT, timeline__keep(t, "CPU %lld", (long long)b->cpus[i].cpu));

		for (size_t j = 0; j < b->runs.count; j++) {
			if (b->runs.list[j].cpu == b->cpus[i].cpu)
				add(t, lane, &b->runs.list[j]);
		}
	}
}

/* ---- the load */

void boot_load__init(struct boot_load *l, int64_t start, int64_t end, size_t bins, size_t cpus)
{
	*l = (struct boot_load){
		.start = start, .bin = (end - start + (int64_t)bins - 1) / (int64_t)bins, .bins = bins, .cpus = cpus,
		.busy = xcalloc(cpus * bins, sizeof(*l->busy)), .numbers = xcalloc(cpus, sizeof(*l->numbers)),
		.io_bytes = xcalloc(bins, sizeof(*l->io_bytes)),
	};
	for (size_t i = 0; i < cpus * bins; i++)
		l->busy[i] = -1;
	for (size_t cpu = 0; cpu < cpus; cpu++)
		l->numbers[cpu] = cpu;
}

void boot_load__free(struct boot_load *l)
{
	free(l->busy);
	free(l->numbers);
	free(l->io_bytes);
	*l = (struct boot_load){};
}

/* Adds to each bin its share of the time. */
void boot_load__add(struct boot_load *l, size_t cpu, int64_t start, int64_t end, bool busy)
{
	int64_t from = start > l->start ? start - l->start : 0, to = end - l->start, whole = l->bin * (int64_t)l->bins;

	if (to > whole)
		to = whole;
	while (cpu < l->cpus && from < to) {
		int64_t bin = from / l->bin, next = (bin + 1) * l->bin < to ? (bin + 1) * l->bin : to;
		double *share = &l->busy[cpu * l->bins + bin];

		*share = (*share < 0 ? 0 : *share) + (busy ? (double)(next - from) / l->bin : 0);
		/* Rounding errors may add up. */
		if (*share > 1)
			*share = 1;
		from = next;
	}
}

double boot_load__mean(const struct boot_load *l, size_t bin)
{
	double sum = 0;
	size_t known = 0;

	for (size_t cpu = 0; cpu < l->cpus; cpu++) {
		double share = l->busy[cpu * l->bins + bin];

		sum += share >= 0 ? share : 0;
		known += share >= 0;
	}
	return known ? sum / known : -1;
}

/* Must be called after timeline__finish(), which finds the end of the boot. */
static void add_load(struct timeline *t, const struct boot *b)
{
	const struct timeline_part *part = &t->parts[TIMELINE_BOOT];
	struct boot_load *l = &t->load;

	if (!b->runs.count || part->end <= 0 || part->end <= part->start)
		return;
	/* The clock of the events begins with 0. */
	boot_load__init(l, part->start > 0 ? part->start : 0, part->end, LOAD_BINS, b->cpu_count);
	for (size_t cpu = 0; cpu < b->cpu_count; cpu++) {
		bool known = false;

		l->numbers[cpu] = b->cpus[cpu].cpu;
		for_list(run, &b->runs) {
			if (run->cpu != b->cpus[cpu].cpu)
				continue;
			/* The load of a CPU is known from its first run on. */
			if (!known)
				boot_load__add(l, cpu, run->start, b->cpus[cpu].until, false);
			known = true;
			boot_load__add(l, cpu, run->start, run->end, true);
		}
	}
	for (size_t i = 0; i < b->io_count; i++) {
		int64_t bin = (b->ios[i].time - l->start) / l->bin;

		if (b->ios[i].time >= l->start && bin < (int64_t)l->bins)
			l->io_bytes[bin] += b->ios[i].bytes;
	}
}

/* ---- all */

void timeline__collect(struct timeline *t, const struct boot *b)
{
	timeline__init(t);
	/* Several sources have spans of this part. */
	t->parts[TIMELINE_BOOT].title = timeline__keep(t, "boot of %s", b->kernel.release ?: "(not known)");
	add_early(t, b);
	add_phases(t, b);
	add_path(t, b);
	add_initcalls(t, b, SPAN_INITCALL);
	add_units(t, b);
	add_programs(t, b);
	add_initcalls(t, b, SPAN_MODULE);
	add_probes(t, b);
	add_runs(t, b);
	timeline__finish(t);
	add_load(t, b);
}
