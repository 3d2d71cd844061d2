// SPDX-License-Identifier: GPL-2.0-only
/*
 * Addresses to source directories; see directories.h.
 *
 * .debug_aranges says which compilation unit each range of text came from, which is all that is needed
 * here and a thousand times less to read than the line tables.
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

#include "directories.h"
#include "error.h"
#include "strstore.h"

/* Where the source tree begins is where this file lies, wherever it was built. */
#define LANDMARK "init/main.c"

struct range {
	uint64_t start, length;
	const char *directory;
};

struct directories {
	struct range *ranges;
	size_t count;
	struct strings *names;
};

static const char *unit_path(Dwarf *dwarf, Dwarf_Off offset, const char **ret_base)
{
	Dwarf_Attribute attr;
	Dwarf_Die die;

	if (!dwarf_offdie(dwarf, offset, &die))
		return NULL;
	*ret_base = dwarf_formstring(dwarf_attr(&die, DW_AT_comp_dir, &attr));
	return dwarf_diename(&die);
}

static bool ends_with(const char *text, const char *end)
{
	size_t a = strlen(text), b = strlen(end);

	return a >= b && !strcmp(text + a - b, end);
}

/* The part before init/main.c of its own path: what all the others begin with. */
static char *find_root(Dwarf *dwarf, Dwarf_Aranges *aranges, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		Dwarf_Arange *arange = dwarf_onearange(aranges, i);
		const char *path, *base;
		Dwarf_Off offset;

		if (!arange || dwarf_getarangeinfo(arange, NULL, NULL, &offset))
			continue;
		path = unit_path(dwarf, offset, &base);
		if (path && ends_with(path, LANDMARK) &&
		    (strlen(path) == strlen(LANDMARK) ||
		     path[strlen(path) - strlen(LANDMARK) - 1] == '/'))
			return strndup(path, strlen(path) - strlen(LANDMARK));
	}
	return strdup("");
}

static const char *directory_of(struct directories *d, const char *path, const char *base,
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

static int read_ranges(struct directories *d, Dwarf *dwarf)
{
	const char *path, *base, *directory = NULL;
	Dwarf_Off offset, last = (Dwarf_Off)-1;
	Dwarf_Aranges *aranges;
	size_t count;
	char *root;

	if (dwarf_getaranges(dwarf, &aranges, &count) || !count)
		return -ENODATA;
	d->ranges = calloc(count, sizeof(*d->ranges));
	root = find_root(dwarf, aranges, count);
	if (!d->ranges || !root) {
		free(root);
		return -ENOMEM;
	}
	for (size_t i = 0; i < count; i++) {
		struct range *range = &d->ranges[d->count];
		Dwarf_Arange *arange = dwarf_onearange(aranges, i);
		Dwarf_Addr start;
		Dwarf_Word length;

		if (!arange || dwarf_getarangeinfo(arange, &start, &length, &offset) || !start)
			continue;
		if (offset != last) {
			path = unit_path(dwarf, offset, &base);
			directory = path ? directory_of(d, path, base, root) : NULL;
			last = offset;
		}
		if (!directory)
			continue;
		*range = (struct range){ start, length, directory };
		d->count++;
	}
	free(root);
	return d->count ? 0 : -ENODATA;
}

static int by_start(const void *a, const void *b)
{
	const struct range *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

int directories__open(struct directories **ret, const char *vmlinux)
{
	struct directories *d;
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
		err = dwarf && d->names ? read_ranges(d, dwarf) : -ENODATA;
	if (dwarf)
		dwarf_end(dwarf);
	if (fd >= 0)
		close(fd);
	if (err) {
		directories__free(d);
		return err;
	}
	qsort(d->ranges, d->count, sizeof(*d->ranges), by_start);
	*ret = d;
	return 0;
}

void directories__free(struct directories *d)
{
	if (!d)
		return;
	strings__free(d->names);
	free(d->ranges);
	free(d);
}

const char *directories__find(const struct directories *d, uint64_t addr)
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
