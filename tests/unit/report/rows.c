// SPDX-License-Identifier: GPL-2.0
/* Documents and a universe: which functions are seen, unseen or neither, and the sums of all. */
#include "printed.h"
#include "report/report.h"
#include "report/rows.h"
#include "report/sample_documents.h"

static struct fixture {
	struct universe u;
	struct coverage a, b;
	const struct coverage *both[2];
	struct rows rows;
} f;

static const struct row *find(const char *name)
{
	for (size_t i = 0; i < f.rows.count; i++) {
		if (!strcmp(f.rows.list[i].f->name, name))
			return &f.rows.list[i];
	}
	return NULL;
}

/* A has seen what each test says, B vfs_write() and of the module, which came, dummy_open(). */
static void set_up(void)
{
	sample_universe(&f.u);
	sample_document(&f.a, "one");
	sample_document(&f.b, "two");
	sample_module(&f.a, NULL, false);
	sample_module(&f.b, NULL, true);
	see(&f.b, "vfs_write", NULL, 0x1100, 5);
	see(&f.b, "dummy_open", "dummy", 0x40, 6);
	f.both[0] = &f.a;
	f.both[1] = &f.b;
}

static void make(size_t columns)
{
	rows__free(&f.rows);
	rows__make(&f.rows, &f.u, f.both, columns);
}

static void tear_down(void)
{
	rows__free(&f.rows);
	coverage__free(&f.a);
	coverage__free(&f.b);
	universe__free(&f.u);
	free_printed();
}

TestSuite(rows, .init = set_up, .fini = tear_down);
TestSuite(groups, .init = set_up, .fini = tear_down);
TestSuite(list, .init = set_up, .fini = tear_down);

Test(rows, a_row_for_each_function_that_can_be_traced)
{
	make(1);
	cr_expect(f.rows.count == 10, "%zu", f.rows.count);
	cr_expect(find("do_nmi") == NULL, "it cannot be traced");
	cr_expect(find("dummy_init") == NULL, "nor can it be listed");
	cr_expect(find("start_it")->class == ROW_INIT);
	cr_expect(row__is_asked_for(find("start_it"), 0) == false, "init text is gone");
	cr_expect(row__is_asked_for(find("vfs_read"), 0));
	cr_expect(rows__total(&f.rows, 0).asked == 9);
}

Test(rows, init_text_is_asked_for_of_a_boot)
{
	struct tally total;

	f.a.scope.kind = SCOPE_BOOT;
	see(&f.a, "start_it", NULL, 0x1600, 1);
	make(1);
	total = rows__total(&f.rows, 0);
	cr_expect(row__is_asked_for(find("start_it"), 0));
	cr_expect(total.asked == 9 && total.seen == 0 && total.beside == 1, "it is no part of the share");
}

Test(rows, the_filter_and_the_modules_say_what_was_asked_for)
{
	cr_assert(globs__add(&f.a.filter.allow, "vfs_*") == 0);
	cr_assert(globs__add(&f.a.filter.deny, "vfs_w*") == 0);
	make(2);
	cr_expect(row__is_asked_for(find("vfs_read"), 0));
	cr_expect(row__is_asked_for(find("vfs_write"), 0) == false);
	cr_expect(row__is_asked_for(find("schedule"), 0) == false);
	cr_expect(row__is_asked_for(find("schedule"), 1));
	cr_expect(row__is_asked_for(find("dummy_xmit"), 1) == false, "its module came later");
	cr_expect(row__is_seen(find("dummy_open"), 1), "but was seen");
	cr_expect(rows__total(&f.rows, 1).asked == 7);
	cr_expect(rows__total(&f.rows, 1).seen == 1);
	cr_expect(rows__total(&f.rows, 1).beside == 1);
}

Test(rows, what_could_not_be_attached_to_is_in_no_share)
{
	struct tally total;

	f.a.unattached = calloc(4, sizeof(char *));
	f.a.unattached[0] = strdup("vfs_read");
	f.a.unattached[1] = strdup("dummy_xmit [dummy]");
	f.a.unattached[2] = strdup("schedule");
	see(&f.a, "schedule", NULL, 0x1400, 1);
	make(2);
	total = rows__total(&f.rows, 0);
	cr_expect(total.asked == 7 && total.seen == 1 && total.unattached == 2, "%zu %zu %zu", total.asked, total.seen,
		  total.unattached);
	cr_expect(row__is_asked_for(find("vfs_read"), 0) == false);
	cr_expect(row__is_asked_for(find("vfs_read"), 1));
	cr_expect(row__is_asked_for(find("schedule"), 0), "another one of that name was");
}

