// SPDX-License-Identifier: GPL-2.0
/* Edges of small documents of the kernel in small_kernel.h. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <criterion/redirect.h>

#include "report/callers.h"
#include "report/edges.h"
#include "report/graph.h"
#include "report/origins.h"
#include "small_kernel.h"

struct graph {
	char *directory;
	struct coverage documents[2];
	const struct coverage *list[2];
	struct images images;
	struct edges edges;
};

static void begin(struct graph *g)
{
	memset(g, 0, sizeof(*g));
	g->directory = small_kernel();
	for (int d = 0; d < 2; d++) {
		struct coverage *c = &g->documents[d];

		coverage__init(c, "oneshot");
		c->kernel.build_id = strdup(SMALL_BUILD_ID);
		c->kernel.release = strdup("6.12.0-small");
		c->kernel.offset_known = true;
		c->how.callers = true;
		g->list[d] = c;
	}
}

static int open_images(struct graph *g)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/vmlinux", g->directory);
	return images__open(&g->images, g->list, 2, path);
}

static size_t number(const struct graph *g, const char *module, const char *name)
{
	const struct image_of *of = images__get(&g->images, module);
	const struct image_function *const *list;
	size_t count;

	cr_assert(of && of->image, "%s", module);
	list = image__named(of->image, name, &count);
	cr_assert(list && count == 1, "%s", name);
	return images__number(of, list[0]);
}

/*
 * @into: for a caller, the offset in the function to which it returns; 0: the function was entered.
 */
static void add(struct graph *g, int d, const char *module, const char *name, unsigned int into)
{
	struct coverage *c = &g->documents[d];
	const struct image_of *of;
	struct hit hit = {
		.name = name, .module = module, .kind = into ? HIT_CALLER : HIT_FUNCTION, .into = into,
		.first_ns = c->hits.count,
	};
	uint64_t addr = images__function(&g->images, number(g, module, name), &of)->addr + into;

	if (module)
		hit.offset = addr;
	else
		hit.link = addr;
	hits__add(&c->hits, &hit);
}

static void make(struct graph *g)
{
	edges__make(&g->edges, &g->images, g->list, 2);
}

static void end(struct graph *g)
{
	edges__free(&g->edges);
	images__free(&g->images);
	for (int d = 0; d < 2; d++)
		coverage__free(&g->documents[d]);
	small_kernel__remove(g->directory);
}

static const struct edge *edge(const struct graph *g, const char *from, const char *to)
{
	size_t count, wanted = number(g, NULL, from);
	const size_t *list = edges__to(&g->edges, number(g, NULL, to), &count);

	for (size_t i = 0; i < count; i++) {
		if (g->edges.list[list[i]].from == wanted)
			return &g->edges.list[list[i]];
	}
	return NULL;
}

Test(edges, are_calls_that_name_their_callee)
{
	struct graph g;
	size_t count;

	begin(&g);
	cr_assert(eq(int, open_images(&g), 0));
	add(&g, 0, NULL, "callee", 0);
	for (unsigned int into = 10; into <= 25; into += 5)
		add(&g, 0, NULL, "caller", into);
	add(&g, 1, NULL, "callee", 0);
	add(&g, 1, NULL, "caller", 10);
	add(&g, 1, NULL, "caller", 17);		/* the retpoline, rewritten */
	add(&g, 1, NULL, "caller.cold", 5);
	make(&g);
	cr_expect(eq(sz, g.edges.count, 5), "a place in two documents is one");
	cr_expect(eq(u64, edge(&g, "caller", "callee")->seen, 3));
	cr_expect(eq(u64, edge(&g, "caller", "quiet")->seen, 1));
	cr_expect(eq(sz, g.edges.kinds[CALL_DIRECT], 3));
	cr_expect(eq(sz, g.edges.kinds[CALL_THUNK], 1));
	cr_expect(eq(sz, g.edges.kinds[CALL_STATIC], 1));
	cr_expect(eq(sz, g.edges.to_untraced, 1));
	edges__to(&g.edges, number(&g, NULL, "callee"), &count);
	cr_expect(eq(sz, count, 2), "the rare part is of the same function");
	edges__from(&g.edges, number(&g, NULL, "caller"), &count);
	cr_expect(eq(sz, count, 5));
	cr_expect(edges__from(&g.edges, number(&g, NULL, "callee"), &count) == NULL);
	cr_expect(eq(sz, g.edges.missing, 0));
	cr_expect(eq(sz, g.edges.unplaced, 0));
	end(&g);
}

