// SPDX-License-Identifier: GPL-2.0-only
/*
 * hytrace cover: options, and the order of things in words. What a run does is in run.c.
 */
#include <argp.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/options.h"
#include "cover/commands.h"
#include "cover/run.h"

/* TASK_COMM_LEN, with the zero behind it. */
#define COMM_LENGTH 16

enum {
	KEY_TASK = 256, KEY_NO_CALLERS, KEY_PIN, KEY_DURATION, KEY_BOOT, KEY_ENTRIES, KEY_VMLINUX,
	KEY_RETIRE, KEY_CGROUP, KEY_COMM, KEY_STRICT,
};

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

static void check_combination(struct argp_state *state, const struct cover_options *o)
{
	if (o->boot && (o->command || o->pid || o->task || o->duration || o->pin ||
			o->cgroup || o->comm ||
			o->filter.allow.count || o->filter.deny.count ||
			o->engine == ENGINE_BPF || o->engine == ENGINE_BOTH ||
			o->engine == ENGINE_EVENT || o->retire || o->max_entries || !o->callers))
		argp_error(state, "--boot takes what is recorded already: it goes with -f, -o, --strict and "
			   "--vmlinux only");
	if (o->task && !o->command)
		argp_error(state, "--task follows a command: give it after --");
	if (o->task && o->pid)
		argp_error(state, "--task and --pid exclude each other");
	if (o->retire && o->engine == ENGINE_EVENT)
		argp_error(state, "--retire: nothing can be taken out of a function event; use another "
			   "engine");
	if (o->retire && o->callers && !o->retire_ms)
		argp_error(state, "--retire turns functions off with callers still to come: give it with "
			   "--no-callers, or --retire=MS to watch each for MS milliseconds");
	if (o->pin && o->engine == ENGINE_ONESHOT)
		argp_error(state, "--pin is for the BPF engines: there is nothing to pin for oneshot");
	if ((o->cgroup || o->comm) && (o->engine == ENGINE_ONESHOT || o->engine == ENGINE_BOTH))
		argp_error(state, "%s is for the BPF engines: give --engine bpf or event",
			   o->cgroup ? "--cgroup" : "--comm");
	if (o->comm && (!*o->comm || strlen(o->comm) >= COMM_LENGTH))
		argp_error(state, "--comm %s: the kernel keeps 1 to %d characters of a task's name", o->comm,
			   COMM_LENGTH - 1);
	if (o->filter.deny.count && o->engine == ENGINE_EVENT)
		argp_error(state, "--deny: a function event takes all functions that its glob matches, "
			   "none can be left out; use --engine bpf, or name those wanted with -a");
	if (o->engine == ENGINE_BOTH && !o->output_count &&
	    o->format_given && o->format != FORMAT_TEXT)
		argp_error(state, "--engine both writes two documents: give -o NAME");
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct cover_options *o = state->input;

	switch (key) {
	case 'e':
		o->engine = engine(state, arg);
		break;
	case 'a':
		return check(globs__add(&o->filter.allow, arg));
	case 'd':
		return check(globs__add(&o->filter.deny, arg));
	case 'p':
		o->pid = option__number(state, "pid", arg, 1 << 22);
		break;
	case 'f':
		o->format = format(state, arg);
		o->format_given = true;
		break;
	case 'o':
		add_output(o, arg);
		break;
	case KEY_TASK:
		o->task = true;
		break;
	case KEY_NO_CALLERS:
		o->callers = false;
		break;
	case KEY_RETIRE:
		o->retire = true;
		if (arg)
			o->retire_ms = option__number(state, "retire", arg, UINT_MAX);
		break;
	case KEY_PIN:
		o->pin = arg;
		break;
	case KEY_CGROUP:
		o->cgroup = arg;
		break;
	case KEY_COMM:
		o->comm = arg;
		break;
	case KEY_DURATION:
		o->duration = option__seconds(state, arg);
		break;
	case KEY_BOOT:
		o->boot = true;
		break;
	case KEY_ENTRIES:
		o->max_entries = option__number(state, "max-entries", arg, 1 << 24);
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
		check_combination(state, o);
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

int cmd_cover(int argc, char **argv)
{
	static const struct argp argp = {
		.options = options,
		.parser = parse,
		.args_doc = "[-- CMD [ARGUMENT...]]",
		.doc = "Records which kernel functions run, each once, while CMD runs, or until Ctrl-C."
		       "\vExit status: CMD's own, and 125 when hytrace itself failed. Without CMD: 0, 1 "
		       "failed, 2 usage, 3 the kernel or the privileges do not allow it.",
	};
	struct cover_options o = { .callers = true };
	int status;

	if (argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, &o))
		return argp_err_exit_status;
	status = cover__run(&o);
	filter__free(&o.filter);
	free(o.outputs);
	return status;
}
