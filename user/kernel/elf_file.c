// SPDX-License-Identifier: GPL-2.0-only
/* ELF files that may be compressed; see elf_file.h. */
#include <elfutils/libdwelf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

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
 * libelf decompresses gzip and xz into memory of any size. So meanwhile the process gets no more memory than the contents
 * may have. Without it, libelf takes the file for one that is no ELF file.
 */
Elf *elf_file__begin(int fd)
{
	FILE *f = is_elf(fd) ? NULL : fopen("/proc/self/statm", "re");
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
	if (f)
		fclose(f);
	return elf;
}

char *elf_file__build_id(Elf *elf)
{
	const void *bits;
	ssize_t size = dwelf_elf_gnu_build_id(elf, &bits);
	char *id = size > 0 ? xmalloc(2 * size + 1) : NULL;

	for (ssize_t i = 0; i < size; i++)
		sprintf(id + 2 * i, "%02x", ((const unsigned char *)bits)[i]);
	return id;
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

bool elf_file__symbol(Elf *elf, const char *wanted, uint64_t *ret)
{
	GElf_Sym sym;
	size_t names;
	Elf_Data *symbols = elf_file__symbols(elf, &names);

	for (int i = 0; symbols && gelf_getsym(symbols, i, &sym); i++) {
		const char *name = elf_strptr(elf, names, sym.st_name);

		if (name && !strcmp(name, wanted)) {
			*ret = sym.st_value;
			return true;
		}
	}
	return false;
}
