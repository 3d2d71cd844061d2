/* SPDX-License-Identifier: GPL-2.0-only */
/* What a recording has not got, as the kernel counts it. */
#ifndef HYTRACE_EVENT_LOSSES_H
#define HYTRACE_EVENT_LOSSES_H

#include <json-c/json.h>

#include "base/counters.h"
#include "event/prototype.h"
#include "run/instance.h"

/* @hist_dropped: what histograms had no room for. Each kind is in @ret, though it may be 0. */
int losses__count(struct counters *ret, struct instance *instance, const struct prototypes *protos,
		  uint64_t hist_dropped);
/* On stderr, one line each with what it means; nothing when nothing was lost. */
void losses__print(const struct counters *losses);
/* {"lost": {...}}; NULL: no memory. */
struct json_object *losses__json(const struct counters *losses);

#endif
