// SPDX-License-Identifier: GPL-2.0
/*
 * Recordings and stores come from other machines. Here parts of them are replaced, doubled and missing, at random but the same
 * each time, and all that takes them is called, under the sanitizers. HYTRACE_MUTANTS= is another number than 1,000 of each.
 * What is kept of a recording has to be readable again.
 */
#include "../report/sample_documents.h"
#include "base/files.h"
#include "document/coverage_json.h"
#include "printed.h"
#include "store/inside.h"

static char directory[] = "/dev/shm/mutated.XXXXXX";
static char *store, *dump;
static unsigned int state = 1;

static unsigned int any(unsigned int below)
{
	return rand_r(&state) % below;
}

static unsigned long rounds(void)
{
	const char *text = getenv("HYTRACE_MUTANTS");

	return text ? strtoul(text, NULL, 10) : 1000;
}

static void begin(void)
{
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

	cr_assert(mkdtemp(directory) != NULL);
	store = path__join(directory, "store.db");
	dump = path__join(directory, "dump");
	dup2(null, STDERR_FILENO);
	close(null);
}

static void end(void)
{
	autofree char *command = xasprintf("rm -r %s", directory);

	cr_expect(eq(int, system(command), 0));
	free(store);
	free(dump);
}

/* Replaces, doubles or removes some bytes in up to four places. */
static void mutate(struct text *t)
{
	static const char *const words[] = {
		"18446744073709551615", "-1", "1e308", "null", "\"\"", "{}", "[]", "true", "\"\\u0000\"", "\xff", ",", "4294967296",
	};

	for (unsigned int i = any(4) + 1; i; i--) {
		size_t at = any(t->length), length = any(t->length - at) % 40;
		const char *word = words[any(sizeof(words) / sizeof(words[0]))];

		if (any(4)) {
			/* In place, which is all that a database survives. */
			for (size_t j = 0; word[j] && at + j < t->length; j++)
				t->bytes[at + j] = any(3) ? word[j] : (char)any(256);
		} else if (any(2)) {
			memmove(t->bytes + at, t->bytes + at + length, t->length - at - length);
			t->length -= length;
		} else {
			memmove(t->bytes + at + length, t->bytes + at, t->length - at);
			t->length += length;
		}
	}
	t->bytes[t->length] = '\0';
}

static void copy(struct text *to, const struct text *from)
{
	to->length = from->length;
	memcpy(to->bytes, from->bytes, from->length + 1);
}

static void make(struct coverage *c, const char *boot)
{
	sample_document(c, boot);
	c->host = strdup("here");
	sample_module(c, "d0", false);
	see(c, "vfs_read", NULL, 0x1000, 100);
	see(c, "dummy_xmit", "dummy", 0x40, 110);
	see(c, "vfs_write", NULL, 0x1800, 120);
	see_caller(c, "vfs_read", 0x1004, 130);
	hits__order(&c->hits);
}

static int keep(struct store *s, const struct coverage *c, bool thin)
{
	static uint64_t number;
	const struct store_note note = { .document = "a", .test = "t\t1", .thin = thin, .hash = { { ++number } } };
	bool is_new;

	return store__keep(s, c, &note, &is_new);
}

/* Returns the number of runs that could be read. */
static size_t read_all(struct store *s)
{
	int64_t *runs;
	size_t count, good = 0;

	if (store__select(s, NULL, &runs, &count)) {
		free(runs);
		return 0;
	}
	for (size_t i = 0; i < count; i++) {
		struct coverage c;
		char *document;

		if (store__read(s, runs[i], &c, &document))
			continue;
		good++;
		coverage__free(&c);
		free(document);
	}
	free(runs);
	return good;
}

Test(mutated, recordings)
{
	struct text whole, t = {};
	struct coverage c;
	struct store *s;
	size_t kept = 0;

	begin();
	make(&c, "b1");
	whole.bytes = PRINTED(f, coverage__write_json(&c, f));
	whole.length = strlen(whole.bytes);
	t.bytes = xmalloc(whole.length + 1000);
	coverage__free(&c);
	cr_assert(eq(int, store__open(&s, store, STORE_CREATE), 0));
	for (unsigned long i = 0; i < rounds(); i++) {
		copy(&t, &whole);
		mutate(&t);
		if (coverage__read_text(&c, &t, "t"))
			continue;
		kept += !keep(s, &c, i % 2);
		coverage__free(&c);
	}
	cr_expect(kept > 0);
	cr_expect(eq(sz, read_all(s), kept));
	cr_expect(eq(int, store__dump(s, NULL, dump), 0));
	store__close(s);
	free(t.bytes);
	free(whole.bytes);
	end();
}

static void write_file(const struct text *t)
{
	int fd = open(store, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	cr_assert(write(fd, t->bytes, t->length) == (ssize_t)t->length);
	close(fd);
}

static void read_file(struct text *t)
{
	int fd = open(store, O_RDONLY | O_CLOEXEC);

	t->length = lseek(fd, 0, SEEK_END);
	t->bytes = xmalloc(t->length + 1000);
	cr_assert(pread(fd, t->bytes, t->length, 0) == (ssize_t)t->length);
	close(fd);
}

Test(mutated, stores)
{
	struct text whole, t;
	struct coverage c;
	struct store *s;

	begin();
	make(&c, "b1");
	cr_assert(eq(int, store__open(&s, store, STORE_CREATE), 0));
	cr_assert(eq(int, keep(s, &c, false), 0));
	cr_assert(eq(int, keep(s, &c, true), 0));
	store__close(s);
	read_file(&whole);
	t.bytes = xmalloc(whole.length + 1000);
	for (unsigned long i = 0; i < rounds(); i++) {
		copy(&t, &whole);
		mutate(&t);
		write_file(&t);
		if (store__open(&s, store, STORE_WRITE))
			continue;
		read_all(s);
		keep(s, &c, i % 2);
		store__forget(s, &(int64_t){ 1 }, 1);
		store__dump(s, NULL, dump);
		store__close(s);
	}
	coverage__free(&c);
	free(t.bytes);
	free(whole.bytes);
	end();
}
