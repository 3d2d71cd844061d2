// SPDX-License-Identifier: GPL-2.0-only
/* Prints the answers; see answers.h. */
#include "affected/answers.h"
#include "base/json.h"
#include "base/table.h"
#include "base/text.h"

#define AFFECTED_SCHEMA 1

#define NO_PROOF "What did not run in these runs may run elsewhere: recordings do not prove absence."

static const struct changed_function *function_of(const struct answers *a, size_t i)
{
	return &a->changed->list[i];
}

/* Of a file of which nothing else is known, all is meant. */
static const char *name_of(const struct changed_function *c)
{
	return c->by == BY_RECORD ? "(whole file)" : c->name;
}

static size_t count_hunks(const struct answers *a)
{
	size_t count = 0;

	for (size_t i = 0; i < a->patch->count; i++)
		count += a->patch->list[i].count;
	return count;
}

static const char *s(size_t count)
{
	return count == 1 ? "" : "s";
}

/* ---- words of a function */

static void print_ran(const struct answers *a, const struct answer *answer, FILE *out)
{
	const struct run *last = &a->runs->list[answer->last];
	const char *host = NULL, *name = run__test(last);
	bool hosts = false, tests = false;

	for (size_t i = 0; i < a->runs->count; i++) {
		const struct run *run = &a->runs->list[i];

		if (!runs__has(answer->evidence.ran, i))
			continue;
		hosts |= host && !text__equals(host, run->host);
		tests |= strcmp(name, run__test(run)) != 0;
		host = run->host ?: host;
	}
	fprintf(out, "in %zu of %zu runs, %s%s", answer->ran, a->runs->count, name, tests ? " and others" : "");
	if (host)
		fprintf(out, hosts ? ", on %s and others" : ", on %s", host);
	if (last->started)
		fprintf(out, ", last %.16s", last->started);
	if (answer->elsewhere)
		fprintf(out, ", on another build%s", answer->unchanged > 0 ? " with the same code" :
			answer->unchanged ? "" : " with other code");
}

static void print_place(const struct answer *answer, FILE *out)
{
	fprintf(out, "inlined into %s", answer->into);
	if (answer->inlined > 1)
		fprintf(out, " and %zu other%s", answer->inlined - 1, s(answer->inlined - 1));
}

/* The rest of a sentence about the function, to be freed. */
static char *answer_text(const struct answers *a, size_t function)
{
	const struct answer *answer = &a->list[function];
	const struct changed_function *c = &a->changed->list[function];
	size_t length, modules = 0;
	char *text;
	FILE *out = xopen_memstream(&text, &length);

	for (size_t i = 0; i < a->build_count; i++)
		modules += a->builds[i].listed;
	switch (answer->class) {
	case CLASS_INLINED_SEEN:
		fprintf(out, "in %s, ", answer->evidence.seen_in ?: answer->into);
		print_ran(a, answer, out);
		break;
	case CLASS_RAN:
		print_ran(a, answer, out);
		if (!answer->evidence.recorded)
			fputs(", as recorded calls show", out);
		break;
	case CLASS_NOT_RUN:
		fprintf(out, "in any of %zu runs that could have seen it", answer->could);
		if (!answer->complete)
			fputs(", none of which was complete", out);
		break;
	case CLASS_BLIND:
		fputs("it was not asked for, its module was not there, or it is init text", out);
		break;
	case CLASS_NO_RUNS:
		if (answer->codes)
			fputs("no run is of this build", out);
		else
			print_place(answer, out);
		break;
	case CLASS_INLINED_UNKNOWN:
		print_place(answer, out);
		fputs(answer->hidden ? ", which may leave no record" : ", which ran", out);
		break;
	case CLASS_UNTRACEABLE:
		fputs(untraced__sentence(answer->untraced), out);
		break;
	case CLASS_UNKNOWN:
		fputs(answer->why, out);
		break;
	case CLASS_NOT_THERE:
		fputs("not compiled, or without code of its own in this configuration", out);
		break;
	case CLASS_NOT_BUILT:
		fprintf(out, "in vmlinux, nor in %zu module%s of the build", modules, s(modules));
		for (size_t i = 0; i < answer->option_count; i++)
			fprintf(out, i ? ", %s" : "; its Makefiles name %s", answer->options[i]);
		break;
	case CLASS_NEW:
		fputs("the build is one without the patch", out);
		break;
	case CLASSES:
		break;
	}
	if (c->by == BY_CONTEXT)
		fputs(" (a guess: by the patch's context)", out);
	if (c->is_deleted)
		fputs("; the patch removes it", out);
	xclose_memstream(out);
	return text;
}

