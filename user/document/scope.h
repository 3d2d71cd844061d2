/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Whose calls a result is about, and how they were recorded. Each option of `hytrace cover` about
 * this is a member here. scope.c has its help text, its parsing, and its field in a recording.
 */
#ifndef HYTRACE_DOCUMENT_SCOPE_H
#define HYTRACE_DOCUMENT_SCOPE_H

#include <argp.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/json.h"

enum scope_kind {
	SCOPE_SYSTEM,
	SCOPE_TASK,		/* the command and its descendants */
	SCOPE_PID,
	SCOPE_BOOT,
	SCOPE_SEVERAL,		/* merged results of several scopes, none of which includes all others */
};

/* How calls enter the program of the BPF recorder. */
enum cover_entry_kind {
	ENTRY_ANY,		/* in options: hytrace chooses; in a recording: another recorder, or unknown */
	ENTRY_KPROBE,		/* all by kprobe.multi */
	ENTRY_FENTRY,		/* by fentry.multi where possible, otherwise by kprobe.multi */
};

/* Whose calls are recorded. */
struct scope {
	enum scope_kind kind;
	long pid;			/* the process of SCOPE_PID; otherwise 0 */
	const char *cgroup, *comm;	/* only tasks with this cgroup or name; NULL: any */
};

/* Which calls of the scope are recorded, and how. */
struct cover_how {
	bool callers;
	bool retire;
	unsigned long retire_ms;	/* how long a known function is watched for its callers; 0: no callers */
	unsigned long max_entries;	/* 0: room for all addresses */
	double duration;		/* in seconds; 0: no limit */
	const char *pin;		/* a directory, in a recording ""; NULL: none is pinned */
	enum cover_entry_kind entry;
};

/* The options of struct scope and struct cover_how. The parser's input is a struct scope_input. */
struct scope_input {
	struct scope *scope;
	struct cover_how *how;
};

extern const struct argp scope_argp;

/* The options that --boot excludes, as an error message. */
#define SCOPE_OF_BOOT \
	"--boot takes what is recorded already: it goes with -f, -o, --append, --strict and --vmlinux only"

/*
 * The fields of the objects "filters" and "options" of a recording, as members of struct coverage.
 */
extern const struct json_field filter_fields[];
extern const struct json_field option_fields[];

/* Does the scope follow tasks: those of a process, or of the command, and their descendants? */
bool scope__follows(const struct scope *s);
/* The option that restricts the tasks; NULL: there is none. */
const char *scope__limit(const struct scope *s);
/* Is each task of @s also in @other? */
bool scope__lies_in(const struct scope *s, const struct scope *other);
/* Prints the scope in words, without the command if there is one. */
void scope__print(const struct scope *s, FILE *out);

#endif
