// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs git and ctags; see git.h.
 *
 * The configuration and the attributes of a repository may name programs that git runs (filters, a signature checker),
 * and a partial clone fetches missing objects, by a program that its configuration names. The repository may be
 * anybody's. So it only tells the ids of commits, no transport is allowed, and git reads its objects from an empty
 * repository in a directory for temporary files.
 *
 * `git cat-file` gives the files of each side, and ctags gets them by a pipe: none of them is written.
 */
#include <ctype.h>
#include <ftw.h>
#include <json-c/json.h>
#include <sys/stat.h>

#include "affected/git.h"
#include "affected/makefiles.h"
#include "base/error.h"
#include "base/files.h"
#include "base/index.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/sorted.h"
#include "base/text.h"
#include "run/child.h"

/* Of a file that ctags reads. Headers of graphics cards have 15 MB. */
#define MOST_BYTES (128 << 20)

/* The tree of a commit without parents, compared with nothing. */
#define EMPTY_TREE "4b825dc642cb6eb9a060e54bf8d69288fbee4904"

/* Where git reads the objects of a repository. */
struct clean {
	const char *repository;
	char *directory;		/* temporary, with all else */
	char *objects;			/* "GIT_OBJECT_DIRECTORY=..." */
	char **env, **clean_env;	/* for the repository and for the directory */
	size_t env_count, clean_count;
};

/* Runs a program to its end. Returns 0, or -EINVAL after a message, with what the program says. */
static int run(const char *directory, char *const *env, const char *const *argv, char **ret_output)
{
	char *messages = NULL;
	int status = child__run(directory, argv, env, ret_output, &messages);

	if (status > 0) {
		if (ret_output) {
			free(*ret_output);
			*ret_output = NULL;
		}
		status = error__return(-EINVAL, "%s %s: %.*s", argv[0], argv[1], (int)strcspn(messages, "\n"),
				       messages);
	}
	free(messages);
	return status;
}

/*
 * The caller's variables may be of another repository, as in a hook; but a configuration is the user's. The last two
 * variables keep git from fetching: an older git does not know the second one.
 */
static void make_env(char ***env, size_t *count)
{
	for (char **v = environ; *v; v++) {
		if (strncmp(*v, "GIT_", 4) || !strncmp(*v, "GIT_CONFIG", strlen("GIT_CONFIG")))
			*LIST_ADD(*env, *count) = *v;
	}
	*LIST_ADD(*env, *count) = "GIT_ALLOW_PROTOCOL=";
	*LIST_ADD(*env, *count) = "GIT_NO_LAZY_FETCH=1";
	*LIST_ADD(*env, *count) = NULL;
}

/* The line that git prints, to be freed; NULL: it fails. */
static char *line_of(const struct clean *c, const char *const *argv)
{
	char *output = NULL;

	if (child__run(c->repository, argv, c->env, &output, NULL)) {
		free(output);
		return NULL;
	}
	output[strcspn(output, "\n")] = '\0';
	return output;
}

static char *id_of(const struct clean *c, const char *name, const char *suffix)
{
	char *whole = xasprintf("%s%s", name, suffix), *id;
	const char *const argv[] = {
		"git", "rev-parse", "--quiet", "--verify", "--end-of-options", whole, NULL,
	};

	id = line_of(c, argv);
	free(whole);
	return id;
}

int git__has(const char *repository, const char *commit)
{
	struct clean c = { .repository = repository };
	char *id;
	int has;

	make_env(&c.env, &c.env_count);
	id = id_of(&c, commit, "^{commit}");
	has = id != NULL;
	free(id);
	free(c.env);
	return has;
}

/* Does the commit name a parent? That of a shallow clone is not there. */
static int has_parent(const struct clean *c, const char *id)
{
	const char *const argv[] = { "git", "cat-file", "commit", id, NULL };
	char *output = NULL, *parent, *end;
	int has = run(c->repository, c->env, argv, &output);

	if (!has) {
		end = strstr(output, "\n\n");
		parent = strstr(output, "\nparent ");
		has = parent && (!end || parent < end);
	}
	free(output);
	return has;
}

