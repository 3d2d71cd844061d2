/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which options of a configuration can go.
 *
 * An option is a candidate if it owns objects of which nothing ran, or only code that is freed
 * after the boot. It goes only if all wanted options stay (those that ran, and those that a list
 * keeps), if no option comes on, and if no number or string changes. All candidates are tried at
 * once. If this is refused, the first half is tried, then, without the options that went, the
 * second half, and so on. The result is that of trying one option after the other, unless a refused
 * option would be allowed with another one. Largest first: the smallest of several selectors stays.
 *
 * This may make options changeable that were selected. So it is repeated until no more can go.
 */
#ifndef HYTRACE_TAILOR_SELECT_H
#define HYTRACE_TAILOR_SELECT_H

#include "tailor/evidence.h"
#include "tailor/kconfig.h"
#include "tailor/keep.h"

enum fate {
	FATE_DROPPED,		/* it was set to n */
	FATE_WENT,		/* its dependencies went, or all options that select it */
	FATE_PUT_BACK,		/* without it, a wanted option would go, or one would come on */
	FATE_LISTED,		/* a list keeps it */
	FATE_PROVED,		/* it ran */
	FATE_LEFT,		/* it owns no object, or nothing of it can be seen */
	FATE_NEEDED,		/* it cannot be n: it is selected, in a choice, or has no prompt */
	FATES,
};

/* In words: "dropped", "went", "put back", "listed", "proved", "left", "needed". */
extern const char *const fate_words[];

struct decision {
	const char *name;
	char before, after;		/* 'n', 'm' or 'y' */
	bool changeable;		/* in the first round, with EXPERT, it can be set to n */
	bool choice;			/* it is a member of a choice; choices stay as they are */
	enum fate fate;
	const struct option_facts *facts;	/* NULL: it owns nothing, and nothing proves it */
	const struct keep *keep;	/* FATE_LISTED */
	const char *because;		/* FATE_PUT_BACK: the option that would change */
	char because_from, because_to;	/* the change of @because, as in struct change */
};

struct selection {
	struct decision *list;		/* the options that were on, by name */
	size_t count;
	size_t on_before, on_after;	/* options that are y or m in .config */
	size_t changeable;		/* options whose decision.changeable is set */
	size_t candidates, rounds;
	const char **expert;		/* options that EXPERT turns on and that stay on */
	size_t expert_count;
	size_t lost, came;		/* 0 without a bug: wanted options that are off, new ones */
	char *config;			/* the text of the new configuration */
};

/**
 * selection__make() - find the options that can go
 * @ret: to be freed by selection__free(), even after a failure
 * @k: the configuration with which the documents were recorded
 * @evidence: the evidence of the documents; must outlive @ret
 * @keeps: the lists of options to keep; must outlive @ret
 * @all: options that own no object, or that cannot be seen, can go as well
 *
 * Return: 0, or a negative errno after a message.
 */
int selection__make(struct selection *ret, struct kconfig *k, const struct evidence *evidence,
		    const struct keeps *keeps, bool all);
void selection__free(struct selection *s);

/* For qsort() of pointers to decisions: options with most code first. */
int decision__by_bytes(const void *a, const void *b);

/* Does an object go? One of its needs has no option that is still on. */
bool selection__drops(const struct selection *s, const struct owned *object);

#endif
