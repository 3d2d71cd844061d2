// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads the ELF files of a kernel; see image.h and file.h.
 *
 * The sections of a module have no addresses. When the kernel loads a module, it puts the sections
 * with code one after the other. This file does the same, because recordings give a place in a
 * module by its distance from the first section.
 */
#include <elfutils/libdwelf.h>
#include <fcntl.h>

#include "base/error.h"
#include "base/memory.h"
#include "image/file.h"
#include "image/image.h"
#include "image/lines.h"
#include "kernel/elf_file.h"

/* @free: the next free address in the text that stays, and in the init text */
static void lay(struct text_section *text, const GElf_Shdr *shdr, uint64_t free[2])
{
	uint64_t align = shdr->sh_addralign ?: 1, *next = &free[text->init];

	*next = (*next + align - 1) / align * align;
	text->addr = *next;
	*next += shdr->sh_size;
}

static int read_text(struct image_file *file, Elf_Scn *section, const GElf_Shdr *shdr, const char *name,
		     uint64_t free[2])
{
	struct text_section text = { elf_ndxscn(section), name, shdr->sh_addr, shdr->sh_size };
	Elf_Data *data;

	if (shdr->sh_type == SHT_NOBITS)
		return error__return(-EINVAL, "%s: has debug information and no code: give the file that it was "
				     "taken from", file->path);
	data = elf_getdata(section, NULL);
	if (!data || (data->d_size && !data->d_buf))
		return error__return(-EINVAL, "%s: is damaged: section %s cannot be read", file->path, name);
	text.bytes = data->d_buf;
	/* A module's exit code stays in memory; that of vmlinux is freed with its init code. */
	text.init = begins_with(name, ".init") || (!file->is_module && begins_with(name, ".exit"));
	if (file->is_module)
		lay(&text, shdr, free);
	text.dwarf = text.addr;
	*LIST_ADD(file->texts, file->text_count) = text;
	return 0;
}

static int read_sections(struct image_file *file)
{
	uint64_t free[2] = { 0, IMAGE_MODULE_INIT };
	Elf_Scn *section = NULL;
	GElf_Shdr shdr;
	size_t names;
	int err = 0;

	if (elf_getshdrstrndx(file->elf, &names))
		return error__return(-EINVAL, "%s: is damaged: it has no section names", file->path);
	file->symbols = elf_file__symbols(file->elf, &file->symbol_names);
	while (!err && (section = elf_nextscn(file->elf, section))) {
		const char *name;

		if (!gelf_getshdr(section, &shdr))
			continue;
		name = elf_strptr(file->elf, names, shdr.sh_name);
		if (name && (shdr.sh_flags & SHF_ALLOC) && (shdr.sh_flags & SHF_EXECINSTR) && shdr.sh_size)
			err = read_text(file, section, &shdr, name, free);
	}
	if (!err && (!file->symbols || !file->text_count))
		err = error__return(-EINVAL, "%s: has no symbols: give one that is not stripped", file->path);
	return err;
}

/*
 * Gives the sections the addresses that libdwfl uses for them: in the debug information, sections
 * without addresses could not be told apart.
 */
static void relocate(struct image_file *file)
{
	static char *no_path;
	static const Dwfl_Callbacks callbacks = {
		.find_elf = dwfl_build_id_find_elf,
		.find_debuginfo = dwfl_standard_find_debuginfo,
		.section_address = dwfl_offline_section_address,
		.debuginfo_path = &no_path,
	};
	Dwfl_Module *module = NULL;
	GElf_Addr elf_bias;
	Dwarf_Addr bias;
	GElf_Shdr shdr;
	Elf *elf;

	file->dwfl = dwfl_begin(&callbacks);
	if (file->dwfl) {
		/* libdwfl closes the descriptor that it gets, and reads from its current offset. */
		lseek(file->fd, 0, SEEK_SET);
		module = dwfl_report_offline(file->dwfl, file->path, file->path, fcntl(file->fd, F_DUPFD_CLOEXEC, 0));
		dwfl_report_end(file->dwfl, NULL, NULL);
	}
	elf = module ? dwfl_module_getelf(module, &elf_bias) : NULL;
	file->dwarf = elf ? dwfl_module_getdwarf(module, &bias) : NULL;
	for (size_t i = 0; file->dwarf && i < file->text_count; i++) {
		Elf_Scn *section = elf_getscn(elf, file->texts[i].index);

		if (section && gelf_getshdr(section, &shdr))
			file->texts[i].dwarf = shdr.sh_addr + elf_bias - bias;
	}
}

