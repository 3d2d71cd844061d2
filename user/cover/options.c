// SPDX-License-Identifier: GPL-2.0-only
/*
 * The options of `hytrace cover`, and what a result says of them. What a run does is in run.c.
 */
#include <argp.h>
#include <limits.h>
#include <linux/types.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/options.h"
#include "cover/coverage.h"
#include "cover/options.h"
#include "cover.h"

/* TASK_COMM_LEN, with the zero behind it. */
#define COMM_LENGTH 16

enum {
	KEY_TASK = 256, KEY_NO_CALLERS, KEY_PIN, KEY_DURATION, KEY_BOOT, KEY_ENTRIES, KEY_VMLINUX,
	KEY_RETIRE, KEY_CGROUP, KEY_COMM, KEY_STRICT,
};

/* ---- what is told of them */

/* The words of a document, in the order of enum scope_kind. */
static const char *const scopes[] = { "system", "task", "pid", "boot", NULL };

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
	{ }
};

bool scope__follows(const struct scope *s)
{
	return s->kind == SCOPE_TASK || s->kind == SCOPE_PID;
}

const char *scope__limit(const struct scope *s)
{
	return s->cgroup ? "--cgroup" : s->comm ? "--comm" : NULL;
}

static bool same_or_any(const char *one, const char *other)
{
	return !other || (one && !strcmp(one, other));
}

bool scope__lies_in(const struct scope *s, const struct scope *other)
{
	return (!scope__follows(other) || (s->kind == other->kind && s->pid == other->pid)) &&
	       same_or_any(s->cgroup, other->cgroup) && same_or_any(s->comm, other->comm);
}

void scope__print(const struct scope *s, FILE *out)
{
	if (s->kind == SCOPE_PID)
		fprintf(out, "process %ld and what it started", s->pid);
	else if (s->kind == SCOPE_TASK)
		fprintf(out, "the command and what it started");
	else
		fprintf(out, "the whole system");
	if (s->cgroup)
		fprintf(out, ", of it cgroup %s", s->cgroup);
	if (s->comm)
		fprintf(out, ", of it tasks named %s", s->comm);
}

/* ---- the command line */

static const struct argp_option options[] = {
	{ "engine", 'e', "ENGINE", 0, "auto (default: oneshot where the kernel has it, else bpf), "
	  "oneshot, bpf, event, or both (oneshot and bpf) at the same time, compared", 0 },
	{ "allow", 'a', "GLOB", 0, "trace only these functions: NAME or glob, :mod:MODULE, "
	  "GLOB:mod:MODULE, @FILE with one of these per line (may be repeated)", 0 },
	{ "deny", 'd', "GLOB", 0, "do not trace these (the same forms; may be repeated)", 0 },
	{ "pid", 'p', "PID", 0, "only process PID, and what it starts from now on", 0 },
	{ "task", KEY_TASK, NULL, 0, "only CMD, and what it starts", 0 },
	{ "cgroup", KEY_CGROUP, "PATH", 0, "only tasks in this cgroup and those below it (version 2): a "
	  "directory, or its path below /sys/fs/cgroup; BPF engines", 0 },
	{ "comm", KEY_COMM, "NAME", 0, "only tasks of this name, as ps -o comm and /proc/PID/comm show "
	  "it; BPF engines", 0 },
	{ "no-callers", KEY_NO_CALLERS, NULL, 0, "functions only, not the places that called "
	  "them", 0 },
	{ "retire", KEY_RETIRE, "MS", OPTION_ARG_OPTIONAL, "take functions that are known out of "
	  "what is traced, so that they cost nothing any more; with callers, MS milliseconds after "
	  "the first call: later ones are missing; oneshot and bpf", 0 },
	{ "format", 'f', "FORMAT", 0, "text (default), json or tailor; of several -o, and without "
	  "-f, FILE.json and FILE.tailor mean what they say", 0 },
	{ "output", 'o', "FILE", 0, "write the result to FILE, not to standard output (may be "
	  "repeated, for several formats)", 0 },
	{ "pin", KEY_PIN, "DIR", 0, "BPF engines: pin a map of what was "
	  "seen, the program and the link there in bpffs meanwhile", 0 },
	{ "duration", KEY_DURATION, "SECONDS", 0, "end tracing after that time", 0 },
	{ "boot", KEY_BOOT, NULL, 0, "take what ftrace=oneshot has recorded since boot", 0 },
	{ "max-entries", KEY_ENTRIES, "N", 0, "room for that many addresses (default: for all)", 0 },
	{ "strict", KEY_STRICT, NULL, 0, "fail if the result is not complete: something was lost, or "
	  "may have been", 0 },
	{ "vmlinux", KEY_VMLINUX, "FILE", 0, "the running kernel's, for source directories, and for "
	  "the KASLR offset where /proc/kcore does not tell it", 0 },
	{ }
};

