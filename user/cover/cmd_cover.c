// SPDX-License-Identifier: GPL-2.0-only
/*
 * hytrace cover: its options. Options that are repeated in a result are in document/filter.c. run.c has the
 * steps of a run.
 */
#include <argp.h>
#include <limits.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/program.h"
#include "cover/commands.h"
#include "cover/engines.h"

enum { KEY_STRICT = 256, KEY_APPEND, KEY_READY, KEY_USER, KEY_KEEP };

/* ---- the options that `hytrace suite` has, too */

static const struct argp_option common_options[] = {
	{ "engine", 'e', "ENGINE", 0, "auto (default: oneshot where the kernel has it, else bpf), "
	  "oneshot, bpf, event, or both (oneshot and bpf) at the same time, compared", 0 },
	{ "allow", 'a', "GLOB", 0, "trace only these functions: NAME or glob, :mod:MODULE, "
	  "GLOB:mod:MODULE, @FILE with one of these per line (may be repeated)", 0 },
	{ "deny", 'd', "GLOB", 0, "do not trace these (the same forms; may be repeated)", 0 },
	{ "keep", KEY_KEEP, "FILE", 0, "put the run into this store of `hytrace keep`; nothing is printed then, unless "
	  "-f is given", 0 },
	{ "strict", KEY_STRICT, NULL, 0, "fail if the result is not complete: something was lost, or "
	  "may have been", 0 },
	OPTION_VMLINUX("the running kernel's, for source directories, and for the KASLR offset where "
		       "/proc/kcore does not tell it"),
	{ }
};

/* After an error, for which there was a message, ends the program with the status of a usage error. */
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
		[ENGINE_EVENT] = "event", [ENGINE_BOTH] = "both", [ENGINE_BOTH + 1] = NULL,
	};

	return option__word(state, "engine", text, names);
}

static error_t parse_common(int key, char *arg, struct argp_state *state)
{
	struct cover_options *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &o->scope_input;
		state->child_inputs[1] = &o->note;
		break;
	case 'e':
		o->engine = engine(state, arg);
		break;
	case 'a':
		return check(globs__add(&o->filter.allow, arg));
	case 'd':
		return check(globs__add(&o->filter.deny, arg));
	case KEY_KEEP:
		o->keep = arg;
		break;
	case KEY_STRICT:
		o->strict = true;
		break;
	case ARGP_KEY_END:
		if (o->keep ? !*o->keep : o->note.test || o->note.revision || o->note.thin)
			argp_error(state, "--test, --commit and --thin are about --keep: give the name of a store");
		break;
	default:
		return key == 'f' || key == 'o' ? ARGP_ERR_UNKNOWN : result_options__parse(&o->result, key, arg, state);
	}
	return 0;
}

static const struct argp_child common_children[] = { { .argp = &scope_argp }, { .argp = &store_note__argp }, { } };
const struct argp cover_common__argp = {
	.options = common_options, .parser = parse_common, .children = common_children,
};

void cover_options__init(struct cover_options *o)
{
	*o = (struct cover_options){ .how.callers = true, .scope_input = { &o->scope, &o->how } };
}

/* ---- hytrace cover */

static const struct argp_option options[] = {
	OPTION_FORMAT("text (default), json or tailor; with several -o, or without -f, FILE's ending selects it"),
	{ "output", 'o', "FILE", 0, "write the result to FILE instead of standard output (may be "
	  "repeated, for several formats)", 0 },
	{ "append", KEY_APPEND, NULL, 0, "add this run to FILE, a json recording of the same kernel with the same "
	  "filters; if there is no FILE, make it", 0 },
	{ "user", KEY_USER, "USER", 0, "run CMD as this user", 0 },
	{ "ready-fd", KEY_READY, "N", 0, "write the line READY to descriptor N when recording has begun; "
	  "systemd gets its message in any case", 0 },
	{ }
};

static const char *const formats[] = {
	[FORMAT_TEXT] = "text", [FORMAT_JSON] = "json", [FORMAT_TAILOR] = "tailor", NULL,
};

bool cover_output__is_stream(const char *path)
{
	struct stat st;

	/* /dev/stdout may be a link to a regular file. */
	return !strcmp(path, "-") || !strncmp(path, "/dev/", 5) || !strncmp(path, "/proc/", 6) ||
	       (!stat(path, &st) && !S_ISREG(st.st_mode));
}

/* Two recordings in one stream would be one after the other, and not valid json. */
static bool goes_to_stream(const struct cover_options *o)
{
	for (size_t i = 0; i < o->output_count; i++) {
		if (cover_output__is_stream(o->outputs[i]))
			return true;
	}
	return cover_options__print(o);
}

