// SPDX-License-Identifier: GPL-2.0-only
/* hytrace-tailor, which is `hytrace tailor`: a smaller configuration of the kernel, from what ran */
#include "base/program.h"
#include "tailor/commands.h"

int main(int argc, char **argv)
{
	return program__run(argc, argv, "hytrace tailor", cmd_tailor);
}
