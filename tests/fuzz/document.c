// SPDX-License-Identifier: GPL-2.0
/*
 * Feeds any bytes, as a recording, to the reader of recordings, and what it takes to a store (libFuzzer): `make fuzz`.
 *
 * What hytrace reads itself has to mean what it means to json-c; what is written of it, and read again, has to be the
 * same; and a run that is kept can be read. Sanitizers check memory accesses.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/memory.h"
#include "document/coverage_json.h"
#include "store/store.h"

/* On a failure, the fuzzer keeps the bytes that lead here. */
#define CHECK(condition) do {			\
	if (!(condition))			\
		__builtin_trap();		\
} while (0)

static struct text copy_of(const void *bytes, size_t length)
{
	struct text t = { .bytes = xmalloc(length + 1), .length = length };

	memcpy(t.bytes, bytes, length);
	t.bytes[length] = '\0';
	return t;
}

static struct text written(const struct coverage *c)
{
	struct text t = {};
	FILE *f = xopen_memstream(&t.bytes, &t.length);

	coverage__write_json(c, f);
	xclose_memstream(f);
	return t;
}

static void expect_same(const struct coverage *c, const struct text *wanted)
{
	struct text t = written(c);

	CHECK(t.length == wanted->length && !memcmp(t.bytes, wanted->bytes, t.length));
	free(t.bytes);
}

/* By json-c alone. It may refuse what it accepts in parts: a value that is too deep. */
static void read_by_json_c(const struct text *t, const struct text *wanted)
{
	struct json_object *root = json__parse(t->bytes, t->length);
	struct hits_text hits = {};
	struct coverage c;

	if (!root)
		return;
	hits_text__of_json(&hits, root);
	CHECK(!coverage__take(&c, root, &hits, "t"));
	expect_same(&c, wanted);
	coverage__free(&c);
	hits_text__free(&hits);
	json_object_put(root);
}

static void keep(const struct coverage *c)
{
	const struct store_note note = { .document = "t" };
	struct coverage back;
	struct store *s;
	char *document;
	bool is_new;

	CHECK(!store__open(&s, NULL, STORE_CREATE));
	if (!store__keep(s, c, &note, &is_new)) {
		CHECK(!store__read(s, 1, &back, &document));
		coverage__free(&back);
		free(document);
	}
	store__close(s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct text t = copy_of(data, size), once;
	struct coverage c, again;

	if (!coverage__read_text(&c, &t, "t")) {
		CHECK(!memcmp(t.bytes, data, size));
		once = written(&c);
		read_by_json_c(&t, &once);
		CHECK(!coverage__read_text(&again, &once, "again"));
		expect_same(&again, &once);
		keep(&c);
		coverage__free(&again);
		coverage__free(&c);
		free(once.bytes);
	}
	free(t.bytes);
	return 0;
}
