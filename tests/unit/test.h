/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Included first by each test program: what nearly all of them use, and one correction. Criterion counts a test when its body
 * has ended. So what fails in a .fini, such as that nothing is left behind, or what ends the program there, would be printed
 * and forgotten.
 */
#ifndef TEST_H
#define TEST_H

#include <fcntl.h>
#include <sys/stat.h>

#include <criterion/criterion.h>
#include <criterion/hooks.h>
#include <criterion/new/assert.h>
#include <criterion/redirect.h>

#include "base/memory.h"

/* for_each(one, list): @one points to each element of the array @list, a table of cases. */
#define for_each(one, list)	\
	for (__typeof__((list)[0]) *one = (list); one < (list) + sizeof(list) / sizeof((list)[0]); one++)

/* Two strings, which may be const. After them may come a message. */
#define expect_str(got, wanted, ...) cr_expect(eq(str, (char *)(got), (char *)(wanted)), ##__VA_ARGS__)

/* What the statements print to the stream @f, to be freed. */
#define PRINTED(f, ...) ({						\
	char *printed_ = NULL;						\
	size_t length_;							\
	FILE *f = open_memstream(&printed_, &length_);			\
									\
	__VA_ARGS__;							\
	fclose(f);							\
	printed_;							\
})

static size_t unfinished, failed_in_fini;

ReportHook(POST_TEST)(struct criterion_test_stats *s)
{
	unfinished += s->test_status == CR_STATUS_PASSED;
}

ReportHook(POST_FINI)(struct criterion_test_stats *s)
{
	unfinished -= s->test_status == CR_STATUS_PASSED;
	failed_in_fini += s->test_status == CR_STATUS_PASSED && s->failed_asserts;
}

ReportHook(POST_ALL)(struct criterion_global_stats *s)
{
	s->tests_failed += unfinished + failed_in_fini;
}

#endif
