/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Ways through the code that no instruction has: a static branch, which the running kernel makes a jump or a NOP as it
 * likes, and the place where the kernel goes on after a fault. The kernel's own tables list them (struct jump_entry in
 * include/linux/jump_label.h, struct exception_table_entry in arch/x86/include/asm/extable.h).
 */
#ifndef HYTRACE_IMAGE_WAYS_H
#define HYTRACE_IMAGE_WAYS_H

#include "image/file.h"

struct way {
	uint64_t at, to;	/* as in struct image_function; @to is UINT64_MAX if it is no code of the file */
};

struct ways {
	struct way *list;	/* by @at */
	size_t count;
};

/* Returns 0, or -EINVAL after a message if the file is damaged. A file without such tables has no such ways. */
int ways__read(struct ways *ret, const struct image_file *file);
void ways__free(struct ways *w);

#endif
