// SPDX-License-Identifier: GPL-2.0
/* Texts from elsewhere: what is a character, and what a terminal is shown of them. */

#include "base/error.h"
#include "base/text.h"

static void is(const char *text, const char *allowed, const char *expected)
{
	autofree char *printed = PRINTED(out, utf8__print(out, text, allowed));

	cr_expect(strcmp(printed, expected) == 0, "%s instead of %s", printed, expected);
}

Test(utf8, a_character)
{
	uint32_t code = 7;

	cr_expect(utf8__character("a", 1, &code) == 1 && code == 'a');
	cr_expect(utf8__character("\xc3\xbc", 2, &code) == 2 && code == 0xfc);
	cr_expect(utf8__character("\xe2\x82\xac", 3, &code) == 3 && code == 0x20ac);
	cr_expect(utf8__character("\xf0\x9f\x98\x80", 4, &code) == 4 && code == 0x1f600);
	code = 7;
	cr_expect(utf8__character("\xc3\xbc", 1, &code) == 0, "cut off");
	cr_expect(utf8__character("\xc0\xaf", 2, &code) == 0, "longer than it has to be");
	cr_expect(utf8__character("\xed\xa0\x80", 3, &code) == 0, "half of a pair");
	cr_expect(utf8__character("\x80", 1, &code) == 0 && code == 7);
}

Test(utf8, what_is_printed)
{
	is("", "", "");
	is("kworker/0:1 100%s", "", "kworker/0:1 100%s");
	is("gr\xc3\xbc\xc3\x9f \xe2\x82\xac", "", "gr\xc3\xbc\xc3\x9f \xe2\x82\xac");
	is("a\x1b[31mb\x07\x7f", "", "a\\x1b[31mb\\x07\\x7f");
	/* The same as ESC [ in one character. */
	is("\xc2\x9b" "31m", "", "\\xc2\\x9b31m");
	is("\xff" "a\xc3", "", "\\xffa\\xc3");
	is("a\n\tb\r", "", "a\\x0a\\x09b\\x0d");
	is("a\n\tb\r", "\n\t", "a\n\tb\\x0d");
}

/* A name in a message may be that of a document that somebody else has written. */
Test(utf8, messages)
{
	char text[256] = {};

	cr_redirect_stderr();
	error__print("%s: no such unit\nan %s", "a\x1b[2Jb", "explanation");
	error__warn("100 %s", "\xff");
	fflush(stderr);
	cr_assert(fread(text, 1, sizeof(text) - 1, cr_get_redirected_stderr()) > 0);
	expect_str(text,
		   "hytrace: a\\x1b[2Jb: no such unit\nan explanation\nhytrace: warning: 100 \\xff\n");
}

/* A pipe of packets has each write() as one. */
Test(utf8, a_message_is_written_at_once)
{
	char text[256] = {};
	int fds[2];

	cr_assert(pipe2(fds, O_DIRECT) == 0);
	dup2(fds[1], STDERR_FILENO);
	error__warn("%s\nand more", "a\x1b" "b");
	cr_assert(read(fds[0], text, sizeof(text) - 1) > 0);
	expect_str(text, "hytrace: warning: a\\x1bb\nand more\n");
}
