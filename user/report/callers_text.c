// SPDX-License-Identifier: GPL-2.0-only
/* Prints callers or callees, a table for each function; see callers.h. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/table.h"
#include "report/callers.h"
#include "report/origins.h"

enum { COLUMN_OTHER, COLUMN_PLACE, COLUMN_SITE, COLUMN_DOCUMENTS };

static void print_place(const struct source_lines *lines, const struct image_of *of, uint64_t addr, char *text,
			size_t room)
{
	const struct line_place *place = source_lines__get(lines, of, addr);

	if (place && place->line)
		snprintf(text, room, "%s:%u", place->file, place->line);
	else
		snprintf(text, room, "-");
}

static void print_function(const struct image_of *of, const struct image_function *f, char *text, size_t room)
{
	snprintf(text, room, of->module ? "%s [%s]" : "%s", f->name, of->module);
}

/* Says how a call leads to a target that its instruction does not name. */
static void print_way(const struct call *call, char *text, size_t room)
{
	switch (call->kind) {
	case CALL_DIRECT:
		snprintf(text, room, "(through %s)", call->name);
		break;
	case CALL_STATIC:
		snprintf(text, room, "(static call %s)", call->name);
		break;
	case CALL_INDIRECT:
	case CALL_THUNK:
		snprintf(text, room, "(by a pointer)");
		break;
	case CALL_REPLACED:
		snprintf(text, room, "(one of several alternatives)");
		break;
	default:
		snprintf(text, room, "(unknown)");
	}
}

static void print_other(const struct question *q, const struct callers_answer *answer, char *text, size_t room)
{
	const struct call *call = &answer->edge->call;
	size_t used;

	if (answer->other) {
		print_function(answer->of, answer->other, text, room);
		used = strlen(text);
		if (answer->edge->entered && used + 1 < room) {
			text[used++] = ' ';
			print_way(call, text + used, room - used);
		}
	} else if (!q->calls) {
		snprintf(text, room, "(unknown)");
	} else if (call->kind == CALL_DIRECT) {
		snprintf(text, room, "%s", call->name);
	} else {
		print_way(call, text, room);
	}
}

/* "vfs_read+0x1f", in the kernel's notation. */
static void print_site(const struct call *call, char *text, size_t room)
{
	if (call->in)
		snprintf(text, room, "%s+0x%" PRIx64, call->in->name, call->site - call->in->addr);
	else
		snprintf(text, room, "0x%" PRIx64, call->site);
}

/* A table row: a call, the name of its other function, and the recordings whose column is "yes". */
struct line {
	const struct image_of *of;
	const struct call *call;
	char function[512];
	uint64_t documents;
};

static void add_line(struct libscols_table *table, const struct question *q, const struct line *line, size_t columns)
{
	struct libscols_line *to = table__line(table, NULL);
	char text[512];

	table__cell(to, COLUMN_OTHER, line->function);
	print_place(&q->lines, line->of, line->call->returns_to - 1, text, sizeof(text));
	table__cell(to, COLUMN_PLACE, text);
	print_site(line->call, text, sizeof(text));
	table__cell(to, COLUMN_SITE, text);
	for (size_t d = 0; d < columns; d++)
		table__cell(to, COLUMN_DOCUMENTS + d, line->documents >> d & 1 ? "yes" : "-");
}

static void of_answer(const struct question *q, const void *list, size_t i, struct line *ret)
{
	const struct callers_answer *answer = (const struct callers_answer *)list + i;

	ret->of = answer->edge->of;
	ret->call = &answer->edge->call;
	ret->documents = answer->edge->seen;
	print_other(q, answer, ret->function, sizeof(ret->function));
}

static void of_possible(const struct question *q, const void *list, size_t i, struct line *ret)
{
	const struct possible *possible = (const struct possible *)list + i;
	const struct image_of *of;

	ret->of = possible->of;
	ret->call = possible->call;
	ret->documents = possible->ran;
	print_function(possible->of, images__function(q->edges->images, possible->from, &of), ret->function,
		       sizeof(ret->function));
}

/* @only: the heading of a single recording's column; NULL: a single recording has no column. */
static void print_table(const struct question *q, const char *heading, const char *only,
			void (*line_of)(const struct question *, const void *, size_t, struct line *),
			const void *list, size_t count, FILE *out)
{
	size_t columns = only || q->edges->document_count > 1 ? q->edges->document_count : 0;
	struct libscols_table *table = table__new(out);
	struct line line;

	table__column(table, heading, 0.3, 0);
	table__column(table, "WHERE", 0.3, 0);
	table__column(table, "SITE", 0.3, 0);
	for (size_t d = 0; d < columns; d++)
		table__column(table, columns > 1 ? q->labels[d] : only, 4, 0);
	for (size_t i = 0; i < count; i++) {
		line_of(q, list, i, &line);
		add_line(table, q, &line, columns);
	}
	table__print(table);
}

