// SPDX-License-Identifier: GPL-2.0-only
/* Asks the kernel's scripts/kconfig; see kconfig.h. */
#include <ctype.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "tailor/kconfig.h"

/* kconfig/ask.c, which goes into the program as it is. */
extern const char _binary_ask_c_start[], _binary_ask_c_end[];

/* A message of another program is quoted up to here. */
#define QUOTED 500

/* What conf is made of, less its main file. */
static const char *const parts[] = { "confdata", "expr", "lexer.lex", "menu", "parser.tab", "preprocess", "symbol",
				     "util" };
#define PARTS (sizeof(parts) / sizeof(parts[0]))

/* ---- the scratch directory */

/* Kconfig makes temporary files where it runs; the source may be read-only. */
static int make_scratch(struct kconfig *k)
{
	if (asprintf(&k->scratch, "%s/hytrace-tailor.XXXXXX", k->build->tmp) < 0) {
		k->scratch = NULL;
		return error__no_memory();
	}
	if (!mkdtemp(k->scratch)) {
		int err = error__return(-EINVAL, "%s: no scratch directory: %s; set TMPDIR", k->scratch, strerror(errno));

		free(k->scratch);
		k->scratch = NULL;
		return err;
	}
	return 0;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	return remove(path);
}

static int write_text(const char *path, const char *text, size_t length)
{
	FILE *f = fopen(path, "we");
	bool good = f && fwrite(text, 1, length, f) == length;

	if (f)
		good &= !fclose(f);
	return good ? 0 : error__return(-EINVAL, "%s: cannot be written: %s", path, strerror(errno));
}

static int read_text(const char *path, char **ret)
{
	FILE *f = fopen(path, "re");
	size_t size = 0;

	*ret = NULL;
	/* No configuration has a NUL. */
	if (!f || getdelim(ret, &size, '\0', f) <= 0) {
		free(*ret);
		*ret = NULL;
		if (f)
			fclose(f);
		return error__return(-EINVAL, "%s: cannot be read, or is empty", path);
	}
	fclose(f);
	return 0;
}

/* ---- the program that answers */

static char *make_path(const char *directory, const char *name)
{
	char *path;

	return asprintf(&path, "%s/%s", directory, name) < 0 ? NULL : path;
}

static int compile(struct kconfig *k)
{
	const struct kbuild *b = k->build;
	const char *compiler = environment__get(b->env, "HOSTCC");
	char *includes[2] = {}, *objects[PARTS] = {}, *source = make_path(k->scratch, "ask.c"), *messages = NULL;
	const char *argv[PARTS + 10] = { "sh", "-c", "exec $0 \"$@\"", compiler && *compiler ? compiler : "cc", "-O1",
					 "-oask", source };
	size_t n = 7;
	int err = 0, status;

	for (size_t i = 0; i < 2; i++) {
		if (asprintf(&includes[i], "-I%s/scripts/%s", b->source, i ? "include" : "kconfig") < 0)
			includes[i] = NULL;
		argv[n++] = includes[i];
		err |= !includes[i];
	}
	for (size_t i = 0; i < PARTS; i++) {
		if (asprintf(&objects[i], "%s/scripts/kconfig/%s.o", b->objects, parts[i]) < 0)
			objects[i] = NULL;
		argv[n++] = objects[i];
		err |= !objects[i];
	}
	err = err || !source ? error__no_memory() : 0;
	for (size_t i = 0; !err && i < PARTS; i++) {
		if (access(objects[i], R_OK))
			err = error__return(-EINVAL, "%s: cannot be read: %s; run `make olddefconfig` there", objects[i],
					    strerror(errno));
	}
	if (!err)
		err = write_text(source, _binary_ask_c_start, _binary_ask_c_end - _binary_ask_c_start);
	if (!err) {
		status = child__run(k->scratch, argv, k->env, NULL, &messages);
		if (status)
			err = status < 0 ? status : error__return(-EINVAL, "%s cannot compile what asks scripts/kconfig: %.*s",
								  argv[3], QUOTED, messages);
	}
	for (size_t i = 0; i < 2; i++)
		free(includes[i]);
	for (size_t i = 0; i < PARTS; i++)
		free(objects[i]);
	free(source);
	free(messages);
	return err;
}

/* Kconfig finds its files by these. */
static int make_environment(struct kconfig *k)
{
	char *const *from = k->build->config_env;
	size_t count = 0;

	while (from[count])
		count++;
	k->env = calloc(count + 3, sizeof(*k->env));
	if (!k->env)
		return error__no_memory();
	count = 0;
	for (; *from; from++) {
		if (!strncmp(*from, "srctree=", 8) || !strncmp(*from, "KCONFIG_CONFIG=", 15))
			continue;
		k->env[count] = strdup(*from);
		if (!k->env[count++])
			return error__no_memory();
	}
	if (asprintf(&k->env[count], "srctree=%s", k->build->source) < 0) {
		k->env[count] = NULL;
		return error__no_memory();
	}
	k->env[++count] = strdup("KCONFIG_CONFIG=new.config");
	return k->env[count] ? 0 : error__no_memory();
}

