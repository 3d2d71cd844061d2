// SPDX-License-Identifier: GPL-2.0
/* Which functions a universe has that is made of what was kept, if a module has been built again since. */
#include <sys/stat.h>
#include <unistd.h>

#include "document/universe_kept.h"
#include "report/sample_documents.h"
#include "report/universes.h"

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
