// SPDX-License-Identifier: GPL-2.0
/* What `hytrace why --in` says of functions that a document does not have, and of one that it has. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "report/why.h"
#include "sample_documents.h"

struct asked {
	struct universe universe;
	struct coverage document;
	struct universe *other;	/* the document's, if it is of another build and that is known */
};

static void begin(struct asked *a)
{
	sample_universe(&a->universe);
	sample_document(&a->document, "boot");
	a->other = NULL;
}

static void end(struct asked *a)
{
	coverage__free(&a->document);
	universe__free(&a->universe);
}

/* Of the function at @number among those of the name, the document's answer must be @why and say @says. */
static void expect(struct asked *a, const char *name, size_t number, const char *why, const char *says)
{
	const char *const labels[] = { "run.json" };
	const struct why_sources sources = {
		.universe = &a->universe, .documents = &a->document, .labels = labels, .document_count = 1,
		.others = a->other,
	};
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
	struct asked a;

	begin(&a);
	see(&a.document, "vfs_read", NULL, 0x1000, 1500000010);
	a.document.hits.list[0].cpu = 3;
	a.document.hits.list[0].pid = 42;
	expect(&a, "vfs_read", 0, "seen", "ran, first after 1.500000 s on CPU 3 in process 42");
	a.document.how.retire = true;
	expect(&a, "vfs_read", 0, "seen", "its site was turned off then (--retire)");
	a.document.merged = calloc(1, sizeof(*a.document.merged));
	expect(&a, "vfs_read", 0, "seen", "ran, first");
	free(a.document.boot_id);
	a.document.boot_id = NULL;
	expect(&a, "vfs_read", 0, "seen", "ran; its site");
	end(&a);
}

Test(why, distinguishes_namesakes)
{
	struct asked a;

	begin(&a);
	see(&a.document, "stop", NULL, 0x1800, 100);
	expect(&a, "stop", 0, "not-called", "not called");
	expect(&a, "stop", 1, "seen", "ran");
	end(&a);
}

Test(why, takes_no_namesake_of_another_build_for_it)
{
	static const struct function there = { .addr = 0x5000, .name = "stop", .unit = "kernel/b.c" };
	struct universe other;
	struct asked a;

	begin(&a);
	a.document.kernel.build_id[0] = 'f';
	see(&a.document, "stop", NULL, 0x5000, 100);
	expect(&a, "stop", 0, "namesake", "may have run: a function of this name ran");
	expect(&a, "stop", 1, "namesake", "it is not known which file");
	universe__init(&other);
	a.other = &other;
	expect(&a, "stop", 0, "namesake", "may have run");
	universe__add(&other, &there);
	universe__settle(&other);
	expect(&a, "stop", 0, "not-called", "not called, as far as is known: the document is of another build");
	expect(&a, "stop", 1, "seen", "ran");
	universe__free(&other);
	end(&a);
}

Test(why, does_not_take_offsets_of_a_module_that_was_built_again)
{
	struct covered_module *m;
	struct asked a;

	begin(&a);
	m = covered_modules__add(&a.universe.modules, "dummy");
	m->build_id = strdup("01");
	sample_module(&a.document, "02", false);
	see(&a.document, "dummy_open", "dummy", 0, 100);
	expect(&a, "dummy_xmit", 0, "not-called", "of another build");
	expect(&a, "dummy_open", 0, "namesake", "may have run");
	m->build_id[1] = '2';
	expect(&a, "dummy_xmit", 0, "seen", "ran");
	end(&a);
}

Test(why, says_that_a_function_was_not_called)
{
	struct asked a;

	begin(&a);
	expect(&a, "vfs_read", 0, "not-called", "not called");
	see_caller(&a.document, "vfs_read", 0x1000, 100);
	expect(&a, "vfs_read", 0, "not-called", "not called");
	counters__add(&a.document.lost, "overrun", 1);
	expect(&a, "vfs_read", 0, "not-called", "as far as is known: the document is not complete");
	end(&a);
}

Test(why, names_the_filter)
{
	struct asked a;

	begin(&a);
	cr_assert(eq(int, globs__add(&a.document.filter.allow, "vfs_*"), 0));
	cr_assert(eq(int, globs__add(&a.document.filter.deny, "vfs_write"), 0));
	cr_assert(eq(int, globs__add(&a.document.filter.own, "vfs_read"), 0));
	expect(&a, "schedule", 0, "not-asked-for", "-a");
	expect(&a, "vfs_write", 0, "denied", "-d");
	expect(&a, "vfs_read", 0, "own", "the engine itself");
	end(&a);
}

Test(why, says_what_could_not_be_attached_to)
{
	struct asked a;

	begin(&a);
	a.document.unattached = calloc(2, sizeof(char *));
	a.document.unattached[0] = strdup("vfs_read");
	expect(&a, "vfs_read", 0, "unattached", "could not be attached to");
	expect(&a, "vfs_write", 0, "not-called", "not called");
	end(&a);
}

Test(why, knows_when_init_code_was_there)
{
	struct asked a;

	begin(&a);
	expect(&a, "start_it", 0, "freed", "init text, which had been freed");
	a.document.scope.kind = SCOPE_BOOT;
	expect(&a, "start_it", 0, "not-called", "not called");
	end(&a);
}

Test(why, knows_when_a_module_was_there)
{
	struct asked a;

	begin(&a);
	expect(&a, "dummy_xmit", 0, "no-module", "its module was not there");
	sample_module(&a.document, NULL, true);
	expect(&a, "dummy_xmit", 0, "no-module", "came later and was not followed");
	a.document.follows_modules = true;
	expect(&a, "dummy_xmit", 0, "not-called", "not called");
	expect(&a, "dummy_init", 0, "freed", "init text, which had been freed");
	end(&a);
}

Test(why, says_nothing_of_a_document_about_what_cannot_be_traced)
{
	struct asked a;
	struct why w;
	const struct why_sources sources = {
		.universe = &a.universe, .documents = &a.document, .labels = (const char *const []){ "run.json" },
		.document_count = 1,
	};

	begin(&a);
	cr_assert(eq(int, why__find(&w, "do_nmi", &sources), 0));
	cr_assert(eq(sz, w.count, 1));
	cr_expect(eq(str, (char *)w.list[0].why, "noinstr"));
	cr_expect(w.list[0].document == NULL);
	why__free(&w);
	end(&a);
}
