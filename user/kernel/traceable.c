// SPDX-License-Identifier: GPL-2.0-only
/*
 * ftrace's list of functions, sorted by address; see traceable.h.
 *
 * The file with addresses makes this exact: names of static functions repeat, addresses do not.
 *
 * Without addresses (before Linux 6.5), the list has names in order of address: first the kernel's, then each
 * module's. Several symbols may have one name. But the order tells more: a name that only one symbol has is
 * located by that symbol, and a name between two such names can only mean a symbol between their symbols. If a
 * name has as many lines there as symbols, the lines are located. If it has more symbols, nothing says which of
 * them can be traced, and the lines are left out.
 */
#include <tracefs.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/sorted.h"
#include "base/text.h"
#include "kernel/features.h"
#include "kernel/traceable.h"

/* ---- names without addresses */

/* The symbols in order of module and name; those with the same name are in order of address. */
struct index {
	const struct symbol **list;
	size_t count;
};

static int by_module_and_name(const void *a, const void *b)
{
	const struct symbol *x = *(const struct symbol *const *)a, *y = *(const struct symbol *const *)b;

	return text__compare(x->module, y->module) ?: strcmp(x->name, y->name) ?: ORDER(x->addr, y->addr);
}

static void make_index(struct index *index, const struct symbols *symbols)
{
	index->count = symbols__count(symbols);
	index->list = xcalloc(index->count, sizeof(*index->list));
	for (size_t i = 0; i < index->count; i++)
		index->list[i] = symbols__at(symbols, i);
	qsort(index->list, index->count, sizeof(*index->list), by_module_and_name);
}

/*
 * The symbols that a line can mean, with addresses above @low and below @high: returns their
 * number, and the first one.
 */
static size_t candidates(const struct index *index, const struct traceable_function *n, uint64_t low,
			 uint64_t high, size_t *ret_first)
{
	const struct symbol key = { .addr = low + 1, .name = n->name, .module = n->module };
	const struct symbol *wanted = &key;
	size_t same, end;

	*ret_first = sorted__equals(index->list, index->count, sizeof(*index->list), &wanted, by_module_and_name,
				    &same);
	for (end = *ret_first; end < index->count; end++) {
		const struct symbol *sym = index->list[end];

		if (sym->addr >= high || strcmp(sym->name, n->name) || !text__equals(sym->module, n->module))
			break;
	}
	return end - *ret_first;
}

static bool in_same_module(const struct traceable_function *a, const struct traceable_function *b)
{
	return text__equals(a->module, b->module);
}

/*
 * Locates list[first..end-1], the lines between two located lines, or between one and the end of
 * its module.
 */
static void locate_between(const struct index *index, struct traceable_function *list, size_t first, size_t end,
			   uint64_t low, uint64_t high)
{
	for (size_t i = first; i < end; i++) {
		size_t same = 0, before = 0, at;

		for (size_t j = first; j < end; j++) {
			if (strcmp(list[j].name, list[i].name))
				continue;
			same++;
			before += j < i;
		}
		if (candidates(index, &list[i], low, high, &at) == same)
			list[i].site = index->list[at + before]->addr;
	}
}

/*
 * Sets the sites of @list, all of which are 0 before. The list has the order of the file: by address in the
 * kernel and in each module. If a name could mean several symbols, its site stays 0.
 */
static void locate(struct traceable_function *list, size_t count, const struct symbols *symbols)
{
	struct index index;
	size_t first = 0, at;
	uint64_t low = 0, last = 0;

	make_index(&index, symbols);
	for (size_t i = 0; i < count; i++) {
		if (candidates(&index, &list[i], 0, UINT64_MAX, &at) == 1)
			list[i].site = index.list[at]->addr;
		/* Lines are in order of address: a symbol at or before @last is not meant. */
		if (i && in_same_module(&list[i], &list[i - 1]) && list[i].site && list[i].site <= last)
			list[i].site = 0;
		if (list[i].site || (i && !in_same_module(&list[i], &list[i - 1])))
			last = list[i].site;
	}
	for (size_t i = 0; i <= count; i++) {
		bool new_module = i == count || (i && !in_same_module(&list[i], &list[i - 1]));

		if (new_module) {
			locate_between(&index, list, first, i, low, UINT64_MAX);
			first = i;
			low = 0;
		}
		if (i < count && list[i].site) {
			locate_between(&index, list, first, i, low, list[i].site);
			first = i + 1;
			low = list[i].site;
		}
	}
	free(index.list);
}

/* ---- the list */

