/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where a universe comes from: the files of a kernel, what was kept of them, or the lists of the running kernel.
 *
 * Reading 500 MB of debug information takes seconds. So what the files say is kept under the build id of their
 * vmlinux, in ~/.cache/hytrace/functions-BUILDID. Only those of some builds stay there.
 */
#ifndef HYTRACE_REPORT_UNIVERSES_H
#define HYTRACE_REPORT_UNIVERSES_H

#include "document/coverage.h"
#include "document/universe.h"
#include "kernel/running.h"

/**
 * universe__of_kernel() - what the running kernel can trace now
 * @ret: to be freed by universe__free()
 * @k: its lists and its id
 * @vmlinux: of this kernel, for the source files; NULL: they stay unknown
 *
 * Return: 0, or a negative errno after a message.
 */
int universe__of_kernel(struct universe *ret, const struct kernel *k, const char *vmlinux);

/* Adds its modules that @u does not have. */
void universe__add_modules_of_running(struct universe *u, const struct kernel *k);

/* A module's file, its name, and the build that is wanted. */
struct module_file {
	const char *name, *build_id;	/* @build_id: NULL: any */
	char *path;
};

/**
 * universe__of_files() - all functions of a kernel, by its files
 * @ret: to be freed by universe__free()
 * @vmlinux: the file
 * @modules: those that are to be in it; a file of another build than the wanted one is left out, with a warning
 * @count: of these
 *
 * Return: 0, or a negative errno after a message.
 */
int universe__of_files(struct universe *ret, const char *vmlinux, const struct module_file *modules, size_t count);

/* Adds one module; it has to be settled then. */
int universe__add_module_file(struct universe *u, const struct module_file *m);
bool universe__has_module(const struct universe *u, const char *module);

/**
 * universe__of_build() - all functions of a build of the kernel, from its files or from what was kept of them
 * @ret: to be freed by universe__free(); empty if there is no such file
 * @id: the kernel; its files are recognised by its build id
 * @modules: the modules to add; those without a file of their build are left out
 * @vmlinux: its file; NULL: look in the usual places
 *
 * Return: 0, or a negative errno after a message.
 */
int universe__of_build(struct universe *ret, const struct kernel_id *id, const struct covered_modules *modules,
		       const char *vmlinux);

/* The files that the user has named, and what is known already; each may be NULL. */
struct universe_source {
	const char *universe, *vmlinux;
	const struct kernel *running;	/* its lists and its id */
};

/**
 * universe__find_for() - find the universe of documents
 * @ret: to be freed by universe__free(); empty, with a warning, if none can be found
 * @documents: the documents
 * @count: their number, from 1
 * @source: where to look. If it names no document of a universe, the universe is the one that was kept, or else is made
 *	    from that kernel's files in the usual places. If there are no files, it comes from the running kernel if
 *	    that is of the same build. If @source has a running kernel, it is of that build, and comes before the files.
 *
 * Return: 0, or a negative errno after a message: -EINVAL if the documents are of several builds, or if what @source
 * names is of another build.
 */
int universe__find_for(struct universe *ret, const struct coverage *const *documents, size_t count,
		       const struct universe_source *source);

/**
 * universe__fit() - leave out modules of another build than the documents', with a warning
 * @u: of the same build of the kernel as the documents
 * @documents: the documents
 * @count: their number, from 1
 *
 * Return: 0, or a negative errno after a message.
 */
int universe__fit(struct universe *u, const struct coverage *const *documents, size_t count);

#endif
