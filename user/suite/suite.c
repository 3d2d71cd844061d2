// SPDX-License-Identifier: GPL-2.0-only
/*
 * A session (cover/session.h) whose hits are cut into runs, one for each test.
 *
 * Each cut begins a new set in the kernel. Marks (mark.h) say when. A set begins at the begin of a test, or with the
 * result of the test before it, so a function's first call in a test is in the test's own set, even if it was called
 * before. All that is in the set from its beginning is the test's: if a call of another process, while the cut is
 * made, were in no test, it would hide the test's own call. What comes in a set after the end of its test is known by
 * its time: it belongs to no test. At the end, all that belongs to no test is kept as one more run, "(between tests)".
 * So each call is in one of the runs.
 *
 * A set is read when the last calls that use it have ended. Waiting for that takes the kernel some 100 ms, so several
 * sets wait together, up to most_cuts, or for SETTLED_NS. They are read at the end of a test before that mark is
 * answered: the runner waits meanwhile, if it waits for answers. It may not, so the cut comes before that, and of a
 * runner the engines leave out what this process does, so that the next run has nothing of it; an interrupt that comes
 * meanwhile on the same CPU is left out, too. The runner of a list waits: oneshot has hytrace's calls between tests.
 *
 *	states of a test	begin	 end	 result	 end of the suite
 *	NONE			RUNS	 NONE*	 NONE*	 (between tests)
 *	RUNS			RUNS*	 ENDED	 NONE*	 cut short
 *	ENDED			RUNS	 NONE*	 NONE*	 whole
 *
 * After that, the state is OVER. A star: a test ends at this mark, that of the state or the one that the mark names.
 */
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/epoll.h>

#include "base/error.h"
#include "base/files.h"
#include "base/memory.h"
#include "cover/outputs.h"
#include "cover/session.h"
#include "document/coverage_json.h"
#include "suite/mark.h"
#include "suite/suite.h"

/* After this time, waiting for the last calls of a set is short. */
#define SETTLED_NS 300000000ull
#define BETWEEN "(between tests)"

enum state { NONE, RUNS, ENDED, OVER };

struct part {
	char *name;		/* NULL: no test, all is between tests */
	int status;		/* of the test; MARK_UNKNOWN */
	enum ending ended_by;
	uint64_t began, ended;	/* CLOCK_MONOTONIC */
	void *cut;		/* the engine's; NULL: the present set */
	uint64_t cut_at;
	bool mixed;		/* the set is also that of the test before, because a cut has failed */
};

struct suite {
	const struct suite_options *o;
	struct session session;
	struct running *engine;
	struct marks marks;
	struct lines output_lines;
	int output;		/* the runner's standard output, to read from; -1: it is not followed */
	int output_end;		/* its other side, for the runner */
	int output_err;		/* it could not be passed on */
	int epoll;
	struct store *store;
	char **files;		/* names that are used in the directory */
	size_t file_count;
	struct symbols *after;	/* if modules were loaded or removed */
	enum state state;
	volatile bool runner_ended;
	bool marked;		/* the runner marks its tests: results in its output are theirs */
	struct part now;
	struct part *waiting;	/* sets that were cut off and not yet read */
	size_t waiting_count;
	struct hits between;
	struct counters lost;	/* of all sets */
	size_t tests, incomplete;
	int err;		/* the first error */
};

static void note_error(struct suite *s, int err)
{
	s->err = s->err ?: err;
}

/* ---- results */

/* A name that no other test of this suite has, and that is safe as a file's. */
static const char *file_name(struct suite *s, const char *test)
{
	char *name = xstrdup(test), *unique;

	for (char *c = name; *c; c++) {
		if (!strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._+-", *c) ||
		    (c == name && *c == '.'))
			*c = '_';
	}
	name[strnlen(name, 200)] = '\0';
	unique = xstrdup(name);
	for (unsigned int number = 2; ; number++) {
		size_t i = 0;

		while (i < s->file_count && strcmp(s->files[i], unique))
			i++;
		if (i == s->file_count)
			break;
		free(unique);
		unique = xasprintf("%s-%u", name, number);
	}
	free(name);
	*LIST_ADD(s->files, s->file_count) = unique;
	return unique;
}

static int write_file(struct suite *s, const char *test, const char *text)
{
	autofree char *path = xasprintf("%s/%s.json", s->o->directory, file_name(s, test));
	int err = place__write(path, text);

	return err ? error__return(err, "%s: cannot be written: %s", path, strerror(-err)) : 0;
}

