// SPDX-License-Identifier: GPL-2.0-only
/*
 * Asks systemd for the units of a boot; see account.h.
 *
 * For root, this tries systemd's own socket first, as systemctl does: it needs no message bus. Other users can only
 * ask over the bus.
 */
#include <systemd/sd-bus.h>
#include <systemd/sd-daemon.h>

#include "base/memory.h"
#include "boot/account.h"
#include "run/instance.h"

#define SYSTEMD "org.freedesktop.systemd1"
#define SYSTEMD_PATH "/org/freedesktop/systemd1"
#define NS_IN_US 1000
/* The timeout of an answer, long as a machine that has just booted may be busy. */
#define ANSWER_US (30 * 1000000ull)
/* The timeout of a new connection, which a working bus answers at once. sd-bus has 90 s. */
#define READY_NS (5 * 1000000000ull)

/* ---- fields: of json, and of D-Bus if they have a property ("detail") */

static void write_unit_time(json_writer_t *w, const struct json_field *field, const void *member)
{
	boot_unit__is_done(member) ? jsonw_int(w, boot_unit__time(member)) : jsonw_null(w);
}

static const struct json_kind unit_time = { write_unit_time };

#define TEXT(name, type, member) { name, &field_kept, offsetof(struct type, member) }
/* @property: the beginning of the name of the D-Bus property */
#define TIME(name, type, member, property) \
	{ name, &field_time, offsetof(struct type, member), property "TimestampMonotonic" }

static void write_complete(json_writer_t *w, const struct json_field *field, const void *member)
{
	const struct boot_units *u = member;

	u->known ? jsonw_bool(w, boot_units__complete(u)) : jsonw_null(w);
}

const struct json_kind boot_units_complete = { write_complete };

const struct json_field boot_userspace_fields[] = {
	{ "manager", &field_flag, offsetof(struct boot, units.known), "systemd" },
	TEXT("why_not", boot, units.why_not),
	{ "complete", &boot_units_complete, offsetof(struct boot, units) },
	{ "local_ahead", &field_time, offsetof(struct boot, clock.ahead) },
	{ "local_ahead_error", &field_time, offsetof(struct boot, clock.error) },
	{ "local_ahead_slewed", &field_time, offsetof(struct boot, clock.slewed) },
	TEXT("why_no_local_ahead", boot, clock.why_no_ahead),
	TIME("firmware", boot, units.manager.firmware, "Firmware"),
	TIME("loader", boot, units.manager.loader, "Loader"),
	TIME("initrd", boot, units.manager.initrd, "InitRD"),
	TIME("userspace", boot, units.manager.userspace, "Userspace"),
	TIME("security_start", boot, units.manager.security_start, "SecurityStart"),
	TIME("security_finish", boot, units.manager.security_finish, "SecurityFinish"),
	TIME("generators_start", boot, units.manager.generators_start, "GeneratorsStart"),
	TIME("generators_finish", boot, units.manager.generators_finish, "GeneratorsFinish"),
	TIME("load_start", boot, units.manager.load_start, "UnitsLoadStart"),
	TIME("load_finish", boot, units.manager.load_finish, "UnitsLoadFinish"),
	TIME("finish", boot, units.manager.finish, "Finish"),
	{ "jobs", &field_time, offsetof(struct boot, units.jobs) },
	TEXT("target", boot, units.target),
	{ }
};

const struct json_field boot_unit_fields[] = {
	{ "name", &field_name, offsetof(struct boot_unit, name) },
	TEXT("state", boot_unit, state),
	TEXT("result", boot_unit, result),
	{ "start", &field_time, offsetof(struct boot_unit, start) },
	{ "time", &unit_time },
	{ "active", &field_time, offsetof(struct boot_unit, active) },
	TIME("start_monotonic", boot_unit, activating, "InactiveExit"),
	TIME("active_monotonic", boot_unit, activated, "ActiveEnter"),
	TIME("stop_monotonic", boot_unit, deactivating, "ActiveExit"),
	TIME("inactive_monotonic", boot_unit, deactivated, "InactiveEnter"),
	{ "after", &field_texts, offsetof(struct boot_unit, after), "After" },
	{ "names", &field_texts, offsetof(struct boot_unit, names), "Names" },
	{ }
};

/* Subtracts @offset from all times of systemd; there is none before the clock's zero. NOT_KNOWN: sets all to that. */
static void shift(void *object, const struct json_field *p, int64_t offset)
{
	for (; p->name; p++) {
		int64_t *time = (int64_t *)((char *)object + p->offset);

		if (p->kind == &field_time && p->detail)
			*time = offset != NOT_KNOWN && *time != NOT_KNOWN && *time > offset ? *time - offset : NOT_KNOWN;
	}
}

void boot_units__not_known(struct boot *b, const char *why)
{
	b->units = (struct boot_units){ .why_not = why, .jobs = NOT_KNOWN };
	shift(b, boot_userspace_fields, NOT_KNOWN);
}