/* The other address of the hit that was added last. @into: as for add() */
static void other(struct graph *g, int d, const char *module, const char *name, unsigned int into)
{
	struct hits *hits = &g->documents[d].hits;
	struct other *to = &hits->list[hits->count - 1].other;
	const struct image_of *of;
	uint64_t addr = images__function(&g->images, number(g, module, name), &of)->addr + into;

	*to = (struct other){ .name = name, .module = module, .into = into };
	if (module)
		to->offset = addr;
	else
		to->link = addr;
}

Test(edges, of_a_pointer_are_as_recorded)
{
	struct graph g;
	size_t count;

	begin(&g);
	cr_assert(eq(int, open_images(&g), 0));
	add(&g, 0, NULL, "callee", 0);
	add(&g, 0, NULL, "pointed", 0);
	add(&g, 0, NULL, "caller", 20);		/* the retpoline */
	other(&g, 0, NULL, "pointed", 0);
	add(&g, 0, NULL, "caller", 27);		/* by a pointer; what it entered is not known */
	add(&g, 1, NULL, "callee", 0);
	add(&g, 1, NULL, "caller", 20);		/* there the pointer was another one */
	other(&g, 1, NULL, "callee", 0);
	add(&g, 1, NULL, "caller", 27);
	other(&g, 1, NULL, "callee", 0);
	make(&g);
	cr_expect(eq(sz, g.edges.count, 4), "the same place with two callees is two, an unknown one included");
	cr_expect(eq(sz, g.edges.kinds[CALL_THUNK], 1));
	cr_expect(eq(sz, g.edges.kinds[CALL_INDIRECT], 1));
	cr_expect(eq(u64, edge(&g, "caller", "pointed")->seen, 1));
	cr_expect(eq(int, edge(&g, "caller", "pointed")->call.kind, CALL_THUNK));
	cr_expect(edge(&g, "caller", "pointed")->entered);
	edges__to(&g.edges, number(&g, NULL, "callee"), &count);
	cr_expect(eq(sz, count, 2));
	cr_expect(eq(u64, g.edges.nodes[number(&g, NULL, "callee")].called, 2));
	cr_expect(eq(sz, g.edges.missing, 0));
	end(&g);
}

/* From one place by its pointer, and by a jump of what that called; from another one by a jump of what it names. */
Test(edges, lead_to_each_function_from_its_first_caller)
{
	struct graph g;
	size_t count;

	begin(&g);
	cr_assert(eq(int, open_images(&g), 0));
	add(&g, 0, NULL, "callee", 0);
	other(&g, 0, NULL, "caller", 10);
	add(&g, 0, NULL, "caller", 10);		/* a call that names callee */
	other(&g, 0, NULL, "callee", 0);
	add(&g, 0, NULL, "jumped", 0);
	other(&g, 0, NULL, "caller", 15);
	add(&g, 0, NULL, "caller", 15);		/* a call that names quiet, which cannot be traced */
	other(&g, 0, NULL, "jumped", 0);
	add(&g, 0, NULL, "pointed", 0);
	other(&g, 0, NULL, "caller", 20);
	add(&g, 0, NULL, "by_jump", 0);
	other(&g, 0, NULL, "caller", 20);
	add(&g, 0, NULL, "caller", 20);
	other(&g, 0, NULL, "pointed", 0);
	add(&g, 0, NULL, "lonely", 0);
	/* The file of its caller is not there. */
	g.documents[0].hits.list[g.documents[0].hits.count - 1].other = (struct other){ .name = "x", .module = "gone" };
	make(&g);
	cr_expect(eq(sz, g.edges.count, 5));
	cr_expect(eq(sz, g.edges.kinds[CALL_DIRECT], 2));
	cr_expect(eq(sz, g.edges.kinds[CALL_THUNK], 1));
	cr_expect(not(edge(&g, "caller", "callee")->entered));
	cr_expect(not(edge(&g, "caller", "quiet")->entered));
	cr_expect(edge(&g, "caller", "jumped")->entered);
	cr_expect(edge(&g, "caller", "pointed") != NULL);
	cr_expect(edge(&g, "caller", "by_jump") != NULL);
	cr_expect(edges__to(&g.edges, number(&g, NULL, "lonely"), &count) == NULL);
	cr_expect(eq(sz, g.edges.unplaced, 0));
	cr_expect(eq(sz, g.edges.missing, 0));
	end(&g);
}

