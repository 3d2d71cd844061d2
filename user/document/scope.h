/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Whose calls a result is about, and how they were recorded. An option of `hytrace cover` for one
 * of these is a member here. scope.c has its help text, its parsing, and the field in which a
 * document repeats it.
 */
#ifndef HYTRACE_DOCUMENT_SCOPE_H
#define HYTRACE_DOCUMENT_SCOPE_H

#include <argp.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/json.h"

enum scope_kind {
	SCOPE_SYSTEM,
	SCOPE_TASK,		/* the command and its children */
	SCOPE_PID,
	SCOPE_BOOT,
	SCOPE_SEVERAL,		/* of a union: tasks of several scopes, none of which has all of them */
};

/* How the BPF engine's program gets to the beginning of a function. */
enum cover_entry_kind {
	ENTRY_ANY,		/* an option: hytrace chooses; a document: another engine, or it is not known */
	ENTRY_KPROBE,		/* all by kprobe.multi */
	ENTRY_FENTRY,		/* by fentry.multi, and by kprobe.multi where that is not possible */
};

/* Whose calls are recorded. */
struct scope {
	enum scope_kind kind;
	long pid;			/* 0: not SCOPE_PID */
	const char *cgroup, *comm;	/* only tasks of these; NULL: any */
};

/* Which of their calls are recorded, and how. */
struct cover_how {
	bool callers;
	bool retire;
	unsigned long retire_ms;	/* how long callers are watched; 0 without callers */
	unsigned long max_entries;	/* 0: room for all */
	double duration;		/* 0: until the end */
	const char *pin;		/* NULL: nothing is pinned; "": unknown, as in a document */
	enum cover_entry_kind entry;
};

/* The options of both. Their parser's input is a struct scope_input. */
struct scope_input {
	struct scope *scope;
	struct cover_how *how;
};

extern const struct argp scope_argp;

/* What --boot does not go with, as an error message. */
#define SCOPE_OF_BOOT "--boot takes what is recorded already: it goes with -f, -o, --append, --strict and --vmlinux only"

/*
 * The fields of the objects "filters" and "options" of a document, as members of struct coverage.
 */
extern const struct json_field filter_fields[];
extern const struct json_field option_fields[];

/* Is it about the tasks that some processes, or the command, started? */
bool scope__follows(const struct scope *s);
/* The option that selects some of the tasks; NULL: there is none. */
const char *scope__limit(const struct scope *s);
/* Is all of @s in @other as well? */
bool scope__lies_in(const struct scope *s, const struct scope *other);
/* Prints it in words, without the command if there is one. */
void scope__print(const struct scope *s, FILE *out);

#endif
