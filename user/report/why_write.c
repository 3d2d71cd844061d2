// SPDX-License-Identifier: GPL-2.0-only
/* Prints or writes why a function is missing; see why.h. */
#include "base/json.h"
#include "kernel/traceable.h"
#include "report/why.h"

#define WHY_SCHEMA 2
/* The most names that are printed: some functions are inlined into thousands. */
#define MOST_NAMES 20

static void print_into(const struct why_answer *a, enum why_ran ran, FILE *out)
{
	static const char *const heads[] = { [RAN_NO] = "", [RAN_YES] = "ran: ", [RAN_UNKNOWN] = "not known: " };
	size_t printed = 0, all = 0;

	for (size_t i = 0; i < a->into_count; i++) {
		if (a->into[i].ran != ran)
			continue;
		if (all++ < MOST_NAMES) {
			fprintf(out, "%s%s%s", printed ? " " : "    ", printed ? "" : heads[ran], a->into[i].function);
			printed++;
		}
	}
	if (all > printed)
		fprintf(out, " and %zu more (-f json has all)", all - printed);
	if (all)
		fputc('\n', out);
}

static void print_answer(const struct why_answer *a, FILE *out)
{
	char name[512];

	function__full_name(name, sizeof(name), a->function, a->module);
	if (a->document)
		fprintf(out, "%s: in %s: %s", name, a->document, a->text);
	else
		fprintf(out, "%s: %s", name, a->text);
	if (a->file && a->line)
		fprintf(out, " (%s:%u)", a->file, a->line);
	else if (a->file)
		fprintf(out, " (%s)", a->file);
	fputc('\n', out);
	print_into(a, RAN_YES, out);
	print_into(a, RAN_UNKNOWN, out);
	print_into(a, RAN_NO, out);
}

void why__print(const struct why *w, FILE *out)
{
	for (size_t i = 0; i < w->count; i++)
		print_answer(&w->list[i], out);
}

static void write_answer(json_writer_t *w, const struct why_answer *a)
{
	jsonw_start_object(w);
	json__string_or_null(w, "why", a->why);
	json__string_or_null(w, "text", a->text);
	json__string_or_null(w, "function", a->function);
	json__string_or_null(w, "module", a->module);
	json__string_or_null(w, "file", a->file);
	json__number_or_null(w, "line", a->line, a->line);
	json__string_or_null(w, "document", a->document);
	json__array(w, "into");
	for (size_t i = 0; i < a->into_count; i++) {
		jsonw_start_object(w);
		json__string_or_null(w, "function", a->into[i].function);
		jsonw_name(w, "ran");
		if (a->into[i].ran == RAN_UNKNOWN)
			jsonw_null(w);
		else
			jsonw_bool(w, a->into[i].ran);
		jsonw_end_object(w);
	}
	jsonw_end_array(w);
	jsonw_end_object(w);
}

void why__write_json(const struct why *list, size_t count, const struct universe *kernel, FILE *out)
{
	json_writer_t *w = json__begin(out, "why", WHY_SCHEMA);

	json__string_or_null(w, "release", kernel->release);
	json__string_or_null(w, "build_id", kernel->build_id);
	json__array(w, "functions");
	for (size_t i = 0; i < count; i++) {
		jsonw_start_object(w);
		json__string_or_null(w, "name", list[i].name);
		jsonw_bool_field(w, "found", list[i].found);
		json__array(w, "answers");
		for (size_t at = 0; at < list[i].count; at++)
			write_answer(w, &list[i].list[at]);
		jsonw_end_array(w);
		jsonw_end_object(w);
	}
	jsonw_end_array(w);
	json__end(&w);
}
