// SPDX-License-Identifier: GPL-2.0
/*
 * hytrace boot: how this boot was told to trace itself, and how the next one is: its command line, and its entry of a boot
 * loader.
 */
#include <errno.h>
#include <sys/sysmacros.h>

#include "boot/next.h"
#include "files_made.h"
#include "printed.h"

/* ---- this boot */

/* What a line asks for: i, the instance; t, events in the top-level one; k, that first events are kept; and a word of what is told. */
static const struct {
	const char *line, *asked, *told;
} lines[] = {
	{ "quiet trace_event=initcall:*,sched:sched_switch x\n", "t" },
	/* Bootconfigs of Linux 6.1, and GRUB. */
	{ "trace_event=\"sched:*,initcall:*\" x\n", "t" }, { "trace_event=\"initcall:*,sched:*\" x\n", "t" },
	{ "\"trace_event=initcall:*,sched:* x\"\n", "t" }, { "trace_event=sched trace_event=initcall\n", "t" },
	{ "quiet x--y --z trace_event=initcall:* -- x", "t" },
	{ "trace_event=sched:*,initcalls x=initcall:*", "" }, { "trace_instance=foo,initcall:* trace_event=", "" },
	{ "x=\"a trace_event=initcall:*\"", "" }, { "trace_events=initcall:*", "" }, { "trace_event", "" },
	{ "trace_event=\"", "" }, { "\"", "" }, { "", "" }, { "quiet -- trace_event=initcall:*", "" }, { NULL, "" },
	{ "quiet trace_instance=hytrace_boot,initcall:* trace_options=sym-addr,nooverwrite\n", "ik" },
	{ "trace_instance=hytrace_boot2,initcall:* trace_event=hytrace_boot trace_options=overwrite", "" },
	/* Users of other ways to trace are told. */
	{ "quiet initcall_debug log_buf_len=32M\n", "", "bootgraph" },
	{ "ftrace=function_graph ftrace_graph_filter=do_one_initcall ftrace_graph_max_depth=2", "", "bootgraph" },
	{ "initcall_debug trace_instance=hytrace_boot,initcall:*", "i" },
	{ "ftrace=function_graph ftrace_graph_filter=vfs_read initcall_debug2", "" },
	{ "ftrace_boot_snapshot=foo,hytrace_boot trace_event=\n", "", "ftrace_boot_snapshot" },
	{ "ftrace_boot_snapshot trace_event=initcall:*\n", "t", "ftrace_boot_snapshot" },
	{ "ftrace_boot_snapshot trace_instance=hytrace_boot,initcall:*\n", "i" },
	{ "ftrace_boot_snapshot=foo trace_event=initcall:*\n", "t" },
};

Test(boot_asked, by_words_of_the_command_line)
{
	for_each(one, lines) {
		struct boot_asked asked = boot_asked__by(one->line);
		char got[4];

		snprintf(got, sizeof(got), "%s%s%s", asked.instance ? "i" : "", asked.in_top ? "t" : "", asked.keeps_first ? "k" : "");
		expect_str(got, one->asked, "%s", one->line);
		cr_expect(one->told ? asked.no_events && strstr(asked.no_events, one->told) : !asked.no_events, "%s", one->line);
	}
}

/* ---- the next command line */

static void expect_line(const char *current, const char *parameters, const char *expected)
{
	char *line = boot_next__command_line(current, parameters, false);

	cr_expect(eq(str, line, (char *)expected));
	free(line);
}

Test(boot_next, adds_what_is_needed)
{
	expect_line("root=/dev/sda1 quiet\n", "a=1 b", "root=/dev/sda1 quiet a=1 b");
	expect_line("", "a=1", "a=1");
	expect_line("BOOT_IMAGE=/vmlinuz quiet\n", "a", "quiet a");
	/* Words for init stay at the end, and quoted words whole. */
	expect_line("quiet -- single x\n", "a", "quiet a -- single x");
	expect_line("a--b --c\n", "a", "a--b --c a");
	expect_line("x=\"a b\" y\n", "a", "x=\"a b\" y a");
	expect_line("x=\"a trace_event= -- b\" y\n", "a", "x=\"a trace_event= -- b\" y a");
}

