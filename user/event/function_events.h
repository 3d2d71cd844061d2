/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The tracefs file function_events: which function events there are, making them, removing them. Every
 * change is one write(2), which the kernel takes whole or not at all; what it has against it is told
 * with its own words and caret.
 */
#ifndef HYTRACE_EVENT_FUNCTION_EVENTS_H
#define HYTRACE_EVENT_FUNCTION_EVENTS_H

#include <event-parse.h>
#include <stdbool.h>
#include <stdint.h>

#include "event/prototype.h"
#include "run/guard.h"

/* 0, or -EOPNOTSUPP, said unless @quiet. */
int function_events__available(bool quiet);

/* -EPERM, -EOPNOTSUPP, or -EIO when the kernel refuses a line; all said. */
int function_events__add(const struct prototypes *protos);

/* The same, for events that are to go with this run: the watchdog removes them. */
int function_events__add_guarded(const struct prototypes *protos, struct guard *guard);

/* What the file lists; @ret is empty before. */
int function_events__load(struct prototypes *ret);

/**
 * function_events__choose - finds the events that are meant
 * @events: those there are
 * @patterns: NULL-terminated: [GROUP/]NAME or a glob of that; without GROUP the group "functions"
 * @chosen: one for each of @events, set for those that match
 *
 * Returns 0; -ENOENT, said, if a pattern matches none.
 */
int function_events__choose(const struct prototypes *events, char *const *patterns, bool *chosen);

/* Removes those, all or none. */
int function_events__remove(const struct prototypes *events, const bool *chosen);

/* What one of an event's own files says first; false: nothing. */
bool function_event__number(const struct prototype *event, const char *file, uint64_t *ret);

/* Reads an event's format into @tep. */
int function_event__format(const struct prototype *event, struct tep_handle *tep,
			   struct tep_event **ret);

#endif
