// SPDX-License-Identifier: GPL-2.0
/* Lists that are kept for later runs: when they must be used, and when not. */
#include <sys/wait.h>

#include "kernel/kept_list.h"
#include "kernel/sample.h"
#include "put_file.h"

#define LIST "ffffffff82000000 T _stext\nffffffff82000100 T vfs_read\n" \
	     "ffffffffc0400000 t two_open\t[mod_two]\n"
#define MODULE "mod_two 16384 0 - Live 0xffffffffc0400000\n"
#define GENERATED "ffffffffc0500000 t bpf_prog_1\t[bpf]\n"

/* A kernel in a directory of its own, which is the current directory. */
static const struct kept_places places = { "kept", "modules", "sys_module" };

static void set_up(void)
{
	enter_dir();
	umask(022);
	write_text("modules", MODULE);
	cr_assert(mkdir("sys_module", 0755) == 0);
	cr_assert(mkdir("sys_module/mod_two", 0755) == 0);
	write_text("list", LIST GENERATED);
}

static void tear_down(void)
{
	run_shell("rm -rf kept elsewhere list modules sys_module; rmdir %s", test_dir);
}

TestSuite(kept_list, .init = set_up, .fini = tear_down);

static bool keeps(const char *line)
{
	return !strstr(line, "[bpf]");
}

/* Reads the list, all of it if @text is wanted. Returns whether it is the kept one. */
static bool read_list(bool (*keeps)(const char *line), char text[4096])
{
	struct kept_list list;
	bool kept;

	cr_assert(kept_list__open(&list, &places, "./list", keeps) == 0);
	if (text)
		text[fread(text, 1, 4095, list.f)] = '\0';
	kept = list.kept;
	kept_list__close(&list);
	return kept;
}

static bool hits(void)
{
	char text[4096];
	bool kept = read_list(keeps, text);

	expect_str(text, kept ? LIST : LIST GENERATED);
	return kept;
}

/* The kept list is not used, and is made again. */
static void misses_once(const char *why)
{
	cr_expect(not(hits()), "%s", why);
	cr_expect(hits(), "%s: written again", why);
}

Test(kept_list, is_read_from_the_kernel_once)
{
	struct stat st;

	misses_once("there is none");
	cr_expect(stat("kept", &st) == 0);
	cr_expect(eq(uint, st.st_mode & 0777, 0700));
	cr_expect(stat("kept/list", &st) == 0);
	cr_expect(eq(uint, st.st_mode & 0777, 0600));
	cr_expect(access("kept/new", F_OK) != 0);
}

Test(kept_list, of_a_module_that_was_loaded_again)
{
	hits();
	/*
	 * Loaded again to the same address, with the same size. The old directory still exists, so
	 * the inode differs.
	 */
	cr_assert(mkdir("sys_module/other", 0755) == 0);
	cr_assert(rename("sys_module/other", "sys_module/mod_two") == 0);
	misses_once("another inode");
	write_text("modules", "mod_two 16384 0 - Live 0xffffffffc0600000\n");
	misses_once("another address");
	write_text("modules", "mod_two 12288 0 - Live 0xffffffffc0600000\n");
	misses_once("another size: its init functions are gone");
	write_text("modules", "mod_two 12288 7 mod_x, Live 0xffffffffc0600000 (OE)\n");
	cr_expect(hits(), "it has users");
	cr_assert(mkdir("sys_module/mod_one", 0755) == 0);
	write_text("modules", "mod_one 1 0 - Live 0xffffffffc0800000\n"
		   "mod_two 12288 0 - Live 0xffffffffc0600000\n");
	misses_once("one more module");
}

Test(kept_list, of_a_kernel_without_modules)
{
	write_text("list", "ffffffff82000000 T _stext\n");
	for (int i = 0; i < 4; i++) {
		if (i == 0)
			write_text("modules", "");
		else if (i == 2)
			unlink("modules");
		cr_expect(eq(int, read_list(keeps, NULL), i > 0), "it may have no file");
	}
}

static void misses_twice(const char *why)
{
	cr_expect(not(hits()), "%s", why);
	cr_expect(not(hits()), "%s: and it is not kept", why);
}

static void never(const char *modules)
{
	write_text("modules", modules);
	misses_twice(modules);
}

