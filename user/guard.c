// SPDX-License-Identifier: GPL-2.0-only
/*
 * The watchdog's two sides; see guard.h.
 *
 * What goes over the pipe is one line for each thing: a letter and a path. The watchdog only keeps the
 * list; it acts when the pipe ends. It sits in a session of its own and ignores what a terminal or a
 * shutdown may send to all, since it must outlive its parent, and holds no other descriptor, since
 * whoever reads the command's output must see the end of it.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "error.h"
#include "guard.h"

struct guard {
	int pipe;
	pid_t pid;
};

struct task {
	struct task *next;	/* last in, first out: contents before what holds them */
	char what;
	char path[];
};

static int remember(struct task **list, const char *line)
{
	struct task *task = malloc(sizeof(*task) + strlen(line));

	if (!task)
		return -ENOMEM;
	task->what = line[0];
	strcpy(task->path, line + 1);
	task->next = *list;
	*list = task;
	return 0;
}

static void write_file(const char *dir, const char *name, const char *text)
{
	char path[4096];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	if (write(fd, text, strlen(text)) < 0)
		error__warn("%s: %s", path, strerror(errno));
	close(fd);
}

/* A reader that has one of its files open keeps it busy for a moment. */
static int remove_instance(const char *path)
{
	if (access(path, F_OK))
		return 0;
	write_file(path, "current_tracer", "nop");
	for (int i = 0; i < 50; i++) {
		if (!rmdir(path) || errno == ENOENT)
			return 0;
		if (errno != EBUSY)
			break;
		usleep(100 * 1000);
	}
	return error__return(-errno, "%s: cannot remove the tracing instance: %s; "
			     "rmdir it by hand", path, strerror(errno));
}

static int undo(const struct task *task)
{
	switch (task->what) {
	case 'i':
		return remove_instance(task->path);
	case 'f':
		if (!unlink(task->path) || errno == ENOENT)
			return 0;
		break;
	case 'd':
		if (!rmdir(task->path) || errno == ENOENT || errno == ENOTEMPTY)
			return 0;
		break;
	}
	return error__return(-errno, "%s: cannot remove: %s; remove it by hand", task->path,
			     strerror(errno));
}

static void shut_out(int keep)
{
	int null = open("/dev/null", O_RDWR);

	/* stderr stays, for what cannot be removed, unless that is where the command's output goes. */
	dup2(null, STDIN_FILENO);
	dup2(null, STDOUT_FILENO);
	dup2(keep, STDERR_FILENO + 1);
	close_range(STDERR_FILENO + 2, ~0U, 0);
}

static void __attribute__((noreturn)) watch(int pipe)
{
	struct task *list = NULL;
	char *line = NULL;
	size_t room = 0;
	ssize_t length;
	int status = 0;
	FILE *f;

	/* All signals stay blocked; in a session of its own, what a terminal sends does not come. */
	setsid();
	prctl(PR_SET_NAME, "hytrace-guard");
	shut_out(pipe);

	f = fdopen(STDERR_FILENO + 1, "r");
	while (f && (length = getline(&line, &room, f)) > 0) {
		line[strcspn(line, "\n")] = '\0';
		if (remember(&list, line))
			status = 1;
	}
	for (; list; list = list->next) {
		if (undo(list))
			status = 1;
	}
	_exit(status);
}

int guard__start(struct guard **ret)
{
	sigset_t all, old;
	struct guard *g;
	int ends[2], err;

	g = calloc(1, sizeof(*g));
	if (!g)
		return error__no_memory();
	if (pipe2(ends, O_CLOEXEC)) {
		err = error__return(-errno, "cannot make a pipe to the watchdog: %s",
				    strerror(errno));
		goto cleanup;
	}
	fflush(NULL);
	/* A Ctrl-C between the fork and what the watchdog makes of signals must not end it. */
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &old);
	g->pid = fork();
	if (!g->pid) {
		close(ends[1]);
		watch(ends[0]);
	}
	sigprocmask(SIG_SETMASK, &old, NULL);
	close(ends[0]);
	if (g->pid < 0) {
		err = error__return(-errno, "cannot start the watchdog process: %s",
				    strerror(errno));
		close(ends[1]);
		goto cleanup;
	}
	g->pipe = ends[1];
	*ret = g;
	return 0;

cleanup:
	free(g);
	return err;
}

static int tell(struct guard *g, char what, const char *path)
{
	char *line;
	int length, err = 0;

	if (strchr(path, '\n'))
		return error__return(-EINVAL, "a path with a line break is not supported: %s", path);
	length = asprintf(&line, "%c%s\n", what, path);
	if (length < 0)
		return error__no_memory();
	/* Short of PIPE_BUF: in one piece or not at all. */
	if (write(g->pipe, line, length) != length)
		err = error__return(-EIO, "the watchdog process is gone: %s", strerror(errno));
	free(line);
	return err;
}

int guard__add_instance(struct guard *g, const char *path)
{
	return tell(g, 'i', path);
}

int guard__add_file(struct guard *g, const char *path)
{
	return tell(g, 'f', path);
}

int guard__add_dir(struct guard *g, const char *path)
{
	return tell(g, 'd', path);
}

int guard__finish(struct guard *g)
{
	int status = 0, err = 0;

	if (!g)
		return 0;
	close(g->pipe);
	while (waitpid(g->pid, &status, 0) < 0 && errno == EINTR)
		;
	if (!WIFEXITED(status) || WEXITSTATUS(status))
		err = -EIO;
	free(g);
	return err;
}
