// SPDX-License-Identifier: GPL-2.0-only
/*
 * Parses the kernel command line and the bootconfig of this boot; see asked.h. There are several
 * similar ways to trace a boot. If the user has chosen one that hytrace cannot use, the message
 * names the parameter, instead of only saying that events are missing.
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/files.h"
#include "boot/asked.h"
#include "boot/start.h"
#include "kernel/features.h"

void boot_asked__load(struct boot_asked *ret)
{
	ret->line = file__text("/proc/cmdline");
	ret->config = file__text("/proc/bootconfig");
}

void boot_asked__free(struct boot_asked *a)
{
	free(a->line);
	free(a->config);
}

/* ---- words of the command line */

struct word {
	const char *value;	/* without quotes around it; NULL: the word has no = */
	size_t length;		/* of the value */
};

/* The end of the word that begins at @text. A quoted part may contain spaces. */
static const char *end_of_word(const char *text)
{
	bool quoted = false;

	for (; *text && (quoted || (*text != '\n' && *text != ' ')); text++)
		quoted ^= *text == '"';
	return text;
}

/*
 * Finds the next parameter of this name, from *@at on. Kernels before 6.12 put the values of a
 * bootconfig into quotes.
 */
static bool next_word(const char **at, const char *name, struct word *ret)
{
	size_t length = strlen(name);

	while (*at && **at) {
		const char *word = *at, *end = end_of_word(word), *value = word + length;

		*at = *end ? end + 1 : end;
		/* The words after "--" are for init. */
		if (end - word == 2 && !strncmp(word, "--", 2))
			break;
		if (strncmp(word, name, length) || (value != end && *value != '='))
			continue;
		*ret = (struct word){ 0 };
		if (value == end)
			return true;
		value++;
		if (*value == '"' && end - value > 1 && end[-1] == '"') {
			value++;
			end--;
		}
		*ret = (struct word){ value, end - value };
		return true;
	}
	return false;
}

static bool has_word(const struct boot_asked *a, const char *name)
{
	const char *at = a->line;
	struct word word;

	return next_word(&at, name, &word);
}

/* Does the comma-separated @list contain "ITEM" or "ITEM:..."? */
static bool lists(const struct word *list, const char *item)
{
	const char *at = list->value, *end = at ? at + list->length : NULL;
	size_t length = strlen(item);

	while (at && at < end) {
		const char *comma = memchr(at, ',', end - at) ?: end;

		if ((size_t)(comma - at) >= length && !strncmp(at, item, length) &&
		    (at + length == comma || at[length] == ':'))
			return true;
		at = comma + 1;
	}
	return false;
}

static bool lists_in(const struct boot_asked *a, const char *name, const char *item)
{
	const char *at = a->line;
	struct word word;

	while (next_word(&at, name, &word)) {
		if (lists(&word, item))
			return true;
	}
	return false;
}

bool boot_asked__in_top(const struct boot_asked *a)
{
	return lists_in(a, "trace_event", "initcall");
}

bool boot_asked__keeps_first(const struct boot_asked *a)
{
	return lists_in(a, "trace_options", "nooverwrite");
}

/* ---- keys of the bootconfig */

/* The next line of the bootconfig that begins with @key, from *@at on. */
static const char *next_line(const char **at, const char *key)
{
	while (*at && **at) {
		const char *line = *at, *end = strchr(line, '\n');

		*at = end ? end + 1 : NULL;
		if (!strncmp(line, key, strlen(key)))
			return line;
	}
	return NULL;
}

/* Is there a line that begins with @key and contains @text? */
static bool config_has(const struct boot_asked *a, const char *key, const char *text)
{
	const char *at = a->config, *line;

	while ((line = next_line(&at, key))) {
		const char *found = strstr(line, text);

		if (found && found < line + strcspn(line, "\n"))
			return true;
	}
	return false;
}

bool boot_asked__by_config(const struct boot_asked *a)
{
	return config_has(a, "kernel.trace_instance = ", "\"" START_INSTANCE ",");
}

const char *boot_asked__loader_line(const struct boot_asked *a)
{
	static const char comment[] = "# Parameters from bootloader:";
	const char *at = a->config, *line = next_line(&at, comment);

	return line && at && !strncmp(at, "# ", 2) ? at + 2 : a->line;
}

bool boot_asked__instance(const struct boot_asked *a)
{
	return lists_in(a, "trace_instance", START_INSTANCE) || boot_asked__by_config(a);
}

/* ---- messages */

const char *boot_asked__no_events(const struct boot_asked *a)
{
	if (config_has(a, "ftrace.", "initcall"))
		return "the bootconfig asks for events of initcalls below \"ftrace\": they begin after the core "
		       "initcalls, and are in another place; `hytrace boot next --bootconfig` prints what it needs";
	if (!boot_asked__instance(a) &&
	    (lists_in(a, "ftrace_graph_filter", "do_one_initcall") || has_word(a, "initcall_debug")))
		return "initcall_debug, and ftrace=function_graph on do_one_initcall(), are what bootgraph of pm-graph "
		       "reads; hytrace boot needs the events that `hytrace boot next` asks for";
	return NULL;
}

const char *boot_asked__late_events(const struct boot_asked *a)
{
	if (config_has(a, "ftrace.instance." START_INSTANCE ".", ""))
		return "the bootconfig has them begin after the core initcalls, by \"ftrace.instance\"; with "
		       "\"kernel.trace_instance\", as `hytrace boot next --bootconfig` prints it, none is missing";
	return NULL;
}

const char *boot_asked__moved_events(const struct boot_asked *a)
{
	const char *at = a->line;
	struct word word;
	bool in_top = boot_asked__in_top(a);

	/* Without a value, the parameter applies to the top-level instance. */
	while (next_word(&at, "ftrace_boot_snapshot", &word)) {
		if (word.value ? lists(&word, START_INSTANCE) : in_top)
			return "ftrace_boot_snapshot has put the events of the kernel's boot into the file `snapshot` "
			       "there; leave it out of the command line";
	}
	return NULL;
}

const char *boot_asked__late_tracer(const struct boot_asked *a)
{
	if (config_has(a, "kernel.ftrace = ", "\"function\"") || config_has(a, "kernel.ftrace = ", "\"oneshot\"") ||
	    config_has(a, "ftrace.tracer = ", "\"function\"") || config_has(a, "ftrace.tracer = ", "\"oneshot\""))
		return "the tracer is in the bootconfig, which the kernel reads too late for the early part: ftrace= "
		       "has to be on the boot loader's command line";
	return NULL;
}

void boot_asked__explain(bool start, bool early)
{
	const char *events, *tracer;
	struct boot_asked asked;

	boot_asked__load(&asked);
	events = start ? NULL : boot_asked__no_events(&asked);
	tracer = early ? NULL : boot_asked__late_tracer(&asked);
	if (events)
		error__print("%s", events);
	if (tracer && features__has(FEATURE_EARLY))
		error__print("%s", tracer);
	boot_asked__free(&asked);
}
