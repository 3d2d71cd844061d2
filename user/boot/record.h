/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The events of this boot in tracefs: the parameters that enable them on the kernel's command line,
 * and how to find and remove them afterwards. boot__record() is in boot.h.
 */
#ifndef HYTRACE_BOOT_RECORD_H
#define HYTRACE_BOOT_RECORD_H

#include "boot/boot.h"

/* The instance of tracefs that has the events; the name of the group of the probes. */
#define START_INSTANCE "hytrace_boot"
#define PROBES_GROUP "hytrace_boot"
/* Some 70,000 events for each CPU. */
#define START_BUFFER "trace_buf_size=4M"
/* A full buffer keeps its first events, and the kernel does not clear it to change the clock. */
#define START_KEEP "trace_options=nooverwrite"
#define START_CLOCK "trace_clock=local"

/**
 * boot_events__parameters() - the parameters that a kernel needs for its boot to be recorded
 * @release: the release of that kernel, as in uname(2)
 * @probes: also enable kernel probes
 *
 * Return: the parameters, to be freed.
 */
char *boot_events__parameters(const char *release, bool probes);

/**
 * boot_events__load() - find and read the events of this boot
 * @b: gets them
 * @dir: the mount point of tracefs
 * @asked_in_top: the top-level instance has all events (Linux < 6.3)
 *
 * Return: 0; -ENOENT, without a message, if this boot was not asked for events; -ENODATA, -EPROTO
 * or another error after a message.
 */
int boot_events__load(struct boot *b, const char *dir, bool asked_in_top);

/**
 * boot_events__release() - remove the events of the boot from the running kernel
 * @dir: the mount point of tracefs
 *
 * Removes the instance, which frees its memory, and the probes. Return: 0, also if there is nothing
 * to remove; or a negative error after a message.
 */
int boot_events__release(const char *dir);

/* Copies the events as tracefs shows them, for viewers of traces. Returns a negative error after a message. */
int boot_events__copy(const char *dir, FILE *out);

#endif
