// SPDX-License-Identifier: GPL-2.0-only
/* The modules that a result is about; see modules.h. */
#include <errno.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "document/modules.h"

/* A build id has 20 bytes. With its ELF note header, it has 36. */
#define LARGEST_NOTE 256

void covered_modules__free(struct covered_modules *m)
{
	for (size_t i = 0; i < m->count; i++) {
		free(m->list[i].name);
		free(m->list[i].build_id);
		free(m->list[i].srcversion);
	}
	free(m->list);
	memset(m, 0, sizeof(*m));
}

struct covered_module *covered_modules__add(struct covered_modules *m, const char *name)
{
	struct covered_module *added = LIST_ADD(m->list, m->count);

	added->name = xstrdup(name);
	return added;
}

const struct covered_module *covered_modules__find(const struct covered_modules *m, const char *name)
{
	for (size_t i = 0; i < m->count; i++) {
		if (!strcmp(m->list[i].name, name))
			return &m->list[i];
	}
	return NULL;
}

bool covered_modules__stayed(const struct covered_modules *m, const char *name)
{
	const struct covered_module *found = name ? covered_modules__find(m, name) : NULL;

	return !name || (found && !found->came && !found->went);
}

bool covered_module__differs(const struct covered_module *a, const struct covered_module *b)
{
	return a && b && (text__is_known_other(a->build_id, b->build_id) ||
			  text__is_known_other(a->srcversion, b->srcversion));
}

/* ---- modules of the running kernel */

static FILE *open_of(const char *module, const char *file)
{
	char *path = xasprintf("/sys/module/%s/%s", module, file);
	FILE *f = fopen(path, "re");

	free(path);
	return f;
}

static char *read_srcversion(const char *module)
{
	FILE *f = open_of(module, "srcversion");
	char text[64] = "";

	if (!f)
		return NULL;
	if (fgets(text, sizeof(text), f))
		text[strcspn(text, "\n")] = '\0';
	fclose(f);
	return *text ? xstrdup(text) : NULL;
}

static char *read_build_id(const char *module)
{
	FILE *f = open_of(module, "notes/.note.gnu.build-id");
	unsigned char note[LARGEST_NOTE];
	const Elf64_Nhdr *header = (const void *)note;
	size_t size = f ? fread(note, 1, sizeof(note), f) : 0, start;
	char *result;

	if (f)
		fclose(f);
	if (size < sizeof(*header))
		return NULL;
	start = sizeof(*header) + (header->n_namesz + 3) / 4 * 4;
	if (header->n_type != NT_GNU_BUILD_ID || start > size || header->n_descsz > size - start)
		return NULL;
	result = xmalloc(2 * header->n_descsz + 1);
	for (size_t i = 0; i < header->n_descsz; i++)
		sprintf(result + 2 * i, "%02x", note[start + i]);
	return result;
}

static void add_module(struct covered_modules *m, const struct module *module, bool came, bool went)
{
	struct covered_module *added = covered_modules__add(m, module->name);

	added->size = module->size;
	added->came = came;
	added->went = went;
	/*
	 * If the module was removed, so were its files in /sys. A module that has the name now was
	 * loaded later, and may be of another build.
	 */
	if (!went) {
		added->build_id = read_build_id(module->name);
		added->srcversion = read_srcversion(module->name);
	}
}

/* If a module was loaded again, it has another address: then it counts as removed, and as loaded. */
static bool has_gone(const struct module *module, const struct symbols *after)
{
	const struct module *now = after ? symbols__module(after, module->name) : module;

	return !now || now->base != module->base || now->size != module->size;
}

void covered_modules__read(struct covered_modules *ret, const struct symbols *before, const struct symbols *after)
{
	const struct module *list;
	size_t count;

	list = symbols__modules(before, &count);
	for (size_t i = 0; i < count; i++)
		add_module(ret, &list[i], false, has_gone(&list[i], after));
	if (!after)
		return;
	list = symbols__modules(after, &count);
	for (size_t i = 0; i < count; i++) {
		const struct module *was = symbols__module(before, list[i].name);

		if (!was || has_gone(was, after))
			add_module(ret, &list[i], true, false);
	}
}

/* ---- modules in a recording */

static const struct json_field fields[] = {
	{ "name", &field_string, offsetof(struct covered_module, name) },
	{ "build_id", &field_string, offsetof(struct covered_module, build_id) },
	{ "srcversion", &field_string, offsetof(struct covered_module, srcversion) },
	{ "size", &field_some_number, offsetof(struct covered_module, size) },
	{ "came", &field_bool, offsetof(struct covered_module, came) },
	{ "went", &field_bool, offsetof(struct covered_module, went) },
	{ }
};

static void write_modules(json_writer_t *w, const struct json_field *field, const void *member)
{
	const struct covered_modules *m = member;

	jsonw_start_array(w);
	for (size_t i = 0; i < m->count; i++) {
		jsonw_start_object(w);
		json__write_fields(w, fields, &m->list[i]);
		jsonw_end_object(w);
	}
	jsonw_end_array(w);
}

static int read_modules(struct json_object *array, const struct json_field *field, void *member,
			void *whole)
{
	struct covered_modules *m = member;
	int err = 0;

	for (size_t i = 0; !err && i < json_object_array_length(array); i++) {
		struct json_object *object = json_object_array_get_idx(array, i);

		if (!json__text(json__field(object, "name")))
			return -EINVAL;
		err = json__read_fields(object, fields, LIST_ADD(m->list, m->count), whole);
	}
	return err;
}

const struct json_kind field_modules = { write_modules, read_modules, json_type_array };
