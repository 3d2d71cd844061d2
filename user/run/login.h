/* SPDX-License-Identifier: GPL-2.0-only */
/* The user that a command runs as, while hytrace itself keeps its own user. */
#ifndef HYTRACE_RUN_LOGIN_H
#define HYTRACE_RUN_LOGIN_H

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
 * This sets groups, user, and the variables HOME, USER, LOGNAME and SHELL, and drops all capabilities. Other variables
 * and the terminal stay. The process may still run set-user-ID programs, as that user may: no_new_privs is not set,
 * because a test suite may call sudo or ping.
 *
 * Return: 0, or a negative errno; -EPERM also if the process would keep something of the old user.
 */
int login__become(const struct login *login);

/**
 * login__free() - free the look-up
 * @login: may be NULL
 */
void login__free(struct login *login);

#endif
