// SPDX-License-Identifier: GPL-2.0-only
/* See options.h. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/options.h"

double option__seconds(struct argp_state *state, const char *text)
{
	char *end;
	double value = strtod(text, &end);

	if (*end || end == text || !(value > 0) || value > 1e9)
		argp_error(state, "--duration %s: not a time in seconds", text);
	return value;
}

long option__number(struct argp_state *state, const char *name, const char *text, long most)
{
	char *end;
	long value;

	errno = 0;
	value = strtol(text, &end, 10);
	if (errno || *end || end == text || value <= 0 || value > most)
		argp_error(state, "--%s %s: not a number from 1 to %ld", name, text, most);
	return value;
}

size_t option__arguments(const struct argp_state *state, const char *const **ret)
{
	*ret = (const char *const *)state->argv + state->next;
	return state->argc - state->next;
}

int option__word(struct argp_state *state, const char *name, const char *text, const char *const *words)
{
	char list[256] = "";

	for (int i = 0; words[i]; i++) {
		if (!strcmp(words[i], text))
			return i;
		snprintf(list + strlen(list), sizeof(list) - strlen(list), "%s%s",
			 !i ? "" : words[i + 1] ? ", " : " or ", words[i]);
	}
	argp_error(state, "--%s %s: there is no such %s; choose %s", name, text, name, list);
	return 0;
}

static const char *const *formats(const struct result_options *o)
{
	static const char *const text_or_json[] = { [RESULT_TEXT] = "text", [RESULT_JSON] = "json", NULL };

	return o->formats ?: text_or_json;
}

int result_options__guess(const struct result_options *o, const char *path)
{
	const char *ending = path ? strrchr(path, '.') : NULL;

	/* Users of genhtml call lcov files .info. */
	if (ending && !strcmp(ending, ".info"))
		ending = ".lcov";
	for (int i = 0; ending && formats(o)[i]; i++) {
		if (!strcmp(ending + 1, formats(o)[i]))
			return i;
	}
	return -1;
}

error_t result_options__parse(struct result_options *o, int key, char *arg, struct argp_state *state)
{
	int guess;

	switch (key) {
	case 'f':
		o->format = option__word(state, "format", arg, formats(o));
		o->format_given = true;
		return 0;
	case 'o':
		o->output = arg;
		guess = result_options__guess(o, arg);
		if (o->only && guess == RESULT_JSON)
			argp_error(state, "-o %s: %s", arg, o->only);
		if (!o->format_given)
			o->format = guess < 0 ? RESULT_TEXT : guess;
		return 0;
	case OPTION_KEY_VMLINUX:
		o->vmlinux = arg;
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

error_t result_options__parser(int key, char *arg, struct argp_state *state)
{
	return result_options__parse(state->input, key, arg, state);
}
