// SPDX-License-Identifier: GPL-2.0-only
/* The workloads; see workloads.h. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/sendfile.h>
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

/*
 * All files are in memory, because a disk has times of its own, and where nobody but root can make any. In /dev/shm,
 * others could make links by these names.
 */
#define BENCH_DIR "/run/hytrace-bench"
#define BENCH_FILE BENCH_DIR "/file"

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

static void write_page(const char *path)
{
	static char page[4096];
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	check_io(fd >= 0 && write(fd, page, sizeof(page)) == sizeof(page) && !close(fd), path);
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
#define BENCH_TREE BENCH_DIR "/tree"
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

static void tree__begin(void)
{
	char path[128];

	tree__end();
	check_io(!mkdir(BENCH_TREE, 0700), "its tree, " BENCH_TREE);
	for (int i = 0; i < TREE_FOLDERS * TREE_FILES; i++) {
		snprintf(path, sizeof(path), BENCH_TREE "/%d", i / TREE_FILES);
		mkdir(path, 0700);
		snprintf(path, sizeof(path), BENCH_TREE "/%d/%d", i / TREE_FILES, i);
		write_page(path);
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

/* A socket that listens on 127.0.0.1, at a port that is free; @ret_here: where. */
static int listen_here(struct sockaddr_in *ret_here)
{
	struct sockaddr_in here = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	socklen_t size = sizeof(here);

	check_io(fd >= 0 && !bind(fd, (struct sockaddr *)&here, size) &&
		 !getsockname(fd, (struct sockaddr *)&here, &size) && !listen(fd, 16),
		 "cannot listen on 127.0.0.1");
	*ret_here = here;
	return fd;
}

static int connect_to(const struct sockaddr_in *there)
{
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	check_io(fd >= 0 && !connect(fd, (const struct sockaddr *)there, sizeof(*there)),
		 "no connection to itself; is lo up?");
	return fd;
}

static int loopback__begin(void)
{
	struct sockaddr_in here;
	int listener = listen_here(&here), fd = connect_to(&here), other;

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

/*
 * A file server, as web servers work: a process waits for connections and for requests on them in one
 * epoll(7), opens the file, and sends it. A call is a connection, a request and 4 KiB in return.
 */
#define SERVER_FILE BENCH_DIR "/served"
#define SERVER_REQUEST 64

static void server__answer(int fd)
{
	char request[SERVER_REQUEST];
	struct stat st;
	int file;

	if (recv(fd, request, sizeof(request), 0) != sizeof(request))
		return;
	file = open(SERVER_FILE, O_RDONLY | O_CLOEXEC);
	/* If data is missing, the client notices. */
	if (file >= 0 && !fstat(file, &st) && sendfile(fd, file, NULL, st.st_size) < 0)
		perror("hytrace: bench: the workload server: sendfile");
	close(file);
}

static void server__wait_for(int events, int fd)
{
	struct epoll_event event = { .events = EPOLLIN, .data.fd = fd };

	check_io(!epoll_ctl(events, EPOLL_CTL_ADD, fd, &event), "its epoll");
}

static void server__serve(int listener)
{
	int events = epoll_create1(EPOLL_CLOEXEC);
	struct epoll_event ready[16];

	check_io(events >= 0, "no epoll");
	server__wait_for(events, listener);
	for (;;) {
		int count = epoll_wait(events, ready, 16, -1);

		check_io(count > 0, "its epoll");
		for (int i = 0; i < count; i++) {
			int fd = ready[i].data.fd;

			if (fd == listener) {
				fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
				check_io(fd >= 0, "accepts no connection");
				server__wait_for(events, fd);
			} else {
				server__answer(fd);
				close(fd);
			}
		}
	}
}

static void server__end(void)
{
	unlink(SERVER_FILE);
}

static void server__begin(struct sockaddr_in *there)
{
	pid_t parent = getpid();
	int listener = listen_here(there);

	server__end();
	write_page(SERVER_FILE);
	switch (fork()) {
	case -1:
		check_io(false, "no process");
		break;
	case 0:
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != parent)
			_exit(0);
		server__serve(listener);
	}
	close(listener);
	atexit(server__end);
}

static void server__run(unsigned long calls)
{
	static const char request[SERVER_REQUEST];
	static struct sockaddr_in there;
	static char reply[8192];

	if (!there.sin_port)
		server__begin(&there);
	while (calls--) {
		int fd = connect_to(&there);
		size_t have = 0;
		ssize_t got;

		check_io(send(fd, request, sizeof(request), 0) == sizeof(request), "its request");
		while ((got = recv(fd, reply, sizeof(reply), 0)) > 0)
			have += got;
		check_io(have == 4096, "the reply is not the file");
		close(fd);
	}
}

/* A file of some length is compiled, in memory. */
#define COMPILE_FILE BENCH_DIR "/compile"
#define COMPILE_FUNCTIONS 30

static void compile__end(void)
{
	unlink(COMPILE_FILE ".c");
	unlink(COMPILE_FILE ".o");
}

static void compile__begin(void)
{
	FILE *f;

	compile__end();
	f = fopen(COMPILE_FILE ".c", "wxe");
	check_io(f, "its file, " COMPILE_FILE ".c");
	for (int i = 0; i < COMPILE_FUNCTIONS; i++)
		fprintf(f, "unsigned int f%d(const unsigned int *values, unsigned int count)\n"
			"{\n"
			"	unsigned int sum = %d;\n"
			"\n"
			"	for (unsigned int i = 0; i < count; i++) {\n"
			"		if (values[i] > sum)\n"
			"			sum += values[i] * %du;\n"
			"		else\n"
			"			sum ^= values[i] << (i %% %d);\n"
			"	}\n"
			"	return sum;\n"
			"}\n\n", i, i, i + 3, i % 7 + 1);
	check_io(!fclose(f), "its file, " COMPILE_FILE ".c");
	atexit(compile__end);
}

static void compile__run(unsigned long calls)
{
	static char *const argv[] = { "cc", "-O1", "-c", "-o", COMPILE_FILE ".o", COMPILE_FILE ".c", NULL };
	static bool made;

	if (!made)
		compile__begin();
	made = true;
	while (calls--)
		spawn(argv);
}

/*
 * getppid() by a process on each CPU at once: this one on its CPU, and others that wait for a number of
 * calls on a pipe of their own.
 */
static int cpus[CPU_SETSIZE][2];	/* pipes there and back; those of this CPU are not used */
static unsigned int cpu_count;

static void parallel__serve(int there, int back, int cpu)
{
	unsigned long calls;
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	check_io(!sched_setaffinity(0, sizeof(set), &set), "cannot go to another CPU");
	while (read(there, &calls, sizeof(calls)) == sizeof(calls)) {
		getppid__run(calls);
		check_io(write(back, &calls, 1) == 1, "its pipe");
	}
	_exit(0);
}

static void parallel__begin(void)
{
	int here = sched_getcpu(), online = sysconf(_SC_NPROCESSORS_CONF);
	cpu_set_t usable;

	/* This process is bound to one CPU to be measured, so ask about another process. */
	CPU_ZERO(&usable);
	check_io(!sched_getaffinity(getppid(), sizeof(usable), &usable), "which CPUs are there?");
	for (int cpu = 0; cpu < online && cpu < CPU_SETSIZE; cpu++) {
		int there[2], back[2];

		if (cpu == here || !CPU_ISSET(cpu, &usable))
			continue;
		check_io(!pipe2(there, O_CLOEXEC) && !pipe2(back, O_CLOEXEC), "no pipe");
		switch (fork()) {
		case -1:
			check_io(false, "no process");
			break;
		case 0:
			/* It ends when the pipes of the parent do, so it has none of the others'. */
			close(there[1]);
			close(back[0]);
			for (unsigned int i = 0; i < cpu_count; i++)
				close(cpus[i][1]);
			parallel__serve(there[0], back[1], cpu);
		}
		close(there[0]);
		close(back[1]);
		cpus[cpu_count][0] = back[0];
		cpus[cpu_count++][1] = there[1];
	}
	check_io(cpu_count, "there is one CPU only");
}

/* The calls are spread over the CPUs. */
static void parallel__run(unsigned long calls)
{
	unsigned long each;
	char byte;

	if (!cpu_count)
		parallel__begin();
	each = calls / (cpu_count + 1);
	for (unsigned int i = 0; i < cpu_count; i++)
		check_io(write(cpus[i][1], &each, sizeof(each)) == sizeof(each), "its pipe");
	getppid__run(calls - each * cpu_count);
	for (unsigned int i = 0; i < cpu_count; i++)
		check_io(read(cpus[i][0], &byte, 1) == 1, "its pipe");
}

int workloads__make_directory(void)
{
	workloads__remove_files();
	return mkdir(BENCH_DIR, 0700) ? -errno : 0;
}

void workloads__remove_files(void)
{
	nftw(BENCH_DIR, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

const struct timed_workload workloads[WORKLOADS] = {
	{ "getppid", WORKLOAD_GETPPID, 50, 2000, .run = getppid__run },
	{ "pipe", WORKLOAD_PIPE, 50, 2000, .run = pipe__run },
	{ "file", WORKLOAD_FILE, 50, 2000, .run = file__run },
	{ "fork", WORKLOAD_FORK, 1, 10, .waits = true, .run = fork__run },
	{ "tree", WORKLOAD_TREE, 1, 3, .waits = true, .run = tree__run },
	{ "loopback", WORKLOAD_LOOPBACK, 20, 200, .run = loopback__run },
	{ "server", WORKLOAD_SERVER, 10, 100, .run = server__run },
	{ "compile", WORKLOAD_COMPILE, 1, 1, .repetitions = 5, .waits = true, .run = compile__run },
	{ "parallel", WORKLOAD_PARALLEL, 2000, 8000, .run = parallel__run },
};
