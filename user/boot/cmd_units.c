// SPDX-License-Identifier: GPL-2.0-only
/*
 * hytrace boot blame, hytrace boot critical-chain: like the commands of systemd-analyze. The two
 * ask systemd, which answers any user; blame also has the kernel's initcalls and modules if their
 * events can be read.
 */
#include <argp.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <tracefs.h>
#include <unistd.h>

#include "base/error.h"
#include "base/program.h"
#include "boot/asked.h"
#include "boot/blame.h"
#include "boot/commands.h"
#include "boot/start_load.h"
#include "boot/whole.h"
#include "run/output.h"

struct units_options {
	struct result_options result;
	size_t most;			/* 0: not given */
	const char *unit;		/* whose chain to show; NULL: the default target */
};

enum { OPTION_FUZZ = 0x100 };

static const struct argp_option of_blame[] = {
	OPTION_FORMAT("text (default) or json" OPTION_FORMAT_BY_NAME),
	OPTION_OUTPUT,
	{ "most", 'n', "N", 0, "list the N longest only", 0 },
	{ }
};

static const struct argp_option of_chain[] = {
	OPTION_FORMAT("text (default) or json" OPTION_FORMAT_BY_NAME),
	OPTION_OUTPUT,
	{ "fuzz", OPTION_FUZZ, "TIME", OPTION_HIDDEN, NULL, 0 },
	{ }
};

static error_t parse_blame(int key, char *arg, struct argp_state *state)
{
	struct units_options *o = state->input;

	if (key != 'n')
		return result_options__parse(&o->result, key, arg, state);
	o->most = option__number(state, "most", arg, 1 << 24);
	return 0;
}

static error_t parse_chain(int key, char *arg, struct argp_state *state)
{
	struct units_options *o = state->input;

	switch (key) {
	case ARGP_KEY_ARG:
		if (o->unit)
			argp_error(state, "%s: critical-chain follows one unit", arg);
		o->unit = arg;
		break;
	case OPTION_FUZZ:
		argp_error(state, "--fuzz: critical-chain follows the last unit only; `hytrace boot -f json` has each "
			   "unit with its times, and what it was started after");
		break;
	default:
		return result_options__parse(&o->result, key, arg, state);
	}
	return 0;
}

/* ---- output */

typedef void (*write_fn)(const struct boot_whole *w, const struct boot_start *s, const struct units_options *o,
			 FILE *out);

static void write_blame(const struct boot_whole *w, const struct boot_start *s, const struct units_options *o,
			FILE *out)
{
	size_t most = o->most ?: SIZE_MAX;
	struct blame b = {};

	blame__add_units(&b, &w->units);
	if (s)
		blame__add_start(&b, s);
	blame__sort(&b);
	if (o->result.format == RESULT_JSON)
		blame__json(&b, most, w, s, out);
	else
		blame__text(&b, most, out);
	blame__free(&b);
}

static void write_chain(const struct boot_whole *w, const struct boot_start *s, const struct units_options *o,
			FILE *out)
{
	(void)s;
	if (o->result.format == RESULT_JSON)
		boot_whole__chain_json(w, out);
	else
		boot_whole__chain_text(w, out);
}

/* ---- input */

/* Tells what is missing. Without systemd, blame has the kernel's part; a chain needs systemd. */
static int check(write_fn write, const struct boot_whole *w, const struct boot_start *s)
{
	const struct boot_units *u = &w->units;

	if (!u->known && (write == write_chain || !s))
		return error__return(-EOPNOTSUPP, "what init has started is not known: %s", u->why_not);
	if (!u->known)
		error__warn("units are missing: %s", u->why_not);
	else if (!boot_units__complete(u) && write == write_chain)
		return error__return(-ENODATA, "the boot is not complete: systemd has %u jobs left, `systemctl "
				     "list-jobs` shows them", u->jobs);
	else if (!boot_units__complete(u))
		error__warn("the boot is not complete: systemd has %u jobs left, `systemctl list-jobs` shows them",
			    u->jobs);
	if (write == write_chain && !u->target)
		return error__return(-ENODATA, "systemd does not tell its default target");
	if (write == write_chain) {
		const struct boot_unit *target = boot_units__find(u, u->target);

		if (!target)
			return error__return(-ENODATA, "systemd knows no unit %s now; `systemctl list-units --all` "
					     "lists them", u->target);
		if (!boot_units__in_boot(u, target))
			return error__return(-ENODATA, "the unit %s was not started, or not reached, in this boot",
					     u->target);
	}
	return 0;
}

