/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The BPF program of `hytrace cover` as an object that can be loaded: for a run, and with the smallest
 * maps to find out whether this kernel takes it (feature_probes_bpf.c). So both fail for the same
 * reasons, and say them in the same words.
 */
#ifndef HYTRACE_KERNEL_COVER_OBJECT_H
#define HYTRACE_KERNEL_COVER_OBJECT_H

#include <stdbool.h>

struct cover_bpf;

/**
 * cover_object__open() - open the object of bpf/cover.bpf.c
 *
 * The verifier's words are kept if the kernel refuses a program of it. libbpf prints nothing.
 *
 * Return: the object, which is not loaded yet; NULL with errno.
 */
struct cover_bpf *cover_object__open(void);

/**
 * cover_object__may_load_again() - whether another try may have another outcome
 * @err: of cover_bpf__load(), a negative errno, or 0
 *
 * A kernel without CONFIG_KALLSYMS_ALL has variables in its BTF, and cannot find their addresses. If
 * that may be the reason, objects that are opened from now on do without variables.
 *
 * Return: true if an object that is opened anew should be tried.
 */
bool cover_object__may_load_again(int err);

/**
 * cover_object__try() - load the programs of both engines, with the smallest maps, and unload them
 *
 * What only some options need is left out.
 *
 * Return: 0, or a negative errno.
 */
int cover_object__try(void);

/**
 * cover_object__reason() - why the kernel has refused a program
 *
 * Return: the verifier's last words; "" if it has said nothing. They are valid until another object is
 * opened.
 */
const char *cover_object__reason(void);

/**
 * verifier__last_words() - the reason at the end of a log of the verifier
 * @log: the log, which is cut off behind that line
 *
 * Return: the last line that is no statistics; "" if there is none.
 */
const char *verifier__last_words(char *log);

#endif
