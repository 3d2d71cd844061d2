/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Names for kernel text addresses, from /proc/kallsyms read once into a sorted array, and where modules
 * lie, from /proc/modules.
 *
 * A table is a snapshot: an address is looked up in the table of the time it belongs to, since another
 * module may live there later.
 */
#ifndef HYTRACE_KERNEL_SYMBOLS_H
#define HYTRACE_KERNEL_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct symbol {
	uint64_t addr;
	const char *name;
	const char *module;	/* NULL: vmlinux. "bpf", "__builtin__ftrace": generated code */
};

struct module {
	const char *name;
	uint64_t base;		/* of its text; 0 when hidden */
	uint64_t size;
	bool live;		/* neither coming nor going */
};

struct symbols;
struct kept_places;

/* Reads the running kernel's; fails with -EPERM, and says what to do, when the addresses are hidden. */
int symbols__load(struct symbols **ret);
/* The same of another list, which is kept at other places (kept_list.h), for tests. */
int symbols__load_kept(struct symbols **ret, const struct kept_places *places, const char *path);
/* The same from any two files, for tests and for recorded samples. */
int symbols__read(struct symbols **ret, FILE *kallsyms, FILE *modules);
/* Only the modules, which takes a hundredth of that: nothing is found by address or by name. */
int symbols__load_modules(struct symbols **ret);
/*
 * Whether the modules are those that were there then, and where: if so, each address that has a
 * name now has the one that @s knows. Reading all of kallsyms again takes a fifth of a second of a
 * slow machine.
 */
bool symbols__hold(const struct symbols *s);
void symbols__free(struct symbols *s);

size_t symbols__count(const struct symbols *s);
/* In order of address. */
const struct symbol *symbols__at(const struct symbols *s, size_t index);

/* The symbol whose text holds @addr, or NULL when nothing known is there. */
const struct symbol *symbols__find(const struct symbols *s, uint64_t addr);
/* The same where no generated code can be, as at a function that ftrace traces: it may take less. */
const struct symbol *symbols__find_lasting(const struct symbols *s, uint64_t addr);
/* The first symbol of that exact name in vmlinux, or NULL. */
const struct symbol *symbols__by_name(const struct symbols *s, const char *name);

const struct module *symbols__module(const struct symbols *s, const char *name);
const struct module *symbols__modules(const struct symbols *s, size_t *ret_count);

/* Generated code has no place in any image: BPF programs, trampolines, probes' slots. */
bool symbol__is_generated(const struct symbol *sym);

#endif
