// SPDX-License-Identifier: GPL-2.0-only
/* Asks the kernel's Makefiles; see kbuild.h. */
#include <ctype.h>
#include <ftw.h>
#include <limits.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/error.h"
#include "base/files.h"
#include "base/index.h"
#include "base/memory.h"
#include "kernel/running.h"
#include "run/child.h"
#include "tailor/kbuild.h"

/* At most this much of another program's message is quoted. */
#define QUOTED 300

/*
 * hytrace's own goals. If a goal ends with "install", the top Makefile does not write the
 * configuration again, for example when it finds another compiler. For a goal that ends with
 * "config", it prepares as for `make oldconfig`. The sub-make of the top Makefile evaluates --eval
 * again, and would warn of a second rule. "@:" keeps make from saying that there is nothing to do.
 */
#define ENV_GOAL "hytrace-env-install"
#define CONFIG_GOAL "hytrace-config"
#define LIST_GOAL "hytrace-list"
#define PRINT_ENV(goal) "--eval=$(if $(hytrace-once),,$(eval hytrace-once := y)$(eval " goal ": ; @env -0))"
#define PRINT_LIST										\
	"--eval=" LIST_GOAL ": ; @:"								\
	"$(foreach f,$(MAKEFILE_LIST),$(info file $(abspath $f)))"				\
	"$(foreach o,$(filter %.o,$(real-obj-y)),$(info object $o))"				\
	"$(foreach o,$(filter %.o,$(lib-y)),$(info member $o))"				\
	"$(foreach d,$(subdir-ym),$(info directory $d))"					\
	"$(foreach m,$(filter %.o,$(obj-m)),"							\
		"$(foreach o,$(call real-search,$(patsubst $(obj)/%,%,$m),.o,-objs -y -m),"	\
			"$(info part $(patsubst ./%,%,$(obj)/$o) $m)))"

/* ---- environments */

const char *environment__get(char *const *env, const char *name)
{
	size_t length = strlen(name);

	for (; *env; env++) {
		if (!strncmp(*env, name, length) && (*env)[length] == '=')
			return *env + length + 1;
	}
	return NULL;
}

static void free_environment(char **env)
{
	for (char **at = env; at && *at; at++)
		free(*at);
	free(env);
}

