// SPDX-License-Identifier: GPL-2.0-only
/*
 * A run of `hytrace event record`: makes the events, in a group of their own, has them recorded in an
 * instance of its own, and prints them as they come, or a histogram at the end.
 *
 * In this order, so that bad input costs nothing: open the output, make the events, set everything up
 * with the gate closed, open it, let the command go; then close, print the rest, count what was lost.
 * The watchdog removes the instance first, and then the events, which nobody uses any more by then.
 *
 * What hytrace does itself is not recorded: to print an event it reads and writes, which is what events
 * are often made of, and one would bring the next.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <tracefs.h>
#include <unistd.h>

#include "base/error.h"
#include "base/json.h"
#include "base/privileges.h"
#include "event/function_events.h"
#include "event/hist.h"
#include "event/json.h"
#include "event/raw_events.h"
#include "event/record.h"
#include "event/trace_pipe.h"
#include "run/child.h"
#include "run/guard.h"
#include "run/instance.h"
#include "run/leftovers.h"
#include "run/output.h"
#include "run/process.h"
#include "run/waiting.h"

/* How often events are read while they come slowly. */
#define POLL_MS 100

enum loss { LOST_OVERRUN, LOST_MISSED, LOST_HIST, LOST_KINDS };

struct record {
	struct record_options *options;
	struct guard *guard;
	struct instance *instance;
	struct output *output;
	struct address_names names;	/* for json */
	struct tep_handle *tep;		/* formats, for json and histograms */
	struct tep_event **formats;	/* of each prototype */
	struct trace_pipe *pipe;	/* for text */
	struct raw_events *raw;		/* for json */
	struct child child;
	struct waiting waiting;
	uint64_t lost[LOST_KINDS];
};

static const struct {
	const char *name, *meaning;
} losses[LOST_KINDS] = {
	[LOST_OVERRUN] = { "overrun", "events that came faster than they could be printed; record "
			   "fewer functions, or with --task, or a --hist" },
	[LOST_MISSED] = { "missed", "calls of which no event could be made: in the midst of tracing, "
			  "or of returns, too many at once" },
	[LOST_HIST] = { "hist_dropped", "values that the histogram had no room for" },
};

/* ---- before anything is recorded */

static char *events_path(const struct prototype *p, const char *file)
{
	char *path;

	return asprintf(&path, "events/%s/%s/%s", p->group, p->name, file) < 0 ? NULL : path;
}

static int write_event_file(struct record *r, const struct prototype *p, const char *file,
			    const char *text)
{
	char *path = events_path(p, file);
	int err;

	if (!path)
		return error__no_memory();
	err = instance__write(r->instance, path, text);
	free(path);
	return err;
}

static int make_events(struct record *r)
{
	char group[64];
	int err;

	snprintf(group, sizeof(group), GROUP_PREFIX "%s", run__id());
	err = prototypes__privatize(&r->options->protos, group);
	if (!err)
		err = function_events__add_guarded(&r->options->protos, r->guard);
	return err;
}

static int load_formats(struct record *r)
{
	const struct prototypes *protos = &r->options->protos;
	int err = 0;

	/* Whatever libtraceevent has to say of print formats: they are not used. */
	tep_set_loglevel(TEP_LOG_NONE);
	r->tep = tep_alloc();
	r->formats = calloc(protos->count, sizeof(*r->formats));
	if (!r->tep || !r->formats)
		return error__no_memory();
	for (size_t i = 0; !err && i < protos->count; i++)
		err = function_event__format(&protos->list[i], r->tep, &r->formats[i]);
	return err;
}

static int list_fields(struct record *r)
{
	const char *separator = "";
	char *text = NULL;
	size_t size;
	FILE *f;

	f = open_memstream(&text, &size);
	if (!f)
		return error__no_memory();
	for (size_t i = 0; i < r->options->protos.count; i++) {
		struct tep_format_field *field = r->formats[i]->format.fields;

		for (; field; field = field->next) {
			if (!field_has_bit(field))
				continue;
			fprintf(f, "%s%s", separator, field->name);
			separator = ", ";
		}
	}
	fclose(f);
	error__print("--hist %s: no event has a field of this name that is a number; there are: %s",
		     r->options->hist, text ? text : "");
	free(text);
	return -EINVAL;
}

