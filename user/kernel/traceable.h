/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The functions that ftrace can trace, from available_filter_functions_addrs, or before Linux 6.5
 * from available_filter_functions. Filters are checked against this list, the BPF program is
 * attached to its functions, and reports mean it when they say "all".
 */
#ifndef HYTRACE_KERNEL_TRACEABLE_H
#define HYTRACE_KERNEL_TRACEABLE_H

#include "kernel/symbols.h"

struct traceable_function {
	uint64_t site;		/* the traced instruction, as the function tracer prints it */
	uint64_t entry;		/* the symbol; it is before the site if the function begins with ENDBR64 */
	size_t number;		/* index in ftrace's list, from 1; set_ftrace_filter accepts it */
	const char *name;
	const char *module;	/* NULL: vmlinux */
};

struct traceable;

int traceable__load(struct traceable **ret, const struct symbols *symbols);
/* For tests: like traceable__load(), for any files, with addresses or with names only. */
int traceable__read(struct traceable **ret, FILE *f, const struct symbols *symbols);
int traceable__read_names(struct traceable **ret, FILE *f, const struct symbols *symbols);
void traceable__free(struct traceable *t);

/* Without sites of (weak) functions that the linker dropped: ftrace lists them, but cannot trace them. */
size_t traceable__count(const struct traceable *t);
/*
 * Functions of a list without addresses that could be any of several symbols. They have a name, a
 * module and a number, but no address, and traceable__at() does not return them.
 */
const struct traceable_function *traceable__ambiguous(const struct traceable *t, size_t *ret_count);
const struct traceable_function *traceable__at(const struct traceable *t, size_t index);

/* Finds a function by its traced instruction or by its entry; NULL: there is none. */
const struct traceable_function *traceable__find(const struct traceable *t, uint64_t addr);

/* Like traceable__find(), but only in @module (NULL: vmlinux): another may have had the address. */
const struct traceable_function *traceable__find_in(const struct traceable *t, uint64_t addr,
						    const char *module);

/* Writes a name as ftrace's lists do: "vfs_read", or for a module "two_open [mod_two]". */
void function__full_name(char *ret, size_t room, const char *name, const char *module);

bool traceable__has_name(const struct traceable *t, const char *name);
/* All functions of that name; NULL: there are none. */
const struct traceable_function *const *traceable__named(const struct traceable *t,
							 const char *name, size_t *ret_count);

/* The name that is most similar to a mistyped one; NULL: none is similar. */
const char *traceable__similar(const struct traceable *t, const char *name);

#endif
