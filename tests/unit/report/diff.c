// SPDX-License-Identifier: GPL-2.0
/* What is new and what is gone, within one build and over two, and why the other side has not seen it. */
#include "report/sample_documents.h"
#include "report/diff.h"

static struct fixture {
	struct universe u, v;	/* v: of another build */
	struct coverage a, b;
	struct diff_side side_a, side_b;
	struct diff d;
} f;

static void tear_down(void)
{
	diff__free(&f.d);
	coverage__free(&f.a);
	coverage__free(&f.b);
	universe__free(&f.u);
	universe__free(&f.v);
	memset(&f, 0, sizeof(f));
}

static void set_up(void)
{
	tear_down();
	sample_universe(&f.u);
	universe__init(&f.v);
	f.v.linked = f.v.placed = f.v.whole = true;
	sample_document(&f.a, "one");
	sample_document(&f.b, "two");
	f.side_a = (struct diff_side){ &f.a, &f.u };
	f.side_b = (struct diff_side){ &f.b, &f.u };
}

/* B is then of another build, with the functions that the test gives it. */
static void other_build(void)
{
	f.b.kernel.build_id[0] = 'f';
	f.v.build_id = strdup(f.b.kernel.build_id);
	f.side_b.u = &f.v;
}

static void has(uint64_t addr, const char *name, const char *unit, const char *untraced)
{
	const struct function function = { .addr = addr, .name = name, .unit = unit, .untraced = untraced };

	universe__add(&f.v, &function);
}

static void run(void)
{
	universe__settle(&f.v);
	cr_assert(diff__run(&f.d, &f.side_a, &f.side_b, NULL) == 0);
}

TestSuite(diff, .init = set_up, .fini = tear_down);

Test(diff, of_one_build_is_by_address)
{
	see(&f.a, "vfs_read", NULL, 0x1000, 1);
	see(&f.a, "stop", NULL, 0x1700, 2);
	see_caller(&f.a, "vfs_read", 0x1010, 3);
	see(&f.b, "vfs_read", NULL, 0x1000, 3);
	see(&f.b, "stop", NULL, 0x1800, 4);
	run();
	cr_expect(f.d.identity == IDENTITY_ADDRESS);
	cr_expect(f.d.both == 1 && f.d.gone.count == 1 && f.d.new.count == 1 && f.d.folded == 0);
	cr_expect(eq(str, (char *)f.d.gone.list[0].unit, "kernel/a.c"));
	cr_expect(eq(str, (char *)f.d.new.list[0].unit, "kernel/b.c"));
	cr_expect(f.d.gone.list[0].why == VERDICT_NOT_CALLED && !f.d.gone.list[0].possibly);
}

