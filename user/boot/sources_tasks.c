// SPDX-License-Identifier: GPL-2.0-only
/*
 * What tasks and processors did as bars of a timeline; see sources.h. All of it is from events that
 * only tell something together: a boot that was not asked for them has none of these bars.
 */
#include <string.h>

#include "boot/probes.h"
#include "boot/report.h"
#include "boot/sched.h"
#include "boot/sources.h"
#include "boot/waits.h"

/* A picture has about two and a half pixels for each. */
#define LOAD_BINS 500

/* ---- what init waited for */

static enum bar_class class_of(enum wait_class class)
{
	if (class == CLASS_RUNNING)
		return BAR_RUNNING;
	return class == CLASS_BLOCK ? BAR_IO : BAR_WAIT;
}

/* What process 1 did until init without a gap, and what others did while it waited for them. */
void timeline__add_path(struct timeline *t, const struct boot_report *r)
{
	const struct boot_waits *w = r->start ? r->start->waits : NULL;
	size_t lane;

	if (!w || !w->path_count)
		return;
	lane = timeline__lane(t, &(struct lane){ .name = "critical path", .part = TIMELINE_BOOT, .pid = -1 });
	for (size_t i = 0; i < w->path_count; i++) {
		const struct path_piece *piece = &w->path[i];
		const char *words = wait_class__words(piece->class), *name = words;

		if (piece->class == CLASS_UNKNOWN)
			name = "waiting, nobody knows for what";
		else if (piece->class == CLASS_RUNNING)
			name = piece->name ?: words;
		else if (piece->name)
			name = timeline__keep(t, "%s: %s", words, piece->name);
		timeline__add(t, lane, class_of(piece->class), name, piece->start, piece->end);
		timeline__text(t, "in", piece->where);
		if (piece->pid >= 0)
			timeline__number(t, "task", piece->pid);
	}
}

/* ---- functions with probes */

static void add_probe(struct timeline *t, const struct boot_probe *probe)
{
	static const char *const names[PROBE_KINDS] = {
		[PROBE_DEVICE] = "(a device)", [PROBE_UNPACK] = "unpacking the initramfs",
		[PROBE_CONSOLE] = "writing to consoles",
	};
	bool device = probe->kind == PROBE_DEVICE;

	timeline__add(t, timeline__task(t, probe->pid, "devices"), device ? BAR_PROBE : BAR_CALL,
		      probe->device ?: names[probe->kind], probe->start,
		      probe->finished ? (int64_t)(probe->start + probe->time) : BAR_NO_END);
	if (!device)
		return;
	timeline__text(t, "driver", probe->driver ?: "not known");
	if (probe->deferred)
		timeline__text(t, "result", "deferred");
	else if (probe->finished)
		timeline__number(t, "result", probe->result);
}

void timeline__add_probes(struct timeline *t, const struct boot_report *r)
{
	const struct boot_probes *p = r->start ? r->start->probes : NULL;

	for (size_t i = 0; p && i < p->count; i++)
		add_probe(t, &p->list[i]);
}

/* ---- processors */

void timeline__add_processors(struct timeline *t, const struct boot_report *r)
{
	const struct boot_sched *s = r->start ? r->start->sched : NULL;

	for (size_t cpu = 0; s && cpu < s->cpu_count; cpu++) {
		struct lane lane = {
			.name = timeline__keep(t, "CPU %zu", cpu), .part = TIMELINE_BOOT, .pid = -1,
		};
		size_t index = timeline__lane(t, &lane);

		for (size_t i = 0; i < s->run_count; i++) {
			if (s->runs[i].cpu != (int)cpu)
				continue;
			timeline__add(t, index, BAR_RUNNING, s->runs[i].name,
				      s->runs[i].start, s->runs[i].end);
			timeline__number(t, "task", s->runs[i].pid);
		}
	}
}

/* A processor is known from the first time on that it ran something. */
static void add_busy(struct boot_load *l, const struct boot_sched *s, size_t cpu)
{
	bool first = true;

	for (size_t i = 0; i < s->run_count; i++) {
		const struct cpu_run *run = &s->runs[i];

		if (run->cpu != (int)cpu)
			continue;
		if (first)
			boot_load__watched(l, cpu, run->start, boot_sched__known_until(s, cpu));
		first = false;
		boot_load__busy(l, cpu, run->start, run->end);
	}
}

void timeline__add_load(struct timeline *t, const struct boot_report *r)
{
	const struct boot_sched *s = r->start ? r->start->sched : NULL;
	const struct timeline_part *part = &t->parts[TIMELINE_BOOT];

	if (!s || !s->run_count || part->end <= 0 || part->end <= part->start)
		return;
	/* The clock of the events begins with 0. */
	boot_load__init(&t->load, part->start > 0 ? part->start : 0, part->end, LOAD_BINS, s->cpu_count,
			true);
	for (size_t cpu = 0; cpu < s->cpu_count; cpu++)
		add_busy(&t->load, s, cpu);
	for (size_t i = 0; i < s->io_count; i++)
		boot_load__io(&t->load, s->ios[i].time, s->ios[i].bytes);
}
