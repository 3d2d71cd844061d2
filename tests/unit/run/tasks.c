// SPDX-License-Identifier: GPL-2.0
/* Which thread had a number at which time, according to the kernel's events in their order. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "run/tasks.h"

static struct tasks *t;
static struct strings *names;

static void begin(void)
{
	t = tasks__new();
	names = strings__new();
	cr_assert(t && names);
}

static void end(void)
{
	tasks__free(t);
	strings__free(names);
}

TestSuite(tasks, .init = begin, .fini = end);

static void comes(uint64_t ns, uint32_t pid, uint32_t parent, bool is_thread, const char *comm)
{
	struct task_change change = { ns, pid, parent, true, is_thread, comm };

	cr_assert(tasks__add(t, &change) == 0);
}

static void is_named(uint64_t ns, uint32_t pid, const char *comm)
{
	struct task_change change = { .ns = ns, .pid = pid, .comm = comm };

	cr_assert(tasks__add(t, &change) == 0);
}

/* @wanted: "TGID COMM"; NULL: it is not known. */
static void expect(uint32_t pid, uint64_t ns, const char *wanted)
{
	uint32_t tgid = 4711;
	const char *comm = tasks__find(t, pid, ns, names, &tgid);
	char got[64];

	snprintf(got, sizeof(got), "%u %s", tgid, comm ?: "?");
	cr_expect(eq(str, got, (char *)(wanted ?: "4711 ?")), "%u at %lu", pid, ns);
}

Test(tasks, a_name_is_that_of_the_moment)
{
	comes(100, 20, 10, false, "sh");
	is_named(200, 20, "cat");
	expect(20, 99, NULL);
	expect(20, 100, "20 sh");
	expect(20, 199, "20 sh");
	expect(20, 200, "20 cat");
	expect(21, 200, NULL);
}

Test(tasks, a_number_is_used_again)
{
	comes(100, 20, 10, false, "first");
	comes(300, 20, 10, false, "second");
	expect(20, 250, "20 first");
	expect(20, 300, "20 second");
}

Test(tasks, a_thread_belongs_to_the_process_of_who_made_it)
{
	cr_assert(tasks__add_old(t, 50, 10, 10, "server") == 0);
	comes(100, 11, 10, true, "server");
	comes(110, 12, 11, true, "worker");
	is_named(120, 12, "renamed");
	expect(11, 100, "10 server");
	expect(12, 115, "10 worker");
	expect(12, 120, "10 renamed");
	/* As a number of its own it is another process. */
	comes(200, 12, 10, false, "child");
	expect(12, 200, "12 child");
}

Test(tasks, what_came_earlier_may_be_told_later)
{
	is_named(300, 20, "last");
	is_named(200, 20, "middle");
	comes(250, 21, 20, true, "thread");
	expect(20, 300, NULL);
	expect(21, 300, NULL);
	comes(100, 20, 10, false, "first");
	expect(20, 99, NULL);
	expect(20, 199, "20 first");
	expect(20, 299, "20 middle");
	expect(20, 300, "20 last");
	expect(21, 300, "20 thread");
	/* One that claims to have made itself. */
	comes(400, 22, 22, true, "nobody");
	expect(22, 400, NULL);
}

Test(tasks, of_whom_the_process_is_not_known_nothing_is_said)
{
	comes(100, 11, 10, true, "thread");
	is_named(120, 30, "nobody knows since when");
	expect(11, 100, NULL);
	expect(30, 130, NULL);
	/* What such a thread starts is a process of its own all the same. */
	comes(140, 31, 11, false, "known");
	expect(31, 140, "31 known");
}

Test(tasks, what_there_was_counts_until_something_is_told)
{
	/* The events are on before /proc is read: one of them may be older than its line. */
	comes(100, 20, 10, false, "sh");
	cr_assert(tasks__add_old(t, 150, 20, 20, "cat") == 0);
	is_named(180, 20, "tac");
	expect(20, 160, "20 cat");
	expect(20, 180, "20 tac");
}

Test(tasks, after_a_loss_nothing_is_known)
{
	comes(100, 20, 10, false, "sh");
	tasks__end_at(t, 150);
	tasks__end_at(t, 300);
	expect(20, 150, "20 sh");
	expect(20, 151, NULL);
}

Test(tasks, a_kernel_that_tells_nothing_is_no_error)
{
	cr_expect(tasks__read(NULL, true) == 0);
	cr_expect(tasks__find(NULL, 20, 100, names, &(uint32_t){0}) == NULL);
}