/*
 * A function that a recorded call names was entered. If a document does not have it, it was lost.
 */
static size_t missing(void (*change)(struct graph *g))
{
	struct graph g;
	size_t count;

	begin(&g);
	cr_assert(eq(int, open_images(&g), 0));
	add(&g, 0, NULL, "caller", 10);
	add(&g, 1, NULL, "callee", 0);
	if (change)
		change(&g);
	make(&g);
	count = g.edges.missing;
	end(&g);
	return count;
}

static void deny(struct graph *g)
{
	cr_assert(eq(int, globs__add(&g->documents[0].filter.deny, "cal*"), 0));
}

static void allow(struct graph *g)
{
	cr_assert(eq(int, globs__add(&g->documents[0].filter.allow, "jumped"), 0));
}

static void deny_own(struct graph *g)
{
	cr_assert(eq(int, globs__add(&g->documents[0].filter.own, "callee"), 0));
}

static void unattach(struct graph *g)
{
	g->documents[0].unattached = calloc(2, sizeof(char *));
	g->documents[0].unattached[0] = strdup("callee");
}

static void have(struct graph *g)
{
	add(g, 0, NULL, "callee", 0);
}

Test(edges, show_that_a_function_is_missing)
{
	cr_expect(eq(sz, missing(NULL), 1), "that the other document has it makes no difference");
	cr_expect(eq(sz, missing(have), 0));
	cr_expect(eq(sz, missing(deny), 0));
	cr_expect(eq(sz, missing(allow), 0));
	cr_expect(eq(sz, missing(deny_own), 0));
	cr_expect(eq(sz, missing(unattach), 0));
}

Test(edges, lead_from_a_module_to_the_kernel)
{
	struct graph g;

	begin(&g);
	covered_modules__add(&g.documents[0].modules, "small");
	cr_assert(eq(int, open_images(&g), 0));
	add(&g, 0, "small", "of_module", 10);
	add(&g, 0, "small", "of_module", 15);
	make(&g);
	cr_expect(eq(u64, g.edges.nodes[number(&g, NULL, "callee")].called, 1));
	cr_expect(eq(u64, g.edges.nodes[number(&g, "small", "local")].called, 1));
	cr_expect(eq(u64, g.edges.nodes[number(&g, "small", "of_module")].inside, 1));
	cr_expect(eq(sz, g.edges.missing, 2));
	end(&g);
}

Test(edges, that_are_possible_come_from_modules_too)
{
	struct question q = {};
	struct possible *list;
	size_t count, from_module = 0, ran = 0;
	struct graph g;

	begin(&g);
	covered_modules__add(&g.documents[0].modules, "small");
	cr_assert(eq(int, open_images(&g), 0));
	add(&g, 1, "small", "of_module", 0);
	make(&g);
	origins__read(&g.images);
	q.edges = &g.edges;
	list = question__possible(&q, number(&g, NULL, "callee"), &count);
	for (size_t i = 0; i < count; i++) {
		from_module += list[i].from == number(&g, "small", "of_module");
		ran += list[i].ran == 2;
	}
	cr_expect(eq(sz, from_module, 1), "not the call that may be replaced");
	cr_expect(eq(sz, ran, 1));
	cr_expect(gt(sz, count, 1), "those of the kernel are there as well");
	free(list);
	end(&g);
}

static enum origin origin(const struct graph *g, const char *name, const char *jump_in)
{
	const struct call *jump;
	enum origin origin = origins__of(&g->edges, number(g, NULL, name), &jump);

	cr_expect(eq(int, jump == NULL, jump_in == NULL), "%s", name);
	cr_expect(eq(int, jump_in && strcmp(jump->in->name, jump_in), 0), "%s", name);
	return origin;
}

