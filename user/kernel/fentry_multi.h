/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * fentry.multi: one BPF program on many functions, each by a trampoline of its own. Linux 7.2 and libbpf 1.8
 * are the first to have it. hytrace must also compile and work with libbpf 1.5, so what libbpf 1.8 adds is
 * here: the number, and the system call.
 */
#ifndef HYTRACE_KERNEL_FENTRY_MULTI_H
#define HYTRACE_KERNEL_FENTRY_MULTI_H

#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <json-c/linkhash.h>
#include <linux/types.h>

#include "kernel/symbols.h"
#include "kernel/traceable.h"

/* BPF_TRACE_FENTRY_MULTI */
#define ATTACH_FENTRY_MULTI 59

/* Makes a program of an object that is not loaded yet one of fentry.multi. */
void tracing_multi__choose(struct bpf_program *program);

/**
 * tracing_multi__clone() - load a program once more, for the functions of a module
 * @program: a loaded program of fentry.multi
 * @btf: a descriptor of the module's BTF
 *
 * A program is for the functions of one BTF. The clone shares the maps of @program. While the clone
 * is loaded, the module cannot be unloaded.
 *
 * Return: a descriptor, or a negative errno.
 */
int tracing_multi__clone(const struct bpf_program *program, int btf);

/**
 * tracing_multi__link() - attach a program to functions
 * @program: a descriptor of the program
 * @ids: the functions' numbers in the program's BTF, each once
 * @count: the number of @ids
 *
 * If the kernel refuses one function, it refuses all, and does not say which one it is.
 *
 * Return: a descriptor of the link, or a negative errno.
 */
int tracing_multi__link(int program, const __u32 *ids, size_t count);

/* ---- the functions */

enum fentry_fit {
	FENTRY_NO_TYPE,		/* not in BTF, as functions with suffixes such as .isra.0 */
	FENTRY_FITS,
	FENTRY_NAMESAKE,	/* its name has several symbols, or several types */
	FENTRY_DENIED,		/* the kernel calls it to run the program */
	FENTRY_VARARGS,
	FENTRY_RETURN,		/* it returns a struct, or a type that the kernel does not take */
	FENTRY_ARGUMENT,	/* an argument has over 16 bytes, or a type that is not taken */
	FENTRY_MANY,		/* more than 12 words of arguments */
};

struct fentry_id {
	enum fentry_fit fit;
	__u32 id;		/* if it fits: its id in the BTF of its module, or of vmlinux */
	struct fentry_id *namesake;	/* another function of its name, in any module */
};

struct fentry_ids {
	const struct traceable *traceable;
	struct fentry_id *list;	/* for each function of @traceable, in its order */
	struct lh_table *names;	/* by name: one function, which links its namesakes */
};

/**
 * fentry_ids__begin() - make a list, in which only namesakes are known so far
 * @ids: the list
 * @t: the functions; must outlive @ids
 * @symbols: the kernel's symbols, read at the time of @t
 */
void fentry_ids__begin(struct fentry_ids *ids, const struct traceable *t, const struct symbols *symbols);

/**
 * fentry_ids__add() - set the fit of each function of vmlinux, or of one module
 * @ids: the list
 * @btf: the types of @module
 * @module: the module; NULL: vmlinux
 */
void fentry_ids__add(struct fentry_ids *ids, const struct btf *btf, const char *module);

/**
 * fentry_ids__find() - find the only function of a name in a module
 * @ids: the list
 * @name: the function
 * @module: the module; NULL: vmlinux
 *
 * Return: its fit and id; NULL: no function has this name, or several have it.
 */
const struct fentry_id *fentry_ids__find(const struct fentry_ids *ids, const char *name, const char *module);

void fentry_ids__free(struct fentry_ids *ids);

/* Functions to attach to. */
struct fentry_try {
	__u32 *ids;
	size_t *indices;	/* the caller's index of each function */
	size_t count;
	int refusal;		/* negative errno: the kernel refused the whole list; else 0 */
};

/**
 * fentry_try__link() - attach to the functions of a list that the kernel accepts
 * @list: the functions; refused functions are removed
 * @link: attaches to @count functions; returns a descriptor or a negative errno
 * @context: for @link
 *
 * If the kernel refuses the list, halves of it are tried until each refused function is known. Then
 * all other functions are attached at once.
 *
 * Return: the descriptor; or a negative errno, and the list is useless then. -ENOENT: the kernel
 * refuses all functions.
 */
int fentry_try__link(struct fentry_try *list, int (*link)(void *context, const __u32 *ids, size_t count),
		     void *context);

#endif
