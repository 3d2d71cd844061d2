/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which kernel this is, and how far KASLR has moved it from where it was linked: what turns the running
 * kernel's addresses into those that addr2line and undertaker-tailor know.
 */
#ifndef HYTRACE_KERNEL_KERNEL_ID_H
#define HYTRACE_KERNEL_KERNEL_ID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/json.h"
#include "kernel/symbols.h"

struct kernel_id {
	char *release, *version, *arch;	/* as uname(2) has them */
	char *build_id;		/* lowercase hex; NULL: unknown */
	char *cmdline;		/* NULL: unknown */
	char *config;		/* "crc32:" and that of the text of its .config; NULL: unknown */
	bool offset_known;
	uint64_t kaslr_offset;
	bool calls_linked;	/* return addresses are those of vmlinux, also where the kernel has rewritten a call */
};

/*
 * @symbols: NULL for those who do not need the offset; then only the kernel itself is asked for it.
 * @vmlinux: a file with the kernel's symbols, or NULL to look in the usual places when it is needed.
 * An unknown offset or build id is no error; a given vmlinux of another build is (-EINVAL).
 */
int kernel_id__read(struct kernel_id *ret, const struct symbols *symbols, const char *vmlinux);
void kernel_id__free(struct kernel_id *id);
/* A deep copy; -ENOMEM, said. @ret need not be initialised, and is to be freed in any case. */
int kernel_id__copy(struct kernel_id *ret, const struct kernel_id *id);
/* Of the object "kernel" of a document. */
extern const struct json_field kernel_id_fields[];

/* The first vmlinux with DWARF or symbols that has that build id, to be freed; NULL: none found. */
char *kernel_id__find_vmlinux(const struct kernel_id *id, const char *given);

/* Of the running kernel, to be freed; NULL: unknown. */
char *kernel_id__boot_id(void);

/* The value of KERNELOFFSET in the text of a vmcoreinfo note. */
bool vmcoreinfo__offset(const char *text, size_t length, uint64_t *ret);

#endif
