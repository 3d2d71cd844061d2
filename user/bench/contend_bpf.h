/* SPDX-License-Identifier: GPL-2.0-only */
/* What the contenders that are BPF programs share (contend_bpf.c). */
#ifndef HYTRACE_BENCH_CONTEND_BPF_H
#define HYTRACE_BENCH_CONTEND_BPF_H

#include <bpf/libbpf.h>

#include "bench/bench.h"

/* The variant of a contender. */
struct bpf_variant {
	const char *program;
	const char *map;	/* its set; NULL: it has none to look at */
	bool denied;		/* with all functions: without those that the program and the kernel call to run it */
	const char *rest;	/* the program for functions that the first one cannot take; NULL: none */
};

/*
 * The sum of two counters: calls that the probe missed, and runs of the program that would have
 * been recursive. @link_fd: -1: it has no counter.
 */
int bench_bpf__missed(int prog_fd, int link_fd, double *ret_missed);

/* A contender's callbacks. */
int bench_bpf__setup(const struct contender *c, enum bench_scope scope);
int bench_bpf__report(const struct contender *c, struct bench_row *row);
int bench_bpf__clear(const struct contender *c);
void bench_bpf__cleanup(const struct contender *c);

/* A program of bpf/bench.bpf.c, when it is set up. */
struct bpf_program *bench_bpf__program(const char *name);
/* Does kprobe.multi, or a program, call this function? */
bool bench_bpf__is_own(const char *name);

#endif
