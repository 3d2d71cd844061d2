// SPDX-License-Identifier: GPL-2.0-only
/*
 * A run of `hytrace event record`: makes the events in a group of their own, records them in an
 * instance of its own, and prints them as they come, or a histogram at the end.
 *
 * The order of the steps makes wrong arguments harmless: open the output, make the events, set
 * everything up while tracing is off, turn it on, and release the command. Then turn tracing off,
 * print the remaining events, and count the losses. The watchdog removes the instance first, and
 * then the events, which are not used any more.
 *
 * record__run() at the end calls the steps, with the functions just above it. Only these know the
 * whole run; each step gets only what it needs.
 *
 * hytrace itself is not recorded. To print an event it reads and writes, which are typical events,
 * so each event would cause another one.
 */
#include <tracefs.h>

#include "base/error.h"
#include "base/files.h"
#include "base/json.h"
#include "base/memory.h"
#include "event/function_events.h"
#include "event/hist.h"
#include "event/json.h"
#include "event/pipes.h"
#include "event/record.h"
#include "kernel/features.h"
#include "run/guard.h"
#include "run/instance.h"
#include "run/output.h"
#include "run/process.h"
#include "run/workload.h"

/* In milliseconds: how often events are read if there are few. */
#define POLL_MS 100

/* The formats of records. */
struct formats {
	struct tep_handle *tep;
	struct tep_event **list;	/* [i]: the format of the event of prototype i */
};

struct record {
	const struct record_options *options;
	const struct prototypes *protos;	/* the prototypes of the options, in a group of their own */
	struct guard *guard;
	struct instance *instance;
	struct output *output;
	struct formats formats;		/* for json and histograms */
	struct kernel kernel;		/* its lists, for json */
	int pipe;			/* for text; -1: none */
	json_writer_t *json;		/* NULL: text */
	struct raw_events *raw;		/* for json */
	struct workload workload;
	struct counters lost;
};

/* ---- before recording begins */

static int write_event_file(struct instance *instance, const struct prototype *p,
			    const char *file, const char *text)
{
	autofree char *path = function_event__path(p, file);

	return instance__write(instance, path, text);
}

static int make_events(struct prototypes *protos, struct guard *guard)
{
	char group[64];

	snprintf(group, sizeof(group), GROUP_PREFIX "%s", run__id());
	prototypes__privatize(protos, group);
	return function_events__add_guarded(protos, guard);
}

static int load_formats(struct formats *f, const struct prototypes *protos)
{
	int err = 0;

	/* libtraceevent prints warnings about print formats, which are not used here. */
	tep_set_loglevel(TEP_LOG_NONE);
	f->tep = tep_alloc();
	if (!f->tep)
		memory__fail();
	f->list = xcalloc(protos->count, sizeof(*f->list));
	for (size_t i = 0; !err && i < protos->count; i++)
		err = function_event__format(&protos->list[i], f->tep, &f->list[i]);
	return err;
}

static int list_fields(const char *hist, struct tep_event *const *formats, size_t count)
{
	const char *separator = "";
	autofree char *text = NULL;
	size_t size;
	FILE *f = xopen_memstream(&text, &size);

	for (size_t i = 0; i < count; i++) {
		struct tep_format_field *field = formats[i]->format.fields;

		for (; field; field = field->next) {
			if (!field_has_bit(field))
				continue;
			fprintf(f, "%s%s", separator, field->name);
			separator = ", ";
		}
	}
	xclose_memstream(f);
	error__print("--hist %s: no event has a field of this name that is a number; there are: %s", hist, text);
	return -EINVAL;
}

static int check_hist(const char *hist, struct tep_event *const *formats, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (event_hist__has(formats[i], hist))
			return 0;
	}
	return list_fields(hist, formats, count);
}

/* ---- recording */

