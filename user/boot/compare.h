/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Two boots, or several of each of two kernels or configurations: what takes longer in the second
 * group, and what is called more often. Documents of `hytrace boot -f json` are read; nothing here
 * asks the running kernel.
 *
 * A row is something that has the same name in each boot: an initcall, a level, a function. Names
 * are without what the compiler appends; things of one name in one boot are one row, and their times
 * and counts are added up.
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

/* What has recorded a kind, and so what has to be complete for it. */
enum boot_source { PART_OF_EARLY, PART_OF_START, PART_OF_USER, PARTS };

enum boot_measure { MEASURE_TIME, MEASURE_COUNT, MEASURES };

/*
 * A kind of rows, and where a document has them: an array of objects. A new kind is a line in the table of compare_read.c.
 */
struct row_kind {
	const char *word;		/* "initcall" */
	const char *path;		/* of the array: "start.initcalls"; NULL: rows are made by the code */
	enum boot_source part;
	const char *name;		/* the field with the name; elements without a name are left out */
	const char *time, *count;	/* fields with numbers; NULL: none. Without @count, elements are counted */
	const char *ready;		/* the field with the part of @time in which its processor ran others; NULL: none */
	const char *unless;		/* elements that have this field, not null, are left out; NULL: none */
	const char *inner;		/* the field with the elements inside of an element; NULL: none */
	size_t from;			/* the first element that counts */
	bool is_whole;			/* its elements have those of other kinds in them */
	bool has_calls;			/* its count is that of calls, not of elements */
	bool is_code;			/* its names are those of functions, to which compilers append something */
	bool is_point;			/* its time is a point in time */
	bool after_init;		/* there are some after init, for which a buffer may have had no room */
	bool by_probes;			/* kernel probes tell it, whose events are lost apart */
};

extern const struct row_kind row_kinds[];
extern const size_t row_kind_count;
/* A bit for each kind of the table; none for those below. */
static inline uint64_t row_kind__bit(const struct row_kind *kind)
{
	return kind->path ? UINT64_C(1) << (kind - row_kinds) : 0;
}

/* The time until the first program of process 1, that until the default target, and what is between the first and the levels. */
extern const struct row_kind kind_total, kind_target, kind_between;

/*
 * What the groups have not in common, and what this does to the comparison: some rows cannot be compared, or nothing is
 * certain because something else than the kernel may be the reason.
 */
struct boot_notes {
	char **list;			/* sentences, without a full stop */
	size_t count;
	bool weaken;			/* nothing is certain */
	bool comparable[PARTS][MEASURES];
};

/* What one boot says about one row. */
struct boot_cell {
	double value[MEASURES];		/* times are in ns */
	bool unknown[MEASURES];
	double ready;			/* see struct row_kind; without it, and if it is not known, 0 */
	bool is_there;
};

enum boot_verdict {
	SAME,				/* or less different than what counts */
	POSSIBLY,
	CERTAIN,
};

struct boot_change {
	bool known;			/* in all boots */
	double a, b;			/* in the middle of each group */
	double spread;			/* the largest distance of a boot from the middle of its group */
	double p;			/* see noise.h; 1: not known */
	enum boot_verdict verdict;
};

struct boot_row {
	const struct row_kind *kind;
	const char *name;
	struct boot_cell *cells;	/* of all boots: those of the first group first */
	struct boot_change change[MEASURES];
	bool new, gone;			/* in all boots of one group, and in none of the other */
	bool joined;			/* in a boot it is several, or one with a longer name */
};

/* What a document says about the boot as a whole. */
struct boot_head {
	const char *path;
	const char *release, *build_id, *boot_id, *cmdline, *tracer, *unit, *model, *program, *target;	/* NULL: unknown */
	uint64_t cpus, memory;		/* 0: unknown */
	uint64_t lost[PARTS];		/* events, or calls; not 0: that part lacks things */
	uint64_t sites;			/* that were traced early; 0: unknown */
	bool has[PARTS];
	bool cut;			/* the document does not have all functions (-n) */
	bool probes_lost;		/* some probes may be missing */
	bool full;			/* a buffer was full: what came later may be missing */
	bool knows_ready;		/* events tell what each processor ran */
	uint64_t missing;		/* bits of the kinds about which the document says nothing, as in row_kinds */
};

struct boot_comparison {
	struct boot_head *boots;	/* those of the first group first */
	size_t count[2];
	struct boot_row *rows;
	size_t row_count;
	struct lh_table *index;		/* from "kind name" to the number of the row */
	struct strings *names;
	struct boot_notes notes;
	bool can_tell;			/* there are enough boots for certain answers */
	size_t total;			/* the row "until init"; SIZE_MAX: no boot has initcalls */
	size_t target;			/* the row "until the default target"; SIZE_MAX: no boot has systemd */
};

