/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Processes, held by pidfds: a number may be another process's a moment later. In a PID namespace,
 * which containers have, the kernel's tracers also know a process by another number.
 */
#ifndef HYTRACE_RUN_PROCESS_H
#define HYTRACE_RUN_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/*
 * A pidfd for --pid @pid. Returns -EINVAL after a message if there is no such process, or if it is
 * only a thread.
 */
int process__open(pid_t pid);
/* A pidfd of this process, or of a child that has not been waited for. */
int process__open_own(pid_t pid);
bool process__has_ended(int pidfd);

/*
 * The numbers of its threads for set_ftrace_pid and similar files, to be freed. After a message,
 * returns -ESRCH if the process has ended, and -EOPNOTSUPP if they cannot be known.
 */
int process__threads(int pidfd, pid_t **ret, size_t *ret_count);
/*
 * A descriptor to read what the iterator program writes about the threads of this process; or a
 * negative errno.
 */
struct bpf_program;
int process__iterate(int pidfd, struct bpf_program *program);

#endif
