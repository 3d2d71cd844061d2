/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Common to all programs: `hytrace`, and `hytrace-NAME` for commands that are programs of their own. Such a
 * program is beside `hytrace`, as in build/, or in ../libexec/hytrace. Each program finds the others.
 */
#ifndef HYTRACE_BASE_PROGRAM_H
#define HYTRACE_BASE_PROGRAM_H

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * program__run() - do what main() has to do
 * @argc: from main()
 * @argv: from main()
 * @name: the program's name in messages, "hytrace NAME"; NULL: as in @argv
 * @run: the program's own work
 *
 * Return: the exit status.
 */
int program__run(int argc, char **argv, char *name, int (*run)(int argc, char **argv));

/**
 * program__exec() - become another program
 * @name: the name of the program, such as "hytrace-boot"
 * @argv: its arguments, from its name on
 *
 * The program has to belong to root, to the user, or to the owner of this program.
 *
 * Return: only after an error: -ENOENT if there is no such program, without a message; another errno after a message.
 */
int program__exec(const char *name, char **argv);

/*
 * ---- commands: a table of names, which --help also lists. Each gets its full name as argv[0]; returns the
 * exit status
 */

struct command {
	const char *name;
	char *full_name;	/* as argp shows it in messages */
	int (*run)(int argc, char **argv);	/* NULL: it is a program of its own */
	const char *help;
};

struct command_table {
	const struct command *list;
	size_t count;
	const char *doc;	/* text above the list: what the commands do */
	const char *where;	/* text below the list: where to read more */
	bool programs;		/* a name that has no function here is a program, hytrace-NAME */
	/* The action without a command, and its options; NULL: a command is required. */
	int (*run)(void *options);
	const struct argp *argp;
	void *options;
	const char **file;	/* gets an argument that is a document: it has ".json" or "/"; NULL: run takes none */
};

/* Runs the command that argv names. After a usage error, ends the program. */
int command__run(const struct command_table *table, int argc, char **argv);

/* ---- values of options that several commands have. A wrong value ends the program with a usage error */

/* Parses the value of --duration. */
double option__seconds(struct argp_state *state, const char *name, const char *text);
/* Parses the value of --NAME, a number from 1 to @most. */
long option__number(struct argp_state *state, const char *name, const char *text, long most);

/* To be called at ARGP_KEY_ARGS: the remaining arguments. Returns their number. */
size_t option__arguments(const struct argp_state *state, const char *const **ret);

/* Parses the value of --NAME, which has to be one of @words; NULL ends them. Returns its index. */
int option__word(struct argp_state *state, const char *name, const char *text, const char *const *words);

/*
 * The values of -f, -o, --vmlinux, --runs and --min-runs. A command lists the OPTION_ rows below that it takes. If its
 * formats are not text and json, it sets @formats.
 */
struct result_options {
	const char *const *formats;	/* end with NULL; the first is the default; NULL: text and json */
	int format;			/* index in formats */
	bool format_given;
	const char *output;		/* NULL: standard output */
	const char *only;		/* for a command without json: the error for -o x.json */
	const char *vmlinux;
	const char *runs;		/* of stores, only this selection; NULL: all */
	uint64_t min_runs;		/* of unions, only what so many runs have seen; 0: a store is no union */
};

/* The formats of each command begin with text and json. */
enum { RESULT_TEXT, RESULT_JSON };

enum { OPTION_KEY_VMLINUX = 0x1000, OPTION_KEY_RUNS, OPTION_KEY_MIN_RUNS };

/* @words: the formats, as "text (default) or json" */
#define OPTION_FORMAT(words) { "format", 'f', "FORMAT", 0, words, 0 }
/* For a command with -o, after its formats. */
#define OPTION_FORMAT_BY_NAME "; without -f, FILE's ending selects it"
#define OPTION_OUTPUT { "output", 'o', "FILE", 0, "write to FILE instead of standard output", 0 }
#define OPTION_VMLINUX(text) { "vmlinux", OPTION_KEY_VMLINUX, "FILE", 0, text, 0 }
/* For a command that takes recordings. */
#define OPTION_RUNS \
	{ "runs", OPTION_KEY_RUNS, "SELECTION", 0, "of stores, only these runs: host=a&since=7d (see keep)", 0 }
#define OPTION_MIN_RUNS \
	{ "min-runs", OPTION_KEY_MIN_RUNS, "N", 0, "of each union or store, only what at least N runs have seen", 0 }

/**
 * result_options__parse() - parse one of these options
 * @o: what was given so far; with only .formats set at the beginning
 * @key: from argp
 * @arg: from argp
 * @state: from argp
 *
 * Return: ARGP_ERR_UNKNOWN if @key is none of these options, as a parser of argp does.
 */
error_t result_options__parse(struct result_options *o, int key, char *arg, struct argp_state *state);

/**
 * result_options__guess() - choose a format by the name of a file
 * @o: the formats
 * @path: "x.json"; .info is lcov; NULL: standard output
 *
 * Return: an index in o->formats, or -1 if @path does not end with a format.
 */
int result_options__guess(const struct result_options *o, const char *path);

#endif
