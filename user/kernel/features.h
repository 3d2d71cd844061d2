/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What this kernel, this caller and this container allow. One table has the name of each feature
 * that may be missing, the message for its absence, and a remedy. A feature is probed once, when it
 * is first asked for. `hytrace features` prints all answers, and code that needs a feature asks
 * here as well, so that the command and the code agree.
 */
#ifndef HYTRACE_KERNEL_FEATURES_H
#define HYTRACE_KERNEL_FEATURES_H

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
	FEATURE_FENTRY_MULTI,
	FEATURE_COVER_PROGRAM,
	FEATURE_MEMLOCK,
	FEATURE_CGROUP,
	/* Abilities of hytrace, each of which needs some of the features above. */
	FEATURE_COVER_ONESHOT,
	FEATURE_COVER_BPF,
	FEATURE_COVER_EVENT,
	FEATURE_EVENT,
	FEATURE_BOOT,
	FEATURE_COUNT,
};

enum feature_state { FEATURE_NO, FEATURE_YES, FEATURE_UNKNOWN };

struct feature_answer {
	enum feature cause;		/* the probed feature: this one, or one that it needs */
	enum feature_state state;
	int err;			/* for a no: -EPERM or -EOPNOTSUPP; otherwise 0 */
	const char *reason;		/* for a no: the reason, or NULL; for a yes: a detail, or NULL */
	const char *remedy;		/* NULL if there is none */
};

/* A word of lower-case letters and dashes. */
const char *feature__name(enum feature f);
/* What the feature is for, in a few words. */
const char *feature__use(enum feature f);
/* The feature with this name; FEATURE_COUNT: there is none. */
enum feature features__find(const char *name);

/**
 * features__ask() - find out whether a feature is there, and if not, why
 * @f: the feature
 *
 * The first call probes it, and later ones repeat the answer. A probe undoes its changes, except
 * that libtracefs mounts tracefs if it is not mounted.
 *
 * Return: the answer, which stays valid.
 */
const struct feature_answer *features__ask(enum feature f);

/* As features__ask(), for a feature that may have changed: it is probed again. */
const struct feature_answer *features__ask_again(enum feature f);
/* Is the feature certainly there? */
bool features__has(enum feature f);

/**
 * features__require() - fail if a feature is missing
 * @f: the feature
 * @who: the part of hytrace that needs it, for the message; NULL: the message does not name it
 *
 * If the answer is not known, this succeeds: using the feature will show it. For this reason, no
 * BPF program is loaded as a test, unless @f is FEATURE_COVER_PROGRAM.
 *
 * Return: 0; or -EPERM or -EOPNOTSUPP after a message with a remedy if it is not there.
 */
int features__require(enum feature f, const char *who);

/**
 * features__refuse() - print the message for a feature that is known to be missing
 * @f: the feature
 * @who: as for features__require()
 *
 * This is for callers that have found it out themselves, for example by reading a file.
 *
 * Return: -EPERM or -EOPNOTSUPP.
 */
int features__refuse(enum feature f, const char *who);

/**
 * features__hint() - say why even root is refused
 * @err: the kernel's answer, a negative errno
 *
 * Return: the end of an error message, which begins with a semicolon; "" if there is no more to
 * say.
 */
const char *features__hint(int err);

#endif
