// SPDX-License-Identifier: GPL-2.0-only
/*
 * hytrace boot compare: compares two groups of boots. In the simple case, each group is one json
 * file. With more, a -- divides the groups. A directory stands for the json files in it.
 */
#include <argp.h>
#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/files.h"
#include "base/memory.h"
#include "boot/commands.h"
#include "boot/compare.h"
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
	  "than LIMIT (5%, 20ms) and the noise together", 0 },
	{ "until", KEY_UNTIL, "WHAT", 0, "--fail-above limits the time until init (default), or until the default "
	  "target (target)", 0 },
	{ }
};

static const char *const until_names[] = { "init", "target", NULL };

struct group {
	const char **list;		/* paths */
	size_t count;
	char *name;
};

struct compare_options {
	struct result_options result;
	bool all, until_given;
	size_t most;
	struct boot_limit limit;	/* zero: not given */
	struct group groups[2];
	struct strings *names;		/* of files in directories */
};

/* ---- the groups */

static int is_document(const struct dirent *entry)
{
	static const char *const patterns[] = { "*.json", "*.json.gz", "*.json.zst" };

	for (size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++) {
		if (!fnmatch(patterns[i], entry->d_name, FNM_PERIOD))
			return 1;
	}
	return 0;
}

/* Replaces directories by the json files in them. */
static int expand(struct group *g, struct strings *names)
{
	struct group all = { .name = g->name };
	struct dirent **entries;
	struct stat st;
	int err = 0;

	for (size_t i = 0; !err && i < g->count; i++) {
		bool is_directory = !stat(g->list[i], &st) && S_ISDIR(st.st_mode);
		int count = is_directory ? scandir(g->list[i], &entries, is_document, versionsort) : 0;

		if (!is_directory)
			*LIST_ADD(all.list, all.count) = g->list[i];
		else if (count <= 0)
			err = error__return(-EINVAL, "%s: %s", g->list[i], count ? strerror(errno) :
					    "has no json files (*.json, *.json.gz or *.json.zst)");
		for (int k = 0; k < count; k++) {
			char *path = path__join(g->list[i], entries[k]->d_name);

			*LIST_ADD(all.list, all.count) = strings__add(names, path);
			free(path);
			free(entries[k]);
		}
		if (is_directory && count >= 0)
			free(entries);
	}
	free(g->list);
	*g = all;
	return err;
}

/* Without a --, there are two arguments, one for each group. */
static void divide(struct argp_state *state, struct group groups[2])
{
	struct group *one = &groups[groups[0].count ? 0 : 1];
	const char *second;

	if (!groups[0].count || !groups[1].count) {
		if (one->count > 2)
			argp_error(state, "%zu arguments: put a -- between the two groups of boots", one->count);
		if (one->count != 2)
			argp_usage(state);
		second = one->list[1];
		groups[0] = (struct group){ .list = one->list, .count = 1 };
		groups[1] = (struct group){};
		*LIST_ADD(groups[1].list, groups[1].count) = second;
	}
	/* "a1.json" for one file; "a1.json to a5.json", the first and the last, for several */
	for (struct group *g = groups; g < groups + 2; g++)
		g->name = g->count == 1 ? xstrdup(g->list[0]) :
					  xasprintf("%s to %s", g->list[0], g->list[g->count - 1]);
}

/* ---- options */

static struct boot_limit limit(struct argp_state *state, const char *text)
{
	static const struct {
		const char *unit;
		struct boot_limit one;
	} units[] = {
		{ "%", { .share = 0.01 } }, { "us", { .ns = 1e3 } }, { "ms", { .ns = 1e6 } }, { "s", { .ns = 1e9 } },
	};
	char *unit;
	double value = strtod(text, &unit);
	/* Digits only: strtod() also accepts 0x5, 1e3 and infinity. */
	bool possible = unit == text + strspn(text, "0123456789.") && value > 0 && value < 1e9;

	for (size_t i = 0; possible && i < sizeof(units) / sizeof(units[0]); i++) {
		if (!strcmp(unit, units[i].unit))
			return (struct boot_limit){ value * units[i].one.share, value * units[i].one.ns };
	}
	argp_error(state, "--fail-above %s: not a share (5%%) or a time (20ms, 500us, 1s)", text);
	return (struct boot_limit){};
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct compare_options *o = state->input;
	struct group *g = &o->groups[state->quoted ? 1 : 0];
	bool target = o->limit.target;

