// SPDX-License-Identifier: GPL-2.0-only
/* Divides a boot into parts; see account.h. */
#include <fcntl.h>

#include "base/files.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/sorted.h"
#include "boot/account.h"
#include "boot/next.h"

/* ---- fields */

static const char *const sources[] = { "", "fpdt", "efi", "systemd", NULL };
const char *const boot_part_names[] = {
	"firmware", "loader", "unpacking", "before_clock", "before_initcalls", "initcalls", "after_initcalls", "initrd",
	"init", "units", "rest", "between", NULL
};

const char *const boot_part_titles[] = {
	"firmware", "boot loader", "kernel, until its first call", "kernel, until its clock", "kernel, until the initcalls",
	"initcalls", "kernel, until /init", "initrd", "systemd, until it starts units", "units, until the default target",
	"units, until the boot is complete", "systemd, while it started no unit",
};

#define AT(member) offsetof(struct boot, member)

static const struct json_field part_fields[] = {
	{ "name", &field_word, offsetof(struct boot_part, kind), boot_part_names },
	{ "level", &field_kept, offsetof(struct boot_part, level) },
	{ "start", &field_time, offsetof(struct boot_part, start) },
	{ "time", &field_time, offsetof(struct boot_part, time) },
	{ "with", &field_time, offsetof(struct boot_part, with) },
	{ }
}, parts_fields[] = {
	{ "total", &field_time, AT(parts.total) },
	{ "not_accounted", &field_time, AT(parts.not_accounted) },
	{ "init", &field_kept, AT(parts.init) },
	{ "started_again", &field_time, AT(parts.started_again) },
	{ "rows", &field_list, AT(parts.list), JSON_LIST(struct boot_parts, list, count, part_fields) },
	{ }
}, firmware_fields[] = {
	{ "source", &field_word, AT(firmware.source), sources },
	{ "kexec", &field_bool, AT(firmware.kexec) },
	{ "loader_start", &field_time, AT(firmware.loader_start) },
	{ "loader_end", &field_time, AT(firmware.loader_end) },
	{ "tsc_since_reset", &field_time, AT(clock.since_reset) },
	{ "tsc_error", &field_time, AT(clock.tsc_error) },
	{ "why_no_tsc", &field_kept, AT(clock.why_no_tsc) },
	{ "unstable", &field_bool, AT(clock.unstable) },
	{ }
};

static const struct json_field machine_fields[] = {
	{ "cpus", &field_some_number, AT(machine.cpus) },
	{ "memory_bytes", &field_some_number, AT(machine.memory) },
	{ "model", &field_kept, AT(machine.model) },
	{ }
};

const struct json_field account_fields[] = {
	{ "machine", &field_object, 0, machine_fields },
	{ "asked", &field_bool, AT(asked) },
	{ "parts", &field_object, 0, parts_fields },
	{ "firmware", &field_object, 0, firmware_fields },
	{ "userspace", &field_object, 0, boot_userspace_fields },
	{ "units", &field_list, AT(units.list), JSON_LIST(struct boot_units, list, count, boot_unit_fields) },
	{ }
};

/* ---- adding parts */

struct builder {
	struct boot *b;
	int64_t last;			/* the last known end of a part, or NOT_KNOWN */
	int64_t waiting;		/* the number of parts since "last", with unknown ends */
};

static void add_time(struct boot_part *part, struct boot_parts *p, int64_t time)
{
	part->time = time;
	p->total += time;
}

/* Adds a part that ends at @end, or NOT_KNOWN. The result is valid until the next one is added. */
static struct boot_part *add(struct builder *b, enum part_kind kind, int64_t end)
{
	struct boot_parts *p = &b->b->parts;
	struct boot_part *part = LIST_ADD(p->list, p->count);

