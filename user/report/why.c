// SPDX-License-Identifier: GPL-2.0-only
/* Finds why a function is missing; see why.h. */
#include <stdarg.h>

#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/text.h"
#include "image/image.h"
#include "image/inlines.h"
#include "kernel/elf_file.h"
#include "kernel/traceable.h"
#include "report/why.h"

struct search {
	struct why *w;
	const struct why_sources *sources;
	int err;		/* hits cannot be read from a store */
};

static const char *text(struct search *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static const char *text(struct search *s, const char *fmt, ...)
{
	autofree char *line = NULL;
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&line, fmt, ap) < 0)
		memory__fail();
	va_end(ap);
	return strings__intern(s->w->names, line);
}

static const char *keep(struct search *s, const char *word)
{
	return word ? strings__intern(s->w->names, word) : NULL;
}

static struct why_answer *add(struct search *s, const char *why, const char *function, const char *sentence)
{
	struct why_answer *added = LIST_ADD(s->w->list, s->w->count);

	*added = (struct why_answer){ .why = why, .function = keep(s, function), .text = sentence };
	return added;
}

static void set_place(struct search *s, struct why_answer *a, const struct function *f)
{
	a->file = keep(s, f->file ?: f->unit);
	a->line = f->file ? f->line : 0;
}

/* The vmlinux; NULL: it is not at hand. */
static const struct image *image_of(const struct search *s)
{
	return s->sources->images.count ? s->sources->images.list[0].image : NULL;
}

/* ---- answers from recordings */

/* Are @u and @c of one build of vmlinux, and of @module unless it is NULL? */
static bool same_build(const struct universe *u, const struct coverage *c, const char *module)
{
	if (!text__is_known_equal(u->build_id, c->kernel.build_id))
		return false;
	return !module || !covered_module__differs(covered_modules__find(&u->modules, module),
						   covered_modules__find(&c->modules, module));
}

enum match { MATCH_NONE, MATCH_NAME, MATCH_FUNCTION };

/*
 * Finds the hit of a function in a recording. In another build, name, module and source file must
 * be equal; without a known file, the hit may be a namesake's. @ret: unchanged if there is none. NULL: only whether
 * there is one matters
 */
static enum match find_hit(struct search *s, size_t document, const struct function *f, struct hit *ret)
{
	const struct sets *seen = &s->sources->seen;
	const struct universe *u = &s->sources->universe, *others = s->sources->others;
	const struct universe *other = others ? &others[document] : NULL;
	const struct coverage *c = s->sources->documents.list[document];
	bool same = same_build(u, c, f->module);
	enum match match = MATCH_NONE;
	const struct hits *hits;

	if (same && seen->words && !(ret && set__has(sets__at(seen, document), f - u->list)))
		return set__has(sets__at(seen, document), f - u->list) ? MATCH_FUNCTION : MATCH_NONE;
	s->err = s->err ?: coverage__open_hits(c, ret ? HITS_ALL : HITS_FUNCTIONS, &hits);
	if (s->err)
		return MATCH_NONE;
	for (size_t i = 0; match != MATCH_FUNCTION && i < hits->count; i++) {
		const struct hit *hit = &hits->list[i];
		const struct function *of;

		if (hit->kind != HIT_FUNCTION || !text__equals(hit->module, f->module) ||
		    (same ? universe__find(u, hit) != f : !text__equals(hit->name, f->name)))
			continue;
		of = same || !other ? NULL : universe__find(other, hit);
		if (of && of->unit && f->unit && strcmp(of->unit, f->unit))
			continue;
		if (ret)
			*ret = *hit;
		match = same || (of && of->unit && f->unit) ? MATCH_FUNCTION : MATCH_NAME;
	}
	coverage__close_hits(c, hits);
	return match;
}

static const char *seen(struct search *s, const struct coverage *c, const struct hit *hit)
{
	const char *then = c->how.retire ? "; its site was turned off then (--retire)" : "";

	const char *ran = !hit || coverage__runs(c) == 1 ? "ran" :
			  text(s, "ran in %zu of %zu runs", coverage__runs_of(c, hit), coverage__runs(c));

	if (!hit || !coverage__knows_first(c))
		return text(s, "%s%s", ran, then);
	if (hit->first_ns < c->window.open)
		return text(s, "%s, first on CPU %u in process %u%s", ran, hit->cpu, hit->pid, then);
	return text(s, "%s, first after %.6f s on CPU %u in process %u%s", ran, (hit->first_ns - c->window.open) / 1e9,
		    hit->cpu, hit->pid, then);
}

/* In another build, the function may have another name or file. */
static bool is_certain(const struct search *s, enum verdict v, const struct coverage *c, const struct function *f)
{
	return verdict__is_certain(v, c, f->module) && same_build(&s->sources->universe, c, f->module);
}