static bool has_hist(struct record *r, size_t event)
{
	return event_hist__has(r->formats[event], r->options->hist);
}

static int check_hist(struct record *r)
{
	for (size_t i = 0; r->options->hist && i < r->options->protos.count; i++) {
		if (has_hist(r, i))
			return 0;
	}
	return r->options->hist ? list_fields(r) : 0;
}

static int prepare(struct record *r)
{
	const struct record_options *o = r->options;
	int err;

	err = privileges__check();
	if (!err)
		err = function_events__available(false);
	if (!err)
		err = guard__start(&r->guard);
	if (!err)
		err = o->hist ? output__open(&r->output, o->output, r->guard) :
				output__open_growing(&r->output, o->output);
	if (!err)
		err = instance__create(&r->instance, r->guard);
	if (!err)
		err = make_events(r);
	if (!err && (o->json || o->hist))
		err = load_formats(r);
	if (!err)
		err = check_hist(r);
	if (!err && o->json && !o->hist)
		err = symbols__load(&r->names.symbols);
	if (!err && r->names.symbols)
		err = traceable__load(&r->names.traceable, r->names.symbols);
	return err;
}

/* ---- recording */

/* All of our own group at once: one pass over the functions for all of them. */
static int enable_events(struct record *r)
{
	const struct prototypes *protos = &r->options->protos;
	const char *own = NULL;
	char *path;
	int err = 0;

	for (size_t i = 0; !err && i < protos->count; i++) {
		if (protos->list[i].own)
			own = protos->list[i].group;
		else
			err = write_event_file(r, &protos->list[i], "enable", "1");
	}
	if (err || !own)
		return err;
	if (asprintf(&path, "events/%s/enable", own) < 0)
		return error__no_memory();
	err = instance__write(r->instance, path, "1");
	free(path);
	return err;
}

/* @state: as of event_hist__triggers(). */
static int write_hist(struct record *r, size_t event, const char *state)
{
	const struct prototype *p = &r->options->protos.list[event];
	char *triggers[2];
	int err;

	if (!has_hist(r, event))
		return 0;
	err = event_hist__triggers(r->formats[event], r->options->hist, state,
				   triggers);
	if (err)
		return err;
	for (int i = 0; !err && i < 2; i++)
		err = write_event_file(r, p, "trigger", triggers[i]);
	free(triggers[0]);
	free(triggers[1]);
	return err;
}

/* Triggers count whether or not the instance records: they have to be opened and closed themselves. */
static int write_hists(struct record *r, const char *state)
{
	int err = 0;

	for (size_t i = 0; !err && r->options->hist && i < r->options->protos.count; i++)
		err = write_hist(r, i, state);
	return err;
}

static int start(struct record *r)
{
	const struct record_options *o = r->options;
	int err;

	if (o->hist)
		return write_hists(r, "pause");
	err = o->json ? raw_events__open(&r->raw, r->instance, r->tep) :
			trace_pipe__open(&r->pipe, r->instance);
	return err ? err : enable_events(r);
}

/* Only the command and what it starts, or everybody but us. */
static int choose_tasks(struct record *r)
{
	const struct record_options *o = r->options;
	int pidfd = process__open_own(o->task ? r->child.pid : getpid()), err = 0;

	if (pidfd < 0)
		return pidfd;
	if (o->task)
		err = instance__write(r->instance, "options/event-fork", "1");
	if (!err)
		err = instance__write_threads(r->instance, o->task ? "set_event_pid" :
					      "set_event_notrace_pid", pidfd);
	close(pidfd);
	return err;
}

static const char *event_name(struct record *r, const struct tep_event *event, char *room,
			      size_t size)
{
	for (size_t i = 0; i < r->options->protos.count; i++) {
		if (r->formats[i] == event && r->options->protos.list[i].own)
			return event->name;
	}
	snprintf(room, size, "%s/%s", event->system, event->name);
	return room;
}