	*part = (struct boot_part){ .kind = kind, .start = b->waiting ? NOT_KNOWN : b->last, .time = NOT_KNOWN };
	/* If clocks differ by more than their errors, the time of a part is 0, never negative. */
	if (end != NOT_KNOWN && end < b->last)
		end = b->last;
	if (end == NOT_KNOWN) {
		b->waiting++;
		return part;
	}
	if (b->last != NOT_KNOWN) {
		part->start = b->last;
		part->with = b->waiting;
		add_time(part, p, end - b->last);
	}
	b->last = end;
	b->waiting = 0;
	return part;
}

/* The time from the last known end to @until is in no part. */
static void skip(struct builder *b, int64_t until)
{
	if (b->last == NOT_KNOWN || until <= b->last)
		return;
	b->b->parts.not_accounted += until - b->last;
	b->b->parts.total += until - b->last;
	b->last = until;
}

/* ---- before the kernel's clock */

static void add_before(struct builder *b)
{
	const struct boot_firmware *f = &b->b->firmware;
	const struct boot_clock *c = &b->b->clock;
	int64_t since = c->since_reset, reset, first;

	reset = since != NOT_KNOWN && !f->kexec && boot_firmware__fits(f, since) ? -since : NOT_KNOWN;
	b->last = reset;
	add(b, PART_FIRMWARE, reset != NOT_KNOWN && f->source ? reset + f->loader_start : NOT_KNOWN);
	add(b, PART_LOADER, reset != NOT_KNOWN && f->source ? reset + f->loader_end : NOT_KNOWN);
	/* Without the TSC, the firmware still tells their durations, but not when they began. */
	if (f->source && reset == NOT_KNOWN) {
		add_time(&b->b->parts.list[0], &b->b->parts, f->loader_start);
		add_time(&b->b->parts.list[1], &b->b->parts, f->loader_end - f->loader_start);
		b->waiting = 0;
	}
	if (b->b->first_call != NOT_KNOWN) {
		/* Not after the clock's zero: an error of the clocks must not move later parts. */
		first = boot_clock__from_tsc(c, b->b->first_call);
		add(b, PART_UNPACKING, first <= 0 ? first : NOT_KNOWN);
	}
	add(b, PART_BEFORE_CLOCK, 0);
}

/* ---- the kernel */

/* A program that starts later than systemd by more than this is systemd executing itself anew. */
#define MOST_ERROR_NS 10000000000ll

/*
 * The program that stays process 1: the last program before systemd began, within the error of the clocks. If that
 * time is not known: the second program, after the initrd's. SIZE_MAX: none yet.
 */
static size_t find_init(const struct boot *b)
{
	int64_t userspace = boot_clock__from_monotonic(&b->clock, b->units.manager.userspace);
	int64_t error = b->clock.error < MOST_ERROR_NS ? b->clock.error : MOST_ERROR_NS;
	size_t found = SIZE_MAX;

	if (userspace == NOT_KNOWN)
		return b->inits.count > 1 ? 1 : b->inits.count - 1;
	for (size_t i = 0; i < b->inits.count && b->inits.list[i].start <= userspace + error; i++)
		found = i;
	return found;
}

/* The position of a level in the kernel's order. SIZE_MAX: the level is not known. */
static size_t rank(const char *level)
{
	static const char *const order[] = {
		"early", "pure", "core", "postcore", "arch", "subsys", "fs", "device", "late",
	};

	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
		if (!strcmp(order[i], level))
			return i;
	}
	return SIZE_MAX;
}

/* Are the events of the next level, or levels, missing? */
static bool is_followed_by_hole(const struct span_list *levels, size_t level)
{
	size_t next = level + 1 < levels->count ? rank(levels->list[level + 1].name) : rank("late") + 1;
	size_t own = rank(levels->list[level].name);

	return own != SIZE_MAX && next != SIZE_MAX && next > own + 1;
}

/* The latest recorded end of an initcall of the level. */
static int64_t end_of_initcalls(const struct boot *b, const struct span *level)
{
	int64_t end = level->start;

	for_list(call, &b->initcalls) {
		if (call->in && !strcmp(call->in, level->name) && call->end > end)
			end = call->end;
	}
	return end;
}

