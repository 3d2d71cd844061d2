/* SPDX-License-Identifier: GPL-2.0-only */
/* Who looks after a file of the kernel's source: the entry of MAINTAINERS that matches it most closely. */
#ifndef HYTRACE_REPORT_MAINTAINERS_H
#define HYTRACE_REPORT_MAINTAINERS_H

struct maintainers;

/**
 * maintainers__read() - read MAINTAINERS
 * @ret: to be freed by maintainers__free()
 * @directories: where the source may be; the first one that has the file counts
 * @count: their number
 *
 * Return: 0, or -EINVAL after a message if none has it.
 */
int maintainers__read(struct maintainers **ret, const char *const *directories, size_t count);
void maintainers__free(struct maintainers *o);

/**
 * maintainers__of() - find the owner of a file
 * @o: the owners
 * @file: from the top of the source; it must live as long as @o
 *
 * Return: the name of an entry, one of whose patterns F matches the file, and none of whose patterns X. Of several
 * entries, that of the deepest pattern counts, as for get_maintainer.pl; of patterns of one depth, the longest one.
 * NULL: there is none.
 */
const char *maintainers__of(struct maintainers *o, const char *file);

#endif
