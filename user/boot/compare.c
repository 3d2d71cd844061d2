// SPDX-License-Identifier: GPL-2.0-only
/*
 * Compares two groups of boots, row by row; see compare.h. noise.c tells differences from noise. With too few boots, the
 * noise is not known; then large differences are possible differences. If a boot does not have a row, the row's time and
 * count are 0 for this boot. They are unknown if this part of the boot has losses.
 */
#include <math.h>
#include <stdarg.h>

#include "base/error.h"
#include "base/index.h"
#include "base/memory.h"
#include "base/text.h"
#include "boot/boot.h"
#include "boot/compare.h"
#include "kernel/symbols.h"

/* Two boots of one machine may differ by some bytes of memory. */
#define MEMORY_SHARE 0.03

const struct row_kind_traits row_kinds[ROW_KINDS] = {
	[ROW_INITCALL] = { "initcall", PART_OF_START, .is_of_events = true, .is_code = true },
	[ROW_MODULE] = { "module", PART_OF_START, .is_of_events = true },
	[ROW_LEVEL] = { "level", PART_OF_START, .is_of_events = true, .is_whole = true, .is_sum = true },
	[ROW_INIT] = { "init", PART_OF_START, .is_of_events = true, .is_whole = true },
	[ROW_WAIT] = { "wait", PART_OF_START, .is_of_events = true, .is_sum = true },
	[ROW_PROBE] = { "probe", PART_OF_START, .is_of_events = true },
	[ROW_UNIT] = { "unit", PART_OF_USER },
	[ROW_PART] = { "part", PART_OF_USER, .is_whole = true },
	[ROW_PHASE] = { "phase", PART_OF_EARLY, .is_whole = true, .is_code = true, .has_calls = true, .is_sum = true },
	[ROW_FUNCTION] = { "function", PART_OF_EARLY, .is_code = true, .has_calls = true, .is_sum = true },
	[ROW_TOTAL] = { "total", PART_OF_START, .is_whole = true },
	[ROW_TARGET] = { "total", PART_OF_USER, .is_whole = true },
	[ROW_BETWEEN] = { "level", PART_OF_START, .is_whole = true },
};

void boot_comparison__init(struct boot_comparison *ret, size_t a, size_t b)
{
	*ret = (struct boot_comparison){
		.boots = xcalloc(a + b, sizeof(*ret->boots)), .count = { a, b }, .all = a + b, .names = strings__new(),
		.index = index__new(1024, NULL), .total = SIZE_MAX, .target = SIZE_MAX,
	};
}

void boot_comparison__free(struct boot_comparison *c)
{
	for (size_t i = 0; i < c->row_count; i++)
		free(c->rows[i].cells);
	for (size_t i = 0; i < c->note_count; i++)
		free(c->notes[i]);
	free(c->rows);
	free(c->notes);
	free(c->boots);
	lh_table_free(c->index);
	strings__free(c->names);
	*c = (struct boot_comparison){};
}

/* ---- rows */

struct reading {
	struct boot_comparison *c;
	size_t index;
	const struct boot *b;
};

/* The row of this kind and name; adds it if it is new. */
static struct boot_row *find_row(struct boot_comparison *c, enum row_kind kind, const char *name)
{
	char *key = xasprintf("%s %s", row_kinds[kind].word, name);
	struct boot_row *row;
	const void *found;

	if (lh_table_lookup_ex(c->index, key, (void **)&found)) {
		row = &c->rows[(uintptr_t)found];
	} else {
		index__add(c->index, strings__add(c->names, key), (void *)c->row_count);
		row = LIST_ADD(c->rows, c->row_count);
		row->kind = kind;
		row->name = strings__intern(c->names, name);
		row->cells = xcalloc(c->all, sizeof(*row->cells));
	}
	free(key);
	return row;
}

static void add_value(struct row_cell *cell, enum boot_measure measure, int64_t value)
{
	/* A document may also have a negative number. */
	cell->unknown[measure] |= value < 0;
	cell->value[measure] += value < 0 ? 0 : value;
}

/* Adds an item. Returns NULL if its name is not known. */
static struct row_cell *add(const struct reading *r, enum row_kind kind, const char *name, int64_t time, int64_t count)
{
	struct row_cell *cell;
	struct boot_row *row;

