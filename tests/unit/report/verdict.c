// SPDX-License-Identifier: GPL-2.0
/* The one rule about what a run says of a function that it has not seen, and how certain that is. */
#include "report/documents.h"
#include "report/sample_documents.h"

static void nothing(struct coverage *c)
{
}

static void ask_for_others(struct coverage *c)
{
	cr_assert(globs__add(&c->filter.allow, "vfs_*") == 0);
}

static void deny(struct coverage *c)
{
	cr_assert(globs__add(&c->filter.deny, "*") == 0);
}

static void own(struct coverage *c)
{
	cr_assert(globs__add(&c->filter.own, "schedule") == 0);
}

static void unattach(struct coverage *c)
{
	c->unattached = calloc(2, sizeof(char *));
	c->unattached[0] = strdup("schedule");
}

static void follow_a_command(struct coverage *c)
{
	c->scope.kind = SCOPE_TASK;
}

static void follow_a_name(struct coverage *c)
{
	c->scope.comm = "cat";
}

static void boot(struct coverage *c)
{
	c->scope.kind = SCOPE_BOOT;
}

static void has_module(struct coverage *c)
{
	sample_module(c, NULL, false);
}

static void module_came(struct coverage *c)
{
	sample_module(c, NULL, true);
}

static void module_was_followed(struct coverage *c)
{
	module_came(c);
	c->follows_modules = true;
}

static void follows_modules(struct coverage *c)
{
	c->follows_modules = true;
}

static void module_came_and_went(struct coverage *c)
{
	c->follows_modules = true;
	see(c, "dummy_open", "dummy", 0x40, 1);
}

static void has_a_call_in_module(struct coverage *c)
{
	c->follows_modules = true;
	see(c, "dummy_open", "dummy", 0x40, 1);
	c->hits.list[0].kind = HIT_CALLER;
}

Test(verdict, tells_whether_a_run_could_have_seen_a_function)
{
	static const struct function schedule = { .name = "schedule" }, init = { .name = "start_it", .init = true },
		of_module = { .name = "dummy_xmit", .module = "dummy" }, nmi = { .name = "do_nmi", .untraced = "noinstr" },
		of_module_init = { .name = "dummy_init", .module = "dummy", .init = true };
	static const struct {
		void (*prepare)(struct coverage *c);
		const struct function *f;
		enum verdict v;
		bool could_see, is_blind;
	} cases[] = {
		{ nothing, &schedule, VERDICT_NOT_CALLED, true, false },
		{ follow_a_command, &schedule, VERDICT_NOT_FOLLOWED, true, false },
		{ follow_a_name, &schedule, VERDICT_NOT_FOLLOWED, true, false },
		{ ask_for_others, &schedule, VERDICT_NOT_ASKED, false, true },
		{ deny, &schedule, VERDICT_DENIED, false, true },
		{ own, &schedule, VERDICT_OWN, false, true },
		{ unattach, &schedule, VERDICT_UNATTACHED, false, true },
		{ deny, &nmi, VERDICT_UNTRACEABLE, false, false },
		{ nothing, &init, VERDICT_FREED, false, true },
		{ boot, &init, VERDICT_NOT_CALLED, true, false },
		{ nothing, &of_module, VERDICT_NO_MODULE, false, true },
		{ has_module, &of_module, VERDICT_NOT_CALLED, true, false },
		{ module_came, &of_module, VERDICT_NO_MODULE, false, true },
		{ module_was_followed, &of_module, VERDICT_NOT_CALLED, true, false },
		{ follows_modules, &of_module, VERDICT_NO_MODULE, false, true },
		{ module_came_and_went, &of_module, VERDICT_NOT_CALLED, true, false },
		{ has_a_call_in_module, &of_module, VERDICT_NO_MODULE, false, true },
		{ module_was_followed, &of_module_init, VERDICT_FREED, false, true },
		{ boot, &of_module_init, VERDICT_FREED, false, true },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct coverage c;
		enum verdict v;

		sample_document(&c, "one");
		cases[i].prepare(&c);
		v = verdict__of(&c, cases[i].f);
		cr_expect(v == cases[i].v, "%zu: %s", i, verdict__word(v));
		cr_expect(verdict__could_see(v) == cases[i].could_see, "%zu", i);
		cr_expect(verdict__is_blind(v) == cases[i].is_blind, "%zu", i);
		coverage__free(&c);
	}
}

/* A loss makes only those functions uncertain that it may stand for. */
Test(verdict, is_certain_if_it_follows_from_the_data)
{
	static const struct {
		const char *loss;
		bool kernel, stays, came;
	} cases[] = {
		{ NULL, true, true, true }, { "refused", false, false, false }, { "missed", false, false, false },
		{ "of_tomorrow", false, false, false }, { "modules_late", true, true, false },
		{ "unresolvable_functions", true, true, false }, { "parents_lost", true, true, true },
		{ "module_init_functions", true, true, true }, { "module_init_callers", true, true, true },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct covered_module *came;
		struct coverage c;

		sample_document(&c, "one");
		sample_module(&c, NULL, false);
		came = covered_modules__add(&c.modules, "later");
		cr_assert(came != NULL);
		came->came = true;
		if (cases[i].loss)
			counters__add(&c.lost, cases[i].loss, 1);
		cr_expect(verdict__is_certain(VERDICT_NOT_CALLED, &c, NULL) == cases[i].kernel, "%zu", i);
		cr_expect(verdict__is_certain(VERDICT_NOT_CALLED, &c, "dummy") == cases[i].stays, "%zu", i);
		cr_expect(verdict__is_certain(VERDICT_NOT_FOLLOWED, &c, "later") == cases[i].came, "%zu", i);
		cr_expect(verdict__is_certain(VERDICT_OWN, &c, NULL), "%zu", i);
		cr_expect(not(verdict__is_certain(VERDICT_INLINED, &c, NULL)), "%zu", i);
		cr_expect(not(verdict__is_certain(VERDICT_UNKNOWN, &c, NULL)), "%zu", i);
		coverage__free(&c);
	}
}
