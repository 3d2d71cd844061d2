/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Prototypes of function events, parsed only as far as the loader needs it: which event a line
 * makes. The kernel parses the text in the parentheses, and finds every mistake in it.
 */
#ifndef HYTRACE_EVENT_PROTOTYPE_H
#define HYTRACE_EVENT_PROTOTYPE_H

/* The group of an event if its line names no group. */
#define PROTOTYPE_GROUP "functions"

/**
 * struct prototype - one line
 * @text: the line as the user gave it
 * @line: the line as the kernel gets it
 * @group: the event's group
 * @name: the event's name
 * @own: the group is this run's own: no other user has events in it
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
 * prototypes__add - add an argument, or a line that the kernel has printed
 * @protos: the list
 * @argument: one prototype, or several with a line each; empty lines and comments are skipped
 *
 * Returns 0, or -EINVAL after a message if it has no prototype or asks for a removal.
 */
int prototypes__add(struct prototypes *protos, const char *argument);

/**
 * prototypes__privatize - put the events into a group of their own
 * @protos: the list
 * @group: the group
 *
 * Events with a group or a name keep it. Other events are named after their functions; a number is
 * appended if several would have the same name.
 */
void prototypes__privatize(struct prototypes *protos, const char *group);

/* All lines with their newlines as one text; to be freed. */
char *prototypes__join(const struct prototypes *protos);

void prototypes__free(struct prototypes *protos);

#endif
