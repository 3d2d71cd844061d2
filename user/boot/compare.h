/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Compares two boots, or groups of boots of two kernels or configurations: what takes longer in the
 * second group, and what is called more often. Reads only json of `hytrace boot -f json`.
 *
 * A row stands for all items of one name: an initcall, a level, a function. Suffixes that the
 * compiler appends to names are removed. If a boot has several items of one name, their times and
 * counts are added up.
 */
#ifndef HYTRACE_BOOT_COMPARE_H
#define HYTRACE_BOOT_COMPARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct json_object;
struct lh_table;
struct strings;

/* The part of the recording that a kind of rows comes from, and that must be complete for it. */
enum boot_source { PART_OF_EARLY, PART_OF_START, PART_OF_USER, PARTS };

enum boot_measure { MEASURE_TIME, MEASURE_COUNT, MEASURES };

/* A kind of rows, and the array of objects in the json. A new kind is a line of row_kinds. */
struct row_kind {
	const char *word;		/* "initcall" */
	const char *path;		/* path of the array: "start.initcalls"; NULL: none */
	enum boot_source part;
	const char *name;		/* field: the name; elements without a name are ignored */
	const char *time, *count;	/* fields; NULL: none. Without @count, counts elements */
	const char *ready;		/* field: the time that it waited for its CPU; NULL: none */
	const char *unless;		/* elements that have this field are ignored */
	const char *inner;		/* field: the array of inner elements; NULL: none */
	size_t from;			/* the index of the first element to read */
	bool is_whole;			/* its elements contain elements of other kinds */
	bool has_calls;			/* the count is of calls, not of elements */
	bool is_code;			/* names are functions: compilers append suffixes */
	bool is_point;			/* the time is a point in time */
	bool after_init;		/* also recorded after init, when the buffer may be full */
	bool by_probes;			/* recorded by kernel probes, which count losses apart */
};

extern const struct row_kind row_kinds[];
extern const size_t row_kind_count;
/* The bit of a kind of the table; 0 for kind_total, kind_target and kind_between. */
static inline uint64_t row_kind__bit(const struct row_kind *kind)
{
	return kind->path ? UINT64_C(1) << (kind - row_kinds) : 0;
}

/* The time until init; until the default target; before the first level, or after the last. */
extern const struct row_kind kind_total, kind_target, kind_between;

/*
 * Differences between the boots as a whole, such as the machine. Then some rows cannot be compared,
 * or no difference is certain, as something else than the kernel may be the reason.
 */
struct boot_notes {
	char **list;			/* sentences, without a full stop */
	size_t count;
	bool weaken;			/* nothing is certain */
	bool comparable[PARTS][MEASURES];
};

/* The values of one row in one boot. */
struct boot_cell {
	double value[MEASURES];		/* times are in ns */
	bool unknown[MEASURES];
	double ready;			/* see struct row_kind; 0: unknown, or the kind has none */
	bool is_there;
};

enum boot_verdict {
	SAME,				/* or the difference is too small */
	POSSIBLY,
	CERTAIN,
};

struct boot_change {
	bool known;			/* all boots have a value */
	double a, b;			/* the median of each group */
	double spread;			/* the largest distance of a boot from its group's median */
	double p;			/* see noise.h; 1: not known */
	enum boot_verdict verdict;
};

struct boot_row {
	const struct row_kind *kind;
	const char *name;
	struct boot_cell *cells;	/* one for each boot, the first group first */
	struct boot_change change[MEASURES];
	bool new, gone;			/* in all boots of group 2 only; of group 1 only */
	bool joined;			/* several items of a boot, or an item with a suffix */
};

/* The facts about a boot as a whole. */
struct boot_head {
	const char *path;
	const char *release, *build_id, *boot_id, *cmdline, *tracer, *unit, *model, *program, *target;	/* NULL: unknown */
	uint64_t cpus, memory;		/* 0: unknown */
	uint64_t lost[PARTS];		/* lost events or calls; not 0: the part may lack rows */
	uint64_t sites;			/* functions that were traced early; 0: unknown */
	bool has[PARTS];
	bool cut;			/* the json has only the first functions (-n) */
	bool probes_lost;		/* some probes may be missing */
	bool full;			/* a buffer was full: later events may be missing */
	bool knows_ready;		/* events tell which task each CPU ran */
	uint64_t missing;		/* the bits of kinds that the json does not have */
};

struct boot_comparison {
	struct boot_head *boots;	/* the first group first */
	size_t count[2];
	struct boot_row *rows;
	size_t row_count;
	struct lh_table *index;		/* from "kind name" to the number of the row */
	struct strings *names;
	struct boot_notes notes;
	bool can_tell;			/* enough boots for certain answers */
	size_t total;			/* the row "until init"; SIZE_MAX: no boot has initcalls */
	size_t target;			/* the row "until the default target"; SIZE_MAX: none */
};

