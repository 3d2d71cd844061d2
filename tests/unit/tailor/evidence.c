// SPDX-License-Identifier: GPL-2.0
/* What a module proves that Kbuild does not know, in the kernel of small_kernel.h. */

#include "printed.h"
#include "small_kernel.h"
#include "tailor/evidence.h"

static struct sample {
	char *directory, vmlinux[256], *label;
	struct coverage document;
	const struct coverage *list[1];
	struct documents documents;
	struct images images;
	struct owned object;
	struct owners owners;
	struct kbuild build;
	struct evidence evidence;
} s;

/* The module zfs, whose file has @source; NULL: there is no file. init/main.o needs MAIN, and its datum needs DATUM. */
static void begin(const char *source)
{
	struct need *need;
	char command[1024];

	memset(&s, 0, sizeof(s));
	s.directory = small_kernel();
	snprintf(s.vmlinux, sizeof(s.vmlinux), "%s/vmlinux", s.directory);
	if (source) {
		small_write(s.directory, "zfs.c", source, "");
		snprintf(command, sizeof(command), "cd %s && gcc " SMALL_CFLAGS " -c -o lib/modules/6.12.0-small/zfs.ko zfs.c && "
			 "echo zfs.ko: >>lib/modules/6.12.0-small/modules.dep", s.directory);
		cr_assert(eq(int, system(command), 0));
	}
	coverage__init(&s.document, "oneshot");
	s.document.kernel.build_id = strdup(SMALL_BUILD_ID);
	s.document.kernel.release = strdup("6.12.0-small");
	covered_modules__add(&s.document.modules, "zfs");
	s.list[0] = &s.document;
	s.label = "run";
	s.documents = (struct documents){ .list = s.list, .labels = &s.label, .count = 1 };
	cr_assert(eq(int, images__open(&s.images, s.list, 1, s.vmlinux), 0));
	s.object.path = "init/main.o";
	need = need_store__add(&s.owners.needs);
	need__add(need, "CONFIG_MAIN");
	needs__add(&s.object.needs, need);
	s.owners.list = &s.object;
	s.owners.count = 1;
	s.build.source = s.directory;
	s.build.names = strings__new();
	s.build.set = lh_kchar_table_new(16, NULL);
	lh_table_insert(s.build.set, "CONFIG_MAIN", "y");
	lh_table_insert(s.build.set, "CONFIG_DATUM", "y");
}

static int collect(bool lossy)
{
	return evidence__collect(&s.evidence, &s.documents, &s.images, &s.owners, &s.build, lossy);
}

static void end(void)
{
	evidence__free(&s.evidence);
	lh_table_free(s.build.set);
	strings__free(s.build.names);
	needs__free(&s.object.needs);
	need_store__free(&s.owners.needs);
	images__free(&s.images);
	coverage__free(&s.document);
	small_kernel__remove(s.directory);
}

/* "MODULE FUNCTION", if the option is used. */
static const char *proof_of(const char *option)
{
	const struct option_facts *o = evidence__option(&s.evidence, option);
	static char text[128];

	if (!o || o->witness.in != SEEN_RUN)
		return "none";
	snprintf(text, sizeof(text), "%s %s", o->witness.module ?: "-", o->witness.function ?: "-");
	return text;
}

Test(evidence, of_an_unknown_module_is_what_it_imports)
{
	static const struct {
		const char *source, *object, *block;
	} cases[] = {
		{ "int apart(int x);\nint entry(int x) { return apart(x); }\n", "zfs apart", "none" },
		{ "extern int datum;\nint entry(int x) { return datum + x; }\n", "zfs datum", "zfs datum" },
	};

	for_each(c, cases) {
		begin(c->source);
		cr_expect(eq(int, collect(false), 0));
		expect_str(proof_of("MAIN"), c->object);
		expect_str(proof_of("DATUM"), c->block);
		end();
	}
}

Test(evidence, of_an_unknown_module_without_a_file_is_refused)
{
	cr_redirect_stderr();
	begin(NULL);
	cr_expect(eq(int, collect(false), -22));
	cr_expect(strstr(said(), "run: names module zfs, which Kbuild does not know and whose file was not found") != NULL);
	end();
}

Test(evidence, of_an_unknown_module_without_a_file_is_none_if_that_is_asked_for)
{
	begin(NULL);
	cr_expect(eq(int, collect(true), 0));
	expect_str(proof_of("MAIN"), "none");
	end();
}
