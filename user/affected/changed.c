// SPDX-License-Identifier: GPL-2.0-only
/* Finds the functions of a patch; see changed.h. */
#include "affected/changed.h"
#include "base/index.h"
#include "base/memory.h"
#include "base/text.h"

const char *const known_by_words[KNOWN_BYS] = { "build", "source", "context", "record" };
const char *const match_words[MATCHES] = { "old", "new", "none", NULL };

struct finding {
	struct changed *ret;
	const struct tags *tags;
	const struct build *b;
	const struct patched_file *file;
	struct changed_file *of;
	const char *paths[SIDES];
};

/* ---- whose lines are those of the build? */

static void vote_by_tags(size_t *against, const struct wanted_file *f, const struct tag *tags, size_t count)
{
	for (size_t i = 0; i < f->count; i++) {
		const struct spot *s = &f->spots[i];
		bool has_name = false, has_line = false;

		for (size_t k = 0; k < count; k++) {
			has_name |= !strcmp(tags[k].name, s->name);
			has_line |= !strcmp(tags[k].name, s->name) && tags[k].start == s->line;
		}
		/* Of a function that is written twice, one is enough. */
		*against += has_name && !has_line;
	}
}

/* The last function before a line, but for those that a macro has made: all code of such a function is of one line. */
static const struct spot *last_before(const struct wanted_file *f, unsigned int line)
{
	const struct spot *s = line > 1 ? wanted_file__before(f, line - 1) : NULL;

	while (s && s > f->spots && s->end == s->line)
		s--;
	return s;
}

static unsigned int line_on(const struct heading *h, enum side side)
{
	return side == OLD ? h->old : h->new;
}

/* Has the patch the first line of the function where the build has it? Another function may have the name as well. */
static bool has_heading(const struct patched_file *file, enum side side, const struct spot *s, const char *name)
{
	for (size_t i = 0; i < file->count; i++) {
		for (size_t k = 0; k < file->list[i].count; k++) {
			const struct heading *h = &file->list[i].list[k].heading;

			/* Names are interned. */
			if (h->name == name && line_on(h, side) == s->line)
				return true;
		}
	}
	return false;
}

/* What stands behind @@ is the last function before the hunk. */
static void vote_by_hunks(size_t *against, const struct wanted_file *f, const struct patched_file *file, enum side side)
{
	for (size_t i = 0; i < file->count; i++) {
		const struct hunk *h = &file->list[i];
		const struct spot *s = h->heading.name ? wanted_file__named(f, h->heading.name) : NULL;
		const struct spot *last = last_before(f, side == OLD ? h->old : h->new);

		if (s && s->end > s->line)
			*against += !last || last->line != s->line;
		for (size_t k = 0; k < h->count; k++) {
			const struct heading *heading = &h->list[k].heading;

			s = heading->name && heading->name != h->heading.name && line_on(heading, side) ?
				wanted_file__named(f, heading->name) : NULL;
			*against += s && !has_heading(file, side, s, heading->name);
		}
	}
}

static enum match find_match(const struct finding *f)
{
	size_t against[SIDES] = {};
	bool any = false;

	for (int side = 0; side < SIDES; side++) {
		const struct wanted_file *wanted = f->b ? build__file(f->b, f->paths[side]) : NULL;
		size_t count = 0;
		const struct tag *tags = f->paths[side] ? tags__of(&f->tags[side], f->paths[side], &count) : NULL;

		if (!wanted || !wanted->count) {
			against[side]++;
			continue;
		}
		any = true;
		if (count)
			vote_by_tags(&against[side], wanted, tags, count);
		else
			vote_by_hunks(&against[side], wanted, f->file, side);
	}
	if (!any)
		return MATCH_UNKNOWN;
	if (!against[OLD])
		return MATCH_OLD;
	return against[NEW] ? MATCH_NONE : MATCH_NEW;
}

/* ---- functions */

static bool has_tag(const struct finding *f, enum side side, const char *name)
{
	size_t count = 0;
	const struct tag *tags = f->paths[side] ? tags__of(&f->tags[side], f->paths[side], &count) : NULL;

	for (size_t i = 0; i < count; i++) {
		if (!strcmp(tags[i].name, name))
			return true;
	}
	return false;
}

static struct changed_function *find(struct finding *f, const char *name, enum known_by by)
{
	const char *path = patched_file__path(f->file);
	char *key = xasprintf("%s %s", path, name);
	struct lh_entry *entry = lh_table_lookup_entry(f->ret->by_name, key);
	struct changed_function *c;

	if (entry) {
		free(key);
		return &f->ret->list[(uintptr_t)lh_entry_v(entry)];
	}
	index__add(f->ret->by_name, key, (void *)f->ret->count);
	c = LIST_ADD(f->ret->list, f->ret->count);
	*c = (struct changed_function){
		.path = path, .old_path = f->file->kind == FILE_RENAMED ? f->file->old : NULL, .name = name, .by = by,
	};
	return c;
}

/* Notes that the current change is in the function. A change may be in it on both sides. */
static struct changed_function *touch(struct finding *f, const char *name, enum known_by by)
{
	struct changed_function *c = find(f, name, by);
	size_t index = c - f->ret->list, first = f->ret->first[f->ret->change_count - 1];

	c->by = by < c->by ? by : c->by;
	for (size_t i = first; i < f->ret->function_count; i++) {
		if (f->ret->functions[i] == index)
			return c;
	}
	*LIST_ADD(f->ret->functions, f->ret->function_count) = index;
	c->changes++;
	return c;
}

