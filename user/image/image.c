// SPDX-License-Identifier: GPL-2.0-only
/* Reads the files of a kernel; see image.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "image/file.h"
#include "image/functions.h"
#include "image/image.h"
#include "image/sites.h"
#include "image/units.h"
#include "kernel/elf_file.h"

struct image {
	char *path, *module, *build_id, *release;
	struct image_file file;
	struct sites sites;
	struct functions functions;
	struct units *units;	/* NULL: no debug information */
};

/* Finds the release in "vermagic=6.12.117 SMP mod_unload", one of the strings of .modinfo. */
static const char *module_release(const struct image *image, size_t *ret_length)
{
	static const char key[] = "vermagic=";
	GElf_Shdr shdr;
	Elf_Scn *section = elf_file__section(image->file.elf, ".modinfo", &shdr);
	Elf_Data *data = section ? elf_getdata(section, NULL) : NULL;
	const char *text = data ? memmem(data->d_buf, data->d_size, key, strlen(key)) : NULL;
	const char *end = text ? (const char *)data->d_buf + data->d_size : NULL;

	if (!text)
		return NULL;
	text += strlen(key);
	for (*ret_length = 0; text + *ret_length < end && text[*ret_length] && text[*ret_length] != ' ';)
		(*ret_length)++;
	return text;
}

/* Finds the release in "Linux version 6.12.117 (who@where) ...". */
static const char *kernel_release(const struct image *image, size_t *ret_length)
{
	static const char start[] = "Linux version ";
	const struct image_file *file = &image->file;
	GElf_Sym sym;

	for (int i = 0; gelf_getsym(file->symbols, i, &sym); i++) {
		const char *name = elf_strptr(file->elf, file->symbol_names, sym.st_name);
		const unsigned char *bytes;
		const char *text;
		size_t left;

		if (!name || strcmp(name, "linux_banner"))
			continue;
		bytes = image_file__bytes(file, sym.st_value, &left);
		if (!bytes || left <= strlen(start) || memcmp(bytes, start, strlen(start)))
			return NULL;
		text = (const char *)bytes + strlen(start);
		left -= strlen(start);
		for (*ret_length = 0; *ret_length < left && text[*ret_length] && text[*ret_length] != ' ';)
			(*ret_length)++;
		return text;
	}
	return NULL;
}

static int read_file(struct image *image)
{
	int err = image_file__open(&image->file, image->path, image->module);
	const char *release;
	size_t length;

	if (err)
		return err;
	image->build_id = elf_file__build_id(image->file.elf);
	release = image->module ? module_release(image, &length) : kernel_release(image, &length);
	image->release = release ? xstrndup(release, length) : NULL;
	err = sites__read(&image->sites, &image->file);
	if (err)
		return err;
	if (image->file.dwarf)
		image->units = units__read(image->file.dwarf);
	functions__read(&image->functions, &image->file, &image->sites, image->units);
	return 0;
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
	sites__free(&image->sites);
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

const char *image__arch(const struct image *image)
{
	/* Others are not opened. */
	return "x86_64";
}

bool image__has_dwarf(const struct image *image)
{
	return image->units;
}

const struct image_function *image__functions(const struct image *image, size_t *ret_count)
{
	*ret_count = image->functions.count;
	return image->functions.list;
}

const struct image_function *image__function_at(const struct image *image, uint64_t addr)
{
	return functions__at(&image->functions, addr);
}

const struct image_function *const *image__named(const struct image *image, const char *name, size_t *ret_count)
{
	return functions__named(&image->functions, name, ret_count);
}

const unsigned char *image__text(const struct image *image, uint64_t addr, size_t *ret_left)
{
	const struct text_section *text = image_file__text_at(&image->file, addr);

	if (!text || !text->bytes)
		return NULL;
	*ret_left = text->size - (addr - text->addr);
	return text->bytes + (addr - text->addr);
}

const struct unit *image__units(const struct image *image, size_t *ret_count)
{
	*ret_count = 0;
	return image->units ? units__list(image->units, ret_count) : NULL;
}

const struct unit *image__unit(const struct image *image, uint64_t addr)
{
	return image->units ? units__find(image->units, image__to_dwarf(image, addr)) : NULL;
}

const char *image__source(const struct image *image, const char *path)
{
	return image->units ? units__source(image->units, path) : NULL;
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

const struct image_file *image__file(const struct image *image)
{
	return &image->file;
}
