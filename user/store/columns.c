// SPDX-License-Identifier: GPL-2.0-only
/* The hits of a run as columns; see columns.h. */
#include <zstd.h>

#include "base/memory.h"
#include "base/text.h"
#include "store/columns.h"

#define FORM 1
#define LEVEL 3
/* Before compression. A recording of a hundred thousand functions and as many callers needs under half. */
#define MOST_BYTES (8 * 1024 * 1024)

enum column {
	OBJECTS,	/* the ids of the objects, which other columns count from 0 */
	TASKS,		/* pid, tgid and name of each task */
	KIND,		/* 0: a site. 1: a function. 2: a function that was entered from the next site */
	FUNCTION,	/* of kind 1: object and number */
	CALLER,		/* of kind 1: 0: unknown; or object + 1, and the number of the site */
	SITE,		/* of kind 0: object and number */
	ENTERED,	/* of kind 0: 0: the function that the table says; 1: unknown; or object + 2, and the number */
	TIME,
	CPU,
	TASK,
	RUNS,		/* of a union */
	COLUMNS
};

struct bytes {
	unsigned char *list;
	size_t length, room;
};

static void add_number(struct bytes *b, uint64_t number)
{
	if (b->length + 10 > b->room) {
		b->room = 2 * b->room + 4096;
		b->list = xreallocarray(b->list, b->room, 1);
	}
	for (; number >= 0x80; number >>= 7)
		b->list[b->length++] = number | 0x80;
	b->list[b->length++] = number;
}

static void add_bytes(struct bytes *b, const void *from, size_t length)
{
	if (b->length + length > b->room) {
		b->room = 2 * b->room + length;
		b->list = xreallocarray(b->list, b->room, 1);
	}
	/* A column without values has no bytes either. */
	if (length)
		memcpy(b->list + b->length, from, length);
	b->length += length;
}

/* Small differences of either sign become small numbers. */
static void add_difference(struct bytes *b, uint64_t *last, uint64_t number)
{
	int64_t difference = number - *last;

	add_number(b, (uint64_t)difference << 1 ^ difference >> 63);
	*last = number;
}

struct columns {
	struct bytes list[COLUMNS];
	uint64_t function, caller, site, entered, time;	/* the last ones */
	const struct hit **tasks;			/* the first hit of each task */
	size_t task_count;
	uint32_t *objects;
	size_t object_count;
};

static uint64_t object_of(struct columns *c, uint32_t object, const struct knowns *k)
{
	for (size_t i = 0; i < c->object_count; i++) {
		if (c->objects[i] == object)
			return i;
	}
	*LIST_ADD(c->objects, c->object_count) = object;
	add_number(&c->list[OBJECTS], k->list[object]->id);
	return c->object_count - 1;
}

static uint64_t task_of(struct columns *c, const struct hit *hit)
{
	struct bytes *b = &c->list[TASKS];

	for (size_t i = c->task_count; i--; ) {
		const struct hit *task = c->tasks[i];

		if (task->pid == hit->pid && task->tgid == hit->tgid && text__equals(task->comm, hit->comm))
			return i;
	}
	*LIST_ADD(c->tasks, c->task_count) = hit;
	add_number(b, hit->pid);
	add_number(b, hit->tgid);
	add_number(b, hit->comm ? strlen(hit->comm) + 1 : 0);
	if (hit->comm)
		add_bytes(b, hit->comm, strlen(hit->comm));
	return c->task_count - 1;
}

static bool is_equal(struct number a, struct number b)
{
	return a.object == b.object && a.nr == b.nr;
}

static void add_place(struct columns *c, enum column column, uint64_t shift, struct number n, uint64_t *last,
		      const struct knowns *k)
{
	add_number(&c->list[column], object_of(c, n.object, k) + shift);
	add_difference(&c->list[column], last, n.nr);
}

