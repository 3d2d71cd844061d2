// SPDX-License-Identifier: GPL-2.0-only
/*
 * Function globs; see filter.h. The kernel documents its own matching as "like !fnmatch(pat, str,
 * 0)".
 */
#include <fnmatch.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/index.h"
#include "base/memory.h"
#include "document/filter.h"

#define MODULE_MARK ":mod:"
#define NAMES_AT_FIRST 64

static int glob__parse(struct glob *g, const char *text, const char *origin)
{
	const char *mark = strstr(text, MODULE_MARK);
	size_t length = mark ? (size_t)(mark - text) : strlen(text);

	if (!*text || strpbrk(text, " \t"))
		return error__return(-EINVAL,
			"%s%s'%s': not a function glob: give one name or glob, without spaces",
			origin ? origin : "", origin ? ": " : "", text);
	if (mark && !mark[strlen(MODULE_MARK)])
		return error__return(-EINVAL,
			"%s%s'%s': no module named: write :mod:NAME",
			origin ? origin : "", origin ? ": " : "", text);
	g->function = length ? xstrndup(text, length) : xstrdup("*");
	g->module = mark ? xstrdup(mark + strlen(MODULE_MARK)) : NULL;
	/* Some kernels refuse an empty name before the mark. '*' means the same. */
	g->text = xasprintf("%s%s", !length && mark ? "*" : "", text);
	g->origin = xstrdup(origin);
	return 0;
}

bool glob__is_name(const struct glob *g)
{
	return !g->module && !strpbrk(g->function, "*?[\\");
}

/* The name is owned by its glob, and lives as long. */
static void add_name(struct globs *globs, const char *name)
{
	if (!globs->names)
		globs->names = index__new(NAMES_AT_FIRST, NULL);
	index__add(globs->names, name, NULL);
}

static int add_one(struct globs *globs, const char *text, const char *origin)
{
	struct glob g = {};
	int err = glob__parse(&g, text, origin);

	if (err)
		return err;
	if (!glob__is_name(&g))
		globs->patterns++;
	else
		add_name(globs, g.function);
	*LIST_ADD(globs->list, globs->count) = g;
	return 0;
}

static int add_file(struct globs *globs, const char *path)
{
	char *line = NULL, *origin, *start;
	size_t room = 0, before = globs->count;
	int err = 0;
	FILE *f;

	f = fopen(path, "re");
	if (!f)
		return error__return(-EINVAL, "@%s: cannot read the list of functions: %s", path,
				     strerror(errno));
	for (int number = 1; !err && getline(&line, &room, f) > 0; number++) {
		line[strcspn(line, "#\r\n")] = '\0';
		start = line + strspn(line, " \t");
		start[strcspn(start, " \t")] = '\0';
		if (!*start)
			continue;
		origin = xasprintf("%s:%d", path, number);
		err = add_one(globs, start, origin);
		free(origin);
	}
	if (!err && ferror(f))
		err = error__return(-EINVAL, "@%s: cannot read the list of functions: %s", path,
				    strerror(errno));
	/* Otherwise an empty -a list would mean "no -a", which is all functions. */
	if (!err && globs->count == before)
		err = error__return(-EINVAL, "@%s: names no function", path);
	fclose(f);
	free(line);
	return err;
}

int globs__add(struct globs *globs, const char *argument)
{
	if (argument[0] == '@')
		return add_file(globs, argument + 1);
	return add_one(globs, argument, NULL);
}

static void globs__copy(struct globs *ret, const struct globs *globs)
{
	for (size_t i = 0; i < globs->count; i++)
		add_one(ret, globs->list[i].text, globs->list[i].origin);
}

void globs__free(struct globs *globs)
{
	if (globs->names)
		lh_table_free(globs->names);
	for (size_t i = 0; i < globs->count; i++) {
		free(globs->list[i].text);
		free(globs->list[i].function);
		free(globs->list[i].module);
		free(globs->list[i].origin);
	}
	free(globs->list);
	memset(globs, 0, sizeof(*globs));
}

