// SPDX-License-Identifier: GPL-2.0
/*
 * hytrace boot: reading units from systemd, here a small systemd at the other end of a connection;
 * the critical chain; and blame.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <systemd/sd-bus.h>
#include <systemd/sd-bus-vtable.h>
#include <systemd/sd-id128.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "boot/blame.h"
#include "boot/probes.h"
#include "boot/start.h"
#include "boot/whole.h"
#include "printed.h"

static bool is(const char *got, const char *wanted)
{
	return got && !strcmp(got, wanted);
}

/* ---- a small systemd */

struct fake_unit {
	const char *path, *name, *state;
	uint64_t exit, enter;		/* us */
	const char *after;		/* the unit that it is ordered after; NULL: none */
	const char *result;		/* for a service */
};

static struct fake_unit fakes[] = {
	{ "/org/freedesktop/systemd1/unit/a", "a.service", "active", 100, 300, "b.target", "success" },
	{ "/org/freedesktop/systemd1/unit/b", "b.target", "active", 90, 90, NULL, NULL },
	{ "/org/freedesktop/systemd1/unit/gone", "gone.service", "inactive", 0, 0, NULL, NULL },
	{ "/org/freedesktop/systemd1/unit/bad", "bad.service", "failed", 50, 0, "a.service", "exit-code" },
	{ "/org/freedesktop/systemd1/unit/default_2etarget", "top.target", "active", 400, 400, "a.service", NULL },
};

#define FAKES (sizeof(fakes) / sizeof(fakes[0]))
#define GONE 2

static uint64_t finish = 500;
static bool dies;			/* exit at ListUnits */
static bool dies_later;			/* exit when it is asked for the second unit */

static int get_number(sd_bus *bus, const char *path, const char *interface, const char *property,
		      sd_bus_message *reply, void *data, sd_bus_error *error)
{
	struct fake_unit *unit = data;
	uint64_t value = 0;

	if (!strcmp(property, "FinishTimestampMonotonic"))
		value = finish;
	else if (!strcmp(property, "UserspaceTimestampMonotonic"))
		value = 20;
	else if (!strcmp(property, "InactiveExitTimestampMonotonic"))
		value = unit->exit;
	else if (!strcmp(property, "ActiveEnterTimestampMonotonic"))
		value = unit->enter;
	else if (!strcmp(property, "InactiveEnterTimestampMonotonic"))
		value = unit->result && strcmp(unit->result, "success") ? unit->exit + 25 : 0;
	return sd_bus_message_append(reply, "t", value);
}

static int get_text(sd_bus *bus, const char *path, const char *interface, const char *property,
		    sd_bus_message *reply, void *data, sd_bus_error *error)
{
	struct fake_unit *unit = data;

	return sd_bus_message_append(reply, "s", !strcmp(property, "Id") ? unit->name : unit->result ?: "");
}

static int get_after(sd_bus *bus, const char *path, const char *interface, const char *property,
		     sd_bus_message *reply, void *data, sd_bus_error *error)
{
	struct fake_unit *unit = data;

	if (dies_later && unit == &fakes[1])
		_exit(0);
	return unit->after ? sd_bus_message_append(reply, "as", 1, unit->after) :
			     sd_bus_message_append(reply, "as", 0);
}

static int get_names(sd_bus *bus, const char *path, const char *interface, const char *property,
		     sd_bus_message *reply, void *data, sd_bus_error *error)
{
	struct fake_unit *unit = data;

	return strcmp(unit->name, "top.target") ? sd_bus_message_append(reply, "as", 1, unit->name) :
	       sd_bus_message_append(reply, "as", 3, "default.target", unit->name, "old.name.service");
}

static int get_jobs(sd_bus *bus, const char *path, const char *interface, const char *property,
		    sd_bus_message *reply, void *data, sd_bus_error *error)
{
	return sd_bus_message_append(reply, "u", 3);
}

static int list_units(sd_bus_message *m, void *data, sd_bus_error *error)
{
	sd_bus_message *reply;

	if (dies)
		_exit(0);
	sd_bus_message_new_method_return(m, &reply);
	sd_bus_message_open_container(reply, 'a', "(ssssssouso)");
	for (size_t i = 0; i < FAKES; i++)
		sd_bus_message_append(reply, "(ssssssouso)", fakes[i].name, "what it is", "loaded",
				      fakes[i].state, "sub", "", fakes[i].path, 0, "", "/");
	sd_bus_message_close_container(reply);
	sd_bus_send(NULL, reply, NULL);
	sd_bus_message_unref(reply);
	return 1;
}