/* @site: the next hit of a site; NULL: there is none */
static void add_function(struct columns *c, const struct kept_hit *hit, const struct kept_hit *site,
			 const struct knowns *k)
{
	bool is_of_site = site && hit->has_other && site->has_other && is_equal(hit->place, site->other) &&
			  is_equal(hit->other, site->place);

	add_number(&c->list[KIND], is_of_site ? 2 : 1);
	if (is_of_site)
		return;
	add_place(c, FUNCTION, 0, hit->place, &c->function, k);
	if (hit->has_other)
		add_place(c, CALLER, 1, hit->other, &c->caller, k);
	else
		add_number(&c->list[CALLER], 0);
}

static void add_site(struct columns *c, const struct kept_hit *hit, const struct knowns *k)
{
	const struct known *site = &k->list[hit->place.object]->sites.list[hit->place.nr];

	add_number(&c->list[KIND], 0);
	add_place(c, SITE, 0, hit->place, &c->site, k);
	if (!hit->has_other)
		add_number(&c->list[ENTERED], 1);
	else if (site->entered_object == k->list[hit->other.object]->id && site->entered == hit->other.nr)
		add_number(&c->list[ENTERED], 0);
	else
		add_place(c, ENTERED, 2, hit->other, &c->entered, k);
}

static int pack(struct sql_blob *ret, const struct columns *c, size_t count)
{
	struct bytes plain = {};
	size_t room, length;
	void *packed;

	add_number(&plain, FORM);
	add_number(&plain, count);
	for (size_t i = 0; i < COLUMNS; i++) {
		add_number(&plain, c->list[i].length);
		add_bytes(&plain, c->list[i].list, c->list[i].length);
	}
	*ret = (struct sql_blob){};
	if (plain.length > MOST_BYTES) {
		free(plain.list);
		return -EFBIG;
	}
	room = ZSTD_compressBound(plain.length);
	packed = xmalloc(room);
	length = ZSTD_compress(packed, room, plain.list, plain.length, LEVEL);
	if (ZSTD_isError(length))
		memory__fail();
	free(plain.list);
	*ret = (struct sql_blob){ packed, length };
	return 0;
}

int columns__write(struct sql_blob *ret, const struct coverage *c, const struct kept_hit *list, const struct knowns *k)
{
	struct columns columns = {};
	size_t site = 0;
	int err;

	for (size_t i = 0; i < c->hits.count; i++) {
		const struct hit *hit = &c->hits.list[i];

		for (; site < c->hits.count && (site <= i || c->hits.list[site].kind != HIT_CALLER); site++)
			;
		if (hit->kind == HIT_FUNCTION)
			add_function(&columns, &list[i], site < c->hits.count ? &list[site] : NULL, k);
		else
			add_site(&columns, &list[i], k);
		add_difference(&columns.list[TIME], &columns.time, hit->first_ns);
		add_number(&columns.list[CPU], hit->cpu);
		add_number(&columns.list[TASK], task_of(&columns, hit));
		if (c->merged)
			add_number(&columns.list[RUNS], hit->runs);
	}
	err = pack(ret, &columns, c->hits.count);
	for (size_t i = 0; i < COLUMNS; i++)
		free(columns.list[i].list);
	free(columns.tasks);
	free(columns.objects);
	return err;
}

/* ---- reading */

struct cursor {
	const unsigned char *at, *end;
	bool bad;
};

static uint64_t next_number(struct cursor *c)
{
	uint64_t number = 0;

	for (unsigned int shift = 0; c->at < c->end && shift < 64; shift += 7) {
		number |= (uint64_t)(*c->at & 0x7f) << shift;
		if (!(*c->at++ & 0x80))
			return number;
	}
	c->bad = true;
	return 0;
}

static uint64_t next_difference(struct cursor *c, uint64_t *last)
{
	uint64_t number = next_number(c);

	return *last += number >> 1 ^ -(number & 1);
}

struct task {
	uint32_t pid, tgid;
	const char *comm;
};

struct reading {
	struct cursor list[COLUMNS];
	struct hits *hits;
	struct knowns *k;
	uint64_t count, function, caller, site, entered, time;
	struct task *tasks;
	size_t task_count;
	uint32_t *objects;
	size_t object_count;
};

