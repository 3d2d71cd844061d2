/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A boot: all that is known about it. boot__record() takes it from the running machine, and boot__read() from a
 * document that boot__write() has written, there or elsewhere. Whatever is printed or drawn is a view: it uses a
 * const struct boot, and nothing else of the machine.
 *
 * A time that begins with the clock "local" is ns of the kernel's clock; times of systemd are ns of CLOCK_MONOTONIC.
 * A number may be NOT_KNOWN (span.h), a text NULL, and a list NULL, which is not an empty list: then it is not known,
 * and null in json (base/json.h: field_time, field_list).
 */
#ifndef HYTRACE_BOOT_BOOT_H
#define HYTRACE_BOOT_BOOT_H

#include "base/json.h"
#include "boot/span.h"
#include "kernel/running.h"

/* Increase it when a field of the json is removed or changes its meaning. */
#define BOOT_SCHEMA 5

struct strings;
struct clock_range;

/* ---- the early part, until the ordinary tracer took over */

/* The function whose calls are the phases of the boot, and the function that sets up ftrace, which is never traced. */
#define BOOT_FUNCTION "start_kernel"
#define FTRACE_FUNCTION "ftrace_init"

enum early_kind {
	PHASE_FUNCTION,			/* a direct call by start_kernel() */
	PHASE_BEFORE,			/* the calls before all other phases */
	PHASE_TRACER,			/* the start of ftrace and the tracer */
	PHASE_HOLE,			/* lost calls */
	PHASE_SELF,			/* start_kernel() itself, between phases; has no start */
};

struct boot_phase {
	const char *name;		/* NULL: the function is not known */
	enum early_kind kind;
	int64_t start, time, net;	/* net: without the recorder's time */
	int64_t lost;			/* for PHASE_HOLE: the number of lost calls */
	int64_t calls, functions, callers;	/* functions: that were called first in this phase */
	bool exact;			/* only while it is recorded: it ends with the return of its last call */
	struct boot_phase *inner;	/* the direct calls of the phase's own function */
	size_t inner_count;
};

struct boot_function {
	const char *name;
	int64_t calls, first;		/* first: the time of its first call */
	int64_t inclusive, inclusive_net, self, self_net;	/* if returns were recorded */
	int64_t open, unknown;		/* calls that had not returned; whose return is not known */
};

/* All calls that have the same functions around them. */
struct boot_stack {
	const char *name;
	int64_t outer;			/* the index of the stack around it, which comes before; -1: none */
	int64_t self;
};

/* Times are ns of @clock, or if @counts its cycles. */
struct boot_early {
	const char *tracer;		/* "function" or "oneshot"; NULL: there is no early part */
	int64_t cpu;
	const char *clock;
	unsigned int counts;		/* 0 or 1 */
	int64_t first, last, before_zero, tsc_khz;
	int64_t begin, until;		/* the first time of a call, and the last one of its calls and returns */
	int64_t zero;			/* the zero of the kernel's clock in these times */
	int64_t recorded, calls, functions, callers, timeless;	/* calls: NOT_KNOWN for oneshot */
	int64_t returns, open, unknown;	/* NOT_KNOWN: returns were not recorded */
	int64_t sites, differing;
	struct counters lost;
	int64_t buffer_bytes, ring_buffer_bytes;
	int64_t thousand_calls, thousand_inside;	/* ns of the recorder; NOT_KNOWN: there are no net times */
	int64_t convert, show;		/* ns of the hand-over */
	int64_t ftrace_init, before_ftrace_init;	/* its time, and the calls before it */
	struct boot_phase *phases;
	size_t phase_count;
	struct boot_function *function_list;	/* by own time if it is known, otherwise by calls */
	size_t function_count;
	struct span_list longest;	/* the longest calls, SPAN_CALL */
	struct boot_stack *stacks;	/* NULL: returns were not recorded */
	size_t stack_count;
};

/* ---- from the initcalls on */

enum probe_kind { PROBE_DEVICE, PROBE_UNPACK, PROBE_CONSOLE, PROBE_KINDS };