/* Says how a function that did not run could have been entered, and whether the callers ran. */
static void print_possible(const struct question *q, size_t number, const struct image_function *f,
			   const struct image_of *of, FILE *out)
{
	struct possible *list;
	size_t count;

	if (q->calls || edges__ran(q->edges, number))
		return;
	list = question__possible(q, number, &count);
	if (count)
		print_table(q, "MAY ENTER IT", "RAN", of_possible, list, count, out);
	else
		fputs("In the kernel's files, no call and no jump names it, but for calls that the kernel may "
		      "replace.\n", out);
	free(list);
	if (references__taken(of->references, f) == TAKEN_YES)
		fputs("Its address is taken: a pointer may lead to it.\n", out);
	else if (references__taken(of->references, f) == TAKEN_UNKNOWN)
		fputs("The pointers in modules are not read: one of them may lead to it.\n", out);
	if (f->exported)
		fputs("It is exported: modules whose files were not read may call it.\n", out);
}

static void print_unseen(const struct question *q, size_t number, const struct image_function *f, const char *module,
			 FILE *out)
{
	const struct node *node = &q->edges->nodes[number];

	if (node->inside)
		fprintf(out, "%s was not recorded, and ran: calls in it were", f->name);
	else if (node->called)
		fprintf(out, "%s was not recorded, and ran: a recorded call leads to it", f->name);
	else
		fprintf(out, "%s was not recorded", f->name);
	if (f->untraced)
		fprintf(out, "; it %s", untraced__sentence(f->untraced));
	fputs(".\n", out);
	if (f->untraced && !node->inside && !node->called)
		fputs("It may have run all the same.\n", out);
	for (size_t d = 0; !node->inside && !node->called && !f->untraced && d < q->edges->document_count; d++) {
		enum verdict v = edges__verdict(q->edges, number, d);

		if (!verdict__could_see(v) || !verdict__is_certain(v, q->edges->documents[d], module))
			fprintf(out, "It may have run all the same: in %s, %s%s.\n", q->labels[d], verdict__sentence(v),
				verdict__could_see(v) ? ", as far as is known: it has lost something" : "");
	}
}

/* Recordings count, but do not list, callers in modules' init text. They may call exports. */
static void print_uncounted(const struct question *q, const struct image_function *f, FILE *out)
{
	uint64_t count = 0;

	for (size_t d = 0; !q->calls && f->exported && d < q->edges->document_count; d++)
		count += counters__get(&q->edges->documents[d]->lost, "module_init_callers");
	if (count)
		fprintf(out, "It is exported: %" PRIu64 " callers in modules' init text, which no recording "
			"lists, may have called it.\n", count);
}

/* Says how a function was entered, if no recorded call leads to it. */
static void print_origin(const struct question *q, size_t number, const struct image_function *f,
			 const struct image_of *of, FILE *out)
{
	const struct call *jump;
	enum origin origin = origins__of(q->edges, number, &jump);
	char text[512];

	if (origin == ORIGIN_NONE || origin == ORIGIN_CALLED)
		return;
	fprintf(out, "%s %s.\n", f->name, origin__sentence(origin));
	if (!jump)
		return;
	print_place(&q->lines, of, jump->returns_to - 1, text, sizeof(text));
	fprintf(out, "There is such a jump in %s, which ran: %s\n", jump->in->name, text);
}

/* Says how many of the function's calls were recorded. The table lists only recorded calls. */
static void print_share(const struct question *q, size_t number, const struct image_function *f,
			const struct callers_answer *answers, size_t count, FILE *out)
{
	size_t seen = 0, all = question__traceable_calls(q, number);

	for (const struct callers_answer *a = answers; a < answers + count; a++)
		seen += a->edge->call.in == f && a->edge->call.kind == CALL_DIRECT && !a->edge->entered &&
			a->other && !a->other->untraced && a->of->module == a->edge->of->module;
	if (all && edges__ran(q->edges, number))
		fprintf(out, "Of the %zu calls in it that name a function that can be traced, %zu were recorded.\n",
			all, seen);
}

static void print_answer(const struct question *q, size_t number, FILE *out)
{
	const struct image_of *of;
	const struct image_function *f = images__function(q->edges->images, number, &of);
	char text[512];
	size_t count;
	struct callers_answer *answers = question__answers(q, number, &count);

	print_function(of, f, text, sizeof(text));
	fprintf(out, "%s", text);
	print_place(&q->heads, of, f->addr, text, sizeof(text));
	fprintf(out, "  %s\n", text);
	if (!q->edges->nodes[number].seen)
		print_unseen(q, number, f, of->module, out);
	if (count)
		print_table(q, q->calls ? "CALLED" : "CALLER", NULL, of_answer, answers, count, out);
	else if (q->calls && edges__ran(q->edges, number))
		fprintf(out, "No call in it was recorded.\n");
	if (q->calls)
		print_share(q, number, f, answers, count, out);
	else
		print_origin(q, number, f, of, out);
	print_possible(q, number, f, of, out);
	print_uncounted(q, f, out);
	free(answers);
}

void callers__text(const struct question *q, FILE *out)
{
	for (size_t i = 0; i < q->count; i++) {
		if (i)
			fputc('\n', out);
		print_answer(q, q->functions[i], out);
	}
}
