// SPDX-License-Identifier: GPL-2.0-only
/* Names, opens and writes the results of a run; see outputs.h. */
#include <sys/stat.h>
#include <time.h>

#include "base/error.h"
#include "base/memory.h"
#include "cover/outputs.h"
#include "document/coverage_json.h"
#include "kernel/features.h"
#include "report/compare.h"
#include "report/merge.h"
#include "report/report.h"
#include "run/output.h"
#include "store/store.h"

/* How many names are listed for each reason of a difference. The recordings have all. */
#define LISTED 20

struct one {
	struct output *output;
	enum cover_format format;
	size_t engine;
	char *path;
	struct coverage *before;	/* --append: the old contents of the file; NULL: none */
	struct stat found;		/* the file's state when @before was read, or when this run wrote it */
};

struct outputs {
	const struct cover_options *options;
	struct one *list;
	size_t count;
};

char *outputs__engine_path(const char *path, const char *engine)
{
	const char *base = strrchr(path, '/'), *dot;

	base = base ? base + 1 : path;
	dot = strrchr(base, '.');
	if (!dot || dot == base)
		dot = base + strlen(base);
	return xasprintf("%.*s.%s%s", (int)(dot - path), path, engine, dot);
}

static enum cover_format format_of(const struct cover_options *o, const char *path)
{
	int guess = result_options__guess(&o->result, path);

	/* -f can only select one format, so with several results their names decide. */
	return guess < 0 || (o->result.format_given && o->output_count < 2) ? o->result.format : guess;
}