enum wait_class {
	CLASS_RUNNING,			/* the task itself */
	CLASS_READY,			/* for a CPU; name: what this CPU ran */
	CLASS_TASK,			/* for another task; name: its command */
	CLASS_WORK,			/* for work of a workqueue; name: its function */
	CLASS_ASYNC,			/* for a function started by async_schedule() */
	CLASS_PROBE,			/* for deferred probes */
	CLASS_FIRMWARE,			/* for a firmware file */
	CLASS_RCU,			/* for a grace period */
	CLASS_TIMER,			/* for a time to pass; name: the timer's function */
	CLASS_INTERRUPT,		/* name: of the device's interrupt; NULL: not known */
	CLASS_BLOCK,			/* for a block device */
	CLASS_PAGES,			/* for the initialisation of memory */
	CLASS_PROCESSORS,		/* for a CPU to come up, or to be stopped */
	CLASS_UNKNOWN,
	CLASS_COUNT,
};

/* All waits of process 1 at one place for one thing. */
struct boot_wait {
	const char *where;		/* an initcall of process 1, or a level, or "until init" */
	enum wait_class class;
	const char *name;		/* NULL: the class has none */
	int64_t time, count;
	uint64_t parts[CLASS_COUNT];	/* this time by what the waker did meanwhile */
};

struct boot_io {
	int64_t time, bytes;
};

struct boot_cpu {
	int64_t cpu;
	int64_t until;			/* the time until which all its events were recorded */
	int64_t busy;			/* while process 1 made the initcalls */
};

/* ---- clocks, and what came before the kernel; all is measured in account.h */

/*
 * The relations between the clock "local", of the kernel's events, and others: the time stamp counter (TSC) of the
 * CPU, from its reset on, and CLOCK_MONOTONIC, as systemd uses it. Each has a bound of its error.
 */
struct boot_clock {
	int64_t since_reset;		/* from the TSC's zero to that of the clock "local" */
	int64_t tsc_error;
	const char *why_no_tsc;
	int64_t ahead;			/* "local" - CLOCK_MONOTONIC */
	int64_t error;			/* of "ahead"; if measured now, with NTP's changes since boot */
	int64_t slewed;			/* if from events: more error after systemd's beginning */
	const char *why_no_ahead;
	bool unstable;			/* the clocks of CPUs may differ */

	/* Only while the boot is recorded. If @tsc_known: local = zero + (tsc * mult >> shift) */
	bool tsc_known;
	uint32_t mult;
	uint16_t shift;
	int64_t zero;
	int64_t measured_error;		/* of "ahead" without NTP's changes */
	int64_t log_ahead;		/* "local" - the clock of the kernel's log */
};

/* Translates a time of user space to the clock "local": earlier in the boot, CLOCK_MONOTONIC may have missed ticks. */
int64_t boot_clock__from_monotonic(const struct boot_clock *c, int64_t ns);

enum firmware_source { FIRMWARE_NONE, FIRMWARE_FPDT, FIRMWARE_EFI, FIRMWARE_SYSTEMD };

struct boot_firmware {
	enum firmware_source source;	/* of loader_start and loader_end */
	/* In ns since the reset; NOT_KNOWN if there is no source. */
	int64_t loader_start;		/* when the firmware started the boot loader */
	int64_t loader_end;		/* when the boot loader started the kernel */
	bool kexec;			/* started by another kernel: the reset is long ago */
};

/*
 * Some warm starts do not clear the TSC. Does its zero, @since_reset ns before the zero of the kernel's clock, fit to
 * a reset when the firmware began?
 */
bool boot_firmware__fits(const struct boot_firmware *f, int64_t since_reset);

/* Properties that change how long a boot takes; 0 and NULL: not known. */
struct machine {
	uint64_t cpus;			/* online */
	uint64_t memory;		/* bytes, without early allocations */
	const char *model;		/* of the CPU */
};

/* ---- units of systemd; times are ns of CLOCK_MONOTONIC, and NOT_KNOWN means never */

/* A format of a message, with the jobs. */
#define BOOT_NOT_COMPLETE "the boot is not complete: systemd has %" PRId64 " jobs left, `systemctl list-jobs` shows them"

struct boot_unit {
	const char *name;
	const char *state;		/* "active", "failed", ... */
	const char *result;		/* of a failed unit: "exit-code", ...; NULL: not known */
	/* Of the last start. */
	int64_t activating, activated, deactivating, deactivated;
	int64_t start, active;		/* the first two by the kernel's clock */
	/* Each ends with NULL, and may be NULL if it is empty. */
	char **after;			/* the units that it was ordered after, and that were started in the boot */
	char **names;			/* its name and its aliases */
};

/* When systemd began and ended its own work, and the times before that systemd knows. */
struct boot_manager {
	int64_t firmware, loader;	/* durations: back from the zero of the kernel's clock */
	int64_t initrd, userspace, finish;
	int64_t security_start, security_finish;
	int64_t generators_start, generators_finish;
	int64_t load_start, load_finish;
};

