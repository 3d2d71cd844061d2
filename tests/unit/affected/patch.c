// SPDX-License-Identifier: GPL-2.0
/* Patches of git and of diff, as mail programs and people change them; and what is no patch. */
#include "affected/patch.h"
#include "printed.h"

static struct patch patch;

static int read_text(const char *content)
{
	return patch__read(&patch, content, strlen(content), "x.patch");
}

static void begin(void)
{
	patch__init(&patch);
}

static void end(void)
{
	patch__free(&patch);
	free_printed();
}

TestSuite(patch, .init = begin, .fini = end);

/* "old>new kind b" for each file, and "  -1,2 +3,4" with the changes and headings of each hunk. */
static void print_heading(const struct heading *h, FILE *f)
{
	if (h->name)
		fprintf(f, " %s@%u/%u", h->name, h->old, h->new);
}

static void print_files(FILE *f)
{
	for (size_t i = 0; i < patch.count; i++) {
		const struct patched_file *file = &patch.list[i];

		fprintf(f, "%s>%s %s%s\n", file->old ?: "-", file->new ?: "-", file_kind_words[file->kind],
			file->binary ? " binary" : "");
		for (size_t k = 0; k < file->count; k++) {
			const struct hunk *h = &file->list[k];

			fprintf(f, "  -%u,%u +%u,%u\n", h->old, h->old_count, h->new, h->new_count);
			for (size_t n = 0; n < h->count; n++) {
				const struct change *c = &h->list[n];

				fprintf(f, "    -%u,%u +%u,%u", c->old, c->old_count, c->new, c->new_count);
				print_heading(&c->heading, f);
				fprintf(f, "\n");
			}
		}
	}
}

static void expect(const char *content, const char *files)
{
	cr_assert(eq(int, read_text(content), 0));
	PRINT(f, print_files(f));
	cr_expect(eq(str, text, (char *)files));
}

static void expect_refused(const char *content, const char *why)
{
	cr_expect(eq(int, read_text(content), -EINVAL), "%s", content);
	cr_expect(strstr(said(), why) != NULL, "not said: %s", why);
}

#define HEAD "--- a/fs/x.c\n+++ b/fs/x.c\n"

Test(patch, has_the_lines_of_both_sides)
{
	expect("diff --git a/fs/x.c b/fs/x.c\nindex 1..2 100644\n" HEAD
	       "@@ -10,7 +10,8 @@ static int f(int a)\n"
	       " \ta\n-\tb\n-\tc\n+\tB\n \td\n+\te\n+\tf\n \tg\n \th\n \ti\n",
	       "fs/x.c>fs/x.c changed\n"
	       "  -10,7 +10,8\n"
	       "    -11,2 +11,1 f@10/10\n"
	       "    -14,0 +13,2 f@10/10\n");
}

Test(patch, counts_one_line_and_none_as_git_does)
{
	expect(HEAD "@@ -3 +3 @@\n-a\n+b\n@@ -7,0 +8,2 @@\n+a\n+b\n@@ -9,1 +10,0 @@\n-x\n",
	       "fs/x.c>fs/x.c changed\n"
	       "  -3,1 +3,1\n    -3,1 +3,1\n"
	       "  -7,0 +8,2\n    -8,0 +8,2\n"
	       "  -9,1 +10,0\n    -9,1 +11,0\n");
}

Test(patch, knows_where_functions_begin_and_end_in_a_hunk)
{
	expect(HEAD "@@ -1,7 +1,12 @@ int before(void)\n"
	       "+\tx();\n }\n \n+#define Y\n+int new_one(int a)\n+{\n }\n \n int next(int a,\n \t int b)\n {\n+\ty();\n",
	       "fs/x.c>fs/x.c changed\n"
	       "  -1,7 +1,12\n"
	       "    -1,0 +1,1 before@1/1\n"
	       "    -3,0 +4,1\n"
	       "    -3,0 +5,2 new_one@0/5\n"
	       "    -8,0 +12,1 next@5/9\n");
}

Test(patch, takes_no_label_declaration_or_table_for_a_function)
{
	expect(HEAD "@@ -1,7 +1,8 @@ int f(void)\n L(out):\n int g(void);\n int table[] = { A(1) };\n typedef int call(int a,\n \t\tint b,\n"
	       " \t\tint c,\n \t\tint d);\n+x\n",
	       "fs/x.c>fs/x.c changed\n  -1,7 +1,8\n    -8,0 +8,1 f@1/1\n");
}

Test(patch, finds_names_in_parentheses_and_takes_no_pointer_for_a_function)
{
	expect(HEAD "@@ -1,6 +1,12 @@ int (f)(int a)\n {\n+x\n }\n int (*g(int a))(int)\n {\n+x\n }\n+int FNAME(walk)(int a)\n+y\n }\n+int (*h)(int a)\n+z\n",
	       "fs/x.c>fs/x.c changed\n  -1,6 +1,12\n    -2,0 +2,1 f@1/1\n    -5,0 +6,1 g@3/4\n    -6,0 +8,2 FNAME@0/8\n"
	       "    -7,0 +11,2\n");
}

