// SPDX-License-Identifier: GPL-2.0-only
/* Reads an instance's trace_pipe, or trace_pipe_raw of all CPUs; see pipes.h. */
#include <dirent.h>
#include <fcntl.h>
#include <kbuffer.h>
#include <limits.h>
#include <tracefs.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/sorted.h"
#include "event/pipes.h"

/* ---- text */

/* At most this many bytes are copied before signals and the time are checked. */
#define MOST_BYTES (1024 * 1024)

int trace_pipe__open(struct instance *instance)
{
	return instance__open(instance, "trace_pipe", O_RDONLY | O_NONBLOCK);
}

int trace_pipe__read(int pipe, FILE *out, bool *ret_more)
{
	static char buffer[64 * 1024];
	size_t copied = 0;

	*ret_more = true;
	while (copied < MOST_BYTES) {
		ssize_t got = read(pipe, buffer, sizeof(buffer));

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0 && errno != EAGAIN)
			return error__return(-errno, "trace_pipe: %s", strerror(errno));
		if (got <= 0) {
			*ret_more = false;
			break;
		}
		fwrite(buffer, 1, got, out);
		copied += got;
	}
	return 0;
}

/* ---- records */

/* At most this many pages of each CPU are read before signals and the time are checked. */
#define MOST_PAGES 64

struct cpu {
	int number, fd;
	unsigned long long last;	/* time of the last record that was read */
	bool drained;
};

struct raw_events {
	struct tep_handle *tep;
	struct kbuffer *kbuffer;
	struct cpu *cpus;
	size_t cpu_count;
	void *page;
	size_t page_size;
	struct record_order *order;
	unsigned long long newest;	/* the time of the newest record that was read */
	unsigned long long certain;	/* records that are read later are not older than this */
};

/* ---- sorting by time */

struct record_order {
	struct tep_record *list;	/* data are copies; offset has the order in which the records were read */
	size_t count, room;
	unsigned long long serial;
};

struct record_order *record_order__new(void)
{
	return xcalloc(1, sizeof(struct record_order));
}

int record_order__add(struct record_order *o, const struct tep_record *record)
{
	struct tep_record *r;

	if (o->count == o->room) {
		size_t room = o->room ? 2 * o->room : 1024;

		r = reallocarray(o->list, room, sizeof(*r));
		if (!r)
			return error__no_memory();
		o->list = r;
		o->room = room;
	}
	r = &o->list[o->count];
	*r = *record;
	r->offset = o->serial++;
	r->data = malloc(record->size + 1);
	if (!r->data)
		return error__no_memory();
	memcpy(r->data, record->data, record->size);
	o->count++;
	return 0;
}

static int by_time(const void *a, const void *b)
{
	const struct tep_record *x = a, *y = b;

	return ORDER(x->ts, y->ts) ?: ORDER(x->offset, y->offset);
}

int record_order__give(struct record_order *o, unsigned long long until, raw_event_take take,
		       void *context)
{
	size_t given = 0;
	int err = 0;

	qsort(o->list, o->count, sizeof(*o->list), by_time);
	while (!err && given < o->count && o->list[given].ts <= until) {
		err = take(&o->list[given], context);
		free(o->list[given].data);
		given++;
	}
	o->count -= given;
	memmove(o->list, o->list + given, o->count * sizeof(*o->list));
	return err;
}

void record_order__free(struct record_order *o)
{
	if (!o)
		return;
	for (size_t i = 0; i < o->count; i++)
		free(o->list[i].data);
	free(o->list);
	free(o);
}

/* ---- the files */

static int learn_page(struct raw_events *r)
{
	char *header;
	int size;

	header = tracefs_instance_file_read(NULL, "events/header_page", &size);
	if (!header)
		return error__return(-errno, "events/header_page: %s", strerror(errno));
	tep_set_long_size(r->tep, sizeof(long));
	tep_set_page_size(r->tep, getpagesize());
	if (tep_parse_header_page(r->tep, header, size, sizeof(long))) {
		free(header);
		return error__return(-EIO, "events/header_page: libtraceevent cannot read it");
	}
	free(header);
	r->page_size = tep_get_sub_buffer_size(r->tep);
	r->page = xmalloc(r->page_size);
	r->kbuffer = tep_kbuffer(r->tep);
	if (!r->kbuffer)
		memory__fail();
	return 0;
}

