// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a recording was asked for; see filter.h. The kernel documents its own matching of globs as "like !fnmatch(pat,
 * str, 0)".
 */
#include <fnmatch.h>
#include <limits.h>
#include <linux/types.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/index.h"
#include "base/memory.h"
#include "base/program.h"
#include "base/text.h"
#include "document/coverage.h"
#include "document/filter.h"
#include "cover.h"

#define MODULE_MARK ":mod:"
#define NAMES_AT_FIRST 64

/* For "%s%s" at the beginning of a message: where the glob stands, unless that is the command line. */
#define AT_ORIGIN(origin) (origin) ?: "", (origin) ? ": " : ""

static int glob__parse(struct glob *g, const char *text, const char *origin)
{
	const char *mark = strstr(text, MODULE_MARK);
	size_t length = mark ? (size_t)(mark - text) : strlen(text);

	if (!*text || strpbrk(text, " \t"))
		return error__return(-EINVAL, "%s%s'%s': not a function glob: give one name or glob, without spaces",
				     AT_ORIGIN(origin), text);
	if (mark && !mark[strlen(MODULE_MARK)])
		return error__return(-EINVAL, "%s%s'%s': no module named: write :mod:NAME", AT_ORIGIN(origin), text);
	g->function = length ? xstrndup(text, length) : xstrdup("*");
	g->module = mark ? xstrdup(mark + strlen(MODULE_MARK)) : NULL;
	/* Some kernels refuse an empty name before the mark. '*' means the same. */
	g->text = xasprintf("%s%s", !length && mark ? "*" : "", text);
	g->origin = xstrdup(origin);
	return 0;
}

bool glob__is_name(const struct glob *g)
{
	return !g->module && !strpbrk(g->function, "*?[\\");
}

static int add_one(struct globs *globs, const char *text, const char *origin)
{
	struct glob g = {};
	int err = glob__parse(&g, text, origin);

	if (err)
		return err;
	if (!glob__is_name(&g)) {
		globs->patterns++;
	} else {
		globs->names = globs->names ?: index__new(NAMES_AT_FIRST, NULL);
		index__add(globs->names, g.function, NULL);
	}
	*LIST_ADD(globs->list, globs->count) = g;
	return 0;
}

static int add_file(struct globs *globs, const char *path)
{
	char *line = NULL, *origin, *start;
	size_t room = 0, before = globs->count;
	int err = 0;
	FILE *f;

	f = fopen(path, "re");
	if (!f)
		return error__return(-EINVAL, "@%s: cannot read the list of functions: %s", path,
				     strerror(errno));
	for (int number = 1; !err && getline(&line, &room, f) > 0; number++) {
		line[strcspn(line, "#\r\n")] = '\0';
		start = line + strspn(line, " \t");
		start[strcspn(start, " \t")] = '\0';
		if (!*start)
			continue;
		origin = xasprintf("%s:%d", path, number);
		err = add_one(globs, start, origin);
		free(origin);
	}
	if (!err && ferror(f))
		err = error__return(-EINVAL, "@%s: cannot read the list of functions: %s", path,
				    strerror(errno));
	/* Otherwise an empty -a list would mean "no -a", which is all functions. */
	if (!err && globs->count == before)
		err = error__return(-EINVAL, "@%s: names no function", path);
	fclose(f);
	free(line);
	return err;
}

int globs__add(struct globs *globs, const char *argument)
{
	if (argument[0] == '@')
		return add_file(globs, argument + 1);
	return add_one(globs, argument, NULL);
}

static void globs__copy(struct globs *ret, const struct globs *globs)
{
	for (size_t i = 0; i < globs->count; i++)
		add_one(ret, globs->list[i].text, globs->list[i].origin);
}

void globs__free(struct globs *globs)
{
	if (globs->names)
		lh_table_free(globs->names);
	for (size_t i = 0; i < globs->count; i++) {
		free(globs->list[i].text);
		free(globs->list[i].function);
		free(globs->list[i].module);
		free(globs->list[i].origin);
	}
	free(globs->list);
	memset(globs, 0, sizeof(*globs));
}

void filter__free(struct filter *f)
{
	globs__free(&f->allow);
	globs__free(&f->deny);
	globs__free(&f->own);
}

void filter__copy(struct filter *ret, const struct filter *f)
{
	globs__copy(&ret->allow, &f->allow);
	globs__copy(&ret->deny, &f->deny);
	globs__copy(&ret->own, &f->own);
}