struct boot_units {
	bool known;			/* if false, only why_not is set */
	const char *why_not;		/* "process 1 is not systemd" */
	struct boot_manager manager;
	const char *target;		/* the default target, "graphical.target"; NULL: unknown */
	int64_t jobs;			/* the number of unfinished jobs */
	struct boot_unit *list;		/* that were started; NULL: not known */
	size_t count;
};

/* Why nothing is known of them. A file may lack it. */
static inline const char *boot_units__why_not(const struct boot_units *u)
{
	return u->why_not ?: "nobody has asked";
}

/* Is the boot complete, so that systemd will start nothing more for it? */
bool boot_units__complete(const struct boot_units *u);
/* Returns NULL if there is no unit of this name. */
const struct boot_unit *boot_units__find(const struct boot_units *u, const char *name);
/* The default target; NULL: it is not known, or was not reached in the boot. */
const struct boot_unit *boot_units__target(const struct boot_units *u);
/* Finds the unit that a user has typed: @name may be an alias, and may lack ".service". */
const struct boot_unit *boot_units__find_typed(const struct boot_units *u, const char *name);
/* Has the start of the unit ended, with success or failure? */
bool boot_unit__is_done(const struct boot_unit *unit);
/* How long the unit took to start, or until its start failed; 0: it was not started, or is still starting. */
int64_t boot_unit__time(const struct boot_unit *unit);
/* Was the unit active before the boot was complete? */
bool boot_units__in_boot(const struct boot_units *u, const struct boot_unit *unit);

/*
 * ---- the account: the whole boot, divided into parts without gaps, from the reset of the CPU until systemd has nothing more
 * to start. Each part ends at a recorded time. If this time is not known, the next part whose end is known includes the part,
 * and says so ("with"). So all times and "not_accounted" add up to the time between the first and the last known time.
 */

enum part_kind {
	PART_FIRMWARE,			/* until the boot loader is started */
	PART_LOADER,			/* until the kernel's image is started */
	PART_UNPACKING,			/* until the first call that early tracing has recorded */
	PART_BEFORE_CLOCK,		/* until the zero of the kernel's clock */
	PART_BEFORE_INITCALLS,
	PART_LEVEL,			/* the initcalls of a level, until the next level */
	PART_AFTER_INITCALLS,		/* until the first program of process 1 */
	PART_INITRD,			/* until the program that stays process 1 */
	PART_INIT,			/* until systemd has loaded its units */
	PART_UNITS,			/* until the default target is reached */
	PART_REST,			/* until systemd has nothing more to do for the boot */
	PART_BETWEEN,			/* PART_UNITS and PART_REST while no unit was starting */
	PART_KINDS,
};

struct boot_part {
	enum part_kind kind;
	const char *level;		/* for PART_LEVEL */
	int64_t start, time;		/* by the clock "local"; NOT_KNOWN */
	int64_t with;			/* "time" includes so many parts directly before this */
};

struct boot_parts {
	struct boot_part *list;		/* in order of time; NULL: not known */
	size_t count;
	int64_t total;			/* the sum of all known times and of not_accounted */
	int64_t not_accounted;		/* the time for which events of initcalls are missing */
	int64_t started_again;		/* units; the time of their first start is PART_BETWEEN; NOT_KNOWN */
	const char *init;		/* the program that stays process 1; NULL: not known */
};

/* The name in json, "before_initcalls"; the title in text, "kernel, until the initcalls". */
extern const char *const boot_part_names[], *const boot_part_titles[];

/* ---- all */

struct boot {
	struct kernel_id kernel;
	char *boot_id;
	struct machine machine;

	struct boot_early early;

	bool has_start;			/* the initcalls were recorded; false: the members up to "events_until_init" are zero */
	struct span_list levels;	/* count: initcalls; running: the time in them; a level ends with the next */
	struct span_list inits;		/* the programs of process 1, each until the next one */
	struct span_list initcalls;	/* SPAN_INITCALL and SPAN_MODULE; in: the level, "module", "console", "unknown" */
	struct span_list probes;	/* SPAN_PROBE for PROBE_DEVICE, otherwise SPAN_CALL; NULL: not asked for */
	struct span_list programs;	/* of other processes than 1 */
	struct span_list runs;		/* of tasks on CPUs, sorted by end; NULL: not recorded */
	struct boot_io *ios;
	size_t io_count;
	struct boot_cpu *cpus;		/* that were recorded */
	size_t cpu_count;
	struct span process;		/* the time of process 1 that is divided into waits and the path */
	struct boot_wait *waits;	/* the longest first; NULL: not recorded */
	size_t wait_count;
	struct span_list path;		/* without gaps; kind: enum wait_class; in: where */
	int64_t lost;			/* events overwritten, or without room before init */
	int64_t full;			/* when the first buffer of a CPU was full */
	int64_t unread;			/* lines that are no events */
	const char *first_unread;
	int64_t clock_back;		/* how far the clock went back; moves earlier times, too */
	int64_t probes_lost, probes_full;
	int64_t events, events_until_init;

