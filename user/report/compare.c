// SPDX-License-Identifier: GPL-2.0-only
/*
 * Compares two recordings; see compare.h.
 *
 * Hits are matched by address (as linked, or module and offset). If addresses are not known, or the
 * builds of the kernel differ, hits are matched by name. reasons.c finds out why the sides differ.
 */
#include <argp.h>

#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/program.h"
#include "base/sorted.h"
#include "base/text.h"
#include "document/coverage.h"
#include "report/documents.h"
#include "report/commands.h"
#include "report/compare.h"

static const struct {
	const char *word, *text;
} reasons[REASON_COUNT] = {
	[REASON_NO_CALLERS] = { "no-callers", "%s did not record callers" },
	[REASON_UNATTACHED] = { "unattached", "%s could not attach to it" },
	[REASON_NOT_ASKED] = { "not-asked-for", "%s was not asked for it (-a)" },
	[REASON_DENIED] = { "denied", "%s was told to leave it out (-d)" },
	[REASON_OWN] = { "own", "%s leaves it out as the BPF program's own helper" },
	[REASON_MODULE] = { "module", "its module was not there when %s attached, which does not follow modules" },
	[REASON_AFTER] = { "after", "not called before %s had ended" },
	[REASON_NO_ADDRESS] = { "no-address", "no address or name to look for in %s" },
	[REASON_OTHER_BOOT] = { "other-boot", "%s is not known to be of the same boot: another run" },
	[REASON_OTHER_RUN] = { "other-run", "%s recorded at another time: another run" },
	[REASON_BEFORE] = { "before", "first hit before %s began to record, and maybe not again" },
	[REASON_LATER] = { "later", "first hit after %s had ended, and maybe not before" },
	[REASON_EDGE] = { "edge", "first hit as %s began or ended, within the clocks' error" },
	[REASON_SCOPE] = { "scope", "%s followed other tasks" },
	[REASON_REWRITTEN] = { "rewritten", "maybe a call that the kernel rewrites, which %s has at another address" },
	[REASON_INSIDE_OWN] = { "inside-own", "the call may be the BPF program's own, which %s does not record" },
	[REASON_CALLED_UNATTACHED] = { "called-unattached", "maybe it called a function that %s could not attach to" },
	[REASON_CALLED_NOT_ASKED] = {
		"called-not-asked-for", "maybe it called a function that %s was not asked for (-a)"
	},
	[REASON_CALLED_DENIED] = { "called-denied", "maybe it called a function that %s was told to leave out (-d)" },
	[REASON_CALLED_OWN] = { "called-own", "maybe it called a helper of the BPF program, which %s leaves out" },
	[REASON_MODULE_LATE] = {
		"module-late", "its module came while %s recorded, which attached to it later or not at all"
	},
	[REASON_CALLED_MODULE] = { "called-module", "maybe it called a module that came after %s had attached" },
	[REASON_PINNED] = { "pinned", "only seen where fentry.multi, which %s does not use, keeps a task on its CPU" },
	[REASON_RETIRED] = { "retired", "%s watched functions for a time only (--retire=MS), maybe what it called" },
	[REASON_HIDDEN] = { "hidden", "%s counts callers that a return trampoline hid" },
	[REASON_FULL] = { "full", "%s was full" },
	[REASON_UNRESOLVED] = { "unresolved", "%s counts such addresses and does not list them" },
	[REASON_RECURSION] = { "recursion", "%s counts calls that it could not record: nested in its own program" },
	[REASON_UNEXPLAINED] = { "unexplained", "UNEXPLAINED: nothing known of %s says why" },
};

enum certainty reason__certainty(enum reason reason)
{
	if (reason == REASON_UNEXPLAINED)
		return UNEXPLAINED;
	return reason < REASON_NO_ADDRESS ? CERTAIN : POSSIBLE;
}

static uint64_t place_of(const struct hit *hit)
{
	return hit->module ? hit->offset : hit->link ?: hit->addr;
}

static bool has_place(const struct hit *hit)
{
	return hit->module || place_of(hit);
}

bool comparison__can_match(const struct comparison *cmp, const struct hit *hit)
{
	return cmp->by_name ? hit->name != NULL : has_place(hit);
}

static int by_place(const void *a, const void *b)
{
	const struct hit *x = *(const struct hit *const *)a, *y = *(const struct hit *const *)b;

	return text__compare(x->module, y->module) ?: ORDER(place_of(x), place_of(y));
}

static int by_name(const void *a, const void *b)
{
	const struct hit *x = *(const struct hit *const *)a, *y = *(const struct hit *const *)b;

	return text__compare(x->module, y->module) ?: text__compare(x->name, y->name);
}

