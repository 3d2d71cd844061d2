// SPDX-License-Identifier: GPL-2.0
/*
 * Tests how very early function tracing reads the command line: which tracer and
 * which filters it asks for. kernel/files/kernel/trace/trace_early_cmdline.c is
 * compiled as it is. The code that splits the line is the kernel's own; the
 * Makefile extracts it from the kernel's source. The boots of
 * tests/guest/early.sh show that the kernel later reads the line in the same way.
 */

#include "kernel_shim.h"
#include "kernel_cmdline.h"
#include "../../kernel/files/kernel/trace/trace_early_cmdline.c"

static char buf[4096];

static struct early_params parse(const char *cmdline)
{
	struct early_params params;

	/* A member that the parser does not set must not look like an answer. */
	memset(&params, 0xee, sizeof(params));
	cr_assert(lt(sz, strlen(cmdline), sizeof(buf)));
	strcpy(buf, cmdline);
	early_params_parse(&params, buf);
	return params;
}

Test(early_cmdline, tracer)
{
	static const struct {
		const char *cmdline;
		enum early_tracer tracer;
	} lines[] = {
		{ "", EARLY_NONE }, { "   ", EARLY_NONE }, { "quiet ro root=/dev/vda", EARLY_NONE },
		{ "ftrace=function", EARLY_FUNCTION }, { "  ftrace=function  ", EARLY_FUNCTION },
		{ "quiet ftrace=function", EARLY_FUNCTION },
		{ "ftrace=function nosmp", EARLY_FUNCTION },
		{ "a\tftrace=function\tb", EARLY_FUNCTION },
		{ "ftrace=\"function\"", EARLY_FUNCTION },
		{ "\"ftrace=function\"", EARLY_FUNCTION }, { "ftrace=oneshot", EARLY_ONESHOT },
		/* of repeated ones the last one wins */
		{ "ftrace=nop ftrace=function", EARLY_FUNCTION },
		{ "ftrace=function ftrace=nop", EARLY_NONE },
		{ "ftrace=function ftrace=oneshot", EARLY_ONESHOT },
		/* others */
		{ "ftrace", EARLY_NONE }, { "ftrace=", EARLY_NONE },
		{ "ftrace=functionx", EARLY_NONE }, { "ftrace=functio", EARLY_NONE },
		{ "ftrace=function_graph", EARLY_NONE }, { "ftrace=oneshotx", EARLY_NONE },
		{ "noftrace=function xftrace=function", EARLY_NONE },
		{ "ftracex=function", EARLY_NONE }, { "dyndbg=\"x ftrace=function\"", EARLY_NONE },
		{ "ftrace=\"function x\"", EARLY_NONE },
		/* words after the -- are for init */
		{ "-- ftrace=function", EARLY_NONE },
		{ "ftrace=function -- ftrace=nop", EARLY_FUNCTION },
		{ "--x ftrace=function", EARLY_FUNCTION },
		{ "--=1 ftrace=function", EARLY_FUNCTION },
		/* off */
		{ "ftrace=function ftrace_early=0", EARLY_NONE },
		{ "ftrace_early=0 ftrace=function", EARLY_NONE },
		{ "ftrace-early=off ftrace=oneshot", EARLY_NONE },
		{ "ftrace=function ftrace_early=0 ftrace_early=1", EARLY_FUNCTION },
		{ "ftrace=function ftrace_early=1", EARLY_FUNCTION },
		{ "ftrace=function ftrace_early", EARLY_FUNCTION },
		{ "ftrace=function ftrace_early=maybe", EARLY_FUNCTION },
		{ "ftrace=function ftrace_early=o0", EARLY_FUNCTION },
		{ "ftrace=function ftrace_early=", EARLY_FUNCTION },
		{ "=x ftrace=function", EARLY_FUNCTION },
		{ "ftrace=function ftrace_early=0 ftrace_early=maybe", EARLY_NONE },
		{ "ftrace_early=1", EARLY_NONE }, { "ftrace_early=graph", EARLY_NONE },
		{ "ftrace=function ftrace_early=0 ftrace_early=graph", EARLY_FUNCTION },
		{ "ftrace=function ftrace_early=graph ftrace_early=0", EARLY_NONE },
		{ "ftrace=function ftrace_early=0 ftrace_early=graphs", EARLY_NONE },
	};

	for_each(l, lines)
		cr_expect(eq(int, parse(l->cmdline).tracer, l->tracer), "'%s'", l->cmdline);
}

