// SPDX-License-Identifier: GPL-2.0
/*
 * What the loader leaves in file systems: results that are complete or not there, a watchdog that
 * removes what a run has made, however it ends, and the removal of leftovers if both were killed.
 */
#include <sys/wait.h>
#include <dirent.h>
#include <limits.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/resource.h>

#include "base/error.h"
#include "run/guard.h"
#include "run/instance.h"
#include "run/output.h"
#include "run/workload.h"
#include "put_file.h"

static void enter(void)
{
	enter_dir();
	signal(SIGPIPE, SIG_IGN);
}

static int entries(void)
{
	autoclosedir DIR *d = opendir(test_dir);
	int count = -2;

	while (readdir(d))
		count++;
	return count;
}

static void leave(void)
{
	cr_assert(chdir("/") == 0);
	cr_expect(entries() == 0, "something was left behind");
	rmdir(test_dir);
}

/* For ten seconds at most */
#define wait_until(condition) for (int t_ = 0; t_ < 1000 && !(condition); t_++) usleep(10 * 1000)

static struct output *o;
static struct guard *g;

static void open_as(const char *path)
{
	cr_assert(output__open(&o, path, NULL) == 0);
}

static void open_result(void)
{
	open_as("result");
}

static void grow_result(void)
{
	cr_assert(output__open_growing(&o, "result", NULL) == 0);
}

static void say(const char *text)
{
	fputs(text, output__stream(o));
}

static void flush(const char *text)
{
	say(text);
	cr_expect(output__flush(o) == 0);
}

static void commit(const char *text)
{
	say(text);
	cr_expect(output__commit(o) == 0);
}

static void discard(const char *text)
{
	say(text);
	output__discard(o);
}

/* A test may leave its result. */
static void leave_result(void)
{
	unlink("result");
	leave();
}

TestSuite(output, .init = enter, .fini = leave_result);

Test(output, appears_when_it_is_complete)
{
	open_result();
	say("half");
	cr_expect(access("result", F_OK) != 0, "not there yet");
	commit(" and half");
	cr_expect(holds("result", "half and half"));
	cr_expect(entries() == 1, "nothing beside it");
}

Test(output, replaces_the_old_one_at_the_end)
{
	write_text("result", "old");
	open_result();
	say("new");
	cr_expect(holds("result", "old"));
	cr_expect(output__commit(o) == 0);
	cr_expect(holds("result", "new"));
}

Test(output, discarded_leaves_the_old_one)
{
	write_text("result", "old");
	open_result();
	discard("new");
	cr_expect(holds("result", "old"));
	cr_expect(entries() == 1);
}

Test(output, comes_bit_by_bit)
{
	open_result();
	flush("one, ");
	cr_expect(output__flush(o) == 0, "nothing new");
	flush("two");
	cr_expect(access("result", F_OK) != 0, "not there yet");
	commit(", x");
	cr_expect(holds("result", "one, two, x"));
	open_as("/dev/full");
	say("text");
	cr_expect(output__flush(o) == -EIO);
	output__discard(o);
}

/* As with -o /dev/stdout when the shell has opened the file. */
Test(output, comes_after_what_is_written_by_an_open_descriptor)
{
	int shared = open("result", O_WRONLY | O_CREAT, 0600), own;

	open_result();
	cr_expect(entries() == 1, "nothing beside it");
	say("result, ");
	cr_assert(write(shared, "command, ", 9) == 9);
	cr_expect(output__commit(o) == 0);
	cr_assert(write(shared, "later", 5) == 5);
	close(shared);
	cr_expect(holds("result", "command, result, later"));
	/* A file that is hytrace's own, or only opened for reading, is shared with nobody. */
	own = open("result", O_WRONLY | O_CLOEXEC);
	shared = open("result", O_RDONLY);
	open_result();
	cr_expect(entries() == 2);
	output__discard(o);
	close(own);
	close(shared);
}

