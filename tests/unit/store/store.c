// SPDX-License-Identifier: GPL-2.0
/* A run comes back from a store as it was; and what a damaged store has in its columns does no harm. */
#include <sys/wait.h>
#include <zstd.h>

#include "../report/sample_documents.h"
#include "document/coverage_json.h"
#include "printed.h"
#include "report/documents.h"
#include "store/columns.h"
#include "store/inside.h"

static char path[] = "/tmp/store.XXXXXX";

static struct store *open_new(void)
{
	struct store *s;
	int fd = mkstemp(path);

	cr_assert(fd >= 0);
	close(fd);
	cr_assert(eq(int, store__open(&s, path, STORE_CREATE), 0));
	return s;
}

static void remove_store(struct store *s)
{
	store__close(s);
	unlink(path);
	strcpy(path + strlen(path) - 6, "XXXXXX");
}

static struct hit *last(struct coverage *c)
{
	return &c->hits.list[c->hits.count - 1];
}

static void set_other(struct coverage *c, const char *name, const char *module, uint64_t addr, uint32_t into)
{
	last(c)->other = (struct other){
		.name = hits__name(&c->hits, name), .module = hits__name(&c->hits, module), .link = module ? 0 : addr,
		.offset = module ? addr : 0, .into = into,
	};
}

/* Functions with and without names, modules of known and unknown builds, namesakes, and all kinds of callers. */
static void make_run(struct coverage *c, const char *boot)
{
	sample_document(c, boot);
	c->host = strdup("here");
	sample_module(c, "d0", false);
	see(c, "vfs_read", NULL, 0x1000, 100);
	set_other(c, "call", NULL, 0x2000, 8);
	last(c)->sympos = 1;
	last(c)->pid = last(c)->tgid = 7;
	last(c)->comm = hits__name(&c->hits, "a b");
	see_caller(c, "call", 0x2000, 101);
	set_other(c, "vfs_read", NULL, 0x1000, 0);
	last(c)->into = 8;
	last(c)->cpu = 300;
	see(c, "stop", NULL, 0x1700, 102);
	last(c)->sympos = 1;
	see(c, "stop", NULL, 0x1800, 102);
	last(c)->sympos = 2;
	set_other(c, "dummy_xmit", "dummy", 0x14, 4);
	see(c, "dummy_xmit", "dummy", 0, 90);
	see(c, NULL, "unlisted", 0x40, 5);
	see_caller(c, "call", 0x2000, 200);
	set_other(c, "dummy_xmit", "dummy", 0, 0);
	last(c)->into = 8;
	see_caller(c, "vfs_read", 0x1004, 201);
	hits__order(&c->hits);
}

static char *written(const struct coverage *c)
{
	return PRINTED(f, coverage__write_json(c, f));
}

/* Each run has a hash of its own. */
static int64_t keep(struct store *s, const struct coverage *c, bool thin)
{
	static uint64_t number;
	const struct store_note note = { .document = "run.json", .thin = thin, .hash = { { ++number } } };
	bool is_new;

	cr_assert(eq(int, store__keep(s, c, &note, &is_new), 0));
	cr_assert(is_new == true);
	return sqlite3_last_insert_rowid(s->sql.db) ?: 1;
}

static int64_t last_run(struct store *s)
{
	sqlite3_int64 id = 0;

	cr_assert(eq(int, sql__number(&s->sql, &id, "SELECT max(id) FROM run", ""), 1));
	return id;
}

static void expect_back(struct store *s, const struct coverage *c)
{
	char *expected = written(c), *got, *document;
	struct coverage back;

	keep(s, c, false);
	cr_assert(eq(int, store__read(s, last_run(s), &back, &document), 0));
	got = written(&back);
	cr_expect(eq(str, got, expected));
	cr_expect(eq(str, document, "run.json"));
	coverage__free(&back);
	free(document);
	free(got);
	free(expected);
}

Test(store, gives_back_what_was_kept)
{
	struct store *s = open_new();
	struct coverage c, other;

	make_run(&c, "b1");
	expect_back(s, &c);
	/* Another one of the build knows other things of the same functions. */
	make_run(&other, "b2");
	see(&other, "vfs_read", NULL, 0x1000, 300);
	last(&other)->sympos = 1;
	see(&other, "do_more", NULL, 0x1900, 301);
	set_other(&other, "call", NULL, 0x2000, 8);
	see_caller(&other, "call", 0x2000, 302);
	set_other(&other, "do_more", NULL, 0x1900, 0);
	expect_back(s, &other);
	expect_back(s, &c);
	coverage__free(&other);
	/* A union, of which no first hit is known. */
	coverage__free(&c);
	make_run(&c, "b3");
	c.merged = calloc(1, sizeof(*c.merged));
	c.merged_count = 1;
	c.merged->engine = strdup("oneshot");
	free(c.boot_id);
	c.boot_id = NULL;
	for (size_t i = 0; i < c.hits.count; i++) {
		struct hit *hit = &c.hits.list[i];

		hit->first_ns = hit->cpu = hit->pid = hit->tgid = 0;
		hit->comm = NULL;
		hit->runs = i + 1;
	}
	/* As when a document is read. */
	hits__order(&c.hits);
	expect_back(s, &c);
	coverage__free(&c);
	/* Nothing ran. */
	sample_document(&c, "b4");
	expect_back(s, &c);
	coverage__free(&c);
	remove_store(s);
}

