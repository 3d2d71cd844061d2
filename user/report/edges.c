// SPDX-License-Identifier: GPL-2.0-only
/* Finds who called whom; see edges.h. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/sorted.h"
#include "image/lines.h"
#include "report/edges.h"

/* ---- callers */

const struct image_function *edges__whole(const struct image_of *of, const struct image_function *part)
{
	const struct image_function *const *list;
	const char *mark = strstr(part->name, ".cold");
	const struct unit *unit;
	char name[256];
	size_t length, count;

	if (part->untraced != UNTRACED_FRAGMENT || !mark)
		return part;
	length = mark - part->name;
	if (length >= sizeof(name))
		return part;
	memcpy(name, part->name, length);
	name[length] = '\0';
	list = image__named(of->image, name, &count);
	if (!list)
		return part;
	if (count == 1)
		return list[0];
	/* Of several functions with this name, take the one in the same compilation unit. */
	unit = image__unit(of->image, part->addr);
	for (size_t i = 0; unit && i < count; i++) {
		const struct unit *its = image__unit(of->image, list[i]->addr);

		if (its && !strcmp(its->path, unit->path))
			return list[i];
	}
	return part;
}

/* Finds the exported target of a call into another image. */
static const struct image_function *exported(const struct images *images, const char *name,
					     const struct image_of **ret_of)
{
	for (size_t i = 0; i < images->count; i++) {
		const struct image_of *of = &images->list[i];
		const struct image_function *const *list;
		size_t count;

		list = of->image ? image__named(of->image, name, &count) : NULL;
		for (size_t k = 0; list && k < count; k++) {
			if (list[k]->exported) {
				*ret_of = of;
				return list[k];
			}
		}
	}
	return NULL;
}

/* An address in an image. */
struct place {
	const struct image_of *of;	/* NULL: no such image, or the address is not known */
	uint64_t addr;
};

static struct place place_of(const struct images *images, const char *module, uint64_t link, uint64_t offset)
{
	const struct image_of *of = images__get(images, module);

	if (!of || !of->image || (!module && !link))
		return (struct place){};
	return (struct place){ of, module ? offset : link };
}

static size_t function_at(const struct place *place)
{
	const struct image_function *f = place->of ? image__function_at(place->of->image, place->addr) : NULL;

	return f ? images__number(place->of, f) : EDGES_NONE;
}

static size_t named_by(const struct images *images, const struct image_of *of, const struct call *call)
{
	const struct image_function *callee = call->callee;
	const struct image_of *callee_of = of;

	if (call->kind == CALL_DIRECT && !callee)
		callee = exported(images, call->name, &callee_of);
	return callee ? images__number(callee_of, callee) : EDGES_NONE;
}

/* Adds the call before a return address. @entered: the callee in the record, or EDGES_NONE */
static void add_call(struct edges *e, const struct place *returned_to, size_t entered, struct edge edge, bool is_caller)
{
	const struct image_of *of = edge.of = returned_to->of;
	size_t named;

	calls__before(of->calls, returned_to->addr, &edge.call);
	named = named_by(e->images, of, &edge.call);
	edge.from = edge.call.in ? images__number(of, edges__whole(of, edge.call.in)) : EDGES_NONE;
	edge.to = named;
	/* A caller has an edge even if its callee is unknown. */
	if (named != EDGES_NONE || (is_caller && entered == EDGES_NONE))
		e->list[e->count++] = edge;
	if (entered == EDGES_NONE || entered == named)
		return;
	edge.to = entered;
	edge.entered = true;
	e->list[e->count++] = edge;
}

static void add_calls(struct edges *e, size_t document)
{
	const struct coverage *c = e->documents[document];

	for (size_t i = 0; i < c->hits.count; i++) {
		const struct hit *hit = &c->hits.list[i];
		const struct other *other = &hit->other;
		struct place place = place_of(e->images, hit->module, hit->link, hit->offset), there = {};
		struct edge edge = { .seen = 1ull << document, .document = document, .first_ns = hit->first_ns };

		if (other->name)
			there = place_of(e->images, other->module, other->link, other->offset);
		if (hit->kind == HIT_FUNCTION && there.of && function_at(&place) != EDGES_NONE)
			add_call(e, &there, function_at(&place), edge, false);
		else if (hit->kind == HIT_CALLER && place.of)
			add_call(e, &place, function_at(&there), edge, true);
		else if (hit->kind == HIT_CALLER)
			e->unplaced++;
	}
}