/* ---- what is in no function */

/* Why changes of a file are in no function, as a text to be freed; NULL: all are in one. */
static char *outside(const struct answers *a, size_t file)
{
	const struct patched_file *f = &a->patch->list[file];
	const struct changed_file *c = &a->changed->files[file];
	const char *path = patched_file__path(f);
	/* git cuts the line behind @@ off after 80 columns, perhaps before the name of the function. */
	const char *what = c->guessed ? "in no function that the patch names" : "with data, macros or types";

	if (f->binary)
		return xstrdup("binary");
	if (!f->count)
		return a->triage ? NULL : xasprintf("no line is changed%s", f->kind == FILE_RENAMED ? ": renamed" :
						    f->kind == FILE_COPIED ? ": copied" :
						    f->kind == FILE_CHANGED ? ": only its mode" : "");
	if (!c->outside)
		return NULL;
	if (!path__is_source(path))
		return xasprintf("%zu hunk%s, of no code of C", c->outside, s(c->outside));
	if (!a->build_count || !strcmp(strrchr(path, '.'), ".c"))
		return xasprintf("%zu hunk%s %s%s", c->outside, s(c->outside), what,
				 a->build_count && !c->units ? ", not built" : "");
	return xasprintf("%zu hunk%s %s; %zu compiled file%s it", c->outside, s(c->outside), what, c->units,
			 c->units == 1 ? " includes" : "s include");
}

/* The next one of a file; those of the new side come first. @at: 0 at first. NULL: there are no more */
static const struct mention *next_mention(const struct answers *a, const char *path, size_t *at)
{
	const struct tags *new = &a->tags[NEW], *old = &a->tags[OLD];

	while (*at < new->mention_count + old->mention_count) {
		size_t i = (*at)++, k = 0;
		const struct mention *m = i < new->mention_count ? &new->mentions[i] :
								   &old->mentions[i - new->mention_count];

		while (i >= new->mention_count && k < new->mention_count &&
		       (strcmp(new->mentions[k].path, m->path) || strcmp(new->mentions[k].name, m->name)))
			k++;
		if (!strcmp(m->path, path) && (i < new->mention_count || k == new->mention_count))
			return m;
	}
	return NULL;
}

static void print_outside(const struct answers *a, FILE *out)
{
	const struct mention *m;
	bool any = false;

	for (size_t i = 0; i < a->patch->count; i++) {
		char *text = outside(a, i);

		if (text)
			fputs(any ? "" : "\nNot in a function:\n", out);
		if (text) {
			fputs("  ", out);
			utf8__print(out, patched_file__path(&a->patch->list[i]), "");
			fprintf(out, ": %s\n", text);
			for (size_t at = 0; (m = next_mention(a, patched_file__path(&a->patch->list[i]), &at));)
				fprintf(out, m->user ? "    %s %s: at least %zu function%s of the file mention%s it, "
					"such as %s\n" : "    %s %s: no function of the file mentions it\n", m->kind,
					m->name, m->users, s(m->users), m->users == 1 ? "s" : "", m->user);
		}
		any |= text != NULL;
		free(text);
	}
}

/* ---- text */

static void print_head(const struct answers *a, FILE *out)
{
	size_t hunks = count_hunks(a), none = 0, guessed = 0;

	fprintf(out, "%zu function%s in %zu file%s, %zu hunk%s", a->changed->count, s(a->changed->count),
		a->patch->count, s(a->patch->count), hunks, s(hunks));
	for (int class = 0, first = 1; class < CLASSES; class++) {
		if (a->classes[class]) {
			fprintf(out, "%s%zu %s", first ? ": " : ", ", a->classes[class], class_texts[class].text);
			first = 0;
		}
	}
	fputs("\n", out);
	for (size_t i = 0; i < a->build_count; i++)
		fprintf(out, "Build: Linux %s, vmlinux and %zu module%s\n", a->builds[i].release ?: "?",
			a->builds[i].modules, s(a->builds[i].modules));
	for (size_t i = 0; i < a->changed->count; i++)
		guessed += function_of(a, i)->by == BY_CONTEXT;
	for (size_t i = 0; i < a->patch->count; i++)
		none += a->changed->files[i].match == MATCH_NONE;
	if (none)
		fprintf(out, "%zu file%s not those of the build, so functions are found by name.\n", none,
			none == 1 ? " is" : "s are");
	if (guessed)
		fprintf(out, "%zu function%s found by the patch's context: with --git, ctags finds them.\n", guessed,
			guessed == 1 ? " is" : "s are");
}