	/* The account (account_fields). */
	struct boot_clock clock;
	struct boot_firmware firmware;
	struct boot_units units;
	struct boot_parts parts;
	bool asked;			/* this boot was asked for events, which may be gone now */

	/* Only while it is recorded. */
	struct clock_range *ahead;	/* for each of "inits": "local" - CLOCK_MONOTONIC after it */
	int64_t first_call;		/* the TSC count of the first early call */

	struct strings *store;		/* the texts of all members */
};

/* What a command needs of the machine. */
enum boot_needs {
	NEEDS_EVENTS = 1,		/* early part and initcalls; only root can read them */
	NEEDS_UNITS = 2,
	NEEDS_ACCOUNT = 4,		/* clocks, firmware and parts */
	NEEDS_ALL = 7,
};

/* To be called first; boot__record() and boot__read() do so. */
void boot__init(struct boot *ret);
void boot__free(struct boot *b);

/*
 * Finds all that is known about the boot of the running machine. @ret: to be freed, also after errors. @needs: bits of
 * enum boot_needs. Returns a negative error after a message if nothing is known of what is needed.
 */
int boot__record(struct boot *ret, unsigned int needs);
/* Reads a document; "-" is standard input. @ret: as above. Returns -EINVAL after a message. */
int boot__read(struct boot *ret, const char *path);
/* Writes the document. The caller checks @out for write errors. */
void boot__write(const struct boot *b, FILE *out);
/* Tells on stderr what was lost, and what is doubtful. */
void boot__losses(const struct boot *b);

static inline bool boot__has_early(const struct boot *b)
{
	return b->early.tracer;
}

bool boot__is_oneshot(const struct boot *b);
/* The name of a phase; if it is not known, says so. @room may be used for the result. */
const char *boot_phase__name(const struct boot *b, const struct boot_phase *phase, char *room, size_t size);
/* Is the first level there? Without it, events are lost, and the recording may begin anywhere. */
bool boot__has_beginning(const struct boot *b);
/* For each enum wait_class: the word in json, "rcu"; the words in text, "a grace period of RCU". */
extern const char *const wait_class_names[], *const wait_class_words[];

static inline enum span_class span_class__of_wait(int class)
{
	return class == CLASS_RUNNING ? SPAN_RUNNING : class == CLASS_BLOCK ? SPAN_IO : SPAN_WAIT;
}

/* ---- views */

/* The caller checks @out for write errors. */
void boot__text(const struct boot *b, size_t most, FILE *out);
/* Trace events for Chrome and Perfetto: all spans, but of early calls only the longest. */
void boot__chrome(const struct boot *b, FILE *out);
/*
 * Stacks for programs that draw flame graphs: initcalls and modules of each task, and early calls, with own times in
 * microseconds. Returns -EOPNOTSUPP after a message if there are none.
 */
int boot__folded(const struct boot *b, FILE *out);
/* A picture, in at most 2 MB: all spans of the timeline, but the narrowest ones are joined. */
void boot__svg(const struct boot *b, FILE *out);
/* The account: how long each part of the boot took. */
void boot__time_text(const struct boot *b, FILE *out);
/* The @most units that took longest, and the critical chain of the default target. */
void boot__units_text(const struct boot *b, size_t most, FILE *out);
/*
 * What @unit, which was active before the boot was complete, had to wait for: the last unit that became active of
 * those it was ordered after, what that unit had to wait for, and so on.
 */
void boot__chain_text(const struct boot *b, const struct boot_unit *unit, FILE *out);
void boot__chain_json(const struct boot *b, const struct boot_unit *unit, FILE *out);
/* The @most things that took longest: units, initcalls, modules and probes. */
void boot__blame(const struct boot *b, size_t most, bool json, FILE *out);
/* Tells on stderr what is not known of clocks, firmware and units. */
void boot__account_losses(const struct boot *b);

int cmd_boot(int argc, char **argv);

#endif
