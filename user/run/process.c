// SPDX-License-Identifier: GPL-2.0-only
/* Processes, and the numbers of their threads; see process.h. */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "run/process.h"
#include "threads.skel.h"

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

static pid_t pid_of(int pidfd)
{
	char path[64], line[128];
	pid_t pid = -1;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", pidfd);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "Pid: %d", &pid) == 1)
			break;
	}
	if (f)
		fclose(f);
	return pid;
}

static void read_proc(struct threads *t, int pidfd)
{
	struct dirent *entry;
	char path[64];
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", pid_of(pidfd));
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
