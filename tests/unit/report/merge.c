// SPDX-License-Identifier: GPL-2.0
/* Unions of documents: what they have, in how many it was, and which cannot be merged. */
#include <unistd.h>

#include "document/coverage_json.h"
#include "document/losses.h"
#include "report/sample_documents.h"
#include "report/merge.h"

struct fixture {
	struct coverage list[3];
	const struct coverage *documents[3];
};

static const char *const paths[] = { "a.json", "b.json", "c.json" };

static void set_up(struct fixture *f, const char *boot_of_b)
{
	for (int i = 0; i < 3; i++) {
		sample_document(&f->list[i], i == 1 ? boot_of_b : "one");
		f->documents[i] = &f->list[i];
	}
	see(&f->list[0], "vfs_read", NULL, 0x1000, 500);
	see(&f->list[0], "schedule", NULL, 0x1400, 600);
	see_caller(&f->list[0], "schedule", 0x1410, 610);
	see(&f->list[1], "vfs_read", NULL, 0x1000, 300);
	see(&f->list[1], "dummy_open", "dummy", 0x40, 400);
	see(&f->list[2], "vfs_read", NULL, 0x1000, 900);
	f->list[0].seconds = 1;
	f->list[1].seconds = 2;
}

static void tear_down(struct fixture *f)
{
	for (int i = 0; i < 3; i++)
		coverage__free(&f->list[i]);
}

static const struct hit *find(const struct coverage *c, const char *name, enum hit_kind kind)
{
	for (size_t i = 0; i < c->hits.count; i++) {
		if (!strcmp(c->hits.list[i].name, name) && c->hits.list[i].kind == kind)
			return &c->hits.list[i];
	}
	return NULL;
}

Test(merge, has_what_any_has_and_in_how_many_it_was)
{
	struct fixture f;
	struct coverage c;

	set_up(&f, "one");
	cr_assert(merge__run(&c, f.documents, 3, paths) == 0);
	cr_expect(c.hits.count == 4);
	cr_expect(find(&c, "vfs_read", HIT_FUNCTION)->runs == 3);
	cr_expect(find(&c, "schedule", HIT_FUNCTION)->runs == 1);
	cr_expect(find(&c, "schedule", HIT_CALLER)->runs == 1, "a caller is another thing");
	cr_expect(find(&c, "dummy_open", HIT_FUNCTION)->runs == 1);
	cr_expect(c.merged_count == 3 && c.seconds == 3);
	coverage__free(&c);
	tear_down(&f);
}

Test(merge, of_one_boot_the_first_time_stays)
{
	struct fixture f;
	struct coverage c;

	set_up(&f, "one");
	cr_assert(merge__run(&c, f.documents, 3, paths) == 0);
	cr_expect(find(&c, "vfs_read", HIT_FUNCTION)->first_ns == 300);
	cr_expect(eq(str, (char *)c.hits.list[0].name, "vfs_read"), "and the order");
	cr_expect(c.boot_id && c.window.closed == 1010);
	coverage__free(&c);
	tear_down(&f);
}

/* The other address of a hit is that of the call that the time is of. */
Test(merge, of_one_boot_the_first_caller_stays)
{
	static const char *const callers[] = { "ksys_read", "__x64_sys_pread64", NULL };
	struct fixture f;
	struct coverage c;

	set_up(&f, "one");
	for (int i = 0; i < 3; i++)
		f.list[i].hits.list[0].other = (struct other){ .name = callers[i], .link = 0x2000 + i };
	cr_assert(merge__run(&c, f.documents, 3, paths) == 0);
	cr_expect(eq(str, (char *)find(&c, "vfs_read", HIT_FUNCTION)->other.name, "__x64_sys_pread64"));
	cr_expect(eq(u64, find(&c, "vfs_read", HIT_FUNCTION)->other.link, 0x2001));
	cr_expect(find(&c, "schedule", HIT_FUNCTION)->other.name == NULL);
	coverage__free(&c);
	/* The earliest one does not know its caller, and another one does. */
	f.list[1].hits.list[0].other = (struct other){};
	cr_assert(merge__run(&c, f.documents, 3, paths) == 0);
	cr_expect(eq(str, (char *)find(&c, "vfs_read", HIT_FUNCTION)->other.name, "ksys_read"));
	coverage__free(&c);
	tear_down(&f);
}

