// SPDX-License-Identifier: GPL-2.0-only
/* The command, signals, the time limit and processes; see workload.h. */
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <systemd/sd-daemon.h>
#include <time.h>

#include "base/error.h"
#include "base/memory.h"
#include "run/instance.h"
#include "run/workload.h"

void workload__init(struct workload *w, char *const *command, bool takes_usr1)
{
	sigset_t set;

	memset(w, 0, sizeof(*w));
	w->command = command;
	w->takes_usr1 = takes_usr1;
	w->signals = w->pidfd = w->output = -1;
	sigemptyset(&set);
	/* SIGUSR1 may come before anything waits for it. Its default action would end hytrace. */
	if (takes_usr1)
		sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, &w->mask);
}

static sigset_t ending_signals(void)
{
	struct sigaction hangup;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	/*
	 * nohup ignores SIGHUP. If it were blocked here, the signalfd would return it nevertheless.
	 */
	if (sigaction(SIGHUP, NULL, &hangup) || hangup.sa_handler != SIG_IGN)
		sigaddset(&set, SIGHUP);
	return set;
}

/* ---- the command */

static int refuse(struct workload *w, int reason)
{
	const char *name = w->command[0];

	if (reason < 0)
		w->refused = error__return(EXIT_NOEXEC, "%s: cannot be run as that user: %s", name,
					   strerror(-reason));
	else if (reason == ENOENT)
		w->refused = error__return(EXIT_NOCMD, "%s: command not found", name);
	else
		w->refused = error__return(EXIT_NOEXEC, "%s: cannot be executed: %s", name,
					   strerror(reason));
	return -ENOEXEC;
}

/* Can @path be executed? Returns 0, ENOENT or EACCES. */
static int look_at(const char *path)
{
	struct stat st;

	if (stat(path, &st))
		return errno == EACCES ? EACCES : ENOENT;
	return S_ISREG(st.st_mode) && !faccessat(AT_FDCWD, path, X_OK, AT_EACCESS) ? 0 : EACCES;
}

/*
 * Searches PATH as execvp() does: a file that cannot be executed does not hide one in a later
 * directory.
 */
static int look_along(const char *path, const char *name)
{
	int found = ENOENT;

	if (!*name)
		return ENOENT;
	for (;;) {
		size_t length = strcspn(path, ":");
		autofree char *file = xasprintf("%.*s%s%s", (int)length, path, length ? "/" : "", name);
		int err = look_at(file);

		if (!err)
			return 0;
		found = err == EACCES ? EACCES : found;
		if (!path[length])
			return found;
		path += length + 1;
	}
}

/* Errors that are not found here, such as a bad interpreter, are reported by workload__release(). */
int workload__find(struct workload *w)
{
	const char *name = w->command ? w->command[0] : NULL, *path = getenv("PATH");
	int reason;

	/* If PATH is not set, the C library uses a default of its own. */
	if (!name || (!path && !strchr(name, '/')))
		return 0;
	reason = strchr(name, '/') ? look_at(name) : look_along(path, name);
	return reason ? refuse(w, reason) : 0;
}

static void __attribute__((noreturn)) run(const struct workload *w, int barrier, int failure)
{
	char *const *command = w->command;
	char go;
	int err;

	signal(SIGPIPE, SIG_DFL);
	signal(SIGXFSZ, SIG_DFL);
	sigprocmask(SIG_SETMASK, &w->mask, NULL);
	if (w->output >= 0)
		dup2(w->output, STDOUT_FILENO);
	err = w->login ? login__become(w->login) : 0;
	if (err) {
		if (write(failure, &err, sizeof(err)) < 0)
			_exit(EXIT_SELF);
		_exit(EXIT_NOEXEC);
	}
	/* If the pipe ends without a byte, hytrace has died or given up. */
	if (read(barrier, &go, 1) != 1)
		_exit(EXIT_SELF);
	execvp(command[0], command);
	err = errno;
	if (write(failure, &err, sizeof(err)) < 0)
		_exit(EXIT_SELF);
	_exit(EXIT_NOEXEC);
}

