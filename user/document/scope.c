// SPDX-License-Identifier: GPL-2.0-only
/* Whose calls a result is about, and how they were recorded; see scope.h. */
#include <limits.h>
#include <linux/types.h>
#include <string.h>

#include "base/program.h"
#include "base/text.h"
#include "document/coverage.h"
#include "document/scope.h"
#include "cover.h"

/* TASK_COMM_LEN, which includes the terminating NUL. */
#define COMM_LENGTH 16

/* ---- the fields of a recording */

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
		in->how->duration = option__seconds(state, arg);
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