static bool is_same_file(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
	       a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

/* Reads the current contents of the file, if another run has changed it since. */
static int read_before(struct one *one)
{
	int fd = output__open_old(one->output), err;
	struct coverage *before;
	struct stat st;

	if (fd == -ENOENT)
		return 0;
	if (fd < 0)
		return error__return(-EINVAL, "--append: %s: cannot be read: %s", one->path, strerror(-fd));
	if (fstat(fd, &st) || !st.st_size || is_same_file(&st, &one->found)) {
		close(fd);
		return 0;
	}
	before = xcalloc(1, sizeof(*before));
	err = coverage__read_json_open(before, fd, one->path);
	if (err) {
		free(before);
		return err;
	}
	if (one->before)
		coverage__free(one->before);
	free(one->before);
	one->before = before;
	one->found = st;
	return 0;
}

/* Checks before the run whether its result can be merged with the recording in the file. */
static int try_to_join(struct one *one, const struct coverage *plan)
{
	const struct coverage *both[] = { plan, NULL };
	const char *const names[] = { "this run", one->path };
	struct coverage joined = {};
	int err;

	if (one->format != FORMAT_JSON)
		return error__return(-EINVAL, "--append: %s: only json recordings can be added to", one->path);
	err = read_before(one);
	if (err || !one->before)
		return err;
	both[1] = one->before;
	err = merge__run(&joined, both, 2, names);
	if (!err)
		coverage__free(&joined);
	return err;
}

static int open_one(struct outputs *outputs, const struct cover_options *o, const char *path,
		    const struct engines *engines, size_t engine, const struct coverage *plan,
		    struct guard *guard)
{
	struct one *one = &outputs->list[outputs->count];
	int err;

	one->format = format_of(o, path);
	one->engine = engine;
	if (path && !cover_output__is_stream(path) && engines->count > 1)
		one->path = outputs__engine_path(path, engines->list[engine].ops->name);
	else
		one->path = xstrdup(path);
	err = output__open(&one->output, one->path, guard);
	outputs->count++;
	return err || !o->append ? err : try_to_join(one, plan);
}

/* Looks before the run whether it can be kept. The store is open only as long as it has to be. */
static int try_store(const char *path)
{
	struct store *s;
	int err = path ? store__open(&s, path, STORE_CREATE) : 0;

	if (!err && path)
		store__close(s);
	return err;
}

int outputs__open(struct outputs **ret, const struct cover_options *o, const struct engines *engines,
		  const struct kernel_id *kernel, const struct coverage *plan, struct guard *guard)
{
	struct outputs *outputs = xcalloc(1, sizeof(*outputs));
	size_t paths = o->output_count + cover_options__print(o);
	int err = try_store(o->keep);

	outputs->options = o;
	outputs->list = xcalloc(paths * engines->count, sizeof(*outputs->list));
	for (size_t i = 0; !err && i < paths; i++) {
		for (size_t engine = 0; !err && engine < engines->count; engine++)
			err = open_one(outputs, o, o->output_count ? o->outputs[i] : NULL, engines,
				       engine, plan, guard);
	}
	for (size_t i = 0; !err && i < outputs->count; i++) {
		if (outputs->list[i].format == FORMAT_TAILOR && !kernel->offset_known)
			err = features__refuse(FEATURE_LINKED, "--format tailor");
	}
	if (err)
		outputs__free(outputs);
	else
		*ret = outputs;
	return err;
}

static void write_text(const struct coverage *c, const struct universe *u, FILE *stream)
{
	const struct report_form form = {};
	struct rows rows;

	if (!rows__make(&rows, u, &c, 1)) {
		rows__check(&rows, (const char *const *)&c->engine);
		report__text(&rows, NULL, &form, stream);
	}
	rows__free(&rows);
}

static int write_joined(const struct one *one, const struct coverage *c, FILE *stream)
{
	const struct coverage *const both[] = { one->before, c };
	const char *const names[] = { one->path, "this run" };
	struct coverage joined;
	int err = merge__run(&joined, both, 2, names);

	if (err)
		return err;
	coverage__write_json(&joined, stream);
	coverage__free(&joined);
	return 0;
}

/* @u: NULL: there is none, and a message has said why */
static int write_one(const struct one *one, const struct coverage *c, const struct universe *u)
{
	FILE *stream = output__stream(one->output);

	if (one->format == FORMAT_JSON && one->before)
		return write_joined(one, c, stream);
	if (one->format == FORMAT_JSON)
		coverage__write_json(c, stream);
	else if (one->format == FORMAT_TAILOR)
		report__tailor(&c->hits, stream);
	else if (u)
		write_text(c, u, stream);
	else
		return -ENODATA;
	return 0;
}

static int print_comparison(const struct coverage *a, const struct coverage *b)
{
	struct comparison cmp;

	compare__run(&cmp, a, b, HIT_FUNCTION);
	compare__print(&cmp, a->engine, b->engine, LISTED, stdout);
	compare__free(&cmp);
	return fflush(stdout) ? error__return(-EIO, "standard output: %s", strerror(errno)) : 0;
}

/*
 * Writes a result that cannot be put where it belongs to a file of its own beside @beside, so that it is not lost.
 * Returns the path; NULL after a message.
 */
static char *keep_apart(const char *beside, const struct coverage *c)
{
	struct output *output;
	char *path = NULL;
	struct stat st;
	int err;

	for (unsigned int i = 1; !path; i++) {
		char word[16];

		snprintf(word, sizeof(word), i > 1 ? "new%u" : "new", i);
		path = outputs__engine_path(beside, word);
		/* A dangling link has the name, too. */
		if (lstat(path, &st))
			break;
		free(path);
		path = NULL;
	}
	err = output__open(&output, path, NULL);
	if (!err) {
		coverage__write_json(c, output__stream(output));
		err = output__commit(output);
	}
	if (!err)
		return path;
	free(path);
	return NULL;
}

static void leave_as_it_is(const struct one *one, const struct coverage *c)
{
	char *path = keep_apart(one->path, c);

	if (path)
		error__print("--append: %s stays as it is; the result of this run is in %s", one->path, path);
	free(path);
}

/* Writes the result so far. After that, the file's contents are this run's, and must not be merged again. */
static int put_so_far(struct one *one, const struct coverage *c, const struct universe *u)
{
	int err = write_one(one, c, u), fd;

	if (err) {
		rewind(output__stream(one->output));
		return err;
	}
	err = output__checkpoint(one->output);
	fd = err ? -1 : output__open_old(one->output);
	if (fd >= 0) {
		fstat(fd, &one->found);
		close(fd);
	}
	return err;
}

static int put(struct one *one, const struct coverage *c, const struct universe *u)
{
	int err = write_one(one, c, u);

	if (err)
		output__discard(one->output);
	else
		err = output__commit(one->output);
	one->output = NULL;
	return err;
}

/* Returns a descriptor that holds the lock, or a negative errno after a message. */
static int lock(const struct one *one)
{
	int fd = output__lock(one->output);

	if (fd == -EAGAIN)
		return error__return(fd, "--append: %s: another process holds the lock of its directory", one->path);
	if (fd < 0)
		return error__return(fd, "--append: %s: its directory cannot be locked: %s", one->path, strerror(-fd));
	return fd;
}

static int put_one(const struct outputs *outputs, struct one *one, const struct coverage *c, const struct universe *u,
		   bool so_far)
{
	bool append = outputs->options->append;
	int locked = append ? lock(one) : 0;
	int err = locked < 0 ? locked : append ? read_before(one) : 0;

	if (!err) {
		err = so_far ? put_so_far(one, c, u) : put(one, c, u);
	} else if (!so_far) {
		output__discard(one->output);
		one->output = NULL;
	}
	if (err && append && !so_far)
		leave_as_it_is(one, c);
	if (locked > 0)
		close(locked);
	return err;
}

static bool is_due(const struct one *one, bool text, bool so_far)
{
	return (one->format == FORMAT_TEXT) == text && (!so_far || output__can_checkpoint(one->output));
}

/*
 * Only the shares in text need a function list, and finding it may take long. So all other formats come first. If
 * an output fails, the next ones are still written. @ret_count: the number of outputs that were written or failed
 */
static int put_all(struct outputs *outputs, const struct coverage *const *coverages, size_t count,
		   const struct kernel *kernel, bool so_far, size_t *ret_count)
{
	const struct universe_source source = { .vmlinux = outputs->options->result.vmlinux, .running = kernel };
	bool is_known = false, is_looked_for = false;
	struct universe u = {};
	int err = 0;

	*ret_count = 0;
	for (int text = 0; text < 2; text++) {
		for (size_t i = 0; i < outputs->count; i++) {
			struct one *one = &outputs->list[i];
			int failed;

			if (!is_due(one, text, so_far))
				continue;
			if (text && !is_looked_for)
				is_known = !universe__find_for(&u, coverages, count, &source);
			is_looked_for |= text;
			failed = put_one(outputs, one, coverages[one->engine], is_known ? &u : NULL, so_far);
			err = err ? err : failed;
			++*ret_count;
		}
	}
	universe__free(&u);
	return err;
}

/* ---- --keep */

/* What reports call the run: "make 2026-11-28T19:22:20Z". */
static char *name_of_run(const struct coverage *c, const struct store_note *note, const char *engine)
{
	const char *word = note->test ?: c->command ? c->command[0] : c->scope.kind == SCOPE_BOOT ? "boot" : c->engine;
	const char *slash = note->test ? NULL : strrchr(word, '/');
	time_t seconds = c->started / 1000000000;
	char text[32];
	struct tm tm;

	strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&seconds, &tm));
	return xasprintf("%s%s%s %s", slash ? slash + 1 : word, engine ? " " : "", engine ?: "", text);
}

