/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A store for the hundreds of thousands of names that live as long as a table does: appended to big
 * blocks, freed all at once. Strings keep their address for the life of the store.
 */
#ifndef HYTRACE_BASE_STRINGS_H
#define HYTRACE_BASE_STRINGS_H

struct strings;

struct strings *strings__new(void);
void strings__free(struct strings *s);
/* A copy of @text in the store; NULL: no memory. */
const char *strings__add(struct strings *s, const char *text);
/* The same, but equal to the last few that were added this way shares their copy (module names). */
const char *strings__intern(struct strings *s, const char *text);

#endif
