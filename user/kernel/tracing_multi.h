/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Links of fentry.multi: one BPF program on many functions, each by a trampoline of its own. Linux
 * 7.2 and libbpf 1.8 are the first to have them. hytrace must also compile and work with libbpf
 * 1.5, so what libbpf 1.8 adds is here: the number, and the system call.
 */
#ifndef HYTRACE_KERNEL_TRACING_MULTI_H
#define HYTRACE_KERNEL_TRACING_MULTI_H

#include <bpf/libbpf.h>
#include <linux/types.h>
#include <stddef.h>

/* BPF_TRACE_FENTRY_MULTI */
#define ATTACH_FENTRY_MULTI 59

/**
 * tracing_multi__choose() - make a program of an object that is not loaded yet one of fentry.multi
 * @program: the program
 */
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

#endif
