// SPDX-License-Identifier: GPL-2.0-only
/* Reads the lists of the kernel that runs here; see running.h. */
#include <stdlib.h>

#include "kernel/running.h"

int kernel__load(struct kernel *k, unsigned int parts, const char *vmlinux)
{
	char *directory;
	int err = 0;

	if (parts & KERNEL_LISTS)
		err = symbols__load(&k->symbols) ?: traceable__load(&k->traceable, k->symbols);
	if (!err && parts & KERNEL_ID)
		err = kernel_id__read(&k->id, k->symbols, vmlinux);
	if (!err && parts & KERNEL_SITES) {
		k->sites = call_sites__read(&k->id, vmlinux);
		k->id.calls_linked = k->sites && k->id.offset_known;
	}
	if (!err && parts & KERNEL_FILES) {
		directory = module_files__directory(NULL, k->id.release);
		k->files = module_files__new(directory);
		free(directory);
	}
	return err;
}

void kernel__free(struct kernel *k)
{
	kernel_id__free(&k->id);
	call_sites__free(k->sites);
	module_files__free(k->files);
	traceable__free(k->traceable);
	symbols__free(k->symbols);
}
