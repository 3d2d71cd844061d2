// SPDX-License-Identifier: GPL-2.0-only
/*
 * hytrace boot compare: compares two groups of boots. In the simple case, each group is one json
 * file. With more, a -- divides the groups. A directory stands for the json files in it.
 */
#include <argp.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/files.h"
#include "base/memory.h"
#include "base/program.h"
#include "boot/commands.h"
#include "boot/compare.h"
#include "boot/report.h"
#include "document/read.h"
#include "run/output.h"

/* How many rows of a table the text has. The json has all. */
#define MOST_ROWS 10

enum { KEY_ALL = 256, KEY_FAIL_ABOVE, KEY_UNTIL };

static const struct argp_option options[] = {
	OPTION_FORMAT("text (default) or json" OPTION_FORMAT_BY_NAME),
	OPTION_OUTPUT,
	{ "most", 'n', "N", 0, "list the N rows of each table that differ most (default: 10 in text, all in json)", 0 },
	{ "all", KEY_ALL, NULL, 0, "list rows that do not differ, too", 0 },
	{ "fail-above", KEY_FAIL_ABOVE, "LIMIT", 0, "exit with status 1 only if the time until init has grown by more "
	  "than this (5%, 20ms), and by more than the noise", 0 },
	{ "until", KEY_UNTIL, "WHAT", 0, "what --fail-above limits the time until: init (default), or the default target of systemd "
	  "(target)", 0 },
	{ }
};

static const char *const until_names[] = { "init", "target", NULL };

struct paths {
	char **list;
	size_t count;
};

struct compare_options {
	struct result_options result;
	bool all, has_limit, until_given, until_target;
	size_t most;
	struct boot_limit limit;
	struct paths groups[2];
};

/* ---- the groups */

static void add_path(struct paths *p, const char *path)
{
	*LIST_ADD(p->list, p->count) = xstrdup(path);
}

static void free_paths(struct paths *p)
{
	for (size_t i = 0; i < p->count; i++)
		free(p->list[i]);
	free(p->list);
}

static int is_document(const struct dirent *entry)
{
	static const char *const suffixes[] = { ".json", ".json.gz", ".json.zst" };
	size_t length = strlen(entry->d_name);

	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		size_t suffix = strlen(suffixes[i]);

		if (entry->d_name[0] != '.' && length > suffix && !strcmp(entry->d_name + length - suffix, suffixes[i]))
			return 1;
	}
	return 0;
}

static int add_directory(struct paths *p, const char *directory)
{
	struct dirent **entries;
	int count = scandir(directory, &entries, is_document, versionsort);

	if (count < 0)
		return error__return(-EINVAL, "%s: cannot be read: %s", directory, strerror(errno));
	for (int i = 0; i < count; i++) {
		*LIST_ADD(p->list, p->count) = path__join(directory, entries[i]->d_name);
		free(entries[i]);
	}
	free(entries);
	return count ? 0 : error__return(-EINVAL, "%s: has no documents (*.json, *.json.gz or *.json.zst)", directory);
}

/* Replaces directories by the json files in them. */
static int expand(struct paths *p)
{
	struct paths all = {};
	struct stat st;
	int err = 0;

	for (size_t i = 0; !err && i < p->count; i++) {
		if (!stat(p->list[i], &st) && S_ISDIR(st.st_mode))
			err = add_directory(&all, p->list[i]);
		else
			add_path(&all, p->list[i]);
	}
	free_paths(p);
	*p = all;
	return err;
}

/* Without a --, there are two arguments, one for each group. */
static void divide(struct argp_state *state, struct paths groups[2])
{
	struct paths *one = &groups[groups[0].count ? 0 : 1];

	if (groups[0].count && groups[1].count)
		return;
	if (one->count > 2)
		argp_error(state, "%zu arguments: put a -- between the two groups of boots", one->count);
	if (one->count != 2)
		argp_usage(state);
	groups[0].list = one->list;
	groups[0].count = 1;
	groups[1] = (struct paths){};
	*LIST_ADD(groups[1].list, groups[1].count) = groups[0].list[1];
}

/* ---- options */

static struct boot_limit limit(struct argp_state *state, const char *text)
{
	static const struct {
		const char *unit;
		double ns;
	} units[] = { { "us", 1e3 }, { "ms", 1e6 }, { "s", 1e9 } };
	char *unit;
	double value = strtod(text, &unit);

