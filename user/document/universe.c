// SPDX-License-Identifier: GPL-2.0-only
/* All functions of a kernel build, as json, and as a cached file; see universe.h. */
#include <fcntl.h>

#include "base/error.h"
#include "base/files.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/sorted.h"
#include "base/text.h"
#include "base/version.h"
#include "document/read.h"
#include "document/universe.h"
#include "kernel/elf_file.h"

void universe__init(struct universe *u)
{
	memset(u, 0, sizeof(*u));
	u->names = strings__new();
}

void universe__free(struct universe *u)
{
	free(u->release);
	free(u->arch);
	free(u->build_id);
	free(u->list);
	free(u->by_name);
	free(u->kept);
	covered_modules__free(&u->modules);
	strings__free(u->names);
	memset(u, 0, sizeof(*u));
}

bool function__is_of_event(const struct function *f)
{
	return (f->file && !strncmp(f->file, "include/trace/", 14)) || !strncmp(f->name, "__traceiter_", 12) ||
	       !strncmp(f->name, "__probestub_", 12);
}

void universe__add(struct universe *u, const struct function *f)
{
	*LIST_ADD(u->list, u->count) = *f;
}

const char *universe__text(struct universe *u, const char *text)
{
	return text ? strings__intern(u->names, text) : NULL;
}

static int by_place(const void *a, const void *b)
{
	const struct function *x = a, *y = b;

	/* In a module, offsets of init text begin at 0 again. */
	return text__compare(x->module, y->module) ?: (x->module ? x->init - y->init : 0) ?: ORDER(x->addr, y->addr);
}

static int by_place_and_name(const void *a, const void *b)
{
	const struct function *x = a, *y = b;

	return by_place(x, y) ?: strcmp(x->name, y->name);
}

void universe__settle(struct universe *u)
{
	free(u->by_name);
	u->by_name = NULL;
	if (u->count)
		qsort(u->list, u->count, sizeof(*u->list), by_place_and_name);
}

const struct function *universe__at(const struct universe *u, const char *module, uint64_t addr)
{
	const struct function key = { .module = module, .addr = addr };
	size_t count, first = sorted__equals(u->list, u->count, sizeof(key), &key, by_place, &count);

	return count ? &u->list[first] : NULL;
}

static int by_name(const void *a, const void *b)
{
	const struct function *const *x = a, *const *y = b;

	return strcmp((*x)->name, (*y)->name);
}

const struct function *const *universe__named(const struct universe *u, const char *name, size_t *ret_count)
{
	const struct function key = { .name = name }, *wanted = &key;
	size_t first;

	/* Although @u is const, the index is made here: the function list itself does not change. */
	if (!u->by_name) {
		((struct universe *)u)->by_name = xcalloc(u->count, sizeof(*u->by_name));
		for (size_t i = 0; i < u->count; i++)
			u->by_name[i] = &u->list[i];
		qsort(u->by_name, u->count, sizeof(*u->by_name), by_name);
	}
	first = sorted__equals(u->by_name, u->count, sizeof(wanted), &wanted, by_name, ret_count);
	return *ret_count ? &u->by_name[first] : NULL;
}

const struct function *universe__find(const struct universe *u, const struct hit *hit)
{
	const struct function *const *named;
	size_t count;

	if (hit->module)
		return universe__at(u, hit->module, hit->offset);
	if (u->linked && hit->link)
		return universe__at(u, NULL, hit->link);
	if (!u->linked && hit->addr)
		return universe__at(u, NULL, hit->addr);
	named = hit->name ? universe__named(u, hit->name, &count) : NULL;
	for (size_t i = 0; named && hit->sympos && i < count; i++) {
		if (!named[i]->module && named[i]->sympos == hit->sympos)
			return named[i];
	}
	return named && count == 1 && !named[0]->module ? named[0] : NULL;
}

/* ---- the json file */

static const struct json_field fields[] = {
	{ "release", &field_string, offsetof(struct universe, release) },
	{ "arch", &field_string, offsetof(struct universe, arch) },
	{ "build_id", &field_string, offsetof(struct universe, build_id) },
	{ "addresses", &field_flag, offsetof(struct universe, linked), "linked" },
	{ "modules", &field_modules, offsetof(struct universe, modules) },
	{ }
};

static void write_number(json_writer_t *w, const char *name, uint64_t number)
{
	json__number_or_null(w, name, number, number);
}

