/* SPDX-License-Identifier: GPL-2.0-only */
/* The name that is most similar to a mistyped one. */
#ifndef HYTRACE_BASE_SIMILAR_H
#define HYTRACE_BASE_SIMILAR_H

struct similar {
	const char *name;
	unsigned int limit;	/* in edits; less than that of the nearest name so far */
	const char *nearest;	/* NULL: none is near */
};

void similar__begin(struct similar *s, const char *name);
/* @candidate must live as long as it may be the nearest name. */
void similar__try(struct similar *s, const char *candidate);

#endif
