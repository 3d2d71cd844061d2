// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs the tests of a list; see list.h.
 *
 * Each test is a process group without a terminal, so that a test that takes too long ends with all that it has
 * started, and Ctrl-C ends the runner, which ends the test. Its output goes to memory and is printed after the test,
 * as comments of KTAP: a pipe would have to be read while the test is recorded.
 */
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>

#include "base/error.h"
#include "base/files.h"
#include "base/memory.h"
#include "run/instance.h"
#include "run/process.h"
#include "suite/list.h"
#include "suite/mark.h"

/* kselftest's KSFT_SKIP */
#define KSELFTEST_SKIPPED 4
/* A test that has to end gets SIGTERM, and after this many milliseconds SIGKILL. */
#define END_MS 5000

/* ---- lists */

static void add_test(struct test_list *t, char *line, const char *directory, bool plain)
{
	char *rest = line + strcspn(line, " \t"), *colon = memchr(line, ':', rest - line);
	struct test *test;

	if (!*line || *line == '#')
		return;
	test = LIST_ADD(t->list, t->count);
	if (!plain && !*rest && colon && colon > line && colon[1]) {
		autofree char *program = xasprintf("%s/%.*s/%s", directory, (int)(colon - line), line, colon + 1);

		test->kselftest = !access(program, X_OK);
	}
	if (test->kselftest) {
		test->directory = xasprintf("%s/%.*s", directory, (int)(colon - line), line);
		test->command = xasprintf("./%s", colon + 1);
	} else {
		test->command = xstrdup(plain || !*rest ? line : rest + strspn(rest, " \t"));
	}
	test->name = plain || !*rest ? xstrdup(line) : xstrndup(line, rest - line);
}

static char *read_all(FILE *f)
{
	char *text = NULL;
	size_t size = 0;

	if (getdelim(&text, &size, '\0', f) >= 0)
		return text;
	/* At the end of file, there may be a buffer that nothing was written to. */
	free(text);
	return ferror(f) ? NULL : xstrdup("");
}

int test_list__read(struct test_list *ret, const char *path, bool plain)
{
	const char *slash = strrchr(path, '/');
	autofree char *directory = slash ? xstrndup(path, slash - path ?: 1) : xstrdup(".");
	autofree char *text = strcmp(path, "-") ? file__text(path) : read_all(stdin);
	char *rest = text, *line;

	*ret = (struct test_list){};
	if (!text)
		return error__return(-EINVAL, "%s: cannot read the list: %s", path, strerror(errno));
	while ((line = strsep(&rest, "\n"))) {
		size_t length;

		line += strspn(line, " \t");
		for (length = strlen(line); length && strchr(" \t\r", line[length - 1]); )
			line[--length] = '\0';
		add_test(ret, line, directory, plain);
	}
	return ret->count ? 0 : error__return(-EINVAL, "%s: the list has no test", path);
}

void test_list__free(struct test_list *t)
{
	for (size_t i = 0; i < t->count; i++) {
		free(t->list[i].name);
		free(t->list[i].command);
		free(t->list[i].directory);
	}
	free(t->list);
	*t = (struct test_list){};
}

/* ---- one test */

struct runner {
	const struct list_options *o;
	struct marker marker;
	int signals, output;
	sigset_t before;
	int signal;		/* that ends the runner; 0: none yet */
};

struct outcome {
	int status;		/* as a shell has it */
	bool timed_out;
	double seconds;
};

static void __attribute__((noreturn)) become(const struct runner *r, const struct test *test, pid_t parent)
{
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC);

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(EXIT_SELF);
	setpgid(0, 0);
	dup2(null, STDIN_FILENO);
	dup2(r->output, STDOUT_FILENO);
	dup2(r->output, STDERR_FILENO);
	signal(SIGPIPE, SIG_DFL);
	signal(SIGXFSZ, SIG_DFL);
	sigprocmask(SIG_SETMASK, &r->before, NULL);
	if (test->directory && chdir(test->directory)) {
		dprintf(STDERR_FILENO, "%s: %s\n", test->directory, strerror(errno));
		_exit(EXIT_NOEXEC);
	}
	execl("/bin/sh", "sh", "-c", test->command, NULL);
	dprintf(STDERR_FILENO, "/bin/sh: %s\n", strerror(errno));
	_exit(EXIT_NOEXEC);
}

/* Returns true if a signal has come that ends the runner. */
static bool take_signal(struct runner *r)
{
	struct signalfd_siginfo info;

	while (read(r->signals, &info, sizeof(info)) == sizeof(info))
		r->signal = info.ssi_signo;
	return r->signal;
}

/* Waits for the end of the test, for at most @ms; negative: for any time. Returns true if it has ended. */
static bool wait_for(struct runner *r, int pidfd, int ms)
{
	struct pollfd fds[] = {
		{ .fd = pidfd, .events = POLLIN },
		{ .fd = r->signal ? -1 : r->signals, .events = POLLIN },
	};
	uint64_t end = clock__monotonic() + ms * 1000000ull;

	for (;;) {
		uint64_t now = clock__monotonic();
		int left = ms < 0 ? -1 : now < end ? (int)((end - now) / 1000000 + 1) : 0, ready = poll(fds, 2, left);

		if (fds[0].revents && ready > 0)
			return true;
		if (ready == 0 || (ready > 0 && fds[1].revents && take_signal(r)))
			return false;
	}
}

