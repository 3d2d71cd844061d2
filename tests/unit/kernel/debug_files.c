// SPDX-License-Identifier: GPL-2.0
/* Files that are found by their build id. */

#include "kernel/debug_files.h"
#include "put_file.h"

#define BUILD_ID "00112233445566778899aabbccddeeff00112233"
#define ELSEWHERE ".build-id/00/112233445566778899aabbccddeeff00112233.debug"

/* Makes a small vmlinux with the build id, and puts it where debuggers look. */
static void begin(void)
{
	enter_dir();
	run_shell("mkdir -p %s && echo 'int x(void) { return 1; }' >a.c && gcc -g -c a.c && "
		  "ld -e 0 --build-id=0x" BUILD_ID " -o vmlinux a.o && cp vmlinux " ELSEWHERE, in_dir(".build-id/00"));
}

TestSuite(debug_files, .init = begin, .fini = leave_dir);

static void expect(const char *build_id, const char *beside, const char *wanted)
{
	autofree char *found = debug_file__find(build_id, beside);

	cr_expect(eq(str, found ? found : (char *)"none", (char *)wanted), "%s", build_id);
}

Test(debug_files, are_found_by_their_build_id)
{
	expect(BUILD_ID, in_dir("vmlinux"), in_dir(ELSEWHERE));
	expect(BUILD_ID, "vmlinux", "./" ELSEWHERE);
	expect(BUILD_ID, in_dir("lib/vmlinux"), "none");
	expect(BUILD_ID, NULL, "none");
	expect("0011", in_dir("vmlinux"), "none");
	expect("../vmlinux", in_dir("vmlinux"), "none");
	expect("", in_dir("vmlinux"), "none");
	expect(NULL, in_dir("vmlinux"), "none");
}

Test(debug_files, of_another_build_or_without_code_are_not_taken)
{
	run_shell("objcopy --only-keep-debug vmlinux " ELSEWHERE);
	expect(BUILD_ID, in_dir("vmlinux"), "none");
	run_shell("ld -e 0 --build-id=0xab -o " ELSEWHERE " a.o");
	expect(BUILD_ID, in_dir("vmlinux"), "none");
	run_shell("echo text >" ELSEWHERE);
	expect(BUILD_ID, in_dir("vmlinux"), "none");
}

Test(debug_files, are_fetched_only_if_a_server_is_named)
{
	unsetenv("DEBUGINFOD_URLS");
	cr_expect(debug_file__fetch(BUILD_ID, false) == NULL);
	setenv("DEBUGINFOD_URLS", "", 1);
	cr_expect(debug_file__fetch(BUILD_ID, true) == NULL);
	cr_expect(debug_file__fetch("../x", true) == NULL);
}

static void expect_of_module(const char *listed, bool fetch, const char *wanted)
{
	autofree char *found = debug_file__of_module(listed ? strdup(listed) : NULL, BUILD_ID, in_dir("lib/vmlinux"), fetch);

	cr_expect(found && wanted ? !strcmp(found, wanted) : found == wanted, "%s: %s", listed, found);
}

/* A listed file of another build is taken if there is no other one: a warning will name it. */
Test(debug_files, come_before_a_listed_file_of_another_build)
{
	char *listed = in_dir("listed");

	run_shell("cp vmlinux listed");
	expect_of_module(listed, true, listed);
	run_shell("ld -e 0 --build-id=0xab -o listed a.o");
	expect_of_module(listed, true, listed);
	expect_of_module(NULL, true, NULL);
	run_shell("mkdir lib && mv .build-id lib");
	expect_of_module(listed, false, in_dir("lib/" ELSEWHERE));
}

/* libdebuginfod takes a directory for a server. */
Test(debug_files, of_modules_are_fetched_only_where_that_is_allowed)
{
	static const char cached[] = "cache/" BUILD_ID "/executable";
	char *listed = in_dir("listed"), url[300];

	snprintf(url, sizeof(url), "file://%s", in_dir("served"));
	setenv("DEBUGINFOD_URLS", url, 1);
	setenv("DEBUGINFOD_CACHE_PATH", in_dir("cache"), 1);
	run_shell("mkdir -p served/buildid/" BUILD_ID " && cp vmlinux served/buildid/" BUILD_ID "/executable");
	run_shell("cp vmlinux listed");
	expect_of_module(listed, true, listed);
	run_shell("ld -e 0 --build-id=0xab -o listed a.o");
	expect_of_module(listed, false, listed);
	expect_of_module(listed, true, in_dir(cached));
	expect_of_module(NULL, true, in_dir(cached));
}
