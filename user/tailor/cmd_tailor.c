// SPDX-License-Identifier: GPL-2.0-only
/* hytrace tailor: a smaller configuration of the kernel, without the options of unused code. */
#include <argp.h>

#include "base/error.h"
#include "base/files.h"
#include "base/program.h"
#include "document/coverage.h"
#include "run/output.h"
#include "tailor/commands.h"
#include "tailor/report.h"

#define MOST_LISTS 64

enum { KEY_CONFIG = 256, KEY_BUILD, KEY_KEEP, KEY_ALL, KEY_LOSSY, KEY_REPORT };

static const struct argp_option options[] = {
	{ "build", KEY_BUILD, "DIR", 0, "the directory in which the traced kernel was built, with its .config", 0 },
	{ "config", KEY_CONFIG, "FILE", 0, "the configuration of the traced kernel, to be sure that it is "
	  "DIR/.config", 0 },
	OPTION_VMLINUX("the traced kernel, with debug information; default: DIR/vmlinux"),
	OPTION_RUNS,
	{ "keep", KEY_KEEP, "LIST", 0, "options that stay in any case: hardening, machine, policy, or a file "
	  "with a glob and a reason in each line; may be repeated. Without such a word, the three lists count, "
	  "and a file comes on top. none: none of the three", 0 },
	{ "all", KEY_ALL, NULL, 0, "options that own no object, or of which nothing can be seen, may go as well", 0 },
	{ "lossy", KEY_LOSSY, NULL, 0, "go on although a recording lacks something", 0 },
	{ "output", 'o', "FILE", 0, "write the new configuration to FILE", 0 },
	{ "report", KEY_REPORT, "FILE", 0, "write the report to FILE, not to standard output", 0 },
	OPTION_FORMAT("of the report: text (default), json, or html, a page for a browser; without -f, the "
		      "ending of the report's FILE selects it"),
	{ }
};

enum tailor_format { TAILOR_TEXT, TAILOR_JSON, TAILOR_HTML };

/* In the order of enum tailor_format. */
static const char *const format_names[] = { "text", "json", "html", NULL };

struct tailor_options {
	const char *build, *config, *output;
	const char *keeps[MOST_LISTS];
	size_t keep_count;
	struct result_options result;
	bool all, lossy;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct tailor_options *o = state->input;

	switch (key) {
	case KEY_BUILD:
		o->build = arg;
		break;
	case KEY_CONFIG:
		o->config = arg;
		break;
	case KEY_KEEP:
		if (o->keep_count == MOST_LISTS)
			argp_error(state, "--keep: at most %d lists", MOST_LISTS);
		o->keeps[o->keep_count++] = arg;
		break;
	case KEY_ALL:
		o->all = true;
		break;
	case KEY_LOSSY:
		o->lossy = true;
		break;
	case KEY_REPORT:
		return result_options__parse(&o->result, 'o', arg, state);
	case 'o':
		o->output = arg;
		break;
	case ARGP_KEY_END:
		if (!o->build)
			argp_error(state, "--build DIR is missing: Kbuild and Kconfig are asked there");
		if (!o->output)
			argp_error(state, "-o FILE is missing: the new configuration goes there");
		break;
	default:
		return result_options__parse(&o->result, key, arg, state);
	}
	return 0;
}

/* ---- checks of the arguments */

static bool has_modules(const struct coverage *c)
{
	for (size_t i = 0; i < c->hits.count; i++) {
		if (c->hits.list[i].module)
			return true;
	}
	return c->modules.count;
}

/* Lost calls of modules' init text do not matter if modules are named: a named module counts as used. */
static bool matters(const struct coverage *c, const char *counter)
{
	const struct loss *loss = losses__find(counter);

	if (!strcmp(counter, "module_init_functions") || !strcmp(counter, "module_init_callers"))
		return !has_modules(c);
	return loss && loss->meaning == LOSS_MISSING;
}

static int check_losses(const struct coverage *c, const char *path)
{
	for (size_t i = 0; i < c->lost.count; i++) {
		const struct counter *lost = &c->lost.list[i];

		if (lost->value && matters(c, lost->name))
			return error__return(-EINVAL, "%s: lacks something (%s %llu), so what is not in it may "
					     "have run: record it again, or go on with --lossy", path, lost->name,
					     (unsigned long long)lost->value);
	}
	if (c->filter.allow.count || c->filter.deny.count)
		return error__return(-EINVAL, "%s: has only some of the functions (-a, -d), so other functions may "
				     "have run: record all, or go on with --lossy", path);
	if (c->scope.kind != SCOPE_BOOT && c->scope.kind != SCOPE_SYSTEM)
		return error__return(-EINVAL, "%s: has only some of the tasks, and no interrupts, so other code "
				     "may have run: record all, or go on with --lossy", path);
	return 0;
}

