// SPDX-License-Identifier: GPL-2.0
/* The limit of open files is raised where it is too low, and never lowered. */
#include <sys/resource.h>

#include "base/files.h"

static rlim_t soft_limit(void)
{
	struct rlimit limit;

	cr_assert(getrlimit(RLIMIT_NOFILE, &limit) == 0);
	return limit.rlim_cur;
}

Test(descriptors, a_low_limit_is_raised)
{
	struct rlimit limit;

	cr_assert(getrlimit(RLIMIT_NOFILE, &limit) == 0);
	limit.rlim_cur = 64;
	cr_assert(setrlimit(RLIMIT_NOFILE, &limit) == 0);
	cr_expect(descriptors__allow(100) == 0);
	cr_expect(soft_limit() >= 164 && soft_limit() <= limit.rlim_max);
}

Test(descriptors, a_higher_limit_stays)
{
	rlim_t before;

	cr_assert(descriptors__allow(200) == 0);
	before = soft_limit();
	cr_expect(descriptors__allow(1) == 0);
	cr_expect(soft_limit() == before);
}