/* Enables all events of our own group by one write, so that the kernel goes over its functions only once. */
static int enable_events(struct instance *instance, const struct prototypes *protos)
{
	const char *own = NULL;
	autofree char *path = NULL;
	int err = 0;

	for (size_t i = 0; !err && i < protos->count; i++) {
		if (protos->list[i].own)
			own = protos->list[i].group;
		else
			err = write_event_file(instance, &protos->list[i], "enable", "1");
	}
	if (err || !own)
		return err;
	path = xasprintf("events/%s/enable", own);
	return instance__write(instance, path, "1");
}

/* @state: as for event_hist__triggers() */
static int write_hist(struct instance *instance, const struct prototype *p,
		      struct tep_event *format, const char *field, const char *state)
{
	char *triggers[2];
	int err = 0;

	if (event_hist__triggers(format, field, state, triggers))
		return 0;
	for (int i = 0; !err && i < 2; i++)
		err = write_event_file(instance, p, "trigger", triggers[i]);
	free(triggers[0]);
	free(triggers[1]);
	return err;
}

/* tracing_on does not stop triggers from counting, so they are paused and continued. */
static int write_hists(struct record *r, const char *state)
{
	const char *field = r->options->hist;
	int err = 0;

	for (size_t i = 0; !err && field && i < r->protos->count; i++)
		err = write_hist(r->instance, &r->protos->list[i], r->formats.list[i], field,
				 state);
	return err;
}

/* Records only the command and its children, or all processes except this one. */
static int choose_tasks(struct instance *instance, bool task, pid_t command)
{
	int pidfd = process__open_own(task ? command : getpid()), err = 0;

	if (pidfd < 0)
		return pidfd;
	if (task)
		err = instance__write(instance, "options/event-fork", "1");
	if (!err)
		err = instance__write_threads(instance, task ? "set_event_pid" :
					      "set_event_notrace_pid", pidfd);
	close(pidfd);
	return err;
}

static const char *event_name(const struct prototypes *protos, const struct formats *formats,
			      const struct tep_event *event, char *room, size_t size)
{
	for (size_t i = 0; i < protos->count; i++) {
		if (formats->list[i] == event && protos->list[i].own)
			return event->name;
	}
	snprintf(room, size, "%s/%s", event->system, event->name);
	return room;
}

static int take_record(const struct tep_record *record, void *context)
{
	const struct record *r = context;
	struct tep_handle *tep = r->formats.tep;
	struct tep_record *data = (struct tep_record *)record;
	struct tep_event *event = tep_find_event(tep, tep_data_type(tep, data));
	int pid = tep_data_pid(tep, data);
	const char *comm = NULL;
	char name[512];

	/* Skip markers: no other event was enabled, but any user can write a marker into any instance. */
	if (!event)
		return 0;
	if (!pid || tep_is_pid_registered(tep, pid))
		comm = tep_data_comm_from_pid(tep, pid);
	event_json__write(r->json, record, event, event_name(r->protos, &r->formats, event, name, sizeof(name)), comm,
			  &r->kernel);
	jsonw_end_line(r->json);
	return 0;
}

/* Only the kernel knows the names of tasks that have ended. It keeps those of the last recorded tasks. */
static void read_task_names(struct tep_handle *tep)
{
	autofree char *text = tracefs_instance_file_read(NULL, "saved_cmdlines", NULL);
	char *rest = text, *line;

	while (text && (line = strsep(&rest, "\n"))) {
		char *comm = strchr(line, ' ');

		if (comm)
			tep_override_comm(tep, comm + 1, atoi(line));
	}
}

