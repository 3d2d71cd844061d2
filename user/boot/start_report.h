/* SPDX-License-Identifier: GPL-2.0-only */
/* Reports of the part of a boot from the initcalls on. */
#ifndef HYTRACE_BOOT_START_REPORT_H
#define HYTRACE_BOOT_START_REPORT_H

#include "base/json.h"
#include "boot/start.h"

/**
 * boot_start__text() - print levels and the longest initcalls as tables
 * @most: the most initcalls to list
 *
 * The caller checks @out for write errors.
 */
void boot_start__text(const struct boot_start *s, size_t most, FILE *out);
/* Writes the value of the field "start"; null if @s is NULL. */
void boot_start__json(const struct boot_start *s, json_writer_t *w);
/* The name of an initcall in reports. For a module's initcall, the name of the module. */
const char *boot_start__name(const struct start_initcall *call);
/* Prints the losses on stderr; nothing if there are none. */
void boot_start__losses(const struct boot_start *s);

/* ---- waits_report.c: waits, probes, and how busy the CPUs were */

/**
 * boot_waits__text() - print tables of waits and of probes, the longest first
 * @s: a boot; a table without lines is left out
 * @most: the most lines of a table
 *
 * The caller checks @out for write errors.
 */
void boot_waits__text(const struct boot_start *s, size_t most, FILE *out);
/* Writes the fields "waits", "path", "probes", "load" and "cost"; null if they are not known. */
void boot_waits__json(const struct boot_start *s, json_writer_t *w);
/* The busy time of a CPU between @from and @until. */
uint64_t boot_sched__busy(const struct boot_sched *sched, int cpu, uint64_t from, uint64_t until);

#endif