	/* Digits only: strtod() also accepts 0x5, 1e3 and infinity. */
	if (unit == text + strspn(text, "0123456789.") && value > 0 && value < 1e9) {
		if (!strcmp(unit, "%"))
			return (struct boot_limit){ .share = value / 100 };
		for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
			if (!strcmp(unit, units[i].unit))
				return (struct boot_limit){ .ns = value * units[i].ns };
		}
	}
	argp_error(state, "--fail-above %s: not a share (5%%) or a time (20ms, 500us, 1s)", text);
	return (struct boot_limit){};
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct compare_options *o = state->input;

	switch (key) {
	case 'n':
		o->most = option__number(state, "most", arg, 1 << 24);
		break;
	case KEY_ALL:
		o->all = true;
		break;
	case KEY_FAIL_ABOVE:
		o->limit = limit(state, arg);
		o->has_limit = true;
		break;
	case KEY_UNTIL:
		o->until_target = option__word(state, "until", arg, until_names);
		o->until_given = true;
		break;
	case ARGP_KEY_ARG:
		/* argp calls the arguments after "--" quoted. */
		add_path(&o->groups[state->quoted ? 1 : 0], arg);
		break;
	case ARGP_KEY_END:
		if (o->until_given && !o->has_limit)
			argp_error(state, "--until is for --fail-above");
		o->limit.target = o->until_target;
		divide(state, o->groups);
		break;
	default:
		return result_options__parse(&o->result, key, arg, state);
	}
	return 0;
}

/* ---- the comparison */

static int read_group(struct boot_comparison *c, const struct paths *group, size_t from)
{
	int err = 0;

	for (size_t i = 0; !err && i < group->count; i++) {
		struct json_object *document;

		err = document__read(&document, group->list[i], "boot", "hytrace boot -f json", BOOT_SCHEMA);
		if (err)
			break;
		err = boot_comparison__read(c, from + i, group->list[i], document);
		json_object_put(document);
	}
	return err;
}

static int print(const struct compare_options *o, const struct boot_comparison *c, const char *const names[2])
{
	struct output *output;
	int err = output__open(&output, o->result.output, NULL);

	if (err)
		return err;
	if (o->result.format == RESULT_JSON)
		boot_comparison__json(c, o->most ?: SIZE_MAX, o->all, output__stream(output));
	else
		boot_comparison__text(c, names, o->most ?: MOST_ROWS, o->all, output__stream(output));
	return output__finish(output, 0);
}

static int compare(const struct compare_options *o, const char *const names[2], bool *ret_fails)
{
	const struct paths *a = &o->groups[0], *b = &o->groups[1];
	struct boot_comparison c;
	int err;

	boot_comparison__init(&c, a->count, b->count);
	err = read_group(&c, a, 0);
	if (!err)
		err = read_group(&c, b, a->count);
	if (!err)
		err = boot_comparison__run(&c);
	if (!err)
		err = print(o, &c, names);
	if (!err && o->has_limit)
		err = boot_comparison__exceeds(&c, &o->limit, ret_fails);
	else if (!err)
		*ret_fails = boot_comparison__differing(&c);
	boot_comparison__free(&c);
	return err;
}

/* "a1.json" for one file; "a1.json to a5.json", the first and the last, for several. */
static char *group_name(const struct paths *p)
{
	return p->count == 1 ? xstrdup(p->list[0]) : xasprintf("%s to %s", p->list[0], p->list[p->count - 1]);
}

int cmd_boot_compare(int argc, char **argv)
{
	static const struct argp argp = {
		.options = options,
		.parser = parse,
		.args_doc = "A.json B.json\nA... -- B...",
		.doc = "Compares two boots, or several of each of two kernels: which initcalls, modules, phases and functions "
		       "take longer in B, or are called more often. A and B are documents of `hytrace boot -f json`, or "
		       "directories of such documents. Between several of each there has to be a --. With 5 boots of each or "
		       "more, rows are only listed if they differ by more than boots of the same kernel do. Make these boots "
		       "in turns, so that what else the machine does is the same for both."
		       "\vExamples:\n"
		       "  hytrace boot compare before.json after.json\n"
		       "  hytrace boot compare before/ after/ --fail-above 5% --until target\n"
		       "  hytrace boot compare -f json a1.json a2.json a3.json -- b1.json b2.json\n\n"
		       "Exit status: 0 no difference, 1 differences (with --fail-above: of that time, above the limit), "
		       "2 trouble.",
	};
	struct compare_options o = {};
	char *names[2] = {};
	bool fails = false;
	int err = 0;

	if (argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, &o))
		return EXIT_USAGE;
	for (int i = 0; i < 2; i++) {
		names[i] = group_name(&o.groups[i]);
		if (!err)
			err = expand(&o.groups[i]);
	}
	if (!err)
		err = compare(&o, (const char *const *)names, &fails);
	for (int i = 0; i < 2; i++) {
		free_paths(&o.groups[i]);
		free(names[i]);
	}
	/* As in diff, trouble has an exit status other than that of a difference. */
	if (err)
		return EXIT_USAGE;
	return fails ? EXIT_FAILED : EXIT_DONE;
}
