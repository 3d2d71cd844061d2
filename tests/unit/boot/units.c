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
#include "boot/account.h"
#include "printed.h"

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
	{ "/org/freedesktop/systemd1/unit/bad", "bad.service", "failed", 50, 0, "never.service", "exit-code" },
	{ "/org/freedesktop/systemd1/unit/never", "never.service", "inactive", 0, 0, NULL, NULL },
	{ "/org/freedesktop/systemd1/unit/default_2etarget", "top.target", "active", 400, 400, "a.service", NULL },
};

#define FAKES (sizeof(fakes) / sizeof(fakes[0]))
#define GONE 2

static uint64_t finish = 500;
static bool dies;			/* exit at ListUnits */
static bool dies_later;			/* exit when it is asked for the second unit */

/* A number of us, a text or texts, whatever the property. */
static int get(sd_bus *bus, const char *path, const char *interface, const char *property, sd_bus_message *reply, void *data,
	       sd_bus_error *error)
{
	struct fake_unit *unit = data;
	uint64_t time = !strcmp(property, "FinishTimestampMonotonic") ? finish :
			!strcmp(property, "UserspaceTimestampMonotonic") ? 20 :
			!strcmp(property, "InactiveExitTimestampMonotonic") ? unit->exit :
			!strcmp(property, "ActiveEnterTimestampMonotonic") ? unit->enter :
			!strcmp(property, "InactiveEnterTimestampMonotonic") && unit->result && strcmp(unit->result, "success") ?
			unit->exit + 25 : 0;

	if (dies_later && !strcmp(property, "After") && unit == &fakes[1])
		_exit(0);
	if (strstr(property, "Timestamp"))
		return sd_bus_message_append(reply, "t", time);
	if (!strcmp(property, "NJobs"))
		return sd_bus_message_append(reply, "u", 3);
	if (!strcmp(property, "Id") || !strcmp(property, "Result"))
		return sd_bus_message_append(reply, "s", !strcmp(property, "Id") ? unit->name : unit->result ?: "");
	if (!strcmp(property, "Names"))
		return strcmp(unit->name, "top.target") ? sd_bus_message_append(reply, "as", 1, unit->name) :
		       sd_bus_message_append(reply, "as", 3, "default.target", unit->name, "old.name.service");
	return unit->after ? sd_bus_message_append(reply, "as", 2, "not-there.service", unit->after) :
			     sd_bus_message_append(reply, "as", 0);
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

#define TIME(name) SD_BUS_PROPERTY(name "TimestampMonotonic", "t", get, 0, 0)

static const sd_bus_vtable of_manager[] = {
	SD_BUS_VTABLE_START(0),
	TIME("Userspace"), TIME("Finish"),
	SD_BUS_PROPERTY("NJobs", "u", get, 0, 0),
	SD_BUS_METHOD("ListUnits", "", "a(ssssssouso)", list_units, 0),
	SD_BUS_VTABLE_END
};

/* Some properties are not wanted by the reader, which has to skip them whatever their type. */
static const sd_bus_vtable of_unit[] = {
	SD_BUS_VTABLE_START(0),
	SD_BUS_PROPERTY("Id", "s", get, 0, 0),
	TIME("InactiveExit"), TIME("ActiveEnter"), TIME("InactiveEnter"),
	SD_BUS_PROPERTY("Names", "as", get, 0, 0),
	SD_BUS_PROPERTY("Before", "as", get, 0, 0),
	SD_BUS_PROPERTY("After", "as", get, 0, 0),
	SD_BUS_VTABLE_END
};

static const sd_bus_vtable of_service[] = {
	SD_BUS_VTABLE_START(0),
	SD_BUS_PROPERTY("Result", "s", get, 0, 0),
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

static struct boot b;

static void begin(void)
{
	boot__init(&b);
}

static void end(void)
{
	boot__free(&b);
	free_printed();
}

TestSuite(units, .init = begin, .fini = end);
TestSuite(chain, .fini = free_printed);
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
	boot_units__free(&b.units);
	return boot_units__ask(&b, bus);
}

static const struct boot_unit *find(const char *name)
{
	const struct boot_unit *unit = boot_units__find(&b.units, name);

	cr_assert(unit != NULL, "%s", name);
	return unit;
}

/* Of each unit: its state, result, starts and stops in us, and the units before it. */
static void print_units(void)
{
	PRINT(f, for_list(unit, &b.units) {
		fprintf(f, "%s %s %s", unit->name, unit->state, unit->result ?: "-");
		for (const int64_t *time = &unit->activating; time <= &unit->deactivated; time++)
			fprintf(f, *time == NOT_KNOWN ? " -" : " %ld", (long)*time / 1000);
		for (char **after = unit->after; after && *after; after++)
			fprintf(f, " %s", *after);
		fputc('\n', f);
	});
}

/* One unit is gone, and one was not started. A unit that was not started is none that another one has waited for. */
Test(units, systemd_tells_them)
{
	const struct boot_units *u = &b.units;

	cr_assert(ask() == 0);
	print_units();
	expect_str(text, "a.service active - 100 300 - - b.target\nb.target active - 90 90 - -\n"
		   "bad.service failed exit-code 50 - - 75\ntop.target active - 400 400 - - a.service\n");
	cr_expect(u->known && boot_units__complete(u) && u->jobs == 3);
	cr_expect(u->manager.finish == 500000 && u->manager.userspace == 20000 && u->manager.firmware == NOT_KNOWN);
	expect_str(u->target, "top.target");
	cr_expect(boot_unit__time(find("bad.service")) == 25000, "until it failed");
}

/* The times are on the kernel's clock, without the offset of process 1's time namespace. There is no time before the clock. */
Test(units, systemd_in_a_time_namespace)
{
	for (int64_t offset = -50000; offset <= 100000; offset += 150000) {
		cr_assert(ask() == 0);
		b.units.manager.firmware = 9000;
		boot_units__shift(&b, offset);
		cr_expect(b.units.manager.finish == 500000 - offset && b.units.manager.firmware == 9000);
		cr_expect(b.units.manager.load_start == NOT_KNOWN, "never");
		print_units();
		expect_text(offset < 0 ? "a.service active - 150 350 - - b.target\nb.target active - 140 140 - -\n" :
			    "a.service active - - 200 - - b.target\nb.target active - - - - -\n");
	}
}

Test(units, a_typed_name_may_be_short_or_an_alias)
{
	static const char *const names[][2] = {
		{ "top.target", "top.target" }, { "default.target", "top.target" }, { "old.name.service", "top.target" },
		/* A dot alone makes no type. */
		{ "old.name", "top.target" }, { "a", "a.service" },
		/* It is no service. */
		{ "top", NULL }, { "a.", NULL }, { "a.target", NULL }, { "", NULL }, { "default.target.service", NULL },
	};

	cr_assert(ask() == 0);
	for_each(one, names) {
		const struct boot_unit *unit = boot_units__find_typed(&b.units, (*one)[0]);

		cr_expect(unit == boot_units__find(&b.units, (*one)[1]), "%s", (*one)[0]);
	}
}

Test(units, a_boot_that_is_not_complete)
{
	finish = 0;
	cr_assert(ask() == 0);
	cr_expect(b.units.known && !boot_units__complete(&b.units));
	cr_expect(not(boot_units__in_boot(&b.units, boot_units__find(&b.units, "a.service"))));
}

Test(units, a_systemd_that_dies_is_an_error)
{
	dies = true;
	cr_expect(ask() < 0);
	cr_expect(not(b.units.known));
	dies = false;
	dies_later = true;
	cr_expect(ask() < 0);
	cr_expect(not(b.units.known));
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
	cr_expect(boot_units__ask(&b, bus) == -ETIMEDOUT);
	clock_gettime(CLOCK_MONOTONIC, &end);
	cr_expect(not(b.units.known));
	cr_expect(strstr(b.units.why_not, "does not answer") && strstr(b.units.why_not, "for 5 s"), "%s", b.units.why_not);
	cr_expect(end.tv_sec - start.tv_sec >= 4 && end.tv_sec - start.tv_sec < 40, "%ld s", (long)(end.tv_sec - start.tv_sec));
	close(fds[1]);
}

/* ---- made-up units */

#define MS 1000000ll
#define NEVER NOT_KNOWN

static char *after_b[] = { "b", NULL }, *after_all[] = { "b", "a", "c", "late", "never", NULL };
static char *after_x[] = { "x", NULL }, *after_y[] = { "y", NULL }, *after_xy[] = { "x", "y", NULL };

static struct boot made(struct boot_unit *list, size_t count)
{
	return (struct boot){
		.units = { .known = true, .target = "top", .manager.finish = 100 * MS, .manager.userspace = MS, .list = list,
			   .count = count },
	};
}

Test(chain, time_until_it_was_active_or_had_ended)
{
	static const struct {
		int64_t activating, activated, deactivated, time;
	} cases[] = {
		/* A oneshot service is never active. The third one was active earlier, and is now starting again. */
		{ 10, 15, NEVER, 5 }, { 10, NEVER, 17, 7 }, { 10, 5, 8, 0 }, { NEVER, NEVER, 8, 0 }, { NEVER, NEVER, NEVER, 0 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct boot_unit unit = { .activating = cases[i].activating, .activated = cases[i].activated,
					  .deactivated = cases[i].deactivated };

		cr_expect(boot_unit__time(&unit) == cases[i].time, "%zu", i);
	}
}

/* The names of the chain of the last unit, with a digit for the depth, and a star if its chain is above. */
static void expect_chain(const struct boot *of, const char *expected)
{
	char got[64] = "";

	PRINT(f, boot__chain_json(of, &of->units.list[of->units.count - 1], f));
	parse_text();
	for (size_t i = 0; i < json_object_array_length(at(object, "rows")); i++) {
		struct json_object *row = json_object_array_get_idx(at(object, "rows"), i);

		sprintf(got + strlen(got), "%s%s%s ", json_object_get_string(at(row, "name")),
			json_object_get_string(at(row, "depth")), json_object_get_boolean(at(row, "again")) ? "*" : "");
	}
	cr_expect(eq(str, got, (char *)expected));
}

Test(chain, follows_the_last_one)
{
	struct boot_unit list[] = {
		{ .name = "a", .activating = 1 * MS, .activated = 50 * MS, .after = after_b },
		{ .name = "b", .activating = 1 * MS, .activated = 20 * MS },
		{ .name = "c", .activating = 1 * MS, .activated = 49 * MS },
		/* One unit became active after the boot was complete, the next one never. */
		{ .name = "late", .activating = 1 * MS, .activated = 101 * MS },
		{ .name = "never", .activating = 60 * MS, .activated = NEVER },
		{ .name = "top", .activating = 90 * MS, .activated = 90 * MS, .after = after_all },
	};
	struct boot made_up = made(list, 6);

	expect_chain(&made_up, "top0 a1 b2 ");
	made_up.units.target = "late";
	cr_expect(boot_units__target(&made_up.units) == NULL);
	made_up.units.target = NULL;
	cr_expect(boot_units__target(&made_up.units) == NULL);
}

Test(chain, has_all_that_were_last_and_ends_in_a_circle)
{
	struct boot_unit list[] = {
		{ .name = "x", .activating = 1 * MS, .activated = 50 * MS, .after = after_y },
		{ .name = "y", .activating = 1 * MS, .activated = 50 * MS, .after = after_x },
		{ .name = "top", .activating = 90 * MS, .activated = 90 * MS, .after = after_xy },
	};
	struct boot made_up = made(list, 3);

	expect_chain(&made_up, "top0 x1 y2 x3* y1* ");
	PRINT(f, boot__chain_text(&made_up, &list[2], f));
	expect_text("  `-x (see above)");
	expect_all("document 'boot-critical-chain'\nunit 'top'\nuserspace 1000000\n"
		   "rows.3 {'name':'x','depth':3,'start_monotonic':1000000,'active_monotonic':50000000,'time':49000000,'again':true}");
	PRINT(f, boot__chain_json(&made_up, &list[0], f));
	parse_text();
	expect_at(object, "unit", "\"x\"");
}

/* A document may have a chain of any length. */
Test(chain, is_not_followed_for_ever)
{
	static struct boot_unit list[5000];
	static char names[5001][8];
	static char *after[5000][2];
	struct boot made_up = made(list, 5000);

	for (size_t i = 0; i < 5000; i++) {
		snprintf(names[i], sizeof(names[i]), "%zu", i);
		after[i][0] = i ? names[i - 1] : NULL;
		list[i] = (struct boot_unit){ .name = names[i], .activating = MS, .activated = 2 * MS, .after = after[i] };
	}
	PRINT(f, boot__chain_json(&made_up, &list[4999], f));
	parse_text();
	cr_expect(json_object_array_length(at(object, "rows")) == 1001);
}

/* ---- blame */

/* A probe has an item of its own, so the time of its initcall excludes it. */
Test(blame, has_all_in_one_list)
{
	struct boot_unit list[] = {
		{ .name = "u.service", .activating = 1 * MS, .activated = 21 * MS },
		{ .name = "none", .activating = 5 * MS, .activated = 5 * MS },
	};
	struct boot made_up = made(list, 2);
	struct span calls[] = {
		{ .class = SPAN_INITCALL, .name = "outer", .task = 1, .start = 10 * MS, .end = 100 * MS, .self = 50 * MS },
		{ .class = SPAN_INITCALL, .name = "inner", .task = 1, .start = 20 * MS, .end = 60 * MS, .self = 40 * MS },
		{ .class = SPAN_INITCALL, .name = "tiny", .task = 1, .start = 200 * MS, .end = 209 * MS, .self = 2 * MS },
		{ .class = SPAN_INITCALL, .name = "runs", .task = 1, .start = 300 * MS, .end = NOT_KNOWN, .self = NOT_KNOWN },
		{ .class = SPAN_MODULE, .name = "m_init", .module = "m", .task = 7, .start = 400 * MS, .end = 420 * MS,
		  .self = 20 * MS },
	};
	struct span probes[] = {
		{ .class = SPAN_PROBE, .name = "0:1", .in = "sd", .task = 1, .start = 25 * MS, .end = 55 * MS, .self = 30 * MS },
		{ .class = SPAN_PROBE, .task = 9, .start = 26 * MS, .end = 27 * MS, .self = 1 * MS },
		{ .class = SPAN_CALL, .kind = PROBE_CONSOLE, .task = 1, .start = 70 * MS, .end = 75 * MS, .self = 5 * MS },
		{ .class = SPAN_PROBE, .task = 1, .start = 201 * MS, .end = 204 * MS, .self = 3 * MS },
		{ .class = SPAN_PROBE, .task = 1, .start = 205 * MS, .end = NOT_KNOWN, .self = NOT_KNOWN },
	};

	made_up.initcalls = (struct span_list){ calls, 5 };
	made_up.probes = (struct span_list){ probes, 5 };
	PRINT(f, boot__blame(&made_up, 99, false, f));
	cr_expect(eq(str, text, "      TIME NAME                  KIND\n"
				"  0.050000 outer                 initcall\n"
				"  0.030000 0:1 (sd)              probe\n"
				"  0.020000 u.service             unit\n"
				"  0.020000 m                     module\n"
				"  0.010000 inner                 initcall\n"
				"  0.003000 (a device) (a driver) probe\n"
				"  0.001000 (a device) (a driver) probe\n"));
	PRINT(f, boot__blame(&made_up, 2, false, f));
	expect_text("and 5 more\n");
	/* The document tells what it lacks. */
	for (int i = 0; i < 2; i++) {
		made_up.has_start = i;
		made_up.lost = 4;
		made_up.probes_lost = 3;
		made_up.full = 5;
		PRINT(f, boot__blame(&made_up, 1, true, f));
		parse_text();
		expect_all("document 'boot-blame'\ncomplete true\ncount 7\nitems [{'time':50000000,'name':'outer','kind':'initcall'}]");
		expect_all(i ? "full 5\nlost 7" : "full null\nlost null");
	}
}
