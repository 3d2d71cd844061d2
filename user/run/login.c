// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs as another user; see login.h. All look-ups are done before the fork, because they may read
 * files and ask servers.
 */
#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/capability.h>
#include <unistd.h>

#include "base/error.h"
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

static int find_groups(struct login *l)
{
	int count = 64;

	for (;;) {
		gid_t *more = NULL;

		if (count <= MOST_GROUPS)
			more = reallocarray(l->groups, count, sizeof(*more));
		if (!more)
			return error__no_memory();
		l->groups = more;
		l->group_count = count;
		if (getgrouplist(l->name, l->gid, l->groups, &l->group_count) >= 0)
			return 0;
		count *= 2;
	}
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
	int err;

	if (!found)
		return error__return(-EINVAL, "--user %s: no such user", name);
	/* The process that becomes this user has not begun to run: it could not tell what is missing. */
	if (!may_become())
		return error__return(-EPERM, "--user %s: not permitted: needs CAP_SETUID and CAP_SETGID; run as root", name);
	l = calloc(1, sizeof(*l));
	if (!l)
		return error__no_memory();
	l->uid = found->pw_uid;
	l->gid = found->pw_gid;
	l->name = strdup(found->pw_name);
	l->home = strdup(found->pw_dir);
	l->shell = strdup(*found->pw_shell ? found->pw_shell : "/bin/sh");
	err = l->name && l->home && l->shell ? find_groups(l) : error__no_memory();
	if (err)
		login__free(l);
	else
		*ret = l;
	return err;
}

int login__become(const struct login *l)
{
	const char *const variables[][2] = {
		{ "HOME", l->home }, { "USER", l->name }, { "LOGNAME", l->name }, { "SHELL", l->shell },
	};

	if (setgroups(l->group_count, l->groups) || setgid(l->gid) || setuid(l->uid))
		return -errno;
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
