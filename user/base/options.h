/* SPDX-License-Identifier: GPL-2.0-only */
/* Values of options that several commands have. A bad value ends the program with a usage error. */
#ifndef HYTRACE_BASE_OPTIONS_H
#define HYTRACE_BASE_OPTIONS_H

#include <argp.h>

/* The value of --duration. */
double option__seconds(struct argp_state *state, const char *text);
/* The value of --NAME, a number from 1 to @most. */
long option__number(struct argp_state *state, const char *name, const char *text, long most);

/* At ARGP_KEY_ARGS: the arguments that are left. Returns their number. */
size_t option__arguments(const struct argp_state *state, const char *const **ret);

/* The value of --NAME, one of @words, which end with NULL; returns its index. */
int option__word(struct argp_state *state, const char *name, const char *text, const char *const *words);

#endif
