/* SPDX-License-Identifier: GPL-2.0-only */
/* Reports to hytrace's parent or to systemd that recording has begun. */
#ifndef HYTRACE_RUN_READY_H
#define HYTRACE_RUN_READY_H

/**
 * ready__check() - check that a descriptor can be written, and hide it from the command
 * @fd: the descriptor, from 1; 0: there is none
 *
 * Return: 0, or -EINVAL after a message.
 */
int ready__check(int fd);

/**
 * ready__tell() - report that recording has begun
 * @fd: gets the line READY, and is closed unless it is a standard stream; 0: there is none
 *
 * systemd, or another program that listens on $NOTIFY_SOCKET, gets READY=1. If that fails, there is
 * a warning, and the run goes on.
 */
void ready__tell(int fd);

#endif