Test(rows, helpers_of_the_engine_are_neither_seen_nor_unseen)
{
	struct tally total;

	cr_assert(globs__add(&f.a.filter.own, "vfs_read") == 0);
	make(1);
	total = rows__total(&f.rows, 0);
	cr_expect(total.asked == 8 && total.own == 1, "%zu %zu", total.asked, total.own);
	cr_expect(row__is_asked_for(find("vfs_read"), 0) == false);
	cr_expect(row__is_listed(&f.rows, find("vfs_read"), LIST_UNSEEN) == false);
	cr_expect(row__verdict(find("vfs_read"), 0) == VERDICT_OWN);
}

Test(rows, a_module_that_came_and_was_followed_has_unseen_functions)
{
	f.b.follows_modules = true;
	f.both[0] = &f.b;
	make(1);
	cr_expect(row__is_listed(&f.rows, find("dummy_xmit"), LIST_UNSEEN));
	cr_expect(rows__total(&f.rows, 0).asked == 9 && rows__total(&f.rows, 0).beside == 0);
	/* It has gone again, so the document does not list it. */
	covered_modules__free(&f.b.modules);
	make(1);
	cr_expect(row__is_listed(&f.rows, find("dummy_xmit"), LIST_UNSEEN));
}

Test(rows, no_share_has_the_code_of_trace_events)
{
	static const struct function of_event = { 0x1900, "trace_event_raw_event_x", NULL, "fs/ext4/super.c",
						  "include/trace/events/x.h", 3 };
	static const struct function by_name = { 0x1a00, "__traceiter_y", NULL, "fs/ext4/super.c", "fs/ext4/trace.h", 3 };
	struct tally total;

	universe__add(&f.u, &of_event);
	universe__add(&f.u, &by_name);
	universe__settle(&f.u);
	make(1);
	total = rows__total(&f.rows, 0);
	cr_expect(total.asked == 9 && total.events == 2 && total.beside == 0, "%zu %zu", total.asked, total.events);
	cr_expect(row__is_asked_for(find("__traceiter_y"), 0), "it could have been seen");
	cr_expect(row__is_listed(&f.rows, find("__traceiter_y"), LIST_UNSEEN) == false);
	see(&f.a, "__traceiter_y", NULL, 0x1a00, 1);
	make(1);
	total = rows__total(&f.rows, 0);
	cr_expect(total.seen == 0 && total.beside == 1);
}

Test(rows, what_the_universe_does_not_have)
{
	see(&f.a, "new_one", "other", 0x80, 1);
	see(&f.a, "new_two", "dummy", 0x999, 2);
	see(&f.a, "generated", NULL, 0x9000, 3);
	make(2);
	cr_expect(find("new_one")->class == ROW_LATER, "its module was not there");
	cr_expect(find("new_two")->class == ROW_UNKNOWN);
	cr_expect(find("generated")->class == ROW_UNKNOWN);
	cr_expect(rows__total(&f.rows, 0).unknown == 2 && rows__total(&f.rows, 0).beside == 1);
	/* The lists of a running kernel do not have what was freed. */
	f.u.whole = false;
	make(1);
	cr_expect(find("generated")->class == ROW_INIT);
}

Test(rows, names_of_which_there_are_several_take_their_number)
{
	see(&f.a, "stop", NULL, 0, 1);
	f.a.hits.list[0].sympos = 2;
	see(&f.a, "schedule", NULL, 0, 2);
	make(1);
	cr_expect(find("schedule")->seen);
	for (size_t i = 0; i < f.rows.count; i++) {
		if (f.rows.list[i].f->addr == 0x1700)
			cr_expect(f.rows.list[i].seen == 0);
		if (f.rows.list[i].f->addr == 0x1800)
			cr_expect(f.rows.list[i].seen);
	}
}

Test(rows, without_a_universe_nothing_has_a_share)
{
	struct universe none;

	universe__init(&none);
	rows__make(&f.rows, &none, f.both, 2);
	cr_expect(rows__total(&f.rows, 1).asked == 0);
	cr_expect(rows__total(&f.rows, 1).unknown == 1 && rows__total(&f.rows, 1).beside == 1);
	universe__free(&none);
}

