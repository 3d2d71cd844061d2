// SPDX-License-Identifier: GPL-2.0-only
/* Opens stores; see store.h. */
#include <fcntl.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/files.h"
#include "base/memory.h"
#include "store/inside.h"

/* "hytr" */
#define APPLICATION 0x68797472
/* How long a process waits for others that write. */
#define WAIT_MS (5 * 60 * 1000)

extern const char _binary_schema_sql_start[], _binary_schema_sql_end[];

/* What makes a store of the next version from one of the version at this index. Version 0 is empty. */
static const struct step {
	const char *start, *end;
} steps[] = {
	{ _binary_schema_sql_start, _binary_schema_sql_end },
};

#define VERSION ((int)(sizeof(steps) / sizeof(steps[0])))

bool store__is(const char *path)
{
	static const char magic[16] = "SQLite format 3";
	char bytes[sizeof(magic)];
	struct stat st;
	bool is;
	int fd;

	/* To open a pipe, and not to read it, could end the process that writes it. */
	fd = stat(path, &st) || !S_ISREG(st.st_mode) ? -1 : open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	is = fd >= 0 && pread(fd, bytes, sizeof(bytes), 0) == sizeof(bytes) && !memcmp(bytes, magic, sizeof(magic));
	if (fd >= 0)
		close(fd);
	return is;
}

/* ---- the file */

static int unusable(const char *path, int err)
{
	return error__return(-EINVAL, "%s: cannot be opened: %s", path, strerror(err));
}

static bool is_file_of(const struct place *p, const char *real)
{
	struct stat there, opened;

	return !fstatat(p->dir, p->name, &there, AT_SYMLINK_NOFOLLOW) && !lstat(real, &opened) &&
	       S_ISREG(there.st_mode) && there.st_dev == opened.st_dev && there.st_ino == opened.st_ino;
}

/*
 * SQLite opens a path, not a descriptor. So it gets the real path of the place, in which it follows no link.
 */
static int open_place(struct store *s, const struct place *p, const char *path, enum store_use use)
{
	int flags = use == STORE_READ && faccessat(p->dir, p->name, W_OK, AT_EACCESS) ? SQLITE_OPEN_READONLY :
										      SQLITE_OPEN_READWRITE;
	char *real = place__path(p, p->name);
	int err = 0;

	if (!real)
		return unusable(path, errno);
	if (sqlite3_open_v2(real, &s->sql.db, flags | SQLITE_OPEN_NOFOLLOW | SQLITE_OPEN_NOMUTEX, NULL))
		err = sql__failed(&s->sql);
	else if (!is_file_of(p, real))
		err = error__return(-EINVAL, "%s: is refused: another file has taken its place", path);
	free(real);
	return err;
}

/* Another process may make the same store at this moment. */
static int make_empty(const struct place *p, const char *path)
{
	int fd = place__make(p, p->name);

	if (fd >= 0)
		close(fd);
	return fd < 0 && fd != -EEXIST ? unusable(path, -fd) : 0;
}

static int find_and_open(struct store *s, const char *path, enum store_use use)
{
	struct place p;
	int err;

	err = place__find(&p, path);
	if (err && p.refused)
		err = error__return(-EINVAL, "%s: is refused: %s", path, p.refused);
	else if (err)
		err = unusable(path, -err);
	else if (p.st.st_mode && !S_ISREG(p.st.st_mode))
		err = error__return(-EINVAL, "%s: is no file", path);
	else if (!p.st.st_mode && use != STORE_CREATE)
		err = unusable(path, ENOENT);
	if (!err && !p.st.st_mode)
		err = make_empty(&p, path);
	if (!err)
		err = open_place(s, &p, path, use);
	place__free(&p);
	return err;
}

/* ---- the version */

static int read_version(struct store *s, sqlite3_int64 *application, sqlite3_int64 *version, sqlite3_int64 *tables)
{
	int more = sql__number(&s->sql, application, "PRAGMA application_id", "");

	if (more > 0)
		more = sql__number(&s->sql, version, "PRAGMA user_version", "");
	if (more > 0)
		more = sql__number(&s->sql, tables, "SELECT count(*) FROM sqlite_schema", "");
	return more < 0 ? more : 0;
}

static int check_version(struct store *s, sqlite3_int64 *ret_version)
{
	sqlite3_int64 application, tables;
	int err = read_version(s, &application, ret_version, &tables);

	if (err)
		return err;
	if (application != APPLICATION && (application || tables))
		return error__return(-EINVAL, "%s: is a database of another application: give another name",
				     s->sql.path);
	if (*ret_version > VERSION)
		return error__return(-EINVAL, "%s: is a store of version %" PRId64 ", and this hytrace knows "
				     "%d: use a later one", s->sql.path, (int64_t)*ret_version, VERSION);
	return 0;
}

