// SPDX-License-Identifier: GPL-2.0
/*
 * Function events: what BTF knows of a function, its arguments and its return value.
 *
 * The register of an argument depends on the arguments before it: by x86-64's rules, a
 * struct that is passed by value takes one register or two, or is in memory.
 */
#include <linux/bpf.h>
#include <linux/btf.h>
#include <linux/kallsyms.h>
#include <linux/log2.h>
#include <linux/slab.h>
#include <linux/stringhash.h>

#include "trace_btf.h"
#include "trace_fevent_types.h"
#include "trace_fevent_btf.h"

/*
 * The kernel's BTF has no index of names. To find one function takes a pass over all
 * types, which is too slow for thousands of events. So each write makes an index of the
 * functions and typedefs when it first needs it. Protected by event_mutex.
 */
struct fevent_btf_index {
	unsigned int	bits;
	u32		ids[];		/* 0: this entry of the hash is empty */
};

static struct fevent_btf_index *fevent_btf_index;

static u32 fevent_name_hash(const char *name)
{
	return full_name_hash(NULL, name, strlen(name));
}

/* The name of a function or a typedef, which are in the index; NULL for other types. */
static const char *fevent_btf_name(const struct btf *btf, u32 id)
{
	const struct btf_type *t = btf_type_by_id(btf, id);

	return t && (btf_type_is_func(t) || btf_type_is_typedef(t)) ?
	       btf_name_by_offset(btf, t->name_off) : NULL;
}

static void fevent_make_index(const struct btf *btf)
{
	u32 id, nr = 0, nr_types = btf_nr_types(btf), slot, mask;
	struct fevent_btf_index *index;
	const char *name;

	for (id = 1; id < nr_types; id++)
		nr += !!fevent_btf_name(btf, id);
	index = kvzalloc(struct_size(index, ids, roundup_pow_of_two(2 * nr + 1)), GFP_KERNEL);
	if (!index)
		return;
	index->bits = ilog2(roundup_pow_of_two(2 * nr + 1));
	mask = (1U << index->bits) - 1;
	for (id = 1; id < nr_types; id++) {
		name = fevent_btf_name(btf, id);
		if (!name)
			continue;
		slot = fevent_name_hash(name);
		while (index->ids[slot & mask])
			slot++;
		index->ids[slot & mask] = id;
	}
	fevent_btf_index = index;
}

/* Functions with the same name: the type of the last one, and whether types differ. */
struct fevent_same_func {
	const struct btf	*btf;
	const char		*name;
	u32			proto;
	bool			differ;
};

static void fevent_compare_func(struct fevent_same_func *same, u32 id)
{
	const struct btf_type *t = btf_type_by_id(same->btf, id);
	u32 proto;

	if (!t || !btf_type_is_func(t) ||
	    strcmp(btf_name_by_offset(same->btf, t->name_off), same->name))
		return;
	proto = t->type;
	same->differ |= same->proto && same->proto != proto;
	same->proto = proto;
}

/* A function of the kernel proper. */
static int fevent_find_in_vmlinux(struct fevent_same_func *same)
{
	u32 slot, mask, id;

	if (!fevent_btf_index)
		fevent_make_index(same->btf);
	if (!fevent_btf_index)
		return -ENOMEM;
	mask = (1U << fevent_btf_index->bits) - 1;
	for (slot = fevent_name_hash(same->name); (id = fevent_btf_index->ids[slot & mask]); slot++)
		fevent_compare_func(same, id);
	return 0;
}

/* The module's own functions come after the types of the kernel proper. */
static void fevent_find_in_module(struct fevent_same_func *same, const struct btf *vmlinux)
{
	u32 id, nr_types = btf_nr_types(same->btf);

	for (id = btf_nr_types(vmlinux); id < nr_types; id++)
		fevent_compare_func(same, id);
}

static enum fevent_type fevent_int_type(const struct btf_type *t)
{
	bool is_signed = fevent_is_signed(t);

