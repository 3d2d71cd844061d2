/* SPDX-License-Identifier: GPL-2.0-only */
/* Starts the next boot with other parameters, once. */
#ifndef HYTRACE_BOOT_NEXT_H
#define HYTRACE_BOOT_NEXT_H

/**
 * boot_next__command_line() - replace hytrace's parameters in a command line
 * @current: the command line of this boot; hytrace's parameters in it are left out
 * @parameters: the parameters to add
 *
 * Return: the command line, to be freed.
 */
char *boot_next__command_line(const char *current, const char *parameters);

/**
 * boot_next__bootconfig() - write the parameters as a bootconfig
 * @parameters: as on a command line
 *
 * Return: its text, to be freed.
 */
char *boot_next__bootconfig(const char *parameters);

/**
 * boot_next__load() - load a kernel that the next reboot by kexec starts
 * @kernel: the kernel's image; NULL: the image of the running kernel in /boot
 * @initrd: the initramfs; NULL: if @kernel is NULL, the running kernel's in /boot, otherwise none
 * @parameters: see boot_next__command_line()
 *
 * Nothing is written to any file, so the boot after the next one is as before. Needs CAP_SYS_BOOT.
 * Return: 0, or a negative error after a message.
 */
int boot_next__load(const char *kernel, const char *initrd, const char *parameters);

/**
 * boot_next__reboot() - execute the command that reboots, in place of this process
 * @command: its words, then NULL
 *
 * Return: a negative error after a message; then the kernel is unloaded again.
 */
int boot_next__reboot(char **command);

#endif
