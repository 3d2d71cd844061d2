// SPDX-License-Identifier: GPL-2.0
/* Edges of small documents of the kernel in small_kernel.h. */
#include "printed.h"
#include "report/callers.h"
#include "report/edges.h"
#include "small_kernel.h"

static struct graph {
	char *directory;
	struct coverage documents[2];
	const struct coverage *list[2];
	struct images images;
	struct edges edges;
} g;

static void begin(void)
{
	memset(&g, 0, sizeof(g));
	g.directory = small_kernel();
	for (int d = 0; d < 2; d++) {
		struct coverage *c = &g.documents[d];

		coverage__init(c, "oneshot");
		c->kernel.build_id = strdup(SMALL_BUILD_ID);
		c->kernel.release = strdup("6.12.0-small");
		c->kernel.offset_known = true;
		c->how.callers = true;
		g.list[d] = c;
	}
}

static void end(void)
{
	edges__free(&g.edges);
	images__free(&g.images);
	for (int d = 0; d < 2; d++)
		coverage__free(&g.documents[d]);
	small_kernel__remove(g.directory);
	free_printed();
}

TestSuite(edges, .init = begin, .fini = end);
TestSuite(origins, .init = begin, .fini = end);
TestSuite(images, .init = begin, .fini = end);
TestSuite(callers, .init = begin, .fini = end);
TestSuite(graph, .init = begin, .fini = end);

static int open_images(void)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/vmlinux", g.directory);
	return images__open(&g.images, g.list, 2, path);
}

static size_t number(const char *module, const char *name)
{
	const struct image_of *of = images__get(&g.images, module);
	const struct image_function *const *list;
	size_t count;

	cr_assert(of && of->image, "%s", module);
	list = image__named(of->image, name, &count);
	cr_assert(list && count == 1, "%s", name);
	return images__number(of, list[0]);
}

/* "MODULE:FUNCTION+INTO" or a part of it. There is no file of the module "gone". */
static struct other place(struct hits *hits, char *word)
{
	char *plus = strchr(word, '+'), *colon = strchr(word, ':');
	struct other found = { .into = plus ? atoi(plus + 1) : 0 };
	const struct image_of *of;
	uint64_t addr;

	if (plus)
		*plus = '\0';
	if (colon) {
		*colon = '\0';
		found.module = hits__name(hits, word);
		word = colon + 1;
	}
	found.name = hits__name(hits, word);
	if (found.module && !strcmp(found.module, "gone"))
		return found;
	addr = images__function(&g.images, number(found.module, found.name), &of)->addr + found.into;
	*(found.module ? &found.offset : &found.link) = addr;
	return found;
}

static void add(struct hits *hits, char *word)
{
	char *to = word;
	struct other from = place(hits, strsep(&to, "="));
	struct hit hit = {
		.name = from.name, .module = from.module, .kind = from.into ? HIT_CALLER : HIT_FUNCTION, .into = from.into,
		.link = from.link, .offset = from.offset, .first_ns = hits->count,
	};

	if (to)
		hit.other = place(hits, to);
	hits__add(hits, &hit);
}

/*
 * @hits: "callee caller+10=pointed / small:local": functions that were entered, with "+" places to which a call in them
 * returns, after "=" the other address of the hit. What is after "/" is in the second document.
 */
static void record(const char *hits)
{
	char *copy = strdup(hits), *rest = copy, *word;
	int d = 0;

	while ((word = strsep(&rest, " "))) {
		if (!strcmp(word, "/"))
			d = 1;
		else
			add(&g.documents[d].hits, word);
	}
	free(copy);
}

/* @module: one that is loaded; NULL: none */
static void make(const char *module, const char *hits)
{
	if (module)
		covered_modules__add(&g.documents[0].modules, module);
	cr_assert(eq(int, open_images(), 0));
	record(hits);
	edges__make(&g.edges, &g.images, g.list, 2);
}

static const struct edge *edge(const char *from, const char *to)
{
	size_t count, wanted = number(NULL, from);
	const size_t *list = edges__to(&g.edges, number(NULL, to), &count);

	for (size_t i = 0; i < count; i++) {
		if (g.edges.list[list[i]].from == wanted)
			return &g.edges.list[list[i]];
	}
	return NULL;
}