struct parsed {
	struct cover_options *options;
	const char *(*refuse)(const struct cover_options *o);
};

/* Says it and leaves, with the status of a usage error. */
static int check(int err)
{
	if (err)
		exit(argp_err_exit_status);
	return 0;
}

static enum cover_engine engine(struct argp_state *state, const char *text)
{
	static const char *const names[] = {
		[ENGINE_AUTO] = "auto", [ENGINE_ONESHOT] = "oneshot", [ENGINE_BPF] = "bpf",
		[ENGINE_BOTH] = "both", [ENGINE_EVENT] = "event",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!strcmp(names[i], text))
			return i;
	}
	argp_error(state, "--engine %s: there is no such engine; choose auto, oneshot, bpf, event or "
		   "both", text);
	return ENGINE_AUTO;
}

#define OF_BOOT "--boot takes what is recorded already: it goes with -f, -o, --strict and --vmlinux only"

static void set_scope(struct argp_state *state, struct cover_options *o, enum scope_kind kind)
{
	enum scope_kind other = o->scope.kind;

	if (other != SCOPE_SYSTEM && other != kind)
		argp_error(state, other == SCOPE_BOOT || kind == SCOPE_BOOT ? OF_BOOT :
			   "--task and --pid exclude each other");
	o->scope.kind = kind;
}

static enum cover_format format(struct argp_state *state, const char *text)
{
	if (!strcmp(text, "text"))
		return FORMAT_TEXT;
	if (!strcmp(text, "json"))
		return FORMAT_JSON;
	if (!strcmp(text, "tailor"))
		return FORMAT_TAILOR;
	argp_error(state, "--format %s: there is no such format; choose text, json or tailor", text);
	return FORMAT_TEXT;
}

static void add_output(struct cover_options *o, const char *path)
{
	const char **more = reallocarray(o->outputs, o->output_count + 1, sizeof(*more));

	if (!more)
		check(error__no_memory());
	o->outputs = more;
	o->outputs[o->output_count++] = path;
}

bool cover_output__is_stream(const char *path)
{
	struct stat st;

	/* /dev/stdout may lead to a file. */
	return !strcmp(path, "-") || !strncmp(path, "/dev/", 5) || !strncmp(path, "/proc/", 6) ||
	       (!stat(path, &st) && !S_ISREG(st.st_mode));
}

/* Two documents would be one after the other. */
static bool goes_to_stream(const struct cover_options *o)
{
	for (size_t i = 0; i < o->output_count; i++) {
		if (cover_output__is_stream(o->outputs[i]))
			return true;
	}
	return !o->output_count;
}

static bool goes_with_boot(const struct cover_options *o)
{
	return !o->command && !scope__limit(&o->scope) && !o->filter.allow.count && !o->filter.deny.count &&
	       o->how.callers && !o->how.retire && !o->how.max_entries && !o->how.duration && !o->how.pin &&
	       (o->engine == ENGINE_AUTO || o->engine == ENGINE_ONESHOT);
}

