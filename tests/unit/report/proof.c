// SPDX-License-Identifier: GPL-2.0
/* What recorded calls prove about functions that were not recorded, in the kernel of small_kernel.h. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <criterion/redirect.h>

#include "report/proof.h"
#include "report/report.h"
#include "small_kernel.h"

struct sample {
	char *directory, vmlinux[256];
	struct coverage document;
	const struct coverage *list[1];
};

static void begin(struct sample *s)
{
	memset(s, 0, sizeof(*s));
	s->directory = small_kernel();
	snprintf(s->vmlinux, sizeof(s->vmlinux), "%s/vmlinux", s->directory);
	cr_assert(eq(int, coverage__init(&s->document, "oneshot"), 0));
	s->document.kernel.build_id = strdup(SMALL_BUILD_ID);
	s->document.how.callers = true;
	s->list[0] = &s->document;
}

static void end(struct sample *s)
{
	coverage__free(&s->document);
	small_kernel__remove(s->directory);
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

static int add_call(const struct call *call, void *data)
{
	struct list *list = data;

	list->calls[list->count++] = *call;
	return 0;
}

/* outer() was entered, and the call in its inlined body number @which was executed: inner(), then twin(). */
static void record(struct sample *s, int which)
{
	struct hit hit = { .kind = HIT_FUNCTION, .name = "outer" };
	struct image *image;
	struct calls *calls;
	struct list list = {};

	cr_assert(eq(int, image__open(&image, s->vmlinux, NULL), 0));
	cr_assert(eq(int, calls__open(&calls, image), 0));
	calls__of(calls, function(image, "outer"), add_call, &list);
	cr_assert(ge(sz, list.count, 2));
	hit.link = function(image, "outer")->addr;
	cr_assert(eq(int, hits__add(&s->document.hits, &hit), 0));
	hit.link = function(image, "callee")->addr;
	hit.name = "callee";
	cr_assert(eq(int, hits__add(&s->document.hits, &hit), 0));
	hit = (struct hit){ .kind = HIT_CALLER, .name = "outer", .link = list.calls[which].returns_to };
	cr_assert(eq(int, hits__add(&s->document.hits, &hit), 0));
	calls__free(calls);
	image__free(image);
}

static struct source_marks marks(const struct proof *p, const char *name)
{
	size_t count;
	const struct source_function *list = inlines__sources(p->images.list[0].inlines, &count);

	for (size_t i = 0; i < count; i++) {
		if (!strcmp(list[i].name, name))
			return p->sources[0].marks[i];
	}
	cr_fatal("%s is no function of the source", name);
	return (struct source_marks){};
}

Test(proof, is_a_recorded_call_in_an_inlined_body)
{
	struct proof_totals totals;
	struct proof proof;
	struct sample s;

	begin(&s);
	record(&s, 0);
	cr_assert(eq(int, proof__make(&proof, s.list, 1, s.vmlinux), 0));
	cr_expect(eq(u64, marks(&proof, "outer").recorded, 1));
	cr_expect(eq(u64, marks(&proof, "inner").proved, 1));
	cr_expect(eq(u64, marks(&proof, "twin").proved, 0), "the call in its body was not recorded");
	cr_expect(eq(u64, marks(&proof, "twin").possible, 1));
	cr_expect(eq(u64, marks(&proof, "merely").proved, 0), "it calls nothing");
	cr_expect(eq(u64, marks(&proof, "merely").possible, 1));
	cr_expect(eq(u64, marks(&proof, "apart").proved | marks(&proof, "apart").possible, 0));
	totals = proof__totals(&proof, 0);
	/* outer, twin and apart can be traced; inner and merely were inlined. */
	cr_expect(eq(sz, totals.sources.all, 5));
	cr_expect(eq(sz, totals.sources.recorded, 1));
	cr_expect(eq(sz, totals.sources.proved, 1));
	cr_expect(eq(sz, totals.sources.possible, 2));
	proof__free(&proof);
	end(&s);
}

/* The body of inner() begins before that of twin(), and ends before its call. */
Test(proof, is_none_of_a_body_that_ended_before)
{
	struct proof proof;
	struct sample s;

	begin(&s);
	record(&s, 1);
	cr_assert(eq(int, proof__make(&proof, s.list, 1, s.vmlinux), 0));
	cr_expect(eq(u64, marks(&proof, "twin").proved, 1));
	cr_expect(eq(u64, marks(&proof, "inner").proved, 0));
	cr_expect(eq(u64, marks(&proof, "inner").possible, 1));
	proof__free(&proof);
	end(&s);
}

/* The row of a function whose own code was not entered. */
static struct row twin_of(int which, char **ret_unseen)
{
	struct sample s;
	struct proof proof;
	struct universe u;
	struct rows rows;
	struct function f = { .name = "twin" };
	struct row row;
	size_t length;
	FILE *out;

	begin(&s);
	record(&s, which);
	cr_assert(eq(int, proof__make(&proof, s.list, 1, s.vmlinux), 0));
	universe__init(&u);
	u.linked = true;
	f.addr = function(proof.images.list[0].image, "twin")->addr;
	cr_assert(eq(int, universe__add(&u, &f), 0));
	universe__settle(&u);
	cr_assert(eq(int, rows__make(&rows, &u, s.list, 1), 0));
	proof__mark(&proof, &rows);
	row = rows.list[0];
	out = open_memstream(ret_unseen, &length);
	report__list(&rows, LIST_UNSEEN, out);
	fclose(out);
	rows__free(&rows);
	universe__free(&u);
	proof__free(&proof);
	end(&s);
	return row;
}

Test(proof, takes_a_function_from_the_unseen_ones)
{
	struct row row;
	char *unseen;

	row = twin_of(1, &unseen);
	cr_expect(eq(u64, row.seen, 0));
	cr_expect(eq(u64, row.proved, 1));
	cr_expect(eq(u64, row.possible, 0));
	cr_expect(eq(str, unseen, ""));
	free(unseen);
	row = twin_of(0, &unseen);
	cr_expect(eq(u64, row.proved, 0));
	cr_expect(eq(u64, row.possible, 1));
	cr_expect(eq(str, unseen, "twin\tperhaps inlined\n"));
	free(unseen);
}

Test(proof, needs_callers)
{
	struct proof proof;
	struct sample s;

	begin(&s);
	s.document.how.callers = false;
	cr_redirect_stderr();
	cr_expect(eq(int, proof__make(&proof, s.list, 1, s.vmlinux), -EINVAL));
	proof__free(&proof);
	end(&s);
}
