// SPDX-License-Identifier: GPL-2.0-only
/* Reads patches; see patch.h. */
#include <ctype.h>

#include "affected/patch.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"

/* No file has so many lines, and sums of two do not overflow. */
#define MOST_LINES 1000000000u

const char *const file_kind_words[FILE_KINDS] = { "changed", "new", "deleted", "renamed", "copied" };

const char *patched_file__path(const struct patched_file *f)
{
	return f->new ?: f->old ?: "?";
}

bool path__is_source(const char *path)
{
	size_t length = path ? strlen(path) : 0;

	return length > 2 && path[length - 2] == '.' && strchr("chS", path[length - 1]);
}

bool path__is_header(const char *path)
{
	return path__is_source(path) && path[strlen(path) - 1] == 'h';
}

bool path__is_compiled(const char *path)
{
	return path__is_source(path) && path[strlen(path) - 1] == 'c';
}

void patch__init(struct patch *p)
{
	*p = (struct patch){ .names = strings__new() };
}

void patch__free(struct patch *p)
{
	for (size_t i = 0; i < p->count; i++) {
		for (size_t k = 0; k < p->list[i].count; k++)
			free(p->list[i].list[k].list);
		free(p->list[i].list);
	}
	free(p->list);
	strings__free(p->names);
}

struct patched_file *patch__add(struct patch *p, const char *old, const char *new)
{
	struct patched_file *f = LIST_ADD(p->list, p->count);

	f->old = old ? strings__intern(p->names, old) : NULL;
	f->new = new ? strings__intern(p->names, new) : NULL;
	f->kind = !old ? FILE_NEW : !new ? FILE_DELETED : strcmp(old, new) ? FILE_RENAMED : FILE_CHANGED;
	return f;
}

/* Macros whose first argument has the function's name. Of system calls, the kernel makes a longer one. */
static const struct naming {
	const char *macro, *prefix;
} namings[] = {
	{ "SYSCALL_DEFINE", "__x64_sys_" }, { "COMPAT_SYSCALL_DEFINE", "__ia32_compat_sys_" }, { "BPF_CALL_", "" },
	{ "DEFINE_IDTENTRY", "" }, { "SYM_", "" },
};

char *function__name(const char *name, size_t length, const char *arguments)
{
	size_t used = 0;

	while (isalnum((unsigned char)arguments[used]) || arguments[used] == '_')
		used++;
	for (size_t i = 0; used && i < sizeof(namings) / sizeof(namings[0]); i++) {
		size_t macro = strlen(namings[i].macro);

		if (length >= macro && !memcmp(name, namings[i].macro, macro))
			return xasprintf("%s%.*s", namings[i].prefix, (int)used, arguments);
	}
	return xstrndup(name, length);
}

bool name__is_macro(const char *name)
{
	return *name && !name[strcspn(name, "abcdefghijklmnopqrstuvwxyz")];
}

struct reader {
	struct patch *p;
	const char *path;
	const char *at, *end;
	size_t number;			/* of the line */
	char *line;			/* a copy with a NUL and no line end; NUL bytes in it are spaces */
	char *next[2];			/* the two lines after it */
	bool git;			/* behind a line "diff --git" */
	bool has_file;			/* the last file of @p belongs to this diff */
};

/* ---- lines */

static char *copy_line(const char **at, const char *end)
{
	const char *stop = memchr(*at, '\n', end - *at) ?: end;
	size_t length = stop - *at;
	char *line;

	if (*at == end)
		return NULL;
	if (length && stop[-1] == '\r')
		length--;
	line = xmalloc(length + 1);
	for (size_t i = 0; i < length; i++)
		line[i] = (*at)[i] ?: ' ';
	line[length] = '\0';
	*at = stop < end ? stop + 1 : end;
	return line;
}

static bool next_line(struct reader *r)
{
	free(r->line);
	r->line = r->next[0];
	r->next[0] = r->next[1];
	r->next[1] = copy_line(&r->at, r->end);
	r->number++;
	return r->line;
}

