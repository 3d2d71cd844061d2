// SPDX-License-Identifier: GPL-2.0-only
/* hytrace-boot, which is `hytrace boot`: where the time of a boot went */
#include "base/program.h"
#include "boot/boot.h"

int main(int argc, char **argv)
{
	return program__run(argc, argv, "hytrace boot", cmd_boot);
}
