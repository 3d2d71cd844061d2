/* SPDX-License-Identifier: GPL-2.0-only */
/* Pins in bpffs. Their directories are made for one run and removed after it. */
#ifndef HYTRACE_RUN_PIN_H
#define HYTRACE_RUN_PIN_H

#include "run/guard.h"

#define BPFFS "/sys/fs/bpf"

/*
 * Makes the directory @where and its parents in bpffs, which is mounted if necessary. A relative
 * name is below /sys/fs/bpf/hytrace. @ret_dir: to be freed
 */
int pin__prepare(const char *where, struct guard *guard, char **ret_dir);
/* The full path of a pin, which the watchdog will remove; to be freed. */
int pin__path(const char *dir, const char *name, struct guard *guard, char **ret_path);

#endif
