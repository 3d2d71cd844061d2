// SPDX-License-Identifier: GPL-2.0
/*
 * Function events: fields that are named by BTF.
 *
 * "file->f_inode.i_ino" is followed here from type to type, once, when the event
 * is made. What comes out is struct fevent_target: the register argument to start
 * from, the offsets at which pointers are to be loaded, and the type at the end.
 *
 * Which register an argument is in follows from those before it: by x86-64's rules,
 * a struct that is passed by value takes one register, or two, or is in memory.
 */
#include <linux/bpf.h>
#include <linux/btf.h>
#include <linux/kallsyms.h>
#include <linux/log2.h>
#include <linux/slab.h>
#include <linux/stringhash.h>

#include "trace_btf.h"
#include "trace_fevent.h"

struct fevent_func {
	struct btf		*btf;
	const struct btf_type	*proto;
	const struct btf_param	*params;
	s32			nr_params;
};

/*
 * The kernel's BTF has no index of names: to find one function is to go through
 * all types, which is too much for each of thousands of events. So one write makes
 * an index of the functions, when it first needs it. Under event_mutex.
 */
struct fevent_btf_index {
	unsigned int	bits;
	u32		ids[];		/* 0: the slot is empty */
};

static struct fevent_btf_index *fevent_btf_index;

static u32 fevent_name_hash(const char *name)
{
	return full_name_hash(NULL, name, strlen(name));
}

static const char *fevent_btf_func_name(const struct btf *btf, u32 id)
{
	const struct btf_type *t = btf_type_by_id(btf, id);

	return t && btf_type_is_func(t) ? btf_name_by_offset(btf, t->name_off) : NULL;
}

static void fevent_make_index(const struct btf *btf)
{
	u32 id, nr = 0, nr_types = btf_nr_types(btf), slot, mask;
	struct fevent_btf_index *index;
	const char *name;

	for (id = 1; id < nr_types; id++)
		nr += !!fevent_btf_func_name(btf, id);
	index = kvzalloc(struct_size(index, ids, roundup_pow_of_two(2 * nr + 1)), GFP_KERNEL);
	if (!index)
		return;
	index->bits = ilog2(roundup_pow_of_two(2 * nr + 1));
	mask = (1U << index->bits) - 1;
	for (id = 1; id < nr_types; id++) {
		name = fevent_btf_func_name(btf, id);
		if (!name)
			continue;
		slot = fevent_name_hash(name);
		while (index->ids[slot & mask])
			slot++;
		index->ids[slot & mask] = id;
	}
	fevent_btf_index = index;
}

/* Of functions that have one name: the types of them all, if it is the same, or 0. */
struct fevent_same_func {
	const struct btf	*btf;
	const char		*name;
	u32			proto;
	bool			differ;
};

static void fevent_compare_func(struct fevent_same_func *same, u32 id)
{
	const char *name = fevent_btf_func_name(same->btf, id);
	u32 proto;

	if (!name || strcmp(name, same->name))
		return;
	proto = btf_type_by_id(same->btf, id)->type;
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

/* The module's own functions are behind the types of the kernel proper. */
static void fevent_find_in_module(struct fevent_same_func *same, const struct btf *vmlinux)
{
	u32 id, nr_types = btf_nr_types(same->btf);

	for (id = btf_nr_types(vmlinux); id < nr_types; id++)
		fevent_compare_func(same, id);
}

/**
 * fevent_btf_done - no more functions are going to be looked up
 *
 * Context: Process context, event_mutex is held.
 */
void fevent_btf_done(void)
{
	kvfree(fevent_btf_index);
	fevent_btf_index = NULL;
}

/* With a reference to the BTF. */
static int fevent_func_get(const struct fevent_proto *proto, struct fevent_func *ret_func)
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
	/* Of a variadic function, the last one stands for what may come. */
	if (ret_func->nr_params && !ret_func->params[ret_func->nr_params - 1].type)
		ret_func->nr_params--;
	return 0;
}

