// SPDX-License-Identifier: GPL-2.0-only
/* Finds functions that ran without having been recorded; see proof.h. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "report/proof.h"

static int make_sources(struct proof *p)
{
	int err = images__inlines(&p->images);

	p->sources = xcalloc(p->images.count, sizeof(*p->sources));
	for (size_t i = 0; !err && i < p->images.count; i++) {
		if (!p->images.list[i].image)
			continue;
		err = sources__make(&p->sources[i], &p->edges, &p->images.list[i]);
		if (err == -ENODATA)
			err = 0;
	}
	return err;
}

int proof__make(struct proof *ret, const struct coverage *const *documents, size_t count, const char *vmlinux)
{
	int err;

	memset(ret, 0, sizeof(*ret));
	err = edges__check_documents(documents, count);
	if (!err)
		err = images__open(&ret->images, documents, count, vmlinux);
	if (err)
		return err;
	edges__make(&ret->edges, &ret->images, documents, count);
	err = make_sources(ret);
	if (!err)
		edges__check(&ret->edges);
	return err;
}

void proof__free(struct proof *p)
{
	for (size_t i = 0; p->sources && i < p->images.count; i++)
		sources__free(&p->sources[i]);
	free(p->sources);
	edges__free(&p->edges);
	images__free(&p->images);
}

static void mark(const struct proof *p, struct row *row)
{
	const struct image_of *of = images__get(&p->images, row->f->module);
	const struct image_function *f = of && of->image ? image__function_at(of->image, row->f->addr) : NULL;
	struct source_marks marks;
	const struct node *node;

	if (!f || f->addr != row->f->addr)
		return;
	node = &p->edges.nodes[images__number(of, f)];
	marks = sources__of(&p->sources[of - p->images.list], f);
	row->proved = (node->inside | node->called | marks.proved) & ~row->seen;
	row->possible = (marks.possible | (marks.unknown & row->asked)) & ~row->proved & ~row->seen;
}

void proof__mark(const struct proof *p, struct rows *rows)
{
	for (size_t i = 0; i < rows->count; i++)
		mark(p, &rows->list[i]);
}

struct proof_totals proof__totals(const struct proof *p, size_t document)
{
	struct proof_totals totals = { .functions = edges__proved(&p->edges, document) };

	for (size_t i = 0; i < p->images.count; i++)
		sources__count(&p->sources[i], document, &totals.sources);
	return totals;
}