	if (!name)
		return NULL;
	row = find_row(r->c, kind, row_kinds[kind].is_code ? function__base_name(r->c->names, name) : name);
	cell = &row->cells[r->index];
	/* Points in time are not added up: the first one counts. */
	if (kind == ROW_INIT && cell->is_there)
		return cell;
	/* Oneshot records each function once, so there are no counts. */
	if (row_kinds[kind].has_calls && boot__is_oneshot(r->b))
		count = !cell->is_there;
	cell->is_there = true;
	add_value(cell, MEASURE_TIME, time);
	add_value(cell, MEASURE_COUNT, count);
	if (kind == ROW_TOTAL)
		r->c->total = row - r->c->rows;
	else if (kind == ROW_TARGET)
		r->c->target = row - r->c->rows;
	return cell;
}

static void add_initcall(const struct reading *r, const struct span *s)
{
	bool module = s->class == SPAN_MODULE;
	struct row_cell *cell = add(r, module ? ROW_MODULE : ROW_INITCALL, module ? s->module : s->name, s->self, 1);

	/* With inner initcalls, "ready" includes theirs, and "self" does not: do not use it. */
	if (cell && s->ready > 0 && s->self == span__time(s))
		cell->ready += s->ready;
}

/* Rows for the time before the first level and after the last; levels are the rest until init. */
static void add_until_init(const struct reading *r)
{
	const struct span_list *levels = &r->b->levels, *inits = &r->b->inits;
	int64_t init = inits->count ? inits->list[0].start : NOT_KNOWN;
	int64_t end = levels->count ? levels->list[levels->count - 1].end : NOT_KNOWN;

	if (!r->b->has_start)
		return;
	add(r, ROW_TOTAL, "until init", init, 1);
	/* If the first levels are lost, the time before them is not known. */
	add(r, ROW_BETWEEN, "(before)", boot__has_beginning(r->b) ? levels->list[0].start : NOT_KNOWN, 1);
	add(r, ROW_BETWEEN, "(after, until init)", init >= 0 && end >= 0 ? init - end : NOT_KNOWN, 1);
}

static void add_start(const struct reading *r)
{
	const struct boot *b = r->b;

	add_until_init(r);
	for (size_t i = 0; i < b->initcalls.count; i++)
		add_initcall(r, &b->initcalls.list[i]);
	for_list(s, &b->levels)
		add(r, ROW_LEVEL, s->name, s->end - s->start, s->count);
	/* The first program is the end of the total. */
	for (size_t i = 1; i < b->inits.count; i++)
		add(r, ROW_INIT, b->inits.list[i].name, b->inits.list[i].start, 1);
	for (size_t i = 0; i < b->wait_count; i++)
		add(r, ROW_WAIT, b->waits[i].name, b->waits[i].time, b->waits[i].count);
	for_list(s, &b->probes)
		add(r, ROW_PROBE, s->class == SPAN_PROBE ? s->name : NULL, s->self, 1);
}

/*
 * The time until the default target is one of CLOCK_MONOTONIC without translation, so it depends neither on events
 * nor on when the boot was recorded.
 */
static void add_units(const struct reading *r)
{
	const struct boot_units *u = &r->b->units;
	const struct boot_unit *target = boot_units__target(u);

	if (u->known && u->target)
		add(r, ROW_TARGET, "until the default target", target ? target->activated : NOT_KNOWN, 1);
	for_list(unit, u) {
		/* systemd keeps only the last start: the time of the one in the boot is not known then. */
		bool again = u->manager.finish >= 0 && unit->activating > u->manager.finish;

		add(r, ROW_UNIT, unit->name, again ? NOT_KNOWN : boot_unit__time(unit), 1);
	}
}

static void add_parts(const struct reading *r)
{
	const struct boot_parts *p = &r->b->parts;

	for_list(part, p) {
		/* The last parts depend on the times of all units. */
		bool known = part->kind < PART_UNITS || p->started_again <= 0;

		/* Parts that are levels are of the kind "level". */
		if (part->kind != PART_LEVEL)
			add(r, ROW_PART, boot_part_names[part->kind], known ? part->time : NOT_KNOWN, 1);
	}
}

static void add_early(const struct reading *r)
{
	const struct boot_early *e = &r->b->early;

	for_array(p, e->phases, e->phase_count) {
		add(r, ROW_PHASE, p->name, p->time, p->calls);
		/* Two levels of phases are enough. */
		for (const struct boot_phase *i = p->inner; p->name && i < p->inner + p->inner_count; i++) {
			const char *outer = function__base_name(r->c->names, p->name);
			char *name = i->name ? xasprintf("%s/%s", outer, i->name) : NULL;

			add(r, ROW_PHASE, name, i->time, i->calls);
			free(name);
		}
	}
	for (size_t i = 0; i < e->function_count; i++)
		add(r, ROW_FUNCTION, e->function_list[i].name, 0, e->function_list[i].calls);
}

