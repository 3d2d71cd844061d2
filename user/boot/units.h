/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The part of a boot after init was started, if init is systemd: which units it started, when, how
 * long they took, and what they waited for. systemd keeps these facts and is asked for them.
 *
 * Times are ns of CLOCK_MONOTONIC, the clock that systemd uses; NOT_KNOWN means never.
 */
#ifndef HYTRACE_BOOT_UNITS_H
#define HYTRACE_BOOT_UNITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/json.h"

struct boot;

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

/* Of struct boot_unit, and with offsets in struct boot. */
extern const struct json_field boot_unit_fields[], boot_userspace_fields[];

struct boot_units {
	bool known;			/* if false, only why_not is set */
	const char *why_not;		/* "process 1 is not systemd" */
	struct boot_manager manager;
	const char *target;		/* the default target, "graphical.target"; NULL: unknown */
	int64_t jobs;			/* the number of unfinished jobs */
	struct boot_unit *list;		/* that were started; NULL: not known */
	size_t count;
};

/* Asks systemd for the units of this boot. Sets b->units, to be freed by boot_units__free(). */
void boot_units__load(struct boot *b);
struct sd_bus;
/*
 * Asks systemd over a connection, and closes it. Returns a negative errno without a message;
 * -ETIMEDOUT if there is no answer.
 */
int boot_units__ask(struct boot *b, struct sd_bus *bus);
/* Before they are read: they are not known, for this reason, and nothing has ever begun. */
void boot_units__not_known(struct boot *b, const char *why);
void boot_units__free(struct boot_units *u);
/* Subtracts from all times the @offset that systemd's time namespace adds to CLOCK_MONOTONIC. */
void boot_units__shift(struct boot *b, int64_t offset);

/* Is process 1 systemd? */
bool boot_units__are_here(void);
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
/*
 * How long the unit took to start, or until its start failed; 0 for a unit that was not started, or
 * is still starting.
 */
int64_t boot_unit__time(const struct boot_unit *unit);
/* Was the unit active before the boot was complete? */
bool boot_units__in_boot(const struct boot_units *u, const struct boot_unit *unit);

/* ---- views; the caller checks @out for write errors */

/*
 * What @unit, which was active before the boot was complete, had to wait for: the last unit that
 * became active of those it was ordered after, what that unit had to wait for, and so on.
 */
void boot__chain_text(const struct boot *b, const struct boot_unit *unit, FILE *out);
void boot__chain_json(const struct boot *b, const struct boot_unit *unit, FILE *out);
/* The @most things that took longest: units, initcalls, modules and probes. */
void boot__blame(const struct boot *b, size_t most, bool json, FILE *out);

#endif
