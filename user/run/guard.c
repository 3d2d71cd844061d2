// SPDX-License-Identifier: GPL-2.0-only
/*
 * Both sides of the watchdog; see guard.h.
 *
 * hytrace writes a line to the pipe for each thing to remove: a letter, and a path or the name of
 * an event. The watchdog keeps a list of them, and removes all when the pipe ends. Capital letters
 * are for leftovers of other runs; it removes these at once. It must outlive its parent, so it has
 * a session of its own, and ignores signals that a terminal or a shutdown sends to all. It closes
 * all other descriptors, so that a reader of the command's output gets an end of file.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <tracefs.h>

#include "base/error.h"
#include "base/memory.h"
#include "run/guard.h"

/* How often the removal of something that is busy is tried, in all. */
#define MOST_TRIES 50
#define TRY_US 100000

struct guard {
	int pipe;
	pid_t pid;
};

struct task {
	struct task *next;	/* newest first, so that a directory is removed after its contents */
	char what;
	char path[];
};

const char *run__id(void)
{
	static char id[17];
	uint64_t number;

	if (!*id) {
		arc4random_buf(&number, sizeof(number));
		snprintf(id, sizeof(id), "%016" PRIx64, number);
	}
	return id;
}

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

static int write_file(const char *dir, const char *name, const char *text)
{
	char path[4096];
	int fd, err = 0;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (write(fd, text, strlen(text)) < 0)
		err = -errno;
	close(fd);
	return err;
}

/*
 * An instance is busy while somebody has one of its files open; an event is busy while a perf event
 * of it is being closed. Usually this takes a moment. All removals share these tries.
 */
static int patience = MOST_TRIES;

static bool try_again(int err)
{
	if (err != -EBUSY || !patience)
		return false;
	patience--;
	usleep(TRY_US);
	return true;
}

/*
 * Takes the lock that a run holds while it looks for leftovers of other runs. Until both the
 * instance and its events are removed, the events would look like leftovers. If another process
 * holds the lock for long, this goes on without it.
 */
static int lock_instances(void)
{
	const char *tracing = tracefs_tracing_dir();
	char path[4096];
	int fd;

	snprintf(path, sizeof(path), "%s/instances", tracing ? tracing : "");
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	for (int i = 0; i < MOST_TRIES && fd >= 0 && flock(fd, LOCK_EX | LOCK_NB); i++)
		usleep(TRY_US);
	return fd;
}

static int remove_instance(const char *path)
{
	int err;

	if (access(path, F_OK))
		return 0;
	err = write_file(path, "current_tracer", "nop");
	if (err && err != -ENOENT)
		error__warn("%s/current_tracer: %s", path, strerror(-err));
	do {
		if (!rmdir(path) || errno == ENOENT)
			return 0;
		err = -errno;
	} while (try_again(err));
	return error__return(err, "%s: cannot remove the tracing instance: %s; rmdir it by hand",
			     path, strerror(-err));
}

static bool event_exists(const char *event)
{
	const char *tracing = tracefs_tracing_dir();
	char path[4096];

	snprintf(path, sizeof(path), "%s/events/%s/enable", tracing ? tracing : "", event);
	return !access(path, F_OK);
}

static int write_events(const char *text)
{
	int err;

	do {
		err = write_file(tracefs_tracing_dir(), "function_events", text);
	} while (try_again(err));
	return err;
}

static int remove_event(const char *event)
{
	char line[4096];
	int err;

	/* To remove an event that was never made would add an error to the log that users read. */
	if (!event_exists(event))
		return 0;
	snprintf(line, sizeof(line), "!%s\n", event);
	err = write_events(line);
	return err ? error__return(err, "%s: cannot remove the function event: %s; `hytrace event rm "
				   "%s` removes it", event, strerror(-err), event) : 0;
}

/* Removes events that were added one after the other, by one write; if it fails, one by one. */
static int remove_events(const struct task *first, const struct task *end)
{
	char *text = NULL;
	int err = 0, failed;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		return error__no_memory();
	for (const struct task *t = first; t != end; t = t->next) {
		if (event_exists(t->path))
			fprintf(f, "!%s\n", t->path);
	}
	failed = fclose(f) || (size && write_events(text));
	for (const struct task *t = first; failed && t != end; t = t->next) {
		int status = remove_event(t->path);

		err = err ? err : status;
	}
	free(text);
	return err;
}