static void free_texts(char **list)
{
	for (char **text = list; text && *text; text++)
		free(*text);
	free(list);
}

/* ---- D-Bus calls */

static int read_value(sd_bus_message *m, const struct json_field *p, void *into)
{
	void *member = (char *)into + p->offset;
	int err = sd_bus_message_enter_container(m, 'v', p->kind == &field_texts ? "as" : "t");

	if (err < 0)
		return err;
	if (p->kind == &field_texts) {
		free_texts(*(char ***)member);
		*(char ***)member = NULL;
		err = sd_bus_message_read_strv(m, member);
	} else {
		uint64_t us = 0;

		err = sd_bus_message_read_basic(m, 't', &us);
		*(int64_t *)member = us && us < INT64_MAX / 2 / NS_IN_US ? (int64_t)us * NS_IN_US : NOT_KNOWN;
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
		while (err >= 0 && p->name && (!p->detail || strcmp(p->detail, name)))
			p++;
		if (err >= 0)
			err = p->name ? read_value(m, p, into) : sd_bus_message_skip(m, "v");
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

/* Reads why a unit has failed, from the interface of its type: ".service" has Service. */
static void ask_result(sd_bus *bus, const char *path, struct boot_unit *unit, struct strings *store)
{
	const char *type = strrchr(unit->name, '.');
	char interface[64], *result = NULL;

	if (!type || !type[1])
		return;
	snprintf(interface, sizeof(interface), SYSTEMD ".%c%s", type[1] & ~0x20, type + 2);
	if (sd_bus_interface_name_is_valid(interface) > 0 &&
	    sd_bus_get_property_string(bus, SYSTEMD, path, interface, "Result", NULL, &result) >= 0)
		unit->result = strings__intern(store, result);
	free(result);
}

/* Adds a unit, unless it was not started in this boot, or is gone. */
static int ask_unit(sd_bus *bus, struct boot_units *u, const char *name, const char *state, const char *path,
		    struct strings *store)
{
	struct boot_unit unit = { .name = strings__add(store, name), .state = strings__intern(store, state) };
	int err;

	shift(&unit, boot_unit_fields, NOT_KNOWN);
	err = ask_properties(bus, path, SYSTEMD ".Unit", boot_unit_fields, &unit);
	if (err < 0 || unit.activating == NOT_KNOWN) {
		free_texts(unit.after);
		free_texts(unit.names);
		return err == -ENOENT ? 0 : err;
	}
	if (!strcmp(state, "failed"))
		ask_result(bus, path, &unit, store);
	*LIST_ADD(u->list, u->count) = unit;
	return 0;
}

static int ask_units(sd_bus *bus, struct boot_units *u, struct strings *store)
{
	const char *name, *state, *path;
	sd_bus_message *answer = NULL;
	int err = sd_bus_call_method(bus, SYSTEMD, SYSTEMD_PATH, SYSTEMD ".Manager", "ListUnits", NULL,
				     &answer, "");

	if (err >= 0)
		err = sd_bus_message_enter_container(answer, 'a', "(ssssssouso)");
	while (err >= 0 && (err = sd_bus_message_read(answer, "(ssssssouso)", &name, NULL, NULL, &state,
						      NULL, NULL, &path, NULL, NULL, NULL)) > 0)
		err = ask_unit(bus, u, name, state, path, store);
	sd_bus_message_unref(answer);
	return err;
}

/* Leaves only units that were started in the boot: a unit did not wait for others. */
static void drop_others(const struct boot_units *u, char **after)
{
	char **to = after;

	for (; after && *after; after++) {
		const struct boot_unit *other = boot_units__find(u, *after);

		if (other && (u->manager.finish == NOT_KNOWN || other->activating <= u->manager.finish))
			*to++ = *after;
		else
			free(*after);
	}
	if (to)
		*to = NULL;
}

/* Finds the default target: default.target is an alias. */
static void ask_target(sd_bus *bus, struct boot_units *u, struct strings *store)
{
	char *path = NULL, *name = NULL;

	if (sd_bus_path_encode(SYSTEMD_PATH "/unit", "default.target", &path) >= 0 &&
	    sd_bus_get_property_string(bus, SYSTEMD, path, SYSTEMD ".Unit", "Id", NULL, &name) >= 0)
		u->target = strings__add(store, name);
	free(name);
	free(path);
}

/* Even a bus that hangs seems to accept connections, as the kernel accepts them for it. */
static int wait_until_ready(sd_bus *bus)
{
	uint64_t end = clock__monotonic() + READY_NS, now;
	int err = 0;

	while (err >= 0 && !sd_bus_is_ready(bus)) {
		now = clock__monotonic();
		if (now >= end)
			return -ETIMEDOUT;
		err = sd_bus_process(bus, NULL);
		if (!err)
			err = sd_bus_wait(bus, (end - now) / 1000);
	}
	return err < 0 ? err : 0;
}

int boot_units__ask(struct boot *b, struct sd_bus *bus)
{
	struct boot_units *u = &b->units;
	uint32_t jobs = 0;
	int err;

	boot_units__not_known(b, NULL);
	u->list = xcalloc(0, sizeof(*u->list));
	err = sd_bus_set_method_call_timeout(bus, ANSWER_US);
	if (err >= 0)
		err = wait_until_ready(bus);
	if (err == -ETIMEDOUT)
		u->why_not = "systemd does not answer: it accepts connections, and says nothing for 5 s";
	if (err >= 0)
		err = ask_properties(bus, SYSTEMD_PATH, SYSTEMD ".Manager", boot_userspace_fields, b);
	if (err >= 0)
		err = sd_bus_get_property_trivial(bus, SYSTEMD, SYSTEMD_PATH, SYSTEMD ".Manager", "NJobs", NULL, 'u',
						  &jobs);
	if (err >= 0)
		err = ask_units(bus, u, b->store);
	if (err >= 0)
		ask_target(bus, u, b->store);
	for (size_t i = 0; i < u->count; i++)
		drop_others(u, u->list[i].after);
	u->jobs = jobs;
	u->known = err >= 0;
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

void boot_units__shift(struct boot *b, int64_t offset)
{
	struct boot_manager *m = &b->units.manager;
	int64_t firmware = m->firmware, loader = m->loader;

	shift(b, boot_userspace_fields, offset);
	/* These are durations. */
	m->firmware = firmware;
	m->loader = loader;
	for (size_t i = 0; i < b->units.count; i++)
		shift(&b->units.list[i], boot_unit_fields, offset);
}

bool boot_units__are_here(void)
{
	return sd_booted() > 0;
}

void boot_units__load(struct boot *b)
{
	sd_bus *bus = NULL;
	int err;

	boot_units__not_known(b, "process 1 is not systemd");
	if (!boot_units__are_here())
		return;
	b->units.why_not = NULL;
	err = open_bus(&bus);
	if (err >= 0)
		err = boot_units__ask(b, bus);
	if (err >= 0)
		boot_units__shift(b, clock__offset("/proc/1/timens_offsets", "monotonic"));
	if (err == -ENOMEM)
		memory__fail();
	if (err < 0) {
		char *text = xasprintf("systemd cannot be asked: %s", strerror(-err));
		const char *why = b->units.why_not ?: strings__add(b->store, text);

		boot_units__free(&b->units);
		boot_units__not_known(b, why);
		free(text);
	}
}

void boot_units__free(struct boot_units *u)
{
	for_list(unit, u) {
		free_texts(unit->after);
		free_texts(unit->names);
	}
	free(u->list);
	u->list = NULL;
	u->count = 0;
}

/* ---- what the facts mean */

bool boot_units__complete(const struct boot_units *u)
{
	return u->known && u->manager.finish != NOT_KNOWN;
}

const struct boot_unit *boot_units__find(const struct boot_units *u, const char *name)
{
	for_list(unit, u) {
		if (name && !strcmp(unit->name, name))
			return unit;
	}
	return NULL;
}

const struct boot_unit *boot_units__target(const struct boot_units *u)
{
	const struct boot_unit *unit = boot_units__find(u, u->target);

	return unit && boot_units__in_boot(u, unit) ? unit : NULL;
}

/* "foo.bar" has no type, as "bar" is not one: it is short for foo.bar.service. */
static bool has_type(const char *name)
{
	const char *dot = strrchr(name, '.');
	autofree char *type = xasprintf("%s.", dot ?: "-");

	return strstr(".service.socket.device.mount.automount.swap.target.path.timer.slice.scope.", type);
}

const struct boot_unit *boot_units__find_typed(const struct boot_units *u, const char *name)
{
	size_t length = strlen(name);

	for_list(unit, u) {
		for (char **alias = unit->names; alias && *alias; alias++) {
			if (!strncmp(*alias, name, length) && !strcmp(*alias + length, has_type(name) ? "" : ".service"))
				return unit;
		}
	}
	return NULL;
}

bool boot_unit__is_done(const struct boot_unit *unit)
{
	return unit->activating != NOT_KNOWN &&
	       (unit->activated >= unit->activating || unit->deactivated >= unit->activating);
}

int64_t boot_unit__time(const struct boot_unit *unit)
{
	if (!boot_unit__is_done(unit))
		return 0;
	return (unit->activated >= unit->activating ? unit->activated : unit->deactivated) - unit->activating;
}

bool boot_units__in_boot(const struct boot_units *u, const struct boot_unit *unit)
{
	return unit->activating != NOT_KNOWN && unit->activated != NOT_KNOWN && unit->activated <= u->manager.finish;
}
