// SPDX-License-Identifier: GPL-2.0-only
/*
 * hytrace event: makes, removes and lists function events (add, rm, list), and records them during
 * a run (record, see record.c).
 */
#include <argp.h>

#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/program.h"
#include "base/table.h"
#include "event/commands.h"
#include "event/function_events.h"
#include "event/record.h"
#include "kernel/features.h"
#include "run/output.h"

#define STATUS "Exit status: 0 done, 1 failed, 2 usage, 3 the kernel or the privileges do not allow it."
#define GRAMMAR "\vPROTO is a kernel function's prototype, as far as it is of interest: " \
	"'vfs_read(NULL, NULL, size_t count)'; see hytrace-event(1)."

/* After an error, for which there was a message, ends the program with the status of a usage error. */
static void check(int err)
{
	if (err)
		exit(argp_err_exit_status);
}

static int check_kernel(void)
{
	return features__require(FEATURE_CAPABILITIES, NULL) ?: features__require(FEATURE_EVENTS, NULL);
}

/* ---- add */

static error_t parse_add(int key, char *arg, struct argp_state *state)
{
	switch (key) {
	case ARGP_KEY_ARG:
		check(prototypes__add(state->input, arg));
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_usage(state);
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static int event_add(int argc, char **argv)
{
	static const struct argp argp = {
		.parser = parse_add,
		.args_doc = "PROTO...",
		.doc = "Makes function events, all of them or none." GRAMMAR "\n\n"
		       "Examples:\n"
		       "  hytrace event add 'vfs_read(NULL, NULL, size_t count)'\n"
		       "  hytrace event add 'vfs_write(count)' 'do_exit(code)'\n\n"
		       STATUS,
	};
	struct prototypes protos = {};
	int err;

	argp_err_exit_status = EXIT_USAGE;
	if (argp_parse(&argp, argc, argv, 0, NULL, &protos))
		return EXIT_USAGE;
	err = check_kernel() ?: function_events__add(&protos);
	prototypes__free(&protos);
	return error__status(err, 0);
}

/* ---- rm */

static error_t parse_rm(int key, char *arg, struct argp_state *state)
{
	char ***patterns = state->input;

	switch (key) {
	case ARGP_KEY_ARG:
		*patterns = state->argv + state->next - 1;
		state->next = state->argc;
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_usage(state);
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

/* For rm and list: calls @action with the existing events. */
static int with_events(int (*action)(const struct prototypes *events, const void *options),
		       const void *options)
{
	struct prototypes events = {};
	int err = check_kernel() ?: function_events__load(&events) ?: action(&events, options);

	prototypes__free(&events);
	return error__status(err, 0);
}

static int remove_chosen(const struct prototypes *events, const void *options)
{
	autofree bool *chosen = xcalloc(events->count, sizeof(*chosen));

	return function_events__choose(events, options, chosen) ?: function_events__remove(events, chosen);
}

static int event_rm(int argc, char **argv)
{
	static const struct argp argp = {
		.parser = parse_rm,
		.args_doc = "[GROUP/]NAME...",
		.doc = "Removes function events, all of them or none.\vNAME and GROUP may be globs. "
		       "Without GROUP they are of the group \"functions\".\n\n"
		       "Examples:\n"
		       "  hytrace event rm vfs_read\n"
		       "  hytrace event rm 'vfs_*' 'mine/*'\n\n"
		       STATUS,
	};
	char **patterns = NULL;

	argp_err_exit_status = EXIT_USAGE;
	if (argp_parse(&argp, argc, argv, 0, NULL, &patterns))
		return EXIT_USAGE;
	return with_events(remove_chosen, patterns);
}

/* ---- list */

static const struct argp_option list_argp_options[] = {
	OPTION_FORMAT("text (default) or json"),
	{ }
};

static error_t parse_list(int key, char *arg, struct argp_state *state)
{
	if (key == ARGP_KEY_ARG)
		argp_usage(state);
	return result_options__parse(state->input, key, arg, state);
}

static void number_or_null(json_writer_t *w, const struct prototype *event, const char *file)
{
	uint64_t number;

	if (function_event__number(event, file, &number))
		jsonw_lluint_field(w, file, number);
	else
		jsonw_null_field(w, file);
}

static void list_json(const struct prototypes *events, FILE *out)
{
	json_writer_t *w = jsonw_new(out, true);

	jsonw_start_array(w);
	for (size_t i = 0; i < events->count; i++) {
		const struct prototype *p = &events->list[i];
		uint64_t enabled = 0;

		function_event__number(p, "enable", &enabled);
		jsonw_start_object(w);
		jsonw_string_field(w, "group", p->group);
		jsonw_string_field(w, "name", p->name);
		json__string_or_null(w, "prototype", p->text);
		jsonw_bool_field(w, "enabled", enabled);
		number_or_null(w, p, "id");
		number_or_null(w, p, "missed");
		jsonw_end_object(w);
	}
	jsonw_end_array(w);
	jsonw_destroy(&w);
}

static void add_row(struct libscols_table *table, const struct prototype *p)
{
	struct libscols_line *line = table__line(table, NULL);
	uint64_t enabled = 0, missed = 0;

	function_event__number(p, "enable", &enabled);
	function_event__number(p, "missed", &missed);
	table__printf(line, 0, "%s/%s", p->group, p->name);
	table__cell(line, 1, enabled ? "yes" : "no");
	table__printf(line, 2, "%" PRIu64, missed);
	table__cell(line, 3, p->text);
}

static void list_text(const struct prototypes *events, FILE *out)
{
	struct libscols_table *table;

	if (!events->count)
		return;
	table = table__new(out);
	table__column(table, "EVENT", 20, 0);
	table__column(table, "ENABLED", 7, 0);
	table__column(table, "MISSED", 7, SCOLS_FL_RIGHT);
	table__column(table, "PROTOTYPE", 0.5, SCOLS_FL_TRUNC);
	for (size_t i = 0; i < events->count; i++)
		add_row(table, &events->list[i]);
	table__print(table);
}

static int print_list(const struct prototypes *events, const void *options)
{
	const struct result_options *o = options;
	struct output *output;
	int err = output__open(&output, NULL, NULL);

	if (err)
		return err;
	if (o->format == RESULT_JSON)
		list_json(events, output__stream(output));
	else
		list_text(events, output__stream(output));
	return output__finish(output, 0);
}

static int event_list(int argc, char **argv)
{
	static const struct argp argp = {
		.options = list_argp_options,
		.parser = parse_list,
		.doc = "Lists the function events."
		       "\vExamples:\n"
		       "  hytrace event list\n"
		       "  hytrace event list -f json | jq '.[].name'\n\n"
		       STATUS,
	};
	struct result_options o = {};

	argp_err_exit_status = EXIT_USAGE;
	if (argp_parse(&argp, argc, argv, 0, NULL, &o))
		return EXIT_USAGE;
	return with_events(print_list, &o);
}

/* ---- record */

enum { KEY_HIST = 256, KEY_DURATION, KEY_TASK };

static const struct argp_option record_argp_options[] = {
	OPTION_FORMAT("text (default), as the kernel prints events, or json: an object on a line"
		      OPTION_FORMAT_BY_NAME),
	OPTION_OUTPUT,
	{ "hist", KEY_HIST, "FIELD", 0, "print no events, but a histogram of FIELD at the end, for "
	  "each event that has it", 0 },
	{ "duration", KEY_DURATION, "SECONDS", 0, "end after this time", 0 },
	{ "task", KEY_TASK, NULL, 0, "only record CMD and its children", 0 },
	{ }
};

static error_t parse_record(int key, char *arg, struct argp_state *state)
{
	struct record_options *o = state->input;

	switch (key) {
	case KEY_HIST:
		o->hist = arg;
		break;
	case KEY_DURATION:
		o->duration = option__seconds(state, "duration", arg);
		break;
	case KEY_TASK:
		o->task = true;
		break;
	case ARGP_KEY_ARG:
		/* What follows the "--" is the command. */
		if (state->quoted && state->next > state->quoted) {
			o->command = state->argv + state->next - 1;
			state->next = state->argc;
			break;
		}
		check(prototypes__add(&o->protos, arg));
		break;
	case ARGP_KEY_END:
		if (!o->protos.count)
			argp_usage(state);
		if (o->task && !o->command)
			argp_error(state, "--task follows a command: give it after --");
		break;
	default:
		return result_options__parse(&o->result, key, arg, state);
	}
	return 0;
}

static int event_record(int argc, char **argv)
{
	static const struct argp argp = {
		.options = record_argp_options,
		.parser = parse_record,
		.args_doc = "PROTO... [-- CMD [ARGUMENT...]]",
		.doc = "Makes function events for the time of a run, and prints them as they come, "
		       "while CMD runs, or until Ctrl-C." GRAMMAR "\n\nExamples:\n"
		       "  hytrace event record 'vfs_read(file->f_pos, count)' -- ls\n"
		       "  hytrace event record --hist count --duration 10 'ssize_t vfs_write(count)'\n\n"
		       "Exit status: CMD's own, and 125 "
		       "when hytrace itself failed. Without CMD: 0, 1 failed, 2 usage, 3 the kernel or "
		       "the privileges do not allow it.",
	};
	struct record_options o = {};
	int status;

	if (argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, &o))
		return argp_err_exit_status;
	status = record__run(&o);
	prototypes__free(&o.protos);
	return status;
}

/* ---- */

int cmd_event(int argc, char **argv)
{
	static const struct command commands[] = {
		{ "add", "hytrace event add", event_add, "make function events" },
		{ "rm", "hytrace event rm", event_rm, "remove function events" },
		{ "list", "hytrace event list", event_list, "list function events" },
		{ "record", "hytrace event record", event_record,
		  "make function events for a run, and print what they record" },
	};
	static const struct command_table table = {
		.list = commands,
		.count = sizeof(commands) / sizeof(commands[0]),
		.doc = "Events of kernel functions, made from their prototypes.",
		.where = "`hytrace event COMMAND --help` lists its options; hytrace-event(1) "
			 "explains everything.",
	};

	return command__run(&table, argc, argv);
}
