// SPDX-License-Identifier: GPL-2.0-only
/* See compare_kinds.h. */
#include "boot/compare_kinds.h"

const struct row_kind row_kinds[] = {
	{ "initcall", "start.initcalls", PART_OF_START, "name", "self", .ready = "ready", .unless = "module",
	  .is_code = true },
	{ "module", "start.initcalls", PART_OF_START, "module", "self", .ready = "ready", .after_init = true },
	{ "level", "start.levels", PART_OF_START, "name", "time", "initcalls", .is_whole = true },
	/* The first one is the end of the total. */
	{ "init", "start.inits", PART_OF_START, "program", "start", .from = 1, .is_whole = true, .is_point = true },
	{ "wait", "start.waits", PART_OF_START, "name", "time", "count" },
	{ "probe", "start.probes", PART_OF_START, "name", "self", .by_probes = true },
	{ "unit", "units", PART_OF_USER, "name", "time" },
	/* Levels are above. */
	{ "part", "parts.rows", PART_OF_USER, "name", "time", .unless = "level", .is_whole = true },
	{ "phase", "phases", PART_OF_EARLY, "name", "time", "calls", .inner = "phases", .is_whole = true, .has_calls = true,
	  .is_code = true },
	{ "function", "functions", PART_OF_EARLY, "name", NULL, "calls", .has_calls = true, .is_code = true },
};

const size_t row_kind_count = sizeof(row_kinds) / sizeof(row_kinds[0]);

const struct row_kind kind_total = { "total", .part = PART_OF_START, .time = "start", .is_whole = true };
const struct row_kind kind_target = { "total", .part = PART_OF_USER, .time = "active_monotonic", .is_whole = true };
const struct row_kind kind_between = { "level", .part = PART_OF_START, .time = "start", .is_whole = true };
