// SPDX-License-Identifier: GPL-2.0
/* What recorded calls prove about functions that were not recorded, in the kernel of small_kernel.h. */
#include "printed.h"
#include "report/proof.h"
#include "report/report.h"
#include "small_kernel.h"

static struct sample {
	char *directory, vmlinux[256];
	struct coverage document, other;
	const struct coverage *list[2];
} s;

static struct proof proof;

static void begin(void)
{
	s.directory = small_kernel();
	snprintf(s.vmlinux, sizeof(s.vmlinux), "%s/vmlinux", s.directory);
	coverage__init(&s.document, "oneshot");
	s.document.kernel.build_id = strdup(SMALL_BUILD_ID);
	s.document.how.callers = true;
	s.list[0] = &s.document;
}

static void end(void)
{
	proof__free(&proof);
	coverage__free(&s.document);
	small_kernel__remove(s.directory);
	free_printed();
	memset(&s, 0, sizeof(s));
}

TestSuite(proof, .init = begin, .fini = end);

static void begin_anew(void)
{
	end();
	begin();
}

static void make(size_t documents)
{
	cr_assert(eq(int, proof__make(&proof, s.list, documents, s.vmlinux), 0));
}

static const struct image_function *function(const struct image *image, const char *name)
{
	size_t count;
	const struct image_function *const *list = image__named(image, name, &count);

	cr_assert(list && count == 1, "%s", name);
	return list[0];
}

struct list {
	struct call calls[16];
	size_t count;
};

static void add_call(const struct call *call, void *data)
{
	struct list *list = data;

	list->calls[list->count++] = *call;
}

/* outer() was entered, and the call in its inlined body number @which was executed: inner(), then twin(). */
static void record(int which)
{
	struct hit hit = { .kind = HIT_FUNCTION, .name = "outer" };
	struct image *image;
	struct calls *calls;
	struct list list = {};

	cr_assert(eq(int, image__open(&image, s.vmlinux, NULL), 0));
	calls = calls__open(image);
	calls__of(calls, function(image, "outer"), add_call, &list);
	cr_assert(ge(sz, list.count, 2));
	hit.link = function(image, "outer")->addr;
	hits__add(&s.document.hits, &hit);
	hit.link = function(image, "callee")->addr;
	hit.name = "callee";
	hits__add(&s.document.hits, &hit);
	hit = (struct hit){ .kind = HIT_CALLER, .name = "outer", .link = list.calls[which].returns_to };
	hits__add(&s.document.hits, &hit);
	calls__free(calls);
	image__free(image);
}

/* The recordings with each mark, as bits. */
struct source_marks {
	uint64_t recorded, proved, possible, unknown;
};

static struct source_marks marks(const char *name)
{
	const struct sets *sets = &proof.sources[0].marks;
	size_t count;
	const struct source_function *list = inlines__sources(proof.images.list[0].inlines, &count);

	for (size_t i = 0; i < count; i++) {
		if (!strcmp(list[i].name, name))
			return (struct source_marks){
				*sets__at(sets, i * SOURCE_MARKS + MARK_OF_RECORD),
				*sets__at(sets, i * SOURCE_MARKS + MARK_OF_PROOF),
				*sets__at(sets, i * SOURCE_MARKS + MARK_OF_COPY),
				*sets__at(sets, i * SOURCE_MARKS + MARK_OF_SILENCE),
			};
	}
	cr_fatal("%s is no function of the source", name);
	return (struct source_marks){};
}

Test(proof, is_a_recorded_call_in_an_inlined_body)
{
	struct proof_totals totals;

	record(0);
	make(1);
	cr_expect(eq(u64, marks("outer").recorded, 1));
	cr_expect(eq(u64, marks("inner").proved, 1));
	cr_expect(eq(u64, marks("twin").proved, 0), "the call in its body was not recorded");
	cr_expect(eq(u64, marks("twin").possible, 1));
	cr_expect(eq(u64, marks("merely").proved, 0), "it calls nothing");
	cr_expect(eq(u64, marks("merely").possible, 1));
	cr_expect(eq(u64, marks("apart").proved | marks("apart").possible, 0));
	totals = proof__totals(&proof, 0);
	/* outer, twin and apart can be traced; inner and merely were inlined. */
	cr_expect(eq(sz, totals.sources.all, 5));
	cr_expect(eq(sz, totals.sources.recorded, 1));
	cr_expect(eq(sz, totals.sources.proved, 1));
	cr_expect(eq(sz, totals.sources.possible, 2));
	cr_expect(eq(sz, totals.sources.unknown, 0), "nothing is inlined into what leaves no record");
}

