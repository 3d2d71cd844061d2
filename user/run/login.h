/* SPDX-License-Identifier: GPL-2.0-only */
/* The user that a command runs as, while hytrace itself stays who it is. */
#ifndef HYTRACE_RUN_LOGIN_H
#define HYTRACE_RUN_LOGIN_H

struct login;

/**
 * login__find() - look a user up
 * @ret: to be freed by login__free()
 * @name: a name, or a number that has an entry in the user database
 *
 * Return: 0, or -EINVAL or -ENOMEM, which is said.
 */
int login__find(struct login **ret, const char *name);

/**
 * login__become() - be that user from now on, in a process of its own
 * @login: the user
 *
 * Groups, user, and the variables HOME, USER, LOGNAME and SHELL.
 *
 * Return: 0, or a negative errno.
 */
int login__become(const struct login *login);

/**
 * login__free() - forget it
 * @login: may be NULL
 */
void login__free(struct login *login);

#endif