/* Only the kernel's files tell whether a function that ran in a boot is init text, which is freed then. */
static enum verdict verdict_of(const struct search *s, const struct coverage *c, const struct function *f)
{
	enum verdict v = verdict__of(c, f);

	return v == VERDICT_FREED && !s->sources->universe.whole ? VERDICT_UNKNOWN : v;
}

/* Returns the word for the answer; @ret: its sentence. */
static const char *judge(struct search *s, size_t document, const struct function *f, const char **ret)
{
	const struct coverage *c = s->sources->documents.list[document];
	struct hit first = {}, *hit = s->sources->sums ? NULL : &first;
	enum verdict v = verdict_of(s, c, f);

	switch (find_hit(s, document, f, hit)) {
	case MATCH_FUNCTION:
		*ret = seen(s, c, hit);
		return verdict__word(VERDICT_SEEN);
	case MATCH_NAME:
		*ret = text(s, "may have run: a function of this name %s, and it is not known which file that "
			    "function is in; the recording is of another build, or of an unknown one", seen(s, c, hit));
		return "namesake";
	case MATCH_NONE:
		break;
	}
	*ret = !verdict__could_see(v) || is_certain(s, v, c, f) ? verdict__sentence(v) :
	       text(s, "%s, as far as is known: the recording %s",
		    verdict__sentence(v), verdict__is_certain(v, c, f->module) ?
		    "is of another build, or of an unknown one" : "is not complete");
	return verdict__word(v);
}

/* What several recordings say. */
struct said {
	const char *why, *sentence;
	size_t count, first;
};

static void sum_up_documents(struct search *s, const struct function *f)
{
	const struct documents *d = &s->sources->documents;
	autofree struct said *list = xcalloc(d->count, sizeof(*list));
	size_t count = 0;

	for (size_t i = 0; i < d->count; i++) {
		const char *sentence, *why = judge(s, i, f, &sentence);
		size_t said = 0;

		while (said < count && (list[said].why != why || strcmp(list[said].sentence, sentence)))
			said++;
		if (said == count)
			list[count++] = (struct said){ why, sentence, 0, i };
		list[said].count++;
	}
	for (size_t i = 0; i < count; i++)
		add(s, list[i].why, f->name, text(s, "in %zu of %zu recordings, such as %s: %s", list[i].count,
						  d->count, d->paths[list[i].first], list[i].sentence))->module =
			keep(s, f->module);
}

static void look_in_documents(struct search *s, const struct function *f)
{
	if (s->sources->sums) {
		sum_up_documents(s, f);
		return;
	}
	for (size_t i = 0; i < s->sources->documents.count; i++) {
		const char *sentence, *why = judge(s, i, f, &sentence);
		struct why_answer *a = add(s, why, f->name, sentence);

		a->document = s->sources->documents.paths[i];
		a->module = keep(s, f->module);
	}
}

/* ---- answers from the kernel */

static void add_function(struct search *s, const struct function *f, const char *other_name)
{
	bool init = f->init && (s->sources->universe.whole || s->sources->running);
	const char *why = other_name ?: f->untraced ?: init ? "at-start" : "traceable";
	const char *sentence = f->untraced ? untraced__sentence(untraced__of_word(f->untraced)) :
			       init ? "can be traced only at the start: its code is freed then" : "can be traced";
	struct why_answer *a;

	if (other_name && f->untraced)
		sentence = text(s, "is what the compiler made of it, and cannot be traced: it %s", sentence);
	else if (other_name)
		sentence = text(s, "is what the compiler made of it, and %s: ask for that name", sentence);
	else if (f->untraced)
		sentence = text(s, "cannot be traced: it %s", sentence);
	s->w->found = true;
	a = add(s, why, f->name, sentence);
	a->module = keep(s, f->module);
	set_place(s, a, f);
	if (!f->untraced)
		look_in_documents(s, f);
}

/* Finds "vfs_read.isra.0". Rarely run code, "vfs_read.cold", says nothing about the function. */
static void look_for_twins(struct search *s)
{
	const struct universe *u = &s->sources->universe;
	size_t length = strlen(s->w->name);

	for (size_t i = 0; i < u->count; i++) {
		const struct function *f = &u->list[i];

		if (strncmp(f->name, s->w->name, length) || f->name[length] != '.' ||
		    untraced__of_name(f->name) == UNTRACED_FRAGMENT)
			continue;
		add_function(s, f, "twin");
	}
}

/* Finds the name that the kernel prints, if the function has several names. */
static void look_for_aliases(struct search *s)
{
	const struct image *image = image_of(s);
	size_t count = 0;
	const struct image_function *const *list = image ? image__named(image, s->w->name, &count) : NULL;

	for (size_t i = 0; i < count; i++) {
		const struct function *f = universe__at(&s->sources->universe, NULL, list[i]->addr);
		struct why_answer *a;

		if (!strcmp(list[i]->name, s->w->name))
			continue;
		a = add(s, "alias", list[i]->name, text(s, "is the name that the kernel prints for it"));
		if (f) {
			set_place(s, a, f);
			add_function(s, f, NULL);
		}
		s->w->found = true;
	}
}

