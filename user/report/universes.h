/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where a universe (a function list) comes from: kernel files, a kept copy, or the running kernel.
 *
 * Reading 500 MB of debug information takes seconds. So a copy of the list is kept under the build
 * id of the vmlinux, in ~/.cache/hytrace/functions-BUILDID. The oldest of many lists is removed.
 */
#ifndef HYTRACE_REPORT_UNIVERSES_H
#define HYTRACE_REPORT_UNIVERSES_H

#include "document/coverage.h"
#include "document/universe.h"
#include "kernel/running.h"

/*
 * Finds what the running kernel can trace now. @k: its lists and its id. @vmlinux: its file, for source files; NULL:
 * they stay unknown. Returns 0, or a negative errno after a message.
 */
int universe__of_kernel(struct universe *ret, const struct kernel *k, const char *vmlinux);

/* Adds modules of the running kernel that @u does not have. */
void universe__add_modules_of_running(struct universe *u, const struct kernel *k);

/* The file of a module, its name, and its wanted build. */
struct module_file {
	const char *name, *build_id;	/* @build_id: NULL: any */
	char *path;
};

/**
 * universe__of_files() - read all functions of a kernel from its files
 * @ret: to be freed by universe__free()
 * @vmlinux: the file
 * @modules: modules to add; a file of another build than the wanted one is left out, with a warning
 * @count: the number of @modules
 *
 * Return: 0, or a negative errno after a message.
 */
int universe__of_files(struct universe *ret, const char *vmlinux, const struct module_file *modules, size_t count);

/* Adds a module. Call universe__settle() afterwards. */
int universe__add_module_file(struct universe *u, const struct module_file *m);
static inline bool universe__has_module(const struct universe *u, const char *module)
{
	return covered_modules__find(&u->modules, module);
}

/**
 * universe__of_build() - find all functions of a kernel build, in its files or in a kept copy
 * @ret: to be freed by universe__free(); empty if neither is found
 * @id: the kernel; its files are recognised by its build id
 * @modules: the modules to add; those without a file of their build are left out
 * @vmlinux: its file; NULL: look in the usual places
 *
 * Return: 0, or a negative errno after a message.
 */
int universe__of_build(struct universe *ret, const struct kernel_id *id, const struct covered_modules *modules,
		       const char *vmlinux);

/* The files that the user has named, and the running kernel; each may be NULL. */
struct universe_source {
	const char *universe, *vmlinux;
	const struct kernel *running;	/* lists and id; it must be of the recordings' build */
};

/**
 * universe__find_for() - find the universe of recordings
 * @ret: to be freed by universe__free(); empty, with a warning, if none can be found
 * @documents: the recordings
 * @count: their number, from 1
 * @source: where to look. Its @universe comes first, then a kept copy of the build, its
 *	    @running, and the kernel's files (its @vmlinux, or in the usual places); last, this
 *	    machine's kernel, if it is of that build
 *
 * Return: 0, or a negative errno after a message: -EINVAL if the recordings are of several builds,
 * or if a file in @source is of another build.
 */
int universe__find_for(struct universe *ret, const struct coverage *const *documents, size_t count,
		       const struct universe_source *source);

/* Reads the user's function list. Returns -EINVAL after a message if the file is not readable, or not a whole list. */
int universe__read_whole(struct universe *ret, const char *path);

/*
 * Leaves out modules of another build than that in the recordings, with a warning. @u: of the same build of the kernel
 * as the recordings. Returns 0, or a negative errno after a message.
 */
int universe__fit(struct universe *u, const struct coverage *const *documents, size_t count);

/**
 * universe__of_running() - all functions of the running kernel
 * @ret: to be freed by universe__free()
 * @vmlinux: its vmlinux; NULL: look in the usual places
 *
 * Functions that can be traced are those that ftrace lists now, and freed init functions that could
 * be traced according to the file. Without a vmlinux, a warning says that reasons and places of
 * other functions are not known.
 *
 * Return: 0, or a negative errno after a message: -EPERM, -EOPNOTSUPP if the lists cannot be read.
 */
int universe__of_running(struct universe *ret, const char *vmlinux);

#endif
