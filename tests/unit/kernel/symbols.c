// SPDX-License-Identifier: GPL-2.0
/* What the loader knows about the kernel: symbols, traceable functions, vmcoreinfo, filters. */

#include "document/filter.h"
#include "kernel/running.h"
#include "kernel/sample.h"
#include "kernel/symbols.h"
#include "put_file.h"

static struct symbols *s;
static struct traceable *t;

static void begin(void)
{
	s = sample_symbols();
	t = sample_functions(s);
}

static void end(void)
{
	traceable__free(t);
	symbols__free(s);
}

TestSuite(symbols, .init = begin, .fini = end);
TestSuite(traceable, .init = begin, .fini = end);
TestSuite(filter, .init = begin, .fini = end);

Test(symbols, finds_the_function_that_holds_an_address)
{
	expect_str(symbols__find(s, 0xffffffff82000200)->name, "vfs_write");
	expect_str(symbols__find(s, 0xffffffff820002ff)->name, "vfs_write");
	cr_expect(symbols__find(s, 0xffffffff81ffffff) == NULL, "before the first");
	cr_expect(symbols__find(s, 0xfffffffff0000000) == NULL, "far after the last");
}

Test(symbols, one_of_several_names_and_always_the_same)
{
	expect_str(symbols__find(s, 0xffffffff82000150)->name, "alias_of_vfs_read");
}

Test(symbols, data_is_not_text)
{
	cr_expect(symbols__by_name(s, "some_data") == NULL);
	cr_expect(symbols__by_name(s, "_stext")->addr == 0xffffffff82000000);
}

Test(symbols, knows_modules_and_generated_code)
{
	size_t count;

	expect_str(symbols__find(s, 0xffffffffc0400110)->module, "mod_two");
	cr_expect(symbols__module(s, "mod_two")->base == 0xffffffffc0400000);
	cr_expect(symbols__module(s, "mod_two")->live);
	cr_expect(not(symbols__module(s, "mod_going")->live));
	cr_expect(symbols__module(s, "mod") == NULL);
	symbols__modules(s, &count);
	cr_expect(count == 2);
	cr_expect(symbol__is_generated(symbols__find(s, 0xffffffffc0500010)));
	cr_expect(symbol__is_generated(symbols__find(s, 0xffffffffc0600010)));
	cr_expect(not(symbol__is_generated(symbols__find(s, 0xffffffffc0400010))));
}

Test(symbols, a_module_has_stayed_if_it_was_and_is_live_at_one_place)
{
	static const char live[] = "m 4096 0 - Live 0xffffffffc0400000\n";
	static const struct {
		const char *before, *now;
		bool stayed;
	} cases[] = {
		{ live, live, true }, { live, "m 4096 0 - Live 0xffffffffc0500000\n", false },
		{ live, "m 4096 0 - Unloading 0xffffffffc0400000\n", false },
		{ live, "other 4096 0 - Live 0xffffffffc0400000\n", false },
		{ "m 4096 0 - Loading 0xffffffffc0400000\n", live, false },
		{ "other 4096 0 - Live 0xffffffffc0400000\n", live, false },
	};

	for_each(c, cases) {
		struct symbols *before = symbols_of(sample_kallsyms, c->before);
		struct symbols *now = symbols_of(sample_kallsyms, c->now);

		cr_expect(symbols__module_stayed(before, now, "m") == c->stayed, "%s", c->now);
		symbols__free(before);
		symbols__free(now);
	}
}

Test(symbols, whether_init_has_ended_may_not_be_known)
{
	cr_expect(module__has_ended_init("no-such-module") == -ENOENT);
}

Test(symbols, hold_while_the_modules_do)
{
	autofclose FILE *kallsyms = sample_file(sample_kallsyms), *modules = fopen("/proc/modules", "re");
	struct symbols *now = NULL;

	cr_assert(symbols__read(&now, kallsyms, modules) == 0);
	cr_expect(symbols__hold(now));
	cr_expect(not(symbols__hold(s)), "this machine has not the module mod_two");
	symbols__free(now);
}

Test(symbols, hidden_addresses_are_not_permitted)
{
	autofclose FILE *f = sample_file("0000000000000000 T _stext\n0000000000000000 T vfs_read\n");
	struct symbols *s = NULL;

	cr_expect(symbols__read(&s, f, NULL) == -EPERM);
	cr_expect(s == NULL);
}