/* Parameters that hytrace has added to this boot are replaced, other parameters stay. */
Test(boot_next, does_not_grow)
{
	for (int probes = 0; probes < 2; probes++) {
		char *parameters = boot_events__parameters("6.12.0", probes), *current;

		cr_assert(asprintf(&current, "quiet trace_event=sched:* %s\n", parameters) > 0);
		expect_line(current, "a", "quiet trace_event=sched:* a");
		free(current);
		free(parameters);
	}
	/* Linux 6.1 to 6.11 put quotes around the values of a bootconfig's keys below "kernel"; GRUB around words with spaces. */
	expect_line("trace_instance=\"hytrace_boot,initcall:*\" trace_buf_size=\"4M\" trace_event=\"\" "
		    "\"kprobe_event=p:hytrace_boot/device,really_probe;r64:x y\" quiet\n", "a", "quiet a");
	expect_line("trace_event=\"initcall:*,sched:sched_switch\" x\n", "a", "x a");
	expect_line("trace_instance=\"hytrace_boot2,initcall:*\" trace_buf_size=\"4MB\"\n", "a",
		    "trace_instance=\"hytrace_boot2,initcall:*\" trace_buf_size=\"4MB\" a");
}

/* If a parameter is there twice, the kernel obeys the last one. */
Test(boot_next, words_that_ours_take_the_place_of_are_told)
{
	cr_redirect_stderr();
	expect_line("trace_buf_size=16M trace_options=nooverwrite trace_clock=local trace_event=sched:* x\n",
		    "trace_buf_size=4M", "trace_buf_size=16M trace_event=sched:* x trace_buf_size=4M");
	/* A parameter that hytrace does not set stays in effect, without a warning. */
	expect_line("kprobe_event=p:x,y trace_buf_size=16M\n", "a", "kprobe_event=p:x,y trace_buf_size=16M a");
	cr_expect_stderr_eq_str("hytrace: warning: trace_buf_size=16M of this boot's command line may have no effect in the "
				"next one, as ours comes after it\n");
}

Test(boot_next, kernels_before_instances_have_all_events_in_one_place)
{
	static const struct {
		const char *release;
		bool probes;
		const char *has, *lacks;
	} cases[] = {
		{ "6.12.1-amd64", true, "trace_instance=hytrace_boot,initcall:*,", "none" }, { "6.3.0", true, "trace_instance=", "none" },
		{ "7.0", true, "trace_instance=", "none" }, { "unknown", true, "trace_instance=", "none" },
		{ "6.1.0-56-amd64", true, "trace_event=initcall:*,", "trace_instance=" }, { "6.2.16", true, "", "trace_instance=" },
		{ "6.12.1", false, "", "kprobe_event=" }, { "6.1.0", false, "sched:sched_switch,", "kprobe_event=" },
		/* The first events are asked about. */
		{ "6.1.0", false, " trace_options=nooverwrite trace_clock=local", "none" },
	};

	for_each(one, cases) {
		char *parameters = boot_events__parameters(one->release, one->probes);

		cr_expect(strlen(parameters) < 1024, "there is room for others");
		cr_expect(strstr(parameters, one->has) && !strstr(parameters, one->lacks), "%s: %s", one->release, parameters);
		free(parameters);
	}
}

/* ---- the entry of a boot loader */

#define GRUB_CFG								\
	"if [ \"${next_entry}\" ] ; then set default=\"${next_entry}\"; fi\n"	\
	"menuentry 'Old' --class os {\n"					\
	"\tlinux\t/boot/vmlinuz-6.1.0-12 root=UUID=5 ro\n"			\
	"}\n"									\
	"submenu 'More' {\n"							\
	"\tmenuentry 'New' --class os --unrestricted $menuentry_id_option 'x' {\n"	\
	"\t\tinsmod ext2\n"							\
	"\t\tlinux\t/boot/vmlinuz-6.1.0-1 root=UUID=5 ro $more\n"		\
	"\t\tinitrd\t/boot/initrd.img-6.1.0-1\n"				\
	"\t}\n"									\
	"\tmenuentry 'New (recovery)' {\n"					\
	"\t\tlinux\t/boot/vmlinuz-6.1.0-1 root=UUID=5 ro single\n"		\
	"\t}\n"									\
	"}\n"									\
	"if [ -f custom.cfg ]; then source custom.cfg; fi\n"

