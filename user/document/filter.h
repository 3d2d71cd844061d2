/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a recording was asked for: which functions, whose calls of them, and how these are recorded. Each option of
 * `hytrace cover` about this is a member here. filter.c has its help text, its parsing, and its field in a recording.
 */
#ifndef HYTRACE_DOCUMENT_FILTER_H
#define HYTRACE_DOCUMENT_FILTER_H

#include <argp.h>

#include "base/json.h"
#include "kernel/symbols.h"
#include "kernel/traceable.h"

struct lh_table;

/*
 * The functions that are asked for: -a and -d, in the syntax of set_ftrace_filter.
 *
 *   ext4_*          functions by name
 *   :mod:NAME       all functions of a module; also *:mod:NAME
 *   vfs_*:mod:NAME  some functions of a module
 *   @FILE           one of these per line; empty lines and lines from '#' on are skipped
 *
 * Without -a, all traceable functions are asked for. -d removes functions from them.
 */
struct glob {
	char *text;		/* as the user gave it, and as it is written to the kernel */
	char *function;
	char *module;		/* NULL: any module, and vmlinux */
	char *origin;		/* "FILE:LINE"; NULL: the command line */
};

struct globs {
	struct glob *list;
	size_t count;
	/*
	 * Globs that are plain names: a list in a file has thousands, and each function is looked
	 * up in them. NULL: there are none.
	 */
	struct lh_table *names;
	size_t patterns;	/* the number of globs with wildcards or modules, which have to be tried one by one */
};

bool glob__is_name(const struct glob *g);

struct filter {
	struct globs allow;
	struct globs deny;
	/*
	 * Functions that hytrace itself excludes (the helpers of a BPF program); they need not exist.
	 */
	struct globs own;
};

/* Adds one argument of -a or -d. Returns -EINVAL after a message if it is wrong. */
int globs__add(struct globs *globs, const char *argument);
void globs__free(struct globs *globs);
/* Makes a deep copy. @ret: empty */
void filter__copy(struct filter *ret, const struct filter *f);
void filter__free(struct filter *f);

/* The first glob that matches no traceable function; NULL: there is none. */
const struct glob *filter__unmatched(const struct filter *f, const struct traceable *t);
/* Returns -EINVAL after a message that the glob matches no traceable function. */
int glob__refuse(const struct glob *g, const struct traceable *t);

enum filter_verdict {
	FILTER_TRACED,
	FILTER_NOT_ASKED,	/* -a does not name it */
	FILTER_DENIED,		/* -d names it */
	FILTER_OWN,		/* hytrace excludes it */
};

/* Did the user ask for the function? Functions that hytrace excludes count as asked for. */
bool filter__asks_for(const struct filter *f, const char *name, const char *module);

enum filter_verdict filter__judge(const struct filter *f, const char *name, const char *module);

/**
 * filter__new_modules() - count the new modules with functions that are asked for
 * @f: the filter
 * @before: the symbols when tracing was prepared
 * @after: the symbols at the end; NULL: no module was loaded or removed
 *
 * Return: the number of modules. A module counts even if the function that is asked for cannot be traced.
 */
size_t filter__new_modules(const struct filter *f, const struct symbols *before, const struct symbols *after);

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
