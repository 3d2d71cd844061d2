// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finds the functions that only one of two recordings has seen; see diff.h.
 *
 * Each side has two lists: the functions that it has seen, and all functions of its build. Both are
 * sorted by module, then by address, or by name and file. If only one side has seen a function, its
 * absence is explained by looking it up in the build of the other side.
 */
#include <argp.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/program.h"
#include "base/sorted.h"
#include "base/text.h"
#include "document/coverage.h"
#include "kernel/symbols.h"
#include "report/commands.h"
#include "report/diff.h"
#include "report/documents.h"
#include "report/rows.h"
#include "run/output.h"

/* A function and its key: members that are not used for matching are 0 or NULL. */
struct item {
	const char *module, *name, *unit;
	uint64_t place;
	const struct function *f;	/* NULL: not in the function list */
	const char *full_name;
	bool taken;
};

struct items {
	struct item *list;
	size_t count;
};

struct side {
	const struct coverage *c, *other;
	const struct universe *u;
	struct items seen, has;
	bool is_empty;		/* no function lies in the part of the kernel that --in names */
};

/* ---- the lists */

/* Offsets in a module can be compared only if both sides are known to have had one build of it. */
static bool goes_by_place(const struct side *s, enum diff_identity identity, const char *module)
{
	return identity == IDENTITY_ADDRESS && (!module || coverage__same_build(s->c, s->other, module));
}

/* Adds an item; @place: the address, or the offset in the module. The key has 0 for no place, so it has @place + 1. */
static void add_item(struct items *items, struct strings *names, struct item item, bool by_place, uint64_t place)
{
	item.place = by_place ? place + 1 : 0;
	item.name = by_place ? item.full_name : function__base_name(names, item.full_name);
	item.unit = item.f ? item.f->unit : NULL;
	items->list[items->count++] = item;
}

static int by_key(const void *a, const void *b)
{
	const struct item *x = a, *y = b;

	/* One address is one function, even if two recordings have different names for it. */
	return text__compare(x->module, y->module) ?: ORDER(x->place, y->place) ?:
	       (x->place ? 0 : text__compare(x->name, y->name));
}

static int by_key_and_unit(const void *a, const void *b)
{
	const struct item *x = a, *y = b;

	return by_key(x, y) ?: text__compare(x->unit, y->unit);
}

static void list_seen(struct side *s, struct strings *names, enum diff_identity identity)
{
	s->seen.list = xcalloc(s->c->hits.count, sizeof(*s->seen.list));
	for (size_t i = 0; i < s->c->hits.count; i++) {
		const struct hit *hit = &s->c->hits.list[i];
		bool by_place = goes_by_place(s, identity, hit->module);
		struct item item = { .module = hit->module, .full_name = hit->name ?: "?" };

		/* A function without a name can only be matched by its address. */
		if (hit->kind != HIT_FUNCTION || (!hit->name && !by_place))
			continue;
		item.f = universe__find(s->u, hit);
		/* The function list may be of another build of the module. */
		if (item.f && hit->module && hit->name && !by_place && strcmp(item.f->name, hit->name))
			item.f = NULL;
		add_item(&s->seen, names, item, by_place, hit->module ? hit->offset : hit->link);
	}
	qsort(s->seen.list, s->seen.count, sizeof(*s->seen.list), by_key_and_unit);
}

static void list_has(struct side *s, struct strings *names, enum diff_identity identity)
{
	s->has.list = xcalloc(s->u->count, sizeof(*s->has.list));
	for (size_t i = 0; i < s->u->count; i++) {
		const struct function *f = &s->u->list[i];
		const struct item item = { .module = f->module, .full_name = f->name, .f = f };

		/* No recording has modules' init text, whose offsets count from another address. */
		if (!f->module || !f->init)
			add_item(&s->has, names, item, goes_by_place(s, identity, f->module), f->addr);
	}
	qsort(s->has.list, s->has.count, sizeof(*s->has.list), by_key_and_unit);
}

/* Joins functions with equal keys. @folded: adds the number that disappear. */
static void fold(struct items *items, size_t *folded)
{
	size_t kept = 0;

	for (size_t i = 0; i < items->count; i++) {
		if (kept && !by_key_and_unit(&items->list[kept - 1], &items->list[i]))
			++*folded;
		else
			items->list[kept++] = items->list[i];
	}
	items->count = kept;
}

/* ---- why the other has not seen it */

