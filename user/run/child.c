// SPDX-License-Identifier: GPL-2.0-only
/* Running the command; see child.h. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "run/child.h"

static void __attribute__((noreturn)) run(char *const *command, const sigset_t *mask, int barrier,
					  int failure)
{
	char go;
	int err;

	signal(SIGPIPE, SIG_DFL);
	sigprocmask(SIG_SETMASK, mask, NULL);
	/* The end of the pipe without a word: hytrace has died or given up. */
	if (read(barrier, &go, 1) != 1)
		_exit(EXIT_SELF);
	execvp(command[0], command);
	err = errno;
	if (write(failure, &err, sizeof(err)) < 0)
		_exit(EXIT_SELF);
	_exit(EXIT_NOEXEC);
}

int child__fork(struct child *c, char *const *command, const sigset_t *mask)
{
	int barrier[2], failure[2], err;

	if (pipe2(barrier, O_CLOEXEC))
		return error__return(-errno, "cannot make a pipe: %s", strerror(errno));
	if (pipe2(failure, O_CLOEXEC)) {
		err = error__return(-errno, "cannot make a pipe: %s", strerror(errno));
		close(barrier[0]);
		close(barrier[1]);
		return err;
	}
	fflush(NULL);
	c->pid = fork();
	if (!c->pid) {
		close(barrier[1]);
		close(failure[0]);
		run(command, mask, barrier[0], failure[1]);
	}
	close(barrier[0]);
	close(failure[1]);
	c->barrier = barrier[1];
	c->failure = failure[0];
	if (c->pid < 0) {
		err = error__return(-errno, "cannot fork: %s", strerror(errno));
		close(c->barrier);
		close(c->failure);
		c->pid = 0;
		return err;
	}
	return 0;
}

int child__release(struct child *c, const char *name)
{
	int reason = 0;
	ssize_t got;

	if (write(c->barrier, "g", 1) != 1)
		error__warn("%s: it died before it was started", name);
	close(c->barrier);
	do {
		got = read(c->failure, &reason, sizeof(reason));
	} while (got < 0 && errno == EINTR);
	close(c->failure);
	c->released = true;
	if (got != sizeof(reason))
		return 0;
	child__wait(c);
	if (reason == ENOENT)
		return error__return(EXIT_NOCMD, "%s: command not found", name);
	return error__return(EXIT_NOEXEC, "%s: cannot be executed: %s", name, strerror(reason));
}

bool child__poll(struct child *c)
{
	if (c->pid && !c->reaped && waitpid(c->pid, &c->status, WNOHANG) == c->pid)
		c->reaped = true;
	return c->reaped;
}

void child__wait(struct child *c)
{
	while (!c->reaped) {
		if (waitpid(c->pid, &c->status, 0) == c->pid || errno != EINTR)
			c->reaped = true;
	}
}

int child__exit_status(const struct child *c)
{
	if (WIFSIGNALED(c->status))
		return 128 + WTERMSIG(c->status);
	return WEXITSTATUS(c->status);
}

void child__abandon(struct child *c)
{
	if (!c->pid || c->released || c->reaped)
		return;
	close(c->barrier);
	close(c->failure);
	child__wait(c);
}