#define TIME(name) SD_BUS_PROPERTY(name "TimestampMonotonic", "t", get_number, 0, 0)

static const sd_bus_vtable of_manager[] = {
	SD_BUS_VTABLE_START(0),
	TIME("Userspace"), TIME("Finish"),
	SD_BUS_PROPERTY("NJobs", "u", get_jobs, 0, 0),
	SD_BUS_METHOD("ListUnits", "", "a(ssssssouso)", list_units, 0),
	SD_BUS_VTABLE_END
};

/* Some properties are not wanted by the reader, which has to skip them whatever their type. */
static const sd_bus_vtable of_unit[] = {
	SD_BUS_VTABLE_START(0),
	SD_BUS_PROPERTY("Id", "s", get_text, 0, 0),
	TIME("InactiveExit"), TIME("ActiveEnter"), TIME("InactiveEnter"),
	SD_BUS_PROPERTY("Names", "as", get_names, 0, 0),
	SD_BUS_PROPERTY("Before", "as", get_after, 0, 0),
	SD_BUS_PROPERTY("After", "as", get_after, 0, 0),
	SD_BUS_VTABLE_END
};

static const sd_bus_vtable of_service[] = {
	SD_BUS_VTABLE_START(0),
	SD_BUS_PROPERTY("Result", "s", get_text, 0, 0),
	SD_BUS_VTABLE_END
};

static void serve(int fd)
{
	sd_id128_t id;
	sd_bus *bus;

	sd_id128_randomize(&id);
	sd_bus_new(&bus);
	sd_bus_set_fd(bus, fd, fd);
	sd_bus_set_server(bus, 1, id);
	sd_bus_set_anonymous(bus, 1);
	sd_bus_add_object_vtable(bus, NULL, "/org/freedesktop/systemd1",
				 "org.freedesktop.systemd1.Manager", of_manager, NULL);
	for (size_t i = 0; i < FAKES; i++) {
		if (i == GONE)
			continue;
		sd_bus_add_object_vtable(bus, NULL, fakes[i].path, "org.freedesktop.systemd1.Unit", of_unit,
					 &fakes[i]);
		if (fakes[i].result)
			sd_bus_add_object_vtable(bus, NULL, fakes[i].path,
						 "org.freedesktop.systemd1.Service", of_service, &fakes[i]);
	}
	sd_bus_start(bus);
	while (sd_bus_is_open(bus) > 0) {
		if (!sd_bus_process(bus, NULL))
			sd_bus_wait(bus, UINT64_MAX);
	}
	_exit(0);
}

static struct boot_units u;

static void free_units(void)
{
	boot_units__free(&u);
	free_printed();
}

TestSuite(units, .fini = free_units);
TestSuite(blame, .fini = free_printed);

/* Asks a fake systemd, which runs in a process of its own, for the units. */
static int ask(void)
{
	sd_bus *bus;
	int fds[2];

	cr_assert(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, fds) == 0);
	if (!fork()) {
		close(fds[0]);
		serve(fds[1]);
	}
	close(fds[1]);
	cr_assert(sd_bus_new(&bus) == 0);
	cr_assert(sd_bus_set_fd(bus, fds[0], fds[0]) == 0);
	cr_assert(sd_bus_start(bus) >= 0);
	boot_units__free(&u);
	return boot_units__ask(&u, bus);
}

Test(units, systemd_tells_them)
{
	const struct boot_unit *a, *bad;

	cr_assert(ask() == 0);
	cr_expect(u.known && boot_units__complete(&u) && u.jobs == 3);
	cr_expect(u.manager.finish == 500000 && u.manager.userspace == 20000 && u.manager.firmware == 0);
	cr_expect(u.count == FAKES - 1, "one is gone: %zu", u.count);
	cr_expect(boot_units__find(&u, "gone.service") == NULL);
	cr_expect(eq(str, (char *)u.target, "top.target"));
	a = boot_units__find(&u, "a.service");
	cr_assert(a != NULL);
	cr_expect(a->activating == 100000 && a->activated == 300000);
	cr_expect(is(a->after[0], "b.target") && a->after[1] == NULL);
	cr_expect(is(a->state, "active") && a->result == NULL);
	bad = boot_units__find(&u, "bad.service");
	cr_assert(bad != NULL);
	cr_expect(eq(str, (char *)bad->result, "exit-code"));
	cr_expect(boot_unit__time(bad) == 25000, "until it failed");
}