static int by_site(const void *a, const void *b)
{
	const struct edge *x = a, *y = b;

	/* Calls through a pointer may have entered different functions. */
	return ORDER(x->from, y->from) ?: ORDER(x->of, y->of) ?: ORDER(x->call.site, y->call.site) ?:
	       ORDER(x->to, y->to) ?: ORDER(x->seen, y->seen) ?: ORDER(x->first_ns, y->first_ns);
}

/*
 * Joins edges with one call site and one callee. Return addresses differ between recordings if the
 * kernel rewrote the call in one of them.
 */
static void join(struct edges *e)
{
	size_t kept = 0;

	if (!e->count)
		return;
	qsort(e->list, e->count, sizeof(*e->list), by_site);
	for (size_t i = 1; i < e->count; i++) {
		struct edge *last = &e->list[kept], *edge = &e->list[i];

		if (last->of == edge->of && last->call.site == edge->call.site && last->to == edge->to)
			last->seen |= edge->seen;
		else
			e->list[++kept] = *edge;
	}
	e->count = kept + 1;
}

/* ---- functions */

static void add_function(struct edges *e, const struct hit *hit, size_t document)
{
	struct place place = place_of(e->images, hit->module, hit->link, hit->offset);
	size_t number = function_at(&place);
	struct node *node;

	if (number == EDGES_NONE)
		return;
	node = &e->nodes[number];
	node->seen |= 1ull << document;
	node->runs += coverage__runs_of(e->documents[document], hit);
	if (!node->hit)
		node->hit = hit;
}

static enum verdict of_run(const struct edges *e, size_t number, size_t document)
{
	const struct image_of *of;
	const struct image_function *f = images__function(e->images, number, &of);
	const struct function function = {
		.name = f->name, .module = of->module, .init = f->init, .untraced = untraced__word(f->untraced),
	};

	return verdict__of(e->documents[document], &function);
}

/* A call of a function must have been recorded, unless its module came or went during the recording. */
static void count_missing(struct edges *e)
{
	for (size_t i = 0; i < e->images->functions; i++) {
		uint64_t lacking = e->nodes[i].called & ~e->nodes[i].seen;
		const struct image_function *f;
		const struct image_of *of;
		bool missing = false;

		if (!lacking)
			continue;
		f = images__function(e->images, i, &of);
		for (size_t d = 0; d < e->document_count; d++)
			missing |= lacking >> d & 1 && covered_modules__stayed(&e->documents[d]->modules, of->module) &&
				   verdict__could_see(of_run(e, i, d));
		if (!missing)
			continue;
		e->missing++;
		e->a_missing = f;
	}
}

static int by_callee(const void *a, const void *b, void *list)
{
	const struct edge *x = (struct edge *)list + *(const size_t *)a;
	const struct edge *y = (struct edge *)list + *(const size_t *)b;

	return ORDER(x->to, y->to) ?: ORDER(x, y);
}

static void add_nodes(struct edges *e)
{
	e->nodes = xcalloc(e->images->functions, sizeof(*e->nodes));
	e->by_callee = xcalloc(e->count, sizeof(*e->by_callee));
	for (size_t d = 0; d < e->document_count; d++) {
		const struct hits *hits = &e->documents[d]->hits;

		for (size_t i = 0; i < hits->count; i++) {
			if (hits->list[i].kind == HIT_FUNCTION)
				add_function(e, &hits->list[i], d);
		}
	}
	for (size_t i = 0; i < e->count; i++) {
		const struct edge *edge = &e->list[i];
		const struct image_of *of;

		/* Counts each call site once: its edges follow each other. */
		if (!i || edge[-1].of != edge->of || edge[-1].call.site != edge->call.site)
			e->kinds[edge->call.kind]++;
		if (edge->from != EDGES_NONE)
			e->nodes[edge->from].inside |= edge->seen;
		if (edge->to == EDGES_NONE)
			continue;
		e->nodes[edge->to].called |= edge->seen;
		e->to_untraced += images__function(e->images, edge->to, &of)->untraced != UNTRACED_NOT;
		e->by_callee[e->callee_count++] = i;
	}
	qsort_r(e->by_callee, e->callee_count, sizeof(*e->by_callee), by_callee, e->list);
}

