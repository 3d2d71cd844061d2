// SPDX-License-Identifier: GPL-2.0
/*
 * Files that root writes where another user is at home: that user makes links, FIFOs and hard links, and moves things
 * about, and must not gain anything by that. "joe" is the other user; only root can play both.
 */
#include <sys/wait.h>
#include <grp.h>
#include <limits.h>
#include <linux/types.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <sys/xattr.h>

#include "base/files.h"
#include "put_file.h"

#define JOE 65534

/* What had the name "result" when a file was synced. */
static char when_synced[64];

static mode_t mode_before;
/* Is a file synced while its user presses Ctrl-C? */
static bool interrupts;

/* These take the place of the C library's. */
int fchmod(int fd, mode_t mode)
{
	struct stat st;

	cr_assert(fstat(fd, &st) == 0);
	mode_before = st.st_mode & 07777;
	return syscall(SYS_fchmod, fd, mode);
}

int fsync(int fd)
{
	FILE *f = fopen("joe/result", "r");

	if (f) {
		cr_expect(fgets(when_synced, sizeof(when_synced), f) != NULL);
		fclose(f);
	}
	if (interrupts)
		raise(SIGINT);
	return syscall(SYS_fsync, fd);
}

static void own(const char *path, uid_t owner, mode_t mode)
{
	cr_assert(chown(path, owner, owner) == 0 && chmod(path, mode) == 0, "%s", path);
}

static void put_of(const char *path, const char *text, uid_t owner, mode_t mode)
{
	write_text(path, text);
	own(path, owner, mode);
}

static void make_link(const char *to, const char *path, uid_t owner)
{
	cr_assert(symlink(to, path) == 0 && lchown(path, owner, owner) == 0, "%s", path);
}

static void make_dir(const char *path, uid_t owner, mode_t mode)
{
	cr_assert(mkdir(path, 0700) == 0);
	own(path, owner, mode);
}

static void make_pipe(const char *path)
{
	cr_assert(mkfifo(path, 0600) == 0 && chown(path, JOE, JOE) == 0);
}

static void enter(void)
{
	if (geteuid())
		cr_skip_test("this needs root");
	enter_dir();
	umask(022);
	make_dir("root", 0, 0755);
	put_of("root/secret", "secret", 0, 0600);
	make_dir("joe", JOE, 0755);
	make_dir("joe/own", JOE, 0755);
	make_dir("sticky", 0, 01777);
}

/* Whatever a test has done, root's secret is what it was, and nothing is beside it. */
static void leave(void)
{
	struct stat st;

	run_shell("cd %s/root && test \"$(ls -A)$(cat secret)\" = secretsecret", test_dir);
	cr_expect(lstat("root/secret", &st) == 0 && st.st_uid == 0 && (st.st_mode & 07777) == 0600);
	leave_dir();
}

TestSuite(place, .init = enter, .fini = leave, .timeout = 30);

static int find(const char *path)
{
	struct place p;
	int err = place__find(&p, path);

	cr_expect(err == (p.refused ? -EPERM : err) && (p.refused || err != -EPERM), "%s", path);
	place__free(&p);
	return err;
}

/* Writes it as a result is written. */
static int write_to(const char *path)
{
	struct place p;
	int err = place__find(&p, path), fd = err ? err : place__make(&p, "new");

	if (fd >= 0) {
		cr_assert(write(fd, "result", 6) == 6);
		err = place__put(&p, "new", fd);
		close(fd);
	}
	place__free(&p);
	return fd < 0 ? fd : err;
}

static void expect(const char *path, const char *text)
{
	cr_expect(holds(path, text), "%s", path);
}