/* As with -o /dev/stdout when another user's shell has opened it: it is open, whoever could make such a file. */
Test(output, an_open_descriptor_is_named)
{
	char path[32];
	int shared;

	if (geteuid())
		cr_skip_test("this needs root");
	cr_assert(mkdir("all", 0700) == 0 && chmod("all", 01777) == 0);
	shared = open("all/result", O_WRONLY | O_CREAT, 0644);
	cr_assert(shared >= 0 && fchown(shared, 65534, 65534) == 0);
	snprintf(path, sizeof(path), "/dev/fd/%d", shared);
	open_as(path);
	commit("result");
	close(shared);
	cr_expect(holds("all/result", "result"));
	cr_expect(unlink("all/result") == 0 && rmdir("all") == 0);
}

/* A recording: what has been written is kept, whatever happens then. */
Test(output, a_growing_one_keeps_what_it_has)
{
	write_text("result", "old and longer");
	grow_result();
	say("one");
	cr_expect(holds("result", "old and longer"), "nothing has been flushed");
	cr_expect(output__flush(o) == 0);
	cr_expect(holds("result", "one"));
	flush(", two");
	discard(", lost");
	cr_expect(holds("result", "one, two"));
	grow_result();
	output__discard(o);
	cr_expect(holds("result", "one, two"), "nothing was recorded");
	unlink("result");
	grow_result();
	output__discard(o);
	cr_expect(access("result", F_OK) != 0, "nor is an empty one left");
	grow_result();
	cr_expect(output__commit(o) == 0);
	cr_expect(holds("result", "") && access("result", F_OK) == 0, "one that has recorded nothing is empty");
	write_text("other", "old");
	cr_assert(link("other", "result") != 0 && unlink("result") == 0 && link("other", "result") == 0);
	grow_result();
	commit("new");
	cr_expect(holds("other", "old") && holds("result", "new"), "a hard link is not written to");
	unlink("other");
}

static void checkpoint(const char *text)
{
	say(text);
	cr_expect(output__checkpoint(o) == 0);
	cr_expect(holds("result", text));
}

/* SIGUSR1: what has been written so far survives whatever comes. */
Test(output, can_be_put_in_place_before_the_end)
{
	struct stat st;

	write_text("result", "old");
	cr_assert(chmod("result", 0604) == 0);
	open_result();
	cr_expect(output__can_checkpoint(o));
	checkpoint("so far, and long");
	cr_expect(stat("result", &st) == 0 && (st.st_mode & 07777) == 0604);
	checkpoint("farther");
	cr_expect(entries() == 2, "the unfinished one keeps its place");
	discard("lost");
	cr_expect(holds("result", "farther"));
	open_result();
	checkpoint("once more, and long");
	commit("the end");
	cr_expect(holds("result", "the end"));
	unlink("result");
	open_as("/dev/null");
	cr_expect(output__can_checkpoint(o) == false);
	cr_expect(output__checkpoint(o) == -EOPNOTSUPP, "a pipe would get it twice");
	output__discard(o);
}

/*
 * The owner of the directory sees the name of the unfinished result, and so knows that of a result so far. Each of these
 * is made there, and must stay as it is or go.
 */
Test(output, one_so_far_is_not_written_to_what_has_its_name)
{
	char name[128], kept[64];

	write_text("secret", "secret");
	snprintf(name, sizeof(name), "result.%s.now.tmp", run__id());
	open_result();
	cr_assert(symlink("secret", name) == 0);
	checkpoint("over a link");
	cr_assert(link("secret", name) == 0);
	checkpoint("over a hard link");
	cr_assert(mkfifo(name, 0600) == 0);
	checkpoint("over a pipe");
	cr_assert(mkdir(name, 0700) == 0);
	say("over a directory");
	cr_expect(output__checkpoint(o) == -EEXIST, "which nobody removes");
	cr_assert(rmdir(name) == 0);
	cr_expect(holds("result", "over a pipe"));
	cr_expect(holds("secret", "secret"));
	snprintf(kept, sizeof(kept), "result.%s.tmp", run__id());
	cr_assert(rename(kept, "moved") == 0);
	cr_assert(symlink("secret", kept) == 0);
	say("the end");
	cr_expect(output__commit(o) == 0, "who moves the unfinished one spoils his own directory");
	cr_expect(holds("secret", "secret"));
	unlink("moved");
	unlink("result");
	unlink("secret");
}

