/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Processes, by a pidfd: a number may be another process's a moment later, and in a PID namespace, as
 * containers have them, it is not the number that the kernel's tracers know it by.
 */
#ifndef HYTRACE_RUN_PROCESS_H
#define HYTRACE_RUN_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* A pidfd of --pid @pid; -EINVAL, said, when there is no such process, or it is a mere thread of one. */
int process__open(pid_t pid);
/* A pidfd of ourselves, or of a child that has not been waited for. */
int process__open_own(pid_t pid);
bool process__has_ended(int pidfd);

/*
 * Its threads as set_ftrace_pid and the like want them, to be freed. -ESRCH, said, when it has ended;
 * -EOPNOTSUPP, said, when they cannot be known.
 */
int process__threads(int pidfd, pid_t **ret, size_t *ret_count);
/* The descriptor to read what the iterator program writes, of those threads only; or negative errno. */
struct bpf_program;
int process__iterate(int pidfd, struct bpf_program *program);

#endif
