// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs other programs; see child.h.
 *
 * child__run() collects the output in files in memory: with two pipes, both would have to be read
 * at once.
 */
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "base/error.h"
#include "base/memory.h"
#include "run/child.h"

static volatile sig_atomic_t caught;

static void catch(int number)
{
	caught = number;
}

static const int numbers[] = { SIGINT, SIGTERM, SIGHUP };

void child__catch_signals(void)
{
	/* No SA_RESTART: a signal has to interrupt the read of an answer. */
	struct sigaction action = { .sa_handler = catch }, old;

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		/* A signal that is ignored, such as SIGHUP under nohup, stays ignored. */
		if (!sigaction(numbers[i], NULL, &old) && old.sa_handler != SIG_IGN)
			sigaction(numbers[i], &action, NULL);
	}
}

void child__release_signals(void)
{
	struct sigaction old;

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		if (!sigaction(numbers[i], NULL, &old) && old.sa_handler == catch)
			signal(numbers[i], SIG_DFL);
	}
	if (caught)
		raise(caught);
}

int child__signal(void)
{
	return caught;
}

/* @fds: the child's standard input, output and error */
static int spawn(pid_t *ret, const char *directory, const char *const *argv, char *const *envp, const int *fds)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attr;
	sigset_t defaults;
	int err;

	posix_spawn_file_actions_init(&actions);
	posix_spawnattr_init(&attr);
	/* This program ignores SIGPIPE; its children must not. */
	sigemptyset(&defaults);
	sigaddset(&defaults, SIGPIPE);
	posix_spawnattr_setsigdefault(&attr, &defaults);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGDEF);
	for (int i = 0; i < 3; i++)
		posix_spawn_file_actions_adddup2(&actions, fds[i], i);
	posix_spawn_file_actions_addchdir_np(&actions, directory);
	err = posix_spawnp(ret, argv[0], &actions, &attr, (char *const *)argv, envp);
	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attr);
	return err ? error__return(-err, "%s: cannot be run in %s: %s", argv[0], directory, strerror(err)) : 0;
}

static int wait_for(pid_t pid)
{
	int status = 0;

	while (waitpid(pid, &status, 0) < 0) {
		if (errno != EINTR)
			return -1;
	}
	return status;
}

/* The whole text of a file. NUL bytes, which would end it too soon, are spaces. */
static char *whole_text(int fd)
{
	off_t size = lseek(fd, 0, SEEK_END);
	char *text = xmalloc(size < 0 ? 1 : size + 1);
	ssize_t got = size < 0 ? 0 : pread(fd, text, size, 0);

	got = got > 0 ? got : 0;
	for (char *nul = text; (nul = memchr(nul, '\0', text + got - nul));)
		*nul = ' ';
	text[got] = '\0';
	return text;
}

int child__start(struct child *ret, const char *directory, const char *const *argv, char *const *envp)
{
	int in[2] = { -1, -1 }, out[2] = { -1, -1 }, err = 0;

	*ret = (struct child){ .messages = memfd_create("messages", MFD_CLOEXEC) };
	if (ret->messages < 0 || pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC)) {
		err = error__return(-errno, "no pipe for %s: %s", argv[0], strerror(errno));
	} else {
		const int fds[] = { in[0], out[1], ret->messages };

		err = spawn(&ret->pid, directory, argv, envp, fds);
	}
	if (!err) {
		ret->to = fdopen(in[1], "w");
		ret->from = fdopen(out[0], "r");
		if (!ret->to || !ret->from)
			memory__fail();
	}
	close(in[0]);
	close(out[1]);
	if (!ret->to)
		close(in[1]);
	if (!ret->from)
		close(out[0]);
	if (err)
		child__close(ret);
	return err;
}

int child__close(struct child *c)
{
	int status = -1;

	if (c->to)
		fclose(c->to);
	if (c->from)
		fclose(c->from);
	if (c->pid)
		status = wait_for(c->pid);
	/* A struct that was closed has no descriptor: 0 is a standard stream. */
	if (c->messages > 0)
		close(c->messages);
	*c = (struct child){};
	return status;
}

char *child__messages(const struct child *c)
{
	return whole_text(c->messages);
}

int child__run(const char *directory, const char *const *argv, char *const *envp, char **ret_output,
	       char **ret_messages)
{
	const int fds[] = {
		open("/dev/null", O_RDONLY | O_CLOEXEC),
		memfd_create("output", MFD_CLOEXEC), memfd_create("messages", MFD_CLOEXEC),
	};
	char **const texts[] = { NULL, ret_output, ret_messages };
	int status = caught ? -EINTR : 0;
	pid_t pid;

	for (int i = 0; i < 3; i++) {
		if (fds[i] < 0)
			status = error__return(-EMFILE, "no file for the output of %s", argv[0]);
		if (texts[i])
			*texts[i] = NULL;
	}
	if (!status)
		status = spawn(&pid, directory, argv, envp, fds);
	if (!status)
		status = wait_for(pid);
	if (caught)
		status = -EINTR;
	for (int i = 0; status >= 0 && i < 3; i++) {
		if (texts[i])
			*texts[i] = whole_text(fds[i]);
	}
	for (int i = 0; i < 3; i++) {
		if (fds[i] >= 0)
			close(fds[i]);
	}
	return status;
}
