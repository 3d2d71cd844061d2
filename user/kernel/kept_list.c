// SPDX-License-Identifier: GPL-2.0-only
/* Lists that are kept for later runs; see kept_list.h. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/memory.h"
#include "kernel/kept_list.h"
#include "kernel/kernel_id.h"
#include "kernel/text_list.h"

#define MAGIC "hytrace list 1\n"
#define NEW_FILE "new"
#define LARGEST (256u * 1024 * 1024)

const struct kept_places kept_places = { "/run/hytrace-lists", "/proc/modules", "/sys/module" };

/* The head of a file; the key and the text come after it. */
struct header {
	char magic[sizeof(MAGIC)];
	uint32_t key_size, text_size;
	uint32_t crc;		/* over the key and the text */
};

/* ---- the key */

struct key {
	const struct kept_places *places;
	FILE *f;
};

/*
 * Parses "ext4 1150976 2 - Live 0xffffffffc0400000". The number of users changes, so it is not in
 * the key.
 */
static int add_module(void *context, char *line)
{
	const struct key *key = context;
	char name[256], state[16], *path;
	uint64_t size, base;
	struct stat st;
	int err;

	if (sscanf(line, "%255s %" SCNu64 " %*s %*s %15s %" SCNx64, name, &size, state, &base) != 4)
		return -EINVAL;
	if (strcmp(state, "Live") || !base)
		return -EBUSY;
	path = xasprintf("%s/%s", key->places->sys_module, name);
	err = stat(path, &st) ? -errno : 0;
	free(path);
	if (err)
		return err;
	fprintf(key->f, "%s %" PRIu64 " %" PRIx64 " %" PRIuMAX "\n", name, size, base,
		(uintmax_t)st.st_ino);
	return 0;
}

/* Returns NULL if a kept list cannot be trusted now, as while a module is loaded. */
static char *make_key(const struct kept_places *places)
{
	/* A kernel without modules has no /proc/modules. */
	FILE *modules = fopen(places->modules, "re");
	int err = modules || errno == ENOENT ? 0 : -errno;
	char *boot_id = kernel_id__boot_id(), *text = NULL;
	struct key key = { .places = places };
	size_t size;

	if (!err && boot_id) {
		key.f = xopen_memstream(&text, &size);
		fprintf(key.f, "%s\n", boot_id);
		err = modules ? text_list__read(modules, add_module, &key) : 0;
		xclose_memstream(key.f);
		if (err) {
			free(text);
			text = NULL;
		}
	}
	if (modules)
		fclose(modules);
	free(boot_id);
	return text;
}

/* ---- the files */

static bool is_ours_alone(int fd, mode_t type)
{
	struct stat st;

	return !fstat(fd, &st) && (st.st_mode & S_IFMT) == type && st.st_uid == geteuid() &&
	       !(st.st_mode & 0077);
}

static int checked(int fd, mode_t type)
{
	if (fd >= 0 && is_ours_alone(fd, type))
		return fd;
	if (fd >= 0)
		close(fd);
	return -EPERM;
}

static int open_dir(const char *dir)
{
	return checked(open(dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), S_IFDIR);
}

static uint32_t checksum(const char *key, size_t key_size, const char *text, size_t text_size)
{
	uLong crc = crc32_z(0, (const Bytef *)key, key_size);

	return crc32_z(crc, (const Bytef *)text, text_size);
}

static bool read_all(int fd, void *to, size_t size)
{
	char *at = to;

	while (size) {
		ssize_t got = read(fd, at, size);

		if (got <= 0)
			return false;
		at += got;
		size -= got;
	}
	return true;
}

/* The text of a file if it is complete and has this key; otherwise NULL. */
static char *read_file(int fd, const char *key, size_t *ret_size)
{
	size_t key_size = strlen(key);
	struct header header;
	char *all = NULL;

	if (!read_all(fd, &header, sizeof(header)) || memcmp(header.magic, MAGIC, sizeof(MAGIC)) ||
	    header.key_size != key_size || !header.text_size || header.text_size > LARGEST)
		return NULL;
	*ret_size = header.text_size;
	all = xmalloc(key_size + *ret_size);
	if (!read_all(fd, all, key_size + *ret_size) || memcmp(all, key, key_size) ||
	    header.crc != checksum(all, key_size, all + key_size, *ret_size)) {
		free(all);
		return NULL;
	}
	memmove(all, all + key_size, *ret_size);
	return all;
}

static char *load(const struct kept_places *places, const char *name, const char *key, size_t *ret_size)
{
	int dir = open_dir(places->dir), fd;
	char *text = NULL;

	if (dir < 0)
		return NULL;
	fd = checked(openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC), S_IFREG);
	if (fd >= 0) {
		text = read_file(fd, key, ret_size);
		close(fd);
	}
	close(dir);
	return text;
}

static bool write_file(int fd, const char *key, const char *text, size_t size)
{
	struct header header = { MAGIC, strlen(key), size, checksum(key, strlen(key), text, size) };
	FILE *f = fdopen(fd, "w");
	bool done;

	if (!f) {
		close(fd);
		return false;
	}
	done = fwrite(&header, sizeof(header), 1, f) && fwrite(key, header.key_size, 1, f) &&
	       fwrite(text, size, 1, f);
	return !fclose(f) && done;
}

