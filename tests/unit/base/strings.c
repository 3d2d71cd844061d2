// SPDX-License-Identifier: GPL-2.0
/* The loader's store of strings. */
#include <sys/wait.h>
#include <argp.h>
#include <obstack.h>

#include "base/error.h"

/* More than one block can hold, so that other blocks follow. */
#define MANY 100000

Test(strings, keep_their_place)
{
	struct strings *s = strings__new();
	const char **list = calloc(MANY, sizeof(*list));
	char text[32];

	for (int i = 0; i < MANY; i++) {
		snprintf(text, sizeof(text), "name_%d", i);
		list[i] = strings__add(s, text);
	}
	for (int i = 0; i < MANY; i++) {
		snprintf(text, sizeof(text), "name_%d", i);
		cr_assert(strcmp(list[i], text) == 0, "%s", text);
	}
	free(list);
	strings__free(s);
}

Test(strings, of_any_length)
{
	struct strings *s = strings__new();
	size_t length = 3 * 1024 * 1024;
	autofree char *text = malloc(length + 1);
	const char *empty, *copy;

	memset(text, 'x', length);
	text[length] = '\0';
	empty = strings__add(s, "");
	copy = strings__add(s, text);
	cr_expect(strcmp(copy, text) == 0);
	cr_expect(strlen(empty) == 0 && empty != copy);
	strings__free(s);
}

Test(strings, share_their_copy_if_asked_to)
{
	struct strings *s = strings__new();
	const char *first = strings__intern(s, "module_0"), *own = strings__add(s, "module_0");
	char text[32];

	for (int i = 1; i < 1000; i++) {
		snprintf(text, sizeof(text), "module_%d", i);
		cr_expect(strcmp(strings__intern(s, text), text) == 0);
	}
	cr_expect(strings__intern(s, "module_0") == first, "however many came since");
	cr_expect(own != first);
	strings__free(s);
}

/* The exit status for lack of memory in a program with this status for usage errors. */
static int status_without_memory(int usage)
{
	static struct strings *volatile s;	/* no leak */
	int status;
	pid_t pid;

	pid = fork();
	if (!pid) {
		argp_err_exit_status = usage;
		s = strings__new();
		strings__add(s, "text");
		obstack_alloc_failed_handler();
		_exit(0);
	}
	cr_assert(waitpid(pid, &status, 0) == pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

Test(strings, without_memory_it_ends)
{
	cr_expect(status_without_memory(EXIT_USAGE) == EXIT_FAILED);
	cr_expect(status_without_memory(EXIT_SELF) == EXIT_SELF, "beside a command");
}
