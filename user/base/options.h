/* SPDX-License-Identifier: GPL-2.0-only */
/* Option values that several commands take; a bad one ends the program as any usage error does. */
#ifndef HYTRACE_BASE_OPTIONS_H
#define HYTRACE_BASE_OPTIONS_H

#include <argp.h>

/* --duration */
double option__seconds(struct argp_state *state, const char *text);
/* --NAME, from 1 to @most */
long option__number(struct argp_state *state, const char *name, const char *text, long most);

#endif