/* "A..B"; "A...B", where A is where the two have parted; or the parent of a commit and the commit. */
static int find_sides(const struct clean *c, const char *what, char *ret[SIDES])
{
	const char *dots = strstr(what, ".."), *to = dots ? dots + 2 + (dots[2] == '.') : what;
	char *from = dots ? xstrndup(what, dots - what) : NULL;

	ret[OLD] = dots ? id_of(c, *from ? from : "HEAD", "^{commit}") : id_of(c, what, "^{commit}^");
	ret[NEW] = id_of(c, *to ? to : "HEAD", "^{commit}");
	free(from);
	if (dots && dots[2] == '.' && ret[OLD] && ret[NEW]) {
		const char *const argv[] = { "git", "merge-base", ret[OLD], ret[NEW], NULL };
		char *base = line_of(c, argv);

		free(ret[OLD]);
		ret[OLD] = base;
	}
	if (!dots && ret[NEW] && !ret[OLD]) {
		int has = has_parent(c, ret[NEW]);

		if (has)
			return has < 0 ? has : error__return(-EINVAL, "%s: its parent is not in %s, a shallow clone: "
							     "git fetch --deepen=1", what, c->repository);
		ret[OLD] = xstrdup(EMPTY_TREE);
	}
	if (ret[OLD] && ret[NEW])
		return 0;
	return error__return(-EINVAL, "%s: git knows no such commit, or range A..B or A...B, in %s", what,
			     c->repository);
}

/* ---- the clean repository */

static int drop(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	return remove(path);
}

static void remove_clean(struct clean *c)
{
	if (c->directory)
		nftw(c->directory, drop, 16, FTW_DEPTH | FTW_PHYS);
	free(c->directory);
	free(c->objects);
	free(c->env);
	free(c->clean_env);
}

/* What git writes behind @@ is the function before a hunk. */
static int write_attributes(const char *directory)
{
	char *info = path__join(directory, "info"), *path = path__join(info, "attributes");
	int err = mkdir(info, 0700) && errno != EEXIST ? -errno : place__write(path, "*.[ch] diff=cpp\n");

	if (err)
		err = error__return(err, "%s: cannot be written: %s", path, strerror(-err));
	free(info);
	free(path);
	return err;
}

static int make_clean(struct clean *c)
{
	static const char *const where[] = {
		"git", "rev-parse", "--path-format=absolute", "--git-path", "objects", "--show-object-format", NULL,
	};
	const char *base = getenv("TMPDIR");
	char *output = NULL, *format = NULL;
	int err;

	make_env(&c->env, &c->env_count);
	make_env(&c->clean_env, &c->clean_count);
	err = run(c->repository, c->env, where, &output);
	if (!err && (format = strchr(output, '\n'))) {
		*format = '\0';
		c->objects = xasprintf("GIT_OBJECT_DIRECTORY=%s", output);
		format[1 + strcspn(format + 1, "\n")] = '\0';
		format = xasprintf("--object-format=%s", format + 1);
	}
	free(output);
	c->directory = err ? NULL : xasprintf("%s/hytrace-affected.XXXXXX", base && *base == '/' ? base : "/tmp");
	if (!err && !mkdtemp(c->directory)) {
		err = error__return(-errno, "%s: cannot be made: %s", c->directory, strerror(errno));
		free(c->directory);
		c->directory = NULL;
	}
	c->clean_env[c->clean_count - 1] = "GIT_DIR=.";
	*LIST_ADD(c->clean_env, c->clean_count) = NULL;
	if (!err) {
		const char *const init[] = { "git", "init", "--quiet", "--bare", "--template=", format, NULL };

		err = run(c->directory, c->clean_env, init, NULL) ?: write_attributes(c->directory);
	}
	c->clean_env[c->clean_count - 1] = c->objects;
	*LIST_ADD(c->clean_env, c->clean_count) = NULL;
	free(format);
	return err;
}

/* ---- functions */

/* Gets a file of a commit. Returns 0; 1: it has none of that name; or -EIO. */
static int read_blob(struct child *git, const char *id, const char *path, char **ret, size_t *ret_size)
{
	char *line = NULL, *space;
	size_t room = 0, size;
	int err = 1;

	fprintf(git->to, "%s:%s\n", id, path);
	if (fflush(git->to) || getline(&line, &room, git->from) <= 0) {
		err = -EIO;
	} else if (strstr(line, " blob ") && (space = strrchr(line, ' '))) {
		size = strtoul(space + 1, NULL, 10);
		*ret = size > MOST_BYTES ? NULL : xmalloc(size + 1);
		*ret_size = size;
		/* There is a line end behind it. */
		err = *ret && fread(*ret, size + 1, 1, git->from) == 1 ? 0 : -EIO;
		if (!err)
			(*ret)[size] = '\0';
	}
	free(line);
	return err;
}

