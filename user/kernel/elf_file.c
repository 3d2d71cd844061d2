// SPDX-License-Identifier: GPL-2.0-only
/* ELF files of a kernel, which may be compressed; see elf_file.h. */
#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <fts.h>
#include <gelf.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <zstd.h>

#include "base/error.h"
#include "base/files.h"
#include "base/index.h"
#include "base/memory.h"
#include "kernel/elf_file.h"

static bool is_zstd(int fd)
{
	char magic[4];

	return pread(fd, magic, sizeof(magic), 0) == sizeof(magic) && !memcmp(magic, "\x28\xb5\x2f\xfd", 4);
}

static int write_all(int fd, const char *bytes, size_t count)
{
	while (count) {
		ssize_t written = write(fd, bytes, count);

		if (written < 0)
			return -errno;
		bytes += written;
		count -= written;
	}
	return 0;
}

struct inflating {
	ZSTD_DStream *z;
	char *in, *out;
};

static int inflate(const struct inflating *i, int from, int to)
{
	uint64_t most = ELF_FILE_SMALL, length = 0;
	size_t left = 1;
	ssize_t got;
	int err = 0;

	while (!err && (got = read(from, i->in, ZSTD_DStreamInSize())) > 0) {
		ZSTD_inBuffer in = { i->in, got, 0 };
		ZSTD_outBuffer out;

		most += (uint64_t)got * ELF_FILE_MOST_RATIO;

		/* If the output buffer is full, the decompressor may hold more. */
		do {
			out = (ZSTD_outBuffer){ i->out, ZSTD_DStreamOutSize(), 0 };
			left = ZSTD_decompressStream(i->z, &out, &in);
			length += out.pos;
			err = ZSTD_isError(left) ? -EINVAL : length > most ? -EFBIG : write_all(to, i->out, out.pos);
		} while (!err && (in.pos < in.size || out.pos == out.size));
	}
	if (!err && got < 0)
		err = -errno;
	/* If anything is left, the file is cut off. */
	return err ? err : left ? -EINVAL : 0;
}

static int decompress(int from)
{
	struct inflating i = {
		ZSTD_createDStream(), xmalloc(ZSTD_DStreamInSize()), xmalloc(ZSTD_DStreamOutSize()),
	};
	int to = memfd_create("elf", MFD_CLOEXEC), err;

	if (!i.z)
		memory__fail();
	err = to < 0 ? -errno : inflate(&i, from, to);
	ZSTD_freeDStream(i.z);
	free(i.in);
	free(i.out);
	if (err && to >= 0)
		close(to);
	return err ? err : to;
}

int elf_file__open(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), plain;

	if (fd < 0)
		return -errno;
	if (!is_zstd(fd))
		return fd;
	plain = decompress(fd);
	close(fd);
	return plain;
}

static bool is_elf(int fd)
{
	char magic[SELFMAG];

	return pread(fd, magic, sizeof(magic), 0) == sizeof(magic) && !memcmp(magic, ELFMAG, SELFMAG);
}

/*
 * libelf decompresses gzip and xz into memory of any size. So meanwhile the process gets no more
 * memory than the contents may have. If it needs more, libelf takes the file for no ELF file.
 */
Elf *elf_file__begin(int fd)
{
	autofclose FILE *f = is_elf(fd) ? NULL : fopen("/proc/self/statm", "re");
	struct rlimit was, limit;
	uint64_t pages;
	struct stat st;
	bool limited;
	Elf *elf;

	limited = f && fscanf(f, "%" SCNu64, &pages) == 1 && !fstat(fd, &st) && !getrlimit(RLIMIT_AS, &was);
	if (limited) {
		limit = was;
		limit.rlim_cur = pages * sysconf(_SC_PAGESIZE) + ELF_FILE_SMALL + st.st_size * ELF_FILE_MOST_RATIO;
		limited = limit.rlim_cur < was.rlim_cur && !setrlimit(RLIMIT_AS, &limit);
	}
	elf_version(EV_CURRENT);
	elf = dwelf_elf_begin(fd);
	if (limited)
		setrlimit(RLIMIT_AS, &was);
	return elf;
}

Elf *elf_file__begin_path(const char *path, bool compressed, int *ret_fd)
{
	Elf *elf = NULL;

	elf_version(EV_CURRENT);
	*ret_fd = compressed ? elf_file__open(path) : open(path, O_RDONLY | O_CLOEXEC);
	if (*ret_fd >= 0)
		elf = compressed ? elf_file__begin(*ret_fd) : elf_begin(*ret_fd, ELF_C_READ_MMAP, NULL);
	if (elf && elf_kind(elf) == ELF_K_ELF)
		return elf;
	elf_file__end(elf, *ret_fd);
	return NULL;
}

void elf_file__end(Elf *elf, int fd)
{
	elf_end(elf);
	if (fd >= 0)
		close(fd);
}

char *build_id__text(const void *bits, size_t size)
{
	char *text = xmalloc(2 * size + 1);

	for (size_t i = 0; i < size; i++)
		sprintf(text + 2 * i, "%02x", ((const unsigned char *)bits)[i]);
	return text;
}

