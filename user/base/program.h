/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is the same for all programs: `hytrace`, and `hytrace-NAME` for commands that it has not in itself. Such a program
 * lies beside `hytrace`, as in build/, or in ../libexec/hytrace. Each one finds the others.
 */
#ifndef HYTRACE_BASE_PROGRAM_H
#define HYTRACE_BASE_PROGRAM_H

/**
 * program__run() - do what main() has to do
 * @argc: of main()
 * @argv: of main()
 * @name: what messages call it, "hytrace NAME"; NULL: as @argv has it
 * @run: what it is for
 *
 * Return: the exit status.
 */
int program__run(int argc, char **argv, char *name, int (*run)(int argc, char **argv));

/**
 * program__exec() - become another program
 * @name: of the program, as "hytrace-boot"
 * @argv: its arguments, from its name on
 *
 * It has to belong to root, to the user, or to the owner of this program.
 *
 * Return: only if it fails: -ENOENT if there is no such program, without a message; another error after one.
 */
int program__exec(const char *name, char **argv);

#endif