static void fevent_func_put(struct fevent_func *func)
{
	btf_put(func->btf);
}

static bool fevent_is_signed(const struct btf_type *t)
{
	/* An enum of plain constants has no sign, yet is as wide as an int. */
	return btf_is_any_enum(t) ? btf_type_kflag(t) : btf_int_encoding(t) & BTF_INT_SIGNED;
}

/*
 * Fields that are not aligned, which only packed structs have, keep all of it out of
 * registers, however deep they are: BTF allows for 32 structs in each other.
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

/* Then the first register says where it is to be put. */
static bool fevent_returns_in_memory(const struct fevent_func *func)
{
	const struct btf_type *t = btf_type_skip_modifiers(func->btf, func->proto->type, NULL);

	return t && btf_type_is_struct(t) && t->size &&
	       !fevent_nr_registers(func->btf, func->proto->type);
}

/*
 * The register in which parameter @nr begins, or -EINVAL if it is in none. What is
 * behind those that BTF knows is taken to have one each.
 */
static int fevent_param_register(const struct fevent_func *func, int nr)
{
	unsigned int reg = fevent_returns_in_memory(func), need = 1;
	int i;

	for (i = 0; i <= nr; i++) {
		if (i < func->nr_params)
			need = fevent_nr_registers(func->btf, func->params[i].type);
		else
			need = 1;
		/* What does not fit into the last ones leaves them to those behind it. */
		if (!need || reg + need > FEVENT_MAX_ARGS) {
			need = 0;
			continue;
		}
		reg += need;
	}
	return need ? reg - need : -EINVAL;
}

static const char *fevent_param_name(const struct fevent_func *func, int i)
{
	return btf_name_by_offset(func->btf, func->params[i].name_off) ?: "";
}

static int fevent_find_param(const struct fevent_func *func, const char *name)
{
	int i;

	for (i = 0; i < func->nr_params; i++) {
		if (!strcmp(fevent_param_name(func, i), name))
			return i;
	}
	return -ENOENT;
}

/**
 * fevent_btf_register - the register that a field with a type is in
 * @proto: the prototype
 * @field: a field that is the value of an argument, or begins with it
 * @complaint: where to say what is wrong
 *
 * Context: Process context, may sleep.
 * Return: its number; if nothing is known of the function, that of the argument.
 * -EINVAL with @complaint filled in if the argument is in no register, or if
 * another one has the field's name; -ENOMEM.
 */
int fevent_btf_register(const struct fevent_proto *proto, const struct fevent_field *field,
			struct fevent_complaint *complaint)
{
	struct fevent_func func;
	int named, ret;

	if (proto->glob)
		return field->arg;
	ret = fevent_func_get(proto, &func);
	if (ret)
		return ret == -ENOMEM ? ret : field->arg;
	named = fevent_find_param(&func, field->name);
	ret = fevent_param_register(&func, field->arg);
	if (named >= 0 && named != field->arg)
		ret = fevent_complain(complaint, ARG_POSITION, field->name_column);
	else if (ret < 0)
		ret = fevent_complain(complaint, NOT_IN_REGISTER, field->column);
	fevent_func_put(&func);
	return ret;
}

/**
 * fevent_btf_return - what a function returns
 * @proto: the prototype of a return event
 * @ret_size: bytes of it that mean something, 0 if that is not known
 * @ret_signed: whether it has a sign
 * @complaint: where to say what is wrong
 *
 * Context: Process context, may sleep.
 * Return: 0, also if nothing is known of the function; -EINVAL if it is void; -ENOMEM.
 */
int fevent_btf_return(const struct fevent_proto *proto, unsigned int *ret_size, bool *ret_signed,
		      struct fevent_complaint *complaint)
{
	const struct btf_type *t;
	struct fevent_func func;
	int ret;