/* The chain always begins with the target, so the unit takes its place. */
static void set_unit(struct boot_units *u, const char *name)
{
	const struct boot_unit *unit;

	if (!u->known || !name)
		return;
	unit = boot_units__find_typed(u, name);
	u->target = unit ? unit->name : name;
}

/* Returns false after a message if the kernel's part cannot be read. */
static bool find_start(struct boot_start *start)
{
	const char *dir = geteuid() ? NULL : tracefs_tracing_dir();
	int err = dir ? boot_start__load(start, dir) : -EPERM;

	if (!dir)
		error__warn("the kernel's initcalls and modules are missing: %s", geteuid() ?
			    "only root can read their events" : "there is no tracefs");
	else if (err == -ENOENT)
		error__warn("the kernel's initcalls and modules are missing: boot with what `hytrace boot next` "
			    "prints");
	if (err == -ENOENT)
		boot_asked__explain(false, true);
	return !err;
}

static int answer(write_fn write, const struct units_options *o)
{
	struct boot_whole w = {};
	struct boot_start start = {}, *known = NULL;
	struct output *output;
	struct guard *guard = NULL;
	int err, failed;

	boot_units__load(&w.units);
	if (write == write_blame && find_start(&start))
		known = &start;
	set_unit(&w.units, o->unit);
	err = check(write, &w, known);
	if (!err)
		err = guard__start(&guard);
	if (!err)
		err = output__open(&output, o->result.output, guard);
	if (!err) {
		write(&w, known, o, output__stream(output));
		err = output__finish(output, 0);
	}
	boot_start__free(&start);
	boot_whole__free(&w);
	failed = guard__finish(guard);
	return err ? err : failed;
}

static int run(const struct argp *argp, write_fn write, int argc, char **argv)
{
	struct units_options o = {};

	if (argp_parse(argp, argc, argv, 0, NULL, &o))
		return EXIT_USAGE;
	return error__status(answer(write, &o), 0);
}

int cmd_boot_blame(int argc, char **argv)
{
	static const struct argp argp = {
		.options = of_blame,
		.parser = parse_blame,
		.doc = "Lists all that took time in this boot, the longest first: the units that systemd has "
		       "started, and the kernel's initcalls and modules. Things that go on at the same time "
		       "count each for itself."
		       "\vExamples:\n"
		       "  hytrace boot blame -n 20\n"
		       "  hytrace boot blame -f json\n\n"
		       "Exit status: 0 done, 1 failed, 2 usage, 3 neither systemd nor the events of initcalls "
		       "are there.",
	};

	return run(&argp, write_blame, argc, argv);
}

int cmd_boot_chain(int argc, char **argv)
{
	static const struct argp argp = {
		.options = of_chain,
		.parser = parse_chain,
		.args_doc = "[UNIT]",
		.doc = "Shows what the default target, or UNIT, had to wait for in this boot: the last unit that "
		       "became active of those it was ordered after, what that unit had to wait for, and so on."
		       "\vExamples:\n"
		       "  hytrace boot critical-chain\n"
		       "  hytrace boot critical-chain ssh.service\n"
		       "  hytrace boot critical-chain -f json\n\n"
		       "Exit status: 0 done, 1 failed, or the boot is not complete yet, 2 usage, 3 there is no "
		       "systemd.",
	};

	return run(&argp, write_chain, argc, argv);
}
