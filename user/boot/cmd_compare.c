// SPDX-License-Identifier: GPL-2.0-only
/*
 * hytrace boot compare: compares two groups of boots, and prints the result as text or json. In the simple case, each
 * group is one json file. With more, a -- divides the groups. A directory stands for the json files in it.
 *
 * Rows that contain other rows, such as levels, are in a table of their own: if an initcall takes a millisecond
 * longer, so does its level, but the level must not hide the initcall.
 */
#include <argp.h>
#include <dirent.h>
#include <fnmatch.h>
#include <math.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/files.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/program.h"
#include "base/sorted.h"
#include "base/text.h"
#include "boot/boot.h"
#include "boot/cells.h"
#include "boot/compare.h"
#include "run/output.h"

#define BOOT_COMPARE_SCHEMA 1

static const char *const verdicts[] = { [SAME] = "no", [POSSIBLY] = "possibly", [CERTAIN] = "certain" };

static const char *const reasons[] = { [LEFT_PART] = "part", [LEFT_LOST] = "lost", [LEFT_UNKNOWN] = "unknown" };
static const char *const reason_words[] = {
	[LEFT_PART] = "of a part of the boot that is not compared: see the notes",
	[LEFT_LOST] = "that a boot may lack, or have in part, as it has losses, or was not asked for them",
	[LEFT_UNKNOWN] = "whose time a boot does not know",
};

/* ---- rows */

static int by_change(const void *a, const void *b, void *measure)
{
	const struct boot_row *x = *(struct boot_row *const *)a, *y = *(struct boot_row *const *)b;
	double change = x->change[*(enum boot_measure *)measure].change, other = y->change[*(enum boot_measure *)measure].change;

	return ORDER(fabs(other), fabs(change)) ?: strcmp(x->name, y->name);
}

static bool is_shown(const struct boot_row *row, enum boot_measure measure, bool all)
{
	const struct boot_change *change = &row->change[measure];

	/* Even with "all": equal counts of elements are not shown, nearly all are 1. */
	all = all && (measure == MEASURE_TIME || row_kinds[row->kind].has_calls);
	return change->known && (change->verdict != SAME || all);
}

/*
 * Rows that differ in @measure, the largest difference first, ended by NULL; to be freed. @all: also rows that do not
 * differ. @parts: only rows that contain others; false: only others.
 */
static const struct boot_row **order(const struct boot_comparison *c, enum boot_measure measure, bool parts, bool all)
{
	const struct boot_row **list = xcalloc(c->row_count + 1, sizeof(*list));
	size_t count = 0;

	for_array(row, c->rows, c->row_count) {
		if (row_kinds[row->kind].is_whole == parts && is_shown(row, measure, all))
			list[count++] = row;
	}
	qsort_r(list, count, sizeof(*list), by_change, &measure);
	return list;
}

/* ---- json */

static void write_group(json_writer_t *w, const char *field, const struct boot_head *boots, size_t count)
{
	json__object(w, field);
	json__string_or_null(w, "release", boots->facts[FACT_RELEASE]);
	json__string_or_null(w, "build_id", boots->facts[FACT_BUILD_ID]);
	json__string_or_null(w, "tracer", boots->facts[FACT_TRACER]);
	json__array(w, "boots");
	for (size_t i = 0; i < count; i++) {
		jsonw_start_object(w);
		jsonw_string_field(w, "path", boots[i].path);
		json__string_or_null(w, "boot_id", boots[i].facts[FACT_BOOT_ID]);
		jsonw_end_object(w);
	}
	jsonw_end_array(w);
	jsonw_end_object(w);
}

/* The median of two boots may have a fraction. Up to 1e15 ns or calls are exact. */
static void write_number(json_writer_t *w, const char *name, double value)
{
	jsonw_name(w, name);
	if (isnan(value))
		jsonw_null(w);
	else
		jsonw_printf(w, "%.15g", value);
}

static void write_change(json_writer_t *w, const char *name, const struct boot_change *change)
{
	jsonw_name(w, name);
	if (!change->known) {
		jsonw_null(w);
		return;
	}
	jsonw_start_object(w);
	write_number(w, "a", change->a);
	write_number(w, "b", change->b);
	write_number(w, "change", change->change);
	write_number(w, "noise", change->spread);
	write_number(w, "p", change->p);
	jsonw_string_field(w, "differs", verdicts[change->verdict]);
	jsonw_end_object(w);
}