static void add_tag(struct tags *t, const char *path, struct json_object *line)
{
	const char *name = json__text(json__field(line, "name")), *kind = json__text(json__field(line, "kind"));
	const char *signature = json__text(json__field(line, "signature"));
	int start = json_object_get_int(json__field(line, "line")), end = json_object_get_int(json__field(line, "end"));
	char *whole;
	struct tag tag;

	if (!name || !kind || start <= 0)
		return;
	kind = strcmp(kind, "function") ? strings__intern(t->names, kind) : NULL;
	whole = function__name(name, strlen(name), signature && *signature == '(' ? signature + 1 : "");
	tag = (struct tag){
		strings__intern(t->names, path), strings__add(t->names, whole), kind, start, end > start ? end : start,
	};
	*(kind ? LIST_ADD(t->others, t->other_count) : LIST_ADD(t->list, t->count)) = tag;
	free(whole);
}

static int by_place(const void *a, const void *b)
{
	const struct tag *x = a, *y = b;

	return strcmp(x->path, y->path) ?: ORDER(x->start, y->start);
}

static int by_path(const void *a, const void *b)
{
	return strcmp(((const struct tag *)a)->path, ((const struct tag *)b)->path);
}

const struct tag *tags__of(const struct tags *t, const char *path, size_t *ret_count)
{
	const struct tag key = { .path = path };

	return t->list + sorted__equals(t->list, t->count, sizeof(key), &key, by_path, ret_count);
}

static int read_tags(struct tags *t, struct child *ctags, const char *path, const char *text, size_t size)
{
	char *line = NULL;
	size_t room = 0;
	int err = 1;

	fprintf(ctags->to, "{\"command\": \"generate-tags\", \"filename\": \"x.c\", \"size\": %zu}\n", size);
	fwrite(text, 1, size, ctags->to);
	if (fflush(ctags->to))
		return -EIO;
	while (err > 0) {
		ssize_t length = getline(&line, &room, ctags->from);
		struct json_object *answer = length > 0 ? json__parse(line, length) : NULL;
		const char *type = json__text(json__field(answer, "_type"));

		if (text__is_known_equal(type, "tag"))
			add_tag(t, path, answer);
		else if (!text__is_known_equal(type, "program"))
			err = text__is_known_equal(type, "completed") ? 0 : -EIO;
		json_object_put(answer);
	}
	free(line);
	return err;
}

static void free_makefile(struct lh_entry *e)
{
	free(lh_entry_k(e));
	free((void *)lh_entry_v(e));
}

/* Of a directory and those above it. */
static int read_makefiles(struct lh_table *m, struct child *git, const char *id, const char *file)
{
	static const char *const names[] = { "Kbuild", "Makefile" };
	char *directory = path__directory(file), *above;
	bool top = false;
	int err = 0;

	for (; err >= 0 && !top; directory = above) {
		for (size_t i = 0; err >= 0 && i < sizeof(names) / sizeof(names[0]); i++) {
			char *path = xasprintf("%s%s%s", directory, *directory ? "/" : "", names[i]), *text = NULL;
			size_t size;

			if (lh_table_lookup_entry(m, path)) {
				free(path);
				continue;
			}
			err = read_blob(git, id, path, &text, &size);
			index__add(m, path, err ? xstrdup("") : text);
		}
		top = !*directory;
		above = path__directory(directory);
		free(directory);
	}
	free(directory);
	return err < 0 ? err : 0;
}

void tags__free(struct tags *t)
{
	for (int side = 0; side < SIDES; side++) {
		if (t[side].makefiles)
			lh_table_free(t[side].makefiles);
		free(t[side].list);
		free(t[side].others);
		free(t[side].mentions);
		strings__free(t[side].names);
	}
}

/* ---- what is not a function */

static bool is_changed(const struct patched_file *f, enum side side, const struct tag *tag)
{
	for (size_t i = 0; i < f->count; i++) {
		for (size_t k = 0; k < f->list[i].count; k++) {
			const struct change *c = &f->list[i].list[k];

			if (lines__have(tag->start, tag->end, side == OLD ? c->old : c->new,
					side == OLD ? c->old_count : c->new_count))
				return true;
		}
	}
	return false;
}

