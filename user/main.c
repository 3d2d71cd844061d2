// SPDX-License-Identifier: GPL-2.0-only
/* hytrace COMMAND ...: finds the command in a table and hands over. */
#include <argp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "error.h"
#include "version.h"

static const struct command {
	const char *name;
	char *full_name;	/* as argp shows it in messages */
	int (*run)(int argc, char **argv);
	const char *help;
} commands[] = {
	{ "cover", "hytrace cover", cmd_cover, "record which kernel functions a workload runs" },
	{ "compare", "hytrace compare", cmd_compare, "explain how two such records differ" },
};

const char *argp_program_version = "hytrace " HYTRACE_VERSION;

static const struct command *find_command(const char *name)
{
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		if (!strcmp(commands[i].name, name))
			return &commands[i];
	}
	return NULL;
}

static char *list_commands(int key, const char *text, void *input)
{
	char *list = NULL;
	size_t size;
	FILE *f;

	(void)input;
	if (key != ARGP_KEY_HELP_POST_DOC)
		return (char *)text;
	f = open_memstream(&list, &size);
	if (!f)
		return (char *)text;
	fprintf(f, "Commands:\n");
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		fprintf(f, "  %-10s %s\n", commands[i].name, commands[i].help);
	fprintf(f, "\n`hytrace COMMAND --help` tells its options; hytrace(1) has the whole story.");
	fclose(f);
	return list;
}

struct choice {
	const struct command *command;
	int first;		/* index of its name in argv */
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct choice *choice = state->input;

	switch (key) {
	case ARGP_KEY_ARG:
		choice->command = find_command(arg);
		if (!choice->command)
			argp_error(state, "%s: no such command", arg);
		choice->first = state->next - 1;
		state->next = state->argc;
		return 0;
	case ARGP_KEY_END:
		if (!choice->command)
			argp_usage(state);
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

/* A usage error beside a command to run must not be mistaken for that command's status. */
static int usage_status(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--"))
			return EXIT_SELF;
	}
	return EXIT_USAGE;
}

int main(int argc, char **argv)
{
	static const struct argp argp = {
		.parser = parse,
		.args_doc = "COMMAND [ARGUMENT...]",
		.doc = "Kernel function coverage, in the kernel and in BPF.\v ",
		.help_filter = list_commands,
	};
	struct choice choice = {};

	/* A reader that went away is a write error like any other, and is told. */
	signal(SIGPIPE, SIG_IGN);
	argp_err_exit_status = usage_status(argc, argv);
	if (argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, &choice))
		return argp_err_exit_status;
	argv[choice.first] = choice.command->full_name;
	return choice.command->run(argc - choice.first, argv + choice.first);
}
