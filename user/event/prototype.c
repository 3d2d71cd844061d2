// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finds an event's name in its prototype, or gives it one; see prototype.h.
 *
 *	[RETTYPE] [MODULE ':'] FUNC '(' [ARGS] ')' ['as' [GROUP '/'] NAME]
 *
 * FUNC is the last word before the first parenthesis, and `as` comes after the last parenthesis. A
 * line of another form is not changed: the kernel says what is wrong with it.
 */
#include <ctype.h>

#include "base/error.h"
#include "base/index.h"
#include "base/memory.h"
#include "event/prototype.h"

#define BLANKS " \t\r"
/* The longest name that the kernel allows. */
#define LONGEST_NAME 127
/* The longest part of a name that is kept when a number is appended. */
#define LONGEST_NUMBERED (LONGEST_NAME - 11)

/* A part of a text. */
struct piece {
	const char *start;
	size_t length;
};

static bool is_function_char(char c)
{
	return isalnum((unsigned char)c) || (c && strchr("_.*?[]!^-", c));
}

static struct piece find_function(const char *text)
{
	const char *end = strchr(text, '('), *start;

	if (!end)
		end = text + strlen(text);
	while (end > text && strchr(BLANKS, end[-1]))
		end--;
	for (start = end; start > text && is_function_char(start[-1]); start--)
		;
	return (struct piece){ start, end - start };
}

/* The text after the parentheses; NULL: they are not closed. */
static const char *find_tail(const char *text)
{
	const char *end = strrchr(text, ')');

	return end ? end + 1 + strspn(end + 1, BLANKS) : NULL;
}

/* The text after `as`, [GROUP/]NAME; NULL: there is none. */
static const char *find_as(const char *text)
{
	const char *tail = find_tail(text);

	if (!tail || strncmp(tail, "as", 2) || !tail[2] || !strchr(BLANKS, tail[2]))
		return NULL;
	tail += 2;
	return tail + strspn(tail, BLANKS);
}

/*
 * Names an event after its function, as the kernel does, with '_' for '.'. A glob becomes the part
 * that all matching functions have in common, with "any" in the place of wildcards.
 */
static char *name_after(const struct piece *function)
{
	char *name = xmalloc(strlen("any") * function->length + sizeof("event"));
	size_t used = 0;

	for (size_t i = 0; i < function->length; i++) {
		char c = function->start[i];

		if (c == '*')
			used += sprintf(name + used, "any");
		else
			name[used++] = isalnum((unsigned char)c) ? c : '_';
	}
	name[used] = '\0';
	if (!used || isdigit((unsigned char)name[0]))
		strcpy(name, "event");
	return name;
}

static void prototype__parse(struct prototype *p, const char *text, size_t length)
{
	const char *as, *slash;

	p->text = xstrndup(text, length);
	p->line = xstrdup(p->text);
	as = find_as(p->text);
	slash = as ? strchr(as, '/') : NULL;
	p->group = slash ? xstrndup(as, slash - as) : xstrdup(PROTOTYPE_GROUP);
	if (as) {
		p->name = xstrdup(slash ? slash + 1 : as);
	} else {
		struct piece function = find_function(p->text);

		p->name = name_after(&function);
	}
}

static int add_line(struct prototypes *protos, const char *text, size_t length)
{
	if (*text == '!')
		return error__return(-EINVAL, "'%.*s': this is no prototype; `hytrace event rm` removes "
				     "events", (int)length, text);
	prototype__parse(LIST_ADD(protos->list, protos->count), text, length);
	return 0;
}

int prototypes__add(struct prototypes *protos, const char *argument)
{
	size_t before = protos->count, length;
	int err = 0;

	for (const char *line = argument; !err; line += length) {
		size_t used;

		line += strspn(line, BLANKS "\n");
		if (!*line)
			break;
		length = used = strcspn(line, "\n");
		while (strchr(BLANKS, line[used - 1]))
			used--;
		if (*line != '#')
			err = add_line(protos, line, used);
	}
	if (!err && protos->count == before)
		err = error__return(-EINVAL, "'%s': this is no prototype; write one like "
				    "'vfs_read(NULL, NULL, size_t count)'", argument);
	return err;
}

/* @taken: names of other events */
static void number_name(struct prototype *p, struct lh_table *taken)
{
	char *name = NULL;

	if (strlen(p->name) > LONGEST_NAME)
		p->name[LONGEST_NAME] = '\0';
	for (int n = 2; lh_table_lookup_entry(taken, name ? name : p->name); n++) {
		free(name);
		name = xasprintf("%.*s_%d", LONGEST_NUMBERED, p->name, n);
	}
	if (name) {
		free(p->name);
		p->name = name;
	}
	index__add(taken, p->name, NULL);
}

static void move_to(struct prototype *p, const char *group)
{
	const char *as = find_as(p->text);

	free(p->line);
	free(p->group);
	if (as)
		p->line = xasprintf("%.*s%s/%s", (int)(as - p->text), p->text, group, as);
	else
		p->line = xasprintf("%s as %s/%s", p->text, group, p->name);
	p->group = xstrdup(group);
}

void prototypes__privatize(struct prototypes *protos, const char *group)
{
	struct lh_table *taken = index__new(2 * protos->count + 1, NULL);

	/* Names that the user gave come first. Other events then get names that are free. */
	for (size_t i = 0; i < protos->count; i++) {
		const char *as = find_as(protos->list[i].text);

		protos->list[i].own = as && !strchr(as, '/');
		if (protos->list[i].own)
			index__add(taken, protos->list[i].name, NULL);
	}
	for (size_t i = 0; i < protos->count; i++) {
		struct prototype *p = &protos->list[i];
		const char *tail = find_tail(p->text);

		if (tail && !*tail) {
			number_name(p, taken);
			p->own = true;
		}
		if (p->own)
			move_to(p, group);
	}
	lh_table_free(taken);
}

char *prototypes__join(const struct prototypes *protos)
{
	char *text = NULL;
	size_t size;
	FILE *f = xopen_memstream(&text, &size);

	for (size_t i = 0; i < protos->count; i++)
		fprintf(f, "%s\n", protos->list[i].line);
	xclose_memstream(f);
	return text;
}

void prototypes__free(struct prototypes *protos)
{
	for (size_t i = 0; i < protos->count; i++) {
		free(protos->list[i].text);
		free(protos->list[i].line);
		free(protos->list[i].group);
		free(protos->list[i].name);
	}
	free(protos->list);
	memset(protos, 0, sizeof(*protos));
}
