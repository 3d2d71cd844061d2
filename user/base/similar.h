/* SPDX-License-Identifier: GPL-2.0-only */
/* The name that somebody may have meant who mistyped it. */
#ifndef HYTRACE_BASE_SIMILAR_H
#define HYTRACE_BASE_SIMILAR_H

struct similar {
	const char *name;
	unsigned int limit;	/* in keystrokes; less than those of the nearest so far */
	const char *nearest;	/* NULL: none is near */
};

void similar__begin(struct similar *s, const char *name);
/* @candidate has to live as long as it may be the nearest. */
void similar__try(struct similar *s, const char *candidate);

#endif