Test(store, another_process_gives_numbers_meanwhile)
{
	struct store *s = open_new(), *other;
	struct coverage a, b;

	sample_document(&a, "b1");
	see(&a, "first", NULL, 0x100, 1);
	expect_back(s, &a);
	cr_assert(eq(int, store__open(&other, path, STORE_WRITE), 0));
	sample_document(&b, "b2");
	see(&b, "second", NULL, 0x200, 1);
	see_caller(&b, "second", 0x204, 2);
	expect_back(other, &b);
	see(&a, "third", NULL, 0x300, 2);
	see_caller(&a, "third", 0x304, 3);
	expect_back(s, &a);
	expect_back(other, &a);
	store__close(other);
	coverage__free(&a);
	coverage__free(&b);
	remove_store(s);
}

/* A `hytrace forget` at the same time, of which this process has not heard. */
Test(store, another_process_forgets_runs_meanwhile)
{
	struct store *s = open_new(), *other;
	sqlite3_int64 unseen = -1;
	struct coverage a;

	sample_document(&a, "b1");
	see(&a, "first", NULL, 0x100, 1);
	for (int i = 0; i < 2; i++) {
		keep(s, &a, false);
		cr_assert(eq(int, store__open(&other, path, STORE_WRITE), 0));
		cr_expect(eq(int, store__forget(other, &(int64_t){ last_run(other) }, 1), 0));
		store__close(other);
	}
	keep(s, &a, false);
	cr_assert(eq(int, sql__number(&s->sql, &unseen, "SELECT count(*) FROM function WHERE first_run IS NULL", ""),
		     1));
	cr_expect(eq(i64, unseen, 0));
	coverage__free(&a);
	remove_store(s);
}

static size_t count_functions(struct store *s)
{
	sqlite3_int64 count = 0;

	cr_assert(eq(int, sql__number(&s->sql, &count, "SELECT count(*) FROM function", ""), 1));
	return count;
}

/* Also if one of two recorders does not tell which of several namesakes it is. */
Test(store, a_function_has_one_number)
{
	struct store *s = open_new();
	struct coverage c;

	sample_document(&c, "b1");
	see(&c, "first", NULL, 0x100, 1);
	last(&c)->sympos = 1;
	keep(s, &c, false);
	last(&c)->sympos = 0;
	keep(s, &c, false);
	cr_expect(eq(sz, count_functions(s), 1));
	coverage__free(&c);
	remove_store(s);
}

/* A kernel that is locked down hides its addresses. Its functions are the same ones, whichever run is kept first. */
Test(store, a_run_without_addresses)
{
	for (int hidden_first = 0; hidden_first < 2; hidden_first++) {
		struct store *s = open_new();
		struct coverage c, hidden;
		size_t count;

		make_run(&c, "b1");
		make_run(&hidden, "b2");
		c.kernel.offset_known = true;
		hidden.kernel.offset_known = false;
		for (size_t i = 0; i < hidden.hits.count; i++)
			hidden.hits.list[i].link = hidden.hits.list[i].other.link = 0;
		expect_back(s, hidden_first ? &hidden : &c);
		count = count_functions(s);
		expect_back(s, hidden_first ? &c : &hidden);
		cr_expect(eq(sz, count_functions(s), count));
		expect_back(s, hidden_first ? &hidden : &c);
		coverage__free(&c);
		coverage__free(&hidden);
		remove_store(s);
	}
}

/* Tries to remove all runs, as another process would, but without waiting. */
static int forget_meanwhile(struct coverage *c, const char *name, void *data)
{
	sqlite3 *db;

	cr_assert(eq(int, sqlite3_open(path, &db), SQLITE_OK));
	cr_expect(eq(int, sqlite3_exec(db, "DELETE FROM first; DELETE FROM ran; DELETE FROM run", NULL, NULL, NULL),
		     SQLITE_BUSY));
	sqlite3_close(db);
	coverage__free(c);
	++*(size_t *)data;
	return 0;
}

