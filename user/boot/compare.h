/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Compares two boots, or groups of boots of two kernels or configurations: what takes longer in the second group, and
 * what is called more often.
 *
 * A row stands for all items of one name: an initcall, a level, a function. Suffixes that the compiler appends to
 * names are removed. If a boot has several items of one name, their times and counts are added up.
 */
#ifndef HYTRACE_BOOT_COMPARE_H
#define HYTRACE_BOOT_COMPARE_H

struct boot;

/* The part of the recording that a kind of rows comes from, and that must be complete for it. */
enum boot_source { PART_OF_EARLY, PART_OF_START, PART_OF_USER, PARTS };

enum boot_measure { MEASURE_TIME, MEASURE_COUNT, MEASURES };

enum row_kind {
	ROW_INITCALL, ROW_MODULE, ROW_LEVEL, ROW_INIT, ROW_WAIT, ROW_PROBE, ROW_UNIT, ROW_PART, ROW_PHASE, ROW_FUNCTION,
	ROW_TOTAL,			/* the time until init */
	ROW_TARGET,			/* the time until the default target */
	ROW_BETWEEN,			/* before the first level, or after the last one */
	ROW_KINDS
};

struct row_kind_traits {
	const char *word;		/* "initcall" */
	enum boot_source source;
	bool is_whole;			/* it contains rows of other kinds, and so is in a table of its own */
	bool is_code;			/* names are functions: compilers append suffixes */
	bool has_calls;			/* the count is of calls, which oneshot does not count */
	bool is_sum;			/* an item has a count of its own, and its time may lack lost events */
	bool is_of_events;		/* of the kernel's trace events, which may be lost */
};

extern const struct row_kind_traits row_kinds[ROW_KINDS];

/* Why a value of a row is not compared. */
enum left_out {
	COMPARED,
	LEFT_PART,			/* nothing of its part of the boot is compared: a note tells why */
	LEFT_LOST,			/* a boot may have lost the row or a part of it, or was not asked for it */
	LEFT_UNKNOWN,			/* a boot does not know it */
	LEFT_REASONS
};

/* The values of one row in one boot. */
struct row_cell {
	double value[MEASURES];		/* times are in ns */
	bool unknown[MEASURES];
	double ready;			/* the part of the time in which the task waited for its CPU */
	bool is_there;
};

enum boot_verdict { SAME /* or too little */, POSSIBLY, CERTAIN };

/* NAN: not known, or it makes no sense. */
struct boot_change {
	bool known;			/* all boots have a value */
	double a, b;			/* the median of each group */
	double change, percent;
	double spread;			/* the largest distance of a boot from its group's median */
	double p;			/* as in struct noise_row */
	enum boot_verdict verdict;
};

struct boot_row {
	enum row_kind kind;
	const char *name;
	struct row_cell *cells;		/* one for each boot, the first group first */
	struct boot_change change[MEASURES];
	bool new, gone;			/* in all boots of group 2 only; of group 1 only */
};

/* Facts about a boot as a whole, as texts. Those from FACT_TRACER on are noted if they differ. */
enum boot_fact {
	FACT_RELEASE, FACT_BUILD_ID, FACT_BOOT_ID, FACT_TRACER, FACT_SITES, FACT_CPUS, FACT_MEMORY, FACT_MODEL,
	FACT_CMDLINE, FACT_PROGRAM, FACT_TARGET, FACTS
};

struct boot_head {
	const char *path;
	const char *facts[FACTS];	/* NULL: unknown */
	uint64_t lost[PARTS];		/* lost events or calls; not 0: the part may lack rows */
	bool has_start;			/* the initcalls were recorded */
	bool lacks[ROW_KINDS];		/* rows that it does not have may be missing */
	bool cycles;			/* early times are cycles, not ns */
	bool probes_lost;		/* some probes may be missing */
	bool knows_ready;		/* events tell which task each CPU ran */
};

struct boot_comparison {
	struct boot_head *boots;	/* the first group first */
	size_t count[2], all;
	struct boot_row *rows;
	size_t row_count;
	struct lh_table *index;		/* from "kind name" to the number of the row */
	struct strings *names;
	/* Sentences about the boots as a whole, without a full stop. */
	char **notes;
	size_t note_count;
	bool weakened;			/* nothing is certain, as something else than the kernel may be the reason */
	bool comparable[PARTS][MEASURES];
	bool can_tell;			/* enough boots for certain answers */
	size_t compared, differing;	/* rows, by time or count */
	size_t left_out[LEFT_REASONS];	/* rows whose time is not compared; functions: whose count */
	size_t total, target;		/* the rows "until init", "until the default target"; SIZE_MAX: no boot has it */
};