/* --engine both prints a comparison to standard output as well. */
static bool goes_to_stdout(const struct cover_options *o)
{
	struct stat out, st;

	for (size_t i = 0; i < o->output_count; i++) {
		if (!strcmp(o->outputs[i], "-") ||
		    (!fstat(STDOUT_FILENO, &out) && !stat(o->outputs[i], &st) && st.st_dev == out.st_dev &&
		     st.st_ino == out.st_ino))
			return true;
	}
	return cover_options__print(o) || o->engine == ENGINE_BOTH;
}

static bool goes_with_boot(const struct cover_options *o)
{
	return !o->command && !scope__limit(&o->scope) && !o->filter.allow.count && !o->filter.deny.count &&
	       o->how.callers && !o->how.retire && !o->how.max_entries && !o->how.duration && !o->how.pin &&
	       !o->how.entry && !o->ready_fd && (o->engine == ENGINE_AUTO || o->engine == ENGINE_ONESHOT);
}

static void check_combination(struct argp_state *state, const struct cover_options *o)
{
	const struct scope *scope = &o->scope;
	const char *refused = engines__refuse(o);

	if (scope->kind == SCOPE_BOOT && !goes_with_boot(o))
		argp_error(state, SCOPE_OF_BOOT);
	if (scope->kind == SCOPE_TASK && !o->command)
		argp_error(state, "--task follows a command: give it after --");
	if (o->user && !o->command)
		argp_error(state, "--user is whom a command runs as: give it after --");
	if (o->append && (goes_to_stream(o) || !o->output_count))
		argp_error(state, "--append adds to files: give -o FILE.json");
	if (o->ready_fd == STDOUT_FILENO && goes_to_stdout(o))
		argp_error(state, "--ready-fd 1 is standard output, which gets the result: give -o FILE or another "
			   "descriptor");
	if (refused)
		argp_error(state, "%s", refused);
	for (size_t i = 0; i < o->output_count; i++) {
		if (!*o->outputs[i])
			argp_error(state, "-o: the name is empty");
	}
	if (o->engine == ENGINE_BOTH && goes_to_stream(o) && o->result.format != FORMAT_TEXT)
		argp_error(state, "--engine both writes two recordings: give -o NAME");
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct cover_options *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = o;
		break;
	case 'o':
		*LIST_ADD(o->outputs, o->output_count) = arg;
		break;
	case KEY_APPEND:
		o->append = true;
		break;
	case KEY_USER:
		o->user = arg;
		break;
	case KEY_READY:
		o->ready_fd = option__number(state, "ready-fd", arg, INT_MAX);
		break;
	case ARGP_KEY_ARG:
		o->command = state->argv + state->next - 1;
		state->next = state->argc;
		/*
		 * A command may also be given without "--". From here on, the exit status is that
		 * of a run with a command.
		 */
		argp_err_exit_status = EXIT_SELF;
		break;
	case ARGP_KEY_END:
		check_combination(state, o);
		break;
	default:
		return key == 'f' ? result_options__parse(&o->result, key, arg, state) : ARGP_ERR_UNKNOWN;
	}
	return 0;
}

void cover_options__parse(struct cover_options *ret, int argc, char **argv)
{
	static const struct argp_child children[] = { { .argp = &cover_common__argp }, { } };
	static const struct argp argp = {
		.options = options,
		.parser = parse,
		.children = children,
		.args_doc = "[-- CMD [ARGUMENT...]]",
		.doc = "Records which kernel functions run, each once, while CMD runs, or until Ctrl-C."
		       "\vExamples:\n"
		       "  hytrace cover -o run.json -- make test\n"
		       "  hytrace cover --keep runs.db --test boot -- make boot-test\n"
		       "  hytrace cover --task -a 'ext4_*' -- cp -r /etc/init.d /mnt\n\n"
		       "Exit status: CMD's own, and 125 when hytrace itself failed. Without CMD: 0, 1 "
		       "failed, 2 usage, 3 the kernel or the privileges do not allow it.",
	};

	cover_options__init(ret);
	ret->result.formats = formats;
	check(argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, ret));
}

void cover_options__free(struct cover_options *o)
{
	filter__free(&o->filter);
	free(o->outputs);
}

int cmd_cover(int argc, char **argv)
{
	struct cover_options o;
	int status;

	cover_options__parse(&o, argc, argv);
	status = cover__run(&o);
	cover_options__free(&o);
	return status;
}
