/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The part of a boot from the initcalls on, on any kernel: which initcalls ran, when, for how long,
 * and when init was started. The trace events that tell this are enabled by the kernel's command
 * line; boot_start__parameters() has what to add to it.
 *
 * Times are those of the clock "local", in ns, with a resolution of a microsecond. It begins with
 * the kernel's own clock (0 in dmesg).
 */
#ifndef HYTRACE_BOOT_START_H
#define HYTRACE_BOOT_START_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "boot/clock.h"

/* The instance of tracefs that has the events. */
#define START_INSTANCE "hytrace_boot"
/* Some 70,000 events for each processor. */
#define START_BUFFER "trace_buf_size=4M"
/* A full buffer keeps its first events. And the kernel does not clear it to change to a slower clock. */
#define START_KEEP "trace_options=nooverwrite"
#define START_CLOCK "trace_clock=local"
/* The level of initcalls that modules make, that came before all levels, or whose level is lost. */
#define NO_LEVEL SIZE_MAX

struct boot_probes;
struct boot_sched;
struct boot_waits;
struct strings;

struct start_level {
	const char *name;		/* "early", "pure", ... "late" */
	/* Until the next level. The last one ends with its last initcall. */
	uint64_t start, time;
	uint64_t in_initcalls;		/* the part of it that the task of the initcalls spent in them */
	size_t initcalls;
};

struct start_initcall {
	const char *name;		/* NULL: a module's, which the kernel does not know any more */
	const char *module;		/* NULL: the kernel's own, or not known */
	const char *place;		/* as the event has it */
	size_t level;
	bool own;			/* it is a function of the kernel's own image */
	int pid;
	uint64_t start, time;
	uint64_t self;			/* without other initcalls that the same task made meanwhile */
	int result;
	bool finished;
};

/* A program of process 1: that of the initramfs, and then the one that it starts in its place. */
struct start_init {
	const char *program;
	uint64_t time;
	struct clock_range ahead;	/* of the time after that: what has to be added to CLOCK_MONOTONIC */
};

/* Other people may have the same events in a buffer that has the probes. */
enum start_events { START_ALL, START_PROBES };

struct boot_start {
	struct start_level *levels;
	size_t level_count;
	struct start_initcall *initcalls;	/* in order of time */
	size_t initcall_count;
	struct start_init *inits;
	size_t init_count;
	struct boot_sched *sched;	/* what tasks did; NULL: this boot was not asked for it */
	struct boot_waits *waits;	/* what process 1 waited for; NULL if @sched is */
	struct boot_probes *probes;	/* NULL: this boot was not asked for them */
	uint64_t lost;			/* events that were overwritten, or found no room before init */
	uint64_t full;			/* when the first processor's buffer was full, which kept its events then; 0: none was */
	size_t unread;			/* lines that are no events: names may have newlines */
	const char *first_unread;	/* the first of them; NULL: there is none */
	uint64_t clock_back;		/* how much the kernel's clock went back; earlier times have been moved back, too */
	size_t events, events_until_init;
	uint64_t event_ns;		/* what a thousand events cost, about; 0: not known */
	struct strings *store;
};

/**
 * boot_start__read() - read the events of a boot
 * @ret: what they tell; zeroed before the first file but for its member lost, and to be freed by
 *	boot_start__free(), also after errors
 * @which: the kinds of events to take; of two files, the second one is read for its probes
 * @f: the file `trace` of a tracefs instance
 * @until: events after this time are left out, so that reading ends although it causes events;
 *	UINT64_MAX: none is
 * @name: its name, for messages
 *
 * Other events are left out. Call boot_start__settle() after the last file. Return: 0, or a negative
 * error after a message; -EPROTO if there are lines, and none can be read.
 */
int boot_start__read(struct boot_start *ret, enum start_events which, FILE *f, uint64_t until, const char *name);
/* The buffer of this processor was full: what it did after its last event is not known. */
void boot_start__note_full(struct boot_start *s, size_t cpu);
/* After that of all processors: if a buffer was full before init, the @events that found no room are lost. */
void boot_start__note_no_room(struct boot_start *s, uint64_t events);
/* The boot was not asked for probes. */
void boot_start__drop_probes(struct boot_start *s);
/* After the last file. */
void boot_start__settle(struct boot_start *s);
void boot_start__free(struct boot_start *s);

/* Is the first level there? Without it, events are lost, and what there is may begin anywhere. */
bool boot_start__has_beginning(const struct boot_start *s);

static inline bool start_initcall__is_module(const struct start_initcall *call)
{
	return call->level == NO_LEVEL && !call->own;
}

/*
 * Indexes of the initcalls: first those that were not seen to end, then those with the longest time
 * of their own. To be freed.
 */
size_t *boot_start__by_self(const struct boot_start *s);

#endif
