// SPDX-License-Identifier: GPL-2.0-only
/* Draws how busy CPUs and disks were, as areas over the time; see picture.h. */
#include "boot/picture.h"

#define CHART 44
#define CPU_CHART 16
/* Machines with more CPUs only get the chart of all CPUs together. */
#define MOST_CPUS 16

/* @share: returns the share of a bin, 0 to 1; negative: not known */
static void draw_area(struct picture *p, const struct view *v, const char *class, double height,
		      double (*share)(const struct boot_load *l, size_t bin, size_t which),
		      size_t which)
{
	const struct boot_load *l = &p->t->load;
	double bottom = p->y + height - 1;
	bool open = false;

	fprintf(p->out, "<path class=\"%s\" d=\"", class);
	for (size_t i = 0; i < l->bins; i++) {
		int64_t start = l->start + (int64_t)i * l->bin, end = start + l->bin;
		double value = share(l, i, which);

		if (end <= v->from || start >= v->to || value < 0) {
			if (open)
				fprintf(p->out, "V%.1fz", bottom);
			open = false;
			continue;
		}
		if (!open)
			fprintf(p->out, "M%.2f %.1f", view__x(v, start > v->from ? start : v->from),
				bottom);
		fprintf(p->out, "V%.1fH%.2f", bottom - value * (height - 1),
			view__x(v, end < v->to ? end : v->to));
		open = true;
	}
	if (open)
		fprintf(p->out, "V%.1fz", bottom);
	fputs("\"/>\n", p->out);
}

static double busy_of_all(const struct boot_load *l, size_t bin, size_t which)
{
	(void)which;
	return boot_load__mean(l, bin);
}

static double busy_of_cpu(const struct boot_load *l, size_t bin, size_t cpu)
{
	return l->busy[cpu * l->bins + bin];
}

static double share_of_most(const struct boot_load *l, size_t bin, size_t most)
{
	return most ? (double)l->io_bytes[bin] / most : 0;
}

static void draw_disks(struct picture *p, const struct view *v)
{
	const struct boot_load *l = &p->t->load;
	char text[64];
	size_t most = 0;

	for (size_t i = 0; i < l->bins; i++)
		most = l->io_bytes[i] > most ? l->io_bytes[i] : most;
	if (!most)
		return;
	lane__begin(p, "disks", CHART);
	draw_area(p, v, "disk", CHART, share_of_most, most);
	snprintf(text, sizeof(text), "≤ %.1f MB/s", most / (l->bin / 1e9) / 1e6);
	svg__label(p->out, "soft", PICTURE_LEFT - 8, p->y + 26, "end", text);
	lane__end(p, CHART);
}

void view__load(struct picture *p, const struct view *v)
{
	const struct boot_load *l = &p->t->load;
	char name[32];

	if (!l->bins || v->part != TIMELINE_BOOT)
		return;
	lane__begin(p, "CPUs busy", CHART);
	draw_area(p, v, "busy", CHART, busy_of_all, 0);
	lane__end(p, CHART);
	for (size_t cpu = 0; l->cpus > 1 && l->cpus <= MOST_CPUS && cpu < l->cpus; cpu++) {
		snprintf(name, sizeof(name), "CPU %zu busy", cpu);
		lane__begin(p, name, CPU_CHART);
		draw_area(p, v, "busy", CPU_CHART, busy_of_cpu, cpu);
		lane__end(p, CPU_CHART - 4);
	}
	if (l->io_bytes)
		draw_disks(p, v);
}