Test(kept_list, never_while_modules_come_or_go)
{
	hits();
	never("mod_two 16384 0 - Loading 0xffffffffc0400000\n");
	never("mod_two 16384 0 - Unloading 0xffffffffc0400000\n");
	never("mod_two 16384 0 - Live 0x0000000000000000\n");
	never("mod_gone 16384 0 - Live 0xffffffffc0400000\n");
	never("mod_two what is this\n");
	write_text("modules", MODULE);
	cr_expect(hits(), "the one from before");
}

static const char *changed_to;

static bool keeps_and_changes(const char *line)
{
	write_text("modules", changed_to);
	return keeps(line);
}

Test(kept_list, not_if_a_module_came_while_it_was_read)
{
	changed_to = "";
	read_list(keeps_and_changes, NULL);
	cr_expect(access("kept/list", F_OK) != 0);
}

/* The modules are the same before and after reading. */
Test(kept_list, not_if_a_module_came_and_went_while_it_was_read)
{
	write_text("list", LIST "ffffffffc0700000 t two_read\t[mod_twofold]\n");
	for (int i = 0; i < 2; i++)
		cr_expect(not(read_list(keeps, NULL)));
}

/* The kernel's present list decides. */
Test(kept_list, never_where_addresses_are_hidden)
{
	static const char hidden[] = "0000000000000000 T _stext\n0000000000000000 T vfs_read\n";
	char text[4096];
	struct kept_list list;

	hits();
	write_text("list", hidden);
	for (int i = 0; i < 2; i++) {
		cr_expect(not(read_list(keeps, text)));
		expect_str(text, hidden);
	}
	write_text("list", LIST GENERATED);
	cr_expect(hits(), "what was kept is still there");
	cr_assert(unlink("list") == 0);
	cr_expect(kept_list__open(&list, &places, "./list", keeps) == -ENOENT);
}

Test(kept_list, of_a_kernel_elsewhere)
{
	hits();
	write_text("list", "ffffffff83000000 T _stext\n");
	cr_expect(not(read_list(keeps, NULL)));
	write_text("list", LIST GENERATED);
	misses_once("then the other one was kept");
}

Test(kept_list, that_is_damaged)
{
	struct stat st;

	hits();
	cr_assert(stat("kept/list", &st) == 0);
	for (off_t size = 0; size < st.st_size; size++) {
		cr_assert(truncate("kept/list", size) == 0);
		misses_once("cut off");
	}
	for (off_t at = 0; at < st.st_size; at++) {
		int fd = open("kept/list", O_RDWR);
		char byte;

		cr_assert(pread(fd, &byte, 1, at) == 1);
		byte ^= 1;
		cr_assert(pwrite(fd, &byte, 1, at) == 1);
		close(fd);
		misses_once("one bit");
	}
}

Test(kept_list, that_others_could_have_written)
{
	hits();
	cr_assert(chmod("kept/list", 0620) == 0);
	misses_once("of a group");
	cr_assert(chmod("kept/list", 0604) == 0);
	misses_once("of all");
	cr_assert(rename("kept/list", "elsewhere") == 0);
	cr_assert(symlink("../elsewhere", "kept/list") == 0);
	misses_once("a link");
	cr_assert(unlink("kept/list") == 0);
	cr_assert(mkfifo("kept/list", 0600) == 0);
	misses_once("no file");
	if (!geteuid()) {
		cr_assert(chown("kept/list", 1, 1) == 0);
		misses_once("of another user");
	}
}

Test(kept_list, in_a_directory_of_others)
{
	hits();
	cr_assert(chmod("kept", 0755) == 0);
	misses_twice("others may look into it");
	cr_assert(chmod("kept", 0700) == 0);
	cr_assert(rename("kept", "elsewhere") == 0);
	cr_assert(symlink("elsewhere", "kept") == 0);
	misses_twice("a link");
	cr_assert(unlink("kept") == 0);
	cr_assert(rename("elsewhere", "kept") == 0);
	if (!geteuid()) {
		cr_assert(chown("kept", 1, 1) == 0);
		misses_twice("another user's");
		cr_assert(chown("kept", 0, 0) == 0);
	}
	cr_expect(hits());
}

