/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the kernel's long lists said, kept for later runs of the same boot. The kernel takes longer to write
 * /proc/kallsyms and ftrace's list of functions than the loader to attach to all functions.
 *
 * Both lists are of the kernel's own code and of its modules' code. The kernel's own does not change while it
 * runs. That of a module is the same from the end of its initialization to its removal. So a list is kept
 * with the id of the boot, and with the name, size, address and sysfs inode of each module:
 *  - The inode is another one when a module was removed and loaded again, perhaps rebuilt, even to the same
 *    address: sysfs never uses a number twice in one boot (fs/kernfs/dir.c, kernfs_node.id).
 *  - The size includes the code of the initialization, until that is freed. By then it is in neither list.
 *  - While a module comes or goes, nothing is kept and nothing that was kept is used.
 * Names that ftrace keeps of freed init functions go with their module (ftrace_release_mod()).
 * Generated code comes and goes without modules: its lines are not kept, and who needs them has to ask again
 * (symbols.c).
 *
 * ftrace's list has all functions, also those that it has disabled or that are traced: which ones does not
 * change what it says of them. If ftrace has turned itself off, its list cannot be opened, as without this.
 *
 * Who may see addresses is the kernel's decision, each time and for each process: the list itself is opened
 * first, and its first line has to show the address that was kept. So nothing is used where the kernel hides
 * addresses (kptr_restrict, lockdown) or refuses to open a list.
 *
 * The files are root's alone. One that others own or could have written, that is damaged, or that is of
 * another boot is as good as none.
 */
#ifndef HYTRACE_KERNEL_KEPT_LIST_H
#define HYTRACE_KERNEL_KEPT_LIST_H

#include <stdbool.h>
#include <stdio.h>

/* Where things are; tests have their own. */
struct kept_places {
	const char *dir;	/* of the files */
	const char *modules;	/* /proc/modules */
	const char *sys_module;	/* /sys/module */
};

extern const struct kept_places kept_places;

struct kept_list {
	FILE *f;
	bool kept;		/* lines that are not kept are missing */
	char *text;
};

/**
 * kept_list__open() - open a list of the kernel, as an earlier run has read it where that is still true
 * @ret: the list, to be closed by kept_list__close()
 * @places: &kept_places
 * @path: the kernel's file; each line that is kept begins with an address
 * @keeps: whether a line stays the same as long as the modules do
 *
 * What is read from the kernel is kept, if it can be. That it cannot is no error.
 *
 * Return: 0, or the negative errno of opening or reading @path, which is not told.
 */
int kept_list__open(struct kept_list *ret, const struct kept_places *places, const char *path,
		    bool (*keeps)(const char *line));
void kept_list__close(struct kept_list *l);

#endif
