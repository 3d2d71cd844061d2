// SPDX-License-Identifier: GPL-2.0-only
/* Finds differences between boots as a whole, such as the machine; see compare.h. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "boot/compare.h"

/* Two boots of one machine may differ by some bytes of memory. */
#define MEMORY_SHARE 0.03

void boot_notes__add(struct boot_notes *n, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	if (vasprintf(LIST_ADD(n->list, n->count), format, args) < 0)
		memory__fail();
	va_end(args);
}

void boot_notes__free(struct boot_notes *n)
{
	for (size_t i = 0; i < n->count; i++)
		free(n->list[i]);
	free(n->list);
	*n = (struct boot_notes){};
}

static bool is_same_boot(const struct boot_head *x, const struct boot_head *y)
{
	return text__is_known_equal(x->boot_id, y->boot_id);
}

bool boot_head__same_kernel(const struct boot_head *x, const struct boot_head *y)
{
	return x->build_id && y->build_id ? text__equals(x->build_id, y->build_id) : text__equals(x->release, y->release);
}

/* ---- the boots of one group */

/* Two reports of one boot would make the noise seem smaller, two kernels would make it larger. */
static int check_group(const struct boot_comparison *c, size_t from, size_t count)
{
	const struct boot_head *first = &c->boots[from];

	for (size_t i = 0; i < count; i++) {
		const struct boot_head *h = &first[i];

		for (size_t k = 0; k < i; k++) {
			if (!boot_head__same_kernel(h, &first[k]))
				return error__return(-EINVAL, "%s: is of another kernel than %s, in the same group: give boots of "
						     "one kernel, and then -- and those of the other", h->path, first[k].path);
			if (is_same_boot(h, &first[k]))
				return error__return(-EINVAL, "%s: is of the same boot as %s: several boots are needed to know "
						     "how much they differ", h->path, first[k].path);
		}
	}
	return 0;
}

static void note_same_boot(struct boot_comparison *c)
{
	for (size_t i = 0; i < c->count[0]; i++) {
		for (size_t k = c->count[0]; k < boot_comparison__boots(c); k++) {
			if (!is_same_boot(&c->boots[i], &c->boots[k]))
				continue;
			c->notes.weaken = true;
			boot_notes__add(&c->notes, "%s and %s are of the same boot", c->boots[i].path, c->boots[k].path);
			return;
		}
	}
}

/* ---- the early part */

struct pair {
	const struct boot_head *x, *y;	/* NULL: no pair was found */
};

/*
 * The first two boots of which @differs is true. Compares all pairs: a boot in which a fact is not
 * known equals all boots, but other boots may still differ.
 */
static struct pair find_pair(const struct boot_comparison *c,
			     bool (*differs)(const struct boot_head *x, const struct boot_head *y))
{
	for (size_t i = 0; i < boot_comparison__boots(c); i++) {
		for (size_t k = i + 1; k < boot_comparison__boots(c); k++) {
			if (differs(&c->boots[i], &c->boots[k]))
				return (struct pair){ &c->boots[i], &c->boots[k] };
		}
	}
	return (struct pair){};
}

static bool tracer_differs(const struct boot_head *x, const struct boot_head *y)
{
	return !text__equals(x->tracer, y->tracer);
}

static bool sites_differ(const struct boot_head *x, const struct boot_head *y)
{
	return boot_head__same_kernel(x, y) && x->sites && y->sites && x->sites != y->sites;
}

static const char *tracer_of(const struct boot_head *h)
{
	return h->tracer ?: "nothing";
}

/* The first boot whose early times are cycles, not ns; NULL: there is none. */
static const struct boot_head *with_cycles(const struct boot_comparison *c)
{
	for (size_t i = 0; i < boot_comparison__boots(c); i++) {
		if (!text__equals(c->boots[i].unit, "ns"))
			return &c->boots[i];
	}
	return NULL;
}