struct side {
	const struct hit **list;
	size_t count;
};

static void side__fill(struct side *side, const struct coverage *c, unsigned int kind,
		       int (*order)(const void *a, const void *b))
{
	side->list = xcalloc(c->hits.count, sizeof(*side->list));
	for (size_t i = 0; i < c->hits.count; i++) {
		if (c->hits.list[i].kind == kind)
			side->list[side->count++] = &c->hits.list[i];
	}
	qsort(side->list, side->count, sizeof(*side->list), order);
}

/*
 * Matches one to one, because several functions may have the same name. A hit without a key matches
 * nothing.
 */
static void merge(struct comparison *cmp, const struct side *a, const struct side *b,
		  int (*order)(const void *a, const void *b))
{
	size_t i = 0, j = 0;

	while (i < a->count || j < b->count) {
		bool alone = i < a->count && !comparison__can_match(cmp, a->list[i]);
		bool other_alone = j < b->count && !comparison__can_match(cmp, b->list[j]);
		int which = i == a->count ? 1 : j == b->count ? -1 : order(&a->list[i], &b->list[j]);

		if (alone || (!other_alone && which < 0))
			cmp->only_a[cmp->only_a_count++].hit = a->list[i++];
		else if (other_alone || which > 0)
			cmp->only_b[cmp->only_b_count++].hit = b->list[j++];
		else
			cmp->both++, i++, j++;
	}
}

/* In a file, hits have no run-time address; a hit may also lack the linked address. */
static bool places_known(const struct coverage *c)
{
	for (size_t i = 0; i < c->hits.count; i++) {
		if (!has_place(&c->hits.list[i]))
			return false;
	}
	return true;
}

static const char *why_by_name(const struct coverage *a, const struct coverage *b)
{
	if (!coverage__same_build(a, b, NULL))
		return "not the same kernel build";
	if (a->kernel.offset_known != b->kernel.offset_known ||
	    (!a->kernel.offset_known && text__compare(a->boot_id, b->boot_id)) ||
	    !places_known(a) || !places_known(b))
		return "addresses as linked are not known";
	return NULL;
}

void compare__run(struct comparison *ret, const struct coverage *a, const struct coverage *b, unsigned int kind)
{
	struct comparison cmp = { .a = a, .b = b, .kind = kind, .by_name = why_by_name(a, b) };
	int (*order)(const void *a, const void *b) = cmp.by_name ? by_name : by_place;
	struct side sides[2] = {};

	side__fill(&sides[0], a, kind, order);
	side__fill(&sides[1], b, kind, order);
	cmp.only_a = xcalloc(sides[0].count, sizeof(*cmp.only_a));
	cmp.only_b = xcalloc(sides[1].count, sizeof(*cmp.only_b));
	merge(&cmp, &sides[0], &sides[1], order);
	reasons__find(&cmp, cmp.only_a, cmp.only_a_count, cmp.only_b_count, a, b);
	reasons__find(&cmp, cmp.only_b, cmp.only_b_count, cmp.only_a_count, b, a);
	free(sides[0].list);
	free(sides[1].list);
	*ret = cmp;
}

void compare__free(struct comparison *cmp)
{
	free(cmp->only_a);
	free(cmp->only_b);
	memset(cmp, 0, sizeof(*cmp));
}

static size_t count_reason(const struct difference *list, size_t count, enum reason reason)
{
	size_t found = 0;

	for (size_t i = 0; i < count; i++)
		found += list[i].reason == reason;
	return found;
}

size_t compare__count(const struct comparison *cmp, enum certainty certainty)
{
	size_t found = 0;

	for (enum reason reason = 0; reason < REASON_COUNT; reason++) {
		if (reason__certainty(reason) == certainty)
			found += count_reason(cmp->only_a, cmp->only_a_count, reason) +
				 count_reason(cmp->only_b, cmp->only_b_count, reason);
	}
	return found;
}

static void print_names(const struct difference *list, size_t count, enum reason reason,
			size_t limit, FILE *out)
{
	size_t printed = 0;

	for (size_t i = 0; i < count; i++) {
		const struct hit *hit = list[i].hit;

		if (list[i].reason != reason)
			continue;
		if (limit && printed == limit) {
			fprintf(out, " ...");
			break;
		}
		printed++;
		fprintf(out, " %s", hit->name ? hit->name : "?");
		if (hit->module && hit->name)
			fprintf(out, "[%s]", hit->module);
		else if (hit->module)
			fprintf(out, "[%s+0x%" PRIx64 "]", hit->module, hit->offset);
	}
	fputc('\n', out);
}

