/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What this boot was asked for: its kernel command line, and its bootconfig, which is a file at the
 * end of the initramfs (Documentation/admin-guide/bootconfig.rst). What that has below "kernel" is on
 * the command line, too. What it has below "ftrace" is not, and begins after the core initcalls.
 */
#ifndef HYTRACE_BOOT_ASKED_H
#define HYTRACE_BOOT_ASKED_H

#include <stdbool.h>

struct boot_asked {
	char *line;	/* the command line; NULL: it cannot be read */
	char *config;	/* the bootconfig as /proc shows it; NULL: this kernel reads none */
};

/* Reads both; to be freed by boot_asked__free(). */
void boot_asked__load(struct boot_asked *ret);
void boot_asked__free(struct boot_asked *a);

/* Did it ask for events of initcalls in the top-level instance, as it must before Linux 6.3? */
bool boot_asked__in_top(const struct boot_asked *a);

/* Did it ask for buffers that keep their first events? Then the top-level one does, too. */
bool boot_asked__keeps_first(const struct boot_asked *a);

/* Did a bootconfig ask for the instance? If it is read once more, the next boot is asked for it twice. */
bool boot_asked__by_config(const struct boot_asked *a);

/* Did it ask for the instance, in either way? */
bool boot_asked__instance(const struct boot_asked *a);

/*
 * The command line without what the bootconfig has added, as far as the kernel tells it (since Linux
 * 6.9), otherwise with that; NULL: it cannot be read.
 */
const char *boot_asked__loader_line(const struct boot_asked *a);

/*
 * Tells on stderr what this boot asked for in vain, and what to do instead.
 * @start: its initcalls are there, @early: its early part is
 */
void boot_asked__explain(bool start, bool early);

/*
 * What it asked for in a way that hytrace boot has no use for, with what to do instead; NULL: nothing.
 * The texts are constants.
 */
/* In place of the events of initcalls. */
const char *boot_asked__no_events(const struct boot_asked *a);
/* As the first initcalls are not there. */
const char *boot_asked__late_events(const struct boot_asked *a);
/* As the instance that has to have the initcalls has none. */
const char *boot_asked__moved_events(const struct boot_asked *a);
/* In place of the early part, on a kernel that could record it. */
const char *boot_asked__late_tracer(const struct boot_asked *a);

#endif
