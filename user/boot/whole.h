/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The parts of a boot around the kernel's own part: firmware and boot loader, and systemd's units.
 * Divides the whole boot into parts.
 */
#ifndef HYTRACE_BOOT_WHOLE_H
#define HYTRACE_BOOT_WHOLE_H

#include <stdio.h>

#include "base/json.h"
#include "boot/parts.h"

struct boot_whole {
	struct boot_clock clock;
	struct boot_firmware firmware;
	struct boot_units units;
	struct boot_parts parts;
	bool asked;			/* this boot was asked for events, which may be gone now */
};

/**
 * boot_whole__load() - find clocks, firmware and units of this boot, and divide it into parts
 * @ret: the result, to be freed by boot_whole__free()
 * @dir: the mount point of tracefs; NULL: there is none
 * @start: the kernel's part; NULL: not recorded. It must live as long as @ret
 * @first_call: the TSC count of the first early call; NULL: not known
 */
void boot_whole__load(struct boot_whole *ret, const char *dir, const struct boot_start *start,
		      const uint64_t *first_call);
/* Fills @w->parts from the other members of @w. */
void boot_whole__divide(struct boot_whole *w, const struct boot_start *start, const uint64_t *first_call);
void boot_whole__free(struct boot_whole *w);

/* The caller of the functions below checks @out for write errors. */

/* Prints the parts of the boot. */
void boot_whole__text(const struct boot_whole *w, FILE *out);
/* Prints the @most units that took longest, and the critical chain. */
void boot_whole__units_text(const struct boot_whole *w, size_t most, FILE *out);
void boot_whole__chain_text(const struct boot_whole *w, FILE *out);
/* Writes the fields "parts", "firmware", "userspace" and "units"; all are null if @w is NULL. */
void boot_whole__json(const struct boot_whole *w, json_writer_t *j);
/* Writes the critical chain as json. */
void boot_whole__chain_json(const struct boot_whole *w, FILE *out);
/* Begins json about this boot. */
json_writer_t *boot_whole__begin(const struct boot_whole *w, FILE *out, const char *document, int schema);

/* Prints warnings about missing and doubtful parts on stderr. */
void boot_whole__losses(const struct boot_whole *w);

#endif