Test(place, a_link_leads_to_what_its_owner_owns)
{
	make_link("root/secret", "mine", 0);
	cr_expect(find("mine") == 0, "the caller's own link");
	cr_expect(find("joe/result") == 0, "no link at all");
	make_link("../root/secret", "joe/result", JOE);
	cr_expect(find("joe/result") == -EPERM, "to a file of root's");
	make_link("../root/new", "joe/nothing", JOE);
	cr_expect(find("joe/nothing") == -EPERM, "to nothing in root's directory");
	make_link("/dev/null", "joe/device", JOE);
	cr_expect(find("joe/device") == -EPERM, "to a device");
	make_link("../root", "joe/out", JOE);
	cr_expect(find("joe/out/result") == -EPERM, "a directory");
	make_link("joe/out", "way", 0);
	cr_expect(find("way/result") == -EPERM, "a directory, over a link of root's");
	make_link("own/result", "joe/there", JOE);
	cr_expect(write_to("joe/there") == 0, "to joe's own");
	expect("joe/own/result", "result");
	make_link("../root/secret", "joe/moved", 0);
	cr_expect(find("joe/moved") == -EPERM, "what root has made may be moved, or linked, by joe");
	put_of("joe/own/of-root", "", 0, 0644);
	make_link("own/of-root", "joe/to-root", JOE);
	cr_expect(find("joe/to-root") == -EPERM, "in joe's directory, but root's");
	make_dir("amy", JOE - 1, 0755);
	make_link("../joe/out", "amy/out", JOE - 1);
	make_link("../joe/own", "amy/own", JOE - 1);
	cr_expect(find("amy/out/result") == -EPERM, "of several users");
	make_link("own", "joe/back", JOE);
	make_link("../joe/back", "amy/back", JOE - 1);
	cr_expect(find("amy/back/new") == -EPERM, "of several users, to what the last of them owns");
	cr_expect(find("amy/own/new") == -EPERM, "to a third user's");
	make_link("round", "joe/round", JOE);
	cr_expect(find("joe/round") == -ELOOP);
}

Test(place, a_directory_for_all_has_traps)
{
	put_of("sticky/file", "", JOE, 0666);
	cr_expect(find("sticky/file") == -EPERM, "joe can read what comes there, and change it");
	make_pipe("sticky/fifo");
	cr_expect(find("sticky/fifo") == -EPERM);
	make_link("../joe/own/result", "sticky/link", JOE);
	cr_expect(find("sticky/link") == -EPERM);
	make_dir("sticky/joe", JOE, 0755);
	cr_expect(find("sticky/joe/result") == 0, "whoever names joe's directory means it");
	put_of("sticky/mine", "", 0, 0644);
	cr_expect(write_to("sticky/mine") == 0);
	expect("sticky/mine", "result");
}

Test(place, no_place_is_no_file)
{
	struct place p;

	cr_expect(find("") == -ENOENT);
	cr_expect(find("missing/result") == -ENOENT);
	cr_expect(find("root/secret/result") == -ENOTDIR);
	cr_expect(find("/") == -EISDIR);
	cr_expect(find("joe") == -EISDIR);
	cr_expect(find("joe/own/..") == -EISDIR);
	cr_expect(find("root/secret/") == -ENOTDIR);
	cr_assert(place__find(&p, "joe/../joe//own/./result") == 0);
	expect_str(p.name, "result");
	place__free(&p);
}

/* What is there is replaced, and not written to. */
Test(place, a_hard_link_keeps_its_contents)
{
	cr_assert(link("root/secret", "joe/result") == 0);
	cr_expect(write_to("joe/result") == 0);
	expect("joe/result", "result");
}

Test(place, a_name_that_joe_takes_meanwhile_is_not_used)
{
	struct place p;
	int fd;

	cr_assert(place__find(&p, "joe/result") == 0);
	make_link("../root/secret", "joe/new", JOE);
	cr_expect(place__make(&p, "new") == -EEXIST);
	place__remove(&p, "new");
	fd = place__make(&p, "new");
	cr_assert(fd >= 0 && write(fd, "result", 6) == 6);
	make_link("../root/secret", "joe/result", JOE);
	cr_expect(place__open_file(&p) == -ELOOP, "nor is that read");
	cr_expect(place__put(&p, "new", fd) == 0, "the link is replaced");
	close(fd);
	expect("joe/result", "result");
	place__free(&p);
}

