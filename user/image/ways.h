/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Ways through the code that no instruction shows: a static branch, which the running kernel makes a jump or a
 * NOP, and the place where the kernel goes on after a fault. The kernel's own tables list both kinds (struct
 * jump_entry in include/linux/jump_label.h, struct exception_table_entry in arch/x86/include/asm/extable.h).
 */
#ifndef HYTRACE_IMAGE_WAYS_H
#define HYTRACE_IMAGE_WAYS_H

#include "image/file.h"

struct way {
	uint64_t at, to;	/* as in struct image_function; @to: UINT64_MAX: not in code of the file */
};

struct ways {
	struct way *list;	/* sorted by @at */
	size_t count;
};

/* Returns 0, or -EINVAL after a message if the file is damaged. If a file has no tables, the list is empty. */
int ways__read(struct ways *ret, const struct image_file *file);
void ways__free(struct ways *w);

#endif