Test(text_list, addresses)
{
	static const struct {
		const char *line;
		uint64_t addr;
		char next;
	} cases[] = {
		{ "ffffffff81000004 T", 0xffffffff81000004, ' ' },
		{ "0123456789abcdef", 0x0123456789abcdef, '\0' }, { "ABCDEFg", 0xabcdef, 'g' },
		{ "12/", 0x12, '/' }, { "12:", 0x12, ':' }, { "12@", 0x12, '@' }, { "12`", 0x12, '`' },
		{ "\xff", 0, '\xff' }, { "", 0, '\0' }, { " 1", 0, ' ' },
	};

	for_each(c, cases) {
		char *end;

		cr_expect(eq(u64, text_list__address(c->line, &end), c->addr));
		cr_expect(end[0] == c->next, "after the digits of \"%s\"", c->line);
	}
}

static unsigned int compared;

static int by_value(const void *a, const void *b)
{
	const unsigned int *x = a, *y = b;

	compared++;
	return *x < *y ? -1 : *x > *y;
}

/* A list of the numbers from 0 on, in another order */
static void sorts(unsigned int *list, size_t count)
{
	text_list__sort(list, count, sizeof(*list), by_value);
	for (size_t i = 0; i < count; i++)
		cr_assert(list[i] == i, "%zu of %zu", i, count);
}

/* With the numbers below @from at the end, and @swapped pairs of neighbours swapped */
static void sorts_turned(size_t count, size_t from, size_t swapped)
{
	unsigned int list[1000];

	for (size_t i = 0; i < count; i++) {
		size_t at = (i | 1) < count && i / 2 < swapped ? i ^ 1 : i;

		list[at] = (i + from) % count;
	}
	sorts(list, count);
}

Test(text_list, any_order_is_sorted)
{
	/* Around the distance over which an element is moved. */
	for (size_t from = 0; from < 1000; from += from < 70 ? 1 : 93)
		sorts_turned(1000, from, from % 3 ? 500 : 0);
	for (size_t count = 0; count < 70; count++)
		sorts_turned(count, count / 2, count / 3);
}

Test(text_list, a_rest_that_lies_higher_is_sorted_alone)
{
	unsigned int list[200];

	/* 0 to 99; 199 down to 100. */
	for (unsigned int i = 0; i < 200; i++)
		list[i] = i < 100 ? i : 299 - i;
	sorts(list, 200);
}

/*
 * A list in order except for neighbours needs a comparison for each element, and one for each pair.
 */
Test(text_list, what_is_in_order_is_not_sorted_again)
{
	sorts_turned(1000, 0, 500);
	cr_expect(compared <= 1500, "%u comparisons", compared);
}

static ssize_t fail_to_read(void *context, char *buffer, size_t size)
{
	errno = EIO;
	return -1;
}

static int count_lines(void *context, char *line)
{
	return ++*(int *)context == 2 ? -E2BIG : 0;
}

Test(text_list, what_cannot_be_read_and_what_is_refused)
{
	autofclose FILE *broken = fopencookie(NULL, "r", (cookie_io_functions_t){ .read = fail_to_read });
	autofclose FILE *f = sample_file("a\nb\nc\n");
	int lines = 0;

	cr_expect(text_list__read(broken, count_lines, &lines) == -EIO);
	cr_expect(lines == 0);
	cr_expect(text_list__read(f, count_lines, &lines) == -E2BIG);
	cr_expect(lines == 2, "none after the one that was refused");
}

Test(traceable, sites_and_entries)
{
	cr_expect(traceable__count(t) == 8);
	cr_expect(traceable__find(t, 0xffffffff82000104)->entry == 0xffffffff82000100);
	cr_expect(traceable__find(t, 0xffffffff82000100)->site == 0xffffffff82000104);
	cr_expect(traceable__find(t, 0xffffffff82000500)->entry == 0xffffffff82000500);
	cr_expect(traceable__find(t, 0xffffffff82000106) == NULL);
	cr_expect(traceable__find(t, 0xffffffffffffffff) == NULL);
	expect_str(traceable__find(t, 0xffffffffc0400004)->module, "mod_two");
}

Test(traceable, weak_functions_that_are_gone_do_not_count)
{
	cr_expect(traceable__find(t, 0xffffffff82000550) == NULL);
}

/*
 * Of a list without addresses: "name at offset" of each function, and then those that are
 * ambiguous.
 */