/*
 * How much a row has to differ if there are too few boots to know the noise: by this share of it; and times also by a
 * part of the time until init, or if that is short or not known, by FEW_NS; calls also by FEW_CALLS.
 */
#define FEW_SHARE 0.10
#define FEW_OF_TOTAL 0.005
#define FEW_NS 500000.0
#define FEW_CALLS 20.0
/*
 * How often one time or more may be certain if two groups are of the same kernel, and how often one count or more. If this
 * happens, there may be a few rows that depend on each other. So this is about one wrong row in 20 comparisons at most.
 */
#define ALPHA 0.01
/* So many of each are enough for that. */
#define ENOUGH_BOOTS 5
/* With enough boots: this share, or twice the resolution of the clock of the trace events. */
#define LEAST_SHARE 0.01
#define LEAST_NS 2000.0

/**
 * boot_comparison__init() - begin a comparison
 * @ret: to be freed by boot_comparison__free(), also after errors
 * @a: the number of boots in the first group
 * @b: that of the second one
 */
void boot_comparison__init(struct boot_comparison *ret, size_t a, size_t b);

/**
 * boot_comparison__read() - take over what a document says
 * @c: the comparison
 * @boot: which boot it is of
 * @path: its name, for messages; must live as long as the comparison
 * @document: may be freed afterwards
 *
 * Return: 0; -EINVAL after a message.
 */
int boot_comparison__read(struct boot_comparison *c, size_t boot, const char *path, struct json_object *document);

/**
 * boot_comparison__run() - compare, when all documents have been read
 * @c: the comparison
 *
 * Return: 0; -EINVAL after a message if the boots of a group do not belong together.
 */
int boot_comparison__run(struct boot_comparison *c);
void boot_comparison__free(struct boot_comparison *c);

/* ---- compare_notes.c */

/**
 * boot_notes__find() - hold the boots against each other
 * @c: the comparison, of which all documents have been read; its notes are filled
 *
 * Return: 0; -EINVAL after a message if the boots of a group do not belong together.
 */
int boot_notes__find(struct boot_comparison *c);
/* Adds a sentence. */
void boot_notes__add(struct boot_notes *n, const char *format, ...) __attribute__((format(printf, 2, 3)));
void boot_notes__free(struct boot_notes *n);

/* ---- answers */

/* How many boots have been read with the first groups, and how many there are in all. */
size_t boot_comparison__boots(const struct boot_comparison *c);

/*
 * Rows with a difference in @measure, the largest one first, to be freed; @all: also those without. Parts such as levels
 * and phases, which have other rows in them, are apart from the others.
 */
const struct boot_row **boot_comparison__order(const struct boot_comparison *c, enum boot_measure measure, bool parts,
					       bool all, size_t *ret_count);
/* What counts as a difference of times if there are few boots. */
double boot_comparison__few_ns(const struct boot_comparison *c);
/* How many rows could be compared, in either measure, and how many of these differ. */
size_t boot_comparison__compared(const struct boot_comparison *c);
size_t boot_comparison__differing(const struct boot_comparison *c);

/* A limit for how much longer the second group may take until init, or until the default target. */
struct boot_limit {
	double share;			/* 0.05 is 5 %; or */
	double ns;
	bool target;
};

/**
 * boot_comparison__exceeds() - has that time grown by more than that?
 * @c: the comparison
 * @limit: the limit
 * @ret: the answer. If it is false although the middle has grown by more, a message says that the rest may be noise
 *
 * Return: 0; -EINVAL after a message if the time is not known.
 */
int boot_comparison__exceeds(const struct boot_comparison *c, const struct boot_limit *limit, bool *ret);

/*
 * @names: what to call the groups. @most: how many rows of a table at most. @all: also rows that do not differ. Write
 * errors stay in the stream.
 */
void boot_comparison__text(const struct boot_comparison *c, const char *const names[2], size_t most, bool all, FILE *out);
void boot_comparison__json(const struct boot_comparison *c, size_t most, bool all, FILE *out);

/* Were no calls counted early, but functions that were called? */
bool boot_head__is_oneshot(const struct boot_head *h);
/* Of one build, or if builds are not known, of one release. */
bool boot_head__same_kernel(const struct boot_head *x, const struct boot_head *y);
/* "certain", "possibly"; "no" if it does not differ. */
const char *boot_verdict__word(enum boot_verdict verdict);

#endif