static int print_json(struct record *r, struct json_object *object)
{
	FILE *out = output__stream(r->output);

	if (!object)
		return error__no_memory();
	fputs(json_line(object), out);
	fputc('\n', out);
	json_object_put(object);
	return 0;
}

static int take_record(const struct tep_record *record, void *context)
{
	struct record *r = context;
	struct tep_record *data = (struct tep_record *)record;
	struct tep_event *event = tep_find_event(r->tep, tep_data_type(r->tep, data));
	int pid = tep_data_pid(r->tep, data);
	const char *comm = NULL;
	char name[512];

	/* Nothing else was enabled; but a marker can be written into any instance. */
	if (!event)
		return 0;
	if (!pid || tep_is_pid_registered(r->tep, pid))
		comm = tep_data_comm_from_pid(r->tep, pid);
	return print_json(r, event_json__new(record, event, event_name(r, event, name, sizeof(name)),
					     comm, &r->names));
}

/* The kernel keeps the names of the last tasks that it has recorded something of. */
static void read_task_names(struct record *r)
{
	char *text = tracefs_instance_file_read(NULL, "saved_cmdlines", NULL), *rest = text, *line;

	while (text && (line = strsep(&rest, "\n"))) {
		char *comm = strchr(line, ' ');

		if (comm)
			tep_override_comm(r->tep, comm + 1, atoi(line));
	}
	free(text);
}

static int read_events(struct record *r, bool last, bool *ret_more)
{
	int err = 0;

	*ret_more = false;
	if (r->raw) {
		read_task_names(r);
		err = raw_events__read(r->raw, last, take_record, r, ret_more);
	} else if (r->pipe) {
		err = trace_pipe__read(r->pipe, output__stream(r->output), ret_more);
	}
	return err ? err : output__flush(r->output);
}

static int poll_events(void *context)
{
	bool more;
	int err = read_events(context, false, &more);

	if (err)
		return err;
	return more ? 0 : POLL_MS;
}

static int read_rest(struct record *r)
{
	bool more = true;
	int err = 0;

	while (!err && more)
		err = read_events(r, true, &more);
	return err;
}

static int set_up(struct record *r)
{
	const struct record_options *o = r->options;
	int err;

	err = instance__gate(r->instance, false);
	if (!err)
		err = waiting__begin(&r->waiting, &r->child);
	if (!err && o->command)
		err = child__fork(&r->child, o->command, &r->waiting.old_mask);
	if (!err)
		err = choose_tasks(r);
	if (!err)
		err = start(r);
	if (!err)
		err = instance__gate(r->instance, true);
	if (!err)
		err = write_hists(r, "continue");
	return err;
}

/* @ret_status: of a command that could not be executed. */
static int trace(struct record *r, int *ret_status)
{
	struct limits limits = { .duration = r->options->duration, .process = -1 };
	int err, failed;

	err = set_up(r);
	if (err)
		return err;
	if (r->child.pid)
		*ret_status = child__release(&r->child, r->options->command[0]);
	if (!*ret_status)
		err = waiting__for_end(&r->waiting, &limits, poll_events, r);
	failed = write_hists(r, "pause");
	err = err ? err : failed;
	failed = instance__gate(r->instance, false);
	err = err ? err : failed;
	return err ? err : read_rest(r);
}

/* ---- after it */

/* The histogram of one event. */
static int read_hist(struct record *r, size_t event, struct event_hist *h)
{
	const struct prototype *p = &r->options->protos.list[event];
	char *path = events_path(p, "hist"), *text = NULL;
	int err = 0;

	memset(h, 0, sizeof(*h));
	if (path)
		text = instance__read(r->instance, path);
	if (!text)
		err = error__return(-EIO, "%s: %s", path ? path : "hist", strerror(errno));
	else if (event_hist__read(h, text))
		err = error__return(-EIO, "%s: hytrace cannot read it", path);
	free(path);
	free(text);
	return err;
}

