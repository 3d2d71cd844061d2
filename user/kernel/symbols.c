// SPDX-License-Identifier: GPL-2.0-only
/*
 * The kernel's text symbols, sorted by address, and the reading of long lists of text; see symbols.h.
 */
#include "base/error.h"
#include "base/files.h"
#include "base/index.h"
#include "base/memory.h"
#include "base/sorted.h"
#include "kernel/features.h"
#include "kernel/symbols.h"

/* ---- lists of text */

/*
 * The kernel returns a page at a time; with its own buffer, the C library would ask for a quarter
 * of that.
 */
#define READ_SIZE (16 * 1024)
#define LARGEST_ELEMENT 64
/*
 * An address has fewer names than this. A line that is farther from its place belongs to another
 * part of the list.
 */
#define FARTHEST 32

FILE *text_list__open(const char *path)
{
	FILE *f = fopen(path, "re");

	if (f)
		setvbuf(f, NULL, _IOFBF, READ_SIZE);
	return f;
}

int text_list__read(FILE *f, int (*use)(void *context, char *line), void *context)
{
	autofree char *line = NULL;
	size_t room = 0;
	int err = 0;

	while (!err && getline(&line, &room, f) > 0)
		err = use(context, line);
	if (!err && ferror(f))
		err = -EIO;
	return err;
}

uint64_t text_list__address(const char *line, char **ret_end)
{
	/* The value plus one of each digit; 0: no digit. */
	static const unsigned char digits[256] = {
		['0'] = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10,
		['a'] = 11, 12, 13, 14, 15, 16,
		['A'] = 11, 12, 13, 14, 15, 16,
	};
	uint64_t addr = 0;
	unsigned int digit;

	while ((digit = digits[(unsigned char)*line])) {
		addr = addr << 4 | (digit - 1);
		line++;
	}
	*ret_end = (char *)line;
	return addr;
}

/*
 * Moves an element to its place among those before it, which are sorted. Returns false if that
 * place is too far away.
 */
static bool insert(char *list, size_t at, size_t size, int (*compare)(const void *a, const void *b))
{
	char element[LARGEST_ELEMENT];
	size_t to = at;

	while (to > 0 && compare(list + (to - 1) * size, list + at * size) > 0) {
		if (at - to == FARTHEST)
			return false;
		to--;
	}
	if (to == at)
		return true;
	memcpy(element, list + at * size, size);
	memmove(list + (to + 1) * size, list + to * size, (at - to) * size);
	memcpy(list + to * size, element, size);
	return true;
}

/*
 * The kernel's own addresses come first, in order; several names of one address are in any order.
 * The addresses of modules and of generated code come after them, sorted within each module only.
 * So most of the list is a sorted beginning, and only the remaining lines are sorted. If one of
 * them belongs into the beginning, the whole list is sorted.
 */
void text_list__sort(void *list, size_t count, size_t size, int (*compare)(const void *a, const void *b))
{
	size_t ordered = 0;
	char *rest;

	while (ordered < count && insert(list, ordered, size, compare))
		ordered++;
	if (ordered == count)
		return;
	rest = (char *)list + ordered * size;
	qsort(rest, count - ordered, size, compare);
	if (compare(rest - size, rest) > 0)
		qsort(list, count, size, compare);
}

/* ---- symbols */

/*
 * The end of a region's last symbol is unknown. No function is longer than this, so an address
 * farther from the symbol is in no function.
 */
#define LONGEST_FUNCTION (1024 * 1024)
#define MODULE_PAGE 4096
#define MODULES_AT_FIRST 64

struct symbols {
	struct symbol *syms;
	size_t count;
	struct module *modules;
	size_t module_count;
	uint32_t *numbers;	/* of each symbol among its namesakes; NULL: not yet counted */
	struct lh_table *module_index;	/* by name */
	struct strings *names;
	bool hidden;		/* every address was zero */
};

/* Parses "ffffffff81000000 T _text\t[module]". Data symbols are not used. */
static int parse_symbol(void *context, char *line)
{
	char *type, *name, *module, *end;
	struct symbols *s = context;
	uint64_t addr = text_list__address(line, &end);

	if (end == line || *end != ' ')
		return 0;
	type = end + 1;
	if (!strchr("tTwW", *type) || type[1] != ' ')
		return 0;
	if (addr)
		s->hidden = false;
	name = type + 2;
	end = name + strcspn(name, "\t\n");
	module = strchr(end, '[');
	*end = '\0';
	if (module) {
		module++;
		module[strcspn(module, "]")] = '\0';
	}
	*LIST_ADD(s->syms, s->count) = (struct symbol){
		addr, strings__add(s->names, name), module ? strings__intern(s->names, module) : NULL,
	};
	return 0;
}

