// SPDX-License-Identifier: GPL-2.0-only
/*
 * The oneshot tracer as an engine. The kernel keeps the set, in the run's own instance. This file
 * turns the tracer on and off, and reads the set. The engine has no state but the request.
 */
#include <fcntl.h>
#include <tracefs.h>

#include "base/error.h"
#include "base/files.h"
#include "base/memory.h"
#include "cover/engines.h"
#include "document/coverage.h"
#include "kernel/hits.h"
#include "run/process.h"

/*
 * From this many names on, it is faster to write numbers of functions, and to check that the kernel
 * has understood them.
 */
#define MANY_NAMES 16

static const char *oneshot__refuse(const struct cover_options *o)
{
	const char *limit = scope__limit(&o->scope);
	static char why[128];

	/* With two engines, --pin is for the BPF engine. */
	if (o->how.pin && o->engine != ENGINE_BOTH)
		return "--pin is for the BPF recorders: oneshot has nothing to pin";
	if (o->how.entry && o->engine != ENGINE_BOTH)
		return "--entry is for --engine bpf";
	if (!limit)
		return NULL;
	snprintf(why, sizeof(why), "%s is for the BPF recorders: give --engine bpf or event", limit);
	return why;
}

/* The maximum of oneshot_size. */
#define ONESHOT_MAX_SIZE	(1UL << 20)

struct words {
	char **list;
	size_t count;
};

/* Adds all functions of that name, as indices in ftrace's list. */
static void words__add_numbers(struct words *words, const struct traceable *t, const char *name)
{
	const struct traceable_function *const *list;
	size_t count;

	list = traceable__named(t, name, &count);
	for (size_t i = 0; i < count; i++)
		*LIST_ADD(words->list, words->count) = xasprintf("%zu", list[i]->number);
}

static void words__free(struct words *words)
{
	for (size_t i = 0; i < words->count; i++)
		free(words->list[i]);
	free(words->list);
}

/*
 * Numbers are indices in the list as it was read. If a module was loaded or removed since, the
 * indices have changed.
 */
static int check_numbers(struct instance *instance, const char *file, const struct globs *globs,
			 const struct traceable *t)
{
	char *text = instance__read(instance, file), *rest = text, *line;
	const struct filter filter = { .allow = *globs };
	size_t expected = 0, found = 0;
	bool same = text;

	for (size_t i = 0; i < traceable__count(t); i++) {
		const struct traceable_function *f = traceable__at(t, i);

		expected += filter__judge(&filter, f->name, f->module) == FILTER_TRACED;
	}
	while (same && (line = strsep(&rest, "\n"))) {
		char *module = strchr(line, '[');

		if (!*line)
			continue;
		if (module) {
			module++;
			module[strcspn(module, "]")] = '\0';
		}
		line[strcspn(line, " ")] = '\0';
		same = filter__judge(&filter, line, module) == FILTER_TRACED;
		found++;
	}
	free(text);
	if (same && found == expected)
		return 0;
	return error__return(-EAGAIN, "%s: the kernel's list of functions has changed: a module was "
			     "loaded or removed meanwhile; try again", file);
}

/*
 * tracefs_function_filter() takes one glob at a time, reads the list of functions for each, and
 * does not check whether the numbers that it writes still mean the same functions.
 *
 * set_ftrace_filter takes one glob in a line, and compares it with the names of all functions.
 * Lists may have thousands of names. The file also takes numbers, which need no comparison.
 */
static int write_globs(struct instance *instance, const char *file, const struct globs *globs,
		       const struct traceable *t)
{
	bool numbers = globs->count - globs->patterns >= MANY_NAMES;
	struct words words = {};
	int err = 0;

	for (size_t i = 0; i < globs->count; i++) {
		if (numbers && glob__is_name(&globs->list[i]))
			words__add_numbers(&words, t, globs->list[i].function);
		else
			*LIST_ADD(words.list, words.count) = xstrdup(globs->list[i].text);
	}
	if (words.count) {
		*LIST_ADD(words.list, words.count) = NULL;
		err = instance__write_list(instance, file, words.list);
	}
	if (!err && numbers)
		err = check_numbers(instance, file, globs, t);
	words__free(&words);
	return err;
}

/* The names that hytrace excludes need not exist, but the kernel refuses a name that does not exist. */
static int write_own(struct instance *instance, const struct request *r)
{
	const struct globs *own = &r->filter->own;
	char **list = xcalloc(own->count + 1, sizeof(*list));
	size_t count = 0;
	int err = 0;

	for (size_t i = 0; i < own->count; i++) {
		if (traceable__has_name(r->kernel->traceable, own->list[i].function))
			list[count++] = own->list[i].text;
	}
	if (count)
		err = instance__write_list(instance, "set_ftrace_notrace", list);
	free(list);
	return err;
}

