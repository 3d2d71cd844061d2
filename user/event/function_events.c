// SPDX-License-Identifier: GPL-2.0-only
/* Access to the file function_events; see function_events.h. */
#include <fcntl.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <tracefs.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "event/error_log.h"
#include "event/function_events.h"
#include "kernel/features.h"

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
	char *picture = log_entry__picture(e);

	error__print("%.*s%s%.*s\n%s", (int)e->message_length, e->message,
		     e->detail_length ? ": " : "", (int)e->detail_length, e->detail, picture);
	free(picture);
}

/* @before: the log before the write, whose entries are about other writes */
static bool print_complaint(const char *before, const struct prototypes *protos)
{
	struct log_entry entry, old;
	char *log = read_log();
	bool found;

	found = log && !error_log__last(log, FILE_NAME, &entry);
	if (found && before && !error_log__last(before, FILE_NAME, &old) &&
	    same_entry(&entry, &old))
		found = false;
	if (found) {
		shorten(&entry, protos);
		print_entry(&entry);
	}
	free(log);
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
	char *path = tracefs_get_tracing_file(FILE_NAME), *before = read_log();
	size_t length = strlen(text);
	ssize_t written;
	int fd, err = 0;

	fd = path ? open(path, O_WRONLY | O_APPEND | O_CLOEXEC) : -1;
	if (fd < 0) {
		err = explain(-errno, before, protos);
		goto cleanup;
	}
	written = write(fd, text, length);
	if (written < 0)
		err = explain(-errno, before, protos);
	else if ((size_t)written != length)
		err = error__return(-EIO, "%s: took %zd of %zu bytes: too many events at once", path,
				    written, length);
	close(fd);
cleanup:
	tracefs_put_tracing_file(path);
	free(before);
	return err;
}

/* ---- making and removing */

int function_events__add(const struct prototypes *protos)
{
	char *text = prototypes__join(protos);
	int err = write_whole(text, protos);

	free(text);
	return err;
}

char *function_event__path(const struct prototype *event, const char *file)
{
	return xasprintf("events/%s/%s/%s", event->group, event->name, file);
}

static bool exists(const struct prototype *event)
{
	char *path = function_event__path(event, "enable");
	bool found = tracefs_file_exists(NULL, path);

	free(path);
	return found;
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
			err = guard__add_event(guard, p->group, p->name);
	}
	return err ? err : function_events__add(protos);
}

int function_events__load(struct prototypes *ret)
{
	char *text;
	int err = 0;

	/* An empty file gives no text either, but is not an error. */
	errno = 0;
	text = tracefs_instance_file_read(NULL, FILE_NAME, NULL);
	if (!text && !errno)
		return 0;
	if (!text)
		return error__return(errno == EPERM ? -EPERM : -EIO, FILE_NAME ": %s%s",
				     strerror(errno), features__hint(-errno));
	if (text[strspn(text, " \n")])
		err = prototypes__add(ret, text);
	free(text);
	return err;
}

static bool matches(const struct prototype *event, const char *pattern)
{
	const char *slash = strchr(pattern, '/');
	char *group;
	bool match;

	if (!slash)
		return !strcmp(event->group, PROTOTYPE_GROUP) && !fnmatch(pattern, event->name, 0);
	group = xstrndup(pattern, slash - pattern);
	match = !fnmatch(group, event->group, 0) && !fnmatch(slash + 1, event->name, 0);
	free(group);
	return match;
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
	char *text = NULL;
	size_t size;
	FILE *f = xopen_memstream(&text, &size);
	int err;

	for (size_t i = 0; i < events->count; i++) {
		if (chosen[i])
			fprintf(f, "!%s/%s\n", events->list[i].group, events->list[i].name);
	}
	xclose_memstream(f);
	err = write_whole(text, NULL);
	free(text);
	return err;
}

/* ---- the files of an event */

bool function_event__number(const struct prototype *event, const char *file, uint64_t *ret)
{
	char *path = function_event__path(event, file), *text = tracefs_instance_file_read(NULL, path, NULL), *end;

	free(path);
	if (!text)
		return false;
	*ret = strtoull(text, &end, 0);
	free(text);
	return end != text;
}

int function_event__format(const struct prototype *event, struct tep_handle *tep,
			   struct tep_event **ret)
{
	char *path = function_event__path(event, "format"), *text;
	int size, err = 0;

	text = tracefs_instance_file_read(NULL, path, &size);
	*ret = NULL;
	if (!text) {
		err = error__return(-EIO, "%s: %s", path, strerror(errno));
	} else {
		/*
		 * libtraceevent keeps the event even if it cannot parse the print format, which is
		 * not used here.
		 */
		tep_parse_event(tep, text, size, event->group);
		*ret = tep_find_event_by_name(tep, event->group, event->name);
		if (!*ret)
			err = error__return(-EIO, "%s: libtraceevent cannot read it", path);
	}
	free(path);
	free(text);
	return err;
}