/* The body of inner() begins before that of twin(), and ends before its call. */
Test(proof, is_none_of_a_body_that_ended_before)
{
	record(1);
	make(1);
	cr_expect(eq(u64, marks("twin").proved, 1));
	cr_expect(eq(u64, marks("inner").proved, 0));
	cr_expect(eq(u64, marks("inner").possible, 1));
}

/* The row of a function whose own code was not entered. */
static struct row twin_of(int which)
{
	struct universe u;
	struct rows rows;
	struct function f = { .name = "twin" };
	struct row row;

	begin_anew();
	record(which);
	make(1);
	universe__init(&u);
	u.linked = true;
	f.addr = function(proof.images.list[0].image, "twin")->addr;
	universe__add(&u, &f);
	universe__settle(&u);
	rows__make(&rows, &u, s.list, 1);
	proof__mark(&proof, &rows);
	row = rows.list[0];
	PRINT(out, report__list(&rows, &(struct report_form){ .which = LIST_UNSEEN }, out));
	rows__free(&rows);
	universe__free(&u);
	return row;
}

Test(proof, lists_functions_without_a_row)
{
	struct proved_source *list;
	struct universe u;
	struct rows rows;
	size_t count;

	record(0);
	make(1);
	universe__init(&u);
	rows__make(&rows, &u, s.list, 1);
	list = proof__sources(&proof, &rows, &count);
	cr_assert(eq(sz, count, 1));
	cr_expect(eq(str, (char *)list[0].f->name, "inner"));
	cr_expect(eq(str, (char *)list[0].f->file, "init/main.c"));
	cr_expect(eq(uint, list[0].f->line, 2));
	cr_expect(proved_source__has(&list[0], 0));
	free(list);
	PRINT(out, report__list(&rows, &(struct report_form){ .proof = &proof }, out));
	cr_expect(strstr(text, "*\tinner\tinit/main.c:2\tinlined\n") != NULL, "%s", text);
	rows.where = "fs";
	cr_expect(proof__sources(&proof, &rows, &count) == NULL);
	rows.where = "init";
	list = proof__sources(&proof, &rows, &count);
	cr_expect(eq(sz, count, 1));
	free(list);
	rows__free(&rows);
	universe__free(&u);
}

/* twin() has a row. Its body in outer() is proved, and the row says so. */
Test(proof, lists_no_function_twice)
{
	struct row row = twin_of(1);
	struct rows rows = { .list = &row, .all = 1, .count = 1, .columns = 1, .documents = s.list };
	unsigned char mark = VERDICT_NOT_CALLED | MARK_ASKED | MARK_PROVED;
	size_t count;

	row.marks = &mark;
	row.f = &(struct function){ .name = "twin", .addr = function(proof.images.list[0].image, "twin")->addr };
	cr_expect(proof__sources(&proof, &rows, &count) == NULL);
	cr_expect(eq(sz, count, 0));
	PRINT(out, report__list(&rows, &(struct report_form){ .proof = &proof }, out));
	cr_expect(eq(str, text, "*\ttwin\n"));
}

Test(proof, takes_a_function_from_the_unseen_ones)
{
	struct row row;

	row = twin_of(1);
	cr_expect(eq(u64, row.seen, 0));
	cr_expect(eq(u64, row.proved, 1));
	cr_expect(eq(u64, row.possible, 0));
	cr_expect(eq(str, text, ""));
	row = twin_of(0);
	cr_expect(eq(u64, row.proved, 0));
	cr_expect(eq(u64, row.possible, 1));
	cr_expect(eq(str, text, "twin\tperhaps inlined\n"));
}

