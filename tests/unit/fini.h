/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Included first by each test program. Criterion counts a test when its body has ended. So what fails in a .fini, such as that
 * nothing is left behind, or what ends the program there, would be printed and forgotten.
 */
#ifndef FINI_H
#define FINI_H

#include <criterion/criterion.h>
#include <criterion/hooks.h>

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
