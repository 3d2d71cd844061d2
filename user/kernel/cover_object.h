/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The BPF programs of `hytrace cover`, to be loaded: for a run, or, with the smallest maps, to find
 * out whether this kernel accepts them (feature_probes.c). So a run and that probe give one
 * reason for a failure.
 */
#ifndef HYTRACE_KERNEL_COVER_OBJECT_H
#define HYTRACE_KERNEL_COVER_OBJECT_H

struct cover_bpf;

/**
 * cover_object__open() - open the object of bpf/cover.bpf.c
 *
 * If the kernel refuses a program, the verifier's log is kept. libbpf prints nothing.
 *
 * Return: the object, which is not loaded yet; NULL with errno.
 */
struct cover_bpf *cover_object__open(void);

/**
 * cover_object__may_load_again() - whether a second try may succeed
 * @err: the result of cover_bpf__load(): a negative errno, or 0
 *
 * A kernel without CONFIG_KALLSYMS_ALL has variables in its BTF, but not their addresses. If that
 * may be the reason for @err, objects that are opened from now on use no variables.
 *
 * Return: true if the caller should open the object again and load it.
 */
bool cover_object__may_load_again(int err);

/*
 * Loads the programs of --engine bpf and event with small maps, without what only some options need, and unloads them.
 * Returns 0, or a negative errno.
 */
int cover_object__try(void);

/* Why the kernel has refused a program: verifier__last_words() of the log, valid until another object is opened. */
const char *cover_object__reason(void);

/* The last line of a log that is not statistics; "": there is none. The log is cut off after that line. */
const char *verifier__last_words(char *log);

#endif
