/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The evidence of recordings that objects and options of a kernel are used.
 *
 * Each recorded address lies in an object, and proves that the object's options are used. It also
 * proves the options of the #if blocks around its line, and around the calls whose inlined bodies
 * it lies in. Return addresses prove code that cannot be traced itself, or that was inlined.
 *
 * Some code leaves no such evidence: code that cannot be traced, objects that have only data, and
 * code for rare cases: errors, lack of memory, attacks, other hardware.
 */
#ifndef HYTRACE_TAILOR_EVIDENCE_H
#define HYTRACE_TAILOR_EVIDENCE_H

#include "report/documents.h"
#include "report/images.h"
#include "tailor/conditions.h"
#include "tailor/owners.h"

/* The strongest first. */
enum seen {
	SEEN_RUN,		/* it ran in a workload, or its module was loaded */
	SEEN_BOOT,		/* while the kernel booted, in code that stays */
	SEEN_INIT,		/* only in code that is freed after the boot; its effect may be needed */
	SEEN_NEVER,		/* it can be recorded, but was not */
	SEEN_BLIND,		/* none of its functions can be recorded */
};

/* In words: "used", "boot only", "init only", "never ran", "cannot be seen". */
extern const char *const seen_words[];

/* The best evidence: the first of the strongest kind. */
struct witness {
	enum seen in;
	const char *function;	/* contains the address; NULL: unknown */
	const char *place;	/* the object, or the file with the line */
	unsigned int line;	/* the line in the file @place; 0: @place is an object */
	const char *document;	/* label of the recording */
	const char *module;	/* was loaded, and imports @function if set; NULL: the code ran */
};

struct object_facts {
	const struct owned *owned;
	/* False: the linker did not take this member of a lib.a into vmlinux. It counts nowhere. */
	bool linked;
	size_t functions, traceable;
	size_t staying;		/* traceable functions that are not freed after the boot */
	uint64_t bytes;		/* the size of its functions */
	struct witness witness;
};

struct option_facts {
	const char *name;	/* "EPOLL" */
	size_t objects, functions, traceable, staying;	/* sums over the objects that need it */
	uint64_t bytes;
	struct witness witness;	/* from its objects and its lines */
};

struct evidence {
	struct object_facts *objects;	/* in the order of owners.list */
	struct option_facts *options;	/* by name, if they own an object or were proved */
	size_t option_count;
	size_t addresses, unattributed;	/* recorded addresses; those in no object of Kbuild's */
	char *an_unattributed;
	size_t units, unowned_count;	/* compiled files of vmlinux; how many of them Kbuild does not know */
	const char **unowned;		/* their paths */
};

/**
 * evidence__collect() - find which objects and options are used
 * @ret: to be freed by evidence__free(), even after a failure
 * @documents: recordings of one build
 * @images: the files of that build; their inlined bodies are read
 * @owners: the owners of its objects
 * @k: the build, with the options that are set
 * @lossy: go on without the file of a module that Kbuild does not know
 *
 * All arguments must live as long as the evidence.
 *
 * Return: 0, or a negative errno after a message.
 */
int evidence__collect(struct evidence *ret, const struct documents *documents, struct images *images,
		      const struct owners *owners, struct kbuild *k, bool lossy);
void evidence__free(struct evidence *e);

/* The facts of an option; NULL: it owns no object, and nothing proves it. */
const struct option_facts *evidence__option(const struct evidence *e, const char *name);

#endif
