/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The watchdog: a process that removes what this run has put into the kernel, however the run ends.
 * It waits for the end of a pipe to which only hytrace writes. So it notices when hytrace ends,
 * even by SIGKILL.
 *
 * Nothing else cleans up. A run that ends well uses the watchdog, too, so every run tests it.
 */
#ifndef HYTRACE_RUN_GUARD_H
#define HYTRACE_RUN_GUARD_H

/*
 * The id of this run, for the names of what it makes. It is random: a process in another container may
 * have the same pid, and the kernel's names are shared by all containers.
 */
const char *run__id(void);

struct guard;

/* Starts the watchdog. Call it before anything is put into the kernel. */
int guard__start(struct guard **ret);

/*
 * What the watchdog removes at the end: instances first, because they use events, and then everything else in
 * reverse order. What another run has left behind is removed at once, so that it does not disturb this run. If
 * it cannot be removed because it is in use, a message says so, and this run does not fail.
 */
enum guarded {
	GUARD_INSTANCE = 'i',	/* a directory below tracefs's instances: its tracer becomes nop, then rmdir */
	GUARD_EVENT = 'e',	/* a function event, "GROUP/NAME"; consecutive events go together */
	GUARD_FILE = 'f',	/* unlink (an unfinished result, a pin) */
	GUARD_DIR = 'd',	/* rmdir, after the files */
	LEFT_INSTANCE = 'I',
	LEFT_EVENT = 'E',
};

/* Tells the watchdog what to remove, before it is made. It is no error if it is never made. @fmt: the path or event */
int guard__add(struct guard *g, enum guarded what, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/*
 * Lets the watchdog remove everything, and waits for that. Returns -EIO after a message if
 * something could not be removed.
 */
int guard__finish(struct guard *g);

#endif
