/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernel that runs here: its identity, and its lists. The identity of the kernel of a recording is of the
 * same kind.
 */
#ifndef HYTRACE_KERNEL_RUNNING_H
#define HYTRACE_KERNEL_RUNNING_H

#include "base/json.h"
#include "kernel/call_sites.h"
#include "kernel/elf_file.h"
#include "kernel/symbols.h"
#include "kernel/traceable.h"

struct kernel_id {
	char *release, *version, *arch;	/* as uname(2) has them */
	char *build_id;		/* lowercase hex; NULL: unknown */
	char *cmdline;		/* NULL: unknown */
	char *config;		/* "crc32:" and the CRC-32 of its .config's text; NULL: unknown */
	bool offset_known;
	uint64_t kaslr_offset;
	bool calls_linked;	/* return addresses are those of vmlinux, also where the kernel has rewritten a call */
};

/*
 * Reads the identity of the running kernel. Without @symbols, the offset is only read from
 * /proc/kcore, not computed from @vmlinux. @vmlinux: a file with the kernel's symbols; NULL: look
 * in the usual places if needed. An unknown offset or build id is no error, but a given vmlinux of
 * another build is (-EINVAL).
 */
int kernel_id__read(struct kernel_id *ret, const struct symbols *symbols, const char *vmlinux);
void kernel_id__free(struct kernel_id *id);
/* Makes a deep copy. @ret need not be initialised. */
void kernel_id__copy(struct kernel_id *ret, const struct kernel_id *id);
/* The fields of the object "kernel" of a document. */
extern const struct json_field kernel_id_fields[];

/*
 * The path @given, or else of the first vmlinux in the usual places that has the build id of @id;
 * to be freed; NULL: there is none. The second function then asks debuginfod servers (debug_files.h).
 */
char *kernel_id__find_vmlinux(const struct kernel_id *id, const char *given);
char *kernel_id__fetch_vmlinux(const struct kernel_id *id, const char *given);

/*
 * Whether @path is a vmlinux of that build: 0, -ENOENT if the file is missing or no ELF file, -ESTALE if it is of
 * another build.
 */
int kernel_id__check_vmlinux(const char *path, const char *build_id);

/*
 * The value of kernel_id.config for a .config file, which may be compressed by gzip; to be freed.
 * NULL: the file cannot be read.
 */
char *kernel_id__config_of(const char *path);

/* The id of this boot, to be freed; NULL: unknown. */
char *kernel_id__boot_id(void);

/* The value of KERNELOFFSET in the text of a vmcoreinfo note. */
bool vmcoreinfo__offset(const char *text, size_t length, uint64_t *ret);

/* ---- the lists; each list is read only if a caller asks for it */

struct kernel {
	struct symbols *symbols;
	struct traceable *traceable;
	struct kernel_id id;
	struct call_sites *sites;	/* NULL: callers keep the addresses at which they ran */
	struct module_files *files;	/* for modules that came and went */
};

enum kernel_part {
	KERNEL_LISTS = 1,	/* symbols and traceable */
	KERNEL_ID = 2,		/* with KERNEL_LISTS, a vmlinux can also give the KASLR offset */
	KERNEL_SITES = 4,	/* needs the id */
	KERNEL_FILES = 8,	/* needs the id */
};

/**
 * kernel__load() - read parts of the running kernel
 * @k: to be freed by kernel__free(), also after a failure; no part is asked for twice
 * @parts: bits of enum kernel_part
 * @vmlinux: the kernel's vmlinux; NULL: look in the usual places
 *
 * Return: 0, or a negative errno after a message: -EPERM, -EOPNOTSUPP if the lists cannot be read,
 * -EINVAL if @vmlinux is not this kernel's.
 */
int kernel__load(struct kernel *k, unsigned int parts, const char *vmlinux);
void kernel__free(struct kernel *k);

#endif
