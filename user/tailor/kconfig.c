// SPDX-License-Identifier: GPL-2.0-only
/* Asks the kernel's scripts/kconfig; see kconfig.h. */
#include <limits.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/error.h"
#include "base/files.h"
#include "base/memory.h"
#include "run/output.h"
#include "tailor/kconfig.h"

/* The text of kconfig/ask.c, embedded in the program. */
extern const char _binary_ask_c_start[], _binary_ask_c_end[];

/* At most this much of another program's message is quoted. */
#define QUOTED 500

/* The objects of scripts/kconfig/conf, without its main file. */
static const char *const parts[] = { "confdata", "expr", "lexer.lex", "menu", "parser.tab", "preprocess", "symbol",
				     "util" };
#define PARTS (sizeof(parts) / sizeof(parts[0]))

/* ---- the program that answers */

/* If a header is newer than the objects, ask.c and they may disagree about the layout of a struct. */
static int check_objects(const struct kbuild *b, char *const *objects)
{
	static const char *const headers[] = { "expr.h", "lkc.h", "internal.h" };
	struct stat object, header;

	for (size_t i = 0; i < PARTS; i++) {
		if (stat(objects[i], &object))
			return error__return(-EINVAL, "%s: cannot be read: %s; run `make olddefconfig` there",
					     objects[i], strerror(errno));
		for (size_t h = 0; h < sizeof(headers) / sizeof(headers[0]); h++) {
			char path[PATH_MAX];

			snprintf(path, sizeof(path), "%s/scripts/kconfig/%s", b->source, headers[h]);
			if (!stat(path, &header) && header.st_mtim.tv_sec > object.st_mtim.tv_sec)
				return error__return(-EINVAL, "%s: was changed after %s was compiled: build the "
						     "kernel again", path,
						     objects[i]);
		}
	}
	return 0;
}

static int compile(struct kconfig *k)
{
	const struct kbuild *b = k->build;
	const char *compiler = environment__get(b->env, "HOSTCC");
	char *includes[2] = {}, *objects[PARTS] = {}, *messages = NULL;
	autofree char *source = path__join(k->build->scratch, "ask.c");
	const char *argv[PARTS + 10] = { "sh", "-c", "exec $0 \"$@\"", compiler && *compiler ? compiler : "cc", "-O1",
					 "-oask", source };
	struct output *out;
	size_t n = 7;
	int err, status;

	for (size_t i = 0; i < 2; i++)
		argv[n++] = includes[i] = xasprintf("-I%s/scripts/%s", b->source, i ? "include" : "kconfig");
	for (size_t i = 0; i < PARTS; i++)
		argv[n++] = objects[i] = xasprintf("%s/scripts/kconfig/%s.o", b->objects, parts[i]);
	err = check_objects(b, objects) ?: output__open(&out, source, NULL);
	if (!err) {
		fwrite(_binary_ask_c_start, 1, _binary_ask_c_end - _binary_ask_c_start, output__stream(out));
		err = output__commit(out);
	}
	if (!err) {
		status = child__run(k->build->scratch, argv, k->env, NULL, &messages);
		if (status)
			err = status < 0 ? status : error__return(-EINVAL, "%s cannot compile what asks "
								  "scripts/kconfig: %.*s",
								  argv[3], QUOTED, messages);
	}
	for (size_t i = 0; i < 2; i++)
		free(includes[i]);
	for (size_t i = 0; i < PARTS; i++)
		free(objects[i]);
	free(messages);
	return err;
}

/* Kconfig finds its files by these variables. */
static void make_environment(struct kconfig *k)
{
	size_t count = 0;

	for (char *const *from = k->build->config_env; *from; from++) {
		if (strncmp(*from, "srctree=", 8) && strncmp(*from, "KCONFIG_CONFIG=", 15))
			*LIST_ADD(k->env, count) = xstrdup(*from);
	}
	*LIST_ADD(k->env, count) = xasprintf("srctree=%s", k->build->source);
	*LIST_ADD(k->env, count) = xstrdup("KCONFIG_CONFIG=new.config");
	*LIST_ADD(k->env, count) = NULL;
}

static const char *top(const struct kconfig *k)
{
	const char *given = environment__get(k->env, "KBUILD_KCONFIG");

	return given && *given ? given : "Kconfig";
}

static int has_ended(const struct kconfig *k)
{
	autofree char *messages = NULL;

	if (child__signal())
		return -EINTR;
	messages = child__messages(&k->child);
	return error__return(-EINVAL, "what asks scripts/kconfig of %s has ended; it said: %.*s",
			     k->build->directory, QUOTED, messages);
}

/* Reads a line of an answer. NULL: the answer is complete, or the program has ended (*@ret_err). */
static char *read_line(struct kconfig *k, char **line, size_t *size, int *ret_err)
{
	if (getline(line, size, k->child.from) <= 0 || child__signal()) {
		*ret_err = has_ended(k);
		return NULL;
	}
	(*line)[strcspn(*line, "\n")] = '\0';
	return strcmp(*line, ".") ? *line : NULL;
}

