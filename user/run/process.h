/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Processes are held by pidfds, because the kernel may use the number of an ended process again.
 * For a process in a PID namespace, as containers have, the kernel's tracers use another number.
 */
#ifndef HYTRACE_RUN_PROCESS_H
#define HYTRACE_RUN_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/*
 * Opens a pidfd for --pid @pid. Returns -EINVAL after a message if there is no such process, or if
 * it is only a thread.
 */
int process__open(pid_t pid);
/* Opens a pidfd of this process, or of a child that has not been waited for. */
int process__open_own(pid_t pid);
bool process__has_ended(int pidfd);

/*
 * The numbers of the process's threads for set_ftrace_pid and similar files, to be freed. After a
 * message, returns -ESRCH if the process has ended, and -EOPNOTSUPP if the numbers cannot be found.
 */
int process__threads(int pidfd, pid_t **ret, size_t *ret_count);
/*
 * Opens a descriptor from which the output of an iterator program about the process's threads can
 * be read. Returns it, or a negative errno.
 */
struct bpf_program;
int process__iterate(int pidfd, struct bpf_program *program);

#endif
