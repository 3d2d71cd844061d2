// SPDX-License-Identifier: GPL-2.0-only
/* Lists of tests: what each form of a line means. tests/host/suite.sh runs lists. */
#include <stdarg.h>

#include "suite/list.h"

#include "put_file.h"

static struct test_list tests;

static void enter(void)
{
	enter_dir();
	cr_redirect_stderr();
}

static void leave(void)
{
	test_list__free(&tests);
	leave_dir();
}

TestSuite(list, .init = enter, .fini = leave);

static int read_text(const char *text, bool plain)
{
	write_text("list", text);
	return test_list__read(&tests, "list", plain);
}

static void expect_test(size_t i, const char *name, const char *command)
{
	cr_assert(i < tests.count);
	expect_str(tests.list[i].name, name);
	expect_str(tests.list[i].command, command);
	cr_expect(tests.list[i].directory == NULL && !tests.list[i].kselftest);
}

Test(list, has_a_name_and_a_command_a_line)
{
	cr_assert(read_text("# syscalls\n"
			    "abort01 ulimit -c 1024;abort01\n"
			    "\n"
			    " \t access01\t access01 -x # y\r\n"
			    "\t# not a test\n"
			    "true\n"
			    "last last", false) == 0);
	cr_assert(tests.count == 4);
	expect_test(0, "abort01", "ulimit -c 1024;abort01");
	expect_test(1, "access01", "access01 -x # y");
	expect_test(2, "true", "true");
	expect_test(3, "last", "last");
}

Test(list, may_have_plain_commands)
{
	cr_assert(read_text("# a comment\n\n  ls -l /a:b \t\ntimers:posix\n", true) == 0);
	cr_assert(tests.count == 2);
	expect_test(0, "ls -l /a:b", "ls -l /a:b");
	expect_test(1, "timers:posix", "timers:posix");
}

Test(list, of_kselftest_names_programs_beside_it)
{
	put_file(".", "k/net/forwarding/bridge.sh", "");
	put_file(".", "k/timers/nanosleep", "");
	put_file(".", "k/timers/readme", "");
	run_shell("chmod +x k/timers/nanosleep k/net/forwarding/bridge.sh");
	write_text("k/list", "timers:nanosleep\nnet/forwarding:bridge.sh\ntimers:readme\ntimers:gone\n:x\ntimers:\n"
		   "timers:nanosleep fast\n");
	for (int relative = 0; relative < 2; relative++) {
		if (relative)
			cr_assert(chdir("k") == 0);
		cr_assert(test_list__read(&tests, relative ? "list" : "k/list", false) == 0);
		cr_assert(tests.count == 7);
		expect_str(tests.list[0].name, "timers:nanosleep");
		expect_str(tests.list[0].command, "./nanosleep");
		expect_str(tests.list[0].directory, relative ? "./timers" : "k/timers");
		cr_expect(tests.list[0].kselftest);
		expect_str(tests.list[1].name, "net/forwarding:bridge.sh");
		expect_str(tests.list[1].command, "./bridge.sh");
		expect_str(tests.list[1].directory, relative ? "./net/forwarding" : "k/net/forwarding");
		expect_test(2, "timers:readme", "timers:readme");
		expect_test(3, "timers:gone", "timers:gone");
		expect_test(4, ":x", ":x");
		expect_test(5, "timers:", "timers:");
		expect_test(6, "timers:nanosleep", "fast");
		test_list__free(&tests);
	}
	cr_assert(test_list__read(&tests, in_dir("k/list"), true) == 0);
	expect_test(0, "timers:nanosleep", "timers:nanosleep");
}

Test(list, comes_from_standard_input_as_well)
{
	write_text("in", "a true\nb false\n");
	cr_assert(freopen("in", "r", stdin) != NULL);
	cr_assert(test_list__read(&tests, "-", false) == 0);
	cr_assert(tests.count == 2);
	expect_test(1, "b", "false");
	test_list__free(&tests);

	cr_assert(freopen("/dev/null", "r", stdin) != NULL);
	cr_expect(test_list__read(&tests, "-", false) == -EINVAL);
	cr_assert(freopen(".", "r", stdin) != NULL);
	cr_expect(test_list__read(&tests, "-", false) == -EINVAL);
}

Test(list, without_a_test_is_an_error)
{
	cr_expect(read_text("", false) == -EINVAL);
	cr_expect(read_text("\n# one\n \t\n", true) == -EINVAL);
	cr_expect(tests.count == 0);
	cr_expect(test_list__read(&tests, "none", false) == -EINVAL);
	cr_expect(test_list__read(&tests, ".", false) == -EINVAL);
}
