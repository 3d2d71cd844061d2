/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds the name that is most similar to a mistyped one. */
#ifndef HYTRACE_BASE_SIMILAR_H
#define HYTRACE_BASE_SIMILAR_H

struct similar {
	const char *name;
	unsigned int limit;	/* with at most this many edits, a name is nearer than @nearest */
	const char *nearest;	/* NULL: no name is similar */
};

void similar__begin(struct similar *s, const char *name);
/* @candidate must live as long as it may be the nearest name. */
void similar__try(struct similar *s, const char *candidate);

#endif