Test(edges, are_calls_that_name_their_callee)
{
	size_t count;

	/* At 17 is the retpoline of 20, rewritten. */
	make(NULL, "callee caller+10 caller+15 caller+20 caller+25 / callee caller+10 caller+17 caller.cold+5");
	cr_expect(eq(sz, g.edges.count, 5), "a place in two documents is one");
	cr_expect(eq(u64, *edge("caller", "callee")->seen, 3));
	cr_expect(eq(u64, *edge("caller", "quiet")->seen, 1));
	cr_expect(eq(sz, g.edges.kinds[CALL_DIRECT], 3));
	cr_expect(eq(sz, g.edges.kinds[CALL_THUNK], 1));
	cr_expect(eq(sz, g.edges.kinds[CALL_STATIC], 1));
	cr_expect(eq(sz, g.edges.to_untraced, 1));
	edges__to(&g.edges, number(NULL, "callee"), &count);
	cr_expect(eq(sz, count, 2), "the rare part is of the same function");
	edges__from(&g.edges, number(NULL, "caller"), &count);
	cr_expect(eq(sz, count, 5));
	cr_expect(edges__from(&g.edges, number(NULL, "callee"), &count) == NULL);
	cr_expect(eq(sz, g.edges.missing, 0));
	cr_expect(eq(sz, g.edges.unplaced, 0));
}

Test(edges, of_a_pointer_are_as_recorded)
{
	size_t count;

	/* The retpoline at 20 was for two pointers; of the pointer at 27, one document does not know what it entered. */
	make(NULL, "callee pointed caller+20=pointed caller+27 / callee caller+20=callee caller+27=callee");
	cr_expect(eq(sz, g.edges.count, 4), "the same place with two callees is two, an unknown one included");
	cr_expect(eq(sz, g.edges.kinds[CALL_THUNK], 1));
	cr_expect(eq(sz, g.edges.kinds[CALL_INDIRECT], 1));
	cr_expect(eq(u64, *edge("caller", "pointed")->seen, 1));
	cr_expect(eq(int, edge("caller", "pointed")->call.kind, CALL_THUNK));
	cr_expect(edge("caller", "pointed")->entered);
	edges__to(&g.edges, number(NULL, "callee"), &count);
	cr_expect(eq(sz, count, 2));
	cr_expect(eq(u64, *g.edges.nodes[number(NULL, "callee")].called, 2));
	cr_expect(eq(sz, g.edges.missing, 0));
}

/* From one place by its pointer, and by a jump of what that called; from another one by a jump of what it names. */
Test(edges, lead_to_each_function_from_its_first_caller)
{
	size_t count;

	/* The call at 10 names callee, that at 15 quiet, which cannot be traced. */
	make(NULL, "callee=caller+10 caller+10=callee jumped=caller+15 caller+15=jumped pointed=caller+20 by_jump=caller+20 "
	     "caller+20=pointed lonely=gone:x");
	cr_expect(eq(sz, g.edges.count, 5));
	cr_expect(eq(sz, g.edges.kinds[CALL_DIRECT], 2));
	cr_expect(eq(sz, g.edges.kinds[CALL_THUNK], 1));
	cr_expect(not(edge("caller", "callee")->entered));
	cr_expect(not(edge("caller", "quiet")->entered));
	cr_expect(edge("caller", "jumped")->entered);
	cr_expect(edge("caller", "pointed") != NULL);
	cr_expect(edge("caller", "by_jump") != NULL);
	cr_expect(edges__to(&g.edges, number(NULL, "lonely"), &count) == NULL);
	cr_expect(eq(sz, g.edges.unplaced, 0));
	cr_expect(eq(sz, g.edges.missing, 0));
}

/*
 * A function that a recorded call names was entered. If a document does not have it, it was lost.
 */
static size_t missing(const char *hits, struct globs *globs, const char *glob)
{
	size_t count;

	if (globs)
		cr_assert(eq(int, globs__add(globs, glob), 0));
	make(NULL, hits);
	count = g.edges.missing;
	end();
	begin();
	return count;
}

Test(edges, show_that_a_function_is_missing)
{
	static const char hits[] = "caller+10 / callee";
	struct filter *filter = &g.documents[0].filter;

	cr_expect(eq(sz, missing(hits, NULL, NULL), 1), "that the other document has it makes no difference");
	cr_expect(eq(sz, missing("caller+10 callee / callee", NULL, NULL), 0));
	cr_expect(eq(sz, missing(hits, &filter->deny, "cal*"), 0));
	cr_expect(eq(sz, missing(hits, &filter->allow, "jumped"), 0));
	cr_expect(eq(sz, missing(hits, &filter->own, "callee"), 0));
	g.documents[0].unattached = calloc(2, sizeof(char *));
	g.documents[0].unattached[0] = strdup("callee");
	cr_expect(eq(sz, missing(hits, NULL, NULL), 0));
}

Test(edges, lead_from_a_module_to_the_kernel)
{
	make("small", "small:of_module+10 small:of_module+15");
	cr_expect(eq(u64, *g.edges.nodes[number(NULL, "callee")].called, 1));
	cr_expect(eq(u64, *g.edges.nodes[number("small", "local")].called, 1));
	cr_expect(eq(u64, *g.edges.nodes[number("small", "of_module")].inside, 1));
	cr_expect(eq(sz, g.edges.missing, 2));
}

