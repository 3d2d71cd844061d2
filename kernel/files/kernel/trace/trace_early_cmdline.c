// SPDX-License-Identifier: GPL-2.0
/*
 * Very early function tracing: its parameters on the command line, which are read before
 * the kernel's own parser reads them.
 */
#define pr_fmt(fmt) "ftrace: early: " fmt

#ifdef __KERNEL__
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/kstrtox.h>
#include <linux/moduleparam.h>
#include <linux/string.h>
#endif

#include "trace_early_cmdline.h"

/* An empty list counts as none. */
static char * __init early_list(char *val)
{
	return *val ? val : NULL;
}

static enum early_tracer __init early_tracer(const char *name)
{
	if (!strcmp(name, "function"))
		return EARLY_FUNCTION;
	if (IS_ENABLED(CONFIG_ONESHOT_TRACER) && !strcmp(name, "oneshot"))
		return EARLY_ONESHOT;
	return EARLY_NONE;
}

/* Parse the value of ftrace_early=. Returns false if it is not valid. */
static bool __init early_mode(const char *val, bool *on, bool *returns)
{
	bool graph = !strcmp(val, "graph");

	if (!graph && kstrtobool(val, on))
		return false;
	if (graph)
		*on = true;
	*returns = graph;
	return true;
}

/**
 * early_params_parse - find the parameters of tracing
 * @params: where to store them
 * @cmdline: the command line, which is cut into its words
 *
 * Later parameters override earlier ones, as for __setup().
 */
void __init early_params_parse(struct early_params *params, char *cmdline)
{
	char *args = skip_spaces(cmdline), *param, *val;
	bool on, off = false;

	*params = (struct early_params) {};
	while (*args) {
		args = next_arg(args, &param, &val);
		if (!val && !strcmp(param, "--"))
			break;

		if (parameqn(param, "ftrace_dump_on_oops", 19))
			params->dump_on_oops = !val || strcmp(val, "0");
		if (!val)
			continue;

		if (parameq(param, "ftrace"))
			params->tracer = early_tracer(val);
		else if (parameq(param, "ftrace_filter"))
			params->only = early_list(val);
		else if (parameq(param, "ftrace_notrace"))
			params->except = early_list(val);
		else if (parameq(param, "ftrace_early") && early_mode(val, &on, &params->returns))
			off = !on;
	}
	if (off)
		params->tracer = EARLY_NONE;
}

/* Already handled. This tells the kernel's own parser that the parameter is not for init. */
static int __init early_ftrace_setup(char *str)
{
	bool on, returns;

	if (!early_mode(str, &on, &returns))
		pr_warn("ftrace_early=%s: neither 0, 1 nor graph, ignored\n", str);
	return 1;
}
__setup("ftrace_early=", early_ftrace_setup);
