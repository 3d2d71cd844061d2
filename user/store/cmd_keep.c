// SPDX-License-Identifier: GPL-2.0-only
/*
 * hytrace keep: puts recordings into a store.
 *
 * Reading a document takes far more time than keeping it. So threads read ahead, one for each CPU, and the
 * first thread keeps what they have read, in the order of the command line. No more documents are in
 * memory than threads and as many again.
 */
#include <argp.h>
#include <pthread.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/program.h"
#include "document/coverage_json.h"
#include "store/commands.h"
#include "store/store.h"

#define MOST_THREADS 16

/* Also options of `hytrace cover`, so they differ from the keys there. */
enum { KEY_UNIVERSE = 256, KEY_TEST = 640, KEY_COMMIT, KEY_THIN };

static const struct argp_option note_options[] = {
	{ "test", KEY_TEST, "NAME", 0, "the runs are of this test", 0 },
	{ "commit", KEY_COMMIT, "ID", 0, "what was tested is of this commit", 0 },
	{ "thin", KEY_THIN, NULL, 0, "keep which functions and call sites ran, but not when, where and "
	  "by which task", 0 },
	{ }
};

static error_t parse_note(int key, char *arg, struct argp_state *state)
{
	struct store_note *note = state->input;

	switch (key) {
	case KEY_TEST:
		note->test = arg;
		break;
	case KEY_COMMIT:
		note->revision = arg;
		break;
	case KEY_THIN:
		note->thin = true;
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

const struct argp store_note__argp = { .options = note_options, .parser = parse_note };

static const struct argp_option options[] = {
	{ "universe", KEY_UNIVERSE, "FILE", 0, "the functions of the kernel, by `hytrace functions -f json`; "
	  "default: the cached list, if a report has made one", 0 },
	{ }
};

struct keep_options {
	const char *store, *universe;
	const char *const *paths;
	size_t count;
	struct store_note note;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct keep_options *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &o->note;
		break;
	case KEY_UNIVERSE:
		o->universe = arg;
		break;
	case ARGP_KEY_ARGS:
		o->store = state->argv[state->next];
		o->paths = (const char *const *)state->argv + state->next + 1;
		o->count = state->argc - state->next - 1;
		break;
	case ARGP_KEY_END:
		if (!o->count)
			argp_usage(state);
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

struct job {
	bool is_read;
	int err;
	struct coverage c;
	struct store_hash hash;
};

struct reading {
	const struct keep_options *o;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	size_t next, kept;	/* the next documents to be read, and to be kept */
	struct job *jobs;	/* a ring of @ahead */
	size_t ahead;
};

static void read_job(struct job *job, const char *path)
{
	struct text t;

	job->err = document__read_text(&t, document__open(path), path);
	if (job->err)
		return;
	job->hash = store__hash(&t);
	job->err = coverage__read_text(&job->c, &t, path);
	free(t.bytes);
}

static void *read_ahead(void *data)
{
	struct reading *r = data;

	pthread_mutex_lock(&r->lock);
	while (r->next < r->o->count) {
		struct job *job = &r->jobs[r->next % r->ahead];
		const char *path = r->o->paths[r->next];

		if (r->next >= r->kept + r->ahead) {
			pthread_cond_wait(&r->changed, &r->lock);
			continue;
		}
		r->next++;
		pthread_mutex_unlock(&r->lock);
		read_job(job, path);
		pthread_mutex_lock(&r->lock);
		job->is_read = true;
		pthread_cond_broadcast(&r->changed);
	}
	pthread_mutex_unlock(&r->lock);
	return NULL;
}

static struct job *wait_for(struct reading *r)
{
	struct job *job = &r->jobs[r->kept % r->ahead];

	pthread_mutex_lock(&r->lock);
	while (!job->is_read)
		pthread_cond_wait(&r->changed, &r->lock);
	pthread_mutex_unlock(&r->lock);
	return job;
}

static void end_job(struct reading *r, struct job *job)
{
	if (!job->err)
		coverage__free(&job->c);
	pthread_mutex_lock(&r->lock);
	*job = (struct job){};
	r->kept++;
	pthread_cond_broadcast(&r->changed);
	pthread_mutex_unlock(&r->lock);
}

static int keep_job(struct store *s, const struct job *job, struct store_note *note, bool find)
{
	bool is_new = false;
	int err;

	note->hash = job->hash;
	err = store__keep(s, &job->c, note, &is_new);
	return err || !is_new || !find ? err : store__find_functions(s, &job->c.kernel);
}

static int add_universe(struct store *s, const char *path)
{
	struct universe u;
	int err = path ? universe__read_json(&u, path) : 0;

	if (err || !path)
		return err;
	err = store__add_functions(s, &u);
	universe__free(&u);
	return err;
}

/*
 * A document that makes no sense is named, and left out. If the store fails, no further one is kept, and the function
 * list is not added either.
 */
static int keep_all(struct store *s, const struct keep_options *o, struct reading *r)
{
	struct store_note note = o->note;
	int err = 0, failed = 0;

	for (size_t i = 0; i < o->count; i++) {
		struct job *job = wait_for(r);

		note.document = o->paths[i];
		failed = failed ?: job->err;
		if (!err && !job->err) {
			err = keep_job(s, job, &note, !o->universe);
			if (err)
				error__print("%s: is not kept%s", o->paths[i],
					     err == -EFBIG ? "" : ", nor is any file after it");
			if (err == -EFBIG) {
				failed = failed ?: -EINVAL;
				err = 0;
			}
		}
		end_job(r, job);
	}
	return err ?: add_universe(s, o->universe) ?: failed;
}

static int read_and_keep(struct store *s, const struct keep_options *o)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	size_t count = cpus < 1 ? 1 : cpus > MOST_THREADS ? MOST_THREADS : cpus, started = 0;
	pthread_t threads[MOST_THREADS];
	struct reading r = {
		.o = o, .lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER, .ahead = 2 * count,
		.jobs = xcalloc(2 * count, sizeof(*r.jobs)),
	};
	int err;

	while (started < count && !pthread_create(&threads[started], NULL, read_ahead, &r))
		started++;
	err = started ? keep_all(s, o, &r) : error__return(-EAGAIN, "no thread can be started: %s", strerror(EAGAIN));
	while (started)
		pthread_join(threads[--started], NULL);
	free(r.jobs);
	return err;
}

int cmd_keep(int argc, char **argv)
{
	static const struct argp_child children[] = { { .argp = &store_note__argp }, { } };
	static const struct argp argp = {
		.options = options,
		.parser = parse,
		.children = children,
		.args_doc = "STORE FILE...",
		.doc = "Puts recordings of `hytrace cover -f json` into a store, one file for any number "
		       "of runs. A recording that is there already is not kept again."
		       "\vExamples:\n"
		       "  hytrace keep runs.db --test boot boot.json\n"
		       "  hytrace keep runs.db night/*.json.zst && hytrace report 'runs.db?since=7d'\n\n"
		       "Exit status: 0 done, 1 failed, 2 usage, or a FILE that is no recording: the "
		       "other FILEs are kept.",
	};
	struct keep_options o = {};
	struct store *s;
	int err;

	if (argp_parse(&argp, argc, argv, 0, NULL, &o))
		return EXIT_USAGE;
	err = store__open(&s, o.store, STORE_CREATE);
	if (err)
		return error__status(err, false);
	err = read_and_keep(s, &o);
	store__close(s);
	return error__status(err, false);
}
