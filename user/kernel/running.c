// SPDX-License-Identifier: GPL-2.0-only
/*
 * Identity and lists of the kernel that runs here; see running.h.
 *
 * kallsyms only has run-time addresses. The KASLR offset is in the vmcoreinfo note of /proc/kcore. If
 * that cannot be read (lockdown, no PROC_KCORE), the offset is computed from a symbol of a vmlinux
 * of the same build.
 */
#include <ctype.h>
#include <fcntl.h>
#include <gelf.h>
#include <sys/utsname.h>
#include <zlib.h>

#include "base/error.h"
#include "base/files.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/text.h"
#include "kernel/debug_files.h"
#include "kernel/elf_file.h"
#include "kernel/running.h"

/* ---- identity */

/* The symbol whose addresses in vmlinux and in the running kernel are compared. */
#define ANCHOR "_stext"
#define LARGEST_NOTES (1024 * 1024)

bool vmcoreinfo__offset(const char *text, size_t length, uint64_t *ret)
{
	static const char key[] = "\nKERNELOFFSET=";
	autofree char *copy = xasprintf("\n%.*s", (int)length, text);
	const char *line = strstr(copy, key);
	bool known = line && isxdigit((unsigned char)line[strlen(key)]);

	if (known)
		*ret = strtoull(line + strlen(key), NULL, 16);
	return known;
}

/* The contents of the first note of that name and type; NULL: there is none. */
static const char *find_note(Elf_Data *data, const char *name, GElf_Word type, size_t *ret_size)
{
	size_t offset = 0, name_offset, desc_offset;
	GElf_Nhdr note;

	while ((offset = gelf_getnote(data, offset, &note, &name_offset, &desc_offset))) {
		const char *base = data->d_buf;

		*ret_size = note.n_descsz;
		if (note.n_type == type && note.n_namesz == strlen(name) + 1 &&
		    !memcmp(base + name_offset, name, note.n_namesz))
			return base + desc_offset;
	}
	return NULL;
}

/* Reads only the notes of /proc/kcore, whose other segments have gigabytes. */
static void read_kcore(struct kernel_id *id)
{
	size_t count = 0, size;
	const char *text;
	GElf_Phdr phdr;
	Elf *elf;
	int fd = open("/proc/kcore", O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	elf = elf_begin(fd, ELF_C_READ, NULL);
	if (elf && !elf_getphdrnum(elf, &count)) {
		for (size_t i = 0; i < count && !id->offset_known; i++) {
			Elf_Data data = { .d_type = ELF_T_NHDR, .d_version = EV_CURRENT };

			if (!gelf_getphdr(elf, i, &phdr) || phdr.p_type != PT_NOTE ||
			    phdr.p_filesz > LARGEST_NOTES)
				continue;
			data.d_buf = xmalloc(phdr.p_filesz);
			data.d_size = phdr.p_filesz;
			if (pread(fd, data.d_buf, data.d_size, phdr.p_offset) == (ssize_t)data.d_size) {
				text = find_note(&data, "VMCOREINFO", 0, &size);
				id->offset_known = text && vmcoreinfo__offset(text, size, &id->kaslr_offset);
			}
			free(data.d_buf);
		}
	}
	elf_end(elf);
	close(fd);
}

static void read_build_id(struct kernel_id *id)
{
	Elf_Data data = { .d_type = ELF_T_NHDR, .d_version = EV_CURRENT };
	int fd = open("/sys/kernel/notes", O_RDONLY | O_CLOEXEC);
	const char *bits = NULL;
	char buffer[4096];
	ssize_t got;
	size_t size;

	if (fd < 0)
		return;
	got = read(fd, buffer, sizeof(buffer));
	close(fd);
	data.d_buf = buffer;
	data.d_size = got;
	if (got > 0)
		bits = find_note(&data, "GNU", NT_GNU_BUILD_ID, &size);
	id->build_id = bits ? build_id__text(bits, size) : NULL;
}

int kernel_id__check_vmlinux(const char *path, const char *build_id)
{
	autofree char *found = NULL;
	int fd;
	Elf *elf = elf_file__begin_path(path, false, &fd);

	if (!elf)
		return -ENOENT;
	found = elf_file__build_id(elf);
	elf_file__end(elf, fd);
	return text__is_known_equal(found, build_id) ? 0 : -ESTALE;
}

char *kernel_id__find_vmlinux(const struct kernel_id *id, const char *given)
{
	static const char *const places[] = {
		"build/vmlinux",
		"/lib/modules/%s/build/vmlinux",
		"/lib/modules/%s/vmlinux",
		"/usr/lib/debug/boot/vmlinux-%s",
		"/usr/lib/debug/lib/modules/%s/vmlinux",
		"/boot/vmlinux-%s",
	};
	char *path;

	if (given)
		return xstrdup(given);
	if (!id->build_id)
		return NULL;
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		/* In the current directory, a build id proves nothing: anybody can copy it. */
		if (!i && (place__check_own(".") || place__check_own("build"))) {
			if (!access(places[i], F_OK))
				error__warn("%s is not used, because other users may write there; --vmlinux names it",
					    places[i]);
			continue;
		}
		path = xasprintf(places[i], id->release);
		if (!kernel_id__check_vmlinux(path, id->build_id))
			return path;
		free(path);
	}
	return debug_file__find(id->build_id, NULL);
}

char *kernel_id__fetch_vmlinux(const struct kernel_id *id, const char *given)
{
	return kernel_id__find_vmlinux(id, given) ?: debug_file__fetch(id->build_id, false);
}

