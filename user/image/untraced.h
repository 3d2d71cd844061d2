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
	UNTRACED_COUNT
};

/* One word, as documents have it; NULL: UNTRACED_NOT. */
const char *untraced__word(enum untraced why);
/* The reason of a word; UNTRACED_NOT: no such word. */
enum untraced untraced__of_word(const char *word);
/* The rest of a sentence that begins with the name of the function. */
const char *untraced__sentence(enum untraced why);

#endif
