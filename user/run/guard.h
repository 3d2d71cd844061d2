/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The watchdog: a process of its own that undoes what this run put into the kernel, when the run ends
 * and however it ends. It waits on a pipe whose other end only hytrace holds, so that the end of
 * hytrace, also by SIGKILL, is what wakes it.
 *
 * It is the only one that cleans up, on a good day as well: there is one way to do it, and it is used
 * every time.
 */
#ifndef HYTRACE_RUN_GUARD_H
#define HYTRACE_RUN_GUARD_H

struct guard;

/* Before anything is put into the kernel. */
int guard__start(struct guard **ret);

/*
 * Tell it, before making the thing, what to remove. Any may not exist in the end. Instances go first,
 * as they use events; of the rest, what was told last is removed first.
 *   instance: a directory under tracefs's instances: tracer to nop, then rmdir
 *   event: a function event; those told one after the other go together
 *   file: unlink (an unfinished result, a pin)
 *   dir: rmdir, after the files
 */
int guard__add_instance(struct guard *g, const char *path);
int guard__add_event(struct guard *g, const char *group, const char *name);
int guard__add_file(struct guard *g, const char *path);
int guard__add_dir(struct guard *g, const char *path);

/*
 * What another run has left behind: removed at once, so that nothing of it is in this run's way.
 * What stays, as somebody uses it, is told, and not this run's failure.
 */
int guard__remove_instance(struct guard *g, const char *path);
int guard__remove_event(struct guard *g, const char *group, const char *name);

/* Has it all removed and waits for that; -EIO, said, when something stayed. */
int guard__finish(struct guard *g);

#endif
