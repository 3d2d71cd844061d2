// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads json files of hytrace; see read.h. The first bytes of a file show how it is compressed. Its
 * name is not used, because input from a pipe has none.
 */
#include <ctype.h>
#include <fcntl.h>
#include <zlib.h>
#include <zstd.h>

#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"
#include "document/read.h"

#define CHUNK (1024 * 1024)

/* Returns NULL after a message if the text is too large. */
static char *text__grow(struct text *t, size_t more, const char *path)
{
	if (t->length + more > DOCUMENT_LARGEST + CHUNK) {
		error__print("%s: is larger than %d MiB, the most that is read", path,
			     DOCUMENT_LARGEST >> 20);
		return NULL;
	}
	if (t->length + more > t->room) {
		t->room = 2 * (t->length + more);
		t->bytes = xreallocarray(t->bytes, t->room, 1);
	}
	return t->bytes + t->length;
}

static int unreadable(const char *path, const char *why)
{
	return error__return(-EINVAL, "%s: cannot be read: %s", path, why);
}

/* Closes @fd; -1: opening it has failed. */
static int read_file(struct text *t, int fd, const char *path)
{
	ssize_t got = 0;
	char *to;
	int err;

	if (fd < 0)
		return unreadable(path, strerror(errno));
	do {
		to = text__grow(t, CHUNK, path);
		got = to ? read(fd, to, CHUNK) : 0;
		t->length += got > 0 ? got : 0;
	} while (got > 0 || (got < 0 && errno == EINTR));
	err = got < 0 ? unreadable(path, strerror(errno)) : to ? 0 : -EINVAL;
	close(fd);
	return err;
}

static int inflate_gzip(struct text *to, const struct text *from, const char *path)
{
	/* 16 means that there is a gzip header. */
	z_stream z = { .next_in = (Bytef *)from->bytes, .avail_in = from->length };
	int status, err = 0;

	if (inflateInit2(&z, 16 + MAX_WBITS) != Z_OK)
		memory__fail();
	do {
		z.next_out = (Bytef *)text__grow(to, CHUNK, path);
		z.avail_out = CHUNK;
		if (!z.next_out) {
			err = -EINVAL;
			break;
		}
		status = inflate(&z, Z_NO_FLUSH);
		to->length += CHUNK - z.avail_out;
		/* A gzip file may consist of several files that were compressed one by one. */
		if (status == Z_STREAM_END && z.avail_in)
			status = inflateReset(&z);
	} while (status == Z_OK && (z.avail_in || !z.avail_out));
	if (!err && status != Z_STREAM_END)
		err = unreadable(path, z.msg ? z.msg : "the compressed file is cut off");
	inflateEnd(&z);
	return err;
}

static int inflate_zstd(struct text *to, const struct text *from, const char *path)
{
	ZSTD_DStream *z = ZSTD_createDStream();
	ZSTD_inBuffer in = { from->bytes, from->length, 0 };
	ZSTD_outBuffer out;
	size_t left = 1;
	int err = 0;

	if (!z)
		memory__fail();
	do {
		out = (ZSTD_outBuffer){ text__grow(to, CHUNK, path), CHUNK, 0 };
		if (!out.dst) {
			err = -EINVAL;
			break;
		}
		left = ZSTD_decompressStream(z, &out, &in);
		to->length += out.pos;
		/* If the output buffer is full, the decompressor may hold more. */
	} while (!ZSTD_isError(left) && (in.pos < in.size || (left && out.pos == out.size)));
	if (!err && ZSTD_isError(left))
		err = unreadable(path, ZSTD_getErrorName(left));
	else if (!err && left)
		err = unreadable(path, "the compressed file is cut off");
	ZSTD_freeDStream(z);
	return err;
}

static bool begins_with(const struct text *t, const char *magic, size_t length)
{
	return t->length >= length && !memcmp(t->bytes, magic, length);
}

static int decompress(struct text *t, const char *path)
{
	struct text plain = {};
	int err;

	if (begins_with(t, "\x1f\x8b", 2))
		err = inflate_gzip(&plain, t, path);
	else if (begins_with(t, "\x28\xb5\x2f\xfd", 4))
		err = inflate_zstd(&plain, t, path);
	else
		return 0;
	free(t->bytes);
	*t = plain;
	return err;
}