/* Parses "ext4 1150976 2 - Live 0xffffffffc0400000". */
static int parse_module(void *context, char *line)
{
	char name[256], state[16];
	struct symbols *s = context;
	uint64_t size, base;
	struct module *m;

	if (sscanf(line, "%255s %" SCNu64 " %*s %*s %15s %" SCNx64, name, &size, state, &base) != 4)
		return 0;
	m = LIST_ADD(s->modules, s->module_count);
	m->name = strings__intern(s->names, name);
	m->base = base;
	m->size = size;
	m->live = !strcmp(state, "Live");
	index__add(s->module_index, m->name, (void *)(s->module_count - 1));
	return 0;
}

/* If an address has several names, their order must always be the same. */
static int by_address(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;

	return ORDER(x->addr, y->addr) ?: strcmp(x->name, y->name);
}

static struct symbols *symbols__new(void)
{
	struct symbols *s = xcalloc(1, sizeof(*s));

	s->names = strings__new();
	s->hidden = true;
	s->module_index = index__new(MODULES_AT_FIRST, NULL);
	return s;
}

/* Makes a table with only the modules. @modules: NULL: there are none, as in a kernel without modules. */
static int read_modules(struct symbols **ret, FILE *modules)
{
	struct symbols *s = symbols__new();
	int err = modules ? text_list__read(modules, parse_module, s) : 0;

	if (err) {
		symbols__free(s);
		return error__return(err, "/proc/modules: %s", strerror(-err));
	}
	*ret = s;
	return 0;
}

static int read_symbols(struct symbols *s, FILE *kallsyms)
{
	int err = text_list__read(kallsyms, parse_symbol, s);

	if (err)
		return error__return(err, "/proc/kallsyms: %s", strerror(-err));
	if (s->hidden)
		return features__refuse(FEATURE_ADDRESSES, NULL);
	text_list__sort(s->syms, s->count, sizeof(*s->syms), by_address);
	return 0;
}

int symbols__read(struct symbols **ret, FILE *kallsyms, FILE *modules)
{
	struct symbols *s = NULL;
	int err = read_modules(&s, modules);

	if (err)
		return err;
	err = read_symbols(s, kallsyms);
	if (err)
		symbols__free(s);
	else
		*ret = s;
	return err;
}

int symbols__load_modules(struct symbols **ret)
{
	autofclose FILE *modules = fopen("/proc/modules", "re");

	*ret = NULL;
	return read_modules(ret, modules);
}

/* Modules are read first: symbols__hold() sees a module that is loaded after that. */
int symbols__load(struct symbols **ret)
{
	autofclose FILE *kallsyms = text_list__open("/proc/kallsyms"), *modules = NULL;

	if (!kallsyms && errno == ENOENT)
		return error__return(-EOPNOTSUPP, "/proc/kallsyms: not there: the kernel needs CONFIG_KALLSYMS");
	if (!kallsyms)
		return error__return(-errno, "/proc/kallsyms: %s", strerror(errno));
	modules = fopen("/proc/modules", "re");
	return symbols__read(ret, kallsyms, modules);
}

bool symbols__hold(const struct symbols *s)
{
	struct symbols *now;
	bool same = !symbols__load_modules(&now) && now->module_count == s->module_count;

	for (size_t i = 0; same && i < now->module_count; i++) {
		const struct module *a = &now->modules[i], *b = &s->modules[i];

		same = !strcmp(a->name, b->name) && a->base == b->base && a->size == b->size &&
		       a->live && b->live;
	}
	symbols__free(now);
	return same;
}

void symbols__free(struct symbols *s)
{
	if (!s)
		return;
	lh_table_free(s->module_index);
	strings__free(s->names);
	free(s->numbers);
	free(s->syms);
	free(s->modules);
	free(s);
}

size_t symbols__count(const struct symbols *s)
{
	return s->count;
}

const struct symbol *symbols__at(const struct symbols *s, size_t index)
{
	return &s->syms[index];
}