Test(edges, that_are_possible_come_from_modules_too)
{
	struct question q = {};
	struct caller_lines lines;
	size_t from_module = 0, ran = 0;

	make("small", "/ small:of_module");
	origins__read(&g.images);
	q.edges = &g.edges;
	lines = question__possible(&q, number(NULL, "callee"));
	for (size_t i = 0; i < lines.count; i++) {
		from_module += !strcmp(lines.list[i].other->name, "of_module");
		ran += node__ran(lines.list[i].ran, 1) && !node__ran(lines.list[i].ran, 0);
	}
	cr_expect(eq(sz, from_module, 1), "not the call that may be replaced");
	cr_expect(eq(sz, ran, 1));
	cr_expect(gt(sz, lines.count, 1), "those of the kernel are there as well");
	free(lines.list);
}

static enum origin origin(const char *name, const char *jump_in)
{
	const struct call *jump;
	enum origin origin = origins__of(&g.edges, number(NULL, name), &jump);

	cr_expect(eq(int, jump == NULL, jump_in == NULL), "%s", name);
	cr_expect(eq(int, jump_in && strcmp(jump->in->name, jump_in), 0), "%s", name);
	return origin;
}

Test(origins, explain_what_no_call_names)
{
	make(NULL, "callee jumped pointed in_data lonely unseen_target by_jump caller+10");
	origins__read(&g.images);
	cr_expect(eq(int, origin("callee", NULL), ORIGIN_CALLED));
	cr_expect(eq(int, origin("pointed", NULL), ORIGIN_POINTER));
	cr_expect(eq(int, origin("in_data", NULL), ORIGIN_POINTER));
	cr_expect(eq(int, origin("lonely", NULL), ORIGIN_UNKNOWN));
	cr_expect(eq(int, origin("unseen_target", NULL), ORIGIN_UNSEEN_JUMP));
	cr_expect(eq(int, origin("by_jump", "caller"), ORIGIN_JUMP));
	cr_expect(eq(int, origin("jumped", NULL), ORIGIN_UNTRACED_JUMP), "it is not known that quiet() ran");
	cr_expect(eq(int, origin("caller", NULL), ORIGIN_NONE));
}

Test(origins, of_what_is_exported_may_be_a_module_that_is_not_here)
{
	cr_redirect_stderr();
	make("nowhere", "callee lonely");
	origins__read(&g.images);
	cr_expect(eq(int, origin("callee", NULL), ORIGIN_MODULE_OR_OTHER), "the jump in __SCT__key as well");
	cr_expect(eq(int, origin("lonely", NULL), ORIGIN_UNKNOWN));
}

/* of_module() ends by a jump to local_too(), but a pointer or init text may have led there as well. */
Test(origins, in_a_module_are_not_guessed)
{
	const struct call *jump;

	make("small", "small:of_module+15 small:local small:local_too");
	origins__read(&g.images);
	cr_expect(eq(int, origins__of(&g.edges, number("small", "local_too"), &jump), ORIGIN_UNKNOWN));
	cr_expect(jump == NULL);
	cr_expect(eq(int, origins__of(&g.edges, number("small", "local"), &jump), ORIGIN_CALLED));
}

Test(edges, prove_functions_that_were_not_recorded)
{
	struct proved proved;

	make(NULL, "callee jumped caller+10 caller+15");
	proved = edges__proved(&g.edges, 0);
	cr_expect(eq(sz, proved.untraced, 1), "quiet() was called");
	cr_expect(eq(sz, proved.entered, 1), "caller() has calls in it");
	proved = edges__proved(&g.edges, 1);
	cr_expect(eq(sz, proved.untraced + proved.entered, 0));
	cr_expect(edges__ran(&g.edges, number(NULL, "quiet")));
	cr_expect(not(edges__ran(&g.edges, number(NULL, "lonely"))));
}

Test(images, of_another_build_are_refused)
{
	cr_redirect_stderr();
	/* The vmlinux is that of the first document. */
	g.documents[1].kernel.build_id[0] = 'f';
	cr_expect(eq(int, open_images(), -EINVAL), "the documents are of two builds");
	images__free(&g.images);
	g.documents[0].kernel.build_id[0] = 'f';
	cr_expect(eq(int, open_images(), -EINVAL), "vmlinux is of another one");
}

static void answer(const char *name, bool calls, void (*print)(const struct question *, FILE *))
{
	static const char *const labels[] = { "one", "two" };
	size_t function = number(NULL, name);
	struct question q = {
		.edges = &g.edges, .calls = calls, .functions = &function, .count = 1, .labels = labels,
	};

	question__find_lines(&q);
	PRINT(f, print(&q, f));
	source_lines__free(&q.lines);
	source_lines__free(&q.heads);
}