/*
 * An estimate of the memory that json-c needs for the text. It needs 780 bytes for "{}", so a compressed file of a
 * kilobyte could take gigabytes. Characters in strings are counted as well, which makes the estimate a bit too high.
 */
static uint64_t memory_for(const struct text *t)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < t->length; i++) {
		char c = t->bytes[i];

		bytes += c == '{' ? 800 : c == '[' ? 200 : c == ':' ? 120 : c == ',' ? 80 : 0;
	}
	return bytes;
}

bool document__fits(const struct text *t, long long most)
{
	return memory_for(t) <= (uint64_t)most;
}

int document__check_memory(const struct text *t, const char *path, const char *remedy, long long most)
{
	if (document__fits(t, most))
		return 0;
	return error__return(-EINVAL, "%s: is refused: its %zu KiB of text would take more than %lld MiB of "
			     "memory: %s", path, t->length >> 10, most >> 20, remedy);
}

static int parse(struct json_object **ret, const struct text *t, const char *path)
{
	struct json_tokener *tokener = json_tokener_new();
	enum json_tokener_error why;
	size_t end;

	if (!tokener)
		memory__fail();
	*ret = json_tokener_parse_ex(tokener, t->bytes, t->length);
	why = json_tokener_get_error(tokener);
	end = json_tokener_get_parse_end(tokener);
	json_tokener_free(tokener);
	while (end < t->length && isspace((unsigned char)t->bytes[end]))
		end++;
	if (*ret && end < t->length)
		return unreadable(path, "there is more after the end of the json object: give one object");
	/* For the text "null", json-c makes no object. document__check() then says that it is not a file of hytrace. */
	if (!*ret && why == json_tokener_success)
		return 0;
	if (!*ret && why == json_tokener_continue)
		return unreadable(path, t->length ? "the file is cut off" : "the file is empty");
	if (!*ret)
		return unreadable(path, json_tokener_error_desc(why));
	return 0;
}

int document__check(struct json_object *root, const char *path, const char *kind, const char *command, int schema)
{
	const char *is = json__text(json__field(root, "document"));
	uint64_t number = json_object_get_uint64(json__field(root, "schema"));

	/* Schema 1 did not name the kind of the file. */
	if (!json__text(json__field(root, "hytrace")) || (is ? strcmp(is, kind) : number != 1))
		return error__return(-EINVAL, "%s: is not a file of `%s`", path, command);
	if (number != (uint64_t)schema)
		return error__return(-EINVAL, "%s: has schema %" PRIu64 ", and this hytrace knows %d: write it "
				     "again by `%s`", path, number, schema, command);
	return 0;
}

int document__open(const char *path)
{
	static bool stdin_is_read;

	if (strcmp(path, "-"))
		return open(path, O_RDONLY | O_CLOEXEC);
	if (stdin_is_read)
		return error__return(-EINVAL, "-: standard input has been read already, as another FILE");
	stdin_is_read = true;
	return dup(STDIN_FILENO);
}

int document__read_text(struct text *ret, int fd, const char *path)
{
	int err;

	*ret = (struct text){};
	/* document__open() has printed why. */
	err = fd < -1 ? fd : read_file(ret, fd, path);
	if (!err)
		err = decompress(ret, path);
	if (!err && ret->length > DOCUMENT_LARGEST)
		err = error__return(-EINVAL, "%s: is larger than %d MiB, the most that is read", path,
				    DOCUMENT_LARGEST >> 20);
	if (!err && text__grow(ret, 1, path))
		ret->bytes[ret->length] = '\0';
	if (err)
		free(ret->bytes);
	return err;
}

int document__parse(struct json_object **ret, const struct text *t, const char *path, const char *kind,
		    const char *command, int schema)
{
	autofree char *remedy = xasprintf("write it again by `%s`", command);
	struct json_object *root = NULL;
	int err = document__check_memory(t, path, remedy, DOCUMENT_MOST_MEMORY) ?:
		  parse(&root, t, path) ?:
		  document__check(root, path, kind, command, schema);

	if (err)
		json_object_put(root);
	else
		*ret = root;
	return err;
}

int document__read(struct json_object **ret, const char *path, const char *kind, const char *command, int schema)
{
	struct text t;
	int err = document__read_text(&t, document__open(path), path);

	if (err)
		return err;
	err = document__parse(ret, &t, path, kind, command, schema);
	free(t.bytes);
	return err;
}
