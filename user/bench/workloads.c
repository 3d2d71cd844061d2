// SPDX-License-Identifier: GPL-2.0-only
/* The workloads; see workloads.h. */
#include <arpa/inet.h>
#include <fcntl.h>
#include <ftw.h>
#include <sched.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "bench/workloads.h"

static void check_io(bool good, const char *what)
{
	if (good)
		return;
	fprintf(stderr, "hytrace: bench: the workload cannot go on: %s\n", what);
	_exit(EIO);
}

/* Forks. Returns true in the new process. */
static bool forked(void)
{
	pid_t pid = fork();

	check_io(pid >= 0, "no process");
	return !pid;
}

/* The system call is made directly, because the instructions of libc's wrapper would count, too. */
static void getppid__run(unsigned long calls)
{
	while (calls--) {
		long ret = SYS_getppid;

		asm volatile("syscall" : "+a"(ret) : : "rcx", "r11", "memory");
	}
}

/*
 * Starts a process at the other ends of two pipes. It ends when they are closed, or this process
 * ends. @ret_fds: the process's ends to read and to write. Returns true in the new process.
 */
static bool start_peer(int ret_fds[2])
{
	int there[2], back[2];
	bool is_new;

	check_io(!pipe2(there, O_CLOEXEC) && !pipe2(back, O_CLOEXEC), "no pipe");
	is_new = forked();
	ret_fds[0] = is_new ? there[0] : back[0];
	ret_fds[1] = is_new ? back[1] : there[1];
	close(is_new ? there[1] : there[0]);
	close(is_new ? back[0] : back[1]);
	return is_new;
}

static int pipe_fds[2];

static void pipe__begin(void)
{
	char byte;

	if (!start_peer(pipe_fds))
		return;
	while (read(pipe_fds[0], &byte, 1) == 1 && write(pipe_fds[1], &byte, 1) == 1)
		;
	_exit(0);
}

static void pipe__run(unsigned long calls)
{
	char byte = 0;

	while (calls--)
		check_io(write(pipe_fds[1], &byte, 1) == 1 && read(pipe_fds[0], &byte, 1) == 1, "its pipe");
}

/*
 * Files stay until the benchmark ends. They are in memory, because a disk's times vary, and in a
 * directory where only root can make files: in /dev/shm, other users could make links by these names.
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
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	check_io(fd >= 0 && write(fd, page, sizeof(page)) == sizeof(page) && !close(fd), path);
}

static void spawn(char *const argv[])
{
	int status = -1;
	pid_t pid = vfork();

	if (!pid) {
		/* The command must not outlive the measured process. */
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
 * The tree and its archive are in memory, too. For an archive /dev/null, tar would read no files.
 */
#define BENCH_TREE BENCH_DIR "/tree"
#define TREE_FOLDERS 8
#define TREE_FILES 16

static void tree__begin(void)
{
	char path[128];

	check_io(!mkdir(BENCH_TREE, 0700) || errno == EEXIST, "its tree, " BENCH_TREE);
	for (int i = 0; i < TREE_FOLDERS * TREE_FILES; i++) {
		snprintf(path, sizeof(path), BENCH_TREE "/%d", i / TREE_FILES);
		mkdir(path, 0700);
		snprintf(path, sizeof(path), BENCH_TREE "/%d/%d", i / TREE_FILES, i);
		write_page(path);
	}
}

static void tree__run(unsigned long calls)
{
	static char *const argv[] = { "tar", "-C", BENCH_TREE, "-cf", BENCH_TREE ".tar", ".", NULL };

	while (calls--)
		spawn(argv);
}

/*
 * Sends LOOPBACK_BYTES to another process over TCP, which answers with a byte. The other process
 * ends with this one.
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

/* Opens a socket that listens on 127.0.0.1. @ret_here: its address and its port, a free one. */
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

static int loopback;

static void loopback__begin(void)
{
	struct sockaddr_in here;
	int listener = listen_here(&here), other;

	loopback = connect_to(&here);
	other = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	check_io(other >= 0, "no connection to itself");
	close(listener);
	if (forked()) {
		close(loopback);
		receive(other);
	}
	close(other);
}