/*
 * The file gets its name when it is complete. If several runs would write it at the same time, only
 * one does.
 */
static void store(const struct kept_places *places, const char *name, const char *key, const char *text,
		  size_t size)
{
	int dir, fd;

	if (!size || size > LARGEST)
		return;
	mkdir(places->dir, 0700);
	dir = open_dir(places->dir);
	if (dir < 0)
		return;
	if (!flock(dir, LOCK_EX | LOCK_NB)) {
		/* A file of a run that was killed. */
		unlinkat(dir, NEW_FILE, 0);
		fd = openat(dir, NEW_FILE, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
			    0600);
		if (fd >= 0 && (!write_file(fd, key, text, size) || renameat(dir, NEW_FILE, dir, name)))
			unlinkat(dir, NEW_FILE, 0);
	}
	close(dir);
}

/* ---- the lists */

/* The state of reading the kernel's list. */
struct reading {
	bool (*keeps)(const char *line);
	bool first_only;	/* stop after the first line that is kept */
	char *first;
	FILE *all, *kept;
	char *all_text, *kept_text;
	size_t all_size, kept_size;
};

/* Returns 1 to stop the reading. */
static int take_line(void *context, char *line)
{
	struct reading *r = context;
	bool keeps = r->keeps(line);

	if (fputs_unlocked(line, r->all) < 0 || (keeps && fputs_unlocked(line, r->kept) < 0))
		memory__fail();
	if (!keeps || r->first)
		return 0;
	r->first = xstrdup(line);
	return r->first_only;
}

/* The kept text, if it begins with @first, the line that the kernel's list has now; or NULL. */
static char *find_kept(const struct kept_places *places, const char *name, const char *key, const char *first,
		       size_t *ret_size)
{
	char *text = key && first ? load(places, name, key, ret_size) : NULL;

	/* The kept text has no terminating zero. */
	if (text && *ret_size >= strlen(first) && !memcmp(text, first, strlen(first)))
		return text;
	free(text);
	return NULL;
}

static bool shows_address(const char *line)
{
	char *end;

	return line && text_list__address(line, &end);
}

/* Is the line about a module that is not in the key? @last: the module of the line before. */
static bool is_of_another(const char *line, const char *end, const char *key, char *last, size_t room)
{
	const char *name = memchr(line, '[', end - line);
	char start[256];

	if (!name)
		return false;
	snprintf(start, sizeof(start), "\n%.*s ", (int)strcspn(name + 1, "]\n"), name + 1);
	if (!strcmp(start, last))
		return false;
	snprintf(last, room, "%s", start);
	return !strstr(key, start);
}

/* The key does not show a module that came and went while the list was read, but the text does. */
static bool has_only_modules_of(const char *text, const char *key)
{
	char last[256] = "";
	const char *end;

	for (; (end = strchr(text, '\n')); text = end + 1) {
		if (is_of_another(text, end, key, last, sizeof(last)))
			return false;
	}
	return true;
}

/* Keeps the text that was read, unless a module came or went meanwhile. */
static void keep(const struct kept_places *places, const char *name, const char *key, const struct reading *r)
{
	char *now = make_key(places);

	if (key && now && !strcmp(key, now) && shows_address(r->first) &&
	    has_only_modules_of(r->kept_text, key))
		store(places, name, key, r->kept_text, r->kept_size);
	free(now);
}

static int read_list(struct kept_list *ret, const struct kept_places *places, FILE *f, const char *name,
		     struct reading *r)
{
	char *key = make_key(places);
	size_t size = 0;
	int err;

	r->first_only = true;
	err = text_list__read(f, take_line, r);
	ret->text = err < 0 ? NULL : find_kept(places, name, key, r->first, &size);
	ret->kept = ret->text;
	r->first_only = false;
	if (!ret->text && err > 0)
		err = text_list__read(f, take_line, r);
	xclose_memstream(r->all);
	xclose_memstream(r->kept);
	if (!ret->text && !err) {
		keep(places, name, key, r);
		ret->text = r->all_text;
		size = r->all_size;
		r->all_text = NULL;
	}
	free(key);
	if (err < 0)
		return err;
	/* fmemopen() needs at least one byte. */
	ret->f = size ? fmemopen(ret->text, size, "r") : fopen("/dev/null", "re");
	return ret->f ? 0 : -errno;
}

int kept_list__open(struct kept_list *ret, const struct kept_places *places, const char *path,
		    bool (*keeps)(const char *line))
{
	struct reading r = { .keeps = keeps };
	FILE *f = text_list__open(path);
	int err;

	*ret = (struct kept_list){};
	if (!f)
		return -errno;
	r.all = xopen_memstream(&r.all_text, &r.all_size);
	r.kept = xopen_memstream(&r.kept_text, &r.kept_size);
	err = read_list(ret, places, f, strrchr(path, '/') + 1, &r);
	fclose(f);
	free(r.first);
	free(r.all_text);
	free(r.kept_text);
	if (err)
		kept_list__close(ret);
	return err;
}

void kept_list__close(struct kept_list *l)
{
	if (l->f)
		fclose(l->f);
	free(l->text);
	*l = (struct kept_list){};
}