const struct symbol *symbols__find(const struct symbols *s, uint64_t addr)
{
	size_t low = SORTED_FROM(s->syms, s->count, addr, addr + 1);
	const struct symbol *sym;

	if (!low)
		return NULL;
	sym = &s->syms[low - 1];
	if (addr - sym->addr >= LONGEST_FUNCTION)
		return NULL;
	/* If an address has several names, take the first in the table. */
	while (sym > s->syms && sym[-1].addr == sym->addr)
		sym--;
	return sym;
}

/*
 * Does @sym have a next symbol in the kernel or in its module? Then no other code is between them,
 * except where init functions were freed and ftrace keeps their names: generated code may be there.
 */
static bool is_surrounded(const struct symbols *s, const struct symbol *sym)
{
	const struct symbol *next = sym, *end = s->syms + s->count;

	while (next < end && next->addr == sym->addr)
		next++;
	return next < end && next->module == sym->module;
}

bool symbols__is_inside(const struct symbols *s, const struct symbol *sym, uint64_t addr)
{
	return !sym->module || symbol__is_generated(sym) || addr / MODULE_PAGE == sym->addr / MODULE_PAGE ||
	       is_surrounded(s, sym);
}

/* A run looks up at most one name, so an index would take longer than it saves. */
const struct symbol *symbols__by_name(const struct symbols *s, const char *name)
{
	for (size_t i = 0; i < s->count; i++) {
		if (!s->syms[i].module && !strcmp(s->syms[i].name, name))
			return &s->syms[i];
	}
	return NULL;
}

static void count_namesakes(struct symbols *s)
{
	struct lh_table *names = index__new(s->count + 1, NULL);

	s->numbers = xcalloc(s->count + 1, sizeof(*s->numbers));
	for (size_t i = 0; i < s->count; i++) {
		const char *name = s->syms[i].name;
		struct lh_entry *entry;
		uintptr_t number = 1;

		if (s->syms[i].module)
			continue;
		entry = lh_table_lookup_entry(names, name);
		if (entry) {
			number = (uintptr_t)lh_entry_v(entry) + 1;
			lh_entry_set_val(entry, (void *)number);
		} else {
			index__add(names, name, (void *)number);
		}
		s->numbers[i] = number;
	}
	lh_table_free(names);
}

uint32_t symbols__number(struct symbols *s, uint64_t addr, const char *name)
{
	const struct symbol *sym = symbols__find(s, addr);

	if (!sym || sym->addr != addr)
		return 0;
	if (!s->numbers)
		count_namesakes(s);
	/* Aliases have one address. */
	while (sym > s->syms && sym[-1].addr == addr)
		sym--;
	for (; sym < s->syms + s->count && sym->addr == addr; sym++) {
		if (!sym->module && !strcmp(sym->name, name))
			return s->numbers[sym - s->syms];
	}
	return 0;
}

const struct module *symbols__module(const struct symbols *s, const char *name)
{
	struct lh_entry *entry = lh_table_lookup_entry(s->module_index, name);

	return entry ? &s->modules[(uintptr_t)lh_entry_v(entry)] : NULL;
}

const struct module *symbols__modules(const struct symbols *s, size_t *ret_count)
{
	*ret_count = s->module_count;
	return s->modules;
}

bool symbols__module_stayed(const struct symbols *before, const struct symbols *now, const char *name)
{
	const struct module *then = symbols__module(before, name), *m = symbols__module(now, name);

	return then && then->live && m && m->live && m->base == then->base;
}

int module__has_ended_init(const char *name)
{
	autofree char *path = xasprintf("/sys/module/%s/initsize", name), *text = file__text(path);

	return text ? !strcmp(text, "0\n") : -errno;
}

bool symbol__is_generated(const struct symbol *sym)
{
	return sym->module && (!strncmp(sym->module, "__builtin__", 11) || !strcmp(sym->module, "bpf"));
}

/* ---- names across builds */

size_t function__base_length(const char *name)
{
	static const char *const appended[] = { ".isra.", ".constprop.", ".part.", ".cold", ".llvm." };
	size_t length = strlen(name);

	for (size_t i = 0; i < sizeof(appended) / sizeof(appended[0]); i++) {
		const char *found = strstr(name, appended[i]);

		if (found && found != name && (size_t)(found - name) < length)
			length = found - name;
	}
	return length;
}

const char *function__base_name(struct strings *names, const char *name)
{
	size_t length = function__base_length(name);
	autofree char *text = NULL;

	if (!name[length])
		return name;
	/* A recording can have a name that is too long for the stack. */
	text = xstrndup(name, length);
	return strings__intern(names, text);
}