/* The hash of a run's file, so that a later `hytrace keep` of the file finds it; without a file, one of its own. */
static struct store_hash hash_of(const struct coverage *c, const struct text *file, const char *test)
{
	autofree char *words = xasprintf("%s %s %" PRIu64, c->boot_id ?: "", test, c->window.open);

	return file ? store__hash(file) : store__hash(&(struct text){ words, strlen(words) });
}

static void put(struct suite *s, struct coverage *c, const char *test)
{
	struct store_note note = s->o->cover.note;
	struct text text = {};

	note.test = test;
	if (s->o->directory) {
		FILE *out = xopen_memstream(&text.bytes, &text.length);

		coverage__write_json(c, out);
		xclose_memstream(out);
		note_error(s, write_file(s, test, text.bytes));
	}
	if (s->store) {
		note.hash = hash_of(c, text.bytes ? &text : NULL, test);
		note_error(s, outputs__keep(s->store, &s->o->cover, &note, c));
	}
	s->incomplete += !losses__complete(&c->lost);
	if (s->o->cover.strict && !losses__complete(&c->lost))
		note_error(s, error__return(-ENODATA, "--strict: the result of %s is not complete", test));
	free(text.bytes);
}

static void add_lost(struct counters *sum, const struct counters *lost)
{
	for (size_t i = 0; i < lost->count; i++) {
		struct counter *c = counters__find(sum, lost->list[i].name);

		if (c)
			counter__raise(c, lost->list[i].value);
		else
			counters__add(sum, lost->list[i].name, lost->list[i].value);
	}
}

static struct running window_of(const struct suite *s, const struct part *p)
{
	struct running e = *s->engine;

	e.opening = e.open = p->began;
	e.closing = e.closed = p->ended;
	return e;
}

/* @clocks: those of now at the end */
static void read_part(struct suite *s, struct part *p, const struct clocks *clocks)
{
	const struct piece piece = { p->cut, !p->name || p->mixed, &s->between };
	struct running e = window_of(s, p);
	char *command[] = { p->name, NULL };
	struct coverage c = {};
	int err = collect__run(&c, &e, &piece, &s->session.request, s->after, clocks);

	note_error(s, err);
	if (!err)
		add_lost(&s->lost, &c.lost);
	if (!err && !piece.empty) {
		c.ended = p->ended_by;
		c.status = p->status;
		coverage__set_command(&c, command);
		put(s, &c, p->name);
		s->tests++;
	}
	coverage__free(&c);
}

/* Symbols and clocks as they are now. */
static int look(struct suite *s, struct clocks *ret)
{
	struct symbols *after = NULL;
	int err;

	*ret = s->session.clocks;
	if (s->after && symbols__hold(s->after))
		return instance__read_clock(s->session.request.instance, &ret->last);
	err = session__look_again(&s->session, &after, &ret->last);
	symbols__free(s->after);
	s->after = after;
	return err;
}

static void read_waiting(struct suite *s)
{
	const struct engine_ops *ops = s->engine->ops;
	struct clocks clocks;
	int err = ops->complete(s->engine->engine) ?: look(s, &clocks);

	note_error(s, err);
	for (size_t i = 0; i < s->waiting_count; i++) {
		if (!err)
			read_part(s, &s->waiting[i], &clocks);
		ops->drop(s->engine->engine, s->waiting[i].cut);
		free(s->waiting[i].name);
	}
	s->waiting_count = 0;
}

static void read_settled(struct suite *s)
{
	const struct engine_ops *ops = s->engine->ops;

	if (s->waiting_count &&
	    (s->waiting_count >= ops->most_cuts || (ops->crowded && ops->crowded(s->engine->engine)) ||
	     clock__monotonic() - s->waiting[0].cut_at > SETTLED_NS))
		read_waiting(s);
}

/* ---- marks */

/*
 * The present set becomes that of the past test. If there can be no new set, the next test's hits go into this one,
 * which has no second hit of a function: neither test has a run then.
 */
static void cut(struct suite *s)
{
	int err = s->engine->ops->cut(s->engine->engine, &s->now.cut);

	if (err) {
		note_error(s, err);
		error__print("%s and the test after it have no run", s->now.name ?: BETWEEN);
		free(s->now.name);
	} else {
		s->now.cut_at = clock__monotonic();
		*LIST_ADD(s->waiting, s->waiting_count) = s->now;
	}
	s->now = (struct part){ .status = MARK_UNKNOWN, .mixed = err };
}

