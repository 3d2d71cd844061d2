/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The time that a boot spent in some functions of the kernel that have no trace events: probes of
 * devices, unpacking the initramfs, and writing to consoles. Kernel probes on the kernel's command
 * line record their entries and returns. The kernel sets kernel probes up in its fs initcalls, so
 * earlier calls are not recorded.
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
	const char *device, *driver;	/* for PROBE_DEVICE; NULL: not known */
	int pid;
	uint64_t start, time, self;	/* self: without inner probes of devices */
	int result;			/* 0, or a negative error */
	bool deferred;			/* the driver waits for something, and is tried again */
	bool finished;
};

struct boot_probes {
	struct boot_probe *list;	/* sorted by start */
	size_t count;
	uint64_t lost;			/* overwritten events, and returns that had no room */
	uint64_t full;			/* when the buffer for all events was full; 0: never */
	struct strings *store;
};

/* The parameters for the kernel's command line. */
const char *boot_probes__parameters(void);

/* Adds an event, like boot_sched__take(). */
int boot_probes__take(struct boot_probes *p, const struct trace_context *c);
/* Must be called after the last event. */
void boot_probes__end(struct boot_probes *p);
void boot_probes__free(struct boot_probes *p);

/* The sum of "self" and the number of the probes of a kind that had ended at @until. */
uint64_t boot_probes__sum(const struct boot_probes *p, enum probe_kind kind, uint64_t until,
			  size_t *ret_count);
/* The indexes of the probes of devices, sorted by "self", longest first; to be freed. */
size_t *boot_probes__longest(const struct boot_probes *p, size_t *ret_count);

#endif
