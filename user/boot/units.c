// SPDX-License-Identifier: GPL-2.0-only
/*
 * Asks systemd for the units of a boot; see units.h.
 *
 * For root, this tries systemd's own socket first, as systemctl does: it needs no message bus.
 * Other users can only ask over the bus.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <systemd/sd-bus.h>
#include <systemd/sd-daemon.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "boot/units.h"
#include "run/instance.h"

#define SYSTEMD "org.freedesktop.systemd1"
#define SYSTEMD_PATH "/org/freedesktop/systemd1"
#define NS_IN_US 1000
/* The timeout of an answer, long as a machine that has just booted may be busy. */
#define ANSWER_US (30 * 1000000ull)
/* The timeout of a new connection, which a working bus answers at once. sd-bus has 90 s. */
#define READY_US (5 * 1000000ull)

/* @property: the beginning of the name of the D-Bus property, which is the field's "detail". */
#define TIME(field, type, member, property) \
	{ field, &field_some_number, offsetof(struct type, member), property "TimestampMonotonic" }

const struct json_field boot_manager_fields[] = {
	TIME("firmware", boot_manager, firmware, "Firmware"),
	TIME("loader", boot_manager, loader, "Loader"),
	TIME("initrd", boot_manager, initrd, "InitRD"),
	TIME("userspace", boot_manager, userspace, "Userspace"),
	TIME("security_start", boot_manager, security_start, "SecurityStart"),
	TIME("security_finish", boot_manager, security_finish, "SecurityFinish"),
	TIME("generators_start", boot_manager, generators_start, "GeneratorsStart"),
	TIME("generators_finish", boot_manager, generators_finish, "GeneratorsFinish"),
	TIME("load_start", boot_manager, load_start, "UnitsLoadStart"),
	TIME("load_finish", boot_manager, load_finish, "UnitsLoadFinish"),
	TIME("finish", boot_manager, finish, "Finish"),
	{ }
};

/* The lists have no name, as they are not json fields. */
const struct json_field boot_unit_fields[] = {
	TIME("start_monotonic", boot_unit, activating, "InactiveExit"),
	TIME("active_monotonic", boot_unit, activated, "ActiveEnter"),
	TIME("stop_monotonic", boot_unit, deactivating, "ActiveExit"),
	TIME("inactive_monotonic", boot_unit, deactivated, "InactiveEnter"),
	{ .offset = offsetof(struct boot_unit, after), .detail = "After" },
	{ .offset = offsetof(struct boot_unit, names), .detail = "Names" },
	{ }
};

/* ---- D-Bus calls */

static void free_names(char **names)
{
	for (size_t i = 0; names && names[i]; i++)
		free(names[i]);
	free(names);
}

static void free_unit(struct boot_unit *unit)
{
	free_names(unit->after);
	free_names(unit->names);
}

static int read_value(sd_bus_message *m, const struct json_field *p, void *into)
{
	void *member = (char *)into + p->offset;
	int err = sd_bus_message_enter_container(m, 'v', p->name ? "t" : "as");

	if (err < 0)
		return err;
	if (!p->name) {
		free_names(*(char ***)member);
		*(char ***)member = NULL;
		err = sd_bus_message_read_strv(m, member);
	} else {
		uint64_t us = 0;

		err = sd_bus_message_read_basic(m, 't', &us);
		*(uint64_t *)member = us * NS_IN_US;
	}
	return err < 0 ? err : sd_bus_message_exit_container(m);
}

/* Reads the answer of GetAll, a dictionary of all properties of an interface. */
static int read_properties(sd_bus_message *m, const struct json_field *wanted, void *into)
{
	const char *name;
	int err = sd_bus_message_enter_container(m, 'a', "{sv}");

	while (err >= 0 && (err = sd_bus_message_enter_container(m, 'e', "sv")) > 0) {
		const struct json_field *p = wanted;

		err = sd_bus_message_read_basic(m, 's', &name);
		while (err >= 0 && p->detail && strcmp(p->detail, name))
			p++;
		if (err >= 0)
			err = p->detail ? read_value(m, p, into) : sd_bus_message_skip(m, "v");
		if (err >= 0)
			err = sd_bus_message_exit_container(m);
	}
	return err;
}

