// SPDX-License-Identifier: GPL-2.0-only
/* Marks of a suite, on both of their sides; see mark.h. */
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdarg.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/memory.h"
#include "suite/mark.h"

static char *skip_blanks(char *text)
{
	return text + strspn(text, " \t");
}

static void trim_end(char *text)
{
	size_t length = strlen(text);

	while (length && strchr(" \t\r", text[length - 1]))
		text[--length] = '\0';
}

/* The rest of @line if it begins with @word and a blank, or ends with @word; otherwise NULL. */
static char *after_word(char *line, const char *word)
{
	size_t length = strlen(word);

	if (strncmp(line, word, length) || (line[length] && !strchr(" \t", line[length])))
		return NULL;
	return skip_blanks(line + length);
}

void mark__parse_tap(struct mark *ret, char *line)
{
	char *failed = after_word(line, "not"), *rest = after_word(failed ?: line, "ok"), *number = rest, *comment;
	size_t digits;

	*ret = (struct mark){ .status = !!failed };
	if (!rest)
		return;
	digits = strspn(rest, "0123456789");
	if (digits && (!rest[digits] || strchr(" \t", rest[digits])))
		rest = skip_blanks(rest + digits);
	if (after_word(rest, "-"))
		rest = after_word(rest, "-");
	/* "\#" is a # of the name. */
	for (comment = strchr(rest, '#'); comment && comment > rest && comment[-1] == '\\';
	     comment = strchr(comment, '#'))
		memmove(comment - 1, comment, strlen(comment) + 1);
	if (comment)
		*comment = '\0';
	trim_end(rest);
	/* A result without a name has at least its number. */
	if (!*rest) {
		rest = number;
		rest[digits] = '\0';
	}
	if (!*rest)
		return;
	ret->kind = MARK_RESULT;
	ret->name = rest;
}

void mark__parse(struct mark *ret, char *line)
{
	char *begin, *end, *name;

	trim_end(line);
	line = skip_blanks(line);
	mark__parse_tap(ret, line);
	if (ret->kind != MARK_NONE || !*line)
		return;
	*ret = (struct mark){ MARK_RESULT, line, MARK_UNKNOWN };
	begin = after_word(line, "begin");
	end = after_word(line, "end");
	if (begin && *begin) {
		*ret = (struct mark){ MARK_BEGIN, begin, MARK_UNKNOWN };
	} else if (end) {
		name = end + strspn(end, "0123456789");
		name = name == end && *end == '?' ? end + 1 : name;
		if (name > end && strchr(" \t", *name) && *skip_blanks(name))
			*ret = (struct mark){ MARK_END, skip_blanks(name),
					      *end == '?' ? MARK_UNKNOWN : atoi(end) & 0xff };
	}
}

/* ---- lines */

static void take_text(struct lines *l, void (*take)(void *context, char *line), void *context)
{
	char *line = l->text, *end;

	while ((end = memchr(line, '\n', l->text + l->used - line))) {
		*end = '\0';
		if (!l->skip)
			take(context, line);
		l->skip = false;
		line = end + 1;
	}
	l->used -= line - l->text;
	memmove(l->text, line, l->used);
	if (l->used < sizeof(l->text))
		return;
	l->text[l->used - 1] = '\0';
	if (!l->skip)
		take(context, l->text);
	l->skip = true;
	l->used = 0;
}

/* Two reads have sizeof(lines.text) bytes if there are so many: these read all that a pipe has. */
#define MOST_READS 64

bool lines__read(struct lines *l, int fd, void (*take)(void *context, char *line),
		 void (*raw)(void *context, const char *text, size_t length), void *context)
{
	for (int i = 0; i < MOST_READS; i++) {
		ssize_t got = read(fd, l->text + l->used, sizeof(l->text) - l->used);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return errno == EAGAIN;
		if (!got) {
			/* The last line may lack its newline. */
			l->text[l->used] = '\0';
			if (l->used && !l->skip)
				take(context, l->text);
			l->used = 0;
			return false;
		}
		if (raw)
			raw(context, l->text + l->used, got);
		l->used += got;
		take_text(l, take, context);
	}
	return true;
}

/* ---- the side of hytrace suite */

static int make_fifo(const char *path, struct guard *guard)
{
	int err = guard__add(guard, GUARD_FILE, "%s", path);

	if (!err && mkfifo(path, 0600))
		err = error__return(-errno, "%s: cannot make a FIFO: %s", path, strerror(errno));
	return err;
}

