// SPDX-License-Identifier: GPL-2.0
/*
 * hytrace cover --append: what a file has is joined with what a run sees, or refused before anything is run. And --keep:
 * a run is in the store, or else in a file.
 */
#include <sys/wait.h>
#include <sys/file.h>

#include "cover/outputs.h"
#include "document/coverage_json.h"
#include "put_file.h"
#include "store/store.h"

static void leave(void)
{
	run_shell("rm -f sum.json sum.txt sum.new.json sum.new2.json runs.db runs.db.new.json && rmdir %s", test_dir);
}

/* Of a run that has seen one function; NULL: one that has not begun. */
static struct coverage result_of(const char *function, uint64_t addr, const char *build_id)
{
	struct hit hit = { .link = addr, .first_ns = addr, .kind = HIT_FUNCTION };
	struct coverage c;

	coverage__init(&c, "bpf");
	c.kernel.release = strdup("6.12");
	c.kernel.build_id = strdup(build_id);
	c.kernel.offset_known = true;
	c.boot_id = strdup("this one");
	c.host = strdup("here");
	c.window = (struct window){ 1, 2, 3, 4, 5 };
	hit.name = hits__name(&c.hits, function);
	if (function)
		hits__add(&c.hits, &hit);
	return c;
}

/* What is asked for, and a run that has seen vfs_mkdir(). */
static struct coverage plan, c;
static const struct coverage *const list[] = { &c };
static struct outputs *outputs;

static void begin(void)
{
	enter_dir();
	plan = result_of(NULL, 0, "01ab");
	c = result_of("vfs_mkdir", 0x3000, "01ab");
}

static void end(void)
{
	coverage__free(&plan);
	coverage__free(&c);
	leave();
}

TestSuite(append, .init = begin, .fini = end);

static int open_sum(struct outputs **ret, const char *path, const struct coverage *plan)
{
	static struct cover_options o;
	static const char *paths[1];
	struct engines engines = { .list[0].ops = &engine_bpf, .count = 1 };

	paths[0] = path;
	o = (struct cover_options){ .append = true, .outputs = paths, .output_count = 1 };
	return outputs__open(ret, &o, &engines, &plan->kernel, plan, NULL);
}

/* Runs it, or only up to a SIGUSR1. */
static int run(const char *function, uint64_t addr, bool to_its_end)
{
	struct coverage ran = result_of(function, addr, "01ab");
	const struct coverage *all[] = { &ran };
	int err = open_sum(&outputs, "sum.json", &plan);

	if (!err && to_its_end)
		err = outputs__write(outputs, all, 1, NULL);
	else if (!err)
		outputs__write_so_far(outputs, all, NULL);
	outputs__free(outputs);
	outputs = NULL;
	coverage__free(&ran);
	return err;
}

static void expect_in(const char *path, const char *wanted)
{
	struct coverage c;
	char got[256] = "";

	cr_assert(coverage__read_json(&c, path) == 0);
	for (size_t i = 0; i < c.hits.count; i++)
		snprintf(got + strlen(got), sizeof(got) - strlen(got), "%s%s", i ? " " : "", c.hits.list[i].name);
	expect_str(got, wanted);
	coverage__free(&c);
}

