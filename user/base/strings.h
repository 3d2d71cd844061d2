/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A store for the hundreds of thousands of names that live as long as a table does: laid one behind
 * the other in big blocks, freed all at once. Strings keep their address for the life of the store.
 *
 * None of this fails: without memory it says so and ends the program, as an obstack has to. What
 * was put into the kernel is then the watchdog's to remove, as ever.
 */
#ifndef HYTRACE_BASE_STRINGS_H
#define HYTRACE_BASE_STRINGS_H

struct strings;

struct strings *strings__new(void);
void strings__free(struct strings *s);
/* A copy of @text in the store. */
const char *strings__add(struct strings *s, const char *text);
/* The same, but those that are equal and were added this way share their copy (module names). */
const char *strings__intern(struct strings *s, const char *text);

#endif
