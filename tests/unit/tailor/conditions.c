// SPDX-License-Identifier: GPL-2.0
/* Which options a line of the source needs: the #if blocks around it, line by line. */

#include "put_file.h"
#include "tailor/conditions.h"

/* A line of a file, and what it needs; an inner block's options come first. */
struct line {
	const char *text, *needs;
};

static void write_file(const char *name, const struct line *lines)
{
	autofclose FILE *f = fopen(name, "w");

	cr_assert(ne(ptr, f, NULL));
	for (; lines->text; lines++)
		fprintf(f, "%s\n", lines->text);
}

/* What a line needs, without "CONFIG_" and with blanks between. */
static const char *needs_at(struct conditions *c, const char *unit, const char *file, unsigned int line)
{
	const struct condition *needs = conditions__at(c, unit, file, line);
	static char text[512];

	text[0] = '\0';
	for (; needs; needs = needs->outer) {
		for (size_t i = 0; i < needs->count; i++) {
			strcat(text, *text ? " " : "");
			strcat(text, needs->options[i] + strlen("CONFIG_"));
		}
	}
	return text;
}

static void expect(const struct line *lines)
{
	struct conditions *c;

	write_file("a.c", lines);
	c = conditions__new(test_dir);
	for (unsigned int i = 0; lines[i].text; i++) {
		const char *needs = needs_at(c, "a.c", "a.c", i + 1);

		/* A line without an expectation is a directive. */
		bool right = !lines[i].needs || !strcmp(needs, lines[i].needs);

		cr_expect(right, "line %u, %s: needs \"%s\", not \"%s\"", i + 1, lines[i].text, needs, lines[i].needs);
	}
	conditions__free(c);
}

TestSuite(conditions, .init = enter_dir, .fini = leave_dir);

Test(conditions, of_ifdef_and_else)
{
	static const struct line lines[] = {
		{ "int x;", "" },
		{ "#ifdef CONFIG_A" }, { "x", "A" },
		{ "# ifdef CONFIG_B" }, { "x", "B A" },
		{ "# else" }, { "x", "A" },
		{ "# endif" }, { "x", "A" },
		{ "#else" }, { "x", "" },
		{ "#endif" }, { "x", "" },
		{ "#ifndef CONFIG_C" }, { "x", "" },
		{ "#else" }, { "x", "C" },
		{ "#endif" },
		{ "#ifdef __KERNEL__" }, { "x", "" },
		{ "#endif" }, { "x", "" },
		{ }
	};

	expect(lines);
}

Test(conditions, of_elif_are_those_of_the_negated_branches_before)
{
	static const struct line lines[] = {
		{ "#if !defined(CONFIG_A)" }, { "x", "" },
		{ "#elif !IS_ENABLED(CONFIG_B)" }, { "x", "A" },
		{ "#elif defined(CONFIG_C)" }, { "x", "C A B" },
		{ "#else" }, { "x", "A B" },
		{ "#endif" },
		{ "#if defined(CONFIG_A) && !defined(CONFIG_B)" }, { "x", "A" },
		{ "#else" }, { "x", "" },
		{ "#endif" }, { "x", "" },
		{ }
	};

	expect(lines);
}

Test(conditions, of_plain_conjunctions_only)
{
	static const struct line lines[] = {
		{ "#if defined(CONFIG_A) && defined CONFIG_B && FOO > (1)" }, { "x", "A B" }, { "#endif" },
		{ "#if (defined(CONFIG_A) && (IS_BUILTIN(CONFIG_B) && IS_REACHABLE(CONFIG_C)))" }, { "x", "A B C" },
		{ "#endif" },
		{ "#if defined(CONFIG_A) || defined(CONFIG_B)" }, { "x", "" }, { "#else" }, { "x", "" }, { "#endif" },
		{ "#if defined(CONFIG_A) && (defined(CONFIG_B) || defined(CONFIG_C))" }, { "x", "A" }, { "#endif" },
		{ "#if defined(CONFIG_A) && defined(CONFIG_B) || defined(CONFIG_C)" }, { "x", "" }, { "#endif" },
		{ "#if defined(CONFIG_A) || defined(CONFIG_A_MODULE)" }, { "x", "A" }, { "#endif" },
		{ "#if IS_ENABLED(CONFIG_A) == 0" }, { "x", "" }, { "#endif" },
		{ "#if defined CONFIG_A == 0" }, { "x", "" }, { "#endif" },
		{ "#if CONFIG_A > 2" }, { "x", "" }, { "#endif" },
		{ "#if !(defined(CONFIG_A) && defined(CONFIG_B))" }, { "x", "" }, { "#else" }, { "x", "" }, { "#endif" },
		{ "#if !defined(CONFIG_A) && defined(CONFIG_B)" }, { "x", "B" }, { "#endif" },
		{ "#if (A) > (B)" }, { "x", "" }, { "#endif" },
		{ "#if" }, { "x", "" }, { "#endif" },
		{ }
	};

	expect(lines);
}

