// SPDX-License-Identifier: GPL-2.0
/* The lists of options that are kept: those of the program, and files. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <criterion/redirect.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tailor/keep.h"

static const char *list_of(const struct keeps *keeps, const char *option)
{
	const struct keep *k = keeps__find(keeps, option);

	return k ? k->list : "none";
}

Test(keep, lists_of_the_program_keep_what_no_trace_shows)
{
	struct keeps keeps = {};

	cr_assert(eq(int, keeps__add_all(&keeps), 0));
	cr_expect(eq(str, (char *)list_of(&keeps, "MITIGATION_RETPOLINE"), "hardening"));
	cr_expect(eq(str, (char *)list_of(&keeps, "STACKPROTECTOR_STRONG"), "hardening"));
	cr_expect(eq(str, (char *)list_of(&keeps, "RELOCATABLE"), "machine"));
	/* Serial consoles, the root file system and the disks: what smaller kernels of other tools lacked. */
	cr_expect(eq(str, (char *)list_of(&keeps, "SERIAL_8250_CONSOLE"), "machine"));
	cr_expect(eq(str, (char *)list_of(&keeps, "EXT4_FS"), "machine"));
	cr_expect(eq(str, (char *)list_of(&keeps, "BLK_DEV_SD"), "machine"));
	cr_expect(eq(str, (char *)list_of(&keeps, "MODULES"), "policy"));
	/* What traces is used by a person, and hardly by the workload. */
	cr_expect(eq(str, (char *)list_of(&keeps, "HIST_TRIGGERS"), "policy"));
	cr_expect(eq(str, (char *)list_of(&keeps, "SYNTH_EVENTS"), "policy"));
	cr_expect(eq(str, (char *)list_of(&keeps, "FPROBE"), "policy"));
	cr_expect(eq(str, (char *)list_of(&keeps, "FPROBE_EVENTS"), "policy"));
	cr_expect(eq(str, (char *)list_of(&keeps, "FUNCTION_TRACER"), "policy"));
	cr_expect(eq(str, (char *)list_of(&keeps, "IO_URING"), "none"));
	for (size_t i = 0; i < keeps.count; i++) {
		bool has = keeps.list[i].reason[0];

		cr_expect(has, "%s has no reason", keeps.list[i].glob);
	}
	keeps__free(&keeps);
}

static int add_text(struct keeps *keeps, const char *text)
{
	char path[] = "/tmp/hytrace-keep-XXXXXX";
	int fd = mkstemp(path), err;
	FILE *f = fdopen(fd, "w");

	cr_assert(ne(ptr, f, NULL));
	fputs(text, f);
	fclose(f);
	err = keeps__add(keeps, path);
	unlink(path);
	return err;
}

Test(keep, file_has_globs_and_reasons)
{
	struct keeps keeps = {};

	cr_assert(eq(int, add_text(&keeps, "# mine\n\n  CONFIG_FOO*\ta reason of words  \nBAR one\n"), 0));
	cr_expect(eq(sz, keeps.count, 2));
	cr_expect(eq(str, keeps.list[0].reason, "a reason of words"));
	cr_expect(ne(ptr, (void *)keeps__find(&keeps, "FOO_BAR"), NULL));
	cr_expect(eq(ptr, (void *)keeps__find(&keeps, "BARS"), NULL));
	keeps__free(&keeps);
}

/* What is said of the lists, for a kernel with two options. */
static const char *warnings(const struct keeps *keeps)
{
	static struct kconfig_option list[] = { { .name = "BAR" }, { .name = "FOO_ONE" } };
	const struct kconfig_options options = { list, 2 };
	static char text[512];
	size_t got;

	cr_redirect_stderr();
	keeps__warn(keeps, &options);
	fflush(stderr);
	got = fread(text, 1, sizeof(text) - 1, cr_get_redirected_stderr());
	text[got] = '\0';
	return text;
}

Test(keep, line_that_matches_no_option_is_told)
{
	struct keeps keeps = {};
	bool told;

	cr_assert(eq(int, add_text(&keeps, "FOO_* some\nBRA mistyped\nBAR one\n"), 0));
	cr_assert(eq(int, keeps__add(&keeps, "machine"), 0));
	told = strstr(warnings(&keeps), "BRA is no option of this kernel");
	cr_expect(told);
	keeps__free(&keeps);
}

Test(keep, lines_of_the_program_and_those_that_match_are_not_told)
{
	struct keeps keeps = {};

	cr_assert(eq(int, add_text(&keeps, "FOO_* some\nBAR one\n"), 0));
	cr_assert(eq(int, keeps__add(&keeps, "machine"), 0));
	cr_expect(eq(str, (char *)warnings(&keeps), ""));
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
