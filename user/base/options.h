/* SPDX-License-Identifier: GPL-2.0-only */
/* Values of options that several commands have. A wrong value ends the program with a usage error. */
#ifndef HYTRACE_BASE_OPTIONS_H
#define HYTRACE_BASE_OPTIONS_H

#include <argp.h>

/* Parses the value of --duration. */
double option__seconds(struct argp_state *state, const char *text);
/* Parses the value of --NAME, a number from 1 to @most. */
long option__number(struct argp_state *state, const char *name, const char *text, long most);

/* To be called at ARGP_KEY_ARGS: the remaining arguments. Returns their number. */
size_t option__arguments(const struct argp_state *state, const char *const **ret);

/* Parses the value of --NAME, which has to be one of @words; NULL ends them. Returns its index. */
int option__word(struct argp_state *state, const char *name, const char *text, const char *const *words);

#endif