/* Adds the levels. A level before a missing level ends with its last initcall. */
static void add_levels(struct builder *b)
{
	const struct span_list *levels = &b->b->levels, *inits = &b->b->inits;

	for (size_t i = 0; i < levels->count; i++) {
		bool hole = is_followed_by_hole(levels, i);

		add(b, PART_LEVEL, hole ? end_of_initcalls(b->b, &levels->list[i]) : levels->list[i].end)->level =
			levels->list[i].name;
		if (hole && i + 1 < levels->count)
			skip(b, levels->list[i + 1].start);
		else if (hole && inits->count)
			skip(b, inits->list[0].start);
	}
}

/*
 * The first program of process 1 by the kernel's log, which is there on any kernel. Only the kernel writes messages
 * with facility 0. It tries several programs without an initramfs; the last message is of the one that was found.
 */
static int64_t find_in_log(struct boot *b, FILE *log, bool *ret_is_initrd)
{
	int64_t found = NOT_KNOWN;
	char *line = NULL;
	size_t room = 0;

	while (log && getline(&line, &room, log) > 0) {
		unsigned int priority;
		char program[256];
		int64_t us;
		int end = 0;

		sscanf(line, "%u,%*u,%" SCNd64 ",%*[^;];Run %255s as init process%n", &priority, &us, program, &end);
		if (end && priority < 8) {
			found = us * 1000 + b->clock.log_ahead;
			*ret_is_initrd = !strcmp(program, "/init") ||
					 (b->kernel.cmdline && strstr(b->kernel.cmdline, "rdinit="));
			b->parts.init = *ret_is_initrd ? NULL : strings__add(b->store, program);
		}
	}
	free(line);
	return found;
}

static void add_kernel(struct builder *b, FILE *log)
{
	struct boot *boot = b->b;
	const struct boot_manager *m = &boot->units.manager;
	bool whole = boot->has_start && boot__has_beginning(boot), has_initrd = true;
	size_t init = find_init(boot);
	int64_t first, last;

	add(b, PART_BEFORE_INITCALLS, whole ? boot->levels.list[0].start : NOT_KNOWN);
	if (whole)
		add_levels(b);
	else
		add(b, PART_LEVEL, NOT_KNOWN);
	first = boot->inits.count ? boot->inits.list[0].start : find_in_log(boot, log, &has_initrd);
	/* A systemd in the initrd tells when it began. */
	if (first == NOT_KNOWN)
		first = boot_clock__from_monotonic(&boot->clock, m->initrd);
	add(b, PART_AFTER_INITCALLS, first);
	if (init != SIZE_MAX) {
		boot->parts.init = boot->inits.list[init].name;
		last = boot->inits.list[init].start;
	} else {
		last = boot_clock__from_monotonic(&boot->clock, m->userspace);
	}
	/* Without an initrd, its time is 0. */
	if (init && has_initrd)
		add(b, PART_INITRD, last);
	else if (b->last != NOT_KNOWN && !b->waiting)
		add(b, PART_INITRD, b->last);
}

/* ---- user space */

static int by_start(const void *a, const void *b)
{
	const struct boot_unit *const *x = a, *const *y = b;

	return ORDER((*x)->activating, (*y)->activating);
}

/* How long was no unit starting, from @start to @end (CLOCK_MONOTONIC)? */
static int64_t find_gaps(const struct boot_units *u, int64_t start, int64_t end)
{
	const struct boot_unit **sorted = xcalloc(u->count, sizeof(*sorted));
	size_t count = 0;
	int64_t gaps = 0;

	for (size_t i = 0; i < u->count; i++) {
		if (boot_unit__time(&u->list[i]))
			sorted[count++] = &u->list[i];
	}
	qsort(sorted, count, sizeof(*sorted), by_start);
	for (size_t i = 0; i < count && start < end; i++) {
		int64_t next = sorted[i]->activating < end ? sorted[i]->activating : end;
		int64_t done = sorted[i]->activating + boot_unit__time(sorted[i]);

		if (next > start)
			gaps += next - start;
		if (done > start)
			start = done;
	}
	if (start < end)
		gaps += end - start;
	free(sorted);
	return gaps;
}