#define CUSTOM "boot/grub/custom.cfg"
#define ENTRIES "boot/loader/entries/"
#define INFO "sys/firmware/efi/efivars/LoaderInfo-4a67b082-0a4c-41cf-b6c7-440b29bb8c4f"
#define SYSTEMD_BOOT "\6\0\0\0s\0y\0s\0t\0e\0m\0d\0-\0b\0o\0o\0t\0 \0002\0"

/* Programs that note how they were called, in place of those of the boot loaders. */
static void make_programs(void)
{
	static const char *const names[] = { "bin/grub-reboot", "bin/grub-editenv", "bin/bootctl" };

	char path[256];

	make_files();
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		put_text(names[i], "#!/bin/sh\necho \"${0##*/} $*\" >>\"${0%/*}/called\"\n");
		snprintf(path, sizeof(path), "%s/%s", made, names[i]);
		cr_assert(chmod(path, 0700) == 0);
	}
	snprintf(path, sizeof(path), "%s/bin:/bin:/usr/bin", made);
	setenv("PATH", path, 1);
}

TestSuite(boot_entry, .init = make_programs, .fini = remove_files);

static void expect_file(const char *name, const char *expected)
{
	char *got = get_text(name);

	cr_expect(expected ? got && !strcmp(got, expected) : !got, "%s: %s", name, got);
	free(got);
}

#define ENTRY(line)								\
	"# hytrace boot next --grub: from here\n"				\
	"if [ \"${default}\" = hytrace-boot ]; then\n"				\
	"menuentry 'Linux, traced for hytrace boot' --id hytrace-boot --unrestricted {\n"	\
	"\t\tinsmod ext2\n"							\
	"\t\tlinux\t/boot/vmlinuz-6.1.0-1 " line "\n"				\
	"\t\tinitrd\t/boot/initrd.img-6.1.0-1\n"				\
	"}\n"									\
	"fi\n"									\
	"# to here: hytrace boot release removes it\n"

Test(boot_entry, grub_has_one_for_the_next_boot)
{
	char *parameters = boot_events__parameters("6.12", true);

	put_text("boot/grub/grub.cfg", GRUB_CFG);
	/* Entries of a systemd-boot that has not started this kernel. */
	put_text(ENTRIES "new.conf", "linux /x/6.1.0-1/linux\n");
	cr_assert(boot_next__add_entry(made, "6.1.0-1", "a=\"b c\" d") == 0);
	expect_file(CUSTOM, ENTRY("root=UUID=5 ro $more 'a=b c' 'd'"));
	expect_file("bin/called", "grub-reboot hytrace-boot\n");
	/* There is one entry, however often it is made, and what else is there stays. */
	put_text(CUSTOM, "# mine\n" ENTRY("old") "# too\n");
	cr_assert(boot_next__add_entry(made, "6.1.0-1", parameters) == 0);
	cr_assert(boot_next__add_entry(made, "6.1.0-1", "a") == 0);
	expect_file(CUSTOM, "# mine\n# too\n" ENTRY("root=UUID=5 ro $more 'a'"));
	cr_assert(boot_next__remove_entry(made) == 0);
	expect_file(CUSTOM, "# mine\n# too\n");
	put_text(CUSTOM, "set mine=1");
	cr_assert(boot_next__add_entry(made, "6.1.0-1", "a") == 0);
	expect_file(CUSTOM, "set mine=1\n" ENTRY("root=UUID=5 ro $more 'a'"));
	/* Nothing is left of it, also if the next boot has not been. */
	put_text(CUSTOM, ENTRY("x"));
	put_text("boot/grub/grubenv", "# GRUB Environment Block\nnext_entry=hytrace-boot\n###");
	put_text("bin/called", "");
	cr_assert(boot_next__remove_entry(made) == 0);
	expect_file(CUSTOM, NULL);
	free(text);
	text = get_text("bin/called");
	expect_text("boot/grub/grubenv unset next_entry\n");
	put_text("boot/grub/grubenv", "# GRUB Environment Block\nnext_entry=hytrace-boots\n###");
	put_text("bin/called", "");
	cr_assert(boot_next__remove_entry(made) == 0);
	expect_file("bin/called", "");
	free(parameters);
}

