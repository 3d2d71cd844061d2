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
	UNTRACED_DISABLED,	/* only a running kernel says that */
	UNTRACED_COUNT
};

/* One word, as documents have it; NULL: UNTRACED_NOT. */
const char *untraced__word(enum untraced why);
/* The reason of a word; UNTRACED_NOT: no such word. */
enum untraced untraced__of_word(const char *word);
/* The rest of a sentence that begins with the name of the function. */
const char *untraced__sentence(enum untraced why);

/* A part of the text whose functions cannot be traced, by the name of its section, or the symbols around it. */
struct untraced_region {
	const char *section, *start, *end;
	enum untraced why;
};

#define UNTRACED_REGIONS 7
extern const struct untraced_region untraced_regions[UNTRACED_REGIONS];

/* What a name alone tells; UNTRACED_NOT: nothing. */
enum untraced untraced__of_name(const char *name);

#endif
