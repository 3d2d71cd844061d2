// SPDX-License-Identifier: GPL-2.0
/*
 * hytrace boot: the command line of the next boot.
 */
#include <criterion/redirect.h>

#include "boot/boot_sample.h"
#include "boot/next.h"
#include "boot/start_load.h"

static void expect_line(const char *current, const char *parameters, const char *expected)
{
	char *line = boot_next__command_line(current, parameters);

	cr_expect(eq(str, line, (char *)expected));
	free(line);
}

Test(boot_next, adds_what_is_needed)
{
	expect_line("root=/dev/sda1 quiet\n", "a=1 b", "root=/dev/sda1 quiet a=1 b");
	expect_line("", "a=1", "a=1");
	expect_line("BOOT_IMAGE=/vmlinuz quiet\n", "a", "quiet a");
}

Test(boot_next, words_for_init_stay_at_the_end)
{
	expect_line("quiet -- single x\n", "a", "quiet a -- single x");
	expect_line("a--b --c\n", "a", "a--b --c a");
}

Test(boot_next, quoted_words_stay_whole)
{
	expect_line("x=\"a b\" y\n", "a", "x=\"a b\" y a");
	expect_line("x=\"a trace_event= -- b\" y\n", "a", "x=\"a trace_event= -- b\" y a");
}

/* Parameters that hytrace has added to this boot are replaced, other parameters stay. */
Test(boot_next, does_not_grow)
{
	for (int probes = 0; probes < 2; probes++) {
		char *parameters = boot_start__parameters("6.12.0", probes), *current, *line;

		cr_assert(asprintf(&current, "quiet trace_event=sched:* %s\n", parameters) > 0);
		line = boot_next__command_line(current, "a");
		cr_expect(eq(str, line, "quiet trace_event=sched:* a"));
		free(line);
		free(current);
		free(parameters);
	}
}

/* If a parameter is there twice, the kernel obeys the last one. */
Test(boot_next, words_that_ours_take_the_place_of_are_told)
{
	cr_redirect_stderr();
	expect_line("trace_buf_size=16M trace_options=nooverwrite trace_clock=local trace_event=sched:* x\n",
		    "trace_buf_size=4M", "trace_buf_size=16M trace_event=sched:* x trace_buf_size=4M");
	/* A parameter that hytrace does not set stays in effect, without a warning. */
	expect_line("kprobe_event=p:x,y trace_buf_size=16M\n", "a", "kprobe_event=p:x,y trace_buf_size=16M a");
	cr_expect_stderr_eq_str("hytrace: warning: trace_buf_size=16M of this boot's command line may have no effect in the "
				"next one, as ours comes after it\n");
}

/* Linux 6.1 to 6.11 put quotes around the values of a bootconfig's keys below "kernel". */
Test(boot_next, quotes_of_a_bootconfig_do_not_hide_what_is_ours)
{
	expect_line("trace_instance=\"hytrace_boot,initcall:*,module:module_load\" trace_buf_size=\"4M\" trace_event=\"\" "
		    "kprobe_event=\"p:hytrace_boot/device,really_probe;r64:x\" quiet\n", "a", "quiet a");
	expect_line("trace_event=\"initcall:*,sched:sched_switch\" x\n", "a", "x a");
	expect_line("trace_instance=\"hytrace_boot2,initcall:*\" trace_buf_size=\"4MB\"\n", "a",
		    "trace_instance=\"hytrace_boot2,initcall:*\" trace_buf_size=\"4MB\" a");
}

Test(boot_next, a_bootconfig_has_all_values_in_quotes)
{
	char *text = boot_next__bootconfig("trace_instance=a,b:* trace_event= kprobe_event=\"p:x y;r:z\" quiet");

	cr_assert(not(eq(ptr, text, NULL)));
	cr_expect(eq(str, strstr(text, "kernel {"), "kernel {\n"
		     "\ttrace_instance = \"a,b:*\"\n"
		     "\ttrace_event = \"\"\n"
		     "\tkprobe_event = \"p:x y;r:z\"\n"
		     "\tquiet = \"\"\n"
		     "}\n"));
	free(text);
}

static bool has(const char *release, bool probes, const char *text)
{
	char *parameters = boot_start__parameters(release, probes);
	bool ret = strstr(parameters, text);

	cr_expect(strlen(parameters) < 1024, "there is room for others");
	free(parameters);
	return ret;
}

Test(boot_next, kernels_before_instances_have_all_events_in_one_place)
{
	cr_expect(has("6.12.1-amd64", true, "trace_instance=hytrace_boot,initcall:*,"));
	cr_expect(has("6.3.0", true, "trace_instance="));
	cr_expect(has("7.0", true, "trace_instance="));
	cr_expect(has("unknown", true, "trace_instance="));
	cr_expect(has("6.1.0-56-amd64", true, "trace_event=initcall:*,"));
	cr_expect(not(has("6.2.16", true, "trace_instance=")));
	cr_expect(not(has("6.12.1", false, "kprobe_event=")));
	cr_expect(has("6.1.0", false, "sched:sched_switch,"));
	cr_expect(has("6.1.0", false, " trace_options=nooverwrite trace_clock=local"), "the first events are asked about");
}