/* Returns -ENOENT if the object does not exist: a unit may be gone since it was listed. */
static int ask_properties(sd_bus *bus, const char *path, const char *interface,
			  const struct json_field *wanted, void *into)
{
	sd_bus_error error = SD_BUS_ERROR_NULL;
	sd_bus_message *answer = NULL;
	int err = sd_bus_call_method(bus, SYSTEMD, path, "org.freedesktop.DBus.Properties", "GetAll",
				     &error, &answer, "s", interface);

	if (sd_bus_error_has_name(&error, SD_BUS_ERROR_UNKNOWN_OBJECT) ||
	    sd_bus_error_has_name(&error, SYSTEMD ".NoSuchUnit"))
		err = -ENOENT;
	sd_bus_error_free(&error);

	if (err >= 0)
		err = read_properties(answer, wanted, into);
	sd_bus_message_unref(answer);
	return err;
}

/* Reads why a unit has failed, from the interface of its type. */
static void ask_result(sd_bus *bus, const char *path, struct boot_unit *unit, struct strings *store)
{
	static const struct {
		const char *type, *interface;
	} types[] = {
		{ ".service", SYSTEMD ".Service" }, { ".mount", SYSTEMD ".Mount" },
		{ ".socket", SYSTEMD ".Socket" }, { ".swap", SYSTEMD ".Swap" },
		{ ".automount", SYSTEMD ".Automount" }, { ".path", SYSTEMD ".Path" },
		{ ".timer", SYSTEMD ".Timer" }, { ".scope", SYSTEMD ".Scope" },
	};
	const char *type = strrchr(unit->name, '.');
	char *result = NULL;

	for (size_t i = 0; type && i < sizeof(types) / sizeof(types[0]); i++) {
		if (!strcmp(types[i].type, type) &&
		    sd_bus_get_property_string(bus, SYSTEMD, path, types[i].interface, "Result", NULL,
					       &result) >= 0)
			unit->result = strings__intern(store, result);
	}
	free(result);
}

static int ask_units(sd_bus *bus, struct boot_units *u)
{
	const char *name, *state, *path;
	sd_bus_message *answer = NULL;
	int err = sd_bus_call_method(bus, SYSTEMD, SYSTEMD_PATH, SYSTEMD ".Manager", "ListUnits", NULL,
				     &answer, "");

	if (err >= 0)
		err = sd_bus_message_enter_container(answer, 'a', "(ssssssouso)");
	while (err >= 0 && (err = sd_bus_message_read(answer, "(ssssssouso)", &name, NULL, NULL, &state,
						      NULL, NULL, &path, NULL, NULL, NULL)) > 0) {
		*LIST_ADD(u->list, u->count) = (struct boot_unit){
			.name = strings__add(u->store, name), .state = strings__intern(u->store, state),
		};
		err = ask_properties(bus, path, SYSTEMD ".Unit", boot_unit_fields, &u->list[u->count - 1]);
		if (err == -ENOENT) {
			free_unit(&u->list[--u->count]);
			err = 0;
		} else if (err >= 0 && !strcmp(state, "failed")) {
			ask_result(bus, path, &u->list[u->count - 1], u->store);
		}
	}
	sd_bus_message_unref(answer);
	return err;
}

/* Finds the default target: default.target is an alias. */
static void ask_target(sd_bus *bus, struct boot_units *u)
{
	char *path = NULL, *name = NULL;

	if (sd_bus_path_encode(SYSTEMD_PATH "/unit", "default.target", &path) >= 0 &&
	    sd_bus_get_property_string(bus, SYSTEMD, path, SYSTEMD ".Unit", "Id", NULL, &name) >= 0)
		u->target = strings__add(u->store, name);
	free(name);
	free(path);
}

static uint64_t now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000ull + t.tv_nsec / 1000;
}