/* The times are on the kernel's clock, without the offset of process 1's time namespace. */
Test(units, systemd_in_a_time_namespace)
{
	for (int64_t offset = -50000; offset <= 100000; offset += 150000) {
		const struct boot_unit *a, *b;

		cr_assert(ask() == 0);
		u.manager.firmware = 9000;
		boot_units__shift(&u, offset);
		cr_expect(u.manager.finish == 500000 - (uint64_t)offset && u.manager.firmware == 9000);
		cr_expect(u.manager.load_start == 0, "never");
		a = boot_units__find(&u, "a.service");
		b = boot_units__find(&u, "b.target");
		cr_assert(a && b);
		cr_expect(a->activated == 300000 - (uint64_t)offset && a->deactivated == 0);
		cr_expect(b->activated == (offset < 0 ? 140000 : 0), "there is no time before the clock: %lu", (long)b->activated);
	}
}

Test(units, a_typed_name_may_be_short_or_an_alias)
{
	const struct boot_unit *top;

	cr_assert(ask() == 0);
	top = boot_units__find(&u, "top.target");
	cr_assert(top != NULL);
	cr_expect(boot_units__find_typed(&u, "top.target") == top);
	cr_expect(boot_units__find_typed(&u, "default.target") == top);
	cr_expect(boot_units__find_typed(&u, "old.name.service") == top);
	cr_expect(boot_units__find_typed(&u, "old.name") == top, "a dot alone makes no type");
	cr_expect(boot_units__find_typed(&u, "a") == boot_units__find(&u, "a.service"));
	cr_expect(boot_units__find_typed(&u, "top") == NULL, "it is no service");
	cr_expect(boot_units__find_typed(&u, "a.") == NULL);
	cr_expect(boot_units__find_typed(&u, "a.target") == NULL);
	cr_expect(boot_units__find_typed(&u, "") == NULL);
	cr_expect(boot_units__find_typed(&u, "default.target.service") == NULL);
}

Test(units, a_boot_that_is_not_complete)
{
	finish = 0;
	cr_assert(ask() == 0);
	cr_expect(u.known && !boot_units__complete(&u));
	cr_expect(not(boot_units__in_boot(&u, boot_units__find(&u, "a.service"))));
}

Test(units, a_systemd_that_dies_is_an_error)
{
	dies = true;
	cr_expect(ask() < 0);
	cr_expect(not(u.known));
	dies = false;
	dies_later = true;
	cr_expect(ask() < 0);
	cr_expect(not(u.known));
}

/* The kernel accepts connections even if the process hangs. */
Test(units, a_systemd_that_hangs_is_told_soon, .timeout = 60)
{
	struct timespec start, end;
	sd_bus *bus;
	int fds[2];

	cr_assert(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, fds) == 0);
	cr_assert(sd_bus_new(&bus) == 0);
	cr_assert(sd_bus_set_fd(bus, fds[0], fds[0]) == 0);
	cr_assert(sd_bus_start(bus) >= 0);
	clock_gettime(CLOCK_MONOTONIC, &start);
	cr_expect(boot_units__ask(&u, bus) == -ETIMEDOUT);
	clock_gettime(CLOCK_MONOTONIC, &end);
	cr_expect(not(u.known));
	cr_expect(strstr(u.why_not, "does not answer") && strstr(u.why_not, "for 5 s"), "%s", u.why_not);
	cr_expect(end.tv_sec - start.tv_sec >= 4 && end.tv_sec - start.tv_sec < 40, "%ld s", (long)(end.tv_sec - start.tv_sec));
	close(fds[1]);
}

/* ---- made-up units */

#define MS 1000000ull

static char *after_b[] = { "b", NULL }, *after_all[] = { "b", "a", "c", "late", "never", NULL };
static char *after_x[] = { "x", NULL }, *after_y[] = { "y", NULL }, *after_xy[] = { "x", "y", NULL };

static struct boot_units made(struct boot_unit *list, size_t count)
{
	return (struct boot_units){
		.known = true, .target = "top", .manager.finish = 100 * MS, .list = list, .count = count,
	};
}

Test(units, time_until_it_was_active_or_had_ended)
{
	struct boot_unit unit = { .activating = 10 * MS, .activated = 15 * MS };

	cr_expect(boot_unit__time(&unit) == 5 * MS);
	/* A oneshot service is never active. */
	unit = (struct boot_unit){ .activating = 10 * MS, .deactivated = 17 * MS };
	cr_expect(boot_unit__time(&unit) == 7 * MS);
	/* The unit was active earlier, and is now starting again. */
	unit = (struct boot_unit){ .activating = 10 * MS, .activated = 5 * MS, .deactivated = 8 * MS };
	cr_expect(boot_unit__time(&unit) == 0);
	unit = (struct boot_unit){ .deactivated = 8 * MS };
	cr_expect(boot_unit__time(&unit) == 0);
}

