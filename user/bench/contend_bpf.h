/* SPDX-License-Identifier: GPL-2.0-only */
/* Questions to the kernel about BPF programs and maps. */
#ifndef HYTRACE_BENCH_CONTEND_BPF_H
#define HYTRACE_BENCH_CONTEND_BPF_H

/*
 * The sum of two counters: calls that the probe missed, and runs of the program that would have
 * been recursive.
 */
int bench_bpf__missed(int prog_fd, int link_fd, double *ret_missed);

#endif
