/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which options of a configuration can go.
 *
 * Options are set to n that own objects, and of which nothing ran, or only code that is freed after the boot. One
 * goes only if all that is wanted stays: what was proved to run at run time, and what a list keeps. And nothing may
 * come on by it, nor may a number or a text become another one. All candidates are tried at once; if something wanted
 * is lost, the first half is tried, and then the second half with what went of the first one, and so on. This finds
 * what trying one after the other would find, unless an option that is refused would be allowed together with another
 * one. Those with most code come first: if one of several selectors must stay, the smallest stays.
 *
 * After that, some options can be set to n that were selected before. So this is repeated until nothing more can go.
 */
#ifndef HYTRACE_TAILOR_SELECT_H
#define HYTRACE_TAILOR_SELECT_H

#include "tailor/evidence.h"
#include "tailor/kconfig.h"
#include "tailor/keep.h"

enum fate {
	FATE_DROPPED,		/* it was set to n */
	FATE_WENT,		/* it went with others: by its dependencies, or nobody selects it any more */
	FATE_PUT_BACK,		/* something that stays would be lost, or come on */
	FATE_LISTED,		/* a list keeps it */
	FATE_PROVED,		/* it ran */
	FATE_LEFT,		/* it owns no object, or nothing of it can be seen */
	FATE_NEEDED,		/* nobody can set it to n: others select it, it has no prompt, or it is of a choice */
	FATES,
};

/* In words: "dropped", "went", "put back", "listed", "proved", "left", "needed". */
extern const char *const fate_words[];

struct decision {
	const char *name;
	char before, after;		/* 'n', 'm' or 'y' */
	bool changeable;		/* a person can set it to n at first, with EXPERT */
	bool choice;			/* it is a member of a choice; these stay as they are */
	enum fate fate;
	const struct option_facts *facts;	/* NULL: it owns nothing, and nothing proves it */
	const struct keep *keep;	/* FATE_LISTED */
	const char *because;		/* FATE_PUT_BACK: the option that would be lost or come on */
	char because_from, because_to;	/* what would happen to it */
};

struct selection {
	struct decision *list;		/* the options that were on, by name */
	size_t count;
	size_t on_before, on_after;	/* options that are y or m in .config */
	size_t changeable;		/* those of them that a person can set to n at first */
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
