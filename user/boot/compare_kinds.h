/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kinds of rows that `hytrace boot compare` compares, and where a document of `hytrace boot` has
 * them. A kind is an array of objects: a new kind is a line in the table of compare_kinds.c.
 */
#ifndef HYTRACE_BOOT_COMPARE_KINDS_H
#define HYTRACE_BOOT_COMPARE_KINDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What has recorded a kind, and so what has to be complete for it. */
enum boot_source { PART_OF_EARLY, PART_OF_START, PART_OF_USER, PARTS };

enum boot_measure { MEASURE_TIME, MEASURE_COUNT, MEASURES };

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

#endif