Test(boot_entry, grub_without_an_entry_to_copy)
{
	char device[64];
	struct stat st;

	cr_redirect_stderr();
	cr_expect(boot_next__add_entry(made, "6.1.0-1", "a") == -ENOENT, "no GRUB");
	put_text("boot/grub/grub.cfg", GRUB_CFG);
	cr_expect(boot_next__add_entry(made, "6.1.0", "a") == -ENOENT, "another kernel");
	put_text("boot/grub/grub.cfg", "custom.cfg next_entry\nmenuentry 'x' {\n\tlinux /boot/vmlinuz-6.1.0-1 trace_clock=x");
	cr_expect(boot_next__add_entry(made, "6.1.0-1", "trace_clock=local") == 0, "a file that was cut off");
	expect_said("the boot loader has no entry for 6.1.0-1 ");
	expect_said("the boot loader has no entry for 6.1.0 ");
	expect_said("trace_clock=x of this boot's command line may have no effect");
	expect_said("GRUB may be unable to forget this choice");
	cr_assert(stat(made, &st) == 0);
	snprintf(device, sizeof(device), "sys/dev/block/%u:%u/size", major(st.st_dev), minor(st.st_dev));
	put_text(device, "");
	cr_expect(boot_next__add_entry(made, "6.1.0-1", "a") == 0, "no warning: the device is a plain one");
	put_text("boot/grub/grub.cfg", "custom.cfg\nmenuentry 'x' {\n\tlinux /boot/vmlinuz-6.1.0-1\n}\n");
	cr_expect(boot_next__add_entry(made, "6.1.0-1", "a") == -ENOENT, "which does not know a choice for one boot");
	put_text("boot/grub/grub.cfg", "next_entry\nmenuentry 'x' {\n\tlinux /boot/vmlinuz-6.1.0-1\n}\n");
	cr_expect(boot_next__add_entry(made, "6.1.0-1", "a") == -ENOENT, "which does not read custom.cfg");
	expect_said("what `hytrace boot next` prints");
	cr_expect(boot_next__remove_entry(made) == 0);
}

#define OURS ENTRIES "new-hytrace-boot.conf"

static void expect_none(void)
{
	cr_redirect_stderr();
	cr_expect(boot_next__add_entry(made, "6.1.0-1", "a") == -ENOENT);
}

Test(boot_entry, systemd_boot_has_a_file_for_it)
{
	put_text("boot/grub/grub.cfg", GRUB_CFG);
	put_file(INFO, SYSTEMD_BOOT, sizeof(SYSTEMD_BOOT));
	put_text(ENTRIES "old.conf", "title Old\nlinux /x/6.0/linux\noptions quiet\n");
	put_text(ENTRIES "long.conf", "title Long\nlinux /x/6.1.0-10/linux\noptions quiet\n");
	put_text(ENTRIES "other.conf", "title Other\nlinux /x/16.1.0-1/linux\noptions quiet\n");
	put_text(ENTRIES "new.conf.bak", "title Old\nlinux /y/6.1.0-1/linux\noptions quiet\n");
	put_text(OURS, "title Ours\nlinux /x/6.1.0-1/linux\n");
	expect_none();
	put_text(ENTRIES "new+3-1.conf", "title New\nversion 6.1.0-1\nlinux /x/6.1.0-1/linux\ninitrd /a\ninitrd /b\noptions root=x\n"
				     "options quiet -- y\n");
	for (int i = 0; i < 2; i++) {
		cr_assert(boot_next__add_entry(made, "6.1.0-1", "a=\"b c\" d") == 0);
		expect_file(OURS, "title Linux, traced for hytrace boot\nlinux /x/6.1.0-1/linux\ninitrd /a\n"
							 "initrd /b\noptions root=x quiet a=\"b c\" d -- y\n");
	}
	expect_file(CUSTOM, NULL);
	expect_file("bin/called", "bootctl set-oneshot new-hytrace-boot.conf\nbootctl set-oneshot new-hytrace-boot.conf\n");
	cr_assert(boot_next__remove_entry(made) == 0);
	expect_file(OURS, NULL);
}

Test(boot_entry, a_loader_that_does_not_choose_it_is_an_error)
{
	put_text("boot/grub/grub.cfg", GRUB_CFG);
	put_text("bin/grub-reboot", "#!/bin/sh\nexit 1\n");
	cr_redirect_stderr();
	cr_expect(boot_next__add_entry(made, "6.1.0-1", "a") == -EIO);
	expect_said("grub-reboot hytrace-boot: it has failed");
	expect_file(CUSTOM, NULL);
}
