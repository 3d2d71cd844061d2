// SPDX-License-Identifier: GPL-2.0-only
/*
 * ftrace's list of functions, sorted by address; see traceable.h.
 *
 * The file with addresses makes this exact: names of static functions repeat, addresses do not.
 * Without it, the order of the names helps (traceable_names.h).
 */
#include <stdlib.h>
#include <string.h>
#include <tracefs.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/similar.h"
#include "base/sorted.h"
#include "base/strings.h"
#include "base/texts.h"
#include "kernel/features.h"
#include "kernel/text_list.h"
#include "kernel/traceable.h"
#include "kernel/traceable_names.h"

#define LIST_FILE "available_filter_functions_addrs"
#define NAMES_FILE "available_filter_functions"
#define INVALID_NAME "__ftrace_invalid_address___"
/* Only an ENDBR64 may be between a symbol and its traced instruction. */
#define FARTHEST_SITE 4

/* The functions by name. Sorted when a name is first looked up; most runs look up none. */
struct name_index {
	bool sorted;
	const struct traceable_function *list[];
};

struct traceable {
	struct traceable_function *functions;
	size_t count, invalid;
	struct traceable_function *ambiguous;
	size_t ambiguous_count;
	struct name_index *by_name;
	struct strings *names;
};

/* The state of reading a list. */
struct reading {
	struct traceable *t;
	const struct symbols *symbols;
	struct traceable_name *names;	/* for a list without addresses */
	size_t count;
};

static uint64_t entry_of(uint64_t site, const struct symbols *symbols)
{
	const struct symbol *sym = symbols__find(symbols, site);

	if (sym && site - sym->addr <= FARTHEST_SITE)
		return sym->addr;
	return site;
}

/* Splits "name [module]". Returns false if the function cannot be traced. */
static bool split_name(char *line, const char **ret_module)
{
	char *module = strchr(line, '[');

	if (module) {
		module++;
		module[strcspn(module, "]")] = '\0';
	}
	*ret_module = module;
	line[strcspn(line, " \t\n")] = '\0';
	return strncmp(line, INVALID_NAME, strlen(INVALID_NAME));
}