/* Removes one thing, or all events from @task up to @end, which is not removed. */
static int undo(const struct task *task, const struct task *end)
{
	switch (task->what) {
	case 'e':
		return remove_events(task, end);
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

/* Removes all but the instances. Events that were added one after the other are removed together. */
static int undo_others(const struct task *list)
{
	int status = 0;

	while (list) {
		const struct task *first = list;

		do {
			list = list->next;
		} while (list && first->what == 'e' && list->what == 'e');
		if (first->what != 'i' && undo(first, list))
			status = 1;
	}
	return status;
}

/* Removes the instances. They have to go first, because they use the events. */
static int undo_instances(const struct task *list)
{
	int status = 0;

	for (; list; list = list->next) {
		if (list->what == 'i' && remove_instance(list->path))
			status = 1;
	}
	return status;
}

/* Removes a leftover of another run. A failure is printed, but does not make this run fail. */
static void undo_leftover(const char *line)
{
	int lock = lock_instances();

	if (line[0] == 'I')
		remove_instance(line + 1);
	else
		remove_event(line + 1);
	close(lock);
}

static int undo_all(const struct task *list)
{
	int lock = lock_instances(), status;

	/* All tries are available again, even if the removal of leftovers has used some. */
	patience = MOST_TRIES;
	status = undo_instances(list);
	status |= undo_others(list);
	close(lock);
	return status;
}

static void shut_out(int keep)
{
	int null = open("/dev/null", O_RDWR);

	/* stderr stays open for messages, unless the command's output goes there. */
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

	/* All signals stay blocked. In a session of its own, it gets no signals from a terminal. */
	setsid();
	prctl(PR_SET_NAME, "hytrace-guard");
	shut_out(pipe);

	f = fdopen(STDERR_FILENO + 1, "r");
	while (f && (length = getline(&line, &room, f)) > 0) {
		line[strcspn(line, "\n")] = '\0';
		if (line[0] == 'I' || line[0] == 'E')
			undo_leftover(line);
		else if (remember(&list, line))
			status = 1;
	}
	_exit(status | undo_all(list));
}

int guard__start(struct guard **ret)
{
	struct guard *g = xcalloc(1, sizeof(*g));
	sigset_t all, old;
	int ends[2], err = 0;

	if (pipe2(ends, O_CLOEXEC)) {
		err = error__return(-errno, "cannot make a pipe to the watchdog: %s", strerror(errno));
		free(g);
		return err;
	}
	fflush(NULL);
	/*
	 * Signals are blocked, so that a Ctrl-C between the fork and the watchdog's setsid() does
	 * not end it.
	 */
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &old);
	g->pid = fork();
	if (!g->pid) {
		close(ends[1]);
		watch(ends[0]);
	}
	if (g->pid < 0)
		err = error__return(-errno, "cannot start the watchdog process: %s", strerror(errno));
	sigprocmask(SIG_SETMASK, &old, NULL);
	close(ends[0]);
	if (err) {
		close(ends[1]);
		free(g);
		return err;
	}
	g->pipe = ends[1];
	*ret = g;
	return 0;
}

int guard__add(struct guard *g, enum guarded what, const char *fmt, ...)
{
	char *path, *line;
	int length, err = 0;
	va_list args;

	va_start(args, fmt);
	length = vasprintf(&path, fmt, args);
	va_end(args);
	if (length < 0)
		return error__no_memory();
	line = xasprintf("%c%s\n", what, path);
	length = strlen(line);
	/* The line is shorter than PIPE_BUF, so it is written completely or not at all. */
	if (strchr(path, '\n'))
		err = error__return(-EINVAL, "a path with a line break is not supported: %s", path);
	else if (write(g->pipe, line, length) != length)
		err = error__return(-EIO, "the watchdog process has ended: %s", strerror(errno));
	free(line);
	free(path);
	return err;
}

int guard__finish(struct guard *g)
{
	int status = 0, err = 0;

	if (!g)
		return 0;
	close(g->pipe);
	while (waitpid(g->pid, &status, 0) < 0 && errno == EINTR)
		;
	if (WIFSIGNALED(status))
		error__print("the watchdog process was killed; what this run has made in the kernel stays "
			     "until the next run, which removes it");
	if (!WIFEXITED(status) || WEXITSTATUS(status))
		err = -EIO;
	free(g);
	return err;
}
