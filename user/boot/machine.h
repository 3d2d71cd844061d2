/* SPDX-License-Identifier: GPL-2.0-only */
/* What a boot ran on, as far as it changes how long a boot takes. */
#ifndef HYTRACE_BOOT_MACHINE_H
#define HYTRACE_BOOT_MACHINE_H

#include <stdint.h>

#include "base/json.h"

struct machine {
	uint64_t cpus;			/* online; 0: unknown */
	uint64_t memory;		/* bytes, without what the kernel has taken for itself early; 0: unknown */
	char *model;			/* of the processor; NULL: unknown */
};

/* To be freed by machine__free(). What cannot be read stays unknown. */
void machine__read(struct machine *ret);
void machine__free(struct machine *m);

/* The fields of the object "machine" of a document. */
extern const struct json_field machine_fields[];

#endif