/*
 * The least difference of a row if there are too few boots to know the noise: FEW_SHARE of the row, and for times
 * FEW_OF_TOTAL of the time until init, at least FEW_NS; for calls FEW_CALLS.
 */
#define FEW_SHARE 0.10
#define FEW_OF_TOTAL 0.005
#define FEW_NS 500000.0
#define FEW_CALLS 20.0
/*
 * The probability that a comparison of two groups of the same kernel calls any time certain, and the probability that
 * it calls any count certain. Several rows may then be wrong together, as rows depend on each other: about one wrong
 * row in 20 comparisons at most.
 */
#define ALPHA 0.01
/* The probability that noise alone exceeds the limit of --fail-above, which tests only one row. */
#define LIMIT_ALPHA 0.05
/* So many boots in each group are enough for ALPHA. */
#define ENOUGH_BOOTS 5
/* The least difference with enough boots: this share, or twice the resolution of trace events. */
#define LEAST_SHARE 0.01
#define LEAST_NS 2000.0

/* Begins a comparison of @a boots with @b boots. @ret: to be freed by boot_comparison__free(), also after errors */
void boot_comparison__init(struct boot_comparison *ret, size_t a, size_t b);
/* Adds the boot of this index. @path: its name, which must live as long as @c. Returns -EINVAL after a message. */
int boot_comparison__add(struct boot_comparison *c, size_t boot, const char *path, const struct boot *b);
/* Compares all boots. Returns -EINVAL after a message if the boots of a group do not belong together. */
int boot_comparison__run(struct boot_comparison *c);
void boot_comparison__free(struct boot_comparison *c);
/* The least difference of times that counts if there are few boots. */
double boot_comparison__few_ns(const struct boot_comparison *c);

/* A limit for how much longer the second group may take until init, or until the default target. */
struct boot_limit {
	double share;			/* 0.05 is 5 %; or */
	double ns;
	bool target;
};

/*
 * Has the limited time grown by more than the limit? If the median has grown by more, but maybe by noise, *@ret is
 * false, and a message tells it. Returns 0; -EINVAL after a message if the time is not known.
 */
int boot_comparison__exceeds(const struct boot_comparison *c, const struct boot_limit *limit, bool *ret);

int cmd_boot_compare(int argc, char **argv);

/*
 * ---- noise.c: which of many rows differ between two groups of boots by more than boots of the same kernel do
 *
 * Each boot takes a different time, and among a thousand rows, some always differ by chance. So this tests all rows together,
 * by permutation: if the two groups are alike, any division of the boots into two groups would do as well. For each division,
 * this finds the largest difference of all rows, each relative to the row's own noise. A row is certain if nearly no other
 * division has such a difference in any row (the step-down maxT test of Westfall and Young). This needs no model of the noise,
 * and rows may depend on each other, as a level depends on its initcalls. But the two groups must be booted in turns: if the
 * machine is busier while the second group boots, this is a difference, too.
 */

struct noise_row {
	const double *values;	/* one for each boot, the first group first */
	double least;		/* a smaller difference does not matter; greater than 0 */
	double floor;		/* the noise is never less than this; greater than 0 */
	/* Results: */
	double a, b;		/* the median of each group */
	double spread;		/* the largest distance of a boot from the median of its group */
	bool apart;		/* the gap between the groups is larger than each group's range */
	double p;		/* the probability that chance does this in any row; 1: unknown */
};

/* Are there enough boots for noise_row.p to be as low as @alpha? */
bool noise__can_tell(size_t a, size_t b, double alpha);
/* Finds which rows differ by more than the noise. @a, @b: the numbers of boots in the groups, at least 1 */
void noise__judge(struct noise_row *rows, size_t count, size_t a, size_t b);
/*
 * The probability that chance makes the second group so much larger: the share of all divisions in which it is larger
 * by at least as much, relative to the noise. @row: only @values and @floor are used
 */
double noise__grown(const struct noise_row *row, size_t a, size_t b);

#endif
