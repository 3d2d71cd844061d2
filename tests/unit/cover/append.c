// SPDX-License-Identifier: GPL-2.0
/* hytrace cover --append: what a file has is joined with what a run sees, or refused before anything is run. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "cover/outputs.h"
#include "document/coverage_json.h"

static char dir[] = "/tmp/append.XXXXXX";

static void enter(void)
{
	cr_assert(mkdtemp(dir) != NULL);
	cr_assert(chdir(dir) == 0);
}

static void leave(void)
{
	unlink("sum.json");
	unlink("sum.txt");
	cr_assert(chdir("/") == 0);
	cr_expect(rmdir(dir) == 0, "something was left behind");
}

TestSuite(append, .init = enter, .fini = leave);

/* Of a run that has seen one function; NULL: one that has not begun. */
static struct coverage result_of(const char *function, uint64_t addr, const char *build_id)
{
	struct hit hit = { .link = addr, .first_ns = addr, .kind = HIT_FUNCTION };
	struct coverage c;

	cr_assert(coverage__init(&c, "bpf") == 0);
	c.kernel.release = strdup("6.12");
	c.kernel.build_id = strdup(build_id);
	c.kernel.offset_known = true;
	c.boot_id = strdup("this one");
	c.host = strdup("here");
	c.window = (struct window){ 1, 2, 3, 4, 5 };
	hit.name = hits__name(&c.hits, function);
	if (function)
		cr_assert(hits__add(&c.hits, &hit) == 0);
	return c;
}

static int open_sum(struct outputs **ret, const char *path, const struct coverage *plan)
{
	struct cover_options o = { .append = true, .outputs = &path, .output_count = 1 };
	struct engines engines = { .list[0].ops = &engine_bpf, .count = 1 };

	return outputs__open(ret, &o, &engines, &plan->kernel, plan, NULL);
}

/* Runs it, or only up to a SIGUSR1. */
static int run(const char *function, uint64_t addr, bool to_its_end)
{
	struct coverage plan = result_of(NULL, 0, "01ab"), c = result_of(function, addr, "01ab");
	const struct coverage *list[] = { &c };
	struct outputs *outputs = NULL;
	int err = open_sum(&outputs, "sum.json", &plan);

	if (!err && to_its_end)
		err = outputs__write(outputs, list, 1, NULL);
	else if (!err)
		outputs__write_so_far(outputs, list, NULL);
	outputs__free(outputs);
	coverage__free(&plan);
	coverage__free(&c);
	return err;
}

static void expect(const char *wanted)
{
	struct coverage c;
	char got[256] = "";

	cr_assert(coverage__read_json(&c, "sum.json") == 0);
	for (size_t i = 0; i < c.hits.count; i++)
		snprintf(got + strlen(got), sizeof(got) - strlen(got), "%s%s", i ? " " : "", c.hits.list[i].name);
	cr_expect(eq(str, got, (char *)wanted));
	coverage__free(&c);
}

Test(append, is_the_union_of_what_there_was_and_what_came)
{
	cr_assert(run("vfs_read", 0x1000, true) == 0);
	expect("vfs_read");
	cr_assert(run("vfs_write", 0x2000, true) == 0);
	expect("vfs_read vfs_write");
	cr_assert(run("vfs_read", 0x1000, true) == 0);
	expect("vfs_read vfs_write");
	cr_assert(run("vfs_mkdir", 0x3000, false) == 0);
	expect("vfs_read vfs_write vfs_mkdir");
}

Test(append, is_refused_before_the_run_and_leaves_the_file)
{
	struct coverage other = result_of(NULL, 0, "02cd"), asked = result_of(NULL, 0, "01ab");
	struct outputs *outputs = NULL;

	cr_assert(run("vfs_read", 0x1000, true) == 0);
	cr_expect(open_sum(&outputs, "sum.json", &other) == -EINVAL, "of another build");
	cr_assert(globs__add(&asked.filter.allow, "vfs_*") == 0);
	cr_expect(open_sum(&outputs, "sum.json", &asked) == -EINVAL, "other functions were asked for");
	cr_expect(open_sum(&outputs, "sum.txt", &other) == -EINVAL, "a text cannot be added to");
	expect("vfs_read");
	cr_expect(outputs == NULL);
	coverage__free(&other);
	coverage__free(&asked);
}