/* Without its link-time address, an address cannot be found in an object. */
static int check_places(const struct coverage *c, const char *path)
{
	for (size_t i = 0; i < c->hits.count; i++) {
		if (!c->hits.list[i].module && !c->hits.list[i].link)
			return error__return(-EINVAL, "%s: has no addresses as linked, because the offset of "
					     "KASLR was not known: record it again with --vmlinux", path);
	}
	return 0;
}

static int check_documents(const struct documents *d, bool lossy)
{
	bool boot = false;
	int err = 0;

	for (size_t i = 0; !err && i < d->count; i++) {
		boot |= d->list[i]->scope.kind == SCOPE_BOOT;
		if (!d->list[i]->how.callers)
			error__warn("%s: has no callers, so less can be seen to run", d->paths[i]);
		err = check_places(d->list[i], d->paths[i]);
		if (!err && !lossy)
			err = check_losses(d->list[i], d->paths[i]);
	}
	if (!err && !boot && !lossy)
		err = error__return(-EINVAL, "none of the recordings is of a boot (hytrace cover --boot), so "
				    "what only the boot runs would go: record one, or go on with --lossy");
	return err;
}

static int check_config(const char *given, const char *built)
{
	autofree char *a = NULL, *b = NULL;
	int err = config__read(given, &a) ?: config__read(built, &b);

	if (!err && strcmp(config__skip_head(a), config__skip_head(b)))
		err = error__return(-EINVAL, "%s: is another configuration than %s, by which the kernel was built",
				    given, built);
	return err;
}

/* A kernel with IKCONFIG says by which configuration it was built. */
static int check_recorded(const struct documents *d, const char *built)
{
	autofree char *config = kernel_id__config_of(built);
	int err = 0;

	for (size_t i = 0; config && !err && i < d->count; i++) {
		const char *recorded = d->list[i]->kernel.config;

		if (recorded && strcmp(recorded, config))
			err = error__return(-EINVAL, "%s: was recorded on a kernel of another configuration than %s",
					    d->paths[i], built);
	}
	return err;
}

/* ---- the work */

struct work {
	struct documents documents;
	struct kbuild build;
	struct kconfig kconfig;
	struct images images;
	struct owners owners;
	struct evidence evidence;
	struct keeps keeps;
	struct selection selection;
	char *config, *vmlinux;
};

static int find_files(struct work *w, const struct tailor_options *o)
{
	w->config = path__join(o->build, ".config");
	w->vmlinux = o->result.vmlinux ? NULL : path__join(o->build, "vmlinux");
	if (!o->result.vmlinux && access(w->vmlinux, R_OK))
		return error__return(-EINVAL, "%s: cannot be read: %s; give --vmlinux, the traced kernel with debug "
				     "information", w->vmlinux, strerror(errno));
	return (o->config ? check_config(o->config, w->config) : 0) ?: check_recorded(&w->documents, w->config);
}

static int open_images(struct work *w, const struct tailor_options *o)
{
	int err;

	progress__say("reading the kernel's files");
	err = images__open(&w->images, w->documents.list, w->documents.count, o->result.vmlinux ?: w->vmlinux);
	progress__end();
	if (!err && !image__dwarf(w->images.list[0].image))
		err = error__return(-EINVAL, "%s: has no debug information, by which an address is found in an object",
				    o->result.vmlinux ?: w->vmlinux);
	return err;
}

/* All built-in lists are used, unless some of them, or "none", are named. Lists in files are added to them. */
static int add_keeps(struct keeps *keeps, const struct tailor_options *o)
{
	bool named = false;
	int err = 0;

	for (size_t i = 0; i < o->keep_count; i++)
		named |= !strcmp(o->keeps[i], "none") || keeps__is_built_in(o->keeps[i]);
	if (!named)
		err = keeps__add_all(keeps);
	for (size_t i = 0; !err && i < o->keep_count; i++)
		err = strcmp(o->keeps[i], "none") ? keeps__add(keeps, o->keeps[i]) : 0;
	return err;
}

