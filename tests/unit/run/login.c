// SPDX-License-Identifier: GPL-2.0
/*
 * --user: whatever hytrace may do, its command may do what that user may, and no more. The caller is root, or a user with
 * ambient capabilities, as systemd gives them to a service.
 */
#include <sys/wait.h>
#include <grp.h>
#include <linux/securebits.h>
#include <sys/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "run/process.h"

/* These calls say that they have worked, and do not do what they should. They take the place of the libraries'. */
static bool keeps_capabilities, keeps_user;

int cap_set_proc(cap_t caps)
{
	static const struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = {};

	/* One that no step of login__become() needs. */
	if (keeps_capabilities)
		data[0].effective = data[0].permitted = 1u << CAP_SYS_ADMIN;
	for (cap_value_t c = 0; c < 64 && !keeps_capabilities; c++) {
		cap_flag_value_t set[3] = {};

		for (int i = 0; i < 3; i++)
			cap_get_flag(caps, c, (cap_flag_t[]){ CAP_EFFECTIVE, CAP_PERMITTED, CAP_INHERITABLE }[i], &set[i]);
		data[c / 32].effective |= (__u32)set[0] << c % 32;
		data[c / 32].permitted |= (__u32)set[1] << c % 32;
		data[c / 32].inheritable |= (__u32)set[2] << c % 32;
	}
	return syscall(SYS_capset, &header, data);
}

int setresuid(uid_t real, uid_t effective, uid_t saved)
{
	return keeps_user ? 0 : syscall(SYS_setresuid, real, effective, saved);
}

static void enter(void)
{
	if (geteuid())
		cr_skip_test("this needs root");
}

TestSuite(login, .init = enter, .timeout = 30);

/* Daemon with some capabilities, which a program that it runs gets as well. */
static void be_service(void)
{
	static const cap_value_t values[] = { CAP_SYS_ADMIN, CAP_DAC_OVERRIDE, CAP_SETUID, CAP_SETGID };
	cap_t caps = cap_init();

	if (prctl(PR_SET_KEEPCAPS, 1) || setresuid(1, 1, 1))
		_exit(100);
	for (int flag = 0; flag < 3; flag++)
		cap_set_flag(caps, (cap_flag_t[]){ CAP_EFFECTIVE, CAP_PERMITTED, CAP_INHERITABLE }[flag], 4, values, CAP_SET);
	if (cap_set_proc(caps))
		_exit(101);
	cap_free(caps);
	for (int i = 0; i < 4; i++) {
		if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, values[i], 0, 0))
			_exit(102);
	}
}

/* Runs a script as nobody. Returns its status; 200 + errno: login__become() failed. */
static int run(void (*prepare)(void), const char *script)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		struct login *login;
		int err;

		prepare();
		if (login__find(&login, "nobody"))
			_exit(103);
		err = login__become(login);
		if (err)
			_exit(200 - err);
		execl("/bin/sh", "sh", "-c", script, NULL);
		_exit(104);
	}
	cr_assert(waitpid(pid, &status, 0) == pid && WIFEXITED(status));
	return WEXITSTATUS(status);
}

/* What ps(1) would show, and what counts. */
#define IS_NOBODY "test $(id -u) = $(id -u nobody) && test \"$(id -G)\" = \"$(id -G nobody)\" &&" \
		  "test $(grep -c '^Cap\\(Inh\\|Prm\\|Eff\\|Amb\\):.0000000000000000$' /proc/self/status) = 4 &&" \
		  "test ! -r /etc/shadow && test $HOME = $(getent passwd nobody | cut -d: -f6)"

static void be_in_groups(void)
{
	if (setgroups(2, (gid_t[]){ 0, 4 }))
		_exit(106);
}

Test(login, leaves_nothing_of_root)
{
	cr_expect(run(be_in_groups, IS_NOBODY) == 0);
}

Test(login, leaves_nothing_of_a_service)
{
	cr_expect(run(be_service, IS_NOBODY) == 0);
}

static void fix_nothing(void)
{
	if (prctl(PR_SET_SECUREBITS, SECBIT_NO_SETUID_FIXUP))
		_exit(105);
}

static void fix_nothing_for_good(void)
{
	if (prctl(PR_SET_SECUREBITS, SECBIT_NO_SETUID_FIXUP | SECBIT_NO_SETUID_FIXUP_LOCKED))
		_exit(105);
}

/* With this bit, programs that drop root's rights by setuid(2) keep them. */
Test(login, does_not_pass_on_what_keeps_capabilities)
{
	cr_expect(run(fix_nothing, IS_NOBODY " && capsh --print | grep -q 'no-suid-fixup: no (unlocked)'") == 0);
	cr_expect(run(fix_nothing_for_good, "exit 0") == 200 + EPERM);
}

static void keep_capabilities(void)
{
	be_service();
	keeps_capabilities = true;
}

static void keep_user(void)
{
	be_service();
	keeps_user = true;
}

Test(login, is_checked)
{
	cr_expect(run(keep_capabilities, "exit 0") == 200 + EPERM);
	cr_expect(run(keep_user, "exit 0") == 200 + EPERM);
}