/* Prefers a traceable function: other matches may be parts that the compiler has split off. */
static const struct function *find_in(const struct side *s, const struct item *item)
{
	size_t count, first = sorted__equals(s->has.list, s->has.count, sizeof(*item), item, by_key, &count);
	const struct function *found = NULL;

	for (const struct item *other = s->has.list + first; other < s->has.list + first + count; other++) {
		if (item->unit && other->unit && strcmp(item->unit, other->unit))
			continue;
		if (!found || found->untraced)
			found = other->f;
	}
	return found;
}

/* The verdict on a function that is not in @s's function list. @v: the verdict of the run */
static enum verdict of_build(const struct side *s, const struct side *other, const struct item *item, enum verdict v)
{
	bool same_build = coverage__same_build(s->c, other->c, item->module);

	if (item->module && !covered_modules__find(&s->u->modules, item->module))
		return same_build ? v : VERDICT_UNKNOWN;
	if (s->u->count && !same_build)
		return s->u->whole ? VERDICT_NO_FUNCTION : VERDICT_UNKNOWN;
	/* Maybe init text, which only @other saw. A running kernel does not list it. */
	if (s->c->scope.kind != SCOPE_BOOT && other->c->scope.kind == SCOPE_BOOT)
		return s->u->count && !s->u->whole ? VERDICT_FREED : VERDICT_UNKNOWN;
	return same_build ? v : VERDICT_UNKNOWN;
}

/* @s: the side that has not seen the function; @other: the side that has seen it. */
static enum verdict why_of(const struct side *s, const struct side *other, const struct item *item)
{
	const struct function by_name = { .name = item->full_name, .module = item->module }, *f = find_in(s, item);
	enum verdict v = verdict__of(s->c, f ?: &by_name);

	return f || !verdict__could_see(v) ? v : of_build(s, other, item, v);
}

/* ---- the walk */

/* Matches functions of one key if their files are equal or, with @unknown, if a file is unknown. */
static bool take(struct item *x, struct item *y, bool unknown)
{
	if (x->taken || y->taken)
		return false;
	if (x->unit && y->unit ? strcmp(x->unit, y->unit) : !unknown && x->unit != y->unit)
		return false;
	x->taken = y->taken = true;
	return true;
}

static size_t end_of_key(const struct items *items, size_t first)
{
	size_t end = first;

	while (end < items->count && !by_key(&items->list[first], &items->list[end]))
		end++;
	return end;
}

/* A function without a known file must not take the partner of a function with one. */
static size_t match_key(struct items *a, size_t i, size_t end_a, struct items *b, size_t j, size_t end_b)
{
	size_t both = 0;

	for (int unknown = 0; unknown < 2; unknown++) {
		for (size_t x = i; x < end_a; x++) {
			for (size_t y = j; y < end_b; y++)
				both += take(&a->list[x], &b->list[y], unknown);
		}
	}
	return both;
}

static size_t match(struct items *a, struct items *b)
{
	size_t both = 0;

	for (size_t i = 0, j = 0; i < a->count && j < b->count;) {
		int order = by_key(&a->list[i], &b->list[j]);
		size_t end_a = end_of_key(a, i), end_b = end_of_key(b, j);

		if (!order)
			both += match_key(a, i, end_a, b, j, end_b);
		i = order <= 0 ? end_a : i;
		j = order >= 0 ? end_b : j;
	}
	return both;
}

static void add_entries(struct diff_entries *ret, const struct side *from, const struct side *other)
{
	autofree struct diff_entry *blind = xcalloc(from->seen.count, sizeof(*blind));

	ret->list = xcalloc(from->seen.count, sizeof(*ret->list));
	for (size_t i = 0; i < from->seen.count; i++) {
		const struct item *item = &from->seen.list[i];
		enum verdict v = item->taken ? VERDICT_SEEN : why_of(other, from, item);
		struct diff_entry entry = {
			.name = item->name, .module = item->module, .unit = item->unit, .why = v,
			.possibly = !verdict__is_certain(v, other->c, item->module),
		};

		if (verdict__is_blind(v))
			blind[ret->blind++] = entry;
		else if (!item->taken)
			ret->list[ret->count++] = entry;
	}
	memcpy(&ret->list[ret->count], blind, ret->blind * sizeof(*blind));
}