Test(kept_list, after_one_that_was_killed)
{
	cr_assert(mkdir("kept", 0700) == 0);
	cr_assert(symlink("../elsewhere", "kept/new") == 0);
	misses_once("half a file");
	cr_expect(access("elsewhere", F_OK) != 0);
}

/* The name of the symbol at an address. */
static const char *name_at(const struct symbols *s, uint64_t addr)
{
	const struct symbol *sym = symbols__find(s, addr);

	return sym ? sym->name : "none";
}

static struct symbols *load(void)
{
	struct symbols *s = NULL;

	cr_assert(symbols__load_kept(&s, &places, "./list") == 0);
	return s;
}

Test(kept_list, generated_code_is_asked_for)
{
	struct symbols *s;

	cr_assert(mkdir("sys_module/mod_one", 0755) == 0);
	write_text("modules", "mod_one 1 0 - Live 0xffffffffc0480000\n" MODULE);
	write_text("list", LIST "ffffffffc0400200 t an_alias_of_two_last\t[mod_two]\n"
		   "ffffffffc0400200 t two_last\t[mod_two]\n"
		   "ffffffffc0480000 t one_open\t[mod_one]\n" GENERATED);
	symbols__free(load());
	/* A newer table is not used, and nothing that was kept is read again. */
	write_text("list", "ffffffff82000000 T _stext\nffffffff82000100 T other\n"
		   "ffffffffc0400000 t other\t[mod_two]\nffffffffc0400200 t two_last\t[mod_two]\n"
		   "ffffffffc0400300 t bpf_prog_new\t[bpf]\n");
	s = load();
	expect_str(name_at(s, 0xffffffff82000010), "_stext");
	expect_str(name_at(s, 0xffffffffc0400010), "two_open");
	expect_str(symbols__find_lasting(s, 0xffffffffc0400310)->name, "an_alias_of_two_last");
	expect_str(name_at(s, 0xffffffffc0400310), "bpf_prog_new");
	cr_expect(symbol__is_generated(symbols__find(s, 0xffffffffc0400310)));
	expect_str(name_at(s, 0xffffffffc0400210), "an_alias_of_two_last");
	/* The complete table is read only once. */
	write_text("list", "");
	expect_str(name_at(s, 0xffffffffc0400310), "bpf_prog_new");
	expect_str(name_at(s, 0xffffffff82000010), "_stext");
	symbols__free(s);
}

/* A call from the last function of a module, after which there may be generated code. */
Test(kept_list, a_module_that_is_gone_has_the_name_from_then)
{
	struct symbols *s;

	symbols__free(load());
	s = load();
	write_text("list", "ffffffff82000000 T _stext\nffffffff82000100 T vfs_read\n"
		   "ffffffffc03f0000 t below\t[mod_one]\n" GENERATED);
	expect_str(name_at(s, 0xffffffffc0400010), "two_open");
	expect_str(name_at(s, 0xffffffffc0500010), "bpf_prog_1");
	symbols__free(s);
}

/* A module without symbols here: if it counted as known, nobody would read them. */
Test(kept_list, a_module_that_comes_after_the_list_is_not_known)
{
	struct symbols *s;
	int status;
	pid_t pid;

	cr_assert(unlink("list") == 0);
	cr_assert(mkfifo("list", 0600) == 0);
	pid = fork();
	cr_assert(pid >= 0);
	if (!pid) {
		/* This returns when the list is opened for reading. */
		FILE *f = fopen("list", "w");

		write_text("modules", "mod_one 1 0 - Live 0xffffffffc0800000\n" MODULE);
		fputs(LIST, f);
		fclose(f);
		_exit(0);
	}
	s = load();
	cr_assert(waitpid(pid, &status, 0) == pid);
	cr_expect(symbols__module(s, "mod_two") != NULL);
	cr_expect(symbols__module(s, "mod_one") == NULL);
	symbols__free(s);
}

Test(kept_list, without_the_list_what_was_kept_is_all_there_is)
{
	struct symbols *s;

	write_text("list", sample_kallsyms);
	symbols__free(load());
	s = load();
	cr_assert(unlink("list") == 0);
	expect_str(name_at(s, 0xffffffff82000110), "alias_of_vfs_read");
	expect_str(name_at(s, 0xffffffffc0600010), "none");
	symbols__free(s);
}