static const char *top(const struct kconfig *k)
{
	const char *given = environment__get(k->env, "KBUILD_KCONFIG");

	return given && *given ? given : "Kconfig";
}

/* Reads a line of an answer; NULL: it was the last one, or the program has ended (*@ret_err). */
static char *read_line(struct kconfig *k, char **line, size_t *size, int *ret_err)
{
	bool got = getline(line, size, k->child.from) > 0;

	if (!got || child__signal()) {
		*ret_err = child__signal() ? -EINTR :
			   error__return(-EINVAL, "what asks scripts/kconfig of %s has ended; see the message before",
					 k->build->directory);
		return NULL;
	}
	(*line)[strcspn(*line, "\n")] = '\0';
	return strcmp(*line, ".") ? *line : NULL;
}

/* An answer that has nothing in it. */
static int expect_end(struct kconfig *k)
{
	char *line = NULL;
	size_t size = 0;
	int err = 0;

	while (read_line(k, &line, &size, &err))
		;
	free(line);
	return err;
}

/* If the program has ended, reading its answer fails. */
static void command(struct kconfig *k, const char *text)
{
	fprintf(k->child.to, "%s\n", text);
	fflush(k->child.to);
}

const char *config__skip_head(const char *text)
{
	while (*text == '#' && strncmp(text, "# CONFIG_", 9) && strchr(text, '\n'))
		text = strchr(text, '\n') + 1;
	return text;
}

/* The first line that differs, in both. False: they are the same. */
static bool find_difference(const char *a, const char *b, const char **ret_a, const char **ret_b)
{
	size_t same = 0, start = 0;

	for (; a[same] && a[same] == b[same]; same++) {
		if (a[same] == '\n')
			start = same + 1;
	}
	*ret_a = a + start;
	*ret_b = b + start;
	return a[same] || b[same];
}

static int line_length(const char *line)
{
	return strcspn(line, "\n");
}

/* Kconfig runs compilers and other tools. If one of them is missing here, options have other values. */
static int check_same(struct kconfig *k, const char *config)
{
	char *path = make_path(k->scratch, "new.config"), *given = NULL, *read = NULL;
	int err = path ? 0 : error__no_memory();
	const char *was, *is;

	if (!err) {
		command(k, "write new.config");
		err = expect_end(k) ?: read_text(path, &read) ?: read_text(config, &given);
	}
	if (!err && find_difference(config__skip_head(given), config__skip_head(read), &was, &is))
		err = error__return(-EINVAL, "%s: Kconfig makes \"%.*s\" of its line \"%.*s\" here: a program that the kernel was "
				    "configured with is missing, or is another one (see PATH)", config, line_length(is), is,
				    line_length(was), was);
	free(path);
	free(given);
	free(read);
	return err;
}

int kconfig__open(struct kconfig *ret, const struct kbuild *build, const char *config)
{
	char *absolute = realpath(config, NULL);
	int err;

	*ret = (struct kconfig){ .build = build, .names = strings__new() };
	if (!absolute)
		return error__return(-EINVAL, "%s: cannot be read: %s", config, strerror(errno));
	err = make_scratch(ret);
	if (!err)
		err = make_environment(ret);
	if (!err)
		err = compile(ret);
	if (!err) {
		const char *const argv[] = { "./ask", top(ret), absolute, NULL };

		err = child__start(&ret->child, ret->scratch, argv, ret->env);
	}
	if (!err)
		err = expect_end(ret);
	if (!err)
		err = check_same(ret, absolute);
	free(absolute);
	return err;
}