static int fork_command(struct workload *w)
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
	w->pid = fork();
	if (!w->pid) {
		close(barrier[1]);
		close(failure[0]);
		run(w, barrier[0], failure[1]);
	}
	close(barrier[0]);
	close(failure[1]);
	w->barrier = barrier[1];
	w->failure = failure[0];
	if (w->pid < 0) {
		err = error__return(-errno, "cannot fork: %s", strerror(errno));
		close(w->barrier);
		close(w->failure);
		w->pid = 0;
		return err;
	}
	w->pidfd = process__open_own(w->pid);
	return w->pidfd < 0 ? w->pidfd : 0;
}

/*
 * The witness closes all descriptors, so that it delays no end of file and keeps no instance busy.
 * Its signals are blocked, and it is killed when its parent dies.
 */
static void __attribute__((noreturn)) witness(const sigset_t *set, pid_t parent, int pipe)
{
	int null = open("/dev/null", O_RDWR), number;

	prctl(PR_SET_NAME, "hytrace-witness");
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	dup2(null, STDIN_FILENO);
	dup2(null, STDOUT_FILENO);
	dup2(null, STDERR_FILENO);
	dup2(pipe, STDERR_FILENO + 1);
	close_range(STDERR_FILENO + 2, ~0U, 0);
	while (getppid() == parent && !sigwait(set, &number)) {
		char byte = number;

		if (write(STDERR_FILENO + 1, &byte, 1) != 1)
			break;
	}
	_exit(0);
}

/*
 * Whether a signal was sent only to this process, or to its group and so to the command as well,
 * cannot be seen from the signal. Nor from its sender: timeout(1) is in the group and does both. So
 * another process of the group, the witness, reports the signals that it gets.
 */
static int fork_witness(struct workload *w)
{
	sigset_t set = ending_signals();
	pid_t own = getpid();
	int ends[2], err = 0;

	if (pipe2(ends, O_CLOEXEC | O_NONBLOCK))
		return error__return(-errno, "cannot make a pipe: %s", strerror(errno));
	fflush(NULL);
	w->witness = fork();
	if (!w->witness)
		witness(&set, own, ends[1]);
	if (w->witness < 0) {
		err = error__return(-errno, "cannot fork: %s", strerror(errno));
		close(ends[0]);
		w->witness = 0;
	}
	close(ends[1]);
	w->reports = ends[0];
	return err;
}

static void end_witness(struct workload *w)
{
	if (!w->witness)
		return;
	kill(w->witness, SIGKILL);
	while (waitpid(w->witness, NULL, 0) < 0 && errno == EINTR)
		;
	close(w->reports);
	w->witness = 0;
}

int workload__fork(struct workload *w)
{
	int err;

	if (!w->command)
		return 0;
	err = fork_witness(w);
	return err ? err : fork_command(w);
}

static bool reap(struct workload *w)
{
	if (w->pid && !w->reaped && waitpid(w->pid, &w->status, WNOHANG) == w->pid)
		w->reaped = true;
	return w->reaped;
}

static void wait_for_exit(struct workload *w)
{
	while (!w->reaped) {
		if (waitpid(w->pid, &w->status, 0) == w->pid || errno != EINTR)
			w->reaped = true;
	}
}

void workload__abandon(struct workload *w)
{
	if (!w->pid || w->released || w->reaped)
		return;
	close(w->barrier);
	close(w->failure);
	wait_for_exit(w);
}

/* Has the child reported an error? */
static bool has_failed(const struct workload *w)
{
	struct pollfd failure = { .fd = w->failure, .events = POLLIN };

	return poll(&failure, 1, 0) == 1 && failure.revents & POLLIN;
}

int workload__release(struct workload *w)
{
	int reason = 0;
	ssize_t got;

	if (!w->pid)
		return 0;
	/* SIGPIPE is ignored. If the write fails, the child has died, and no process reads the pipe. */
	if (write(w->barrier, "g", 1) != 1 && !(w->login && has_failed(w))) {
		workload__abandon(w);
		w->refused = error__return(EXIT_SELF, "%s: the command was killed before it was started",
					   w->command[0]);
		return -ENOEXEC;
	}
	close(w->barrier);
	do {
		got = read(w->failure, &reason, sizeof(reason));
	} while (got < 0 && errno == EINTR);
	close(w->failure);
	w->released = true;
	if (got != sizeof(reason))
		return 0;
	wait_for_exit(w);
	return refuse(w, reason);
}

