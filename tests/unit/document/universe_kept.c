// SPDX-License-Identifier: GPL-2.0
/* A universe that is kept comes back as it was, and one that is damaged does not come back. */

#include "document/universe.h"
#include "report/sample_documents.h"

static char *kept_text(const struct universe *u)
{
	return PRINTED(f, universe__write_kept(u, f));
}

static char *as_json(const struct universe *u)
{
	return PRINTED(f, universe__write_json(u, f));
}

static bool read_back(struct universe *ret, const char *text, size_t length)
{
	char path[] = "/tmp/kept.XXXXXX";
	int fd = mkstemp(path);
	bool is_whole;

	cr_assert(write(fd, text, length) == (ssize_t)length);
	close(fd);
	is_whole = universe__read_kept(ret, path);
	unlink(path);
	return is_whole;
}

Test(universe_kept, comes_back_as_it_was)
{
	struct universe u, back;
	struct covered_module *m;
	char *text, *before, *after;

	sample_universe(&u);
	u.list[0].text = 0xfedcba9876543210;
	m = covered_modules__add(&u.modules, "dummy");
	m->build_id = strdup("01");
	covered_modules__add(&u.modules, "other");
	text = kept_text(&u);
	cr_assert(read_back(&back, text, strlen(text)));
	before = as_json(&u);
	after = as_json(&back);
	expect_str(before, after);
	cr_expect(back.whole && back.placed && back.linked);
	cr_expect(universe__at(&back, "dummy", 0x40) != NULL, "what is in it is found");
	free(text);
	free(before);
	free(after);
	universe__free(&u);
	universe__free(&back);
}

Test(universe_kept, does_not_come_back_cut_off)
{
	struct universe u, back;
	char *text;

	sample_universe(&u);
	text = kept_text(&u);
	for (size_t i = 0; text[i]; i++)
		cr_assert(read_back(&back, text, i) == false, "%zu bytes", i);
	free(text);
	universe__free(&u);
}

Test(universe_kept, does_not_come_back_damaged)
{
	static const struct {
		const char *from, *to;
	} cases[] = {
		{ "universe 2", "universe 3" },	/* another form */
		{ "\t12\n", "\t13\n" },		/* a function too few */
		{ "\t12\n", "\t11\n" },		/* and one too many */
		{ "vfs_read\t", "vfs_read " },	/* a field too few */
		{ "vfs_read\t", "vfs_read\t\t" },	/* and one too many */
		{ "\t12\n", "\t99999999999\n" },
	};
	struct universe u, back;
	char *text;

	sample_universe(&u);
	text = kept_text(&u);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *at = strstr(text, cases[i].from), *other;

		cr_assert(at != NULL, "%s", cases[i].from);
		cr_assert(asprintf(&other, "%.*s%s%s", (int)(at - text), text, cases[i].to,
				   at + strlen(cases[i].from)) > 0);
		cr_expect(read_back(&back, other, strlen(other)) == false, "%zu", i);
		free(other);
	}
	free(text);
	universe__free(&u);
}
