/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The text of the kernel's long lists, kept for later runs in the same boot. The kernel takes
 * longer to write /proc/kallsyms and ftrace's list of functions than the loader takes to attach to
 * all functions.
 *
 * Both lists are about the code of the kernel itself and of its modules. The kernel's own code does
 * not change while it runs. A module's code is the same from the end of its initialization to its
 * removal. So a list is kept with the id of the boot, and with the name, size, address and sysfs
 * inode of each module:
 *  - The inode changes when a module is removed and loaded again, perhaps rebuilt, even to the same
 *    address: sysfs never uses a number twice in one boot (fs/kernfs/dir.c, kernfs_node.id).
 *  - The size includes init code until it is freed. Then init code is in neither list.
 *  - While a module comes or goes, no list is kept, and no kept list is used.
 * ftrace keeps the names of freed init functions only as long as their module is there
 * (ftrace_release_mod()). Generated code comes and goes without modules. So its lines are not kept,
 * and a caller that needs them must read the list again (symbols.c).
 *
 * ftrace's list has all functions. Disabling or tracing a function does not change its line. If
 * ftrace has turned itself off, its list cannot be opened, and no kept list is used.
 *
 * The kernel decides each time, for each process, who may see addresses. So the list itself is
 * opened first, and its first line must show the address that was kept. So no kept list is used if
 * the kernel hides addresses (kptr_restrict, lockdown) or refuses to open a list.
 *
 * Only root can access the files. A file is not used if other users own it or could have written
 * it, or if it is damaged or of another boot.
 */
#ifndef HYTRACE_KERNEL_KEPT_LIST_H
#define HYTRACE_KERNEL_KEPT_LIST_H

#include <stdbool.h>
#include <stdio.h>

/* The paths; tests use other ones. */
struct kept_places {
	const char *dir;	/* the directory of the kept files */
	const char *modules;	/* /proc/modules */
	const char *sys_module;	/* /sys/module */
};

extern const struct kept_places kept_places;

struct kept_list {
	FILE *f;
	bool kept;		/* from a file: lines that are never kept are missing */
	char *text;
};

/**
 * kept_list__open() - open a list of the kernel, or its kept text if that is still valid
 * @ret: the list, to be closed by kept_list__close()
 * @places: &kept_places
 * @path: the kernel's file; each line that is kept begins with an address
 * @keeps: whether a line stays the same as long as the modules do
 *
 * The text that is read from the kernel is kept if possible. If not, that is no error.
 *
 * Return: 0, or the negative errno of opening or reading @path, without a message.
 */
int kept_list__open(struct kept_list *ret, const struct kept_places *places, const char *path,
		    bool (*keeps)(const char *line));
void kept_list__close(struct kept_list *l);

#endif
