/* SPDX-License-Identifier: GPL-2.0-only */
/* Starts the next boot with other parameters, once. */
#ifndef HYTRACE_BOOT_NEXT_H
#define HYTRACE_BOOT_NEXT_H

/**
 * boot_next__command_line() - the command line of this boot with other parameters of ours
 * @current: that of this boot
 * @parameters: what is added; parameters of ours that are there already are left out
 *
 * Return: the command line, to be freed.
 */
char *boot_next__command_line(const char *current, const char *parameters);

/**
 * boot_next__bootconfig() - the same parameters as a bootconfig
 * @parameters: as on a command line
 *
 * Return: its text, to be freed.
 */
char *boot_next__bootconfig(const char *parameters);

/**
 * boot_next__load() - load a kernel that the next reboot by kexec starts
 * @kernel: its image; NULL: that of the running kernel in /boot
 * @initrd: its initramfs; NULL: with the default image, the one beside it, and otherwise none
 * @parameters: see boot_next__command_line()
 *
 * Nothing is written to any file, so the boot after the next one is as before. Needs CAP_SYS_BOOT.
 * Return: 0, or a negative error after a message.
 */
int boot_next__load(const char *kernel, const char *initrd, const char *parameters);

/**
 * boot_next__reboot() - become the command that reboots
 * @command: its words, and NULL
 *
 * Return: a negative error after a message; then the kernel is unloaded again.
 */
int boot_next__reboot(char **command);

#endif
