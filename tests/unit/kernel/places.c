// SPDX-License-Identifier: GPL-2.0
/*
 * Where a call came from, when the texts of modules lie side by side, and modules come and go. /proc/modules has the
 * size of all of a module's memory, which may be more than its text.
 */

#include "kernel/hits.h"
#include "kernel/sample.h"
#include "put_file.h"

#define ALPHA "ffffffffc0400000 t alpha_first\t[alpha]\nffffffffc0400ff0 t alpha_last\t[alpha]\n"
#define BETA "ffffffffc0401000 t beta_ioctl\t[beta]\nffffffffc0401100 t beta_last\t[beta]\n"
#define GAMMA "ffffffffc0401000 t gamma_ioctl\t[gamma]\nffffffffc0401100 t gamma_last\t[gamma]\n"
#define ALPHA_MODULE "alpha 32768 0 - Live 0xffffffffc0400000\n"
#define BETA_MODULE "beta 8192 0 - Live 0xffffffffc0401000\n"
#define GAMMA_MODULE "gamma 8192 0 - Live 0xffffffffc0401000\n"

/* @wanted: "" if it is counted as not resolvable */
static void expect_place(const struct places *p, uint64_t addr, const char *wanted)
{
	struct hit hit = { .addr = addr, .kind = HIT_CALLER };
	char got[128] = "";
	struct hits hits;

	hits__init(&hits);
	if (places__resolve(p, &hits, &hit))
		snprintf(got, sizeof(got), "%s+0x%x [%s]", hit.name, hit.into, hit.module);
	expect_str(got, wanted);
	hits__free(&hits);
}

static struct kernel with_alpha, with_beta;
static struct symbols *alpha, *with_gamma;

static void begin(void)
{
	alpha = symbols_of(ALPHA, ALPHA_MODULE);
	with_gamma = symbols_of(ALPHA GAMMA, ALPHA_MODULE GAMMA_MODULE);
	with_alpha = (struct kernel){ .symbols = symbols_of(ALPHA, ALPHA_MODULE), .traceable = sample_functions(alpha) };
	with_beta = (struct kernel){ .symbols = symbols_of(ALPHA BETA, ALPHA_MODULE BETA_MODULE),
				     .traceable = sample_functions(alpha) };
}

static void end(void)
{
	kernel__free(&with_alpha);
	kernel__free(&with_beta);
	symbols__free(alpha);
	symbols__free(with_gamma);
}

Test(places, a_module_that_is_gone_is_not_a_part_of_another, .init = begin, .fini = end)
{
	struct places gone = { &with_beta, alpha }, came_and_went = { &with_alpha, alpha };

	expect_place(&gone, 0xffffffffc0401023, "beta_ioctl+0x23 [beta]");
	expect_place(&gone, 0xffffffffc0400fff, "alpha_last+0xf [alpha]");
	expect_place(&gone, 0xffffffffc0400100, "alpha_first+0x100 [alpha]");
	expect_place(&came_and_went, 0xffffffffc0401023, "");
	expect_place(&came_and_went, 0xffffffffc0400fff, "alpha_last+0xf [alpha]");
}

Test(places, of_two_modules_at_one_place_none_is_certain, .init = begin, .fini = end)
{
	struct places replaced = { &with_beta, with_gamma }, came = { &with_alpha, with_gamma };

	expect_place(&replaced, 0xffffffffc0401023, "");
	expect_place(&replaced, 0xffffffffc0400fff, "alpha_last+0xf [alpha]");
	expect_place(&came, 0xffffffffc0401023, "gamma_ioctl+0x23 [gamma]");
}

/* This program takes the place of the module's file. */
__attribute__((used)) void alpha_last(void)
{
	__asm__ volatile(".skip 256, 0x90");
}

Test(places, the_file_of_a_module_says_how_long_its_last_function_is, .init = begin, .fini = end)
{
	struct places p = { &with_alpha };

	enter_dir();
	write_text("modules.dep", "alpha.ko:\n");
	cr_assert(eq(int, symlink("/proc/self/exe", "alpha.ko"), 0));
	with_alpha.files = module_files__new(test_dir);
	cr_expect(module_files__size(with_alpha.files, "alpha", "alpha_last") > 256);
	cr_expect(eq(u64, module_files__size(with_alpha.files, "alpha", "no_such_function"), 0));
	cr_expect(eq(u64, module_files__size(with_alpha.files, "beta", "alpha_last"), 0));
	expect_place(&p, 0xffffffffc0401023, "alpha_last+0x33 [alpha]");
	expect_place(&p, 0xffffffffc0402023, "");
	leave_dir();
}
