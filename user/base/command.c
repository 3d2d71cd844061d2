// SPDX-License-Identifier: GPL-2.0-only
/* Choosing a command by its name; see command.h. */
#include <argp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>

#include "base/command.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/program.h"

struct choice {
	const struct command_table *table;
	const struct command *command;
	int first;		/* index of its name in argv */
};

static const struct command *find_command(const struct command_table *table, const char *name)
{
	for (size_t i = 0; i < table->count; i++) {
		if (!strcmp(table->list[i].name, name))
			return &table->list[i];
	}
	return NULL;
}

static char *list_commands(int key, const char *text, void *input)
{
	const struct choice *choice = input;
	char *list = NULL;
	size_t size;
	int width = 10;
	FILE *f;

	if (key != ARGP_KEY_HELP_POST_DOC || !choice)
		return (char *)text;
	f = xopen_memstream(&list, &size);
	fprintf(f, "Commands:\n");
	for (size_t i = 0; i < choice->table->count; i++)
		width = MAX(width, (int)strlen(choice->table->list[i].name) + 1);
	for (size_t i = 0; i < choice->table->count; i++)
		fprintf(f, "  %-*s %s\n", width, choice->table->list[i].name, choice->table->list[i].help);
	fprintf(f, "\n%s", choice->table->where);
	xclose_memstream(f);
	return list;
}

/* As in git, a name that is not in the table is a program, hytrace-NAME. Does not return. */
static void become(struct argp_state *state, const char *command, char **argv, bool is_listed)
{
	char name[64];
	int err = -ENOENT;

	if (strspn(command, "abcdefghijklmnopqrstuvwxyz-") == strlen(command) &&
	    snprintf(name, sizeof(name), "hytrace-%s", command) < (int)sizeof(name))
		err = program__exec(name, argv);
	if (err == -ENOENT && !is_listed)
		argp_error(state, "%s: no such command", command);
	if (err == -ENOENT)
		error__print("%s: the program %s is missing; it belongs beside hytrace, or into "
			     "../libexec/hytrace from there", command, name);
	exit(error__status(err, argp_err_exit_status == EXIT_SELF));
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct choice *choice = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		if (choice->table->argp)
			state->child_inputs[0] = choice->table->options;
		return 0;
	case ARGP_KEY_ARG:
		choice->command = find_command(choice->table, arg);
		if (!choice->command && !choice->table->programs)
			argp_error(state, "%s: no such command; `%s --help` lists them", arg, state->name);
		/* Options before the command's name would be lost. */
		if (choice->table->argp && state->next > 2)
			argp_error(state, "%s: has to come before its options: `%s [OPTION...]`", arg,
				   choice->command->full_name);
		if (!choice->command || !choice->command->run)
			become(state, arg, state->argv + state->next - 1, choice->command);
		choice->first = state->next - 1;
		state->next = state->argc;
		return 0;
	case ARGP_KEY_END:
		if (!choice->command && !choice->table->run)
			argp_usage(state);
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

int command__run(const struct command_table *table, int argc, char **argv)
{
	struct choice choice = { .table = table };
	/* The text after the \v is empty; the help filter puts the list of commands there. */
	char *doc = xasprintf("%s\v ", table->doc);
	const struct argp_child children[] = { { .argp = table->argp }, { } };
	const struct argp argp = {
		.parser = parse,
		.children = children,
		.args_doc = table->run ? "[COMMAND [ARGUMENT...]]" : "COMMAND [ARGUMENT...]",
		.doc = doc,
		.help_filter = list_commands,
	};
	int err = argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, &choice);

	free(doc);
	if (err)
		return argp_err_exit_status;
	if (!choice.command)
		return table->run(table->options);
	argv[choice.first] = choice.command->full_name;
	return choice.command->run(argc - choice.first, argv + choice.first);
}
