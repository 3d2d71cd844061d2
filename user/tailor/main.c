// SPDX-License-Identifier: GPL-2.0-only
/* The program hytrace-tailor, for `hytrace tailor` */
#include "base/program.h"
#include "tailor/commands.h"

int main(int argc, char **argv)
{
	return program__run(argc, argv, "hytrace tailor", cmd_tailor);
}
