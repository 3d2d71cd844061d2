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
	free(c->cgroup);
	free(c->comm);
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

const char *ending__name(enum ending ending)
{
	static const char *const names[] = {
		[ENDED_BY_COMMAND] = "command",
		[ENDED_BY_SIGNAL] = "signal",
		[ENDED_BY_DURATION] = "duration",
		[ENDED_BY_PROCESS] = "process",
		[ENDED_BY_READING] = "reading",
	};

	return ending < sizeof(names) / sizeof(names[0]) ? names[ending] : NULL;
}

const char *scope__name(enum scope scope)
{
	static const char *const names[] = {
		[SCOPE_SYSTEM] = "system",
		[SCOPE_TASK] = "task",
		[SCOPE_PID] = "pid",
		[SCOPE_BOOT] = "boot",
	};

	return names[scope];
}
