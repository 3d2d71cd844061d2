/* SPDX-License-Identifier: GPL-2.0-only */
/* How this boot was told to trace itself, and how the next one is, once: by kexec, or by an entry of the boot loader. */
#ifndef HYTRACE_BOOT_NEXT_H
#define HYTRACE_BOOT_NEXT_H

#include <stdbool.h>
#include <stddef.h>

/* ---- this boot: the words of its kernel command line */

struct boot_word {
	const char *text;		/* as it is there */
	size_t length;
	/* Without quotes around the whole, or around the value. */
	const char *name;
	size_t name_length;
	const char *value;		/* NULL: the word has no "=" */
	size_t value_length;
};

/* Finds the next word, from *@at on. Returns false at the end, and at "--": the words after it are for init. */
bool boot_word__next(const char **at, struct boot_word *ret);
/* Does the word equal @text, or begin with it if @text ends with a star, apart from quotes? */
bool boot_word__is(const struct boot_word *word, const char *text);

struct boot_asked {
	char *line;			/* the command line; NULL: it cannot be read */
};

/* Reads the command line; to be freed by boot_asked__free(). */
void boot_asked__load(struct boot_asked *ret);
void boot_asked__free(struct boot_asked *a);

/* Did the command line ask for the instance? */
bool boot_asked__instance(const struct boot_asked *a);
/* Are the events of initcalls in the top-level instance, as they must be before Linux 6.3? */
bool boot_asked__in_top(const struct boot_asked *a);
/* Do buffers, also the top-level one, keep their first events, by trace_options=? */
bool boot_asked__keeps_first(const struct boot_asked *a);

/* Why there are no events of initcalls, if the command line tells it: a constant sentence, or NULL. */
const char *boot_asked__no_events(const struct boot_asked *a);
/* Tells it on stderr, about this boot. */
void boot_asked__explain(void);

/* ---- the next one */

/**
 * boot_next__command_line() - replace hytrace's parameters in a command line
 * @current: the command line of this boot; hytrace's parameters in it are left out
 * @parameters: the parameters to add
 *
 * Return: the command line, to be freed.
 */
char *boot_next__command_line(const char *current, const char *parameters);

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

/**
 * boot_next__add_entry() - make the boot loader start this kernel with other parameters, in the next boot only
 * @root: the directory in which /boot and /sys are; "" but in tests
 * @release: of the kernel
 * @parameters: see boot_next__command_line()
 *
 * The entry is a copy of the one that has started this kernel. For GRUB, it is in custom.cfg, and in no menu but that of
 * the next boot. For systemd-boot, it stays until boot_next__remove_entry().
 *
 * Return: 0, or a negative error after a message.
 */
int boot_next__add_entry(const char *root, const char *release, const char *parameters);
/* Removes the entry, if there is one, also if it was not started. Returns 0, or a negative error after a message. */
int boot_next__remove_entry(const char *root);

#endif