/*
 * From the kernel's decision to switch to a task until that task runs, calls are those of no pid, and so left out as
 * well: some call sites of the scheduler are in no result. collect tells this.
 */
static int leave_out_own(const struct request *r)
{
	int own = process__open_own(getpid()), err;

	if (own < 0)
		return own;
	err = instance__write_threads(r->instance, "set_ftrace_notrace_pid", own);
	close(own);
	return err;
}

static int oneshot__prepare(void **ret, const struct request *r)
{
	unsigned long entries = r->options->how.max_entries;
	char size[32];
	int err;

	*ret = (void *)r;
	err = instance__gate(r->instance, false) ?:
	      write_globs(r->instance, "set_ftrace_filter", &r->filter->allow, r->kernel->traceable) ?:
	      write_globs(r->instance, "set_ftrace_notrace", &r->filter->deny, r->kernel->traceable) ?:
	      write_own(r->instance, r);
	if (!err && scope__follows(&r->options->scope))
		err = instance__write(r->instance, "options/function-fork", "1");
	else if (!err && r->apart)
		err = leave_out_own(r);
	if (!err && entries) {
		/* This is the file's limit, and there are no more addresses than that. */
		snprintf(size, sizeof(size), "%lu", entries < ONESHOT_MAX_SIZE ? entries : ONESHOT_MAX_SIZE);
		err = instance__write(r->instance, "oneshot_size", size);
	}
	return err;
}

/* Writes the numbers of threads and not of processes, because the kernel's set of pids is for threads. */
static int oneshot__follow(void *engine, int pidfd)
{
	const struct request *r = engine;

	return instance__write_threads(r->instance, "set_ftrace_pid", pidfd);
}

/* Turns known functions off, so that they cost nothing. Only one instance can do this at a time. */
static int oneshot__retire(const struct request *r)
{
	char ms[32];
	int err;

	snprintf(ms, sizeof(ms), "%lu", r->options->how.retire_ms);
	err = features__require(FEATURE_RETIRE, "--retire") ?:
	      instance__write(r->instance, "oneshot_retire_ms", ms) ?:
	      instance__write(r->instance, "options/oneshot-retire", "1");
	if (err == -EBUSY)
		error__print("--retire: only one instance of the oneshot tracer can turn call sites off, and "
			     "another one does; run without it, or with -e bpf");
	return err;
}

static int oneshot__start(void *engine)
{
	const struct request *r = engine;
	int err = instance__write(r->instance, "options/oneshot-parent", r->options->how.callers ? "1" : "0");

	if (!err && r->options->how.retire)
		err = oneshot__retire(r);
	return err ?: instance__write(r->instance, "current_tracer", "oneshot");
}

static int oneshot__gate(void *engine, bool open)
{
	const struct request *r = engine;

	return instance__gate(r->instance, open);
}

static size_t oneshot__count(void *engine)
{
	const struct request *r = engine;
	char *stats = instance__read(r->instance, "oneshot_stats");
	const char *value = text__value(stats, "functions");
	size_t count = value ? strtoull(value, NULL, 10) : 0;

	free(stats);
	return count;
}

static int oneshot__stop(void *engine)
{
	const struct request *r = engine;

	/* The set can still be read afterwards. */
	return instance__write(r->instance, "current_tracer", "nop");
}

/* The files of one set. They keep it, even if the kernel has begun another set since. */
struct set_files {
	char *entries_path, *stats_path;
	FILE *entries, *stats;
};

static void set_files__close(struct set_files *f)
{
	if (f->entries)
		fclose(f->entries);
	if (f->stats)
		fclose(f->stats);
	free(f->entries_path);
	free(f->stats_path);
}

/* @ret: gets the paths, and must be closed even after a failure */
static int set_files__open(struct set_files *ret, char *entries, char *stats)
{
	*ret = (struct set_files){ entries, stats, fopen(entries, "re") };
	if (!ret->entries)
		return error__return(-errno, "%s: %s", entries, strerror(errno));
	ret->stats = fopen(stats, "re");
	return ret->stats ? 0 : error__return(-errno, "%s: %s", stats, strerror(errno));
}

/* "events_lost" does not count: nobody reads this small ring buffer, which an interrupt can fill during a write. */
static const char *loss_of(const char *name)
{
	return strcmp(name, "events_lost") ? losses__name(name) : NULL;
}

static int read_set(struct set_files *f, struct coverage *c, const struct places *places)
{
	uint64_t unnamed;
	int err = oneshot_entries__read(f->entries, f->entries_path, places, &c->hits, &unnamed);

	if (err)
		return err;
	counters__add(&c->lost, "unnamed", unnamed);
	return oneshot_stats__read(f->stats, f->stats_path, loss_of, &c->lost, &c->cost);
}

