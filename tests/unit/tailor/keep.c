// SPDX-License-Identifier: GPL-2.0
/* The lists of options that are kept: those of the program, and files. */

#include "printed.h"
#include "put_file.h"
#include "tailor/keep.h"

static const char *list_of(const struct keeps *keeps, const char *option)
{
	const struct keep *k = keeps__find(keeps, option);

	return k ? k->list : "none";
}

Test(keep, lists_of_the_program_keep_what_no_trace_shows)
{
	static const char *const wanted[][2] = {
		{ "MITIGATION_RETPOLINE", "hardening" }, { "STACKPROTECTOR_STRONG", "hardening" },
		{ "RELOCATABLE", "machine" }, { "MODULES", "policy" }, { "IO_URING", "none" },
		/* Serial consoles, the root file system and the disks: what smaller kernels of other tools lacked. */
		{ "SERIAL_8250_CONSOLE", "machine" }, { "EXT4_FS", "machine" }, { "BLK_DEV_SD", "machine" },
		/* What traces is used by a person, and hardly by the workload. */
		{ "HIST_TRIGGERS", "policy" }, { "SYNTH_EVENTS", "policy" }, { "FPROBE", "policy" },
		{ "FPROBE_EVENTS", "policy" }, { "FUNCTION_TRACER", "policy" },
	};
	struct keeps keeps = {};

	cr_assert(eq(int, keeps__add_all(&keeps), 0));
	for_each(row, wanted)
		expect_str(list_of(&keeps, (*row)[0]), (*row)[1], "%s", (*row)[0]);
	for (size_t i = 0; i < keeps.count; i++) {
		cr_expect(strlen(keeps.list[i].reason) > 0, "%s has no reason", keeps.list[i].glob);
	}
	keeps__free(&keeps);
}

static int add_text(struct keeps *keeps, const char *text)
{
	int err;

	enter_dir();
	write_text("list", text);
	err = keeps__add(keeps, in_dir("list"));
	leave_dir();
	return err;
}

Test(keep, file_has_globs_and_reasons)
{
	struct keeps keeps = {};

	cr_assert(eq(int, add_text(&keeps, "# mine\n\n  CONFIG_FOO*\ta reason of words  \nBAR one\n"), 0));
	cr_expect(eq(sz, keeps.count, 2));
	expect_str(keeps.list[0].reason, "a reason of words");
	cr_expect(ne(ptr, (void *)keeps__find(&keeps, "FOO_BAR"), NULL));
	cr_expect(eq(ptr, (void *)keeps__find(&keeps, "BARS"), NULL));
	keeps__free(&keeps);
}

/* What is said of the lists, for a kernel with two options. */
static const char *warnings(const struct keeps *keeps)
{
	static struct kconfig_option list[] = { { .name = "BAR" }, { .name = "FOO_ONE" } };
	const struct kconfig_options options = { list, 2 };

	cr_redirect_stderr();
	keeps__warn(keeps, &options);
	return said();
}

Test(keep, line_that_matches_no_option_is_told)
{
	struct keeps keeps = {};

	cr_assert(eq(int, add_text(&keeps, "FOO_* some\nBRA mistyped\nBAR one\n"), 0));
	cr_assert(eq(int, keeps__add(&keeps, "machine"), 0));
	cr_expect(strstr(warnings(&keeps), "BRA is no option of this kernel") != NULL);
	keeps__free(&keeps);
}

Test(keep, lines_of_the_program_and_those_that_match_are_not_told)
{
	struct keeps keeps = {};

	cr_assert(eq(int, add_text(&keeps, "FOO_* some\nBAR one\n"), 0));
	cr_assert(eq(int, keeps__add(&keeps, "machine"), 0));
	expect_str(warnings(&keeps), "");
	keeps__free(&keeps);
}

Test(keep, line_without_a_reason_is_refused)
{
	struct keeps keeps = {};

	cr_expect(eq(int, add_text(&keeps, "FOO reason\nBAR\n"), -22));
	keeps__free(&keeps);
	keeps = (struct keeps){};
	cr_expect(eq(int, keeps__add(&keeps, "/no/such/list"), -22));
	keeps__free(&keeps);
}