Test(origins, explain_what_no_call_names)
{
	static const char *const recorded[] = {
		"callee", "jumped", "pointed", "in_data", "lonely", "unseen_target", "by_jump",
	};
	struct graph g;

	begin(&g);
	cr_assert(eq(int, open_images(&g), 0));
	for (size_t i = 0; i < sizeof(recorded) / sizeof(recorded[0]); i++)
		add(&g, 0, NULL, recorded[i], 0);
	add(&g, 0, NULL, "caller", 10);
	make(&g);
	origins__read(&g.images);
	cr_expect(eq(int, origin(&g, "callee", NULL), ORIGIN_CALLED));
	cr_expect(eq(int, origin(&g, "pointed", NULL), ORIGIN_POINTER));
	cr_expect(eq(int, origin(&g, "in_data", NULL), ORIGIN_POINTER));
	cr_expect(eq(int, origin(&g, "lonely", NULL), ORIGIN_UNKNOWN));
	cr_expect(eq(int, origin(&g, "unseen_target", NULL), ORIGIN_UNSEEN_JUMP));
	cr_expect(eq(int, origin(&g, "by_jump", "caller"), ORIGIN_JUMP));
	cr_expect(eq(int, origin(&g, "jumped", NULL), ORIGIN_UNTRACED_JUMP), "it is not known that quiet() ran");
	cr_expect(eq(int, origin(&g, "caller", NULL), ORIGIN_NONE));
	end(&g);
}

Test(origins, of_what_is_exported_may_be_a_module_that_is_not_here)
{
	struct graph g;

	begin(&g);
	covered_modules__add(&g.documents[0].modules, "nowhere");
	cr_redirect_stderr();
	cr_assert(eq(int, open_images(&g), 0));
	add(&g, 0, NULL, "callee", 0);
	add(&g, 0, NULL, "lonely", 0);
	make(&g);
	origins__read(&g.images);
	cr_expect(eq(int, origin(&g, "callee", NULL), ORIGIN_MODULE_OR_OTHER), "the jump in __SCT__key as well");
	cr_expect(eq(int, origin(&g, "lonely", NULL), ORIGIN_UNKNOWN));
	end(&g);
}

/* of_module() ends by a jump to local_too(), but a pointer or init text may have led there as well. */
Test(origins, in_a_module_are_not_guessed)
{
	const struct call *jump;
	struct graph g;

	begin(&g);
	covered_modules__add(&g.documents[0].modules, "small");
	cr_assert(eq(int, open_images(&g), 0));
	add(&g, 0, "small", "of_module", 15);
	add(&g, 0, "small", "local", 0);
	add(&g, 0, "small", "local_too", 0);
	make(&g);
	origins__read(&g.images);
	cr_expect(eq(int, origins__of(&g.edges, number(&g, "small", "local_too"), &jump), ORIGIN_UNKNOWN));
	cr_expect(jump == NULL);
	cr_expect(eq(int, origins__of(&g.edges, number(&g, "small", "local"), &jump), ORIGIN_CALLED));
	end(&g);
}

Test(edges, prove_functions_that_were_not_recorded)
{
	struct proved proved;
	struct graph g;

	begin(&g);
	cr_assert(eq(int, open_images(&g), 0));
	add(&g, 0, NULL, "callee", 0);
	add(&g, 0, NULL, "jumped", 0);
	add(&g, 0, NULL, "caller", 10);
	add(&g, 0, NULL, "caller", 15);
	make(&g);
	proved = edges__proved(&g.edges, 0);
	cr_expect(eq(sz, proved.untraced, 1), "quiet() was called");
	cr_expect(eq(sz, proved.entered, 1), "caller() has calls in it");
	proved = edges__proved(&g.edges, 1);
	cr_expect(eq(sz, proved.untraced + proved.entered, 0));
	cr_expect(edges__ran(&g.edges, number(&g, NULL, "quiet")));
	cr_expect(not(edges__ran(&g.edges, number(&g, NULL, "lonely"))));
	end(&g);
}

Test(images, of_another_build_are_refused)
{
	struct graph g;

	begin(&g);
	cr_redirect_stderr();
	/* The vmlinux is that of the first document. */
	g.documents[1].kernel.build_id[0] = 'f';
	cr_expect(eq(int, open_images(&g), -EINVAL), "the documents are of two builds");
	images__free(&g.images);
	g.documents[0].kernel.build_id[0] = 'f';
	cr_expect(eq(int, open_images(&g), -EINVAL), "vmlinux is of another one");
	end(&g);
}