Test(rows, of_a_part)
{
	static const struct {
		const char *where;
		size_t count;
	} cases[] = {
		{ "fs", 4 }, { "fs/", 4 }, { "fs/ext4", 2 }, { "fs/ext4/inode.c", 1 }, { "kernel/sched", 1 },
		{ ":mod:dummy", 2 }, { "fs/ext", 0 }, { ":mod:none", 0 }, { "fs/ext4/inode", 0 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		make(2);
		cr_expect(rows__restrict(&f.rows, cases[i].where) == (cases[i].count ? 0 : -EINVAL), "%s",
			  cases[i].where);
		if (cases[i].count)
			cr_expect(f.rows.count == cases[i].count, "%s", cases[i].where);
	}
	f.u.placed = false;
	make(2);
	cr_expect(rows__restrict(&f.rows, "fs") == -EINVAL, "it is not known what lies there");
	cr_expect(rows__restrict(&f.rows, ":mod:dummy") == 0);
}

/* ---- groups */

static const struct group *group(const struct groups *g, const char *name)
{
	for (size_t i = 0; i < g->count; i++) {
		if (!strcmp(g->list[i].name, name))
			return &g->list[i];
	}
	return NULL;
}

Test(groups, by_directory_or_file_the_sums_are_those_of_the_rows)
{
	static const struct {
		enum group_by by;
		const char *name;
		size_t asked, seen;
	} cases[] = {
		{ BY_DIRECTORY, "fs", 2, 1 }, { BY_DIRECTORY, "fs/ext4", 2, 2 }, { BY_DIRECTORY, "kernel", 2, 0 },
		{ BY_DIRECTORY, "drivers/net", 2, 1 }, { BY_FILE, "fs/ext4/namei.c", 1, 1 },
		{ BY_FILE, "kernel/a.c", 1, 0 },
	};

	see(&f.a, "vfs_read", NULL, 0x1000, 1);
	see(&f.a, "ext4_iget", NULL, 0x1200, 2);
	see(&f.a, "ext4_lookup.isra.0", NULL, 0x1300, 3);
	see(&f.a, "dummy_xmit", "dummy", 0, 4);
	make(2);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tally sum = {}, total = rows__total(&f.rows, 0);
		const struct group *found;
		struct groups g;

		g = groups__make(&f.rows, cases[i].by, SORT_NAME);
		found = group(&g, cases[i].name);
		cr_assert(found != NULL, "%s", cases[i].name);
		cr_expect(found->tallies[0].asked == cases[i].asked, "%s", cases[i].name);
		cr_expect(found->tallies[0].seen == cases[i].seen, "%s", cases[i].name);
		for (size_t j = 0; j < g.count; j++) {
			sum.asked += g.list[j].tallies[0].asked;
			sum.seen += g.list[j].tallies[0].seen;
		}
		cr_expect(sum.asked == total.asked && sum.seen == total.seen);
		groups__free(&g);
	}
}

Test(groups, are_sorted)
{
	static const struct {
		enum group_sort sort;
		const char *first;
	} cases[] = {
		{ SORT_NAME, "drivers/net" }, { SORT_SEEN, "fs/ext4" }, { SORT_UNSEEN, "kernel" },
		{ SORT_SHARE, "fs/ext4" },
	};

	see(&f.a, "vfs_read", NULL, 0x1000, 1);
	see(&f.a, "ext4_iget", NULL, 0x1200, 2);
	see(&f.a, "ext4_lookup.isra.0", NULL, 0x1300, 3);
	see(&f.a, "dummy_xmit", "dummy", 0, 4);
	make(1);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct groups g;

		g = groups__make(&f.rows, BY_DIRECTORY, cases[i].sort);
		cr_expect(eq(str, g.list[0].name, (char *)cases[i].first));
		groups__free(&g);
	}
}

/* ---- lists */

Test(list, of_one_document_is_names_and_places)
{
	see(&f.a, "vfs_read", NULL, 0x1000, 1);
	see(&f.a, "dummy_xmit", "dummy", 0, 4);
	make(1);
	PRINT(out, report__list(&f.rows, &(struct report_form){ .which = LIST_SEEN }, out));
	cr_expect(eq(str, text, "vfs_read\tfs/read_write.c:10\ndummy_xmit [dummy]\tdrivers/net/dummy.c:5\n"));
}

Test(list, of_several_marks_who_has_seen_it)
{
	see(&f.a, "vfs_read", NULL, 0x1000, 1);
	make(2);
	PRINT(out, report__list(&f.rows, &(struct report_form){ .which = LIST_SEEN }, out));
	cr_expect(eq(str, text, "+-\tvfs_read\tfs/read_write.c:10\n-+\tvfs_write\tfs/read_write.c:20\n"
				"-+\tdummy_open [dummy]\tdrivers/net/dummy.c:15\n"));
}

Test(list, unseen_is_what_all_were_asked_for_and_none_has)
{
	see(&f.a, "vfs_read", NULL, 0x1000, 1);
	cr_assert(globs__add(&f.a.filter.deny, "ext4_*") == 0);
	make(2);
	PRINT(out, report__list(&f.rows, &(struct report_form){ .which = LIST_UNSEEN }, out));
	/* dummy_xmit() could be seen by one of the two only. */
	cr_expect(eq(str, text, "schedule\tkernel/sched/core.c:50\nstop\tkernel/a.c:80\nstop\tkernel/b.c:90\n"));
}