static enum why_ran ran_in_any(struct search *s, const struct image_function *in)
{
	const struct function *f = universe__at(&s->sources->universe, NULL, in->addr);
	const struct edges *edges = &s->sources->edges;
	enum why_ran ran = f ? RAN_NO : RAN_UNKNOWN;

	if (edges->nodes && edges__ran(edges, images__number(&edges->images->list[0],
							     edges__whole(&edges->images->list[0], in))))
		return RAN_YES;
	for (size_t i = 0; f && i < s->sources->documents.count; i++) {
		const struct coverage *c = s->sources->documents.list[i];
		enum verdict v = verdict__of(c, f);

		if (find_hit(s, i, f, NULL) == MATCH_FUNCTION)
			return RAN_YES;
		if (!verdict__could_see(v) || !is_certain(s, v, c, f))
			ran = RAN_UNKNOWN;
	}
	return ran;
}

static void add_inlined(struct search *s, const struct copies *c)
{
	struct why_into *into = xcalloc(c->into_count, sizeof(*into));
	size_t counts[RAN_UNKNOWN + 1] = {};
	const char *sentence;
	struct why_answer *a;

	for (size_t i = 0; i < c->into_count; i++) {
		into[i] = (struct why_into){ keep(s, c->into[i]->name), ran_in_any(s, c->into[i]) };
		counts[into[i].ran]++;
	}
	sentence = text(s, "is inlined into %zu functions", c->into_count);
	if (s->sources->documents.count)
		sentence = text(s, "%s, of which %zu ran", sentence, counts[RAN_YES]);
	if (s->sources->documents.count && counts[RAN_UNKNOWN])
		sentence = text(s, "%s; of %zu it is not known", sentence, counts[RAN_UNKNOWN]);
	a = add(s, "inlined", s->w->name, sentence);
	a->into = into;
	a->into_count = c->into_count;
	a->file = c->source_count ? keep(s, c->sources[0].file) : NULL;
	a->line = c->source_count ? c->sources[0].line : 0;
}

static void look_for_copies(struct search *s)
{
	const struct image *image = image_of(s);
	struct copies c;
	struct why_answer *a;

	if (!image || copies__find(&c, image, s->w->name))
		return;
	if (c.into_count) {
		s->w->found = true;
		add_inlined(s, &c);
	} else if (c.source_count && !s->w->found) {
		s->w->found = true;
		a = add(s, "no-code", s->w->name, "has no code: the compiler found nobody who needs it");
		a->file = keep(s, c.sources[0].file);
		a->line = c.sources[0].line;
	}
	copies__free(&c);
}

/* ---- nowhere */

static bool has_module(const struct universe *u, const char *module)
{
	for (size_t i = u->count; i-- && u->list[i].module;) {
		if (!strcmp(u->list[i].module, module))
			return true;
	}
	return false;
}

/* If there are only files of a kernel, it is not known which modules are loaded. */
static const char *of_module(struct search *s, const char *module)
{
	for (size_t i = 0; i < s->sources->documents.count; i++) {
		if (covered_modules__find(&s->sources->documents.list[i]->modules, module))
			return text(s, "is in the module %s; nothing else is known, as its file was not found where "
				    "recordings need it, or is of another build", module);
	}
	if (s->sources->documents.count)
		return text(s, "is in the module %s, which was not loaded", module);
	return text(s, s->sources->running ? "is in the module %s, which is not loaded" : "is in the module %s",
		    module);
}

static int look_in_module(const char *path, void *context)
{
	struct search *s = context;
	autofree char *module = module_file__name(path);

	if (module && !has_module(&s->sources->universe, module) && module_file__has(path, s->w->name)) {
		add(s, "module", s->w->name, of_module(s, module))->module = keep(s, module);
		s->w->found = true;
	}
	return 0;
}

static const char *similar_name(struct search *s)
{
	const struct universe *u = &s->sources->universe;
	struct similar similar;
	size_t count;

	/* People say sys_read, and the kernel __x64_sys_read. */
	if (!strncmp(s->w->name, "sys_", 4)) {
		const char *entry = text(s, "__x64_%s", s->w->name);

		if (universe__named(u, entry, &count))
			return entry;
	}
	similar__begin(&similar, s->w->name);
	for (size_t i = 0; i < u->count; i++)
		similar__try(&similar, u->list[i].name);
	return similar.nearest ? keep(s, similar.nearest) : NULL;
}