static void end_test(struct suite *s, uint64_t now, int status, enum ending by)
{
	s->now.ended = now;
	s->now.status = status;
	s->now.ended_by = by;
	s->state = ENDED;
}

static void begin(struct suite *s, const char *name, uint64_t now)
{
	bool follows = s->state == RUNS;

	if (follows)
		end_test(s, now, MARK_UNKNOWN, ENDED_BY_COMMAND);
	cut(s);
	s->now.name = xstrdup(name);
	s->now.began = now;
	s->state = RUNS;
	if (follows)
		read_settled(s);
}

/* The test has begun with the present set, or with nothing of its own if another one is in that set. */
static void result(struct suite *s, const struct mark *m, uint64_t now)
{
	uint64_t began = s->now.began;

	if (s->state == ENDED) {
		cut(s);
		began = now;
	}
	s->now.name = s->now.name ?: xstrdup(m->name);
	s->now.began = began;
	end_test(s, now, m->status, ENDED_BY_COMMAND);
	cut(s);
	s->now.began = now;
	s->state = NONE;
	read_settled(s);
}

static void take(struct suite *s, const struct mark *m)
{
	uint64_t now = clock__monotonic();

	if (s->state == OVER)
		return;
	if (m->kind == MARK_BEGIN) {
		begin(s, m->name, now);
	} else if (m->kind == MARK_END && s->state == RUNS) {
		end_test(s, now, m->status, ENDED_BY_COMMAND);
		read_settled(s);
	} else if (m->kind != MARK_END || s->state == NONE || strcmp(m->name, s->now.name)) {
		/* Of a test that did not say that it begins, after one that did. */
		result(s, m, now);
	}
}

static void take_mark(void *context, char *line)
{
	struct suite *s = context;
	struct mark m;

	mark__parse(&m, line);
	if (m.kind == MARK_NONE)
		return;
	/* A runner that marks its tests may also print their results. */
	s->marked = true;
	take(s, &m);
	marks__answer(&s->marks);
}

static void take_output(void *context, char *line)
{
	struct suite *s = context;
	struct mark m;

	mark__parse_tap(&m, line);
	if (m.kind != MARK_NONE && !s->marked)
		take(s, &m);
}

static void pass_output(void *context, const char *text, size_t length)
{
	struct pollfd out = { .fd = STDOUT_FILENO, .events = POLLOUT };
	struct suite *s = context;

	while (length && !s->output_err) {
		ssize_t written = write(STDOUT_FILENO, text, length);

		if (written < 0 && errno == EAGAIN)
			poll(&out, 1, -1);
		else if (written < 0 && errno != EINTR)
			s->output_err = error__return(-errno, "standard output: %s", strerror(errno));
		text += written > 0 ? written : 0;
		length -= written > 0 ? written : 0;
	}
}

/* The output comes first: who waits for the answer to a mark has printed before the mark all that is there. */
static void hear(struct suite *s)
{
	struct epoll_event event;

	if (s->output >= 0 && !lines__read(&s->output_lines, s->output, take_output, pass_output, s))
		epoll_ctl(s->epoll, EPOLL_CTL_DEL, s->output, &event);
	lines__read(&s->marks.lines, s->marks.fd, take_mark, NULL, s);
}

/* Handles what has come. Called when the epoll descriptor wakes the wait, and in between. */
static int tend(void *context)
{
	struct suite *s = context;

	hear(s);
	return engines__tend(&s->session.engines);
}

/* After the recording, the runner may go on. Its marks are answered, or it would never end; hytrace waits for that. */
static void *hear_rest(void *data)
{
	struct suite *s = data;
	struct pollfd marks = { .fd = s->marks.fd, .events = POLLIN };
	sigset_t all;
	bool ended;

	/* Signals are for the other thread, which passes them on. */
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, NULL);
	do {
		ended = s->runner_ended;
		poll(&marks, 1, ended ? 0 : 20);
		hear(s);
	} while (!ended);
	return NULL;
}

/* ---- the steps */

static int wake_by(struct suite *s, int fd)
{
	struct epoll_event event = { .events = EPOLLIN };

	if (fd >= 0 && epoll_ctl(s->epoll, EPOLL_CTL_ADD, fd, &event))
		return error__return(-errno, "cannot wait for marks: %s", strerror(errno));
	return 0;
}