static void check_combination(struct argp_state *state, const struct parsed *parsed)
{
	const struct cover_options *o = parsed->options;
	const struct scope *scope = &o->scope;
	const char *refused = parsed->refuse(o);

	if (scope->kind == SCOPE_BOOT && !goes_with_boot(o))
		argp_error(state, OF_BOOT);
	if (scope->kind == SCOPE_TASK && !o->command)
		argp_error(state, "--task follows a command: give it after --");
	if (refused)
		argp_error(state, "%s", refused);
	if (o->how.retire && o->how.callers && !o->how.retire_ms)
		argp_error(state, "--retire turns functions off with callers still to come: give it with "
			   "--no-callers, or --retire=MS to watch each for MS milliseconds");
	if (scope->comm && (!*scope->comm || strlen(scope->comm) >= COMM_LENGTH))
		argp_error(state, "--comm %s: the kernel keeps 1 to %d characters of a task's name",
			   scope->comm, COMM_LENGTH - 1);
	if (scope->cgroup && !*scope->cgroup)
		argp_error(state, "--cgroup: the path is empty; / is the cgroup of all tasks");
	if (o->how.pin && !*o->how.pin)
		argp_error(state, "--pin: the directory is missing");
	for (size_t i = 0; i < o->output_count; i++) {
		if (!*o->outputs[i])
			argp_error(state, "-o: the name is empty");
	}
	if (o->engine == ENGINE_BOTH && goes_to_stream(o) && o->format != FORMAT_TEXT)
		argp_error(state, "--engine both writes two documents: give -o NAME");
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	const struct parsed *parsed = state->input;
	struct cover_options *o = parsed->options;

	switch (key) {
	case 'e':
		o->engine = engine(state, arg);
		break;
	case 'a':
		return check(globs__add(&o->filter.allow, arg));
	case 'd':
		return check(globs__add(&o->filter.deny, arg));
	case 'p':
		set_scope(state, o, SCOPE_PID);
		o->scope.pid = option__number(state, "pid", arg, 1 << 22);
		break;
	case 'f':
		o->format = format(state, arg);
		o->format_given = true;
		break;
	case 'o':
		add_output(o, arg);
		break;
	case KEY_TASK:
		set_scope(state, o, SCOPE_TASK);
		break;
	case KEY_NO_CALLERS:
		o->how.callers = false;
		break;
	case KEY_RETIRE:
		o->how.retire = true;
		if (arg)
			o->how.retire_ms = option__number(state, "retire", arg, UINT_MAX);
		break;
	case KEY_PIN:
		o->how.pin = arg;
		break;
	case KEY_CGROUP:
		o->scope.cgroup = arg;
		break;
	case KEY_COMM:
		o->scope.comm = arg;
		break;
	case KEY_DURATION:
		o->how.duration = option__seconds(state, arg);
		break;
	case KEY_BOOT:
		set_scope(state, o, SCOPE_BOOT);
		break;
	case KEY_ENTRIES:
		o->how.max_entries = option__number(state, "max-entries", arg, 1 << (SET_MOST_BITS - 1));
		break;
	case KEY_STRICT:
		o->strict = true;
		break;
	case KEY_VMLINUX:
		o->vmlinux = arg;
		break;
	case ARGP_KEY_ARG:
		o->command = state->argv + state->next - 1;
		state->next = state->argc;
		/* Found without the -- as well: from here on it is a run with a command. */
		argp_err_exit_status = EXIT_SELF;
		break;
	case ARGP_KEY_END:
		check_combination(state, parsed);
		if (!o->how.callers)
			o->how.retire_ms = 0;
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

void cover_options__parse(struct cover_options *ret, int argc, char **argv,
			  const char *(*refuse)(const struct cover_options *o))
{
	static const struct argp argp = {
		.options = options,
		.parser = parse,
		.args_doc = "[-- CMD [ARGUMENT...]]",
		.doc = "Records which kernel functions run, each once, while CMD runs, or until Ctrl-C."
		       "\vExit status: CMD's own, and 125 when hytrace itself failed. Without CMD: 0, 1 "
		       "failed, 2 usage, 3 the kernel or the privileges do not allow it.",
	};
	struct parsed parsed = { ret, refuse };

	*ret = (struct cover_options){ .how.callers = true };
	check(argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, &parsed));
}

void cover_options__free(struct cover_options *o)
{
	filter__free(&o->filter);
	free(o->outputs);
}