static void note_early(struct boot_comparison *c)
{
	struct pair differ = find_pair(c, tracer_differs);
	bool *comparable = c->notes.comparable[PART_OF_EARLY];
	const struct boot_head *cycles = with_cycles(c);

	if (differ.x) {
		comparable[MEASURE_TIME] = false;
		comparable[MEASURE_COUNT] = false;
		c->notes.weaken = true;
		boot_notes__add(&c->notes, "the early parts are not compared, as %s was traced early by %s, and %s by %s; tracing takes "
				"time in later rows, too", differ.x->path, tracer_of(differ.x), differ.y->path, tracer_of(differ.y));
		return;
	}
	if (!c->boots[0].tracer)
		return;
	if (cycles) {
		comparable[MEASURE_TIME] = false;
		boot_notes__add(&c->notes, "the times of the early part are not compared, as %s has cycles of a clock whose frequency "
				"is not known", cycles->path);
	}
	differ = find_pair(c, sites_differ);
	if (!differ.x)
		return;
	c->notes.weaken = true;
	boot_notes__add(&c->notes, "other functions were traced early in %s than in %s (ftrace_filter=, ftrace_notrace=)",
			differ.y->path, differ.x->path);
}

/* ---- the initcalls */

static void note_start(struct boot_comparison *c)
{
	bool *comparable = c->notes.comparable[PART_OF_START];

	for (size_t i = 0; i < boot_comparison__boots(c); i++) {
		if (c->boots[i].has[PART_OF_START])
			continue;
		comparable[MEASURE_TIME] = false;
		comparable[MEASURE_COUNT] = false;
		boot_notes__add(&c->notes, "initcalls, and what comes after them, are not compared, as %s has none: boot with what "
				"`hytrace boot next` prints", c->boots[i].path);
		return;
	}
}

static bool program_differs(const struct boot_head *x, const struct boot_head *y)
{
	return text__is_known_other(x->program, y->program);
}

/* Adds a note about kinds that only some boots have recorded. */
static void note_missing(struct boot_comparison *c)
{
	for (size_t i = 0; i < row_kind_count; i++) {
		const struct row_kind *kind = &row_kinds[i];
		const struct boot_head *with = NULL, *without = NULL;

		for (size_t k = 0; k < boot_comparison__boots(c); k++) {
			if (c->boots[k].missing & row_kind__bit(kind))
				without = without ?: &c->boots[k];
			else
				with = with ?: &c->boots[k];
		}
		if (with && without && c->notes.comparable[kind->part][MEASURE_COUNT])
			boot_notes__add(&c->notes, "rows of the kind %s are not compared, as %s has none, and %s has some",
					kind->word, without->path, with->path);
	}
}

/* ---- losses */

static void note_losses(struct boot_comparison *c)
{
	for (size_t i = 0; i < boot_comparison__boots(c); i++) {
		const struct boot_head *h = &c->boots[i];

		if (h->lost[PART_OF_START])
			boot_notes__add(&c->notes, "%s: %" PRIu64 " events are lost; what it does not have may be among them", h->path,
					h->lost[PART_OF_START]);
		if (h->lost[PART_OF_EARLY])
			boot_notes__add(&c->notes, "%s: %" PRIu64 " early calls are lost; no smaller difference of calls counts", h->path,
					h->lost[PART_OF_EARLY]);
		if (h->cut)
			boot_notes__add(&c->notes, "%s: has only the functions with the most calls (-n); others are not compared, nor are "
					"several of one name, of which some may be missing", h->path);
	}
}

/* ---- the machine and its command line */

static bool machine_differs(const struct boot_head *x, const struct boot_head *y)
{
	double more = x->memory > y->memory ? x->memory : y->memory;

	if (x->cpus && y->cpus && x->cpus != y->cpus)
		return true;
	if (x->memory && y->memory && more - (x->memory > y->memory ? y->memory : x->memory) > MEMORY_SHARE * more)
		return true;
	return text__is_known_other(x->model, y->model);
}