Test(store, is_read_as_it_was_at_one_moment)
{
	struct store *s = open_new();
	const char *const paths[] = { path };
	struct coverage c;
	size_t runs = 0;

	make_run(&c, "b1");
	keep(s, &c, false);
	keep(s, &c, true);
	cr_expect(eq(int, documents__each(paths, 1, NULL, forget_meanwhile, &runs), 0));
	cr_expect(eq(sz, runs, 2));
	coverage__free(&c);
	remove_store(s);
}

Test(store, a_run_without_times)
{
	struct store *s = open_new();
	struct coverage c, back;
	char *document;

	make_run(&c, "b1");
	keep(s, &c, true);
	cr_assert(eq(int, store__read(s, last_run(s), &back, &document), 0));
	cr_expect(eq(sz, hits__count(&back.hits, HIT_FUNCTION), 5));
	/* Two hits of one call site are one bit. */
	cr_expect(eq(sz, hits__count(&back.hits, HIT_CALLER), 2));
	cr_expect(coverage__knows_first(&back) == false);
	cr_expect(eq(str, back.merged->boot_id, "b1"));
	coverage__free(&back);
	coverage__free(&c);
	free(document);
	remove_store(s);
}

static void read_damaged(struct knowns *k, const char *plain, size_t length)
{
	size_t room = ZSTD_compressBound(length);
	void *packed = xmalloc(room);
	const struct sql_blob blob = { packed, ZSTD_compress(packed, room, plain, length, 1) };
	struct hits hits;

	hits__init(&hits);
	columns__read(&hits, k, &blob);
	hits__free(&hits);
	free(packed);
}

/* Any byte of the columns is any other, and any end of them is missing. */
Test(store, damaged_columns_do_no_harm)
{
	struct store *s = open_new();
	unsigned char plain[4096];
	struct sql_blob blob;
	struct coverage c;
	sqlite3_stmt *st;
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	size_t length;

	make_run(&c, "b1");
	keep(s, &c, false);
	st = sql__begin(&s->sql, "SELECT hits FROM first", "");
	cr_assert(eq(int, sql__next(&s->sql, st), 1));
	blob = (struct sql_blob){ sqlite3_column_blob(st, 0), sqlite3_column_bytes(st, 0) };
	length = ZSTD_decompress(plain, sizeof(plain), blob.bytes, blob.length);
	cr_assert(ZSTD_isError(length) == 0);
	sqlite3_reset(st);
	dup2(null, STDERR_FILENO);
	for (size_t i = 0; i < length; i++) {
		unsigned char was = plain[i];

		for (unsigned int byte = 0; byte < 256; byte++) {
			plain[i] = byte;
			read_damaged(&s->knowns, (char *)plain, length);
		}
		plain[i] = was;
		read_damaged(&s->knowns, (char *)plain, i);
	}
	close(null);
	coverage__free(&c);
	remove_store(s);
}

/* Any byte of the file is another one: no command may crash, and none may say nothing. */
Test(store, a_damaged_file_does_no_harm)
{
	struct store *s = open_new();
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC), fd;
	struct coverage c;

	make_run(&c, "b1");
	keep(s, &c, false);
	store__close(s);
	fd = open(path, O_RDWR | O_CLOEXEC);
	dup2(null, STDERR_FILENO);
	for (off_t at = 0; at < lseek(fd, 0, SEEK_END); at += 37) {
		struct coverage back;
		unsigned char byte, wrong;
		char *document;

		cr_assert(pread(fd, &byte, 1, at) == 1);
		wrong = byte ^ 0x81;
		cr_assert(pwrite(fd, &wrong, 1, at) == 1);
		if (!store__open(&s, path, STORE_READ)) {
			if (!store__read(s, 1, &back, &document)) {
				coverage__free(&back);
				free(document);
			}
			store__close(s);
		}
		cr_assert(pwrite(fd, &byte, 1, at) == 1);
	}
	close(fd);
	close(null);
	coverage__free(&c);
	unlink(path);
}

/* SQLite opens it all the same, and fails when a run is kept, which may be hours later. */
Test(store, that_cannot_be_written_is_not_opened_for_it)
{
	struct store *s = open_new();
	int status;

	cr_assert(chmod(path, 0444) == 0);
	if (!fork()) {
		if (!geteuid() && setresuid(65534, 65534, 65534))
			_exit(3);
		_exit(!store__open(&s, path, STORE_WRITE) ? 1 : store__open(&s, path, STORE_READ) ? 2 : 0);
	}
	cr_assert(wait(&status) > 0);
	cr_expect(eq(int, status, 0), "%x", (unsigned int)status);
	remove_store(s);
}
