// SPDX-License-Identifier: GPL-2.0
/*
 * Very early function tracing: what the command line asks for, read before the kernel's
 * own parser does.
 */
#define pr_fmt(fmt) "ftrace: early: " fmt

#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/kstrtox.h>
#include <linux/moduleparam.h>
#include <linux/string.h>

#include "trace_early_internal.h"

/**
 * early_params_parse - find the words of interest
 * @params: where to tell of them, zeroed
 * @cmdline: the command line, which is cut into its words
 *
 * Later ones override earlier ones, as for __setup().
 */
void __init early_params_parse(struct early_params *params, char *cmdline)
{
	char *args = skip_spaces(cmdline), *param, *val;

	while (*args) {
		args = next_arg(args, &param, &val);
		if (!val && !strcmp(param, "--"))
			break;

		if (!strncmp(param, "ftrace_dump_on_oops", 19))
			params->dump_on_oops = !val || strcmp(val, "0");
		if (!val)
			continue;

		if (parameq(param, "ftrace"))
			params->tracer = val;
		else if (parameq(param, "ftrace_filter"))
			params->only = val;
		else if (parameq(param, "ftrace_notrace"))
			params->except = val;
		else if (parameq(param, "ftrace_early") && kstrtobool(val, &params->off) == 0)
			params->off = !params->off;
	}
}

/* Known when it is done; for the kernel's own parser it is no option for init. */
static int __init early_ftrace_setup(char *str)
{
	bool on;

	if (kstrtobool(str, &on))
		pr_warn("ftrace_early=%s: neither 0 nor 1, ignored\n", str);
	return 1;
}
__setup("ftrace_early=", early_ftrace_setup);