static int open_cpus(struct raw_events *r, struct instance *instance)
{
	char *directory = instance__path(instance, "per_cpu"), file[64];
	autoclosedir DIR *dir = opendir(directory);
	int number, fd, err = dir ? 0 : error__return(-errno, "%s: %s", directory, strerror(errno));
	struct dirent *entry;

	while (!err && (entry = readdir(dir))) {
		if (sscanf(entry->d_name, "cpu%d", &number) != 1)
			continue;
		snprintf(file, sizeof(file), "per_cpu/cpu%d/trace_pipe_raw", number);
		fd = instance__open(instance, file, O_RDONLY | O_NONBLOCK);
		if (fd < 0)
			err = fd;
		else
			*LIST_ADD(r->cpus, r->cpu_count) = (struct cpu){ .number = number, .fd = fd };
	}
	free(directory);
	return err;
}

int raw_events__open(struct raw_events **ret, struct instance *instance, struct tep_handle *tep)
{
	struct raw_events *r = xcalloc(1, sizeof(*r));
	int err;

	r->tep = tep;
	r->order = record_order__new();
	err = learn_page(r) ?: open_cpus(r, instance);
	if (err)
		raw_events__close(r);
	else
		*ret = r;
	return err;
}

static int add_page(struct raw_events *r, struct cpu *cpu)
{
	struct tep_record record = { .cpu = cpu->number };
	int err = 0;

	if (kbuffer_load_subbuffer(r->kbuffer, r->page))
		return error__return(-EIO, "trace_pipe_raw: libtraceevent cannot read the page");
	while (!err && (record.data = kbuffer_read_event(r->kbuffer, &record.ts))) {
		record.size = kbuffer_event_size(r->kbuffer);
		err = record_order__add(r->order, &record);
		cpu->last = record.ts;
		kbuffer_next_event(r->kbuffer, NULL);
	}
	if (cpu->last > r->newest)
		r->newest = cpu->last;
	return err;
}

static int read_cpu(struct raw_events *r, struct cpu *cpu)
{
	int err = 0;

	cpu->drained = false;
	for (int pages = 0; !err && pages < MOST_PAGES; pages++) {
		ssize_t got = read(cpu->fd, r->page, r->page_size);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0 && errno != EAGAIN)
			return error__return(-errno, "trace_pipe_raw: %s", strerror(errno));
		if (got <= 0) {
			cpu->drained = true;
			break;
		}
		err = add_page(r, cpu);
	}
	return err;
}

/* The time up to which all CPUs were read. It is limited by CPUs that have more to read. */
static unsigned long long read_until(const struct raw_events *r)
{
	unsigned long long until = ULLONG_MAX;

	for (size_t i = 0; i < r->cpu_count; i++) {
		if (!r->cpus[i].drained && r->cpus[i].last < until)
			until = r->cpus[i].last;
	}
	return until;
}

static unsigned long long lesser(unsigned long long a, unsigned long long b)
{
	return a < b ? a : b;
}

int raw_events__read(struct raw_events *r, bool last, raw_event_take take, void *context,
		     bool *ret_more)
{
	unsigned long long until;
	int err = 0;

	for (size_t i = 0; !err && i < r->cpu_count; i++)
		err = read_cpu(r, &r->cpus[i]);
	if (err)
		return err;
	until = read_until(r);
	*ret_more = until != ULLONG_MAX;
	/*
	 * A CPU may have recorded more after it was read. So only the order of records from before
	 * this reading is certain.
	 */
	err = record_order__give(r->order, last ? until : lesser(until, r->certain), take, context);
	r->certain = lesser(until, r->newest);
	return err;
}

void raw_events__close(struct raw_events *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < r->cpu_count; i++)
		close(r->cpus[i].fd);
	record_order__free(r->order);
	if (r->kbuffer)
		kbuffer_free(r->kbuffer);
	free(r->cpus);
	free(r->page);
	free(r);
}
