// SPDX-License-Identifier: GPL-2.0-only
/* See options.h. */
#include <stdlib.h>

#include "options.h"

double option__seconds(struct argp_state *state, const char *text)
{
	char *end;
	double value = strtod(text, &end);

	if (*end || end == text || !(value > 0) || value > 1e9)
		argp_error(state, "--duration %s: not a time in seconds", text);
	return value;
}
