// SPDX-License-Identifier: GPL-2.0
/*
 * hytrace boot: how this boot was told to trace itself, by its command line and its bootconfig.
 */
#include "boot/asked.h"
#include "boot/boot_sample.h"

static bool in_top(const char *line)
{
	struct boot_asked asked = { .line = (char *)line };

	return boot_asked__in_top(&asked);
}

Test(boot_asked, events_in_the_top_level_instance)
{
	cr_expect(in_top("quiet trace_event=initcall:*,sched:sched_switch x\n"));
	cr_expect(in_top("trace_event=\"sched:*,initcall:*\" x\n"), "a bootconfig of Linux 6.1");
	cr_expect(in_top("trace_event=\"initcall:*,sched:*\" x\n"), "and there, the first one has the quote");
	cr_expect(in_top("trace_event=sched trace_event=initcall\n"));
	cr_expect(in_top("trace_event=initcall:initcall_start,initcall:initcall_finish"));
	cr_expect(not(in_top("trace_event=sched:*,initcalls x=initcall:*")));
	cr_expect(not(in_top("trace_instance=foo,initcall:* trace_event=")));
	cr_expect(not(in_top("x=\"a trace_event=initcall:*\"")));
	cr_expect(not(in_top("trace_events=initcall:*")));
	cr_expect(not(in_top("trace_event")));
	cr_expect(not(in_top("trace_event=\"")));
	cr_expect(not(in_top("")));
	cr_expect(not(in_top(NULL)));
}

/* Does the text contain this word? */
static bool says(const char *text, const char *word)
{
	return text && strstr(text, word);
}

static struct boot_asked asked_for(const char *line, const char *config)
{
	return (struct boot_asked){ (char *)line, (char *)config };
}

Test(boot_asked, events_below_ftrace_are_of_no_use)
{
	struct boot_asked a = asked_for("bootconfig\n", "ftrace.buffer_size = \"4MB\"\nftrace.events = \"initcall:*\"\n");

	cr_expect(says(boot_asked__no_events(&a), "next --bootconfig"));
	a.config = "ftrace.instance.foo.event.initcall.initcall_start.enable = \"\"\n";
	cr_expect(says(boot_asked__no_events(&a), "next --bootconfig"));
	a.config = "ftrace.events = \"sched:*\"\nother = \"ftrace.initcall\"\n";
	cr_expect(eq(ptr, (void *)boot_asked__no_events(&a), NULL));
	a.config = "ftrace.events = \"sched:*\"\nkernel.trace_event = \"initcall:*\"\n";
	cr_expect(eq(ptr, (void *)boot_asked__no_events(&a), NULL), "each line by itself");
}

Test(boot_asked, a_bootconfig_may_have_asked_for_the_instance)
{
	struct boot_asked a = asked_for("bootconfig\n", "kernel.trace_instance = \"hytrace_boot,initcall:*\"\n");

	cr_expect(boot_asked__by_config(&a));
	a.config = "kernel.trace_instance = \"other,initcall:*\"\nkernel.foo = \"hytrace_boot,\"\n";
	cr_expect(not(boot_asked__by_config(&a)));
	a.config = NULL;
	cr_expect(not(boot_asked__by_config(&a)));
}

Test(boot_asked, words_for_init_are_not_the_kernel_s)
{
	cr_expect(in_top("quiet trace_event=initcall:* -- x"));
	cr_expect(not(in_top("quiet -- trace_event=initcall:*")));
	cr_expect(in_top("quiet x--y --z trace_event=initcall:*"));
}

static bool loader_line_is(const char *line, const char *config, const char *expected)
{
	struct boot_asked a = asked_for(line, config);

	return !strcmp(boot_asked__loader_line(&a), expected);
}

Test(boot_asked, the_boot_loader_s_line_has_no_words_of_the_bootconfig)
{
	cr_expect(loader_line_is("quiet root=x bootconfig\n", NULL, "quiet root=x bootconfig\n"));
	cr_expect(loader_line_is("quiet root=x bootconfig\n", "kernel.quiet = \"\"\n", "quiet root=x bootconfig\n"),
		  "before Linux 6.9");
	cr_expect(loader_line_is("quiet root=x bootconfig\n", "kernel.quiet = \"\"\n# Parameters from bootloader:\n"
				 "# root=x bootconfig\n", "root=x bootconfig\n"));
	cr_expect(loader_line_is("quiet root=x\n", "# Parameters from bootloader:\n", "quiet root=x\n"));
}