static bool is_letter(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static bool has_name(const char *start, const char *end, const char *name)
{
	size_t length = strlen(name);

	for (const char *at = start; (at = memmem(at, end - at, name, length)); at++) {
		if ((at == start || !is_letter(at[-1])) && !is_letter(at[length]))
			return true;
	}
	return false;
}

/* @text: of a file, whose functions and other tags begin at @function and @other. */
static void find_mentions(struct tags *t, const struct patched_file *f, enum side side, const char *text,
			  size_t function, size_t other)
{
	const char **lines = NULL;
	size_t count = 0;

	for (const char *at = text; at; at = (at = strchr(at, '\n')) ? at + 1 : NULL)
		*LIST_ADD(lines, count) = at;
	for (; other < t->other_count; other++) {
		const struct tag *o = &t->others[other];
		struct mention m = { o->path, o->name, o->kind };

		for (size_t i = is_changed(f, side, o) ? function : t->count; i < t->count; i++) {
			const struct tag *tag = &t->list[i];

			if (tag->end < count && has_name(lines[tag->start - 1], lines[tag->end], o->name)) {
				m.user = m.user ?: tag->name;
				m.users++;
			}
		}
		if (is_changed(f, side, o))
			*LIST_ADD(t->mentions, t->mention_count) = m;
	}
	free(lines);
}

static int read_side(const struct patch *p, size_t first, enum side side, struct tags *t, struct child *git,
		     struct child *ctags, const char *id)
{
	int err = 0;

	t->names = strings__new();
	for (size_t i = first; err >= 0 && i < p->count; i++) {
		const char *path = side == OLD ? p->list[i].old : p->list[i].new;
		size_t function = t->count, other = t->other_count, size;
		char *text = NULL;

		/* A question to git is a line. */
		if (!path__is_source(path) || path[strlen(path) - 1] == 'S' || strchr(path, '\n'))
			continue;
		err = read_blob(git, id, path, &text, &size);
		if (!err)
			err = read_tags(t, ctags, path, text, size);
		if (!err)
			find_mentions(t, &p->list[i], side, text, function, other);
		if (err >= 0 && t->makefiles && path__is_compiled(path))
			err = read_makefiles(t->makefiles, git, id, path);
		free(text);
	}
	if (t->count)
		qsort(t->list, t->count, sizeof(*t->list), by_place);
	return err;
}

/* After a failure, no side has functions: one without would look as if all functions were new, or removed. */
static int find_tags(const struct patch *p, size_t first, struct tags *t, const struct clean *c,
		     char *const ids[SIDES])
{
	static const char *const cat[] = { "git", "cat-file", "--batch", NULL };
	static const char *const tag[] = {
		"ctags", "--options=NONE", "--languages=C", "--kinds-C=fdgstuv", "--fields=+neS",
		"--_interactive=default", NULL,
	};
	struct child git = {}, ctags = {};
	int err = child__start(&git, c->directory, cat, c->clean_env) ?:
		  child__start(&ctags, c->directory, tag, environ);

	t[NEW].makefiles = index__new(64, free_makefile);
	for (int side = 0; err >= 0 && side < SIDES; side++)
		err = read_side(p, first, side, &t[side], &git, &ctags, ids[side]);
	child__close(&git);
	child__close(&ctags);
	if (err < 0) {
		tags__free(t);
		memset(t, 0, SIDES * sizeof(*t));
	}
	return err;
}

int git__read(struct patch *p, struct tags *tags, const char *repository, const char *what)
{
	char *ids[SIDES] = {}, *output = NULL;
	size_t first = p->count;
	struct clean clean = { .repository = repository };
	int err;

	child__catch_signals();
	err = make_clean(&clean) ?: find_sides(&clean, what, ids);
	if (!err) {
		const char *const argv[] = {
			"git", "diff", "--no-color", "--no-ext-diff", "--no-textconv", "-M", "-U3", "--src-prefix=a/",
			"--dst-prefix=b/", ids[OLD], ids[NEW], "--", NULL,
		};

		err = run(clean.directory, clean.clean_env, argv, &output);
	}
	if (!err && *output)
		err = patch__read(p, output, strlen(output), what);
	if (!err && find_tags(p, first, tags, &clean, ids) < 0 && !child__signal())
		error__warn("functions are found by the build and by the patch's own lines, because ctags could not "
			    "tell where they end: install universal-ctags");
	for (int side = 0; side < SIDES; side++)
		free(ids[side]);
	remove_clean(&clean);
	free(output);
	child__release_signals();
	return err;
}
