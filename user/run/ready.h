/* SPDX-License-Identifier: GPL-2.0-only */
/* Telling whoever has started hytrace that it has begun: a descriptor, or systemd. */
#ifndef HYTRACE_RUN_READY_H
#define HYTRACE_RUN_READY_H

/**
 * ready__check() - whether a descriptor can be written to, and keeps it from the command
 * @fd: the descriptor, from 1; 0: there is none
 *
 * Return: 0, or -EINVAL, which is said.
 */
int ready__check(int fd);

/**
 * ready__tell() - says that it has begun
 * @fd: the line READY is written there, and it is closed, unless it is a standard stream; 0: there is none
 *
 * systemd, or whoever listens on $NOTIFY_SOCKET in its place, is told READY=1. That nobody can be told is a warning:
 * it has begun all the same.
 */
void ready__tell(int fd);

#endif
