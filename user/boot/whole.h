/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is around the kernel's own part of a boot: what came before its clock, what init did, and the
 * account of all parts together.
 */
#ifndef HYTRACE_BOOT_WHOLE_H
#define HYTRACE_BOOT_WHOLE_H

#include <stdio.h>

#include "base/json_writer.h"
#include "boot/parts.h"

struct boot_whole {
	struct boot_clock clock;
	struct boot_firmware firmware;
	struct boot_units units;
	struct boot_parts parts;
	bool asked;			/* this boot was asked for the events of initcalls, even if they are gone */
};

/**
 * boot_whole__load() - find out what there is around the kernel's part
 * @ret: what there is, to be freed by boot_whole__free()
 * @dir: the mount point of tracefs; NULL: there is none
 * @start: the kernel's part; NULL: not there. It must live as long as @ret
 * @first_call: the TSC's count at the first call of the early part; NULL: not known
 */
void boot_whole__load(struct boot_whole *ret, const char *dir, const struct boot_start *start,
		      const uint64_t *first_call);
/* Also divides the boot into its parts. The rest of @w is known. */
void boot_whole__divide(struct boot_whole *w, const struct boot_start *start, const uint64_t *first_call);
void boot_whole__free(struct boot_whole *w);

/* Write errors of the next ones stay in the stream. */

/* Prints the account of all parts. */
void boot_whole__text(const struct boot_whole *w, FILE *out);
/* Prints the @most units that took longest, and the critical chain. */
void boot_whole__units_text(const struct boot_whole *w, size_t most, FILE *out);
void boot_whole__chain_text(const struct boot_whole *w, FILE *out);
/* Writes the fields "parts", "firmware", "userspace" and "units"; all are null if @w is NULL. */
void boot_whole__json(const struct boot_whole *w, json_writer_t *j);
/* Writes the critical chain as a document. */
void boot_whole__chain_json(const struct boot_whole *w, FILE *out);
/* Begins a document that is about this boot. */
json_writer_t *boot_whole__begin(const struct boot_whole *w, FILE *out, const char *document, int schema);

/* Prints on stderr what is missing; nothing if nothing is. */
void boot_whole__losses(const struct boot_whole *w);

#endif