static int exit_status(const struct workload *w)
{
	if (WIFSIGNALED(w->status))
		return 128 + WTERMSIG(w->status);
	return WEXITSTATUS(w->status);
}

int workload__status(struct workload *w)
{
	return reap(w) ? exit_status(w) : -1;
}

/* ---- waiting */

int workload__begin(struct workload *w)
{
	sigset_t set = ending_signals();

	if (w->takes_usr1)
		sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	w->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (w->signals < 0)
		return error__return(-errno, "cannot wait for signals: %s", strerror(errno));
	return 0;
}

int workload__check(struct workload *w)
{
	struct signalfd_siginfo info;

	do {
		if (read(w->signals, &info, sizeof(info)) != sizeof(info))
			return 0;
		w->asked |= info.ssi_signo == SIGUSR1;
	} while (info.ssi_signo == SIGUSR1);
	return error__return(-EINTR, "ended by a signal (%s) before tracing began: %snothing is recorded",
			     strsignal(info.ssi_signo), w->command ? "the command is not started, " : "");
}

/* CLOCK_MONOTONIC of the signal that ended the run, or of the first one after the run; 0: none has come. */
static volatile uint64_t first_signal;
/* A signal after the end of the run, which the command may not have got, and its si_code; 0: none has come. */
static volatile sig_atomic_t late_signal, late_code;

/* Ends the program: a user who sends a second signal does not want to wait for the results. */
static void on_late_signal(int number, siginfo_t *info, void *context)
{
	uint64_t now = clock__monotonic();

	if (info->si_code != SI_KERNEL || !late_signal) {
		late_signal = number;
		late_code = info->si_code;
	}
	if (!first_signal)
		first_signal = now;
	if (now - first_signal < SIGNAL_GRACE * 1000000000ull)
		return;
	signal(number, SIG_DFL);
	raise(number);
}

void workload__ended(const struct workload *w)
{
	struct sigaction action = { .sa_sigaction = on_late_signal, .sa_flags = SA_RESTART | SA_SIGINFO };
	sigset_t set = ending_signals(), mask = w->mask;

	for (int number = 1; number < NSIG; number++) {
		if (sigismember(&set, number) == 1)
			sigaction(number, &action, NULL);
	}
	/* SIGUSR1 stays blocked: the final result, which is about to be written, answers it. */
	if (w->takes_usr1)
		sigaddset(&mask, SIGUSR1);
	sigprocmask(SIG_SETMASK, &mask, NULL);
}

/* Has the witness (fork_witness()) reported this signal? Also discards all its reports so far. */
static bool is_witnessed(struct workload *w, int number, int timeout)
{
	struct pollfd reports = { .fd = w->reports, .events = POLLIN };
	bool seen = false;
	char byte;

	/* POLLHUP alone means that the witness is dead. */
	while (!seen && poll(&reports, 1, timeout) > 0 && reports.revents & POLLIN) {
		while (read(w->reports, &byte, 1) == 1)
			seen |= byte == number;
	}
	return seen;
}

/* Sends a signal to the command, unless the command has got it already. */
static void pass_on(struct workload *w, const struct signalfd_siginfo *info)
{
	bool again = w->last_signal == (int)info->ssi_signo &&
		     clock__monotonic() - w->last_signal_ns < SAME_SIGNAL_MS * 1000000ull;
	bool seen = is_witnessed(w, info->ssi_signo, again ? 0 : SAME_SIGNAL_MS);

	/*
	 * Signals of the terminal are SI_KERNEL and go to the whole group, which a command may have
	 * left.
	 */
	seen |= info->ssi_code == SI_KERNEL;
	if (!again && !(seen && getpgid(w->pid) == getpgrp()))
		kill(w->pid, info->ssi_signo);
	w->last_signal = info->ssi_signo;
	w->last_signal_ns = clock__monotonic();
}

/* Handles the pending signals. Returns true if tracing has to end. */
static bool take_signals(struct workload *w)
{
	struct signalfd_siginfo info;
	bool end = false;

	while (read(w->signals, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo == SIGUSR1) {
			w->asked = true;
			continue;
		}
		first_signal = clock__monotonic();
		w->ended = ENDED_BY_SIGNAL;
		if (w->pid && !w->reaped)
			pass_on(w, &info);
		end = true;
	}
	return end;
}