Test(output, a_full_disk_leaves_the_old_one)
{
	const struct rlimit little = { 100, RLIM_INFINITY }, much = { RLIM_INFINITY, RLIM_INFINITY };

	write_text("result", "old");
	signal(SIGXFSZ, SIG_IGN);
	cr_assert(setrlimit(RLIMIT_FSIZE, &little) == 0);
	for (int i = 0; i < 2; i++) {
		open_result();
		fprintf(output__stream(o), "%1000d", 1);
		cr_expect(output__checkpoint(o) == -EFBIG);
		fprintf(output__stream(o), "%1000d", 1);
		cr_expect(output__commit(o) == -EIO);
		cr_expect(holds("result", "old"));
		cr_expect(entries() == 1, "nothing beside it");
	}
	setrlimit(RLIMIT_FSIZE, &much);
}

Test(output, is_given_once)
{
	struct output *other = NULL;

	open_result();
	cr_expect(output__open(&other, "./result", NULL) == -EINVAL && !other);
	say("text");
	cr_expect(output__commit(o) == 0, "and is still there");
	cr_expect(holds("result", "text"));
}

Test(output, a_link_is_followed)
{
	struct stat st;

	cr_assert(mkdir("elsewhere", 0777) == 0);
	cr_assert(symlink("elsewhere/result", "link") == 0);
	for (int i = 0; i < 3; i++) {
		static const char *const texts[] = { "into nothing", "into a file", "growing" };

		int err = i == 2 ? output__open_growing(&o, "link", NULL) :
				   output__open(&o, "link", NULL);

		cr_assert(err == 0);
		commit(texts[i]);
		cr_expect(lstat("link", &st) == 0 && S_ISLNK(st.st_mode));
		cr_expect(holds("elsewhere/result", texts[i]));
		cr_expect(entries() == 2);
	}
	unlink("elsewhere/result");
	open_as("link");
	output__discard(o);
	cr_expect(lstat("link", &st) == 0 && S_ISLNK(st.st_mode));
	cr_expect(rmdir("elsewhere") == 0, "nothing is left in it");
	unlink("link");
}

Test(output, a_file_keeps_its_mode_and_owner)
{
	bool root = !geteuid();
	struct stat st;

	write_text("result", "old");
	cr_assert(chmod("result", 0604) == 0);
	if (root)
		cr_assert(chown("result", 1, 2) == 0);
	open_result();
	commit("new");
	cr_expect(stat("result", &st) == 0 && (st.st_mode & 07777) == 0604);
	if (root)
		cr_expect(st.st_uid == 1 && st.st_gid == 2);
}

Test(output, a_device_is_written_in_place)
{
	open_as("/dev/null");
	commit("text");
	open_as("/dev/full");
	say("text");
	cr_expect(output__commit(o) == -EIO);
}

/* Another process that shares the pipe or terminal may have set O_NONBLOCK. */
Test(output, a_pipe_that_does_not_block_is_waited_for, .timeout = 30)
{
	static const char line[] = "sixteen letters\n";
	size_t expected = 65536 * strlen(line), got = 0;
	char path[64], buffer[4096];
	ssize_t length;
	int ends[2];
	pid_t pid;

	cr_assert(pipe(ends) == 0);
	cr_assert(fcntl(ends[1], F_SETFL, O_NONBLOCK) == 0);
	pid = fork();
	if (!pid) {
		close(ends[0]);
		snprintf(path, sizeof(path), "/proc/self/fd/%d", ends[1]);
		if (output__open(&o, path, NULL))
			_exit(1);
		for (int i = 0; i < 65536; i++)
			say(line);
		_exit(output__commit(o) ? 2 : 0);
	}
	close(ends[1]);
	/* The pipe is full for a while. */
	usleep(200 * 1000);
	while ((length = read(ends[0], buffer, sizeof(buffer))) > 0)
		got += length;
	close(ends[0]);
	cr_assert(waitpid(pid, &ends[0], 0) == pid);
	cr_expect(ends[0] == 0, "status %d", ends[0] >> 8);
	cr_expect(got == expected, "%zu of %zu", got, expected);
}