	switch (t->size) {
	case 1:
		return is_signed ? FEVENT_T_S8 : FEVENT_T_U8;
	case 2:
		return is_signed ? FEVENT_T_S16 : FEVENT_T_U16;
	case 4:
		return is_signed ? FEVENT_T_S32 : FEVENT_T_U32;
	case 8:
		return is_signed ? FEVENT_T_S64 : FEVENT_T_U64;
	default:
		return FEVENT_T_NONE;
	}
}

/**
 * fevent_scalar_type - how a value of this type is recorded
 * @btf: the BTF that it is in
 * @t: the type, without modifiers
 *
 * Return: the type, or FEVENT_T_NONE if it is neither a number nor a pointer.
 */
enum fevent_type fevent_scalar_type(const struct btf *btf, const struct btf_type *t)
{
	const char *name;

	if (btf_type_is_ptr(t))
		return BITS_PER_LONG == 64 ? FEVENT_T_X64 : FEVENT_T_X32;
	if (btf_is_any_enum(t))
		return fevent_int_type(t);
	if (!btf_type_is_int(t))
		return FEVENT_T_NONE;
	name = btf_name_by_offset(btf, t->name_off);
	if (name && !strcmp(name, "_Bool"))
		return FEVENT_T_BOOL;
	if (name && !strcmp(name, "char"))
		return FEVENT_T_CHAR;
	return fevent_int_type(t);
}

/**
 * fevent_find_typedef - find a typedef of the kernel proper
 * @name: its name, without a NUL
 * @len: the length of the name
 *
 * Context: Process context, event_mutex is held, may sleep.
 * Return: see fevent_typedef_t.
 */
int fevent_find_typedef(const char *name, unsigned int len)
{
	const struct btf *btf = bpf_get_btf_vmlinux();
	const struct btf_type *t;
	enum fevent_type type;
	const char *other;
	u32 slot, mask, id;
	int found = -ENOENT;

	if (IS_ERR_OR_NULL(btf))
		return -ENOENT;
	if (!fevent_btf_index)
		fevent_make_index(btf);
	if (!fevent_btf_index)
		return -ENOMEM;
	mask = (1U << fevent_btf_index->bits) - 1;
	slot = full_name_hash(NULL, name, len);
	for (; (id = fevent_btf_index->ids[slot & mask]); slot++) {
		t = btf_type_by_id(btf, id);
		other = btf_name_by_offset(btf, t->name_off);
		if (!btf_type_is_typedef(t) || strncmp(other, name, len) || other[len])
			continue;
		t = btf_type_skip_modifiers(btf, id, NULL);
		type = t ? fevent_scalar_type(btf, t) : FEVENT_T_NONE;
		/* Two typedefs of one name may differ. */
		if (type == FEVENT_T_NONE || (found >= 0 && found != type))
			return -EINVAL;
		found = type;
	}
	return found;
}

/**
 * fevent_btf_done - free the index when no more functions will be looked up
 *
 * Context: Process context, event_mutex is held.
 */
void fevent_btf_done(void)
{
	kvfree(fevent_btf_index);
	fevent_btf_index = NULL;
}

/**
 * fevent_func_get - look up a function
 * @proto: the prototype
 * @ret_func: what BTF knows of it, with a reference to the BTF
 *
 * Context: Process context, event_mutex is held, may sleep.
 * Return: 0, -ENOENT if nothing is known, -ENOMEM.
 */