	*ret_size = 0;
	*ret_signed = false;
	if (proto->glob || proto->ret_type == FEVENT_T_VOID)
		return 0;
	ret = fevent_func_get(proto, &func);
	if (ret)
		return ret == -ENOMEM ? ret : 0;
	t = btf_type_skip_modifiers(func.btf, func.proto->type, NULL);
	if (!func.proto->type) {
		ret = fevent_complain(complaint, NO_RETVAL, proto->ret_column);
	} else if (t && (btf_type_is_int(t) || btf_is_any_enum(t))) {
		*ret_size = t->size;
		*ret_signed = fevent_is_signed(t);
	}
	fevent_func_put(&func);
	return ret;
}

/* ---- from type to type ---- */

struct fevent_walk {
	const struct btf	*btf;
	const struct btf_type	*type;		/* of what was reached, no modifiers */
	u32			bit_offset;	/* of a bit field, from the byte that was reached */
	u32			bit_size;	/* of a bit field, else 0 */
	struct fevent_target	*target;
};

/* Whether there is a const anywhere between an id and the type proper. */
static bool fevent_is_const(const struct btf *btf, u32 id)
{
	const struct btf_type *t;

	for (t = btf_type_by_id(btf, id); t; t = btf_type_by_id(btf, t->type)) {
		switch (BTF_INFO_KIND(t->info)) {
		case BTF_KIND_CONST:
			return true;
		case BTF_KIND_VOLATILE:
		case BTF_KIND_RESTRICT:
		case BTF_KIND_TYPEDEF:
		case BTF_KIND_TYPE_TAG:
			break;
		default:
			return false;
		}
	}
	return false;
}

static int fevent_walk_set_type(struct fevent_walk *walk, u32 id)
{
	walk->type = btf_type_skip_modifiers(walk->btf, id, NULL);
	return walk->type ? 0 : -EINVAL;
}

/* Goes on from where the value points to. */
static int fevent_walk_follow(struct fevent_walk *walk, unsigned int offset)
{
	struct fevent_target *target = walk->target;

	if (target->nr_steps == ARRAY_SIZE(target->steps))
		return -E2BIG;
	/* What was reached is a pointer: in a register, or the next step loads it first. */
	if (!target->in_memory) {
		target->arg += target->offset / sizeof(long);
		target->offset = 0;
	}
	target->in_memory = true;
	target->steps[target->nr_steps++] = offset;
	return 0;
}

static int fevent_walk_move(struct fevent_walk *walk, unsigned int offset)
{
	struct fevent_target *target = walk->target;
	int *at = target->in_memory ? &target->steps[target->nr_steps - 1] : &target->offset;

	return check_add_overflow(*at, offset, at) ? -E2BIG : 0;
}

/* The member whose name takes the smallest change, in one place, to become @name. */
static const char *fevent_nearest_member(const struct btf *btf, const struct btf_type *t,
					 const char *name)
{
	const struct btf_member *member;
	const char *candidate, *nearest = NULL;
	size_t distance, best = 4;
	int i;

	for_each_member(i, t, member) {
		candidate = btf_name_by_offset(btf, member->name_off);
		if (!candidate || !*candidate)
			continue;
		distance = fevent_distance(candidate, name);
		if (distance < best) {
			best = distance;
			nearest = candidate;
		}
	}
	return nearest;
}

static int fevent_no_member(struct fevent_walk *walk, const struct fevent_step *step,
			    struct fevent_complaint *complaint)
{
	const char *name = btf_name_by_offset(walk->btf, walk->type->name_off);
	const char *nearest = fevent_nearest_member(walk->btf, walk->type, step->member);

	return fevent_complain_with(complaint, NO_SUCH_MEMBER, step->column,
				    "%s has no member %s%s%s",
				    name && *name ? name : "this struct",
				    step->member, nearest ? ", did you mean " : "", nearest ?: "");
}

static int fevent_walk_member(struct fevent_walk *walk, const struct fevent_step *step,
			      struct fevent_complaint *complaint)
{
	const struct btf_member *member;
	const struct btf_type *in;
	u32 anon_offset = 0, bits;