Test(early_cmdline, returns)
{
	static const struct {
		const char *cmdline;
		bool returns;
	} lines[] = {
		{ "ftrace=function", false }, { "ftrace=function ftrace_early=graph", true },
		{ "ftrace-early=graph ftrace=function", true },
		{ "ftrace=oneshot ftrace_early=graph", true },
		{ "ftrace=function ftrace_early=1", false },
		{ "ftrace=function ftrace_early=graph ftrace_early=1", false },
		{ "ftrace=function ftrace_early=1 ftrace_early=graph", true },
		{ "ftrace=function ftrace_early=graph ftrace_early=maybe", true },
		{ "ftrace=function ftrace_early=graphs", false },
		{ "ftrace=function ftrace_early=grap", false },
		{ "ftrace=function -- ftrace_early=graph", false },
	};

	for_each(l, lines)
		cr_expect(eq(int, parse(l->cmdline).returns, l->returns), "'%s'", l->cmdline);
}

Test(early_cmdline, filters)
{
	static const struct {
		const char *cmdline, *only, *except;
	} lines[] = {
		{ "ftrace=function", NULL, NULL }, { "ftrace_filter=a ftrace=function", "a", NULL },
		{ "ftrace_filter=a,b*,!c ftrace_notrace=d", "a,b*,!c", "d" },
		{ "ftrace-filter=a", "a", NULL }, { "ftrace_filter=a ftrace_filter=b", "b", NULL },
		{ "ftrace_filter=\"a b\"", "a b", NULL }, { "ftrace_filter=a=b", "a=b", NULL },
		/* an empty list means no filter, also if it is the last of several lists */
		{ "ftrace_filter=", NULL, NULL }, { "ftrace_filter", NULL, NULL },
		{ "ftrace_filter=a ftrace_filter=", NULL, NULL },
		{ "ftrace_notrace=a ftrace_notrace=", NULL, NULL },
		{ "ftrace_graph_filter=a xftrace_filter=b ftrace_filterx=c", NULL, NULL },
		{ "-- ftrace_filter=a ftrace_notrace=b", NULL, NULL },
	};

	for_each(l, lines) {
		struct early_params params = parse(l->cmdline);

		expect_str(params.only ?: "none", l->only ?: "none", "'%s'", l->cmdline);
		expect_str(params.except ?: "none", l->except ?: "none", "'%s'", l->cmdline);
	}
}

Test(early_cmdline, dump_on_oops)
{
	static const char *const on[] = {
		"ftrace=function ftrace_dump_on_oops", "ftrace_dump_on_oops=1",
		"ftrace_dump_on_oops=orig_cpu", "ftrace_dump_on_oops=2,foo", "ftrace_dump_on_oops,foo",
		"ftrace-dump-on-oops",
	};
	static const char *const off[] = {
		"ftrace=function", "ftrace_dump_on_oops=0", "ftrace_dump_on_oops ftrace_dump_on_oops=0",
		"xftrace_dump_on_oops", "ftrace_dump_on_oop=1", "-- ftrace_dump_on_oops",
	};

	for_each(cmdline, on)
		cr_expect(parse(*cmdline).dump_on_oops, "'%s'", *cmdline);
	for_each(cmdline, off)
		cr_expect(not(parse(*cmdline).dump_on_oops), "'%s'", *cmdline);
}