/* The text of an answer, to be freed. */
static char *answer(struct graph *g, const char *name, bool calls, void (*print)(const struct question *, FILE *))
{
	static const char *const labels[] = { "one", "two" };
	size_t function = number(g, NULL, name), length;
	struct question q = {
		.edges = &g->edges, .calls = calls, .functions = &function, .count = 1, .labels = labels,
	};
	char *text;
	FILE *f = open_memstream(&text, &length);

	question__find_lines(&q);
	print(&q, f);
	fclose(f);
	source_lines__free(&q.lines);
	return text;
}

static void expect_text(struct graph *g, const char *name, bool calls, const char *const *expected)
{
	char *text = answer(g, name, calls, callers__text);

	for (; *expected; expected++)
		cr_expect(strstr(text, *expected) != NULL, "\"%s\" is not in:\n%s", *expected, text);
	free(text);
}

Test(callers, are_told_in_words)
{
	struct possible *possible;
	struct graph g;
	size_t count;

	begin(&g);
	cr_assert(eq(int, open_images(&g), 0));
	add(&g, 0, NULL, "callee", 0);
	add(&g, 0, NULL, "by_jump", 0);
	add(&g, 0, NULL, "caller", 10);
	add(&g, 1, NULL, "caller", 25);
	add(&g, 1, NULL, "caller", 27);
	make(&g);
	origins__read(&g.images);
	expect_text(&g, "callee", false, (const char *const[]){
		"CALLER", "one", "two", "caller+0x5", "yes  -", NULL });
	expect_text(&g, "by_jump", false, (const char *const[]){
		"by_jump was entered by a jump at the end of another function (a tail call).",
		"There is such a jump in caller, which ran", NULL });
	expect_text(&g, "lonely", false, (const char *const[]){
		"lonely was not recorded.", "In the kernel's files, no call and no jump names it", NULL });
	expect_text(&g, "unseen_target", false, (const char *const[]){
		"unseen_target was not recorded.", "MAY ENTER IT", "unseen+0x5", "-   -", NULL });
	expect_text(&g, "pointed", false, (const char *const[]){
		"pointed was not recorded.", "Its address is taken: a pointer may lead to it.", NULL });
	expect_text(&g, "quiet", false, (const char *const[]){
		"quiet was not recorded; it ", "It may have run all the same", "caller+0xa", "yes  yes", NULL });
	possible = question__possible(&(struct question){ .edges = &g.edges }, number(&g, NULL, "callee"), &count);
	cr_expect(eq(sz, count, 0), "it ran");
	possible = question__possible(&(struct question){ .edges = &g.edges }, number(&g, NULL, "unseen_target"), &count);
	cr_assert(eq(sz, count, 1));
	cr_expect(possible[0].call->jump);
	free(possible);
	expect_text(&g, "caller", false, (const char *const[]){
		"caller was not recorded, and ran: calls in it were.", NULL });
	expect_text(&g, "caller", true, (const char *const[]){
		"(static call key)", "(by a pointer)", "-    yes",
		"Of the 1 calls in it that name a function that can be traced, 1 were recorded.", NULL });
	end(&g);
}

/* The part of the document that is about this one function; *ret_root is to be put. */
static struct json_object *document(struct graph *g, const char *name, bool calls, struct json_object **ret_root)
{
	char *text = answer(g, name, calls, callers__json);
	struct json_object *root = json_tokener_parse(text);

	cr_assert(root != NULL, "%s", text);
	free(text);
	*ret_root = root;
	return json_object_array_get_idx(json__field(root, "functions"), 0);
}