/*
 * The least difference of a row if there are too few boots to know the noise: FEW_SHARE of the row,
 * and for times FEW_OF_TOTAL of the time until init, at least FEW_NS; for calls FEW_CALLS.
 */
#define FEW_SHARE 0.10
#define FEW_OF_TOTAL 0.005
#define FEW_NS 500000.0
#define FEW_CALLS 20.0
/*
 * The probability that a comparison of two groups of the same kernel calls any time certain, and
 * the probability that it calls any count certain. Several rows may then be wrong together, as rows
 * depend on each other: about one wrong row in 20 comparisons at most.
 */
#define ALPHA 0.01
/* So many boots in each group are enough for ALPHA. */
#define ENOUGH_BOOTS 5
/* The least difference with enough boots: this share, or twice the resolution of trace events. */
#define LEAST_SHARE 0.01
#define LEAST_NS 2000.0

/**
 * boot_comparison__init() - begin a comparison
 * @ret: to be freed by boot_comparison__free(), also after errors
 * @a: the number of boots in the first group
 * @b: the number of boots in the second group
 */
void boot_comparison__init(struct boot_comparison *ret, size_t a, size_t b);

/**
 * boot_comparison__read() - add the json of a boot
 * @c: the comparison
 * @boot: the index of the boot
 * @path: the name of the file, for messages; must live as long as the comparison
 * @document: the json; may be freed afterwards
 *
 * Return: 0; -EINVAL after a message.
 */
int boot_comparison__read(struct boot_comparison *c, size_t boot, const char *path, struct json_object *document);

/**
 * boot_comparison__run() - compare the boots, after all have been read
 * @c: the comparison
 *
 * Return: 0; -EINVAL after a message if the boots of a group do not belong together.
 */
int boot_comparison__run(struct boot_comparison *c);
void boot_comparison__free(struct boot_comparison *c);

/* ---- compare_notes.c */

/**
 * boot_notes__find() - find the differences between the boots as a whole
 * @c: the comparison, after all boots have been read; its notes are filled
 *
 * Return: 0; -EINVAL after a message if the boots of a group do not belong together.
 */
int boot_notes__find(struct boot_comparison *c);
/* Adds a sentence. */
void boot_notes__add(struct boot_notes *n, const char *format, ...) __attribute__((format(printf, 2, 3)));
void boot_notes__free(struct boot_notes *n);

/* ---- answers */

/* The number of boots in the two groups. */
size_t boot_comparison__boots(const struct boot_comparison *c);

/*
 * Rows that differ in @measure, the largest difference first; to be freed. @all: also rows that do
 * not differ. @parts: only rows that contain other rows, such as levels; false: only other rows.
 */
const struct boot_row **boot_comparison__order(const struct boot_comparison *c, enum boot_measure measure, bool parts,
					       bool all, size_t *ret_count);
/* The least difference of times that counts if there are few boots. */
double boot_comparison__few_ns(const struct boot_comparison *c);
/* How many rows could be compared, by time or count, and how many rows differ. */
size_t boot_comparison__compared(const struct boot_comparison *c);
size_t boot_comparison__differing(const struct boot_comparison *c);

/* A limit for how much longer the second group may take until init, or until the default target. */
struct boot_limit {
	double share;			/* 0.05 is 5 %; or */
	double ns;
	bool target;
};

/**
 * boot_comparison__exceeds() - has the limited time grown by more than the limit?
 * @c: the comparison
 * @limit: the limit
 * @ret: the answer. False, with a message, if the median has grown by more, but maybe by noise
 *
 * Return: 0; -EINVAL after a message if the time is not known.
 */
int boot_comparison__exceeds(const struct boot_comparison *c, const struct boot_limit *limit, bool *ret);

/*
 * Print the result. @names: the names of the groups. @most: the most rows of a table. @all: also
 * rows that do not differ. The caller checks @out for write errors.
 */
void boot_comparison__text(const struct boot_comparison *c, const char *const names[2], size_t most, bool all, FILE *out);
void boot_comparison__json(const struct boot_comparison *c, size_t most, bool all, FILE *out);

/* Was the early tracer oneshot, which does not count calls, but only sees whether there was one? */
bool boot_head__is_oneshot(const struct boot_head *h);
/* Do the boots have one build ID, or, if it is not known, one release? */
bool boot_head__same_kernel(const struct boot_head *x, const struct boot_head *y);
/* "certain", "possibly"; "no" if it does not differ. */
const char *boot_verdict__word(enum boot_verdict verdict);

#endif