Test(merge, refuses_a_run_that_is_there_twice)
{
	struct fixture f;
	struct coverage c;

	set_up(&f, "one");
	for (int i = 0; i < 3; i++)
		f.list[i].started = 1000 + i;
	cr_assert(merge__run(&c, f.documents, 3, paths) == 0);
	coverage__free(&c);
	f.list[2].started = f.list[0].started;
	cr_expect(merge__run(&c, f.documents, 3, paths) == -EINVAL);
	tear_down(&f);
}

Test(merge, two_names_of_one_place_are_one_function)
{
	struct fixture f;
	struct coverage c;

	set_up(&f, "one");
	see(&f.list[0], NULL, NULL, 0x2000, 700);
	see(&f.list[1], "an_alias", NULL, 0x2000, 800);
	see(&f.list[2], "its_name", NULL, 0x2000, 900);
	cr_assert(merge__run(&c, f.documents, 3, paths) == 0);
	cr_expect(c.hits.count == 5, "%zu", c.hits.count);
	for (size_t i = 0; i < c.hits.count; i++) {
		if (c.hits.list[i].link == 0x2000)
			cr_expect(c.hits.list[i].runs == 3 && !strcmp(c.hits.list[i].name, "an_alias"));
	}
	coverage__free(&c);
	tear_down(&f);
}

Test(merge, of_several_boots_there_are_no_times)
{
	struct fixture f;
	struct coverage c, back;
	char path[] = "/tmp/merged.XXXXXX", *text = NULL;
	size_t length;
	FILE *out;

	set_up(&f, "two");
	f.list[1].hits.list[0].pid = 4711;
	f.list[1].hits.list[0].comm = "sh";
	cr_assert(merge__run(&c, f.documents, 3, paths) == 0);
	cr_expect(c.boot_id == NULL && c.window.closed == 0);
	cr_expect(find(&c, "vfs_read", HIT_FUNCTION)->pid == 0 && !find(&c, "vfs_read", HIT_FUNCTION)->comm);
	out = open_memstream(&text, &length);
	coverage__write_json(&c, out);
	fclose(out);
	cr_expect(strstr(text, "\"first_ns\":null") != NULL);
	cr_expect(strstr(text, "\"first_ns\":3") == NULL);
	cr_expect(strstr(text, "\"cpu\":null,\"pid\":null,\"tgid\":null,\"comm\":null") != NULL);
	cr_expect(strstr(text, "4711") == NULL, "smaller times of another boot are no earlier ones");
	out = fdopen(mkstemp(path), "w");
	fputs(text, out);
	fclose(out);
	cr_assert(coverage__read_json(&back, path) == 0, "it can be read back");
	cr_expect(back.merged_count == 3 && back.merged[1].seconds == 2);
	cr_expect(find(&back, "vfs_read", HIT_FUNCTION)->runs == 3);
	unlink(path);
	free(text);
	coverage__free(&back);
	coverage__free(&c);
	tear_down(&f);
}

Test(merge, of_unions_counts_their_runs)
{
	struct fixture f;
	struct coverage two, all;
	const struct coverage *list[2] = { &two };

	set_up(&f, "one");
	cr_assert(merge__run(&two, f.documents, 2, paths) == 0);
	list[1] = &f.list[2];
	cr_assert(merge__run(&all, list, 2, paths) == 0);
	cr_expect(find(&all, "vfs_read", HIT_FUNCTION)->runs == 3);
	cr_expect(all.merged_count == 3);
	coverage__free(&two);
	coverage__free(&all);
	tear_down(&f);
}

Test(merge, losses_add_up)
{
	struct fixture f;
	struct coverage c;

	set_up(&f, "two");
	counters__add(&f.list[0].lost, "refused", 2);
	counters__add(&f.list[1].lost, "refused", 3);
	counters__add(&f.list[1].lost, "missed", 1);
	counters__add(&f.list[0].lost, "map_full", UINT64_MAX);
	counters__add(&f.list[1].lost, "map_full", 1);
	cr_assert(merge__run(&c, f.documents, 3, paths) == 0);
	cr_expect(counters__get(&c.lost, "refused") == 5 && counters__get(&c.lost, "missed") == 1);
	cr_expect(counters__get(&c.lost, "map_full") == UINT64_MAX, "a sum does not begin again at 0");
	cr_expect(losses__complete(&c.lost) == false);
	cr_expect(c.merged[2].complete && !c.merged[0].complete && !c.merged[1].complete);
	coverage__free(&c);
	tear_down(&f);
}

