/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Compares two prototypes, except for their columns, and says where they differ.
 * The unit tests and the fuzzer of fevent_parse.c use it: printing a prototype and
 * parsing the text must give the same prototype.
 */
#ifndef HYTRACE_FEVENT_SAME_H
#define HYTRACE_FEVENT_SAME_H

#include <string.h>

#include "../../kernel/files/kernel/trace/fevent_parse.h"

static inline bool fevent_same_string(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static inline const char *fevent_field_difference(const struct fevent_field *a,
						  const struct fevent_field *b)
{
	unsigned int i;

	if (a->type != b->type)
		return "field type";
	if (a->count != b->count)
		return "field count";
	if (!fevent_same_string(a->name, b->name))
		return "field name";
	if (a->named != b->named)
		return "field named";
	if (a->source != b->source)
		return "field source";
	if (a->arg != b->arg)
		return "field arg";
	if (a->addr != b->addr)
		return "field addr";
	if (!fevent_same_string(a->base, b->base))
		return "field base";
	if (a->nr_steps != b->nr_steps)
		return "field nr_steps";
	for (i = 0; i < a->nr_steps; i++) {
		if (a->steps[i].kind != b->steps[i].kind)
			return "step kind";
		if (a->steps[i].n != b->steps[i].n)
			return "step n";
		if (!fevent_same_string(a->steps[i].member, b->steps[i].member))
			return "step member";
	}
	return NULL;
}

/* The first difference; NULL: there is none. */
static inline const char *fevent_difference(const struct fevent_proto *a,
					    const struct fevent_proto *b)
{
	unsigned int i;

	if (a->kind != b->kind)
		return "kind";
	if (!fevent_same_string(a->module, b->module))
		return "module";
	if (!fevent_same_string(a->func, b->func))
		return "func";
	if (a->glob != b->glob)
		return "glob";
	if (!fevent_same_string(a->group, b->group))
		return "group";
	if (!fevent_same_string(a->name, b->name))
		return "name";
	if (a->named != b->named)
		return "named";
	if (a->returns != b->returns)
		return "returns";
	if (a->ret_type != b->ret_type)
		return "ret_type";
	if (a->all_args != b->all_args)
		return "all_args";
	if (a->nr_fields != b->nr_fields)
		return "nr_fields";
	for (i = 0; i < a->nr_fields; i++) {
		const char *difference = fevent_field_difference(&a->fields[i], &b->fields[i]);

		if (difference)
			return difference;
	}
	return NULL;
}

/* Two typedefs, in place of those of BTF: one of a number, and one of something else. */
static int sample_typedef(const char *name, unsigned int len)
{
	if (len == strlen("loff_t") && !strncmp(name, "loff_t", len))
		return FEVENT_T_S64;
	if (len == strlen("kuid_t") && !strncmp(name, "kuid_t", len))
		return -EINVAL;
	return -ENOENT;
}

#endif /* HYTRACE_FEVENT_SAME_H */
