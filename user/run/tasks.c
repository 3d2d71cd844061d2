// SPDX-License-Identifier: GPL-2.0-only
/*
 * Threads by number and time; see tasks.h. The history is a list that grows. An entry has the index
 * of the entry before it with the same number, and a table has the last entry of each number.
 * task_events.c asks the kernel.
 */
#include <json-c/linkhash.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "run/task_events.h"

#define COMM_LENGTH 16
#define NONE SIZE_MAX

/* Which process a number belongs to from then on. */
enum process {
	PROCESS_KNOWN,		/* moment.process */
	PROCESS_OF_PARENT,	/* a thread: that of moment.process at that moment */
	PROCESS_AS_BEFORE,	/* only its name changed */
};

struct moment {
	uint64_t ns;
	size_t before;		/* index of the entry before with the same number; NONE: there is none */
	enum process which;
	uint32_t process;
	char comm[COMM_LENGTH];
};

struct tasks {
	struct moment *list;
	size_t count, room;
	struct lh_table *last;	/* index of the last one of each number, and 1 */
	uint64_t end;		/* the time from which on something is missing */
	struct task_events *events;
};

struct tasks *tasks__new(void)
{
	struct tasks *t = calloc(1, sizeof(*t));

	if (t)
		t->last = lh_kptr_table_new(1024, NULL);
	if (!t || !t->last) {
		free(t);
		error__no_memory();
		return NULL;
	}
	t->end = UINT64_MAX;
	return t;
}

static struct lh_entry *entry_of(const struct tasks *t, uint32_t pid)
{
	return lh_table_lookup_entry(t->last, (void *)(uintptr_t)pid);
}

static const struct moment *at(const struct tasks *t, size_t index)
{
	return index == NONE ? NULL : &t->list[index];
}

/* The last entry at or before @ns. */
static const struct moment *find(const struct tasks *t, uint32_t pid, uint64_t ns)
{
	struct lh_entry *entry = entry_of(t, pid);
	const struct moment *m = at(t, entry ? (uintptr_t)lh_entry_v(entry) - 1 : NONE);

	while (m && m->ns > ns)
		m = at(t, m->before);
	return m;
}

/* The entry that has the process's number; NULL: it is not known. */
static const struct moment *find_process(const struct tasks *t, const struct moment *m)
{
	while (m && m->which != PROCESS_KNOWN) {
		bool is_named = m->which == PROCESS_AS_BEFORE;
		const struct moment *next = is_named ? at(t, m->before) : find(t, m->process, m->ns);

		/* Who makes a thread was there before. Without this, damaged events could go round in circles. */
		m = !is_named && next && next->ns >= m->ns ? NULL : next;
	}
	return m;
}

/*
 * Events of one processor may be read later than those of another one that came after them, if they
 * were recorded while the buffers were read. So an entry is put where its time belongs.
 */
static int insert(struct tasks *t, uint32_t pid, const struct moment *moment)
{
	struct lh_entry *entry = entry_of(t, pid);
	size_t *before = NULL, index = t->count;

	if (t->count == t->room) {
		size_t room = t->room ? 2 * t->room : 1024;
		struct moment *more = reallocarray(t->list, room, sizeof(*more));

		if (!more)
			return error__no_memory();
		t->list = more;
		t->room = room;
	}
	t->list[t->count++] = *moment;
	t->list[index].before = entry ? (uintptr_t)lh_entry_v(entry) - 1 : NONE;
	while (t->list[index].before != NONE && t->list[t->list[index].before].ns > moment->ns) {
		before = &t->list[t->list[index].before].before;
		t->list[index].before = *before;
	}
	if (before)
		*before = index;
	else if (entry)
		lh_entry_set_val(entry, (void *)(uintptr_t)t->count);
	else if (lh_table_insert(t->last, (void *)(uintptr_t)pid, (void *)(uintptr_t)t->count))
		return error__no_memory();
	return 0;
}

int tasks__add_old(struct tasks *t, uint64_t ns, uint32_t pid, uint32_t tgid, const char *comm)
{
	struct moment moment = { .ns = ns, .process = tgid };

	snprintf(moment.comm, sizeof(moment.comm), "%s", comm);
	return insert(t, pid, &moment);
}

int tasks__add(struct tasks *t, const struct task_change *change)
{
	struct moment moment = { .ns = change->ns, .process = change->pid };

	/* A thread belongs to the process of the thread that made it. */
	if (!change->is_new) {
		moment.which = PROCESS_AS_BEFORE;
	} else if (change->is_thread) {
		moment.which = PROCESS_OF_PARENT;
		moment.process = change->parent;
	}
	snprintf(moment.comm, sizeof(moment.comm), "%s", change->comm);
	return insert(t, change->pid, &moment);
}

void tasks__end_at(struct tasks *t, uint64_t ns)
{
	if (ns < t->end)
		t->end = ns;
}

const char *tasks__find(const struct tasks *t, uint32_t pid, uint64_t ns, struct strings *names, uint32_t *ret_tgid)
{
	const struct moment *moment = t && ns <= t->end ? find(t, pid, ns) : NULL;
	const struct moment *process = moment ? find_process(t, moment) : NULL;

	if (!process)
		return NULL;
	*ret_tgid = process->process;
	return strings__intern(names, moment->comm);
}

int tasks__start(struct tasks **ret, struct guard *guard)
{
	struct tasks *t = tasks__new();
	int err;

	*ret = NULL;
	if (!t)
		return -ENOMEM;
	err = task_events__start(&t->events, t, guard);
	if (err || !t->events)
		tasks__free(t);
	else
		*ret = t;
	return err;
}

int tasks__read(struct tasks *t, bool stopped)
{
	return t ? task_events__read(t->events, t, stopped) : 0;
}

uint64_t tasks__bytes(const struct tasks *t)
{
	return t ? task_events__bytes(t->events) : 0;
}

void tasks__free(struct tasks *t)
{
	if (!t)
		return;
	task_events__free(t->events);
	lh_table_free(t->last);
	free(t->list);
	free(t);
}