Test(patch, takes_no_declaration_of_several_lines_for_a_function)
{
	expect(HEAD "@@ -1,2 +1,5 @@\n+int f(int a,\n+      int b,\n+      int c);\n int g(int a,\n       int b)\n",
	       "fs/x.c>fs/x.c changed\n  -1,2 +1,5\n    -1,0 +1,3\n");
}

Test(patch, gives_system_calls_and_assembly_their_names)
{
	expect(HEAD "@@ -1 +1 @@ SYM_FUNC_START(__memset)\n-a\n+b\n",
	       "fs/x.c>fs/x.c changed\n  -1,1 +1,1\n    -1,1 +1,1 __memset@1/1\n");
	patch__free(&patch);
	patch__init(&patch);
	expect(HEAD "@@ -1 +1 @@ SYSCALL_DEFINE3(read, unsigned int, fd)\n-a\n+b\n",
	       "fs/x.c>fs/x.c changed\n  -1,1 +1,1\n    -1,1 +1,1 __x64_sys_read@1/1\n");
	patch__free(&patch);
	patch__init(&patch);
	expect(HEAD "@@ -1 +1 @@ COMPAT_SYSCALL_DEFINE1(old, int, a)\n-a\n+b\n@@ -5 +5 @@ BPF_CALL_1(bpf_x, int, a)\n-a\n+b\n",
	       "fs/x.c>fs/x.c changed\n  -1,1 +1,1\n    -1,1 +1,1 __ia32_compat_sys_old@1/1\n"
	       "  -5,1 +5,1\n    -5,1 +5,1 bpf_x@5/5\n");
}

Test(patch, has_new_deleted_and_renamed_files)
{
	expect("diff --git a/new.c b/new.c\nnew file mode 100644\n--- /dev/null\n+++ b/new.c\n@@ -0,0 +1 @@\n+int a;\n"
	       "diff --git a/empty.c b/empty.c\nnew file mode 100644\nindex 0..1\n"
	       "diff --git a/old.c b/old.c\ndeleted file mode 100644\n--- a/old.c\n+++ /dev/null\n@@ -1 +0,0 @@\n-int a;\n"
	       "diff --git a/fs/a.c b/fs/b.c\nsimilarity index 90%\nrename from fs/a.c\nrename to fs/b.c\n"
	       "--- a/fs/a.c\n+++ b/fs/b.c\n@@ -1 +1 @@\n-a\n+b\n"
	       "diff --git a/fs/c c.c b/fs/d.c\nsimilarity index 100%\nrename from fs/c c.c\nrename to fs/d.c\n"
	       "diff --git a/fs/a.c b/fs/e.c\nsimilarity index 90%\ncopy from fs/a.c\ncopy to fs/e.c\n"
	       "--- a/fs/a.c\n+++ b/fs/e.c\n@@ -1 +1 @@\n-a\n+b\n"
	       "diff --git a/x.sh b/x.sh\nold mode 100644\nnew mode 100755\n",
	       "->new.c new\n  -0,0 +1,1\n    -1,0 +1,1\n"
	       "->empty.c new\n"
	       "old.c>- deleted\n  -1,1 +0,0\n    -1,1 +1,0\n"
	       "fs/a.c>fs/b.c renamed\n  -1,1 +1,1\n    -1,1 +1,1\n"
	       "fs/c c.c>fs/d.c renamed\n"
	       "fs/a.c>fs/e.c copied\n  -1,1 +1,1\n    -1,1 +1,1\n"
	       "x.sh>x.sh changed\n");
}

Test(patch, names_what_has_no_lines)
{
	expect("diff --git a/a.png b/a.png\nindex 1..2\nBinary files a/a.png and b/a.png differ\n"
	       "diff --git a/b.png b/b.png\nindex 1..2\nGIT binary patch\nliteral 3\nKcmZQzfB^yh0;B-R\n",
	       "a.png>a.png changed binary\nb.png>b.png changed binary\n");
}

Test(patch, reads_quoted_names)
{
	expect("diff --git \"a/fs/\\303\\244\\\"\\t.c\" \"b/fs/\\303\\244\\\"\\t.c\"\n--- \"a/fs/\\303\\244\\\"\\t.c\"\n"
	       "+++ \"b/fs/\\303\\244\\\"\\t.c\"\n@@ -1 +1 @@\n-a\n+b\n",
	       "fs/ä\"\t.c>fs/ä\"\t.c changed\n  -1,1 +1,1\n    -1,1 +1,1\n");
}

