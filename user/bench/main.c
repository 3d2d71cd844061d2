// SPDX-License-Identifier: GPL-2.0-only
/* hytrace-bench, which is `hytrace bench`: what each way of tracing costs */
#include "base/program.h"
#include "bench/commands.h"

int main(int argc, char **argv)
{
	return program__run(argc, argv, "hytrace bench", cmd_bench);
}