void kconfig__close(struct kconfig *k)
{
	child__close(&k->child);
	if (k->scratch)
		nftw(k->scratch, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	free(k->scratch);
	for (char **at = k->env; at && *at; at++)
		free(*at);
	free(k->env);
	if (k->names)
		strings__free(k->names);
	*k = (struct kconfig){};
}

/* ---- options */

static int read_option(struct kconfig *k, char *line, struct kconfig_option *ret)
{
	char *name = strsep(&line, " "), *type = strsep(&line, " "), *flags = strsep(&line, " ");
	bool is_switch;

	if (!line)
		return error__return(-EINVAL, "what asks scripts/kconfig has given no option: %s", name);
	is_switch = !strcmp(type, "bool") || !strcmp(type, "tristate");
	*ret = (struct kconfig_option){
		.name = strings__intern(k->names, name), .value = is_switch ? *line : '=',
		.changeable = strchr(flags, 'n'), .choice = strchr(flags, 'c'), .written = strchr(flags, 'w'),
		.unmet = strchr(flags, 'u'),
	};
	return 0;
}

int kconfig__read(struct kconfig *k, struct kconfig_options *ret)
{
	char *line = NULL;
	size_t size = 0, room = 0;
	int err = 0;

	*ret = (struct kconfig_options){};
	command(k, "dump");
	while (!err && read_line(k, &line, &size, &err)) {
		if (ret->count == room) {
			struct kconfig_option *more = reallocarray(ret->list, room ? room *= 2 : (room = 16384), sizeof(*more));

			if (!more) {
				err = error__no_memory();
				break;
			}
			ret->list = more;
		}
		err = read_option(k, line, &ret->list[ret->count]);
		if (err)
			break;
		ret->on += ret->list[ret->count].written && strchr("my", ret->list[ret->count].value);
		ret->count++;
	}
	free(line);
	return err;
}

void kconfig_options__free(struct kconfig_options *o)
{
	free(o->list);
	*o = (struct kconfig_options){};
}

static int by_name(const void *a, const void *b)
{
	const struct kconfig_option *x = a, *y = b;

	return strcmp(x->name, y->name);
}

const struct kconfig_option *kconfig_options__get(const struct kconfig_options *o, const char *name)
{
	struct kconfig_option key = { .name = name };

	return o->count ? bsearch(&key, o->list, o->count, sizeof(key), by_name) : NULL;
}

int kconfig__set(struct kconfig *k, const char *name, char value)
{
	fprintf(k->child.to, "set %s %c\n", name, value);
	fflush(k->child.to);
	return expect_end(k);
}

int kconfig__mark(struct kconfig *k)
{
	command(k, "mark");
	return expect_end(k);
}

/* ---- what would change */

static int read_change(struct kconfig *k, struct changes *c, char *line)
{
	char *name = strsep(&line, " "), *from = strsep(&line, " ");
	struct change *more;

	if (!line)
		return error__return(-EINVAL, "what asks scripts/kconfig has given no change: %s", name);
	if (!(c->count & (c->count + 1))) {
		more = reallocarray(c->list, 2 * c->count + 2, sizeof(*more));
		if (!more)
			return error__no_memory();
		c->list = more;
	}
	c->list[c->count++] = (struct change){ strings__intern(k->names, name), *from, *line };
	return 0;
}

int kconfig__try(struct kconfig *k, const char *const *names, size_t count, struct changes *ret)
{
	char *line = NULL;
	size_t size = 0;
	int err = 0;

	*ret = (struct changes){};
	fputs("try", k->child.to);
	for (size_t i = 0; i < count; i++)
		fprintf(k->child.to, " %s", names[i]);
	fputs("\n", k->child.to);
	fflush(k->child.to);
	while (!err && read_line(k, &line, &size, &err))
		err = read_change(k, ret, line);
	free(line);
	return err;
}

int kconfig__undo(struct kconfig *k)
{
	command(k, "undo");
	return expect_end(k);
}

void changes__free(struct changes *c)
{
	free(c->list);
	*c = (struct changes){};
}

/* ---- writing */

/* Runs conf on new.config in the scratch directory. @ret: the text after that. */
static int run_conf(struct kconfig *k, char **ret)
{
	char *conf = make_path(k->build->objects, "scripts/kconfig/conf"), *messages = NULL;
	char *path = make_path(k->scratch, "new.config");
	const char *const argv[] = { conf, "-s", "--olddefconfig", top(k), NULL };
	int err = conf && path ? 0 : error__no_memory(), status;

	if (!err) {
		status = child__run(k->scratch, argv, k->env, NULL, &messages);
		if (status)
			err = status < 0 ? status : error__return(-EINVAL, "%s --olddefconfig failed: %.*s", conf, QUOTED,
								  messages);
	}
	if (!err)
		err = read_text(path, ret);
	free(conf);
	free(path);
	free(messages);
	return err;
}

/* conf must leave a configuration as it is. */
static int check_unchanged(const char *before, const char *after)
{
	const char *was, *is;

	if (!find_difference(before, after, &was, &is))
		return 0;
	return error__return(-EINVAL, "`conf --olddefconfig` makes \"%.*s\" of \"%.*s\" in the configuration that was found: "
			     "this is a fault of hytrace", line_length(is), is, line_length(was), was);
}

int kconfig__write(struct kconfig *k, char **ret)
{
	char *path = make_path(k->scratch, "new.config"), *asked = NULL, *first = NULL, *second = NULL;
	int err = path ? 0 : error__no_memory();

	if (!err) {
		command(k, "write new.config");
		err = expect_end(k);
	}
	if (!err)
		err = read_text(path, &asked);
	if (!err)
		err = run_conf(k, &first);
	if (!err)
		err = run_conf(k, &second);
	if (!err)
		err = check_unchanged(asked, first);
	if (!err)
		err = check_unchanged(first, second);
	free(path);
	free(asked);
	free(second);
	if (err)
		free(first);
	else
		*ret = first;
	return err;
}