static int split(struct reading *r, struct cursor *from)
{
	if (next_number(from) != FORM)
		return -EINVAL;
	r->count = next_number(from);
	for (size_t i = 0; i < COLUMNS; i++) {
		uint64_t length = next_number(from);

		if (from->bad || length > (uint64_t)(from->end - from->at))
			return -EINVAL;
		r->list[i] = (struct cursor){ from->at, from->at + length };
		from->at += length;
	}
	return from->at == from->end ? 0 : -EINVAL;
}

static int read_objects(struct reading *r)
{
	struct cursor *from = &r->list[OBJECTS];
	int err = 0;

	while (!err && from->at < from->end) {
		uint64_t id = next_number(from);

		err = from->bad ? -EINVAL : knowns__object(r->k, LIST_ADD(r->objects, r->object_count), id);
	}
	return err;
}

static int read_tasks(struct reading *r)
{
	struct cursor *from = &r->list[TASKS];

	while (from->at < from->end) {
		struct task task = { next_number(from), next_number(from), NULL };
		uint64_t length = next_number(from);

		if (from->bad || (length && length - 1 > (uint64_t)(from->end - from->at)))
			return -EINVAL;
		if (length) {
			char *name = xstrndup((const char *)from->at, length - 1);

			task.comm = strings__intern(r->hits->names, name);
			free(name);
			from->at += length - 1;
		}
		*LIST_ADD(r->tasks, r->task_count) = task;
	}
	return 0;
}

static int read_place(struct reading *r, enum column column, uint64_t object, uint64_t *last, struct number *ret)
{
	ret->nr = next_difference(&r->list[column], last);
	if (object >= r->object_count)
		return -EINVAL;
	ret->object = r->objects[object];
	return 0;
}

static const struct known *find(const struct knowns *k, enum hit_kind kind, struct number n)
{
	const struct known_object *o = k->list[n.object];
	const struct known_list *l = kind == HIT_FUNCTION ? &o->functions : &o->sites;

	return n.nr < l->count ? &l->list[n.nr] : NULL;
}

int columns__hit(struct hit *ret, struct hits *hits, const struct knowns *k, enum hit_kind kind, struct number n)
{
	const struct known *known = find(k, kind, n);
	const char *module = k->list[n.object]->name;

	if (!known)
		return -EINVAL;
	*ret = (struct hit){ .kind = kind, .name = hits->names ? hits__name(hits, known->name) : known->name };
	if (module) {
		ret->module = hits->names ? strings__intern(hits->names, module) : module;
		ret->offset = known->addr;
	} else {
		ret->link = known->addr;
	}
	*(kind == HIT_FUNCTION ? &ret->sympos : &ret->into) = known->extra;
	return 0;
}

static int read_function(struct reading *r, struct kept_hit *hit)
{
	uint64_t caller;
	int err;

	err = read_place(r, FUNCTION, next_number(&r->list[FUNCTION]), &r->function, &hit->place);
	caller = next_number(&r->list[CALLER]);
	hit->has_other = caller;
	return err ?: caller ? read_place(r, CALLER, caller - 1, &r->caller, &hit->other) : 0;
}

static int read_site(struct reading *r, struct kept_hit *hit)
{
	const struct known *site;
	uint64_t entered;
	int err;

	err = read_place(r, SITE, next_number(&r->list[SITE]), &r->site, &hit->place);
	site = err ? NULL : find(r->k, HIT_CALLER, hit->place);
	if (!site)
		return -EINVAL;
	entered = next_number(&r->list[ENTERED]);
	hit->has_other = entered != 1;
	if (entered > 1)
		return read_place(r, ENTERED, entered - 2, &r->entered, &hit->other);
	hit->other.nr = site->entered;
	return entered ? 0 : knowns__object(r->k, &hit->other.object, site->entered_object);
}

