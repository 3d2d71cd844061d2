// SPDX-License-Identifier: GPL-2.0-only
/*
 * Access to the file function_events; see function_events.h. The kernel's messages about it are in tracefs's
 * error_log:
 *
 *
 *
 *
 *
 * The detail, if there is one, comes after the first colon.
 *
 * libtracefs's tracefs_error_all() reads the log. tracefs_error_last() is not enough: it takes the text between
 * the last two carets as an entry. So an entry without a caret, or a '^' in a command, confuses it. And the
 * last entry may be of another part of the kernel.
 */
#include <fcntl.h>
#include <fnmatch.h>
#include <tracefs.h>

#include "base/error.h"
#include "base/memory.h"
#include "event/function_events.h"
#include "kernel/features.h"

/* ---- error_log */

#define ERROR ": error: "
#define COMMAND "  Command: "
#define INDENT "  "

static bool is_caret_line(const char *line)
{
	return line[strspn(line, " ")] == '^';
}

/* @body: the text of the entry after its first line */
static void read_body(const char *body, struct log_entry *ret)
{
	const char *line = body + strlen(COMMAND), *end;

	ret->command = line;
	ret->column = -1;
	/* A command may have several lines. It ends at the caret or at another entry. */
	for (;;) {
		end = line + strcspn(line, "\n");
		ret->command_length = end - ret->command;
		if (!*end || end[1] == '[' || !end[1])
			return;
		line = end + 1;
		if (is_caret_line(line)) {
			ret->column = (int)strspn(line, " ") - (int)strlen(COMMAND);
			return;
		}
	}
}

/* Parses "[STAMP] WHERE[: DETAIL]: error: MESSAGE". Returns false if @line is not of this form. */
static bool read_head(const char *line, const char *where, struct log_entry *ret)
{
	const char *end = line + strcspn(line, "\n"), *at, *error;

	at = *line == '[' ? memchr(line, ']', end - line) : NULL;
	if (!at)
		return false;
	ret->stamp = line + 1;
	ret->stamp_length = at - ret->stamp;
	at += strspn(at, "] ");
	if (strncmp(at, where, strlen(where)))
		return false;
	at += strlen(where);
	error = memmem(at, end - at, ERROR, strlen(ERROR));
	if (*at != ':' || !error || !*end || strncmp(end + 1, COMMAND, strlen(COMMAND)))
		return false;
	ret->detail = error > at ? at + strspn(at, ": ") : error;
	ret->detail_length = error - ret->detail;
	ret->message = error + strlen(ERROR);
	ret->message_length = end - ret->message;
	return true;
}

int error_log__last(const char *log, const char *where, struct log_entry *ret)
{
	struct log_entry entry = {};
	int err = -ENOENT;

	for (const char *line = log; *line; ) {
		const char *next = line + strcspn(line, "\n");

		if (*next)
			next++;
		if (read_head(line, where, &entry)) {
			read_body(next, &entry);
			*ret = entry;
			err = 0;
		}
		line = next;
	}
	return err;
}

char *log_entry__picture(const struct log_entry *entry)
{
	const char *line = entry->command, *end = line + entry->command_length;
	int left = entry->column;
	char *text = NULL;
	size_t size;
	FILE *f = xopen_memstream(&text, &size);

	while (line < end) {
		int length = strcspn(line, "\n");

		if (length > end - line)
			length = end - line;
		fprintf(f, "%s" INDENT "%.*s", line == entry->command ? "" : "\n", length, line);
		if (left >= 0 && left <= length) {
			fprintf(f, "\n" INDENT);
			/* Keep tabs, so that the caret has the column of the line above. */
			for (int i = 0; i < left; i++)
				fputc(line[i] == '\t' ? '\t' : ' ', f);
			fputc('^', f);
		}
		left -= left > length ? length + 1 : left + 1;
		line += length + 1;
	}
	xclose_memstream(f);
	return text;
}

#define FILE_NAME "function_events"

/* ---- the kernel's error messages */

static char *read_log(void)
{
	return tracefs_error_all(NULL);
}

static bool same_entry(const struct log_entry *a, const struct log_entry *b)
{
	return a->stamp_length == b->stamp_length &&
	       !memcmp(a->stamp, b->stamp, a->stamp_length) &&
	       a->command_length == b->command_length &&
	       !memcmp(a->command, b->command, a->command_length);
}

/* Shows the text of the user: what hytrace has added to it would explain nothing. */
static void shorten(struct log_entry *entry, const struct prototypes *protos)
{
	for (size_t i = 0; protos && i < protos->count; i++) {
		const struct prototype *p = &protos->list[i];

		if (strlen(p->line) != entry->command_length ||
		    memcmp(p->line, entry->command, entry->command_length))
			continue;
		if (entry->column <= (int)strlen(p->text)) {
			entry->command = p->text;
			entry->command_length = strlen(p->text);
		}
		return;
	}
}

static void print_entry(const struct log_entry *e)
{
	autofree char *picture = log_entry__picture(e);

	error__print("%.*s%s%.*s\n%s", (int)e->message_length, e->message,
		     e->detail_length ? ": " : "", (int)e->detail_length, e->detail, picture);
}

