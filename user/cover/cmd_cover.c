// SPDX-License-Identifier: GPL-2.0-only
/* hytrace cover: options.c has the options, and run.c has the steps of a run. */
#include "cover/commands.h"
#include "cover/engines.h"
#include "cover/run.h"

int cmd_cover(int argc, char **argv)
{
	struct cover_options o;
	int status;

	cover_options__parse(&o, argc, argv, engines__refuse);
	status = cover__run(&o);
	cover_options__free(&o);
	return status;
}