static void list_both(struct diff *d, const struct items *seen)
{
	d->in_both = xcalloc(d->both, sizeof(*d->in_both));
	for (size_t i = 0, count = 0; i < seen->count; i++) {
		if (seen->list[i].taken)
			d->in_both[count++] = (struct diff_place){ seen->list[i].module, seen->list[i].unit };
	}
}

static bool has_places(const struct coverage *c)
{
	for (size_t i = 0; i < c->hits.count; i++) {
		if (c->hits.list[i].kind == HIT_FUNCTION && !c->hits.list[i].module && !c->hits.list[i].link)
			return false;
	}
	return true;
}

static enum diff_identity identity_of(const struct diff_side *a, const struct diff_side *b)
{
	if (coverage__same_builds(a->c, b->c) && has_places(a->c) && has_places(b->c))
		return IDENTITY_ADDRESS;
	return a->u->placed && b->u->placed ? IDENTITY_FILE : IDENTITY_NAME;
}

/*
 * Removes seen functions that do not lie in @where; the build's list stays complete. Returns
 * whether the side has seen a function in @where, or its build has a traceable one there.
 */
static bool restrict_to(struct side *s, const char *where)
{
	size_t kept = 0;

	for (size_t i = 0; i < s->seen.count; i++) {
		const struct item *item = &s->seen.list[i];

		if (where__has(where, item->module, item->unit))
			s->seen.list[kept++] = *item;
	}
	s->seen.count = kept;
	for (size_t i = 0; !kept && i < s->u->count; i++)
		kept = !s->u->list[i].untraced && where__has(where, s->u->list[i].module, s->u->list[i].unit);
	return kept;
}

static void fill(struct side *s, struct strings *names, enum diff_identity identity, const char *where, size_t *folded)
{
	list_seen(s, names, identity);
	list_has(s, names, identity);
	if (where)
		s->is_empty = !restrict_to(s, where);
	for (size_t i = 0; identity == IDENTITY_NAME && i < s->seen.count; i++)
		s->seen.list[i].unit = NULL;
	fold(&s->seen, folded);
}

int diff__run(struct diff *ret, const struct diff_side *a, const struct diff_side *b, const char *where)
{
	struct side sides[2] = { { a->c, b->c, a->u }, { b->c, a->c, b->u } };
	int err = where ? where__check(where, a->u) ?: where__check(where, b->u) : 0;

	if (err)
		return err;
	*ret = (struct diff){ .a = *a, .b = *b, .identity = identity_of(a, b), .names = strings__new() };
	for (int i = 0; i < 2; i++)
		fill(&sides[i], ret->names, ret->identity, where, &ret->folded);
	if (sides[0].is_empty && sides[1].is_empty)
		err = where__is_empty(where);
	ret->both = match(&sides[0].seen, &sides[1].seen);
	add_entries(&ret->gone, &sides[0], &sides[1]);
	add_entries(&ret->new, &sides[1], &sides[0]);
	list_both(ret, &sides[0].seen);
	for (int i = 0; i < 2; i++) {
		free(sides[i].seen.list);
		free(sides[i].has.list);
	}
	if (err)
		diff__free(ret);
	return err;
}

void diff__free(struct diff *d)
{
	free(d->in_both);
	free(d->gone.list);
	free(d->new.list);
	strings__free(d->names);
	memset(d, 0, sizeof(*d));
}

/* ---- the command */

enum { KEY_FAIL_ON = 256, KEY_UNIVERSE, KEY_STAT };

static const struct argp_option options[] = {
	OPTION_FORMAT("text (default) or json" OPTION_FORMAT_BY_NAME),
	OPTION_OUTPUT,
	OPTION_RUNS,
	OPTION_MIN_RUNS,
	{ "fail-on", KEY_FAIL_ON, "WHAT", 0, "exit with status 1 only if there are new functions, or some are gone: "
	  "new, gone, any (default)", 0 },
	{ "stat", KEY_STAT, NULL, 0, "print numbers for each directory, the largest change first, and not "
	  "each function", 0 },
	OPTION_IN,
	{ "universe", KEY_UNIVERSE, "FILE", 0, "the functions of one of the kernels, by `hytrace functions -f json`; "
	  "may be given twice. Default: what its vmlinux says", 0 },
	{ }
};

enum fail_on { FAIL_ON_NEW = 1, FAIL_ON_GONE = 2 };

/* Index + 1 is an enum fail_on; "any" is FAIL_ON_NEW | FAIL_ON_GONE. */
static const char *const fail_names[] = { "new", "gone", "any", NULL };