char *elf_file__build_id(Elf *elf)
{
	const void *bits;
	ssize_t size = dwelf_elf_gnu_build_id(elf, &bits);

	return size > 0 ? build_id__text(bits, size) : NULL;
}

Elf_Scn *elf_file__section(Elf *elf, const char *name, GElf_Shdr *ret)
{
	Elf_Scn *section = NULL;
	size_t names;

	if (elf_getshdrstrndx(elf, &names))
		return NULL;
	while ((section = elf_nextscn(elf, section))) {
		const char *is;

		if (!gelf_getshdr(section, ret))
			continue;
		is = elf_strptr(elf, names, ret->sh_name);
		if (is && !strcmp(is, name))
			return section;
	}
	return NULL;
}

Elf_Data *elf_file__symbols(Elf *elf, size_t *ret_names)
{
	GElf_Shdr shdr;
	Elf_Scn *section = elf_file__section(elf, ".symtab", &shdr);

	if (!section || shdr.sh_type != SHT_SYMTAB)
		return NULL;
	*ret_names = shdr.sh_link;
	return elf_getdata(section, NULL);
}

/* Finds the first symbol of that name; if @function, that of a function which the file has. */
static bool find_symbol(Elf *elf, const char *wanted, bool function, GElf_Sym *ret)
{
	size_t names;
	Elf_Data *symbols = elf_file__symbols(elf, &names);

	for (int i = 0; symbols && gelf_getsym(symbols, i, ret); i++) {
		const char *name = elf_strptr(elf, names, ret->st_name);

		if (name && !strcmp(name, wanted) &&
		    (!function || (GELF_ST_TYPE(ret->st_info) == STT_FUNC && ret->st_shndx != SHN_UNDEF)))
			return true;
	}
	return false;
}

bool elf_file__symbol(Elf *elf, const char *wanted, uint64_t *ret)
{
	GElf_Sym sym;
	bool found = find_symbol(elf, wanted, false, &sym);

	if (found)
		*ret = sym.st_value;
	return found;
}

/* ---- files of modules */

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
	autofree char *path = path__join(directory, name);

	return !access(path, R_OK);
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

/*
 * Installed modules are listed in modules.dep: "kernel/fs/ext4/ext4.ko.xz: kernel/...". Modules in a build
 * directory are listed in modules.order by their objects: "fs/ext4/ext4.o".
 */
static char *listed_path(const char *directory, bool installed, const char *module, const char *line)
{
	int length = strcspn(line, installed ? ":\n" : "\n");

	if (!module_file__is(line, length, module, installed ? ".ko" : ".o"))
		return NULL;
	if (!installed)
		return xasprintf("%s/%.*s.ko", directory, length - 2, line);
	return xasprintf("%s%s%.*s", line[0] == '/' ? "" : directory, line[0] == '/' ? "" : "/", length, line);
}

char *module_files__path(const char *directory, const char *module)
{
	bool installed = has_file(directory, "modules.dep");
	autofree char *list = xasprintf("%s/modules.%s", directory, installed ? "dep" : "order"), *line = NULL;
	autofclose FILE *f = fopen(list, "re");
	char *path = NULL;
	size_t room = 0;

	while (f && !path && getline(&line, &room, f) > 0) {
		path = listed_path(directory, installed, module, line);
		if (path && access(path, R_OK)) {
			free(path);
			path = NULL;
		}
	}
	return path;
}

static void read_table(struct file *f, struct strings *names, Elf *elf, Elf_Data *data,
		       size_t strings, size_t text)
{
	GElf_Sym sym;

	for (int i = 0; gelf_getsym(data, i, &sym); i++) {
		const char *name = elf_strptr(elf, strings, sym.st_name);

		if (sym.st_shndx == SHN_UNDEF || GELF_ST_TYPE(sym.st_info) != STT_FUNC || !name)
			continue;
		*LIST_ADD(f->functions, f->count) = (struct function){
			sym.st_value, sym.st_size, strings__add(names, name), sym.st_shndx == text,
		};
	}
}

static void read_file(struct file *f, struct strings *names, const char *path)
{
	int fd;
	Elf *elf = elf_file__begin_path(path, true, &fd);
	GElf_Shdr shdr;
	Elf_Scn *text = elf ? elf_file__section(elf, ".text", &shdr) : NULL;
	size_t names_at;
	Elf_Data *symbols = text ? elf_file__symbols(elf, &names_at) : NULL;

	if (symbols)
		read_table(f, names, elf, symbols, names_at, elf_ndxscn(text));
	if (elf)
		elf_file__end(elf, fd);
}

static struct file *get_file(struct module_files *m, const char *module)
{
	struct lh_entry *entry = lh_table_lookup_entry(m->files, module);
	autofree char *path = NULL;
	struct file *f;

	if (entry)
		return lh_entry_v(entry);
	f = xcalloc(1, sizeof(*f));
	index__add(m->files, strings__add(m->names, module), f);
	path = module_files__path(m->directory, module);
	if (path)
		read_file(f, m->names, path);
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

bool module_file__has(const char *path, const char *function)
{
	int fd;
	Elf *elf = elf_file__begin_path(path, true, &fd);
	GElf_Sym sym;
	bool has = elf && find_symbol(elf, function, true, &sym);

	if (elf)
		elf_file__end(elf, fd);
	return has;
}
