/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where a universe comes from: the lists of the running kernel, the files of a kernel, or what was kept of them
 * under the build id of its vmlinux, because reading 500 MB of debug information takes seconds.
 */
#ifndef HYTRACE_REPORT_UNIVERSES_H
#define HYTRACE_REPORT_UNIVERSES_H

#include "document/coverage.h"
#include "document/universe.h"
#include "kernel/kernel_id.h"
#include "kernel/symbols.h"
#include "kernel/traceable.h"

/**
 * universe__of_kernel() - what the running kernel can trace now
 * @ret: to be freed by universe__free()
 * @t: its list
 * @s: its symbols
 * @id: which kernel it is
 * @vmlinux: of this kernel, for the source files; NULL: they stay unknown
 *
 * Return: 0, or a negative errno, which is told.
 */
int universe__of_kernel(struct universe *ret, const struct traceable *t, const struct symbols *s,
			const struct kernel_id *id, const char *vmlinux);

/* A module's file, and its name. */
struct module_file {
	const char *name, *path;
};

/**
 * universe__of_files() - all functions of a kernel, by its files
 * @ret: to be freed by universe__free()
 * @vmlinux: the file
 * @modules: those that are to be in it
 * @count: of these
 *
 * Return: 0, or a negative errno, which is told.
 */
int universe__of_files(struct universe *ret, const char *vmlinux, const struct module_file *modules, size_t count);

/**
 * universe__of_build() - all functions of a kernel of which the build is known, by its files or what was kept of them
 * @ret: to be freed by universe__free(); empty if there is no such file
 * @id: the kernel; its build id is what files are recognised by
 * @modules: the names of those that are to be in it, as far as they have files
 * @count: of these
 * @vmlinux: its file; NULL: where it usually is
 *
 * Return: 0, or a negative errno, which is told.
 */
int universe__of_build(struct universe *ret, const struct kernel_id *id, const char *const *modules, size_t count,
		       const char *vmlinux);

/* Where the user says that it is; each may be NULL. */
struct universe_source {
	const char *universe, *vmlinux;
};

/**
 * universe__find_for() - the universe that documents are to be laid against
 * @ret: to be freed by universe__free(); empty, with a warning, if none can be found
 * @documents: the documents
 * @count: of these
 * @source: where it is; without either, what was kept, or else the files of that kernel where they usually are
 *
 * Return: 0, or a negative errno, which is told: -EINVAL if the documents are of several builds, or what is given is
 * of another one.
 */
int universe__find_for(struct universe *ret, const struct coverage *const *documents, size_t count,
		       const struct universe_source *source);

#endif
