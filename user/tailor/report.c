// SPDX-License-Identifier: GPL-2.0-only
/* Prints which options go, and why; see report.h. */
#include "base/table.h"
#include "tailor/report.h"

/* What no recording can show; printed first. */
const char *const tailored_limits[] = {
	"This result is based only on what was recorded. What that does not show may be needed:",
	"  - other machines: processors, buses, disks, firmware;",
	"  - rare cases: errors, lack of memory, attacks, suspend, reboot, panic;",
	"  - options that only change how code is compiled, or how data are laid out;",
	"  - \"init only\": code that did its work while the kernel booted, and was freed.",
	"Boot the new kernel, and run all that it is for, before you rely on it.",
	NULL
};

struct tailored_totals tailored__totals(const struct tailored *t)
{
	const struct evidence *e = t->evidence;
	struct tailored_totals sum = {};

	for (size_t i = 0; i < t->owners->count; i++) {
		const struct object_facts *o = &e->objects[i];
		bool stays = !selection__drops(t->selection, o->owned);

		if (!o->linked)
			continue;
		if (o->owned->module) {
			sum.modules++;
			sum.modules_after += stays;
			continue;
		}
		sum.objects++;
		sum.objects_after += stays;
		sum.bytes += o->bytes;
		sum.bytes_after += stays ? o->bytes : 0;
	}
	for (size_t i = 0; i < e->option_count; i++) {
		if (e->options[i].objects)
			sum.classes[e->options[i].witness.in]++;
	}
	for (size_t i = 0; i < t->selection->count; i++)
		sum.fates[t->selection->list[i].fate]++;
	return sum;
}

static const struct witness *witness_of(const struct decision *d)
{
	static const struct witness none = { .in = SEEN_BLIND };

	return d->facts ? &d->facts->witness : &none;
}

char *decision__reason(const struct decision *d)
{
	const struct witness *w = witness_of(d);

	switch (d->fate) {
	case FATE_DROPPED:
		return xstrdup(seen_words[w->in]);
	case FATE_WENT:
		return xstrdup("nothing turns it on any more: what it needs, what selected it, or its default is off");
	case FATE_PUT_BACK:
		if (d->because_from == '=')
			return xasprintf("without it %s has another value", d->because);
		if (d->because_from == '+')
			return xasprintf("without it %s lacks what it depends on", d->because);
		return xasprintf("without it %s becomes %c", d->because, d->because_to);
	case FATE_LISTED:
		return xasprintf("%s: %s", d->keep->list, d->keep->reason);
	case FATE_PROVED:
		if (w->module && w->function)
			return xasprintf("%s: module %s imports %s (%s)", seen_words[w->in], w->module, w->function,
					 w->document);
		if (w->module)
			return xasprintf("%s: module %s was loaded (%s)", seen_words[w->in], w->module, w->document);
		if (w->line)
			return xasprintf("%s: %s() at %s:%u (%s)", seen_words[w->in], w->function ?: "?",
					 w->place, w->line, w->document);
		return xasprintf("%s: %s() in %s (%s)", seen_words[w->in], w->function ?: "?", w->place, w->document);
	case FATE_LEFT:
		return xstrdup(d->facts && d->facts->objects ? "what stays of it in memory cannot be seen" :
			       "owns no object");
	default:
		return xstrdup(d->choice ? "a choice stays as it is" :
			       "nobody can set it to n: it has no prompt, or other options select it");
	}
}

/* ---- text */

/* @goes: the options go; they are listed with their numbers of objects, functions and bytes */
static void print_table(const struct decision **list, size_t count, bool goes, FILE *out)
{
	struct libscols_table *table = table__new(out);

	/* The whole reason, also on a narrow terminal. */
	scols_table_enable_nowrap(table, 1);
	table__column(table, "  OPTION", 0, 0);
	if (goes) {
		table__column(table, "OBJECTS", 0, SCOLS_FL_RIGHT);
		table__column(table, "FUNCTIONS", 0, SCOLS_FL_RIGHT);
		table__column(table, "BYTES", 0, SCOLS_FL_RIGHT);
	}
	table__column(table, "WHY", 0, 0);
	for (size_t i = 0; i < count; i++) {
		struct libscols_line *line = table__line(table, NULL);
		const struct option_facts *f = list[i]->facts;
		autofree char *why = decision__reason(list[i]);
		size_t column = 0;

		table__printf(line, column++, "  %s", list[i]->name);
		if (goes) {
			const uint64_t numbers[] = { f ? f->objects : 0, f ? f->functions : 0, f ? f->bytes : 0 };

			for (int n = 0; n < 3; n++)
				table__printf(line, column++, "%" PRIu64, numbers[n]);
		}
		table__cell(line, column, why);
	}
	table__print(table);
}

