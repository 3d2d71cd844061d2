// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reports of the part of a boot from the initcalls on; see start_report.h.
 *
 * The task of the initcalls does one thing after the other until it becomes init. So the rows add
 * up to its whole time: the time before the levels; each level, with its initcalls and the time
 * between initcalls; and the time after the last initcall.
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/json.h"
#include "base/text.h"
#include "boot/asked.h"
#include "boot/cells.h"
#include "boot/probes.h"
#include "boot/start_report.h"
#include "boot/waits.h"

static const char *level_of(const struct boot_start *s, const struct start_initcall *call)
{
	if (call->level != NO_LEVEL)
		return s->levels[call->level].name;
	if (start_initcall__is_module(call))
		return "module";
	/* Initcalls of consoles run in the idle task, before there are other tasks. */
	return call->pid ? "unknown" : "console";
}

/* The end of the last level. */
static uint64_t end_of_levels(const struct boot_start *s)
{
	const struct start_level *last = &s->levels[s->level_count - 1];

	return last->start + last->time;
}

const char *boot_start__name(const struct start_initcall *call)
{
	return call->module ?: call->name ?: "(a module)";
}

/* ---- text */

/* @level: NULL for a row that has no initcalls. */
static void add_level(struct libscols_table *table, const char *name, uint64_t start, uint64_t time, uint64_t whole,
		      const struct start_level *level)
{
	struct cells c = cells__line(table, NULL);

	cell__text(&c, name);
	cell__time(&c, start);
	cell__time(&c, time);
	cell__share(&c, time, whole);
	if (level) {
		cell__time(&c, level->in_initcalls);
		cell__print(&c, "%zu", level->initcalls);
	}
}

static void print_levels(const struct boot_start *s, FILE *out)
{
	static const struct column columns[] = {
		{ "LEVEL", 0.3 }, { "START", 10, RIGHT }, { "TIME", 10, RIGHT }, { "SHARE", 7, RIGHT },
		{ "IN INITCALLS", 12, RIGHT }, { "INITCALLS", 9, RIGHT }, { }
	};
	struct libscols_table *table = cells__table(out, columns);
	uint64_t whole = s->init_count ? s->inits[0].time : s->level_count ? end_of_levels(s) : 0;

	if (boot_start__has_beginning(s))
		add_level(table, "(before)", 0, s->levels[0].start, whole, NULL);
	for (size_t i = 0; i < s->level_count; i++)
		add_level(table, s->levels[i].name, s->levels[i].start, s->levels[i].time, whole, &s->levels[i]);
	if (s->level_count && s->init_count && s->inits[0].time > end_of_levels(s))
		add_level(table, "(after, until init)", end_of_levels(s), s->inits[0].time - end_of_levels(s), whole,
			  NULL);
	table__print(table);
}

static void add_initcall(struct libscols_table *table, const struct boot_start *s, size_t index)
{
	const struct start_initcall *call = &s->initcalls[index];
	struct cells c = cells__line(table, NULL);

	cell__text(&c, boot_start__name(call));
	cell__text(&c, level_of(s, call));
	cell__time(&c, call->start);
	if (!call->finished) {
		cells__skip(&c, 4);
		cell__text(&c, "(its end is not known)");
		return;
	}
	cell__time(&c, call->time);
	cell__time(&c, call->self);
	cell__time(&c, s->waits ? s->waits->initcalls[index].running : 0);
	cell__time(&c, s->waits ? s->waits->initcalls[index].waiting : 0);
	cell__print(&c, "%d", call->result);
}

static void print_initcalls(const struct boot_start *s, size_t most, FILE *out)
{
	int waits = RIGHT | (s->waits ? 0 : SCOLS_FL_HIDDEN);
	const struct column columns[] = {
		{ "INITCALL OR MODULE", 0.4 }, { "LEVEL", 9 }, { "START", 10, RIGHT }, { "TIME", 10, RIGHT }, { "SELF", 10, RIGHT },
		{ "RAN", 10, waits }, { "WAITED", 10, waits }, { "RESULT", 6, RIGHT }, { }
	};
	struct libscols_table *table = cells__table(out, columns);
	size_t *order = boot_start__by_self(s);

	for (size_t i = 0; i < s->initcall_count && i < most; i++)
		add_initcall(table, s, order[i]);
	cells__print(table, most, s->initcall_count, out);
	free(order);
}

void boot_start__text(const struct boot_start *s, size_t most, FILE *out)
{
	fprintf(out, "The kernel's initcalls, %s; times are seconds of the kernel's clock\n\n",
		s->init_count ? "until it started init" : "and init was not seen to start");
	print_levels(s, out);
	for (size_t i = 0; i < s->init_count; i++) {
		fputs(i ? "then " : "\nStarted ", out);
		utf8__print(out, s->inits[i].program, "");
		fprintf(out, " as init, at " SECONDS " s\n", AS_SECONDS(s->inits[i].time));
	}
	fputc('\n', out);
	print_initcalls(s, most, out);
	boot_waits__text(s, most, out);
}

