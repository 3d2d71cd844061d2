/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files of a kernel that are found by their build id alone: in directories named .build-id, and with a debuginfod, a
 * server that distributions run. gdb and perf look in the same places.
 */
#ifndef HYTRACE_KERNEL_DEBUG_FILES_H
#define HYTRACE_KERNEL_DEBUG_FILES_H

/**
 * debug_file__find() - find a vmlinux or the file of a module
 * @build_id: its build id, in hex
 * @beside: a file in whose directory .build-id is looked for, before /usr/lib/debug; NULL: only there
 *
 * Return: the path of DIRECTORY/.build-id/ab/cdef.debug, to be freed; NULL: there is none with code. (The file may have
 * only what strip(1) has removed from another one.)
 */
char *debug_file__find(const char *build_id, const char *beside);

/**
 * debug_file__fetch() - ask the debuginfod servers that DEBUGINFOD_URLS names
 * @build_id: as above
 * @module: it is the file of a module, and no vmlinux
 *
 * Asking takes seconds, and a vmlinux has hundreds of megabytes. So only commands that answer from recordings ask, and
 * no recorder does. libdw loads libdebuginfod if DEBUGINFOD_URLS is set; hytrace need not be linked to it.
 *
 * Return: the path of the file in the cache of libdebuginfod, to be freed; NULL: there is none.
 */
char *debug_file__fetch(const char *build_id, bool module);

/**
 * debug_file__of_module() - find the file of a module
 * @listed: its path in the modules' directory, which is freed or returned; NULL: there is none
 * @build_id: its build id, in hex; NULL: unknown
 * @beside: as for debug_file__find()
 * @fetch: whether servers may be asked
 *
 * An update of a kernel may keep its release. Then the modules' directory has a file of another build.
 *
 * Return: the path of a file of that build, to be freed, or else @listed.
 */
char *debug_file__of_module(char *listed, const char *build_id, const char *beside, bool fetch);

#endif
