// SPDX-License-Identifier: GPL-2.0
/*
 * Tests how very early function tracing reads the command line: which tracer and
 * which filters it asks for. kernel/files/kernel/trace/trace_early_cmdline.c is
 * compiled as it is. The code that splits the line is the kernel's own; the
 * Makefile extracts it from the kernel's source. The boots of
 * tests/guest/early.sh show that the kernel later reads the line in the same way.
 */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

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
		{ "", EARLY_NONE },
		{ "   ", EARLY_NONE },
		{ "quiet ro root=/dev/vda", EARLY_NONE },
		{ "ftrace=function", EARLY_FUNCTION },
		{ "  ftrace=function  ", EARLY_FUNCTION },
		{ "quiet ftrace=function", EARLY_FUNCTION },
		{ "ftrace=function nosmp", EARLY_FUNCTION },
		{ "a\tftrace=function\tb", EARLY_FUNCTION },
		{ "ftrace=\"function\"", EARLY_FUNCTION },
		{ "\"ftrace=function\"", EARLY_FUNCTION },
		{ "ftrace=oneshot", EARLY_ONESHOT },

		/* of repeated ones the last one wins */
		{ "ftrace=nop ftrace=function", EARLY_FUNCTION },
		{ "ftrace=function ftrace=nop", EARLY_NONE },
		{ "ftrace=function ftrace=oneshot", EARLY_ONESHOT },

		/* others */
		{ "ftrace", EARLY_NONE },
		{ "ftrace=", EARLY_NONE },
		{ "ftrace=functionx", EARLY_NONE },
		{ "ftrace=functio", EARLY_NONE },
		{ "ftrace=function_graph", EARLY_NONE },
		{ "ftrace=oneshotx", EARLY_NONE },
		{ "noftrace=function xftrace=function", EARLY_NONE },
		{ "ftracex=function", EARLY_NONE },
		{ "dyndbg=\"x ftrace=function\"", EARLY_NONE },
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
		{ "ftrace_early=1", EARLY_NONE },
		{ "ftrace_early=graph", EARLY_NONE },
		{ "ftrace=function ftrace_early=0 ftrace_early=graph", EARLY_FUNCTION },
		{ "ftrace=function ftrace_early=graph ftrace_early=0", EARLY_NONE },
		{ "ftrace=function ftrace_early=0 ftrace_early=graphs", EARLY_NONE },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(lines); i++)
		cr_expect(eq(int, parse(lines[i].cmdline).tracer, lines[i].tracer), "'%s'", lines[i].cmdline);
}

Test(early_cmdline, returns)
{
	static const struct {
		const char *cmdline;
		bool returns;
	} lines[] = {
		{ "ftrace=function", false },
		{ "ftrace=function ftrace_early=graph", true },
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
	size_t i;

	for (i = 0; i < ARRAY_SIZE(lines); i++)
		cr_expect(eq(int, parse(lines[i].cmdline).returns, lines[i].returns), "'%s'",
			  lines[i].cmdline);
}

static void expect_list(const char *cmdline, const char *got, const char *wanted)
{
	cr_expect(eq(int, !got, !wanted), "'%s'", cmdline);
	if (got && wanted)
		cr_expect(eq(str, (char *)got, (char *)wanted), "'%s'", cmdline);
}

Test(early_cmdline, filters)
{
	static const struct {
		const char *cmdline, *only, *except;
	} lines[] = {
		{ "ftrace=function", NULL, NULL },
		{ "ftrace_filter=a ftrace=function", "a", NULL },
		{ "ftrace_filter=a,b*,!c ftrace_notrace=d", "a,b*,!c", "d" },
		{ "ftrace-filter=a", "a", NULL },
		{ "ftrace_filter=a ftrace_filter=b", "b", NULL },
		{ "ftrace_filter=\"a b\"", "a b", NULL },
		{ "ftrace_filter=a=b", "a=b", NULL },
		/* an empty list means no filter, also if it is the last of several lists */
		{ "ftrace_filter=", NULL, NULL },
		{ "ftrace_filter", NULL, NULL },
		{ "ftrace_filter=a ftrace_filter=", NULL, NULL },
		{ "ftrace_notrace=a ftrace_notrace=", NULL, NULL },
		{ "ftrace_graph_filter=a xftrace_filter=b ftrace_filterx=c", NULL, NULL },
		{ "-- ftrace_filter=a ftrace_notrace=b", NULL, NULL },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(lines); i++) {
		struct early_params params = parse(lines[i].cmdline);

		expect_list(lines[i].cmdline, params.only, lines[i].only);
		expect_list(lines[i].cmdline, params.except, lines[i].except);
	}
}

Test(early_cmdline, dump_on_oops)
{
	cr_expect(not(parse("ftrace=function").dump_on_oops));
	cr_expect(parse("ftrace=function ftrace_dump_on_oops").dump_on_oops);
	cr_expect(parse("ftrace_dump_on_oops=1").dump_on_oops);
	cr_expect(parse("ftrace_dump_on_oops=orig_cpu").dump_on_oops);
	cr_expect(parse("ftrace_dump_on_oops=2,foo").dump_on_oops);
	cr_expect(parse("ftrace_dump_on_oops,foo").dump_on_oops);
	cr_expect(parse("ftrace-dump-on-oops").dump_on_oops);
	cr_expect(not(parse("ftrace_dump_on_oops=0").dump_on_oops));
	cr_expect(not(parse("ftrace_dump_on_oops ftrace_dump_on_oops=0").dump_on_oops));
	cr_expect(not(parse("xftrace_dump_on_oops").dump_on_oops));
	cr_expect(not(parse("ftrace_dump_on_oop=1").dump_on_oops));
	cr_expect(not(parse("-- ftrace_dump_on_oops").dump_on_oops));
}
