/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A store for hundreds of thousands of names that live as long as a table. They are stored one
 * after the other in large blocks, and freed all at once. A string keeps its address.
 *
 * No function here fails: if memory is lacking, it prints a message and ends the program, as an
 * obstack does. The watchdog then removes what was put into the kernel.
 */
#ifndef HYTRACE_BASE_STRINGS_H
#define HYTRACE_BASE_STRINGS_H

struct strings;

struct strings *strings__new(void);
void strings__free(struct strings *s);
/* Copies @text into the store. */
const char *strings__add(struct strings *s, const char *text);
/* As strings__add(), but equal strings that were added by this function share one copy (names of modules). */
const char *strings__intern(struct strings *s, const char *text);

#endif