/* The section headers are mostly at the end of a file, so they show whether it is complete. */
static bool is_whole(Elf *elf, const GElf_Ehdr *ehdr)
{
	size_t size;

	return elf_rawfile(elf, &size) && ehdr->e_shoff && ehdr->e_shoff < size &&
	       size - ehdr->e_shoff >= (size_t)ehdr->e_shnum * ehdr->e_shentsize;
}

static int image_file__open(struct image_file *file, const char *path, bool is_module)
{
	GElf_Ehdr ehdr;
	int err;

	memset(file, 0, sizeof(*file));
	file->path = path;
	file->is_module = is_module;
	file->fd = elf_file__open(path);
	if (file->fd == -EFBIG)
		return error__return(-EINVAL, "%s: is refused: its contents are more than %d times as large as "
				     "the file, unlike those of an ELF file: give it without compression",
				     path, ELF_FILE_MOST_RATIO);
	if (file->fd < 0)
		return error__return(-EINVAL, "%s: cannot be read: %s", path, strerror(-file->fd));
	file->elf = elf_file__begin(file->fd);
	if (!file->elf || elf_kind(file->elf) != ELF_K_ELF || !gelf_getehdr(file->elf, &ehdr) ||
	    ehdr.e_ident[EI_CLASS] != ELFCLASS64)
		return error__return(-EINVAL, "%s: is no ELF file of 64 bits", path);
	if (ehdr.e_machine != EM_X86_64)
		return error__return(-EINVAL, "%s: is of a machine of type %s; hytrace reads files of x86_64", path,
				     dwelf_elf_e_machine_string(ehdr.e_machine) ?: "that has no name");
	if (is_module != (ehdr.e_type == ET_REL))
		return error__return(-EINVAL, is_module ? "%s: is no module" : "%s: is no vmlinux", path);
	if (!is_whole(file->elf, &ehdr))
		return error__return(-EINVAL, "%s: is cut off, or has no sections", path);
	err = read_sections(file);
	if (err)
		return err;
	if (is_module)
		relocate(file);
	else
		file->dwarf = dwarf_begin_elf(file->elf, DWARF_C_READ, NULL);
	return 0;
}

static void image_file__close(struct image_file *file)
{
	if (file->dwfl)
		dwfl_end(file->dwfl);
	else if (file->dwarf)
		dwarf_end(file->dwarf);
	elf_end(file->elf);
	if (file->fd >= 0)
		close(file->fd);
	free(file->texts);
}

const struct text_section *image_file__text_at(const struct image_file *file, uint64_t addr)
{
	for (size_t i = 0; i < file->text_count; i++) {
		if (addr - file->texts[i].addr < file->texts[i].size)
			return &file->texts[i];
	}
	return NULL;
}

const struct text_section *image_file__text(const struct image_file *file, size_t section)
{
	for (size_t i = 0; i < file->text_count; i++) {
		if (file->texts[i].index == section)
			return &file->texts[i];
	}
	return NULL;
}

/* The bytes of vmlinux from @addr to the end of its section; NULL: no section contains @addr. */
static const unsigned char *image_file__bytes(const struct image_file *file, uint64_t addr, size_t *ret_left)
{
	Elf_Scn *section = NULL;
	GElf_Shdr shdr;

	while ((section = elf_nextscn(file->elf, section))) {
		Elf_Data *data;

		if (!gelf_getshdr(section, &shdr) || !(shdr.sh_flags & SHF_ALLOC) || shdr.sh_type == SHT_NOBITS ||
		    addr < shdr.sh_addr || addr - shdr.sh_addr >= shdr.sh_size)
			continue;
		/* Thread-local data have addresses of their own, which mean nothing here. */
		if (shdr.sh_flags & SHF_TLS)
			continue;
		data = elf_getdata(section, NULL);
		if (!data || !data->d_buf || addr - shdr.sh_addr >= data->d_size)
			return NULL;
		*ret_left = data->d_size - (addr - shdr.sh_addr);
		return (const unsigned char *)data->d_buf + (addr - shdr.sh_addr);
	}
	return NULL;
}