Test(units, the_chain_follows_the_last_one)
{
	struct boot_unit list[] = {
		{ .name = "a", .activating = 1 * MS, .activated = 50 * MS, .after = after_b },
		{ .name = "b", .activating = 1 * MS, .activated = 20 * MS },
		{ .name = "c", .activating = 1 * MS, .activated = 49 * MS },
		/* One unit became active after the boot was complete, the next one never. */
		{ .name = "late", .activating = 1 * MS, .activated = 101 * MS },
		{ .name = "never", .activating = 60 * MS },
		{ .name = "top", .activating = 90 * MS, .activated = 90 * MS, .after = after_all },
	};
	struct boot_units u = made(list, 6);
	struct chain_row *rows;
	size_t count;

	rows = boot_units__chain(&u, &count);
	cr_assert(count == 3, "%zu", count);
	cr_expect(is(rows[0].name, "top") && rows[0].depth == 0);
	cr_expect(is(rows[1].name, "a") && rows[1].depth == 1);
	cr_expect(is(rows[2].name, "b") && rows[2].depth == 2);
	cr_expect(rows[2].unit == &list[1]);
	free(rows);
	u.target = "nothing";
	cr_expect(boot_units__chain(&u, &count) == NULL && count == 0);
	u.target = NULL;
	cr_expect(boot_units__chain(&u, &count) == NULL && count == 0);
}

Test(units, the_chain_has_all_that_were_last_and_ends_in_a_circle)
{
	struct boot_unit list[] = {
		{ .name = "x", .activating = 1 * MS, .activated = 50 * MS, .after = after_y },
		{ .name = "y", .activating = 1 * MS, .activated = 50 * MS, .after = after_x },
		{ .name = "top", .activating = 90 * MS, .activated = 90 * MS, .after = after_xy },
	};
	struct boot_units u = made(list, 3);
	struct chain_row *rows;
	size_t count;

	rows = boot_units__chain(&u, &count);
	cr_assert(count == 5, "%zu", count);
	/* top, x, y, x again; and y again, for top */
	cr_expect(is(rows[2].name, "y") && rows[2].depth == 2 && !rows[2].again);
	cr_expect(is(rows[3].name, "x") && rows[3].depth == 3 && rows[3].again);
	cr_expect(is(rows[4].name, "y") && rows[4].depth == 1 && rows[4].again);
	free(rows);
}

Test(units, the_longest_come_first)
{
	struct boot_unit list[] = {
		{ .name = "none" },
		{ .name = "short", .activating = 1 * MS, .activated = 2 * MS },
		{ .name = "long", .activating = 1 * MS, .activated = 9 * MS },
		{ .name = "same", .activating = 5 * MS, .activated = 6 * MS },
	};
	struct boot_units u = made(list, 4);
	size_t *order, count;

	order = boot_units__by_time(&u, &count);
	cr_assert(count == 3);
	cr_expect(order[0] == 2 && order[1] == 1 && order[2] == 3);
	free(order);
}

/* ---- blame */

/* A probe has an item of its own, so the time of its initcall excludes it. */
Test(blame, initcalls_are_without_their_probes)
{
	struct start_initcall calls[] = {
		{ .name = "outer", .level = 0, .pid = 1, .start = 10 * MS, .time = 90 * MS, .self = 50 * MS, .finished = true },
		{ .name = "inner", .level = 0, .pid = 1, .start = 20 * MS, .time = 40 * MS, .self = 40 * MS, .finished = true },
		{ .name = "tiny", .level = 0, .pid = 1, .start = 200 * MS, .time = 9 * MS, .self = 2 * MS, .finished = true },
	};
	struct boot_probe list[] = {
		{ .kind = PROBE_DEVICE, .pid = 1, .start = 25 * MS, .time = 30 * MS, .self = 30 * MS, .finished = true },
		{ .kind = PROBE_DEVICE, .pid = 9, .start = 26 * MS, .time = 1 * MS, .self = 1 * MS, .finished = true },
		{ .kind = PROBE_CONSOLE, .pid = 1, .start = 70 * MS, .time = 5 * MS, .self = 5 * MS, .finished = true },
		{ .kind = PROBE_DEVICE, .pid = 1, .start = 201 * MS, .time = 3 * MS, .self = 3 * MS, .finished = true },
		{ .kind = PROBE_DEVICE, .pid = 1, .start = 202 * MS },
	};
	struct boot_probes probes = { .list = list, .count = 5 };
	struct boot_start s = { .initcalls = calls, .initcall_count = 3, .probes = &probes, .store = strings__new() };
	struct blame b = {};

	blame__add_start(&b, &s);
	blame__sort(&b);
	cr_assert(b.count == 5, "%zu: tiny has no time of its own", b.count);
	cr_expect(is(b.list[0].name, "outer") && b.list[0].time == 50 * MS);
	cr_expect(is(b.list[1].kind, "probe") && b.list[1].time == 30 * MS);
	cr_expect(is(b.list[2].name, "inner") && b.list[2].time == 10 * MS);
	blame__free(&b);
	strings__free(s.store);
}

