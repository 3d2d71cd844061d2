/* SPDX-License-Identifier: GPL-2.0-only */
/* What is asked of the kernel about BPF programs and maps. */
#ifndef HYTRACE_BENCH_CONTEND_BPF_H
#define HYTRACE_BENCH_CONTEND_BPF_H

/* Two counters: the probe's, and the program's own when it would have run inside itself. */
int bench_bpf__missed(int prog_fd, int link_fd, double *ret_missed);

#endif