static int keep(struct store *s, struct store_note *note, const struct coverage *c, const char *engine)
{
	autofree char *name = name_of_run(c, note, engine);
	bool is_new;
	int err;

	note->document = name;
	err = store__keep(s, c, note, &is_new);
	/* The run is kept by then. A failure has a message. */
	if (!err)
		store__find_functions(s, &c->kernel);
	return err;
}

/* Has the hash of the json file, so that a later `hytrace keep` of that file finds the run there. */
static int keep_one(struct store *s, const struct cover_options *o, const struct coverage *c, const char *engine)
{
	struct store_note note = o->note;
	struct text t = {};
	FILE *out = xopen_memstream(&t.bytes, &t.length);
	int err;

	coverage__write_json(c, out);
	xclose_memstream(out);
	note.hash = store__hash(&t);
	err = keep(s, &note, c, engine);
	free(t.bytes);
	return err;
}

/* A run that took a day must not be lost because a disk is full. */
static void keep_later(const struct cover_options *o, const struct coverage *c)
{
	const char *slash = strrchr(o->keep, '/');
	char *beside = xasprintf("%s.json", o->keep), *path;
	char *elsewhere = xasprintf("/var/tmp/%s.json", slash ? slash + 1 : o->keep);

	path = keep_apart(beside, c) ?: keep_apart(elsewhere, c);
	if (path)
		error__print("--keep: %s does not have this run, which is in %s: when there is room, keep it by "
			     "`hytrace keep %s %s`%s", o->keep, path, o->keep, path,
			     o->note.test || o->note.revision || o->note.thin ?
			     " with the same --test, --commit and --thin" : "");
	else
		error__print("--keep: %s does not have this run, nor could it be written beside it or to /var/tmp",
			     o->keep);
	free(path);
	free(elsewhere);
	free(beside);
}

int outputs__keep(struct store *s, const struct cover_options *o, const struct store_note *note,
		  const struct coverage *c)
{
	struct cover_options own = *o;
	int err;

	own.note = *note;
	err = keep(s, &own.note, c, NULL);
	if (err)
		keep_later(&own, c);
	return err;
}

static int keep_all(const struct cover_options *o, const struct coverage *const *coverages, size_t count)
{
	struct store *s = NULL;
	int opened = o->keep ? store__open(&s, o->keep, STORE_CREATE) : 0, err = opened;

	for (size_t i = 0; o->keep && i < count; i++) {
		int failed = opened ?: keep_one(s, o, coverages[i], count > 1 ? coverages[i]->engine : NULL);

		if (failed)
			keep_later(o, coverages[i]);
		err = err ?: failed;
	}
	store__close(s);
	return err;
}

int outputs__write(struct outputs *outputs, const struct coverage *const *coverages, size_t count,
		   const struct kernel *kernel)
{
	size_t written;
	int err = put_all(outputs, coverages, count, kernel, false, &written);
	int kept = keep_all(outputs->options, coverages, count);

	err = err ?: kept;
	return err || count < 2 ? err : print_comparison(coverages[0], coverages[1]);
}

void outputs__write_so_far(struct outputs *outputs, const struct coverage *const *coverages,
			   const struct kernel *kernel)
{
	size_t written;

	put_all(outputs, coverages, 1, kernel, true, &written);
	if (!written)
		error__warn("SIGUSR1: the result is written once, at the end; give -o FILE to have it before");
}

void outputs__free(struct outputs *outputs)
{
	if (!outputs)
		return;
	for (size_t i = 0; i < outputs->count; i++) {
		struct one *one = &outputs->list[i];

		output__discard(one->output);
		if (one->before)
			coverage__free(one->before);
		free(one->before);
		free(one->path);
	}
	free(outputs->list);
	free(outputs);
}
