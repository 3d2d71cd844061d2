/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What this kernel, this caller and this container allow: one table, in which each thing that may be missing has
 * its name, the words for its absence, and a remedy. A thing is asked for when somebody wants to know it, and once:
 * `hytrace features` prints all answers, and what needs one of them asks here, so that both say the same.
 */
#ifndef HYTRACE_KERNEL_FEATURES_H
#define HYTRACE_KERNEL_FEATURES_H

#include <stdbool.h>
#include <stddef.h>

enum feature {
	FEATURE_CAPABILITIES,
	FEATURE_LOCKDOWN,
	FEATURE_TRACEFS,
	FEATURE_FTRACE,
	FEATURE_FUNCTIONS,
	FEATURE_FUNCTION_ADDRESSES,
	FEATURE_ADDRESSES,
	FEATURE_LINKED,
	FEATURE_VMLINUX,
	FEATURE_ONESHOT,
	FEATURE_RETIRE,
	FEATURE_EARLY,
	FEATURE_EVENTS,
	FEATURE_BTF,
	FEATURE_JIT,
	FEATURE_KPROBE_MULTI,
	FEATURE_FENTRY,
	FEATURE_MEMLOCK,
	FEATURE_CGROUP,
	/* What hytrace does, each of which needs some of the ones above. */
	FEATURE_COVER_ONESHOT,
	FEATURE_COVER_BPF,
	FEATURE_COVER_EVENT,
	FEATURE_EVENT,
	FEATURE_BOOT,
	FEATURE_COUNT,
};

enum feature_state { FEATURE_NO, FEATURE_YES, FEATURE_UNKNOWN };

struct feature_answer {
	enum feature cause;		/* what the answer is about: the feature itself, or one that it needs */
	enum feature_state state;
	int err;			/* if it is no: -EPERM or -EOPNOTSUPP, else 0 */
	const char *reason;		/* of a no; NULL if there is none. Of a yes: a detail, or NULL */
	const char *remedy;		/* NULL if there is none */
};

/**
 * feature__name() - what it is called in the table
 * @f: the feature
 *
 * Return: a word of lower-case letters and dashes.
 */
const char *feature__name(enum feature f);

/**
 * feature__use() - what it is good for
 * @f: the feature
 *
 * Return: a few words.
 */
const char *feature__use(enum feature f);

/**
 * features__find() - a feature by its name
 * @name: as feature__name() has it
 *
 * Return: the feature; FEATURE_COUNT: there is none of that name.
 */
enum feature features__find(const char *name);

/**
 * features__ask() - whether it is there, and if not, why
 * @f: the feature
 *
 * The first call tries it out, later ones repeat the answer. Nothing is changed for longer than that takes, except
 * that libtracefs mounts tracefs where it is not.
 *
 * Return: the answer, which stays.
 */
const struct feature_answer *features__ask(enum feature f);

/**
 * features__ask_again() - the same, of one that may have changed meanwhile
 * @f: the feature
 *
 * Return: the answer of now.
 */
const struct feature_answer *features__ask_again(enum feature f);

/**
 * features__has() - whether it is there for certain
 * @f: the feature
 *
 * Return: true if the answer is yes.
 */
bool features__has(enum feature f);

/**
 * features__require() - ends what cannot work
 * @f: the feature
 * @who: what needs it, the beginning of the message; NULL: it needs no saying
 *
 * What is unknown is not refused: trying will tell.
 *
 * Return: 0; or -EPERM or -EOPNOTSUPP if it is not there, which is said, with the remedy.
 */
int features__require(enum feature f, const char *who);

/**
 * features__refuse() - the message of one that is known not to be there
 * @f: the feature
 * @who: as above
 *
 * For who has found out by himself, as when reading a file. The words are those of the table.
 *
 * Return: -EPERM or -EOPNOTSUPP.
 */
int features__refuse(enum feature f, const char *who);

/**
 * features__hint() - why even root is refused
 * @err: what the kernel has answered, a negative errno
 *
 * Return: the end of an error message, which begins with a semicolon; "" if there is no more to say.
 */
const char *features__hint(int err);

#endif
