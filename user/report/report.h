/* SPDX-License-Identifier: GPL-2.0-only */
/* A coverage in words: one document for undertaker-tailor, one for people. */
#ifndef HYTRACE_REPORT_REPORT_H
#define HYTRACE_REPORT_REPORT_H

#include <stdio.h>

#include "document/coverage.h"
#include "document/universe.h"

/*
 * One link-time address or module offset on a line, nothing else. Write errors stay in the stream,
 * for output__commit() to find.
 */
void report__tailor(const struct coverage *c, FILE *out);

/*
 * @traceable: what 100 % is. @vmlinux: with DWARF, to group by source directory; NULL: by symbol
 * prefix and module.
 */
int report__text(const struct coverage *c, const struct traceable *traceable, const char *vmlinux,
		 FILE *out);

/* A line for each function, and totals; -ENOMEM, said. */
int report__functions(const struct universe *u, FILE *out);
/* "fs/read_write.c:460", or only the file; empty: unknown. */
void function__place(char *ret, size_t room, const struct function *f);

/* What was lost, on stderr, one line each with what it means; nothing when nothing was. */
void report__losses(const struct coverage *c);

#endif