static void by_name(const char *kallsyms, const char *list, const char *wanted, const char *wanted_ambiguous)
{
	const struct traceable_function *ambiguous;
	struct symbols *s = symbols_of(kallsyms, NULL);
	autofclose FILE *names = sample_file(list);
	struct traceable *t = NULL;
	char *got, *got_ambiguous;
	size_t count;

	cr_assert(not(traceable__read_names(&t, names, s)));
	got = PRINTED(out, for (size_t i = 0; i < traceable__count(t); i++) {
		const struct traceable_function *f = traceable__at(t, i);

		fprintf(out, "%zu %s %x%s%s\n", f->number, f->name, (unsigned int)f->entry, f->module ? " " : "", f->module ?: "");
		cr_expect(eq(u64, f->site, f->entry));
	});
	expect_str(got, wanted);
	ambiguous = traceable__ambiguous(t, &count);
	got_ambiguous = PRINTED(out, for (const struct traceable_function *f = ambiguous; f < ambiguous + count; f++)
		fprintf(out, "%zu %s%s%s\n", f->number, f->name, f->module ? " " : "", f->module ?: ""));
	expect_str(got_ambiguous, wanted_ambiguous);
	free(got);
	free(got_ambiguous);
	traceable__free(t);
	symbols__free(s);
}

#define NAMESAKES "10 T a\n20 t dup\n30 T b\n40 t dup\n50 t dup\n60 T c\n70 t dup\n"

Test(traceable, by_name_and_order)
{
	by_name(NAMESAKES, "a\ndup\nb\ndup\ndup\nc\n", "1 a 10\n2 dup 20\n3 b 30\n4 dup 40\n5 dup 50\n6 c 60\n", "");
	by_name(NAMESAKES, "a\nb\nc\ndup\n", "1 a 10\n2 b 30\n3 c 60\n4 dup 70\n", "");
}

Test(traceable, of_several_symbols_that_it_may_be_none)
{
	by_name(NAMESAKES, "a\ndup\nb\ndup\nc\n", "1 a 10\n2 dup 20\n3 b 30\n5 c 60\n", "4 dup\n");
	by_name(NAMESAKES, "dup\ndup\nnowhere\nc\n", "4 c 60\n", "1 dup\n2 dup\n3 nowhere\n");
	by_name(NAMESAKES, "dup\ndup\ndup\nc\n", "1 dup 20\n2 dup 40\n3 dup 50\n4 c 60\n", "");
}

Test(traceable, by_name_in_modules)
{
	by_name("10 T a\n20 t dup\n100 t dup\t[m]\n110 T a\t[m]\n120 t dup\t[m]\n200 t dup\t[n]\n",
		"a\ndup\ndup [m]\n__ftrace_invalid_address___4 [m]\na [m]\ndup [n]\n",
		"1 a 10\n2 dup 20\n3 dup 100 m\n5 a 110 m\n6 dup 200 n\n", "");
	by_name("10 T a\n20 t dup\t[m]\n30 t dup\t[m]\n", "a\ndup [m]\n", "1 a 10\n", "2 dup m\n");
}

Test(traceable, an_empty_list_is_not_supported)
{
	struct traceable *t = NULL;
	autofclose FILE *f = sample_file("");

	cr_expect(traceable__read(&t, f, s) == -EOPNOTSUPP);
}

static const struct {
	const char *typed, *meant;
} typos[] = {
	{ "vfs_raed", "vfs_read" },	/* two letters swapped */
	{ "vfs_rea", "vfs_read" },	/* one missing */
	{ "vfs_wwrite", "vfs_write" },	/* one too many */
	{ "vfs_wrote", "vfs_write" },	/* a wrong one */
	{ "no_endbx", "no_endbr" }, { "something_else_entirely", NULL }, { "x", NULL },
	{ "", NULL },
};

Test(traceable, offers_the_name_that_was_meant)
{
	for_each(one, typos) {
		const char *similar = traceable__similar(t, one->typed);

		expect_str(similar ?: "none", one->meant ?: "none", "%s", one->typed);
	}
}

Test(vmcoreinfo, finds_the_offset)
{
	static const char text[] = "OSRELEASE=6.12.0\nPAGESIZE=4096\nKERNELOFFSET=1c00000\nX=1\n";
	uint64_t offset = 0;

	cr_expect(vmcoreinfo__offset(text, strlen(text), &offset));
	cr_expect(offset == 0x1c00000);
	cr_expect(vmcoreinfo__offset(text, strlen("OSRELEASE=6.12.0\n"), &offset) == false);
	cr_expect(vmcoreinfo__offset("KERNELOFFSET=", 13, &offset) == false);
	cr_expect(vmcoreinfo__offset("KERNELOFFSET=0", 14, &offset) && offset == 0);
	cr_expect(vmcoreinfo__offset("", 0, &offset) == false);
}