/* @kinds: as in the column KIND */
static int read_places(struct reading *r, struct kept_hit *list, unsigned char *kinds)
{
	const struct kept_hit *site = NULL;
	int err = 0;

	for (uint64_t i = 0; !err && i < r->count; i++) {
		kinds[i] = next_number(&r->list[KIND]);
		err = kinds[i] > 2 ? -EINVAL : kinds[i] == 1 ? read_function(r, &list[i]) :
		      kinds[i] ? 0 : read_site(r, &list[i]);
	}
	for (uint64_t i = r->count; !err && i--; ) {
		if (!kinds[i])
			site = &list[i];
		if (kinds[i] != 2)
			continue;
		if (!site || !site->has_other)
			return -EINVAL;
		list[i] = (struct kept_hit){ site->other, site->place, true };
	}
	return err;
}

static int read_other(struct reading *r, struct hit *hit, struct number n)
{
	struct hit other;
	int err = columns__hit(&other, r->hits, r->k, hit->kind == HIT_FUNCTION ? HIT_CALLER : HIT_FUNCTION, n);

	if (!err)
		hit->other = (struct other){ other.link, other.offset, other.name, other.module, other.into };
	return err;
}

static int read_hits(struct reading *r, const struct kept_hit *list, const unsigned char *kinds)
{
	int err = 0;

	for (uint64_t i = 0; !err && i < r->count; i++) {
		uint64_t task = next_number(&r->list[TASK]);
		struct hit hit;

		err = task < r->task_count ? 0 : -EINVAL;
		if (!err)
			err = columns__hit(&hit, r->hits, r->k, kinds[i] ? HIT_FUNCTION : HIT_CALLER, list[i].place);
		if (!err && list[i].has_other)
			err = read_other(r, &hit, list[i].other);
		if (err)
			break;
		hit.first_ns = next_difference(&r->list[TIME], &r->time);
		hit.cpu = next_number(&r->list[CPU]);
		hit.pid = r->tasks[task].pid;
		hit.tgid = r->tasks[task].tgid;
		hit.comm = r->tasks[task].comm;
		hit.runs = r->list[RUNS].at < r->list[RUNS].end ? next_number(&r->list[RUNS]) : 0;
		hits__add(r->hits, &hit);
	}
	for (size_t i = 0; !err && i < COLUMNS; i++)
		err = r->list[i].bad ? -EINVAL : 0;
	return err;
}

static int read_columns(struct reading *r)
{
	size_t room = r->list[KIND].end - r->list[KIND].at;
	struct kept_hit *list;
	unsigned char *kinds;
	int err;

	/* A kind takes a byte, and each time a byte at least: so a small value cannot become gigabytes of hits. */
	if (r->count != room || r->count > (uint64_t)(r->list[TIME].end - r->list[TIME].at) ||
	    r->count > (uint64_t)(r->list[CPU].end - r->list[CPU].at) ||
	    r->count > (uint64_t)(r->list[TASK].end - r->list[TASK].at))
		return -EINVAL;
	err = read_objects(r) ?: read_tasks(r);
	if (err)
		return err;
	list = xcalloc(room, sizeof(*list));
	kinds = xcalloc(room, 1);
	err = read_places(r, list, kinds) ?: read_hits(r, list, kinds);
	free(list);
	free(kinds);
	return err;
}

int columns__read(struct hits *hits, struct knowns *k, const struct sql_blob *blob)
{
	unsigned long long length = ZSTD_getFrameContentSize(blob->bytes, blob->length);
	struct reading r = { .hits = hits, .k = k };
	struct cursor all = {};
	unsigned char *plain;
	int err = -EINVAL;

	if (length > MOST_BYTES)
		return -EINVAL;
	plain = xmalloc(length);
	all = (struct cursor){ plain, plain + length };
	if (ZSTD_decompress(plain, length, blob->bytes, blob->length) == length)
		err = split(&r, &all) ?: read_columns(&r);
	free(plain);
	free(r.tasks);
	free(r.objects);
	return err;
}
