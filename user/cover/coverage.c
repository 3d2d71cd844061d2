// SPDX-License-Identifier: GPL-2.0-only
/* What one run saw; see coverage.h. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cover/coverage.h"

int coverage__init(struct coverage *c, const char *engine)
{
	memset(c, 0, sizeof(*c));
	c->engine = strdup(engine);
	if (!c->engine)
		return error__no_memory();
	hits__init(&c->hits);
	return 0;
}

static void free_list(char **list)
{
	for (char **item = list; item && *item; item++)
		free(*item);
	free(list);
}

void coverage__free(struct coverage *c)
{
	free(c->engine);
	free(c->boot_id);
	kernel_id__free(&c->kernel);
	free_list(c->command);
	filter__free(&c->filter);
	free_list(c->modules);
	free_list(c->unattached);
	counters__free(&c->lost);
	counters__free(&c->cost);
	hits__free(&c->hits);
	memset(c, 0, sizeof(*c));
}