static void expect_answer(const char *name, bool calls, const char *const *expected)
{
	answer(name, calls, callers__text);
	for (; *expected; expected++)
		expect_text(*expected);
}

Test(callers, are_told_in_words)
{
	struct caller_lines possible;

	make(NULL, "callee by_jump caller+10 / caller+25 caller+27");
	origins__read(&g.images);
	expect_answer("callee", false, (const char *const[]){
		"CALLER", "one", "two", "caller+0x5", "yes  -", NULL });
	expect_answer("by_jump", false, (const char *const[]){
		"by_jump was entered by a jump at the end of another function (a tail call).",
		"There is such a jump in caller, which ran", NULL });
	expect_answer("lonely", false, (const char *const[]){
		"lonely was not recorded.", "In the kernel's files, no call and no jump names it", NULL });
	expect_answer("unseen_target", false, (const char *const[]){
		"unseen_target was not recorded.", "MAY ENTER IT", "unseen+0x5", "-   -", NULL });
	expect_answer("pointed", false, (const char *const[]){
		"pointed was not recorded.", "Its address is taken: a pointer may lead to it.", NULL });
	expect_answer("quiet", false, (const char *const[]){
		"quiet was not recorded; it ", "It may have run all the same", "caller+0xa", "yes  yes", NULL });
	possible = question__possible(&(struct question){ .edges = &g.edges }, number(NULL, "callee"));
	cr_expect(eq(sz, possible.count, 0), "it ran");
	possible = question__possible(&(struct question){ .edges = &g.edges }, number(NULL, "unseen_target"));
	cr_assert(eq(sz, possible.count, 1));
	cr_expect(possible.list[0].call->jump);
	free(possible.list);
	expect_answer("caller", false, (const char *const[]){
		"caller was not recorded, and ran: calls in it were.", NULL });
	expect_answer("caller", true, (const char *const[]){
		"(static call key)", "(by a pointer)", "-    yes",
		"Of the 1 calls in it that name a function that can be traced, 1 were recorded.", NULL });
}

Test(callers, have_a_document)
{
	make(NULL, "caller+25");
	answer("caller", true, callers__json);
	parse_text();
	cr_assert(eq(sz, json_object_array_length(at(object, "functions.0.calls")), 1));
	expect_at(object, "functions.0.calls.0.kind", "\"static\"");
	expect_at(object, "functions.0.calls.0.static_call", "\"key\"");
	expect_at(object, "functions.0.calls.0.name", "null");
	expect_at(object, "functions.0.proved.0", "true");
}

Test(callers, of_a_function_that_did_not_run_are_in_the_document)
{
	make(NULL, "unseen");
	origins__read(&g.images);
	answer("unseen_target", false, callers__json);
	parse_text();
	expect_at(object, "functions.0.address_taken", "false");
	cr_assert(eq(sz, json_object_array_length(at(object, "functions.0.possible")), 1));
	expect_at(object, "functions.0.possible.0.name", "\"unseen\"");
	expect_at(object, "functions.0.possible.0.kind", "\"jump\"");
	expect_at(object, "functions.0.possible.0.ran", "[true,false]");
	answer("unseen", false, callers__json);
	parse_text();
	cr_expect(eq(sz, json_object_array_length(at(object, "functions.0.possible")), 0), "it ran");
}

Test(graph, has_each_edge_once_and_says_what_is_only_proved)
{
	char part[64];

	make(NULL, "callee caller+10 caller.cold+5 caller+25");
	PRINT(f, graph__dot(&g.edges, f));
	snprintf(part, sizeof(part), "\tn%zu -> n%zu [label=2]\n", number(NULL, "caller"), number(NULL, "callee"));
	expect_text(part);
	snprintf(part, sizeof(part), "n%zu [label=\"caller\", style=dashed]", number(NULL, "caller"));
	expect_text(part);
	snprintf(part, sizeof(part), "n%zu [label=\"callee\"]", number(NULL, "callee"));
	expect_text(part);
	expect_no_text("lonely");
}

Test(graph, is_a_line_for_each_recorded_function_below_its_first_caller)
{
	/* The first caller is in of_module. */
	make("small", "caller small:of_module callee small:of_module+10 caller+10 pointed small:local small:of_module+15");
	origins__read(&g.images);
	PRINT(f, graph__folded(&g.edges, f));
	cr_expect(eq(str, text, "[unknown];of_module [small];callee 1\n[pointer];pointed 1\n[unknown];caller 1\n"
		     "[unknown];of_module [small];local [small] 1\n[unknown];of_module [small] 1\n"));
}