void filter__free(struct filter *f)
{
	globs__free(&f->allow);
	globs__free(&f->deny);
	globs__free(&f->own);
}

void filter__copy(struct filter *ret, const struct filter *f)
{
	globs__copy(&ret->allow, &f->allow);
	globs__copy(&ret->deny, &f->deny);
	globs__copy(&ret->own, &f->own);
}

static bool glob__matches(const struct glob *g, const char *name, const char *module)
{
	if (g->module && (!module || fnmatch(g->module, module, 0)))
		return false;
	return !fnmatch(g->function, name, 0);
}

static bool globs__match(const struct globs *globs, const char *name, const char *module)
{
	if (globs->names && lh_table_lookup_entry(globs->names, name))
		return true;
	for (size_t i = 0; globs->patterns && i < globs->count; i++) {
		if (!glob__is_name(&globs->list[i]) &&
		    glob__matches(&globs->list[i], name, module))
			return true;
	}
	return false;
}

int glob__refuse(const struct glob *g, const struct traceable *t)
{
	const char *origin = g->origin ? g->origin : "", *colon = g->origin ? ": " : "";
	const char *similar;

	if (g->module)
		return error__return(-EINVAL,
			"%s%s%s: no traceable function matches: is the module %s loaded?",
			origin, colon, g->text, g->module);
	similar = traceable__similar(t, g->function);
	if (similar)
		return error__return(-EINVAL,
			"%s%s%s: no such function (%zu can be traced, see "
			"available_filter_functions; did you mean %s?)",
			origin, colon, g->text, traceable__count(t), similar);
	return error__return(-EINVAL,
		"%s%s%s: matches none of the %zu functions that can be traced; see "
		"available_filter_functions", origin, colon, g->text, traceable__count(t));
}

static bool matches_any(const struct glob *g, const struct traceable *t)
{
	if (glob__is_name(g))
		return traceable__has_name(t, g->function);
	for (size_t i = 0; i < traceable__count(t); i++) {
		const struct traceable_function *f = traceable__at(t, i);

		if (glob__matches(g, f->name, f->module))
			return true;
	}
	return false;
}

static const struct glob *find_unmatched(const struct globs *globs, const struct traceable *t)
{
	for (size_t i = 0; i < globs->count; i++) {
		if (!matches_any(&globs->list[i], t))
			return &globs->list[i];
	}
	return NULL;
}

const struct glob *filter__unmatched(const struct filter *f, const struct traceable *t)
{
	return find_unmatched(&f->allow, t) ?: find_unmatched(&f->deny, t);
}

enum filter_verdict filter__judge(const struct filter *f, const char *name, const char *module)
{
	if (f->allow.count && !globs__match(&f->allow, name, module))
		return FILTER_NOT_ASKED;
	if (globs__match(&f->deny, name, module))
		return FILTER_DENIED;
	if (globs__match(&f->own, name, module))
		return FILTER_OWN;
	return FILTER_TRACED;
}

bool filter__asks_for(const struct filter *f, const char *name, const char *module)
{
	enum filter_verdict verdict = filter__judge(f, name, module);

	return verdict == FILTER_TRACED || verdict == FILTER_OWN;
}

static bool asks_for_any(const struct filter *f, const struct symbols *symbols, const char *module)
{
	for (size_t i = 0; i < symbols__count(symbols); i++) {
		const struct symbol *sym = symbols__at(symbols, i);

		if (sym->module && !strcmp(sym->module, module) &&
		    filter__judge(f, sym->name, module) == FILTER_TRACED)
			return true;
	}
	return false;
}

size_t filter__new_modules(const struct filter *f, const struct symbols *before, const struct symbols *after)
{
	const struct module *list;
	size_t count = 0, found = 0;

	list = after ? symbols__modules(after, &count) : NULL;
	for (size_t i = 0; i < count; i++) {
		const struct module *was = symbols__module(before, list[i].name);

		found += (!was || was->base != list[i].base) && asks_for_any(f, after, list[i].name);
	}
	return found;
}
