// SPDX-License-Identifier: GPL-2.0-only
/* Signals, time and processes while tracing; see waiting.h. */
#include <poll.h>
#include <string.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "run/instance.h"
#include "run/waiting.h"

int waiting__begin(struct waiting *w, struct child *child)
{
	struct sigaction hangup;
	sigset_t set;

	w->child = child;
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	/* nohup: when blocked it would come all the same. */
	if (sigaction(SIGHUP, NULL, &hangup) || hangup.sa_handler != SIG_IGN)
		sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, &w->old_mask);
	w->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (w->signals < 0)
		return error__return(-errno, "cannot wait for signals: %s", strerror(errno));
	return 0;
}

/*
 * Acts on what has come; true: tracing is to end. What the terminal sends (SI_KERNEL) reaches the
 * command by itself, what is sent to hytrace alone is passed on.
 */
static bool take_signals(struct waiting *w)
{
	struct signalfd_siginfo info;
	bool end = false;

	while (read(w->signals, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo == SIGCHLD) {
			end |= child__poll(w->child);
			continue;
		}
		if (w->child->pid && !w->child->reaped && info.ssi_code != SI_KERNEL)
			kill(w->child->pid, info.ssi_signo);
		end = true;
	}
	return end;
}

/* False: the time is over. */
static bool shorten(int *timeout, double duration, uint64_t start)
{
	double left = duration - (clock__monotonic() - start) / 1e9;

	if (left <= 0)
		return false;
	if (left * 1000 < *timeout)
		*timeout = left * 1000 + 1;
	return true;
}

int waiting__for_end(struct waiting *w, const struct limits *limits, waiting_poll again,
		     void *context)
{
	uint64_t start = clock__monotonic();
	struct pollfd fds[2] = {
		{ .fd = w->signals, .events = POLLIN },
		{ .fd = limits->process, .events = POLLIN },
	};
	int timeout;

	for (;;) {
		timeout = again(context);
		if (timeout < 0 || (limits->duration &&
				    !shorten(&timeout, limits->duration, start)))
			break;
		poll(fds, 2, timeout);
		if (take_signals(w) || fds[1].revents)
			break;
	}
	return timeout < 0 ? timeout : 0;
}

void waiting__for_child(struct waiting *w)
{
	struct pollfd fd = { .fd = w->signals, .events = POLLIN };

	while (!child__poll(w->child)) {
		poll(&fd, 1, -1);
		take_signals(w);
	}
}

void waiting__end(struct waiting *w)
{
	if (w->signals >= 0)
		close(w->signals);
}
