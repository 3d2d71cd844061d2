/* SPDX-License-Identifier: GPL-2.0-only */
/* Places in bpffs, made for one run and taken away after it. */
#ifndef HYTRACE_RUN_PIN_H
#define HYTRACE_RUN_PIN_H

#include "run/guard.h"

#define BPFFS "/sys/fs/bpf"

/*
 * Makes the directory that @where names, and those above it, under bpffs (mounted if it is not); a
 * relative name is one under /sys/fs/bpf/hytrace. @ret_dir is to be freed.
 */
int pin__prepare(const char *where, struct guard *guard, char **ret_dir);
/* The full path of a pin, told to the watchdog; to be freed. */
int pin__path(const char *dir, const char *name, struct guard *guard, char **ret_path);

#endif
