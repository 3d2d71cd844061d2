/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The cached form of a function list, which takes a tenth of the time that json takes to read. Only
 * the same build of hytrace can read it. If it is damaged, the list is made again.
 */
#ifndef HYTRACE_DOCUMENT_UNIVERSE_KEPT_H
#define HYTRACE_DOCUMENT_UNIVERSE_KEPT_H

#include <stdio.h>

#include "document/universe.h"

/* Write errors stay in the stream. */
void universe__write_kept(const struct universe *u, FILE *out);

/**
 * universe__read_kept() - read a cached function list
 * @ret: to be freed by universe__free()
 * @path: the path of the file
 *
 * Return: true if the file is there and complete. Otherwise there is no message, because the
 * function list can be made again.
 */
bool universe__read_kept(struct universe *ret, const char *path);

#endif
