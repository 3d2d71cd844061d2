// SPDX-License-Identifier: GPL-2.0-only
/*
 * ftrace's list of functions, sorted by address; see traceable.h.
 *
 * The file with addresses is what makes this exact: names repeat (static functions), addresses do not.
 */
#include <stdlib.h>
#include <string.h>
#include <tracefs.h>

#include "base/error.h"
#include "base/privileges.h"
#include "base/strings.h"
#include "kernel/traceable.h"

#define LIST_FILE "available_filter_functions_addrs"
#define INVALID_NAME "__ftrace_invalid_address___"
/* ENDBR64 is the only thing that may come between a symbol and its traced instruction. */
#define FARTHEST_SITE 4

struct traceable {
	struct traceable_function *functions;
	size_t count, room, invalid;
	const struct traceable_function **sorted;	/* by name */
	struct strings *names;
};

static uint64_t entry_of(uint64_t site, const struct symbols *symbols)
{
	const struct symbol *sym = symbols__find(symbols, site);

	if (sym && site - sym->addr <= FARTHEST_SITE)
		return sym->addr;
	return site;
}

/* "ffffffff81000004 name [module]" */
static int add_line(struct traceable *t, char *line, const struct symbols *symbols)
{
	struct traceable_function *f;
	char *name, *module, *end;
	uint64_t site;

	site = strtoull(line, &end, 16);
	if (end == line || *end != ' ')
		return 0;
	name = end + 1;
	module = strchr(name, '[');
	if (module) {
		module++;
		module[strcspn(module, "]")] = '\0';
	}
	name[strcspn(name, " \t\n")] = '\0';
	if (!strncmp(name, INVALID_NAME, strlen(INVALID_NAME))) {
		t->invalid++;
		return 0;
	}
	if (t->count == t->room) {
		size_t room = t->room ? 2 * t->room : 32768;

		f = reallocarray(t->functions, room, sizeof(*f));
		if (!f)
			return -ENOMEM;
		t->functions = f;
		t->room = room;
	}
	f = &t->functions[t->count];
	f->site = site;
	f->number = t->count + t->invalid + 1;
	f->entry = entry_of(site, symbols);
	f->name = strings__add(t->names, name);
	f->module = module ? strings__intern(t->names, module) : NULL;
	t->count++;
	return 0;
}

static int by_site(const void *a, const void *b)
{
	const struct traceable_function *x = a, *y = b;

	return x->site < y->site ? -1 : x->site > y->site;
}

static int by_name(const void *a, const void *b)
{
	const struct traceable_function *const *x = a, *const *y = b;

	return strcmp((*x)->name, (*y)->name);
}

static int sort_names(struct traceable *t)
{
	t->sorted = calloc(t->count, sizeof(*t->sorted));
	if (!t->sorted)
		return error__no_memory();
	for (size_t i = 0; i < t->count; i++)
		t->sorted[i] = &t->functions[i];
	qsort(t->sorted, t->count, sizeof(*t->sorted), by_name);
	return 0;
}

const struct traceable_function *const *traceable__named(const struct traceable *t,
							 const char *name, size_t *ret_count)
{
	const struct traceable_function key = { .name = name }, *wanted = &key;
	const struct traceable_function **first, **end;

	first = bsearch(&wanted, t->sorted, t->count, sizeof(*t->sorted), by_name);
	*ret_count = 0;
	if (!first)
		return NULL;
	end = first + 1;
	while (first > t->sorted && !strcmp(first[-1]->name, name))
		first--;
	while (end < t->sorted + t->count && !strcmp((*end)->name, name))
		end++;
	*ret_count = end - first;
	return first;
}

bool traceable__has_name(const struct traceable *t, const char *name)
{
	size_t count;

	return traceable__named(t, name, &count);
}

