/* SPDX-License-Identifier: GPL-2.0-only */
/* The machine of a boot: properties that change how long a boot takes. */
#ifndef HYTRACE_BOOT_MACHINE_H
#define HYTRACE_BOOT_MACHINE_H

#include <stdint.h>

#include "base/json.h"

struct machine {
	uint64_t cpus;			/* online; 0: unknown */
	uint64_t memory;		/* bytes, without early allocations; 0: unknown */
	char *model;			/* of the CPU; NULL: unknown */
};

/* To be freed by machine__free(). A property that cannot be read is unknown. */
void machine__read(struct machine *ret);
void machine__free(struct machine *m);

/* The fields of the json object "machine". */
extern const struct json_field machine_fields[];

#endif
