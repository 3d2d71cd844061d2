/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where the events of this boot are: what the kernel's command line has to ask for, and how they are
 * found, measured and removed afterwards.
 */
#ifndef HYTRACE_BOOT_START_LOAD_H
#define HYTRACE_BOOT_START_LOAD_H

#include "boot/start.h"

/**
 * boot_start__parameters() - what the kernel's command line needs, for boot_start__load()
 * @release: of the kernel that will be booted, as uname(2) has it
 * @probes: also kernel probes; see probes.h
 *
 * Return: the parameters, to be freed.
 */
char *boot_start__parameters(const char *release, bool probes);

/**
 * boot_start__load() - find and read the events of this boot
 * @ret: see boot_start__read()
 * @dir: the mount point of tracefs
 *
 * Return: 0; -ENOENT, without a message, if this boot was not asked for them; -ENODATA, -EPROTO or
 * another error after a message.
 */
int boot_start__load(struct boot_start *ret, const char *dir);
/* The same. @asked_in_top: this boot was asked for all events in the top-level instance, as it must before Linux 6.3. */
int boot_start__load_from(struct boot_start *ret, const char *dir, bool asked_in_top);

/* What a thousand events cost, about; 0: not known. It takes as much memory as the events of the boot, for a moment. */
uint64_t boot_start__measure_events(const char *dir);

/**
 * boot_start__release() - remove what the boot was asked for from the running kernel
 * @dir: the mount point of tracefs
 *
 * The memory of the instance is given back, and the probes are removed. Return: 0, also if there is
 * nothing; or a negative error after a message.
 */
int boot_start__release(const char *dir);

#endif
