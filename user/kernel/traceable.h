/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The functions that ftrace can trace, from available_filter_functions_addrs, or on a kernel before 6.5 from
 * available_filter_functions: what filters are checked against, what the BPF program is attached to, and
 * what "all" means in a report.
 */
#ifndef HYTRACE_KERNEL_TRACEABLE_H
#define HYTRACE_KERNEL_TRACEABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "kernel/symbols.h"

struct traceable_function {
	uint64_t site;		/* the traced instruction, as the function tracer prints it */
	uint64_t entry;		/* the symbol: before the site when it begins with ENDBR64 */
	size_t number;		/* in ftrace's list, from 1: set_ftrace_filter takes it for the function */
	const char *name;
	const char *module;	/* NULL: vmlinux */
};

struct traceable;

int traceable__load(struct traceable **ret, const struct symbols *symbols);
/* The same from any files, for tests: with addresses, and with names only. */
int traceable__read(struct traceable **ret, FILE *f, const struct symbols *symbols);
int traceable__read_names(struct traceable **ret, FILE *f, const struct symbols *symbols);
void traceable__free(struct traceable *t);

size_t traceable__count(const struct traceable *t);
/* Sites whose function the linker dropped (weak ones): ftrace lists them, nothing can trace them. */
size_t traceable__invalid(const struct traceable *t);
/*
 * Of those read by name, the ones that could be any of several symbols, and are not among the others: they have a
 * name, a module and a number, and no address.
 */
const struct traceable_function *traceable__ambiguous(const struct traceable *t, size_t *ret_count);
const struct traceable_function *traceable__at(const struct traceable *t, size_t index);

/* By the traced instruction or by the entry; NULL: none there. */
const struct traceable_function *traceable__find(const struct traceable *t, uint64_t addr);

/* The same, if it is of that module, or of vmlinux (NULL): another may have been loaded to its place. */
const struct traceable_function *traceable__find_in(const struct traceable *t, uint64_t addr,
						    const char *module);

/* "vfs_read", or of a module "two_open [mod_two]", as ftrace's lists have it. */
void function__full_name(char *ret, size_t room, const char *name, const char *module);

bool traceable__has_name(const struct traceable *t, const char *name);
/* All of that name; NULL: none. */
const struct traceable_function *const *traceable__named(const struct traceable *t,
							 const char *name, size_t *ret_count);

/* The name nearest to a mistyped one, or NULL when nothing is near. */
const char *traceable__similar(const struct traceable *t, const char *name);

#endif
