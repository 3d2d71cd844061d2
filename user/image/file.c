// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads the ELF file of a kernel; see file.h.
 *
 * The sections of a module have no addresses. When the kernel loads a module, it puts the sections
 * with code one after the other. This file does the same, because recordings give a place in a
 * module by its distance from the first section.
 */
#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "image/file.h"
#include "image/image.h"
#include "kernel/elf_file.h"

static bool begins_with(const char *text, const char *start)
{
	return !strncmp(text, start, strlen(start));
}

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

int image_file__open(struct image_file *file, const char *path, bool is_module)
{
	GElf_Ehdr ehdr;
	int err;

	memset(file, 0, sizeof(*file));
	file->path = path;
	file->is_module = is_module;
	elf_version(EV_CURRENT);
	file->fd = elf_file__open(path);
	if (file->fd == -EFBIG)
		return error__return(-EINVAL, "%s: is refused: its contents are more than %d times as large as "
				     "the file, unlike those of an ELF file: give it without compression",
				     path, ELF_FILE_MOST_RATIO);
	if (file->fd < 0)
		return error__return(-EINVAL, "%s: cannot be read: %s", path, strerror(-file->fd));
	file->elf = dwelf_elf_begin(file->fd);
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

void image_file__close(struct image_file *file)
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

const unsigned char *image_file__bytes(const struct image_file *file, uint64_t addr, size_t *ret_left)
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
