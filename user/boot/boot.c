// SPDX-License-Identifier: GPL-2.0-only
/* What all views of a boot use; see boot.h. */
#include "base/error.h"
#include "base/memory.h"
#include "boot/account.h"
#include "boot/cells.h"

void boot__init(struct boot *ret)
{
	*ret = (struct boot){
		.early = {
			.cpu = NOT_KNOWN, .first = NOT_KNOWN, .tsc_khz = NOT_KNOWN, .begin = NOT_KNOWN, .until = NOT_KNOWN,
			.zero = NOT_KNOWN, .calls = NOT_KNOWN, .callers = NOT_KNOWN, .returns = NOT_KNOWN, .open = NOT_KNOWN,
			.unknown = NOT_KNOWN, .thousand_calls = NOT_KNOWN, .thousand_inside = NOT_KNOWN, .convert = NOT_KNOWN,
			.show = NOT_KNOWN, .ftrace_init = NOT_KNOWN, .before_ftrace_init = NOT_KNOWN,
		},
		.process = { SPAN_NONE, .start = NOT_KNOWN, .end = NOT_KNOWN }, .full = NOT_KNOWN, .probes_lost = NOT_KNOWN,
		.probes_full = NOT_KNOWN, .clock = clock_not_known, .firmware = { FIRMWARE_NONE, NOT_KNOWN, NOT_KNOWN },
		.first_call = NOT_KNOWN, .store = strings__new(),
	};
	boot_units__not_known(ret, NULL);
}

static void free_phases(struct boot_phase *list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free_phases(list[i].inner, list[i].inner_count);
	free(list);
}

void boot__free(struct boot *b)
{
	struct span_list *const lists[] = {
		&b->early.longest, &b->levels, &b->inits, &b->initcalls, &b->probes, &b->programs, &b->runs, &b->path,
	};

	kernel_id__free(&b->kernel);
	free(b->boot_id);
	counters__free(&b->early.lost);
	free_phases(b->early.phases, b->early.phase_count);
	free(b->early.function_list);
	free(b->early.stacks);
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		free(lists[i]->list);
	free(b->ios);
	free(b->cpus);
	free(b->waits);
	free(b->ahead);
	boot_units__free(&b->units);
	free(b->parts.list);
	strings__free(b->store);
	memset(b, 0, sizeof(*b));
}

bool boot__is_oneshot(const struct boot *b)
{
	return b->early.tracer && !strcmp(b->early.tracer, "oneshot");
}

bool boot__has_beginning(const struct boot *b)
{
	return b->levels.count && !strcmp(b->levels.list[0].name, "early");
}

/* ---- losses */

static void tell_start(const struct boot *b)
{
	if (b->lost)
		error__print("start: lost: %" PRId64 " events were overwritten, or found no room before init: initcalls, "
			     "modules and waits may be missing; boot with trace_options=nooverwrite, as `hytrace boot next` "
			     "prints it, or with a larger trace_buf_size=", b->lost);
	if (b->full != NOT_KNOWN)
		error__print("start: a buffer was full at %s s: modules%s and what processors did may be "
			     "missing from then on; if the boot took longer, boot with a larger trace_buf_size=",
			     cell__seconds(b->full).text, b->probes_full != NOT_KNOWN ? ", probes" : "");
	if (b->probes_lost > 0)
		error__print("probes: lost: %" PRId64 " events were overwritten, or found no room: probes of devices may be "
			     "missing; boot with a larger trace_buf_size=, or without ftrace=function", b->probes_lost);
	if (!boot__has_beginning(b))
		error__warn("the first initcalls are missing, so what came before the others is not known");
	if (b->clock_back)
		error__warn("the kernel's clock went back by %s s before there were programs, when it "
			    "had measured the time stamp counter; what was before is told as if it had not", cell__seconds(b->clock_back).text);
	if (b->unread)
		error__warn("%" PRId64 " lines of the trace are no events, or are out of order, as if a program's name had a "
			    "newline; who starts such programs can write what is no event, too. The first one is: %s",
			    b->unread, b->first_unread ?: "(not known)");
}

static void tell_early(const struct boot_early *e)
{
	for_list(c, &e->lost) {
		if (c->value)
			error__print("early: lost: %s %" PRIu64 ": %s", c->name, c->value, strcmp(c->name, "missing") ?
				     "calls for which the early buffer had no room; ftrace_filter= or ftrace_notrace= makes "
				     "them fewer, CONFIG_VERY_EARLY_FTRACE_BUF_SHIFT the buffer larger" :
				     "the first early calls, which are no longer in the instance \"early\": somebody has "
				     "read its trace_pipe, or its trace_pipe_raw");
	}
	if (e->unknown > 0)
		error__warn("early: the durations of %" PRId64 " calls are not known (512 others were around them, or the clock "
			    "was set back): they are taken to end with the next call that is not from inside them", e->unknown);
	if (e->counts)
		error__warn("times are cycles: the kernel does not know the TSC's frequency; boot with tsc_early_khz=");
	if (e->before_zero > 0)
		error__warn("%" PRId64 " hits have no time: the clock began after them; with ftrace=function, each call has one",
			    e->before_zero);
	if (e->differing > 0)
		error__warn("ftrace_filter= and ftrace_notrace= selected something else early than later, at %" PRId64 " sites",
			    e->differing);
}

void boot__losses(const struct boot *b)
{
	if (b->has_start)
		tell_start(b);
	if (boot__has_early(b))
		tell_early(&b->early);
	boot__account_losses(b);
}