Test(patch, reads_diffs_without_git)
{
	expect("diff -ru linux.orig/fs/x.c linux/fs/x.c\n--- linux.orig/fs/x.c\t2024-01-01 00:00:00 +0000\n"
	       "+++ linux/fs/x.c\t2024-01-02\n@@ -1 +1 @@\n-a\n+b\n--- linux.orig/y.c\n+++ linux/y.c\n@@ -2 +2 @@\n-a\n+b\n"
	       "Only in linux: z.c\nBinary files linux.orig/i.png and linux/i.png differ\n",
	       "fs/x.c>fs/x.c changed\n  -1,1 +1,1\n    -1,1 +1,1\n"
	       "y.c>y.c changed\n  -2,1 +2,1\n    -2,1 +2,1\n"
	       "i.png>i.png changed binary\n");
}

Test(patch, keeps_the_paths_of_git_without_prefixes)
{
	expect("diff --git fs/x.c fs/x.c\n--- fs/x.c\n+++ fs/x.c\n@@ -1 +1 @@\n-a\n+b\n",
	       "fs/x.c>fs/x.c changed\n  -1,1 +1,1\n    -1,1 +1,1\n");
}

Test(patch, reads_a_mailbox)
{
	expect("From 1 Mon Sep 17\nSubject: one\n\n--- a story, and not a file\n+++ of it\n---\n fs/x.c | 2 +-\n\n"
	       "diff --git a/fs/x.c b/fs/x.c\n" HEAD "@@ -1,2 +1,2 @@\n-a\n+b\n \n-- \n2.39\n\nFrom 2 Mon\nSubject: two\n\nrename to y: a story\n---\n"
	       "diff --git a/y.c b/y.c\n--- a/y.c\n+++ b/y.c\n@@ -1,2 +1,1 @@\n--- it was a comment\n x\n-- \n2.39\n",
	       "fs/x.c>fs/x.c changed\n  -1,2 +1,2\n    -1,1 +1,1\n"
	       "y.c>y.c changed\n  -1,2 +1,1\n    -1,1 +1,0\n");
}

Test(patch, does_not_mind_line_ends_and_lost_spaces)
{
	expect("--- a/fs/x.c\r\n+++ b/fs/x.c\r\n@@ -1,3 +1,3 @@ int f(int a)\r\n-a\r\n+b\r\n\r\n c\r\n\\ No newline at end of file\r\n"
	       "@@ -9 +9 @@\r\n-a\r\n\\ No newline at end of file\r\n+b",
	       "fs/x.c>fs/x.c changed\n  -1,3 +1,3\n    -1,1 +1,1 f@1/1\n  -9,1 +9,1\n    -9,1 +9,1\n");
}

Test(patch, refuses_what_is_damaged)
{
	cr_redirect_stderr();
	expect_refused("", "x.patch: has no patch");
	expect_refused("Hello\n--- a\n+++ b\n", "x.patch: has no patch");
	expect_refused(HEAD "@@ -1,2 +1,2 @@\n-a\n+b\n", "x.patch:6: the hunk is not as long as it says");
	expect_refused(HEAD "@@ -1,2 +1,2 @@\n-a\n=20\n c\n", "the hunk is not as long as it says");
	expect_refused(HEAD "@@ -1,2 +1,2 @@\n-a\n-b\n-c\n", "x.patch:6: the hunk is not as long as it says");
	expect_refused(HEAD "@@ -1,2 +x @@\n", "these are no line numbers");
	expect_refused(HEAD "@@ -99999999999999999999,2 +1 @@\n", "these are no line numbers");
	expect_refused("@@ -1 +1 @@\n-a\n+b\n", "a hunk without a file");
	expect_refused("diff --cc fs/m.c\nindex 1,2..3\n--- a/fs/m.c\n+++ b/fs/m.c\n@@@ -1,1 -1,1 +1,1 @@@\n- a\n -b\n++c\n",
		       "x.patch:1: is the diff of a merge");
}

Test(patch, is_not_harmed_by_any_bytes)
{
	static const char whole[] = "diff --git \"a/f\\303.c\" \"b/f\\303.c\"\nrename from a\nrename to b\nBinary files a/b and c differ\n"
		"--- a/f.c\n+++ b/f.c\n@@ -1,3 +1,3 @@ SYSCALL_DEFINE1(a,\n int f(\n-a\n+}\n \\\n\\ No\n@@ -5 +5 @@\n-(\n+_(\n";
	char copy[sizeof(whole)];
	unsigned int seed = 1;

	cr_redirect_stderr();
	for (int i = 0; i < 20000; i++) {
		size_t length = (seed = seed * 1103515245 + 12345) / 65536 % sizeof(whole);

		memcpy(copy, whole, sizeof(whole));
		for (int k = 0; k < 3; k++) {
			seed = seed * 1103515245 + 12345;
			copy[seed / 65536 % sizeof(whole)] = "\0\n\"\\-+@ (,9\xff"[seed / 65536 / 256 % 12];
		}
		patch__read(&patch, copy, length, "x.patch");
		patch__free(&patch);
		patch__init(&patch);
	}
}