/* What one could have seen, the union could. */
Test(merge, leaves_out_only_what_all_left_out)
{
	struct fixture f;
	struct coverage c;

	set_up(&f, "two");
	for (int i = 0; i < 3; i++) {
		cr_assert(globs__add(&f.list[i].filter.own, "helper") == 0);
		f.list[i].unattached = calloc(2, sizeof(char *));
		f.list[i].unattached[0] = strdup(i == 1 ? "other" : "schedule");
		sample_module(&f.list[i], NULL, i != 1);
	}
	cr_assert(globs__add(&f.list[0].filter.own, "only_here") == 0);
	f.list[2].engine[0] = 'O';
	cr_assert(merge__run(&c, f.documents, 3, paths) == 0);
	cr_expect(c.filter.own.count == 1 && !strcmp(c.filter.own.list[0].text, "helper"));
	cr_expect(c.unattached && !c.unattached[0]);
	cr_expect(c.modules.count == 1 && !c.modules.list[0].came);
	cr_expect(eq(str, c.engine, "several"));
	coverage__free(&c);
	tear_down(&f);
}

static void of_pid(struct coverage *c, long pid)
{
	c->scope.kind = SCOPE_PID;
	c->scope.pid = pid;
}

static void command(struct coverage *c, const char *word)
{
	c->scope.kind = SCOPE_TASK;
	c->command = calloc(2, sizeof(char *));
	c->command[0] = strdup(word);
}

static void one_cgroup(struct fixture *f)
{
	f->list[0].scope.cgroup = f->list[1].scope.cgroup = f->list[2].scope.cgroup = "/a";
}

static void two_cgroups(struct fixture *f)
{
	one_cgroup(f);
	f->list[1].scope.cgroup = "/b";
}

static void two_names_in_a_cgroup(struct fixture *f)
{
	one_cgroup(f);
	f->list[0].scope.comm = "x";
	f->list[1].scope.comm = f->list[2].scope.comm = "y";
}

static void one_of_all_tasks(struct fixture *f)
{
	of_pid(&f->list[0], 1);
	f->list[1].scope.cgroup = "/a";
}

static void one_of_a_boot(struct fixture *f)
{
	of_pid(&f->list[0], 1);
	f->list[1].scope.kind = SCOPE_BOOT;
}

static void several_commands(struct fixture *f)
{
	command(&f->list[0], "a");
	command(&f->list[1], "a");
	command(&f->list[2], "b");
}

static void one_command(struct fixture *f)
{
	for (int i = 0; i < 3; i++)
		command(&f->list[i], "a");
}

/* Of another boot, the same number is another process. */
static void one_number(struct fixture *f)
{
	for (int i = 0; i < 3; i++)
		of_pid(&f->list[i], 7);
}

Test(merge, is_about_the_tasks_of_all)
{
	static const struct {
		void (*prepare)(struct fixture *f);
		const char *boot, *says;
		enum scope_kind kind;
	} cases[] = {
		{ one_cgroup, "one", "the whole system, only cgroup /a", SCOPE_SYSTEM },
		{ two_cgroups, "one", "some tasks, not the same in each run", SCOPE_SEVERAL },
		{ two_names_in_a_cgroup, "one", "some tasks, not the same in each run, only cgroup /a", SCOPE_SEVERAL },
		{ one_of_all_tasks, "one", "the whole system", SCOPE_SYSTEM },
		{ one_of_a_boot, "one", "the whole system", SCOPE_BOOT },
		{ several_commands, "one", "some tasks, not the same in each run", SCOPE_SEVERAL },
		{ one_command, "one", "the command and what it started", SCOPE_TASK },
		{ one_number, "one", "process 7 and what it started", SCOPE_PID },
		{ one_number, "two", "some tasks, not the same in each run", SCOPE_SEVERAL },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct fixture f;
		struct coverage c;
		char text[100] = "";
		FILE *out = fmemopen(text, sizeof(text), "w");

		set_up(&f, cases[i].boot);
		cases[i].prepare(&f);
		cr_assert(merge__run(&c, f.documents, 3, paths) == 0, "%zu", i);
		scope__print(&c.scope, out);
		fclose(out);
		cr_expect(c.scope.kind == cases[i].kind, "%zu", i);
		cr_expect(eq(str, text, (char *)cases[i].says), "%zu", i);
		cr_expect(scope__follows(&c.scope) == (c.scope.kind == SCOPE_SEVERAL || c.scope.kind == SCOPE_TASK ||
						       c.scope.kind == SCOPE_PID), "%zu", i);
		coverage__free(&c);
		tear_down(&f);
	}
}