static bool glob__matches(const struct glob *g, const char *name, const char *module)
{
	if (g->module && (!module || fnmatch(g->module, module, 0)))
		return false;
	return !fnmatch(g->function, name, 0);
}

static bool globs__match(const struct globs *globs, const char *name, const char *module)
{
	if (globs->names && lh_table_lookup_entry(globs->names, name))
		return true;
	for (size_t i = 0; globs->patterns && i < globs->count; i++) {
		if (!glob__is_name(&globs->list[i]) &&
		    glob__matches(&globs->list[i], name, module))
			return true;
	}
	return false;
}

int glob__refuse(const struct glob *g, const struct traceable *t)
{
	const char *similar = g->module ? NULL : traceable__similar(t, g->function);

	if (g->module)
		return error__return(-EINVAL, "%s%s%s: no traceable function matches: is the module %s loaded?",
				     AT_ORIGIN(g->origin), g->text, g->module);
	if (similar)
		return error__return(-EINVAL, "%s%s%s: no such function (%zu can be traced, see "
				     "available_filter_functions; did you mean %s?)", AT_ORIGIN(g->origin), g->text,
				     traceable__count(t), similar);
	return error__return(-EINVAL, "%s%s%s: matches none of the %zu functions that can be traced; see "
			     "available_filter_functions", AT_ORIGIN(g->origin), g->text, traceable__count(t));
}

static bool matches_any(const struct glob *g, const struct traceable *t)
{
	if (glob__is_name(g))
		return traceable__has_name(t, g->function);
	for (size_t i = 0; i < traceable__count(t); i++) {
		const struct traceable_function *f = traceable__at(t, i);

		if (glob__matches(g, f->name, f->module))
			return true;
	}
	return false;
}

static const struct glob *find_unmatched(const struct globs *globs, const struct traceable *t)
{
	for (size_t i = 0; i < globs->count; i++) {
		if (!matches_any(&globs->list[i], t))
			return &globs->list[i];
	}
	return NULL;
}

const struct glob *filter__unmatched(const struct filter *f, const struct traceable *t)
{
	return find_unmatched(&f->allow, t) ?: find_unmatched(&f->deny, t);
}

enum filter_verdict filter__judge(const struct filter *f, const char *name, const char *module)
{
	if (f->allow.count && !globs__match(&f->allow, name, module))
		return FILTER_NOT_ASKED;
	if (globs__match(&f->deny, name, module))
		return FILTER_DENIED;
	if (globs__match(&f->own, name, module))
		return FILTER_OWN;
	return FILTER_TRACED;
}

bool filter__asks_for(const struct filter *f, const char *name, const char *module)
{
	enum filter_verdict verdict = filter__judge(f, name, module);

	return verdict == FILTER_TRACED || verdict == FILTER_OWN;
}

static bool asks_for_any(const struct filter *f, const struct symbols *symbols, const char *module)
{
	for (size_t i = 0; i < symbols__count(symbols); i++) {
		const struct symbol *sym = symbols__at(symbols, i);

		if (sym->module && !strcmp(sym->module, module) &&
		    filter__judge(f, sym->name, module) == FILTER_TRACED)
			return true;
	}
	return false;
}

size_t filter__new_modules(const struct filter *f, const struct symbols *before, const struct symbols *after)
{
	const struct module *list;
	size_t count = 0, found = 0;

	list = after ? symbols__modules(after, &count) : NULL;
	for (size_t i = 0; i < count; i++) {
		const struct module *was = symbols__module(before, list[i].name);

		found += (!was || was->base != list[i].base) && asks_for_any(f, after, list[i].name);
	}
	return found;
}

/* ---- whose calls, and how they are recorded */

/* TASK_COMM_LEN, which includes the terminating NUL. */
#define COMM_LENGTH 16

/* ---- the fields of a recording */

static void write_globs(json_writer_t *w, const struct json_field *field, const void *member)
{
	const struct globs *globs = member;

	jsonw_start_array(w);
	for (size_t i = 0; i < globs->count; i++)
		jsonw_string(w, globs->list[i].text);
	jsonw_end_array(w);
}

static int read_globs(struct json_object *array, const struct json_field *field, void *member,
		      void *whole)
{
	int err = 0;

	if (!json_object_is_type(array, json_type_array))
		return 0;
	for (size_t i = 0; !err && i < json_object_array_length(array); i++) {
		const char *glob = json_object_get_string(json_object_array_get_idx(array, i));

		/* '@' would name a file to read. No recording contains that. */
		err = glob && *glob != '@' ? globs__add(member, glob) : -EINVAL;
	}
	return err;
}

