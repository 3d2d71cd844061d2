// SPDX-License-Identifier: GPL-2.0-only
/* hytrace boot time: how long each part of this boot took, like systemd-analyze time. */
#include "base/error.h"
#include "boot/commands.h"

int cmd_boot_time(int argc, char **argv)
{
	static const struct argp_option options[] = { OPTION_OUTPUT, { } };
	static const struct argp argp = {
		.options = options,
		.parser = result_options__parser,
		.doc = "Prints how long each part of this boot took, and no more."
		       "\vExamples:\n"
		       "  hytrace boot time\n"
		       "  hytrace boot time | head -n 5\n\n"
		       "Exit status: 0 done, 1 failed, or nothing of it is left, 2 usage, 3 the kernel or the privileges "
		       "do not allow it.",
	};
	struct boot_options o = { .result.only = "time is a text; `hytrace boot -f json` has the same as parts" };

	if (argp_parse(&argp, argc, argv, 0, NULL, &o.result))
		return EXIT_USAGE;
	o.result.format = BOOT_TIME;
	return boot__report(&o);
}
