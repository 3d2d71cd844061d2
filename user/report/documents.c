// SPDX-License-Identifier: GPL-2.0-only
/* The recordings on a command line, and their verdicts on functions; see documents.h. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "document/coverage.h"
#include "document/coverage_json.h"
#include "report/documents.h"

/* Turns "build/run/boot.json.gz" into "boot". */
static char *short_label(const char *path)
{
	const char *base = strrchr(path, '/');
	size_t length;

	base = base ? base + 1 : path;
	length = strcspn(base, ".");
	return xstrndup(base, length ? length : strlen(base));
}

bool texts__are_distinct(char *const *list, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		for (size_t j = 0; j < i; j++) {
			if (!strcmp(list[i], list[j]))
				return false;
		}
	}
	return true;
}

/* If two files have the same short name, both are labelled by their paths. */
static void make_labels(struct documents *d)
{
	for (size_t i = 0; i < d->count; i++)
		d->labels[i] = short_label(d->paths[i]);
	if (texts__are_distinct(d->labels, d->count))
		return;
	for (size_t i = 0; i < d->count; i++) {
		free(d->labels[i]);
		d->labels[i] = xstrdup(d->paths[i]);
	}
}

int documents__read(struct documents *ret, const char *const *paths, size_t count)
{
	int err = 0;

	*ret = (struct documents){
		.read = xcalloc(count, sizeof(*ret->read)), .list = xcalloc(count, sizeof(*ret->list)),
		.labels = xcalloc(count, sizeof(*ret->labels)), .paths = paths,
	};
	for (; !err && ret->count < count; ret->count++) {
		err = coverage__read_json(&ret->read[ret->count], paths[ret->count]);
		if (err)
			return err;
		ret->list[ret->count] = &ret->read[ret->count];
	}
	make_labels(ret);
	return 0;
}

void documents__free(struct documents *d)
{
	for (size_t i = 0; i < d->count; i++) {
		coverage__free(&d->read[i]);
		free(d->labels[i]);
	}
	free(d->read);
	free(d->list);
	free(d->labels);
}

bool globs__has(const struct globs *globs, const char *text)
{
	for (size_t i = 0; i < globs->count; i++) {
		if (!strcmp(globs->list[i].text, text))
			return true;
	}
	return false;
}

bool globs__are_same(const struct globs *a, const struct globs *b)
{
	size_t same = 0;

	for (size_t i = 0; i < a->count; i++)
		same += globs__has(b, a->list[i].text);
	for (size_t i = 0; i < b->count; i++)
		same += globs__has(a, b->list[i].text);
	return same == a->count + b->count;
}

/* ---- verdicts */

enum kind { RAN, COULD_SEE, BLIND, BUILD, OPEN };

static const struct {
	enum kind kind;
	const char *word, *sentence;
} verdicts[VERDICT_COUNT] = {
	[VERDICT_SEEN] = { RAN, "seen", "seen" },
	[VERDICT_PROVED] = { RAN, "proved", "not seen, and it ran: recorded calls lie in it or lead to it" },
	[VERDICT_NOT_CALLED] = { COULD_SEE, "not-called", "not called" },
	[VERDICT_NOT_FOLLOWED] = { COULD_SEE, "not-followed", "not called by the tasks that were followed" },
	[VERDICT_NOT_ASKED] = { BLIND, "not-asked-for", "not asked for: -a names other functions" },
	[VERDICT_DENIED] = { BLIND, "denied", "excluded: -d names it" },
	[VERDICT_OWN] = { BLIND, "own", "excluded: the recorder itself calls it" },
	[VERDICT_UNATTACHED] = { BLIND, "unattached", "could not be attached to" },
	[VERDICT_NO_MODULE] = { BLIND, "no-module", "its module was not there, or came later and was not followed" },
	[VERDICT_FREED] = { BLIND, "freed", "init text, which had been freed" },
	[VERDICT_UNTRACEABLE] = { BUILD, "untraceable", "that build cannot trace it" },
	[VERDICT_NO_FUNCTION] = { BUILD, "no-function", "that build has no such function, or has only inlined it" },
	[VERDICT_INLINED] = { OPEN, "inlined", "not called, and inlined into functions that ran, or that leave "
			      "no record: it may have run there" },
	[VERDICT_UNKNOWN] = { OPEN, "unknown", "it is not known what that build has" },
};

/* A module that came and went may be in no list; if it was followed, its hits show it. */
static bool has_hit_in(const struct coverage *c, const char *module)
{
	for (size_t i = 0; i < c->hits.count; i++) {
		const struct hit *hit = &c->hits.list[i];

		if (hit->kind == HIT_FUNCTION && hit->module && !strcmp(hit->module, module))
			return true;
	}
	return false;
}

enum verdict verdict__of(const struct coverage *c, const struct function *f)
{
	const struct covered_module *m = f->module ? covered_modules__find(&c->modules, f->module) : NULL;

	if (f->untraced)
		return VERDICT_UNTRACEABLE;
	switch (f->name ? filter__judge(&c->filter, f->name, f->module) : FILTER_TRACED) {
	case FILTER_NOT_ASKED:
		return VERDICT_NOT_ASKED;
	case FILTER_DENIED:
		return VERDICT_DENIED;
	case FILTER_OWN:
		return VERDICT_OWN;
	case FILTER_TRACED:
		break;
	}
	if (f->init && (f->module || c->scope.kind != SCOPE_BOOT))
		return VERDICT_FREED;
	if (f->module && !(m ? !m->came || c->follows_modules : c->follows_modules && has_hit_in(c, f->module)))
		return VERDICT_NO_MODULE;
	if (coverage__is_unattached(c, f->name, f->module))
		return VERDICT_UNATTACHED;
	return scope__follows(&c->scope) || scope__limit(&c->scope) ? VERDICT_NOT_FOLLOWED : VERDICT_NOT_CALLED;
}

bool verdict__could_see(enum verdict v)
{
	return verdicts[v].kind == RAN || verdicts[v].kind == COULD_SEE;
}

bool verdict__is_blind(enum verdict v)
{
	return verdicts[v].kind == BLIND;
}

bool verdict__is_certain(enum verdict v, const struct coverage *c, const char *module)
{
	bool stayed = covered_modules__stayed(&c->modules, module);

	return verdicts[v].kind != OPEN && (verdicts[v].kind != COULD_SEE || !losses__may_hide(&c->lost, stayed));
}

const char *verdict__word(enum verdict v)
{
	return verdicts[v].word;
}

const char *verdict__sentence(enum verdict v)
{
	return verdicts[v].sentence;
}