static void warn_of_missing(void)
{
	struct boot_asked asked;
	const char *why;

	boot_asked__load(&asked);
	why = boot_asked__late_events(&asked);
	error__warn("the first initcalls are missing, so what came before the others is not known%s%s",
		    why ? ": " : "", why ?: "");
	boot_asked__free(&asked);
}

void boot_start__losses(const struct boot_start *s)
{
	if (s->lost)
		error__print("start: lost: %" PRIu64 " events were overwritten, or found no room before init: initcalls, "
			     "modules and waits may be missing; boot with " START_KEEP ", as `hytrace boot next` prints it, or "
			     "with a larger trace_buf_size=", s->lost);
	if (s->full)
		error__print("start: a buffer was full at " SECONDS " s: modules%s and what processors did may be "
			     "missing from then on; if the boot took longer, boot with a larger trace_buf_size=",
			     AS_SECONDS(s->full), s->probes && s->probes->full ? ", probes" : "");
	if (s->probes && s->probes->lost)
		error__print("probes: lost: %" PRIu64 " events were overwritten, or found no room: probes of devices may be "
			     "missing; boot with a larger trace_buf_size=, or without ftrace=function", s->probes->lost);
	if (!boot_start__has_beginning(s))
		warn_of_missing();
	if (s->clock_back)
		error__warn("the kernel's clock went back by " SECONDS " s before there were programs, when it "
			    "had measured the time stamp counter; what was before is told as if it had not", AS_SECONDS(s->clock_back));
	if (s->unread)
		error__warn("%zu lines of the trace are no events, or are out of order, as if a program's name had a "
			    "newline; who starts such programs can write what is no event, too. The first one is: %s",
			    s->unread, s->first_unread);
}

/* ---- json */

static void write_level(json_writer_t *w, const struct start_level *level)
{
	jsonw_start_object(w);
	jsonw_string_field(w, "name", level->name);
	jsonw_lluint_field(w, "start", level->start);
	jsonw_lluint_field(w, "time", level->time);
	jsonw_lluint_field(w, "in_initcalls", level->in_initcalls);
	jsonw_lluint_field(w, "initcalls", level->initcalls);
	jsonw_end_object(w);
}

static void write_initcall(json_writer_t *w, const struct boot_start *s, size_t index)
{
	const struct start_initcall *call = &s->initcalls[index];
	const struct initcall_time *time = s->waits ? &s->waits->initcalls[index] : NULL;
	bool known = time && call->finished;

	jsonw_start_object(w);
	json__string_or_null(w, "name", call->name);
	json__string_or_null(w, "module", call->module);
	jsonw_string_field(w, "level", level_of(s, call));
	jsonw_lluint_field(w, "pid", call->pid);
	jsonw_lluint_field(w, "start", call->start);
	json__number_or_null(w, "time", call->finished, call->time);
	json__number_or_null(w, "self", call->finished, call->self);
	json__number_or_null(w, "running", known, known ? time->running : 0);
	json__number_or_null(w, "ready", known, known ? time->ready : 0);
	json__number_or_null(w, "waiting", known, known ? time->waiting : 0);
	json__int_or_null(w, "result", call->finished, call->result);
	jsonw_end_object(w);
}

void boot_start__json(const struct boot_start *s, json_writer_t *w)
{
	if (!s) {
		jsonw_null(w);
		return;
	}
	jsonw_start_object(w);
	jsonw_string_field(w, "clock", "local");
	jsonw_lluint_field(w, "lost", s->lost);
	json__number_or_null(w, "full", s->full, s->full);
	jsonw_lluint_field(w, "unread", s->unread);
	jsonw_lluint_field(w, "clock_back", s->clock_back);
	jsonw_name(w, "inits");
	jsonw_start_array(w);
	for (size_t i = 0; i < s->init_count; i++) {
		jsonw_start_object(w);
		jsonw_string_field(w, "program", s->inits[i].program);
		jsonw_lluint_field(w, "start", s->inits[i].time);
		jsonw_end_object(w);
	}
	jsonw_end_array(w);
	json__lines(w, "levels");
	for (size_t i = 0; i < s->level_count; i++)
		write_level(w, &s->levels[i]);
	jsonw_end_array(w);
	json__lines(w, "initcalls");
	for (size_t i = 0; i < s->initcall_count; i++)
		write_initcall(w, s, i);
	jsonw_end_array(w);
	boot_waits__json(s, w);
	jsonw_end_object(w);
}