Test(output, refuses_what_cannot_be_written)
{
	cr_expect(output__open(&o, "no/such/dir", NULL) == -EINVAL);
	cr_expect(output__open(&o, ".", NULL) == -EINVAL);
	cr_expect(output__open(&o, "", NULL) == -EINVAL);
	cr_expect(output__open_growing(&o, "", NULL) == -EINVAL);
	cr_expect(o == NULL);
}

Test(output, refuses_names_of_compressed_files)
{
	static const char *const names[] = { "a.json.zst", "a.json.gz", "a.xz" };

	for (size_t i = 0; i < 3; i++) {
		cr_expect(output__open(&o, names[i], NULL) == -EINVAL, "%s", names[i]);
		cr_expect(output__open_growing(&o, names[i], NULL) == -EINVAL, "%s", names[i]);
	}
	open_as("a.zst.json");
	output__discard(o);
}

TestSuite(guard, .init = enter, .fini = leave);

Test(guard, removes_what_it_was_told_in_the_right_order)
{
	cr_assert(guard__start(&g) == 0);
	cr_expect(guard__add(g, GUARD_DIR, "%s", "sub") == 0);
	cr_expect(guard__add(g, GUARD_FILE, "%s", "sub/file") == 0);
	cr_expect(guard__add(g, GUARD_FILE, "%s", "never-made") == 0);
	mkdir("sub", 0700);
	write_text("sub/file", "x");
	cr_expect(guard__finish(g) == 0);
	cr_expect(entries() == 0);
}

Test(guard, says_when_something_stays)
{
	mkdir("sub", 0700);
	cr_assert(guard__start(&g) == 0);
	/* Not a file. */
	cr_expect(guard__add(g, GUARD_FILE, "%s", "sub") == 0);
	cr_expect(guard__finish(g) == -EIO);
	rmdir("sub");
}

Test(guard, what_was_never_made_is_no_error)
{
	cr_assert(guard__start(&g) == 0);
	cr_expect(guard__add(g, GUARD_EVENT, "%s/%s", "no_such_group", "one") == 0);
	cr_expect(guard__add(g, GUARD_EVENT, "%s/%s", "no_such_group", "two") == 0);
	cr_expect(guard__add(g, GUARD_INSTANCE, "%s", "no-such-instance") == 0);
	cr_expect(guard__add(g, GUARD_DIR, "%s", "no-such-dir") == 0);
	cr_expect(guard__finish(g) == 0);
}

Test(guard, a_directory_with_others_things_stays)
{
	mkdir("sub", 0700);
	write_text("sub/other", "x");
	cr_assert(guard__start(&g) == 0);
	cr_expect(guard__add(g, GUARD_DIR, "%s", "sub") == 0);
	cr_expect(guard__finish(g) == 0);
	cr_expect(access("sub/other", F_OK) == 0);
	unlink("sub/other");
	rmdir("sub");
}

/* A process that is killed by SIGKILL, after a SIGINT to its whole group. */
Test(guard, survives_its_parent)
{
	int ready[2];
	char byte;
	pid_t pid;

	cr_assert(pipe(ready) == 0);
	pid = fork();
	if (!pid) {
		struct guard *g;

		setpgid(0, 0);
		if (guard__start(&g) || guard__add(g, GUARD_FILE, "%s", "file"))
			_exit(1);
		write_text("file", "x");
		signal(SIGINT, SIG_IGN);
		kill(0, SIGINT);
		if (write(ready[1], "x", 1) != 1)
			_exit(1);
		pause();
	}
	cr_assert(read(ready[0], &byte, 1) == 1);
	cr_expect(access("file", F_OK) == 0, "not before the end");
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	wait_until(access("file", F_OK));
	cr_expect(access("file", F_OK) != 0);
}