Test(conditions, of_comments_strings_and_continued_lines)
{
	static const struct line lines[] = {
		{ "/* #ifdef CONFIG_A" }, { "#ifdef CONFIG_B" }, { "*/ x", "" },
		{ "#ifdef CONFIG_C /* not" }, { "yet */", "C" }, { "x", "C" }, { "#endif // CONFIG_C" },
		{ "char *s = \"/*\";", "" }, { "#ifdef CONFIG_D" }, { "x", "D" }, { "#endif" },
		{ "#if defined(CONFIG_E) && \\" }, { "    defined(CONFIG_F)" }, { "x", "E F" }, { "#endif" },
		{ "char c = '\"';", "" }, { "#ifdef CONFIG_G" }, { "x", "G" }, { "#endif" },
		{ "#endif" }, { "x", "" },
		{ }
	};

	expect(lines);
}

Test(conditions, of_an_included_file_are_those_of_its_line)
{
	static const struct line unit[] = {
		{ "#include \"other.h\"" },
		{ "#ifdef CONFIG_A" }, { "# include \"../sub/part.c\"" }, { "#endif" },
		{ "#include \"free.c\"" },
		{ "#ifdef CONFIG_B" }, { "#include \"twice.c\"" }, { "#endif" }, { "#include \"twice.c\"" },
		{ }
	};
	static const struct line part[] = {
		{ "x" }, { "#ifdef CONFIG_C" }, { "x" }, { "#endif" }, { }
	};
	struct conditions *c;

	run_shell("mkdir sub");
	write_file("sub/unit.c", unit);
	write_file("sub/part.c", part);
	write_file("sub/free.c", part);
	write_file("sub/twice.c", part);
	c = conditions__new(test_dir);
	expect_str(needs_at(c, "sub/unit.c", "sub/part.c", 1), "A");
	expect_str(needs_at(c, "sub/unit.c", "sub/part.c", 3), "C A");
	expect_str(needs_at(c, "sub/unit.c", "sub/free.c", 3), "C");
	expect_str(needs_at(c, "sub/unit.c", "sub/twice.c", 1), "");
	/* A file that is not there, and lines after the end, need nothing. */
	expect_str(needs_at(c, "sub/unit.c", "none.h", 1), "");
	expect_str(needs_at(c, "sub/unit.c", "sub/part.c", 99), "");
	expect_str(needs_at(c, "sub/unit.c", "sub/part.c", 0), "");
	conditions__free(c);
}

Test(conditions, of_a_file_that_is_also_compiled_by_itself)
{
	static const struct line unit[] = { { "#ifdef CONFIG_A" }, { "#include \"b.c\"" }, { "#endif" }, { } };
	static const struct line b[] = { { "x" }, { "#ifdef CONFIG_B" }, { "x" }, { "#endif" }, { } };
	struct conditions *c;

	write_file("unit.c", unit);
	write_file("b.c", b);
	c = conditions__new(test_dir);
	conditions__compiled(c, "unit.c");
	conditions__compiled(c, "b.c");
	expect_str(needs_at(c, "unit.c", "b.c", 1), "");
	expect_str(needs_at(c, "b.c", "b.c", 3), "B");
	conditions__free(c);
}

Test(conditions, of_a_file_that_an_included_one_includes)
{
	static const struct line unit[] = { { "#ifdef CONFIG_A" }, { "#include \"b.c\"" }, { "#endif" }, { } };
	static const struct line b[] = { { "#ifdef CONFIG_B" }, { "#include \"c.c\"" }, { "#include \"b.c\"" }, { "#endif" }, { } };
	static const struct line c_file[] = { { "x" }, { } };
	struct conditions *c;

	write_file("unit.c", unit);
	write_file("b.c", b);
	write_file("c.c", c_file);
	c = conditions__new(test_dir);
	expect_str(needs_at(c, "unit.c", "c.c", 1), "B A");
	conditions__free(c);
}
