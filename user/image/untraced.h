/* SPDX-License-Identifier: GPL-2.0-only */
/* Why ftrace cannot trace a function. */
#ifndef HYTRACE_IMAGE_UNTRACED_H
#define HYTRACE_IMAGE_UNTRACED_H

enum untraced {
	UNTRACED_NOT = 0,
	UNTRACED_NOINSTR,
	UNTRACED_ENTRY,
	UNTRACED_TRAMPOLINE,
	UNTRACED_FRAGMENT,
	UNTRACED_ASSEMBLY,
	UNTRACED_FILE,
	UNTRACED_NOTRACE,
	UNTRACED_NO_CALL,
	UNTRACED_DISABLED,	/* only a running kernel shows this */
	UNTRACED_COUNT
};

/* The word for @why in json; NULL for UNTRACED_NOT. */
const char *untraced__word(enum untraced why);
/* The reason with this word; UNTRACED_NOT: there is none. */
enum untraced untraced__of_word(const char *word);
/* The reason, as the end of a sentence that begins with the function's name. */
const char *untraced__sentence(enum untraced why);

/*
 * A region of text whose functions cannot be traced, given by its section, or by its first and last
 * symbol.
 */
struct untraced_region {
	const char *section, *start, *end;
	enum untraced why;
};

#define UNTRACED_REGIONS 7
extern const struct untraced_region untraced_regions[UNTRACED_REGIONS];

/* The reason that a name alone shows; UNTRACED_NOT: none. */
enum untraced untraced__of_name(const char *name);

#endif
