// SPDX-License-Identifier: GPL-2.0-only
/* hytrace boot release: frees the events and buffers that `hytrace boot next` asked for. */
#include <tracefs.h>

#include "base/error.h"
#include "boot/commands.h"
#include "boot/start_load.h"
#include "kernel/features.h"

int cmd_boot_release(int argc, char **argv)
{
	static const struct argp argp = {
		.doc = "Removes what `hytrace boot next` has made this kernel keep, with its memory. hytrace boot cannot "
		       "report the initcalls any more."
		       "\vExamples:\n"
		       "  hytrace boot release\n"
		       "  hytrace boot -f json -o boot.json && hytrace boot release\n\n"
		       "Exit status: 0 done, 1 failed, 2 usage, 3 the kernel or the privileges do not allow it.",
	};
	int err;

	if (argp_parse(&argp, argc, argv, 0, NULL, NULL))
		return EXIT_USAGE;
	err = features__require(FEATURE_BOOT, NULL);
	return error__status(err ?: boot_start__release(tracefs_tracing_dir()), 0);
}
