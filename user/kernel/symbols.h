/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Names for addresses of kernel text, from /proc/kallsyms, which is read once into a sorted array; and
 * the places of modules, from /proc/modules.
 *
 * A table is a snapshot. An address must be looked up in the table of its time, because another
 * module may be there later.
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
	const char *module;	/* NULL: vmlinux; "bpf" and "__builtin__ftrace" are generated code */
};

struct module {
	const char *name;
	uint64_t base;		/* the beginning of its text; 0 if hidden */
	uint64_t size;		/* the size of all its memory, which may be in several pieces */
	bool live;		/* neither being loaded nor being unloaded */
};

struct symbols;

/*
 * Reads the running kernel's symbols. If the addresses are hidden, returns -EPERM after a message
 * that says what to do.
 */
int symbols__load(struct symbols **ret);
/* For tests and recorded samples: like symbols__load(), for two files. */
int symbols__read(struct symbols **ret, FILE *kallsyms, FILE *modules);
/* Reads only the modules, without symbols, which takes a hundredth of the time. */
int symbols__load_modules(struct symbols **ret);
/*
 * Are all modules of @s still there, at their addresses, and no further ones? Then the names of @s
 * are still right. This is for speed: on a slow machine, reading kallsyms again takes a fifth of a
 * second.
 */
bool symbols__hold(const struct symbols *s);
void symbols__free(struct symbols *s);

size_t symbols__count(const struct symbols *s);
/* The symbols in order of address. */
const struct symbol *symbols__at(const struct symbols *s, size_t index);

/* The symbol whose text contains @addr; NULL: nothing known is there. */
const struct symbol *symbols__find(const struct symbols *s, uint64_t addr);
/**
 * symbols__is_inside() - is an address certainly in the vmlinux, module or generated code of a symbol?
 * @s: the table
 * @sym: the symbol that symbols__find() returns for @addr
 * @addr: the address
 *
 * Nothing says where a module's last function ends, and another module's text may come next. But
 * modules do not share a page.
 *
 * Return: false for an address behind the page in which the last function of a module begins.
 */
bool symbols__is_inside(const struct symbols *s, const struct symbol *sym, uint64_t addr);

/* The first symbol of vmlinux with exactly this name; NULL: there is none. */
const struct symbol *symbols__by_name(const struct symbols *s, const char *name);

/*
 * The number of this symbol of vmlinux among those of its name, from 1, in the order of kallsyms: live patching has
 * the same numbers (sympos). 0: there is none of this name at this address. The first call counts all symbols.
 */
uint32_t symbols__number(struct symbols *s, uint64_t addr, const char *name);

const struct module *symbols__module(const struct symbols *s, const char *name);
const struct module *symbols__modules(const struct symbols *s, size_t *ret_count);

/**
 * symbols__module_stayed() - has a module stayed loaded?
 * @before: the modules at an earlier time
 * @now: the present modules
 * @name: the module's name
 *
 * Return: whether the module was live then and is live now, at the same address.
 */
bool symbols__module_stayed(const struct symbols *before, const struct symbols *now, const char *name);

/**
 * module__has_ended_init() - has the module's init text been freed?
 * @name: the module's name; the module is live for a while before its init text is freed
 *
 * Return: 1: yes; 0: not yet; a negative errno: the kernel does not say.
 */
int module__has_ended_init(const char *name);

/*
 * Is the symbol in generated code (BPF programs, trampolines, probes' slots), which is in no image?
 */
bool symbol__is_generated(const struct symbol *sym);

/* ---- names across builds: a compiler that clones or splits a function appends a suffix to its name, as ".isra.0" */

struct strings;

/* The length of @name without what the compiler appends. */
size_t function__base_length(const char *name);
/* @name without what the compiler appends, in @names; @name itself if nothing is appended. */
const char *function__base_name(struct strings *names, const char *name);

/*
 * ---- lists of text
 *
 * /proc/kallsyms and ftrace's list have a line for each of a hundred thousand addresses, and most lines are in
 * order of address. Each run reads them, which is most of the loader's own cost. So these functions are faster
 * for such lists than those of the C library, which take any text in any order.
 */

/* Opens a list like fopen(); each read takes as much as the kernel returns at once. */
FILE *text_list__open(const char *path);

/**
 * text_list__read() - pass each line of a list to a function
 * @f: the list
 * @use: gets the line, which it may change; if it does not return 0, the reading ends
 * @context: for @use
 *
 * Return: 0, what @use returned, or -EIO if the list could not be read to its end.
 */
int text_list__read(FILE *f, int (*use)(void *context, char *line), void *context);

/**
 * text_list__address() - read the address at the beginning of a line
 * @line: hexadecimal digits, without 0x
 * @ret_end: the first character that is no digit; @line: there is no address
 *
 * Return: the address; its lowest 64 bits if there are more digits.
 */
uint64_t text_list__address(const char *line, char **ret_end);

/**
 * text_list__sort() - sort an array like qsort(), but quickly if few neighbours are out of order
 * @list: the array
 * @count: the number of its elements
 * @size: the size of an element, at most 64 bytes
 * @compare: as for qsort(); the order of equal elements must not matter
 */
void text_list__sort(void *list, size_t count, size_t size,
		     int (*compare)(const void *a, const void *b));

#endif
