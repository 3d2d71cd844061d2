/* SPDX-License-Identifier: GPL-2.0-only */
/* Reports of a coverage: a list for undertaker-tailor, and a text for people. */
#ifndef HYTRACE_REPORT_REPORT_H
#define HYTRACE_REPORT_REPORT_H

#include <stdio.h>

#include "document/coverage.h"
#include "document/universe.h"

/*
 * Writes one link-time address or module offset a line, and nothing else. Write errors stay in the
 * stream, where output__commit() finds them.
 */
void report__tailor(const struct coverage *c, FILE *out);

/*
 * @traceable: what 100 % is. @vmlinux: with DWARF, to group by source directory; NULL: by symbol
 * prefix and module.
 */
int report__text(const struct coverage *c, const struct traceable *traceable, const char *vmlinux,
		 FILE *out);

/* Writes a line for each function, and totals. Returns -ENOMEM after a message. */
int report__functions(const struct universe *u, FILE *out);
/* "fs/read_write.c:460", or only the file; empty if unknown. */
void function__place(char *ret, size_t room, const struct function *f);

/* Prints the losses on stderr, one a line, with their meaning; prints nothing if there are none. */
void report__losses(const struct coverage *c);

#endif