/* A time-out that does not fit, of 24 days, is none. */
static int timeout_ms(const struct list_options *o)
{
	return o->timeout && o->timeout < INT_MAX / 1000 ? o->timeout * 1000 + 1 : -1;
}

static int run_test(struct runner *r, const struct test *test, struct outcome *ret)
{
	pid_t parent = getpid(), pid;
	int pidfd, status;
	uint64_t start;

	fflush(NULL);
	start = clock__monotonic();
	pid = fork();
	if (!pid)
		become(r, test, parent);
	if (pid < 0)
		return error__return(-errno, "%s: cannot fork: %s", test->name, strerror(errno));
	setpgid(pid, pid);
	pidfd = process__open_own(pid);
	if (pidfd < 0) {
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		return pidfd;
	}
	if (!wait_for(r, pidfd, timeout_ms(r->o))) {
		ret->timed_out = !r->signal;
		kill(-pid, SIGTERM);
		wait_for(r, pidfd, END_MS);
		/* Also what the test has started and not ended. */
		kill(-pid, SIGKILL);
	}
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	close(pidfd);
	ret->seconds = (clock__monotonic() - start) / 1e9;
	ret->status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
	return 0;
}

/* ---- what is printed */

static void print_output(const struct runner *r)
{
	char buffer[65536];
	bool at_start = true;
	ssize_t got;
	off_t at = 0;

	while ((got = pread(r->output, buffer, sizeof(buffer), at)) > 0) {
		for (ssize_t i = 0; i < got; i++) {
			if (at_start)
				fputs("# ", stdout);
			putchar(buffer[i]);
			at_start = buffer[i] == '\n';
		}
		at += got;
	}
	if (!at_start)
		putchar('\n');
	if (ftruncate(r->output, 0) || lseek(r->output, 0, SEEK_SET))
		error__warn("the output of a test cannot be emptied: %s", strerror(errno));
}

/* Returns whether the test has passed or was skipped. */
static bool print_result(const struct runner *r, const struct test *test, size_t number, const struct outcome *o)
{
	long skip = r->o->skipped ? r->o->skipped : test->kselftest ? KSELFTEST_SKIPPED : 0;
	bool skipped = !o->timed_out && skip && o->status == skip, passed = !o->status && !o->timed_out && !r->signal;

	printf("%sok %zu ", passed || skipped ? "" : "not ", number);
	for (const char *c = test->name; *c; c++)
		printf(*c == '#' ? "\\#" : "%c", *c);
	if (skipped)
		printf(" # SKIP\n");
	else if (r->signal)
		printf(" # interrupted after %.3f s\n", o->seconds);
	else if (o->timed_out)
		printf(" # TIMEOUT after %g s\n", r->o->timeout);
	else if (o->status)
		printf(" # status %d, %.3f s\n", o->status, o->seconds);
	else
		printf(" # %.3f s\n", o->seconds);
	return passed || skipped;
}

/* ---- the runner */

static int begin(struct runner *r)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, &r->before);
	r->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	r->output = memfd_create("output", MFD_CLOEXEC);
	if (r->signals < 0 || r->output < 0)
		return error__return(-errno, "cannot run tests: %s", strerror(errno));
	return marker__open(&r->marker);
}

/* As after --duration, and as any command if hytrace is killed, tests go on without marks. There was a message. */
static int go_on(struct runner *r, int err)
{
	if (err != -EPIPE)
		return err;
	marker__close(&r->marker);
	return 0;
}

/* Returns 0, or a negative errno after a message, which ends the runner. */
static int run_next(struct runner *r, const struct test *test, size_t number, bool *passed)
{
	struct outcome outcome = {};
	int err = go_on(r, marker__say(&r->marker, "begin %s", test->name)) ?: run_test(r, test, &outcome);

	/* The signal has also ended the recording. Nobody would answer. */
	if (!err && !r->signal)
		err = go_on(r, marker__say(&r->marker, "end %d %s", outcome.timed_out ? 124 : outcome.status,
					   test->name));
	if (err)
		return err;
	print_output(r);
	*passed &= print_result(r, test, number, &outcome);
	fflush(stdout);
	return 0;
}

int list__run(const struct list_options *o)
{
	struct runner r = { .o = o };
	struct test_list tests;
	bool passed = true;
	int err = test_list__read(&tests, o->path, o->plain) ?: begin(&r);

	if (!err)
		printf("KTAP version 1\n1..%zu\n", tests.count);
	for (size_t i = 0; !err && !take_signal(&r) && i < tests.count; i++)
		err = run_next(&r, &tests.list[i], i + 1, &passed);
	if (r.signal)
		printf("Bail out! %s\n", strsignal(r.signal));
	if (!err && (fflush(stdout) || ferror(stdout)))
		err = error__return(-EIO, "standard output: %s", strerror(errno));
	marker__close(&r.marker);
	test_list__free(&tests);
	if (err)
		return error__status(err, false);
	return r.signal ? 128 + r.signal : !passed;
}