Test(blame, one_list_of_all)
{
	struct boot_unit list[] = { { .name = "u.service", .activating = 1 * MS, .activated = 9 * MS } };
	struct boot_units u = made(list, 1);
	struct start_initcall calls[] = {
		{ .name = "f_init", .level = 0, .pid = 1, .time = 9 * MS, .self = 7 * MS, .finished = true },
		{ .name = "m_init", .module = "m", .level = NO_LEVEL, .pid = 7, .time = 20 * MS, .self = 20 * MS,
		  .finished = true },
		{ .name = "runs", .level = 0, .pid = 1, .time = 50 * MS },
	};
	struct boot_start s = { .initcalls = calls, .initcall_count = 3 };
	struct blame b = {};

	blame__add_units(&b, &u);
	blame__add_start(&b, &s);
	blame__add(&b, 8 * MS, "p", "probe");
	blame__add(&b, 0, "nothing", "probe");
	blame__sort(&b);
	cr_assert(b.count == 4);
	cr_expect(is(b.list[0].name, "m") && is(b.list[0].kind, "module"));
	cr_expect(is(b.list[1].name, "u.service") && is(b.list[1].kind, "unit"));
	cr_expect(eq(str, (char *)b.list[2].name, "p"), "of the same time, but added later");
	cr_expect(is(b.list[3].name, "f_init") && b.list[3].time == 7 * MS, "its own time");
	PRINT(f, blame__text(&b, 2, f));
	expect_text("  0.020000 m         module\n");
	expect_text("and 2 more\n");
	blame__free(&b);
}

/* ---- json */

static struct boot_unit two[] = {
	{ .name = "top.target", .activating = 9 * MS, .activated = 9 * MS, .after = (char *[]){ "u.service", NULL } },
	{ .name = "u.service", .activating = 1 * MS, .activated = 9 * MS },
};

static struct boot_whole whole_of_two(void)
{
	struct boot_whole w = { .units = made(two, 2) };

	w.units.target = "top.target";
	w.units.manager.finish = 20 * MS;
	w.units.manager.userspace = MS;
	return w;
}

Test(blame, a_document_tells_what_it_lacks)
{
	struct boot_whole w = whole_of_two();
	struct boot_probes probes = { .lost = 3 };
	struct boot_start s = { .lost = 4, .full = 5, .probes = &probes };

	for (int i = 0; i < 3; i++) {
		struct blame b = {};

		w.units.known = i < 2;
		blame__add_units(&b, &w.units);
		blame__add(&b, MS, "f_init", "initcall");
		blame__sort(&b);
		PRINT(f, blame__json(&b, 1, &w, i ? &s : NULL, f));
		parse_text();
		expect_at(object, "full", i ? "5" : "null");
		expect_at(object, "document", "\"boot-blame\"");
		expect_at(object, "schema", "1");
		expect_at(object, "complete", i < 2 ? "true" : "null");
		expect_at(object, "lost", i ? "7" : "null");
		expect_at(object, "count", "2");
		expect_at(object, "items", "[{\"time\":8000000,\"name\":\"u.service\",\"kind\":\"unit\"}]");
		blame__free(&b);
	}
}

Test(units, the_chain_is_a_document)
{
	struct boot_whole w = whole_of_two();

	PRINT(f, boot_whole__chain_json(&w, f));
	parse_text();
	expect_at(object, "document", "\"boot-critical-chain\"");
	expect_at(object, "unit", "\"top.target\"");
	expect_at(object, "userspace", "1000000");
	cr_expect(json_object_get_string_len(at(object, "boot_id")) == 36, "%s", text);
	cr_assert(json_object_array_length(at(object, "rows")) == 2, "%s", text);
	expect_at(object, "rows.1.name", "\"u.service\"");
}
