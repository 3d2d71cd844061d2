/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What `hytrace cover` is asked for. A new option is a member here; its parsing, and what a result says of it,
 * are in options.c. CONTRIBUTING has the other files that it touches.
 */
#ifndef HYTRACE_COVER_OPTIONS_H
#define HYTRACE_COVER_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/json.h"
#include "cover/filter.h"

enum cover_engine { ENGINE_AUTO, ENGINE_ONESHOT, ENGINE_BPF, ENGINE_EVENT, ENGINE_BOTH };

enum cover_format { FORMAT_TEXT, FORMAT_JSON, FORMAT_TAILOR };

enum scope_kind {
	SCOPE_SYSTEM,
	SCOPE_TASK,		/* the command and its children */
	SCOPE_PID,
	SCOPE_BOOT,
};

/* Whose calls are recorded. */
struct scope {
	enum scope_kind kind;
	long pid;			/* 0: not SCOPE_PID */
	const char *cgroup, *comm;	/* only tasks of these; NULL: of any */
};

/* What of them, and how. */
struct cover_how {
	bool callers;
	bool retire;
	unsigned long retire_ms;	/* for how long callers are watched; 0 without them */
	unsigned long max_entries;	/* 0: room for all */
	double duration;		/* 0: until the end */
	const char *pin;		/* NULL: nothing is pinned; "": a document does not say where */
};

struct cover_options {
	enum cover_engine engine;
	struct filter filter;
	struct scope scope;
	struct cover_how how;
	bool strict;			/* what is not complete is an error */
	bool format_given;
	enum cover_format format;
	const char **outputs;
	size_t output_count;
	const char *vmlinux;
	char **command;			/* NULL-terminated; NULL: none */
};

/*
 * Ends the process, and says why, if they cannot be understood. @refuse: why the engine that is chosen cannot do
 * what else is asked for; NULL: it can.
 */
void cover_options__parse(struct cover_options *ret, int argc, char **argv,
			  const char *(*refuse)(const struct cover_options *o));
void cover_options__free(struct cover_options *o);

/* Of the objects "filters" and "options" of a document, as members of struct coverage. */
extern const struct json_field filter_fields[];
extern const struct json_field option_fields[];

/* Whether @path is "-" or something else whose name cannot have an engine's added, such as /dev/null or a pipe. */
bool cover_output__is_stream(const char *path);

/* Whether it is of one process, or the command, and of what that starts. */
bool scope__follows(const struct scope *s);
/* The option that takes only some of its tasks; NULL: none does. */
const char *scope__limit(const struct scope *s);
/* Whether all that @s has is in @other as well. */
bool scope__lies_in(const struct scope *s, const struct scope *other);
/* In words, up to a command if there is one. */
void scope__print(const struct scope *s, FILE *out);

#endif
