// SPDX-License-Identifier: GPL-2.0-only
/* Symbol tables of module files, which may be compressed; see module_files.h. */
#include <elfutils/libdwelf.h>
#include <errno.h>
#include <fnmatch.h>
#include <fts.h>
#include <gelf.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/index.h"
#include "base/memory.h"
#include "base/paths.h"
#include "base/strings.h"
#include "kernel/elf_file.h"
#include "kernel/module_files.h"

/* The initial size of the hash table, which grows. */
#define FILES_AT_FIRST 16

struct function {
	uint64_t start, size;
	const char *name;
	bool in_text;		/* start is an offset in .text */
};

struct file {
	struct function *functions;
	size_t count;
};

struct module_files {
	char *directory;
	struct lh_table *files;		/* by the module's name */
	struct strings *names;
};

static void free_file(struct lh_entry *entry)
{
	struct file *f = lh_entry_v(entry);

	free(f->functions);
	free(f);
}

struct module_files *module_files__new(const char *directory)
{
	struct module_files *m = xcalloc(1, sizeof(*m));

	m->directory = xstrdup(directory);
	m->names = strings__new();
	m->files = index__new(FILES_AT_FIRST, free_file);
	return m;
}

void module_files__free(struct module_files *m)
{
	if (!m)
		return;
	lh_table_free(m->files);
	strings__free(m->names);
	free(m->directory);
	free(m);
}

bool module_file__is(const char *path, size_t length, const char *module, const char *end)
{
	const char *base = memrchr(path, '/', length), *stop = path + length;
	size_t rest = strlen(end);

	base = base ? base + 1 : path;
	for (; *module; module++, base++) {
		if (base == stop || (*base == '-' ? '_' : *base) != *module)
			return false;
	}
	return (size_t)(stop - base) >= rest && !memcmp(base, end, rest);
}

static bool has_file(const char *directory, const char *name)
{
	char *path = path__join(directory, name);
	bool found = !access(path, R_OK);

	free(path);
	return found;
}

char *module_files__directory(const char *vmlinux, const char *release)
{
	const char *slash = vmlinux ? strrchr(vmlinux, '/') : NULL;
	char *beside, *directory;

	if (!vmlinux)
		return xasprintf("/lib/modules/%s", release);
	beside = slash ? xstrndup(vmlinux, slash - vmlinux) : xstrdup(".");
	directory = xasprintf("%s/lib/modules/%s", beside, release);
	if (!has_file(directory, "modules.dep")) {
		free(directory);
		if (has_file(beside, "modules.order"))
			return beside;
		directory = xasprintf("/lib/modules/%s", release);
	}
	free(beside);
	return directory;
}

/* Installed modules are listed in modules.dep: "kernel/fs/ext4/ext4.ko.xz: kernel/...". */
static char *installed_path(const char *directory, const char *module, const char *line)
{
	size_t length = strcspn(line, ":\n");

	if (!module_file__is(line, length, module, ".ko"))
		return NULL;
	return xasprintf("%s%s%.*s", line[0] == '/' ? "" : directory, line[0] == '/' ? "" : "/", (int)length, line);
}

/* Modules in a build directory are listed in modules.order by their objects: "fs/ext4/ext4.o". */
static char *built_path(const char *directory, const char *module, const char *line)
{
	size_t length = strcspn(line, "\n");

	if (!module_file__is(line, length, module, ".o"))
		return NULL;
	return xasprintf("%s/%.*s.ko", directory, (int)length - 2, line);
}

char *module_files__path(const char *directory, const char *module)
{
	bool installed = has_file(directory, "modules.dep");
	char *line = NULL, *path;
	size_t room = 0;
	FILE *f;

	path = xasprintf("%s/modules.%s", directory, installed ? "dep" : "order");
	f = fopen(path, "re");
	free(path);
	path = NULL;
	while (f && !path && getline(&line, &room, f) > 0)
		path = installed ? installed_path(directory, module, line) : built_path(directory, module, line);
	if (f)
		fclose(f);
	free(line);
	return path;
}

static void read_table(struct file *f, struct strings *names, Elf *elf, Elf_Data *data,
		       size_t strings, size_t text)
{
	GElf_Sym sym;

	/* A file of another architecture may have smaller symbols. */
	f->functions = xcalloc(data->d_size / gelf_fsize(elf, ELF_T_SYM, 1, EV_CURRENT) + 1, sizeof(*f->functions));
	for (int i = 0; gelf_getsym(data, i, &sym); i++) {
		const char *name = elf_strptr(elf, strings, sym.st_name);
		struct function *function = &f->functions[f->count];

		if (sym.st_shndx == SHN_UNDEF || GELF_ST_TYPE(sym.st_info) != STT_FUNC || !name)
			continue;
		*function = (struct function){
			sym.st_value, sym.st_size, strings__add(names, name), sym.st_shndx == text,
		};
		f->count++;
	}
}