	switch (key) {
	case 'n':
		o->most = option__number(state, "most", arg, 1 << 24);
		break;
	case KEY_ALL:
		o->all = true;
		break;
	case KEY_FAIL_ABOVE:
		o->limit = limit(state, arg);
		o->limit.target = target;
		break;
	case KEY_UNTIL:
		o->limit.target = option__word(state, "until", arg, until_names);
		o->until_given = true;
		break;
	case ARGP_KEY_ARG:
		/* argp calls the arguments after "--" quoted. */
		*LIST_ADD(g->list, g->count) = arg;
		break;
	case ARGP_KEY_END:
		if (o->until_given && !o->limit.share && !o->limit.ns)
			argp_error(state, "--until is for --fail-above");
		divide(state, o->groups);
		break;
	default:
		return result_options__parse(&o->result, key, arg, state);
	}
	return 0;
}

/* ---- the comparison */

static int read_group(struct boot_comparison *c, const struct group *group, size_t from)
{
	int err = 0;

	for (size_t i = 0; !err && i < group->count; i++) {
		struct boot b;

		err = boot__read(&b, group->list[i]);
		if (!err)
			err = boot_comparison__add(c, from + i, group->list[i], &b);
		boot__free(&b);
	}
	return err;
}

static int compare(const struct compare_options *o, bool *ret_fails)
{
	const struct group *a = &o->groups[0], *b = &o->groups[1];
	struct boot_comparison c;
	struct output *output;
	int err;

	boot_comparison__init(&c, a->count, b->count);
	err = read_group(&c, a, 0) ?: read_group(&c, b, a->count) ?: boot_comparison__run(&c) ?:
	      output__open(&output, o->result.output, NULL);
	if (err)
		goto cleanup;
	if (o->result.format == RESULT_JSON)
		boot_comparison__json(&c, o->most ?: SIZE_MAX, o->all, output__stream(output));
	else
		boot_comparison__text(&c, (const char *[]){ a->name, b->name }, o->most ?: MOST_ROWS, o->all,
				      output__stream(output));
	err = output__finish(output, 0);
	*ret_fails = c.differing;
	if (!err && (o->limit.share || o->limit.ns))
		err = boot_comparison__exceeds(&c, &o->limit, ret_fails);
cleanup:
	boot_comparison__free(&c);
	return err;
}

int cmd_boot_compare(int argc, char **argv)
{
	static const struct argp argp = {
		.options = options,
		.parser = parse,
		.args_doc = "A.json B.json\nA... -- B...",
		.doc = "Compares two boots, or several of each of two kernels: which initcalls, modules, phases and "
		       "functions take longer in B, or are called more often. A and B are files of `hytrace boot -f "
		       "json`, or directories of such files. With several of each, a -- separates them. With 5 or "
		       "more boots of each, rows are only listed if they differ by more than boots of the same "
		       "kernel do. Make these boots in turns: the machine may be busier at one time than at another."
		       "\vExamples:\n"
		       "  hytrace boot compare before.json after.json\n"
		       "  hytrace boot compare before/ after/ --fail-above 5% --until target\n"
		       "  hytrace boot compare -f json a1.json a2.json a3.json -- b1.json b2.json\n\n"
		       "Exit status: 0 no difference, 1 differences (with --fail-above: of that time, above the limit), "
		       "2 trouble.",
	};
	struct compare_options o = {};
	bool fails = false;
	int err;

	if (argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, &o))
		return EXIT_USAGE;
	o.names = strings__new();
	err = expand(&o.groups[0], o.names) ?: expand(&o.groups[1], o.names) ?: compare(&o, &fails);
	for (struct group *g = o.groups; g < o.groups + 2; g++) {
		free(g->list);
		free(g->name);
	}
	strings__free(o.names);
	/* As in diff, trouble has an exit status other than that of a difference. */
	return err ? EXIT_USAGE : fails ? EXIT_FAILED : EXIT_DONE;
}