static void write_function(json_writer_t *w, const struct universe *u, const struct function *f)
{
	jsonw_start_object(w);
	json__address_or_null(w, "addr", !f->module && u->linked && f->addr, f->addr);
	json__string_or_null(w, "name", f->name);
	json__string_or_null(w, "module", f->module);
	json__number_or_null(w, "offset", f->module, f->addr);
	json__string_or_null(w, "unit", f->unit);
	json__string_or_null(w, "file", f->file);
	write_number(w, "line", f->line);
	write_number(w, "sympos", f->sympos);
	json__string_or_null(w, "untraced", f->untraced);
	jsonw_bool_field(w, "init", f->init);
	json__address_or_null(w, "text", f->text, f->text);
	jsonw_end_object(w);
}

static void write_totals(json_writer_t *w, const struct universe *u)
{
	size_t traceable = 0, init = 0;

	for (size_t i = 0; i < u->count; i++) {
		traceable += !u->list[i].untraced;
		init += u->list[i].init;
	}
	json__object(w, "totals");
	jsonw_lluint_field(w, "functions", u->count);
	jsonw_lluint_field(w, "traceable", traceable);
	jsonw_lluint_field(w, "init", init);
	jsonw_end_object(w);
}

void universe__write_json(const struct universe *u, FILE *out)
{
	json_writer_t *w = json__begin(out, "functions", UNIVERSE_SCHEMA);

	/* Tells readers whether this is the whole list. */
	jsonw_string_field(w, "selection", u->some ? "some" : "all");
	json__object(w, "kernel");
	json__write_fields(w, fields, u);
	jsonw_end_object(w);
	write_totals(w, u);
	json__lines(w, "functions");
	for (size_t i = 0; i < u->count; i++)
		write_function(w, u, &u->list[i]);
	jsonw_end_array(w);
	json__end(&w);
}

static const char *shared(struct universe *u, struct json_object *object, const char *name)
{
	return universe__text(u, json__text(json__field(object, name)));
}

static uint64_t number(struct json_object *object, const char *name)
{
	return json_object_get_uint64(json__field(object, name));
}

static int read_function(struct universe *u, struct json_object *object)
{
	const char *name = json__text(json__field(object, "name"));
	const char *addr = json__text(json__field(object, "addr")), *text = json__text(json__field(object, "text"));
	struct function f = {
		.name = name ? strings__add(u->names, name) : NULL,
		.module = shared(u, object, "module"),
		.unit = shared(u, object, "unit"),
		.file = shared(u, object, "file"),
		.line = number(object, "line"),
		.sympos = number(object, "sympos"),
		.untraced = shared(u, object, "untraced"),
		.init = json_object_get_boolean(json__field(object, "init")),
		.text = text ? strtoull(text, NULL, 16) : 0,
	};

	if (!f.name)
		return -EINVAL;
	f.addr = f.module ? number(object, "offset") : addr ? strtoull(addr, NULL, 16) : 0;
	u->placed |= f.unit != NULL;
	u->whole |= f.untraced != NULL;
	universe__add(u, &f);
	return 0;
}

int universe__read_json(struct universe *ret, const char *path)
{
	struct json_object *root, *list;
	const char *selection;
	struct universe u;
	int err;

	err = document__read(&root, path, "functions", "hytrace functions -f json", UNIVERSE_SCHEMA);
	if (err)
		return err;
	universe__init(&u);
	selection = json__text(json__field(root, "selection"));
	u.some = !selection || strcmp(selection, "all");
	list = json__field(root, "functions");
	err = json_object_is_type(list, json_type_array) ? 0 : -EINVAL;
	if (!err)
		err = json__read_fields(json__field(root, "kernel"), fields, &u, &u);
	for (size_t i = 0; !err && i < json_object_array_length(list); i++)
		err = read_function(&u, json_object_array_get_idx(list, i));
	json_object_put(root);
	if (err) {
		universe__free(&u);
		return error__return(err, "%s: is damaged: a field of it makes no sense", path);
	}
	universe__settle(&u);
	*ret = u;
	return 0;
}

/*
 * ---- the cached file
 *
 * Lines with fields between tabs: a head, a line for each module, a line for each function, and a last line
 * which shows that the file is complete. Texts stay where the file was read to. An empty field is unknown.
 */

