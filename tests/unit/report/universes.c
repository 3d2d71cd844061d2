// SPDX-License-Identifier: GPL-2.0
/* Which functions a universe has that is made of what was kept, if a module has been built again since. */
#include <limits.h>

#include "document/universe.h"
#include "put_file.h"
#include "small_kernel.h"
#include "report/documents.h"
#include "report/sample_documents.h"
#include "run/output.h"

static void keep(const char *path, const char *module_build)
{
	struct covered_module *m;
	struct universe u;
	FILE *out;

	sample_universe(&u);
	m = covered_modules__add(&u.modules, "dummy");
	m->build_id = strdup(module_build);
	out = fopen(path, "w");
	cr_assert(out != NULL);
	universe__write_kept(&u, out);
	fclose(out);
	universe__free(&u);
}

Test(universes, have_no_functions_of_another_build_of_a_module)
{
	static const char *const builds[] = { "01", "02" };
	char cache[] = "/tmp/cache.XXXXXX", directory[64], path[128];
	struct covered_module loaded = { .name = "dummy", .build_id = "01" };
	const struct covered_modules modules = { .list = &loaded, .count = 1 };
	const struct kernel_id id = { .release = "0-test", .build_id = BUILD };

	cr_assert(mkdtemp(cache) != NULL);
	setenv("XDG_CACHE_HOME", cache, true);
	snprintf(directory, sizeof(directory), "%s/hytrace", cache);
	snprintf(path, sizeof(path), "%s/functions-" BUILD, directory);
	cr_assert(mkdir(directory, 0700) == 0);
	for (int i = 0; i < 2; i++) {
		struct universe u;
		bool there;

		keep(path, builds[i]);
		cr_assert(universe__of_build(&u, &id, &modules, NULL, false) == 0);
		cr_expect(universe__at(&u, NULL, 0x1000) != NULL);
		there = universe__at(&u, "dummy", 0x40);
		cr_expect(there == (i == 0), "%s", builds[i]);
		universe__free(&u);
	}
	unlink(path);
	rmdir(directory);
	rmdir(cache);
}

/* A module that came and went is in no list of a document, so its build is not known. The sample has dummy_open at 0x40. */
Test(universes, have_no_names_of_another_build_of_a_module)
{
	static const struct {
		const char *name;
		uint64_t offset;
		const char *build_id;	/* of the module in the document; NULL: it is in no list */
		bool fits;
	} cases[] = {
		{ "dummy_open", 0x40, NULL, true },
		{ "dummy_check", 0x40, NULL, false },	/* another function is there */
		{ "dummy_open", 0x80, NULL, false },	/* and this one elsewhere */
		{ "dummy_more", 0x80, NULL, true },	/* a function that the universe lacks */
		{ "vfs_read", 0x80, NULL, true },	/* a namesake is in vmlinux */
		{ "dummy_alias", 0x40, "01", true },	/* the same build has two names for it */
	};

	cr_redirect_stderr();
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct coverage c;
		const struct coverage *list[] = { &c };
		struct universe u;

		sample_universe(&u);
		sample_document(&c, "a");
		covered_modules__add(&u.modules, "dummy")->build_id = strdup("01");
		if (cases[i].build_id)
			sample_module(&c, cases[i].build_id, false);
		see(&c, cases[i].name, "dummy", cases[i].offset, 10);
		cr_expect(eq(int, universe__fit(&u, list, 1), 0));
		cr_expect(eq(int, universe__at(&u, "dummy", 0x0) != NULL, cases[i].fits), "%zu", i);
		cr_expect(universe__at(&u, NULL, 0x1000) != NULL);
		coverage__free(&c);
		universe__free(&u);
	}
}

/* A recorder asks no server: it takes long. libdebuginfod takes a directory for a server. */
Test(universes, are_fetched_only_where_that_is_allowed, .init = enter_dir, .fini = leave_dir)
{
	const struct kernel_id id = { .release = "0-test", .build_id = SMALL_BUILD_ID };
	const struct covered_modules modules = {};
	char *kernel = small_kernel(), url[300];

	run_shell("mkdir -p served/buildid && mv %s served/buildid/" SMALL_BUILD_ID
		  " && cd served/buildid/" SMALL_BUILD_ID " && mv vmlinux debuginfo", kernel);
	free(kernel);
	snprintf(url, sizeof(url), "file://%s", in_dir("served"));
	setenv("XDG_CACHE_HOME", in_dir(""), true);
	setenv("DEBUGINFOD_CACHE_PATH", in_dir("fetched"), true);
	setenv("DEBUGINFOD_URLS", url, true);
	for (int fetch = 0; fetch < 2; fetch++) {
		struct universe u;

		cr_assert(universe__of_build(&u, &id, &modules, NULL, fetch) == 0);
		cr_expect(eq(int, u.count > 0, fetch));
		universe__free(&u);
	}
}

