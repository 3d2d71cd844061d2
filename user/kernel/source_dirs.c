// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finds source directories for addresses; see source_dirs.h.
 *
 * Each compilation unit lists the ranges of text that came from it. This is all that is needed
 * here, and a thousand times less data than the line tables. (.debug_aranges has the same ranges,
 * but not every compiler writes it.)
 */
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/strings.h"
#include "kernel/source_dirs.h"

/* This file shows where the source tree begins, wherever it was built. */
#define LANDMARK "init/main.c"

struct range {
	uint64_t start, length;
	const char *directory;
};

struct source_dirs {
	struct range *ranges;
	size_t count, room;
	struct strings *names;
};

struct unit {
	Dwarf_Die die;
	const char *path, *base;
};

/* The next unit that was compiled from a file. @cu: NULL for the first one. */
static bool next_unit(Dwarf *dwarf, Dwarf_CU **cu, struct unit *unit)
{
	Dwarf_Attribute attr;

	while (!dwarf_get_units(dwarf, *cu, cu, NULL, NULL, &unit->die, NULL)) {
		unit->path = dwarf_diename(&unit->die);
		unit->base = dwarf_formstring(dwarf_attr(&unit->die, DW_AT_comp_dir, &attr));
		if (unit->path && dwarf_tag(&unit->die) == DW_TAG_compile_unit)
			return true;
	}
	return false;
}

static bool ends_with(const char *text, const char *end)
{
	size_t a = strlen(text), b = strlen(end);

	return a >= b && !strcmp(text + a - b, end);
}

/* The part before init/main.c in its own path; all other paths begin with it. */
static char *find_root(Dwarf *dwarf)
{
	Dwarf_CU *cu = NULL;
	struct unit unit;

	while (next_unit(dwarf, &cu, &unit)) {
		size_t before = strlen(unit.path) - strlen(LANDMARK);

		if (ends_with(unit.path, LANDMARK) && (!before || unit.path[before - 1] == '/'))
			return strndup(unit.path, before);
	}
	return strdup("");
}

static const char *directory_of(struct source_dirs *d, const char *path, const char *base,
				const char *root)
{
	char directory[512], *slash;

	if (!strncmp(path, root, strlen(root)))
		path += strlen(root);
	else if (base && !strncmp(path, base, strlen(base)))
		path += strlen(base);
	path += strspn(path, "/");
	if (!strncmp(path, "./", 2))
		path += 2;
	snprintf(directory, sizeof(directory), "%s", path);
	slash = strrchr(directory, '/');
	if (slash)
		*slash = '\0';
	return slash ? strings__intern(d->names, directory) : NULL;
}

static int add_range(struct source_dirs *d, Dwarf_Addr start, Dwarf_Addr end,
		     const char *directory)
{
	if (d->count == d->room) {
		size_t room = d->room ? 2 * d->room : 4096;
		struct range *more = reallocarray(d->ranges, room, sizeof(*more));

		if (!more)
			return -ENOMEM;
		d->ranges = more;
		d->room = room;
	}
	d->ranges[d->count++] = (struct range){ start, end - start, directory };
	return 0;
}

static int read_ranges(struct source_dirs *d, Dwarf *dwarf)
{
	char *root = find_root(dwarf);
	Dwarf_CU *cu = NULL;
	struct unit unit;
	int err = root ? 0 : -ENOMEM;

	while (!err && next_unit(dwarf, &cu, &unit)) {
		const char *directory = directory_of(d, unit.path, unit.base, root);
		Dwarf_Addr base, start, end;
		ptrdiff_t next = 0;

		while (!err && directory &&
		       (next = dwarf_ranges(&unit.die, next, &base, &start, &end)) > 0) {
			/* Ranges that the linker removed begin at 0. */
			if (start && end > start)
				err = add_range(d, start, end, directory);
		}
	}
	free(root);
	return err ? err : d->count ? 0 : -ENODATA;
}

static int by_start(const void *a, const void *b)
{
	const struct range *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

int source_dirs__open(struct source_dirs **ret, const char *vmlinux)
{
	struct source_dirs *d;
	Dwarf *dwarf = NULL;
	int fd, err;

	d = calloc(1, sizeof(*d));
	if (!d)
		return error__no_memory();
	d->names = strings__new();
	fd = open(vmlinux, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		err = error__return(-errno, "%s: %s", vmlinux, strerror(errno));
	else
		dwarf = dwarf_begin(fd, DWARF_C_READ);
	if (fd >= 0)
		err = dwarf ? read_ranges(d, dwarf) : -ENODATA;
	if (dwarf)
		dwarf_end(dwarf);
	if (fd >= 0)
		close(fd);
	if (err) {
		source_dirs__free(d);
		return err;
	}
	qsort(d->ranges, d->count, sizeof(*d->ranges), by_start);
	*ret = d;
	return 0;
}

void source_dirs__free(struct source_dirs *d)
{
	if (!d)
		return;
	strings__free(d->names);
	free(d->ranges);
	free(d);
}

const char *source_dirs__find(const struct source_dirs *d, uint64_t addr)
{
	size_t low = 0, high = d->count;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (d->ranges[mid].start <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	if (!low || addr - d->ranges[low - 1].start >= d->ranges[low - 1].length)
		return NULL;
	return d->ranges[low - 1].directory;
}
