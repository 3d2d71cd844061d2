/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Patches: which lines of which files they change. Reads unified diffs of git and of diff -u, one after the other and
 * with any text between them, as in a mailbox. A patch may come from anybody.
 */
#ifndef HYTRACE_AFFECTED_PATCH_H
#define HYTRACE_AFFECTED_PATCH_H

#include "base/memory.h"

/* A line of a patch that looks like the first line of a function. */
struct heading {
	const char *name;		/* NULL: there is none */
	unsigned int old, new;		/* its lines; 0: it is not on this side; of a line behind @@, both */
};

/* Lines that follow each other and are all changed. */
struct change {
	/* The first line on each side; if it has no line there, the line before which it would be. */
	unsigned int old, old_count, new, new_count;
	struct heading heading;		/* the last one before or at the first line */
};

/* Is a change in lines @start to @end? Lines that are not there are between two lines: both must be among them. */
static inline bool lines__have(unsigned int start, unsigned int end, unsigned int line, unsigned int count)
{
	return count ? start < line + count && line <= end : start < line && line <= end;
}

struct hunk {
	unsigned int old, old_count, new, new_count;	/* as behind @@ */
	struct heading heading;		/* that behind @@ */
	struct change *list;
	size_t count;
};

enum file_kind {
	FILE_CHANGED,
	FILE_NEW,
	FILE_DELETED,
	FILE_RENAMED,		/* perhaps also changed */
	FILE_COPIED,		/* the same, and the old one stays: all functions are new */
	FILE_KINDS
};

struct patched_file {
	const char *old, *new;		/* paths from the top of the source; NULL: it is not on this side */
	enum file_kind kind;
	bool binary;			/* changed without lines */
	struct hunk *list;
	size_t count;
};

struct patch {
	struct patched_file *list;
	size_t count;
	struct strings *names;
};

extern const char *const file_kind_words[FILE_KINDS];
/* The path on the new side, or on the old one if it has been deleted. */
const char *patched_file__path(const struct patched_file *f);
/* May it have code? @path: NULL: no */
bool path__is_source(const char *path);
bool path__is_header(const char *path);
/* Is it a file of C that is compiled by itself, and no header? */
bool path__is_compiled(const char *path);

/*
 * The name of a function that is written as @name(@arguments, to be freed. If @name is a macro, such as SYSCALL_DEFINE3
 * with read, it is what the macro makes of them: __x64_sys_read.
 */
char *function__name(const char *name, size_t length, const char *arguments);

/*
 * Is the name of a function that of the macro that makes it, so that its own is not known? Functions of the kernel have
 * small letters.
 */
bool name__is_macro(const char *name);

void patch__init(struct patch *p);
void patch__free(struct patch *p);

/**
 * patch__read() - add what a text changes
 * @p: the patch
 * @text: the text, which need not end with a NUL
 * @length: its length
 * @path: for messages
 *
 * Return: 0, or -EINVAL after a message: there is no diff in it, or a hunk is not as long as it says.
 */
int patch__read(struct patch *p, const char *text, size_t length, const char *path);

/* Adds a file of which only the path is known. */
struct patched_file *patch__add(struct patch *p, const char *old, const char *new);

#endif