Test(place, a_directory_that_joe_moves_meanwhile_stays_the_place)
{
	struct place p;
	int fd;

	cr_assert(place__find(&p, "joe/own/result") == 0);
	fd = place__make(&p, "new");
	cr_assert(fd >= 0 && write(fd, "result", 6) == 6);
	cr_assert(rename("joe/own", "joe/old") == 0);
	make_link("../root", "joe/own", JOE);
	cr_expect(place__put(&p, "new", fd) == 0);
	close(fd);
	expect("joe/old/result", "result");
	place__free(&p);
}

Test(place, a_file_passes_on_its_owner_but_no_privileges)
{
	struct stat st;

	put_of("joe/result", "old", JOE, 06751);
	cr_expect(write_to("joe/result") == 0);
	cr_assert(stat("joe/result", &st) == 0);
	cr_expect(st.st_uid == JOE && st.st_gid == JOE && (st.st_mode & 07777) == 0751, "%o", st.st_mode);
}

Test(place, a_file_is_on_disk_before_it_replaces_another)
{
	put_of("joe/result", "old", JOE, 0644);
	cr_expect(write_to("joe/result") == 0);
	expect_str(when_synced, "old");
	expect("joe/result", "result");
}

/* From the first moment on. */
Test(place, a_file_that_only_its_owner_may_read_is_never_readable)
{
	struct stat st;
	struct place p;
	int fd;

	put_of("joe/result", "old", 0, 0600);
	cr_assert(place__find(&p, "joe/result") == 0);
	p.st.st_uid = p.st.st_gid = -1;
	p.st.st_mode = S_IFREG;
	fd = place__make(&p, "new");
	cr_assert(fd >= 0 && fstat(fd, &st) == 0);
	cr_expect(st.st_mode == S_IFREG && mode_before == 0, "%o %o", st.st_mode, mode_before);
	close(fd);
	place__free(&p);
}

struct acl {
	__u32 version;
	struct { __u16 tag, perm; __u32 id; } list[5];
};

static bool joe_may_read(const char *path)
{
	pid_t pid = fork();
	int status;

	if (!pid)
		_exit(setgroups(0, NULL) || setgid(JOE) || setuid(JOE) ? 2 : access(path, R_OK) == 0);
	cr_assert(waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) < 2);
	return WEXITSTATUS(status);
}

/* As `setfacl -d -m u:joe:rw joe` does it: files that are made there let joe read. */
Test(place, a_file_that_joe_may_not_read_stays_so_in_his_directory)
{
	const struct acl acl = { 2, { { 0x01, 7, -1 }, { 0x02, 6, JOE }, { 0x04, 5, -1 }, { 0x10, 7, -1 }, { 0x20, 5, -1 } } };

	if (setxattr("joe", "system.posix_acl_default", &acl, sizeof(acl), 0))
		cr_skip_test("no access control lists in %s", test_dir);
	cr_assert(chmod(test_dir, 0755) == 0);
	put_of("joe/old", "old", 0, 0640);
	cr_assert(removexattr("joe/old", "system.posix_acl_access") == 0 && chmod("joe/old", 0640) == 0);
	cr_expect(write_to("joe/old") == 0);
	cr_expect(not(joe_may_read("joe/old")));
}

/* As `setfacl -m u:1234:rw,g::- old` does it: with such a list, its mask looks like the group's permissions. */
Test(place, a_file_that_a_list_keeps_from_a_group_stays_so)
{
	const struct acl acl = { 2, { { 0x01, 6, -1 }, { 0x02, 6, 1234 }, { 0x04, 0, -1 }, { 0x10, 6, -1 }, { 0x20, 0, -1 } } };

	cr_assert(chmod(test_dir, 0755) == 0);
	put_of("root/old", "old", 0, 0600);
	cr_assert(chmod("root", 0755) == 0 && chown("root/old", 0, JOE) == 0);
	if (setxattr("root/old", "system.posix_acl_access", &acl, sizeof(acl), 0)) {
		unlink("root/old");
		cr_skip_test("no access control lists in %s", test_dir);
	}
	cr_assert(not(joe_may_read("root/old")));
	cr_expect(write_to("root/old") == 0);
	cr_expect(not(joe_may_read("root/old")));
	cr_expect(unlink("root/old") == 0);
}

