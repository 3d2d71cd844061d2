// SPDX-License-Identifier: GPL-2.0-only
/* Finds who called whom; see edges.h. */
#include "base/error.h"
#include "base/index.h"
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

/*
 * What a hit shows: the place that was hit, and the other end of its call. Most recordings have nearly the same hits,
 * so the instructions are looked at once.
 */
struct shown {
	enum hit_kind kind;
	struct place place, there;
	size_t function;	/* of HIT_FUNCTION: its number, or EDGES_NONE */
	size_t edges[2];	/* indices; EDGES_NONE: none */
};

static unsigned long hash_of(const void *key)
{
	const struct shown *s = key;

	return ((s->place.addr ^ s->there.addr << 32 ^ s->there.addr >> 32) + s->kind) * 0x9e3779b97f4a7c15ull >> 16;
}

static int are_equal(const void *a, const void *b)
{
	const struct shown *x = a, *y = b;

	return x->kind == y->kind && x->place.of == y->place.of && x->place.addr == y->place.addr &&
	       x->there.of == y->there.of && x->there.addr == y->there.addr;
}

static size_t add_edge(struct edges *e, const struct edge *edge)
{
	*LIST_ADD(e->list, e->count) = *edge;
	sets__add(&e->edge_sets);
	return e->count - 1;
}

/* Adds the call before a return address. @entered: the callee in the record, or EDGES_NONE */
static void add_call(struct edges *e, struct shown *s, const struct place *returned_to, size_t entered,
		     struct edge edge)
{
	const struct image_of *of = edge.of = returned_to->of;
	size_t named;

	calls__before(of->calls, returned_to->addr, &edge.call);
	named = named_by(e->images, of, &edge.call);
	edge.from = edge.call.in ? images__number(of, edges__whole(of, edge.call.in)) : EDGES_NONE;
	edge.to = named;
	/* A caller has an edge even if its callee is unknown. */
	if (named != EDGES_NONE || (s->kind == HIT_CALLER && entered == EDGES_NONE))
		s->edges[0] = add_edge(e, &edge);
	if (entered == EDGES_NONE || entered == named)
		return;
	edge.to = entered;
	edge.entered = true;
	s->edges[1] = add_edge(e, &edge);
}

/* Looks at a hit that no recording before had. */
static struct shown *look(struct edges *e, struct lh_table *all, const struct shown *key, const struct edge *edge)
{
	struct shown *s = xmalloc(sizeof(*s));

	*s = *key;
	s->function = s->kind == HIT_FUNCTION ? function_at(&s->place) : EDGES_NONE;
	s->edges[0] = s->edges[1] = EDGES_NONE;
	if (s->function != EDGES_NONE && s->there.of)
		add_call(e, s, &s->there, s->function, *edge);
	else if (s->kind == HIT_CALLER && s->place.of)
		add_call(e, s, &s->place, function_at(&s->there), *edge);
	index__add(all, s, s);
	return s;
}

static void add_hit(struct edges *e, struct lh_table *all, const struct hit *hit, size_t document)
{
	const struct other *other = &hit->other;
	struct edge edge = { .document = document, .first_ns = hit->first_ns };
	struct shown key = { .kind = hit->kind, .place = place_of(e->images, hit->module, hit->link, hit->offset) }, *s;
	struct lh_entry *entry;

	if (other->name)
		key.there = place_of(e->images, other->module, other->link, other->offset);
	e->unplaced += key.kind == HIT_CALLER && !key.place.of;
	if (!key.place.of)
		return;
	entry = lh_table_lookup_entry(all, &key);
	s = entry ? (struct shown *)lh_entry_v(entry) : look(e, all, &key, &edge);
	if (s->function != EDGES_NONE) {
		e->nodes[s->function].is_seen = true;
		e->nodes[s->function].runs += coverage__runs_of(e->documents[document], hit);
		set__add(e->nodes[s->function].seen, document);
	}
	for (size_t i = 0; i < 2; i++) {
		struct edge *known = s->edges[i] == EDGES_NONE ? NULL : &e->list[s->edges[i]];

		if (!known)
			continue;
		set__add(sets__at(&e->edge_sets, s->edges[i]), document);
		if (known->document == document && hit->first_ns < known->first_ns)
			known->first_ns = hit->first_ns;
	}
}

static void free_shown(struct lh_entry *entry)
{
	free(lh_entry_k(entry));
}

static int add_hits(struct edges *e)
{
	struct lh_table *all = lh_table_new(4096, free_shown, hash_of, are_equal) ?: (memory__fail(), NULL);
	int err = 0;

	for (size_t d = 0; !err && d < e->document_count; d++) {
		const struct hits *hits;

		err = coverage__open_hits(e->documents[d], HITS_ALL, &hits);
		for (size_t i = 0; i < hits->count; i++)
			add_hit(e, all, &hits->list[i], d);
		coverage__close_hits(e->documents[d], hits);
	}
	lh_table_free(all);
	for (size_t i = 0; i < e->count; i++)
		e->list[i].seen = sets__at(&e->edge_sets, i);
	return err;
}

