/* SPDX-License-Identifier: GPL-2.0-only */
/* The lists of the running kernel. Each list is read only if a caller asks for it. */
#ifndef HYTRACE_KERNEL_RUNNING_H
#define HYTRACE_KERNEL_RUNNING_H

#include "kernel/call_sites.h"
#include "kernel/kernel_id.h"
#include "kernel/module_files.h"
#include "kernel/symbols.h"
#include "kernel/traceable.h"

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
