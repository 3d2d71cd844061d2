// SPDX-License-Identifier: GPL-2.0-only
/* The workloads; see workloads.h. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/workloads.h"

static void check_io(bool good, const char *what)
{
	if (good)
		return;
	fprintf(stderr, "hytrace: bench: the workload cannot go on: %s\n", what);
	_exit(EIO);
}

/* The system call is made directly, because the instructions of libc's wrapper would count, too. */
static void getppid__run(unsigned long calls)
{
	while (calls--) {
		long ret = SYS_getppid;

		asm volatile("syscall" : "+a"(ret) : : "rcx", "r11", "memory");
	}
}

/* Starts the other process, which ends with this one, because its pipe then ends. */
static void pipe__begin(int fds[2])
{
	int there[2], back[2];
	char byte;

	check_io(!pipe(there) && !pipe(back), "no pipe");
	switch (fork()) {
	case -1:
		check_io(false, "no process");
		break;
	case 0:
		close(there[1]);
		close(back[0]);
		while (read(there[0], &byte, 1) == 1 && write(back[1], &byte, 1) == 1)
			;
		_exit(0);
	}
	close(there[0]);
	close(back[1]);
	fds[0] = back[0];
	fds[1] = there[1];
}

static void pipe__run(unsigned long calls)
{
	static int fds[2];
	char byte = 0;

	if (!fds[1])
		pipe__begin(fds);
	while (calls--)
		check_io(write(fds[1], &byte, 1) == 1 && read(fds[0], &byte, 1) == 1,
			 "its pipe");
}

/* The file is in memory, because a disk has times of its own. */
#define BENCH_FILE "/dev/shm/hytrace-bench"

static void file__run(unsigned long calls)
{
	static char page[4096];

	while (calls--) {
		int fd = open(BENCH_FILE, O_RDWR | O_CREAT | O_TRUNC, 0600);

		check_io(fd >= 0 && write(fd, page, sizeof(page)) == sizeof(page) &&
			 pread(fd, page, sizeof(page), 0) == sizeof(page) && !close(fd) &&
			 !unlink(BENCH_FILE), "its file, " BENCH_FILE);
	}
}

static void spawn(char *const argv[])
{
	int status = -1;
	pid_t pid = vfork();

	if (!pid) {
		/* true(1) must not go on when the measured process is ended. */
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		execvp(argv[0], argv);
		_exit(127);
	}
	check_io(pid > 0 && waitpid(pid, &status, 0) == pid && !status, argv[0]);
}

static void fork__run(unsigned long calls)
{
	static char *const argv[] = { "true", NULL };

	while (calls--)
		spawn(argv);
}

/*
 * The tree and its archive are in memory as well. The archive is not /dev/null, for which tar reads
 * nothing.
 */
#define BENCH_TREE "/dev/shm/hytrace-bench-tree"
#define TREE_FOLDERS 8
#define TREE_FILES 16

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static void tree__end(void)
{
	nftw(BENCH_TREE, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	unlink(BENCH_TREE ".tar");
}

void workloads__remove_files(void)
{
	tree__end();
	unlink(BENCH_FILE);
}

static void tree__begin(void)
{
	static char page[4096];
	char path[128];

	tree__end();
	check_io(!mkdir(BENCH_TREE, 0700), "its tree, " BENCH_TREE);
	for (int i = 0; i < TREE_FOLDERS * TREE_FILES; i++) {
		int fd;

		snprintf(path, sizeof(path), BENCH_TREE "/%d", i / TREE_FILES);
		mkdir(path, 0700);
		snprintf(path, sizeof(path), BENCH_TREE "/%d/%d", i / TREE_FILES, i);
		fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
		check_io(fd >= 0 && write(fd, page, sizeof(page)) == sizeof(page) && !close(fd),
			 "its tree, " BENCH_TREE);
	}
	atexit(tree__end);
}

static void tree__run(unsigned long calls)
{
	static char *const argv[] = { "tar", "-C", BENCH_TREE, "-cf", BENCH_TREE ".tar", ".", NULL };
	static bool made;

	if (!made)
		tree__begin();
	made = true;
	while (calls--)
		spawn(argv);
}

/*
 * Sends LOOPBACK_BYTES to another process over TCP, which answers with a byte. That process ends
 * with this one.
 */
#define LOOPBACK_BYTES 16384

static void receive(int fd)
{
	static char buffer[LOOPBACK_BYTES];
	size_t have = 0;
	ssize_t got;

	while ((got = read(fd, buffer, sizeof(buffer))) > 0) {
		have += got;
		if (have >= LOOPBACK_BYTES && write(fd, buffer, 1) != 1)
			break;
		have %= LOOPBACK_BYTES;
	}
	_exit(0);
}

static int loopback__begin(void)
{
	struct sockaddr_in here = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), other;
	socklen_t size = sizeof(here);

	check_io(listener >= 0 && fd >= 0 && !bind(listener, (struct sockaddr *)&here, size) &&
		 !getsockname(listener, (struct sockaddr *)&here, &size) && !listen(listener, 1) &&
		 !connect(fd, (struct sockaddr *)&here, size), "no connection to itself; is lo up?");
	other = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	check_io(other >= 0, "no connection to itself");
	close(listener);
	switch (fork()) {
	case -1:
		check_io(false, "no process");
		break;
	case 0:
		close(fd);
		receive(other);
	}
	close(other);
	return fd;
}

static void loopback__run(unsigned long calls)
{
	static char buffer[LOOPBACK_BYTES];
	static int fd = -1;

	if (fd < 0)
		fd = loopback__begin();
	while (calls--)
		check_io(write(fd, buffer, sizeof(buffer)) == sizeof(buffer) && read(fd, buffer, 1) == 1,
			 "its connection");
}

const struct workload workloads[WORKLOADS] = {
	{ "getppid", WORKLOAD_GETPPID, 50, 2000, false, getppid__run },
	{ "pipe", WORKLOAD_PIPE, 50, 2000, false, pipe__run },
	{ "file", WORKLOAD_FILE, 50, 2000, false, file__run },
	{ "fork", WORKLOAD_FORK, 1, 10, true, fork__run },
	{ "tree", WORKLOAD_TREE, 1, 3, true, tree__run },
	{ "loopback", WORKLOAD_LOOPBACK, 20, 200, false, loopback__run },
};
