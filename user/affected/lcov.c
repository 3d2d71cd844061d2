// SPDX-License-Identifier: GPL-2.0-only
/*
 * The changed lines as a tracefile of lcov. Only lines of a file whose lines the first build has get a value: 1 if a
 * recorded call was made there, or if it is the first line of a function that ran; 0 if the function did not run in a
 * complete run. Of all other lines, recordings tell nothing.
 */
#include "affected/answers.h"
#include "base/memory.h"
#include "base/sorted.h"
#include "report/report.h"

struct lines {
	struct file_line *list;
	size_t count;
};

static int by_line(const void *a, const void *b)
{
	const struct file_line *x = a, *y = b;

	return strcmp(x->file, y->file) ?: ORDER(x->line, y->line);
}

/* Lines with calls that were recorded in any run. */
static void find_called(const struct build *b, struct lines *ret)
{
	struct source_lines s = {};

	for (size_t i = 0; i < b->runs->hits.count; i++) {
		const struct hit *hit = &b->runs->hits.list[i];
		const struct image_of *of = images__get(&b->proof.images, hit->module);
		uint64_t addr = hit->module ? hit->offset : hit->link;

		/* A return address may be of the next line. */
		if (hit->kind == HIT_CALLER && of && of->image && addr)
			source_lines__want(&s, of, addr - 1);
	}
	source_lines__find(&s);
	for (size_t i = 0; i < s.count; i++) {
		const struct line_place *place = &s.list[i].place;

		if (place->file && place->line)
			*LIST_ADD(ret->list, ret->count) = (struct file_line){ place->file, NULL, place->line, true };
	}
	source_lines__free(&s);
	if (ret->count)
		qsort(ret->list, ret->count, sizeof(*ret->list), by_line);
}

/* @change: its number in all of the patch */
static void add_line(const struct answers *a, size_t change, const struct lines *called, struct file_line line,
		     struct lines *ret)
{
	bool seen = called->count && bsearch(&line, called->list, called->count, sizeof(line), by_line), unseen = false;

	for (size_t k = a->changed->first[change]; k < a->changed->first[change + 1]; k++) {
		const struct changed_function *c = &a->changed->list[a->changed->functions[k]];
		const struct answer *answer = &a->list[a->changed->functions[k]];

		seen |= class_texts[answer->class].seen && line.line == c->start;
		unseen |= answer->class == CLASS_NOT_RUN && answer->complete && line.line >= c->start &&
			  line.line <= c->end;
	}
	line.seen = seen;
	if (seen || unseen)
		*LIST_ADD(ret->list, ret->count) = line;
}

void answers__lcov(const struct answers *a, FILE *out)
{
	struct lines called = {}, lines = {};
	size_t change = 0;

	if (a->build_count)
		find_called(&a->builds[0], &called);
	for (size_t i = 0; i < a->patch->count; i++) {
		const struct patched_file *f = &a->patch->list[i];
		enum match match = a->changed->files[i].match;

		for (size_t n = 0; n < f->count; n++) {
			for (size_t k = 0; k < f->list[n].count; k++, change++) {
				const struct change *c = &f->list[n].list[k];
				unsigned int first = match == MATCH_OLD ? c->old : c->new;
				unsigned int count = match == MATCH_OLD ? c->old_count :
						     match == MATCH_NEW ? c->new_count : 0;

				for (unsigned int line = first; line < first + count; line++)
					add_line(a, change, &called, (struct file_line){
						match == MATCH_OLD ? f->old : f->new, NULL, line }, &lines);
			}
		}
	}
	fputs("# Written by hytrace affected. Changed lines only, and no figure is a count. DA is 1 if a recorded\n"
	      "# call was made in the line, or if it is the first line of a function that ran; 0 if the function did\n"
	      "# not run.\n", out);
	lcov__print(lines.list, lines.count, "affected", out);
	free(lines.list);
	free(called.list);
}