int edges__check_documents(const struct coverage *const *documents, size_t count)
{
	if (count > EDGES_MOST_DOCUMENTS)
		return error__return(-EINVAL, "%zu files: one answer can be about %d at most",
				     count, EDGES_MOST_DOCUMENTS);
	for (size_t i = 0; i < count; i++) {
		if (!documents[i]->how.callers)
			return error__return(-EINVAL, "file %zu was recorded without callers (--no-callers), "
					     "from which answers about calls come", i + 1);
	}
	return 0;
}

void edges__make(struct edges *ret, struct images *images, const struct coverage *const *documents, size_t count)
{
	size_t room = 0;

	*ret = (struct edges){ .images = images, .documents = documents, .document_count = count,
				.runs = coverages__runs(documents, count) };
	for (size_t d = 0; d < count; d++)
		room += 2 * documents[d]->hits.count;
	ret->list = xcalloc(room, sizeof(*ret->list));
	for (size_t d = 0; d < count; d++)
		add_calls(ret, d);
	join(ret);
	add_nodes(ret);
	count_missing(ret);
}

int edges__open(struct edges *ret, struct images *images, const struct coverage *const *documents, size_t count,
		const char *vmlinux)
{
	int err = edges__check_documents(documents, count) ?: images__open(images, documents, count, vmlinux);

	if (!err)
		edges__make(ret, images, documents, count);
	return err;
}

void edges__free(struct edges *e)
{
	free(e->list);
	free(e->by_callee);
	free(e->nodes);
	memset(e, 0, sizeof(*e));
}

/* ---- answers */

const struct edge *edges__from(const struct edges *e, size_t number, size_t *ret_count)
{
	size_t low = SORTED_FROM(e->list, e->count, from, number), end;

	for (end = low; end < e->count && e->list[end].from == number; end++)
		;
	*ret_count = end - low;
	return end > low ? &e->list[low] : NULL;
}

const size_t *edges__to(const struct edges *e, size_t number, size_t *ret_count)
{
	size_t low = 0, high = e->callee_count, end;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (e->list[e->by_callee[middle]].to < number)
			low = middle + 1;
		else
			high = middle;
	}
	for (end = low; end < e->callee_count && e->list[e->by_callee[end]].to == number; end++)
		;
	*ret_count = end - low;
	return end > low ? &e->by_callee[low] : NULL;
}

enum verdict edges__verdict(const struct edges *e, size_t number, size_t document)
{
	const struct node *node = &e->nodes[number];

	if (node->seen >> document & 1)
		return VERDICT_SEEN;
	return (node->inside | node->called) >> document & 1 ? VERDICT_PROVED : of_run(e, number, document);
}

bool edges__ran(const struct edges *e, size_t number)
{
	const struct node *node = &e->nodes[number];

	return node->seen | node->inside | node->called;
}

struct proved edges__proved(const struct edges *e, size_t document)
{
	struct proved proved = {};

	for (size_t i = 0; i < e->images->functions; i++) {
		const struct node *node = &e->nodes[i];
		const struct image_of *of;

		if (!((node->inside | node->called) & ~node->seen & 1ull << document))
			continue;
		if (images__function(e->images, i, &of)->untraced)
			proved.untraced++;
		else
			proved.entered++;
	}
	return proved;
}

void edges__check(const struct edges *e)
{
	const struct coverage *first = e->documents[0];

	if (e->missing)
		error__warn("%zu functions were certainly called by recorded callers, but not recorded, such as "
			    "%s: a recording is not complete, whatever its losses say",
			    e->missing, e->a_missing->name);
	if (e->unplaced)
		error__warn("of %zu callers it is not known what they call: %s", e->unplaced,
			    first->kernel.offset_known ? "the files of their modules are not here" :
			    "the recording has no addresses as linked");
}