static void write_row(json_writer_t *w, const struct boot_row *row)
{
	jsonw_start_object(w);
	jsonw_string_field(w, "kind", row_kinds[row->kind].word);
	jsonw_string_field(w, "name", row->name);
	json__string_or_null(w, "only", row->new ? "b" : row->gone ? "a" : NULL);
	write_change(w, "time", &row->change[MEASURE_TIME]);
	write_change(w, "count", &row->change[MEASURE_COUNT]);
	jsonw_end_object(w);
}

/* Writes each row once: first rows whose time differs, then rows whose count alone differs. */
static void write_rows(json_writer_t *w, const struct boot_comparison *c, const char *field, bool parts, size_t most,
		       bool all)
{
	json__lines(w, field);
	for (enum boot_measure measure = 0; measure < MEASURES; measure++) {
		const struct boot_row **rows = order(c, measure, parts, all);

		for (const struct boot_row **row = rows; *row && most; row++) {
			if (measure == MEASURE_COUNT && is_shown(*row, MEASURE_TIME, all))
				continue;
			write_row(w, *row);
			most--;
		}
		free(rows);
	}
	jsonw_end_array(w);
}

static void write_total(json_writer_t *w, const struct boot_comparison *c, const char *name, size_t row)
{
	jsonw_name(w, name);
	if (row != SIZE_MAX)
		write_row(w, &c->rows[row]);
	else
		jsonw_null(w);
}

static void print_json(const struct boot_comparison *c, size_t most, bool all, FILE *out)
{
	json_writer_t *w = json__begin(out, "boot-compare", BOOT_COMPARE_SCHEMA);

	write_group(w, "a", c->boots, c->count[0]);
	write_group(w, "b", c->boots + c->count[0], c->count[1]);
	json__strings(w, "notes", (const char *const *)c->notes, c->note_count);
	jsonw_bool_field(w, "enough_boots", c->can_tell);
	jsonw_lluint_field(w, "rows_compared", c->compared);
	jsonw_lluint_field(w, "rows_differing", c->differing);
	json__object(w, "rows_left_out");
	for (enum left_out why = LEFT_PART; why < LEFT_REASONS; why++)
		jsonw_lluint_field(w, reasons[why], c->left_out[why]);
	jsonw_end_object(w);
	write_total(w, c, "until_init", c->total);
	write_total(w, c, "until_target", c->target);
	write_rows(w, c, "rows", false, most, all);
	write_rows(w, c, "parts", true, most, all);
	json__end(&w);
}

/* ---- text */

/* Times are seconds with microseconds. The median of two counts may have a fraction. NAN: an empty cell */
static struct cell value_cell(enum boot_measure measure, double value, const char *format)
{
	struct cell c = { "" };

	if (!isnan(value))
		snprintf(c.text, sizeof(c.text), format, measure == MEASURE_TIME ? 6 : value == round(value) ? 0 : 1,
			 measure == MEASURE_TIME ? value / 1e9 : value);
	return c;
}

static void add_row(struct libscols_table *table, const struct boot_row *row, enum boot_measure measure)
{
	const struct boot_change *change = &row->change[measure];
	char percent[64] = "";

	if (!isnan(change->percent))
		snprintf(percent, sizeof(percent), "%+.1f%%", change->percent);
	ADD_ROW(table, NULL, row_kinds[row->kind].word, row->name,
		value_cell(measure, row->new ? NAN : change->a, "%.*f").text,
		value_cell(measure, row->gone ? NAN : change->b, "%.*f").text,
		value_cell(measure, change->change, "%+.*f").text, row->new ? "new" : row->gone ? "gone" : percent,
		value_cell(measure, change->spread, "%.*f").text, verdicts[change->verdict]);
}

static struct libscols_table *new_table(const struct boot_comparison *c, enum boot_measure measure, bool parts, FILE *out)
{
	return cells__table(out, (const struct column[]){
		{ "KIND", 1 }, { parts ? "PARTS" : measure == MEASURE_TIME ? "TIMES" : "CALLS", 1 }, { "A", 1, RIGHT },
		{ "B", 1, RIGHT }, { "CHANGE", 1, RIGHT }, { "%", 1, RIGHT },
		{ "NOISE", 1, RIGHT | (c->all == 2 ? SCOLS_FL_HIDDEN : 0) }, { "CERTAIN", 1 }, { }
	});
}

static void print_table(const struct boot_comparison *c, enum boot_measure measure, bool parts, size_t most, bool all,
			FILE *out)
{
	const struct boot_row **rows = order(c, measure, parts, all);
	struct libscols_table *table = NULL;
	size_t count = 0;

	for (const struct boot_row **row = rows; *row; row++) {
		/* A new or gone row that is among the times is not repeated among the counts. */
		if (measure == MEASURE_COUNT && ((*row)->new || (*row)->gone) && is_shown(*row, MEASURE_TIME, all))
			continue;
		if (count++ < most) {
			table = table ?: new_table(c, measure, parts, out);
			add_row(table, *row, measure);
		}
	}
	if (table) {
		fputc('\n', out);
		table__print(table);
	}
	if (count > most)
		fprintf(out, "and %zu more; -n lists them\n", count - most);
	free(rows);
}

