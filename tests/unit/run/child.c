// SPDX-License-Identifier: GPL-2.0
/* Other programs that hytrace-tailor runs. */
#include "run/child.h"

/* The number of the next file that is opened. */
static int next_descriptor(void)
{
	int fd = dup(STDIN_FILENO);

	close(fd);
	return fd;
}

Test(child, that_cannot_be_run_leaves_nothing_open)
{
	static const char *const argv[] = { "./no-such-program", NULL };
	int before = next_descriptor();
	struct child c;

	cr_expect(child__start(&c, "/", argv, environ) < 0);
	cr_expect(next_descriptor() == before);
	cr_expect(child__close(&c) == -1, "once more, which does nothing");
	cr_expect(next_descriptor() == before);
}
