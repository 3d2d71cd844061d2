/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Pseudo prototypes of function events, taken apart as far as the loader has to: which event a line
 * makes. What is in the parentheses is the kernel's business, and so is every mistake in it.
 */
#ifndef HYTRACE_EVENT_PROTOTYPE_H
#define HYTRACE_EVENT_PROTOTYPE_H

#include <stdbool.h>
#include <stddef.h>

/* Of an event that names none. */
#define PROTOTYPE_GROUP "functions"

/**
 * struct prototype - one line
 * @text: as it was given
 * @line: as the kernel gets it
 * @group: of the event that it makes
 * @name: of the event
 * @own: the group is this run's own, nobody else has events there
 */
struct prototype {
	char *text;
	char *line;
	char *group;
	char *name;
	bool own;
};

struct prototypes {
	struct prototype *list;
	size_t count;
};

/**
 * prototypes__add - adds an argument, or a line that the kernel has printed
 * @protos: the list
 * @argument: one prototype, or several, a line each; empty lines and comments are skipped
 *
 * Returns 0; -EINVAL, said, if it holds no prototype, or asks for a removal.
 */
int prototypes__add(struct prototypes *protos, const char *argument);

/**
 * prototypes__privatize - puts the events into a group of their own
 * @protos: the list
 * @group: the group
 *
 * An event that was given a group keeps it, and one that was given a name keeps that. Others are named
 * after their functions, with a number where that would be the same name twice.
 *
 * Returns 0 or -ENOMEM.
 */
int prototypes__privatize(struct prototypes *protos, const char *group);

/* All lines, each with its end, as one text to be written; NULL: no memory. */
char *prototypes__join(const struct prototypes *protos);

void prototypes__free(struct prototypes *protos);

#endif
