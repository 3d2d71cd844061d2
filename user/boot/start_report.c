// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reports of the part of a boot from the initcalls on; see start_report.h.
 *
 * The task of the initcalls does one thing after the other until it becomes init. So its time is
 * divided into rows without a rest: what came before the levels, each level with its initcalls and
 * the time between these, and what came after the last initcall.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/json.h"
#include "base/utf8.h"
#include "boot/asked.h"
#include "boot/cells.h"
#include "boot/probes.h"
#include "boot/start_report.h"
#include "boot/waits.h"
#include "boot/waits_report.h"

static const char *level_of(const struct boot_start *s, const struct start_initcall *call)
{
	if (call->level != NO_LEVEL)
		return s->levels[call->level].name;
	if (start_initcall__is_module(call))
		return "module";
	/* Consoles come before there are other tasks. */
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

enum { LEVEL_NAME, LEVEL_START, LEVEL_TIME, LEVEL_SHARE, LEVEL_INITCALLS, LEVEL_COUNT };

/* @level: NULL for a row that has no initcalls. */
static int add_level(struct libscols_table *table, const char *name, uint64_t start, uint64_t time,
		     uint64_t whole, const struct start_level *level)
{
	struct libscols_line *line = scols_table_new_line(table, NULL);
	int err = line ? cell__print(line, LEVEL_NAME, "%s", name) : -ENOMEM;

	if (!err)
		err = cell__time(line, LEVEL_START, start);
	if (!err)
		err = cell__time(line, LEVEL_TIME, time);
	if (!err)
		err = cell__share(line, LEVEL_SHARE, time, whole);
	if (!err && level)
		err = cell__time(line, LEVEL_INITCALLS, level->in_initcalls);
	if (!err && level)
		err = cell__print(line, LEVEL_COUNT, "%zu", level->initcalls);
	return err;
}

static int print_levels(const struct boot_start *s, FILE *out)
{
	struct libscols_table *table = scols_new_table();
	uint64_t whole = s->init_count ? s->inits[0].time : s->level_count ? end_of_levels(s) : 0;
	int err = -ENOMEM;

	if (!table)
		return error__no_memory();
	scols_table_set_stream(table, out);
	if (!scols_table_new_column(table, "LEVEL", 0.3, 0) ||
	    !scols_table_new_column(table, "START", 10, SCOLS_FL_RIGHT) ||
	    !scols_table_new_column(table, "TIME", 10, SCOLS_FL_RIGHT) ||
	    !scols_table_new_column(table, "SHARE", 7, SCOLS_FL_RIGHT) ||
	    !scols_table_new_column(table, "IN INITCALLS", 12, SCOLS_FL_RIGHT) ||
	    !scols_table_new_column(table, "INITCALLS", 9, SCOLS_FL_RIGHT))
		goto cleanup;
	err = 0;
	if (boot_start__has_beginning(s))
		err = add_level(table, "(before)", 0, s->levels[0].start, whole, NULL);
	for (size_t i = 0; !err && i < s->level_count; i++)
		err = add_level(table, s->levels[i].name, s->levels[i].start, s->levels[i].time, whole,
				&s->levels[i]);
	if (!err && s->level_count && s->init_count && s->inits[0].time > end_of_levels(s))
		err = add_level(table, "(after, until init)", end_of_levels(s),
				s->inits[0].time - end_of_levels(s), whole, NULL);
	if (!err)
		err = scols_print_table(table);
cleanup:
	scols_unref_table(table);
	return err ? error__no_memory() : 0;
}

enum { CALL_NAME, CALL_LEVEL, CALL_START, CALL_TIME, CALL_SELF, CALL_RAN, CALL_WAITED, CALL_RESULT };

static int add_initcall(struct libscols_table *table, const struct boot_start *s, size_t index)
{
	const struct start_initcall *call = &s->initcalls[index];
	struct libscols_line *line = scols_table_new_line(table, NULL);
	int err = line ? cell__print(line, CALL_NAME, "%s", boot_start__name(call)) : -ENOMEM;

	if (!err)
		err = cell__print(line, CALL_LEVEL, "%s", level_of(s, call));
	if (!err)
		err = cell__time(line, CALL_START, call->start);
	if (!err && call->finished)
		err = cell__time(line, CALL_TIME, call->time);
	if (!err && call->finished)
		err = cell__time(line, CALL_SELF, call->self);
	if (!err && call->finished && s->waits)
		err = cell__time(line, CALL_RAN, s->waits->initcalls[index].running);
	if (!err && call->finished && s->waits)
		err = cell__time(line, CALL_WAITED, s->waits->initcalls[index].waiting);
	if (!err)
		err = call->finished ? cell__print(line, CALL_RESULT, "%d", call->result) :
				       cell__print(line, CALL_RESULT, "(its end is not known)");
	return err;
}

static int print_initcalls(const struct boot_start *s, size_t most, FILE *out)
{
	struct libscols_table *table = scols_new_table();
	size_t *order = NULL;
	int err = -ENOMEM;

	if (!table)
		return error__no_memory();
	scols_table_set_stream(table, out);
	if (!scols_table_new_column(table, "INITCALL OR MODULE", 0.4, 0) ||
	    !scols_table_new_column(table, "LEVEL", 9, 0) ||
	    !scols_table_new_column(table, "START", 10, SCOLS_FL_RIGHT) ||
	    !scols_table_new_column(table, "TIME", 10, SCOLS_FL_RIGHT) ||
	    !scols_table_new_column(table, "SELF", 10, SCOLS_FL_RIGHT) ||
	    !scols_table_new_column(table, "RAN", 10, SCOLS_FL_RIGHT |
				    (s->waits ? 0 : SCOLS_FL_HIDDEN)) ||
	    !scols_table_new_column(table, "WAITED", 10, SCOLS_FL_RIGHT |
				    (s->waits ? 0 : SCOLS_FL_HIDDEN)) ||
	    !scols_table_new_column(table, "RESULT", 6, SCOLS_FL_RIGHT))
		goto cleanup;
	err = boot_start__by_self(s, &order);
	for (size_t i = 0; !err && i < s->initcall_count && i < most; i++)
		err = add_initcall(table, s, order[i]);
	if (!err)
		err = scols_print_table(table);
	if (!err && most < s->initcall_count)
		fprintf(out, "and %zu more\n", s->initcall_count - most);
cleanup:
	free(order);
	scols_unref_table(table);
	return err ? error__no_memory() : 0;
}

int boot_start__text(const struct boot_start *s, size_t most, FILE *out)
{
	int err;

	fprintf(out, "The kernel's initcalls, %s; times are seconds of the kernel's clock\n\n",
		s->init_count ? "until it started init" : "and init was not seen to start");
	err = print_levels(s, out);
	for (size_t i = 0; i < s->init_count; i++) {
		fputs(i ? "then " : "\nStarted ", out);
		utf8__print(out, s->inits[i].program, "");
		fprintf(out, " as init, at %" PRIu64 ".%06" PRIu64 " s\n", s->inits[i].time / 1000000000,
			s->inits[i].time % 1000000000 / 1000);
	}
	fputc('\n', out);
	if (!err)
		err = print_initcalls(s, most, out);
	if (!err)
		err = boot_waits__text(s, most, out);
	return err;
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
			     "modules and waits may be missing; boot with " START_KEEP ", as `hytrace boot --next` prints it, or "
			     "with a larger trace_buf_size=", s->lost);
	if (s->full)
		error__print("start: a buffer was full at %" PRIu64 ".%06" PRIu64 " s: modules%s and what processors did may be "
			     "missing from then on; if the boot took longer, boot with a larger trace_buf_size=",
			     s->full / 1000000000, s->full % 1000000000 / 1000, s->probes && s->probes->full ? ", probes" : "");
	if (s->probes && s->probes->lost)
		error__print("probes: lost: %" PRIu64 " events were overwritten, or found no room: probes of devices may be "
			     "missing; boot with a larger trace_buf_size=, or without ftrace=function", s->probes->lost);
	if (!boot_start__has_beginning(s))
		warn_of_missing();
	if (s->clock_back)
		error__warn("the kernel's clock went back by %" PRIu64 ".%06" PRIu64 " s before there were programs, when it "
			    "had measured the time stamp counter; what was before is told as if it had not",
			    s->clock_back / 1000000000, s->clock_back / 1000 % 1000000);
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
	jsonw_name(w, "result");
	if (call->finished)
		jsonw_int(w, call->result);
	else
		jsonw_null(w);
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
	jsonw_name(w, "levels");
	jsonw_start_lines(w);
	for (size_t i = 0; i < s->level_count; i++)
		write_level(w, &s->levels[i]);
	jsonw_end_array(w);
	jsonw_name(w, "initcalls");
	jsonw_start_lines(w);
	for (size_t i = 0; i < s->initcall_count; i++)
		write_initcall(w, s, i);
	jsonw_end_array(w);
	boot_waits__json(s, w);
	jsonw_end_object(w);
}