static const struct json_kind field_globs = { write_globs, read_globs, json_type_array };

static int read_text(struct json_object *value, const struct json_field *field, void *member, void *whole)
{
	struct coverage *c = whole;

	*(const char **)member = hits__name(&c->hits, json__text(value));
	return 0;
}

static void write_text(json_writer_t *w, const struct json_field *field, const void *member)
{
	field_string.write(w, field, member);
}

/* A const char * that lives as long as the coverage. */
static const struct json_kind field_text = { write_text, read_text, json_type_string, true };

static void write_given(json_writer_t *w, const struct json_field *field, const void *member)
{
	jsonw_bool(w, *(const char *const *)member);
}

static int read_given(struct json_object *value, const struct json_field *field, void *member, void *whole)
{
	*(const char **)member = json_object_get_boolean(value) ? "" : NULL;
	return 0;
}

/* A pointer of which a recording only says whether it is NULL. */
static const struct json_kind field_given = { write_given, read_given, json_type_boolean };

/* Words in a recording, in the order of enum scope_kind. */
static const char *const scopes[] = { "system", "task", "pid", "boot", "several", NULL };

/* Words in a recording, in the order of enum cover_entry_kind. */
static const char *const entries[] = { "", "kprobe", "fentry", NULL };

#define AT(member) offsetof(struct coverage, member)

const struct json_field filter_fields[] = {
	{ "allow", &field_globs, AT(filter.allow) },
	{ "deny", &field_globs, AT(filter.deny) },
	{ "denied_by_hytrace", &field_globs, AT(filter.own) },
	{ "scope", &field_word, AT(scope.kind), scopes },
	{ "pid", &field_some_number, AT(scope.pid) },
	{ "cgroup", &field_text, AT(scope.cgroup) },
	{ "comm", &field_text, AT(scope.comm) },
	{ "callers", &field_bool, AT(how.callers) },
	{ }
};

const struct json_field option_fields[] = {
	{ "retire", &field_bool, AT(how.retire) },
	{ "retire_ms", &field_some_number, AT(how.retire_ms) },
	{ "max_entries", &field_some_number, AT(how.max_entries) },
	{ "duration", &field_some_seconds, AT(how.duration) },
	{ "pin", &field_given, AT(how.pin) },
	{ "entry", &field_word, AT(how.entry), entries },
	{ }
};

bool scope__follows(const struct scope *s)
{
	return s->kind == SCOPE_TASK || s->kind == SCOPE_PID || s->kind == SCOPE_SEVERAL;
}

const char *scope__limit(const struct scope *s)
{
	return s->cgroup ? "--cgroup" : s->comm ? "--comm" : NULL;
}

static bool same_or_any(const char *one, const char *other)
{
	return !other || text__equals(one, other);
}

bool scope__lies_in(const struct scope *s, const struct scope *other)
{
	/* If results of several scopes were merged, it is not known whose tasks they have. */
	if (other->kind == SCOPE_SEVERAL)
		return false;
	return (!scope__follows(other) || (s->kind == other->kind && s->pid == other->pid)) &&
	       same_or_any(s->cgroup, other->cgroup) && same_or_any(s->comm, other->comm);
}

void scope__print(const struct scope *s, FILE *out)
{
	if (s->kind == SCOPE_SEVERAL)
		fprintf(out, "some tasks, not the same in each run");
	else if (s->kind == SCOPE_PID)
		fprintf(out, "process %ld and what it started", s->pid);
	else if (s->kind == SCOPE_TASK)
		fprintf(out, "the command and what it started");
	else
		fprintf(out, "the whole system");
	if (s->cgroup) {
		fprintf(out, ", only cgroup ");
		utf8__print(out, s->cgroup, "");
	}
	if (s->comm) {
		fprintf(out, ", only tasks named ");
		utf8__print(out, s->comm, "");
	}
}

/* ---- the command line */

enum {
	KEY_TASK = 512, KEY_NO_CALLERS, KEY_PIN, KEY_DURATION, KEY_BOOT, KEY_ENTRIES, KEY_RETIRE, KEY_CGROUP,
	KEY_COMM, KEY_ENTRY,
};

