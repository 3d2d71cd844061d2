// SPDX-License-Identifier: GPL-2.0-only
/* What all programs have in common: how they begin, their commands and their options. See program.h. */
#include <argp.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/program.h"
#include "base/version.h"

const char *argp_program_version = "hytrace " HYTRACE_VERSION;

/* With a command, the status of a usage error must differ from all exit statuses of commands. */
static int usage_status(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--"))
			return EXIT_SELF;
	}
	return EXIT_USAGE;
}

/*
 * Daemons may have closed standard streams. Then the next file that is opened would get the number
 * of a standard stream, and messages could go to a file of the kernel, or the result to a wrong
 * place. So these numbers are taken by descriptors that fail like a closed stream. The command
 * finds the streams closed.
 */
static int take_closed_streams(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
		int flags = fd == STDIN_FILENO ? O_WRONLY : O_RDONLY;

		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", flags | O_CLOEXEC) != fd)
			return -1;
	}
	return 0;
}

int program__run(int argc, char **argv, char *name, int (*run)(int argc, char **argv))
{
	argp_err_exit_status = usage_status(argc, argv);
	if (take_closed_streams()) {
		error__print("cannot open /dev/null in place of a closed standard stream: %s",
			     strerror(errno));
		return argp_err_exit_status == EXIT_SELF ? EXIT_SELF : EXIT_FAILED;
	}
	/*
	 * Writing to a pipe that its reader has closed, or to a file that is too large, is reported
	 * like any other write error.
	 */
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	/* If SIGCHLD were ignored, which can be inherited, the end of a command could not be waited for. */
	signal(SIGCHLD, SIG_DFL);
	if (name && argc)
		argv[0] = name;
	return run(argc, argv);
}

/* In a directory like /tmp, anybody may put a program beside this one. @own: this program's */
static bool is_trusted(const struct stat *file, const struct stat *own)
{
	return !file->st_uid || file->st_uid == geteuid() || file->st_uid == own->st_uid;
}

int program__exec(const char *name, char **argv)
{
	/* Places of other programs: as built; as installed, seen from bin; and seen from libexec/hytrace. */
	static const char *const places[] = { "", "../libexec/hytrace/", "../../bin/" };
	char self[PATH_MAX], path[2 * PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
	struct stat file, own;

	if (length < 0 || stat("/proc/self/exe", &own))
		return error__return(-errno, "/proc/self/exe, which says where %s is, cannot be read: %s",
				     name, strerror(errno));
	self[length] = '\0';
	*(strrchr(self, '/') + 1) = '\0';
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		snprintf(path, sizeof(path), "%s%s%s", self, places[i], name);
		if (!lstat(path, &file) && !is_trusted(&file, &own))
			return error__return(-EPERM, "%s is not executed: it belongs to neither root, nor you, "
					     "nor the owner of this program, but to uid %u", path, file.st_uid);
		execv(path, argv);
		if (errno != ENOENT && errno != ENOTDIR)
			return error__return(-errno, "%s cannot be executed: %s", path, strerror(errno));
	}
	return -ENOENT;
}

/* ---- commands */

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

static error_t parse_command(int key, char *arg, struct argp_state *state)
{
	struct choice *choice = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		if (choice->table->argp)
			state->child_inputs[0] = choice->table->options;
		return 0;
	case ARGP_KEY_ARG:
		if (choice->table->file && (strstr(arg, ".json") || strchr(arg, '/') || !strcmp(arg, "-"))) {
			if (*choice->table->file)
				argp_error(state, "%s: one file is enough", arg);
			*choice->table->file = arg;
			return 0;
		}
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
		.parser = parse_command,
		.children = children,
		.args_doc = table->file ? "[FILE]\nCOMMAND [ARGUMENT...]" :
			    table->run ? "[COMMAND [ARGUMENT...]]" : "COMMAND [ARGUMENT...]",
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

/* ---- options */

double option__seconds(struct argp_state *state, const char *name, const char *text)
{
	char *end;
	double value = strtod(text, &end);

	if (*end || end == text || !(value > 0) || value > 1e9)
		argp_error(state, "--%s %s: not a time in seconds", name, text);
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
	case OPTION_KEY_RUNS:
		o->runs = arg;
		return 0;
	case OPTION_KEY_MIN_RUNS:
		o->min_runs = option__number(state, "min-runs", arg, INT_MAX);
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}