	member = btf_find_struct_member((struct btf *)walk->btf, walk->type, step->member,
					&anon_offset, &in);
	if (IS_ERR(member))
		return PTR_ERR(member);
	if (!member)
		return fevent_no_member(walk, step, complaint);
	bits = anon_offset + __btf_member_bit_offset(in, member);
	walk->bit_size = __btf_member_bitfield_size(in, member);
	walk->bit_offset = bits % 8;
	if (fevent_walk_move(walk, bits / 8))
		return fevent_complain(complaint, BAD_NUMBER, step->column);
	if (fevent_walk_set_type(walk, member->type))
		return fevent_complain(complaint, BTF_TYPE, step->column);
	return 0;
}

static int fevent_walk_arrow(struct fevent_walk *walk, const struct fevent_step *step,
			     struct fevent_complaint *complaint)
{
	int ret;

	if (!btf_type_is_ptr(walk->type))
		return fevent_complain(complaint, NOT_A_POINTER, step->column);
	ret = fevent_walk_set_type(walk, walk->type->type);
	if (ret || !btf_type_is_struct(walk->type))
		return fevent_complain(complaint, NOT_A_POINTER, step->column);
	ret = fevent_walk_follow(walk, 0);
	if (ret)
		return fevent_complain(complaint, TOO_MANY_STEPS, step->column);
	return fevent_walk_member(walk, step, complaint);
}

static int fevent_walk_dot(struct fevent_walk *walk, const struct fevent_step *step,
			   struct fevent_complaint *complaint)
{
	if (!btf_type_is_struct(walk->type))
		return fevent_complain(complaint, NOT_A_STRUCT, step->column);
	return fevent_walk_member(walk, step, complaint);
}

static int fevent_walk_index(struct fevent_walk *walk, const struct fevent_step *step,
			     struct fevent_complaint *complaint)
{
	bool is_array = btf_type_is_array(walk->type);
	u32 id, size, nelems;

	if (!is_array && !btf_type_is_ptr(walk->type))
		return fevent_complain(complaint, NOT_AN_ARRAY, step->column);
	id = is_array ? btf_array(walk->type)->type : walk->type->type;
	/* An array at a struct's end may be declared without a size. */
	nelems = is_array ? btf_array(walk->type)->nelems : 0;
	if (step->n >= nelems && (nelems || !walk->target->in_memory) && is_array)
		return fevent_complain_with(complaint, BAD_INDEX, step->column,
					    "it has %u", nelems);
	if (fevent_walk_set_type(walk, id) ||
	    IS_ERR_OR_NULL(btf_resolve_size(walk->btf, walk->type, &size)))
		return fevent_complain(complaint, NOT_AN_ARRAY, step->column);
	if (!size || (u64)size * step->n > INT_MAX / 2)
		return fevent_complain(complaint, BAD_NUMBER, step->column);
	if (!is_array && fevent_walk_follow(walk, 0))
		return fevent_complain(complaint, TOO_MANY_STEPS, step->column);
	if (fevent_walk_move(walk, size * step->n))
		return fevent_complain(complaint, BAD_NUMBER, step->column);
	return 0;
}

