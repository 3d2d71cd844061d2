/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finds a universe: from the lists of the running kernel, from the files of a kernel, or from what
 * was kept of these under the build id of its vmlinux. It is kept because reading 500 MB of debug
 * information takes seconds.
 */
#ifndef HYTRACE_REPORT_UNIVERSES_H
#define HYTRACE_REPORT_UNIVERSES_H

#include "document/coverage.h"
#include "document/universe.h"
#include "kernel/kernel_id.h"
#include "kernel/symbols.h"
#include "kernel/traceable.h"

/**
 * universe__of_kernel() - make the universe of what the running kernel can trace now
 * @ret: to be freed by universe__free()
 * @t: its list
 * @s: its symbols
 * @id: the kernel's identity
 * @vmlinux: its vmlinux, for the source files; NULL: they stay unknown
 *
 * Return: 0, or a negative errno after a message.
 */
int universe__of_kernel(struct universe *ret, const struct traceable *t, const struct symbols *s,
			const struct kernel_id *id, const char *vmlinux);

/* A module's file and name. */
struct module_file {
	const char *name, *path;
};

/**
 * universe__of_files() - make the universe of a kernel from its files
 * @ret: to be freed by universe__free()
 * @vmlinux: the file
 * @modules: the modules to include
 * @count: their number
 *
 * Return: 0, or a negative errno after a message.
 */
int universe__of_files(struct universe *ret, const char *vmlinux, const struct module_file *modules, size_t count);

/**
 * universe__of_build() - find the universe of a kernel build, from its files or from what was kept
 * @ret: to be freed by universe__free(); empty if there is no such file
 * @id: the kernel; files are recognised by its build id
 * @modules: the names of the modules to include, if they have files
 * @count: their number
 * @vmlinux: its file; NULL: look in the usual places
 *
 * Return: 0, or a negative errno after a message.
 */
int universe__of_build(struct universe *ret, const struct kernel_id *id, const char *const *modules, size_t count,
		       const char *vmlinux);

/* Where the universe is, as the user says; each may be NULL. */
struct universe_source {
	const char *universe, *vmlinux;
};

/**
 * universe__find_for() - find the universe for documents
 * @ret: to be freed by universe__free(); empty, with a warning, if none can be found
 * @documents: the documents
 * @count: their number
 * @source: where it is; if both are NULL, what was kept, or the kernel's files in the usual places
 *
 * Return: 0, or a negative errno, which is told: -EINVAL if the documents are of several builds, or
 * what is given is of another one.
 */
int universe__find_for(struct universe *ret, const struct coverage *const *documents, size_t count,
		       const struct universe_source *source);

#endif