/* ---- the head */

/* The text of a number; NULL: it is not known. */
static const char *number_of(struct boot_comparison *c, int64_t number, const char *unit)
{
	char text[64];

	snprintf(text, sizeof(text), "%" PRId64 "%s", number, unit);
	return number > 0 ? strings__intern(c->names, text) : NULL;
}

static void add_facts(struct boot_comparison *c, struct boot_head *h, const struct boot *b)
{
	const char *const facts[FACTS] = {
		[FACT_RELEASE] = b->kernel.release, [FACT_BUILD_ID] = b->kernel.build_id, [FACT_BOOT_ID] = b->boot_id,
		[FACT_TRACER] = b->early.tracer, [FACT_MODEL] = b->machine.model, [FACT_CMDLINE] = b->kernel.cmdline,
		[FACT_PROGRAM] = b->inits.count ? b->inits.list[0].name : NULL,
		[FACT_TARGET] = b->units.known ? b->units.target : NULL,
		[FACT_SITES] = boot__has_early(b) ? number_of(c, b->early.sites, "") : NULL,
		[FACT_CPUS] = number_of(c, b->machine.cpus, ""),
		[FACT_MEMORY] = number_of(c, b->machine.memory >> 20, " MiB"),
	};

	for (size_t i = 0; i < FACTS; i++)
		h->facts[i] = facts[i] ? strings__intern(c->names, facts[i]) : NULL;
}

int boot_comparison__add(struct boot_comparison *c, size_t boot, const char *path, const struct boot *b)
{
	const struct reading r = { c, boot, b };
	struct boot_head *h = &c->boots[boot];

	h->path = path;
	h->has_start = b->has_start;
	h->lost[PART_OF_EARLY] = counters__sum(&b->early.lost);
	h->lost[PART_OF_START] = b->lost > 0 ? b->lost : 0;
	h->cycles = b->early.counts;
	h->probes_lost = b->probes_lost > 0 || b->probes_full > 0;
	for (size_t i = 0; i < ROW_KINDS; i++)
		h->lacks[i] = h->lost[row_kinds[i].source];
	h->lacks[ROW_MODULE] |= b->full >= 0;
	h->lacks[ROW_WAIT] |= !b->waits;
	h->lacks[ROW_PROBE] |= !b->probes.list || h->probes_lost;
	h->lacks[ROW_UNIT] |= !b->units.known;
	h->lacks[ROW_TARGET] |= !b->units.known;
	h->lacks[ROW_PART] |= !b->parts.list;
	h->knows_ready = b->waits && b->process.ready >= 0;
	add_facts(c, h, b);
	if (!boot__has_early(b) && !b->has_start && !b->units.known)
		return error__return(-EINVAL, "%s: has neither initcalls nor an early part nor units, so there is nothing to "
				     "compare", path);
	add_start(&r);
	add_units(&r);
	add_parts(&r);
	add_early(&r);
	return 0;
}

/* ---- notes */

static void __attribute__((format(printf, 2, 3))) note(struct boot_comparison *c, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	if (vasprintf(LIST_ADD(c->notes, c->note_count), format, args) < 0)
		memory__fail();
	va_end(args);
}

static bool is_same_kernel(const struct boot_head *x, const struct boot_head *y)
{
	enum boot_fact fact = x->facts[FACT_BUILD_ID] && y->facts[FACT_BUILD_ID] ? FACT_BUILD_ID : FACT_RELEASE;

	return text__equals(x->facts[fact], y->facts[fact]);
}

static bool is_same_boot(const struct boot_head *x, const struct boot_head *y)
{
	return text__is_known_equal(x->facts[FACT_BOOT_ID], y->facts[FACT_BOOT_ID]);
}

/* Two reports of one boot would make the noise seem smaller, two kernels would make it larger. */
static int check_group(const struct boot_head *first, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		for (size_t k = 0; k < i; k++) {
			if (!is_same_kernel(&first[i], &first[k]))
				return error__return(-EINVAL, "%s: is of another kernel than %s, in the same group: give boots of "
						     "one kernel, and then -- and those of the other", first[i].path, first[k].path);
			if (is_same_boot(&first[i], &first[k]))
				return error__return(-EINVAL, "%s: is of the same boot as %s: several boots are needed to know "
						     "how much they differ", first[i].path, first[k].path);
		}
	}
	return 0;
}

