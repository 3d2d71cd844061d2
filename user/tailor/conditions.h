/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which options a line of the source needs to be compiled at all, by the #if blocks around it.
 *
 * Only certain needs are found. Options come from plain conjunctions ("#ifdef CONFIG_A", "#if
 * defined(CONFIG_A) && IS_ENABLED(CONFIG_B)", where other terms are skipped), and from the #else of
 * one negated option. A disjunction needs no option. An included x.c needs what its #include needs.
 */
#ifndef HYTRACE_TAILOR_CONDITIONS_H
#define HYTRACE_TAILOR_CONDITIONS_H

struct conditions;

/* @source: the top of the source. */
struct conditions *conditions__new(const char *source);
void conditions__free(struct conditions *c);

/* Names a file that is compiled by itself. To be called for all before conditions__at(). */
void conditions__compiled(struct conditions *c, const char *unit);

/* Options that are needed together with those of @outer. */
struct condition {
	const char *const *options;	/* "CONFIG_X" */
	size_t count;
	const struct condition *outer;	/* NULL: no other options are needed */
};

/**
 * conditions__at() - find what a line needs
 * @c: the conditions
 * @unit: the file that was compiled ("kernel/sched/build_policy.c"); it may include @file
 * @file: the file with the line; if it cannot be read, the line needs nothing
 * @line: from 1
 *
 * Return: the innermost condition; it lives as long as @c. NULL: the line needs no option.
 */
const struct condition *conditions__at(struct conditions *c, const char *unit, const char *file, unsigned int line);

#endif