static void give_up(struct search *s)
{
	const char *similar = similar_name(s);
	bool dwarf = image_of(s) && image__dwarf(image_of(s));
	const char *inlined = dwarf ? "" : "; if it is inlined, only a vmlinux with debug information tells "
					   "(--vmlinux)";

	add(s, "unknown", s->w->name, similar ? text(s, "is not known; did you mean %s?%s", similar, inlined) :
						text(s, "is not known%s", inlined));
}

int why__find(struct why *ret, const char *name, const struct why_sources *sources)
{
	struct search s = { .w = ret, .sources = sources };
	const struct function *const *list;
	size_t count;
	int err = 0;

	*ret = (struct why){ .names = strings__new() };
	ret->name = strings__add(ret->names, name);
	list = universe__named(&sources->universe, name, &count);
	for (size_t i = 0; i < count; i++)
		add_function(&s, list[i], NULL);
	if (!ret->count)
		look_for_aliases(&s);
	look_for_twins(&s);
	look_for_copies(&s);
	err = s.err;
	if (!err && !ret->found && sources->modules)
		err = module_files__each(sources->modules, look_in_module, &s);
	if (err)
		why__free(ret);
	else if (!ret->found)
		give_up(&s);
	return err;
}

void why__free(struct why *w)
{
	for (size_t i = 0; i < w->count; i++)
		free(w->list[i].into);
	free(w->list);
	strings__free(w->names);
	memset(w, 0, sizeof(*w));
}

/* ---- text and json */

#define WHY_SCHEMA 2
/* The most names that are printed: some functions are inlined into thousands. */
#define MOST_NAMES 20

static void print_into(const struct why_answer *a, enum why_ran ran, FILE *out)
{
	static const char *const heads[] = { [RAN_NO] = "", [RAN_YES] = "ran: ", [RAN_UNKNOWN] = "not known: " };
	size_t printed = 0, all = 0;

	for (size_t i = 0; i < a->into_count; i++) {
		if (a->into[i].ran != ran)
			continue;
		if (all++ < MOST_NAMES) {
			fprintf(out, "%s%s%s", printed ? " " : "    ", printed ? "" : heads[ran], a->into[i].function);
			printed++;
		}
	}
	if (all > printed)
		fprintf(out, " and %zu more (-f json has all)", all - printed);
	if (all)
		fputc('\n', out);
}

static void print_answer(const struct why_answer *a, FILE *out)
{
	char name[512];

	function__full_name(name, sizeof(name), a->function, a->module);
	if (a->document)
		fprintf(out, "%s: in %s: %s", name, a->document, a->text);
	else
		fprintf(out, "%s: %s", name, a->text);
	if (a->file && a->line)
		fprintf(out, " (%s:%u)", a->file, a->line);
	else if (a->file)
		fprintf(out, " (%s)", a->file);
	fputc('\n', out);
	print_into(a, RAN_YES, out);
	print_into(a, RAN_UNKNOWN, out);
	print_into(a, RAN_NO, out);
}

void why__print(const struct why *w, FILE *out)
{
	for (size_t i = 0; i < w->count; i++)
		print_answer(&w->list[i], out);
}

static void write_answer(json_writer_t *w, const struct why_answer *a)
{
	jsonw_start_object(w);
	json__string_or_null(w, "why", a->why);
	json__string_or_null(w, "text", a->text);
	json__string_or_null(w, "function", a->function);
	json__string_or_null(w, "module", a->module);
	json__string_or_null(w, "file", a->file);
	json__number_or_null(w, "line", a->line, a->line);
	json__string_or_null(w, "document", a->document);
	json__array(w, "into");
	for (size_t i = 0; i < a->into_count; i++) {
		jsonw_start_object(w);
		json__string_or_null(w, "function", a->into[i].function);
		jsonw_name(w, "ran");
		if (a->into[i].ran == RAN_UNKNOWN)
			jsonw_null(w);
		else
			jsonw_bool(w, a->into[i].ran);
		jsonw_end_object(w);
	}
	jsonw_end_array(w);
	jsonw_end_object(w);
}

void why__write_json(const struct why *list, size_t count, const struct universe *kernel, FILE *out)
{
	json_writer_t *w = json__begin(out, "why", WHY_SCHEMA);

	json__string_or_null(w, "release", kernel->release);
	json__string_or_null(w, "build_id", kernel->build_id);
	json__array(w, "functions");
	for (size_t i = 0; i < count; i++) {
		jsonw_start_object(w);
		json__string_or_null(w, "name", list[i].name);
		jsonw_bool_field(w, "found", list[i].found);
		json__array(w, "answers");
		for (size_t at = 0; at < list[i].count; at++)
			write_answer(w, &list[i].list[at]);
		jsonw_end_array(w);
		jsonw_end_object(w);
	}
	jsonw_end_array(w);
	json__end(&w);
}
