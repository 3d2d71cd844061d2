/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The options of `hytrace cover`. An option that is repeated in a result is a member of struct
 * scope or struct cover_how (document/filter.h). Any other option is a member here, and is parsed in
 * cmd_cover.c. CONTRIBUTING names the other files that a new option touches.
 */
#ifndef HYTRACE_COVER_OPTIONS_H
#define HYTRACE_COVER_OPTIONS_H

#include "base/program.h"
#include "document/filter.h"
#include "store/store.h"

enum cover_engine { ENGINE_AUTO, ENGINE_ONESHOT, ENGINE_BPF, ENGINE_EVENT, ENGINE_BOTH };

enum cover_format { FORMAT_TEXT, FORMAT_JSON, FORMAT_TAILOR };

struct cover_options {
	enum cover_engine engine;
	struct filter filter;
	struct scope scope;
	struct cover_how how;
	struct scope_input scope_input;	/* for the parser: the two members above */
	bool strict;			/* a result that is not complete is an error */
	bool append;			/* results are merged with the recordings in the files */
	int ready_fd;			/* gets a line when recording has begun; 0: none */
	const char *user;		/* the user that the command runs as; NULL: hytrace's own */
	struct result_options result;	/* .output is not used */
	const char **outputs;
	size_t output_count;
	const char *keep;		/* the store that the run is kept in; NULL: none */
	struct store_note note;		/* what is kept with it; .document and .hash are not used */
	char **command;			/* NULL-terminated; NULL: none */
};

/* Does standard output get the result, because nothing else is said? */
static inline bool cover_options__print(const struct cover_options *o)
{
	return !o->output_count && (!o->keep || o->result.format_given);
}

/* The options that all recorders have. Its input is a struct cover_options that was initialised. */
extern const struct argp cover_common__argp;

void cover_options__init(struct cover_options *o);
/* Ends the process after a message if the options are wrong. */
void cover_options__parse(struct cover_options *ret, int argc, char **argv);
void cover_options__free(struct cover_options *o);

/* A run with these options. Returns the exit status. */
int cover__run(const struct cover_options *o);

/*
 * Is @path "-" or a stream, such as /dev/null or a pipe, so that the name of an engine cannot be added to it?
 */
bool cover_output__is_stream(const char *path);

#endif