static int open_own(const struct request *r, struct set_files *ret)
{
	return set_files__open(ret, instance__path(r->instance, "oneshot_entries"),
			       instance__path(r->instance, "oneshot_stats"));
}

static void oneshot__drop(void *engine, void *cut)
{
	set_files__close(cut);
	free(cut);
}

/*
 * The files are opened first, so that they keep the old set. The write does not wait until the last calls of that set
 * have ended, which takes some 100 ms: oneshot__complete() does. A kernel whose write always waits is only slower.
 */
static int oneshot__cut(void *engine, void **ret)
{
	const struct request *r = engine;
	struct set_files *cut = xcalloc(1, sizeof(*cut));
	int err = open_own(r, cut), fd = err ? err : instance__open(r->instance, "oneshot_seen", O_WRONLY | O_NONBLOCK);
	ssize_t written = -1;

	if (fd >= 0) {
		do {
			written = write(fd, "0", 1);
		/* Too many sets are not complete yet. */
		} while (written < 0 && errno == EAGAIN && !fsync(fd));
		if (written < 0)
			err = error__return(-errno, "oneshot_seen: cannot begin a new set: %s", strerror(errno));
		close(fd);
	} else {
		err = fd;
	}
	if (err)
		oneshot__drop(engine, cut);
	else
		*ret = cut;
	return err;
}

static int oneshot__complete(void *engine)
{
	const struct request *r = engine;
	int fd = instance__open(r->instance, "oneshot_seen", O_WRONLY);

	if (fd < 0)
		return fd;
	/* EINVAL: the kernel's write has waited. */
	if (fsync(fd) && errno != EINVAL)
		error__warn("oneshot_seen: cannot wait for the last calls of a set: %s", strerror(errno));
	close(fd);
	return 0;
}

static int oneshot__collect(void *engine, void *cut, struct coverage *c, const struct places *places)
{
	const struct request *r = engine;
	struct set_files own = {};
	int err = cut ? 0 : open_own(r, &own);

	c->follows_modules = !r->filter->allow.count;
	if (r->apart && !scope__follows(&r->options->scope))
		counters__add(&c->lost, "switches_left_out", 1);
	/* A glob in set_ftrace_filter means the functions that exist when it is written. */
	if (!c->follows_modules)
		counters__add(&c->lost, "modules_untraced",
			      filter__new_modules(r->filter, r->kernel->symbols, places->after));
	err = err ?: read_set(cut ?: &own, c, places);
	set_files__close(&own);
	return err;
}

static char *top_path(const char *file)
{
	char *path = tracefs_get_tracing_file(file), *copy = path ? xstrdup(path) : (memory__fail(), NULL);

	tracefs_put_tracing_file(path);
	return copy;
}

bool oneshot__records_boot(void)
{
	char *tracer = tracefs_instance_file_read(NULL, "current_tracer", NULL);
	bool records = tracer && !strcmp(tracer, "oneshot\n") && tracefs_trace_is_on(NULL) > 0;

	free(tracer);
	return records;
}

int oneshot__collect_boot(struct coverage *c, const struct places *places)
{
	struct set_files files;
	int err;

	c->follows_modules = true;
	err = set_files__open(&files, top_path("oneshot_entries"), top_path("oneshot_stats")) ?:
	      read_set(&files, c, places);
	set_files__close(&files);
	if (!err && !c->hits.count)
		err = error__return(-EOPNOTSUPP,
			"oneshot_entries is empty: nothing was recorded since boot; boot with "
			"`ftrace=oneshot` on the kernel's command line");
	/*
	 * At boot, the tracer starts in process 0. A set that was started later begins with another
	 * process.
	 */
	if (!err && c->hits.list[0].pid)
		err = error__return(-EOPNOTSUPP,
			"the set in oneshot_entries does not begin at boot but with process %u: it "
			"was started or cleared since; boot with `ftrace=oneshot` on the kernel's "
			"command line, and read it before that", c->hits.list[0].pid);
	return err;
}

const struct engine_ops engine_oneshot = {
	.name = "oneshot",
	.refuse = oneshot__refuse,
	.needs = FEATURE_COVER_ONESHOT,
	.prepare = oneshot__prepare,
	.follow = oneshot__follow,
	.start = oneshot__start,
	.gate = oneshot__gate,
	.count = oneshot__count,
	.stop = oneshot__stop,
	.collect = oneshot__collect,
	.cut = oneshot__cut,
	.complete = oneshot__complete,
	.drop = oneshot__drop,
	/* Each of them has some 5 MB, and the kernel lets 32 be incomplete. */
	.most_cuts = 16,
};
