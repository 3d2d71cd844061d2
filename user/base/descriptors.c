// SPDX-License-Identifier: GPL-2.0-only
/* The limit of open files; see descriptors.h. */
#include <errno.h>
#include <sys/resource.h>

#include "base/descriptors.h"

/* Room for all other files that are or will be open. */
#define SPARE_DESCRIPTORS 256

int descriptors__allow(size_t more)
{
	rlim_t wanted = more + SPARE_DESCRIPTORS;
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur >= wanted)
		return 0;
	limit.rlim_cur = wanted;
	if (limit.rlim_max < wanted)
		limit.rlim_max = wanted;
	return setrlimit(RLIMIT_NOFILE, &limit) ? -errno : 0;
}
