// SPDX-License-Identifier: GPL-2.0-only
/*
 * Keeps the answers of Kbuild; see owners.h.
 *
 * Lines of words with tabs between them: a head; "file STAMP PATH"; "object PATH MODULE NEED..." in
 * the order of paths, where MODULE is "-" in vmlinux and "+" in a lib.a, and a NEED is one or more
 * options with "|" between them; and a last line, which shows that nothing is missing.
 */
#include <zlib.h>

#include "base/index.h"
#include "base/version.h"
#include "run/output.h"
#include "tailor/owners.h"

#define MAGIC "hytrace " HYTRACE_VERSION " owners 6"
#define END "end"
#define NAME "owners-"
/* The most build directories whose answers are kept. */
#define MOST_KEPT 16

static char *path_of(const struct kbuild *k)
{
	autofree char *name = xasprintf(NAME "%08lx", crc32(0, (const unsigned char *)k->objects, strlen(k->objects)));

	return kept__path(name);
}

/* ---- writing */

static void write_object(const struct owned *o, FILE *out)
{
	fprintf(out, "object\t%s\t%s", o->path, o->module ?: o->member ? "+" : "-");
	for (size_t i = 0; i < o->needs.count; i++) {
		for (size_t j = 0; j < o->needs.list[i]->count; j++)
			fprintf(out, "%c%s", j ? '|' : '\t', o->needs.list[i]->options[j]);
	}
	fputc('\n', out);
}

void owners__keep(const struct owners *o, const struct kbuild *k)
{
	autofree char *path = path_of(k);
	struct output *output = path ? kept__open(path) : NULL;
	FILE *out = output ? output__stream(output) : NULL;

	if (!output)
		return;
	fprintf(out, MAGIC "\t%s\t%s\t%s\t%zu\t%s\n", k->objects, k->source, k->config ?: "-", o->unclear,
		o->an_unclear ?: "-");
	for (size_t i = 0; i < o->file_count; i++)
		fprintf(out, "file\t%s\t%s\n", o->files[i].stamp, o->files[i].path);
	for (size_t i = 0; i < o->count; i++)
		write_object(&o->list[i], out);
	fprintf(out, END "\n");
	if (!output__commit(output))
		kept__trim(path, MOST_KEPT);
}

/* ---- reading */

static bool is_unchanged(const char *stamp, const char *path)
{
	char now[48];

	stamp__make(now, sizeof(now), path);
	return !strcmp(now, stamp);
}

/* Needs with the same text become one need. @text: "CONFIG_A|CONFIG_B" */
static const struct need *get_need(struct owners *o, struct kbuild *k, struct lh_table *known, const char *text)
{
	struct lh_entry *entry = lh_table_lookup_entry(known, text);
	char *copy, *rest, *option;
	struct need *need;

	if (entry)
		return lh_entry_v(entry);
	need = need_store__add(&o->needs);
	copy = rest = xstrdup(text);
	while ((option = strsep(&rest, "|")))
		need__add(need, strings__intern(k->names, option));
	free(copy);
	index__add(known, strings__intern(k->names, text), need);
	return need;
}

static bool read_object(struct owners *o, struct kbuild *k, struct lh_table *known, char *rest)
{
	const char *path = strsep(&rest, "\t"), *module = strsep(&rest, "\t");
	struct owned *object;
	const char *text;

	if (!module)
		return false;
	object = LIST_ADD(o->list, o->count);
	*object = (struct owned){ strings__intern(k->names, path),
				  strchr("-+", *module) ? NULL : strings__intern(k->names, module), *module == '+' };
	while ((text = strsep(&rest, "\t")))
		needs__add(&object->needs, get_need(o, k, known, text));
	return true;
}

static bool read_line(struct owners *o, struct kbuild *k, struct lh_table *known, char *line, bool *ret_end)
{
	char *rest = line, *word = strsep(&rest, "\t");

	if (!strcmp(word, "file")) {
		const char *stamp = strsep(&rest, "\t");

		return rest && is_unchanged(stamp, rest);
	}
	if (!strcmp(word, "object"))
		return rest && read_object(o, k, known, rest);
	*ret_end = !strcmp(word, END);
	return *ret_end;
}

static bool read_head(struct owners *o, struct kbuild *k, char *line)
{
	char *rest = line;
	const char *magic = strsep(&rest, "\t"), *objects = strsep(&rest, "\t"), *source = strsep(&rest, "\t");
	const char *config = strsep(&rest, "\t"), *unclear = strsep(&rest, "\t");

	if (!rest || strcmp(magic, MAGIC) || strcmp(objects, k->objects) || strcmp(source, k->source) || !k->config ||
	    strcmp(config, k->config))
		return false;
	o->unclear = strtoul(unclear, NULL, 10);
	o->an_unclear = o->unclear ? strings__intern(k->names, rest) : NULL;
	return true;
}

bool owners__read_kept(struct owners *ret, struct kbuild *k)
{
	struct lh_table *known = index__new(1024, NULL);
	autofree char *path = path_of(k), *line = NULL;
	autofclose FILE *f = path ? fopen(path, "re") : NULL;
	bool head = true, good = true, end = false;
	size_t size = 0;

	*ret = (struct owners){};
	while (f && good && !end && getline(&line, &size, f) > 0) {
		line[strcspn(line, "\n")] = '\0';
		good = head ? read_head(ret, k, line) : read_line(ret, k, known, line, &end);
		head = false;
	}
	lh_table_free(known);
	good &= end;
	if (good)
		kept__touch(path);
	else
		owners__free(ret);
	return good;
}
