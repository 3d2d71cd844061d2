// SPDX-License-Identifier: GPL-2.0
/* What `hytrace why` says of functions that a document does not have, and of one that it has. */
#include "report/why.h"
#include "sample_documents.h"

static struct asked {
	struct universe universe;
	struct coverage document;
	struct universe *other;	/* the document's, if it is of another build and that is known */
} a;

static void begin(void)
{
	sample_universe(&a.universe);
	sample_document(&a.document, "boot");
	a.other = NULL;
}

static void end(void)
{
	coverage__free(&a.document);
	universe__free(&a.universe);
}

TestSuite(why, .init = begin, .fini = end);

static struct why_sources sources_of(struct universe *others)
{
	static const struct coverage *const list[] = { &a.document };
	static const char *const paths[] = { "run.json" };
	size_t count;

	/* Makes the index of names, which otherwise the copy would make, and nobody free. */
	universe__named(&a.universe, "", &count);
	return (struct why_sources){
		.universe = a.universe, .others = others,
		.documents = { .list = (const struct coverage **)list, .paths = (const char **)paths,
			       .count = 1 },
	};
}

/* Of the function at @number among those of the name, the document's answer must be @why and say @says. */
static void expect(const char *name, size_t number, const char *why, const char *says)
{
	const struct why_sources sources = sources_of(a.other);
	const struct why_answer *found = NULL;
	struct why w;

	cr_assert(eq(int, why__find(&w, name, &sources), 0));
	for (size_t i = 0; i < w.count; i++) {
		if (w.list[i].document && !number--)
			found = &w.list[i];
	}
	cr_assert(found != NULL, "%s", name);
	cr_expect(eq(str, (char *)found->document, "run.json"));
	cr_expect(eq(str, (char *)found->why, (char *)why), "%s", name);
	cr_expect(strstr(found->text, says) != NULL, "%s: \"%s\" does not say \"%s\"", name, found->text, says);
	why__free(&w);
}

Test(why, says_that_a_function_ran)
{
	see(&a.document, "vfs_read", NULL, 0x1000, 1500000010);
	a.document.hits.list[0].cpu = 3;
	a.document.hits.list[0].pid = 42;
	expect("vfs_read", 0, "seen", "ran, first after 1.500000 s on CPU 3 in process 42");
	a.document.how.retire = true;
	expect("vfs_read", 0, "seen", "its site was turned off then (--retire)");
	a.document.merged = calloc(40, sizeof(*a.document.merged));
	a.document.merged_count = a.document.hits.list[0].runs = 1;
	expect("vfs_read", 0, "seen", "ran, first");
	a.document.merged_count = 40;
	expect("vfs_read", 0, "seen", "ran in 1 of 40 runs, first");
	free(a.document.boot_id);
	a.document.boot_id = NULL;
	expect("vfs_read", 0, "seen", "ran in 1 of 40 runs; its site");
}

Test(why, distinguishes_namesakes)
{
	see(&a.document, "stop", NULL, 0x1800, 100);
	expect("stop", 0, "not-called", "not called");
	expect("stop", 1, "seen", "ran");
}

Test(why, takes_no_namesake_of_another_build_for_it)
{
	static const struct function there = { .addr = 0x5000, .name = "stop", .unit = "kernel/b.c" };
	struct universe other;

	a.document.kernel.build_id[0] = 'f';
	see(&a.document, "stop", NULL, 0x5000, 100);
	expect("stop", 0, "namesake", "may have run: a function of this name ran");
	expect("stop", 1, "namesake", "it is not known which file");
	universe__init(&other);
	a.other = &other;
	expect("stop", 0, "namesake", "may have run");
	universe__add(&other, &there);
	universe__settle(&other);
	expect("stop", 0, "not-called", "not called, as far as is known: the recording is of another build");
	expect("stop", 1, "seen", "ran");
	universe__free(&other);
}

Test(why, does_not_take_offsets_of_a_module_that_was_built_again)
{
	struct covered_module *m;

	m = covered_modules__add(&a.universe.modules, "dummy");
	m->build_id = strdup("01");
	sample_module(&a.document, "02", false);
	see(&a.document, "dummy_open", "dummy", 0, 100);
	expect("dummy_xmit", 0, "not-called", "of another build");
	expect("dummy_open", 0, "namesake", "may have run");
	m->build_id[1] = '2';
	expect("dummy_xmit", 0, "seen", "ran");
}

Test(why, says_that_a_function_was_not_called)
{
	expect("vfs_read", 0, "not-called", "not called");
	see_caller(&a.document, "vfs_read", 0x1000, 100);
	expect("vfs_read", 0, "not-called", "not called");
	counters__add(&a.document.lost, "overrun", 1);
	expect("vfs_read", 0, "not-called", "as far as is known: the recording is not complete");
}

Test(why, names_the_filter)
{
	cr_assert(eq(int, globs__add(&a.document.filter.allow, "vfs_*"), 0));
	cr_assert(eq(int, globs__add(&a.document.filter.deny, "vfs_write"), 0));
	cr_assert(eq(int, globs__add(&a.document.filter.own, "vfs_read"), 0));
	expect("schedule", 0, "not-asked-for", "-a");
	expect("vfs_write", 0, "denied", "-d");
	expect("vfs_read", 0, "own", "the recorder itself");
}

Test(why, says_what_could_not_be_attached_to)
{
	a.document.unattached = calloc(2, sizeof(char *));
	a.document.unattached[0] = strdup("vfs_read");
	expect("vfs_read", 0, "unattached", "could not be attached to");
	expect("vfs_write", 0, "not-called", "not called");
}

Test(why, knows_when_init_code_was_there)
{
	expect("start_it", 0, "freed", "init text, which had been freed");
	a.document.scope.kind = SCOPE_BOOT;
	expect("start_it", 0, "not-called", "not called");
}

Test(why, knows_when_a_module_was_there)
{
	expect("dummy_xmit", 0, "no-module", "its module was not there");
	sample_module(&a.document, NULL, true);
	expect("dummy_xmit", 0, "no-module", "came later and was not followed");
	a.document.follows_modules = true;
	expect("dummy_xmit", 0, "not-called", "not called");
	expect("dummy_init", 0, "freed", "init text, which had been freed");
}

Test(why, says_nothing_of_a_document_about_what_cannot_be_traced)
{
	struct why w;
	const struct why_sources sources = sources_of(NULL);

	cr_assert(eq(int, why__find(&w, "do_nmi", &sources), 0));
	cr_assert(eq(sz, w.count, 1));
	cr_expect(eq(str, (char *)w.list[0].why, "noinstr"));
	cr_expect(w.list[0].document == NULL);
	why__free(&w);
}
