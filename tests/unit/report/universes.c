// SPDX-License-Identifier: GPL-2.0
/* Which functions a universe has that is made of what was kept, if a module has been built again since. */
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include "document/universe_kept.h"
#include "report/sample_documents.h"
#include "report/universes.h"
#include "run/kept.h"

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
		cr_assert(universe__of_build(&u, &id, &modules, NULL) == 0);
		cr_expect(universe__at(&u, NULL, 0x1000) != NULL);
		there = universe__at(&u, "dummy", 0x40);
		cr_expect(there == (i == 0), "%s", builds[i]);
		universe__free(&u);
	}
	unlink(path);
	rmdir(directory);
	rmdir(cache);
}

static bool is_kept_in(const char *cache)
{
	char *path;

	setenv("XDG_CACHE_HOME", cache, true);
	path = kept__path("name");
	free(path);
	return path;
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