static const char *after(const char *line, const char *start)
{
	size_t length = strlen(start);

	return line && !strncmp(line, start, length) ? line + length : NULL;
}

static bool ends_with(const char *line, const char *end)
{
	size_t length = strlen(line), wanted = strlen(end);

	return length >= wanted && !strcmp(line + length - wanted, end);
}

/* ---- paths */

/* The path at the beginning of @text, which is quoted as in C if it has unusual bytes. @ret_end: where it ends */
static char *read_path(const char *text, const char *ends, const char **ret_end)
{
	static const char letters[] = "abtnvfr", bytes[] = "\a\b\t\n\v\f\r";
	char *path = xmalloc(strlen(text) + 1), *to = path;

	if (*text != '"') {
		size_t length = strcspn(text, ends);

		memcpy(path, text, length);
		path[length] = '\0';
		*ret_end = text + length;
		return path;
	}
	for (text++; *text && *text != '"'; text++) {
		const char *letter;
		unsigned int code;
		int used;

		if (*text != '\\' || !text[1]) {
			*to++ = *text;
		} else if (sscanf(++text, "%3o%n", &code, &used) == 1 && isdigit((unsigned char)*text)) {
			*to++ = (char)code ?: '?';
			text += used - 1;
		} else {
			letter = strchr(letters, *text);
			*to++ = letter ? bytes[letter - letters] : *text;
		}
	}
	*to = '\0';
	*ret_end = *text ? text + 1 : text;
	return path;
}

/* Without the first directory: "a/" of git, or that of a tree that diff -r has compared. */
static const char *strip(const char *path, bool git)
{
	const char *slash = strchr(path, '/');

	if (!strcmp(path, "/dev/null"))
		return NULL;
	if (git && !(slash == path + 1 && strchr("abciow", *path)))
		return path;
	while (slash && slash[1] == '/')
		slash++;
	return slash && slash[1] ? slash + 1 : path;
}

/* "a/x b/x": without quotes, the two paths of git are equal, or else lines "rename" have them. */
static void begin_git(struct reader *r, const char *names)
{
	const char *rest;
	char *old = NULL, *new = NULL;
	size_t length = strlen(names);

	r->git = true;
	if (*names == '"') {
		old = read_path(names, " ", &rest);
		new = read_path(*rest ? rest + 1 : rest, "", &rest);
	} else if (length % 2 && names[length / 2] == ' ') {
		old = xstrndup(names, length / 2);
		new = xstrdup(names + length / 2 + 1);
	}
	patch__add(r->p, old ? strip(old, true) : "?", new ? strip(new, true) : "?");
	r->has_file = true;
	free(old);
	free(new);
}

static struct patched_file *last(struct reader *r)
{
	return &r->p->list[r->p->count - 1];
}

/* Of a diff of git, lines before the hunks tell more about the file that was begun. */
static void set_paths(struct reader *r, const char *old, const char *new)
{
	bool is_known = r->has_file && !last(r)->count;
	struct patched_file *f = patch__add(r->p, old, new);

	if (is_known) {
		f->kind = f->kind == FILE_RENAMED && f[-1].kind == FILE_COPIED ? FILE_COPIED : f->kind;
		f[-1] = *f;
		r->p->count--;
	}
	r->has_file = true;
}

/* ---- hunks */

/*
 * "int (f)(int)" and "int (*f(int))(void)" have the name of the function in the first parenthesis. "int (*f)(int)" is
 * a pointer: returns false.
 */
static bool take_bracketed(const char *open, char **name)
{
	const char *start = open + strspn(open, " *"), *end = start;
	bool pointer = memchr(open, '*', start - open);

	while (isalnum((unsigned char)*end) || *end == '_')
		end++;
	if (end > start && (pointer ? *end == '(' : *end == ')' && end[1] == '(')) {
		free(*name);
		*name = xstrndup(start, end - start);
	}
	return !pointer || *end != ')';
}

/*
 * A line that begins with a letter and has a parenthesis may begin a function. A label, a declaration and a table do
 * not. This is the rule of git for what it writes behind @@, and a bit stricter.
 */