static bool differ(const struct boot_head *x, const struct boot_head *y, enum boot_fact fact)
{
	const char *a = x->facts[fact], *b = y->facts[fact];

	if (fact == FACT_TRACER)
		return !text__equals(a, b);
	if (fact == FACT_MEMORY && a && b)
		return fabs(atof(a) - atof(b)) > MEMORY_SHARE * fmax(atof(a), atof(b));
	/* Another kernel has other functions. */
	return text__is_known_other(a, b) && (fact != FACT_SITES || is_same_kernel(x, y));
}

/*
 * Notes that two boots differ, if any do. A boot in which a fact is not known equals all boots, but other boots may
 * still differ.
 */
static bool note_fact(struct boot_comparison *c, enum boot_fact fact, const char *what)
{
	for_array(x, c->boots, c->all) {
		for (const struct boot_head *y = x + 1; y < c->boots + c->all; y++) {
			if (!differ(x, y, fact))
				continue;
			note(c, "%s is %s in %s, and %s in %s", what, x->facts[fact] ?: "none", x->path,
			     y->facts[fact] ?: "none", y->path);
			return true;
		}
	}
	return false;
}

static void note_boot(struct boot_comparison *c, const struct boot_head *h)
{
	if (!h->has_start && c->comparable[PART_OF_START][MEASURE_TIME]) {
		note(c, "initcalls, and what comes after them, are not compared, as %s has none: boot with what "
		     "`hytrace boot next` prints", h->path);
		memset(c->comparable[PART_OF_START], false, sizeof(c->comparable[PART_OF_START]));
	}
	if (h->cycles && c->comparable[PART_OF_EARLY][MEASURE_TIME]) {
		note(c, "the times of the early part are not compared, as %s has cycles of a clock whose frequency is "
		     "not known", h->path);
		c->comparable[PART_OF_EARLY][MEASURE_TIME] = false;
	}
	if (h->lost[PART_OF_START] || h->lost[PART_OF_EARLY])
		note(c, "%s: %" PRIu64 " events and %" PRIu64 " early calls are lost; what it does not have may be among "
		     "them", h->path, h->lost[PART_OF_START], h->lost[PART_OF_EARLY]);
	for (size_t i = c->count[0]; h < c->boots + c->count[0] && i < c->all; i++) {
		if (!is_same_boot(h, &c->boots[i]))
			continue;
		note(c, "%s and %s are of the same boot", h->path, c->boots[i].path);
		c->weakened = true;
	}
}

static void find_notes(struct boot_comparison *c)
{
	static const struct {
		const char *what;
		bool weakens;
	} facts[FACTS] = {
		[FACT_TRACER] = { "what traced the early part", true },
		[FACT_SITES] = { "the number of functions that were traced early", true },
		[FACT_CPUS] = { "the number of CPUs", true }, [FACT_MEMORY] = { "the memory", true },
		[FACT_MODEL] = { "the processor", true }, [FACT_CMDLINE] = { "the command line of the kernel" },
		[FACT_PROGRAM] = { "init" }, [FACT_TARGET] = { "the default target" },
	};

	memset(c->comparable, true, sizeof(c->comparable));
	for (enum boot_fact fact = FACT_TRACER; fact < FACTS; fact++) {
		if (!note_fact(c, fact, facts[fact].what))
			continue;
		c->weakened |= facts[fact].weakens;
		if (fact == FACT_TRACER)
			memset(c->comparable[PART_OF_EARLY], false, sizeof(c->comparable[PART_OF_EARLY]));
	}
	for (size_t i = 0; i < c->all; i++)
		note_boot(c, &c->boots[i]);
}

/* ---- what can be compared */

/*
 * Is the value of a boot known? If events are lost, sums and counts may be too small, but the time of a single
 * initcall is right.
 */
static enum left_out why_not_in(const struct boot_head *h, const struct boot_row *row, const struct row_cell *cell,
				enum boot_measure measure)
{
	bool sum = measure == MEASURE_COUNT || row_kinds[row->kind].is_sum || cell->value[MEASURE_COUNT] > 1;

