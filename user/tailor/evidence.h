/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What documents say of the objects and the options of a kernel.
 *
 * Each recorded address lies in an object, and so proves what the object needs. It also proves the options of the #if
 * blocks around its line, and around the calls whose bodies were inlined there. Return addresses prove code that cannot
 * be traced itself, or that was inlined.
 *
 * What cannot be traced at all, and what only data need, is not seen by this. Nor is what only rare cases need: errors,
 * lack of memory, attacks, other hardware.
 */
#ifndef HYTRACE_TAILOR_EVIDENCE_H
#define HYTRACE_TAILOR_EVIDENCE_H

#include "report/documents.h"
#include "report/images.h"
#include "tailor/conditions.h"
#include "tailor/owners.h"

/* The strongest first. */
enum seen {
	SEEN_RUN,		/* in a workload */
	SEEN_BOOT,		/* while the kernel booted, in code that stays */
	SEEN_INIT,		/* only in code that is freed after the boot; its effect may be needed */
	SEEN_NEVER,		/* it could have been seen, and was not */
	SEEN_BLIND,		/* nothing of it can be seen */
};

/* In words: "used", "boot only", "init only", "never ran", "cannot be seen". */
extern const char *const seen_words[];

/* The best evidence: the first of the strongest kind. */
struct witness {
	enum seen in;
	const char *function;	/* with the address; NULL: unknown */
	const char *place;	/* the object, or the file with the line */
	unsigned int line;	/* 0: the object is meant */
	const char *document;	/* its label */
	const char *module;	/* it was loaded, and imports @function, if there is one; NULL: the code itself ran */
};

struct object_facts {
	const struct owned *owned;
	/* The linker takes from a lib.a only what is needed, or nothing. What is not in vmlinux counts nowhere. */
	bool linked;
	size_t functions, traceable;
	size_t staying;		/* those that can be traced and are not freed after the boot */
	uint64_t bytes;		/* of its functions */
	struct witness witness;
};

struct option_facts {
	const char *name;	/* "EPOLL" */
	size_t objects, functions, traceable, staying;	/* in objects that need it */
	uint64_t bytes;
	struct witness witness;	/* by its objects and its lines */
};

struct evidence {
	struct object_facts *objects;	/* as owners.list */
	struct option_facts *options;	/* by name; only those that own an object or were proved */
	size_t option_count;
	size_t addresses, unattributed;	/* of the documents; those in no object that Kbuild knows */
	char *an_unattributed;
	size_t units, unowned_count;	/* compiled files of vmlinux; those that Kbuild does not know */
	const char **unowned;		/* their paths */
};

/**
 * evidence__collect() - find what documents prove
 * @ret: to be freed by evidence__free(), even after a failure
 * @documents: of one build
 * @images: the files of that build; inlined bodies are read
 * @owners: the owners of its objects
 * @k: its options
 * @lossy: go on without the file of a module that Kbuild does not know
 *
 * All arguments must live as long as the evidence.
 *
 * Return: 0, or a negative errno after a message.
 */
int evidence__collect(struct evidence *ret, const struct documents *documents, struct images *images,
		      const struct owners *owners, struct kbuild *k, bool lossy);
void evidence__free(struct evidence *e);

/* NULL: it owns nothing, and nothing proves it. */
const struct option_facts *evidence__option(const struct evidence *e, const char *name);

#endif
