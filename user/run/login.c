// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs a command as another user; see login.h. The user is looked up before the fork, because a
 * look-up may read files and ask servers.
 */
#include <errno.h>
#include <grp.h>
#include <linux/securebits.h>
#include <pwd.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/capability.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "run/login.h"

#define MOST_GROUPS 65536

struct login {
	uid_t uid;
	gid_t gid;
	gid_t *groups;
	int group_count;
	char *name, *home, *shell;
};

static const struct passwd *look_up(const char *name)
{
	const struct passwd *found = getpwnam(name);
	unsigned long number;
	char *end;

	if (found || !*name)
		return found;
	number = strtoul(name, &end, 10);
	return *end || number >= (uid_t)-1 ? NULL : getpwuid(number);
}

static void find_groups(struct login *l)
{
	int count = 64;

	do {
		if (count > MOST_GROUPS)
			memory__fail();
		l->groups = xreallocarray(l->groups, count, sizeof(*l->groups));
		l->group_count = count;
		count *= 2;
	} while (getgrouplist(l->name, l->gid, l->groups, &l->group_count) < 0);
}

static bool may_become(void)
{
	static const cap_value_t needed[] = { CAP_SETUID, CAP_SETGID };
	cap_t caps = cap_get_proc();
	bool may = caps;

	for (size_t i = 0; may && i < sizeof(needed) / sizeof(needed[0]); i++) {
		cap_flag_value_t set;

		may = !cap_get_flag(caps, needed[i], CAP_EFFECTIVE, &set) && set == CAP_SET;
	}
	cap_free(caps);
	return may;
}

int login__find(struct login **ret, const char *name)
{
	const struct passwd *found = look_up(name);
	struct login *l;

	if (!found)
		return error__return(-EINVAL, "--user %s: no such user", name);
	/* Check this now: the process that will become this user could only report that it failed. */
	if (!may_become())
		return error__return(-EPERM, "--user %s: not permitted: needs CAP_SETUID and CAP_SETGID; run as root",
				     name);
	l = xcalloc(1, sizeof(*l));
	l->uid = found->pw_uid;
	l->gid = found->pw_gid;
	l->name = xstrdup(found->pw_name);
	l->home = xstrdup(found->pw_dir);
	l->shell = xstrdup(*found->pw_shell ? found->pw_shell : "/bin/sh");
	find_groups(l);
	*ret = l;
	return 0;
}

/*
 * The kernel drops the capabilities of root when the user changes. It keeps them if hytrace is another user (systemd's
 * AmbientCapabilities=), or with this securebit, which set-user-ID programs of the command would get, too.
 */
static int drop_capabilities(void)
{
	int bits = prctl(PR_GET_SECUREBITS);
	cap_t none = cap_init();
	int err = -ENOMEM;

	if (none)
		err = cap_set_proc(none) ? -errno : 0;
	cap_free(none);
	return err ?: bits < 0 || bits & SECBIT_NO_SETUID_FIXUP ? -EPERM : 0;
}

/* Has the command no way back to hytrace's user? */
static bool has_become(const struct login *l)
{
	cap_t none = cap_init(), now = cap_get_proc();
	bool dropped = none && now && !cap_compare(none, now);
	uid_t uids[3];
	gid_t gids[3];

	cap_free(none);
	cap_free(now);
	if (!dropped || getresuid(&uids[0], &uids[1], &uids[2]) || getresgid(&gids[0], &gids[1], &gids[2]))
		return false;
	for (int i = 0; i < 3; i++) {
		if (uids[i] != l->uid || gids[i] != l->gid)
			return false;
	}
	return !l->uid || setuid(0);
}

int login__become(const struct login *l)
{
	const char *const variables[][2] = {
		{ "HOME", l->home }, { "USER", l->name }, { "LOGNAME", l->name }, { "SHELL", l->shell },
	};
	int bits = prctl(PR_GET_SECUREBITS), err;

	/* This needs a capability. If it is missing, or the bit is locked, drop_capabilities() fails. */
	if (bits > 0 && bits & SECBIT_NO_SETUID_FIXUP)
		prctl(PR_SET_SECUREBITS, bits & ~SECBIT_NO_SETUID_FIXUP);
	/* This process has hytrace's descriptors until it executes the command, so nobody may trace it. */
	prctl(PR_SET_DUMPABLE, 0);
	if (setgroups(l->group_count, l->groups) || setresgid(l->gid, l->gid, l->gid) ||
	    setresuid(l->uid, l->uid, l->uid))
		return -errno;
	/* With fs.suid_dumpable, the change of ids may have made it dumpable. */
	prctl(PR_SET_DUMPABLE, 0);
	err = drop_capabilities();
	if (err || !has_become(l))
		return err ?: -EPERM;
	for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++) {
		if (setenv(variables[i][0], variables[i][1], 1))
			return -errno;
	}
	return 0;
}

void login__free(struct login *l)
{
	if (!l)
		return;
	free(l->groups);
	free(l->name);
	free(l->home);
	free(l->shell);
	free(l);
}
