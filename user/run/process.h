/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Processes are held by pidfds, because the kernel may use the number of an ended process again.
 * For a process in a PID namespace, as containers have, the kernel's tracers use another number.
 */
#ifndef HYTRACE_RUN_PROCESS_H
#define HYTRACE_RUN_PROCESS_H

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

/* ---- the user that a command runs as, while hytrace itself keeps its own user */

struct login;

/**
 * login__find() - look a user up
 * @ret: to be freed by login__free()
 * @name: a name, or a number that has an entry in the user database
 *
 * Return: 0, or -EINVAL or -EPERM after a message.
 */
int login__find(struct login **ret, const char *name);

/**
 * login__become() - make the current process run as that user
 * @login: the user
 *
 * This sets groups, user, and the variables HOME, USER, LOGNAME and SHELL, and drops all capabilities. Other
 * variables and the terminal stay. The process may still run set-user-ID programs, as that user may:
 * no_new_privs is not set, because a test suite may call sudo or ping.
 *
 * Return: 0, or a negative errno; -EPERM also if the process would keep something of the old user.
 */
int login__become(const struct login *login);

/* @login: may be NULL */
void login__free(struct login *login);

#endif