Test(place, a_pipe_that_becomes_something_else_is_not_opened)
{
	struct place p;

	make_pipe("joe/pipe");
	cr_assert(place__find(&p, "joe/pipe") == 0);
	cr_assert(unlink("joe/pipe") == 0);
	make_link("../root/secret", "joe/pipe", JOE);
	cr_expect(place__open_device(&p) == -ESTALE);
	place__free(&p);
	cr_assert(unlink("joe/pipe") == 0);
	make_pipe("joe/pipe");
	cr_assert(place__find(&p, "joe/pipe") == 0);
	cr_expect(place__open_file(&p) == -ENOENT, "reading it does not wait for a writer");
	place__free(&p);
}

/* In /proc, what a link says is not always a path. */
Test(place, a_descriptor_is_a_place)
{
	char path[64], byte = 0;
	struct place p;
	int ends[2], fd;

	cr_assert(pipe(ends) == 0);
	snprintf(path, sizeof(path), "/dev/fd/%d", ends[1]);
	cr_assert(place__find(&p, path) == 0);
	fd = place__open_device(&p);
	cr_assert(fd >= 0 && write(fd, "x", 1) == 1 && read(ends[0], &byte, 1) == 1);
	cr_expect(byte == 'x');
	close(fd);
	place__free(&p);
}

/* root's own link has another name, which joe has made where he may. */
Test(place, a_link_with_several_names_is_not_followed_where_others_write)
{
	make_link("../root/secret", "root/link", 0);
	cr_assert(link("root/link", "sticky/result") == 0);
	cr_expect(find("sticky/result") == -EPERM);
	cr_assert(unlink("root/link") == 0);
}

Test(place, a_signal_leaves_no_temporary_file)
{
	pid_t pid = fork();
	int status;

	interrupts = true;
	if (!pid)
		_exit(place__write("joe/result", "all") ? 2 : 0);
	cr_assert(waitpid(pid, &status, 0) == pid && WIFSIGNALED(status) && WTERMSIG(status) == SIGINT);
	cr_expect(unlink("joe/result") == 0 && rmdir("joe/own") == 0 && rmdir("joe") == 0, "something else is there");
}

static void need_mounts(void)
{
	if (unshare(CLONE_NEWNS) || mount("", "/", NULL, MS_REC | MS_PRIVATE, NULL))
		cr_skip_test("this needs mounts");
}

/* The text of such a link is a path as another process sees it, or where nothing is mounted any more. */
Test(place, a_link_of_proc_is_followed_by_the_kernel)
{
	struct stat st, expected;
	char path[64];
	struct place p;
	int fd;

	need_mounts();
	cr_assert(mount("none", "joe/own", "tmpfs", 0, NULL) == 0);
	fd = open("joe/own", O_PATH | O_DIRECTORY);
	cr_assert(fd >= 0 && umount2("joe/own", MNT_DETACH) == 0 && fstat(fd, &expected) == 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d/file", fd);
	cr_assert(place__find(&p, path) == 0);
	cr_expect(fstat(p.dir, &st) == 0 && st.st_dev == expected.st_dev && st.st_ino == expected.st_ino);
	place__free(&p);
	close(fd);
}

/* Nothing can be renamed to it, which would be known at the end of the run only. */
Test(place, a_file_that_is_mounted_is_refused_at_once)
{
	put_of("joe/a", "a", JOE, 0644);
	put_of("joe/b", "b", JOE, 0644);
	need_mounts();
	cr_assert(mount("joe/a", "joe/b", NULL, MS_BIND, NULL) == 0);
	cr_expect(find("joe/b") == -EPERM);
	cr_expect(find("joe/a") == 0);
	cr_assert(umount("joe/b") == 0);
}
