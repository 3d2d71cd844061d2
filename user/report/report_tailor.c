// SPDX-License-Identifier: GPL-2.0-only
/*
 * Prints the list for undertaker-tailor: `ffffffff8105a1b7`, or `17ef1 mod_two` for an offset in a
 * module's .text. The file has no heading: undertaker-tailor takes any line with a space for a
 * module's.
 */
#include <inttypes.h>

#include "report/report.h"

size_t report__tailor(const struct coverage *c, FILE *out)
{
	size_t left_out = 0;

	for (size_t i = 0; i < c->hits.count; i++) {
		const struct hit *hit = &c->hits.list[i];

		if (hit->module)
			fprintf(out, "%" PRIx64 " %s\n", hit->offset, hit->module);
		else if (hit->link)
			fprintf(out, "%" PRIx64 "\n", hit->link);
		else
			left_out++;
	}
	return left_out;
}