static void fork_workload(struct workload *w, char *const *command)
{
	workload__init(w, command, false);
	cr_assert(workload__begin(w) == 0);
	cr_assert(workload__fork(w) == 0);
}

static int run(char *const *command)
{
	struct workload w;
	int status;

	fork_workload(&w, command);
	status = workload__finish(&w, NULL, workload__release(&w));
	/* A process has only one run; this is another one. */
	sigprocmask(SIG_SETMASK, &w.mask, NULL);
	return status;
}

TestSuite(workload, .init = enter, .fini = leave);

Test(workload, status_is_a_shells)
{
	char *const good[] = { "true", NULL }, *const seven[] = { "sh", "-c", "exit 7", NULL };
	char *const killed[] = { "sh", "-c", "kill -TERM $$", NULL };
	char *const missing[] = { "./no-such-command", NULL }, *const data[] = { "./data", NULL };

	cr_expect(run(good) == 0);
	cr_expect(run(seven) == 7);
	cr_expect(run(killed) == 128 + SIGTERM);
	cr_expect(run(missing) == EXIT_NOCMD);
	write_text("data", "no program");
	cr_expect(run(data) == EXIT_NOEXEC);
	unlink("data");
}

Test(workload, does_not_run_before_it_is_released)
{
	char *const touch[] = { "touch", "file", NULL };
	struct workload w;

	fork_workload(&w, touch);
	usleep(100 * 1000);
	cr_expect(access("file", F_OK) != 0);
	workload__abandon(&w);
	cr_expect(access("file", F_OK) != 0);
}

static int be_idle(void *context)
{
	return 1000;
}

/* The time is over, the command goes on, and the results are read and written. */
static int signal_at_the_end(void)
{
	char *const command[] = { "sleep", "3", NULL };
	const struct limits limits = { .duration = 0.01, .process = -1, .wakes = -1 };
	struct workload w;
	int status;

	fork_workload(&w, command);
	cr_assert(workload__release(&w) == 0);
	cr_assert(workload__wait_for_end(&w, &limits, be_idle, NULL) == 0);
	cr_expect(w.ended == ENDED_BY_DURATION);
	workload__ended(&w);
	kill(getpid(), SIGTERM);
	status = workload__finish(&w, NULL, 0);
	sigprocmask(SIG_SETMASK, &w.mask, NULL);
	return status;
}

Test(workload, a_signal_that_comes_before_the_result_is_written_reaches_the_command)
{
	cr_expect(signal_at_the_end() == 128 + SIGTERM);
}

/* Errors that can be known before anything is enabled are reported then. */
Test(workload, a_command_is_looked_up_as_execvp_does)
{
	static const struct {
		const char *path, *name;
		int refused;
	} cases[] = {
		{ "/usr/bin:/bin", "true", 0 }, { "/usr/bin:/bin", "no-such-command", EXIT_NOCMD },
		{ "/usr/bin:/bin", "", EXIT_NOCMD }, { "/usr/bin:/bin", "./data", EXIT_NOEXEC },
		{ "/usr/bin:/bin", "./sub", EXIT_NOEXEC }, { "/usr/bin:/bin", "./program", 0 },
		{ "/usr/bin:/bin", "program", EXIT_NOCMD }, { "/usr/bin:", "program", 0 },
		{ ":/usr/bin", "program", 0 }, { "", "program", 0 },
		{ "nowhere:sub:.", "data", EXIT_NOEXEC }, { "nowhere:sub:.", "program", 0 },
		{ "nowhere:data", "program", EXIT_NOCMD },
		{ "sub:nowhere", "program", EXIT_NOEXEC },
	};

	write_text("data", "no program");
	write_text("program", "#!/bin/sh\n");
	cr_assert(chmod("program", 0755) == 0);
	cr_assert(mkdir("sub", 0700) == 0);
	write_text("sub/program", "may not be executed");
	for_each(c, cases) {
		char *const command[] = { (char *)c->name, NULL };
		struct workload w;
		int err;

		setenv("PATH", c->path, 1);
		workload__init(&w, command, false);
		err = workload__find(&w);
		cr_expect(err == (c->refused ? -ENOEXEC : 0) && w.refused == c->refused,
			  "%s along %s: %d", c->name, c->path, w.refused);
		if (err)
			cr_expect(workload__finish(&w, NULL, err) == c->refused);
	}
	unlink("sub/program");
	rmdir("sub");
	unlink("program");
	unlink("data");
}

