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

struct guard;

/* Starts the watchdog. Call it before anything is put into the kernel. */
int guard__start(struct guard **ret);

/*
 * Tell the watchdog what to remove, before it is made. It is no error if a thing is never made.
 * Instances are removed first, because they use events. Then everything else is removed in reverse
 * order.
 *   instance: a directory below tracefs's instances: its tracer becomes nop, then rmdir
 *   event: a function event; events that were added one after the other are removed together
 *   file: unlink (an unfinished result, a pin)
 *   dir: rmdir, after the files
 */
int guard__add_instance(struct guard *g, const char *path);
int guard__add_event(struct guard *g, const char *group, const char *name);
int guard__add_file(struct guard *g, const char *path);
int guard__add_dir(struct guard *g, const char *path);

/*
 * Remove what another run has left behind, at once, so that it does not disturb this run. If it
 * cannot be removed because it is in use, a message says so, and this run does not fail.
 */
int guard__remove_instance(struct guard *g, const char *path);
int guard__remove_event(struct guard *g, const char *group, const char *name);

/*
 * Lets the watchdog remove everything, and waits for that. Returns -EIO after a message if
 * something could not be removed.
 */
int guard__finish(struct guard *g);

#endif