int image_file__table(const struct image_file *file, const char *from, const char *to, uint64_t *ret_addr,
		      const unsigned char **ret, size_t *ret_size)
{
	uint64_t end;
	size_t left;

	if (!elf_file__symbol(file->elf, from, ret_addr) || !elf_file__symbol(file->elf, to, &end) || end <= *ret_addr)
		return -ENOENT;
	*ret = image_file__bytes(file, *ret_addr, &left);
	*ret_size = end - *ret_addr;
	if (*ret && left >= *ret_size)
		return 0;
	return error__return(-EINVAL, "%s: is damaged: the table at %s cannot be read", file->path, from);
}

bool image_file__target(const struct image_file *file, const GElf_Rela *rela, uint64_t *ret)
{
	GElf_Sym sym;
	const struct text_section *text = gelf_getsym(file->symbols, GELF_R_SYM(rela->r_info), &sym) ?
					  image_file__text(file, sym.st_shndx) : NULL;

	*ret = text ? text->addr + sym.st_value + rela->r_addend : 0;
	return text;
}

/* ---- the image */

/* The text up to a space, a NUL or @end. */
static char *first_word(const char *text, const char *end)
{
	size_t length = 0;

	while (text + length < end && text[length] && text[length] != ' ')
		length++;
	return xstrndup(text, length);
}

/* Finds the release in "vermagic=6.12.117 SMP mod_unload", one of the strings of .modinfo. */
static char *module_release(const struct image_file *file)
{
	static const char key[] = "vermagic=";
	GElf_Shdr shdr;
	Elf_Scn *section = elf_file__section(file->elf, ".modinfo", &shdr);
	Elf_Data *data = section ? elf_getdata(section, NULL) : NULL;
	const char *text = data ? memmem(data->d_buf, data->d_size, key, strlen(key)) : NULL;

	return text ? first_word(text + strlen(key), (const char *)data->d_buf + data->d_size) : NULL;
}

/* Finds the release in "Linux version 6.12.117 (who@where) ...". */
static char *kernel_release(const struct image_file *file)
{
	static const char start[] = "Linux version ";
	const char *text = NULL;
	uint64_t banner;
	size_t left;

	if (elf_file__symbol(file->elf, "linux_banner", &banner))
		text = (const char *)image_file__bytes(file, banner, &left);
	if (!text || left <= strlen(start) || memcmp(text, start, strlen(start)))
		return NULL;
	return first_word(text + strlen(start), text + left);
}

static int read_file(struct image *image)
{
	int err = image_file__open(&image->file, image->path, image->module);

	if (err)
		return err;
	image->build_id = elf_file__build_id(image->file.elf);
	image->release = image->module ? module_release(&image->file) : kernel_release(&image->file);
	if (image->file.dwarf)
		image->units = units__read(image->file.dwarf);
	return functions__read(&image->functions, &image->file, image->units);
}

int image__open(struct image **ret, const char *path, const char *module)
{
	struct image *image = xcalloc(1, sizeof(*image));
	int err;

	image->file.fd = -1;
	image->path = xstrdup(path);
	image->module = xstrdup(module);
	err = read_file(image);
	if (err)
		image__free(image);
	else
		*ret = image;
	return err;
}

void image__free(struct image *image)
{
	if (!image)
		return;
	functions__free(&image->functions);
	units__free(image->units);
	image_file__close(&image->file);
	free(image->path);
	free(image->module);
	free(image->build_id);
	free(image->release);
	free(image);
}

const char *image__path(const struct image *image)
{
	return image->path;
}

const char *image__module(const struct image *image)
{
	return image->module;
}

const char *image__build_id(const struct image *image)
{
	return image->build_id;
}

const char *image__release(const struct image *image)
{
	return image->release;
}

const unsigned char *image__text(const struct image *image, uint64_t addr, size_t *ret_left)
{
	const struct text_section *text = image_file__text_at(&image->file, addr);

	if (!text || !text->bytes)
		return NULL;
	*ret_left = text->size - (addr - text->addr);
	return text->bytes + (addr - text->addr);
}

Dwarf *image__dwarf(const struct image *image)
{
	return image->units ? image->file.dwarf : NULL;
}

Dwarf_Addr image__to_dwarf(const struct image *image, uint64_t addr)
{
	const struct text_section *text = image_file__text_at(&image->file, addr);

	return text ? text->dwarf + (addr - text->addr) : 0;
}

uint64_t image__from_dwarf(const struct image *image, Dwarf_Addr addr)
{
	for (size_t i = 0; i < image->file.text_count; i++) {
		const struct text_section *text = &image->file.texts[i];

		if (addr - text->dwarf < text->size)
			return text->addr + (addr - text->dwarf);
	}
	return 0;
}
