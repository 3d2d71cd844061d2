// SPDX-License-Identifier: GPL-2.0-only
/* The table of losses; see losses.h. The man page hytrace-cover(1) lists their names and meanings as well. */
#include <string.h>

#include "document/losses.h"
#include "kernel/hits.h"

static const struct loss losses[] = {
	{ "refused", LOSS_MISSING, LOSS_OF_ANY, HIT_BOTH,
	  "hits of addresses that were not recorded: the set is full; --max-entries" },
	{ "map_full", LOSS_MISSING, LOSS_OF_ANY, HIT_BOTH,
	  "hits of addresses that were not recorded: there was no room; --max-entries" },
	{ "ftrace_off", LOSS_MISSING, LOSS_OF_ANY, 0,
	  "somebody turned ftrace off (kernel.ftrace_enabled): what was called after that is not recorded" },
	{ "unattached", LOSS_MISSING, LOSS_OF_ANY, 0,
	  "functions that were asked for and could not be attached to" },
	{ "ambiguous", LOSS_MISSING, LOSS_OF_ANY, 0,
	  "functions that were asked for and that could be any of several symbols of one name" },
	{ "modules_untraced", LOSS_MISSING, LOSS_OF_MODULES, 0,
	  "modules that came while it recorded and could not be traced" },
	{ "modules_late", LOSS_MAYBE, LOSS_OF_MODULES, 0,
	  "modules that came while it recorded and were attached to a little later" },
	{ "module_init_functions", LOSS_NOTHING, LOSS_OF_NONE, 0,
	  "functions in modules' init text, which is freed: counted, and listed by no result" },
	{ "module_init_callers", LOSS_NOTHING, LOSS_OF_NONE, 0,
	  "callers in modules' init text, which is freed: counted, and listed by no result" },
	{ "parents_lost", LOSS_MISSING, LOSS_OF_NONE, HIT_CALLER, "callers that a return trampoline hid" },
	{ "unresolvable_functions", LOSS_MAYBE, LOSS_OF_MODULES, 0,
	  "functions in generated code or unloaded modules, not listed" },
	{ "unresolvable_callers", LOSS_MAYBE, LOSS_OF_NONE, 0,
	  "callers in generated code or unloaded modules, not listed" },
	{ "callers_incomplete", LOSS_MAYBE, LOSS_OF_NONE, HIT_CALLER,
	  "functions that were watched for --retire=MS only and may have more callers" },
	{ "missed", LOSS_MAYBE, LOSS_OF_ANY, HIT_BOTH,
	  "calls in the middle of a call of the program, for which it was not run again" },
	{ "recursion_misses", LOSS_MAYBE, LOSS_OF_ANY, HIT_BOTH,
	  "calls that came while a BPF program of a probe ran on that CPU: from interrupts, with fentry.multi "
	  "also of tasks that preempted it, or with --pin or --engine event from this one" },
	{ "misses_unknown", LOSS_MAYBE, LOSS_OF_ANY, HIT_BOTH,
	  "this kernel, older than 6.7, does not count the calls for which the program was not run" },
	{ "unfinished", LOSS_MISSING, LOSS_OF_ANY, HIT_BOTH,
	  "hits that a BPF program had not finished writing when recording ended" },
	{ "tasks_full", LOSS_MAYBE, LOSS_OF_ANY, HIT_BOTH, "children that were not followed: too many tasks" },
	{ "events_lost", LOSS_NOTHING, LOSS_OF_NONE, 0,
	  "first hits that are in the set but not in the ring buffer" },
	{ "unnamed", LOSS_NOTHING, LOSS_OF_NONE, 0, "addresses that no symbol is known for; listed without a name" },
	{ "unpinned", LOSS_NOTHING, LOSS_OF_NONE, 0,
	  "addresses that the pinned map did not take; they are in the result" },
};

const struct loss *losses__at(size_t index)
{
	return index < sizeof(losses) / sizeof(losses[0]) ? &losses[index] : NULL;
}

const struct loss *losses__find(const char *name)
{
	for (size_t i = 0; i < sizeof(losses) / sizeof(losses[0]); i++) {
		if (!strcmp(losses[i].name, name))
			return &losses[i];
	}
	return NULL;
}

const char *losses__name(const char *name)
{
	const struct loss *loss = losses__find(name);

	return loss ? loss->name : NULL;
}

enum loss_meaning losses__worst(const struct counters *lost)
{
	enum loss_meaning worst = LOSS_NOTHING;

	for (size_t i = 0; i < lost->count; i++) {
		const struct loss *loss = losses__find(lost->list[i].name);
		enum loss_meaning meaning = loss ? loss->meaning : LOSS_MAYBE;

		if (lost->list[i].value && meaning > worst)
			worst = meaning;
	}
	return worst;
}

bool losses__complete(const struct counters *lost)
{
	return losses__worst(lost) == LOSS_NOTHING;
}

bool losses__hide(const struct counters *lost, unsigned int kind)
{
	for (size_t i = 0; i < lost->count; i++) {
		const struct loss *loss = losses__find(lost->list[i].name);

		if (lost->list[i].value && (!loss || loss->hides & kind))
			return true;
	}
	return false;
}

bool losses__may_hide(const struct counters *lost, bool stayed)
{
	for (size_t i = 0; i < lost->count; i++) {
		const struct loss *loss = losses__find(lost->list[i].name);

		if (lost->list[i].value &&
		    (!loss || loss->of == LOSS_OF_ANY || (loss->of == LOSS_OF_MODULES && !stayed)))
			return true;
	}
	return false;
}

const char *loss_meaning__name(enum loss_meaning meaning)
{
	static const char *const names[] = {
		[LOSS_NOTHING] = "nothing", [LOSS_MAYBE] = "maybe", [LOSS_MISSING] = "missing",
	};

	return names[meaning];
}
