/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads CVE records of the kernel, in the json format 5 of cve.org. */
#ifndef HYTRACE_AFFECTED_CVE_H
#define HYTRACE_AFFECTED_CVE_H

#include "base/memory.h"

struct cve {
	const char **files;		/* of the source, each once */
	size_t file_count;
	const char **commits;		/* that fix it, each once: the same change in several branches */
	size_t commit_count;
	struct strings *names;
};

/**
 * cve__read() - read a record
 * @ret: to be freed by cve__free(), also after a failure
 * @path: the file
 *
 * Return: 0, or -EINVAL after a message: it is no such record, or names no file of the source.
 */
int cve__read(struct cve *ret, const char *path);
void cve__free(struct cve *c);

#endif
