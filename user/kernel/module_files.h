/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Names for functions of modules that are not loaded any more, from their files: what is known of them
 * then is the module's name and an offset in its .text.
 */
#ifndef HYTRACE_KERNEL_MODULE_FILES_H
#define HYTRACE_KERNEL_MODULE_FILES_H

#include <stdint.h>

struct module_files;

/* @directory: /lib/modules/RELEASE; files are read when they are first asked for. */
struct module_files *module_files__new(const char *directory);
void module_files__free(struct module_files *m);

/*
 * The function that holds @offset of that module's .text, and where it begins; NULL: unknown. The name
 * lives as long as @m.
 */
const char *module_files__find(struct module_files *m, const char *module, uint64_t offset,
			       uint64_t *ret_start);

/**
 * module_files__path() - the file of a module
 * @directory: /lib/modules/RELEASE, with a modules.dep
 * @module: its name
 *
 * Return: the path, to be freed; NULL: it is not listed there, or no memory.
 */
char *module_files__path(const char *directory, const char *module);

#endif