static void read_file(struct file *f, struct strings *names, const char *path)
{
	Elf_Data *symbols;
	size_t names_at;
	GElf_Shdr shdr;
	Elf_Scn *text;
	Elf *elf;
	int fd;

	fd = elf_file__open(path);
	if (fd < 0)
		return;
	elf = elf_file__begin(fd);
	text = elf ? elf_file__section(elf, ".text", &shdr) : NULL;
	symbols = text ? elf_file__symbols(elf, &names_at) : NULL;
	if (symbols)
		read_table(f, names, elf, symbols, names_at, elf_ndxscn(text));
	elf_end(elf);
	close(fd);
}

static struct file *get_file(struct module_files *m, const char *module)
{
	struct lh_entry *entry = lh_table_lookup_entry(m->files, module);
	struct file *f;
	char *path;

	if (entry)
		return lh_entry_v(entry);
	f = xcalloc(1, sizeof(*f));
	index__add(m->files, strings__add(m->names, module), f);
	path = module_files__path(m->directory, module);
	if (path)
		read_file(f, m->names, path);
	free(path);
	return f;
}

const char *module_files__find(struct module_files *m, const char *module, uint64_t offset,
			       uint64_t *ret_start)
{
	struct file *f = get_file(m, module);

	for (size_t i = 0; i < f->count; i++) {
		const struct function *function = &f->functions[i];

		if (function->in_text && offset >= function->start && offset - function->start < function->size) {
			*ret_start = function->start;
			return function->name;
		}
	}
	return NULL;
}

uint64_t module_files__size(struct module_files *m, const char *module, const char *function)
{
	struct file *f = get_file(m, module);
	uint64_t size = 0;

	for (size_t i = 0; i < f->count; i++) {
		if (f->functions[i].size > size && !strcmp(f->functions[i].name, function))
			size = f->functions[i].size;
	}
	return size;
}

char *module_file__name(const char *path)
{
	const char *base = strrchr(path, '/'), *end;
	char *name;

	base = base ? base + 1 : path;
	end = strstr(base, ".ko");
	if (!end || end == base || (end[3] && end[3] != '.'))
		return NULL;
	name = xstrndup(base, end - base);
	for (char *c = name; *c; c++)
		*c = *c == '-' ? '_' : *c;
	return name;
}

static bool is_module_file(const char *name)
{
	return !fnmatch("*.ko", name, 0) || !fnmatch("*.ko.gz", name, 0) || !fnmatch("*.ko.xz", name, 0) ||
	       !fnmatch("*.ko.zst", name, 0);
}

static int by_name(const FTSENT **a, const FTSENT **b)
{
	return strcmp((*a)->fts_name, (*b)->fts_name);
}

int module_files__each(const char *directory, int (*use)(const char *path, void *context), void *context)
{
	char *const paths[] = { (char *)directory, NULL };
	/* Links are not followed: those in /lib/modules/RELEASE lead to build directories. */
	FTS *tree = fts_open(paths, FTS_PHYSICAL | FTS_COMFOLLOW | FTS_NOCHDIR, by_name);
	FTSENT *entry;
	int err = 0;

	if (!tree)
		return error__return(-EINVAL, "'%s': cannot be read: %s", directory, strerror(errno));
	while (!err && (entry = fts_read(tree))) {
		if (entry->fts_info == FTS_ERR || entry->fts_info == FTS_DNR || entry->fts_info == FTS_NS)
			err = error__return(-EINVAL, "%s: cannot be read: %s", entry->fts_path,
					    strerror(entry->fts_errno));
		else if (entry->fts_info == FTS_F && is_module_file(entry->fts_name))
			err = use(entry->fts_path, context);
	}
	fts_close(tree);
	return err;
}

static bool has_function(Elf *elf, const char *wanted)
{
	GElf_Sym sym;
	size_t names;
	Elf_Data *symbols = elf_file__symbols(elf, &names);

	for (int i = 0; symbols && gelf_getsym(symbols, i, &sym); i++) {
		const char *name = elf_strptr(elf, names, sym.st_name);

		if (name && GELF_ST_TYPE(sym.st_info) == STT_FUNC && sym.st_shndx != SHN_UNDEF && !strcmp(name, wanted))
			return true;
	}
	return false;
}

bool module_file__has(const char *path, const char *function)
{
	int fd = elf_file__open(path);
	bool has;
	Elf *elf;

	if (fd < 0)
		return false;
	elf = elf_file__begin(fd);
	has = elf && has_function(elf, function);
	elf_end(elf);
	close(fd);
	return has;
}
