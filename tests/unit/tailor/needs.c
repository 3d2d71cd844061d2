// SPDX-License-Identifier: GPL-2.0
/* What objects need by one way, and by either of two. */

#include "tailor/needs.h"

static const char *const names[] = { "A", "B", "C", "D" };
static struct need_store store;

/* @text: "A B|C" */
static struct needs make(const char *text)
{
	struct needs needs = {};
	struct need *need = NULL;

	for (; *text; text++) {
		if (*text == ' ')
			needs__add(&needs, need);
		if (*text == ' ' || *text == '|')
			continue;
		if (!need || text[-1] == ' ')
			need = need_store__add(&store);
		need__add(need, names[*text - 'A']);
	}
	if (need)
		needs__add(&needs, need);
	return needs;
}

static const char *text_of(const struct needs *needs)
{
	static char text[256];

	text[0] = '\0';
	for (size_t i = 0; i < needs->count; i++) {
		for (size_t j = 0; j < needs->list[i]->count; j++) {
			strcat(text, j ? "|" : i ? " " : "");
			strcat(text, needs->list[i]->options[j]);
		}
	}
	return text;
}

static void expect(const char *one, const char *other, const char *wanted)
{
	struct needs a = make(one), b = make(other);

	needs__either(&a, &b, &store);
	expect_str(text_of(&a), wanted, "%s, or %s", one, other);
	needs__free(&a);
	needs__free(&b);
}

Test(needs, what_says_less_is_not_added)
{
	static const char *const cases[][2] = {
		{ "A A", "A" }, { "A A|B", "A" }, { "A|B A", "A" }, { "A|B A|C", "A|B A|C" }, { "A|B C B|A D", "A|B C D" },
	};

	for_each(c, cases) {
		struct needs needs = make((*c)[0]);

		expect_str(text_of(&needs), (*c)[1], "%s", (*c)[0]);
		needs__free(&needs);
	}
	need_store__free(&store);
}

Test(needs, either_of_two_ways)
{
	expect("A", "B", "A|B");
	expect("A B", "A C", "A B|C");
	expect("A B", "C D", "A|C A|D B|C B|D");
	expect("A", "A B", "A");
	expect("A|B", "B", "A|B");
	expect("A", "A|B", "A|B");
	/* Without a condition there. */
	expect("A B", "", "");
	expect("", "A", "");
	need_store__free(&store);
}