	if (cell->is_there ? (row->kind == ROW_PROBE && h->probes_lost) ||
			     (sum && row_kinds[row->kind].is_of_events && h->lost[PART_OF_START]) : h->lacks[row->kind])
		return LEFT_LOST;
	return cell->is_there && cell->unknown[measure] ? LEFT_UNKNOWN : COMPARED;
}

static enum left_out why_not(const struct boot_comparison *c, const struct boot_row *row, enum boot_measure measure)
{
	enum left_out why = c->comparable[row_kinds[row->kind].source][measure] ? COMPARED : LEFT_PART;

	if (row->kind == ROW_FUNCTION && measure == MEASURE_TIME)
		return LEFT_UNKNOWN;
	for (size_t i = 0; !why && i < c->all; i++)
		why = why_not_in(&c->boots[i], row, &row->cells[i], measure);
	return why;
}

/*
 * When a tick comes decides in which initcall a task has to wait for its CPU. So if all boots know this wait, it is
 * subtracted from initcalls and modules, but not from levels and waits.
 */
static void leave_ready_out(struct boot_comparison *c)
{
	for (size_t i = 0; i < c->all; i++) {
		if (!c->boots[i].knows_ready || c->boots[i].lost[PART_OF_START])
			return;
	}
	for_array(row, c->rows, c->row_count) {
		for_array(cell, row->cells, c->all)
			cell->value[MEASURE_TIME] -= fmin(cell->ready, cell->value[MEASURE_TIME]);
	}
}

/* ---- verdicts */

/* Oneshot does not count calls, but only sees whether there was one. */
static bool is_oneshot(const struct boot_comparison *c)
{
	return text__equals(c->boots[0].facts[FACT_TRACER], "oneshot");
}

/*
 * Sets the least difference that matters and the least noise. noise.c regroups the boots, so these limits must not
 * depend on the groups: they are computed from all boots.
 */
static void set_scale(struct noise_row *n, const struct boot_comparison *c, const struct boot_row *row,
		      enum boot_measure measure)
{
	double mean = 0, lost = 0;

	for (size_t i = 0; i < c->all; i++) {
		mean += n->values[i] / c->all;
		lost = fmax(lost, c->boots[i].lost[PART_OF_EARLY]);
	}
	n->least = measure == MEASURE_TIME ? fmax(LEAST_SHARE * mean, LEAST_NS) :
		   /* Lost calls may be of any function. */
		   row_kinds[row->kind].has_calls && !is_oneshot(c) ? 1 + lost : 1;
	n->floor = measure == MEASURE_TIME ? LEAST_NS + LEAST_SHARE / 10 * mean : 1;
}

double boot_comparison__few_ns(const struct boot_comparison *c)
{
	double few = FEW_NS;

	for (size_t i = 0; c->total != SIZE_MAX && i < c->all; i++)
		few = fmax(few, FEW_OF_TOTAL * c->rows[c->total].cells[i].value[MEASURE_TIME]);
	return few;
}

/* Is the difference large enough to be shown although the noise is not known? */
static bool is_much(const struct boot_comparison *c, const struct boot_row *row, enum boot_measure measure,
		    const struct noise_row *n)
{
	/* n->least is 1 more than the lost calls. */
	double least = measure == MEASURE_COUNT ? FEW_CALLS + n->least - 1 : boot_comparison__few_ns(c);

	/* One initcall or module more or less is always shown. */
	if (measure == MEASURE_COUNT && (!row_kinds[row->kind].is_sum || is_oneshot(c)))
		least = 1;
	return fabs(n->b - n->a) >= least && fabs(n->b - n->a) >= FEW_SHARE * fmax(n->a, n->b) && n->apart;
}

static void judge(struct boot_comparison *c, enum boot_measure measure)
{
	struct noise_row *list = xcalloc(c->row_count, sizeof(*list)), *n = list;
	double *values = xcalloc(c->row_count * c->all, sizeof(*values)), *value = values;
	struct boot_change *change;

	for_array(row, c->rows, c->row_count) {
		row->change[measure].known = !why_not(c, row, measure);
		if (!row->change[measure].known)
			continue;
		n->values = value;
		for (size_t k = 0; k < c->all; k++)
			*value++ = row->cells[k].value[measure];
		set_scale(n++, c, row, measure);
	}
	noise__judge(list, n - list, c->count[0], c->count[1]);
	n = list;
	for_array(row, c->rows, c->row_count) {
		change = &row->change[measure];
		if (!change->known)
			continue;
		*change = (struct boot_change){
			.known = true, .a = n->a, .b = n->b, .change = n->b - n->a,
			.percent = n->a >= 1 ? 100 * (n->b - n->a) / n->a : NAN,
			.spread = c->all > 2 ? n->spread : NAN, .p = c->can_tell ? n->p : NAN,
			.verdict = !c->can_tell ? (is_much(c, row, measure, n) ? POSSIBLY : SAME) : n->p > ALPHA ? SAME :
				   c->weakened ? POSSIBLY : CERTAIN,
		};
		n++;
	}
	free(list);
	free(values);
}