static void other_build(struct fixture *f)
{
	f->list[2].kernel.build_id[0] = 'f';
}

static void no_build(struct fixture *f)
{
	free(f->list[0].kernel.build_id);
	f->list[0].kernel.build_id = NULL;
}

static void other_filter(struct fixture *f)
{
	cr_assert(globs__add(&f->list[2].filter.deny, "x*") == 0);
}

static void no_addresses(struct fixture *f)
{
	f->list[1].kernel.offset_known = false;
}

static void other_module(struct fixture *f)
{
	sample_module(&f->list[1], "01", false);
	sample_module(&f->list[2], "02", false);
}

Test(merge, refuses_what_does_not_go_together)
{
	static void (*const spoil[])(struct fixture *f) = {
		other_build, no_build, other_filter, no_addresses, other_module,
	};

	for (size_t i = 0; i < sizeof(spoil) / sizeof(spoil[0]); i++) {
		struct fixture f;
		struct coverage c;

		set_up(&f, "two");
		spoil[i](&f);
		cr_expect(merge__run(&c, f.documents, 3, paths) == -EINVAL, "%zu", i);
		tear_down(&f);
	}
}

Test(merge, the_same_filter_in_another_order_is_the_same)
{
	struct fixture f;
	struct coverage c;

	set_up(&f, "two");
	for (int i = 0; i < 3; i++) {
		cr_assert(globs__add(&f.list[i].filter.allow, i ? "a*" : "b*") == 0);
		cr_assert(globs__add(&f.list[i].filter.allow, i ? "b*" : "a*") == 0);
	}
	cr_expect(merge__run(&c, f.documents, 3, paths) == 0);
	coverage__free(&c);
	tear_down(&f);
}

/* A module that was built again has other functions at the same offsets. */
Test(merge, offsets_in_a_module_of_an_unknown_build_mean_nothing)
{
	for (int known = 0; known < 2; known++) {
		struct fixture f;
		struct coverage c;
		bool named;

		set_up(&f, "two");
		sample_module(&f.list[0], "01", false);
		sample_module(&f.list[1], known ? "01" : NULL, true);
		see(&f.list[0], "dummy_open", "dummy", 0x80, 700);
		see(&f.list[0], "dummy_read", "dummy", 0x40, 710);
		cr_assert(merge__run(&c, f.documents, 3, paths) == 0);
		/* In the second one, dummy_open is at 0x40. */
		cr_expect(find(&c, "dummy_open", HIT_FUNCTION)->runs == (known ? 1 : 2));
		cr_expect(find(&c, "dummy_read", HIT_FUNCTION)->runs == (known ? 2 : 1));
		named = c.modules.list[0].build_id;
		cr_expect(named == known);
		coverage__free(&c);
		tear_down(&f);
	}
}

/* Their offsets mean nothing, but they are two. */
Test(merge, namesakes_in_a_module_of_an_unknown_build_stay_apart)
{
	struct fixture f;
	struct coverage c;
	unsigned int probes = 0;

	set_up(&f, "two");
	for (int i = 0; i < 2; i++) {
		see(&f.list[i], "probe", "mine", 0x40 + i, 700);
		see(&f.list[i], "probe", "mine", 0x280 + i, 710);
	}
	cr_assert(merge__run(&c, f.documents, 3, paths) == 0);
	for (size_t i = 0; i < c.hits.count; i++) {
		if (strcmp(c.hits.list[i].name, "probe"))
			continue;
		cr_expect(c.hits.list[i].runs == 2);
		probes++;
	}
	cr_expect(probes == 2);
	coverage__free(&c);
	tear_down(&f);
}

Test(merge, has_callers_only_if_all_have)
{
	struct fixture f;
	struct coverage c;

	set_up(&f, "two");
	f.list[1].how.callers = false;
	cr_assert(merge__run(&c, f.documents, 3, paths) == 0);
	cr_expect(not(c.how.callers), "a caller that is not there may have called all the same");
	cr_expect(find(&c, "schedule", HIT_CALLER) == NULL && find(&c, "schedule", HIT_FUNCTION));
	coverage__free(&c);
	tear_down(&f);
}
