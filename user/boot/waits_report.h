/* SPDX-License-Identifier: GPL-2.0-only */
/* Reports of what a boot waited for, of probes, and of how busy the processors were. */
#ifndef HYTRACE_BOOT_WAITS_REPORT_H
#define HYTRACE_BOOT_WAITS_REPORT_H

#include <stdio.h>

#include "base/json_writer.h"
#include "boot/start.h"

/**
 * boot_waits__text() - print tables of waits and of probes, the longest first
 * @s: a boot; what it has nothing of is left out
 * @most: how many lines a table has at most
 *
 * Write errors stay in the stream.
 */
void boot_waits__text(const struct boot_start *s, size_t most, FILE *out);
/* Writes the fields "waits", "path", "probes", "load" and "cost"; null if they are not known. */
void boot_waits__json(const struct boot_start *s, json_writer_t *w);
/* The busy time of a processor until @until. */
uint64_t boot_sched__busy(const struct boot_sched *sched, int cpu, uint64_t from, uint64_t until);

#endif