Test(diff, of_a_part_is_counted_in_that_part)
{
	static const struct {
		const char *where;
		size_t both, gone, new;
	} cases[] = {
		{ "kernel", 0, 1, 1 }, { "kernel/a.c", 0, 1, 0 }, { "kernel/b.c", 0, 0, 1 }, { "fs", 1, 0, 0 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		set_up();
		see(&f.a, "vfs_read", NULL, 0x1000, 1);
		see(&f.a, "stop", NULL, 0x1700, 2);
		see(&f.b, "vfs_read", NULL, 0x1000, 3);
		see(&f.b, "stop", NULL, 0x1800, 4);
		cr_assert(diff__run(&f.d, &f.side_a, &f.side_b, cases[i].where) == 0);
		cr_expect(f.d.both == cases[i].both && f.d.gone.count == cases[i].gone && f.d.new.count == cases[i].new,
			  "%s: %zu %zu %zu", cases[i].where, f.d.both, f.d.gone.count, f.d.new.count);
	}
}

Test(diff, of_a_part_that_is_not_known_is_refused)
{
	cr_expect(diff__run(&f.d, &f.side_a, &f.side_b, "fs/none") == -EINVAL, "nothing lies there");
	cr_expect(diff__run(&f.d, &f.side_a, &f.side_b, ":mod:none") == -EINVAL);
	f.u.placed = false;
	cr_expect(diff__run(&f.d, &f.side_a, &f.side_b, "fs") == -EINVAL, "it is not known what lies there");
}

Test(diff, a_modules_functions_are_its_own)
{
	sample_module(&f.a, "01", false);
	sample_module(&f.b, "01", false);
	see(&f.a, "dummy_xmit", "dummy", 0, 1);
	see(&f.b, "dummy_xmit", "dummy", 0, 1);
	see(&f.b, "dummy_open", "dummy", 0x40, 2);
	run();
	cr_expect(f.d.both == 1 && f.d.gone.count == 0 && f.d.new.count == 1);
	cr_expect(f.d.new.list[0].why == VERDICT_NOT_CALLED);
}

Test(diff, over_builds_a_name_is_without_what_the_compiler_appends)
{
	other_build();
	has(0x5000, "vfs_read", "fs/read_write.c", NULL);
	has(0x5100, "ext4_lookup", "fs/ext4/namei.c", NULL);
	has(0x5200, "ext4_lookup.part.0", "fs/ext4/namei.c", NULL);
	has(0x5300, "stop", "kernel/b.c", NULL);
	see(&f.a, "vfs_read", NULL, 0x1000, 1);
	see(&f.a, "ext4_lookup.isra.0", NULL, 0x1300, 2);
	see(&f.a, "stop", NULL, 0x1700, 3);
	see(&f.b, "vfs_read", NULL, 0x5000, 1);
	see(&f.b, "ext4_lookup", NULL, 0x5100, 2);
	see(&f.b, "ext4_lookup.part.0", NULL, 0x5200, 3);
	see(&f.b, "stop", NULL, 0x5300, 4);
	run();
	cr_expect(f.d.identity == IDENTITY_FILE);
	cr_expect(f.d.both == 2, "%zu", f.d.both);
	cr_expect(f.d.folded == 1, "two parts of one function are one");
	cr_assert(f.d.gone.count == 1 && f.d.new.count == 1);
	cr_expect(eq(str, (char *)f.d.gone.list[0].unit, "kernel/a.c"), "a namesake of another file is another one");
	cr_expect(f.d.gone.list[0].why == VERDICT_NO_FUNCTION);
	cr_expect(f.d.new.list[0].why == VERDICT_NOT_CALLED);
}

Test(diff, an_unknown_file_takes_no_place_of_a_known_one)
{
	other_build();
	has(0x5300, "stop", "kernel/b.c", NULL);
	see(&f.a, "stop", NULL, 0x9000, 1);
	see(&f.a, "stop", NULL, 0x1800, 2);
	see(&f.b, "stop", NULL, 0x5300, 3);
	run();
	cr_expect(f.d.both == 1 && f.d.new.count == 0);
	cr_assert(f.d.gone.count == 1);
	cr_expect(f.d.gone.list[0].unit == NULL, "%s", f.d.gone.list[0].unit);
}

Test(diff, a_name_may_be_longer_than_the_stack)
{
	size_t length = 32 << 20;
	autofree char *name = malloc(length + sizeof(".isra.0"));

	memset(name, 'x', length);
	strcpy(name + length, ".isra.0");
	other_build();
	see(&f.a, name, NULL, 0x9000, 1);
	run();
	cr_assert(f.d.gone.count == 1);
	cr_expect(strlen(f.d.gone.list[0].name) == length);
}

Test(diff, without_files_it_is_by_name)
{
	other_build();
	see(&f.a, "stop", NULL, 0x1700, 3);
	see(&f.a, "vfs_read", NULL, 0x1000, 3);
	see(&f.b, "stop", NULL, 0x5300, 4);
	f.v.placed = false;
	run();
	cr_expect(f.d.identity == IDENTITY_NAME);
	cr_expect(f.d.both == 1 && f.d.gone.count == 1 && f.d.new.count == 0);
	cr_expect(f.d.gone.list[0].why == VERDICT_UNKNOWN && f.d.gone.list[0].possibly, "of that build nothing is known");
}

/* ---- why */

/* A has seen vfs_read(); and why has B not, after these statements? */
#define expect_why(wanted, perhaps, ...) do {										\
	set_up();													\
	see(&f.a, "vfs_read", NULL, 0x1000, 1);										\
	__VA_ARGS__;													\
	run();														\
	/* What that side could not see is not gone. */									\
	cr_assert(f.d.gone.count + f.d.gone.blind == 1 && f.d.new.count == 0, #__VA_ARGS__);				\
	cr_expect(f.d.gone.blind == verdict__is_blind(wanted), #__VA_ARGS__);						\
	cr_expect(f.d.gone.list[0].why == wanted, "%s: %s", #__VA_ARGS__, verdict__word(f.d.gone.list[0].why));		\
	cr_expect(f.d.gone.list[0].possibly == perhaps, #__VA_ARGS__);							\
} while (0)

Test(diff, tells_why_the_other_side_has_not_seen_it)
{
	expect_why(VERDICT_DENIED, false, cr_assert(globs__add(&f.b.filter.deny, "vfs_*") == 0));
	expect_why(VERDICT_OWN, false, cr_assert(globs__add(&f.b.filter.own, "vfs_read") == 0));
	expect_why(VERDICT_UNATTACHED, false, f.b.unattached = calloc(2, sizeof(char *));
		   f.b.unattached[0] = strdup("vfs_read"));
	expect_why(VERDICT_NOT_CALLED, true, counters__add(&f.b.lost, "refused", 1));
	expect_why(VERDICT_DENIED, false, counters__add(&f.b.lost, "refused", 1);
		   cr_assert(globs__add(&f.b.filter.deny, "vfs_*") == 0));
	expect_why(VERDICT_NOT_CALLED, false, counters__add(&f.b.lost, "unpinned", 1);
		   counters__add(&f.a.lost, "refused", 1));
	expect_why(VERDICT_UNTRACEABLE, false, other_build();
		   has(0x5000, "vfs_read", "fs/read_write.c", "notrace"));
	expect_why(VERDICT_NOT_CALLED, false, other_build();
		   has(0x5000, "vfs_read.cold", "fs/read_write.c", "fragment");
		   has(0x5100, "vfs_read.part.0", "fs/read_write.c", NULL));
	expect_why(VERDICT_NO_FUNCTION, false, other_build(); has(0x5000, "vfs_read", "fs/other.c", NULL));
	expect_why(VERDICT_UNKNOWN, true, other_build(); has(0x5000, "vfs_read", "fs/other.c", NULL); f.v.whole = false);
	expect_why(VERDICT_NOT_FOLLOWED, false, f.b.scope.kind = SCOPE_TASK);
	expect_why(VERDICT_NOT_FOLLOWED, false, f.b.scope.comm = "cat");
	expect_why(VERDICT_NOT_FOLLOWED, false, f.b.scope.kind = SCOPE_SEVERAL);
}

Test(diff, of_modules_that_were_not_there)
{
	static const struct {
		bool there, came, follows;
		enum verdict why;
	} cases[] = {
		{ false, false, false, VERDICT_NO_MODULE }, { true, true, false, VERDICT_NO_MODULE },
		{ true, true, true, VERDICT_NOT_CALLED }, { true, false, false, VERDICT_NOT_CALLED },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		set_up();
		sample_module(&f.a, NULL, false);
		if (cases[i].there)
			sample_module(&f.b, NULL, cases[i].came);
		f.b.follows_modules = cases[i].follows;
		see(&f.a, "dummy_open", "dummy", 0x40, 1);
		run();
		cr_assert(f.d.gone.count + f.d.gone.blind == 1, "%zu", i);
		cr_expect(f.d.gone.list[0].why == cases[i].why, "%zu: %s", i, verdict__word(f.d.gone.list[0].why));
	}
}

/* The universes of the two sides, which do not have the function, are of one build of the kernel. */
Test(diff, of_a_module_that_was_built_again)
{
	static const struct {
		const char *id_a, *id_b;
		bool known;
		enum verdict why;
	} cases[] = {
		{ "01", "01", false, VERDICT_NOT_CALLED }, { "01", "02", false, VERDICT_UNKNOWN },
		{ "01", NULL, false, VERDICT_UNKNOWN }, { "01", "02", true, VERDICT_NO_FUNCTION },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		set_up();
		f.v.build_id = strdup(BUILD);
		f.side_b.u = &f.v;
		has(0x1000, "vfs_read", "fs/read_write.c", NULL);
		if (cases[i].known)
			covered_modules__add(&f.v.modules, "dummy");
		sample_module(&f.a, cases[i].id_a, false);
		sample_module(&f.b, cases[i].id_b, false);
		see(&f.a, "dummy_open", "dummy", 0x40, 1);
		run();
		cr_assert(f.d.gone.count + f.d.gone.blind == 1, "%zu", i);
		cr_expect(f.d.gone.list[0].why == cases[i].why, "%zu: %s", i, verdict__word(f.d.gone.list[0].why));
	}
}

Test(diff, init_text_is_seen_by_boots_only)
{
	for (int boot = 0; boot < 2; boot++) {
		set_up();
		f.a.scope.kind = SCOPE_BOOT;
		f.b.scope.kind = boot ? SCOPE_BOOT : SCOPE_SYSTEM;
		see(&f.a, "start_it", NULL, 0x1600, 1);
		run();
		cr_expect(f.d.gone.list[0].why == (boot ? VERDICT_NOT_CALLED : VERDICT_FREED));
	}
}

static void has_in_dummy(uint64_t offset, const char *name, const char *unit)
{
	const struct function function = { .addr = offset, .name = name, .module = "dummy", .unit = unit };

	universe__add(&f.v, &function);
}

/* A developer's module, built again: the same functions lie elsewhere. */
Test(diff, offsets_in_a_module_of_an_unknown_build_mean_nothing)
{
	static const struct {
		bool listed;
		const char *build_a, *build_b;
	} cases[] = { { false }, { true }, { true, "01" }, { true, "01", "01" } };

	/* Each one without, and with what is known of the module that B had. */
	for (size_t n = 0; n < 2 * sizeof(cases) / sizeof(cases[0]); n++) {
		size_t i = n / 2;
		bool same = cases[i].build_b;

		set_up();
		if (n % 2) {
			f.v.build_id = strdup(f.b.kernel.build_id);
			has_in_dummy(0x100, "my_check", "a.c");
			has_in_dummy(0x140, "my_open", "a.c");
			has_in_dummy(0x180, "my_read", "b.c");
			f.side_a.u = f.side_b.u = &f.v;
		}
		if (cases[i].listed) {
			sample_module(&f.a, cases[i].build_a, true);
			sample_module(&f.b, cases[i].build_b, true);
		}
		see(&f.a, "my_open", "dummy", 0x100, 1);
		see(&f.a, "my_read", "dummy", 0x140, 2);
		see(&f.a, "my_write", "dummy", 0x180, 3);
		see(&f.b, "my_check", "dummy", 0x100, 1);
		see(&f.b, "my_open", "dummy", 0x140, 2);
		see(&f.b, "my_read", "dummy", 0x180, 3);
		run();
		cr_expect(f.d.identity == IDENTITY_ADDRESS);
		cr_expect(f.d.both == (same ? 3 : 2) && f.d.gone.count + f.d.gone.blind == !same && f.d.new.count + f.d.new.blind == !same,
			  "case %zu: %zu", i, f.d.both);
		if (!same) {
			cr_expect(eq(str, (char *)f.d.gone.list[0].name, "my_write"));
			cr_expect(eq(str, (char *)f.d.new.list[0].name, "my_check"));
		}
	}
}
