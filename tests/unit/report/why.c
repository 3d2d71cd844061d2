// SPDX-License-Identifier: GPL-2.0
/* What `hytrace why --in` says of functions that a document does not have, and of one that it has. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "report/why.h"
#include "sample_documents.h"

struct asked {
	struct universe universe;
	struct coverage document;
};

static void begin(struct asked *a)
{
	sample_universe(&a->universe);
	sample_document(&a->document, "boot");
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
	};
	const struct answer *found = NULL;
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
	expect(&a, "stop", 0, "unseen", "was not called");
	expect(&a, "stop", 1, "seen", "ran");
	end(&a);
}

Test(why, says_that_a_function_was_not_called)
{
	struct asked a;

	begin(&a);
	expect(&a, "vfs_read", 0, "unseen", "was not called");
	see_caller(&a.document, "vfs_read", 0x1000, 100);
	expect(&a, "vfs_read", 0, "unseen", "was not called");
	cr_assert(counters__add(&a.document.lost, "overrun", 1) == 0);
	expect(&a, "vfs_read", 0, "unseen", "as far as is known: the document is not complete");
	end(&a);
}

Test(why, names_the_filter)
{
	struct asked a;

	begin(&a);
	cr_assert(eq(int, globs__add(&a.document.filter.allow, "vfs_*"), 0));
	cr_assert(eq(int, globs__add(&a.document.filter.deny, "vfs_write"), 0));
	cr_assert(eq(int, globs__add(&a.document.filter.own, "vfs_read"), 0));
	expect(&a, "schedule", 0, "not-asked", "-a");
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
	expect(&a, "vfs_write", 0, "unseen", "was not called");
	end(&a);
}

Test(why, knows_when_init_code_was_there)
{
	struct asked a;

	begin(&a);
	expect(&a, "start_it", 0, "freed", "had been freed before");
	a.document.scope.kind = SCOPE_BOOT;
	expect(&a, "start_it", 0, "unseen", "was not called");
	end(&a);
}

Test(why, knows_when_a_module_was_there)
{
	struct asked a;

	begin(&a);
	expect(&a, "dummy_xmit", 0, "module", "the module dummy was not loaded");
	sample_module(&a.document, NULL, true);
	expect(&a, "dummy_xmit", 0, "module", "came while");
	a.document.follows_modules = true;
	expect(&a, "dummy_xmit", 0, "unseen", "was not called");
	expect(&a, "dummy_init", 0, "freed", "is init text of a module");
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