static int read_events(struct record *r, bool last, bool *ret_more)
{
	int err = 0;

	*ret_more = false;
	if (r->raw) {
		read_task_names(r->formats.tep);
		err = raw_events__read(r->raw, last, take_record, r, ret_more);
	} else if (r->pipe >= 0) {
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

/* ---- after recording */

/* Reads the histogram of one event. */
static int read_hist(struct instance *instance, const struct prototype *p, struct event_hist *h)
{
	autofree char *path = function_event__path(p, "hist"), *text = instance__read(instance, path);
	int err = 0;

	memset(h, 0, sizeof(*h));
	if (!text)
		err = error__return(-EIO, "%s: %s", path, strerror(errno));
	else if (event_hist__read(h, text))
		err = error__return(-EIO, "%s: hytrace cannot read it", path);
	return err;
}

static void print_hist(struct record *r, const struct event_hist *h, const char *name)
{
	FILE *out = output__stream(r->output);

	if (r->json) {
		event_hist__write_json(h, name, r->options->hist, r->json);
		jsonw_end_line(r->json);
		return;
	}
	if (ftello(out))
		fputc('\n', out);
	event_hist__print(h, name, r->options->hist, out);
}

static int print_hists(struct record *r, uint64_t *ret_dropped)
{
	int err = 0;

	for (size_t i = 0; !err && i < r->protos->count; i++) {
		struct tep_event *format = r->formats.list[i];
		struct event_hist h;
		char room[512];

		if (!event_hist__has(format, r->options->hist))
			continue;
		err = read_hist(r->instance, &r->protos->list[i], &h);
		if (!err)
			print_hist(r, &h, event_name(r->protos, &r->formats, format, room, sizeof(room)));
		*ret_dropped += h.dropped;
	}
	return err;
}

/* ---- losses */

enum loss { LOST_OVERRUN, LOST_MISSED, LOST_HIST, LOST_KINDS };

static const struct {
	const char *name, *meaning;
} losses[LOST_KINDS] = {
	[LOST_OVERRUN] = { "overrun", "events that came faster than they could be printed; record "
			   "fewer functions, or use --task or --hist" },
	[LOST_MISSED] = { "missed", "calls without an event: they were made in the midst of tracing, "
			  "or too many returns were awaited at once" },
	[LOST_HIST] = { "hist_dropped", "values for which the histogram had no room" },
};

/* The sum of all losses in the ring buffer's stats of a CPU. */
static uint64_t lost_of(const char *stats)
{
	static const char *const names[] = { "overrun", "commit overrun", "dropped events" };
	uint64_t sum = 0;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *value = text__value(stats, names[i]);

		sum += value ? strtoull(value, NULL, 10) : 0;
	}
	return sum;
}

static uint64_t count_overruns(struct instance *instance)
{
	long cpus = sysconf(_SC_NPROCESSORS_CONF);
	uint64_t sum = 0;

	for (long cpu = 0; cpu < cpus; cpu++) {
		char path[64], *stats;

		snprintf(path, sizeof(path), "per_cpu/cpu%ld/stats", cpu);
		stats = instance__read(instance, path);
		sum += lost_of(stats);
		free(stats);
	}
	return sum;
}

static uint64_t count_missed(const struct prototypes *protos)
{
	uint64_t sum = 0, one;

	for (size_t i = 0; i < protos->count; i++) {
		if (function_event__number(&protos->list[i], "missed", &one))
			sum += one;
	}
	return sum;
}

static void count_losses(struct counters *ret, struct instance *instance, const struct prototypes *protos,
			 uint64_t hist_dropped)
{
	const uint64_t values[LOST_KINDS] = {
		[LOST_OVERRUN] = count_overruns(instance),
		[LOST_MISSED] = count_missed(protos),
		[LOST_HIST] = hist_dropped,
	};

	for (int i = 0; i < LOST_KINDS; i++)
		counters__add(ret, losses[i].name, values[i]);
}

/* Prints the losses on stderr, one in a line, with their meanings. */
static void print_losses(const struct counters *counted)
{
	for (int i = 0; i < LOST_KINDS; i++) {
		uint64_t value = counters__get(counted, losses[i].name);

		if (value)
			error__print("lost: %s %" PRIu64 ": %s", losses[i].name, value,
				     losses[i].meaning);
	}
}

/* ---- the steps of a run */

static int open_output(struct output **ret, const struct record_options *o, struct guard *guard)
{
	/* A histogram is written at the end, and events as they come. */
	return o->hist ? output__open(ret, o->result.output, guard) :
	       output__open_growing(ret, o->result.output, guard);
}

static int prepare(struct record *r, struct record_options *o)
{
	bool json = o->result.format == RESULT_JSON;
	int err = workload__find(&r->workload) ?:
		  features__require(FEATURE_EVENT, NULL) ?:
		  guard__start(&r->guard) ?:
		  open_output(&r->output, o, r->guard);

	if (!err && json)
		r->json = jsonw_new(output__stream(r->output), false);
	err = err ?: instance__create(&r->instance, r->guard) ?:
		     make_events(&o->protos, r->guard);
	if (!err && (json || o->hist))
		err = load_formats(&r->formats, &o->protos);
	if (!err && o->hist)
		err = check_hist(o->hist, r->formats.list, o->protos.count);
	if (!err && json && !o->hist)
		err = kernel__load(&r->kernel, KERNEL_LISTS, NULL);
	return err;
}

/* Sets up the histograms, or enables the events, while tracing is off. */
static int attach(struct record *r)
{
	int err = 0;

	if (r->options->hist)
		return write_hists(r, "pause");
	if (r->json)
		err = raw_events__open(&r->raw, r->instance, r->formats.tep);
	else
		r->pipe = trace_pipe__open(r->instance);
	if (!r->json && r->pipe < 0)
		err = r->pipe;
	return err ?: enable_events(r->instance, r->protos);
}

static int set_up(struct record *r)
{
	return instance__gate(r->instance, false) ?:
	       workload__begin(&r->workload) ?:
	       workload__fork(&r->workload) ?:
	       choose_tasks(r->instance, r->options->task, r->workload.pid) ?:
	       attach(r) ?:
	       instance__gate(r->instance, true) ?:
	       write_hists(r, "continue");
}

static int trace(struct record *r)
{
	struct limits limits = { .duration = r->options->duration, .process = -1, .wakes = -1 };
	int err = workload__check(&r->workload) ?: workload__release(&r->workload), paused, closed;

	if (err)
		return err;
	err = workload__wait_for_end(&r->workload, &limits, poll_events, r);
	paused = write_hists(r, "pause");
	closed = instance__gate(r->instance, false);
	workload__ended(&r->workload);
	return err ?: paused ?: closed ?: read_rest(r);
}

static int report(struct record *r)
{
	uint64_t hist_dropped = 0;
	int err = r->options->hist ? print_hists(r, &hist_dropped) : 0;

	count_losses(&r->lost, r->instance, r->protos, hist_dropped);
	print_losses(&r->lost);
	if (err)
		return err;
	if (r->json) {
		jsonw_start_object(r->json);
		json__counters(r->json, "lost", &r->lost);
		jsonw_end_object(r->json);
		jsonw_end_line(r->json);
	}
	err = output__commit(r->output);
	r->output = NULL;
	return err;
}

static void cleanup(struct record *r)
{
	workload__abandon(&r->workload);
	if (r->pipe >= 0)
		close(r->pipe);
	raw_events__close(r->raw);
	instance__close(r->instance);
	output__discard(r->output);
	free(r->json);
	kernel__free(&r->kernel);
	counters__free(&r->lost);
	free(r->formats.list);
	if (r->formats.tep)
		tep_free(r->formats.tep);
}

int record__run(struct record_options *o)
{
	struct record r = { .options = o, .protos = &o->protos, .pipe = -1 };
	int err;

	workload__init(&r.workload, o->command, false);
	err = prepare(&r, o) ?: set_up(&r) ?: trace(&r) ?: report(&r);
	cleanup(&r);
	return workload__finish(&r.workload, r.guard, err);
}
