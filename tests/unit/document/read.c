// SPDX-License-Identifier: GPL-2.0
/* Compressed documents that are small, and would take gigabytes. */
#include <zlib.h>
#include <zstd.h>

#include "document/read.h"

#define HEAD "{\"hytrace\":\"0\",\"document\":\"coverage\",\"schema\":2,\"functions\":["
#define SCHEMA 2

/* A document with @count times @element in its list. */
static char *repeated(const char *element, size_t count)
{
	size_t length = strlen(element);
	char *text = malloc(sizeof(HEAD) + length * count + sizeof("0]}")), *to;

	cr_assert(text != NULL);
	to = stpcpy(text, HEAD);
	for (size_t i = 0; i < count; i++)
		to = mempcpy(to, element, length);
	strcpy(to, "0]}");
	return text;
}

static size_t compress_zstd(const char *text, void **ret)
{
	size_t length = strlen(text), room = ZSTD_compressBound(length), size;

	*ret = malloc(room);
	size = ZSTD_compress(*ret, room, text, length, 1);
	cr_assert(ZSTD_isError(size) == 0);
	return size;
}

static size_t compress_gzip(const char *text, void **ret)
{
	size_t length = strlen(text);
	uLong room = compressBound(length) + 32;
	z_stream z = { .next_in = (Bytef *)text, .avail_in = length, .avail_out = room };

	*ret = z.next_out = malloc(room);
	cr_assert(deflateInit2(&z, 1, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY) == Z_OK);
	cr_assert(deflate(&z, Z_FINISH) == Z_STREAM_END);
	deflateEnd(&z);
	return z.total_out;
}

/* Returns what document__read() returns for a compressed file. @said: the line that it prints */
static int read_compressed(const char *text, size_t (*compress_text)(const char *text, void **ret), char said[512],
			   size_t *ret_size)
{
	char path[] = "/tmp/bomb.XXXXXX";
	struct json_object *root = NULL;
	int fd = mkstemp(path), err;
	void *bytes;

	*ret_size = compress_text(text, &bytes);
	cr_assert(write(fd, bytes, *ret_size) == (ssize_t)*ret_size);
	close(fd);
	err = document__read(&root, path, "coverage", "hytrace cover -f json", SCHEMA);
	unlink(path);
	free(bytes);
	json_object_put(root);
	said[0] = '\0';
	fflush(stderr);
	if (err)
		cr_assert(fgets(said, 512, cr_get_redirected_stderr()) != NULL);
	return err;
}

Test(read, refuses_a_small_file_that_takes_gigabytes)
{
	/* What they are made of takes 780, 150, 70 and 180 bytes of memory each. */
	static const struct {
		const char *element;
		size_t count;
	} bombs[] = {
		{ "{},", 3300000 }, { "[],", 13200000 }, { "0,", 44000000 }, { "{\"a\":0,\"b\":0,\"c\":0,\"d\":0},", 1760000 },
	};
	size_t (*const compressors[])(const char *text, void **ret) = { compress_zstd, compress_gzip };
	char said[512];
	size_t size;

	cr_redirect_stderr();
	for (size_t i = 0; i < 4; i++) {
		autofree char *text = repeated(bombs[i].element, bombs[i].count);

		cr_expect(eq(int, read_compressed(text, compressors[i % 2], said, &size), -EINVAL));
		cr_expect(lt(sz, size, 500000));
		cr_expect(strstr(said, "KiB of text would take more than 2048 MiB of memory") != NULL, "%s", said);
	}
}

/* The same elements, fewer of them, are a document, whatever the reader of it says. */
Test(read, takes_what_a_kernel_can_have)
{
	char *text = repeated("{\"name\":\"vfs_read\",\"caller\":{}},", 20000), said[512];
	size_t size;

	cr_redirect_stderr();
	cr_expect(eq(int, read_compressed(text, compress_zstd, said, &size), 0), "%s", said);
	cr_expect(eq(int, read_compressed(text, compress_gzip, said, &size), 0), "%s", said);
	free(text);
}

/* Far more text than a document can have is not unpacked to its end. */
Test(read, refuses_text_without_end)
{
	char *text = repeated("          ", 15000000), said[512];
	size_t size;

	cr_redirect_stderr();
	cr_expect(eq(int, read_compressed(text, compress_zstd, said, &size), -EINVAL));
	cr_expect(strstr(said, "larger than 128 MiB") != NULL, "%s", said);
	free(text);
}