static const char *heading_of(struct reader *r, const char *line)
{
	const char *open = strchr(line, '('), *start;
	size_t length = strlen(line);
	const char *kept;
	char *name;

	while (open && open - line >= 13 && !strncmp(open - 13, "__attribute__", 13))
		open = (open = strstr(open, "))")) ? strchr(open, '(') : NULL;
	if (!open || !(isalpha((unsigned char)*line) || *line == '_') || after(line, "typedef ") ||
	    line[length - 1] == ';' || line[length - 1] == ':' || memchr(line, '=', open - line))
		return NULL;
	while (open > line && open[-1] == ' ')
		open--;
	for (start = open; start > line && (isalnum((unsigned char)start[-1]) || start[-1] == '_');)
		start--;
	if (start == open)
		return NULL;
	name = function__name(start, open - start, open + strspn(open, " ") + 1);
	if (!name__is_macro(name) && !take_bracketed(open + strspn(open, " ") + 1, &name)) {
		free(name);
		return NULL;
	}
	kept = strings__intern(r->p->names, name);
	free(name);
	return kept;
}

static int damaged(const struct reader *r, const char *what)
{
	return error__return(-EINVAL, "%s:%zu: %s: is the patch damaged, or quoted by a mail program?", r->path,
			     r->number, what);
}

/* "12,3", or "12" for "12,1". */
static bool read_range(const char **at, char sign, unsigned int *ret, unsigned int *ret_count)
{
	unsigned long line, count = 1;
	char *end;

	if (**at != sign || !isdigit((unsigned char)(*at)[1]))
		return false;
	line = strtoul(*at + 1, &end, 10);
	if (*end == ',' && isdigit((unsigned char)end[1]))
		count = strtoul(end + 1, &end, 10);
	*at = end;
	*ret = line;
	*ret_count = count;
	return line <= MOST_LINES && count <= MOST_LINES;
}

struct position {
	unsigned int old, new;
	struct heading heading;
	bool fresh;		/* a line that has not changed, or a heading, was before */
};

static void add_changed(struct hunk *h, struct position *pos, char sign)
{
	struct change *c = h->count && !pos->fresh ? &h->list[h->count - 1] : NULL;

	if (!c) {
		c = LIST_ADD(h->list, h->count);
		*c = (struct change){ .old = pos->old, .new = pos->new, .heading = pos->heading };
		pos->fresh = false;
	}
	if (sign == '-')
		c->old_count++;
	else
		c->new_count++;
}

/* A declaration ends with ");", perhaps in one of the next lines. */
static bool is_declared(const struct reader *r, const char *line)
{
	for (int i = 0; i < 2 && ends_with(line, ",") && r->next[i]; i++) {
		line = r->next[i];
		if (ends_with(line, ");"))
			return true;
	}
	return false;
}

/* A line of a hunk without its sign. @sign: '-', '+' or ' ' */
static void read_content(struct reader *r, struct hunk *h, struct position *pos, char sign, const char *content)
{
	const char *name = is_declared(r, content) ? NULL : heading_of(r, content);

	if (name) {
		pos->heading = (struct heading){ name, sign == '+' ? 0 : pos->old, sign == '-' ? 0 : pos->new };
		pos->fresh = true;
	}
	if (sign == ' ')
		pos->fresh = true;
	else
		add_changed(h, pos, sign);
	pos->old += sign != '+';
	pos->new += sign != '-';
	/* The function has ended. What changes next is not in it. */
	if (*content == '}') {
		pos->heading = (struct heading){};
		pos->fresh = true;
	}
}

static int read_lines(struct reader *r, struct hunk *h)
{
	unsigned int old = h->old_count, new = h->new_count;
	/* Of nothing, git has the number of the line before. */
	struct position pos = { h->old + !old, h->new + !new, h->heading, true };

	while (old || new) {
		/* Mail programs remove the space of an empty line. */
		char sign = !next_line(r) ? '\0' : *r->line ?: ' ';

		if (sign == '\\')
			continue;
		if (!strchr(" -+", sign) || !sign || (sign != '+' && !old) || (sign != '-' && !new))
			return damaged(r, "the hunk is not as long as it says");
		old -= sign != '+';
		new -= sign != '-';
		read_content(r, h, &pos, sign, *r->line ? r->line + 1 : r->line);
	}
	return 0;
}