Test(boot_asked, the_instance_may_be_asked_for_in_two_ways)
{
	struct boot_asked a = asked_for("quiet trace_instance=hytrace_boot,initcall:* trace_event=\n", NULL);

	cr_expect(boot_asked__instance(&a));
	a.line = "trace_instance=\"hytrace_boot,initcall:*\"";
	cr_expect(boot_asked__instance(&a));
	a.line = "trace_instance=hytrace_boot2,initcall:* trace_event=hytrace_boot";
	cr_expect(not(boot_asked__instance(&a)));
	a.config = "kernel.trace_instance = \"hytrace_boot,initcall:*\"\n";
	cr_expect(boot_asked__instance(&a));
	cr_expect(not(boot_asked__instance(&(struct boot_asked){ NULL, NULL })));
}

Test(boot_asked, a_buffer_that_keeps_its_first_events)
{
	struct boot_asked a = asked_for("quiet trace_options=sym-addr,nooverwrite x\n", NULL);

	cr_expect(boot_asked__keeps_first(&a));
	a.line = "trace_options=overwrite";
	cr_expect(not(boot_asked__keeps_first(&a)));
}

Test(boot_asked, users_of_bootgraph_are_told)
{
	struct boot_asked a = asked_for("quiet initcall_debug log_buf_len=32M\n", NULL);

	cr_expect(says(boot_asked__no_events(&a), "bootgraph"));
	a.line = "ftrace=function_graph ftrace_graph_filter=do_one_initcall ftrace_graph_max_depth=2";
	cr_expect(says(boot_asked__no_events(&a), "bootgraph"));
	a.line = "initcall_debug trace_instance=hytrace_boot,initcall:*";
	cr_expect(eq(ptr, (void *)boot_asked__no_events(&a), NULL), "it asked for both");
	a.line = "ftrace=function_graph ftrace_graph_filter=vfs_read initcall_debug2";
	cr_expect(eq(ptr, (void *)boot_asked__no_events(&a), NULL));
}

Test(boot_asked, an_instance_of_ftrace_is_late)
{
	struct boot_asked a = asked_for("bootconfig", "ftrace.instance.hytrace_boot.events = \"initcall:*\"\n");

	cr_expect(says(boot_asked__late_events(&a), "kernel.trace_instance"));
	a.config = "ftrace.instance.hytrace_boot2.events = \"initcall:*\"\n";
	cr_expect(eq(ptr, (void *)boot_asked__late_events(&a), NULL));
	a.config = "kernel.trace_instance = \"hytrace_boot,initcall:*\"\n";
	cr_expect(eq(ptr, (void *)boot_asked__late_events(&a), NULL));
}

Test(boot_asked, a_snapshot_has_the_events)
{
	struct boot_asked a = asked_for("ftrace_boot_snapshot=foo,hytrace_boot trace_event=\n", NULL);

	cr_expect(says(boot_asked__moved_events(&a), "ftrace_boot_snapshot"));
	a.line = "ftrace_boot_snapshot trace_event=initcall:*\n";
	cr_expect(says(boot_asked__moved_events(&a), "ftrace_boot_snapshot"));
	a.line = "ftrace_boot_snapshot trace_instance=hytrace_boot,initcall:*\n";
	cr_expect(eq(ptr, (void *)boot_asked__moved_events(&a), NULL), "it is of the top-level instance only");
	a.line = "ftrace_boot_snapshot=foo trace_event=initcall:*\n";
	cr_expect(eq(ptr, (void *)boot_asked__moved_events(&a), NULL), "and this one is of the other only");
}

Test(boot_asked, a_bootconfig_is_too_late_for_the_early_part)
{
	struct boot_asked a = asked_for("ftrace=function bootconfig", "kernel.ftrace = \"function\"\n");

	cr_expect(says(boot_asked__late_tracer(&a), "boot loader"));
	a.config = "kernel.quiet = \"\"\nftrace.tracer = \"oneshot\"";
	cr_expect(says(boot_asked__late_tracer(&a), "boot loader"));
	a.config = "kernel.ftrace = \"function_graph\"\nkernel.ftrace_filter = \"function\"\n";
	cr_expect(eq(ptr, (void *)boot_asked__late_tracer(&a), NULL));
	a.config = NULL;
	cr_expect(eq(ptr, (void *)boot_asked__late_tracer(&a), NULL));
}
