// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads a line of `trace`; see trace_line.h.
 *
 *             <idle>-0       [000] d....     1644775138: f <-caller
 *
 * What is between the command and the time depends on options; the event comes after the time. A
 * line begins with the command's name, right-aligned in a column of its own, which may have any
 * characters. So the time is the first word after this column that is a number with a colon.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "boot/trace_line.h"

/* TASK_COMM_LEN */
#define COMM_WIDTH 16

/* Parses "1234567": the clock of the recorder has no seconds. */
static bool parse_time(const char *text, const char *end, struct trace_line *ret)
{
	const char *digit = text;

	ret->time = 0;
	for (; digit < end && isdigit((unsigned char)*digit); digit++)
		ret->time = 10 * ret->time + *digit - '0';
	return digit == end && digit > text;
}

/* Skips "        comm-pid   [cpu] flags  time: ". Which of these are there depends on options. */
static char *skip_context(char *line, struct trace_line *ret)
{
	char *at = line + strnlen(line, COMM_WIDTH);

	while ((at = strstr(at, ": "))) {
		const char *stamp = at;

		while (stamp > line && stamp[-1] != ' ')
			stamp--;
		if (parse_time(stamp, at, ret))
			return at + 2;
		at += 2;
	}
	return NULL;
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

int trace_line__parse(char *line, struct trace_line *ret)
{
	char *event, *arrow, *colon;

	memset(ret, 0, sizeof(*ret));
	line[strcspn(line, "\n")] = '\0';
	event = skip_context(line, ret);
	if (!event)
		return -EPROTO;
	arrow = strstr(event, " <-");
	colon = strchr(event, ':');
	/* All other events have a name and a colon, except "<stack trace>" and the like. */
	if (*event == '<' || (colon && (!arrow || colon < arrow)))
		return strncmp(event, "function:", 9) ? 0 : -EPROTO;
	if (!arrow || !name_length(event) || !name_length(arrow + strlen(" <-")))
		return -EPROTO;
	*arrow = '\0';
	ret->function = clean_name(event);
	ret->parent = clean_name(arrow + strlen(" <-"));
	return 0;
}
