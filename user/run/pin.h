/* SPDX-License-Identifier: GPL-2.0-only */
/* Pins in bpffs: their directories are made for one run and removed after it. */
#ifndef HYTRACE_RUN_PIN_H
#define HYTRACE_RUN_PIN_H

#include "run/guard.h"

#define BPFFS "/sys/fs/bpf"

/*
 * Makes the directory @where, and those above it, in bpffs, which is mounted if necessary. A
 * relative name is one below /sys/fs/bpf/hytrace. @ret_dir is to be freed.
 */
int pin__prepare(const char *where, struct guard *guard, char **ret_dir);
/* The full path of a pin, which the watchdog will remove; to be freed. */
int pin__path(const char *dir, const char *name, struct guard *guard, char **ret_path);

#endif