/* Parses "ffffffff81000004 name [module]". */
static int add_line(void *context, char *line)
{
	struct reading *r = context;
	struct traceable *t = r->t;
	struct traceable_function *f;
	const char *module;
	uint64_t site;
	char *end;

	site = text_list__address(line, &end);
	if (end == line || *end != ' ')
		return 0;
	if (!split_name(end + 1, &module)) {
		t->invalid++;
		return 0;
	}
	f = LIST_ADD(t->functions, t->count);
	*f = (struct traceable_function){
		.site = site, .entry = entry_of(site, r->symbols), .number = t->count + t->invalid,
		.name = strings__add(t->names, end + 1), .module = module ? strings__intern(t->names, module) : NULL,
	};
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

static const struct traceable_function **sort_names(const struct traceable *t)
{
	struct name_index *index = t->by_name;

	for (size_t i = 0; !index->sorted && i < t->count; i++)
		index->list[i] = &t->functions[i];
	if (!index->sorted)
		qsort(index->list, t->count, sizeof(*index->list), by_name);
	index->sorted = true;
	return index->list;
}

const struct traceable_function *const *traceable__named(const struct traceable *t,
							 const char *name, size_t *ret_count)
{
	const struct traceable_function key = { .name = name }, *wanted = &key;
	const struct traceable_function **sorted = sort_names(t);
	size_t first = sorted__equals(sorted, t->count, sizeof(*sorted), &wanted, by_name, ret_count);

	return *ret_count ? &sorted[first] : NULL;
}

bool traceable__has_name(const struct traceable *t, const char *name)
{
	size_t count;

	return traceable__named(t, name, &count);
}

static int read_sites(struct reading *r, FILE *f)
{
	return text_list__read(f, add_line, r);
}

static int add_name(void *context, char *line)
{
	struct reading *r = context;
	const char *module;

	/* A line without a name still has a place in the order. */
	*LIST_ADD(r->names, r->count) = (struct traceable_name){
		.name = split_name(line, &module) ? strings__add(r->t->names, line) : INVALID_NAME,
		.module = module ? strings__intern(r->t->names, module) : NULL,
	};
	return 0;
}

static int read_located(struct reading *r, FILE *f)
{
	struct traceable *t = r->t;
	int err;

	err = text_list__read(f, add_name, r);
	if (!err)
		traceable_names__locate(r->names, r->count, r->symbols);
	for (size_t i = 0; !err && i < r->count; i++) {
		const struct traceable_name *n = &r->names[i];

		if (n->addr)
			*LIST_ADD(t->functions, t->count) = (struct traceable_function){
				n->addr, n->addr, i + 1, n->name, n->module,
			};
		else if (!strcmp(n->name, INVALID_NAME))
			t->invalid++;
		else
			*LIST_ADD(t->ambiguous, t->ambiguous_count) = (struct traceable_function){
				.number = i + 1, .name = n->name, .module = n->module,
			};
	}
	free(r->names);
	return err;
}

static int read_list(struct traceable **ret, FILE *f, const struct symbols *symbols, const char *name,
		     int (*read)(struct reading *r, FILE *f))
{
	struct reading reading = { .symbols = symbols };
	struct traceable *t;
	int err;

	t = xcalloc(1, sizeof(*t));
	t->names = strings__new();
	reading.t = t;
	err = read(&reading, f);
	if (err)
		error__print("%s: %s", name, strerror(-err));
	else if (!t->count)
		err = error__return(-EOPNOTSUPP, "%s is empty: the kernel has ftrace switched off or "
				    "not built in", name);
	if (err) {
		traceable__free(t);
		return err;
	}
	text_list__sort(t->functions, t->count, sizeof(*t->functions), by_site);
	t->by_name = xcalloc(1, sizeof(*t->by_name) + t->count * sizeof(*t->by_name->list));
	*ret = t;
	return 0;
}

int traceable__read(struct traceable **ret, FILE *f, const struct symbols *symbols)
{
	return read_list(ret, f, symbols, LIST_FILE, read_sites);
}

int traceable__read_names(struct traceable **ret, FILE *f, const struct symbols *symbols)
{
	return read_list(ret, f, symbols, NAMES_FILE, read_located);
}

/* Returns -ENOENT or -ENODEV without a message if the kernel does not have this list, or has turned ftrace off. */
static int load_list(struct traceable **ret, const struct symbols *symbols, const char *name,
		     int (*read)(struct traceable **ret, FILE *f, const struct symbols *symbols))
{
	char *path = tracefs_get_tracing_file(name);
	FILE *f = path ? text_list__open(path) : NULL;
	int err = f ? 0 : -errno;

	if (!path)
		return features__refuse(FEATURE_TRACEFS, NULL);
	if (f) {
		err = read(ret, f, symbols);
		fclose(f);
	} else if (err != -ENOENT && err != -ENODEV) {
		error__print("%s: %s%s", path, strerror(-err), features__hint(err));
	}
	tracefs_put_tracing_file(path);
	return err;
}

int traceable__load(struct traceable **ret, const struct symbols *symbols)
{
	int err = load_list(ret, symbols, LIST_FILE, traceable__read);

	if (err == -ENOENT)
		err = load_list(ret, symbols, NAMES_FILE, traceable__read_names);
	if (err == -ENOENT || err == -ENODEV)
		err = features__require(FEATURE_FUNCTIONS, NULL) ?: features__refuse(FEATURE_FUNCTIONS, NULL);
	return err;
}

void traceable__free(struct traceable *t)
{
	if (!t)
		return;
	strings__free(t->names);
	free(t->functions);
	free(t->ambiguous);
	free(t->by_name);
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

const struct traceable_function *traceable__ambiguous(const struct traceable *t, size_t *ret_count)
{
	*ret_count = t->ambiguous_count;
	return t->ambiguous;
}

const struct traceable_function *traceable__at(const struct traceable *t, size_t index)
{
	return &t->functions[index];
}

const struct traceable_function *traceable__find(const struct traceable *t, uint64_t addr)
{
	size_t low = SORTED_FROM(t->functions, t->count, site, addr);

	/* The address is the first site at or after it, or the entry of that site, or neither. */
	if (low == t->count)
		return NULL;
	if (t->functions[low].site == addr || t->functions[low].entry == addr)
		return &t->functions[low];
	return NULL;
}

const struct traceable_function *traceable__find_in(const struct traceable *t, uint64_t addr,
						    const char *module)
{
	const struct traceable_function *f = traceable__find(t, addr);

	return f && text__equals(f->module, module) ? f : NULL;
}

void function__full_name(char *ret, size_t room, const char *name, const char *module)
{
	if (module)
		snprintf(ret, room, "%s [%s]", name, module);
	else
		snprintf(ret, room, "%s", name);
}

const char *traceable__similar(const struct traceable *t, const char *name)
{
	struct similar s;

	similar__begin(&s, name);
	for (size_t i = 0; i < t->count; i++)
		similar__try(&s, t->functions[i].name);
	return s.nearest;
}