static void appears(const char *path)
{
	wait_until(!access(path, F_OK));
	cr_assert(access(path, F_OK) == 0, "%s", path);
}

#define ROUNDS 5

/* The other side of a run's terminal; -1: it has none. */
static int terminal = -1;

static void leave_group(void)
{
	if (terminal < 0)
		setpgid(0, 0);
	else if (setsid() < 0 || open(ptsname(terminal), O_RDWR | O_CLOEXEC) < 0)
		_exit(1);
}

/*
 * Counts the signals that a command gets while @send sends ROUNDS signals to its run, which has a
 * group of its own.
 */
static int signals_of_command(const char *script, void (*send)(pid_t pid))
{
	char *const command[] = { "perl", "-e", (char *)script, NULL };
	struct limits limits = { .process = -1, .wakes = -1 };
	struct workload w;
	struct stat st;
	pid_t pid = fork();

	if (!pid) {
		leave_group();
		workload__init(&w, command, false);
		if (workload__begin(&w) || workload__fork(&w) || workload__release(&w))
			_exit(1);
		workload__wait_for_end(&w, &limits, be_idle, NULL);
		_exit(workload__finish(&w, NULL, 0));
	}
	appears("got");
	for (int i = 0; i < ROUNDS; i++) {
		send(pid);
		/* Signals that a busy machine delivers late would become one. */
		wait_until(stat("got", &st) || st.st_size > i);
		usleep(3 * SAME_SIGNAL_MS * 1000);
	}
	write_text("stop", "");
	waitpid(pid, NULL, 0);
	cr_assert(stat("got", &st) == 0);
	unlink("got");
	unlink("stop");
	return st.st_size;
}

static void send_to_it(pid_t pid)
{
	kill(pid, SIGTERM);
}

static void send_to_group(pid_t pid)
{
	kill(-pid, SIGTERM);
}

static void send_as_timeout(pid_t pid)
{
	kill(pid, SIGTERM);
	/* Otherwise most of them would count as one. */
	usleep(20 * 1000);
	kill(-pid, SIGTERM);
}

static void send_from_terminal(pid_t pid)
{
	cr_assert(write(terminal, "\3", 1) == 1);
}

#define COUNT "$SIG{INT} = $SIG{TERM} = sub { syswrite(F, 'x') }; open(F, '>', 'got');" \
	      "select(undef, undef, undef, 0.01) while !-e 'stop';"

Test(workload, a_signal_reaches_the_command_once)
{
	cr_expect(signals_of_command(COUNT, send_to_it) == ROUNDS, "to hytrace alone");
	cr_expect(signals_of_command(COUNT, send_to_group) == ROUNDS, "to the group");
	cr_expect(signals_of_command(COUNT, send_as_timeout) == ROUNDS, "to both");
	cr_expect(signals_of_command("setpgrp;" COUNT, send_to_group) == ROUNDS,
		  "to the group, which it has left");
}

Test(workload, so_does_one_from_a_terminal)
{
	terminal = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	cr_assert(terminal >= 0 && grantpt(terminal) == 0 && unlockpt(terminal) == 0);
	cr_expect(signals_of_command(COUNT, send_from_terminal) == ROUNDS, "to the group");
	cr_expect(signals_of_command("setpgrp;" COUNT, send_from_terminal) == ROUNDS,
		  "to the group, which it has left");
	close(terminal);
}

