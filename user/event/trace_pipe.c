// SPDX-License-Identifier: GPL-2.0-only
/* Copies trace_pipe; see trace_pipe.h. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "event/trace_pipe.h"

/* At most this many bytes are copied before signals and the time are checked. */
#define MOST_BYTES (1024 * 1024)

struct trace_pipe {
	int fd;
	char buffer[64 * 1024];
};

int trace_pipe__open(struct trace_pipe **ret, struct instance *instance)
{
	char *path = instance__path(instance, "trace_pipe");
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC), err = 0;

	if (fd < 0) {
		err = error__return(-errno, "%s: %s", path, strerror(errno));
	} else {
		*ret = xmalloc(sizeof(**ret));
		(*ret)->fd = fd;
	}
	free(path);
	return err;
}

int trace_pipe__read(struct trace_pipe *t, FILE *out, bool *ret_more)
{
	size_t copied = 0;

	*ret_more = true;
	while (copied < MOST_BYTES) {
		ssize_t got = read(t->fd, t->buffer, sizeof(t->buffer));

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0 && errno != EAGAIN)
			return error__return(-errno, "trace_pipe: %s", strerror(errno));
		if (got <= 0) {
			*ret_more = false;
			break;
		}
		fwrite(t->buffer, 1, got, out);
		copied += got;
	}
	return 0;
}

void trace_pipe__close(struct trace_pipe *t)
{
	if (!t)
		return;
	close(t->fd);
	free(t);
}