/* Even a bus that hangs seems to accept connections, as the kernel accepts them for it. */
static int wait_until_ready(sd_bus *bus)
{
	uint64_t end = now_us() + READY_US, now = 0;
	int err = 0;

	while (err >= 0 && !sd_bus_is_ready(bus)) {
		now = now_us();
		if (now >= end)
			return -ETIMEDOUT;
		err = sd_bus_process(bus, NULL);
		if (!err)
			err = sd_bus_wait(bus, end - now);
	}
	return err < 0 ? err : 0;
}

int boot_units__ask(struct boot_units *ret, struct sd_bus *bus)
{
	int err;

	memset(ret, 0, sizeof(*ret));
	ret->store = strings__new();
	err = sd_bus_set_method_call_timeout(bus, ANSWER_US);
	if (err >= 0)
		err = wait_until_ready(bus);
	if (err == -ETIMEDOUT)
		snprintf(ret->why_not, sizeof(ret->why_not), "systemd does not answer: it accepts connections, and says nothing "
			 "for %llu s", READY_US / 1000000);
	if (err >= 0)
		err = ask_properties(bus, SYSTEMD_PATH, SYSTEMD ".Manager", boot_manager_fields, &ret->manager);
	if (err >= 0)
		err = sd_bus_get_property_trivial(bus, SYSTEMD, SYSTEMD_PATH, SYSTEMD ".Manager", "NJobs",
						  NULL, 'u', &ret->jobs);
	if (err >= 0)
		err = ask_units(bus, ret);
	if (err >= 0)
		ask_target(bus, ret);
	ret->known = err >= 0;
	/* No flush: it would wait for a connection that is not ready. All calls were answered. */
	sd_bus_close_unref(bus);
	return err < 0 ? err : 0;
}

static int open_bus(sd_bus **ret)
{
	sd_bus *bus = NULL;
	int err = geteuid() ? -EPERM : sd_bus_new(&bus);

	if (err >= 0)
		err = sd_bus_set_address(bus, "unix:path=/run/systemd/private");
	if (err >= 0)
		err = sd_bus_start(bus);
	if (err >= 0) {
		*ret = bus;
		return 0;
	}
	sd_bus_unref(bus);
	return sd_bus_open_system(ret);
}

/* Subtracts @offset from all times, except from 0, which means never. */
static void shift(void *object, const struct json_field *p, int64_t offset)
{
	for (; p->name; p++) {
		uint64_t *time = (uint64_t *)((char *)object + p->offset);

		if (*time)
			*time = (int64_t)*time > offset ? *time - offset : 0;
	}
}

void boot_units__shift(struct boot_units *u, int64_t offset)
{
	/* The first two, firmware and loader, are durations. */
	shift(&u->manager, boot_manager_fields + 2, offset);
	for (size_t i = 0; i < u->count; i++)
		shift(&u->list[i], boot_unit_fields, offset);
}

bool boot_units__are_here(void)
{
	return sd_booted() > 0;
}

void boot_units__load(struct boot_units *ret)
{
	sd_bus *bus = NULL;
	int err;

	memset(ret, 0, sizeof(*ret));
	if (!boot_units__are_here()) {
		snprintf(ret->why_not, sizeof(ret->why_not), "process 1 is not systemd");
		return;
	}
	err = open_bus(&bus);
	if (err >= 0)
		err = boot_units__ask(ret, bus);
	if (err >= 0)
		boot_units__shift(ret, clock__offset("/proc/1/timens_offsets", "monotonic"));
	if (err == -ENOMEM)
		memory__fail();
	if (err < 0 && !*ret->why_not)
		snprintf(ret->why_not, sizeof(ret->why_not), "systemd cannot be asked: %s", strerror(-err));
}

void boot_units__free(struct boot_units *u)
{
	for (size_t i = 0; i < u->count; i++)
		free_unit(&u->list[i]);
	free(u->list);
	strings__free(u->store);
	memset(u, 0, sizeof(*u));
}
