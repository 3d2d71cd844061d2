/* SPDX-License-Identifier: GPL-2.0-only */
/* The losses of a recording, as the kernel counts them. */
#ifndef HYTRACE_EVENT_LOSSES_H
#define HYTRACE_EVENT_LOSSES_H

#include <json-c/json.h>

#include "base/counters.h"
#include "event/prototype.h"
#include "run/instance.h"

/*
 * Counts each kind of loss, even if it is 0. @hist_dropped: values for which histograms had no room
 */
void losses__count(struct counters *ret, struct instance *instance, const struct prototypes *protos,
		   uint64_t hist_dropped);
/* Prints the losses on stderr, one in a line, with their meanings. Prints nothing if there are none. */
void losses__print(const struct counters *losses);
/* Makes an object {"lost": {...}}. */
struct json_object *losses__json(const struct counters *losses);

#endif