static bool fevent_is_char(const struct btf *btf, u32 id)
{
	const struct btf_type *t = btf_type_skip_modifiers(btf, id, NULL);
	const char *name = t ? btf_name_by_offset(btf, t->name_off) : NULL;

	return t && btf_type_is_int(t) && t->size == 1 && name && !strcmp(name, "char");
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

static enum fevent_type fevent_scalar_type(const struct btf *btf, const struct btf_type *t)
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

static int fevent_walk_array_end(struct fevent_walk *walk)
{
	const struct btf_array *array = btf_array(walk->type);
	struct fevent_target *target = walk->target;

	if (!target->in_memory || !array->nelems)
		return -EINVAL;
	target->count = min(array->nelems, FEVENT_MAX_COUNT);
	if (fevent_walk_set_type(walk, array->type))
		return -EINVAL;
	target->type = fevent_scalar_type(walk->btf, walk->type);
	return target->type == FEVENT_T_NONE ? -EINVAL : 0;
}

/* As few bytes are read as hold the bits: there may be no more. */
static int fevent_walk_bits(struct fevent_walk *walk)
{
	unsigned int bytes = DIV_ROUND_UP(walk->bit_offset + walk->bit_size, 8);
	struct fevent_target *target = walk->target;

	/* Packed, it may lie in one more byte than its type has. */
	if (bytes > fevent_type_size(target->type))
		target->type = fevent_is_signed(walk->type) ? FEVENT_T_S64 : FEVENT_T_U64;
	if (bytes > sizeof(u64))
		return -EINVAL;
	target->bytes = bytes;
	target->bit_offset = walk->bit_offset;
	target->bit_size = walk->bit_size;
	return 0;
}

/* A struct of one member, such as a kuid_t or an atomic_t, is as good as that. */
static int fevent_walk_unwrap(struct fevent_walk *walk)
{
	const struct btf_member *member;

	while (btf_type_is_struct(walk->type) && btf_type_vlen(walk->type) == 1) {
		member = btf_type_member(walk->type);
		/* Unnamed bit fields, which BTF does not have, may be before it. */
		if (__btf_member_bit_offset(walk->type, member) ||
		    __btf_member_bitfield_size(walk->type, member))
			return -EINVAL;
		if (fevent_walk_set_type(walk, member->type))
			return -EINVAL;
	}
	return 0;
}

/* A path without a type: what BTF says. */
static int fevent_walk_end(struct fevent_walk *walk)
{
	struct fevent_target *target = walk->target;

	if (fevent_walk_unwrap(walk))
		return -EINVAL;
	if (btf_type_is_array(walk->type))
		return fevent_walk_array_end(walk);
	if (btf_type_is_ptr(walk->type) && fevent_is_const(walk->btf, walk->type->type) &&
	    fevent_is_char(walk->btf, walk->type->type)) {
		target->type = FEVENT_T_STRING;
		return fevent_walk_follow(walk, 0);
	}
	target->type = fevent_scalar_type(walk->btf, walk->type);
	if (target->type == FEVENT_T_NONE)
		return -EINVAL;
	if (btf_is_any_enum(walk->type))
		target->enum_type = walk->type;
	return walk->bit_size ? fevent_walk_bits(walk) : 0;
}

/*
 * A path with a type. As with arguments, strings and arrays are read from where a
 * pointer points to; all else is read from where the path has come to, as much as
 * there is.
 */
static int fevent_walk_typed_end(struct fevent_walk *walk, const struct fevent_field *field,
				 struct fevent_complaint *complaint)
{
	struct fevent_target *target = walk->target;
	bool is_string = field->type == FEVENT_T_STRING || field->type == FEVENT_T_USTRING;
	u32 size, want = fevent_type_size(field->type) * (field->count ?: 1);

	target->type = field->type;
	target->count = field->count;
	if ((is_string || field->count) && btf_type_is_ptr(walk->type)) {
		if (fevent_walk_follow(walk, 0))
			return fevent_complain(complaint, TOO_MANY_STEPS, field->base_column);
		return 0;
	}
	if (is_string && target->in_memory && btf_type_is_array(walk->type))
		return 0;
	if (is_string || (field->count && !target->in_memory) ||
	    IS_ERR_OR_NULL(btf_resolve_size(walk->btf, walk->type, &size)))
		return fevent_complain(complaint, BTF_TYPE, field->base_column);
	if (walk->bit_size) {
		if (field->count || want * 8 < walk->bit_size || fevent_walk_bits(walk) ||
		    target->type != field->type)
			return fevent_complain(complaint, BTF_TYPE, field->base_column);
		return 0;
	}
	/* Of an array without a size, all there is to know is where it begins. */
	if (want > size && !(target->in_memory && btf_type_is_array(walk->type) && !size))
		return fevent_complain_with(complaint, TYPE_TOO_BIG, field->column,
					    "it has %u bytes", size);
	return 0;
}

static int fevent_walk_steps(struct fevent_walk *walk, const struct fevent_field *field,
			     struct fevent_complaint *complaint)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; i < field->nr_steps && !ret; i++) {
		const struct fevent_step *step = &field->steps[i];

		walk->bit_size = 0;
		switch (step->kind) {
		case FEVENT_ARROW:
			ret = fevent_walk_arrow(walk, step, complaint);
			break;
		case FEVENT_DOT:
			ret = fevent_walk_dot(walk, step, complaint);
			break;
		default:
			ret = fevent_walk_index(walk, step, complaint);
			break;
		}
	}
	return ret;
}

