// SPDX-License-Identifier: GPL-2.0
/* Unions of documents: what they have, in how many it was, and which cannot be merged. */
#include "document/coverage.h"
#include "document/coverage_json.h"
#include "printed.h"
#include "report/merge.h"
#include "report/sample_documents.h"

static struct coverage list[3], c;
static const struct coverage *const documents[] = { &list[0], &list[1], &list[2] };
static const char *const paths[] = { "a.json", "b.json", "c.json" };

static void tear_down(void)
{
	coverage__free(&c);
	for (int i = 0; i < 3; i++)
		coverage__free(&list[i]);
	free_printed();
}

TestSuite(merge, .fini = tear_down);

static void set_up(const char *boot_of_b)
{
	for (int i = 0; i < 3; i++)
		coverage__free(&list[i]);
	for (int i = 0; i < 3; i++)
		sample_document(&list[i], i == 1 ? boot_of_b : "one");
	see(&list[0], "vfs_read", NULL, 0x1000, 500);
	see(&list[0], "schedule", NULL, 0x1400, 600);
	see_caller(&list[0], "schedule", 0x1410, 610);
	see(&list[1], "vfs_read", NULL, 0x1000, 300);
	see(&list[1], "dummy_open", "dummy", 0x40, 400);
	see(&list[2], "vfs_read", NULL, 0x1000, 900);
	list[0].seconds = 1;
	list[1].seconds = 2;
}

static int try_to_merge(void)
{
	int err;

	coverage__free(&c);
	err = merge__run(&c, documents, 3, paths);
	if (err)
		memset(&c, 0, sizeof(c));
	return err;
}

static void merge(void)
{
	cr_assert(try_to_merge() == 0);
}

static const struct hit *find_in(const struct coverage *in, const char *name, enum hit_kind kind)
{
	for (size_t i = 0; i < in->hits.count; i++) {
		if (!strcmp(in->hits.list[i].name, name) && in->hits.list[i].kind == kind)
			return &in->hits.list[i];
	}
	return NULL;
}

static const struct hit *find(const char *name, enum hit_kind kind)
{
	return find_in(&c, name, kind);
}

Test(merge, has_what_any_has_and_in_how_many_it_was)
{
	set_up("one");
	merge();
	cr_expect(c.hits.count == 4);
	cr_expect(find("vfs_read", HIT_FUNCTION)->runs == 3);
	cr_expect(find("schedule", HIT_FUNCTION)->runs == 1);
	cr_expect(find("schedule", HIT_CALLER)->runs == 1, "a caller is another thing");
	cr_expect(find("dummy_open", HIT_FUNCTION)->runs == 1);
	cr_expect(c.merged_count == 3 && c.seconds == 3);
}

Test(merge, of_one_boot_the_first_time_stays)
{
	set_up("one");
	merge();
	cr_expect(find("vfs_read", HIT_FUNCTION)->first_ns == 300);
	cr_expect(eq(str, (char *)c.hits.list[0].name, "vfs_read"), "and the order");
	cr_expect(c.boot_id && c.window.closed == 1010);
}

/* The other address of a hit is that of the call that the time is of. */
Test(merge, of_one_boot_the_first_caller_stays)
{
	static const char *const callers[] = { "ksys_read", "__x64_sys_pread64", NULL };

	set_up("one");
	for (int i = 0; i < 3; i++)
		list[i].hits.list[0].other = (struct other){ .name = callers[i], .link = 0x2000 + i };
	merge();
	cr_expect(eq(str, (char *)find("vfs_read", HIT_FUNCTION)->other.name, "__x64_sys_pread64"));
	cr_expect(eq(u64, find("vfs_read", HIT_FUNCTION)->other.link, 0x2001));
	cr_expect(find("schedule", HIT_FUNCTION)->other.name == NULL);
	/* The earliest one does not know its caller, and another one does. */
	list[1].hits.list[0].other = (struct other){};
	merge();
	cr_expect(eq(str, (char *)find("vfs_read", HIT_FUNCTION)->other.name, "ksys_read"));
}

Test(merge, refuses_a_run_that_is_there_twice)
{
	set_up("one");
	for (int i = 0; i < 3; i++)
		list[i].started = 1000 + i;
	merge();
	list[2].started = list[0].started;
	cr_expect(try_to_merge() == -EINVAL);
}

Test(merge, two_names_of_one_place_are_one_function)
{
	set_up("one");
	see(&list[0], NULL, NULL, 0x2000, 700);
	see(&list[1], "an_alias", NULL, 0x2000, 800);
	see(&list[2], "its_name", NULL, 0x2000, 900);
	merge();
	cr_expect(c.hits.count == 5, "%zu", c.hits.count);
	for (size_t i = 0; i < c.hits.count; i++) {
		if (c.hits.list[i].link == 0x2000)
			cr_expect(c.hits.list[i].runs == 3 && !strcmp(c.hits.list[i].name, "an_alias"));
	}
}