/* Limits @timeout to the rest of the duration. Returns false if the duration is over. */
static bool shorten(struct workload *w, int *timeout, double duration, uint64_t start)
{
	double left = duration - (clock__monotonic() - start) / 1e9;

	if (left <= 0) {
		w->ended = ENDED_BY_DURATION;
		return false;
	}
	if (left * 1000 < *timeout)
		*timeout = left * 1000 + 1;
	return true;
}

int workload__wait_for_end(struct workload *w, const struct limits *limits, workload_poll again,
			   void *context)
{
	uint64_t start = clock__monotonic();
	struct pollfd fds[] = {
		{ .fd = w->signals, .events = POLLIN },
		/*
		 * The child is reaped later, when nothing is recorded, because reaping is work of
		 * hytrace's own.
		 */
		{ .fd = w->pidfd, .events = POLLIN },
		{ .fd = limits->process, .events = POLLIN },
		{ .fd = limits->wakes, .events = POLLIN },
	};
	int timeout;

	w->ended = w->command ? ENDED_BY_COMMAND : ENDED_BY_PROCESS;
	for (;;) {
		if (w->asked && limits->asked)
			limits->asked(context);
		w->asked = false;
		timeout = again(context);
		if (timeout < 0 || (limits->duration &&
				    !shorten(w, &timeout, limits->duration, start)))
			break;
		if (poll(fds, sizeof(fds) / sizeof(fds[0]), timeout) <= 0)
			continue;
		if ((fds[0].revents && take_signals(w)) || fds[1].revents || fds[2].revents)
			break;
	}
	return timeout < 0 ? timeout : 0;
}

/* ---- the end of the command */

static void wait_for_command(struct workload *w)
{
	struct pollfd fds[] = {
		{ .fd = w->signals, .events = POLLIN },
		{ .fd = w->pidfd, .events = POLLIN },
	};
	sigset_t set = ending_signals();

	/* From here on, signals are passed to the command again, even one that is pending now. */
	sigprocmask(SIG_BLOCK, &set, NULL);
	if (late_signal && !reap(w))
		pass_on(w, &(struct signalfd_siginfo){ .ssi_signo = late_signal, .ssi_code = late_code });
	else	/* Discard the reports so far, which are not about the next signal. */
		is_witnessed(w, 0, 0);
	while (!reap(w)) {
		poll(fds, sizeof(fds) / sizeof(fds[0]), -1);
		take_signals(w);
	}
}

int workload__finish(struct workload *w, struct guard *guard, int err)
{
	int failed = guard__finish(guard), status = w->refused;

	/* Keep the exit status of a command that could not be executed. */
	if (!err || w->refused)
		err = failed;
	if (w->released && !status) {
		wait_for_command(w);
		status = exit_status(w);
	}
	end_witness(w);
	if (w->signals >= 0)
		close(w->signals);
	if (w->pidfd >= 0)
		close(w->pidfd);
	return err ? error__status(err, w->command != NULL) : status;
}

/* ---- telling that recording has begun */

int ready__check(int fd)
{
	int flags;

	if (!fd)
		return 0;
	flags = fcntl(fd, F_GETFL);
	if (flags < 0)
		return error__return(-EINVAL, "--ready-fd %d: is not open", fd);
	if ((flags & O_ACCMODE) == O_RDONLY)
		return error__return(-EINVAL, "--ready-fd %d: is open for reading only", fd);
	if (fd > STDERR_FILENO)
		fcntl(fd, F_SETFD, FD_CLOEXEC);
	return 0;
}

void ready__tell(int fd)
{
	static const char line[] = "READY\n";
	int err;

	if (fd && write(fd, line, strlen(line)) != (ssize_t)strlen(line))
		error__warn("--ready-fd %d: %s", fd, strerror(errno));
	/* Close it, because a reader may also wait for an end of file. */
	if (fd > STDERR_FILENO)
		close(fd);
	/* sd_notify() returns 0 if nobody listens. */
	err = sd_notify(0, "READY=1");
	if (err < 0)
		error__warn("$NOTIFY_SOCKET: cannot send READY=1: %s", strerror(-err));
}