static int read_hunk(struct reader *r, const char *at)
{
	struct patched_file *f = last(r);
	struct hunk h = {};
	int err;

	if (!read_range(&at, '-', &h.old, &h.old_count) || *at++ != ' ' ||
	    !read_range(&at, '+', &h.new, &h.new_count) || !(at = after(at, " @@")))
		return damaged(r, "these are no line numbers");
	h.heading = (struct heading){ heading_of(r, *at ? at + 1 : at), h.old, h.new };
	err = read_lines(r, &h);
	*LIST_ADD(f->list, f->count) = h;
	return err;
}

/* ---- files */

static int read_header(struct reader *r)
{
	const char *at, *rest;
	char *old, *new;

	if ((at = after(r->line, "diff --git "))) {
		begin_git(r, at);
	} else if (after(r->line, "diff ")) {
		r->git = r->has_file = false;
		if (after(r->line, "diff --cc ") || after(r->line, "diff --combined "))
			return error__return(-EINVAL, "%s:%zu: is the diff of a merge with all its parents: give that "
					     "with one of them, as of `git diff COMMIT^ COMMIT`", r->path, r->number);
	} else if (r->has_file && r->git && !last(r)->count && after(r->line, "new file mode ")) {
		set_paths(r, NULL, last(r)->new);
	} else if (r->has_file && r->git && !last(r)->count && after(r->line, "deleted file mode ")) {
		set_paths(r, last(r)->old, NULL);
	} else if (r->has_file && r->git && !last(r)->count &&
		   ((at = after(r->line, "rename from ") ?: after(r->line, "copy from ")))) {
		old = read_path(at, "", &rest);
		set_paths(r, old, last(r)->new);
		if (*r->line == 'c')
			last(r)->kind = FILE_COPIED;
		free(old);
	} else if (r->has_file && r->git && !last(r)->count &&
		   ((at = after(r->line, "rename to ") ?: after(r->line, "copy to ")))) {
		new = read_path(at, "", &rest);
		set_paths(r, last(r)->old, new);
		free(new);
	} else if (r->has_file && r->git && !last(r)->count &&
		   (after(r->line, "GIT binary patch") || after(r->line, "Binary files "))) {
		last(r)->binary = true;
	} else if (after(r->line, "Binary files ") && ends_with(r->line, " differ")) {
		/* "Binary files a/x and b/x differ" of diff -r */
		old = read_path(r->line + strlen("Binary files "), " ", &rest);
		patch__add(r->p, strip(old, false), strip(old, false))->binary = true;
		free(old);
	} else if (after(r->line, "--- ") && after(r->next[0], "+++ ") && after(r->next[1], "@@ ")) {
		old = read_path(r->line + 4, "\t", &rest);
		new = read_path(r->next[0] + 4, "\t", &rest);
		if (!r->git)
			r->has_file = false;
		set_paths(r, strip(old, r->git), strip(new, r->git));
		free(old);
		free(new);
		next_line(r);
	} else if ((at = after(r->line, "@@ "))) {
		if (!r->has_file)
			return damaged(r, "a hunk without a file");
		return read_hunk(r, at);
	}
	return 0;
}

int patch__read(struct patch *p, const char *text, size_t length, const char *path)
{
	struct reader r = { .p = p, .path = path, .at = text, .end = text + length };
	size_t had = p->count;
	int err = 0;

	for (int i = 0; i < 2; i++)
		r.next[i] = copy_line(&r.at, r.end);
	while (!err && next_line(&r))
		err = read_header(&r);
	free(r.line);
	free(r.next[0]);
	free(r.next[1]);
	if (!err && p->count == had)
		err = error__return(-EINVAL, "%s: has no patch: give what `git diff`, `git format-patch` or `diff -u` "
				    "prints", path);
	return err;
}