static void print_side(const struct difference *list, size_t count, const char *name,
		       const char *other, size_t limit, FILE *out)
{
	if (!count)
		return;
	fprintf(out, "Only in %s: %zu\n", name, count);
	for (enum reason reason = 0; reason < REASON_COUNT; reason++) {
		size_t found = count_reason(list, count, reason);

		if (!found)
			continue;
		fprintf(out, "  %zu: %s", found,
			reason__certainty(reason) == POSSIBLE ? "possibly: " : "");
		fprintf(out, reasons[reason].text, other);
		fputc(':', out);
		print_names(list, count, reason, limit, out);
	}
}

/* Says that one side began after the other side had ended: then no hit had to be in both. */
static void print_gap(const struct coverage *first, const struct coverage *second,
		      const char *name_first, const char *name_second, FILE *out)
{
	if (coverage__same_boot(first, second) && coverage__ended_before(first, second))
		fprintf(out, " (two runs: %s began %.3f s after %s had ended)", name_second,
			(second->window.opening - first->window.closed) / 1e9, name_first);
}

void compare__print(const struct comparison *cmp, const char *name_a, const char *name_b, size_t limit, FILE *out)
{
	size_t possible = compare__count(cmp, POSSIBLE);
	size_t unexplained = compare__count(cmp, UNEXPLAINED);

	fprintf(out, "%s: %s %zu, %s %zu; %zu in both, %zu only in %s, %zu only in %s",
		cmp->kind == HIT_FUNCTION ? "Functions" : "Callers",
		name_a, cmp->both + cmp->only_a_count, name_b, cmp->both + cmp->only_b_count,
		cmp->both, cmp->only_a_count, name_a, cmp->only_b_count, name_b);
	if (cmp->by_name)
		fprintf(out, " (matched by name: %s)", cmp->by_name);
	print_gap(cmp->a, cmp->b, name_a, name_b, out);
	print_gap(cmp->b, cmp->a, name_b, name_a, out);
	fputc('\n', out);
	print_side(cmp->only_a, cmp->only_a_count, name_a, name_b, limit, out);
	print_side(cmp->only_b, cmp->only_b_count, name_b, name_a, limit, out);
	if (possible || unexplained)
		fprintf(out, "Of the differences, %zu are explained, %zu only possibly, %zu are "
			"UNEXPLAINED.\n", compare__count(cmp, CERTAIN), possible, unexplained);
	else if (cmp->only_a_count || cmp->only_b_count)
		fprintf(out, "All differences are explained.\n");
	else
		fprintf(out, "No difference.\n");
}

/* ---- json */

#define COMPARE_SCHEMA 2

static const char *const certainties[] = {
	[CERTAIN] = "certain", [POSSIBLE] = "possible", [UNEXPLAINED] = "unexplained",
};

static void write_side(json_writer_t *w, const char *field, const char *name, const struct coverage *c)
{
	json__object(w, field);
	json__string_or_null(w, "name", name);
	json__string_or_null(w, "engine", c->engine);
	json__string_or_null(w, "build_id", c->kernel.build_id);
	jsonw_bool_field(w, "complete", losses__complete(&c->lost));
	jsonw_end_object(w);
}

static void write_differences(json_writer_t *w, const char *field, const struct difference *list, size_t count)
{
	json__lines(w, field);
	for (size_t i = 0; i < count; i++) {
		const struct hit *hit = list[i].hit;

		jsonw_start_object(w);
		json__string_or_null(w, "name", hit->name);
		json__string_or_null(w, "module", hit->module);
		json__address_or_null(w, "addr", hit->link, hit->link);
		json__number_or_null(w, "offset", hit->module, hit->offset);
		jsonw_string_field(w, "reason", reasons[list[i].reason].word);
		jsonw_string_field(w, "certainty", certainties[reason__certainty(list[i].reason)]);
		jsonw_end_object(w);
	}
	jsonw_end_array(w);
}

static void write_list(json_writer_t *w, const struct comparison *cmp)
{
	jsonw_start_object(w);
	jsonw_string_field(w, "of", cmp->kind == HIT_FUNCTION ? "functions" : "callers");
	jsonw_string_field(w, "matched_by", cmp->by_name ? "name" : "address");
	json__string_or_null(w, "not_by_address", cmp->by_name);
	jsonw_lluint_field(w, "both", cmp->both);
	jsonw_lluint_field(w, "explained", compare__count(cmp, CERTAIN));
	jsonw_lluint_field(w, "possibly", compare__count(cmp, POSSIBLE));
	jsonw_lluint_field(w, "unexplained", compare__count(cmp, UNEXPLAINED));
	write_differences(w, "only_a", cmp->only_a, cmp->only_a_count);
	write_differences(w, "only_b", cmp->only_b, cmp->only_b_count);
	jsonw_end_object(w);
}

