// SPDX-License-Identifier: GPL-2.0-only
/* Finds files by their build id; see debug_files.h. */
#include <elfutils/libdwfl.h>
#include <limits.h>

#include "base/memory.h"
#include "base/text.h"
#include "kernel/debug_files.h"
#include "kernel/elf_file.h"

/* The most bytes of a build id, as in libdebuginfod. */
#define MOST_BYTES 64

/* Returns the number of bytes; 0: @build_id is not a build id in hex. */
static size_t bytes_of(const char *build_id, unsigned char *bytes)
{
	size_t length = strlen(build_id);

	if (length < 4 || length % 2 || length > 2 * MOST_BYTES || strspn(build_id, "0123456789abcdef") != length)
		return 0;
	for (size_t i = 0; i < length / 2; i++)
		bytes[i] = strtoul((const char[]){ build_id[2 * i], build_id[2 * i + 1], '\0' }, NULL, 16);
	return length / 2;
}

static bool has_code(Elf *elf)
{
	Elf_Scn *section = NULL;
	GElf_Shdr shdr;

	while ((section = elf_nextscn(elf, section))) {
		if (gelf_getshdr(section, &shdr) && shdr.sh_flags & SHF_EXECINSTR && shdr.sh_type != SHT_NOBITS)
			return true;
	}
	return false;
}

static bool is_it(const char *path, const char *build_id)
{
	int fd;
	Elf *elf = elf_file__begin_path(path, true, &fd);
	autofree char *found = elf ? elf_file__build_id(elf) : NULL;
	bool is = text__is_known_equal(found, build_id) && has_code(elf);

	if (elf)
		elf_file__end(elf, fd);
	return is;
}

static char *find_in(const char *directory, size_t length, const char *build_id)
{
	char *path = xasprintf("%.*s/.build-id/%.2s/%s.debug", (int)length, directory, build_id, build_id + 2);

	if (is_it(path, build_id))
		return path;
	free(path);
	return NULL;
}

char *debug_file__find(const char *build_id, const char *beside)
{
	static const char usual[] = "/usr/lib/debug";
	unsigned char bytes[MOST_BYTES];
	const char *slash = beside ? strrchr(beside, '/') : NULL;
	char *path = NULL;

	if (!build_id || !bytes_of(build_id, bytes))
		return NULL;
	if (beside)
		path = slash ? find_in(beside, slash - beside, build_id) : find_in(".", 1, build_id);
	return path ?: find_in(usual, strlen(usual), build_id);
}

/* A name of a file that was fetched: it is in a cache, and only its descriptor is known. */
static char *path_of(int fd)
{
	autofree char *link = xasprintf("/proc/self/fd/%d", fd);
	char path[PATH_MAX];
	ssize_t length = readlink(link, path, sizeof(path) - 1);

	return length > 0 ? xstrndup(path, length) : NULL;
}

static int ask(Dwfl_Module *of, bool module)
{
	autofree char *name = NULL;
	Elf *elf = NULL;
	int fd;

	if (module)
		fd = dwfl_build_id_find_elf(of, NULL, NULL, 0, &name, &elf);
	else
		fd = dwfl_standard_find_debuginfo(of, NULL, NULL, 0, NULL, NULL, 0, &name);
	elf_end(elf);
	return fd;
}

static bool has_server(void)
{
	const char *urls = getenv("DEBUGINFOD_URLS");

	return urls && *urls;
}

char *debug_file__fetch(const char *build_id, bool module)
{
	/* An empty path: debug_file__find() has looked in directories. */
	char *path = "", *found = NULL;
	const Dwfl_Callbacks callbacks = { .debuginfo_path = &path };
	unsigned char bytes[MOST_BYTES];
	size_t size = build_id ? bytes_of(build_id, bytes) : 0;
	Dwfl_Module *of;
	Dwfl *dwfl;
	int fd = -1;

	if (!size || !has_server())
		return NULL;
	elf_version(EV_CURRENT);
	dwfl = dwfl_begin(&callbacks);
	if (!dwfl)
		return NULL;
	dwfl_report_begin(dwfl);
	of = dwfl_report_module(dwfl, "fetched", 0, 1);
	if (of && !dwfl_module_report_build_id(of, bytes, size, 0))
		fd = ask(of, module);
	dwfl_report_end(dwfl, NULL, NULL);
	if (fd >= 0) {
		found = path_of(fd);
		close(fd);
	}
	dwfl_end(dwfl);
	if (found && !is_it(found, build_id)) {
		free(found);
		found = NULL;
	}
	return found;
}

char *debug_file__of_module(char *listed, const char *build_id, const char *beside, bool fetch)
{
	char *found = debug_file__find(build_id, beside);

	/* Only here is a listed file opened, as it may be compressed. */
	if (!found && fetch && has_server() && !(listed && is_it(listed, build_id)))
		found = debug_file__fetch(build_id, true);
	if (!found)
		return listed;
	free(listed);
	return found;
}
