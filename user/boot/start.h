/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The part of a boot from the initcalls on, on any kernel: which initcalls ran, when, for how long,
 * and when init was started. The source is trace events, which the kernel's command line enables;
 * boot_start__parameters() returns the parameters.
 *
 * Times are ns of the clock "local", with a resolution of a microsecond. Its zero is that of the
 * kernel's own clock (0 in dmesg).
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
/* Some 70,000 events for each CPU. */
#define START_BUFFER "trace_buf_size=4M"
/* A full buffer keeps its first events, and the kernel does not clear it to change the clock. */
#define START_KEEP "trace_options=nooverwrite"
#define START_CLOCK "trace_clock=local"
/* The level of initcalls of modules, before the first level, or if the level's event is lost. */
#define NO_LEVEL SIZE_MAX

struct boot_probes;
struct boot_sched;
struct boot_waits;
struct strings;

struct start_level {
	const char *name;		/* "early", "pure", ... "late" */
	/* A level ends with the next level. The last level ends with its last initcall. */
	uint64_t start, time;
	uint64_t in_initcalls;		/* the part of "time" in which the task was in initcalls */
	size_t initcalls;
};

struct start_initcall {
	const char *name;		/* NULL: a module's function, which has been freed */
	const char *module;		/* NULL: the kernel's own, or not known */
	const char *place;		/* the text of the event: "f+0x0/0x10 [module]" */
	size_t level;
	bool own;			/* a function of vmlinux */
	int pid;
	uint64_t start, time;
	uint64_t self;			/* "time" without inner initcalls of the task */
	int result;
	bool finished;
};

/* A program of process 1: first the initramfs's, then the program that replaces it. */
struct start_init {
	const char *program;
	uint64_t time;
	struct clock_range ahead;	/* after "time": clock "local" - CLOCK_MONOTONIC */
};

/* The events to take. A buffer with probes may have trace events of other users, too. */
enum start_events { START_ALL, START_PROBES };

struct boot_start {
	struct start_level *levels;
	size_t level_count;
	struct start_initcall *initcalls;	/* sorted by time */
	size_t initcall_count;
	struct start_init *inits;
	size_t init_count;
	struct boot_sched *sched;	/* what tasks did */
	struct boot_waits *waits;	/* what process 1 waited for; NULL: not recorded */
	struct boot_probes *probes;	/* NULL: this boot was not asked for probes */
	uint64_t lost;			/* events overwritten, or without room before init */
	uint64_t full;			/* when the first buffer of a CPU was full; 0: none was */
	size_t unread;			/* lines that are no events: names may have newlines */
	const char *first_unread;	/* the first such line; NULL: there is none */
	uint64_t clock_back;		/* how far the clock went back; moves earlier times, too */
	size_t events, events_until_init;
	uint64_t event_ns;		/* the cost of 1,000 events, about; 0: not known */
	struct strings *store;
};

/**
 * boot_start__read() - read the events of a boot
 * @ret: the result; before the first file, all but "lost" is zero. To be freed by
 *	boot_start__free(), also after errors
 * @which: the kinds of events to take; START_PROBES for the second of two files
 * @f: the file `trace` of a tracefs instance
 * @until: later events are ignored, so that reading ends although it causes events;
 *	UINT64_MAX: no limit
 * @name: the name of the file, for messages
 *
 * Ignores events of other kinds. Call boot_start__settle() after the last file. Return: 0, or a
 * negative error after a message; -EPROTO if there are lines, but none can be parsed.
 */
int boot_start__read(struct boot_start *ret, enum start_events which, FILE *f, uint64_t until, const char *name);
/* Notes that the buffer of this CPU was full: later events of the CPU are missing. */
void boot_start__note_full(struct boot_start *s, size_t cpu);
/* Call it after boot_start__note_full(): @events are lost if a buffer was full before init. */
void boot_start__note_no_room(struct boot_start *s, uint64_t events);
/* Notes that the boot was not asked for probes. */
void boot_start__drop_probes(struct boot_start *s);
/* Must be called after the last file. */
void boot_start__settle(struct boot_start *s);
void boot_start__free(struct boot_start *s);

/* Is the first level there? Without it, events are lost, and the recording may begin anywhere. */
bool boot_start__has_beginning(const struct boot_start *s);

static inline bool start_initcall__is_module(const struct start_initcall *call)
{
	return call->level == NO_LEVEL && !call->own;
}

/*
 * The indexes of the initcalls: first initcalls without an end, then sorted by "self", longest
 * first. To be freed.
 */
size_t *boot_start__by_self(const struct boot_start *s);

#endif