static void print_table(const struct answers *a, FILE *out)
{
	struct libscols_table *table = table__new(out);

	table__column(table, "CLASS", 0, 0);
	table__column(table, "FUNCTION", 0, 0);
	table__column(table, "FILE", 0, 0);
	if (a->triage)
		table__column(table, "TRIAGE", 0, 0);
	table__column(table, "", 0, 0);
	for (size_t i = 0; i < a->changed->count; i++) {
		const struct changed_function *c = function_of(a, a->order[i]);
		struct libscols_line *line = table__line(table, NULL);
		char *text = answer_text(a, a->order[i]);
		size_t column = 0;

		table__cell(line, column++, class_texts[a->list[a->order[i]].class].text);
		table__cell(line, column++, name_of(c));
		table__cell(line, column++, c->path);
		if (a->triage)
			table__cell(line, column++, class_texts[a->list[a->order[i]].class].triage);
		table__cell(line, column++, text);
		free(text);
	}
	table__print(table);
}

void answers__text(const struct answers *a, FILE *out)
{
	print_head(a, out);
	if (a->changed->count) {
		fputs("\n", out);
		print_table(a, out);
	}
	print_outside(a, out);
	if (a->runs->count)
		fputs("\n" NO_PROOF "\n", out);
}

void answers__tests(const struct answers *a, FILE *out)
{
	struct tests tests;

	tests__choose(&tests, a);
	for (size_t i = 0; i < tests.count; i++) {
		utf8__print(out, tests.list[i].name, "");
		fputs("\n", out);
	}
	tests__free(&tests);
}

void answers__tap(const struct answers *a, FILE *out)
{
	fprintf(out, "TAP version 13\n1..%zu\n", a->changed->count);
	for (size_t i = 0; i < a->changed->count; i++) {
		size_t at = a->order[i];
		enum class class = a->list[at].class;
		char *text = answer_text(a, at);
		bool skip = !class_texts[class].missed && !class_texts[class].seen;

		fprintf(out, "%sok %zu - %s, ", class_texts[class].missed ? "not " : "", i + 1,
			name_of(function_of(a, at)));
		utf8__print(out, function_of(a, at)->path, "");
		fprintf(out, skip ? " # SKIP %s" : ": %s", class_texts[class].text);
		fprintf(out, *text ? " %s\n" : "\n", text);
		free(text);
	}
	fputs("# " NO_PROOF "\n", out);
}

/* ---- json */

static void write_builds(const struct answers *a, json_writer_t *w)
{
	json__lines(w, "builds");
	for (size_t i = 0; i < a->build_count; i++) {
		jsonw_start_object(w);
		json__string_or_null(w, "release", a->builds[i].release);
		json__string_or_null(w, "build_id", a->builds[i].build_id);
		jsonw_lluint_field(w, "modules", a->builds[i].modules);
		jsonw_end_object(w);
	}
	jsonw_end_array(w);
}

static void write_hunk(const struct answers *a, const struct hunk *h, size_t *change, json_writer_t *w)
{
	const size_t *first = a->changed->first;

	jsonw_start_object(w);
	jsonw_lluint_field(w, "old", h->old);
	jsonw_lluint_field(w, "old_lines", h->old_count);
	jsonw_lluint_field(w, "new", h->new);
	jsonw_lluint_field(w, "new_lines", h->new_count);
	json__array(w, "changes");
	for (size_t i = 0; i < h->count; i++, ++*change) {
		jsonw_start_array(w);
		for (size_t k = first[*change]; k < first[*change + 1]; k++)
			jsonw_lluint(w, a->changed->functions[k]);
		jsonw_end_array(w);
	}
	jsonw_end_array(w);
	jsonw_end_object(w);
}

static void write_files(const struct answers *a, json_writer_t *w)
{
	const struct mention *m;
	size_t change = 0;

	json__lines(w, "files");
	for (size_t i = 0; i < a->patch->count; i++) {
		const struct patched_file *f = &a->patch->list[i];
		char *text = outside(a, i);

		jsonw_start_object(w);
		json__string_or_null(w, "old", f->old);
		json__string_or_null(w, "new", f->new);
		jsonw_string_field(w, "kind", file_kind_words[f->kind]);
		json__string_or_null(w, "lines_of", match_words[a->changed->files[i].match]);
		json__number_or_null(w, "compiled_files", a->build_count, a->changed->files[i].units);
		json__string_or_null(w, "not_in_a_function", text);
		json__array(w, "not_functions");
		for (size_t at = 0; (m = next_mention(a, patched_file__path(f), &at));) {
			jsonw_start_object(w);
			jsonw_string_field(w, "name", m->name);
			jsonw_string_field(w, "kind", m->kind);
			jsonw_lluint_field(w, "at_least", m->users);
			json__string_or_null(w, "such_as", m->user);
			jsonw_end_object(w);
		}
		jsonw_end_array(w);
		json__array(w, "hunks");
		for (size_t k = 0; k < f->count; k++)
			write_hunk(a, &f->list[k], &change, w);
		jsonw_end_array(w);
		jsonw_end_object(w);
		free(text);
	}
	jsonw_end_array(w);
}