static void read_vmlinux(struct kernel_id *id, const struct symbols *symbols, const char *path)
{
	const struct symbol *anchor = symbols ? symbols__by_name(symbols, ANCHOR) : NULL;
	uint64_t linked;
	int fd;
	Elf *elf = anchor ? elf_file__begin_path(path, false, &fd) : NULL;

	if (!elf)
		return;
	id->offset_known = elf_file__symbol(elf, ANCHOR, &linked);
	if (id->offset_known)
		id->kaslr_offset = anchor->addr - linked;
	elf_file__end(elf, fd);
}

static char *first_line(const char *path)
{
	char *text = file__text(path);

	if (text)
		text[strcspn(text, "\n")] = '\0';
	return text;
}

char *kernel_id__boot_id(void)
{
	return first_line("/proc/sys/kernel/random/boot_id");
}

char *kernel_id__config_of(const char *path)
{
	unsigned long crc = crc32(0, NULL, 0);
	unsigned char buffer[16384];
	char *result = NULL;
	int size;
	gzFile f = gzopen(path, "rbe");

	if (!f)
		return NULL;
	while ((size = gzread(f, buffer, sizeof(buffer))) > 0)
		crc = crc32(crc, buffer, size);
	if (!size)
		result = xasprintf("crc32:%08lx", crc);
	gzclose(f);
	return result;
}

static char *find_config(const char *release)
{
	static const char *const places[] = { "/boot/config-%s", "/lib/modules/%s/config" };
	char *result = kernel_id__config_of("/proc/config.gz");

	for (size_t i = 0; !result && i < sizeof(places) / sizeof(places[0]); i++) {
		autofree char *path = xasprintf(places[i], release);

		result = kernel_id__config_of(path);
	}
	return result;
}

static int check_given(const struct kernel_id *id, const char *vmlinux)
{
	int err;

	if (!id->build_id)
		return error__return(-EINVAL,
			"%s: cannot be checked: the running kernel has no build id "
			"(/sys/kernel/notes)", vmlinux);
	err = kernel_id__check_vmlinux(vmlinux, id->build_id);
	if (err == -ESTALE)
		return error__return(-EINVAL,
			"%s: is not the running kernel's: its build id differs from %s in "
			"/sys/kernel/notes", vmlinux, id->build_id);
	if (err)
		return error__return(-EINVAL, "%s: not a readable ELF file", vmlinux);
	return 0;
}

int kernel_id__read(struct kernel_id *ret, const struct symbols *symbols, const char *vmlinux)
{
	struct kernel_id id = {};
	struct utsname uts;
	int err;

	elf_version(EV_CURRENT);
	uname(&uts);
	id.release = xstrdup(uts.release);
	id.version = xstrdup(uts.version);
	id.arch = xstrdup(uts.machine);
	id.cmdline = first_line("/proc/cmdline");
	id.config = find_config(id.release);
	read_build_id(&id);
	err = vmlinux ? check_given(&id, vmlinux) : 0;
	if (err) {
		kernel_id__free(&id);
		return err;
	}
	read_kcore(&id);
	if (!id.offset_known) {
		autofree char *path = kernel_id__find_vmlinux(&id, vmlinux);

		if (path)
			read_vmlinux(&id, symbols, path);
	}
	*ret = id;
	return 0;
}

void kernel_id__free(struct kernel_id *id)
{
	free(id->release);
	free(id->version);
	free(id->arch);
	free(id->build_id);
	free(id->cmdline);
	free(id->config);
	memset(id, 0, sizeof(*id));
}

void kernel_id__copy(struct kernel_id *ret, const struct kernel_id *id)
{
	char **const to[] = { &ret->release, &ret->version, &ret->arch, &ret->build_id, &ret->cmdline, &ret->config };

	*ret = *id;
	for (size_t i = 0; i < sizeof(to) / sizeof(to[0]); i++)
		*to[i] = xstrdup(*to[i]);
}

/* The KASLR offset is not written: a recording's readers may have no access to /proc/kallsyms. */
const struct json_field kernel_id_fields[] = {
	{ "release", &field_string, offsetof(struct kernel_id, release) },
	{ "version", &field_string, offsetof(struct kernel_id, version) },
	{ "arch", &field_string, offsetof(struct kernel_id, arch) },
	{ "build_id", &field_string, offsetof(struct kernel_id, build_id) },
	{ "config", &field_string, offsetof(struct kernel_id, config) },
	{ "cmdline", &field_string, offsetof(struct kernel_id, cmdline) },
	{ "addresses", &field_flag, offsetof(struct kernel_id, offset_known), "linked" },
	{ "calls", &field_flag, offsetof(struct kernel_id, calls_linked), "linked" },
	{ }
};

/* ---- lists */

int kernel__load(struct kernel *k, unsigned int parts, const char *vmlinux)
{
	int err = 0;

	if (parts & KERNEL_LISTS)
		err = symbols__load(&k->symbols) ?: traceable__load(&k->traceable, k->symbols);
	if (!err && parts & KERNEL_ID)
		err = kernel_id__read(&k->id, k->symbols, vmlinux);
	if (!err && parts & KERNEL_SITES) {
		autofree char *path = kernel_id__find_vmlinux(&k->id, vmlinux);

		k->sites = path ? call_sites__read_file(path) : NULL;
		k->id.calls_linked = k->sites && k->id.offset_known;
	}
	if (!err && parts & KERNEL_FILES) {
		autofree char *path = module_files__directory(NULL, k->id.release);

		k->files = module_files__new(path);
	}
	return err;
}

void kernel__free(struct kernel *k)
{
	kernel_id__free(&k->id);
	call_sites__free(k->sites);
	module_files__free(k->files);
	traceable__free(k->traceable);
	symbols__free(k->symbols);
}
