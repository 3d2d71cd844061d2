/* SPDX-License-Identifier: GPL-2.0-only */
/* Option values that several commands take; a bad one ends the program as any usage error does. */
#ifndef HYTRACE_BASE_OPTIONS_H
#define HYTRACE_BASE_OPTIONS_H

#include <argp.h>

/* --duration */
double option__seconds(struct argp_state *state, const char *text);
/* --NAME, from 1 to @most */
long option__number(struct argp_state *state, const char *name, const char *text, long most);

/* --NAME, one of @words, which end with NULL; its index */
int option__word(struct argp_state *state, const char *name, const char *text, const char *const *words);

#endif