static void print_fate(const struct tailored *t, enum fate fate, const char *title, FILE *out)
{
	const struct selection *s = t->selection;
	const struct decision **list = xcalloc(s->count, sizeof(*list));
	bool goes = fate == FATE_DROPPED || fate == FATE_WENT;
	size_t count = 0;

	for (size_t i = 0; i < s->count; i++) {
		if (s->list[i].fate == fate)
			list[count++] = &s->list[i];
	}
	if (goes)
		qsort(list, count, sizeof(*list), decision__by_bytes);
	if (count) {
		fprintf(out, "\n%s: %zu\n", title, count);
		print_table(list, count, goes, out);
	}
	free(list);
}

static void print_head(const struct tailored *t, const struct tailored_totals *sum, FILE *out)
{
	const struct evidence *e = t->evidence;
	const struct selection *s = t->selection;

	for (const char *const *line = tailored_limits; *line; line++)
		fprintf(out, "%s\n", *line);
	if (t->lossy)
		fputs("Some of the recordings lack something (--lossy): more may be needed than is seen here.\n", out);
	fprintf(out, "\nOptions     %6zu, then %6zu (%zu of them a person can set to n; %zu were tried)\n",
		s->on_before, s->on_after, s->changeable, s->candidates);
	fprintf(out, "Objects     %6zu, then %6zu are expected in vmlinux\n", sum->objects, sum->objects_after);
	fprintf(out, "Code        %6" PRIu64 ", then %6" PRIu64 " KiB of functions in vmlinux\n", sum->bytes / 1024,
		sum->bytes_after / 1024);
	if (sum->modules)
		fprintf(out, "Modules     %6zu, then %6zu objects\n", sum->modules, sum->modules_after);
	fprintf(out, "Addresses   %6zu of %zu lie in an object that Kbuild knows\n", e->addresses - e->unattributed,
		e->addresses);
	if (e->unattributed)
		fprintf(out, "            an address in no such object: %s\n", e->an_unattributed);
	for (size_t i = 0; i < e->unowned_count; i++)
		fprintf(out, "            Kbuild does not know %s\n", e->unowned[i]);
	if (t->owners->unclear)
		fprintf(out, "            Kbuild does not tell which options %zu objects need; one is %s\n",
			t->owners->unclear, t->owners->an_unclear);
	fputs("\nOptions that own objects:", out);
	for (size_t i = 0; i <= SEEN_BLIND; i++)
		fprintf(out, "%s %zu %s", i ? "," : "", sum->classes[i], seen_words[i]);
	fputs(".\n", out);
	for (size_t i = 0; i < s->expert_count; i++)
		fprintf(out, "%s%s%s", i ? ", " : "\nOn since EXPERT is needed for more prompts: ", s->expert[i],
			i + 1 == s->expert_count ? ".\n" : "");
	if (s->lost || s->came)
		fprintf(out, "\nA fault of hytrace: %zu wanted options are off, and %zu options came on.\n", s->lost,
			s->came);
}

void tailored__print(const struct tailored *t, FILE *out)
{
	static const struct { enum fate fate; const char *title; } parts[] = {
		{ FATE_DROPPED, "Dropped" },
		{ FATE_WENT, "Gone with them" },
		{ FATE_PUT_BACK, "Tried, and put back since other options would change" },
		{ FATE_LISTED, "Kept by a list" },
		{ FATE_LEFT, "Left alone (--all tries them)" },
		{ FATE_PROVED, "Kept because it ran" },
		{ FATE_NEEDED, "Kept because nobody can set it to n" },
	};
	struct tailored_totals sum = tailored__totals(t);

	print_head(t, &sum, out);
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		print_fate(t, parts[i].fate, parts[i].title, out);
}