/* A signal to the group, when the time is over and the result is written. */
Test(workload, so_does_one_that_comes_at_the_end)
{
	char *const command[] = { "perl", "-e", COUNT, NULL };
	const struct limits limits = { .duration = 0.01, .process = -1, .wakes = -1 };
	struct workload w;
	struct stat st;
	pid_t pid = fork();

	if (!pid) {
		setpgid(0, 0);
		workload__init(&w, command, false);
		if (workload__begin(&w) || workload__fork(&w) || workload__release(&w))
			_exit(1);
		workload__wait_for_end(&w, &limits, be_idle, NULL);
		workload__ended(&w);
		appears("got");
		kill(0, SIGTERM);
		usleep(SAME_SIGNAL_MS * 1000);
		write_text("written", "");
		_exit(workload__finish(&w, NULL, 0));
	}
	appears("written");
	usleep(3 * SAME_SIGNAL_MS * 1000);
	write_text("stop", "");
	waitpid(pid, NULL, 0);
	cr_assert(stat("got", &st) == 0);
	cr_expect(st.st_size == 1, "%ld", (long)st.st_size);
	unlink("got");
	unlink("written");
	unlink("stop");
}

/* ---- leftovers of killed runs, in a directory like tracefs */

#define KILLED "instances/" INSTANCE_PREFIX "0123456789abcdef"
#define ALIVE "instances/" INSTANCE_PREFIX "fedcba9876543210"
#define BUSY "instances/" INSTANCE_PREFIX "00000000000000ff"

static void make_instances(void)
{
	mkdir("instances", 0700);
	mkdir("events", 0700);
	mkdir("events/" GROUP_PREFIX "0123456789abcdef", 0700);
	mkdir(KILLED, 0700);
	mkdir(ALIVE, 0700);
	mkdir(BUSY, 0700);
	write_text(BUSY "/trace_pipe", "");
	/* These belong to somebody else. */
	mkdir("instances/foo", 0700);
	mkdir("instances/" INSTANCE_PREFIX "4711", 0700);
	mkdir("instances/" INSTANCE_PREFIX "0123456789ABCDEF", 0700);
}

static void remove_instances(void)
{
	cr_expect(rmdir("instances/foo") == 0);
	cr_expect(rmdir("instances/" INSTANCE_PREFIX "4711") == 0);
	cr_expect(rmdir("instances/" INSTANCE_PREFIX "0123456789ABCDEF") == 0);
	cr_expect(rmdir(ALIVE) == 0);
	unlink(BUSY "/trace_pipe");
	cr_expect(rmdir(BUSY) == 0);
	rmdir("events/" GROUP_PREFIX "0123456789abcdef");
	rmdir("events");
	rmdir("instances");
}

TestSuite(leftovers, .init = enter, .fini = leave);

Test(leftovers, go_at_once_if_nobody_uses_them)
{
	struct leftovers left = {};

	make_instances();
	cr_assert(guard__start(&g) == 0);
	cr_assert(run__lock(ALIVE) == 0);
	leftovers__find("instances", &left);
	cr_expect(left.count == 2, "each once, with events as well: %zu", left.count);
	cr_expect(leftovers__remove(&left, "instances", g) == 0);
	leftovers__free(&left);
	wait_until(access(KILLED, F_OK));
	cr_expect(access(KILLED, F_OK) != 0);
	/* A leftover that stays is no failure. */
	cr_expect(guard__finish(g) == 0);
	remove_instances();
}

Test(guard, says_when_it_was_killed)
{
	char command[64];

	cr_assert(guard__start(&g) == 0);
	snprintf(command, sizeof(command), "pkill -KILL -x -P %d hytrace-guard", getpid());
	wait_until(!system(command));
	cr_expect(guard__finish(g) == -EIO);
}