/* ---- how a function was entered */

static const struct {
	const char *word, *sentence;
} origins[ORIGINS] = {
	[ORIGIN_NONE] = { "unrecorded", "was not recorded" },
	[ORIGIN_CALLED] = { "call", "was called" },
	[ORIGIN_JUMP] = { "jump", "was entered by a jump at the end of another function (a tail call)" },
	[ORIGIN_UNTRACED_JUMP] = {
		"untraced-jump", "was entered by a jump at the end of a function that cannot be traced"
	},
	[ORIGIN_POINTER] = { "pointer", "was entered by a pointer only: no recorded call names it" },
	[ORIGIN_POINTER_OR_JUMP] = {
		"pointer-or-jump", "was entered by a pointer, or by a jump at the end of another function"
	},
	[ORIGIN_MODULE] = {
		"module", "is exported, and was entered from a module: by its init text, whose calls are not "
		"listed, by a jump at the end of a function, or by a module whose file is not here"
	},
	[ORIGIN_MODULE_OR_OTHER] = {
		"module-or-other", "is exported, and was entered from a module, by a pointer, or by a jump at "
		"the end of another function"
	},
	[ORIGIN_UNSEEN_JUMP] = {
		"unseen-jump", "can only be entered by a jump, from functions that were not recorded"
	},
	[ORIGIN_UNKNOWN] = { "unknown", "was entered in a way that the kernel's files do not show" },
};

const char *origin__word(enum origin origin)
{
	return origins[origin].word;
}

const char *origin__sentence(enum origin origin)
{
	return origins[origin].sentence;
}

void origins__read(const struct images *images)
{
	for (size_t i = 0; i < images->count; i++) {
		struct image_of *of = &images->list[i];

		if (of->image && !of->references)
			of->references = references__read(of->image, of->calls);
	}
}

struct jumps {
	bool any, untraced;
	const struct call *ran;
};

static struct jumps jumps_into(const struct edges *e, const struct image_of *of, const struct image_function *f)
{
	struct jumps jumps = {};
	size_t count;
	const struct call *list = references__ways(of->references, f, &count);

	for (size_t i = 0; i < count; i++) {
		size_t from = images__number(of, edges__whole(of, list[i].in));

		if (!list[i].jump)
			continue;
		jumps.any = true;
		if (!jumps.ran && edges__ran(e, from))
			jumps.ran = &list[i];
		jumps.untraced |= list[i].in->untraced != UNTRACED_NOT;
	}
	return jumps;
}

/* A module's call may be unknown: from its init text, or because its file is unknown. */
static bool may_be_called_by_module(const struct images *images, const struct image_function *f)
{
	for (size_t i = 0; f->exported && i < images->count; i++) {
		if (images->list[i].module)
			return true;
	}
	return false;
}

enum origin origins__of(const struct edges *e, size_t number, const struct call **ret_jump)
{
	const struct node *node = &e->nodes[number];
	const struct image_of *of;
	const struct image_function *f = images__function(e->images, number, &of);
	enum taken taken = references__taken(of->references, f);
	bool by_module = may_be_called_by_module(e->images, f);
	struct jumps jumps;

	*ret_jump = NULL;
	if (!node->seen)
		return ORIGIN_NONE;
	if (node->called)
		return ORIGIN_CALLED;
	/* Pointers in modules, and calls from their init text, are not read. */
	if (taken == TAKEN_UNKNOWN)
		return ORIGIN_UNKNOWN;
	jumps = jumps_into(e, of, f);
	*ret_jump = jumps.ran;
	if (by_module)
		return taken == TAKEN_YES || jumps.ran || jumps.untraced ? ORIGIN_MODULE_OR_OTHER : ORIGIN_MODULE;
	if (taken == TAKEN_YES)
		return jumps.ran || jumps.untraced ? ORIGIN_POINTER_OR_JUMP : ORIGIN_POINTER;
	if (jumps.ran)
		return ORIGIN_JUMP;
	if (jumps.untraced)
		return ORIGIN_UNTRACED_JUMP;
	return jumps.any ? ORIGIN_UNSEEN_JUMP : ORIGIN_UNKNOWN;
}