/* "2 CPUs" */
static const char *number_of(char *text, size_t size, uint64_t number, const char *what)
{
	if (number)
		snprintf(text, size, "%" PRIu64 " %s", number, what);
	else
		snprintf(text, size, "an unknown number of %s", what);
	return text;
}

static void note_machine(struct boot_comparison *c)
{
	struct pair differ = find_pair(c, machine_differs);
	const struct boot_head *x = differ.x, *y = differ.y;
	char text[4][64];

	if (!y)
		return;
	c->notes.weaken = true;
	boot_notes__add(&c->notes, "the machines differ: %s has %s, %s, %s; and %s has %s, %s, %s", x->path,
			number_of(text[0], sizeof(text[0]), x->cpus, "CPUs"),
			number_of(text[1], sizeof(text[1]), x->memory >> 20, "MiB"), x->model ?: "an unknown processor",
			y->path, number_of(text[2], sizeof(text[2]), y->cpus, "CPUs"),
			number_of(text[3], sizeof(text[3]), y->memory >> 20, "MiB"), y->model ?: "an unknown processor");
}

static bool has_word(const char *line, const char *word, size_t length)
{
	while (*line) {
		size_t size = strcspn(line, " ");

		if (size == length && !strncmp(line, word, length))
			return true;
		line += size + strspn(line + size, " ");
	}
	return false;
}

/* The words of @line that are not in @other_line, to be freed. */
static char *words_only_in(const char *line, const char *other_line)
{
	char *text;
	size_t size, length;
	FILE *f = xopen_memstream(&text, &size);

	for (line += strspn(line, " "); *line; line += length + strspn(line + length, " ")) {
		length = strcspn(line, " ");
		if (!has_word(other_line, line, length))
			fprintf(f, " %.*s", (int)length, line);
	}
	xclose_memstream(f);
	return text;
}

static bool cmdline_differs(const struct boot_head *x, const struct boot_head *y)
{
	return text__is_known_other(x->cmdline, y->cmdline);
}

static void note_cmdline(struct boot_comparison *c)
{
	struct pair differ = find_pair(c, cmdline_differs);
	const struct boot_head *x = differ.x, *y = differ.y;
	char *one, *two;

	if (!y)
		return;
	one = words_only_in(x->cmdline, y->cmdline);
	two = words_only_in(y->cmdline, x->cmdline);
	boot_notes__add(&c->notes, "the kernel command lines differ: only %s has%s; only %s has%s", x->path, *one ? one : " (nothing)",
			y->path, *two ? two : " (nothing)");
	free(one);
	free(two);
}

static void note_program(struct boot_comparison *c)
{
	struct pair differ = find_pair(c, program_differs);

	if (differ.x)
		boot_notes__add(&c->notes, "the time until init is that until %s in %s, and until %s in %s", differ.x->program,
				differ.x->path, differ.y->program, differ.y->path);
}

static bool target_differs(const struct boot_head *x, const struct boot_head *y)
{
	return text__is_known_other(x->target, y->target);
}

static void note_target(struct boot_comparison *c)
{
	struct pair differ = find_pair(c, target_differs);

	if (differ.x)
		boot_notes__add(&c->notes, "the default target is %s in %s, and %s in %s", differ.x->target, differ.x->path,
				differ.y->target, differ.y->path);
}

int boot_notes__find(struct boot_comparison *c)
{
	int err = check_group(c, 0, c->count[0]);

	if (!err)
		err = check_group(c, c->count[0], c->count[1]);
	if (err)
		return err;
	for (enum boot_source part = 0; part < PARTS; part++) {
		for (enum boot_measure measure = 0; measure < MEASURES; measure++)
			c->notes.comparable[part][measure] = true;
	}
	note_same_boot(c);
	note_machine(c);
	note_cmdline(c);
	note_early(c);
	note_start(c);
	note_missing(c);
	note_losses(c);
	note_program(c);
	note_target(c);
	return 0;
}
