// SPDX-License-Identifier: GPL-2.0-only
/* Common to all programs; see program.h. */
#include <argp.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/program.h"
#include "base/version.h"

const char *argp_program_version = "hytrace " HYTRACE_VERSION;

/* With a command, the status of a usage error must differ from all exit statuses of commands. */
static int usage_status(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--"))
			return EXIT_SELF;
	}
	return EXIT_USAGE;
}

/*
 * Daemons may have closed standard streams. Then the next file that is opened would get the number
 * of a standard stream, and messages could go to a file of the kernel, or the result to a wrong
 * place. So these numbers are taken by descriptors that fail like a closed stream. The command
 * finds the streams closed.
 */
static int take_closed_streams(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
		int flags = fd == STDIN_FILENO ? O_WRONLY : O_RDONLY;

		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", flags | O_CLOEXEC) != fd)
			return -1;
	}
	return 0;
}

int program__run(int argc, char **argv, char *name, int (*run)(int argc, char **argv))
{
	argp_err_exit_status = usage_status(argc, argv);
	if (take_closed_streams()) {
		error__print("cannot open /dev/null in place of a closed standard stream: %s",
			     strerror(errno));
		return argp_err_exit_status == EXIT_SELF ? EXIT_SELF : EXIT_FAILED;
	}
	/*
	 * Writing to a pipe that its reader has closed, or to a file that is too large, is reported
	 * like any other write error.
	 */
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	/* If SIGCHLD were ignored, which can be inherited, the end of a command could not be waited for. */
	signal(SIGCHLD, SIG_DFL);
	if (name && argc)
		argv[0] = name;
	return run(argc, argv);
}

/* In a directory like /tmp, anybody may put a program beside this one. @own: this program's */
static bool is_trusted(const struct stat *file, const struct stat *own)
{
	return !file->st_uid || file->st_uid == geteuid() || file->st_uid == own->st_uid;
}

int program__exec(const char *name, char **argv)
{
	/* Places of other programs: as built; as installed, seen from bin; and seen from libexec/hytrace. */
	static const char *const places[] = { "", "../libexec/hytrace/", "../../bin/" };
	char self[PATH_MAX], path[2 * PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
	struct stat file, own;

	if (length < 0 || stat("/proc/self/exe", &own))
		return error__return(-errno, "/proc/self/exe, which says where %s is, cannot be read: %s",
				     name, strerror(errno));
	self[length] = '\0';
	*(strrchr(self, '/') + 1) = '\0';
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		snprintf(path, sizeof(path), "%s%s%s", self, places[i], name);
		if (!lstat(path, &file) && !is_trusted(&file, &own))
			return error__return(-EPERM, "%s is not executed: it belongs to neither root, nor you, "
					     "nor the owner of this program, but to uid %u", path, file.st_uid);
		execv(path, argv);
		if (errno != ENOENT && errno != ENOTDIR)
			return error__return(-errno, "%s cannot be executed: %s", path, strerror(errno));
	}
	return -ENOENT;
}
