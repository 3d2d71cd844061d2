/* SPDX-License-Identifier: GPL-2.0-only */
/* How this boot was told to trace itself, and how the next one is, once: by kexec, or by an entry of the boot loader. */
#ifndef HYTRACE_BOOT_NEXT_H
#define HYTRACE_BOOT_NEXT_H

#include "boot/boot.h"

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

/* What a command line asks for. */
struct boot_asked {
	bool instance;			/* the instance of the events */
	bool in_top;			/* events of initcalls in the top-level instance, as they must be before Linux 6.3 */
	bool keeps_first;		/* that buffers, also the top-level one, keep their first events */
	const char *no_events;		/* why there are no events of initcalls, a constant sentence; NULL: it does not tell */
};

struct boot_asked boot_asked__by(const char *line);
/* What the command line of this boot asks for. */
struct boot_asked boot_asked__now(void);

/* ---- the next one */

/* The parameters that the kernel of this release needs for its boot to be recorded, also with kernel @probes; to be freed. */
char *boot_events__parameters(const char *release, bool probes);
/* The command line @current without hytrace's parameters, and with @parameters; to be freed. @in_grub: as grub.cfg has it. */
char *boot_next__command_line(const char *current, const char *parameters, bool in_grub);

/**
 * boot_next__load() - load a kernel that the next reboot by kexec starts
 * @kernel: the kernel's image; NULL: the image of the running kernel in /boot
 * @initrd: the initramfs; NULL: if @kernel is NULL, the running kernel's in /boot, otherwise none
 * @parameters: see boot_next__command_line()
 *
 * Nothing is written to any file. Return: 0, or a negative error after a message.
 */
int boot_next__load(const char *kernel, const char *initrd, const char *parameters);
/* Becomes the command that reboots. Returns a negative error after a message; then the kernel is unloaded again. */
int boot_next__reboot(char **command);

/**
 * boot_next__add_entry() - make the boot loader start this kernel with other parameters, in the next boot only
 * @root: the directory in which /boot and /sys are; "" but in tests
 * @release: of the kernel
 * @parameters: see boot_next__command_line()
 *
 * The entry is a copy of the one that has started this kernel. For GRUB, it is in custom.cfg, and in no menu but that
 * of the next boot. For systemd-boot, it stays until boot_next__remove_entry().
 *
 * Return: 0, or a negative error after a message.
 */
int boot_next__add_entry(const char *root, const char *release, const char *parameters);
/* Removes the entry, if there is one, also if it was not started. Returns 0, or a negative error after a message. */
int boot_next__remove_entry(const char *root);

/* ---- the events of this boot in tracefs (record.c) */

/* The instance of tracefs that has the events; the name of the group of the probes. */
#define START_INSTANCE "hytrace_boot"
#define PROBES_GROUP "hytrace_boot"
/* Some 70,000 events for each CPU. */
#define START_BUFFER "trace_buf_size=4M"
/* A full buffer keeps its first events, and the kernel does not clear it to change the clock. */
#define START_KEEP "trace_options=nooverwrite"
#define START_CLOCK "trace_clock=local"

/**
 * boot_events__load() - find and read the events of this boot
 * @b: gets them
 * @dir: the mount point of tracefs
 * @asked: of this boot
 *
 * Return: 0; -ENOENT, without a message but @asked->no_events, if this boot was not asked for events; -ENODATA, -EPROTO
 * or another error after a message.
 */
int boot_events__load(struct boot *b, const char *dir, const struct boot_asked *asked);
/* Removes the instance, which frees its memory, and the probes, if they are there. Returns a negative error after a message. */
int boot_events__release(const char *dir);
/* Copies the events as tracefs shows them, for viewers of traces. Returns a negative error after a message. */
int boot_events__copy(const char *dir, FILE *out);

#endif