int traceable__read(struct traceable **ret, FILE *f, const struct symbols *symbols)
{
	struct traceable *t;
	char *line = NULL;
	size_t room = 0;
	int err = 0;

	t = calloc(1, sizeof(*t));
	if (!t)
		return error__no_memory();
	t->names = strings__new();
	while (!err && getline(&line, &room, f) > 0)
		err = add_line(t, line, symbols);
	if (!err && ferror(f))
		err = -EIO;
	if (err) {
		error__print(LIST_FILE ": %s", strerror(-err));
		goto cleanup;
	}
	if (!t->count) {
		err = error__return(-EOPNOTSUPP,
			LIST_FILE " is empty: the kernel has ftrace switched off or not built in");
		goto cleanup;
	}
	qsort(t->functions, t->count, sizeof(*t->functions), by_site);
	err = sort_names(t);
	if (!err)
		*ret = t;
cleanup:
	free(line);
	if (err)
		traceable__free(t);
	return err;
}

int traceable__load(struct traceable **ret, const struct symbols *symbols)
{
	char *path;
	FILE *f;
	int err;

	path = tracefs_get_tracing_file(LIST_FILE);
	if (!path)
		return error__return(-EOPNOTSUPP,
			"tracefs is not there and cannot be mounted: the kernel needs CONFIG_FTRACE");
	f = fopen(path, "re");
	if (!f) {
		err = -errno;
		if (err == -ENOENT)
			err = error__return(-EOPNOTSUPP,
				"%s: not in this kernel: hytrace needs Linux 6.5 or later with "
				"CONFIG_DYNAMIC_FTRACE", path);
		else
			error__print("%s: %s%s", path, strerror(-err), privileges__hint(err));
	} else {
		err = traceable__read(ret, f, symbols);
		fclose(f);
	}
	tracefs_put_tracing_file(path);
	return err;
}

void traceable__free(struct traceable *t)
{
	if (!t)
		return;
	strings__free(t->names);
	free(t->functions);
	free(t->sorted);
	free(t);
}

size_t traceable__count(const struct traceable *t)
{
	return t->count;
}

size_t traceable__invalid(const struct traceable *t)
{
	return t->invalid;
}

const struct traceable_function *traceable__at(const struct traceable *t, size_t index)
{
	return &t->functions[index];
}

const struct traceable_function *traceable__find(const struct traceable *t, uint64_t addr)
{
	size_t low = 0, high = t->count;

	/* The first site at or after the address: the address is that site or its entry, or neither. */
	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (t->functions[mid].site < addr)
			low = mid + 1;
		else
			high = mid;
	}
	if (low == t->count)
		return NULL;
	if (t->functions[low].site == addr || t->functions[low].entry == addr)
		return &t->functions[low];
	return NULL;
}

static unsigned int smallest(unsigned int a, unsigned int b, unsigned int c)
{
	unsigned int least = a < b ? a : b;

	return least < c ? least : c;
}

/*
 * How many keystrokes apart two names are: insert, delete, change or swap two neighbours; gives up
 * beyond @limit.
 */
static unsigned int distance(const char *a, const char *b, unsigned int limit)
{
	unsigned int rows[3][128];
	size_t la = strlen(a), lb = strlen(b);

	if (lb >= 128 || (la > lb ? la - lb : lb - la) > limit)
		return limit + 1;
	for (size_t j = 0; j <= lb; j++)
		rows[0][j] = j;
	for (size_t i = 1; i <= la; i++) {
		unsigned int *row = rows[i % 3], *last = rows[(i + 2) % 3];
		unsigned int *before = rows[(i + 1) % 3], best;

		row[0] = best = i;
		for (size_t j = 1; j <= lb; j++) {
			row[j] = smallest(last[j] + 1, row[j - 1] + 1,
					  last[j - 1] + (a[i - 1] != b[j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
			    before[j - 2] + 1 < row[j])
				row[j] = before[j - 2] + 1;
			if (row[j] < best)
				best = row[j];
		}
		if (best > limit)
			return limit + 1;
	}
	return rows[la % 3][lb];
}

const char *traceable__similar(const struct traceable *t, const char *name)
{
	unsigned int limit = strlen(name) > 5 ? 3 : 1;
	const char *nearest = NULL;

	for (size_t i = 0; i < t->count && limit; i++) {
		unsigned int apart = distance(name, t->functions[i].name, limit);

		if (apart <= limit) {
			nearest = t->functions[i].name;
			limit = apart ? apart - 1 : 0;
		}
	}
	return nearest;
}