/* GCC leaves one code for the ends of first() and second(), in the body of one of them. */
static const char joined_source[] =
	"void callee(void);\n"
	"void callee_of(int a, int b, int c);\n"
	"int apart(int x);\n"
	"int twin(int x);\n"
	"#define END callee_of(1, 2, 3); callee(); callee_of(4, 5, 6); return x\n"
	"static inline __attribute__((always_inline)) int first(int x) { x = apart(x); END; }\n"
	"static inline __attribute__((always_inline)) int second(int x) { x = twin(x); END; }\n"
	"__attribute__((noipa)) void callee_of(int a, int b, int c) { callee(); }\n"
	"int joined(int x) { return x > 5 ? first(x) : second(x); }\n"
	/* As the kernel's static branches: what is at the label is reached when the instruction has become a jump. */
	"static inline __attribute__((always_inline)) int keyed(int x)\n"
	"{ asm goto (\"nop\" : : : : slow); return x; slow: callee(); return x + 1; }\n"
	"int branched(int x) { return keyed(x); }\n"
	"static inline __attribute__((always_inline)) int third(int x) { x = apart(x); callee(); return x; }\n"
	/* The end of second() is all of whole(), as are some lines of plain(); a static branch leads into what a call leads to. */
	"static inline __attribute__((always_inline)) int whole(int x) { END; }\n"
	"int swapped(int x) { return x > 5 ? second(x) : whole(x); }\n"
	"int plain(int x) { if (x <= 5) { x = twin(x); END; } apart(x); return whole(x); }\n"
	"static inline __attribute__((always_inline)) int fourth(int x) { x = twin(x); END; }\n"
	"static inline __attribute__((always_inline)) int fifth(int x) { x = apart(x); END; }\n"
	"int switched(int x)\n"
	"{ asm goto (\"1: .byte 0x0f, 0x1f, 0x44, 0, 0; .pushsection __jump_table, \\\"aw\\\"; .balign 8; .long 1b - ., %l0 - .; .quad 0; .popsection\"\n"
	"  : : : : slow); if (0) { slow: return fourth(x); } if (x > 5) return fifth(x); return x; }\n"
	/* Rare code, which GCC puts into a part of its own. */
	"__attribute__((cold, noipa)) void rare_call(int a) { callee(); }\n"
	"int parted(int x) { if (x > 9) { rare_call(1); return fourth(x); } return x; }\n"
	"__attribute__((indirect_branch(\"thunk-extern\")))\n"
	"int by_thunk(int x)\n"
	"{ static void *const to[] = { &&a, &&b }; void *at = to[x & 1]; if (x > 9) return third(x);\n"
	"  asm volatile (\"\" : \"+a\" (at)); goto *at; a: return x + 1; b: return twin(3) + 1; }\n"
	"int by_table(int x)\n"
	"{ static void *const to[] = { &&a, &&b }; if (x > 9) return third(x); goto *to[x & 1]; a: return x + 1; b: return twin(3) + 1; }\n";

/* The first call of @callee in joined_source's function @name was executed. */
static void record_of(const char *name, const char *callee)
{
	struct hit hit = { .kind = HIT_CALLER, .name = (char *)name };
	char command[1024];
	struct image *image;
	struct calls *calls;
	struct list list = {};

	begin_anew();
	small_write(s.directory, "joined.c", joined_source, "");
	snprintf(command, sizeof(command), "cd %s && gcc " SMALL_CFLAGS " -c -o joined.o joined.c && "
		 "gcc -nostdlib -static -no-pie -Wl,--no-warn-rwx-segments,--build-id=0x%s,-e,0,-T,vmlinux.lds -o vmlinux "
		 "vmlinux.S main.o joined.o", s.directory, SMALL_BUILD_ID);
	cr_assert(system(command) == 0, "%s", command);
	cr_assert(eq(int, image__open(&image, s.vmlinux, NULL), 0));
	calls = calls__open(image);
	calls__of(calls, function(image, name), add_call, &list);
	for (size_t i = 0; i < list.count && !hit.link; i++) {
		if (list.calls[i].name && !strcmp(list.calls[i].name, callee))
			hit.link = list.calls[i].returns_to;
	}
	cr_assert(ne(u64, hit.link, 0), "%s", name);
	hits__add(&s.document.hits, &hit);
	calls__free(calls);
	image__free(image);
}

