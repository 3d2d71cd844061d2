/* SPDX-License-Identifier: GPL-2.0-only */
/* Values of options that several commands have. A wrong value ends the program with a usage error. */
#ifndef HYTRACE_BASE_OPTIONS_H
#define HYTRACE_BASE_OPTIONS_H

#include <argp.h>
#include <stdbool.h>

/* Parses the value of --duration. */
double option__seconds(struct argp_state *state, const char *text);
/* Parses the value of --NAME, a number from 1 to @most. */
long option__number(struct argp_state *state, const char *name, const char *text, long most);

/* To be called at ARGP_KEY_ARGS: the remaining arguments. Returns their number. */
size_t option__arguments(const struct argp_state *state, const char *const **ret);

/* Parses the value of --NAME, which has to be one of @words; NULL ends them. Returns its index. */
int option__word(struct argp_state *state, const char *name, const char *text, const char *const *words);

/*
 * The values of -f, -o and --vmlinux. A command lists the OPTION_ rows below that it takes. If its
 * formats are not text and json, it sets @formats.
 */
struct result_options {
	const char *const *formats;	/* end with NULL; the first is the default; NULL: text and json */
	int format;			/* index in formats */
	bool format_given;
	const char *output;		/* NULL: standard output */
	const char *only;		/* for a command without json: the error for -o x.json */
	const char *vmlinux;
};

/* The formats of each command begin with text and json. */
enum { RESULT_TEXT, RESULT_JSON };

#define OPTION_KEY_VMLINUX 0x1000

/* @words: the formats, as "text (default) or json" */
#define OPTION_FORMAT(words) { "format", 'f', "FORMAT", 0, words, 0 }
/* For a command with -o, after its formats. */
#define OPTION_FORMAT_BY_NAME "; without -f, FILE's ending selects it"
#define OPTION_OUTPUT { "output", 'o', "FILE", 0, "write to FILE instead of standard output", 0 }
#define OPTION_VMLINUX(text) { "vmlinux", OPTION_KEY_VMLINUX, "FILE", 0, text, 0 }

/**
 * result_options__parse() - parse -f, -o or --vmlinux
 * @o: what was given so far; with only .formats set at the beginning
 * @key: from argp
 * @arg: from argp
 * @state: from argp
 *
 * Return: ARGP_ERR_UNKNOWN if @key is none of the three options, as a parser of argp does.
 */
error_t result_options__parse(struct result_options *o, int key, char *arg, struct argp_state *state);

/* The parser of a command without further options. Its input is a struct result_options. */
error_t result_options__parser(int key, char *arg, struct argp_state *state);

/**
 * result_options__guess() - choose a format by the name of a file
 * @o: the formats
 * @path: "x.json"; .info is lcov; NULL: standard output
 *
 * Return: an index in o->formats, or -1 if @path does not end with a format.
 */
int result_options__guess(const struct result_options *o, const char *path);

#endif