struct diff_options {
	const char *universes[2];
	struct result_options result;
	int fail_on;
	bool stat;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct diff_options *o = state->input;

	switch (key) {
	case KEY_FAIL_ON:
		o->fail_on = option__word(state, "fail-on", arg, fail_names) + 1;
		break;
	case KEY_STAT:
		o->stat = true;
		break;
	case KEY_UNIVERSE:
		if (o->universes[1])
			argp_error(state, "--universe: there are only two kernels");
		o->universes[o->universes[0] ? 1 : 0] = arg;
		break;
	default:
		return result_options__parse(&o->result, key, arg, state);
	}
	return 0;
}

/* Reads the user's function lists. Each goes to the side with the list's build id. */
static int read_given(struct universe *list, const struct diff_options *o, const struct documents *d)
{
	for (int i = 0; i < 2 && o->universes[i]; i++) {
		struct universe u;
		int err = universe__read_whole(&u, o->universes[i]);
		size_t side = 0;

		if (err)
			return err;
		while (side < 2 && (list[side].count ||
				    !text__is_known_equal(d->list[side]->kernel.build_id, u.build_id)))
			side++;
		if (side == 2) {
			universe__free(&u);
			return error__return(-EINVAL, "--universe %s: is of neither kernel, or a second list of "
					     "one kernel", o->universes[i]);
		}
		list[side] = u;
	}
	return 0;
}

/* Two recordings of one build have one function list, which is then list[0]. */
static int find_universes(struct universe *list, const struct diff_options *o, const struct documents *d, bool one)
{
	const struct universe_source nowhere = {};
	int err = read_given(list, o, d);

	for (size_t side = 0; !err && side < (one ? 1 : 2); side++) {
		err = list[side].count ? universe__fit(&list[side], &d->list[side], one ? 2 : 1) :
		      universe__find_for(&list[side], &d->list[side], one ? 2 : 1, &nowhere);
	}
	return err;
}

static int print(const struct diff_options *o, const struct documents *documents, const struct diff *d)
{
	struct output *output;
	int err = output__open(&output, o->result.output, NULL);

	if (err)
		return err;
	(o->result.format == RESULT_JSON ? diff__json : diff__text)(d, documents->paths, o->stat,
								    output__stream(output));
	return output__finish(output, 0);
}

static int diff(const struct diff_options *o, const struct documents *documents, bool *ret_fails)
{
	struct universe list[2] = {};
	bool one = coverage__same_builds(documents->list[0], documents->list[1]);
	struct diff_side a = { documents->list[0], &list[0] }, b = { documents->list[1], &list[!one] };
	struct diff d;
	int err = find_universes(list, o, documents, one);

	if (!err)
		err = diff__run(&d, &a, &b, o->result.where);
	if (!err) {
		err = print(o, documents, &d);
		*ret_fails = (o->fail_on & FAIL_ON_NEW && d.new.count) || (o->fail_on & FAIL_ON_GONE && d.gone.count);
		diff__free(&d);
	}
	universe__free(&list[0]);
	universe__free(&list[1]);
	return err;
}

int cmd_diff(int argc, char **argv)
{
	static const struct argp argp = {
		.options = options,
		.parser = parse,
		.args_doc = "A.json B.json",
		.doc = "Prints which functions B.json has seen and A.json has not, and which are gone, and why the "
		       "other recording lacks each. The recordings of `hytrace cover -f json` may be of two builds of "
		       "the kernel. (`hytrace compare` tells whether two recordings of the same time agree.)"
		       "\vExamples:\n"
		       "  hytrace diff --stat yesterday.json today.json\n"
		       "  hytrace diff --fail-on gone --in fs/ext4 release.json candidate.json\n\n"
		       "Exit status: 0 no difference, 1 differences (those of --fail-on), 2 trouble.",
	};
	struct diff_options o = { .fail_on = FAIL_ON_NEW | FAIL_ON_GONE, .result = { .least = 2, .most = 2 } };
	struct documents d = {};
	bool fails = false;
	int err;

	if (argp_parse(&argp, argc, argv, 0, NULL, &o))
		return EXIT_USAGE;
	err = documents__read_joined(&d, o.result.arguments, 2, &o.result) ?: diff(&o, &d, &fails);
	documents__free(&d);
	/* As in diff(1), the status of a failure is not that of a difference. */
	return err ? EXIT_USAGE : fails ? EXIT_FAILED : EXIT_DONE;
}