/*
 * Moves the time in which no unit was starting from a part to @sum. A part whose start is not known includes earlier
 * parts, and so is longer than from @start to @end.
 */
static void take_gaps(struct boot_part *part, const struct boot_units *u, int64_t start, int64_t end, int64_t *sum)
{
	int64_t gaps;

	if (part->time == NOT_KNOWN || start == NOT_KNOWN || end <= start)
		return;
	gaps = find_gaps(u, start, end);
	if (gaps > part->time)
		gaps = part->time;
	part->time -= gaps;
	*sum = (*sum == NOT_KNOWN ? 0 : *sum) + gaps;
}

/* systemd keeps only a unit's last start. A unit that had ended before it had started before. */
static int64_t count_started_again(const struct boot_units *u)
{
	int64_t count = 0;

	for_list(unit, u) {
		count += unit->activating > u->manager.finish && unit->deactivated != NOT_KNOWN &&
			 unit->deactivated <= unit->activating;
	}
	return boot_units__complete(u) ? count : NOT_KNOWN;
}

static void add_userspace(struct builder *b)
{
	const struct boot_units *u = &b->b->units;
	const struct boot_clock *c = &b->b->clock;
	const struct boot_unit *target = boot_units__target(u);
	int64_t loaded = u->manager.load_finish, reached = target ? target->activated : NOT_KNOWN, gaps = NOT_KNOWN;

	b->b->parts.started_again = count_started_again(u);
	add(b, PART_INIT, boot_clock__from_monotonic(c, loaded));
	take_gaps(add(b, PART_UNITS, boot_clock__from_monotonic(c, reached)), u, loaded, reached, &gaps);
	take_gaps(add(b, PART_REST, boot_clock__from_monotonic(c, u->manager.finish)), u,
		  reached == NOT_KNOWN ? loaded : reached, u->manager.finish, &gaps);
	*add(b, PART_BETWEEN, NOT_KNOWN) = (struct boot_part){ PART_BETWEEN, NULL, NOT_KNOWN, gaps };
}

/* ---- */

void boot__divide(struct boot *b, FILE *log)
{
	const struct boot_manager *m = &b->units.manager;
	struct builder builder = { .b = b };

	if (b->units.known && b->ahead)
		boot_clock__of_boot(&b->clock, &b->inits, b->ahead, m->userspace, m->finish);
	boot_firmware__add(&b->firmware, m->firmware, m->loader);
	for (size_t i = 0; i < b->units.count; i++) {
		b->units.list[i].start = boot_clock__from_monotonic(&b->clock, b->units.list[i].activating);
		b->units.list[i].active = boot_clock__from_monotonic(&b->clock, b->units.list[i].activated);
	}
	add_before(&builder);
	add_kernel(&builder, log);
	add_userspace(&builder);
}

/* Reads "model name	: QEMU Virtual CPU" of the first CPU. */
static void read_machine(struct boot *b)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN), pages = sysconf(_SC_PHYS_PAGES);
	char *text = file__text("/proc/cpuinfo"), *name = text ? strstr(text, "model name") : NULL;
	char *value = name ? strchr(name, ':') : NULL;

	b->machine.cpus = cpus > 0 ? cpus : 0;
	b->machine.memory = pages > 0 ? (uint64_t)pages * sysconf(_SC_PAGESIZE) : 0;
	if (value) {
		value += 1 + strspn(value + 1, " \t");
		value[strcspn(value, "\n")] = '\0';
		b->machine.model = strings__add(b->store, value);
	}
	free(text);
}

void boot__account(struct boot *b, const char *dir)
{
	int fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	FILE *log = fd < 0 ? NULL : fdopen(fd, "r");
	struct boot_asked asked = boot_asked__now();

	b->asked = b->has_start || asked.instance || asked.in_top;
	read_machine(b);
	boot_clock__measure(&b->clock, dir, b->store);
	boot_firmware__load(&b->firmware, "/sys/firmware");
	boot_units__load(b);
	boot__divide(b, log);
	if (log)
		fclose(log);
}