/* All that can fail before anything is attached. */
static int claim(struct suite *s)
{
	const struct suite_options *o = s->o;
	int ends[2] = { -1, -1 }, err;

	if (o->directory && mkdir(o->directory, 0777) && errno != EEXIST)
		return error__return(-EINVAL, "%s: cannot make the directory: %s", o->directory, strerror(errno));
	err = o->cover.keep ? store__open(&s->store, o->cover.keep, STORE_CREATE) : 0;
	err = err ?: guard__start(&s->session.request.guard) ?: marks__open(&s->marks, s->session.request.guard);
	s->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (!err && o->follow && pipe2(ends, O_CLOEXEC))
		err = error__return(-errno, "cannot make a pipe: %s", strerror(errno));
	s->output = ends[0];
	s->session.workload.output = s->output_end = ends[1];
	if (s->output >= 0)
		fcntl(s->output, F_SETFL, O_NONBLOCK);
	return err ?: wake_by(s, s->marks.fd) ?: wake_by(s, s->output);
}

static int attach(struct suite *s)
{
	int err = session__attach(&s->session);

	if (s->output_end >= 0)
		close(s->output_end);
	s->output_end = -1;
	if (!err)
		err = wake_by(s, engines__wakes(&s->session.engines));
	if (!err)
		engines__leave_out(&s->session.engines, true);
	return err;
}

static int record(struct suite *s)
{
	const struct limits limits = {
		.duration = s->o->cover.how.duration, .process = -1, .wakes = s->epoll,
	};
	int err, ended;

	s->now.began = s->engine->opening;
	err = workload__wait_for_end(&s->session.workload, &limits, tend, s);
	/* What the runner has said at its end. */
	if (!err)
		err = tend(s) < 0 ? -EIO : 0;
	if (s->state == RUNS)
		end_test(s, clock__monotonic(), MARK_UNKNOWN, s->session.workload.ended);
	ended = session__close(&s->session);
	s->state = OVER;
	return err ?: ended;
}

static void put_between(struct suite *s, const struct clocks *clocks)
{
	char *command[] = { BETWEEN, NULL };
	struct coverage c = {};

	collect__hits(&c, s->engine, &s->between, &s->lost, &s->session.request, s->after, clocks);
	c.ended = s->session.workload.ended;
	coverage__set_command(&c, command);
	put(s, &c, BETWEEN);
	coverage__free(&c);
}

static int read_rest(struct suite *s)
{
	struct clocks clocks;
	int err;

	read_waiting(s);
	err = look(s, &clocks);
	if (err)
		return err;
	read_part(s, &s->now, &clocks);
	free(s->now.name);
	put_between(s, &clocks);
	if (!s->tests)
		note_error(s, error__return(-ENODATA, "no test was seen: neither a mark nor a result such as "
					    "`ok 1 NAME` in the runner's output"));
	return 0;
}

int suite__run(const struct suite_options *o)
{
	struct suite s = { .o = o, .output = -1, .output_end = -1, .epoll = -1, .now.status = MARK_UNKNOWN };
	pthread_t thread;
	bool hears;
	int err, status;

	session__init(&s.session, &o->cover);
	s.session.cuts = true;
	s.session.apart = o->follow;
	hits__init(&s.between);
	err = session__look(&s.session);
	s.engine = &s.session.engines.list[0];
	s.marks.fd = s.marks.answer_fd = -1;
	err = err ?: claim(&s) ?: attach(&s) ?: session__open(&s.session);
	/* What was recorded before a failure is kept. */
	if (!err)
		note_error(&s, record(&s));
	hears = s.state == OVER && !pthread_create(&thread, NULL, hear_rest, &s);
	err = err ?: read_rest(&s) ?: s.err;
	store__close(s.store);
	if (!err)
		error__print("%zu tests recorded%s%s%s%s", s.tests, o->directory ? " in " : "", o->directory ?: "",
			     o->cover.keep ? ", kept in " : "", o->cover.keep ?: "");
	if (s.incomplete)
		error__warn("%zu of the runs are not complete: each says what it has lost", s.incomplete);
	status = session__end(&s.session, err);
	s.runner_ended = true;
	if (hears)
		pthread_join(thread, NULL);
	status = s.output_err ? error__status(s.output_err, true) : status;
	marks__close(&s.marks);
	hits__free(&s.between);
	symbols__free(s.after);
	counters__free(&s.lost);
	free(s.waiting);
	for (size_t i = 0; i < s.file_count; i++)
		free(s.files[i]);
	free(s.files);
	if (s.output >= 0)
		close(s.output);
	if (s.epoll >= 0)
		close(s.epoll);
	return status;
}