/* @before: the log before the write, whose entries are about other writes */
static bool print_complaint(const char *before, const struct prototypes *protos)
{
	struct log_entry entry, old;
	autofree char *log = read_log();
	bool found = log && !error_log__last(log, FILE_NAME, &entry);

	if (found && before && !error_log__last(before, FILE_NAME, &old) &&
	    same_entry(&entry, &old))
		found = false;
	if (found) {
		shorten(&entry, protos);
		print_entry(&entry);
	}
	return found;
}

static int explain(int err, const char *before, const struct prototypes *protos)
{
	bool refused = err == -EPERM || err == -EACCES;

	if (refused || !print_complaint(before, protos))
		error__print(FILE_NAME ": the kernel refused it: %s%s", strerror(-err),
			     features__hint(err));
	if (refused)
		return -EPERM;
	return err == -ENOMEM ? err : -EIO;
}

/* @protos: what @text was made of, for messages; may be NULL */
static int write_whole(const char *text, const struct prototypes *protos)
{
	char *path = tracefs_get_tracing_file(FILE_NAME);
	autofree char *before = read_log();
	size_t length = strlen(text);
	int fd = path ? open(path, O_WRONLY | O_APPEND | O_CLOEXEC) : -1, err = 0;
	ssize_t written = fd < 0 ? -1 : write(fd, text, length);

	if (written < 0)
		err = explain(-errno, before, protos);
	else if ((size_t)written != length)
		err = error__return(-EIO, "%s: took %zd of %zu bytes: too many events at once", path,
				    written, length);
	if (fd >= 0)
		close(fd);
	tracefs_put_tracing_file(path);
	return err;
}

/* ---- making and removing */

int function_events__add(const struct prototypes *protos)
{
	autofree char *text = prototypes__join(protos);

	return write_whole(text, protos);
}

char *function_event__path(const struct prototype *event, const char *file)
{
	return xasprintf("events/%s/%s/%s", event->group, event->name, file);
}

static bool exists(const struct prototype *event)
{
	autofree char *path = function_event__path(event, "enable");

	return tracefs_file_exists(NULL, path);
}

int function_events__add_guarded(const struct prototypes *protos, struct guard *guard)
{
	int err = 0;

	for (size_t i = 0; !err && i < protos->count; i++) {
		const struct prototype *p = &protos->list[i];

		/* The watchdog must not get an event of another user, because it would remove it. */
		if (exists(p))
			err = error__return(-EIO, "%s/%s: there is such an event already; name this "
					    "one differently: '%s'", p->group, p->name, p->text);
		else
			err = guard__add(guard, GUARD_EVENT, "%s/%s", p->group, p->name);
	}
	return err ? err : function_events__add(protos);
}

int function_events__load(struct prototypes *ret)
{
	autofree char *text = NULL;

	/* An empty file gives no text either, but is not an error. */
	errno = 0;
	text = tracefs_instance_file_read(NULL, FILE_NAME, NULL);
	if (!text && !errno)
		return 0;
	if (!text)
		return error__return(errno == EPERM ? -EPERM : -EIO, FILE_NAME ": %s%s",
				     strerror(errno), features__hint(-errno));
	return text[strspn(text, " \n")] ? prototypes__add(ret, text) : 0;
}

static bool matches(const struct prototype *event, const char *pattern)
{
	const char *slash = strchr(pattern, '/');
	autofree char *group = slash ? xstrndup(pattern, slash - pattern) : xstrdup(PROTOTYPE_GROUP);

	return (slash ? !fnmatch(group, event->group, 0) : !strcmp(event->group, group)) &&
	       !fnmatch(slash ? slash + 1 : pattern, event->name, 0);
}

int function_events__choose(const struct prototypes *events, char *const *patterns, bool *chosen)
{
	for (; *patterns; patterns++) {
		bool found = false;

		for (size_t i = 0; i < events->count; i++) {
			if (matches(&events->list[i], *patterns))
				found = chosen[i] = true;
		}
		if (!found)
			return error__return(-ENOENT, "%s: no function event has this name; `hytrace "
					     "event list` lists them", *patterns);
	}
	return 0;
}

int function_events__remove(const struct prototypes *events, const bool *chosen)
{
	autofree char *text = NULL;
	size_t size;
	FILE *f = xopen_memstream(&text, &size);

	for (size_t i = 0; i < events->count; i++) {
		if (chosen[i])
			fprintf(f, "!%s/%s\n", events->list[i].group, events->list[i].name);
	}
	xclose_memstream(f);
	return write_whole(text, NULL);
}

/* ---- the files of an event */

bool function_event__number(const struct prototype *event, const char *file, uint64_t *ret)
{
	autofree char *path = function_event__path(event, file), *text = tracefs_instance_file_read(NULL, path, NULL);
	char *end = text;

	if (text)
		*ret = strtoull(text, &end, 0);
	return end != text;
}

int function_event__format(const struct prototype *event, struct tep_handle *tep,
			   struct tep_event **ret)
{
	autofree char *path = function_event__path(event, "format"), *text = NULL;
	int size;

	text = tracefs_instance_file_read(NULL, path, &size);
	*ret = NULL;
	if (!text)
		return error__return(-EIO, "%s: %s", path, strerror(errno));
	/* libtraceevent keeps the event even if it cannot parse the print format, which is not used here. */
	tep_parse_event(tep, text, size, event->group);
	*ret = tep_find_event_by_name(tep, event->group, event->name);
	return *ret ? 0 : error__return(-EIO, "%s: libtraceevent cannot read it", path);
}