/* Reads an answer that has no lines. */
static int expect_end(struct kconfig *k)
{
	autofree char *line = NULL;
	size_t size = 0;
	int err = 0;

	while (read_line(k, &line, &size, &err))
		;
	return err;
}

/* Write errors are not checked: if the program has ended, reading its answer fails. */
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

int config__read(const char *path, char **ret)
{
	*ret = file__text(path);
	return *ret ? 0 : error__return(-EINVAL, "%s: cannot be read: %s", path, strerror(errno));
}

/* The first line of @a that differs from @b; NULL: @a equals @b. @ret_length: the line's length */
static const char *find_difference(const char *a, const char *b, int *ret_length)
{
	size_t same = 0, start = 0;

	for (; a[same] && a[same] == b[same]; same++) {
		if (a[same] == '\n')
			start = same + 1;
	}
	*ret_length = strcspn(a + start, "\n");
	return a[same] || b[same] ? a + start : NULL;
}

/* Writes the configuration as it is now to new.config in the scratch directory. */
static int write_config(struct kconfig *k)
{
	command(k, "write new.config");
	return expect_end(k);
}

/* Kconfig runs compilers and other tools. If a tool is missing here, options get other values. */
static int check_same(struct kconfig *k, const char *config)
{
	autofree char *path = path__join(k->build->scratch, "new.config"), *given = NULL, *read = NULL;
	int err = write_config(k), length;
	const char *line;

	if (!err)
		err = config__read(path, &read) ?: config__read(config, &given);
	line = err ? NULL : find_difference(config__skip_head(given), config__skip_head(read), &length);
	if (line)
		err = error__return(-EINVAL, "%s: Kconfig makes another configuration of it here, without the "
				    "line \"%.*s\": a program that the kernel was configured with (rustc, "
				    "pahole) is missing from PATH, or is another one; or ARCH, CROSS_COMPILE or "
				    "LLVM is not what it was", config, length, line);
	return err;
}

int kconfig__open(struct kconfig *ret, const struct kbuild *build, const char *config)
{
	autofree char *absolute = realpath(config, NULL);
	int err;

	*ret = (struct kconfig){ .build = build, .names = strings__new() };
	if (!absolute)
		return error__return(-EINVAL, "%s: cannot be read: %s", config, strerror(errno));
	make_environment(ret);
	err = compile(ret);
	if (!err) {
		const char *const argv[] = { "./ask", top(ret), absolute, NULL };

		err = child__start(&ret->child, build->scratch, argv, ret->env);
	}
	if (!err)
		err = expect_end(ret) ?: check_same(ret, absolute);
	return err;
}

void kconfig__close(struct kconfig *k)
{
	child__close(&k->child);
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
	};
	return 0;
}

int kconfig__read(struct kconfig *k, struct kconfig_options *ret)
{
	autofree char *line = NULL;
	size_t size = 0;
	int err = 0;

	*ret = (struct kconfig_options){};
	command(k, "dump");
	while (!err && read_line(k, &line, &size, &err)) {
		struct kconfig_option *o = LIST_ADD(ret->list, ret->count);

		err = read_option(k, line, o);
		ret->on += o->written && strchr("my", o->value);
	}
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

	if (!line)
		return error__return(-EINVAL, "what asks scripts/kconfig has given no change: %s", name);
	*LIST_ADD(c->list, c->count) = (struct change){ strings__intern(k->names, name), *from, *line };
	return 0;
}

int kconfig__try(struct kconfig *k, const char *const *names, size_t count, struct changes *ret)
{
	autofree char *line = NULL;
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

/* Runs conf on new.config in the scratch directory. @ret: the new text of that file */
static int run_conf(struct kconfig *k, char **ret)
{
	autofree char *conf = path__join(k->build->objects, "scripts/kconfig/conf"), *messages = NULL;
	autofree char *path = path__join(k->build->scratch, "new.config");
	const char *const argv[] = { conf, "-s", "--olddefconfig", top(k), NULL };
	int status = child__run(k->build->scratch, argv, k->env, NULL, &messages);
	int err = status <= 0 ? status : error__return(-EINVAL, "%s --olddefconfig failed: %.*s",
						       conf, QUOTED, messages);

	if (!err)
		err = config__read(path, ret);
	return err;
}

/* conf must not change a configuration that Kconfig itself has written. */
static int check_unchanged(const char *before, const char *after)
{
	const char *line;
	int length;

	line = find_difference(before, after, &length);
	return line ? error__return(-EINVAL, "`conf --olddefconfig` changes \"%.*s\" in the configuration that "
				    "was found: this is a fault of hytrace", length, line) : 0;
}

int kconfig__write(struct kconfig *k, char **ret)
{
	autofree char *path = path__join(k->build->scratch, "new.config"), *asked = NULL, *second = NULL;
	char *first = NULL;
	int err = write_config(k);

	if (!err)
		err = config__read(path, &asked) ?: run_conf(k, &first) ?: run_conf(k, &second) ?:
		      check_unchanged(asked, first) ?: check_unchanged(first, second);
	if (err)
		free(first);
	else
		*ret = first;
	return err;
}