static const struct argp_option options[] = {
	{ "pid", 'p', "PID", 0, "only process PID, and what it starts from now on", 0 },
	{ "task", KEY_TASK, NULL, 0, "only CMD, and what it starts", 0 },
	{ "cgroup", KEY_CGROUP, "PATH", 0, "only tasks in this cgroup and those below it (version 2): a "
	  "directory, or its path below /sys/fs/cgroup; BPF recorders", 0 },
	{ "comm", KEY_COMM, "NAME", 0, "only tasks of this name, as ps -o comm and /proc/PID/comm show "
	  "it; BPF recorders", 0 },
	{ "no-callers", KEY_NO_CALLERS, NULL, 0, "functions only, not the places that called "
	  "them", 0 },
	{ "retire", KEY_RETIRE, "MS", OPTION_ARG_OPTIONAL, "stop tracing functions that are known, "
	  "so that they cost nothing from then on; with callers, MS milliseconds after the first "
	  "call: later callers are missing; oneshot and bpf", 0 },
	{ "pin", KEY_PIN, "DIR", 0, "BPF recorders: during the run, pin a map of the addresses "
	  "seen, the program and its links in this directory of a bpffs", 0 },
	{ "entry", KEY_ENTRY, "KIND", 0, "-e bpf: kprobe (kprobe.multi, on any kernel) or fentry (fentry.multi, "
	  "which costs half as much, since Linux 7.2); default: what costs less", 0 },
	{ "duration", KEY_DURATION, "SECONDS", 0, "end tracing after this time", 0 },
	{ "boot", KEY_BOOT, NULL, 0, "take what ftrace=oneshot has recorded since boot", 0 },
	{ "max-entries", KEY_ENTRIES, "N", 0, "make room for N addresses (default: for all)", 0 },
	{ }
};

static void set_scope(struct argp_state *state, struct scope *scope, enum scope_kind kind)
{
	enum scope_kind other = scope->kind;

	if (other != SCOPE_SYSTEM && other != kind)
		argp_error(state, other == SCOPE_BOOT || kind == SCOPE_BOOT ? SCOPE_OF_BOOT :
			   "--task and --pid exclude each other");
	scope->kind = kind;
}

static void check_combination(struct argp_state *state, const struct scope *scope, struct cover_how *how)
{
	if (how->retire && how->callers && !how->retire_ms)
		argp_error(state, "--retire turns functions off before all callers are known: give it with "
			   "--no-callers, or --retire=MS to watch each for MS milliseconds");
	if (scope->comm && (!*scope->comm || strlen(scope->comm) >= COMM_LENGTH))
		argp_error(state, "--comm %s: the kernel keeps 1 to %d characters of a task's name",
			   scope->comm, COMM_LENGTH - 1);
	if (scope->cgroup && !*scope->cgroup)
		argp_error(state, "--cgroup: the path is empty; / is the cgroup of all tasks");
	if (how->entry == ENTRY_FENTRY && how->retire)
		argp_error(state, "--retire attaches again and again, which takes fentry.multi too long: give it "
			   "without --entry fentry");
	if (how->pin && !*how->pin)
		argp_error(state, "--pin: the directory is missing");
	if (!how->callers)
		how->retire_ms = 0;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct scope_input *in = state->input;

	switch (key) {
	case 'p':
		set_scope(state, in->scope, SCOPE_PID);
		in->scope->pid = option__number(state, "pid", arg, 1 << 22);
		break;
	case KEY_TASK:
		set_scope(state, in->scope, SCOPE_TASK);
		break;
	case KEY_NO_CALLERS:
		in->how->callers = false;
		break;
	case KEY_RETIRE:
		in->how->retire = true;
		if (arg)
			in->how->retire_ms = option__number(state, "retire", arg, UINT_MAX);
		break;
	case KEY_PIN:
		in->how->pin = arg;
		break;
	case KEY_ENTRY:
		in->how->entry = 1 + option__word(state, "entry", arg, entries + 1);
		break;
	case KEY_CGROUP:
		in->scope->cgroup = arg;
		break;
	case KEY_COMM:
		in->scope->comm = arg;
		break;
	case KEY_DURATION:
		in->how->duration = option__seconds(state, "duration", arg);
		break;
	case KEY_BOOT:
		set_scope(state, in->scope, SCOPE_BOOT);
		break;
	case KEY_ENTRIES:
		in->how->max_entries = option__number(state, "max-entries", arg, 1 << (SET_MOST_BITS - 1));
		break;
	case ARGP_KEY_END:
		check_combination(state, in->scope, in->how);
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

const struct argp scope_argp = { .options = options, .parser = parse };
