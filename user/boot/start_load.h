/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The events of this boot in tracefs: the parameters that enable them on the kernel's command line,
 * and how to find, measure and remove the events afterwards.
 */
#ifndef HYTRACE_BOOT_START_LOAD_H
#define HYTRACE_BOOT_START_LOAD_H

#include "boot/start.h"

/**
 * boot_start__parameters() - the parameters that a kernel needs for boot_start__load()
 * @release: the release of that kernel, as in uname(2)
 * @probes: also enable kernel probes; see probes.h
 *
 * Return: the parameters, to be freed.
 */
char *boot_start__parameters(const char *release, bool probes);

/**
 * boot_start__load() - find and read the events of this boot
 * @ret: see boot_start__read()
 * @dir: the mount point of tracefs
 *
 * Return: 0; -ENOENT, without a message, if this boot was not asked for events; -ENODATA, -EPROTO
 * or another error after a message.
 */
int boot_start__load(struct boot_start *ret, const char *dir);
/* Like boot_start__load(). @asked_in_top: the top-level instance has all events (Linux < 6.3). */
int boot_start__load_from(struct boot_start *ret, const char *dir, bool asked_in_top);

/* The cost of 1,000 events in ns; 0: unknown. Briefly needs as much memory as the boot's events. */
uint64_t boot_start__measure_events(const char *dir);

/**
 * boot_start__release() - remove the events of the boot from the running kernel
 * @dir: the mount point of tracefs
 *
 * Removes the instance, which frees its memory, and the probes. Return: 0, also if there is nothing
 * to remove; or a negative error after a message.
 */
int boot_start__release(const char *dir);

#endif