/* @macros: only those with the name of a macro; else only those without */
static bool touch_tags(struct finding *f, enum side side, unsigned int line, unsigned int lines, bool macros)
{
	const char *path = f->paths[side];
	size_t count = 0;
	const struct tag *tags = path ? tags__of(&f->tags[side], path, &count) : NULL;
	bool any = false;

	for (size_t i = 0; i < count; i++) {
		struct changed_function *c;

		if (!lines__have(tags[i].start, tags[i].end, line, lines) || name__is_macro(tags[i].name) != macros)
			continue;
		c = touch(f, tags[i].name, BY_SOURCE);
		c->is_new = !has_tag(f, OLD, c->name);
		c->is_deleted = !has_tag(f, NEW, c->name);
		if ((enum side)f->of->match == side) {
			c->start = tags[i].start;
			c->end = tags[i].end;
		}
		any = true;
	}
	return any;
}

/* A function with code of its own is what people know; an inlined part of it may begin at the same line. */
static const struct spot *best_of(const struct build *b, const struct wanted_file *f, const struct spot *s)
{
	const struct spot *best = s;

	for (const struct spot *at = s; at >= f->spots && at->line == s->line; at--) {
		const struct inlines *in = b->proof.images.list[at->image].inlines;
		size_t count;

		if (!inlines__sources(in, &count)[at->source].inlined)
			best = at;
	}
	return best;
}

static bool touch_spots(struct finding *f, enum side side, unsigned int line, unsigned int lines)
{
	const struct wanted_file *wanted = (enum side)f->of->match == side ? build__file(f->b, f->paths[side]) : NULL;
	bool any = false;

	for (size_t i = wanted ? wanted->count : 0; i--;) {
		const struct spot *s = &wanted->spots[i];
		struct changed_function *c;

		if (!lines__have(s->line, s->end, line, lines))
			continue;
		c = touch(f, best_of(f->b, wanted, s)->name, BY_BUILD);
		c->start = s->line;
		c->end = s->end;
		any = true;
	}
	return any;
}

static void find_in_change(struct finding *f, const struct change *c)
{
	const unsigned int lines[SIDES][2] = { { c->old, c->old_count }, { c->new, c->new_count } };
	struct changed_function *guess;
	bool any = false, by_tags;

	*LIST_ADD(f->ret->first, f->ret->change_count) = f->ret->function_count;
	for (int side = 0; side < SIDES; side++)
		any |= touch_tags(f, side, lines[side][0], lines[side][1], false);
	/* ctags misses some functions, and gives all that one macro makes the same name. */
	for (int side = 0; !any && side < SIDES; side++)
		any = touch_spots(f, side, lines[side][0], lines[side][1]);
	for (int side = 0, found = any; !found && side < SIDES; side++)
		any |= touch_tags(f, side, lines[side][0], lines[side][1], true);
	/* ctags does not know assembly. */
	by_tags = strcmp(strrchr(patched_file__path(f->file), '.'), ".S") && (f->tags[OLD].names || f->tags[NEW].names);
	if (any || !c->heading.name || by_tags)
		return;
	guess = touch(f, c->heading.name, BY_CONTEXT);
	if (guess->by == BY_CONTEXT) {
		guess->is_new |= !c->heading.old || !f->paths[OLD];
		guess->is_deleted |= !c->heading.new;
	}
}

static void find_in_file(struct finding *f, bool whole)
{
	const char *path = patched_file__path(f->file);

	f->paths[OLD] = f->file->kind == FILE_COPIED ? NULL : f->file->old;
	f->paths[NEW] = f->file->new;
	f->of->match = find_match(f);
	f->of->guessed = f->of->match >= MATCH_NONE && !f->tags[OLD].names && !f->tags[NEW].names;
	for (int side = 0; f->b && side < SIDES; side++) {
		const struct wanted_file *wanted = build__file(f->b, f->paths[side]);

		f->of->units = wanted && wanted->units > f->of->units ? wanted->units : f->of->units;
	}
	if (whole)
		*find(f, "", BY_RECORD) = (struct changed_function){
			.path = path, .name = "", .by = BY_RECORD, .start = 1, .end = UINT32_MAX,
		};
	for (size_t i = 0; i < f->file->count; i++) {
		const struct hunk *h = &f->file->list[i];
		bool outside = !h->count;

		for (size_t k = 0; k < h->count; k++) {
			size_t had = f->ret->function_count;

			if (path__is_source(path))
				find_in_change(f, &h->list[k]);
			else
				*LIST_ADD(f->ret->first, f->ret->change_count) = had;
			outside |= f->ret->function_count == had;
		}
		f->of->outside += outside;
	}
}

void changed__find(struct changed *ret, const struct patch *p, const struct tags *tags, const struct build *b,
		   bool whole)
{
	struct finding f = { .ret = ret, .tags = tags, .b = b && b->lines ? b : NULL };

	*ret = (struct changed){
		.files = xcalloc(p->count, sizeof(*ret->files)), .by_name = index__new(1024, index__free_key),
	};
	for (size_t i = 0; i < p->count; i++) {
		f.file = &p->list[i];
		f.of = &ret->files[i];
		find_in_file(&f, whole);
	}
	*LIST_ADD(ret->first, ret->change_count) = ret->function_count;
	/* Its first line has changed: it was removed and added. */
	for (size_t i = 0; i < ret->count; i++) {
		struct changed_function *c = &ret->list[i];

		if (c->is_new && c->is_deleted)
			c->is_new = c->is_deleted = false;
	}
}

void changed__free(struct changed *c)
{
	free(c->list);
	free(c->files);
	free(c->functions);
	free(c->first);
	if (c->by_name)
		lh_table_free(c->by_name);
}