Test(callers, have_a_document)
{
	struct json_object *root, *function, *calls;
	struct graph g;

	begin(&g);
	cr_assert(eq(int, open_images(&g), 0));
	add(&g, 0, NULL, "caller", 25);
	make(&g);
	function = document(&g, "caller", true, &root);
	calls = json__field(function, "calls");
	cr_assert(eq(sz, json_object_array_length(calls), 1));
	calls = json_object_array_get_idx(calls, 0);
	cr_expect(eq(str, (char *)json__text(json__field(calls, "kind")), "static"));
	cr_expect(eq(str, (char *)json__text(json__field(calls, "static_call")), "key"));
	cr_expect(json__field(calls, "name") == NULL);
	cr_expect(json_object_get_boolean(json_object_array_get_idx(json__field(function, "proved"), 0)));
	json_object_put(root);
	end(&g);
}

Test(callers, of_a_function_that_did_not_run_are_in_the_document)
{
	struct json_object *root, *function, *possible;
	struct graph g;

	begin(&g);
	cr_assert(eq(int, open_images(&g), 0));
	add(&g, 0, NULL, "unseen", 0);
	make(&g);
	origins__read(&g.images);
	function = document(&g, "unseen_target", false, &root);
	cr_expect(not(json_object_get_boolean(json__field(function, "address_taken"))));
	possible = json__field(function, "possible");
	cr_assert(eq(sz, json_object_array_length(possible), 1));
	possible = json_object_array_get_idx(possible, 0);
	cr_expect(eq(str, (char *)json__text(json__field(possible, "name")), "unseen"));
	cr_expect(eq(str, (char *)json__text(json__field(possible, "kind")), "jump"));
	cr_expect(json_object_get_boolean(json_object_array_get_idx(json__field(possible, "ran"), 0)));
	cr_expect(not(json_object_get_boolean(json_object_array_get_idx(json__field(possible, "ran"), 1))));
	json_object_put(root);
	function = document(&g, "unseen", false, &root);
	cr_expect(eq(sz, json_object_array_length(json__field(function, "possible")), 0), "it ran");
	json_object_put(root);
	end(&g);
}

static char *drawn(struct graph *g, void (*draw)(const struct edges *, FILE *))
{
	size_t length;
	char *text;
	FILE *f = open_memstream(&text, &length);

	draw(&g->edges, f);
	fclose(f);
	return text;
}

Test(graph, has_each_edge_once_and_says_what_is_only_proved)
{
	struct graph g;
	char *text, edge[64], node[64];

	begin(&g);
	cr_assert(eq(int, open_images(&g), 0));
	add(&g, 0, NULL, "callee", 0);
	add(&g, 0, NULL, "caller", 10);
	add(&g, 0, NULL, "caller.cold", 5);
	add(&g, 0, NULL, "caller", 25);
	make(&g);
	text = drawn(&g, graph__dot);
	snprintf(edge, sizeof(edge), "\tn%zu -> n%zu [label=2]\n", number(&g, NULL, "caller"), number(&g, NULL, "callee"));
	cr_expect(strstr(text, edge) != NULL, "%s", text);
	snprintf(node, sizeof(node), "n%zu [label=\"caller\", style=dashed]", number(&g, NULL, "caller"));
	cr_expect(strstr(text, node) != NULL, "%s", text);
	snprintf(node, sizeof(node), "n%zu [label=\"callee\"]", number(&g, NULL, "callee"));
	cr_expect(strstr(text, node) != NULL, "%s", text);
	cr_expect(strstr(text, "lonely") == NULL);
	free(text);
	end(&g);
}

Test(graph, is_a_line_for_each_recorded_function_below_its_first_caller)
{
	struct graph g;
	char *text;

	begin(&g);
	covered_modules__add(&g.documents[0].modules, "small");
	cr_assert(eq(int, open_images(&g), 0));
	add(&g, 0, NULL, "caller", 0);
	add(&g, 0, "small", "of_module", 0);
	add(&g, 0, NULL, "callee", 0);
	add(&g, 0, "small", "of_module", 10);	/* the first */
	add(&g, 0, NULL, "caller", 10);
	add(&g, 0, NULL, "pointed", 0);
	add(&g, 0, "small", "local", 0);
	add(&g, 0, "small", "of_module", 15);
	make(&g);
	origins__read(&g.images);
	text = drawn(&g, graph__folded);
	cr_expect(eq(str, text, "[unknown];of_module [small];callee 1\n[pointer];pointed 1\n[unknown];caller 1\n"
		     "[unknown];of_module [small];local [small] 1\n[unknown];of_module [small] 1\n"));
	free(text);
	end(&g);
}