int fevent_func_get(const struct fevent_proto *proto, struct fevent_func *ret_func)
{
	struct btf *vmlinux = bpf_get_btf_vmlinux(), *btf = vmlinux;
	struct fevent_same_func same = { .name = proto->func };
	const struct btf_type *t;
	int ret = 0;

	if (IS_ERR_OR_NULL(vmlinux))
		return -ENOENT;
	if (proto->module)
		btf = btf_get_by_module_name(proto->module);
	else
		btf_get(btf);
	if (!btf)
		return -ENOENT;
	same.btf = btf;
	if (proto->module)
		fevent_find_in_module(&same, vmlinux);
	else
		ret = fevent_find_in_vmlinux(&same);
	t = !ret && same.proto && !same.differ ? btf_type_by_id(btf, same.proto) : NULL;
	if (!t || !btf_type_is_func_proto(t)) {
		btf_put(btf);
		return ret ?: -ENOENT;
	}
	ret_func->btf = btf;
	ret_func->proto = t;
	ret_func->nr_params = 0;
	ret_func->params = btf_get_func_param(t, &ret_func->nr_params);
	/* The last parameter of a variadic function stands for all further arguments. */
	ret_func->variadic = ret_func->nr_params &&
			     !ret_func->params[ret_func->nr_params - 1].type;
	ret_func->nr_params -= ret_func->variadic;
	return 0;
}

/**
 * fevent_func_put - drop the reference that fevent_func_get() has taken
 * @func: the function
 */
void fevent_func_put(struct fevent_func *func)
{
	btf_put(func->btf);
}

/*
 * Only packed structs have fields that are not aligned. One such field, however deep,
 * keeps the whole struct out of registers. In BTF, structs nest at most 32 deep.
 */
static bool fevent_is_packed(const struct btf *btf, const struct btf_type *t, u32 offset)
{
	const struct btf_member *member;
	const struct btf_type *type;
	u32 bits;
	int i;

	for_each_member(i, t, member) {
		if (__btf_member_bitfield_size(t, member))
			continue;
		bits = offset + __btf_member_bit_offset(t, member);
		type = btf_type_skip_modifiers(btf, member->type, NULL);
		while (type && btf_type_is_array(type))
			type = btf_type_skip_modifiers(btf, btf_array(type)->type, NULL);
		if (!type)
			continue;
		if (btf_type_is_struct(type)) {
			if (fevent_is_packed(btf, type, bits))
				return true;
		} else if (btf_type_is_ptr(type)) {
			if (bits % BITS_PER_LONG)
				return true;
		} else if (btf_type_is_int(type) || btf_is_any_enum(type)) {
			if (bits % (8 * type->size))
				return true;
		}
	}
	return false;
}

/* How many registers a parameter takes: 0 if it is passed in memory. */
static unsigned int fevent_nr_registers(const struct btf *btf, u32 id)
{
	const struct btf_type *t = btf_type_skip_modifiers(btf, id, NULL);

	if (!t)
		return 0;
	if (btf_type_is_ptr(t))
		return 1;
	if (!btf_type_is_int(t) && !btf_is_any_enum(t) && !btf_type_is_struct(t))
		return 0;
	if (t->size > 2 * sizeof(long) || (btf_type_is_struct(t) && fevent_is_packed(btf, t, 0)))
		return 0;
	return DIV_ROUND_UP(t->size, sizeof(long));
}

/* The first register then has the address for the return value. */
static bool fevent_returns_in_memory(const struct fevent_func *func)
{
	const struct btf_type *t = btf_type_skip_modifiers(func->btf, func->proto->type, NULL);

	return t && btf_type_is_struct(t) && t->size &&
	       !fevent_nr_registers(func->btf, func->proto->type);
}

/**
 * fevent_param_register - the register in which a parameter begins
 * @func: the function
 * @nr: which parameter, from 0
 *
 * Each further argument of a variadic function, which BTF does not know, is assumed to
 * be in one register.
 *
 * Return: the register's number, or -EINVAL if the parameter is not in a register.
 */
int fevent_param_register(const struct fevent_func *func, int nr)
{
	unsigned int reg = fevent_returns_in_memory(func), need = 1;
	int i;

	for (i = 0; i <= nr; i++) {
		if (i < func->nr_params)
			need = fevent_nr_registers(func->btf, func->params[i].type);
		else
			need = 1;
		/* If a parameter does not fit into the last registers, later ones get them. */
		if (!need || reg + need > FEVENT_MAX_ARGS) {
			need = 0;
			continue;
		}
		reg += need;
	}
	return need ? reg - need : -EINVAL;
}

