// SPDX-License-Identifier: GPL-2.0-only
/* Overwritten, missed and dropped; see losses.h. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/files.h"
#include "event/function_events.h"
#include "event/json.h"
#include "event/losses.h"

enum loss { LOST_OVERRUN, LOST_MISSED, LOST_HIST, LOST_KINDS };

static const struct {
	const char *name, *meaning;
} losses[LOST_KINDS] = {
	[LOST_OVERRUN] = { "overrun", "events that came faster than they could be printed; record "
			   "fewer functions, or use --task or --hist" },
	[LOST_MISSED] = { "missed", "calls without an event: they were made in the midst of tracing, "
			  "or too many returns were awaited at once" },
	[LOST_HIST] = { "hist_dropped", "values for which the histogram had no room" },
};

/* The sum of all losses in the ring buffer's stats of a CPU. */
static uint64_t lost_of(const char *stats)
{
	static const char *const names[] = { "overrun", "commit overrun", "dropped events" };
	uint64_t sum = 0;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *value = text__value(stats, names[i]);

		sum += value ? strtoull(value, NULL, 10) : 0;
	}
	return sum;
}

static uint64_t count_overruns(struct instance *instance)
{
	long cpus = sysconf(_SC_NPROCESSORS_CONF);
	uint64_t sum = 0;

	for (long cpu = 0; cpu < cpus; cpu++) {
		char path[64], *stats;

		snprintf(path, sizeof(path), "per_cpu/cpu%ld/stats", cpu);
		stats = instance__read(instance, path);
		sum += lost_of(stats);
		free(stats);
	}
	return sum;
}

static uint64_t count_missed(const struct prototypes *protos)
{
	uint64_t sum = 0, one;

	for (size_t i = 0; i < protos->count; i++) {
		if (function_event__number(&protos->list[i], "missed", &one))
			sum += one;
	}
	return sum;
}

void losses__count(struct counters *ret, struct instance *instance, const struct prototypes *protos,
		   uint64_t hist_dropped)
{
	const uint64_t values[LOST_KINDS] = {
		[LOST_OVERRUN] = count_overruns(instance),
		[LOST_MISSED] = count_missed(protos),
		[LOST_HIST] = hist_dropped,
	};

	for (int i = 0; i < LOST_KINDS; i++)
		counters__add(ret, losses[i].name, values[i]);
}

void losses__print(const struct counters *counted)
{
	for (int i = 0; i < LOST_KINDS; i++) {
		uint64_t value = counters__get(counted, losses[i].name);

		if (value)
			error__print("lost: %s %" PRIu64 ": %s", losses[i].name, value,
				     losses[i].meaning);
	}
}

struct json_object *losses__json(const struct counters *counted)
{
	struct json_object *object = json_object_new_object(), *counts = json_object_new_object();

	event_json__put(object, "lost", counts);
	for (size_t i = 0; i < counted->count; i++)
		event_json__put(counts, counted->list[i].name, json_object_new_uint64(counted->list[i].value));
	return object;
}