static void loopback__run(unsigned long calls)
{
	static char buffer[LOOPBACK_BYTES];

	while (calls--)
		check_io(write(loopback, buffer, sizeof(buffer)) == sizeof(buffer) && read(loopback, buffer, 1) == 1,
			 "its connection");
}

/*
 * A file server, like web servers: a process waits for connections and their requests in one
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

static struct sockaddr_in server;

static void server__begin(void)
{
	pid_t parent = getpid();
	int listener = listen_here(&server);

	write_page(SERVER_FILE);
	if (forked()) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != parent)
			_exit(0);
		server__serve(listener);
	}
	close(listener);
}

static void server__run(unsigned long calls)
{
	static const char request[SERVER_REQUEST];
	static char reply[8192];

	while (calls--) {
		int fd = connect_to(&server);
		size_t have = 0;
		ssize_t got;

		check_io(send(fd, request, sizeof(request), 0) == sizeof(request), "its request");
		while ((got = recv(fd, reply, sizeof(reply), 0)) > 0)
			have += got;
		check_io(have == 4096, "the reply is not the file");
		close(fd);
	}
}

/* Compiles a file of some length, in memory. */
#define COMPILE_FILE BENCH_DIR "/compile"
#define COMPILE_FUNCTIONS 30

static void compile__begin(void)
{
	FILE *f = fopen(COMPILE_FILE ".c", "we");

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
}

static void compile__run(unsigned long calls)
{
	static char *const argv[] = { "cc", "-O1", "-c", "-o", COMPILE_FILE ".o", COMPILE_FILE ".c", NULL };

	while (calls--)
		spawn(argv);
}

/*
 * getppid() on all CPUs at once: by this process on its CPU, and by a process on each other CPU,
 * which reads the number of calls from a pipe of its own.
 */
static int cpus[CPU_SETSIZE][2];	/* ends to read and to write of the other processes */
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
		if (cpu == here || !CPU_ISSET(cpu, &usable))
			continue;
		if (start_peer(cpus[cpu_count])) {
			/* A process ends when its pipe is closed, so this one must not hold other pipes. */
			for (unsigned int i = 0; i < cpu_count; i++)
				close(cpus[i][1]);
			parallel__serve(cpus[cpu_count][0], cpus[cpu_count][1], cpu);
		}
		cpu_count++;
	}
	check_io(cpu_count, "there is one CPU only");
}

/* The calls are spread over the CPUs. */
static void parallel__run(unsigned long calls)
{
	unsigned long each = calls / (cpu_count + 1);
	char byte;

	for (unsigned int i = 0; i < cpu_count; i++)
		check_io(write(cpus[i][1], &each, sizeof(each)) == sizeof(each), "its pipe");
	getppid__run(calls - each * cpu_count);
	for (unsigned int i = 0; i < cpu_count; i++)
		check_io(read(cpus[i][0], &byte, 1) == 1, "its pipe");
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
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
	{ "getppid", WORKLOAD_GETPPID, 50, 2000, getppid__run },
	{ "pipe", WORKLOAD_PIPE, 50, 2000, pipe__run, pipe__begin },
	{ "file", WORKLOAD_FILE, 50, 2000, file__run },
	{ "fork", WORKLOAD_FORK, 1, 10, fork__run, .waits = true },
	{ "tree", WORKLOAD_TREE, 1, 3, tree__run, tree__begin, .waits = true },
	{ "loopback", WORKLOAD_LOOPBACK, 20, 200, loopback__run, loopback__begin },
	{ "server", WORKLOAD_SERVER, 10, 100, server__run, server__begin },
	{ "compile", WORKLOAD_COMPILE, 1, 1, compile__run, compile__begin, .repetitions = 5, .waits = true },
	{ "parallel", WORKLOAD_PARALLEL, 2000, 8000, parallel__run, parallel__begin },
};
