/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Common to all programs: `hytrace`, and `hytrace-NAME` for commands that are programs of their own. Such a
 * program is beside `hytrace`, as in build/, or in ../libexec/hytrace. Each program finds the others.
 */
#ifndef HYTRACE_BASE_PROGRAM_H
#define HYTRACE_BASE_PROGRAM_H

/**
 * program__run() - do what main() has to do
 * @argc: from main()
 * @argv: from main()
 * @name: the program's name in messages, "hytrace NAME"; NULL: as in @argv
 * @run: the program's own work
 *
 * Return: the exit status.
 */
int program__run(int argc, char **argv, char *name, int (*run)(int argc, char **argv));

/**
 * program__exec() - become another program
 * @name: the name of the program, such as "hytrace-boot"
 * @argv: its arguments, from its name on
 *
 * The program has to belong to root, to the user, or to the owner of this program.
 *
 * Return: only after an error: -ENOENT if there is no such program, without a message; another errno after a message.
 */
int program__exec(const char *name, char **argv);

#endif