/* Checks what needs no questions to Kbuild and Kconfig, so that a wrong argument fails early. */
static int prepare(struct work *w, const struct tailor_options *o)
{
	return documents__read(&w->documents, o->result.arguments, o->result.count, &o->result) ?:
	       check_documents(&w->documents, o->lossy) ?:
	       add_keeps(&w->keeps, o) ?:
	       find_files(w, o);
}

static int analyse(struct work *w, const struct tailor_options *o)
{
	return open_images(w, o) ?:
	       kbuild__open(&w->build, o->build) ?:
	       kconfig__open(&w->kconfig, &w->build, w->config) ?:
	       owners__find(&w->owners, &w->build) ?:
	       evidence__collect(&w->evidence, &w->documents, &w->images, &w->owners, &w->build, o->lossy) ?:
	       selection__make(&w->selection, &w->kconfig, &w->evidence, &w->keeps, o->all);
}

/* Both files are opened before the work begins, so that a wrong name fails at once. */
struct results {
	struct output *config, *report;
};

static bool is_same(const char *a, const char *b)
{
	autofree char *one = realpath(a, NULL), *other = b ? realpath(b, NULL) : NULL;

	return one && other && !strcmp(one, other);
}

static int open_results(struct results *r, const struct work *w, const struct tailor_options *o)
{
	int err;

	if (is_same(w->config, o->output) || is_same(w->config, o->result.output))
		return error__return(-EINVAL, "%s: is the configuration of the build, which must stay as it is: "
				     "write another file", w->config);
	if (!strcmp(o->output, o->result.output ?: "-") || is_same(o->output, o->result.output))
		return error__return(-EINVAL, "the configuration and the report cannot both go to %s: give "
				     "another --report FILE", o->output);
	for (size_t i = 0; i < o->result.count; i++) {
		const char *path = o->result.arguments[i];

		if (is_same(path, o->output) || is_same(path, o->result.output))
			return error__return(-EINVAL, "%s: is a recording that is read: write another file", path);
	}
	err = output__open(&r->config, o->output, NULL);
	if (err)
		return err;
	err = output__open(&r->report, o->result.output, NULL);
	if (err)
		output__discard(r->config);
	return err;
}

static int write_results(struct results *r, const struct work *w, const struct tailor_options *o, int err)
{
	const struct tailored t = {
		.config = o->config ?: w->config, .build = &w->build, .documents = &w->documents, .owners = &w->owners,
		.evidence = &w->evidence, .selection = &w->selection, .lossy = o->lossy,
	};

	if (!err && o->result.format == TAILOR_JSON)
		tailored__write_json(&t, output__stream(r->report));
	else if (!err && o->result.format == TAILOR_HTML)
		err = tailored__write_html(&t, output__stream(r->report));
	else if (!err)
		tailored__print(&t, output__stream(r->report));
	if (!err)
		fputs(w->selection.config, output__stream(r->config));
	err = output__finish(r->report, err);
	return output__finish(r->config, err);
}

static void work__free(struct work *w)
{
	selection__free(&w->selection);
	evidence__free(&w->evidence);
	owners__free(&w->owners);
	kconfig__close(&w->kconfig);
	images__free(&w->images);
	kbuild__close(&w->build);
	keeps__free(&w->keeps);
	documents__free(&w->documents);
	free(w->config);
	free(w->vmlinux);
}

int cmd_tailor(int argc, char **argv)
{
	static const struct argp argp = {
		.options = options,
		.parser = parse,
		.args_doc = "--build DIR -o NEW.config FILE...",
		.doc = "Makes a smaller configuration of the kernel that was traced: without options of which "
		       "nothing ran, or only code that is freed after the boot, in the recordings of `hytrace "
		       "cover -f json`. One of them has to be of the boot. Reports what goes, and why the rest "
		       "stays.\vExamples:\n"
		       "  hytrace tailor --build linux -o new.config boot.json run.json\n"
		       "  hytrace tailor --build linux --keep my.keep -o new.config *.json\n\n"
		       "Exit status: 0 done, 1 failed, 2 usage, or bad files.",
	};
	struct tailor_options o = { .result.formats = format_names, .result.least = 1 };
	struct results r = {};
	struct work w = {};
	int err;

	if (argp_parse(&argp, argc, argv, 0, NULL, &o))
		return EXIT_USAGE;
	child__catch_signals();
	err = prepare(&w, &o) ?: open_results(&r, &w, &o) ?: write_results(&r, &w, &o, analyse(&w, &o));
	work__free(&w);
	child__release_signals();
	return err ? error__status(err, false) : EXIT_DONE;
}