static bool is_kept_in(const char *cache)
{
	char *path;

	setenv("XDG_CACHE_HOME", cache, true);
	path = kept__path("name");
	free(path);
	return path;
}

/* Three files may stay. One that is written or of another kind is none of them. */
Test(universes, that_were_used_last_stay)
{
	static const struct {
		const char *name;
		time_t used;
		bool stays;
	} files[] = {
		{ "functions-aa", 50, true }, { "functions-bb", 10, false }, { "functions-cc", 40, true },
		{ "functions-dd", 20, false }, { "functions-ee", 5, true }, { "functions-ff.1.tmp", 1, true },
		{ "others-aa", 1, true },
	};
	char cache[] = "/tmp/cache.XXXXXX", path[128];

	cr_assert(mkdtemp(cache) != NULL);
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		const struct timespec times[] = { { files[i].used }, { files[i].used } };

		snprintf(path, sizeof(path), "%s/%s", cache, files[i].name);
		fclose(fopen(path, "w"));
		cr_assert(utimensat(AT_FDCWD, path, times, 0) == 0);
	}
	snprintf(path, sizeof(path), "%s/functions-ee", cache);
	kept__touch(path);
	kept__trim(path, 3);
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", cache, files[i].name);
		cr_expect(eq(int, !unlink(path), files[i].stays), "%s", files[i].name);
	}
	rmdir(cache);
}

/* Root with a HOME that is a user's neither believes what is kept there, nor makes files that are root's. */
Test(universes, are_not_kept_where_others_may_write)
{
	char cache[] = "/tmp/cache.XXXXXX", directory[64];

	cr_assert(mkdtemp(cache) != NULL);
	snprintf(directory, sizeof(directory), "%s/hytrace", cache);
	cr_expect(is_kept_in(cache));
	cr_assert(mkdir(directory, 0700) == 0 && chmod(directory, 0777) == 0);
	cr_expect(is_kept_in(cache) == false, "everybody may write there");
	cr_assert(chmod(directory, 0755) == 0);
	cr_expect(is_kept_in(cache));
	if (!geteuid()) {
		cr_assert(chown(directory, 1, 1) == 0);
		cr_expect(is_kept_in(cache) == false, "another user's");
		cr_assert(chown(directory, 0, 0) == 0 && chown(cache, 1, 1) == 0);
		cr_expect(is_kept_in(cache) == false, "in another user's");
	}
	rmdir(directory);
	rmdir(cache);
}

Test(universes, are_not_of_a_vmlinux_that_another_user_offers)
{
	char place[] = "/tmp/build.XXXXXX", self[PATH_MAX] = "", id[64] = "";
	struct kernel_id kernel = { .release = "0-test", .build_id = id };
	char *path;
	FILE *f;

	/* This program has a build id, too. */
	cr_assert(readlink("/proc/self/exe", self, sizeof(self) - 1) > 0);
	f = popen("readelf -n /proc/$PPID/exe | sed -n 's/.*Build ID: //p'", "r");
	cr_assert(f != NULL && fgets(id, sizeof(id), f) != NULL);
	pclose(f);
	id[strcspn(id, "\n")] = '\0';
	cr_assert(mkdtemp(place) != NULL && chdir(place) == 0 && mkdir("build", 0755) == 0);
	cr_assert(symlink(self, "build/vmlinux") == 0);
	path = kernel_id__find_vmlinux(&kernel, NULL);
	cr_expect(path != NULL, "this user's own");
	free(path);
	for (int i = 0; i < 2; i++) {
		cr_assert(chmod(i ? "." : "build", 0777) == 0);
		path = kernel_id__find_vmlinux(&kernel, NULL);
		cr_expect(path == NULL, "anybody's");
		free(path);
		cr_assert(chmod(i ? "." : "build", 0755) == 0);
	}
	unlink("build/vmlinux");
	rmdir("build");
	rmdir(place);
}
