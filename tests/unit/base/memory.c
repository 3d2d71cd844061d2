// SPDX-License-Identifier: GPL-2.0-only
/* base/memory: lists, copies, and the end of a program without memory */
#include <argp.h>

#include "base/error.h"

/* AddressSanitizer would end the program itself. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "allocator_may_return_null=1";
}

/* No machine has so much. A variable, as the compiler warns of the number. */
static volatile size_t too_much = PTRDIFF_MAX;

Test(base_memory, list)
{
	autofree uint64_t *list = NULL;
	size_t count = 0;

	for (uint64_t i = 0; i < 1000; i++) {
		uint64_t *new = LIST_ADD(list, count);

		cr_assert(eq(sz, count, i + 1));
		cr_assert(eq(ptr, new, &list[i]));
		cr_assert(eq(u64, *new, 0));
		*new = ~i;
	}
	for (uint64_t i = 0; i < count; i++)
		cr_assert(eq(u64, list[i], ~i));
}

/* The room is at least the next power of two from any count that the list has had. */
Test(base_memory, shortened_list)
{
	autofree uint64_t *list = NULL;
	size_t count = 0;

	for (size_t most = 1; most < 70; most += 7) {
		for (size_t least = 0; least < most; least++) {
			while (count < most)
				*LIST_ADD(list, count) = ~0ull;
			count = least;
			cr_expect(eq(u64, *LIST_ADD(list, count), 0));
		}
	}
}

Test(base_memory, copies)
{
	autofree char *whole = xstrdup("abc"), *part = xstrndup("abc", 2), *made = xasprintf("%s-%d", part, 7);

	expect_str(whole, "abc");
	expect_str(part, "ab");
	expect_str(made, "ab-7");
	cr_expect(eq(ptr, xstrdup(NULL), NULL));
	cr_expect(eq(ptr, xstrndup(NULL, 3), NULL));
}

Test(base_memory, nothing)
{
	void *a = xmalloc(0), *b = xcalloc(0, 8), *c = xreallocarray(NULL, 0, 8);

	cr_expect(a && b && c);
	free(a);
	free(b);
	free(c);
}

Test(base_memory, none, .exit_code = EXIT_FAILED)
{
	free(xmalloc(too_much));
}

Test(base_memory, none_for_list, .exit_code = EXIT_FAILED)
{
	free(xreallocarray(NULL, too_much, 2));
}

/* With a command, the status tells that it is not the command's. */
Test(base_memory, none_with_command, .exit_code = EXIT_SELF)
{
	argp_err_exit_status = EXIT_SELF;
	free(xcalloc(too_much, 1));
}
