// SPDX-License-Identifier: GPL-2.0-only
/*
 * Parses a line of `trace`; see events.h.
 *
 *             <idle>-0       [000] d....     1644775138: f <-caller
 *             <idle>-0       [000] d....     1644775138: f <-caller (123456)
 *
 * The fields between the command and the time depend on options; the event comes after the time. A
 * line begins with the command's name, right-aligned in a column, which may contain any characters.
 * So the time is the first word after this column that is a number with a colon.
 */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "boot/events.h"

/* TASK_COMM_LEN */
#define COMM_WIDTH 16
/* irqs-off, need-resched, in an interrupt, preempt-depth, migrate-disable */
#define FLAGS_WIDTH 5

/* Parses "12.345678", as nanoseconds, or "1234567" by a clock without seconds. */
static bool parse_time(const char *text, const char *end, struct trace_context *ret)
{
	const char *point = memchr(text, '.', end - text), *digit = text;
	uint64_t scale = 1000000000;

	ret->time = 0;
	ret->fraction = point;
	if (text == end || point == text || point == end - 1)
		return false;
	for (; digit < end; digit++) {
		if (digit == point)
			continue;
		if (!isdigit((unsigned char)*digit))
			return false;
		ret->time = 10 * ret->time + *digit - '0';
		if (point && digit > point)
			scale /= 10;
	}
	if (point)
		ret->time *= scale;
	return scale;
}

/* Parses "        comm-pid   [cpu] flags  time: ". Options may remove any of these fields. */
int trace_context__parse(char *line, struct trace_context *ret)
{
	char *at = line + strnlen(line, COMM_WIDTH), flags[8] = "";

	ret->pid = ret->cpu = -1;
	sscanf(at, "-%d [%d] %7s", &ret->pid, &ret->cpu, flags);
	ret->interrupt = strlen(flags) == FLAGS_WIDTH ? flags[2] : '.';
	while ((at = strstr(at, ": "))) {
		const char *stamp = at;

		while (stamp > line && stamp[-1] != ' ')
			stamp--;
		if (parse_time(stamp, at, ret)) {
			ret->event = at + 2;
			ret->event[strcspn(ret->event, "\n")] = '\0';
			return 0;
		}
		at += 2;
	}
	return -EPROTO;
}

bool trace_line__is_no_event(const char *line)
{
	return *line == '#' || *line == '\n' || !strncmp(line, "CPU:", 4) || !strncmp(line, " => ", 4);
}

char *trace_context__fields(const struct trace_context *c, const char *name)
{
	size_t length = strlen(name);

	return strncmp(c->event, name, length) || strncmp(c->event + length, ": ", 2) ? NULL : c->event + length + 2;
}

static size_t name_length(const char *name)
{
	return strcspn(name, " +");
}

/* Turns "f+0x12/0x34 [module] <ffffffff81000000>" into "f [module]". */
static const char *clean_name(char *name)
{
	char *module = strstr(name, " ["), *end = module ? strchr(module, ']') : NULL;
	size_t length = name_length(name);

	if (end) {
		memmove(name + length, module, end + 1 - module);
		length += end + 1 - module;
	}
	name[length] = '\0';
	return name;
}

/* Cuts " (123456)", " (open)" or " (unknown)" off the text. Returns false for another word. */
static bool take_took(char *text, struct trace_line *ret)
{
	char *word = strstr(text, " ("), rest[2];

	if (!word)
		return true;
	*word = '\0';
	word += strlen(" (");
	if (!strcmp(word, "open)"))
		ret->took = TOOK_OPEN;
	else if (!strcmp(word, "unknown)"))
		ret->took = TOOK_UNKNOWN;
	else if (isdigit((unsigned char)*word) &&
		 sscanf(word, "%" SCNu64 "%1[)]%1s", &ret->counts, rest, rest) == 2)
		ret->took = TOOK_COUNTS;
	else
		return false;
	return true;
}

int trace_line__parse(char *line, struct trace_line *ret)
{
	char *event, *arrow, *colon;
	struct trace_context context;

	memset(ret, 0, sizeof(*ret));
	/* The early recorder's clock counts, so its times have no fraction. */
	if (trace_context__parse(line, &context) || context.fraction)
		return -EPROTO;
	event = context.event;
	ret->time = context.time;
	arrow = strstr(event, " <-");
	colon = strchr(event, ':');
	/* All other events have a name and a colon, except "<stack trace>" and the like. */
	if (*event == '<' || (colon && (!arrow || colon < arrow)))
		return strncmp(event, "function:", 9) ? 0 : -EPROTO;
	if (!arrow || !name_length(event) || !name_length(arrow + strlen(" <-")))
		return -EPROTO;
	if (!take_took(arrow + strlen(" <-"), ret))
		return -EPROTO;
	*arrow = '\0';
	ret->function = clean_name(event);
	ret->parent = clean_name(arrow + strlen(" <-"));
	return 0;
}
