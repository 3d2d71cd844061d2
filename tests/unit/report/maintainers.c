// SPDX-License-Identifier: GPL-2.0-only
/* The owner of a file is the entry of MAINTAINERS whose pattern is the closest, as for get_maintainer.pl. */
#include "report/maintainers.h"
#include "put_file.h"

static struct maintainers *owners;

static void begin(void)
{
	enter_dir();
	run_shell("mkdir -p source/net/dsa");
	write_text("source/MAINTAINERS",
		   "List of maintainers\n\nDescriptions\n\tF: *Files* and directories\n\n"
		   "FILESYSTEMS\nM:\tA <a@b>\nF:\tfs/*\nX:\tfs/dax.c\n\n"
		   "EXT4\nL:\tl@b\nF:\tfs/ext4/\n\n"
		   "DAX \033[1m\nF:\tfs/dax.c\nF:\tdrivers/*/dax/\n\n"
		   "EVERY DAX\nF:\tdrivers/dax/\nF:\tdrivers/dax/sup?r.c\n\n"
		   "DSA\nF: net/dsa\n\n"
		   "FORK\nF:\tkernel/fork\nF:\tkernel/sched/[c-d]*\nF:\n\n"
		   "NETWORKING\nF:\tnet/\nX:\tnet/wireless/\n\n"
		   "READ\nF:\tfs/read_*\n\n"
		   "SOUND\nF:\tsound/\n\n"
		   "SOF\nF:\ts*/s\n\n"
		   "THE REST\nF:\t*\nF:\t*/\n\n"
		   "MAKE\nF:\tM\n");
	cr_assert(eq(int, maintainers__read(&owners, (const char *const []){ "nowhere", "source" }, 2), 0));
}

static void end(void)
{
	maintainers__free(owners);
	leave_dir();
}

TestSuite(owners, .init = begin, .fini = end);

Test(owners, are_of_the_closest_pattern)
{
	static const struct {
		const char *file, *owner;
	} cases[] = {
		{ "fs/open.c", "FILESYSTEMS" },
		/* The longer one of two patterns of one depth, whichever comes first. */
		{ "fs/read_write.c", "READ" },
		/* A file is closer than its directory. */
		{ "sound/sof.c", "SOF" },
		{ "sound/core.c", "SOUND" },
		/* Only a slash at the end means what is below. */
		{ "fs/ntfs3/inode.c", "THE REST" },
		{ "fs/ext4/inode.c", "EXT4" },
		{ "fs/ext4/deep/er/inode.c", "EXT4" },
		{ "fs/dax.c", "DAX \\x1b[1m" },
		{ "drivers/acpi/dax/super.c", "DAX \\x1b[1m" },
		{ "drivers/dax/bus.c", "EVERY DAX" },
		{ "drivers/dax/super.c", "EVERY DAX" },
		/* It is a directory, and lacks its slash. */
		{ "net/dsa/tag/tag.c", "DSA" },
		{ "net/core/dev.c", "NETWORKING" },
		{ "net/wireless/core.c", "THE REST" },
		/* A pattern is the beginning of a path. */
		{ "kernel/fork.c", "FORK" },
		{ "kernel/fork/x.c", "THE REST" },
		{ "kernel/sched/core.c", "FORK" },
		{ "kernel/sched/fair.c", "THE REST" },
		{ "Kbuild", "THE REST" },
		{ "Makefile", "MAKE" },
	};

	for (int again = 0; again < 2; again++)
		for_each(one, cases)
			expect_str(maintainers__of(owners, one->file), one->owner, "%s", one->file);
}

Test(owners, may_be_none)
{
	struct maintainers *none;

	write_text("source/MAINTAINERS", "F:\tnot/of/an/entry/\nONE\nF:\tfs/\n");
	cr_assert(eq(int, maintainers__read(&none, (const char *const []){ "source" }, 1), 0));
	expect_str(maintainers__of(none, "fs/a.c"), "ONE");
	cr_expect(eq(ptr, (void *)maintainers__of(none, "not/of/an/entry/a.c"), NULL));
	maintainers__free(none);
	cr_redirect_stderr();
	cr_expect(eq(int, maintainers__read(&none, (const char *const []){ "nowhere" }, 1), -EINVAL));
}