static int fevent_resolve(const struct fevent_func *func, const struct fevent_field *field,
			  struct fevent_target *target, struct fevent_complaint *complaint)
{
	struct fevent_walk walk = { .target = target, .btf = func->btf };
	int param = field->arg, ret;
	unsigned int size;

	memset(target, 0, sizeof(*target));
	if (field->base)
		param = fevent_find_param(func, field->base);
	if (param < 0)
		return fevent_complain(complaint, NO_ARG, field->base_column);
	ret = fevent_param_register(func, param);
	if (ret < 0)
		return fevent_complain(complaint, NOT_IN_REGISTER, field->base_column);
	target->arg = ret;

	if (fevent_walk_set_type(&walk, func->params[param].type))
		return fevent_complain(complaint, BTF_TYPE, field->base_column);
	ret = fevent_walk_steps(&walk, field, complaint);
	if (ret)
		return ret;
	if (field->type != FEVENT_T_NONE)
		ret = fevent_walk_typed_end(&walk, field, complaint);
	else if (fevent_walk_end(&walk))
		ret = fevent_complain(complaint, BTF_TYPE, field->base_column);
	if (ret || target->in_memory)
		return ret;
	target->arg += target->offset / sizeof(long);
	target->offset %= sizeof(long);
	size = target->bit_size ? target->bytes : fevent_type_size(target->type);
	/* Begun in one register, it goes on in the next. */
	if (target->offset + size > sizeof(long))
		return fevent_complain(complaint, BTF_TYPE, field->base_column);
	return 0;
}

/**
 * fevent_btf_resolve - find out what a PATH leads to
 * @fe: the event; it keeps a reference to the BTF from now on
 * @field: a field whose source is FEVENT_PATH; if its base is NULL, its arg is the
 *	number of the argument
 * @target: what it leads to
 * @complaint: where to say what is wrong
 *
 * Context: Process context, may sleep.
 * Return: 0, -EINVAL with @complaint filled in, or -ENOMEM.
 */
int fevent_btf_resolve(struct fevent *fe, const struct fevent_field *field,
		       struct fevent_target *target, struct fevent_complaint *complaint)
{
	struct fevent_func func;

	if (fevent_func_get(fe->proto, &func))
		return fevent_complain(complaint, NO_BTF, field->base_column);
	if (fe->btf)
		fevent_func_put(&func);
	else
		fe->btf = func.btf;
	return fevent_resolve(&func, field, target, complaint);
}

/* Room for what fevent_expand_name() prints. */
#define FEVENT_EXPANDED		(KSYM_NAME_LEN + sizeof("arg_"))

/* Arguments may have no name, or one that an event's own fields have. */
static void fevent_expand_name(const struct fevent_func *func, int i, char *name, size_t size)
{
	const char *param = fevent_param_name(func, i);

	if (!*param)
		snprintf(name, size, "arg%d", i + 1);
	else
		snprintf(name, size, "%s%s", fevent_field_name_reserved(param) ? "arg_" : "",
			 param);
}