int marks__open(struct marks *ret, struct guard *guard)
{
	const char *top = getenv("TMPDIR");
	autofree char *directory = xasprintf("%s/hytrace-mark.XXXXXX", top && *top == '/' ? top : "/tmp");
	int err;

	*ret = (struct marks){ .fd = -1, .answer_fd = -1 };
	if (!mkdtemp(directory))
		return error__return(-errno, "%s: cannot make a directory: %s", directory, strerror(errno));
	ret->path = xasprintf("%s/mark", directory);
	ret->answers = xasprintf("%s/answer", directory);
	err = guard__add(guard, GUARD_DIR, "%s", directory) ?:
	      make_fifo(ret->path, guard) ?: make_fifo(ret->answers, guard);
	if (err)
		return err;
	/* Both are open for reading and writing: neither sees an end when runners come and go. */
	ret->fd = open(ret->path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	ret->answer_fd = open(ret->answers, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (ret->fd < 0 || ret->answer_fd < 0)
		return error__return(-errno, "%s: cannot open its FIFOs: %s", directory, strerror(errno));
	setenv(MARK_VARIABLE, ret->path, 1);
	return 0;
}

void marks__answer(const struct marks *m)
{
	/* If the pipe is full of answers that nobody has waited for, one more is not needed. */
	if (write(m->answer_fd, "\n", 1) < 0 && errno != EAGAIN)
		error__warn("%s: %s", m->answers, strerror(errno));
}

void marks__close(struct marks *m)
{
	if (m->fd >= 0)
		close(m->fd);
	if (m->answer_fd >= 0)
		close(m->answer_fd);
	free(m->path);
	free(m->answers);
}

/* ---- the side of a runner */

int marker__open(struct marker *ret)
{
	const char *path = getenv(MARK_VARIABLE) ?: "", *slash = strrchr(path, '/');
	autofree char *answers = xasprintf("%.*sanswer", slash ? (int)(slash - path) + 1 : 0, path);

	*ret = (struct marker){ -1, -1 };
	if (!*path)
		return 0;
	ret->to = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
	if (ret->to < 0)
		return error__return(-errno, MARK_VARIABLE "=%s: %s", path,
				     errno == ENXIO || errno == ENOENT ? "`hytrace suite` has ended" : strerror(errno));
	ret->answers = open(answers, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (ret->answers < 0) {
		int err = error__return(-errno, "%s: %s", answers, strerror(errno));

		marker__close(ret);
		return err;
	}
	return 0;
}

/* The FIFO has a reader as long as hytrace lives. */
static bool is_heard(const struct marker *m)
{
	struct pollfd to = { .fd = m->to };

	return poll(&to, 1, 0) <= 0 || !(to.revents & POLLERR);
}

static int tell(const struct marker *m, const char *line, int length)
{
	struct pollfd answers = { .fd = m->answers, .events = POLLIN };
	char byte;

	/* Answers to marks that did not wait. */
	while (read(m->answers, &byte, 1) == 1)
		;
	while (write(m->to, line, length) != length) {
		if (errno != EAGAIN && errno != EINTR && errno != EPIPE)
			return error__return(-errno, "the mark cannot be told to `hytrace suite`: %s", strerror(errno));
		if (!is_heard(m))
			return error__return(-EPIPE, "`hytrace suite` has ended before the mark");
		usleep(1000);
	}
	while (poll(&answers, 1, 1000) <= 0 || read(m->answers, &byte, 1) != 1) {
		if (!is_heard(m))
			return error__return(-EPIPE, "`hytrace suite` has ended before the mark was answered");
	}
	return 0;
}

int marker__say(struct marker *m, const char *fmt, ...)
{
	char line[PIPE_BUF + 1];
	va_list args;
	int length, err;

	if (m->to < 0)
		return 0;
	va_start(args, fmt);
	length = vsnprintf(line, sizeof(line), fmt, args);
	va_end(args);
	if (length >= PIPE_BUF || strchr(line, '\n'))
		return error__return(-EINVAL, "a name of a test has to be one line of less than %d bytes",
				     PIPE_BUF - 16);
	line[length++] = '\n';
	/* One at a time: two that wait would take each other's answer. */
	flock(m->to, LOCK_EX);
	err = tell(m, line, length);
	flock(m->to, LOCK_UN);
	return err;
}

void marker__close(struct marker *m)
{
	if (m->to >= 0)
		close(m->to);
	if (m->answers >= 0)
		close(m->answers);
	*m = (struct marker){ -1, -1 };
}