static void expect(const char *wanted)
{
	expect_in("sum.json", wanted);
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

/* Another process puts its result there; this one cannot, as its two results would have one temporary name. */
static void another_run(const char *function, uint64_t addr)
{
	struct coverage c = result_of(function, addr, "01ab");
	autofclose FILE *out = fopen("other", "w");

	cr_assert(out != NULL);
	coverage__write_json(&c, out);
	cr_assert(rename("other", "sum.json") == 0);
	coverage__free(&c);
}

Test(append, several_runs_at_the_same_time_are_all_kept)
{
	struct coverage so_far = result_of("vfs_mkdir", 0x3000, "01ab");
	const struct coverage *list_so_far[] = { &so_far };

	c.started = so_far.started = 1000;
	cr_assert(open_sum(&outputs, "sum.json", &plan) == 0);
	another_run("vfs_read", 0x1000);
	outputs__write_so_far(outputs, list_so_far, NULL);
	expect("vfs_read vfs_mkdir");
	cr_assert(outputs__write(outputs, list, 1, NULL) == 0, "what was written so far is part of it");
	expect("vfs_read vfs_mkdir");
	outputs__free(outputs);
	cr_assert(open_sum(&outputs, "sum.json", &plan) == 0);
	another_run("vfs_write", 0x2000);
	c.started = 2000;
	cr_assert(outputs__write(outputs, list, 1, NULL) == 0);
	expect("vfs_write vfs_mkdir");
	outputs__free(outputs);
	coverage__free(&so_far);
}

static void load(struct coverage *c, const char *build_id)
{
	struct covered_module *m = covered_modules__add(&c->modules, "dummy");

	cr_assert(m != NULL);
	m->build_id = strdup(build_id);
}

Test(append, what_cannot_be_added_is_written_beside)
{
	load(&c, "01");
	for (int i = 0; i < 3; i++) {
		cr_assert(open_sum(&outputs, "sum.json", &plan) == 0);
		cr_expect(outputs__write(outputs, list, 1, NULL) == (i ? -EINVAL : 0), "%d", i);
		outputs__free(outputs);
		c.modules.list[0].build_id[1] = '2';
		c.hits.list[0].link = 0x2000;
		c.hits.list[0].name = i ? "vfs_rmdir" : "vfs_write";
	}
	expect("vfs_mkdir");
	expect_in("sum.new.json", "vfs_write");
	expect_in("sum.new2.json", "vfs_rmdir");
}

/* Whoever may read the directory may lock it, too. Then the result is not lost, and nobody waits for ever. */
Test(append, a_lock_of_somebody_else_is_not_waited_for_long, .timeout = 60)
{
	int locked = open(".", O_RDONLY);

	cr_assert(run("vfs_read", 0x1000, true) == 0);
	cr_assert(open_sum(&outputs, "sum.json", &plan) == 0);
	cr_assert(flock(locked, LOCK_EX) == 0);
	cr_expect(symlink("nothing", "sum.new.json") == 0);
	cr_expect(outputs__write(outputs, list, 1, NULL) == -EAGAIN);
	outputs__free(outputs);
	close(locked);
	expect("vfs_read");
	expect_in("sum.new2.json", "vfs_mkdir");
}

/* Runs that end together wait for each other, however many they are. */
Test(append, runs_that_put_their_results_there_are_waited_for, .timeout = 60)
{
	int status;

	cr_assert(open_sum(&outputs, "sum.json", &plan) == 0);
	if (!fork()) {
		int locked = open(".", O_RDONLY);

		flock(locked, LOCK_EX);
		for (int i = 0; i < 2; i++) {
			sleep(3);
			another_run("vfs_read", 0x1000);
		}
		sleep(1);
		_exit(0);
	}
	usleep(500000);
	cr_expect(outputs__write(outputs, list, 1, NULL) == 0);
	cr_assert(wait(&status) > 0);
	outputs__free(outputs);
	expect("vfs_read vfs_mkdir");
}

/* Somebody else's pipe would be waited for, and a link may lead anywhere. */
Test(append, what_takes_the_files_place_is_not_read, .timeout = 60)
{
	cr_assert(run("vfs_read", 0x1000, true) == 0);
	cr_assert(open_sum(&outputs, "sum.json", &plan) == 0);
	cr_assert(rename("sum.json", "sum.new.json") == 0);
	cr_assert(symlink("sum.new.json", "sum.json") == 0);
	cr_expect(outputs__write(outputs, list, 1, NULL) == -EINVAL);
	outputs__free(outputs);
	expect_in("sum.new2.json", "vfs_mkdir");
	unlink("sum.json");
	cr_assert(open_sum(&outputs, "sum.json", &plan) == 0);
	cr_assert(mkfifo("sum.json", 0600) == 0);
	cr_expect(outputs__write(outputs, list, 1, NULL) == 0);
	outputs__free(outputs);
	expect("vfs_mkdir");
}

/* The shares of a text need the functions of the kernel, which a document does not. */
Test(so_far, does_not_look_for_what_only_the_end_needs, .init = enter_dir, .fini = leave)
{
	const char *paths[] = { "sum.json", "-" };
	struct cover_options o = { .outputs = paths, .output_count = 2 };
	struct engines engines = { .list[0].ops = &engine_bpf, .count = 1 };
	struct coverage c = result_of("vfs_read", 0x1000, "01ab");
	const struct coverage *list[] = { &c };
	struct outputs *outputs = NULL;

	cr_redirect_stderr();
	cr_assert(outputs__open(&outputs, &o, &engines, &c.kernel, &c, NULL) == 0);
	outputs__write_so_far(outputs, list, NULL);
	expect("vfs_read");
	fflush(stderr);
	cr_assert_stderr_eq_str("");
	outputs__free(outputs);
	coverage__free(&c);
}

/* ---- --keep */

static struct cover_options kept = { .keep = "runs.db", .note = { .test = "ltp/mkdir01", .revision = "abc" } };

TestSuite(keep, .init = begin, .fini = end);

static int open_kept(void)
{
	struct engines engines = { .list[0].ops = &engine_bpf, .count = 1 };

	return outputs__open(&outputs, &kept, &engines, &plan.kernel, &plan, NULL);
}

static int write_kept(void)
{
	int err = outputs__write(outputs, list, 1, NULL);

	outputs__free(outputs);
	outputs = NULL;
	return err;
}

static void expect_runs(const char *selection, size_t wanted)
{
	struct store *s;
	int64_t *runs;
	size_t count;

	cr_assert(store__open(&s, "runs.db", STORE_READ) == 0);
	cr_assert(store__select(s, selection, &runs, &count) == 0);
	cr_expect(count == wanted, "%s: %zu", selection, count);
	free(runs);
	store__close(s);
}

Test(keep, the_run_is_in_the_store_and_nothing_is_printed)
{
	cr_redirect_stdout();
	cr_redirect_stderr();
	c.started = 1000000000ull * 86400;
	cr_assert(open_kept() == 0);
	expect_runs(NULL, 0);
	cr_assert(write_kept() == 0);
	expect_runs("test=ltp/mkdir01&commit=abc&engine=bpf&document=ltp/mkdir01 1970-01-02T00:00:00Z", 1);
	fflush(stdout);
	fflush(stderr);
	cr_assert_stdout_eq_str("");
	cr_assert_stderr_eq_str("");
}

Test(keep, the_json_file_of_the_run_is_not_kept_again)
{
	const char *path = "sum.json";
	struct text t;
	struct coverage read;
	struct store_note note = { .document = path };
	struct store *s;
	bool is_new = true;

	kept.outputs = &path;
	kept.output_count = 1;
	kept.result.format = FORMAT_JSON;
	cr_assert(open_kept() == 0 && write_kept() == 0);
	kept.output_count = 0;
	expect("vfs_mkdir");
	cr_assert(document__read_text(&t, document__open(path), path) == 0);
	cr_assert(coverage__read_text(&read, &t, path) == 0);
	note.hash = store__hash(&t);
	cr_assert(store__open(&s, "runs.db", STORE_WRITE) == 0);
	cr_assert(store__keep(s, &read, &note, &is_new) == 0);
	cr_expect(not(is_new));
	store__close(s);
	coverage__free(&read);
	free(t.bytes);
}

Test(keep, what_is_no_store_is_refused_before_the_run)
{
	run_shell("echo no store >runs.db");
	cr_expect(open_kept() == -EINVAL);
	run_shell("rm runs.db && mkdir runs.db");
	cr_expect(open_kept() == -EINVAL);
	run_shell("rmdir runs.db");
	kept.keep = "nowhere/runs.db";
	cr_expect(open_kept() == -EINVAL);
	cr_expect(outputs == NULL);
}

Test(keep, a_run_that_cannot_be_kept_is_in_a_file)
{
	cr_assert(open_kept() == 0);
	run_shell("echo no store >runs.db");
	cr_expect(write_kept() == -EINVAL);
	expect_in("runs.db.new.json", "vfs_mkdir");
}