/* Variables that make sets for its sub-makes. An independent make must not get them. */
static bool is_makes(const char *variable)
{
	return !strncmp(variable, "MAKEFLAGS=", 10) || !strncmp(variable, "MFLAGS=", 7) ||
	       !strncmp(variable, "MAKELEVEL=", 10) || !strncmp(variable, "MAKEOVERRIDES=", 14);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

extern char **environ;

/*
 * Asks the top Makefile for the environment of a goal. @set: an assignment for the command line, or
 * NULL. Values may have several lines, so a NUL ends each variable.
 */
static int read_environment(const struct kbuild *k, const char *goal, const char *set, char ***ret)
{
	const char *const argv[] = { "env", "-u", "MAKEFLAGS", "-u", "MAKELEVEL", "-u", "MFLAGS", "-u", "KBUILD_OUTPUT",
				     "-u", "KBUILD_EXTMOD", "-u", "KCONFIG_CONFIG", "-u", "sub_make_done", "make", "-s",
				     "--no-print-directory", !strcmp(goal, ENV_GOAL) ? PRINT_ENV(ENV_GOAL) :
				     PRINT_ENV(CONFIG_GOAL), goal, k->tmpout, set, NULL };
	size_t count = 0, size = 0;
	struct child c;
	char *line = NULL, *messages, **env = NULL;
	int err = child__start(&c, k->objects, argv, environ);

	if (err)
		return err;
	/* Close its standard input: nobody answers its questions. */
	fclose(c.to);
	c.to = NULL;
	while (getdelim(&line, &size, '\0', c.from) > 0) {
		if (!is_makes(line))
			*LIST_ADD(env, count) = xstrdup(line);
	}
	*LIST_ADD(env, count) = NULL;
	free(line);
	messages = child__messages(&c);
	if (child__close(&c) || !*env)
		err = child__signal() ? -EINTR :
		      error__return(-EINVAL, "%s: its Makefile does not tell what a build needs: give the "
				    "directory in which the kernel was built. `make %s` said: %.*s",
				    k->objects, goal, QUOTED, messages);
	free(messages);
	if (err) {
		free_environment(env);
		return err;
	}
	qsort(env, count - 1, sizeof(*env), by_text);
	*ret = env;
	return 0;
}

/* ---- the configuration of the build */

static int read_set(struct kbuild *k, const char *path)
{
	autofclose FILE *f = fopen(path, "re");
	autofree char *line = NULL;
	size_t size = 0;

	if (!f)
		return error__return(-EINVAL, "%s: cannot be read: %s; give the directory in which the kernel "
				     "was built", path, strerror(errno));
	while (getline(&line, &size, f) > 0) {
		char *value = strchr(line, '='), *end = strchr(line, '\n');

		if (strncmp(line, "CONFIG_", 7) || !value)
			continue;
		if (end)
			*end = '\0';
		*value++ = '\0';
		/* Old kernels' auto.conf quotes strings. */
		if (*value == '"' && strlen(value) > 1) {
			value++;
			value[strlen(value) - 1] = '\0';
		}
		index__add(k->set, strings__intern(k->names, line), strings__intern(k->names, value));
	}
	return 0;
}

const char *kbuild__value(const struct kbuild *k, const char *option)
{
	struct lh_entry *entry = lh_table_lookup_entry(k->set, option);

	return entry ? lh_entry_v(entry) : NULL;
}

static int read_configuration(struct kbuild *k)
{
	autofree char *config = path__join(k->objects, ".config");
	autofree char *made = path__join(k->objects, "include/config/auto.conf");
	struct stat a, b;
	int err = 0;

	if (stat(config, &a))
		err = error__return(-EINVAL, "%s: cannot be read: %s; give the directory in which the kernel was built",
				    config, strerror(errno));
	if (!err && stat(made, &b))
		err = error__return(-EINVAL, "%s: cannot be read: %s; the kernel was not built there", made,
				    strerror(errno));
	/* From a newer .config, make would write an auto.conf that is not the kernel's. */
	if (!err && (a.st_mtim.tv_sec > b.st_mtim.tv_sec ||
		     (a.st_mtim.tv_sec == b.st_mtim.tv_sec && a.st_mtim.tv_nsec > b.st_mtim.tv_nsec)))
		err = error__return(-EINVAL, "%s: was changed after the kernel was built: build it again", config);
	/* The checksum comes first: if the file changes before it is read, no kept answer fits. */
	if (!err) {
		k->config = kernel_id__config_of(made);
		err = read_set(k, made);
	}
	return err;
}

static int find_source(struct kbuild *k)
{
	const char *srctree = environment__get(k->env, "srctree");
	autofree char *path = NULL;

	if (!srctree || !environment__get(k->env, "SRCARCH"))
		return error__return(-EINVAL, "%s: its Makefile is not that of a kernel", k->directory);
	path = *srctree == '/' ? xstrdup(srctree) : path__join(k->objects, srctree);
	k->source = realpath(path, NULL);
	return k->source ? 0 : error__return(-EINVAL, "%s: its source %s is not there", k->directory, srctree);
}

/*
 * kconfig/ask.c uses functions that scripts/kconfig has since Linux 6.11. With LTO, all code of a
 * function may be in other objects, and its own object would seem not to have run.
 */
static int check_supported(const struct kbuild *k)
{
	const char *version = environment__get(k->env, "KERNELVERSION") ?: "";
	unsigned int major, minor;

	if (sscanf(version, "%u.%u", &major, &minor) != 2)
		return error__return(-EINVAL, "%s: its Makefile does not tell the version of the kernel", k->directory);
	if (major < 6 || (major == 6 && minor < 11))
		return error__return(-EINVAL, "%s: is of Linux %s, whose Kconfig cannot be asked: take Linux "
				     "6.11 or newer", k->directory, version);
	if (kbuild__value(k, "CONFIG_LTO"))
		return error__return(-EINVAL, "%s: was built with LTO (CONFIG_LTO), which hides in which object "
				     "code ran: build and record it with CONFIG_LTO_NONE=y", k->directory);
	return 0;
}

/*
 * Kconfig and Makefiles try options of the compiler with temporary files. These are in the build
 * directory, or where TMPOUT says. make turns "$$$$" into "$$", which is the process id of the shell.
 */
static int make_scratch(struct kbuild *k)
{
	const char *given = getenv("TMPDIR");
	char *tmp;

	given = given && *given ? given : "/tmp";
	tmp = realpath(given, NULL);
	if (!tmp)
		return error__return(-EINVAL, "TMPDIR %s: cannot be used: %s", given, strerror(errno));
	k->scratch = path__join(tmp, "hytrace-tailor.XXXXXX");
	free(tmp);
	/* The path becomes a part of shell commands. */
	for (const char *c = k->scratch; *c; c++) {
		if (!isalnum((unsigned char)*c) && !strchr("/._+-", *c)) {
			*k->scratch = '\0';
			return error__return(-EINVAL, "TMPDIR %s: has a \"%c\", which the kernel's Makefiles "
					     "cannot use", given, *c);
		}
	}
	if (!mkdtemp(k->scratch)) {
		*k->scratch = '\0';
		return error__return(-EINVAL, "TMPDIR %s: nothing can be written there: %s", given, strerror(errno));
	}
	k->tmpout = xasprintf("TMPOUT=%s/cc.$$$$", k->scratch);
	return 0;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	return remove(path);
}

/* With another compiler, Kconfig would offer other options. */
static int check_compiler(struct kbuild *k)
{
	const char *built = kbuild__value(k, "CONFIG_CC_VERSION_TEXT");
	const char *now = environment__get(k->config_env, "CC_VERSION_TEXT");

	if (!built || !now || !strcmp(built, now))
		return 0;
	return error__return(-EINVAL, "%s: was built by %s, and make takes %s there: set or unset LLVM and "
			     "CROSS_COMPILE in the environment; for another CC, set GNUMAKEFLAGS=CC=...",
			     k->directory, built, now);
}

int kbuild__open(struct kbuild *ret, const char *directory)
{
	*ret = (struct kbuild){ .directory = directory };
	ret->names = strings__new();
	ret->set = index__new(4096, NULL);
	ret->objects = realpath(directory, NULL);
	if (!ret->objects)
		return error__return(-EINVAL, "%s: cannot be opened: %s", directory, strerror(errno));
	return make_scratch(ret) ?:
	       read_configuration(ret) ?:
	       read_environment(ret, ENV_GOAL, NULL, &ret->env) ?:
	       read_environment(ret, CONFIG_GOAL, NULL, &ret->config_env) ?:
	       find_source(ret) ?:
	       check_supported(ret) ?:
	       check_compiler(ret);
}

void kbuild__close(struct kbuild *k)
{
	free_environment(k->env);
	free_environment(k->config_env);
	free(k->objects);
	free(k->source);
	free(k->config);
	/* The name is empty if the directory was not made. */
	if (k->scratch && *k->scratch)
		nftw(k->scratch, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	free(k->scratch);
	free(k->tmpout);
	if (k->set)
		lh_table_free(k->set);
	strings__free(k->names);
}

/* ---- listings */

/* The part of @path behind @directory, with its slash; NULL: @path is not below @directory. */
static const char *below(const char *path, const char *directory)
{
	size_t length = strlen(directory);

	return !strncmp(path, directory, length) && path[length] == '/' ? path + length : NULL;
}

static void add_file(struct listing *l, const struct kbuild *k, const char *path)
{
	const char *rest = below(path, k->source);

	/* Skip Makefiles that all directories use, and generated files. */
	if (!rest || !strncmp(rest, "/scripts/", 9))
		return;
	if (below(path, k->objects) && below(k->objects, k->source))
		return;
	if (strstr(path, "/include/config/auto.conf") || (strlen(path) > 4 && !strcmp(path + strlen(path) - 4, ".cmd")))
		return;
	*LIST_ADD(l->files, l->file_count) = xstrdup(path);
}

/* Parses a line of PRINT_LIST. Other lines are $(info ...) and $(warning ...) of Makefiles. */
static void read_line(struct kbuild *k, struct listing *l, char *line)
{
	static const struct { const char *word; enum listed_kind kind; } kinds[] = {
		{ "object ", LISTED_OBJECT }, { "member ", LISTED_MEMBER }, { "part ", LISTED_PART },
		{ "directory ", LISTED_DIRECTORY },
	};

	if (!strncmp(line, "file ", 5))
		add_file(l, k, line + 5);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		size_t length = strlen(kinds[i].word);
		struct listed item = { .kind = kinds[i].kind };
		char *module;

		if (strncmp(line, kinds[i].word, length))
			continue;
		line += length;
		module = strchr(line, ' ');
		if (module) {
			*module++ = '\0';
			item.module = strings__intern(k->names, module);
		}
		/* Some Makefiles name objects of other directories. */
		path__simplify(line);
		item.path = strings__intern(k->names, line);
		if (!listing__has(l, &item))
			*LIST_ADD(l->list, l->count) = item;
		return;
	}
}

/*
 * Without "obj-dirs=", scripts/Makefile.build would make directories for objects. Without "existing-targets=",
 * it would read the .cmd file of each object, and look at each header that is named there.
 */
int kbuild__list(struct kbuild *k, const char *directory, const char *const *emptied, size_t count,
		 struct listing *ret)
{
	autofree char *makefile = path__join(k->source, "scripts/Makefile.build");
	autofree char *obj = xasprintf("obj=%s", directory);
	const char *const fixed[] = { "make", "-rRs", "--no-print-directory", "-f", makefile, obj, "need-modorder=1",
				      "obj-dirs=", "existing-targets=", k->tmpout, PRINT_LIST, LIST_GOAL };
	const size_t n = sizeof(fixed) / sizeof(fixed[0]);
	const char **argv = xcalloc(n + count + 1, sizeof(*argv));
	autofree char *output = NULL, *messages = NULL;
	char *rest, *line;
	int status, err;

	*ret = (struct listing){};
	memcpy(argv, fixed, sizeof(fixed));
	for (size_t i = 0; i < count; i++)
		argv[n + i] = xasprintf("%s=", emptied[i]);
	status = child__run(k->objects, argv, k->env, &output, &messages);
	err = status <= 0 ? status : error__return(-EINVAL, "make in %s with %s emptied failed: %.*s", directory,
						   count ? emptied[0] : "nothing", QUOTED, messages);
	for (rest = output; !err && (line = strsep(&rest, "\n")); )
		read_line(k, ret, line);
	for (size_t i = 0; i < count; i++)
		free((char *)argv[n + i]);
	free(argv);
	return err;
}

void listing__free(struct listing *l)
{
	for (size_t i = 0; i < l->file_count; i++)
		free(l->files[i]);
	free(l->files);
	free(l->list);
}

/* Paths and modules are interned, so their pointers are compared. */
bool listing__has(const struct listing *l, const struct listed *item)
{
	for (size_t i = 0; i < l->count; i++) {
		const struct listed *other = &l->list[i];

		if (other->path == item->path && (item->kind != LISTED_PART || other->kind != LISTED_PART ||
						  other->module == item->module))
			return true;
	}
	return false;
}

int kbuild__arch_directories(struct kbuild *k, const char *emptied, char **ret)
{
	char **env = NULL, *set = emptied ? xasprintf("%s=", emptied) : NULL;
	int err = emptied ? read_environment(k, ENV_GOAL, set, &env) : 0;
	char *const *from = emptied ? env : k->env;

	*ret = err ? NULL : xasprintf(" %s %s %s ", environment__get(from, "ARCH_CORE") ?: "",
				      environment__get(from, "ARCH_LIB") ?: "",
				      environment__get(from, "ARCH_DRIVERS") ?: "");
	free_environment(env);
	free(set);
	return err;
}
