// SPDX-License-Identifier: GPL-2.0-only
/*
 * Processes, the numbers of their threads, and the user that a process runs as; see process.h. The user of a
 * command is looked up before the fork, because a look-up may read files and ask servers.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <dirent.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/securebits.h>
#include <poll.h>
#include <pwd.h>
#include <sys/capability.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>

#include "base/error.h"
#include "base/files.h"
#include "base/memory.h"
#include "run/process.h"
#include "threads.skel.h"

/* ---- processes */

/* The initial PID namespace has the same inode, PROC_PID_INIT_INO, in each kernel. */
#define INITIAL_NAMESPACE "pid:[4026531836]"

int process__open(pid_t pid)
{
	int fd = pidfd_open(pid, 0);

	if (fd >= 0)
		return fd;
	if (errno == ESRCH)
		return error__return(-EINVAL, "--pid %d: there is no such process", pid);
	/* For a thread, the error depends on the kernel. */
	if (errno == EINVAL || errno == ENOENT)
		return error__return(-EINVAL, "--pid %d: this is a thread, and only a whole process can be "
				     "followed; `grep Tgid /proc/%d/status` prints its process", pid, pid);
	return error__return(-errno, "--pid %d: %s", pid, strerror(errno));
}

int process__open_own(pid_t pid)
{
	int fd = pidfd_open(pid, 0);

	return fd < 0 ? error__return(-errno, "process %d: %s", pid, strerror(errno)) : fd;
}

bool process__has_ended(int pidfd)
{
	struct pollfd fd = { .fd = pidfd, .events = POLLIN };

	return poll(&fd, 1, 0) > 0;
}

/* ---- threads */

struct threads {
	pid_t *list;
	size_t count;
};

/* Returns false also if /proc is of another PID namespace, because this process has no entry there. */
static bool in_initial_namespace(void)
{
	char name[64] = "";

	return readlink("/proc/self/ns/pid", name, sizeof(name) - 1) > 0 &&
	       !strcmp(name, INITIAL_NAMESPACE);
}

static void read_proc(struct threads *t, int pidfd)
{
	struct dirent *entry;
	char path[64];
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", (pid_t)fdinfo__number(pidfd, "Pid"));
	dir = opendir(path);
	while (dir && (entry = readdir(dir))) {
		if (entry->d_name[0] != '.')
			*LIST_ADD(t->list, t->count) = atoi(entry->d_name);
	}
	if (dir)
		closedir(dir);
}

int process__iterate(int pidfd, struct bpf_program *program)
{
	LIBBPF_OPTS(bpf_iter_attach_opts, opts);
	union bpf_iter_link_info which = { .task.pid_fd = pidfd };
	struct bpf_link *link;
	int fd;

	opts.link_info = &which;
	opts.link_info_len = sizeof(which);
	link = bpf_program__attach_iter(program, &opts);
	if (!link)
		return -errno;
	fd = bpf_iter_create(bpf_link__fd(link));
	bpf_link__destroy(link);
	return fd;
}

static int silent(enum libbpf_print_level level, const char *fmt, va_list ap)
{
	(void)level;
	(void)fmt;
	(void)ap;
	return 0;
}

static int read_iterator(struct threads *t, int pidfd)
{
	libbpf_print_fn_t print = libbpf_set_print(silent);
	struct threads_bpf *skel;
	int fd, err = 0;
	__u32 pid;

	skel = threads_bpf__open_and_load();
	fd = skel ? process__iterate(pidfd, skel->progs.list_threads) : -errno;
	if (fd < 0)
		err = error__return(-EOPNOTSUPP, "in a PID namespace, BPF is needed to learn the number of "
				    "a process outside of it, and that fails: %s; run hytrace in the "
				    "host's namespace (`docker run --pid=host`)", strerror(-fd));
	while (!err && read(fd, &pid, sizeof(pid)) == sizeof(pid))
		*LIST_ADD(t->list, t->count) = pid;
	if (fd >= 0)
		close(fd);
	threads_bpf__destroy(skel);
	libbpf_set_print(print);
	return err;
}

int process__threads(int pidfd, pid_t **ret, size_t *ret_count)
{
	struct threads t = {};
	int err = 0;

	if (in_initial_namespace())
		read_proc(&t, pidfd);
	else
		err = read_iterator(&t, pidfd);
	if (!err && !t.count)
		err = error__return(-ESRCH, "the process to follow has ended before it could be traced");
	if (err) {
		free(t.list);
		return err;
	}
	*ret = t.list;
	*ret_count = t.count;
	return 0;
}

/* ---- users */

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
 * The kernel drops the capabilities of root when the user changes. It keeps them if hytrace is another user
 * (systemd's AmbientCapabilities=), or with this securebit, which set-user-ID programs of the command would
 * get, too.
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