static const struct {
	const char *glob, *name, *module;
	int matches;
} globs[] = {
	{ "vfs_read", "vfs_read", NULL, 1 }, { "vfs_read", "vfs_readv", NULL, 0 },
	{ "vfs_*", "vfs_read", NULL, 1 }, { "vfs_*", "xvfs_read", NULL, 0 },
	{ "*read", "vfs_read", NULL, 1 }, { "*_re*", "vfs_read", NULL, 1 },
	{ "vfs_?ead", "vfs_read", NULL, 1 }, { "vfs_[rx]ead", "vfs_read", NULL, 1 },
	{ "vfs_[!r]ead", "vfs_read", NULL, 0 }, { "two_*", "two_open", "mod_two", 1 },
	{ ":mod:mod_two", "two_open", "mod_two", 1 }, { ":mod:mod_two", "two_open", "mod_one", 0 },
	{ ":mod:mod_two", "two_open", NULL, 0 }, { "*:mod:mod_two", "two_open", "mod_two", 1 },
	{ "two_o*:mod:mod_two", "two_open", "mod_two", 1 },
	{ "two_c*:mod:mod_two", "two_open", "mod_two", 0 },
	{ ":mod:mod_*", "two_open", "mod_two", 1 },
};

Test(filter, globs_match_as_the_kernels)
{
	for_each(one, globs) {
		enum filter_verdict verdict;
		struct filter f = {};

		cr_assert(globs__add(&f.allow, one->glob) == 0, "%s", one->glob);
		verdict = filter__judge(&f, one->name, one->module);
		cr_expect(one->matches == (verdict == FILTER_TRACED), "%s on %s", one->glob,
			  one->name);
		filter__free(&f);
	}
}

Test(filter, verdicts)
{
	struct filter f = {}, copy = {};

	cr_expect(filter__judge(&f, "vfs_read", NULL) == FILTER_TRACED, "no -a: everything");
	cr_assert(globs__add(&f.allow, "vfs_*") == 0);
	cr_assert(globs__add(&f.deny, "vfs_write") == 0);
	cr_assert(globs__add(&f.own, "vfs_own") == 0);
	filter__copy(&copy, &f);
	filter__free(&f);
	cr_expect(filter__judge(&copy, "vfs_read", NULL) == FILTER_TRACED);
	cr_expect(filter__judge(&copy, "vfs_write", NULL) == FILTER_DENIED);
	cr_expect(filter__judge(&copy, "vfs_own", NULL) == FILTER_OWN);
	cr_expect(filter__judge(&copy, "ext4_read", NULL) == FILTER_NOT_ASKED);
	filter__free(&copy);
}

static const char *const bad_globs[] = { "", "two words", ":mod:", "vfs_*:mod:", "@/no/such/file" };

Test(filter, refuses_what_is_no_glob)
{
	for_each(one, bad_globs) {
		struct filter f = {};

		cr_expect(globs__add(&f.allow, *one) == -EINVAL, "%s", *one);
		filter__free(&f);
	}
}

Test(filter, a_file_of_globs)
{
	struct filter f = {};

	enter_dir();
	write_text("globs", "# head\nvfs_read\n\n  vfs_write  # why\r\n:mod:mod_two\n");
	cr_expect(globs__add(&f.allow, "@globs") == 0);
	cr_expect(f.allow.count == 3);
	cr_expect(filter__judge(&f, "vfs_write", NULL) == FILTER_TRACED);
	cr_expect(filter__judge(&f, "two_open", "mod_two") == FILTER_TRACED);
	cr_expect(filter__judge(&f, "no_endbr", NULL) == FILTER_NOT_ASKED);
	filter__free(&f);
	leave_dir();
}

Test(filter, every_glob_has_to_match_something)
{
	static const char *const good[] = { "vfs_read", "*_o*", ":mod:mod_two", "two_*:mod:mod_t*" };
	static const char *const bad[] = { "vfs_raed", "ext4_*", ":mod:nonesuch", "vfs_*:mod:mod_two" };

	for (int i = 0; i < 4; i++) {
		struct filter f = {}, g = {};

		globs__add(&f.allow, good[i]);
		cr_expect(filter__unmatched(&f, t) == NULL, "%s", good[i]);
		globs__add(&g.deny, bad[i]);
		cr_assert(filter__unmatched(&g, t) == &g.deny.list[0], "%s", bad[i]);
		cr_expect(glob__refuse(&g.deny.list[0], t) == -EINVAL, "%s", bad[i]);
		filter__free(&f);
		filter__free(&g);
	}
}

Test(traceable, all_of_a_name_and_their_numbers)
{
	const struct traceable_function *const *list;
	size_t count;

	list = traceable__named(t, "static_one", &count);
	cr_assert(list && count == 2);
	cr_expect(list[0]->number + list[1]->number == 3 + 4);
	list = traceable__named(t, "two_open", &count);
	cr_assert(list && count == 1);
	cr_expect(list[0]->number == 7, "one that is no function has a number, too");
	cr_expect(traceable__named(t, "some_data", &count) == NULL && count == 0);
}