/* The tests or hosts of the runs that saw a function, each once. */
static void write_names(const struct answers *a, const struct answer *answer, const char *field, bool tests,
			json_writer_t *w)
{
	struct strings *names = strings__new();
	const char **list = NULL;
	size_t count = 0;

	for (size_t i = 0; answer->ran && i < a->runs->count; i++) {
		const struct run *run = &a->runs->list[i];
		const char *name = tests ? run__test(run) : run->host;
		size_t k = 0;

		if (!runs__has(answer->evidence.ran, i) || !name)
			continue;
		name = strings__intern(names, name);
		while (k < count && list[k] != name)
			k++;
		if (k == count)
			*LIST_ADD(list, count) = name;
	}
	json__strings(w, field, list, count);
	free(list);
	strings__free(names);
}

static void write_function(const struct answers *a, size_t i, json_writer_t *w)
{
	const struct changed_function *c = function_of(a, i);
	const struct answer *answer = &a->list[i];
	const char *last = answer->ran ? a->runs->list[answer->last].started : NULL;
	char *text = answer_text(a, i);

	jsonw_start_object(w);
	jsonw_string_field(w, "name", name_of(c));
	jsonw_string_field(w, "file", c->path);
	json__number_or_null(w, "line", c->start && c->by != BY_RECORD, c->start);
	jsonw_string_field(w, "known_by", known_by_words[c->by]);
	jsonw_bool_field(w, "new", c->is_new);
	jsonw_bool_field(w, "deleted", c->is_deleted);
	jsonw_lluint_field(w, "changes", c->changes);
	jsonw_string_field(w, "class", class_texts[answer->class].word);
	jsonw_string_field(w, "triage", class_texts[answer->class].triage);
	jsonw_string_field(w, "text", text);
	json__string_or_null(w, "untraced", untraced__word(answer->untraced));
	jsonw_lluint_field(w, "inlined_into", answer->inlined);
	json__string_or_null(w, "seen_in", answer->evidence.recorded ? NULL : answer->evidence.seen_in);
	jsonw_lluint_field(w, "ran", answer->ran);
	jsonw_lluint_field(w, "could", answer->could);
	jsonw_lluint_field(w, "complete", answer->complete);
	json__string_or_null(w, "last", last);
	if (answer->elsewhere && answer->unchanged >= 0)
		jsonw_bool_field(w, "unchanged", answer->unchanged);
	else
		jsonw_null_field(w, "unchanged");
	json__strings(w, "options", answer->options, answer->option_count);
	write_names(a, answer, "tests", true, w);
	write_names(a, answer, "hosts", false, w);
	jsonw_end_object(w);
	free(text);
}

static void write_tests(const struct answers *a, json_writer_t *w)
{
	struct tests tests;

	tests__choose(&tests, a);
	json__lines(w, "tests");
	for (size_t i = 0; i < tests.count; i++) {
		jsonw_start_object(w);
		jsonw_string_field(w, "name", tests.list[i].name);
		jsonw_lluint_field(w, "adds", tests.list[i].adds);
		jsonw_end_object(w);
	}
	jsonw_end_array(w);
	tests__free(&tests);
}

void answers__json(const struct answers *a, FILE *out)
{
	json_writer_t *w = json__begin(out, "affected", AFFECTED_SCHEMA);

	jsonw_string_field(w, "note", NO_PROOF);
	json__object(w, "totals");
	jsonw_lluint_field(w, "functions", a->changed->count);
	jsonw_lluint_field(w, "files", a->patch->count);
	jsonw_lluint_field(w, "hunks", count_hunks(a));
	jsonw_lluint_field(w, "runs", a->runs->count);
	for (int class = 0; class < CLASSES; class++)
		jsonw_lluint_field(w, class_texts[class].word, a->classes[class]);
	jsonw_end_object(w);
	write_builds(a, w);
	json__lines(w, "functions");
	for (size_t i = 0; i < a->changed->count; i++)
		write_function(a, i, w);
	jsonw_end_array(w);
	write_files(a, w);
	write_tests(a, w);
	json__end(&w);
}
