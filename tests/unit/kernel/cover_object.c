// SPDX-License-Identifier: GPL-2.0
/* Why the kernel refuses the BPF program of `hytrace cover`. What has to be loaded needs privileges, and BTF. */
#include <bpf/libbpf.h>

#include "kernel/cover_object.h"
#include "cover.h"
#include "cover.skel.h"

Test(verifier, its_last_words_are_before_the_statistics)
{
	static const struct {
		const char *log, *words;
	} cases[] = {
		{ "ldimm64 failed to find the address for kernel symbol '__preempt_count'.\n"
		  "processed 0 insns (limit 1000000) max_states_per_insn 0\n",
		  "ldimm64 failed to find the address for kernel symbol '__preempt_count'." },
		{ "0: R1=ctx() R10=fp0\nR2 !read_ok\nprocessed 1 insns\n\n", "R2 !read_ok" },
		{ "not ended by a newline", "not ended by a newline" },
		{ "\nprocessed 3 insns\n", "" }, { "", "" },
	};

	for_each(c, cases) {
		char log[256];

		snprintf(log, sizeof(log), "%s", c->log);
		expect_str(verifier__last_words(log), c->words);
		expect_str(verifier__last_words(log), c->words, "once more");
	}
}

/* Loads only the program that forgets tasks. */
static int load(bool with_map)
{
	struct cover_bpf *skel = cover_object__open();
	struct bpf_program *program;
	int err;

	cr_assert(skel != NULL);
	bpf_object__for_each_program(program, skel->obj)
		bpf_program__set_autoload(program, program == skel->progs.on_free);
	bpf_map__set_autocreate(skel->maps.followed, with_map);
	err = cover_bpf__load(skel);
	cover_bpf__destroy(skel);
	return err;
}

Test(cover_object, the_verifiers_words_are_kept)
{
	if (access("/sys/kernel/btf/vmlinux", R_OK) || load(true))
		cr_skip_test("this process or this kernel cannot load it");
	expect_str(cover_object__reason(), "");
	cr_expect(load(false) < 0);
	cr_expect(strstr(cover_object__reason(), "followed") != NULL, "%s", cover_object__reason());
	cr_expect(load(true) == 0);
	expect_str(cover_object__reason(), "", "those of another load");
}

/* With and without the kernel's variables, whichever of both the kernel takes at first. */
Test(cover_object, is_taken_by_this_kernel)
{
	if (access("/sys/kernel/btf/vmlinux", R_OK) || load(true))
		cr_skip_test("this process or this kernel cannot load it");
	cr_expect(cover_object__try() == 0, "%s", cover_object__reason());
	cr_expect(not(cover_object__may_load_again(0)));
	cr_expect(not(cover_object__may_load_again(-EACCES)));
	cover_object__may_load_again(-ENOENT);
	cr_expect(not(cover_object__may_load_again(-ENOENT)), "no third time");
	cr_expect(cover_object__try() == 0, "%s", cover_object__reason());
}
