/* SPDX-License-Identifier: GPL-2.0 */
/* What holds after each test of a suite. Criterion does not count what cr_expect() finds in .fini, but it counts a crash. */
#ifndef AFTER_H
#define AFTER_H

#include <stdio.h>
#include <stdlib.h>

#define expect_after(condition)										\
	do {												\
		if (!(condition)) {									\
			fprintf(stderr, "%s:%d: after the test: %s\n", __FILE__, __LINE__, #condition);	\
			abort();									\
		}											\
	} while (0)

#endif
