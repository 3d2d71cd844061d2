// SPDX-License-Identifier: GPL-2.0
/* How a run gets along with what has started it: readiness, another user for the command, SIGUSR1. */
#include <limits.h>
#include <pwd.h>
#include <signal.h>
#include <sys/capability.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "run/process.h"
#include "run/workload.h"

Test(ready, a_descriptor_gets_a_line_and_its_end)
{
	char text[64] = "";
	int ends[2];

	cr_assert(pipe(ends) == 0);
	cr_expect(ready__check(ends[1]) == 0);
	cr_expect(fcntl(ends[1], F_GETFD) == FD_CLOEXEC, "it is none of the command's");
	ready__tell(ends[1]);
	cr_expect(read(ends[0], text, sizeof(text)) == 6);
	expect_str(text, "READY\n");
	cr_expect(read(ends[0], text, sizeof(text)) == 0, "the end");
	cr_expect(ready__check(ends[0]) == -EINVAL, "can only be read");
	cr_expect(ready__check(4711) == -EINVAL, "is not open");
	cr_expect(ready__check(0) == 0, "none is asked for");
}

Test(ready, systemd_is_told)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	char dir[] = "/tmp/ready.XXXXXX", text[64] = "";
	int listener = socket(AF_UNIX, SOCK_DGRAM, 0);

	cr_assert(mkdtemp(dir) != NULL);
	snprintf(address.sun_path, sizeof(address.sun_path), "%s/notify", dir);
	cr_assert(bind(listener, (struct sockaddr *)&address, sizeof(address)) == 0);
	setenv("NOTIFY_SOCKET", address.sun_path, 1);
	ready__tell(0);
	cr_expect(recv(listener, text, sizeof(text) - 1, MSG_DONTWAIT) > 0);
	expect_str(text, "READY=1");
	unlink(address.sun_path);
	rmdir(dir);
}

Test(login, of_a_user_there_is)
{
	const struct passwd *self = getpwuid(geteuid());
	struct login *login = NULL;
	char number[32];

	cr_expect(login__find(&login, "no such user") == -EINVAL);
	cr_expect(login__find(&login, "") == -EINVAL);
	cr_expect(login__find(&login, "4294967295") == -EINVAL, "which means none to the kernel");
	cr_expect(login == NULL);
	cr_assert(self != NULL);
	snprintf(number, sizeof(number), "%d", geteuid());
	if (geteuid()) {
		cr_expect(login__find(&login, number) == -EPERM, "only root may set groups");
		return;
	}
	cr_assert(login__find(&login, number) == 0);
	setenv("HOME", "/nowhere", 1);
	setenv("USER", "nobody in particular", 1);
	cr_expect(login__become(login) == 0);
	expect_str(getenv("HOME"), self->pw_dir);
	expect_str(getenv("USER"), self->pw_name);
	expect_str(getenv("LOGNAME"), self->pw_name);
	login__free(login);
}

/* Who may not become another user gets a message before anything is done. */
Test(login, needs_the_privilege)
{
	static const cap_value_t needed[] = { CAP_SETUID, CAP_SETGID };
	struct login *login = NULL;

	for (int i = 0; i < 2; i++) {
		cap_t caps = cap_get_proc();

		cr_assert(caps != NULL);
		cr_assert(cap_set_flag(caps, CAP_EFFECTIVE, 2, needed, CAP_CLEAR) == 0);
		if (i)
			cap_set_flag(caps, CAP_EFFECTIVE, 1, needed, CAP_SET);
		cap_set_proc(caps);
		cap_free(caps);
		cr_expect(login__find(&login, "root") == -EPERM);
		cr_expect(login == NULL);
	}
}

struct asking {
	int asked, polled;
};

static void asked(void *context)
{
	++((struct asking *)context)->asked;
}

static int poll_only(void *context)
{
	(void)context;
	return INT_MAX;
}

Test(workload, the_status_is_known_before_the_result_is_written, .timeout = 30)
{
	char *const command[] = { "sh", "-c", "exit 3", NULL };
	struct limits limits = { .process = -1, .wakes = -1 };
	struct workload w;

	workload__init(&w, command, true);
	cr_assert(workload__begin(&w) == 0);
	cr_assert(workload__fork(&w) == 0);
	cr_expect(eq(int, workload__status(&w), -1), "it has not been started");
	cr_assert(workload__release(&w) == 0);
	cr_assert(workload__wait_for_end(&w, &limits, poll_only, NULL) == 0);
	cr_expect(w.ended == ENDED_BY_COMMAND);
	workload__ended(&w);
	cr_expect(eq(int, workload__status(&w), 3));
	cr_expect(eq(int, workload__finish(&w, NULL, 0), 3), "it is not waited for twice");
}

static int poll_and_signal(void *context)
{
	struct asking *a = context;

	/* Before the waiting, while it goes on, and then the end. */
	if (++a->polled == 1)
		kill(getpid(), SIGUSR1);
	if (a->polled == 2)
		kill(getpid(), SIGTERM);
	return INT_MAX;
}

Test(workload, usr1_asks_and_does_not_end_it, .timeout = 30)
{
	struct limits limits = { .process = -1, .wakes = -1, .asked = asked };
	struct asking a = {};
	struct workload w;
	sigset_t blocked;

	workload__init(&w, NULL, true);
	kill(getpid(), SIGUSR1);
	cr_assert(workload__begin(&w) == 0);
	cr_expect(workload__check(&w) == 0, "it is no end");
	cr_expect(workload__wait_for_end(&w, &limits, poll_and_signal, &a) == 0);
	cr_expect(w.ended == ENDED_BY_SIGNAL);
	cr_expect(eq(int, a.asked, 2));
	kill(getpid(), SIGUSR1);
	workload__ended(&w);
	cr_expect(sigprocmask(SIG_BLOCK, NULL, &blocked) == 0 && sigismember(&blocked, SIGUSR1),
		  "the result is being written: one that comes late ends nothing");
	cr_expect(sigismember(&w.mask, SIGUSR1) == 0, "the command's is as it was");
}