static int by_site(const void *a, const void *b)
{
	const struct edge *x = a, *y = b;

	/* Calls through a pointer may have entered different functions. */
	return ORDER(x->from, y->from) ?: ORDER(x->of, y->of) ?: ORDER(x->call.site, y->call.site) ?:
	       ORDER(x->to, y->to) ?: ORDER(x->document, y->document) ?: ORDER(x->first_ns, y->first_ns);
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
			set__unite(last->seen, edge->seen, e->words);
		else
			e->list[++kept] = *edge;
	}
	e->count = kept + 1;
}

/* ---- functions */

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
		const struct node *node = &e->nodes[i];
		const struct image_function *f;
		const struct image_of *of;
		bool missing = false;

		if (!node->is_called)
			continue;
		f = images__function(e->images, i, &of);
		for (size_t d = 0; !missing && d < e->document_count; d++)
			missing = set__has(node->called, d) && !set__has(node->seen, d) &&
				  covered_modules__stayed(&e->documents[d]->modules, of->module) &&
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

static void make_nodes(struct edges *e)
{
	e->nodes = xcalloc(e->images->functions, sizeof(*e->nodes));
	sets__make(&e->node_sets, 3 * e->images->functions, e->document_count);
	for (size_t i = 0; i < e->images->functions; i++)
		e->nodes[i] = (struct node){
			.seen = sets__at(&e->node_sets, 3 * i), .inside = sets__at(&e->node_sets, 3 * i + 1),
			.called = sets__at(&e->node_sets, 3 * i + 2),
		};
}

static void add_ends(struct edges *e)
{
	e->by_callee = xcalloc(e->count, sizeof(*e->by_callee));
	for (size_t i = 0; i < e->count; i++) {
		const struct edge *edge = &e->list[i];
		const struct image_of *of;
		struct node *node;

		/* Counts each call site once: its edges follow each other. */
		if (!i || edge[-1].of != edge->of || edge[-1].call.site != edge->call.site)
			e->kinds[edge->call.kind]++;
		if (edge->from != EDGES_NONE) {
			node = &e->nodes[edge->from];
			node->is_inside = true;
			set__unite(node->inside, edge->seen, e->words);
		}
		if (edge->to == EDGES_NONE)
			continue;
		node = &e->nodes[edge->to];
		node->is_called = true;
		set__unite(node->called, edge->seen, e->words);
		e->to_untraced += images__function(e->images, edge->to, &of)->untraced != UNTRACED_NOT;
		e->by_callee[e->callee_count++] = i;
	}
	qsort_r(e->by_callee, e->callee_count, sizeof(*e->by_callee), by_callee, e->list);
}

int edges__check_documents(const struct coverage *const *documents, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (!documents[i]->how.callers)
			return error__return(-EINVAL, "file %zu was recorded without callers (--no-callers), "
					     "from which answers about calls come", i + 1);
	}
	return 0;
}

int edges__make(struct edges *ret, struct images *images, const struct coverage *const *documents, size_t count)
{
	int err;

	*ret = (struct edges){ .images = images, .documents = documents, .document_count = count,
				.runs = coverages__runs(documents, count) };
	ret->alike = documents__alike(documents, count);
	sets__make(&ret->edge_sets, 0, count);
	ret->words = ret->edge_sets.each;
	make_nodes(ret);
	err = add_hits(ret);
	join(ret);
	add_ends(ret);
	if (!err)
		count_missing(ret);
	return err;
}

int edges__open(struct edges *ret, struct images *images, const struct coverage *const *documents, size_t count,
		const char *vmlinux)
{
	return edges__check_documents(documents, count) ?: images__open(images, documents, count, vmlinux) ?:
	       edges__make(ret, images, documents, count);
}

void edges__free(struct edges *e)
{
	free(e->list);
	free(e->by_callee);
	free(e->nodes);
	free(e->alike);
	free(e->edge_sets.words);
	free(e->node_sets.words);
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

	if (set__has(node->seen, document))
		return VERDICT_SEEN;
	return node__ran(node, document) ? VERDICT_PROVED : of_run(e, number, document);
}

bool edges__ran(const struct edges *e, size_t number)
{
	const struct node *node = &e->nodes[number];

	return node->is_seen || node->is_inside || node->is_called;
}

struct proved edges__proved(const struct edges *e, size_t document)
{
	struct proved proved = {};

	for (size_t i = 0; i < e->images->functions; i++) {
		const struct node *node = &e->nodes[i];
		const struct image_of *of;

		if (!node__ran(node, document) || set__has(node->seen, document))
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
	if (!node->is_seen)
		return ORIGIN_NONE;
	if (node->is_called)
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
