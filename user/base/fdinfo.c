// SPDX-License-Identifier: GPL-2.0-only
/* Information about an open file descriptor; see fdinfo.h. */
#include <inttypes.h>
#include <stdio.h>

#include "base/fdinfo.h"

uint64_t fdinfo__memory(int fd)
{
	char path[64], line[256];
	uint64_t bytes = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "memlock: %" SCNu64, &bytes) == 1)
			break;
	}
	if (f)
		fclose(f);
	return bytes;
}
