// SPDX-License-Identifier: GPL-2.0-only
/* Finds the ways into a function; see origins.h. */
#include "report/origins.h"

static const struct {
	const char *word, *sentence;
} origins[ORIGINS] = {
	[ORIGIN_NONE] = { "unrecorded", "was not recorded" },
	[ORIGIN_CALLED] = { "call", "was called" },
	[ORIGIN_JUMP] = { "jump", "was entered by a jump at the end of another function (a tail call)" },
	[ORIGIN_UNTRACED_JUMP] = {
		"untraced-jump", "was entered by a jump at the end of a function that cannot be traced"
	},
	[ORIGIN_POINTER] = { "pointer", "was entered by a pointer only: no recorded call names it" },
	[ORIGIN_POINTER_OR_JUMP] = {
		"pointer-or-jump", "was entered by a pointer, or by a jump at the end of another function"
	},
	[ORIGIN_MODULE] = {
		"module", "is exported, and was entered from a module: by its init text, whose calls are not "
		"listed, by a jump at the end of a function, or by a module whose file is not here"
	},
	[ORIGIN_MODULE_OR_OTHER] = {
		"module-or-other", "is exported, and was entered from a module, by a pointer, or by a jump at "
		"the end of another function"
	},
	[ORIGIN_UNSEEN_JUMP] = {
		"unseen-jump", "can only be entered by a jump, from functions that were not recorded"
	},
	[ORIGIN_UNKNOWN] = { "unknown", "was entered in a way that the kernel's files do not show" },
};

const char *origin__word(enum origin origin)
{
	return origins[origin].word;
}

const char *origin__sentence(enum origin origin)
{
	return origins[origin].sentence;
}

void origins__read(const struct images *images)
{
	for (size_t i = 0; i < images->count; i++) {
		struct image_of *of = &images->list[i];

		if (of->image && !of->references)
			of->references = references__read(of->image, of->calls);
	}
}

struct jumps {
	bool any, untraced;
	const struct call *ran;
};

static struct jumps jumps_into(const struct edges *e, const struct image_of *of, const struct image_function *f)
{
	struct jumps jumps = {};
	size_t count;
	const struct call *list = references__ways(of->references, f, &count);

	for (size_t i = 0; i < count; i++) {
		size_t from = images__number(of, edges__whole(of, list[i].in));

		if (!list[i].jump)
			continue;
		jumps.any = true;
		if (!jumps.ran && edges__ran(e, from))
			jumps.ran = &list[i];
		jumps.untraced |= list[i].in->untraced != UNTRACED_NOT;
	}
	return jumps;
}

/* A module's call may be unknown: from its init text, or because its file is unknown. */
static bool may_be_called_by_module(const struct images *images, const struct image_function *f)
{
	for (size_t i = 0; f->exported && i < images->count; i++) {
		if (images->list[i].module)
			return true;
	}
	return false;
}

enum origin origins__of(const struct edges *e, size_t number, const struct call **ret_jump)
{
	const struct node *node = &e->nodes[number];
	const struct image_of *of;
	const struct image_function *f = images__function(e->images, number, &of);
	enum taken taken = references__taken(of->references, f);
	bool by_module = may_be_called_by_module(e->images, f);
	struct jumps jumps;

	*ret_jump = NULL;
	if (!node->seen)
		return ORIGIN_NONE;
	if (node->called)
		return ORIGIN_CALLED;
	/* Pointers in modules, and calls from their init text, are not read. */
	if (taken == TAKEN_UNKNOWN)
		return ORIGIN_UNKNOWN;
	jumps = jumps_into(e, of, f);
	*ret_jump = jumps.ran;
	if (by_module)
		return taken == TAKEN_YES || jumps.ran || jumps.untraced ? ORIGIN_MODULE_OR_OTHER : ORIGIN_MODULE;
	if (taken == TAKEN_YES)
		return jumps.ran || jumps.untraced ? ORIGIN_POINTER_OR_JUMP : ORIGIN_POINTER;
	if (jumps.ran)
		return ORIGIN_JUMP;
	if (jumps.untraced)
		return ORIGIN_UNTRACED_JUMP;
	return jumps.any ? ORIGIN_UNSEEN_JUMP : ORIGIN_UNKNOWN;
}
