// SPDX-License-Identifier: GPL-2.0-only
/* See machine.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "boot/machine.h"

/* Reads "model name	: QEMU Virtual CPU" of the first CPU. */
static char *read_model(void)
{
	static const char name[] = "model name";
	FILE *f = fopen("/proc/cpuinfo", "re");
	char *line = NULL, *model = NULL;
	size_t room = 0;

	while (f && !model && getline(&line, &room, f) > 0) {
		const char *value = strchr(line, ':');

		if (strncmp(line, name, strlen(name)) || !value)
			continue;
		value += 1 + strspn(value + 1, " \t");
		model = xstrndup(value, strcspn(value, "\n"));
	}
	free(line);
	if (f)
		fclose(f);
	return model;
}

static uint64_t asked(int name)
{
	long value = sysconf(name);

	return value > 0 ? value : 0;
}

void machine__read(struct machine *ret)
{
	*ret = (struct machine){
		.cpus = asked(_SC_NPROCESSORS_ONLN), .memory = asked(_SC_PHYS_PAGES) * asked(_SC_PAGESIZE),
		.model = read_model(),
	};
}

void machine__free(struct machine *m)
{
	free(m->model);
	*m = (struct machine){};
}

const struct json_field machine_fields[] = {
	{ "cpus", &field_some_number, offsetof(struct machine, cpus) },
	{ "memory_bytes", &field_some_number, offsetof(struct machine, memory) },
	{ "model", &field_string, offsetof(struct machine, model) },
	{ }
};
