/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The part of a boot after init was started, if that is systemd: which units it started, when, how
 * long they took, and what they waited for. systemd keeps all of this, and is asked for it.
 *
 * Times are those of CLOCK_MONOTONIC, as systemd has them, but in ns; 0 stands for never.
 */
#ifndef HYTRACE_BOOT_UNITS_H
#define HYTRACE_BOOT_UNITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/json.h"

struct strings;

struct boot_unit {
	const char *name;
	const char *state;		/* "active", "failed", ... */
	const char *result;		/* of a unit that has failed: "exit-code", ...; NULL: not known */
	/* The last time that it was started. */
	uint64_t activating, activated, deactivating, deactivated;
	char **after;			/* names of the units that it was ordered after, and a NULL */
	char **names;			/* all that it has: aliases, and its own; and a NULL */
};

/* When systemd began and ended its own work, and what it knows of the time before that. */
struct boot_manager {
	uint64_t firmware, loader;	/* before the kernel's clock: these are counted backwards */
	uint64_t initrd, userspace, finish;
	uint64_t security_start, security_finish;
	uint64_t generators_start, generators_finish;
	uint64_t load_start, load_finish;
};

/* The moments of the two structs, as a document names them; each has systemd's name as well. */
extern const struct json_field boot_unit_fields[], boot_manager_fields[];

struct boot_units {
	bool known;			/* without it, only the next field is used */
	char why_not[160];		/* "process 1 is not systemd" */
	struct boot_manager manager;
	const char *target;		/* the default target: "graphical.target"; NULL: not known */
	uint32_t jobs;			/* that are not done yet */
	struct boot_unit *list;
	size_t count;
	struct strings *store;
};

/**
 * boot_units__load() - ask systemd for the units of this boot
 * @ret: them, to be freed by boot_units__free(). It also tells if there is no systemd, or it cannot be asked
 */
void boot_units__load(struct boot_units *ret);
struct sd_bus;
/*
 * The same, by a connection that leads to systemd, which is closed. Returns a negative errno, without a message;
 * -ETIMEDOUT if nobody answers.
 */
int boot_units__ask(struct boot_units *ret, struct sd_bus *bus);
void boot_units__free(struct boot_units *u);
/* systemd is in a time namespace that adds @offset to CLOCK_MONOTONIC: takes it away from all times. */
void boot_units__shift(struct boot_units *u, int64_t offset);

/* Is process 1 systemd? */
bool boot_units__are_here(void);
/* Is the boot complete, so that systemd will start nothing more for it? */
bool boot_units__complete(const struct boot_units *u);
/* NULL: there is none of that name. */
const struct boot_unit *boot_units__find(const struct boot_units *u, const char *name);
/* The same for what a user has typed: it may be an alias, and a name without the suffix of a type is a service. */
const struct boot_unit *boot_units__find_typed(const struct boot_units *u, const char *name);
/*
 * How long the unit took to start, or, if it ended before it was started, until then; 0 for a unit
 * that was not started, or is being started now.
 */
uint64_t boot_unit__time(const struct boot_unit *unit);
/* Was it started before the boot was complete? */
bool boot_units__in_boot(const struct boot_units *u, const struct boot_unit *unit);

/*
 * Indexes of the units that took time, those that took longest first; to be freed. Units that took
 * the same time are in the order of the list.
 */
size_t *boot_units__by_time(const struct boot_units *u, size_t *ret_count);

/* A row of the critical chain: @depth rows above it wait for it, one after the other. */
struct chain_row {
	const char *name;
	const struct boot_unit *unit;	/* NULL: systemd does not know it any more */
	unsigned int depth;
	bool again;			/* what it waited for is in the rows above */
};

/**
 * boot_units__chain() - find what the default target had to wait for
 * @u: the units of a boot that is complete
 * @ret_count: the number of rows
 *
 * Of all units that one is ordered after, it had to wait for the last one that became active before
 * the boot was complete. This goes on from there. If several became active in the same microsecond,
 * all of them are followed.
 *
 * Return: the rows, to be freed; NULL if there is no default target, or it was not reached.
 */
struct chain_row *boot_units__chain(const struct boot_units *u, size_t *ret_count);

#endif