Test(proof, is_none_of_a_body_whose_end_is_that_of_another_one_too)
{
	static const char *const calls[] = { "apart", "callee", "twin" };

	for (size_t which = 0; which < 3; which++) {
		record_of("joined", calls[which]);
		make(1);
		cr_expect(eq(u64, marks("joined").proved, 1));
		cr_expect(eq(u64, marks("first").proved, which == 0), "%s", calls[which]);
		cr_expect(eq(u64, marks("second").proved, which == 2), "%s", calls[which]);
		cr_expect(eq(u64, marks("keyed").possible, 0), "branched() did not run");
	}
}

Test(proof, is_none_if_a_way_to_the_call_is_not_known)
{
	static const struct { const char *function, *body, *callee; } bodies[] = {
		{ "branched", "keyed", "callee" }, { "by_table", "third", "callee" }, { "by_thunk", "third", "callee" },
		{ "swapped", "whole", "callee" }, { "plain", "whole", "callee" }, { "switched", "fifth", "callee" },
	};

	for (size_t i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++) {
		record_of(bodies[i].function, bodies[i].callee);
		make(1);
		cr_expect(eq(u64, marks(bodies[i].function).proved, 1));
		cr_expect(eq(u64, marks(bodies[i].body).proved, 0), "%s", bodies[i].body);
	}
}

Test(proof, is_a_call_in_rare_code_that_is_apart)
{
	record_of("parted.cold", "twin");
	make(1);
	cr_expect(eq(u64, marks("parted").proved, 1));
	cr_expect(eq(u64, marks("fourth").proved, 1));
}

/* Each of two documents has another call, and the second one was only asked for outer(). */
Test(proof, is_of_the_document_with_the_call)
{
	record(0);
	s.other = s.document;
	memset(&s.document, 0, sizeof(s.document));
	coverage__init(&s.document, "oneshot");
	s.document.kernel.build_id = strdup(SMALL_BUILD_ID);
	s.document.how.callers = true;
	cr_assert(eq(int, globs__add(&s.document.filter.allow, "callee"), 0));
	record(1);
	s.list[1] = &s.other;
	make(2);
	cr_expect(eq(u64, marks("inner").proved, 2));
	cr_expect(eq(u64, marks("twin").proved, 1));
	cr_expect(eq(u64, marks("apart").unknown, 1));
	coverage__free(&s.other);
}

/* If only callee() is asked for, what is inlined into outer() leaves no record. */
Test(proof, what_is_inlined_into_what_leaves_no_record_is_in_the_bound)
{
	cr_assert(eq(int, globs__add(&s.document.filter.allow, "callee"), 0));
	make(1);
	cr_expect(eq(u64, marks("inner").unknown, 1));
	cr_expect(eq(u64, marks("merely").unknown, 1));
}

/* If only outer() is asked for, all other functions leave no record. */
Test(proof, what_leaves_no_record_is_in_the_bound)
{
	struct proof_totals totals;

	record(0);
	cr_assert(eq(int, globs__add(&s.document.filter.allow, "outer"), 0));
	make(1);
	totals = proof__totals(&proof, 0);
	cr_expect(eq(sz, totals.sources.recorded + totals.sources.proved + totals.sources.possible + totals.sources.unknown,
		     totals.sources.all));
	cr_expect(eq(u64, marks("apart").unknown, 1), "it has code of its own");
	cr_expect(eq(u64, marks("outer").unknown, 0));
}

Test(proof, needs_callers)
{
	s.document.how.callers = false;
	cr_redirect_stderr();
	cr_expect(eq(int, proof__make(&proof, s.list, 1, s.vmlinux), -EINVAL));
}