/**
 * fevent_param_name - the name of a parameter
 * @func: the function
 * @i: which parameter, from 0
 *
 * Return: its name, or "".
 */
const char *fevent_param_name(const struct fevent_func *func, int i)
{
	return btf_name_by_offset(func->btf, func->params[i].name_off) ?: "";
}

/**
 * fevent_find_param - find a parameter by its name
 * @func: the function
 * @name: the name
 *
 * Return: its number, from 0, or -ENOENT.
 */
int fevent_find_param(const struct fevent_func *func, const char *name)
{
	int i;

	for (i = 0; i < func->nr_params; i++) {
		if (!strcmp(fevent_param_name(func, i), name))
			return i;
	}
	return -ENOENT;
}

/* Set how much of a register a value of this type fills. */
static void fevent_set_size(const struct fevent_func *func, u32 id, struct fevent_target *target)
{
	const struct btf_type *t = btf_type_skip_modifiers(func->btf, id, NULL);

	if (!t)
		return;
	if (btf_type_is_ptr(t)) {
		target->size = sizeof(long);
	} else if (btf_type_is_struct(t)) {
		target->size = min(t->size, sizeof(long));
	} else if (btf_type_is_int(t) || btf_is_any_enum(t)) {
		target->size = min(t->size, sizeof(long));
		target->is_signed = fevent_is_signed(t);
	}
}

/**
 * fevent_btf_register - the register that a field with a type is in
 * @proto: the prototype
 * @field: a field that is the value of an argument, or begins with it
 * @target: its arg is set, and, if BTF knows of the function, size and is_signed
 * @complaint: filled in with what is wrong
 *
 * Context: Process context, may sleep.
 * Return: 0; -EINVAL with @complaint filled in if the function has no such argument, or
 * if it is in no register, or if another argument has the field's name; -ENOMEM.
 */
int fevent_btf_register(const struct fevent_proto *proto, const struct fevent_field *field,
			struct fevent_target *target, struct fevent_complaint *complaint)
{
	struct fevent_func func;
	int named, ret;

	target->arg = field->arg;
	if (proto->glob)
		return 0;
	ret = fevent_func_get(proto, &func);
	if (ret)
		return ret == -ENOMEM ? ret : 0;
	named = fevent_find_param(&func, field->name);
	ret = fevent_param_register(&func, field->arg);
	if (named >= 0 && named != field->arg) {
		ret = fevent_complain(complaint, ARG_POSITION, field->name_column);
	} else if (field->arg >= func.nr_params && !func.variadic) {
		ret = fevent_complain_with(complaint, NO_ARG, field->column, "it has %d",
					   func.nr_params);
	} else if (ret < 0) {
		ret = fevent_complain(complaint, NOT_IN_REGISTER, field->column);
	} else {
		target->arg = ret;
		if (field->arg < func.nr_params)
			fevent_set_size(&func, func.params[field->arg].type, target);
		ret = 0;
	}
	fevent_func_put(&func);
	return ret;
}

/**
 * fevent_btf_return - what a function returns
 * @proto: the prototype of a return event
 * @target: its size and is_signed are set, if BTF knows of the function
 * @complaint: filled in with what is wrong
 *
 * Context: Process context, may sleep.
 * Return: 0, also if nothing is known of the function; -EINVAL if it is void; -ENOMEM.
 */
int fevent_btf_return(const struct fevent_proto *proto, struct fevent_target *target,
		      struct fevent_complaint *complaint)
{
	struct fevent_func func;
	int ret;

	if (proto->glob || proto->ret_type == FEVENT_T_VOID)
		return 0;
	ret = fevent_func_get(proto, &func);
	if (ret)
		return ret == -ENOMEM ? ret : 0;
	if (fevent_returns_in_memory(&func))
		target->size = sizeof(long);
	else if (func.proto->type)
		fevent_set_size(&func, func.proto->type, target);
	else
		ret = fevent_complain(complaint, NO_RETVAL, proto->ret_column);
	fevent_func_put(&func);
	return ret;
}
