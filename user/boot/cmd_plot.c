// SPDX-License-Identifier: GPL-2.0-only
/* hytrace boot plot: draws this boot, like systemd-analyze plot. */
#include "base/error.h"
#include "boot/commands.h"

int cmd_boot_plot(int argc, char **argv)
{
	static const struct argp_option options[] = { OPTION_OUTPUT, { } };
	static const struct argp argp = {
		.options = options,
		.parser = result_options__parser,
		.doc = "Draws a picture of this boot, from the reset until systemd has started all units: the same as "
		       "`hytrace boot -f svg`."
		       "\vExamples:\n"
		       "  hytrace boot plot -o boot.svg\n"
		       "  hytrace boot plot >boot.svg && xdg-open boot.svg\n\n"
		       "Exit status: 0 done, 1 failed, or nothing of it is left, 2 usage, 3 the kernel or the privileges "
		       "do not allow it.",
	};
	struct boot_options o = { .result.only = "plot is a picture; `hytrace boot -f json` has its times" };

	if (argp_parse(&argp, argc, argv, 0, NULL, &o.result))
		return EXIT_USAGE;
	o.result.format = BOOT_SVG;
	return boot__report(&o);
}