static int take_steps(struct store *s, int version)
{
	int err = 0;

	for (; !err && version < VERSION; version++) {
		char *text = xstrndup(steps[version].start, steps[version].end - steps[version].start);

		err = sql__script(&s->sql, text);
		free(text);
	}
	if (!err) {
		char *text = xasprintf("PRAGMA application_id = %d; PRAGMA user_version = %d", APPLICATION, VERSION);

		err = sql__script(&s->sql, text);
		free(text);
	}
	return err;
}

/* Looks again when no other process can write: it may have made the tables meanwhile. */
static int upgrade(struct store *s)
{
	sqlite3_int64 version;
	int err;

	err = store__begin(s) ?: check_version(s, &version);
	if (!err && version < VERSION)
		err = take_steps(s, version);
	return store__end(s, err);
}

/*
 * Is the file writable, and its directory, in which SQLite makes its journal? If not, a run would be recorded that
 * cannot be kept.
 */
static int try_to_write(struct store *s)
{
	int err = store__begin(s);

	if (err)
		return err;
	err = sql__script(&s->sql, "INSERT OR REPLACE INTO blind VALUES (0, '')");
	sqlite3_exec(s->sql.db, "ROLLBACK", NULL, NULL, NULL);
	return err;
}

static int settle(struct store *s, enum store_use use)
{
	sqlite3_int64 version;
	int err;

	sqlite3_busy_timeout(s->sql.db, WAIT_MS);
	/* The file may be of somebody else: what is in it must have no effect but on results. */
	sqlite3_db_config(s->sql.db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_db_config(s->sql.db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	sqlite3_limit(s->sql.db, SQLITE_LIMIT_ATTACHED, 0);
	err = sql__script(&s->sql, "PRAGMA synchronous = FULL; PRAGMA cell_size_check = ON; "
			  "PRAGMA cache_size = -32768") ?: check_version(s, &version);
	if (!err && version < VERSION)
		err = use != STORE_READ ? upgrade(s) :
		      error__return(-EINVAL, "%s: is a store of an older version, or empty: `hytrace keep` "
				    "upgrades it", s->sql.path);
	else if (!err && use != STORE_READ)
		err = try_to_write(s);
	/*
	 * To read after a crash, SQLite may have to write: it removes what was not kept. So the
	 * file is open for writing.
	 */
	if (!err && use == STORE_READ)
		err = sql__script(&s->sql, "PRAGMA query_only = ON");
	return err;
}

int store__open(struct store **ret, const char *path, enum store_use use)
{
	struct store *s = xcalloc(1, sizeof(*s));
	int err;

	s->sql.path = xstrdup(path ?: "a temporary store");
	knowns__init(&s->knowns, &s->sql);
	/* Of a database without a name, SQLite removes the file as soon as it is open. */
	err = path ? find_and_open(s, path, use) : sqlite3_open("", &s->sql.db) ? sql__failed(&s->sql) : 0;
	err = err ?: settle(s, use);
	if (err)
		store__close(s);
	else
		*ret = s;
	return err;
}

void store__close(struct store *s)
{
	if (!s)
		return;
	knowns__free(&s->knowns);
	sql__close(&s->sql);
	free(s->looked_for.list);
	free(s);
}

struct sql *store__sql(struct store *s)
{
	return &s->sql;
}

/* ---- transactions */

int store__begin(struct store *s)
{
	return sql__run(&s->sql, "BEGIN IMMEDIATE", "");
}

/* If runs are gone, functions may be unseen again, so it is not known any more which ones have run. */
static int look_for_forgotten(struct store *s)
{
	sqlite3_int64 left = 0, newest = 0, runs = 0;

	if (sql__number(&s->sql, &left, "SELECT count(*) FROM run WHERE id <= ?", "i", s->newest) < 0 ||
	    sql__number(&s->sql, &newest, "SELECT coalesce(max(id), 0) FROM run", "") < 0 ||
	    sql__number(&s->sql, &runs, "SELECT count(*) FROM run", "") < 0)
		return -EIO;
	if (left != s->runs) {
		knowns__free(&s->knowns);
		knowns__init(&s->knowns, &s->sql);
	}
	s->newest = newest;
	s->runs = runs;
	return 0;
}

int store__catch_up(struct store *s)
{
	sqlite3_int64 changes;
	int more = sql__number(&s->sql, &changes, "PRAGMA data_version", "");

	if (more <= 0 || changes == s->changes)
		return more < 0 ? more : 0;
	s->changes = changes;
	return look_for_forgotten(s) ?: knowns__refresh(&s->knowns);
}

int store__end(struct store *s, int err)
{
	if (!err)
		err = sql__run(&s->sql, "COMMIT", "");
	if (!err)
		return 0;
	if (!sqlite3_get_autocommit(s->sql.db))
		sqlite3_exec(s->sql.db, "ROLLBACK", NULL, NULL, NULL);
	/* Numbers that were given meanwhile are not in the store. */
	knowns__free(&s->knowns);
	knowns__init(&s->knowns, &s->sql);
	return err;
}
