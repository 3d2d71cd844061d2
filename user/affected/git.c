// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs git and ctags; see git.h.
 *
 * The configuration and the attributes of a repository may name programs that git runs (filters, a signature checker,
 * what fetches a missing object), and hide files from an archive. The repository may be anybody's. So it only tells the
 * ids of commits, and git reads its objects from an empty repository in a directory for temporary files.
 *
 * The files of each side are put into an empty directory, and ctags reads all of them in one run. It reads no
 * configuration and follows no link.
 */
#include <ftw.h>
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "affected/git.h"
#include "base/error.h"
#include "base/files.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/sorted.h"
#include "run/child.h"

/* The tree of a commit without parents, compared with nothing. */
#define EMPTY_TREE "4b825dc642cb6eb9a060e54bf8d69288fbee4904"

/* Where git reads the objects of a repository. */
struct clean {
	char *directory;		/* temporary, with all else */
	char *objects;			/* "GIT_OBJECT_DIRECTORY=..." */
	char **env;
	size_t env_count;
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

static char *id_of(const char *repository, const char *name, const char *suffix)
{
	char *whole = xasprintf("%s%s", name, suffix), *output = NULL;
	const char *const argv[] = {
		"git", "rev-parse", "--quiet", "--verify", "--end-of-options", whole, NULL,
	};

	if (child__run(repository, argv, environ, &output, NULL)) {
		free(output);
		output = NULL;
	} else {
		output[strcspn(output, "\n")] = '\0';
	}
	free(whole);
	return output;
}

int git__has(const char *repository, const char *commit)
{
	char *id = id_of(repository, commit, "^{commit}");
	int has = id != NULL;

	free(id);
	return has;
}

/* Does the commit name a parent? That of a shallow clone is not there. */
static int has_parent(const char *repository, const char *id)
{
	const char *const argv[] = { "git", "cat-file", "commit", id, NULL };
	char *output = NULL, *parent, *end;
	int has = run(repository, environ, argv, &output);

	if (!has) {
		end = strstr(output, "\n\n");
		parent = strstr(output, "\nparent ");
		has = parent && (!end || parent < end);
	}
	free(output);
	return has;
}

/* "A..B", or the parent of a commit and the commit. */
static int find_sides(const char *repository, const char *what, char *ret[SIDES])
{
	const char *dots = strstr(what, "..");
	char *from = dots ? xstrndup(what, dots - what) : NULL;

	ret[OLD] = dots ? id_of(repository, *from ? from : "HEAD", "^{commit}") : id_of(repository, what, "^{commit}^");
	ret[NEW] = dots ? id_of(repository, dots[2] ? dots + 2 : "HEAD", "^{commit}") :
			  id_of(repository, what, "^{commit}");
	free(from);
	if (!dots && ret[NEW] && !ret[OLD]) {
		int has = has_parent(repository, ret[NEW]);

		if (has)
			return has < 0 ? has : error__return(-EINVAL, "%s: its parent is not in %s, a shallow clone: "
							     "git fetch --deepen=1", what, repository);
		ret[OLD] = xstrdup(EMPTY_TREE);
	}
	if (ret[OLD] && ret[NEW])
		return 0;
	return error__return(-EINVAL, "%s: git knows no such commit, or range A..B, in %s", what, repository);
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
}

/* These attributes come before those of files in the change. */
static int write_attributes(const char *directory)
{
	static const char text[] = "* -filter -export-ignore -export-subst -ident -working-tree-encoding\n"
				   "*.[ch] diff=cpp\n";
	char *info = path__join(directory, "info"), *path = path__join(info, "attributes");
	int err = mkdir(info, 0700) && errno != EEXIST ? -errno : place__write(path, text);

	if (err)
		err = error__return(err, "%s: cannot be written: %s", path, strerror(-err));
	free(info);
	free(path);
	return err;
}

static int make_clean(struct clean *c, const char *repository)
{
	static const char *const where[] = {
		"git", "rev-parse", "--path-format=absolute", "--git-path", "objects", "--show-object-format", NULL,
	};
	const char *base = getenv("TMPDIR");
	char *output = NULL, *format = NULL;
	int err = run(repository, environ, where, &output);

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
	/* The caller's variables may be of another repository, as in a hook; but a configuration is the user's. */
	for (char **v = environ; *v; v++) {
		if (strncmp(*v, "GIT_", 4) || !strncmp(*v, "GIT_CONFIG", strlen("GIT_CONFIG")))
			*LIST_ADD(c->env, c->env_count) = *v;
	}
	*LIST_ADD(c->env, c->env_count) = "GIT_DIR=.";
	*LIST_ADD(c->env, c->env_count) = NULL;
	if (!err) {
		const char *const init[] = { "git", "init", "--quiet", "--bare", "--template=", format, NULL };

		err = run(c->directory, c->env, init, NULL) ?: write_attributes(c->directory);
	}
	c->env[c->env_count - 1] = c->objects;
	*LIST_ADD(c->env, c->env_count) = NULL;
	free(format);
	return err;
}

/* ---- functions */

/* Puts the files of a side into a directory. Returns their number, or a negative errno after a message. */
static int put_files(const struct clean *c, const char *id, const struct patch *p, size_t first, enum side side,
		     const char *directory)
{
	char *tar = xasprintf("%s.tar", directory), *output = xasprintf("--output=%s", tar);
	const char *const head[] = { "git", "--literal-pathspecs", "archive", "--format=tar", output, id, "--" };
	const char *const unpack[] = { "tar", "-xf", tar, NULL };
	const char **argv = NULL;
	size_t count = 0;
	int files, err = 0;

	for (size_t i = 0; i < sizeof(head) / sizeof(head[0]); i++)
		*LIST_ADD(argv, count) = head[i];
	for (size_t i = first; i < p->count; i++) {
		const char *path = side == OLD ? p->list[i].old : p->list[i].new;

		if (path__is_source(path))
			*LIST_ADD(argv, count) = path;
	}
	files = count - sizeof(head) / sizeof(head[0]);
	*LIST_ADD(argv, count) = NULL;
	if (files)
		err = run(c->directory, c->env, argv, NULL) ?: mkdir(directory, 0700) ? -errno :
		      run(directory, environ, unpack, NULL);
	free(argv);
	free(output);
	free(tar);
	return err ?: files;
}

static void add_tag(struct tags *t, struct json_object *line)
{
	const char *path = json__text(json__field(line, "path")), *name = json__text(json__field(line, "name"));
	const char *signature = json__text(json__field(line, "signature"));
	int start = json_object_get_int(json__field(line, "line")), end = json_object_get_int(json__field(line, "end"));
	char *whole;
	struct tag tag;

	if (!path || !name || start <= 0)
		return;
	whole = function__name(name, strlen(name), signature && *signature == '(' ? signature + 1 : "");
	path += !strncmp(path, "./", 2) ? 2 : 0;
	tag = (struct tag){
		strings__intern(t->names, path), strings__add(t->names, whole), start, end > start ? end : start,
	};
	*LIST_ADD(t->list, t->count) = tag;
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

static int read_tags(struct tags *t, const char *directory)
{
	/* Without the langmap, a header is one of C++. */
	static const char *const argv[] = {
		"ctags", "--options=NONE", "--langmap=C:.c.h", "--languages=C", "--kinds-C=f", "--fields=+neS",
		"--links=no", "--output-format=json", "-R", "-f", "-", ".", NULL,
	};
	char *output = NULL;
	int err = run(directory, environ, argv, &output);

	t->names = err ? NULL : strings__new();
	for (char *line = output, *next; !err && *line; line = next) {
		size_t length = strcspn(line, "\n");
		struct json_object *parsed = json__parse(line, length);

		next = line + length + !!line[length];
		if (parsed)
			add_tag(t, parsed);
		json_object_put(parsed);
	}
	if (t->count)
		qsort(t->list, t->count, sizeof(*t->list), by_place);
	free(output);
	return err;
}

void tags__free(struct tags *t)
{
	for (int side = 0; side < SIDES; side++) {
		free(t[side].list);
		strings__free(t[side].names);
	}
}

/* After a failure, no side has functions: one without would look as if all functions were new, or removed. */
static int find_tags(const struct patch *p, size_t first, struct tags *t, const struct clean *c,
		     char *const ids[SIDES])
{
	int err = 0;

	for (int side = 0; err >= 0 && side < SIDES; side++) {
		char *below = xasprintf("%s/%d", c->directory, side);

		err = put_files(c, ids[side], p, first, side, below);
		if (err > 0)
			err = read_tags(&t[side], below);
		free(below);
	}
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
	struct clean clean = {};
	int err = make_clean(&clean, repository) ?: find_sides(repository, what, ids);

	if (!err) {
		const char *const argv[] = {
			"git", "diff", "--no-color", "--no-ext-diff", "--no-textconv", "-M", "-U3", "--src-prefix=a/",
			"--dst-prefix=b/", ids[OLD], ids[NEW], "--", NULL,
		};

		err = run(clean.directory, clean.env, argv, &output);
	}
	if (!err && *output)
		err = patch__read(p, output, strlen(output), what);
	if (!err && find_tags(p, first, tags, &clean, ids) < 0)
		error__warn("functions are found by the build and by the patch's own lines, because ctags could not "
			    "tell where they end: install universal-ctags");
	for (int side = 0; side < SIDES; side++)
		free(ids[side]);
	remove_clean(&clean);
	free(output);
	return err;
}