/* Prints a line, whatever names are in it, and frees it. */
static void print_line(char *line, FILE *out)
{
	utf8__print(out, line, "");
	fputc('\n', out);
	free(line);
}

static char *group_line(char label, const char *name, const struct boot_head *first, size_t count)
{
	const char *id = first->facts[FACT_BUILD_ID];

	return xasprintf("%c: %s: %zu boot%s of %s%s%.12s%s", label, name, count, count > 1 ? "s" : "",
			 first->facts[FACT_RELEASE] ?: "an unknown kernel", id ? " (" : "", id ?: "", id ? ")" : "");
}

static void print_total(const struct boot_comparison *c, size_t row, const char *what, FILE *out)
{
	const struct boot_change *change = row == SIZE_MAX ? NULL : &c->rows[row].change[MEASURE_TIME];

	if (!change || !change->known) {
		fprintf(out, "Until %s: not known for all boots\n", what);
		return;
	}
	fprintf(out, "Until %s: %.6f s, then %.6f s: %+.6f s (%+.2f%%)", what, change->a / 1e9, change->b / 1e9,
		change->change / 1e9, isnan(change->percent) ? 0 : change->percent);
	if (c->all > 2)
		fprintf(out, ", noise %.6f s", change->spread / 1e9);
	if (change->verdict != SAME)
		fprintf(out, ", %s", verdicts[change->verdict]);
	fputc('\n', out);
}

/* Prints how many rows were compared, and how certain the answers are. */
static void print_worth(const struct boot_comparison *c, FILE *out)
{
	for (enum left_out why = LEFT_PART; why < LEFT_REASONS; why++) {
		if (c->left_out[why])
			fprintf(out, "\nLeft out: %zu row%s %s", c->left_out[why], c->left_out[why] > 1 ? "s" : "", reason_words[why]);
	}
	if (c->differing)
		fprintf(out, "\n%zu of %zu rows differ", c->differing, c->compared);
	else
		fprintf(out, "\nNone of %zu rows differs", c->compared);
	if (!c->can_tell) {
		fprintf(out, " by %.0f %% or more, and by %.6f s or %.0f calls.\n"
			"%s, so nothing is certain: it is not known by how much boots of the same kernel differ.\n"
			"Give %d boots of each, made in turns.\n", 100 * FEW_SHARE, boot_comparison__few_ns(c) / 1e9, FEW_CALLS,
			c->all > 2 ? "There are few boots" : "There is one boot of each", ENOUGH_BOOTS);
		return;
	}
	fprintf(out, " by more than the noise.\n");
	if (c->differing && c->weakened)
		fprintf(out, "Something else than the kernel may be the reason, so nothing is certain: see the notes.\n");
	else if (c->differing)
		fprintf(out, "Of 100 comparisons of the same kernel, at most %.0f has a time, and %.0f a count that is called "
			"certain.\n", 100 * ALPHA, 100 * ALPHA);
}

static void print_text(const struct boot_comparison *c, const char *const names[2], size_t most, bool all,
			   FILE *out)
{
	print_line(group_line('A', names[0], c->boots, c->count[0]), out);
	print_line(group_line('B', names[1], c->boots + c->count[0], c->count[1]), out);
	for (size_t i = 0; i < c->note_count; i++)
		print_line(xasprintf("Note: %s.", c->notes[i]), out);
	print_total(c, c->total, "init was started", out);
	if (c->target != SIZE_MAX)
		print_total(c, c->target, "the default target was reached", out);
	for (int parts = 0; parts < 2; parts++) {
		for (enum boot_measure measure = 0; measure < MEASURES; measure++)
			print_table(c, measure, parts, most, all, out);
	}
	print_worth(c, out);
}

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
	for_array(g, groups, 2)
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
		print_json(&c, o->most ?: SIZE_MAX, o->all, output__stream(output));
	else
		print_text(&c, (const char *[]){ a->name, b->name }, o->most ?: MOST_ROWS, o->all,
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
	for_array(g, o.groups, 2) {
		free(g->list);
		free(g->name);
	}
	strings__free(o.names);
	/* As in diff, trouble has an exit status other than that of a difference. */
	return err ? EXIT_USAGE : fails ? EXIT_FAILED : EXIT_DONE;
}
