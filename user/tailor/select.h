/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which options of a configuration can go.
 *
 * An option may go if it owns objects, and nothing of it ran, or only code that is freed after the boot. It goes only
 * if all that is wanted stays (what was proved to run at run time, and what a list keeps), if nothing comes on by it,
 * and if no number or string changes. All candidates are tried at once. If this is refused, the first half is tried,
 * then the second half on top of what went with the first, and so on. This finds what trying one after the other would
 * find, unless an option that is refused would be allowed together with another one. Options with most code come
 * first: if one of several selectors must stay, the smallest stays.
 *
 * After that, some options that were selected before can be set to n. So this is repeated until nothing more can go.
 */
#ifndef HYTRACE_TAILOR_SELECT_H
#define HYTRACE_TAILOR_SELECT_H

#include "tailor/evidence.h"
#include "tailor/kconfig.h"
#include "tailor/keep.h"

enum fate {
	FATE_DROPPED,		/* it was set to n */
	FATE_WENT,		/* it went with others: its dependencies are off, or nothing selects it any more */
	FATE_PUT_BACK,		/* without it, a wanted option would be lost, or another one would come on */
	FATE_LISTED,		/* a list keeps it */
	FATE_PROVED,		/* it ran */
	FATE_LEFT,		/* it owns no object, or nothing of it can be seen */
	FATE_NEEDED,		/* it cannot be set to n: it is selected, has no prompt, or is of a choice */
	FATES,
};

/* In words: "dropped", "went", "put back", "listed", "proved", "left", "needed". */
extern const char *const fate_words[];

struct decision {
	const char *name;
	char before, after;		/* 'n', 'm' or 'y' */
	bool changeable;		/* a person can set it to n at first, with EXPERT */
	bool choice;			/* it is a member of a choice; choices stay as they are */
	enum fate fate;
	const struct option_facts *facts;	/* NULL: it owns nothing, and nothing proves it */
	const struct keep *keep;	/* FATE_LISTED */
	const char *because;		/* FATE_PUT_BACK: the option that would be lost or come on */
	char because_from, because_to;	/* as in struct change: what would happen to @because */
};

struct selection {
	struct decision *list;		/* the options that were on, by name */
	size_t count;
	size_t on_before, on_after;	/* options that are y or m in .config */
	size_t changeable;		/* how many of @on_before a person can set to n at first */
	size_t candidates, rounds;
	const char **expert;		/* options that came on with EXPERT, and cannot be off with it */
	size_t expert_count;
	size_t lost, came;		/* wanted options that are off now; options that are newly on: both 0 */
	char *config;			/* the text of the new configuration */
};

/**
 * selection__make() - find what can go
 * @ret: to be freed by selection__free(), even after a failure
 * @k: the configuration with which the documents were recorded
 * @evidence: what the documents say; it must live as long
 * @keeps: what is kept; they must live as long
 * @all: options that own no object, or that cannot be seen, can go as well
 *
 * Return: 0, or a negative errno after a message.
 */
int selection__make(struct selection *ret, struct kconfig *k, const struct evidence *evidence,
		    const struct keeps *keeps, bool all);
void selection__free(struct selection *s);

/* For qsort(): pointers to decisions, those with most code first. */
int decision__by_bytes(const void *a, const void *b);

/* Does an object go? One of its needs has no option that is still on. */
bool selection__drops(const struct selection *s, const struct owned *object);

#endif