static void write_json(const struct comparison *list, size_t count, const char *name_a, const char *name_b, FILE *out)
{
	json_writer_t *w = json__begin(out, "compare", COMPARE_SCHEMA);

	write_side(w, "a", name_a, list[0].a);
	write_side(w, "b", name_b, list[0].b);
	json__array(w, "lists");
	for (size_t i = 0; i < count; i++)
		write_list(w, &list[i]);
	jsonw_end_array(w);
	json__end(&w);
}

/* ---- the command */

enum { KEY_CALLERS = 256, KEY_ALL };

static const struct argp_option options[] = {
	{ "callers", KEY_CALLERS, NULL, 0, "compare the callers as well", 0 },
	OPTION_FORMAT("text (default) or json"),
	OPTION_RUNS,
	{ "all", KEY_ALL, NULL, 0, "name every difference, not the first 20 for each reason", 0 },
	{ }
};

struct compare_options {
	bool callers, all;
	struct result_options result;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct compare_options *o = state->input;

	switch (key) {
	case KEY_CALLERS:
		o->callers = true;
		break;
	case KEY_ALL:
		o->all = true;
		break;
	default:
		return result_options__parse(&o->result, key, arg, state);
	}
	return 0;
}

/* Returns the number of differences that are not explained for certain. */
static size_t compare(const struct compare_options *o, const struct documents *d)
{
	static const enum hit_kind kinds[] = { HIT_FUNCTION, HIT_CALLER };
	const struct coverage *a = d->list[0], *b = d->list[1];
	/* The engines name the recordings, unless both are of one engine. */
	bool engines = strcmp(a->engine, b->engine);
	const char *name_a = engines ? a->engine : d->paths[0], *name_b = engines ? b->engine : d->paths[1];
	size_t count = o->callers ? 2 : 1, differ = 0;
	struct comparison list[2];

	for (size_t i = 0; i < count; i++)
		compare__run(&list[i], a, b, kinds[i]);
	if (o->result.format == RESULT_JSON)
		write_json(list, count, name_a, name_b, stdout);
	for (size_t i = 0; i < count; i++) {
		if (o->result.format == RESULT_TEXT)
			compare__print(&list[i], name_a, name_b, o->all ? 0 : 20, stdout);
		differ += compare__count(&list[i], POSSIBLE) + compare__count(&list[i], UNEXPLAINED);
		compare__free(&list[i]);
	}
	return differ;
}

int cmd_compare(int argc, char **argv)
{
	static const struct argp argp = {
		.options = options,
		.parser = parse,
		.args_doc = "A.json B.json",
		.doc = "Tells whether two recordings of the same time agree: compares the functions of two "
		       "files of `hytrace cover -f json`, and gives a reason for every difference. (`hytrace "
		       "diff` tells what is new in another run, or on another kernel.)\vExamples:\n"
		       "  hytrace compare both.oneshot.json both.bpf.json\n"
		       "  hytrace compare --callers -f json a.json b.json\n\n"
		       "Exit status: 0 no difference, or each is explained for certain; 1 another "
		       "difference; 2 usage, a file that is no recording, or it failed.",
	};
	struct compare_options o = { .result = { .least = 2, .most = 2 } };
	struct documents d = {};
	size_t differ = 0;
	int err;

	if (argp_parse(&argp, argc, argv, 0, NULL, &o))
		return EXIT_USAGE;
	err = documents__read_joined(&d, o.result.arguments, 2, &o.result);
	/* A union of runs does not tell when they paused. So its window cannot be compared. */
	for (int i = 0; !err && i < 2; i++) {
		if (d.list[i]->merged)
			err = error__return(-EINVAL, "%s: is a union of %zu runs, not a recording of one time: "
					    "`hytrace diff` tells how it differs", d.paths[i],
					    d.list[i]->merged_count);
	}
	if (!err)
		differ = compare(&o, &d);
	if (!err && fflush(stdout))
		err = error__return(-EIO, "standard output: %s", strerror(errno));
	documents__free(&d);
	/* As in cmp(1) and diff(1), the status of a failure is not that of a difference. */
	if (err)
		return EXIT_USAGE;
	return differ ? EXIT_FAILED : EXIT_DONE;
}