Test(merge, of_several_boots_there_are_no_times)
{
	char path[] = "/tmp/merged.XXXXXX";
	struct coverage back;
	FILE *out;

	set_up("two");
	list[1].hits.list[0].pid = 4711;
	list[1].hits.list[0].comm = "sh";
	merge();
	cr_expect(c.boot_id == NULL && c.window.closed == 0);
	cr_expect(find("vfs_read", HIT_FUNCTION)->pid == 0 && !find("vfs_read", HIT_FUNCTION)->comm);
	PRINT(f, coverage__write_json(&c, f));
	expect_text("\"first_ns\":null");
	expect_no_text("\"first_ns\":3");
	expect_text("\"cpu\":null,\"pid\":null,\"tgid\":null,\"comm\":null");
	cr_expect(strstr(text, "4711") == NULL, "smaller times of another boot are no earlier ones");
	out = fdopen(mkstemp(path), "w");
	fputs(text, out);
	fclose(out);
	cr_assert(coverage__read_json(&back, path) == 0, "it can be read back");
	cr_expect(back.merged_count == 3 && back.merged[1].seconds == 2);
	cr_expect(find_in(&back, "vfs_read", HIT_FUNCTION)->runs == 3);
	unlink(path);
	coverage__free(&back);
}

Test(merge, of_unions_counts_their_runs)
{
	struct coverage two, all;
	const struct coverage *both[] = { &two, &list[2] };

	set_up("one");
	cr_assert(merge__run(&two, documents, 2, paths) == 0);
	cr_assert(merge__run(&all, both, 2, paths) == 0);
	cr_expect(find_in(&all, "vfs_read", HIT_FUNCTION)->runs == 3);
	cr_expect(all.merged_count == 3);
	coverage__free(&two);
	coverage__free(&all);
}

Test(merge, losses_add_up)
{
	set_up("two");
	counters__add(&list[0].lost, "refused", 2);
	counters__add(&list[1].lost, "refused", 3);
	counters__add(&list[1].lost, "missed", 1);
	counters__add(&list[0].lost, "map_full", UINT64_MAX);
	counters__add(&list[1].lost, "map_full", 1);
	merge();
	cr_expect(counters__get(&c.lost, "refused") == 5 && counters__get(&c.lost, "missed") == 1);
	cr_expect(counters__get(&c.lost, "map_full") == UINT64_MAX, "a sum does not begin again at 0");
	cr_expect(losses__complete(&c.lost) == false);
	cr_expect(c.merged[2].complete && !c.merged[0].complete && !c.merged[1].complete);
}

/* What one could have seen, the union could. */
Test(merge, leaves_out_only_what_all_left_out)
{
	set_up("two");
	for (int i = 0; i < 3; i++) {
		cr_assert(globs__add(&list[i].filter.own, "helper") == 0);
		list[i].unattached = calloc(2, sizeof(char *));
		list[i].unattached[0] = strdup(i == 1 ? "other" : "schedule");
		sample_module(&list[i], NULL, i != 1);
	}
	cr_assert(globs__add(&list[0].filter.own, "only_here") == 0);
	list[2].engine[0] = 'O';
	merge();
	cr_expect(c.filter.own.count == 1 && !strcmp(c.filter.own.list[0].text, "helper"));
	cr_expect(c.unattached && !c.unattached[0]);
	cr_expect(c.modules.count == 1 && !c.modules.list[0].came);
	cr_expect(eq(str, c.engine, "several"));
}

static void of_pid(int i, long pid)
{
	list[i].scope.kind = SCOPE_PID;
	list[i].scope.pid = pid;
}

static void command(int i, const char *word)
{
	list[i].scope.kind = SCOPE_TASK;
	list[i].command = calloc(2, sizeof(char *));
	list[i].command[0] = strdup(word);
}