static int print_hist(struct record *r, size_t event, const struct event_hist *h)
{
	FILE *out = output__stream(r->output);
	const char *field = r->options->hist, *name;
	char room[512];

	name = event_name(r, r->formats[event], room, sizeof(room));
	if (r->options->json)
		return print_json(r, event_hist__json(h, name, field));
	if (ftello(out))
		fputc('\n', out);
	return event_hist__print(h, name, field, out);
}

static int print_hists(struct record *r)
{
	int err = 0;

	for (size_t i = 0; !err && i < r->options->protos.count; i++) {
		struct event_hist h;

		if (!has_hist(r, i))
			continue;
		err = read_hist(r, i, &h);
		if (!err)
			err = print_hist(r, i, &h);
		r->lost[LOST_HIST] += h.dropped;
	}
	return err;
}

/* All that a CPU's stats count as lost. */
static uint64_t lost_of(const char *stats)
{
	static const char *const names[] = { "\noverrun: ", "\ncommit overrun: ",
					     "\ndropped events: " };
	uint64_t sum = 0;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *at = strstr(stats, names[i]);

		if (at)
			sum += strtoull(at + strlen(names[i]), NULL, 10);
	}
	return sum;
}

static void count_overruns(struct record *r)
{
	long cpus = sysconf(_SC_NPROCESSORS_CONF);

	for (long cpu = 0; cpu < cpus; cpu++) {
		char path[64], *stats;

		snprintf(path, sizeof(path), "per_cpu/cpu%ld/stats", cpu);
		stats = instance__read(r->instance, path);
		if (stats)
			r->lost[LOST_OVERRUN] += lost_of(stats);
		free(stats);
	}
}

static void count_missed(struct record *r)
{
	uint64_t one;

	for (size_t i = 0; i < r->options->protos.count; i++) {
		if (function_event__number(&r->options->protos.list[i], "missed", &one))
			r->lost[LOST_MISSED] += one;
	}
}

static int print_lost(struct record *r)
{
	struct json_object *object = json_object_new_object(), *counts = json_object_new_object();

	if (!object || !counts || !json_add(object, "lost", counts)) {
		json_object_put(object);
		return error__no_memory();
	}
	for (int i = 0; i < LOST_KINDS; i++)
		json_add(counts, losses[i].name, json_object_new_uint64(r->lost[i]));
	return print_json(r, object);
}

static int report(struct record *r)
{
	int err = 0;

	if (r->options->hist)
		err = print_hists(r);
	count_overruns(r);
	count_missed(r);
	for (int i = 0; i < LOST_KINDS; i++) {
		if (r->lost[i])
			error__print("lost: %s %" PRIu64 ": %s", losses[i].name, r->lost[i],
				     losses[i].meaning);
	}
	if (!err && r->options->json)
		err = print_lost(r);
	if (err)
		return err;
	err = output__commit(r->output);
	r->output = NULL;
	return err;
}

static void cleanup(struct record *r)
{
	child__abandon(&r->child);
	trace_pipe__close(r->pipe);
	raw_events__close(r->raw);
	instance__close(r->instance);
	output__discard(r->output);
	traceable__free(r->names.traceable);
	symbols__free(r->names.symbols);
	free(r->formats);
	if (r->tep)
		tep_free(r->tep);
}

static int record(struct record *r, int *ret_status)
{
	int err;

	err = trace(r, ret_status);
	if (*ret_status)
		return err;
	if (!err)
		err = report(r);
	return err;
}

int record__run(struct record_options *o)
{
	struct record r = { .options = o, .waiting.signals = -1 };
	int err, failed, status = 0;

	err = prepare(&r);
	if (!err)
		err = record(&r, &status);
	cleanup(&r);
	failed = guard__finish(r.guard);
	if (!err)
		err = failed;
	/* Only then: no function is to stay traced while the command goes on. */
	if (r.child.released && !status) {
		waiting__for_child(&r.waiting);
		status = child__exit_status(&r.child);
	}
	waiting__end(&r.waiting);
	return err ? error__status(err, o->command != NULL) : status;
}
