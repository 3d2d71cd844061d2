// SPDX-License-Identifier: GPL-2.0-only
/* hytrace cover: the options are options.c's, and what a run does is in run.c. */
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