/* Finds rows that only one group has, and counts rows. */
static void count_row(struct boot_comparison *c, struct boot_row *row)
{
	const struct boot_change *time = &row->change[MEASURE_TIME], *count = &row->change[MEASURE_COUNT];
	size_t there[2] = {};

	for (size_t i = 0; i < c->all; i++)
		there[i >= c->count[0]] += row->cells[i].is_there;
	row->new = count->known && !there[0] && there[1] == c->count[1];
	row->gone = count->known && there[0] == c->count[0] && !there[1];
	c->compared += time->known || count->known;
	c->left_out[why_not(c, row, row->kind == ROW_FUNCTION ? MEASURE_COUNT : MEASURE_TIME)]++;
	c->differing += time->verdict != SAME || count->verdict != SAME;
}

int boot_comparison__run(struct boot_comparison *c)
{
	int err = check_group(c->boots, c->count[0]) ?: check_group(c->boots + c->count[0], c->count[1]);

	if (err)
		return err;
	c->can_tell = noise__can_tell(c->count[0], c->count[1], ALPHA);
	leave_ready_out(c);
	find_notes(c);
	judge(c, MEASURE_TIME);
	judge(c, MEASURE_COUNT);
	for (size_t i = 0; i < c->row_count; i++)
		count_row(c, &c->rows[i]);
	return 0;
}

/* ---- the limit */

/* Has the second group grown by more than the limit and the noise? */
static bool has_grown(const struct boot_comparison *c, const struct boot_row *limited, const struct boot_limit *limit)
{
	double *values = xcalloc(c->all, sizeof(*values)), slowest = 0, fastest = INFINITY;
	struct noise_row row = { .values = values };
	bool ret;

	for (size_t i = 0; i < c->all; i++) {
		values[i] = limited->cells[i].value[MEASURE_TIME];
		if (i < c->count[0]) {
			slowest = fmax(slowest, values[i]);
		} else {
			values[i] = values[i] / (1 + limit->share) - limit->ns;
			fastest = fmin(fastest, values[i]);
		}
	}
	set_scale(&row, c, limited, MEASURE_TIME);
	/* If the noise is not known, all boots of the second group have to be slower than all of the first one. */
	ret = c->can_tell ? noise__grown(&row, c->count[0], c->count[1]) <= LIMIT_ALPHA : fastest > slowest;
	free(values);
	return ret;
}

int boot_comparison__exceeds(const struct boot_comparison *c, const struct boot_limit *limit, bool *ret)
{
	size_t index = limit->target ? c->target : c->total;
	const struct boot_row *row = index == SIZE_MAX ? NULL : &c->rows[index];
	const struct boot_change *change;

	*ret = false;
	for (size_t i = 0; i < c->all; i++) {
		if (!row || !row->cells[i].is_there || row->cells[i].unknown[MEASURE_TIME])
			return error__return(-EINVAL, "--fail-above: %s does not tell when %s", c->boots[i].path, limit->target ?
					     "the default target was reached: write it when the boot is complete, with systemd" :
					     "init was started: boot with what `hytrace boot next` prints");
	}
	change = &row->change[MEASURE_TIME];
	if (change->change <= (limit->share > 0 ? limit->share * change->a : limit->ns))
		return 0;
	*ret = has_grown(c, row, limit);
	error__print("--fail-above: the time until %s has grown by %.6f s (%.1f %%)%s%s",
		     limit->target ? "the default target" : "init", change->change / 1e9,
		     change->a >= 1 ? change->percent : 0, !*ret ? ", which may be the limit and the noise" :
		     c->can_tell ? "" : "; the noise is not known, as there are too few boots",
		     *ret && c->weakened ? "; something else than the kernel may be the reason, see the notes" : "");
	return 0;
}