/**
 * fevent_btf_expand - the fields that '...' stands for
 * @proto: the prototype
 * @ret_fields: the fields, to be freed by kfree()
 * @ret_nr: how many
 * @complaint: where to say what is wrong
 *
 * All arguments that are in registers and have a value that can be recorded.
 *
 * Context: Process context, may sleep.
 * Return: 0, -EINVAL with @complaint filled in, or -ENOMEM.
 */
int fevent_btf_expand(struct fevent_proto *proto, struct fevent_field **ret_fields,
		      unsigned int *ret_nr, struct fevent_complaint *complaint)
{
	struct fevent_field *fields, *field;
	struct fevent_complaint ignored;
	struct fevent_target target;
	struct fevent_func func;
	int i, ret = 0;
	char *name;

	if (fevent_func_get(proto, &func))
		return fevent_complain(complaint, NO_BTF, proto->args_column);
	fields = kcalloc(FEVENT_MAX_ARGS, sizeof(*fields) + FEVENT_EXPANDED, GFP_KERNEL);
	if (!fields) {
		ret = -ENOMEM;
		goto cleanup;
	}
	name = (char *)(fields + FEVENT_MAX_ARGS);
	field = fields;
	for (i = 0; i < func.nr_params && field < fields + FEVENT_MAX_ARGS; i++) {
		fevent_expand_name(&func, i, name, FEVENT_EXPANDED);
		field->source = FEVENT_PATH;
		field->arg = i;
		field->name = name;
		field->column = proto->args_column;
		field->name_column = proto->args_column;
		field->base_column = proto->args_column;
		if (fevent_resolve(&func, field, &target, &ignored))
			continue;
		field++;
		name += FEVENT_EXPANDED;
	}
	*ret_fields = fields;
	*ret_nr = field - fields;
cleanup:
	fevent_func_put(&func);
	return ret;
}

/**
 * fevent_btf_put - drop the reference that fevent_btf_resolve() has taken
 * @fe: the event
 */
void fevent_btf_put(struct fevent *fe)
{
	if (fe->btf)
		btf_put(fe->btf);
	fe->btf = NULL;
}

/* ---- enums ---- */

static s64 fevent_enum_value(const struct btf_type *t, int i)
{
	if (btf_is_enum64(t))
		return btf_enum64_value(&btf_enum64(t)[i]);
	return btf_type_kflag(t) ? btf_enum(t)[i].val : (s64)(u32)btf_enum(t)[i].val;
}

static u32 fevent_enum_name_off(const struct btf_type *t, int i)
{
	return btf_is_enum64(t) ? btf_enum64(t)[i].name_off : btf_enum(t)[i].name_off;
}

/**
 * fevent_btf_enum_name - the name that an enum has for a value
 * @btf: what @t belongs to
 * @t: the enum
 * @value: the value
 *
 * Context: Any.
 * Return: its name, or NULL if it has none.
 */
const char *fevent_btf_enum_name(const struct btf *btf, const struct btf_type *t, s64 value)
{
	int i;

	for (i = 0; i < btf_vlen(t); i++) {
		if (fevent_enum_value(t, i) == value)
			return btf_name_by_offset(btf, fevent_enum_name_off(t, i));
	}
	return NULL;
}

/**
 * fevent_btf_enum_symbols - an enum's values, as __print_symbolic() wants them
 * @btf: what @t belongs to
 * @t: the enum
 * @buf: where to print, may be NULL if @size is 0
 * @size: bytes there
 *
 * Return: the characters that it takes, as snprintf().
 */
int fevent_btf_enum_symbols(const struct btf *btf, const struct btf_type *t, char *buf, size_t size)
{
	int i, pos = 0;

	for (i = 0; i < btf_vlen(t); i++)
		pos += snprintf(buf + pos, size > pos ? size - pos : 0, ", { %lld, \"%s\" }",
				fevent_enum_value(t, i),
				btf_name_by_offset(btf, fevent_enum_name_off(t, i)));
	return pos;
}
