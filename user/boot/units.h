/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The part of a boot after init was started, if init is systemd: which units it started, when, how
 * long they took, and what they waited for. systemd keeps these facts and is asked for them.
 *
 * Times are ns of CLOCK_MONOTONIC, the clock that systemd uses; 0 means never.
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
	const char *result;		/* of a failed unit: "exit-code", ...; NULL: not known */
	/* Of the last start. */
	uint64_t activating, activated, deactivating, deactivated;
	char **after;			/* the units that it was ordered after; ends with NULL */
	char **names;			/* its name and its aliases; ends with NULL */
};

/* When systemd began and ended its own work, and the times before that systemd knows. */
struct boot_manager {
	uint64_t firmware, loader;	/* durations: back from the zero of the kernel's clock */
	uint64_t initrd, userspace, finish;
	uint64_t security_start, security_finish;
	uint64_t generators_start, generators_finish;
	uint64_t load_start, load_finish;
};

/* The times as json fields. @detail: the D-Bus property that the field is read from. */
extern const struct json_field boot_unit_fields[], boot_manager_fields[];

struct boot_units {
	bool known;			/* if false, only why_not is set */
	char why_not[160];		/* "process 1 is not systemd" */
	struct boot_manager manager;
	const char *target;		/* the default target, "graphical.target"; NULL: unknown */
	uint32_t jobs;			/* the number of unfinished jobs */
	struct boot_unit *list;
	size_t count;
	struct strings *store;
};

/**
 * boot_units__load() - ask systemd for the units of this boot
 * @ret: the units, or why they are not known; to be freed by boot_units__free()
 */
void boot_units__load(struct boot_units *ret);
struct sd_bus;
/*
 * Asks systemd over a connection, and closes it. Returns a negative errno without a message;
 * -ETIMEDOUT if there is no answer.
 */
int boot_units__ask(struct boot_units *ret, struct sd_bus *bus);
void boot_units__free(struct boot_units *u);
/* Subtracts from all times the @offset that systemd's time namespace adds to CLOCK_MONOTONIC. */
void boot_units__shift(struct boot_units *u, int64_t offset);

/* Is process 1 systemd? */
bool boot_units__are_here(void);
/* Is the boot complete, so that systemd will start nothing more for it? */
bool boot_units__complete(const struct boot_units *u);
/* Returns NULL if there is no unit of this name. */
const struct boot_unit *boot_units__find(const struct boot_units *u, const char *name);
/* Finds the unit that a user has typed: @name may be an alias, and may lack ".service". */
const struct boot_unit *boot_units__find_typed(const struct boot_units *u, const char *name);
/*
 * How long the unit took to start, or until its start failed; 0 for a unit that was not started, or
 * is still starting.
 */
uint64_t boot_unit__time(const struct boot_unit *unit);
/* Was the unit active before the boot was complete? */
bool boot_units__in_boot(const struct boot_units *u, const struct boot_unit *unit);

/*
 * The indexes of units that took time, sorted by time, the longest first; to be freed. Units of
 * equal time are in the order of the list.
 */
size_t *boot_units__by_time(const struct boot_units *u, size_t *ret_count);

/* A row of the critical chain: the last row above with a lower depth waited for this unit. */
struct chain_row {
	const char *name;
	const struct boot_unit *unit;
	unsigned int depth;
	bool again;			/* the units that it waited for are in rows above */
};

/**
 * boot_units__chain() - find what the default target had to wait for
 * @u: the units of a complete boot
 * @ret_count: the number of rows
 *
 * Of all units that a unit is ordered after, the unit had to wait for the last one to become active
 * before the boot was complete. The chain goes on from that unit. If several units became active in
 * the same microsecond, the chain follows all of them.
 *
 * Return: the rows, to be freed; NULL if there is no default target, or it was not reached.
 */
struct chain_row *boot_units__chain(const struct boot_units *u, size_t *ret_count);

#endif