#define FORM "universe 2"
#define END "end"
/* The most fields of a line. */
#define MOST_FIELDS 10

/* The results of another build of hytrace may be wrong. Without build ids, only the version distinguishes builds. */
static void print_magic(char magic[128])
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	autofree char *build_id = NULL;
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	build_id = elf_file__build_id(elf);
	snprintf(magic, 128, "hytrace " HYTRACE_VERSION " %s " FORM, build_id ?: "");
	elf_end(elf);
	if (fd >= 0)
		close(fd);
}

void universe__write_kept(const struct universe *u, FILE *out)
{
	char magic[128];

	print_magic(magic);
	fprintf(out, "%s\t%s\t%s\t%s\t%d%d%d\t%zu\t%zu\n", magic, u->release ?: "", u->arch ?: "",
		u->build_id ?: "", u->linked, u->placed, u->whole, u->modules.count, u->count);
	for (size_t i = 0; i < u->modules.count; i++)
		fprintf(out, "%s\t%s\n", u->modules.list[i].name, u->modules.list[i].build_id ?: "");
	for (size_t i = 0; i < u->count; i++) {
		const struct function *f = &u->list[i];

		fprintf(out, "%" PRIx64 "\t%s\t%s\t%s\t%s\t%x\t%x\t%s\t%d\t%" PRIx64 "\n", f->addr, f->name,
			f->module ?: "", f->unit ?: "", f->file ?: "", f->line, f->sympos, f->untraced ?: "", f->init,
			f->text);
	}
	fprintf(out, END "\n");
}

struct reader {
	char *at;		/* the next line; a NUL ends the text */
	const char *fields[MOST_FIELDS];
};

/* Returns false if there is no line with that number of fields. */
static bool read_line(struct reader *r, size_t count)
{
	char *end = strchr(r->at, '\n');

	if (!end)
		return false;
	*end = '\0';
	for (size_t i = 0; i < count; i++) {
		char *tab = strchr(r->at, '\t');

		if (!tab != (i + 1 == count))
			return false;
		r->fields[i] = r->at;
		if (tab) {
			*tab = '\0';
			r->at = tab + 1;
		}
	}
	r->at = end + 1;
	return true;
}

static const char *field(const struct reader *r, size_t i)
{
	return *r->fields[i] ? r->fields[i] : NULL;
}

static uint64_t hex(const struct reader *r, size_t i)
{
	return strtoull(r->fields[i], NULL, 16);
}

static bool read_line_of_function(struct reader *r, struct function *f)
{
	if (!read_line(r, 10))
		return false;
	*f = (struct function){
		.addr = hex(r, 0), .name = r->fields[1], .module = field(r, 2), .unit = field(r, 3),
		.file = field(r, 4), .line = hex(r, 5), .sympos = hex(r, 6), .untraced = field(r, 7),
		.init = r->fields[8][0] == '1', .text = hex(r, 9),
	};
	return true;
}

static bool read_universe(struct reader *r, struct universe *u)
{
	size_t modules, functions;
	char magic[128];

	print_magic(magic);
	if (!read_line(r, 7) || strcmp(r->fields[0], magic) || strlen(r->fields[4]) != 3)
		return false;
	u->release = xstrdup(field(r, 1));
	u->arch = xstrdup(field(r, 2));
	u->build_id = xstrdup(field(r, 3));
	u->linked = r->fields[4][0] == '1';
	u->placed = r->fields[4][1] == '1';
	u->whole = r->fields[4][2] == '1';
	modules = strtoul(r->fields[5], NULL, 10);
	functions = strtoul(r->fields[6], NULL, 10);
	for (size_t i = 0; i < modules; i++) {
		if (!read_line(r, 2))
			return false;
		covered_modules__add(&u->modules, r->fields[0])->build_id = xstrdup(field(r, 1));
	}
	for (size_t i = 0; i < functions; i++) {
		if (!read_line_of_function(r, LIST_ADD(u->list, u->count)))
			return false;
	}
	return read_line(r, 1) && !strcmp(r->fields[0], END);
}

bool universe__read_kept(struct universe *ret, const char *path)
{
	struct reader r = { .at = file__text(path) };
	struct universe u;

	if (!r.at)
		return false;
	universe__init(&u);
	u.kept = r.at;
	if (!read_universe(&r, &u)) {
		universe__free(&u);
		return false;
	}
	*ret = u;
	return true;
}
