/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a boot spent in some functions of the kernel that no trace event tells of: probes of devices,
 * unpacking the initramfs, and writing to consoles. Kernel probes, which the kernel's command line
 * defines, tell when they were entered and left. The kernel takes them from its fs initcalls on, so
 * what came before is not here.
 */
#ifndef HYTRACE_BOOT_PROBES_H
#define HYTRACE_BOOT_PROBES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "boot/trace_line.h"

/* Also the name of the group of the probes. */
#define PROBES_GROUP "hytrace_boot"

struct strings;

enum probe_kind { PROBE_DEVICE, PROBE_UNPACK, PROBE_CONSOLE, PROBE_KINDS };

struct boot_probe {
	enum probe_kind kind;
	const char *device, *driver;	/* of a device; NULL: not known */
	int pid;
	uint64_t start, time, self;	/* self: without other probes of devices inside of it */
	int result;			/* a negative error, as far as the kernel tells one */
	bool deferred;			/* the driver waits for something else, and is asked again */
	bool finished;
};

struct boot_probes {
	struct boot_probe *list;	/* in order of their beginning */
	size_t count;
	uint64_t lost;			/* events that were overwritten, and returns that had no room */
	uint64_t full;			/* when the buffer was full that has all events; 0: it was not, or probes have their own */
	struct strings *store;
};

/* What the kernel's command line needs. */
const char *boot_probes__parameters(void);

/* As boot_sched__take(). */
int boot_probes__take(struct boot_probes *p, const struct trace_context *c);
/* After the last event. */
void boot_probes__end(struct boot_probes *p);
void boot_probes__free(struct boot_probes *p);

/* The sum over those of one kind that have ended before @until, without those inside of others. */
uint64_t boot_probes__sum(const struct boot_probes *p, enum probe_kind kind, uint64_t until,
			  size_t *ret_count);
/* Indexes of the probes of devices, those with the longest time of their own first; to be freed. */
size_t *boot_probes__longest(const struct boot_probes *p, size_t *ret_count);

#endif
