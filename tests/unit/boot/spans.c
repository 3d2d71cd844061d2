// SPDX-License-Identifier: GPL-2.0
/*
 * hytrace boot: finding the ends of calls if only their starts were recorded.
 */
#include "boot/boot_sample.h"

TestSuite(early_spans, .fini = free_boot);

/* @expected: "f0-3 g1-2", calls with starts and ends. The first @timeless calls have no time. */
static void expect_spans_after(size_t timeless, const char *calls, const char *expected)
{
	struct early_calls c = sample_calls(calls);

	c.timeless = timeless;
	fill_early(&c);
	print_spans();
	cr_expect(eq(str, text, (char *)expected), "%s", calls);
}

static void expect_spans(const char *calls, const char *expected)
{
	expect_spans_after(0, calls, expected);
}

Test(early_spans, nest)
{
	expect_spans("a<- b<a c<b d<a", "a0-3 b1-3 c2-3 d3-3");
	expect_spans("a<- b<a c<b d<b e<a f<a g<-", "a0-6 b1-4 c2-3 d3-4 e4-5 f5-6 g6-6");
	/* Recursion: the inner call of a is taken for the caller of the next calls. */
	expect_spans("a<- a<a b<a c<- a<c", "a0-3 a1-3 b2-3 c3-4 a4-4");
}

Test(early_spans, a_tail_call_takes_the_place_of_its_caller)
{
	/* g jumps to h, which returns to a. */
	expect_spans("a<- g<a x<g h<a y<h b<a", "a0-5 g1-3 x2-3 h3-5 y4-5 b5-5");
}

Test(early_spans, an_exception_ends_no_caller)
{
	/* An exception in the middle of c; its assembly is not traced. */
	expect_spans("a<- b<a c<b fault<asm fix<fault d<b e<a",
		     "a0-6 b1-6 c2-3 fault3-5 fix4-5 d5-6 e6-6");
	/* c goes on after the exception. */
	expect_spans("a<- b<a c<b fault<asm d<c e<a", "a0-5 b1-5 c2-5 fault3-4 d4-5 e5-5");
}

Test(early_spans, do_not_pile_up_where_callers_are_left_out)
{
	/* With ftrace_filter=f,g: the callers p and q are not traced. */
	expect_spans("f<p g<q f<p g<q f<p", "f0-1 g1-2 f2-3 g3-4 f4-4");
	/* A function that makes a call later has not returned. */
	expect_spans("f<p x<f g<q y<g z<f", "f0-4 x1-2 g2-4 y3-4 z4-4");
	/* But it may have returned if it was called again before. */
	expect_spans("f<p x<f g<q f<p z<f", "f0-2 x1-2 g2-3 f3-4 z4-4");
}

Test(early_spans, end_where_calls_were_lost)
{
	/* After the hole, a and b may be other calls than before. */
	expect_spans("a<- b<a c<b ... d<b e<a", "a0-2 b1-2 c2-2 d3-4 e4-4");
	/* A call by f after the hole does not keep f on the stack before the hole. */
	expect_spans("f<p x<f g<q ... y<f", "f0-2 x1-2 g2-2 y3-3");
}

Test(early_spans, the_longest_with_those_around_them)
{
	char *calls = PRINTED(f, fputs("a<- b<a", f);
			      for (int i = 0; i < 2100; i++)
				      fputs(" c<b", f));
	struct early_calls c = sample_calls(calls);

	fill_early(&c);
	print_spans();
	cr_expect(strncmp(text, "a0-2101 b1-2101 c2-3 ", 21) == 0, "%s", text);
	cr_expect(b.early.longest.count == 2000);
	free(calls);
}

Test(early_spans, of_calls_that_have_a_time)
{
	expect_spans_after(1, "a<- b<a c<b d<a", "b1-3 c2-3 d3-3");
	expect_spans_after(3, "a<- b<a c<b", "");
}