/* What the union of documents is about, after the statements for each document i. */
#define expect_scope(boot, says, scope_kind, ...) do {							\
	set_up(boot);											\
	for (int i = 0; i < 3; i++) {									\
		__VA_ARGS__;										\
	}												\
	cr_assert(try_to_merge() == 0, #__VA_ARGS__);							\
	PRINT(f, scope__print(&c.scope, f));								\
	cr_expect(c.scope.kind == scope_kind, #__VA_ARGS__);						\
	cr_expect(eq(str, text, says), #__VA_ARGS__);							\
	cr_expect(scope__follows(&c.scope) == (c.scope.kind == SCOPE_SEVERAL || c.scope.kind == SCOPE_TASK ||	\
					       c.scope.kind == SCOPE_PID), #__VA_ARGS__);		\
} while (0)

Test(merge, is_about_the_tasks_of_all)
{
	static char several[] = "some tasks, not the same in each run", whole[] = "the whole system";

	expect_scope("one", "the whole system, only cgroup /a", SCOPE_SYSTEM, list[i].scope.cgroup = "/a");
	expect_scope("one", several, SCOPE_SEVERAL, list[i].scope.cgroup = i == 1 ? "/b" : "/a");
	expect_scope("one", "some tasks, not the same in each run, only cgroup /a", SCOPE_SEVERAL,
		     list[i].scope.cgroup = "/a"; list[i].scope.comm = i ? "y" : "x");
	expect_scope("one", whole, SCOPE_SYSTEM, if (!i) of_pid(0, 1); if (i == 1) list[1].scope.cgroup = "/a");
	expect_scope("one", whole, SCOPE_BOOT, if (!i) of_pid(0, 1); if (i == 1) list[1].scope.kind = SCOPE_BOOT);
	expect_scope("one", several, SCOPE_SEVERAL, command(i, i == 2 ? "b" : "a"));
	expect_scope("one", "the command and what it started", SCOPE_TASK, command(i, "a"));
	expect_scope("one", "process 7 and what it started", SCOPE_PID, of_pid(i, 7));
	/* Of another boot, the same number is another process. */
	expect_scope("two", several, SCOPE_SEVERAL, of_pid(i, 7));
}

#define expect_refused(...) do {				\
	set_up("two");						\
	__VA_ARGS__;						\
	cr_expect(try_to_merge() == -EINVAL, #__VA_ARGS__);	\
} while (0)

Test(merge, refuses_what_does_not_go_together)
{
	expect_refused(list[2].kernel.build_id[0] = 'f');
	expect_refused(free(list[0].kernel.build_id); list[0].kernel.build_id = NULL);
	expect_refused(cr_assert(globs__add(&list[2].filter.deny, "x*") == 0));
	expect_refused(list[1].kernel.offset_known = false);
	expect_refused(sample_module(&list[1], "01", false); sample_module(&list[2], "02", false));
}

Test(merge, the_same_filter_in_another_order_is_the_same)
{
	set_up("two");
	for (int i = 0; i < 3; i++) {
		cr_assert(globs__add(&list[i].filter.allow, i ? "a*" : "b*") == 0);
		cr_assert(globs__add(&list[i].filter.allow, i ? "b*" : "a*") == 0);
	}
	cr_expect(try_to_merge() == 0);
}

/* A module that was built again has other functions at the same offsets. */
Test(merge, offsets_in_a_module_of_an_unknown_build_mean_nothing)
{
	for (int known = 0; known < 2; known++) {
		bool named;

		set_up("two");
		sample_module(&list[0], "01", false);
		sample_module(&list[1], known ? "01" : NULL, true);
		see(&list[0], "dummy_open", "dummy", 0x80, 700);
		see(&list[0], "dummy_read", "dummy", 0x40, 710);
		merge();
		/* In the second one, dummy_open is at 0x40. */
		cr_expect(find("dummy_open", HIT_FUNCTION)->runs == (known ? 1 : 2));
		cr_expect(find("dummy_read", HIT_FUNCTION)->runs == (known ? 2 : 1));
		named = c.modules.list[0].build_id;
		cr_expect(named == known);
	}
}

/* Their offsets mean nothing, but they are two. */
Test(merge, namesakes_in_a_module_of_an_unknown_build_stay_apart)
{
	unsigned int probes = 0;

	set_up("two");
	for (int i = 0; i < 2; i++) {
		see(&list[i], "probe", "mine", 0x40 + i, 700);
		see(&list[i], "probe", "mine", 0x280 + i, 710);
	}
	merge();
	for (size_t i = 0; i < c.hits.count; i++) {
		if (strcmp(c.hits.list[i].name, "probe"))
			continue;
		cr_expect(c.hits.list[i].runs == 2);
		probes++;
	}
	cr_expect(probes == 2);
}

/* That a recording does not know the build may turn out after hits of others were joined by their offsets. */
Test(merge, the_order_of_recordings_does_not_matter)
{
	for (int unknown = 0; unknown < 3; unknown++) {
		unsigned int probes = 0;

		set_up("two");
		for (int i = 0; i < 3; i++) {
			uint64_t moved = i == unknown ? 0x400 : 0;

			sample_module(&list[i], i == unknown ? NULL : "01", false);
			see(&list[i], "probe", "dummy", 0x100 + moved, 700);
			see(&list[i], "probe", "dummy", 0x280 + moved, 710);
			see(&list[i], "dummy_read", "dummy", 0x80 + moved, 720);
			list[i].hits.list[list[i].hits.count - 1].other.name = i == 1 ? "vfs_read" : NULL;
		}
		merge();
		for (size_t i = 0; i < c.hits.count; i++) {
			if (c.hits.list[i].runs == 3 && !strcmp(c.hits.list[i].name, "probe"))
				probes++;
		}
		cr_expect(probes == 2, "%d: two namesakes, each in all", unknown);
		cr_expect(find("dummy_read", HIT_FUNCTION)->runs == 3);
		cr_expect(eq(str, (char *)find("dummy_read", HIT_FUNCTION)->other.name, "vfs_read"));
		cr_expect(c.hits.count == 7, "%d: %zu", unknown, c.hits.count);
	}
}

Test(merge, has_callers_only_if_all_have)
{
	for (int lacking = 0; lacking < 2; lacking++) {
		set_up("two");
		list[lacking].how.callers = false;
		merge();
		cr_expect(not(c.how.callers), "a caller that is not there may have called all the same");
		cr_expect(find("schedule", HIT_CALLER) == NULL && find("schedule", HIT_FUNCTION));
	}
}