/* The beginning of the name of what cannot be traced, and the whole name here. */
static const char invalid_name[] = "__ftrace_invalid_address___";

/* Only an ENDBR64 may be between a symbol and its traced instruction. */
#define FARTHEST_SITE 4

/* The functions by name. Sorted when a name is first looked up; most runs look up none. */
struct name_index {
	bool sorted;
	const struct traceable_function *list[];
};

struct traceable {
	struct traceable_function *functions;
	size_t count;
	struct traceable_function *ambiguous;
	size_t ambiguous_count;
	struct name_index *by_name;
	struct strings *names;
};

/* The state of reading a list. */
struct reading {
	struct traceable *t;
	const struct symbols *symbols;
	bool addresses;		/* the list has them */
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
	return strncmp(line, invalid_name, strlen(invalid_name));
}

/*
 * Parses "ffffffff81000004 name [module]", or without the address. A line that cannot be traced still has a
 * place in the order.
 */
static int add_line(void *context, char *line)
{
	struct reading *r = context;
	struct traceable *t = r->t;
	struct traceable_function *f;
	const char *module;
	char *name = line;
	uint64_t site = 0;
	bool can_be_traced;

	if (r->addresses) {
		site = text_list__address(line, &name);
		if (name == line || *name++ != ' ')
			return 0;
	}
	can_be_traced = split_name(name, &module);
	f = LIST_ADD(t->functions, t->count);
	*f = (struct traceable_function){
		.site = can_be_traced ? site : 0, .number = t->count, .entry = site ? entry_of(site, r->symbols) : 0,
		.name = can_be_traced ? strings__add(t->names, name) : invalid_name,
		.module = module ? strings__intern(t->names, module) : NULL,
	};
	return 0;
}

/* Keeps the functions that have a site. */
static void keep_located(struct traceable *t)
{
	size_t kept = 0;

	for (size_t i = 0; i < t->count; i++) {
		struct traceable_function *f = &t->functions[i];

		f->entry = f->entry ?: f->site;
		if (f->site)
			t->functions[kept++] = *f;
		else if (f->name != invalid_name)
			*LIST_ADD(t->ambiguous, t->ambiguous_count) = *f;
	}
	t->count = kept;
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

static const char *file_of(bool addresses)
{
	return addresses ? "available_filter_functions_addrs" : "available_filter_functions";
}

static int read_list(struct traceable **ret, FILE *f, const struct symbols *symbols, bool addresses)
{
	struct traceable *t = xcalloc(1, sizeof(*t));
	struct reading reading = { t, symbols, addresses };
	int err;

	t->names = strings__new();
	err = text_list__read(f, add_line, &reading);
	if (!addresses)
		locate(t->functions, t->count, symbols);
	keep_located(t);
	if (err)
		error__print("%s: %s", file_of(addresses), strerror(-err));
	else if (!t->count)
		err = error__return(-EOPNOTSUPP, "%s is empty: the kernel has ftrace switched off or "
				    "not built in", file_of(addresses));
	if (err) {
		traceable__free(t);
		return err;
	}
	text_list__sort(t->functions, t->count, sizeof(*t->functions), sorted__by_first);
	t->by_name = xcalloc(1, sizeof(*t->by_name) + t->count * sizeof(*t->by_name->list));
	*ret = t;
	return 0;
}

int traceable__read(struct traceable **ret, FILE *f, const struct symbols *symbols)
{
	return read_list(ret, f, symbols, true);
}

int traceable__read_names(struct traceable **ret, FILE *f, const struct symbols *symbols)
{
	return read_list(ret, f, symbols, false);
}

/* Returns -ENOENT or -ENODEV without a message if the kernel does not have this list, or has turned ftrace off. */
static int load_list(struct traceable **ret, const struct symbols *symbols, bool addresses)
{
	char *path = tracefs_get_tracing_file(file_of(addresses));
	FILE *f = path ? text_list__open(path) : NULL;
	int err = f ? 0 : -errno;

	if (!path)
		return features__refuse(FEATURE_TRACEFS, NULL);
	if (f) {
		err = read_list(ret, f, symbols, addresses);
		fclose(f);
	} else if (err != -ENOENT && err != -ENODEV) {
		error__print("%s: %s%s", path, strerror(-err), features__hint(err));
	}
	tracefs_put_tracing_file(path);
	return err;
}

int traceable__load(struct traceable **ret, const struct symbols *symbols)
{
	int err = load_list(ret, symbols, true);

	if (err == -ENOENT)
		err = load_list(ret, symbols, false);
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

	/* If @addr is a site or an entry, it is of the first site at or after @addr. */
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
