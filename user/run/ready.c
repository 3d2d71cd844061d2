// SPDX-License-Identifier: GPL-2.0-only
/* Reports that recording has begun; see ready.h. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <systemd/sd-daemon.h>
#include <unistd.h>

#include "base/error.h"
#include "run/ready.h"

static const char line[] = "READY\n";

int ready__check(int fd)
{
	int flags;

	if (!fd)
		return 0;
	flags = fcntl(fd, F_GETFL);
	if (flags < 0)
		return error__return(-EINVAL, "--ready-fd %d: is not open", fd);
	if ((flags & O_ACCMODE) == O_RDONLY)
		return error__return(-EINVAL, "--ready-fd %d: is open for reading only", fd);
	if (fd > STDERR_FILENO)
		fcntl(fd, F_SETFD, FD_CLOEXEC);
	return 0;
}

void ready__tell(int fd)
{
	int err;

	if (fd && write(fd, line, strlen(line)) != (ssize_t)strlen(line))
		error__warn("--ready-fd %d: %s", fd, strerror(errno));
	/* Close it, because a reader may also wait for an end of file. */
	if (fd > STDERR_FILENO)
		close(fd);
	/* sd_notify() returns 0 if nobody listens. */
	err = sd_notify(0, "READY=1");
	if (err < 0)
		error__warn("$NOTIFY_SOCKET: cannot send READY=1: %s", strerror(-err));
}
