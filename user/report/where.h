/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A part of a kernel, as --in names it: a directory ("fs/ext4", with all below it) or a file
 * ("fs/ext4/inode.c") of the source, or a module (":mod:dummy").
 */
#ifndef HYTRACE_REPORT_WHERE_H
#define HYTRACE_REPORT_WHERE_H

#include <stdbool.h>

#include "document/universe.h"

/**
 * where__has() - does a function lie in a part of a kernel?
 * @where: the part
 * @module: the function's module; NULL: it is in vmlinux
 * @unit: its source file, relative to the top of the source; NULL: not known
 */
bool where__has(const char *where, const char *module, const char *unit);

/**
 * where__check() - does a universe know which functions lie in a part of a kernel?
 * @where: the part
 * @u: the universe
 *
 * Return: 0, or -EINVAL after a message.
 */
int where__check(const char *where, const struct universe *u);

/* Prints that no function lies in @where, and what to do. Returns -EINVAL. */
int where__is_empty(const char *where);

#endif
