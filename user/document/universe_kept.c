// SPDX-License-Identifier: GPL-2.0-only
/*
 * The cached form of a function list; see universe_kept.h.
 *
 * Lines with fields between tabs: a head, a line for each module, a line for each function, and a last line
 * which shows that the file is complete. Texts stay where the file was read to. An empty field is unknown.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/files.h"
#include "base/memory.h"
#include "base/version.h"
#include "document/universe_kept.h"
#include "kernel/elf_file.h"

#define FORM "universe 1"
#define END "end"
/* The most fields of a line. */
#define MOST_FIELDS 9

static const char *or_nothing(const char *text)
{
	return text ? text : "";
}

/* ---- which build has made it */

/* The results of another build of hytrace may be wrong. Without build ids, only the version distinguishes builds. */
static void print_magic(char magic[128])
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	char *build_id;
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	build_id = elf_file__build_id(elf);
	snprintf(magic, 128, "hytrace " HYTRACE_VERSION " %s " FORM, or_nothing(build_id));
	free(build_id);
	elf_end(elf);
	if (fd >= 0)
		close(fd);
}

/* ---- writing */

void universe__write_kept(const struct universe *u, FILE *out)
{
	char magic[128];

	print_magic(magic);
	fprintf(out, "%s\t%s\t%s\t%s\t%d%d%d\t%zu\t%zu\n", magic, or_nothing(u->release), or_nothing(u->arch),
		or_nothing(u->build_id), u->linked, u->placed, u->whole, u->modules.count, u->count);
	for (size_t i = 0; i < u->modules.count; i++)
		fprintf(out, "%s\t%s\n", u->modules.list[i].name, or_nothing(u->modules.list[i].build_id));
	for (size_t i = 0; i < u->count; i++) {
		const struct function *f = &u->list[i];

		fprintf(out, "%" PRIx64 "\t%s\t%s\t%s\t%s\t%x\t%x\t%s\t%d\n", f->addr, f->name, or_nothing(f->module),
			or_nothing(f->unit), or_nothing(f->file), f->line, f->sympos, or_nothing(f->untraced),
			f->init);
	}
	fprintf(out, END "\n");
}

/* ---- reading */

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

static const char *text(const struct reader *r, size_t field)
{
	return *r->fields[field] ? r->fields[field] : NULL;
}

static uint64_t number(const struct reader *r, size_t field)
{
	return strtoull(r->fields[field], NULL, 16);
}

static bool read_function(struct reader *r, struct function *f)
{
	if (!read_line(r, 9))
		return false;
	*f = (struct function){
		.addr = number(r, 0), .name = r->fields[1], .module = text(r, 2), .unit = text(r, 3),
		.file = text(r, 4), .line = number(r, 5), .sympos = number(r, 6), .untraced = text(r, 7),
		.init = r->fields[8][0] == '1',
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
	u->release = xstrdup(text(r, 1));
	u->arch = xstrdup(text(r, 2));
	u->build_id = xstrdup(text(r, 3));
	u->linked = r->fields[4][0] == '1';
	u->placed = r->fields[4][1] == '1';
	u->whole = r->fields[4][2] == '1';
	modules = strtoul(r->fields[5], NULL, 10);
	functions = strtoul(r->fields[6], NULL, 10);
	for (size_t i = 0; i < modules; i++) {
		if (!read_line(r, 2))
			return false;
		covered_modules__add(&u->modules, r->fields[0])->build_id = xstrdup(text(r, 1));
	}
	for (size_t i = 0; i < functions; i++) {
		if (!read_function(r, LIST_ADD(u->list, u->count)))
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
