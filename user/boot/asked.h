/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How this boot was told to trace itself: by the kernel command line, and by the bootconfig, a file
 * at the end of the initramfs (Documentation/admin-guide/bootconfig.rst). The kernel adds the keys
 * below "kernel" to its command line. It applies the keys below "ftrace" after the core initcalls.
 */
#ifndef HYTRACE_BOOT_ASKED_H
#define HYTRACE_BOOT_ASKED_H

#include <stdbool.h>

struct boot_asked {
	char *line;	/* the command line; NULL: it cannot be read */
	char *config;	/* the bootconfig as /proc shows it; NULL: this kernel reads none */
};

/* Reads the line and the bootconfig; to be freed by boot_asked__free(). */
void boot_asked__load(struct boot_asked *ret);
void boot_asked__free(struct boot_asked *a);

/* Are the events of initcalls in the top-level instance, as they must be before Linux 6.3? */
bool boot_asked__in_top(const struct boot_asked *a);

/* Do buffers, also the top-level one, keep their first events, by trace_options=? */
bool boot_asked__keeps_first(const struct boot_asked *a);

/* Did the bootconfig ask for the instance? Then a next boot with this initramfs asks twice. */
bool boot_asked__by_config(const struct boot_asked *a);

/* Did the command line or the bootconfig ask for the instance? */
bool boot_asked__instance(const struct boot_asked *a);

/*
 * The boot loader's command line. Kernels before Linux 6.9 do not show it: then the result includes
 * the parameters that the bootconfig has added. NULL: it cannot be read.
 */
const char *boot_asked__loader_line(const struct boot_asked *a);

/*
 * Tells on stderr which parameters of this boot were of no use, and what to do instead.
 * @start: the boot's initcalls were recorded; @early: its early part was
 */
void boot_asked__explain(bool start, bool early);

/*
 * The functions below return a message, which is constant: the parameter that hytrace boot cannot
 * use, and what to do instead. NULL: there is no such parameter.
 */
/* Why there are no events of initcalls. */
const char *boot_asked__no_events(const struct boot_asked *a);
/* Why the first initcalls are missing. */
const char *boot_asked__late_events(const struct boot_asked *a);
/* Why the instance that should have the initcalls has no events. */
const char *boot_asked__moved_events(const struct boot_asked *a);
/* Why a kernel that can record the early part has not done so. */
const char *boot_asked__late_tracer(const struct boot_asked *a);

#endif
